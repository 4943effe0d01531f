use super::*;
use crate::chess::position::{parse, parse_move};

fn limits(nodes: u64) -> Limits {
    Limits { depth: MAX_DEPTH, nodes }
}

#[test]
fn the_elephant_trap_wins_a_piece() {
    let s = parse("r1bqkb1r/pppn1ppp/5n2/3p2B1/3P4/2N5/PP2PPPP/R2QKBNR w KQkq - 0 6").unwrap();
    let mut tester = Tester::new(12, 16);
    let bait = parse_move(&s, "c3d5").unwrap();
    let test = tester.test(&s.chess, bait, &[], limits(60_000));
    assert_eq!(test.verdict, Verdict::Proved);
    assert!(test.loss > LOSS && test.tempts() && test.mate_in.is_none());
    assert_eq!(test.line[0].to_uci(s.mode).to_string(), "f6d5");
    let sound = tester.test(&s.chess, parse_move(&s, "e2e3").unwrap(), &[], limits(60_000));
    assert_eq!(sound.verdict, Verdict::Refuted);
}

#[test]
fn a_bait_falls_in_rank_and_a_mate_is_a_loss_of_everything() {
    let s = parse("r2qkbnr/ppp2ppp/2np4/4N3/2B1P1b1/2N5/PPPP1PPP/R1BQK2R b KQkq - 0 5").unwrap();
    let mut tester = Tester::new(12, 16);
    let bait = parse_move(&s, "g4d1").unwrap();
    let test = tester.test(&s.chess, bait, &[], limits(50_000));
    assert_eq!((test.verdict, test.mate_in, test.rank), (Verdict::Proved, Some(2), 1));
    let profile = tester.profile(&s.chess, bait, 3);
    assert_eq!(profile[0].1, 1);
    assert!(profile[3].1 > 10);
    assert!(tester.baits(&s.chess, limits(20_000)).iter().any(|t| t.bait == bait));
}

#[test]
fn an_only_move_is_a_mate_or_a_win_without_a_choice() {
    for (fen, only, verdict, mate) in [
        ("6Qk/p1p3pp/4N3/1p6/2q1r1n1/2B5/PP4PP/3R1R1K b - - 0 28", "h8g8", Verdict::Proved, Some(1)),
        ("k7/8/8/8/8/7q/8/7K w - - 0 1", "h1g1", Verdict::Proved, None),
        ("7k/6Qp/8/8/8/8/8/K7 b - - 0 1", "h8g7", Verdict::Refuted, None),
    ] {
        let s = parse(fen).unwrap();
        let test = Tester::new(12, 16).test(&s.chess, parse_move(&s, only).unwrap(), &[], limits(50_000));
        assert_eq!((test.forced, test.verdict, test.mate_in, test.loss), (true, verdict, mate, 0.0), "{fen}");
    }
}

#[test]
fn win_chances_are_lichess_ones() {
    assert_eq!(win_chance(0), 0.0);
    assert!((win_chance(100) - 0.18209).abs() < 1e-4);
    assert_eq!((win_chance(crate::search::score::MATE - 3), win_chance(3 - crate::search::score::MATE)), (1.0, -1.0));
}
