//! Which squares a side attacks, and with what.

use shakmaty::{Bitboard, Board, Color, File, Role, Square, attacks};

use super::features::role_index;

/// The attacks of one side.
pub(crate) struct Attacked {
    /// By role.
    pub by: [Bitboard; 6],
    pub all: Bitboard,
    /// By two pieces or more.
    pub twice: Bitboard,
    /// Squares that each knight, bishop, rook and queen attacks, as far as a pin lets it.
    pub reach: Vec16,
    pub king: Option<Square>,
    pub pinned: Bitboard,
}

/// Pieces with their reach; more than sixteen of them are not examined.
pub(crate) struct Vec16 {
    items: [(Role, Square, Bitboard); 16],
    length: usize,
}

impl Vec16 {
    pub(crate) fn iter(&self) -> impl Iterator<Item = &(Role, Square, Bitboard)> {
        self.items[..self.length].iter()
    }

    fn push(&mut self, item: (Role, Square, Bitboard)) {
        if self.length < self.items.len() {
            self.items[self.length] = item;
            self.length += 1;
        }
    }
}

impl Attacked {
    pub(crate) fn by(board: &Board, color: Color) -> Attacked {
        let own = board.by_color(color);
        let occupied = board.occupied();
        let king = board.king_of(color);
        let pinned = king.map_or(Bitboard::EMPTY, |king| pinned(board, color, king));
        let mut out = Attacked {
            by: [Bitboard::EMPTY; 6],
            all: Bitboard::EMPTY,
            twice: Bitboard::EMPTY,
            reach: Vec16 { items: [(Role::Pawn, Square::A1, Bitboard::EMPTY); 16], length: 0 },
            king,
            pinned,
        };
        let pawns = board.pawns() & own;
        let (left, right) = pawn_attacks(pawns, color);
        out.by[role_index(Role::Pawn)] = left | right;
        out.all = left | right;
        out.twice = left & right;
        if let Some(king) = king {
            out.note(Role::King, attacks::king_attacks(king));
        }
        for role in [Role::Knight, Role::Bishop, Role::Rook, Role::Queen] {
            for square in own & board.by_role(role) {
                let mut reach = attacks::attacks(square, role.of(color), occupied);
                if pinned.contains(square)
                    && let Some(king) = king
                {
                    reach &= attacks::ray(king, square);
                }
                out.note(role, reach);
                out.reach.push((role, square, reach));
            }
        }
        out
    }

    fn note(&mut self, role: Role, reach: Bitboard) {
        self.twice |= self.all & reach;
        self.all |= reach;
        self.by[role_index(role)] |= reach;
    }

    pub(crate) fn pawns(&self) -> Bitboard {
        self.by[role_index(Role::Pawn)]
    }

    pub(crate) fn minors(&self) -> Bitboard {
        self.by[role_index(Role::Knight)] | self.by[role_index(Role::Bishop)]
    }

    /// Squares attacked by anything cheaper than a piece of this role.
    pub(crate) fn cheaper(&self, role: Role) -> Bitboard {
        match role {
            Role::Knight | Role::Bishop => self.pawns(),
            Role::Rook => self.pawns() | self.minors(),
            Role::Queen => self.pawns() | self.minors() | self.by[role_index(Role::Rook)],
            Role::Pawn | Role::King => Bitboard::EMPTY,
        }
    }
}

fn pinned(board: &Board, color: Color, king: Square) -> Bitboard {
    let theirs = board.by_color(!color);
    let snipers = attacks::rook_attacks(king, Bitboard::EMPTY) & board.rooks_and_queens()
        | attacks::bishop_attacks(king, Bitboard::EMPTY) & board.bishops_and_queens();
    let mut out = Bitboard::EMPTY;
    for sniper in snipers & theirs {
        let between = attacks::between(king, sniper) & board.occupied();
        if between.count() == 1 {
            out |= between & board.by_color(color);
        }
    }
    out
}

/// Towards the a-file and towards the h-file.
pub(crate) fn pawn_attacks(pawns: Bitboard, color: Color) -> (Bitboard, Bitboard) {
    let ahead = if color.is_white() { pawns.shift(8) } else { pawns.shift(-8) };
    ((ahead & !Bitboard::from_file(File::A)).shift(-1), (ahead & !Bitboard::from_file(File::H)).shift(1))
}

/// All squares on ranks before this one, as the side sees it.
pub(crate) fn ahead(square: Square, color: Color) -> Bitboard {
    let rank = square.rank() as u32;
    if color.is_white() {
        Bitboard(if rank == 7 { 0 } else { !0 << (8 * (rank + 1)) })
    } else {
        Bitboard((1 << (8 * rank)) - 1)
    }
}

/// The files beside the one of this square.
pub(crate) fn beside(square: Square) -> Bitboard {
    let file = Bitboard::from_file(square.file());
    (file & !Bitboard::from_file(File::H)).shift(1) | (file & !Bitboard::from_file(File::A)).shift(-1)
}

/// Rank as the side sees it, 0 to 7.
pub(crate) fn rank(square: Square, color: Color) -> usize {
    if color.is_white() { square.rank() as usize } else { 7 - square.rank() as usize }
}
