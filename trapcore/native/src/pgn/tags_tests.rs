use super::*;
use crate::pgn::reader::{Game, GameReader};

fn read(text: &str) -> Game {
    GameReader::new().read(text.as_bytes()).unwrap()
}

#[test]
fn tags_as_their_author_meant_them() {
    let game = read("[white \"Zoe\u{308}\"]\n[BLACK\n\"Corsi,\nPiero\"]\n[Result \"1-0\"]\n\n1. e4");
    assert_eq!((game.tag("White"), game.tag("Black"), game.moves.len()), (Some("Zoë"), Some("Corsi, Piero"), 1));
    let game = read("Here is my game:\n```pgn\n[White \"A\"]\n\n1. e4\n```\nthanks!");
    assert_eq!((game.tag("White"), game.moves.len()), (Some("A"), 1));
}

#[test]
fn prose() {
    for text in ["Here is my game:", "```pgn", "thanks!", "White resigns", "Bobby and Carl"] {
        assert!(is_prose(text.as_bytes()), "{text}");
    }
    for text in
        ["", "  ", "1. e4", "1 e4 e5", "e4,e5", "Nf3! good", "1-0", "good {", "1/2-1/2", "0-1", "[Event", "1.e4"]
    {
        assert!(!is_prose(text.as_bytes()), "{text}");
    }
}

#[test]
fn tags_over_lines() {
    for (text, length) in [
        ("[A \"x\"]\n[B \"y\"]", Some(7)),
        ("[A \"x\ny\"]\n", Some(9)),
        ("[A\n\"x\"]\n", Some(7)),
        ("[A \"x\ny\nz\"]\n", Some(11)),
        ("[A \"x\n[B \"y\"]\n", Some(5)),
        ("[A \"x\n\ny\"]\n", Some(5)),
        ("[A \"x\n1. e4 e5\n1-0\n2. \"]", Some(5)),
    ] {
        assert_eq!(tag_length(text.as_bytes(), true), length, "{text:?}");
    }
    assert_eq!((tag_length(b"[A \"x", false), tag_length(b"[A \"x\ny", false)), (None, None));
}

#[test]
fn tag_pairs() {
    let pair = |line: &str| {
        let pair = tag_pair(line.as_bytes())?;
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        Some((text(pair.name), text(pair.value), line[pair.end..].to_owned()))
    };
    let check = |line: &str, name: &str, value: &str, rest: &str| {
        assert_eq!(pair(line), Some((name.to_owned(), value.to_owned(), rest.to_owned())), "{line}");
    };
    check(r#"[Event "x"]"#, "Event", "x", "");
    check(r#"[Event "x" ] {c}"#, "Event", "x", " {c}");
    check(r#"[ Event"x"][Site "y"]"#, "Event", "x", r#"[Site "y"]"#);
    check(r#"[Event "a "b" c"]"#, "Event", r#"a "b" c"#, "");
    check(r#"[Event "a "b"] c"]"#, "Event", r#"a "b"] c"#, "");
    check(r#"[Event "a ] b"]"#, "Event", "a ] b", "");
    check(r#"[Event "a \"b\" c\\"]"#, "Event", r#"a \"b\" c\\"#, "");
    check(r#"[Event "a\"]"#, "Event", r"a\", "");
    check(r#"[Event "a"#, "Event", "a", "");
    check(r#"[Event "a]"#, "Event", "a", "");
    check(r#"[Event ""]"#, "Event", "", "");
    for line in [r"[Event]", r"[Event x]", r#"[%clk "x"]"#, r#"["x"]"#, "[", "", r#"Event "x"]"#, r#"[Evént "x"]"#] {
        assert_eq!(pair(line), None, "{line}");
    }
    let names = |text: &str| -> Vec<String> {
        Tags::new(text.as_bytes()).map(|tag| String::from_utf8(tag.name.to_vec()).unwrap()).collect()
    };
    assert_eq!(
        names("\u{feff}% x\n\n; y\n{[Z \"z\"]} \n[A \"1\"][B \"2\"]\n\n[C d]\n[D \"4\"] 1. e4\n[E \"\"]"),
        ["A", "B", "D"]
    );
    assert!(names("[A b]\n[B \"\"]").is_empty() && names("{[A \"\"]").is_empty());
}
