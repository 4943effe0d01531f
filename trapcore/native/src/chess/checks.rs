//! Checks, found without making the move.

use shakmaty::{Bitboard, CastlingSide, Chess, Move, Position, Rank, Role, Square, attacks};

/// Finds cheaply which moves may give check: all that do, and few that do not.
pub struct CheckFinder<'a> {
    position: &'a Chess,
    king: Square,
    occupied: Bitboard,
    /// Own pieces that alone stand between an own slider and the king.
    unmask: Bitboard,
}

impl CheckFinder<'_> {
    /// `position`: legal, so both kings are there.
    pub fn new(position: &Chess) -> CheckFinder<'_> {
        let board = position.board();
        let king = board.king_of(!position.turn()).expect("a legal position has both kings");
        let occupied = board.occupied();
        let own = position.us();
        let diagonal = own & (board.bishops() | board.queens()) & attacks::bishop_attacks(king, Bitboard::EMPTY);
        let straight = own & (board.rooks() | board.queens()) & attacks::rook_attacks(king, Bitboard::EMPTY);
        let mut unmask = Bitboard::EMPTY;
        for slider in diagonal | straight {
            let between = attacks::between(king, slider) & occupied;
            if let (Some(square), false) = (between.first(), between.more_than_one()) {
                unmask.add(square);
            }
        }
        CheckFinder { position, king, occupied, unmask: unmask & own }
    }

    /// False only if the legal move `m` gives no check.
    pub fn may_check(&self, m: Move) -> bool {
        match m {
            Move::Castle { .. } | Move::EnPassant { .. } => true,
            Move::Normal { role, from, to, promotion, .. } => {
                let turn = self.position.turn();
                let piece = promotion.unwrap_or(role).of(turn);
                self.unmask.contains(from)
                    || attacks::attacks(to, piece, self.occupied.without(from)).contains(self.king)
            }
            Move::Put { .. } => false,
        }
    }

    /// All moves of knights, bishops, rooks and queens that may give check, as role, from and to; pseudo-legal, so the
    /// own king may be left in check. `None` if a pawn, the king or castling might give check, too.
    pub(crate) fn pieces_only(&self) -> Option<impl Iterator<Item = (Role, Square, Square)>> {
        if self.others_may_check() {
            return None;
        }
        let board = self.position.board();
        let straight = attacks::rook_attacks(self.king, self.occupied);
        let diagonal = attacks::bishop_attacks(self.king, self.occupied);
        let kinds = [
            (Role::Queen, straight | diagonal),
            (Role::Rook, straight),
            (Role::Bishop, diagonal),
            (Role::Knight, attacks::knight_attacks(self.king)),
        ];
        let (turn, own) = (self.position.turn(), self.position.us());
        Some(kinds.into_iter().flat_map(move |(role, direct)| {
            (own & board.by_role(role)).into_iter().flat_map(move |from| {
                let to = if self.unmask.contains(from) { Bitboard::FULL } else { direct };
                let to = to & attacks::attacks(from, role.of(turn), self.occupied) & !own;
                to.into_iter().map(move |to| (role, from, to))
            })
        }))
    }

    /// Might a move of a pawn, of the king, or castling give check? Says yes too often, never no wrongly.
    fn others_may_check(&self) -> bool {
        let (board, turn) = (self.position.board(), self.position.turn());
        let pawns = self.position.our(Role::Pawn);
        if (self.unmask & (pawns | board.kings())).any()
            || (pawns & turn.fold_wb(Bitboard::from_rank(Rank::Seventh), Bitboard::from_rank(Rank::Second))).any()
            || self.position.maybe_ep_square().is_some()
        {
            return true;
        }
        let lines = attacks::rook_attacks(self.king, Bitboard::EMPTY);
        let castles = CastlingSide::ALL
            .into_iter()
            .any(|side| self.position.castles().has(turn, side) && lines.contains(side.rook_to(turn)));
        if castles {
            return true;
        }
        let (pushes, doubles) = turn.fold_wb((8, 16), (-8, -16));
        attacks::pawn_attacks(!turn, self.king).into_iter().any(|to| {
            if self.occupied.contains(to) {
                !self.position.us().contains(to) && (attacks::pawn_attacks(!turn, to) & pawns).any()
            } else {
                [pushes, doubles].into_iter().any(|step| to.offset(-step).is_some_and(|from| pawns.contains(from)))
            }
        })
    }

    /// After a pseudo-legal move of a piece other than the king: does it leave the own king in check?
    pub(crate) fn exposes_own_king(&self, next: &Chess) -> bool {
        let (board, turn) = (next.board(), self.position.turn());
        let king = board.king_of(turn).expect("a legal position has both kings");
        board.attacks_to(king, !turn, board.occupied()).any()
    }
}

/// Is the side to move mated? As `is_checkmate`, which generates all moves; mostly the king can simply step away.
pub fn is_mate(position: &Chess) -> bool {
    position.is_check() && !king_can_step_away(position) && position.legal_moves().is_empty()
}

fn king_can_step_away(position: &Chess) -> bool {
    let (board, turn) = (position.board(), position.turn());
    let king = board.king_of(turn).expect("a legal position has both kings");
    let behind = board.occupied().without(king);
    let steps = attacks::king_attacks(king) & !position.us();
    steps.into_iter().any(|to| board.attacks_to(to, !turn, behind).is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::moves::after;
    use crate::chess::position::parse;

    #[test]
    fn no_check_is_overlooked_and_few_moves_are_suspected() {
        let (mut checks, mut suspects, mut moves) = (0, 0, 0);
        for fen in [
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq -",
            "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
            "4k3/8/8/3pP3/8/8/8/B3RK2 w - d6 0 1",
            "3k4/8/8/8/8/8/8/R3K2R w KQ - 0 1",
        ] {
            let s = parse(fen).unwrap();
            for &m in &s.chess.legal_moves() {
                let next = after(&s.chess, m);
                for (chess, m) in [(&s.chess, m)].into_iter().chain(next.legal_moves().iter().map(|r| (&next, *r))) {
                    let suspected = CheckFinder::new(chess).may_check(m);
                    let check = after(chess, m).is_check();
                    assert_eq!(is_mate(&after(chess, m)), after(chess, m).is_checkmate());
                    assert!(suspected || !check);
                    checks += u32::from(check);
                    suspects += u32::from(suspected);
                    moves += 1;
                }
            }
        }
        assert!(checks == 70 && suspects * 10 < moves, "{checks} {suspects} {moves}");
    }
}
