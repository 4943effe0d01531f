//! The main line of a mate, from a walk through its whole proved tree.
//!
//! The walk makes every reply of the defender at every node and ends in mates on the board, so it is a second look at
//! the proof that trusts no table: what the tables have lost or, by a collision of keys, got wrong, is searched again.

use rustc_hash::FxHashMap;
use shakmaty::{Chess, Move, Position};

use super::Prover;
use crate::chess::moves::{after, move_code};

/// An attacking position, within a bound on the moves left, as walked.
#[derive(Clone, Copy)]
struct Walked {
    /// Moves to mate as the proof has it.
    moves: u32,
    best: Move,
    /// Bound on the moves left after `best`.
    below: u32,
}

type Walk = FxHashMap<(u64, u32), Walked>;

impl Prover {
    /// Moves to mate and the main line, for a mate proved within `bound`: the attacker's moves as proved, the reply
    /// that lasts longest, among equals one that was shown to last so long, then the first in the generator's order.
    /// Spends no budget. `None` if the proof does not hold.
    pub(super) fn main_line(&mut self, root: &Chess, bound: u32) -> Option<(u32, Vec<Move>)> {
        self.budget = u64::MAX;
        let mut walk = Walk::default();
        let moves = self.walk_attack(root, bound, &mut walk)?;
        let mut line = Vec::with_capacity(2 * moves as usize);
        let (mut position, mut left) = (root.clone(), bound);
        loop {
            let Walked { best, below, .. } = *walk.get(&(self.key(&position), left))?;
            line.push(best);
            position.play_unchecked(best);
            let mut longest: Option<((u32, bool), Move)> = None;
            for &reply in &position.legal_moves() {
                let key = self.key(&after(&position, reply));
                let moves = walk.get(&(key, below))?.moves;
                let shown = self.probe(key).is_some_and(|entry| u32::from(entry.refuted) + 1 >= moves);
                if longest.is_none_or(|(rank, _)| (moves, shown) > rank) {
                    longest = Some(((moves, shown), reply));
                }
            }
            let Some((_, reply)) = longest else { return position.is_checkmate().then_some((moves, line)) };
            line.push(reply);
            position.play_unchecked(reply);
            left = below;
        }
    }

    /// Moves to mate as proved, if the proof holds.
    fn walk_attack(&mut self, position: &Chess, left: u32, walk: &mut Walk) -> Option<u32> {
        let key = self.key(position);
        if let Some(known) = walk.get(&(key, left)) {
            return Some(known.moves);
        }
        let walked = if let Some(best) = self.mating_move(position).ok()? {
            Walked { moves: 1, best, below: 0 }
        } else {
            let (best, proved) = self.proving_move(position, key, left)?;
            let below = proved - 1;
            Walked { moves: 1 + self.walk_defence(&after(position, best), below, walk)?, best, below }
        };
        walk.insert((key, left), walked);
        Some(walked.moves)
    }

    fn walk_defence(&mut self, position: &Chess, left: u32, walk: &mut Walk) -> Option<u32> {
        let replies = position.legal_moves();
        if replies.is_empty() {
            return position.is_check().then_some(0);
        }
        if left == 0 || position.halfmoves() >= 100 {
            return None;
        }
        let mut longest = 0;
        for &reply in &replies {
            let next = after(position, reply);
            if next.halfmoves() >= 100 {
                return None;
            }
            longest = longest.max(self.walk_attack(&next, left, walk)?);
        }
        Some(longest)
    }

    /// The move that mates within `left` moves, and the bound within which that is proved.
    fn proving_move(&mut self, position: &Chess, key: u64, left: u32) -> Option<(Move, u32)> {
        let stored = |prover: &Prover| {
            let entry = prover.probe(key).filter(|e| e.proved != 0 && u32::from(e.proved) <= left)?;
            let best = position.legal_moves().into_iter().find(|&m| move_code(m) == entry.best)?;
            Some((best, u32::from(entry.proved)))
        };
        if left < 2 {
            return None;
        }
        if let Some(found) = stored(self) {
            return Some(found);
        }
        self.prove_within(position, left, &[]).ok()?.then(|| stored(self))?
    }
}
