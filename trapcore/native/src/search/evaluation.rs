//! A linear evaluation of named features, in centipawns.
//!
//! Every feature has a weight for the middlegame and one for the endgame, blended by the pieces that are left (tapered
//! evaluation). The weights in `weights` were fitted to the judgement of a strong engine on positions from real games;
//! `workshop/experiments/evaluation.py` makes them anew. `features` lists what is counted.
//!
//! Whether the game is over does not matter here: the search knows mates and draws exactly.

pub(crate) mod attacked;
pub(crate) mod features;
mod kings;
mod pawns;
mod pieces;
pub(crate) mod scale;
mod threats;
mod weights;

use shakmaty::{Board, Chess, Color, Position, Role};

use self::attacked::Attacked;
use self::features::{BISHOP_PAIR, CASTLING, MATERIAL, TEMPO, role_index};
use self::scale::{UNSCALED, scale};
use self::weights::WEIGHTS;

/// Weight in the blend; 24 is everything.
const PHASE: [i32; 6] = [0, 1, 1, 2, 4, 0];
pub(crate) const WHOLE: i32 = 24;

/// Where the features of a position go.
pub trait Sink {
    /// `feature` occurs `count` times: positive for White, negative for Black.
    fn add(&mut self, feature: usize, count: i32);
}

/// Middlegame and endgame value for White.
#[derive(Default)]
struct Sum {
    middle: i32,
    end: i32,
}

impl Sink for Sum {
    fn add(&mut self, feature: usize, count: i32) {
        let [middle, end] = WEIGHTS[feature];
        self.middle += i32::from(middle) * count;
        self.end += i32::from(end) * count;
    }
}

/// The value for the side to move, in centipawns.
pub(crate) fn evaluate(chess: &Chess) -> i32 {
    let mut sum = Sum::default();
    collect(chess, &mut sum);
    let phase = phase(chess.board());
    let scale = scale(chess.board(), Color::from_white(sum.end > 0));
    let white = (sum.middle * phase * UNSCALED + sum.end * (WHOLE - phase) * scale) / (WHOLE * UNSCALED);
    if chess.turn().is_white() { white } else { -white }
}

/// How much of the middlegame is left, 0 to 24.
pub fn phase(board: &Board) -> i32 {
    let sum: i32 = Role::ALL.iter().map(|&role| PHASE[role_index(role)] * board.by_role(role).count() as i32).sum();
    sum.min(WHOLE)
}

/// Hands every feature of the position to `sink`.
pub fn collect<S: Sink>(chess: &Chess, sink: &mut S) {
    let board = chess.board();
    let white = Attacked::by(board, Color::White);
    let black = Attacked::by(board, Color::Black);
    let mut threatened = [0; 2];
    for (color, own, other) in [(Color::White, &white, &black), (Color::Black, &black, &white)] {
        let sign = if color.is_white() { 1 } else { -1 };
        let mut tally = |feature: usize, count: i32| sink.add(feature, sign * count);
        let us = board.by_color(color);
        for role in [Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen] {
            tally(MATERIAL + role_index(role), (us & board.by_role(role)).count() as i32);
        }
        if (us & board.bishops()).count() >= 2 {
            tally(BISHOP_PAIR, 1);
        }
        for (index, side) in
            [shakmaty::CastlingSide::KingSide, shakmaty::CastlingSide::QueenSide].into_iter().enumerate()
        {
            if chess.castles().has(color, side) {
                tally(CASTLING + index, 1);
            }
        }
        pawns::collect(board, color, own, other, &mut tally);
        threatened[usize::from(color.is_white())] = pieces::collect(board, color, own, other, &mut tally);
        kings::collect(board, color, own, other, &mut tally);
        threats::collect(board, color, own, other, &mut tally);
    }
    let mover = chess.turn();
    let sign = if mover.is_white() { 1 } else { -1 };
    sink.add(TEMPO, sign);
    threats::forks(
        [threatened[usize::from(mover.is_white())], threatened[usize::from(!mover.is_white())]],
        &mut |feature, count| sink.add(feature, sign * count),
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::position::{mirror, parse};

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
        let (start, passed) = (Chess::default(), Chess::default().swap_turn().unwrap());
        assert_eq!(evaluate(&start), evaluate(&passed));
        assert!((1..60).contains(&evaluate(&start)), "{}", evaluate(&start));
    }
}
