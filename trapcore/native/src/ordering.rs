//! The order in which the search tries moves: the table's, good captures, killers, history, bad captures.

use shakmaty::{Chess, Move, Position, Role};

use crate::exchange::{exchange, worth};

/// Quiet moves that were good elsewhere.
pub struct Ordering {
    killers: Vec<[Option<Move>; 2]>,
    /// By side, from-square and to-square.
    history: Vec<i32>,
}

const BEST: i32 = 1 << 28;
const CAPTURE: i32 = 1 << 26;
const KILLER: i32 = 1 << 25;
/// History never grows beyond this, so that it stays below the killers.
const HISTORY: i32 = 1 << 18;
const LOSING: i32 = 1 << 20;

impl Ordering {
    pub fn new(plies: usize) -> Ordering {
        Ordering { killers: vec![[None; 2]; plies], history: vec![0; 2 * 64 * 64] }
    }

    pub fn clear(&mut self) {
        self.killers.fill([None; 2]);
        self.history.fill(0);
    }

    fn cell(chess: &Chess, m: Move) -> usize {
        let from = m.from().map_or(0, usize::from);
        (usize::from(chess.turn().is_white()) << 6 | from) << 6 | usize::from(m.to())
    }

    /// Larger is earlier; below zero for captures that lose material.
    pub fn rank(&self, chess: &Chess, m: Move, best: Option<Move>, ply: usize) -> i32 {
        if Some(m) == best {
            return BEST;
        }
        if m.is_capture() || m.promotion() == Some(Role::Queen) {
            let gain = exchange(chess, m);
            let taken = m.capture().map_or(0, worth);
            return if gain >= 0 { CAPTURE + 16 * taken - worth(m.role()) / 16 + gain } else { gain - LOSING };
        }
        if self.killers[ply].contains(&Some(m)) {
            return KILLER;
        }
        self.history[Ordering::cell(chess, m)]
    }

    /// The legal moves, best first.
    pub fn order(&self, chess: &Chess, moves: &[Move], best: Option<Move>, ply: usize) -> Vec<(i32, Move)> {
        let mut ranked: Vec<(i32, Move)> = moves.iter().map(|&m| (self.rank(chess, m, best, ply), m)).collect();
        ranked.sort_by_key(|(rank, _)| -rank);
        ranked
    }

    /// Remembers a quiet move that refuted.
    pub fn reward(&mut self, chess: &Chess, m: Move, depth: i32, ply: usize) {
        let killers = &mut self.killers[ply];
        if killers[0] != Some(m) {
            *killers = [Some(m), killers[0]];
        }
        let cell = &mut self.history[Ordering::cell(chess, m)];
        *cell += depth * depth;
        if *cell > HISTORY {
            self.history.iter_mut().for_each(|h| *h /= 2);
        }
    }
}
