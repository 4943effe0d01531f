//! A linear evaluation of named features, in centipawns. The weights are our own, set by hand; each feature has a value
//! for the middlegame and one for the endgame, blended by the pieces that are left (tapered evaluation).
//!
//! | feature | what it counts |
//! |---|---|
//! | material | pieces, and the pair of bishops |
//! | placement | where each piece stands: centre for pieces, advance for pawns, shelter or centre for the king |
//! | mobility | squares that a piece attacks and that no enemy pawn guards |
//! | king safety | pawns before the king, open files, enemy pieces that bear on the squares around it |
//! | pawns | doubled, isolated and passed pawns |
//! | tempo | the right to move |
//!
//! Whether the game is over is not asked here: the search knows mates and draws exactly.

use shakmaty::{Bitboard, Board, ByColor, Chess, Color, File, Position, Rank, Role, Square, attacks};

/// Middlegame and endgame value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Score {
    pub middle: i32,
    pub end: i32,
}

const fn s(middle: i32, end: i32) -> Score {
    Score { middle, end }
}

impl std::ops::AddAssign for Score {
    fn add_assign(&mut self, other: Score) {
        self.middle += other.middle;
        self.end += other.end;
    }
}

impl std::ops::Sub for Score {
    type Output = Score;
    fn sub(self, other: Score) -> Score {
        s(self.middle - other.middle, self.end - other.end)
    }
}

impl std::ops::Mul<i32> for Score {
    type Output = Score;
    fn mul(self, n: i32) -> Score {
        s(self.middle * n, self.end * n)
    }
}

/// The features of one side.
#[derive(Clone, Copy, Debug, Default)]
pub struct Features {
    pub material: Score,
    pub placement: Score,
    pub mobility: Score,
    pub king_safety: Score,
    pub pawns: Score,
}

impl Features {
    fn total(&self) -> Score {
        let mut sum = self.material;
        sum += self.placement;
        sum += self.mobility;
        sum += self.king_safety;
        sum += self.pawns;
        sum
    }
}

const MATERIAL: [Score; 6] = [s(88, 112), s(325, 305), s(340, 325), s(485, 540), s(990, 980), s(0, 0)];
const BISHOP_PAIR: Score = s(28, 50);
const TEMPO: i32 = 12;
/// Weight in the blend; 24 is everything.
const PHASE: [i32; 6] = [0, 1, 1, 2, 4, 0];
const WHOLE: i32 = 24;
/// A square more than this many is worth `MOBILITY`, one less costs it.
const USUAL_MOBILITY: [i32; 6] = [0, 4, 6, 6, 12, 0];
const MOBILITY: [Score; 6] = [s(0, 0), s(5, 5), s(5, 6), s(2, 5), s(1, 3), s(0, 0)];
const DOUBLED: Score = s(-9, -20);
const ISOLATED: Score = s(-12, -12);
/// By ranks advanced, from the second rank on.
const PASSED: [Score; 6] = [s(2, 8), s(4, 14), s(12, 28), s(30, 58), s(60, 100), s(100, 170)];
const SHELTER: i32 = 11;
const OPEN_FILE_AT_KING: i32 = -16;
/// By the sum of `BEARING` of the pieces that attack a square beside the king.
const DANGER: [i32; 14] = [0, 0, 6, 14, 26, 42, 62, 86, 112, 140, 170, 200, 230, 260];
const BEARING: [usize; 6] = [0, 1, 1, 2, 3, 0];

/// The value for the side to move, in centipawns.
pub fn evaluate(chess: &Chess) -> i32 {
    let board = chess.board();
    let sides = features(board);
    let difference = sides.white.total() - sides.black.total();
    let phase = phase(board);
    let white = (difference.middle * phase + difference.end * (WHOLE - phase)) / WHOLE;
    TEMPO + if chess.turn().is_white() { white } else { -white }
}

/// How much of the middlegame is left, 0 to 24.
fn phase(board: &Board) -> i32 {
    let sum: i32 = Role::ALL.iter().map(|&role| PHASE[at(role)] * board.by_role(role).count() as i32).sum();
    sum.min(WHOLE)
}

const fn at(role: Role) -> usize {
    role as usize - 1
}

/// The features of both sides.
pub fn features(board: &Board) -> ByColor<Features> {
    let guarded = ByColor::new_with(|color| pawn_attacks(board, color));
    ByColor::new_with(|color| side(board, color, *guarded.get(!color)))
}

fn pawn_attacks(board: &Board, color: Color) -> Bitboard {
    let pawns = board.pawns() & board.by_color(color);
    let ahead = if color.is_white() { pawns.shift(8) } else { pawns.shift(-8) };
    (ahead & !Bitboard::from_file(File::H)).shift(1) | (ahead & !Bitboard::from_file(File::A)).shift(-1)
}

fn side(board: &Board, color: Color, guarded: Bitboard) -> Features {
    let own = board.by_color(color);
    let occupied = board.occupied();
    let mut out = Features::default();
    let enemy_king = board.king_of(!color);
    let zone = enemy_king.map_or(Bitboard::EMPTY, |king| attacks::king_attacks(king) | Bitboard::from_square(king));
    let mut bearing = 0;
    for role in Role::ALL {
        let pieces = own & board.by_role(role);
        out.material += MATERIAL[at(role)] * pieces.count() as i32;
        for square in pieces {
            out.placement += placement(role, if color.is_white() { square } else { square.flip_vertical() });
            if matches!(role, Role::Pawn | Role::King) {
                continue;
            }
            let reach = attacks::attacks(square, role.of(color), occupied);
            let free = (reach & !own & !guarded).count() as i32;
            out.mobility += MOBILITY[at(role)] * (free - USUAL_MOBILITY[at(role)]);
            if (reach & zone).any() {
                bearing += BEARING[at(role)];
            }
        }
    }
    if (own & board.bishops()).count() >= 2 {
        out.material += BISHOP_PAIR;
    }
    // An attack on the enemy's king counts for the attacker, so that the feature stays linear in the table.
    out.king_safety += s(DANGER[bearing.min(DANGER.len() - 1)], 0);
    out.king_safety += shelter(board, color);
    out.pawns = pawns(board, color);
    out
}

/// `square` as White sees it.
fn placement(role: Role, square: Square) -> Score {
    let (file, rank) = (square.file() as i32, square.rank() as i32);
    // 0 on the four central squares, 3 on the rim.
    let ring = (2 * file - 7).abs().max((2 * rank - 7).abs()) / 2;
    let side = (2 * file - 7).abs() / 2;
    match role {
        Role::Pawn => s(
            [0, 0, 2, 8, 14, 22, 30, 0][rank as usize] * (4 - side) / 3 - if rank == 1 && side == 0 { 10 } else { 0 },
            3 * rank,
        ),
        Role::Knight => s(12 - 13 * ring + if rank == 0 { -6 } else { 0 }, 8 - 10 * ring),
        Role::Bishop => s(8 - 5 * ring + if rank == 0 { -8 } else { 0 }, 4 - 4 * ring),
        Role::Rook => s(if rank == 6 { 20 } else { 4 - 2 * side }, if rank == 6 { 14 } else { 0 }),
        Role::Queen => s(-2 * ring, 9 - 5 * ring),
        Role::King => s(
            [26, 8, -18, -34, -44, -50, -54, -58][rank as usize] + [-18, -10, 6, 18][side as usize] - 6,
            24 - 13 * ring,
        ),
    }
}

fn shelter(board: &Board, color: Color) -> Score {
    let Some(king) = board.king_of(color) else { return Score::default() };
    let own = board.pawns() & board.by_color(color);
    let mut middle = 0;
    let low = (king.file() as i32 - 1).max(0);
    for file in low..=(king.file() as i32 + 1).min(7) {
        let file = Bitboard::from_file(File::new(file as u32));
        let near = ahead(king, color) & file & own;
        let distance = near.into_iter().map(|p| (p.rank() as i32 - king.rank() as i32).abs()).min();
        middle += match distance {
            Some(1) => SHELTER,
            Some(2) => SHELTER * 2 / 3,
            Some(_) => 0,
            None => OPEN_FILE_AT_KING - if (file & board.pawns()).is_empty() { 8 } else { 0 },
        };
    }
    s(middle, 0)
}

/// All squares on ranks before this one, as the side sees it.
fn ahead(square: Square, color: Color) -> Bitboard {
    let mut out = Bitboard::EMPTY;
    let rank = square.rank() as i32;
    let ranks = if color.is_white() { rank + 1..8 } else { 0..rank };
    for r in ranks {
        out |= Bitboard::from_rank(Rank::new(r as u32));
    }
    out
}

fn pawns(board: &Board, color: Color) -> Score {
    let own = board.pawns() & board.by_color(color);
    let theirs = board.pawns() & board.by_color(!color);
    let mut out = Score::default();
    for pawn in own {
        let file = Bitboard::from_file(pawn.file());
        let beside = (file & !Bitboard::from_file(File::H)).shift(1) | (file & !Bitboard::from_file(File::A)).shift(-1);
        let front = ahead(pawn, color);
        if (front & file & own).any() {
            out += DOUBLED;
        } else if (front & (file | beside) & theirs).is_empty() {
            let rank = pawn.rank() as usize;
            out += PASSED[(if color.is_white() { rank - 1 } else { 6 - rank }).min(5)];
        }
        if (beside & own).is_empty() {
            out += ISOLATED;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::{mirror, parse};

    #[test]
    fn both_sides_are_judged_alike() {
        for fen in [
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq -",
            "r2qkbnr/ppp2ppp/2np4/4N3/2B1P1b1/2N5/PPPP1PPP/R1BQK2R b KQkq - 0 5",
            "8/5k2/3p4/1P1P4/8/2K5/8/8 w - - 0 1",
        ] {
            let s = parse(fen).unwrap();
            assert_eq!(evaluate(&s.chess), evaluate(&mirror(&s).chess));
        }
        assert_eq!(evaluate(&Chess::default()), TEMPO);
    }

    #[test]
    fn a_queen_more_is_worth_a_queen() {
        let up = evaluate(&parse("4k3/pppppppp/8/8/8/8/PPPPPPPP/3QK3 w - - 0 1").unwrap().chess);
        assert!((800..1200).contains(&up), "{up}");
    }
}
