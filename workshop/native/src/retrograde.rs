//! Retrograde analysis: the distance to mate of every placement of a material, from the mates backwards.

use std::ops::Range;

use shakmaty::attacks::{attacks, pawn_attacks};
use shakmaty::{Bitboard, Board, Color, Piece, Rank, Role, Square};

use native::workshop::{MATERIALS, Material, Outcome, Placement, find, is_last};

/// Value of a placement that is drawn.
pub(crate) const DRAWN: u8 = 0;
/// Value of a placement that is no legal position.
pub(crate) const ILLEGAL: u8 = 255;
/// More moves than this would be needed to make a placement lost: one of them leaves the material and does not lose.
const SAFE: u8 = 255;
/// Decided placements are at most so many plies from mate.
const PLIES: Range<usize> = 0..253;

/// Whether a value says that the side to move wins.
pub(crate) fn is_win(value: u8) -> bool {
    value != DRAWN && value.is_multiple_of(2)
}

/// Whether a value says that the side to move loses.
pub(crate) fn is_loss(value: u8) -> bool {
    value != ILLEGAL && value % 2 == 1
}

/// Distances to mate, by the place of their material in [`MATERIALS`]. The value of a decided placement is one more
/// than the plies to mate.
#[derive(Default)]
pub(crate) struct Distances(Vec<Option<Vec<u8>>>);

impl Distances {
    /// The values of a material by the number of the placement. Makes them, and those that they need, the first time.
    pub(crate) fn of(&mut self, place: usize) -> &[u8] {
        self.0.resize(MATERIALS.len(), None);
        if self.0[place].is_none() {
            for needed in successors(&MATERIALS[place]) {
                self.of(needed);
            }
            let values = Analysis::new(self, &MATERIALS[place]).run();
            self.0[place] = Some(values);
        }
        self.0[place].as_deref().unwrap_or_default()
    }

    /// The value of a board whose material was made.
    fn value(&self, board: &Board, turn: Color) -> u8 {
        let Some((place, placement)) = find(board, turn) else { return DRAWN };
        self.0[place].as_ref().expect("it was made before")[MATERIALS[place].index(&placement)]
    }
}

/// The materials that captures and promotions of one move lead to.
fn successors(material: &Material) -> Vec<usize> {
    let men = &material.men;
    let whole: Vec<Piece> = men.clone();
    let mut found: Vec<Vec<Piece>> = Vec::new();
    for taken in 2..men.len() {
        let mut fewer = whole.clone();
        fewer.remove(taken);
        found.push(fewer);
    }
    let promoted = |men: &[Piece]| -> Vec<Vec<Piece>> {
        let pawns = (2..men.len()).filter(|&index| men[index].role == Role::Pawn);
        let each = |index: usize| PROMOTIONS.map(|role| replaced(men, index, role));
        pawns.flat_map(each).collect()
    };
    let more: Vec<_> = found.iter().chain([&whole]).flat_map(|men| promoted(men)).collect();
    found.extend(more);
    found.iter().filter_map(|men| place_of(men)).collect()
}

const PROMOTIONS: [Role; 4] = [Role::Queen, Role::Rook, Role::Bishop, Role::Knight];

fn replaced(men: &[Piece], index: usize, role: Role) -> Vec<Piece> {
    let mut men = men.to_vec();
    men[index].role = role;
    men
}

/// The place of a material, wherever its men stand.
fn place_of(men: &[Piece]) -> Option<usize> {
    let mut board = Board::empty();
    for (index, &man) in men.iter().enumerate() {
        board.set_piece_at(Square::new(index as u32), man);
    }
    find(&board, Color::White).map(|(place, _)| place)
}

struct Analysis<'a> {
    made: &'a Distances,
    material: &'a Material,
    distances: Vec<u8>,
    /// Moves of a placement within the material that are not yet known to lose, or [`SAFE`].
    open: Vec<u8>,
    /// Longest loss, in plies, by a move that leaves the material.
    longest: Vec<u8>,
    /// Placements that may be decided in so many plies.
    due: Vec<Vec<u32>>,
}

/// What a move out of the material, or one that a pawn may answer en passant, leads to.
enum Step {
    Within,
    /// The value for the opponent.
    Leaves(u8),
}

impl<'a> Analysis<'a> {
    fn new(made: &'a Distances, material: &'a Material) -> Analysis<'a> {
        let len = material.size();
        let (distances, open, longest) = (vec![DRAWN; len], vec![0; len], vec![0; len]);
        Analysis { made, material, distances, open, longest, due: vec![Vec::new(); 256] }
    }

    fn run(mut self) -> Vec<u8> {
        for index in 0..self.distances.len() {
            self.begin(index);
        }
        for plies in PLIES {
            for index in std::mem::take(&mut self.due[plies]) {
                if self.distances[index as usize] == DRAWN {
                    self.distances[index as usize] = plies as u8 + 1;
                    self.go_back(index as usize, plies);
                }
            }
        }
        self.distances
    }

    /// Examines the moves of a placement.
    fn begin(&mut self, index: usize) {
        let material = self.material;
        let placement = material.placement(index);
        if !material.is_legal(&placement) {
            self.distances[index] = ILLEGAL;
            return;
        }
        let (mut open, mut longest, mut shortest, mut safe, mut any) = (0, 0, u8::MAX, false, false);
        self.moves(&placement, |step| {
            any = true;
            match step {
                Step::Within => open += 1,
                Step::Leaves(DRAWN) => safe = true,
                Step::Leaves(value) if is_loss(value) => (safe, shortest) = (true, shortest.min(value)),
                Step::Leaves(value) => longest = longest.max(value),
            }
        });
        self.open[index] = if safe { SAFE } else { open };
        self.longest[index] = longest;
        let due = if shortest < u8::MAX {
            shortest
        } else if safe || open > 0 {
            return;
        } else if any {
            longest
        } else {
            if !material.is_check(&placement, placement.turn, None) {
                return;
            }
            0
        };
        self.due[usize::from(due)].push(index as u32);
    }

    /// Hands every legal move to `each`.
    fn moves(&self, placement: &Placement, mut each: impl FnMut(Step)) {
        let material = self.material;
        let (turn, occupied) = (placement.turn, material.occupied(placement));
        for (index, (&man, &from)) in material.men.iter().zip(&placement.squares).enumerate() {
            if man.color != turn {
                continue;
            }
            let own: Bitboard = of_color(material, placement, turn);
            let targets = if man.role == Role::Pawn {
                pawn_targets(turn, from, occupied, occupied & !own)
            } else {
                attacks(from, man, occupied) & !own
            };
            for to in targets {
                let mut next = Placement { turn: !turn, ..*placement };
                next.squares[index] = to;
                let taken = occupied.contains(to);
                if material.is_check(&next, turn, taken.then_some(to)) {
                    continue;
                }
                if taken || man.role == Role::Pawn && is_last(to) {
                    let mut board = material.board(placement);
                    board.discard_piece_at(from);
                    if man.role == Role::Pawn && is_last(to) {
                        for role in PROMOTIONS {
                            board.set_piece_at(to, Piece { color: turn, role });
                            each(Step::Leaves(self.made.value(&board, !turn)));
                        }
                    } else {
                        board.set_piece_at(to, man);
                        each(Step::Leaves(self.made.value(&board, !turn)));
                    }
                } else {
                    each(match self.en_passant(&next, index, from, to) {
                        // The opponent wins by it.
                        Some(value) if is_loss(value) => Step::Leaves(value + 1),
                        _ => Step::Within,
                    });
                }
            }
        }
    }

    /// The value of the board after a pawn is taken en passant that came to its square in `next`, for its owner; `None`
    /// where that is not possible.
    fn en_passant(&self, next: &Placement, man: usize, from: Square, to: Square) -> Option<u8> {
        let (taker, middle) = passed(self.material, next, man, from, to)?;
        let mut board = self.material.board(next);
        board.discard_piece_at(to);
        board.discard_piece_at(next.squares[taker]);
        board.set_piece_at(middle, self.material.men[taker]);
        let king = self.material.king(next, next.turn);
        if board.attacks_to(king, !next.turn, board.occupied()).any() {
            return None;
        }
        Some(self.made.value(&board, !next.turn))
    }

    /// Reports to the placements before this one that it is decided.
    fn go_back(&mut self, index: usize, plies: usize) {
        let material = self.material;
        let placement = material.placement(index);
        let (turn, occupied) = (!placement.turn, material.occupied(&placement));
        let wins = plies % 2 == 1;
        for man in 0..material.men.len() {
            let (piece, to) = (material.men[man], placement.squares[man]);
            if piece.color != turn {
                continue;
            }
            let origins = if piece.role == Role::Pawn {
                pawn_origins(turn, to, occupied)
            } else {
                attacks(to, piece, occupied) & !occupied
            };
            for from in origins {
                let mut before = Placement { turn, ..placement };
                before.squares[man] = from;
                if let Some(value) = self.en_passant(&placement, man, from, to) {
                    // Won by it, or not lost because of it.
                    if is_loss(value) || !wins {
                        continue;
                    }
                }
                let at = material.index(&before);
                if self.distances[at] != DRAWN {
                    continue;
                }
                if !wins {
                    self.due[plies + 1].push(at as u32);
                } else if self.open[at] != SAFE {
                    self.open[at] -= 1;
                    if self.open[at] == 0 {
                        self.due[usize::from(self.longest[at]).max(plies + 1)].push(at as u32);
                    }
                }
            }
        }
    }
}

fn of_color(material: &Material, placement: &Placement, color: Color) -> Bitboard {
    let men = material.men.iter().zip(&placement.squares);
    men.filter(|(man, _)| man.color == color).map(|(_, &square)| square).collect()
}

/// Where a pawn that came by two steps may be taken en passant: the hostile pawn, and the square that it goes to.
fn passed(material: &Material, next: &Placement, man: usize, from: Square, to: Square) -> Option<(usize, Square)> {
    let Piece { color, role } = material.men[man];
    if role != Role::Pawn || from.distance(to) != 2 {
        return None;
    }
    let middle = Square::new((u32::from(from) + u32::from(to)) / 2);
    let hostile = Piece { color: !color, role: Role::Pawn };
    let takes =
        |&other: &usize| material.men[other] == hostile && pawn_attacks(color, middle).contains(next.squares[other]);
    (0..material.men.len()).find(takes).map(|taker| (taker, middle))
}

fn pawn_targets(color: Color, from: Square, occupied: Bitboard, hostile: Bitboard) -> Bitboard {
    let step = color.fold_wb(8, -8);
    let mut found = pawn_attacks(color, from) & hostile;
    if let Some(once) = from.offset(step).filter(|&square| !occupied.contains(square)) {
        found.add(once);
        if from.rank() == color.fold_wb(Rank::Second, Rank::Seventh)
            && let Some(twice) = once.offset(step).filter(|&square| !occupied.contains(square))
        {
            found.add(twice);
        }
    }
    found
}

fn pawn_origins(color: Color, to: Square, occupied: Bitboard) -> Bitboard {
    let step = color.fold_wb(-8, 8);
    let mut found = Bitboard::EMPTY;
    if let Some(once) = to.offset(step).filter(|&square| !occupied.contains(square) && !is_last(square)) {
        found.add(once);
        if to.rank() == color.fold_wb(Rank::Fourth, Rank::Fifth)
            && let Some(twice) = once.offset(step).filter(|&square| !occupied.contains(square))
        {
            found.add(twice);
        }
    }
    found
}

/// The outcomes of a table, two bits each. What is no legal position repeats the one before, which takes least room.
pub(crate) fn packed(distances: &[u8]) -> Vec<u8> {
    let mut last = Outcome::Drawn;
    let mut code = |&distance: &u8| {
        last = match distance {
            ILLEGAL => last,
            DRAWN => Outcome::Drawn,
            won if is_win(won) => Outcome::Won,
            _ => Outcome::Lost,
        };
        last as u8
    };
    distances.chunks(4).map(|four| four.iter().enumerate().fold(0, |byte, (i, d)| byte | code(d) << (2 * i))).collect()
}

#[cfg(test)]
mod tests {
    use native::workshop::table;

    use super::*;

    fn place(name: &str) -> usize {
        MATERIALS.iter().position(|material| material.name() == name).unwrap()
    }

    /// Moves of the longest mate of White, to move, and of Black.
    fn longest(distances: &[u8]) -> [u8; 2] {
        let (white, black) = distances.split_at(distances.len() / 2);
        [white, black].map(|half| half.iter().filter(|&&value| is_win(value)).max().map_or(0, |value| value / 2))
    }

    #[test]
    fn the_longest_mates_are_those_that_are_published() {
        let mut made = Distances::default();
        for (name, moves) in [("KQvK", 10), ("KRvK", 16), ("KPvK", 28), ("KBvK", 0), ("KNvK", 0)] {
            let distances = made.of(place(name));
            assert_eq!(longest(distances), [moves, 0], "{name}");
            assert_eq!(packed(distances), *table(place(name)), "{name}");
        }
    }

    /// Every table, which takes minutes: run with `cargo test --profile checked -- --ignored`.
    #[test]
    #[ignore = "makes every table anew, which takes minutes"]
    fn every_table_is_made_anew_alike_with_the_published_mates() {
        let published = [
            ("KQvKR", [35, 19]),
            ("KQvKB", [17, 0]),
            ("KQvKN", [21, 0]),
            ("KQvKQ", [13, 13]),
            ("KRvKR", [19, 19]),
            ("KRvKB", [29, 0]),
            ("KRvKN", [40, 1]),
            ("KBBvK", [19, 0]),
            ("KBNvK", [33, 0]),
            ("KNNvK", [1, 0]),
            ("KQvKP", [28, 29]),
            ("KRvKP", [26, 43]),
            ("KPvKP", [33, 33]),
            ("KPPvK", [32, 0]),
            ("KBPvK", [31, 0]),
            ("KNPvK", [27, 0]),
        ];
        let mut made = Distances::default();
        for (place, material) in MATERIALS.iter().enumerate() {
            let distances = made.of(place);
            assert_eq!(packed(distances), *table(place), "{}", material.name());
            if let Some((name, moves)) = published.iter().find(|(name, _)| *name == material.name()) {
                assert_eq!(longest(distances), *moves, "{name}");
            }
        }
    }

    /// Three-man endings have published numbers of positions, counted without symmetric ones.
    #[test]
    fn the_lost_positions_of_king_and_pawn_are_as_many_as_are_published() {
        let mut made = Distances::default();
        let distances = made.of(place("KPvK"));
        let legal = |value: &&u8| **value != ILLEGAL;
        let (white, black) = distances.split_at(distances.len() / 2);
        assert_eq!(white.iter().filter(legal).count(), 81_664);
        assert_eq!(white.iter().filter(|&&value| is_win(value)).count(), 62_480);
        assert_eq!(black.iter().filter(legal).count(), 84_012);
        assert_eq!(black.iter().filter(|&&value| is_loss(value)).count(), 48_802);
    }
}
