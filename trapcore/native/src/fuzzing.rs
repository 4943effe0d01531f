//! Any bytes as a position with budgets: what the fuzzer in `fuzz/` runs, and `cargo test` on a fixed random sample.
//!
//! `FUZZ_SECONDS=3600 cargo test --release fuzz` searches for an hour, from the same seed or from `FUZZ_SEED`.

use shakmaty::{Chess, Move, Position};

use crate::chess::position::{epd, mirror, parse};
use crate::mate::{MAX_MATE, Prover};
use crate::search::verdict::Verdict;
use crate::search::{Limits, Pruning, SearchRequest, Searcher};
use crate::trap_test::Tester;

/// Bytes before the FEN: longest mate, nodes (two bytes, little endian), depth, the kind of question, which move is the
/// bait.
const BUDGETS: usize = 6;
/// Binary logarithm of the tables' sizes; small ones are overwritten soon.
const BITS: u32 = 6;

/// What the bytes turned out to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tried {
    NoPosition,
    Position { proved: bool },
}

/// Reads the bytes as budgets and a FEN, and puts the position to the prover and to the search or the trap test.
///
/// Panics if anything does, or if an answer contradicts itself: more nodes than the budget, an illegal move, a proof
/// without mate, a refutation that does not reach as far as it should.
pub fn position(bytes: &[u8]) -> Tried {
    let Some((&[mate, low, high, depth, question, choice], fen)) = bytes.split_first_chunk::<BUDGETS>() else {
        return Tried::NoPosition;
    };
    let Ok(position) = parse(&String::from_utf8_lossy(fen)) else { return Tried::NoPosition };
    let root = &position.chess;
    let again = parse(&epd(root)).expect("what was written can be read");
    assert_eq!(epd(&again.chess), epd(root));
    assert_eq!(epd(&mirror(&mirror(&position)).chess), epd(root));

    let (mate, nodes, depth) = (u32::from(mate), u64::from(u16::from_le_bytes([low, high]) % 2048), u32::from(depth));
    let moves = root.legal_moves();
    let chosen = (!moves.is_empty()).then(|| moves[usize::from(choice) % moves.len()]);
    let proof = Prover::new(BITS).prove(root, mate, nodes, chosen.as_slice());
    assert!(proof.nodes <= nodes);
    assert_eq!(proof.verdict == Verdict::Proved, proof.mate_in.is_some());
    match proof.mate_in {
        Some(moves) => {
            assert!((proof.refuted_to + 1..=mate).contains(&moves));
            assert_eq!(proof.line.len() as u32, 2 * moves - 1);
            assert!(played(root, &proof.line).is_checkmate());
        }
        None => assert_eq!(proof.verdict == Verdict::Refuted, proof.refuted_to == mate.min(MAX_MATE)),
    }

    let pruning = if question & 1 == 0 { Pruning::Exact } else { Pruning::Selective };
    match chosen {
        Some(bait) if question & 2 == 0 => {
            let test = Tester::new(BITS, BITS).test(root, bait, &[], Limits { depth, nodes });
            played(&played(root, &[bait]), &test.line);
        }
        _ => {
            let limits = Limits { depth, nodes };
            let found = Searcher::new(BITS).search(root, SearchRequest::default(), limits, pruning, |_| true);
            assert!(found.depth <= depth);
            played(root, &found.line);
        }
    }
    Tried::Position { proved: proof.verdict == Verdict::Proved }
}

/// The position after a line. Every move has to be legal.
fn played(root: &Chess, line: &[Move]) -> Chess {
    let mut position = root.clone();
    for &m in line {
        assert!(position.is_legal(m), "{m:?} in {line:?} from {}", epd(root));
        position.play_unchecked(m);
    }
    position
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;
    use crate::random::Random;

    const SEEDS: [&str; 12] = [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
        "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3",
        "rk5r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
        "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1",
        "6k1/5ppp/8/8/8/8/8/R5K1 w - - 99 4294967295",
        "r6k/6pp/7N/8/2Q5/8/8/6K1 w - - 0 1",
        "8/k7/8/7R/6R1/8/8/6K1 w - - 95 90",
        "7k/8/8/8/8/8/5q2/7K w - - 0 1",
        "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1",
        "k7/8/2K5/8/8/4B3/8/1B6 w - - 0 1",
    ];
    /// Tries of the usual run.
    const ROUNDS: usize = 3000;
    const LETTERS: &[u8] = b"KQRBNPkqrbnp12345678/ wb-ah\xff\0";

    #[test]
    fn any_bytes_are_a_position_or_none() {
        let setting = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
        let end = setting("FUZZ_SECONDS").map(|seconds| Instant::now() + Duration::from_secs(seconds));
        let mut random = Random(setting("FUZZ_SEED").unwrap_or(0));
        let mut scatter = |below: usize| random.below(below);
        let (mut none, mut open, mut proved) = (0, 0, 0);
        let rounds = (0..).take_while(|&round| round < ROUNDS || end.is_some_and(|end| Instant::now() < end));
        for round in rounds {
            let mut fen = SEEDS[round % SEEDS.len()].as_bytes().to_vec();
            for _ in 0..scatter(4) {
                let (at, letter) = (scatter(fen.len()), LETTERS[scatter(LETTERS.len())]);
                match scatter(3) {
                    0 => fen[at] = letter,
                    1 => fen.insert(at, letter),
                    _ => {
                        let other = scatter(fen.len());
                        fen.swap(at, other);
                    }
                }
            }
            let mut bytes: Vec<u8> = (0..BUDGETS).map(|_| scatter(256) as u8).collect();
            bytes.extend(fen);
            let tried = std::panic::catch_unwind(|| position(&bytes));
            match tried.unwrap_or_else(|_| panic!("round {round}: {bytes:?}")) {
                Tried::NoPosition => none += 1,
                Tried::Position { proved: false } => open += 1,
                Tried::Position { proved: true } => proved += 1,
            }
        }
        assert!(none > 300 && open > 300 && proved > 100, "{none} {open} {proved}");
    }
}
