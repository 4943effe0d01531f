//! Baselines without learning, for comparison: a search of three plies, and a prover that looks at one move after the
//! other.

use shakmaty::{Chess, Move, Position};

use native::workshop::{CheckFinder, after, is_mate, material_gain, see};

/// Centipawns of a mate, less one for each ply to it.
const MATED: i32 = 20_000;

/// A move as a search of three plies sees it, in centipawns for its side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ThreePlies {
    pub m: Move,
    /// After the best reply.
    pub worst: i32,
    /// Mean over all replies, from -900 to 1200 each.
    pub mean: i32,
}

/// All moves, all replies, and the best mate or exchange after each; and how many moves were made on a board.
pub(crate) fn three_plies(chess: &Chess) -> (Vec<ThreePlies>, u64) {
    let mut moves_made = 0;
    let moves = chess.legal_moves();
    let found = moves.iter().map(|&m| {
        let next = after(chess, m);
        moves_made += 1;
        let replies = next.legal_moves();
        if replies.is_empty() {
            let value = if next.is_check() { MATED - 1 } else { 0 };
            return ThreePlies { m, worst: value, mean: value.min(1200) };
        }
        let (mut worst, mut sum) = (i32::MAX, 0);
        for &reply in &replies {
            let position = after(&next, reply);
            moves_made += 1;
            let best = best_third(&position, &mut moves_made);
            let value = if best.abs() > MATED - 4 { best } else { material_gain(m) - material_gain(reply) + best };
            worst = worst.min(value);
            sum += value.clamp(-900, 1200);
        }
        ThreePlies { m, worst, mean: sum / replies.len() as i32 }
    });
    let found = found.collect();
    (found, moves_made)
}

/// The best of the side to move at first sight: a mate, or the exchange that gains most; 0 at least, unless it is
/// mated.
fn best_third(chess: &Chess, moves_made: &mut u64) -> i32 {
    let moves = chess.legal_moves();
    if moves.is_empty() {
        return if chess.is_check() { 2 - MATED } else { 0 };
    }
    let finder = CheckFinder::new(chess);
    let mut best = 0;
    for &m in &moves {
        if finder.may_check(m) {
            *moves_made += 1;
            if is_mate(&after(chess, m)) {
                return MATED - 3;
            }
        }
        if (m.is_capture() || m.is_promotion()) && material_gain(m) > best {
            best = best.max(see(chess, m));
        }
    }
    best
}

/// Moves made on a board until a mate in `mate` moves or fewer is proved, trying `order` first to last at the root and
/// checks first below it; `None` if `most` moves do not suffice or if there is no such mate.
///
/// Nothing is remembered and nothing pruned: what differs is the order.
pub(crate) fn moves_until_proof(chess: &Chess, order: &[Move], mate: u32, most: u64) -> Option<u64> {
    let mut moves_made = 0;
    let proved = order.iter().any(|&m| {
        moves_made += 1;
        all_lose(&after(chess, m), mate - 1, most, &mut moves_made)
    });
    (proved && moves_made <= most).then_some(moves_made)
}

/// Is the side to move mated within `mate` more moves of the other, against every defence?
fn all_lose(chess: &Chess, mate: u32, most: u64, moves_made: &mut u64) -> bool {
    let replies = chess.legal_moves();
    if replies.is_empty() {
        return chess.is_check();
    }
    mate > 0
        && replies.iter().all(|&reply| {
            *moves_made += 1;
            *moves_made <= most && some_wins(&after(chess, reply), mate, most, moves_made)
        })
}

/// Can the side to move mate within `mate` moves?
fn some_wins(chess: &Chess, mate: u32, most: u64, moves_made: &mut u64) -> bool {
    let finder = CheckFinder::new(chess);
    let (checks, others): (Vec<Move>, Vec<Move>) = chess.legal_moves().iter().partition(|&&m| finder.may_check(m));
    checks.into_iter().chain(others).any(|m| {
        *moves_made += 1;
        *moves_made <= most && all_lose(&after(chess, m), mate - 1, most, moves_made)
    })
}

#[cfg(test)]
mod tests {
    use native::workshop::{parse, parse_move};

    use super::*;

    #[test]
    fn three_plies_see_a_fork_and_a_mate() {
        // Nc7+ forks king and rook; Ra8 is defended by nothing.
        let s = parse("r3k3/8/8/3N4/8/8/8/4K3 w - - 0 1").unwrap();
        let (moves, moves_made) = three_plies(&s.chess);
        let fork = parse_move(&s, "d5c7").unwrap();
        let best = moves.iter().max_by_key(|m| (m.worst, m.mean)).unwrap();
        assert_eq!((best.m, best.worst), (fork, 500));
        assert_eq!(moves.len(), s.chess.legal_moves().len());
        assert!(moves_made > moves.len() as u64);
        let s = parse("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1").unwrap();
        let (moves, _) = three_plies(&s.chess);
        let mate = moves.iter().max_by_key(|m| m.worst).unwrap();
        assert_eq!((mate.m, mate.worst, mate.mean), (parse_move(&s, "a1a8").unwrap(), MATED - 1, 1200));
    }

    #[test]
    fn the_order_of_the_root_decides_what_a_proof_costs() {
        // Two rooks: the ladder mates in two, e.g. Rb7 and Ra8.
        let s = parse("6k1/8/8/8/8/8/1R6/R3K3 w - - 0 1").unwrap();
        let killer = parse_move(&s, "b2b7").unwrap();
        let mut order: Vec<Move> = s.chess.legal_moves().into_iter().collect();
        order.sort_by_key(|&m| m != killer);
        let first = moves_until_proof(&s.chess, &order, 2, 1 << 30).unwrap();
        order.rotate_left(1);
        let last = moves_until_proof(&s.chess, &order[order.len() - 1..], 2, 1 << 30).unwrap();
        assert_eq!(first, last);
        assert_eq!(moves_until_proof(&s.chess, &order, 1, 1 << 30), None);
        assert_eq!(moves_until_proof(&s.chess, &order[order.len() - 1..], 2, first - 1), None);
        assert_eq!(moves_until_proof(&s.chess, &order[order.len() - 1..], 2, first), Some(first));
    }
}
