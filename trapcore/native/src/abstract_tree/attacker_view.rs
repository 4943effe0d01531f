//! A position as the attacker sees it, who is to move, and the bait that led to it.

use shakmaty::{Bitboard, CastlingMode, Chess, EnPassantMode, Move, Position, Role, Square};

use crate::chess::moves::after;
use crate::chess::orientation::Orientation;
use crate::chess::position::playable;

/// A position of the attacker, with the bait that led to it if it is known.
pub(crate) struct AttackerView {
    /// Attacker to move.
    pub chess: Chess,
    pub bait: Option<Bait>,
    pub orientation: Orientation,
    pub mode: CastlingMode,
}

/// The bait as the attacker's moves relate to it.
pub(crate) struct Bait {
    pub from: Square,
    pub to: Square,
    /// The position before it with the attacker to move, where that is legal.
    pub(super) passed: Option<Chess>,
}

impl AttackerView {
    /// `chess`: attacker to move; with the position before and the bait that led from it, if known.
    pub(crate) fn new(chess: Chess, mode: CastlingMode, before: Option<(&Chess, Move)>) -> AttackerView {
        let orientation = Orientation::of(&chess, chess.turn());
        let bait = before.map(|(before, bait)| Bait {
            from: bait.from().unwrap_or(bait.to()),
            to: bait.to(),
            passed: pass(before, mode),
        });
        AttackerView { chess, bait, orientation, mode }
    }

    /// The view after a bait of which only the squares are known. `None` if the victim has no piece on `to`, or `from`
    /// is not empty.
    pub(crate) fn after_squares(chess: Chess, mode: CastlingMode, from: Square, to: Square) -> Option<AttackerView> {
        let board = chess.board();
        let possible = board.by_color(!chess.turn()).contains(to) && board.piece_at(from).is_none();
        let mut view = AttackerView::new(chess, mode, None);
        view.bait = Some(Bait { from, to, passed: None });
        possible.then_some(view)
    }

    /// The attacker's view after the victim's move `bait`.
    pub(crate) fn after_bait(before: &Chess, bait: Move, mode: CastlingMode) -> AttackerView {
        AttackerView::new(after(before, bait), mode, Some((before, bait)))
    }

    /// The position before the bait with the attacker to move, where that is legal.
    pub(crate) fn passed(&self) -> Option<&Chess> {
        self.bait.as_ref()?.passed.as_ref()
    }

    pub(crate) fn victim_king(&self) -> Square {
        self.chess.board().king_of(!self.orientation.attacker).expect("a legal position has both kings")
    }
}

/// The position with the other side to move, unless the side to move is in check.
fn pass(chess: &Chess, mode: CastlingMode) -> Option<Chess> {
    let setup = chess.to_setup(EnPassantMode::Legal).into_swapped_turn();
    playable(setup, mode).ok()
}

/// The cheapest_role role among the pieces of a set.
pub(super) fn cheapest_role(chess: &Chess, set: Bitboard) -> Option<Role> {
    Role::ALL.into_iter().find(|&role| (set & chess.board().by_role(role)).any())
}
