//! The search against a plain minimax of the same evaluation, and on positions with known answers.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::*;
use crate::chess::moves::after;
use crate::chess::position::{parse, parse_move};
use crate::search::exact::loud_moves;
use crate::search::score::mate_distance;
use crate::search::static_value::{Evaluation, WON};

const FENS: [&str; 10] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq -",
    "r2qkbnr/ppp2ppp/2np4/4N3/2B1P1b1/2N5/PPPP1PPP/R1BQK2R b KQkq - 0 5",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
    "r1bqk2r/pppp1ppp/2n5/2b1p3/2BnP3/2N2N2/PPPP1PPP/R1BQ1RK1 w kq - 0 1",
    "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1",
    "7k/8/5KQ1/8/8/8/8/8 b - - 0 1",
    "8/8/8/8/8/2K5/7R/k7 w - - 97 90",
    "4k3/8/8/8/8/8/4P3/4K3 w - - 98 80",
];

/// No bounds, no table, no order: every move to its end.
fn minimax(chess: &Chess, depth: i32, ply: i32, path: &mut Vec<u64>, evaluator: &mut Evaluator) -> i32 {
    if depth <= 0 {
        return settle(chess, ply, QUIET_CHECKS, evaluator);
    }
    let moves = chess.legal_moves();
    if moves.is_empty() {
        return if chess.is_check() { ply - MATE } else { 0 };
    }
    let key = key_of(chess);
    let back = (chess.halfmoves() as usize).min(path.len());
    let repeated = path[path.len() - back..].iter().rev().skip(1).step_by(2).any(|&k| k == key);
    if ply > 0 && (chess.halfmoves() >= 100 || chess.is_insufficient_material() || repeated) {
        return 0;
    }
    path.push(key);
    let mut best = -INFINITE;
    for &m in &moves {
        let next = after(chess, m);
        let extension = i32::from(next.is_check());
        best = best.max(-minimax(&next, depth - 1 + extension, ply + 1, path, evaluator));
    }
    path.pop();
    best
}

fn settle(chess: &Chess, ply: i32, checks: i32, evaluator: &mut Evaluator) -> i32 {
    let moves = chess.legal_moves();
    let in_check = chess.is_check();
    if moves.is_empty() {
        return if in_check { ply - MATE } else { 0 };
    }
    if chess.halfmoves() >= 100 || chess.is_insufficient_material() {
        return 0;
    }
    let mut best = if in_check { -INFINITE } else { evaluator.value(chess, 0) };
    let left = if in_check { checks } else { checks - 1 };
    for (_, m) in loud_moves(chess, &moves, in_check, checks) {
        best = best.max(-settle(&after(chess, m), ply + 1, left, evaluator));
    }
    best
}

#[test]
fn exact_search_equals_minimax() {
    // Without bounds quiescence explodes where much hangs, so those positions are left to depth 1.
    let cases =
        [(Evaluation::Linear, [2, 0, 1, 3, 1, 1, 2, 3, 3, 3]), (Evaluation::Network, [2, 0, 1, 2, 0, 1, 2, 2, 2, 2])];
    for (evaluation, depths) in cases {
        let (mut searcher, mut plain) = (Searcher::new(12), Evaluator::new(1));
        (searcher.evaluator.evaluation, plain.evaluation) = (evaluation, evaluation);
        for (fen, deepest) in FENS.into_iter().zip(depths) {
            let root = parse(fen).unwrap().chess;
            for depth in 1..=deepest {
                let limits = Limits { depth, nodes: u64::MAX };
                let found = searcher.search(&root, SearchRequest::default(), limits, Pruning::Exact, |_| true);
                if found.depth == depth {
                    let wanted = minimax(&root, depth as i32, 0, &mut Vec::new(), &mut plain);
                    assert_eq!(found.value, wanted, "{fen} at depth {depth}, {evaluation:?}");
                }
            }
        }
    }
}

fn best(fen: &str, nodes: u64) -> (String, Found) {
    let s = parse(fen).unwrap();
    let limits = Limits { depth: MAX_DEPTH, nodes };
    let found = Searcher::new(16).search(&s.chess, SearchRequest::default(), limits, Pruning::Selective, |_| true);
    let mut position = s.chess.clone();
    for &m in &found.line {
        assert!(position.is_legal(m), "the main line is legal");
        position.play_unchecked(m);
    }
    (found.line.first().map_or(String::new(), |m| m.to_uci(s.mode).to_string()), found)
}

#[test]
fn mates_are_exact() {
    let (m, found) = best("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1", 100_000);
    assert_eq!((m.as_str(), mate_distance(found.value)), ("d1d8", Some(1)));
    let (m, found) = best("r2qkbnr/ppp2ppp/2np4/4N3/2B1P3/2N5/PPPP1PPP/R1BbK2R w KQkq - 0 6", 100_000);
    assert_eq!((m.as_str(), mate_distance(found.value)), ("c4f7", Some(2)));
    assert_eq!(mate_distance(100), None);
    assert_eq!(mate_distance(-(MATE - 2)), Some(-1));
}

#[test]
fn a_hanging_queen_is_taken_and_a_poisoned_one_is_not() {
    assert_eq!(best("4k3/8/8/3q4/4P3/8/8/4K3 w - - 0 1", 20_000).0, "e4d5");
    // Qxb7 loses the queen to Rb8 and Rb1+ ideas only by being trapped: the rook on b8 guards.
    assert_ne!(best("1r2k3/1p6/8/8/8/8/1Q6/4K3 w - - 0 1", 20_000).0, "b2b7");
}

#[test]
fn budgets_hold() {
    let root = Chess::default();
    let mut searcher = Searcher::new(12);
    for nodes in [0, 1, 100, 5_000] {
        let limits = Limits { depth: MAX_DEPTH, nodes };
        let found = searcher.search(&root, SearchRequest::default(), limits, Pruning::Selective, |_| true);
        assert!(found.nodes <= nodes + 1, "{} of {nodes}", found.nodes);
    }
}

#[test]
fn time_another_thread_and_a_question_end_a_search_without_end() {
    let ways = [
        StopFlag::new(Some(Duration::from_millis(30)), None, None),
        StopFlag::new(None, Some(Arc::new(AtomicBool::new(true))), None),
        StopFlag::new(None, None, Some(|| true)),
    ];
    for stop_flag in ways {
        let mut searcher = Searcher { stop_flag, ..Searcher::new(12) };
        let limits = Limits { depth: MAX_DEPTH, nodes: u64::MAX };
        let found = searcher.search(&Chess::default(), SearchRequest::default(), limits, Pruning::Selective, |_| true);
        assert!(found.depth < MAX_DEPTH);
    }
}

#[test]
fn only_the_moves_asked_for_are_searched() {
    let s = parse(FENS[2]).unwrap();
    let m = parse_move(&s, "a7a6").unwrap();
    let limits = Limits { depth: 3, nodes: u64::MAX };
    let found = Searcher::new(12).search(
        &s.chess,
        SearchRequest { only: &[m], ..SearchRequest::default() },
        limits,
        Pruning::Selective,
        |_| true,
    );
    assert_eq!(found.line.first(), Some(&m));
}

#[test]
fn a_proposed_move_changes_no_exact_value() {
    for fen in &FENS[..6] {
        let s = parse(fen).unwrap();
        let limits = Limits { depth: 3, nodes: u64::MAX };
        let value = |first: &[Move]| {
            let request = SearchRequest { first, ..SearchRequest::default() };
            Searcher::new(14).search(&s.chess, request, limits, Pruning::Exact, |_| true).value
        };
        let moves = s.chess.legal_moves();
        let plain = value(&[]);
        for &m in moves.iter().step_by(7) {
            assert_eq!(value(&[m, moves[0]]), plain, "{fen}");
        }
    }
}

#[test]
fn a_cleared_table_remembers_nothing() {
    let s = parse(FENS[5]).unwrap();
    let limits = Limits { depth: 8, nodes: 50_000 };
    let mut searcher = Searcher::new(14);
    let run = |searcher: &mut Searcher| {
        searcher.clear();
        let found = searcher.search(&s.chess, SearchRequest::default(), limits, Pruning::Selective, |_| true);
        (found.value, found.line, found.nodes)
    };
    let once = run(&mut searcher);
    assert_eq!(run(&mut searcher), once);
    assert_eq!(run(&mut Searcher::new(14)), once);
}

#[test]
fn a_window_says_on_which_side_of_it_the_value_is() {
    let s = parse(FENS[2]).unwrap();
    let limits = Limits { depth: 6, nodes: u64::MAX };
    let value = |window: Option<(i32, i32)>| {
        let request = SearchRequest { window, ..SearchRequest::default() };
        let mut deepest = Searcher::new(14).search(&s.chess, request, limits, Pruning::Selective, |_| true);
        deepest.line.truncate(1);
        deepest
    };
    let exact = value(None).value;
    let (above, below) = (value(Some((exact + 149, exact + 150))), value(Some((exact - 150, exact - 149))));
    assert!(above.value <= exact + 149 && below.value >= exact - 149, "{exact} {above:?} {below:?}");
    assert!(!below.line.is_empty(), "the move that reaches the border is told");
}

#[test]
fn endings_of_four_men_have_exact_values() {
    // A drawn queen ending, a rook ending that is drawn, and a won one of king and pawn.
    for fen in
        ["8/8/8/Q7/3K4/8/2p5/1k6 w - - 0 29", "3k4/8/8/1R6/3K4/8/8/r7 w - - 0 1", "8/4k3/8/4K3/4P3/8/8/8 w - - 0 1"]
    {
        assert_eq!(best(fen, 2_000).1.value, 0, "{fen}");
    }
    assert!(best("4k3/8/4K3/4P3/8/8/8/8 w - - 0 1", 2_000).1.value >= WON);
    assert!(best("8/4k3/8/4K3/4P3/8/8/8 b - - 0 1", 2_000).1.value <= -WON);
}

#[test]
fn endings_that_theory_knows_drawn_are_level_with_more_than_four_men() {
    // Two knights, and a rook with a bishop or a knight against a rook.
    for fen in
        ["8/8/4k3/4p3/4N3/4KN2/8/8 w - - 0 1", "8/8/3k4/8/r7/3KN3/6R1/8 w - - 0 1", "8/8/3k4/8/r7/3KB3/6R1/8 w - - 0 1"]
    {
        let value = best(fen, 5_000).1.value;
        assert!(value.abs() < 80, "{fen}: {value}");
    }
    // A bishop of the wrong colour, and of the right one.
    let mut searcher = Searcher::new(10);
    let mut value = |fen| searcher.quiescence(&parse(fen).unwrap().chess);
    assert_eq!(value("7k/8/8/7P/4B3/4K3/7P/8 w - - 0 1"), 0);
    assert!(value("7k/8/8/7P/5B2/4K3/7P/8 w - - 0 1") > 300);
}

#[test]
fn a_won_ending_of_four_men_makes_progress_to_mate() {
    let mut position = parse("8/8/8/4k3/8/8/8/KR6 w - - 0 1").unwrap().chess;
    let mut searcher = Searcher::new(16);
    let limits = Limits { depth: MAX_DEPTH, nodes: 20_000 };
    for _ in 0..60 {
        let request = SearchRequest::default();
        let found = searcher.search(&position, request, limits, Pruning::Selective, |_| true);
        let Some(&m) = found.line.first() else { break };
        position.play_unchecked(m);
    }
    assert!(position.is_checkmate(), "{position:?}");
}

#[test]
fn a_position_that_is_over_is_worth_what_the_rules_say() {
    let limits = Limits { depth: MAX_DEPTH, nodes: 100 };
    for (fen, value) in [("7k/5Q2/8/8/6P1/6P1/6P1/6K1 b - - 1 3", 0), ("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", -MATE)] {
        for pruning in [Pruning::Selective, Pruning::Exact] {
            let over = parse(fen).unwrap().chess;
            let found = Searcher::new(10).search(&over, SearchRequest::default(), limits, pruning, |_| true);
            assert_eq!((found.value, found.line.len()), (value, 0), "{fen} {pruning:?}");
        }
    }
}

#[test]
fn a_capture_that_a_quiet_mate_protects_is_seen_at_once() {
    // The queen takes the pawn that the rook guards: the rook has to stay on its first rank.
    let s = parse("5rk1/p1q3pn/4p3/1p2p3/3pP3/3P2Q1/PPPB2PP/2R4K b - - 1 20").unwrap();
    let limits = Limits { depth: MAX_DEPTH, nodes: 4_000 };
    let found = Searcher::new(14).search(&s.chess, SearchRequest::default(), limits, Pruning::Selective, |_| true);
    assert_eq!(found.line.first(), Some(&parse_move(&s, "c7c2").unwrap()));
    assert!(found.value > 0, "{found:?}");
}
