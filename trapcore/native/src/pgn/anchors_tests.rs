use super::*;
use crate::pgn::lexer::{ends_with_result, san};
use crate::pgn::reader::GameReader;
use shakmaty::san::San;

/// Every word of the main line as a move, the first `plies` of them.
fn words(game: &[u8], plies: usize) -> MainLine {
    let moves = Tokens::from(game, movetext(game)).filter(|token| token.kind == Kind::Move).take(plies);
    MainLine { moves: moves.map(|token| token.start..token.end).collect(), end: game.len() }
}

/// The game with `‹n›`, `‹c›` and `‹v›` (or `‹ncv›`, if all are the same) spliced in behind each move, and `#` behind
/// `v` where a move number has to follow.
fn marked(game: &str, plies: usize, black_starts: bool) -> String {
    let mut text = game.as_bytes().to_vec();
    for anchor in anchors(game.as_bytes(), &words(game.as_bytes(), plies), black_starts).iter().rev() {
        let mut marks =
            [(anchor.nag_at, "n".to_owned()), (anchor.comment_at, "c".into()), (anchor.variation_at, "v".into())];
        for i in [1, 0] {
            if marks[i].0 == marks[i + 1].0 {
                let joined = std::mem::take(&mut marks[i + 1].1);
                marks[i].1 += &joined;
            }
        }
        let number = if anchor.number_next { "#" } else { "" };
        for (at, mark) in marks.iter().rev().filter(|(_, mark)| !mark.is_empty()) {
            let mark = format!("‹{mark}{}›", if mark.ends_with('v') { number } else { "" });
            text.splice(at..at, mark.bytes());
        }
    }
    String::from_utf8(text).unwrap()
}

#[track_caller]
fn check(expected: &str) {
    check_from(expected, false);
}

/// `expected` has one mark with an `n` for each move.
#[track_caller]
fn check_from(expected: &str, black_starts: bool) {
    let mut game = String::new();
    let mut plies = 0;
    for part in expected.split('‹') {
        let (mark, text) = part.split_once('›').unwrap_or(("", part));
        plies += usize::from(mark.starts_with('n'));
        game += text;
    }
    assert_eq!(marked(&game, plies, black_starts), expected);
}

#[test]
fn plain_moves() {
    check("1. e4‹ncv#› e5‹ncv› 2. Nf3‹ncv#› Nc6‹ncv› *");
    check("1.e4‹ncv#› e5‹ncv› 2.Nf3‹ncv›");
    check("e4‹ncv#› e5‹ncv› Nf3‹ncv› 1-0");
    check("1.e4‹ncv› 1...e5‹ncv› 2.Nf3‹ncv› 2. ... Nc6‹ncv›");
    check("1.e4‹ncv›\t1... e5‹n›{c}‹cv›2 Nf3‹ncv›*");
    check("1. 0-0‹ncv#› 0-0-0+‹ncv› 2. O-O#‹ncv› 0-1");
    check("1. e4‹ncv#›\r\ne5‹ncv›\r\n");
    check("");
    check("*");
    check("{nothing} 1/2-1/2");
}

#[test]
fn numbers_for_black() {
    check_from("1... e5‹ncv› 2. Nf3‹ncv#› Nc6‹ncv› 3. Bb5‹ncv›", true);
    check_from("e5‹ncv› Nf3‹ncv#› Nc6‹ncv› Bb5‹ncv›", true);
    check("1. e4‹ncv› 1. e5‹ncv›");
    check("1. e4‹n› {c}‹cv#› e5‹ncv›");
    check("1. e4‹n› {c}‹cv› 1... e5‹ncv›");
    check("1. e4‹ncv› 1... {c} e5‹ncv›");
    check("1. e4‹nc› (1. d4 d5)‹v#› e5‹ncv› 2. d4‹ncv›");
}

#[test]
fn suffixes_and_nags() {
    check("1. e4!?‹ncv#› e5 !‹ncv› 2. Nf3 $1 $14‹ncv#› Nc6?? $4‹n› {c}‹cv› 3. d4$5‹ncv›");
    let game = b"1. e4!? $10 {c} $14 e5 ?? (1... d5 $1) $255 $256 $x 2. Nf3!!$1 ?! d6 ! ?";
    let all = anchors(game, &words(game, 4), false);
    let nags: Vec<&[u8]> = all.iter().map(|a| &a.nags[..]).collect();
    assert_eq!(nags, [&[5, 10, 14][..], &[4, 255], &[3, 1, 6], &[1, 2]]);
    assert_eq!(all[0].token, 3..5);
}

#[test]
fn comments_and_variations_in_any_order() {
    check("1. e4‹n› {a}{b}‹cv#› e5‹ncv›");
    check("1. e4 $1‹n› {a} $2 {b}‹c› (1. d4 (1. c4) {)}) (1. f4) {c} $5‹v› 1... e5‹ncv›");
    check("1. e4‹nc› (1. d4) {c}‹v#› e5‹n› {x}‹c› (1... c5)‹v›\n2. d4‹ncv›");
    check("1. e4‹n› {a}‹c› $1‹v#› e5‹ncv›");
    check("1. e4‹nc› ( 1. d4 ; ) not here\n )‹v#› e5‹ncv›");
    check("1. e4‹nc› ( 1. d4\n% ) not here\n )‹v#› e5‹ncv›");
    check("1. e4‹nc› ()‹v#› e5‹ncv› ) 2. d4‹ncv›");
    check("{before} 1. {between} e4‹n› {after}‹cv› 1-0 {end}");
    let game = b"1. e4 {a} ( d4 (c4) ) {b} e5 {}";
    let all = anchors(game, &words(game, 2), false);
    let [first, second] = &all[..] else { panic!("two moves") };
    assert_eq!(first.comments, [7..8, 23..24]);
    assert_eq!((&first.variations[0], first.variations.len()), (&(11..20), 1));
    assert_eq!((&second.comments[0], second.comments.len()), (&(30..30), 1));
}

#[test]
fn rest_of_line_comments() {
    check("1. e4‹n› ; king's pawn\n‹cv#›e5‹ncv›");
    check("1. e4‹n› ; king's pawn\r\n‹cv#›e5‹ncv›");
    check("1. e4‹n› {a}‹cv#› e5‹n› {b}‹cv› ; the end");
    check("1. e4‹n› ; a\n; b\n‹cv#› e5‹ncv›");
    check("1. e4‹n› ; a\n%escaped\n%twice\n‹cv#› e5‹ncv›");
    check("1. e4‹ncv› ; a\n%escaped");
    check("% d4\n1. e4‹ncv#›\n% d5\n  e5‹ncv›");
}

#[test]
fn oddities() {
    check("1. exd6 e.p.‹ncv#› e5 e.p.!‹ncv› 2. fxg6 ep‹n› {c}‹cv›");
    check("1. e4‹ncv#› <reserved for e4> e5‹ncv› 2. d4‹ncv#› += d5‹ncv› ± 3. c4‹n› {c}‹cv›");
    check("1. --‹ncv#› Z0‹ncv› 2. 0000‹ncv›");
    check("1. e4‹ncv#› e5‹ncv›1-0");
    check("1. Rc1‹ncv›0-1");
    check("1. e4‹ncv#› Rc1‹ncv›1/2-1/2");
    check("1. e4‹ncv#› e5‹ncv› 1/2 - 1/2");
    check("1. e4‹ncv#› e5‹ncv› 1 - 0");
    check("1. e4‹ncv#› e5‹ncv› ½–½");
    check("\u{feff}1. e4‹ncv›");
    check("[Event \"e4 {\"]\n; comment e4\n[Site \"x\"]\n\n\n1. e4‹ncv›");
    check("[Event \"One \"quoted\" name\"]\n[Event2 \"x\n[Unquoted 12]\n\n1. e4‹ncv›");
}

#[test]
fn anchors_stand_where_the_reader_read_moves() {
    for (game, expected) in [
        ("1. e4□ zugzwang {a} e5‼ (1... d5) {b", "1. e4□ zugzwang {a}‹› e5‼ (1... d5)‹› {b"),
        ("1. e4,e5 2. Nf3ch,Ke5 3. d4", "1. e4‹›,e5‹› 2. Nf3ch‹›,Ke5 3. d4"),
        ("1. e4e5Nf3 *", "1. e4‹›e5‹›Nf3‹› *"),
        ("1. e4 {x {y} z} e5 +- {c} *", "1. e4 {x {y} z}‹› e5 +- {c}‹› *"),
    ] {
        let read = GameReader::new().read(game.as_bytes()).unwrap();
        let mut text = game.as_bytes().to_vec();
        for anchor in anchors(game.as_bytes(), &read.text, false).iter().rev() {
            text.splice(anchor.variation_at..anchor.variation_at, "‹›".bytes());
        }
        assert_eq!(String::from_utf8(text).unwrap(), expected);
    }
}

#[test]
fn layouts() {
    let wrapped = |text: &str| layout(text.as_bytes()).wrapped;
    assert!(
        wrapped("1. e4\ne5 *") && wrapped("1. e4 {c}\n1... e5") && wrapped("1. e4 (1. d4\nd5) e5") && wrapped("1.\ne4")
    );
    assert!(
        !wrapped("[A \"x\"]\n\n1. e4 e5\n*") && !wrapped("{c}\n1. e4 {a\nb} e5\n\n") && !wrapped("1. e4 ({\n}) e5")
    );
    assert!(!wrapped("") && !wrapped("\n\n"));
    let crlf = |text: &str| layout(text.as_bytes()).crlf;
    assert!(crlf("[A \"x\"]\r\n\r\n1. e4\n") && !crlf("[A \"x\"]\n\n1. e4\r\n") && !crlf("1. e4"));
    let encoding = |text: &[u8]| layout(text).encoding;
    assert_eq!(encoding(b"1. e4"), Encoding::Ascii);
    assert_eq!(encoding("{é}".as_bytes()), Encoding::Utf8);
    assert_eq!(encoding(b"\xef\xbb\xbf1. e4"), Encoding::Utf8);
    assert_eq!(encoding(b"{\xe9}"), Encoding::Latin1);
}

#[test]
fn results_at_the_end_of_text() {
    for text in [
        "*",
        "1-0",
        "0-1",
        "e4 1/2-1/2",
        "Nf3*",
        "Rc10-1",
        "1/2 - 1/2",
        "1 - 0",
        "½-½",
        "1–0",
        "1:0",
        "0.5-0.5",
        "1\u{2212}0",
    ] {
        assert!(ends_with_result(text.as_bytes()), "{text}");
    }
    assert!(ends_with_result(b"\xbd-\xbd"));
    for text in ["", "0", "1", "e1", "12", "0-0", "0-0-0", "1/", "(1-0)", "é"] {
        assert!(!ends_with_result(text.as_bytes()), "{text}");
    }
}

#[test]
fn castling_with_zeros() {
    use shakmaty::CastlingSide::{KingSide, QueenSide};
    assert_eq!(san(b"0-0"), Some(San::Castle(KingSide)));
    assert_eq!(san("0–0–0+".as_bytes()), Some(San::Castle(QueenSide)));
    for text in ["0", "00", "0-0-0-0", "0-", "0-0x", "0-1"] {
        assert_eq!(san(text.as_bytes()), None, "{text}");
    }
}
