//! What is seen of a move: what it seems to cost at three depths, and what kind of move it is.

use shakmaty::{Chess, Move, Position, Rank, Role, Square};

use crate::chess::moves::{after, ends};
use crate::chess::static_exchange::see;
use crate::trap_test::{Tester, static_ranking};
use crate::win_chance::win_chance;

/// Names of the features, in their order.
///
/// Of each depth (0 is first sight, then plies of a search): the win chance that the move costs against the best one,
/// whether it is that, whether it is one of three, and the logarithm of its rank. Exchanges are counted in units of
/// three pawns.
pub(crate) const NAMES: [&str; COUNT] = [
    "cost_0",
    "first_0",
    "three_0",
    "rank_0",
    "cost_1",
    "first_1",
    "three_1",
    "rank_1",
    "cost_2",
    "first_2",
    "three_2",
    "rank_2",
    "wins",
    "loses",
    "takes",
    "takes_back",
    "checks",
    "promotes",
    "castles",
    "develops",
    "pawn",
    "two_steps",
    "king",
    "queen",
    "rook",
    "saves",
    "exposes",
    "backwards",
    "centre",
    "flank",
    "towards_king",
    "first_again",
];
pub(crate) const COUNT: usize = 32;

/// Depths at which the moves are ranked.
const DEPTHS: usize = 3;
/// Greatest cost of win chance that makes a difference.
const GREATEST_COST: f64 = 0.8;
/// Centipawns that an exchange counts as one.
const EXCHANGE: f32 = 300.0;

/// Each legal move with its features. `last`: where the opponent's last move went.
pub(crate) fn features(tester: &mut Tester, position: &Chess, last: Option<Square>) -> Vec<(Move, [f32; COUNT])> {
    let rankings = [static_ranking(position), tester.ranking(position, 1), tester.ranking(position, 2)];
    let threatened = threatened(position);
    position
        .legal_moves()
        .into_iter()
        .map(|m| {
            let mut x = [0.0; COUNT];
            let mut firsts = 0;
            for (depth, ranking) in rankings.iter().enumerate() {
                let value = ranking.iter().find(|(_, other)| *other == m).map_or(0, |(value, _)| *value);
                let rank = ranking.iter().filter(|(other, _)| *other > value).count();
                let best = ranking.first().map_or(0, |(value, _)| *value);
                let cost = (win_chance(best) - win_chance(value)).min(GREATEST_COST);
                x[4 * depth] = cost as f32;
                x[4 * depth + 1] = flag(rank == 0);
                x[4 * depth + 2] = flag(rank < 3);
                x[4 * depth + 3] = (1.0 + rank as f32).ln();
                firsts += usize::from(rank == 0);
            }
            kind(position, m, last, &threatened, &mut x[4 * DEPTHS..]);
            x[COUNT - 1] = flag(firsts == DEPTHS);
            (m, x)
        })
        .collect()
}

fn flag(is: bool) -> f32 {
    f32::from(u8::from(is))
}

/// What kind of move it is, in the order of [`NAMES`] from `wins` on.
fn kind(position: &Chess, m: Move, last: Option<Square>, threatened: &[Square], x: &mut [f32]) {
    let turn = position.turn();
    let (from, to) = ends(m);
    let role = m.role();
    let gain = see(position, m) as f32 / EXCHANGE;
    let next = after(position, m);
    let rank_of = |square: Square| i32::from(u8::from(turn.fold_wb(square, square.flip_vertical()).rank()));
    let minor = matches!(role, Role::Knight | Role::Bishop);
    let enemy_king = position.board().king_of(!turn);
    let distance = |square: Square| enemy_king.map_or(0, |king| i32::from(king.distance(square) as u8));
    let values = [
        gain.clamp(0.0, 3.0),
        (-gain).clamp(0.0, 3.0),
        flag(m.is_capture()),
        flag(m.is_capture() && last == Some(to)),
        flag(next.is_check()),
        flag(m.is_promotion()),
        flag(m.is_castle()),
        flag(minor && from.rank() == turn.fold_wb(Rank::First, Rank::Eighth)),
        flag(role == Role::Pawn),
        flag(role == Role::Pawn && (rank_of(to) - rank_of(from)) == 2),
        flag(role == Role::King && !m.is_castle()),
        flag(role == Role::Queen),
        flag(role == Role::Rook),
        flag(threatened.contains(&from)),
        exposed(&next, to) as f32 / EXCHANGE,
        flag(role != Role::Pawn && rank_of(to) < rank_of(from)),
        flag(matches!(to, Square::D4 | Square::E4 | Square::D5 | Square::E5)),
        flag(matches!(u8::from(to.file()), 0 | 7)),
        (distance(from) - distance(to)) as f32 / 4.0,
    ];
    x[..values.len()].copy_from_slice(&values);
}

/// What the opponent's best exchange on any square but that of the moved piece wins, in centipawns, at most a queen's:
/// what the move leaves to be taken.
fn exposed(next: &Chess, moved: Square) -> i32 {
    let captures = next.legal_moves().into_iter().filter(|m| m.is_capture() && m.to() != moved);
    captures.map(|m| see(next, m)).max().unwrap_or(0).clamp(0, 900)
}

/// Squares of the mover's pieces that the other side could take at a gain if it were to move.
fn threatened(position: &Chess) -> Vec<Square> {
    let Ok(turned) = position.clone().swap_turn() else { return Vec::new() };
    let mut out: Vec<Square> =
        turned.legal_moves().into_iter().filter(|m| m.is_capture() && see(&turned, *m) > 0).map(Move::to).collect();
    out.dedup();
    out
}
