//! The move model: how likely players of a rating choose each move of a position.
//!
//! A conditional logit (McFadden 1974, "Conditional logit analysis of qualitative choice behavior"): the probability of
//! a move is its exponential among those of all legal moves, of a linear sum of what is seen of the move at first sight
//! and after one and two plies. Every feature counts twice, once by itself and once times the rating, so that better
//! players see more.
//!
//! | module | what it holds |
//! |---|---|
//! | `features` | what is seen of a move |
//! | `weights` | weights fitted to people |
//! | `engine_weights` | weights fitted to engines of limited strength |

mod engine_weights;
pub(crate) mod features;
mod weights;

use shakmaty::{Chess, Move, Square};

use crate::move_model::features::{COUNT, features};
use crate::trap_test::Tester;

/// Rating for which the features count by themselves, and the points beyond it that count as one.
pub(crate) const MIDDLE_RATING: f64 = 1500.0;
pub(crate) const RATING_UNIT: f64 = 500.0;
/// What a rating counts at most, in units either way: beyond that nothing was fitted.
pub(crate) const MOST_UNITS: f64 = 2.0;

/// People or an engine, who choose the moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Chooser {
    /// A person.
    Person,
    /// An engine of limited strength, which chooses by chance among the moves that a shallow search likes best.
    Engine,
}

impl Chooser {
    /// Weights by themselves, and times the rating.
    fn weights(self) -> (&'static [f64; COUNT], &'static [f64; COUNT]) {
        match self {
            Chooser::Person => (&weights::WEIGHTS, &weights::BY_RATING),
            Chooser::Engine => (&engine_weights::WEIGHTS, &engine_weights::BY_RATING),
        }
    }
}

/// The rating as the model takes it.
pub(crate) fn rating_units(rating: f64) -> f64 {
    ((rating - MIDDLE_RATING) / RATING_UNIT).clamp(-MOST_UNITS, MOST_UNITS)
}

/// The probability of each legal move, the likeliest first, of such a player of this rating. `last`: where the opponent's
/// last move went.
pub(crate) fn probabilities(
    tester: &mut Tester,
    position: &Chess,
    last: Option<Square>,
    rating: f64,
    chooser: Chooser,
) -> Vec<(Move, f64)> {
    let units = rating_units(rating);
    let seen = features(tester, position, last);
    let (weights, by_rating) = chooser.weights();
    let sum = |x: &[f32; COUNT]| -> f64 {
        x.iter().zip(weights.iter().zip(by_rating)).map(|(&x, (w, r))| f64::from(x) * (w + units * r)).sum()
    };
    let sums: Vec<f64> = seen.iter().map(|(_, x)| sum(x)).collect();
    let most = sums.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let total: f64 = sums.iter().map(|s| (s - most).exp()).sum();
    let mut out: Vec<(Move, f64)> = seen.iter().zip(&sums).map(|((m, _), s)| (*m, (s - most).exp() / total)).collect();
    // A stable sort: equal ones stay in the order of the generator.
    out.sort_by(|a, b| b.1.total_cmp(&a.1));
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::moves::mirror_move;
    use crate::chess::position::{parse, parse_move};
    use shakmaty::Position;

    fn tester() -> Tester {
        Tester::new(1, 12)
    }

    #[test]
    fn probabilities_add_up_and_depend_on_nothing_before() {
        let mut tester = tester();
        let fen = "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3";
        let chess = parse(fen).unwrap().chess;
        let first = probabilities(&mut tester, &chess, Some(Square::C4), 1400.0, Chooser::Person);
        assert_eq!(first.len(), chess.legal_moves().len());
        assert!((first.iter().map(|(_, p)| p).sum::<f64>() - 1.0).abs() < 1e-9);
        assert!(first.windows(2).all(|pair| pair[0].1 >= pair[1].1));
        assert_eq!(first, probabilities(&mut tester, &chess, Some(Square::C4), 1400.0, Chooser::Person));
    }

    #[test]
    fn a_recapture_is_likelier_than_to_lose_a_piece() {
        let s = parse("r1bqkbnr/ppp2ppp/2np4/4B3/4P3/8/PPP2PPP/RN1QKBNR b KQkq - 0 5").unwrap();
        let found = probabilities(&mut tester(), &s.chess, Some(Square::E5), 1500.0, Chooser::Person);
        let of = |uci: &str| {
            let m = parse_move(&s, uci).unwrap();
            found.iter().find(|(other, _)| *other == m).unwrap().1
        };
        assert!(of("d6e5") + of("c6e5") > 0.7, "{} {}", of("d6e5"), of("c6e5"));
        assert!(of("d8h4") < 0.05);
    }

    #[test]
    fn features_do_not_depend_on_the_colour() {
        let fens = [
            "r1bqkb1r/pppn1ppp/5n2/3p2B1/3P4/2N5/PP2PPPP/R2QKBNR w KQkq - 0 6",
            "r2qkbnr/ppp2ppp/2np4/4N3/2B1P1b1/2N5/PPPP1PPP/R1BQK2R b KQkq - 0 5",
        ];
        for fen in fens {
            let chess = parse(fen).unwrap().chess;
            let turned = parse(&mirrored(fen)).unwrap().chess;
            let (mine, other) = (features(&mut tester(), &chess, None), features(&mut tester(), &turned, None));
            for (m, x) in mine {
                let (_, y) = other.iter().find(|(o, _)| *o == mirror_move(m)).unwrap();
                assert_eq!(&x, y, "{m:?} of {fen}");
            }
        }
    }

    /// The position with colours exchanged.
    fn mirrored(fen: &str) -> String {
        let mut words = fen.split(' ');
        let board: Vec<&str> = words.next().unwrap().rsplit('/').collect();
        let turn = if words.next() == Some("w") { "b" } else { "w" };
        let swap = |c: char| if c.is_ascii_uppercase() { c.to_ascii_lowercase() } else { c.to_ascii_uppercase() };
        format!("{} {turn} KQkq - 0 5", board.join("/").chars().map(swap).collect::<String>())
    }
}
