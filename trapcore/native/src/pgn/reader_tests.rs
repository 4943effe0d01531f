use super::*;
use crate::pgn::anchors::{Anchor, anchors};
use crate::pgn::splitter::Splitter;
use pgn_reader::{Reader, SanPlus, Visitor};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

fn read(text: &str) -> Result<Game, Skip> {
    GameReader::new().read(text.as_bytes())
}

fn moves(text: &str) -> String {
    let game = read(text).unwrap_or_else(|skip| panic!("{text}: {skip}"));
    game.moves.iter().map(|m| m.to_uci(game.mode).to_string()).collect::<Vec<_>>().join(" ")
}

#[track_caller]
fn skipped(text: &str, reason: &str, message: &str) {
    let skip = read(text).map(|game| game.moves).expect_err(text);
    assert_eq!((skip.reason(), skip.to_string().as_str()), (reason, message));
}

#[test]
fn a_game() {
    let game = read(
        "\u{feff}% x\n[White \"A \\\"B\\\" \\\\ \\C\"]\n[Black \"é\"]\n\n1. e4 {x} e5!? (1... c5) 2. Nf3 $1 1-0\n\n",
    )
    .unwrap();
    assert_eq!(game.tags, [("White".into(), r#"A "B" \ \C"#.into()), ("Black".into(), "é".into())]);
    assert_eq!((game.tag("Black"), game.tag("black")), (Some("é"), None));
    assert_eq!((game.moves.len(), game.outcome.as_deref(), game.start_fen), (3, Some("1-0"), None));
    assert_eq!((game.mode, game.initial), (CastlingMode::Standard, Chess::default()));
    assert_eq!(GameReader::new().read(b"[White \"\xe9\"]").unwrap().tag("White"), Some("é"));
}

#[test]
fn games_without_moves() {
    for text in
        ["", "\n\n", "*", "[Event \"x\"]", "[Event \"x\"]\n\n{stalled} 0-1", "\u{feff}", "; c", "%", "+-", "{c} ±"]
    {
        assert_eq!(moves(text), "", "{text}");
    }
}

#[test]
fn outcomes() {
    for (text, outcome) in [
        ("1. e4 *", Some("*")),
        ("1. e4 0-1", Some("0-1")),
        ("1. e4 ½–½", Some("1/2-1/2")),
        ("1. e4 1–0", Some("1-0")),
        ("1. e4 1/2 - 1/2", Some("1/2-1/2")),
        ("1. e41-0", Some("1-0")),
        ("1. e4", None),
        ("1. e4 {1-0} (0-1)", None),
    ] {
        assert_eq!(read(text).unwrap().outcome.as_deref(), outcome, "{text}");
    }
}

#[test]
fn results() {
    for (text, result) in [
        ("[Result \"1-0\"]\n\n1. e4 1-0", "1-0"),
        ("[Result \"1-0\"]\n\n1. e4 *", "1-0"),
        ("[Result \"1/2-1/2\"]\n\n1. e4 0-1", "1/2-1/2"),
        ("[Result \"*\"]\n\n1. e4 0-1", "0-1"),
        ("[Result \"White\"]\n\n1. e4 ½-½", "1/2-1/2"),
        ("1. e4 0-1", "0-1"),
        ("1. e4", "*"),
    ] {
        assert_eq!(read(text).unwrap().result(), result, "{text}");
    }
}

#[test]
fn blank_lines_and_line_ends() {
    let plain = "e2e4 e7e5 g1f3";
    for text in
        ["1. e4\n\ne5\n\n\n2. Nf3", "1. e4\r\n\r\n e5\r\n2. Nf3", "1. e4\re5\r\r2. Nf3", "1.e4;c\n\n%d5\ne5 2.Nf3"]
    {
        assert_eq!(moves(text), plain, "{text:?}");
    }
    assert_eq!(moves("1. e4 e5\u{1a}2. Nf3 0-1\0\0\n"), plain);
    assert_eq!(moves("[A \"x\"]\r[B \"y\"]\r\r1. e4\re5 2. Nf3 *\r"), plain);
    assert_eq!(moves("[A \"x\"]\n\n[B \"y\"]\n{c}\n[C \"z\"] 1. e4 e5 2. Nf3"), plain);
}

#[test]
fn moves_in_other_spellings() {
    assert_eq!(
        moves("e2e4 e7-e5 g1f3 Nb8-c6 f1c4 Ng8f6 e1g1 Nf6e4 f1e1 Nf6++"),
        "e2e4 e7e5 g1f3 b8c6 f1c4 g8f6 e1g1 f6e4 f1e1 e4f6"
    );
    assert_eq!(moves("e4 d5 ed5 Qd5 Nxc3 Qe5++"), "e2e4 d7d5 e4d5 d8d5 b1c3 d5e5");
    assert_eq!(moves("e4 e5 Nf3 Nc6 Bc4 Nf6 o-o Bc5 d3 0-0"), "e2e4 e7e5 g1f3 b8c6 f1c4 g8f6 e1g1 f8c5 d2d3 e8g8");
    let queens = "[FEN \"8/P6k/8/8/8/8/p6K/8 w - - 0 1\"]\n\n";
    assert_eq!(moves(&format!("{queens} a8Q a1=q")), "a7a8q a2a1q");
    assert_eq!(moves(&format!("{queens} a7a8N")), "a7a8n");
    skipped(&format!("{queens} a8"), "illegal-move", "1. a8 is not legal");
    skipped("1. e4 a6 2. Bb5 axb6", "illegal-move", "2... axb6 is not legal");
    skipped("1. e4 e8Q", "illegal-move", "1... e8Q is not legal");
    skipped("1. e1-e2", "illegal-move", "1. e1-e2 is not legal");
    skipped("1. o-o", "illegal-move", "1. o-o is not legal");
    skipped("1. Ke1", "illegal-move", "1. Ke1 is not legal");
    skipped("1. Kh1", "illegal-move", "1. Kh1 is not legal");
}

#[test]
fn skips() {
    skipped("1. e4 e5 2. Nf6", "illegal-move", "2. Nf6 is not legal");
    skipped("1. e4 -- 2. d4", "null-move", "1... -- is a null move");
    skipped("1. Nf3 d6 2. d3 d5 3. Nd2", "ambiguous-move", "3. Nd2 can be more than one move");
    skipped(
        "[Variant \"Crazyhouse\"]",
        "unknown-variant",
        "the variant \"Crazyhouse\" is not chess as trapline knows it",
    );
    skipped("[FEN \"8/8\"]\n\n*", "bad-fen", "the FEN \"8/8\" cannot be played from: invalid board part in fen");
    skipped(
        "PNG\0\u{1}",
        "binary",
        "the text has NUL bytes, so it is no PGN, or not in an encoding that contains ASCII",
    );
    let garbage = |what: &str| {
        format!("in the place of 1... there is {what:?}, which is neither a move nor anything else that PGN knows")
    };
    for token in ["Zz9", "Nf6e5g4", "e5Nf3", "Sf6", "N", "resigns", "♘f6", "[%clk", "0000", "Nf6+-"] {
        skipped(&format!("1. e4 {token} 2. Nf3"), "unreadable", &garbage(token));
    }
    skipped("1. e4 {x\n", "unreadable", "in the place of 1... there is \"{x\\n\", which begins what is never closed");
    skipped(
        "1. e4 (1. d4 {)}",
        "unreadable",
        "in the place of 1... there is \"(1. d4 {)}\", which begins what is never closed",
    );
    let long = "x".repeat(1000);
    skipped(&format!("1. e4 {long}"), "unreadable", &garbage(&format!("{}…", &long[..SHOWN])));
}

#[test]
fn starts_and_variants() {
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    assert_eq!(read(&format!("[FEN \"{start}\"]")).unwrap().start_fen, None);
    assert_eq!(read("[FEN \"\"]").unwrap().start_fen, None);
    let game = read("[SetUp \"1\"]\n[FEN \"4k3/8/8/8/8/8/8/4K2R b K - 3 12\"]\n\n12... Kd8 13. O-O").unwrap();
    assert_eq!((game.start_fen.as_deref(), game.moves.len()), (Some("4k3/8/8/8/8/8/8/4K2R b K - 3 12"), 2));
    // Rights without a rook, and an impossible en passant square.
    assert_eq!(moves("[FEN \"4k3/8/8/8/8/8/8/4K3 w KQkq e3 0 1\"]\n\n1. Kd1"), "e1d1");
    skipped("[FEN \"4k3/8/8/8/8/8/8/4K3 w KQkq e3 0 1\"]\n\n1. O-O", "illegal-move", "1. O-O is not legal");
    let mode = |variant: &str| read(&format!("[Variant \"{variant}\"]")).map(|game| game.mode);
    for name in ["", "Standard", "chess", "From Position", "NORMAL"] {
        assert_eq!(mode(name), Ok(CastlingMode::Standard), "{name}");
    }
    for name in ["Chess960", "chess 960", "960", "Fischerandom", "Fischer Random", "fischer-random chess", "Freestyle"]
    {
        assert_eq!(mode(name), Ok(CastlingMode::Chess960), "{name}");
    }
    let fen = "nbbrknrq/pppppppp/8/8/8/8/PPPPPPPP/NBBRKNRQ w KQkq - 0 1";
    for tags in [format!("[FEN \"{fen}\"]"), format!("[Variant \"fischerandom\"]\n[FEN \"{fen}\"]")] {
        let game = read(&format!("{tags}\n\n1. Ne3 Ne6 2. O-O")).unwrap();
        assert_eq!((game.mode, game.moves.len()), (CastlingMode::Chess960, 3));
    }
}

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
    let mut tags = Tags::new(bytes);
    tags.by_ref().for_each(drop);
    let mut text = bytes[tags.end..].trim_ascii().to_vec();
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
    let mut reader = GameReader::new();
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
            let places = anchors(bytes, game.moves.len(), black_starts).expect("an anchor for each move");
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
            let marked = anchors(&more, again.moves.len(), black_starts).expect("an anchor for each move");
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
        ("annotated_classics_scoutfish.pgn", 1384, 10),
        ("lichess_broadcast_club_luna.pgn", 280, 0),
        ("carlsen_karjakin_2016_rapid4.pgn", 1, 0),
        ("pgnmentor_double_blank_after_tags.pgn", 106, 0),
        ("pgnmentor_illegal_move_2games.pgn", 2, 2),
        ("malformed_batch.pgn", 3, 1),
        ("chessbase-empty-line.pgn", 1, 0),
        ("cutechess-fischerrandom.pgn", 4, 0),
        ("utf8-bom.pgn", 2, 0),
        ("uci-moves.pgn", 1, 0),
        ("bare", 1, 0),
        ("corrupted.pgn", 1, 1),
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
    let parts = [
        "[Event \"x\"]\n",
        "[FEN \"",
        "8/8/8/8/8/8/8/K1k5 w - - 0 1",
        "\"]",
        "\\",
        "[Variant \"960\"]",
        "\n",
        "\n\n",
        " ",
        "1.",
        "12...",
        "e4",
        "e5",
        "Nf3",
        "O-O",
        "0-0-0",
        "a8Q",
        "exd6",
        "e.p.",
        "$1",
        "$",
        "!",
        "?!",
        "{",
        "}",
        "(",
        ")",
        ";",
        "%",
        "<",
        ">",
        "*",
        "1-0",
        "1/2",
        "-",
        "½",
        "\u{feff}",
        "\u{0}",
        "é",
        "+",
        "#",
        "x",
        "=",
    ];
    let mut random = 1_u64;
    let mut next = |n: usize| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) as usize % n
    };
    let mut reader = GameReader::new();
    for _ in 0..20_000 {
        let mut text: Vec<u8> = (0..next(30)).flat_map(|_| parts[next(parts.len())].bytes()).collect();
        if !text.is_empty() && next(2) == 0 {
            let at = next(text.len());
            text[at] = next(256) as u8;
        }
        crate::pgn::anchors::layout(&text);
        if let Ok(game) = reader.read(&text) {
            let places =
                anchors(&text, game.moves.len(), game.initial.turn().is_black()).expect("an anchor for each move");
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
            let plies = GameReader::new().read(text.as_bytes()).map_or(0, |game| game.moves.len());
            anchors(text.as_bytes(), plies, false);
            crate::pgn::anchors::layout(text.as_bytes());
            // Well below a second, even without optimization.
            assert!(began.elapsed().as_secs() < 10, "{start:?} {part:?}");
        }
    }
}
