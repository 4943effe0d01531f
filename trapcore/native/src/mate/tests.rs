use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::*;
use crate::chess::position::parse;
use crate::random::Random;

fn prove(fen: &str, mate: u32) -> MateProof {
    Prover::new(16).prove(&parse(fen).unwrap().chess, mate, 2_000_000, &[])
}

fn line(fen: &str, proof: &MateProof) -> Vec<String> {
    let s = parse(fen).unwrap();
    let mut position = s.chess;
    let mut out = Vec::new();
    for &m in &proof.line {
        assert!(position.is_legal(m));
        out.push(m.to_uci(s.mode).to_string());
        position.play_unchecked(m);
    }
    assert!(position.is_checkmate());
    out
}

#[test]
fn the_fifty_move_rule_saves_the_defender() {
    assert_eq!(prove("8/8/8/8/8/2K5/7R/k7 w - - 97 90", 2).verdict, Verdict::Proved);
    assert_eq!(prove("8/8/8/8/8/2K5/7R/k7 w - - 98 90", 2).verdict, Verdict::Refuted);
}

#[test]
fn is_mated_in_counts_the_attackers_moves() {
    let s = parse("r2qkbnr/ppp2Bpp/2np4/4N3/4P3/2N5/PPPP1PPP/R1BbK2R b KQkq - 0 6").unwrap();
    let mut prover = Prover::new(12);
    assert_eq!(prover.is_mated_in(&s.chess, 1, 100_000), Some(true));
    assert_eq!(prover.is_mated_in(&s.chess, 0, 100_000), Some(false));
    assert_eq!(prover.is_mated_in(&Chess::default(), 2, 1_000_000), Some(false));
    assert_eq!(prover.is_mated_in(&Chess::default(), 2, 10), None);
}

/// Position and distance; the first three by lone pieces, the rest from games.
const DEEP: [(&str, u32); 7] = [
    ("8/8/8/8/8/3K4/7R/2k5 w - - 0 1", 4),
    ("k7/8/2K5/8/8/4B3/8/1B6 w - - 0 1", 5),
    ("7k/5K2/8/8/6p1/8/8/6BN w - - 0 1", 6),
    ("5q2/4R2p/p3Q1pk/1p6/4B3/2r4P/P4PP1/6K1 b - - 0 1", 4),
    ("4nkr1/4pp1p/2p3pP/3PQ3/4P1P1/2p2P1N/1RP5/qNK2B1R b - - 0 1", 4),
    ("6rk/pp3Rbp/3p2r1/2p1pR1Q/4P1B1/2qP3P/8/7K w - - 0 1", 5),
    ("7n/1pK2p2/1P3P2/3k2P1/Bp3p2/1P1P1N1P/8/8 w - - 0 1", 6),
];

#[test]
fn deep_mates_are_found_at_their_shortest() {
    for (fen, distance) in DEEP {
        for bound in [distance, (distance + 1).min(6)] {
            let proof = prove(fen, bound);
            assert_eq!(
                (proof.verdict, proof.mate_in, proof.refuted_to),
                (Verdict::Proved, Some(distance), distance - 1)
            );
            assert_eq!(line(fen, &proof).len() as u32, 2 * distance - 1, "{fen}");
        }
        let proof = prove(fen, distance - 1);
        assert_eq!((proof.verdict, proof.mate_in, proof.refuted_to), (Verdict::Refuted, None, distance - 1), "{fen}");
    }
}

#[test]
fn results_do_not_depend_on_earlier_searches_nor_on_a_small_table() {
    let mut used = Prover::new(14);
    for (fen, distance) in DEEP.into_iter().chain(DEEP) {
        let chess = parse(fen).unwrap().chess;
        let (a, b) =
            (used.prove(&chess, distance, 2_000_000, &[]), Prover::new(14).prove(&chess, distance, 2_000_000, &[]));
        assert_eq!((a.verdict, a.mate_in, a.nodes, &a.line), (b.verdict, b.mate_in, b.nodes, &b.line), "{fen}");
        let tiny = Prover::new(1).prove(&chess, distance.min(4), 2_000_000, &[]);
        assert_eq!(tiny.mate_in, (distance <= 4).then_some(distance), "{fen}");
    }
}

#[test]
fn deep_searches_keep_to_their_budget() {
    let mut prover = Prover::new(14);
    for (fen, distance) in DEEP {
        let chess = parse(fen).unwrap().chess;
        let needed = prover.prove(&chess, distance, 2_000_000, &[]).nodes;
        for budget in (0..12).map(|shift| needed >> shift).chain([needed - 1, 1, 0]) {
            let proof = prover.prove(&chess, distance, budget, &[]);
            assert!(proof.nodes <= budget, "{fen} {budget}");
            assert_eq!(proof.verdict == Verdict::Proved, proof.mate_in.is_some());
            assert_ne!(proof.verdict, Verdict::Refuted, "{fen} {budget}");
            if let Some(moves) = proof.mate_in {
                assert!(moves >= distance && proof.refuted_to < distance);
                assert_eq!(line(fen, &proof).len() as u32, 2 * moves - 1, "{fen}");
            }
        }
    }
}

#[test]
fn the_fifty_move_rule_holds_in_deep_searches() {
    // Mate in 5 with quiet moves only: the ninth ply must come before the hundredth quiet one has passed.
    let at = |clock: u32| format!("k7/8/2K5/8/8/4B3/8/1B6 w - - {clock} 90");
    for (clock, verdict) in
        [(80, Verdict::Proved), (91, Verdict::Proved), (92, Verdict::Refuted), (100, Verdict::Refuted)]
    {
        assert_eq!(prove(&at(clock), 6).verdict, verdict, "{clock}");
    }
}

#[test]
fn a_proposed_move_changes_no_verdict() {
    for (fen, distance) in DEEP.into_iter().filter(|&(_, distance)| distance < 6) {
        let s = parse(fen).unwrap();
        let mut prover = Prover::new(16);
        for &m in s.chess.legal_moves().iter().step_by(9) {
            let proof = prover.prove(&s.chess, distance, 4_000_000, &[m]);
            assert_eq!((proof.mate_in, proof.refuted_to), (Some(distance), distance - 1), "{fen}");
        }
    }
}

#[test]
fn proposed_moves_are_tried_in_their_order() {
    // Mate in two by Bxf7+; the other checks are tried before it unless it is proposed, and quiet moves are not.
    let s = parse("r2qkbnr/ppp2ppp/2np4/4N3/2B1P3/2N5/PPPP1PPP/R1BbK2R w KQkq - 0 6").unwrap();
    let m = |uci| crate::chess::position::parse_move(&s, uci).unwrap();
    let mut prover = Prover::new(12);
    let proposed = [m("h1f1"), m("a2a3"), m("c4f7")];
    let nodes: Vec<u64> =
        [&proposed[2..], &proposed[1..], &proposed].map(|first| prover.prove(&s.chess, 2, 10_000, first).nodes).into();
    assert!(nodes[0] < nodes[1] && nodes[1] < nodes[2], "{nodes:?}");
}

#[test]
fn time_another_thread_and_a_question_end_a_proof_without_end() {
    let ways = [
        StopFlag::new(Some(Duration::from_millis(30)), None, None),
        StopFlag::new(None, Some(Arc::new(AtomicBool::new(true))), None),
        StopFlag::new(None, None, Some(|| true)),
    ];
    for stop_flag in ways {
        let mut prover = Prover { stop_flag, ..Prover::new(12) };
        assert_eq!(prover.prove(&Chess::default(), 20, u64::MAX, &[]).verdict, Verdict::Undecided);
        assert_eq!(prover.is_mated_in(&Chess::default(), 20, u64::MAX), None);
    }
}

#[test]
fn proof_numbers_agree_with_the_exhaustive_search() {
    let starts = [
        "8/8/4k3/8/8/2R5/4K3/7R w - - 0 1",
        "8/2k5/8/3Q4/8/4p3/8/4K3 w - - 0 1",
        "8/8/3k4/3p4/8/8/PPP5/R3K3 w Q - 0 1",
        "k7/pp6/8/8/8/6N1/5Q2/r5K1 w - - 0 1",
        "6k1/5ppp/8/8/8/8/1q3PPP/R3R1K1 w - - 0 1",
        "8/P5k1/6p1/7p/5P1P/6K1/3B4/3n4 w - - 0 1",
        "8/5Pk1/5p2/2p2B1K/1Pp4P/8/3P4/8 b - - 93 60",
    ];
    let (mut exhaustive, mut numbers) = (Prover::new(16), Prover::new(16));
    let (mut random, mut compared, mut mates) = (Random(1), 0, [0; 6]);
    for game in 0..98 {
        let mut position = parse(starts[game % starts.len()]).unwrap().chess;
        for _ in 0..12 {
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            position.play_unchecked(moves[random.below(moves.len())]);
            if random.below(3) > 0 {
                continue;
            }
            exhaustive.begin(&position, 5, 100_000);
            numbers.begin(&position, 5, u64::MAX);
            for bound in 1..=5 {
                let Ok(expected) = exhaustive.attack(&position, bound, &[]) else { break };
                assert_eq!(numbers.prove_within(&position, bound, &[]).ok(), Some(expected), "{position:?} {bound}");
                compared += 1;
                if expected {
                    mates[bound as usize] += 1;
                    let (moves, line) = numbers.main_line(&position, bound).unwrap();
                    assert_eq!((moves, line.len() as u32), (bound, 2 * bound - 1));
                    break;
                }
            }
        }
    }
    assert!(compared > 1000 && mates[1..].iter().all(|&n| n > 1), "{compared} {mates:?}");
}

#[test]
fn mates_in_one_are_found_without_generating_all_moves() {
    let starts = [
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
        "3qk3/8/8/2R5/5N2/8/1B3B2/3QK3 w - - 0 1",
        "k7/pp6/8/8/8/6N1/5Q2/r5K1 w - - 0 1",
        "4k3/3n1r2/8/1b6/8/2Q5/3NP3/4K1R1 b - - 0 1",
    ];
    let (mut prover, mut random) = (Prover::new(1), Random(2));
    let (mut listings, mut checks, mut exposed, mut mates) = (0, 0, 0, 0);
    for game in 0..600 {
        let mut position = parse(starts[game % starts.len()]).unwrap().chess;
        for _ in 0..60 {
            let moves = position.legal_moves();
            prover.begin(&position, 1, u64::MAX);
            let mates_at_once = prover.mates_at_once(&position).ok();
            assert_eq!(mates_at_once, Some(moves.iter().any(|&m| after(&position, m).is_checkmate())), "{position:?}");
            mates += usize::from(mates_at_once == Some(true));
            let finder = CheckFinder::new(&position);
            if let Some(listed) = finder.pieces_only() {
                let listed: Vec<_> = listed.collect();
                listings += 1;
                for &m in moves.iter().filter(|&&m| after(&position, m).is_check()) {
                    assert!(
                        m.from().is_some_and(|from| listed.contains(&(m.role(), from, m.to()))),
                        "{position:?} {m:?}"
                    );
                    checks += 1;
                }
                for (role, from, to) in listed {
                    let m = Move::Normal { role, from, capture: position.board().role_at(to), to, promotion: None };
                    let legal = !finder.exposes_own_king(&after(&position, m));
                    assert_eq!(legal, moves.contains(&m), "{position:?} {m:?}");
                    exposed += usize::from(!legal);
                }
            }
            if moves.is_empty() {
                break;
            }
            position.play_unchecked(moves[random.below(moves.len())]);
        }
    }
    assert!(listings > 5000 && checks > 5000 && exposed > 500 && mates > 100, "{listings} {checks} {exposed} {mates}");
}
