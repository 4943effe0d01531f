use shakmaty::Square;

use super::mistake::Question;
use super::threats::Passes;
use super::{CAUSES, Explanation, ZUGZWANG, explain};
use crate::chess::moves::{after, mirror_move};
use crate::chess::position::{GamePosition, mirror, parse, parse_line, parse_move};

/// A losing move of a game or a puzzle: position, bait, killer line, line with the best other move, win chances with it
/// and with the bait, moves to mate.
struct Row(&'static str, &'static str, &'static str, &'static str, [f64; 2], Option<u32>);

const UNKNOWN: [f64; 2] = [f64::NAN, f64::NAN];

fn explained(row: &Row, turned: bool) -> Explanation {
    let &Row(fen, bait, killers, best, chances, mate_in) = row;
    let position = parse(fen).unwrap();
    let bait = parse_move(&position, bait).unwrap();
    let baited = GamePosition { chess: after(&position.chess, bait), mode: position.mode };
    let mut killer_line = parse_line(&baited, killers.split_whitespace()).unwrap();
    let mut best_line = parse_line(&position, best.split_whitespace()).unwrap();
    let [before, after] = chances.map(|chance| (!chance.is_nan()).then_some(chance));
    let (mut position, mut bait) = (position, bait);
    if turned {
        position = mirror(&position);
        bait = mirror_move(bait);
        for m in killer_line.iter_mut().chain(&mut best_line) {
            *m = mirror_move(*m);
        }
    }
    let (killer_line, best_line) = (&killer_line, &best_line);
    let question = Question { position: &position.chess, bait, killer_line, best_line, before, after, mate_in };
    explain(question, &mut Passes::default())
}

/// Each cause with a move that has it, the squares that it rests on, and a move that nearly has it.
#[rustfmt::skip]
const ROWS: &[(&str, Row, &str, Row)] = &[
    ("retaken",
     Row("r4rk1/pp3pp1/2p2n1p/5q2/2P1pPPB/P3Q2P/1PP5/2KR3R b - - 0 21", "f6g4", "h3g4 f5e6 f4f5 e6c4 b2b3", "f5e6 f4f5", [-0.22, -0.68], None), "g4",
     // The knight is taken back for a bishop.
     Row("r4rk1/ppq1bpp1/2p2n1p/5N2/2P1p2B/P6P/1PPQ1PP1/2KR3R w - - 6 18", "f5e7", "c7e7 d2c3 a8d8 h1e1", "", UNKNOWN, None)),
    ("taken",
     Row("rn1qkb1r/p1p2ppp/8/3n4/2QPp3/4B3/PPP3PP/R3KBNR w KQkq - 0 11", "c4c6", "b8c6", "e3d2", [-0.02, -0.93], None), "c6",
     // The queen goes where a guarded knight attacks it no more than before.
     Row("rn1qkb1r/p1p2ppp/8/3n4/2QPp3/4B3/PPP3PP/R3KBNR w KQkq - 0 11", "c4b3", "d5e3", "", UNKNOWN, None)),
    ("uncovers",
     Row("2k1rb1r/pp3ppp/3p4/2p2q2/4n3/1N3P2/PBQ3PP/2RR2K1 b - - 0 20", "g7g6", "f3e4 e8e4 b2h8 f8h6 b3d2", "", UNKNOWN, None), "h8 b2",
     // The rook that is uncovered is guarded, and taken for nothing.
     Row("r3r1k1/p4ppp/2p5/2p1q3/8/1PnP1RP1/P1PQN2P/4R1K1 w - - 5 19", "e2f4", "e5e1 d2e1", "", UNKNOWN, None)),
    ("overloaded",
     Row("rnbqk2r/1pp2p1p/p3pnp1/3P2Q1/3P4/2B5/PPP2PPP/R3KBNR b KQkq - 2 8", "d8d5", "g5f6 e8g8 f6f3", "", UNKNOWN, None), "f6 d5",
     // The bishop guarded one piece only.
     Row("1r5k/p1p3pp/3p2n1/3B4/1q2NP2/7b/PPPQ1P2/2KR4 w - - 5 25", "d5b3", "b4e4 d2c3", "", UNKNOWN, None)),
    ("leaves",
     Row("1r5k/p1p3pp/3p2n1/3B4/1q2NP2/7b/PPPQ1P2/2KR4 w - - 5 25", "d5b3", "b4e4 d2c3", "", UNKNOWN, None), "e4 d5",
     // The bishop goes on guarding the knight from c6.
     Row("1r5k/p1p3pp/3p2n1/3B4/1q2NP2/7b/PPPQ1P2/2KR4 w - - 5 25", "d5c6", "b4d2 d1d2", "", UNKNOWN, None)),
    ("cuts_off",
     Row("1r2k3/1p2r1p1/p1p2p1p/P1Pp3P/1R4P1/1R2P3/5PK1/8 b - - 4 33", "e8d7", "b4b7 b8b7 b3b7", "", UNKNOWN, None), "b7 e7",
     // The king stays off the rank, and the rook goes on guarding the pawn.
     Row("1r2k3/1p2r1p1/p1p2p1p/P1Pp3P/1R4P1/1R2P3/5PK1/8 b - - 4 33", "e8d8", "b4b7 e7b7 b3b7", "", UNKNOWN, None)),
    ("blocks_retreat",
     Row("r4rk1/1pp3bp/3p2p1/p2Pp1B1/b3P3/P1P2P2/1P1K2PN/1R5R b - - 0 23", "b7b5", "b2b3 a4b3 b1b3", "", UNKNOWN, None), "a4 b5",
     // With the pawn on b6 the bishop goes to e8.
     Row("r4rk1/1pp3bp/3p2p1/p2Pp1B1/b3P3/P1P2P2/1P1K2PN/1R5R b - - 0 23", "b7b6", "b2b3 a4b3 b1b3", "", UNKNOWN, None)),
    ("back_rank",
     Row("2r1r3/6bk/1p3ppp/qP2p3/P7/1Q4RN/5PPP/3R2K1 w - - 1 29", "d1d7", "a5e1", "b3f7", [0.11, -1.0], Some(1)), "e1 g1",
     // The rook stays on the first rank.
     Row("2r1r3/6bk/1p3ppp/qP2p3/P7/1Q4RN/5PPP/3R2K1 w - - 1 29", "d1c1", "c8c1", "", UNKNOWN, None)),
    ("takes_flight",
     Row("5rk1/pp3bpp/3Q4/3p4/8/5N1n/P5PP/1R3BqK w - - 9 28", "f3g1", "h3f2", "", UNKNOWN, Some(1)), "h1 g1",
     // The rook on g1 is not what keeps the king from it.
     Row("2r1r3/6bk/1p3ppp/qP2p3/P7/1Q4RN/5PPP/3R2K1 w - - 1 29", "d1d7", "a5e1", "b3f7", [0.11, -1.0], Some(1))),
    ("cover",
     Row("r1bqkbnr/1p3pp1/pn2p2p/3pN3/3P1B2/2N5/PPP1QPPP/2KR1B1R b kq - 1 9", "f7f6", "e2h5 g7g6 h5g6 e8e7 g6f7", "", [-0.12, -1.0], Some(5)), "h5 e8",
     // The king has not left the centre, and is not mated.
     Row("r1bqk1nr/pppp1ppp/2n5/2b5/4p3/1P2PN2/PBPP1PPP/RN1QKB1R w KQkq - 0 5", "d2d4", "c5b4 f3d2 d7d5 a2a3", "", UNKNOWN, None)),
    ("square",
     Row("1r1q1rk1/1pp1bpp1/p2p1n1p/4p3/P1Nn4/BP1P1BP1/2P1PP1P/R1Q2RK1 w - - 1 13", "f3g2", "d4e2 g1h1 e2c1 a3c1", "", [-0.05, -0.81], None), "e2 f3",
     // The bishop guards e2 from h5 as well.
     Row("1r1q1rk1/1pp1bpp1/p2p1n1p/4p3/P1Nn4/BP1P1BP1/2P1PP1P/R1Q2RK1 w - - 1 13", "f3h5", "d4e2 h5e2", "", UNKNOWN, None)),
    ("line",
     Row("r1bqk1nr/pppp1ppp/2n5/2b1p3/8/1P2PN2/PBPP1PPP/RN1QKB1R b KQkq - 2 4", "e5e4", "b2g7 e4f3 d1f3 c6b4 f3d1", "", [-0.11, -0.62], None), "b2 e5",
     // The bishop takes what opens its line.
     Row("r1bqk1nr/pppp1ppp/2n5/2b1p3/8/1P2PN2/PBPP1PPP/RN1QKB1R b KQkq - 2 4", "c6d4", "b2d4 e5d4", "", UNKNOWN, None)),
    ("vacates",
     Row("8/Rp5r/2p2k2/1PP2p1p/5P1K/8/8/8 b - - 0 60", "c6b5", "c5c6 h7h8 c6b7", "", UNKNOWN, None), "c6",
     // The bishop was driven away, and the pawn follows it.
     Row("r1bqk2r/ppp2pp1/2n1pn1p/3p2B1/1bPP4/2N5/PPQ1PPPP/R3KBNR w KQkq - 0 7", "g5h4", "g7g5 h4g5 h6g5", "g5f6", [-0.02, -0.4], None)),
    ("pawn_through",
     Row("7k/1r4bp/p2B2p1/5p2/2NP4/Rp2P2P/5PP1/6K1 w - - 2 31", "c4a5", "b3b2 a5b7 b2b1q", "", UNKNOWN, None), "b1 b2",
     // The knight goes on guarding b2.
     Row("7k/1r4bp/p2B2p1/5p2/2NP4/Rp2P2P/5PP1/6K1 w - - 2 31", "g1f1", "b3b2 c4b2 b7b2", "", UNKNOWN, None)),
    ("mating_net",
     Row("r1r5/3pbkp1/b1q1P2p/p1npP3/Pp6/1P1PB1P1/2P2QBP/2R2R1K b - - 0 22", "f7e6", "f2f5", "f7g8", [-0.49, -1.0], Some(1)), "e6",
     // The mate was a threat.
     Row("rnb1kbnr/ppp3p1/6p1/3Nqp2/4p3/4P3/PPPPBPPP/R1B1QRK1 w kq - 1 18", "d5b4", "e5h2", "d5f4", [-0.61, -1.0], Some(1))),
    ("threat",
     Row("rnb1k2r/ppp2pp1/4p1qp/1Q1pP3/1b1P4/2N2N2/PPP2PPP/R3KB1R b KQkq - 6 9", "c7c6", "b5b4 g6c2 b4a3", "b8c6", [0.01, -0.69], None), "b4",
     // Nothing takes the queen before it goes to c6.
     Row("rn1qkb1r/p1p2ppp/8/3n4/2QPp3/4B3/PPP3PP/R3KBNR w KQkq - 0 11", "c4c6", "b8c6", "e3d2", [-0.02, -0.93], None)),
    ("fork",
     Row("5b1r/pQpkpppp/n7/1N6/4nq2/4B3/P1PK2PP/6NR w - - 4 16", "d2d3", "e4c5 d3d2 f4b4 b5c3 c5b7", "d2e2", [-0.24, -0.96], None), "c5 d3 b7",
     // The fork was there before.
     Row("5k2/2q5/2p1p3/1pN1b1p1/2p3P1/4P1P1/1P1P2B1/2B3K1 b - - 1 28", "e5g3", "c5e6 f8e7 e6c7 g3c7", "c7a7", [0.72, -0.86], None)),
    ("skewer",
     Row("4k3/4bppp/pp6/4P3/P2PP3/6P1/5K1P/2B5 w - - 3 28", "f2e3", "e7g5 e3e2 g5c1", "", UNKNOWN, None), "g5 e3 c1",
     // From f3 the king guards the bishop's line no less, and nothing stands behind it.
     Row("4k3/4bppp/pp6/4P3/P2PP3/6P1/5K1P/2B5 w - - 3 28", "f2f3", "e7g5 c1g5", "", UNKNOWN, None)),
    ("discovery",
     Row("2r3k1/pp3ppp/1q6/8/5b2/P1PBrP2/2K4P/1R1Q3R b - - 4 23", "b6d4", "d3h7 g8h7 d1d4 h7g8 b1b7", "b6f6", [0.83, -0.78], None), "d1 d4",
     // Off the file the queen is not attacked.
     Row("2r3k1/pp3ppp/1q6/8/5b2/P1PBrP2/2K4P/1R1Q3R b - - 4 23", "b6c5", "d3h7 g8h7 b1b7", "", UNKNOWN, None)),
    ("trap",
     Row("r3r1k1/pp4b1/5ppp/qP2pn2/P1P5/NQ5N/5PPP/3RR1K1 b - - 1 23", "b7b6", "c4c5 g8h7 a3c4 a5e1 d1e1", "f5d4", [0.12, -0.72], None), "c4 a5",
     // Without the check in between the queen has its way back.
     Row("r3r1k1/pp4b1/5ppp/qP2pn2/P1P5/NQ5N/5PPP/3RR1K1 b - - 1 23", "f5d4", "b3b2 a5a4", "", UNKNOWN, None)),
    ("pin",
     Row("1k2r3/pp2r2p/2pqbpp1/3n4/2BP1p2/5N1P/PPQB1PP1/1K1RR3 w - - 2 22", "c4b3", "e6f5 c2f5 g6f5", "", UNKNOWN, None), "f5 c2 b1",
     // From d3 the bishop stands between.
     Row("1k2r3/pp2r2p/2pqbpp1/3n4/2BP1p2/5N1P/PPQB1PP1/1K1RR3 w - - 2 22", "c4d3", "e6f5 d3f5 g6f5", "", UNKNOWN, None)),
    ("astray",
     Row("Q4b1r/p1pkpppp/n4n2/1N6/8/4B3/PqP3PP/3K1BNR w - - 0 12", "e3d4", "b2b1 d1d2 e7e5 a8f3 e5d4", "b5a7", [0.79, -0.4], None), "d4",
     // Another piece than the moved one is lost.
     Row("2k1rb1r/pp3ppp/3p4/2p2q2/4n3/1N3P2/PBQ3PP/2RR2K1 b - - 0 20", "g7g6", "f3e4 e8e4 b2h8 f8h6 b3d2", "", UNKNOWN, None)),
    ("attacked",
     Row("rn1qkb1r/pQp1pppp/2b2n2/8/3P4/2N5/PPP3PP/R1B1KBNR w KQkq - 1 7", "b7b4", "e7e5 b4c4 e5d4 c3b5", "f1b5", [0.71, -0.22], None), "b4 e5",
     // The queen on b3 is not attacked.
     Row("rn1qkb1r/pQp1pppp/2b2n2/8/3P4/2N5/PPP3PP/R1B1KBNR w KQkq - 1 7", "b7b3", "e7e5 d4e5", "", UNKNOWN, None)),
    ("no_squares",
     Row("r1b1r1k1/1p3pbp/p2p2p1/q7/3NP3/4B2P/PPQ2PP1/1R2R1K1 b - - 6 17", "a5a2", "b1a1 a2a1 e1a1", "", UNKNOWN, None), "a2",
     // Another piece is trapped than the one that moved.
     Row("r3r1k1/pp4b1/5ppp/qP2pn2/P1P5/NQ5N/5PPP/3RR1K1 b - - 1 23", "b7b6", "c4c5 g8h7 a3c4 a5e1 d1e1", "f5d4", [0.12, -0.72], None)),
    ("mate_missed",
     Row("rnb1kb1r/ppp3p1/5np1/4qp2/1NB1p3/4P3/PPPP1PPP/R1B1QRK1 b kq - 4 19", "e5d4", "e3d4 f8b4 f2f3", "e5h2", [1.0, -0.68], None), "g1",
     // The best line gives check, and no mate.
     Row("rn1qkb1r/pQp1pppp/2b2n2/8/3P4/2N5/PPP3PP/R1B1KBNR w KQkq - 1 7", "b7b4", "e7e5 b4c4 e5d4 c3b5", "f1b5", [0.71, -0.22], None)),
    ("promotion_missed",
     Row("7k/1r4bp/p2B2p1/N4p2/3P4/Rp2P2P/5PP1/6K1 b - - 3 31", "b7b6", "a5b3", "b3b2 a5b7 b2b1q", [0.8, -0.2], None), "b1",
     // The best line brings the pawn on, and no further.
     Row("7k/1r4bp/p2B2p1/N4p2/3P4/Rp2P2P/5PP1/6K1 b - - 3 31", "b7b6", "a5b3", "b3b2 a5b7", [0.8, -0.2], None)),
    ("capture_missed",
     Row("2r3k1/pp3ppp/8/8/3q1b2/P1PBrP2/2K4P/1R1Q3R w - - 5 24", "b1b3", "d4e5 c2b1 c8c3 d3c2 c3b3", "d3h7 g8h7 d1d4 h7g8", [0.78, -0.74], None), "d4",
     // What the best move takes is taken back.
     Row("r4rk1/ppq1bpp1/2p2n1p/5N2/2P1p2B/P6P/1PPQ1PP1/2KR3R w - - 6 18", "d2e3", "f8e8 c1b1", "f5e7 c7e7", [0.2, -0.2], None)),
    ("win_missed",
     Row("r3r1k1/p5b1/1p3ppp/qP2pn2/P1P5/NQ5N/5PPP/3RR1K1 w - - 0 24", "a3c2", "g8h8 f2f3 g7f8 g2g4", "c4c5 g8h7 a3c4 a5e1 d1e1", [0.72, -0.02], None), "e1",
     // A player who had no advantage has let none go.
     Row("r3r1k1/p5b1/1p3ppp/qP2pn2/P1P5/NQ5N/5PPP/3RR1K1 w - - 0 24", "a3c2", "g8h8 f2f3 g7f8 g2g4", "c4c5 g8h7 a3c4 a5e1 d1e1", [0.1, -0.3], None)),
    ("ending",
     Row("8/5k2/4p1p1/3rP2p/1R5P/4K1P1/8/8 w - - 0 1", "b4d4", "d5d4 e3d4 f7e7", "b4b7", [0.0, -0.8], None), "d4",
     // It is not lost.
     Row("8/5k2/4p1p1/3rP2p/1R5P/4K1P1/8/8 w - - 0 1", "b4d4", "d5d4 e3d4 f7e7", "b4b7", [0.0, -0.3], None)),
    (ZUGZWANG,
     Row("8/8/1k6/2p5/PpP5/8/2K5/8 w - - 7 63", "c2b3", "b6a5 b3b2 a5a4", "", UNKNOWN, None), "b3",
     // With more pieces nobody searches for it.
     Row("r5k1/ppq2ppp/8/3n4/5b2/P1NBrP2/1PK4P/R2Q3R w - - 0 20", "c2b3", "d5c3 b2c3", "", UNKNOWN, None)),
];

fn squares(text: &str) -> Vec<Square> {
    text.split_whitespace().map(|square| square.parse().unwrap()).collect()
}

#[test]
fn each_cause_is_found_with_its_squares_and_not_where_it_nearly_is() {
    for (name, has, at, lacks) in ROWS {
        let found = explained(has, false);
        let cause = found.causes.iter().find(|cause| cause.name == *name);
        assert_eq!(cause.map(|cause| cause.squares.clone()), Some(squares(at)), "{name}: {found:?}");
        let other = explained(lacks, false);
        assert!(other.causes.iter().all(|cause| cause.name != *name), "{name}: {other:?}");
    }
}

#[test]
fn each_cause_has_its_rows() {
    let names: Vec<&str> = CAUSES.iter().map(|&(name, _)| name).chain([ZUGZWANG]).collect();
    let mut rows: Vec<&str> = ROWS.iter().map(|row| row.0).collect();
    rows.sort_by_key(|&row| names.iter().position(|&name| name == row));
    assert_eq!(rows, names);
}

#[test]
fn both_colours_have_the_same_causes_and_keys() {
    for (name, has, ..) in ROWS {
        let (here, turned) = (explained(has, false), explained(has, true));
        let names = |found: &Explanation| found.causes.iter().map(|cause| cause.name).collect::<Vec<_>>();
        assert_eq!(names(&here), names(&turned), "{name}");
        assert_eq!(here.mechanism.key(), turned.mechanism.key(), "{name}");
        assert_eq!(here.mechanism.place(), turned.mechanism.place(), "{name}");
    }
}

#[test]
fn mechanisms_and_places_have_keys_from_the_movers_side() {
    let key = |name: &str| {
        let (_, row, ..) = ROWS.iter().find(|row| row.0 == name).unwrap();
        let mechanism = explained(row, false).mechanism;
        (mechanism.key(), mechanism.place())
    };
    let expected = [
        ("fork", "fork:N:KQ", "fork:N@c5,Kd3"),
        ("taken", "taken::Q", "taken:@c6,Qc6"),
        ("threat", "captured:Q:B", "captured:Q@b5,Bb5"),
        ("discovery", "discoveredAttack:Q:Q", "discoveredAttack:Q@d8,Qd5"),
        ("mating_net", "mateIn1:Q:K", "mateIn1:Q@f4,Ke3"),
        ("trap", "trappedPiece:N:Q", "trappedPiece:N@c5,Qa4"),
        ("pin", "pin:B:QK", "pin:B@f5,Qc2"),
        ("uncovers", "won:B:R", "won:B@h1,Rh1"),
        ("back_rank", "mateIn1:Q:K", "mateIn1:Q@e1,Kg1"),
        ("mate_missed", "missed-mateIn1:Q:K", "missed-mateIn1:Q@h7,Kg8"),
        ("promotion_missed", "missed-promotion:Q:", "missed-promotion:Q@b8"),
        ("capture_missed", "missed-discoveredAttack:Q:Q", "missed-discoveredAttack:Q@d1,Qd4"),
        ("win_missed", "missed-trappedPiece:N:Q", "missed-trappedPiece:N@c4,Qa5"),
    ];
    for (name, mechanism, place) in expected {
        assert_eq!(key(name), (mechanism.to_owned(), place.to_owned()), "{name}");
    }
}

#[test]
fn an_answer_does_not_depend_on_earlier_ones() {
    let mut passes = Passes::default();
    let mut again = |row: &Row| {
        let position = parse(row.0).unwrap();
        let bait = parse_move(&position, row.1).unwrap();
        let baited = GamePosition { chess: after(&position.chess, bait), mode: position.mode };
        let killer_line = &parse_line(&baited, row.2.split_whitespace()).unwrap();
        let question = Question {
            position: &position.chess,
            bait,
            killer_line,
            best_line: &[],
            before: None,
            after: None,
            mate_in: row.5,
        };
        explain(question, &mut passes)
    };
    let first: Vec<Explanation> = ROWS.iter().map(|row| again(&row.1)).collect();
    let second: Vec<Explanation> = ROWS.iter().map(|row| again(&row.1)).collect();
    assert_eq!(first, second);
}
