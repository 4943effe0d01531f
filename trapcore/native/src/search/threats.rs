//! Squares that the other side attacks, by the worth of the attacker: a quiet move that flees or walks into an attack
//! differs from the same move elsewhere.

use shakmaty::{Bitboard, Chess, Move, Position, Role, Square, attacks};

use super::evaluation::attacked::pawn_attacks;

/// What the side to move has to fear.
#[derive(Clone, Copy)]
pub(super) struct Threats {
    pawns: Bitboard,
    /// Squares attacked by pawns, knights or bishops.
    minors: Bitboard,
    /// Squares attacked by anything but the queen and the king.
    rooks: Bitboard,
    all: Bitboard,
}

impl Threats {
    pub(super) const NONE: Threats =
        Threats { pawns: Bitboard::EMPTY, minors: Bitboard::EMPTY, rooks: Bitboard::EMPTY, all: Bitboard::EMPTY };

    pub(super) fn new(chess: &Chess) -> Threats {
        let (board, hostile) = (chess.board(), chess.them());
        let occupied = board.occupied();
        let (left, right) = pawn_attacks(board.pawns() & hostile, !chess.turn());
        let pawns = left | right;
        let knights = reach(board.knights() & hostile, attacks::knight_attacks);
        let bishops = reach(board.bishops() & hostile, |from| attacks::bishop_attacks(from, occupied));
        let minors = pawns | knights | bishops;
        let rooks = minors | reach(board.rooks() & hostile, |from| attacks::rook_attacks(from, occupied));
        let queens = reach(board.queens() & hostile, |from| attacks::queen_attacks(from, occupied));
        let all = rooks | queens | reach(board.kings() & hostile, attacks::king_attacks);
        Threats { pawns, minors, rooks, all }
    }

    /// 0 to 3: whether the move leaves an attacked square, and whether it goes to one.
    pub(super) fn kind(&self, m: Move) -> usize {
        let attacked = |square: Square| usize::from(self.all.contains(square));
        m.from().map_or(0, attacked) << 1 | attacked(m.to())
    }

    /// What a piece escapes by the move (negative: walks into), as a number of minor pieces attacked by a pawn.
    pub(super) fn escape(&self, m: Move) -> i32 {
        let (cheaper, weight) = match m.role() {
            Role::Queen => (self.rooks, 4),
            Role::Rook => (self.minors, 2),
            Role::Knight | Role::Bishop => (self.pawns, 1),
            Role::Pawn | Role::King => return 0,
        };
        let attacked = |square: Square| i32::from(cheaper.contains(square));
        weight * (m.from().map_or(0, attacked) - attacked(m.to()))
    }
}

fn reach(pieces: Bitboard, attacks: impl Fn(Square) -> Bitboard) -> Bitboard {
    pieces.into_iter().fold(Bitboard::EMPTY, |all, square| all | attacks(square))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::position::{parse, parse_move};

    #[test]
    fn a_move_out_of_an_attack_by_a_cheaper_piece_escapes() {
        let s = parse("4k3/8/8/1p6/p1Q5/8/3r2B1/4K2R w K - 0 1").unwrap();
        let threats = Threats::new(&s.chess);
        let found = |uci: &str| {
            let m = parse_move(&s, uci).unwrap();
            (threats.kind(m), threats.escape(m))
        };
        // From the pawn's attack to safety, and to squares that the rook or the other pawn attacks.
        assert_eq!((found("c4f4"), found("c4d4"), found("c4b3")), ((2, 4), (3, 0), (3, 0)));
        // The rook attacks the bishop, which is worth less.
        assert_eq!((found("g2f3"), found("h1h2")), ((2, 0), (0, 0)));
    }
}
