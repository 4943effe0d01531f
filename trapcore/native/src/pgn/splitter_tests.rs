use super::*;
use crate::random::Random;

const LARGE: usize = 1 << 30;

/// All batches of an input that arrives in pieces of the given sizes, over and over.
fn split(input: &[u8], batch: usize, max: usize, sizes: &[usize]) -> Vec<Batch> {
    let mut splitter = Splitter::new(batch, max);
    let mut batches = Vec::new();
    let mut rest = input;
    for size in sizes.iter().cycle() {
        let (piece, after) = rest.split_at(rest.len().min(*size));
        batches.extend(splitter.feed(piece));
        rest = after;
        if rest.is_empty() {
            break;
        }
    }
    batches.extend(splitter.finish());
    batches
}

/// What is true of all batches.
fn check(batches: &[Batch], input: &[u8], batch: usize, max: usize) {
    let (mut at, mut next, mut carried) = (0, 1, 0);
    for (i, b) in batches.iter().enumerate() {
        assert_eq!((b.offset, b.first_game), (at as u64, next));
        assert!(input[at..].starts_with(&b.data) && !b.data.is_empty());
        assert!(b.starts.is_sorted_by(|a, b| a < b) && b.starts.iter().all(|start| *start < b.data.len()));
        assert!(b.data.len() <= batch + max);
        assert_eq!(b.continued().is_empty(), carried == 0);
        let is_cut = |index: usize| index + 1 == b.starts.len() && b.game(index).len() == max;
        assert!(b.oversized.len() <= 1 && b.oversized.iter().all(|index| is_cut(*index)));
        if i + 1 < batches.len() && b.oversized.is_empty() && b.continued().len() < b.data.len() {
            assert!(b.data.len() >= batch && b.starts.last().is_none_or(|last| *last < batch), "{b:?}");
        }
        at += b.data.len();
        next += b.starts.len() as u64;
        carried = if !b.oversized.is_empty() || b.starts.is_empty() { max } else { 0 };
        // The game ends with this piece of it, if the next batch begins with another.
        if batches.get(i + 1).is_some_and(|next| next.starts.first() == Some(&0)) {
            carried = 0;
        }
    }
    assert_eq!(at, input.len());
}

fn games(input: &str) -> Vec<String> {
    let batches = split(input.as_bytes(), 1, LARGE, &[7, 1, 100]);
    check(&batches, input.as_bytes(), 1, LARGE);
    let whole = split(input.as_bytes(), LARGE, LARGE, &[LARGE]);
    let texts = |batches: &[Batch]| -> Vec<String> {
        let games = batches.iter().flat_map(|b| (0..b.starts.len()).map(|i| b.data[b.game(i)].to_vec()));
        games.map(|game| String::from_utf8(game).unwrap()).collect()
    };
    assert_eq!(texts(&batches), texts(&whole));
    texts(&whole)
}

/// `|` in the text is where games begin.
#[track_caller]
fn cut(text: &str) {
    let expected: Vec<&str> = text.split('|').collect();
    assert_eq!(games(&text.replace('|', "")), expected);
    let crlf = text.replace('\n', "\r\n");
    let expected: Vec<&str> = crlf.split('|').collect();
    assert_eq!(games(&crlf.replace('|', "")), expected);
}

#[test]
fn nothing() {
    assert!(Splitter::new(1, 1).feed(b"").is_empty() && Splitter::new(1, 1).finish().is_empty());
}

#[test]
fn games_with_tags() {
    cut("[Event \"a\"]\n\n1. e4 *\n\n|[Event \"b\"]\n\n1. d4 *\n");
    cut("[Event \"a\"]\n1. e4 *\n|[White \"b\"]\n1. d4 *");
    cut("[Event \"a\"]\n\n\n1. e4\n|[Event \"b\"]\n\n\n\n1. d4");
    cut("[Event \"a\"] 1. e4 *\n|[Event \"b\"] 1. d4 *");
    cut("[Event \"a\"][Site \"x\"] 1. e4 *\n|[Event \"b\"] [Site \"y\"]\n1. d4 *");
    cut("  [Event \"a\"]\n\n1. e4 *\n\n|  [Event \"b\"]\n\n1. d4 *");
    cut("[Event \"one \"two\" three\"]\n[Site \"x\n\n1. e4 *\n\n|[Event \"\\\"]\n\n*");
    cut("[A \"x\"]\n\n1. e4 [B \"y\"]\n[%clk 1]\n[Ne5 was better]\n e5");
}

#[test]
fn what_is_before_and_after() {
    cut("\u{feff}[Event \"a\"]\n\n*\n");
    cut("\n\n% x\n; y\n{z\n\n[Foo \"x\"]}\n[Event \"a\"]\n\n*\n\n% end\n\n");
    cut("[Event \"a\"]\n\n*\n\n|\u{feff}[Event \"b\"]\n\n*\n");
    cut("[Event \"a\"]\n\n*\n% [Event \"x\"]\n\n\u{1a}\n");
    cut("[Event \"a\"]\n\n*\n\n\u{1a}\n|[Event \"b\"]\n\n*");
    cut("THIS IS NO PGN\n\nAT ALL [Event \"x\"]\n");
    cut("From: somebody\n\n[Event \"a\"]\n\n*\n\nMore of him:\n\n|[Event \"b\"]\n\n*");
    cut("[Event \"a\"]\n\n1. e4 1-0\n\n|; of the second\n{and this}\n[Event \"b\"]\n\n*");
}

#[test]
fn tags_in_several_sections() {
    cut("[Event \"a\"]\n\n[Date \"x\"]\n\n1. e4 *");
    cut("[Event \"a\"]\n[Date \"x\"]\n\n|[Event \"b\"]\n[Date \"y\"]\n\n|[Date \"z\"]\n");
    cut("[White \"a\"]\n\n|[Event \"b\"]\n\n*");
    cut("[Event \"a\"]\n[Event \"b\"]\n\n*");
    cut("[White \"a\"]\n; c\n[Black \"b\"]\n{d}\n|[White \"c\"]\n");
    cut("[White \"a\"]\n[Elo 2400]\n[Black \"b\"]\n\n*\n|[Event unquoted]\n[Elo]\n[Black \"d\"]\n\n*");
    let many: String = (0..2 * MAX_TAGS).map(|i| format!("[T{i} \"\"]\n\n")).collect();
    assert_eq!(games(&many).len(), 2);
}

#[test]
fn comments() {
    cut("[Event \"a\"]\n\n1. e4 {\n[Event \"x\"]\n} e5 {x} *\n\n|[Event \"b\"]\n\n*");
    cut("1. e4 ; {\n|[Event \"b\"]\n\n1. e4 } e5 *\n|[Event \"c\"]\n\n*");
    cut("1. e4 {never closed\n\n|[Event \"b\"]\n\n1. d4 {too\n \t\n|[Event \"c\"]\n\n*");
    cut("1. e4 {closed\n\n[Site \"b\"]\n\n [Event \"x\"]\n\ntext } *\n|[Site \"c\"]\n");
    cut("1. e4 {{} *\n|[Event \"b\"]\n\n*");
}

#[test]
fn movetext_without_tags() {
    cut("1. e4 e5 1-0\n\n|1. d4 0-1\n \t\n|1. c4 1/2-1/2\n\n|*\n\n|{c} 1. f4");
    cut("1. e4 e5\n\n2. Nf3 Nc6\n\n\n3. Bb5 *");
    cut("1. e4 e5 1-0\n1. d4 0-1");
    cut("1. e4\n\n{c} e5 1-0\n2. d4");
    cut("1. e4 e5 1-0 {comment}\n\n|1. d4");
    cut("1. e4 e5 {1-0}\n\n2. Nf3 (2. f4 1-0)\n\n2... Nc6 ; 1-0\n\n3. Bb5 0-0\n\n4. a3");
    cut("[Event \"a\"]\n\n1. e4 1-0\n\nNO GAME\n\n|[Event \"b\"]\n\n*");
    cut("1. Rc10-1\n\n|1. e4 ½-½\n\n|1. d4 1 - 0\n\n|1. f4 1/2 - 1/2\n\n|1. e4 Nf6* \t\n\n|e4");
}

#[test]
fn a_game_can_end_at_a_batch_end() {
    let game = "[Event \"x\"]\n\n1. e4 *\n\n";
    let input = game.repeat(10);
    let batches = split(input.as_bytes(), 3 * game.len(), LARGE, &[5]);
    check(&batches, input.as_bytes(), 3 * game.len(), LARGE);
    assert_eq!(batches.iter().map(|b| b.starts.len()).collect::<Vec<_>>(), [3, 3, 3, 1]);
    assert_eq!(batches.iter().map(|b| b.first_game).collect::<Vec<_>>(), [1, 4, 7, 10]);
}

#[test]
fn oversized_games() {
    let long = format!("[Event \"y\"]\n\n1. e4 {{{}}} *\n", "x".repeat(100));
    let input = format!("[Event \"x\"]\n\n*\n{long}[Event \"z\"]\n\n*\n");
    let batches = split(input.as_bytes(), 1000, 50, &[11]);
    check(&batches, input.as_bytes(), 1000, 50);
    let shape: Vec<_> = batches.iter().map(|b| (b.first_game, b.data.len(), &b.starts[..], &b.oversized[..])).collect();
    assert_eq!(shape, [(1, 65, &[0, 15][..], &[1][..]), (3, 50, &[], &[]), (3, 39, &[24], &[])]);
    // As large as is allowed.
    let batches = split(input.as_bytes(), 1000, long.len(), &[1000]);
    assert_eq!((batches.len(), batches[0].oversized.len(), batches[0].starts.len()), (1, 0, 3));
}

#[test]
fn a_long_line_passes_through() {
    let mut splitter = Splitter::new(1 << 12, 1 << 16);
    let line = vec![b'a'; 1 << 16];
    for byte in [b' ', b'[', b'{', b';', b'<', b'"', b'1', 0] {
        let mut line = line.clone();
        line[0] = byte;
        let (mut fed, mut got) = (0, 0);
        for _ in 0..64 {
            fed += line.len();
            got += splitter.feed(&line).iter().map(|b| b.data.len()).sum::<usize>();
            assert!(fed - got <= (1 << 16) + (1 << 12) && splitter.buffer.capacity() < 1 << 20);
            line[0] = b'a';
        }
        let last = splitter.finish();
        assert_eq!(got + last.iter().map(|b| b.data.len()).sum::<usize>(), fed);
        assert!(last.iter().all(|b| b.starts.is_empty() || b.starts == [0]));
    }
}

#[test]
fn arrival_does_not_matter() {
    let parts: Vec<&str> = concat!(
        "[Event \"a\"]\n|[Site \"b\"]\r\n|[White \"x \"y\" z\"]|[Elo 12]\n|\n|\r\n| \n|\t|\n\n[Event \"|",
        "1. e4 e5 |Nf3|1-0|0-1\n|1/2-1/2|*|{|}|; c |%|% x\n|(|)|\u{feff}|½|\u{1a}|",
        "                                        |[|[%clk 1]|é\n|O-O\n",
    )
    .split('|')
    .collect();
    let mut random = Random(1);
    let mut next = |n: usize| random.below(n);
    for round in 0..600 {
        let mut input = Vec::new();
        for _ in 0..next(120) {
            input.extend_from_slice(parts[next(parts.len())].as_bytes());
        }
        if round % 50 == 0 {
            let at = next(input.len() + 1);
            input.splice(at..at, vec![parts[next(parts.len())].as_bytes()[0]; LOOK + next(3) - 1]);
        }
        let (batch, max) = ([1, 20, 300][next(3)], [1, 33, 90, LARGE][next(4)]);
        let whole = split(&input, batch, max, &[LARGE]);
        check(&whole, &input, batch, max);
        for sizes in [&[1][..], &[3, 2, 50], &[next(9) + 1, next(99) + 1, next(300) + 1], &[64]] {
            assert_eq!(split(&input, batch, max, sizes), whole, "{:?}", String::from_utf8_lossy(&input));
        }
    }
}

#[test]
fn batches_of_the_shared_data_do_not_depend_on_arrival() {
    let directory = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/pgn");
    let Ok(input) = std::fs::read(directory.join("annotated_classics_scoutfish.pgn")) else {
        eprintln!("skipped: there is no {}", directory.display());
        return;
    };
    let whole = split(&input, 1 << 16, 1 << 14, &[LARGE]);
    check(&whole, &input, 1 << 16, 1 << 14);
    assert!(split(&input, 1 << 16, 1 << 14, &[997, 4096, 1]) == whole);
    assert_eq!(whole.iter().map(|b| b.starts.len()).sum::<usize>(), 1384);
}
