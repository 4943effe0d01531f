//! What earlier nodes of a search taught: which quiet moves and captures refuted, and how far the static value was off.

use shakmaty::{Chess, Color, Move, Position, Role};

use super::threats::Threats;

/// Roles by their target squares; whose piece it is follows from the ply.
const PLACED: usize = 6 * 64;
/// No move before: at the root, or after a pass.
pub(super) const NONE: usize = PLACED;
/// No table of moves has numbers beyond this.
const MOST: i32 = 1 << 14;
/// Numbers of the corrections: so many of them are a centipawn, and so many centipawns are the most.
const GRAIN: i32 = 256;
const FURTHEST: i32 = 64;
/// Slots of each correction, for each side to move.
const CORRECTED: usize = 1 << 12;

/// Role and target of a move, for the continuation history.
pub(super) fn placed(m: Move) -> usize {
    (m.role() as usize - 1) << 6 | usize::from(m.to())
}

/// What the history of a quiet move depends on beside the move.
#[derive(Clone, Copy)]
pub(super) struct Before {
    /// The last move, and the one before it, each by role and target.
    pub(super) played: [usize; 2],
    pub(super) threats: Threats,
}

impl Before {
    pub(super) const NOTHING: Before = Before { played: [NONE; 2], threats: Threats::NONE };
}

/// Histories of a search.
pub(crate) struct History {
    /// By side, whether its two squares are attacked, from-square and to-square.
    quiet: Vec<i16>,
    /// By the last move (piece and target) and this one; the same for the move before the last.
    continuation: [Vec<i16>; 2],
    /// By piece, target and piece taken.
    capture: Vec<i16>,
    /// How far static values were off where pawns, or the other pieces of a side, stood like this.
    corrections: [Vec<i16>; 3],
}

/// What is near its limit moves the less, so that old news fade.
fn gravitate(cell: &mut i16, bonus: i32, most: i32) {
    let now = i32::from(*cell);
    *cell = (now + bonus - now * bonus.abs() / most) as i16;
}

impl History {
    pub(crate) fn new() -> History {
        History {
            quiet: vec![0; 2 * 4 * 64 * 64],
            continuation: std::array::from_fn(|_| vec![0; (PLACED + 1) * PLACED]),
            capture: vec![0; PLACED * 7],
            corrections: std::array::from_fn(|_| vec![0; 2 * CORRECTED]),
        }
    }

    pub(crate) fn clear(&mut self) {
        for table in self.continuation.iter_mut().chain(&mut self.corrections) {
            table.fill(0);
        }
        self.quiet.fill(0);
        self.capture.fill(0);
    }

    fn quiet_cell(turn: Color, m: Move, threats: &Threats) -> usize {
        let from = m.from().map_or(0, usize::from);
        let table = usize::from(turn.is_white()) << 2 | threats.kind(m);
        (table << 6 | from) << 6 | usize::from(m.to())
    }

    fn capture_cell(m: Move) -> usize {
        placed(m) * 7 + m.capture().map_or(0, |role| role as usize)
    }

    /// Score of a quiet move: elsewhere, and after the same moves before it; three times -16,384 to 16,384.
    pub(super) fn quiet(&self, turn: Color, m: Move, before: &Before) -> i32 {
        let follows: i32 = self
            .continuation
            .iter()
            .zip(before.played)
            .map(|(table, before)| i32::from(table[before * PLACED + placed(m)]))
            .sum();
        i32::from(self.quiet[History::quiet_cell(turn, m, &before.threats)]) + follows
    }

    /// Score of a capture or promotion, -16,384 to 16,384.
    pub(super) fn capture(&self, m: Move) -> i32 {
        i32::from(self.capture[History::capture_cell(m)])
    }

    /// A quiet move refuted (positive bonus) or failed to.
    pub(super) fn note_quiet(&mut self, turn: Color, m: Move, before: &Before, bonus: i32) {
        self.note_anywhere(turn, m, before, bonus);
        self.note_following(m, before, bonus);
    }

    /// The same, whatever was played before.
    pub(super) fn note_anywhere(&mut self, turn: Color, m: Move, before: &Before, bonus: i32) {
        gravitate(&mut self.quiet[History::quiet_cell(turn, m, &before.threats)], bonus, MOST);
    }

    /// The same, only after the moves before it.
    pub(super) fn note_following(&mut self, m: Move, before: &Before, bonus: i32) {
        for (table, before) in self.continuation.iter_mut().zip(before.played) {
            gravitate(&mut table[before * PLACED + placed(m)], bonus, MOST);
        }
    }

    /// A capture or promotion refuted (positive bonus) or failed to.
    pub(super) fn note_capture(&mut self, m: Move, bonus: i32) {
        gravitate(&mut self.capture[History::capture_cell(m)], bonus, MOST);
    }

    /// Centipawns to add to the static value of a position that is like others.
    pub(super) fn correction(&self, chess: &Chess) -> i32 {
        let cells = correction_cells(chess);
        let [pawns, white, black] = std::array::from_fn(|i| i32::from(self.corrections[i][cells[i]]));
        (2 * pawns + white + black) / (2 * GRAIN)
    }

    /// A search of this depth found a value that differs by this much from the static one.
    pub(super) fn note_difference(&mut self, chess: &Chess, depth: i32, difference: i32) {
        let most = FURTHEST * GRAIN;
        let bonus = (difference * depth * GRAIN / 32).clamp(-most / 4, most / 4);
        for (table, cell) in self.corrections.iter_mut().zip(correction_cells(chess)) {
            gravitate(&mut table[cell], bonus, most);
        }
    }
}

/// Where the corrections of a position lie: by its pawns, White's other pieces, Black's other pieces.
fn correction_cells(chess: &Chess) -> [usize; 3] {
    const ODD: [u64; 6] = [
        0x9E37_79B9_7F4A_7C15,
        0xC2B2_AE3D_27D4_EB4F,
        0x1656_67B1_9E37_79F9,
        0xD6E8_FEB8_6659_FD93,
        0xA076_1D64_78BD_642F,
        0xE703_7ED1_A0B4_28DB,
    ];
    let board = chess.board();
    let side = usize::from(chess.turn().is_white()) * CORRECTED;
    let cell = |mixed: u64| side + (mixed.wrapping_mul(ODD[0]) >> 52) as usize;
    let pieces = |color: Color| {
        let own = board.by_color(color);
        [Role::Knight, Role::Bishop, Role::Rook, Role::Queen, Role::King]
            .into_iter()
            .zip(&ODD[1..])
            .fold(0, |mixed: u64, (role, odd)| mixed.rotate_left(23) ^ (own & board.by_role(role)).0.wrapping_mul(*odd))
    };
    let pawns = |color: Color| (board.pawns() & board.by_color(color)).0;
    [
        cell(pawns(Color::White).wrapping_mul(ODD[1]) ^ pawns(Color::Black).wrapping_mul(ODD[2])),
        cell(pieces(Color::White)),
        cell(pieces(Color::Black)),
    ]
}
