use super::*;

fn read(text: &str) -> Result<Game, Skip> {
    GameReader::new().read(text.as_bytes())
}

fn moves(text: &str) -> String {
    let game = read(text).unwrap_or_else(|skip| panic!("{text}: {skip}"));
    game.moves.iter().map(|m| m.to_uci(game.mode).to_string()).collect::<Vec<_>>().join(" ")
}

/// The moves before the place where the game ended, and why it did.
#[track_caller]
fn ended(text: &str, plies: usize, reason: &str, message: &str) {
    let game = read(text).unwrap_or_else(|skip| panic!("{text}: {skip}"));
    let note = game.notes.last().unwrap_or_else(|| panic!("{text}: all of it was read"));
    assert_eq!((game.moves.len(), note.reason), (plies, reason), "{text}: {}", note.detail);
    assert_eq!(note.detail, format!("{message}. The game is read up to there"));
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
    for text in ["*", "[Event \"x\"]", "[Event \"x\"]\n\n{stalled} 0-1", "[White \"A\"]\n\n0-0"] {
        assert_eq!(moves(text), "", "{text}");
    }
    for text in
        ["", "\n\n", "\u{feff}", "; c", "%", "+-", "{c} ±", "Dear friends,\nhere is nothing.", "I like d4 and e5"]
    {
        assert_eq!(read(text).map(|game| game.moves).unwrap_err(), Skip::NoGame, "{text}");
    }
}

#[test]
fn outcomes() {
    for (text, outcome) in [
        ("1. e4 *", Some("*")),
        ("1. e4 0-1", Some("0-1")),
        ("1. e4 ½–½", Some("1/2-1/2")),
        ("1. e4 1:0", Some("1-0")),
        ("1. e4 0.5-0.5", Some("1/2-1/2")),
        ("1. e4 0-0", Some("*")),
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
    ended(&format!("{queens} a8"), 0, "illegal-move", "a8 is not legal");
    ended("1. e4 a6 2. Bb5 axb6", 3, "illegal-move", "axb6 is not legal");
    ended("1. e4 e8Q", 1, "illegal-move", "e8Q is not legal (a piece of black itself is on e8)");
    ended("1. e1-e2", 0, "illegal-move", "e1-e2 is not legal (a piece of white itself is on e2)");
    ended("1. o-o", 0, "illegal-move", "o-o is not legal");
    ended("1. Ke1", 0, "illegal-move", "Ke1 is not legal (a piece of white itself is on e1)");
    ended("1. Kh1", 0, "illegal-move", "Kh1 is not legal (a piece of white itself is on h1)");
}

#[test]
fn a_bad_move_costs_what_follows() {
    ended("1. e4 e5 2. Nf6", 2, "illegal-move", "Nf6 is not legal (no knight can go to f6)");
    ended("1. e4 -- 2. d4", 1, "null-move", "-- is a null move");
    ended("1. Nf3 d6 2. d3 d5 3. Nd2", 4, "ambiguous-move", "Nd2 can be more than one move");
    ended("1. e4 e5 2. Qh5 Ke7 3. Qxe5 Ke6", 5, "illegal-move", "Ke6 is not legal (the square e6 is attacked)");
    let pinned = "1. e4 e5 2. Nf3 d6 3. Bb5+ Nc6 4. d4 Nd4";
    ended(pinned, 7, "illegal-move", "Nd4 is not legal (the knight on c6 is pinned)");
    ended("1. e4 e5 2. Bb5 d5", 3, "illegal-move", "d5 is not legal");
    ended("1. e4 e5 2. Bb5 a6 3. Ke3 a5", 4, "illegal-move", "Ke3 is not legal (no king can go to e3)");
    ended("1. e4 {x\n", 1, "unclosed", "a comment begins here and is never closed");
    ended("1. e4 (1. d4 {)}", 1, "unclosed", "a variation begins here and is never closed");
    for word in ["Sf6", "Кf6", "[Nf6"] {
        let message = format!("{word:?} is a move in a notation that trapline does not know");
        ended(&format!("1. e4 {word} 2. Nf3"), 1, "unreadable", &message);
    }
    // The number shows that the word was a move.
    ended("1. e4 resigns 2. e5", 1, "unreadable", "\"resigns\" stands for a move that trapline cannot read");
    ended("1. e4e5 2. Nf3", 0, "illegal-move", "e4e5 is not legal (white has no pawn there)");
    ended("1. e4 Xx 2. Nf3 Nf6 3. e5", 1, "unreadable", "\"Xx\" stands for a move that trapline cannot read");
    let long = format!("1. {}", "Nf3 Nf6 Ng1 Ng8 ".repeat(MOST_PLIES));
    ended(
        &long,
        MOST_PLIES,
        "too-long",
        &format!("a game is read to its {MOST_PLIES}th half-move, and this one goes on"),
    );
}

#[test]
fn a_bad_token_costs_the_token() {
    let plain = "e2e4 e7e5 g1f3 b8c6 f1c4";
    for text in [
        "1. e4 N e5 2. Nf3 D Nc6 3. Bc4",
        "1. e4□ e5‼ 2. Nf3± Nc6+- 3. Bc4N",
        "1.e4,e5 2.Nf3,Nc6 3.Bc4",
        "1. e4 e5 2. Nf3 zugzwang Nc6 3. Bc4ch mate",
        "1. e4\u{a0}e5 2.\u{200b}Nf3 N\u{ad}c6\u{2003}3. \u{feff}Bc4\u{200b}",
        "1. e4 {a {b} c} e5 2. Nf3 Nc6 3. Bc4 1-0 ff",
        "1. e4 e5 2. ♘f3 ♞c6 3. ♗c4 White resigns",
        "1. e4 e5 2. Nf3Nc6 3. Bc4† draw",
        "1. e4 e5 2. Ng1–f3 Nb8\u{2011}c6 3. Bf1\u{2212}c4 Remis",
    ] {
        assert_eq!(moves(text), plain, "{text}");
    }
    let game = read("1. e4 N! e5 2. Nf3 zugzwang Nc6 RR 3. Bc4 *").unwrap();
    assert_eq!(
        (game.notes.len(), game.notes[0].reason, game.notes[0].ply, game.notes[0].number),
        (1, "ignored-text", 1, 1)
    );
    assert_eq!(game.notes[0].detail, "\"N\" and 2 more words are no moves and were ignored");
    assert_eq!(moves("1. e4 e5 2. Nf3 Nf6 3. Bc4 Bc5 4. O–O 0-0"), "e2e4 e7e5 g1f3 g8f6 f1c4 f8c5 e1g1 e8g8");
    assert_eq!(
        moves("[Result \"0-0\"]\n\n1. e4 e5 2. Nf3 Nf6 3. Bc4 Bc5 4. d3 0-0"),
        "e2e4 e7e5 g1f3 g8f6 f1c4 f8c5 d2d3"
    );
    assert_eq!(moves("1. e4 d5 2. e5 f5 3. exf6e.p. Nxf6"), "e2e4 d7d5 e4e5 f7f5 e5f6 g8f6");
}

#[test]
fn numbers_of_black_moves_do_not_change_what_is_read() {
    let plain = "e2e4 e7e5";
    assert_eq!(moves("1. e4 word e5 1. +"), plain);
    assert_eq!(moves("1. e4 {c} 1... word e5 1. +"), plain);
    assert_eq!(moves("1. e4 {c} 7... word e5 1. +"), plain);
}

#[test]
fn skips() {
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
    ended("[FEN \"4k3/8/8/8/8/8/8/4K3 w KQkq e3 0 1\"]\n\n1. O-O", 0, "illegal-move", "O-O is not legal");
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
