//! Move ordering of the search: the table's, good captures, killers, history, bad captures.

use shakmaty::{Chess, Move, Position, Role};

use crate::chess::piece_values::piece_value;
use crate::chess::static_exchange::see;

/// Killer moves and history of quiet moves.
pub(crate) struct Ordering {
    killers: Vec<[Option<Move>; 2]>,
    /// By side, from-square and to-square.
    history: Vec<i16>,
    /// By the move before (piece and target) and this one.
    continuation: Vec<i16>,
}

/// Roles by their target squares; whose piece it is follows from the ply.
const PLACED: usize = 6 * 64;
/// No move before: at the root, or after a pass.
pub(super) const NONE: usize = PLACED;
const BEST: i32 = 1 << 28;
const CAPTURE: i32 = 1 << 26;
const KILLER: i32 = 1 << 25;
/// Neither table's numbers grow beyond this.
const MOST: i32 = 1 << 13;
const LOSING: i32 = 1 << 20;

/// Role and target of a move, for the continuation history.
pub(super) fn placed(m: Move) -> usize {
    (m.role() as usize - 1) << 6 | usize::from(m.to())
}

impl Ordering {
    pub(crate) fn new(plies: usize) -> Ordering {
        Ordering {
            killers: vec![[None; 2]; plies],
            history: vec![0; 2 * 64 * 64],
            continuation: vec![0; (PLACED + 1) * PLACED],
        }
    }

    pub(crate) fn clear(&mut self) {
        self.killers.fill([None; 2]);
        self.history.fill(0);
        self.continuation.fill(0);
    }

    fn cell(chess: &Chess, m: Move) -> usize {
        let from = m.from().map_or(0, usize::from);
        (usize::from(chess.turn().is_white()) << 6 | from) << 6 | usize::from(m.to())
    }

    /// History score of a quiet move: elsewhere, and after the same move before it; -16,384 to 16,384.
    pub(crate) fn history(&self, chess: &Chess, m: Move, before: usize) -> i32 {
        i32::from(self.history[Ordering::cell(chess, m)]) + i32::from(self.continuation[before * PLACED + placed(m)])
    }

    /// Larger is earlier; captures that lose material come after everything else.
    pub(crate) fn rank(&self, chess: &Chess, m: Move, best: Option<Move>, ply: usize, before: usize) -> i32 {
        if Some(m) == best {
            return BEST;
        }
        if m.is_capture() || m.promotion() == Some(Role::Queen) {
            let gain = see(chess, m);
            let taken = m.capture().map_or(0, piece_value);
            return if gain >= 0 { CAPTURE + 16 * taken - piece_value(m.role()) / 16 + gain } else { gain - LOSING };
        }
        if self.killers[ply].contains(&Some(m)) {
            return KILLER;
        }
        self.history(chess, m, before)
    }

    /// The legal moves, best first.
    pub(crate) fn order(
        &self,
        chess: &Chess,
        moves: &[Move],
        best: Option<Move>,
        ply: usize,
        before: usize,
    ) -> Vec<(i32, Move)> {
        let mut ranked: Vec<(i32, Move)> = moves.iter().map(|&m| (self.rank(chess, m, best, ply, before), m)).collect();
        ranked.sort_by_key(|(rank, _)| -rank);
        ranked
    }

    /// Remembers a quiet move that refuted, and that those tried before it did not.
    pub(crate) fn reward(&mut self, chess: &Chess, m: Move, failed: &[Move], depth: i32, ply: usize, before: usize) {
        let killers = &mut self.killers[ply];
        if killers[0] != Some(m) {
            *killers = [Some(m), killers[0]];
        }
        let bonus = (16 * depth * depth).min(1200);
        self.note(chess, m, bonus, before);
        for &other in failed {
            self.note(chess, other, -bonus, before);
        }
    }

    fn note(&mut self, chess: &Chess, m: Move, bonus: i32, before: usize) {
        // What is near its limit moves the less, so that old news fade.
        let gravitate = |cell: &mut i16| {
            let now = i32::from(*cell);
            *cell = (now + bonus - now * bonus.abs() / MOST) as i16;
        };
        gravitate(&mut self.history[Ordering::cell(chess, m)]);
        gravitate(&mut self.continuation[before * PLACED + placed(m)]);
    }
}
