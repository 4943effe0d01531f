//! Real, broken and random files: the reader against pgn-reader, and text at all anchors.

use crate::pgn::anchors::{Anchor, anchors};
use crate::pgn::reader::{Game, GameReader};
use crate::pgn::splitter::Splitter;
use crate::pgn::tags::{decode, movetext};
use crate::random::Random;
use pgn_reader::{Reader, SanPlus, Visitor};
use shakmaty::{Chess, Move, Position};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// The moves that pgn-reader makes of a movetext.
#[derive(Default)]
struct Replay(Chess, Vec<Move>);

impl Visitor for Replay {
    type Tags = ();
    type Movetext = ();
    type Output = ();

    fn begin_tags(&mut self) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, (): ()) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn san(&mut self, (): &mut (), SanPlus { san, .. }: SanPlus) -> ControlFlow<()> {
        let Ok(m) = san.to_move(&self.0) else { return ControlFlow::Break(()) };
        self.0.play_unchecked(m);
        self.1.push(m);
        ControlFlow::Continue(())
    }

    fn end_game(&mut self, (): ()) {}
}

fn replay(game: &Game, bytes: &[u8]) -> Vec<Move> {
    let mut text = bytes[movetext(bytes)..].trim_ascii().to_vec();
    for i in 0..text.len() {
        if text[i] == b'\n' && (text[i + 1..].starts_with(b"\n") || text[i + 1..].starts_with(b"\r\n")) {
            text[i] = b' ';
        }
    }
    let mut replay = Replay(game.initial.clone(), Vec::new());
    Reader::new(&text[..]).read_game(&mut replay).expect("a comment that ends");
    replay.1
}

/// The game with text at all places behind each move.
fn annotated(bytes: &[u8], anchors: &[Anchor]) -> Vec<u8> {
    let mut text = bytes.to_vec();
    for anchor in anchors.iter().rev() {
        let number: &[u8] = if anchor.number_next { b" 1..." } else { b"" };
        text.splice(anchor.variation_at..anchor.variation_at, [b" (e4 {tl)}) {tl}", number].concat());
        text.splice(anchor.comment_at..anchor.comment_at, *b" {tl}");
        text.splice(anchor.nag_at..anchor.nag_at, *b" $142");
    }
    text
}

fn files(directory: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(directory) else { return };
    for path in entries.map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_none_or(|extension| extension != "zst") {
            found.push(path);
        }
    }
}

/// What is checked of a file: the batches are the input, the moves are those of pgn-reader, each has its anchor, and
/// with text at all anchors the game is the same. Gives the numbers of games and of skips.
fn check_file(path: &Path) -> (usize, usize) {
    let input = std::fs::read(path).unwrap();
    let (mut games, mut skips, mut otherwise) = (0, 0, 0);
    let reader = GameReader::new();
    let mut splitter = Splitter::new(1 << 18, 1 << 24);
    let mut batches = splitter.feed(&input);
    batches.extend(splitter.finish());
    assert!(batches.iter().flat_map(|batch| &batch.data).eq(&input), "{path:?}");
    for batch in &batches {
        assert_eq!(batch.first_game, games as u64 + 1);
        for index in 0..batch.starts.len() {
            games += 1;
            let bytes = &batch.data[batch.game(index)];
            let Ok(game) = reader.read(bytes) else {
                skips += 1;
                continue;
            };
            let black_starts = game.initial.turn().is_black();
            let places = anchors(bytes, &game.text, black_starts);
            assert_eq!(places.len(), game.moves.len(), "{path:?}, game {games}");
            let mut at = 0;
            for place in &places {
                let order =
                    [at, place.token.start, place.token.end, place.nag_at, place.comment_at, place.variation_at];
                assert!(order.is_sorted() && place.token.len() > 1, "{path:?}, game {games}: {order:?}");
                at = place.variation_at;
            }
            otherwise += usize::from(replay(&game, bytes) != game.moves);
            let more = annotated(bytes, &places);
            let again = reader.read(&more).unwrap();
            assert_eq!((&again.moves, &again.tags), (&game.moves, &game.tags), "{path:?}, game {games}");
            let marked = anchors(&more, &again.text, black_starts);
            assert!(marked.iter().all(|m| m.nags.contains(&142) && m.variations.len() * m.comments.len() > 0));
        }
    }
    // Games that pgn-reader cannot read, or misreads.
    let expected = match path.file_name().unwrap().to_str().unwrap() {
        "annotated_classics_scoutfish.pgn" => 22,
        "uci-moves.pgn" => 1,
        _ => 0,
    };
    assert_eq!(otherwise, expected, "{path:?}");
    (games, skips)
}

#[test]
fn every_game_of_the_shared_data() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let mut paths = Vec::new();
    files(&data.join("pgn"), &mut paths);
    files(&data.join("hostile"), &mut paths);
    if paths.is_empty() {
        eprintln!("skipped: there is no {}", data.display());
    }
    // Games and skips. Of the classics, one is a game without an `Event`, which a search for that tag misses.
    let known = [
        ("bench_masters_10k.pgn", 9996, 0),
        ("amateur_lichess_2021_10_kdave.pgn", 468, 0),
        ("amateur_chesscom_cancer0707.pgn", 881, 0),
        ("annotated_classics_scoutfish.pgn", 1384, 0),
        ("lichess_broadcast_club_luna.pgn", 280, 0),
        ("carlsen_karjakin_2016_rapid4.pgn", 1, 0),
        ("pgnmentor_double_blank_after_tags.pgn", 106, 0),
        ("pgnmentor_illegal_move_2games.pgn", 2, 0),
        ("malformed_batch.pgn", 2, 0),
        ("chessbase-empty-line.pgn", 1, 0),
        ("cutechess-fischerrandom.pgn", 4, 0),
        ("utf8-bom.pgn", 2, 0),
        ("uci-moves.pgn", 1, 0),
        ("bare", 1, 0),
        ("corrupted.pgn", 1, 0),
        ("no_moves_but_comment_followed_by_termination_marker.pgn", 2, 0),
        ("no_moves_but_game_termination_multiple_2.pgn", 3, 0),
        ("unescaped_quote_header.pgn", 1, 0),
    ];
    for path in paths {
        let counts = check_file(&path);
        let name = path.file_name().unwrap().to_str().unwrap();
        if let Some((_, games, skips)) = known.iter().find(|known| known.0 == name) {
            assert_eq!(counts, (*games, *skips), "{name}");
        }
    }
}

#[test]
fn no_text_is_too_broken() {
    let parts: Vec<&str> = concat!(
        "[Event \"x\"]\n|[FEN \"|8/8/8/8/8/8/8/K1k5 w - - 0 1|\"]|\\|[Variant \"960\"]|\n|\n\n| |1.|",
        "12...|e4|e5|Nf3|O-O|0-0-0|a8Q|exd6|e.p.|$1|$|!|?!|{|}|(|)|;|%|<|>|*|1-0|1/2|-|½|\u{feff}|\u{0}|",
        "é|+|#|x|=",
    )
    .split('|')
    .collect();
    let mut random = Random(1);
    let mut next = |n: usize| random.below(n);
    let reader = GameReader::new();
    for _ in 0..20_000 {
        let mut text: Vec<u8> = (0..next(30)).flat_map(|_| parts[next(parts.len())].bytes()).collect();
        if !text.is_empty() && next(2) == 0 {
            let at = next(text.len());
            text[at] = next(256) as u8;
        }
        crate::pgn::anchors::layout(&text);
        if let Ok(game) = reader.read(&text) {
            let places = anchors(&text, &game.text, game.initial.turn().is_black());
            assert_eq!(places.len(), game.moves.len());
            assert_eq!(reader.read(&annotated(&text, &places)).unwrap().moves, game.moves, "{:?}", decode(&text));
        }
    }
}

#[test]
fn time_is_linear() {
    let long = |part: &str| part.repeat((1 << 19) / part.len());
    for part in [
        "[A \"x\"]",
        "[A \"x\"]\n\n",
        "[A \"\"] x",
        "[",
        "[A ",
        "(",
        ")",
        "()",
        "{",
        "{}",
        "{(",
        "<",
        "<\n",
        ";",
        ";\n",
        ";\n%",
        "%",
        "\n%",
        "$",
        "!",
        "e.p.",
        "0",
        "0-",
        "1/2-",
        "½",
        "*",
        "1. ",
        "e4 ",
        "-",
        "\"]",
        "[A \"\"]   ",
        " ",
        "\n",
        "\r",
        "(;\n",
        "(\n%",
        "\u{feff}",
    ] {
        for start in ["", "1. e4 ", "1. e4 (", "[A \"", "1. e4 ;"] {
            let text = start.to_owned() + &long(part);
            let began = std::time::Instant::now();
            let mut splitter = Splitter::new(1 << 16, 1 << 30);
            let batches = [splitter.feed(text.as_bytes()), splitter.finish()].concat();
            assert_eq!(batches.iter().map(|b| b.data.len()).sum::<usize>(), text.len());
            if let Ok(game) = GameReader::new().read(text.as_bytes()) {
                anchors(text.as_bytes(), &game.text, false);
            }
            crate::pgn::anchors::layout(text.as_bytes());
            // Well below a second, even without optimization.
            assert!(began.elapsed().as_secs() < 10, "{start:?} {part:?}");
        }
    }
}
