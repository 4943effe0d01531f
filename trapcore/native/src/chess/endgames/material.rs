//! Which pieces stand on the board, and how their placements are numbered.

use std::cmp::Reverse;
use std::sync::LazyLock;

use rustc_hash::FxHashMap;
use shakmaty::attacks::{attacks, king_attacks};
use shakmaty::{Bitboard, Board, Color, Piece, Rank, Role, Square};

/// Most men of a table, with the kings.
pub(crate) const MEN: usize = 4;

/// From the strongest to the weakest.
const ROLES: [Role; 5] = [Role::Queen, Role::Rook, Role::Bishop, Role::Knight, Role::Pawn];

/// The pieces of a table. White has the stronger side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Material {
    /// The two kings, then White's other pieces and Black's, each from the strongest to the weakest.
    pub men: Vec<Piece>,
}

/// The men of a position on their squares, in the order of [`Material::men`], and the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placement {
    pub squares: [Square; MEN],
    pub turn: Color,
}

/// Every material of three or four men, each after those that its captures and promotions lead to.
pub static MATERIALS: LazyLock<Vec<Material>> = LazyLock::new(|| {
    let mut found: Vec<Material> = ROLES.iter().map(|&role| Material::new(&[role], &[])).collect();
    for (index, &strong) in ROLES.iter().enumerate() {
        for &weak in &ROLES[index..] {
            found.push(Material::new(&[strong, weak], &[]));
            found.push(Material::new(&[strong], &[weak]));
        }
    }
    found.sort_by_key(|material| (material.men.len(), material.pawns()));
    found
});

/// The place of a material in [`MATERIALS`], and whether its colours are exchanged, by its signature.
static PLACES: LazyLock<FxHashMap<u32, (usize, bool)>> = LazyLock::new(|| {
    let mut places = FxHashMap::default();
    for (place, material) in MATERIALS.iter().enumerate() {
        for exchanged in [true, false] {
            let men = material.men.iter();
            let signature = men.map(|&man| unit(if exchanged { turned(man) } else { man })).sum();
            places.insert(signature, (place, exchanged));
        }
    }
    places
});

fn turned(piece: Piece) -> Piece {
    Piece { color: !piece.color, ..piece }
}

/// What one piece adds to the signature of a material. Two bits count the pieces of a kind.
fn unit(piece: Piece) -> u32 {
    let shift = match piece.role {
        Role::Pawn => 0,
        Role::Knight => 2,
        Role::Bishop => 4,
        Role::Rook => 6,
        Role::Queen => 8,
        Role::King => return 0,
    };
    1 << (shift + piece.color.fold_wb(0, 10))
}

/// Finds the table of a board and its placement there. `None` with more than [`MEN`] men and with bare kings.
pub fn find(board: &Board, turn: Color) -> Option<(usize, Placement)> {
    if board.occupied().count() > MEN {
        return None;
    }
    let signature = board.iter().map(|(_, piece)| unit(piece)).sum();
    let &(place, exchanged) = PLACES.get(&signature)?;
    let mut squares = [Square::A1; MEN];
    let mut used = Bitboard::EMPTY;
    for (found, &man) in squares.iter_mut().zip(&MATERIALS[place].men) {
        let piece = if exchanged { turned(man) } else { man };
        let square = (board.by_piece(piece) & !used).first()?;
        used.add(square);
        *found = if exchanged { square.flip_vertical() } else { square };
    }
    Some((place, Placement { squares, turn: if exchanged { !turn } else { turn } }))
}

impl Material {
    /// The material with these pieces beside the kings. Each list goes from the strongest to the weakest.
    fn new(white: &[Role], black: &[Role]) -> Material {
        debug_assert!([white, black].iter().all(|side| side.is_sorted_by_key(|&role| Reverse(role))));
        let mut men = vec![Color::White.king(), Color::Black.king()];
        men.extend(white.iter().map(|&role| Piece { color: Color::White, role }));
        men.extend(black.iter().map(|&role| Piece { color: Color::Black, role }));
        Material { men }
    }

    /// As it is usually written, for example `KQvKR`.
    pub fn name(&self) -> String {
        let side = |color: Color| -> String {
            self.men.iter().filter(|piece| piece.color == color).map(|piece| piece.role.upper_char()).collect()
        };
        format!("{}v{}", side(Color::White), side(Color::Black))
    }

    fn pawns(&self) -> usize {
        self.men.iter().filter(|piece| piece.role == Role::Pawn).count()
    }

    /// Number of placements of each side to move, legal or not.
    fn half(&self) -> usize {
        // White's king is mirrored to the files a to d, and without pawns to the ranks 1 to 4.
        let kings = if self.pawns() > 0 { 32 } else { 16 };
        kings << (6 * (self.men.len() - 1))
    }

    /// Number of placements, legal or not.
    pub fn size(&self) -> usize {
        2 * self.half()
    }

    /// The number of a placement; those with White to move come first. Mirrored placements have the same number.
    pub fn index(&self, placement: &Placement) -> usize {
        let king = placement.squares[0];
        let mut flip = if king.file() > shakmaty::File::D { 7 } else { 0 };
        if self.pawns() == 0 && king.rank() > Rank::Fourth {
            flip |= 56;
        }
        let king = u32::from(king) ^ flip;
        let mut index = (king >> 3) << 2 | king & 3;
        for &square in &placement.squares[1..self.men.len()] {
            index = index << 6 | (u32::from(square) ^ flip);
        }
        index as usize + placement.turn.fold_wb(0, self.half())
    }

    /// The placement with a number.
    pub fn placement(&self, index: usize) -> Placement {
        let turn = Color::from_white(index < self.half());
        let mut rest = (index % self.half()) as u32;
        let mut squares = [Square::A1; MEN];
        for square in squares[1..self.men.len()].iter_mut().rev() {
            *square = Square::new(rest & 63);
            rest >>= 6;
        }
        squares[0] = Square::new((rest >> 2) << 3 | rest & 3);
        Placement { squares, turn }
    }

    pub fn board(&self, placement: &Placement) -> Board {
        let mut board = Board::empty();
        for (&man, &square) in self.men.iter().zip(&placement.squares) {
            board.set_piece_at(square, man);
        }
        board
    }

    pub fn occupied(&self, placement: &Placement) -> Bitboard {
        placement.squares[..self.men.len()].iter().copied().collect()
    }

    pub fn king(&self, placement: &Placement, color: Color) -> Square {
        placement.squares[color.fold_wb(0, 1)]
    }

    /// Whether the king of a colour is attacked. A man on the square `taken` is gone.
    pub fn is_check(&self, placement: &Placement, color: Color, taken: Option<Square>) -> bool {
        let (king, occupied) = (self.king(placement, color), self.occupied(placement));
        self.men.iter().zip(&placement.squares).any(|(&man, &square)| {
            man.color != color && Some(square) != taken && attacks(square, man, occupied).contains(king)
        })
    }

    /// Whether a placement is a legal position.
    pub fn is_legal(&self, placement: &Placement) -> bool {
        let squares = &placement.squares[..self.men.len()];
        self.occupied(placement).count() == squares.len()
            && !king_attacks(squares[0]).contains(squares[1])
            && self.men.iter().zip(squares).all(|(man, &square)| man.role != Role::Pawn || !is_last(square))
            && !self.is_check(placement, !placement.turn, None)
    }
}

/// Whether a square lies on the first or the last rank, where no pawn can stand.
pub fn is_last(square: Square) -> bool {
    matches!(square.rank(), Rank::First | Rank::Eighth)
}
