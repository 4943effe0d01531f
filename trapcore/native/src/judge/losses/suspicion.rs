//! The probability that a move loses by force, from what searches saw of it.

use shakmaty::{Chess, Position};

use crate::search::score::{MATE, mate_distance};
use crate::trap_test::{Depth, compare};
use crate::win_chance::{BLUNDER, win_chance};

/// Features of the evidence, in the order of [`Evidence::features`]. The falls are win chances, cut to -0.2 to 0.8; what is
/// below the border of a loss says more than what is above, and a fall says less in an endgame.
pub(crate) const FEATURES: [&str; 14] = [
    "one",
    "fall",
    "least_fall",
    "earlier",
    "both",
    "before",
    "before_squared",
    "after",
    "mated",
    "endgame",
    "rating",
    "fall_to_loss",
    "fall_in_endgame",
    "fall_by_rating",
];

const COUNT: usize = FEATURES.len();

/// Depths whose falls are compared, the last ones.
const COMPARED: usize = 3;
const LEAST_FALL: f64 = -0.2;
const GREATEST_FALL: f64 = 0.8;

/// Log odds that the move loses [`BLUNDER`](crate::win_chance::BLUNDER) or more by the judgement of a strong engine, a row for
/// the pass and one for each stage of the proof: a logistic regression on 20,029 moves of 263 games of amateurs and clubs,
/// 634 of them losing by labels of `workshop.coverage.labels`; the later rows on those that the stage before left open.
#[allow(clippy::approx_constant)] // a fitted number may be near one
const LOSES: [[f64; COUNT]; STAGES] = [
    [-5.688, 6.518, 1.400, 0.518, 0.518, 2.297, -2.217, -1.834, 0.000, 2.313, -0.859, 7.036, -5.187, -0.447],
    [-6.727, 11.743, 1.293, 4.065, -2.876, 3.113, -1.670, -2.840, 0.338, 2.347, 0.084, 5.188, -6.199, -1.524],
    [-7.172, 11.461, 3.461, 4.532, -3.948, 2.859, -1.389, -2.645, 0.371, 1.827, 0.198, 5.773, -4.398, -1.956],
    [-7.554, 10.337, 4.915, 3.686, 0.808, 2.369, -1.335, -1.982, 1.399, 1.592, 0.809, 3.811, -4.599, -3.752],
];

/// The same that it costs a [mistake](crate::win_chance::MISTAKE) or more.
#[allow(clippy::approx_constant)]
const IS_MISTAKE: [[f64; COUNT]; STAGES] = [
    [-4.676, 5.554, 2.624, -0.446, -0.446, 2.102, -1.494, -1.799, 0.000, 1.587, -0.833, 10.849, -6.906, -0.697],
    [-5.508, 10.406, 1.603, 3.148, -0.777, 2.419, -0.988, -2.267, 1.813, 1.785, -0.252, 9.211, -10.240, -0.938],
    [-5.494, 10.203, 2.902, 6.678, -3.239, 2.133, -0.983, -2.092, 2.879, 0.943, 0.032, 7.423, -6.995, -2.413],
    [-5.533, 9.510, 2.386, 6.205, -0.464, 1.869, -0.796, -1.662, 3.149, 0.707, 0.354, 7.243, -7.236, -3.502],
];

/// Stages of the tables: the pass and those of the proof.
pub(crate) const STAGES: usize = 4;

/// The range of ratings that makes a difference, and the rating that counts as 0, as no rating does.
const RATINGS: [u32; 2] = [800, 2600];
const USUAL_RATING: u32 = 1600;

/// Where and by whom a move is played: what its probability depends on beside the searches.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::judge) struct Circumstances {
    /// Share of the pieces that are gone, 0 to 1.
    pub endgame: f64,
    /// Rating of the mover in thousands above [`USUAL_RATING`]; 0 if it is not known.
    pub rating: f64,
}

impl Circumstances {
    pub(in crate::judge) fn new(position: &Chess, rating: Option<u32>) -> Circumstances {
        let gone = 32usize.saturating_sub(position.board().occupied().count());
        let rating = rating.map_or(USUAL_RATING, |rating| rating.clamp(RATINGS[0], RATINGS[1]));
        Circumstances { endgame: gone as f64 / 30.0, rating: (f64::from(rating) - f64::from(USUAL_RATING)) / 1000.0 }
    }
}

/// What two searches saw of a move: one at the position, one at the answers.
#[derive(Clone, Debug)]
pub(in crate::judge) struct Evidence {
    /// At the depths that both finished.
    pub depths: Vec<Depth>,
    /// Win chance of the mover, -1 to 1: with the best move, and with this one, each at its last depth.
    pub before: f64,
    pub after: f64,
    /// The move is known to lose to a mate.
    pub mated: bool,
    /// What the stage before saw the move cost, if there was one.
    pub earlier: Option<f64>,
    pub circumstances: Circumstances,
}

impl Evidence {
    /// Of the values by depth, for the side to move each: of the position, and after the move.
    pub(in crate::judge) fn new(best: &[(u32, i32)], answers: &[(u32, i32)], circumstances: Circumstances) -> Evidence {
        let last = |values: &[(u32, i32)]| values.last().map_or(0.0, |&(_, value)| win_chance(value));
        let deepest = |values: &[(u32, i32)]| values.last().map_or(0, |&(depth, _)| depth);
        let whole = deepest(best).max(deepest(answers) + 1);
        let depths = compare(&continued(best, whole), &continued(answers, whole));
        Evidence { depths, before: last(best), after: -last(answers), mated: false, earlier: None, circumstances }
    }

    /// Of a move after which there is a proved mate.
    pub(in crate::judge) fn of_mate(best: &[(u32, i32)], circumstances: Circumstances) -> Evidence {
        let depths = best.iter().map(|&(depth, best)| Depth { depth, bait: -MATE, best }).collect();
        let before = best.last().map_or(0.0, |&(_, value)| win_chance(value));
        Evidence { depths, before, after: -1.0, mated: true, earlier: None, circumstances }
    }

    /// Win chance that the move costs, -2 to 2.
    pub(in crate::judge) fn loss(&self) -> f64 {
        self.before - self.after
    }

    /// What [`FEATURES`] names.
    pub(in crate::judge) fn features(&self) -> [f64; COUNT] {
        let cut = |fall: f64| fall.clamp(LEAST_FALL, GREATEST_FALL);
        let last = &self.depths[self.depths.len().saturating_sub(COMPARED)..];
        let falls = || last.iter().map(|depth| cut(depth.loss())).chain([cut(self.loss())]);
        let least = falls().fold(f64::INFINITY, f64::min);
        let Evidence { before, after, mated, circumstances: Circumstances { endgame, rating }, .. } = *self;
        let fall = cut(self.loss());
        let earlier = self.earlier.map_or(fall, cut);
        let both = fall.min(earlier);
        let (squared, mated) = (before * before, f64::from(mated));
        let (to_loss, in_endgame, by_rating) = (fall.min(BLUNDER), fall * endgame, fall * rating);
        [
            1.0, fall, least, earlier, both, before, squared, after, mated, endgame, rating, to_loss, in_endgame,
            by_rating,
        ]
    }

    /// The probability that the move loses [`BLUNDER`](crate::win_chance::BLUNDER) or more, as it is stated after this stage (0: the pass).
    pub(in crate::judge) fn probability(&self, stage: usize) -> f64 {
        self.by(&LOSES[stage])
    }

    /// The same that it costs a [mistake](crate::win_chance::MISTAKE) or more.
    pub(in crate::judge) fn is_mistake(&self, stage: usize) -> f64 {
        self.by(&IS_MISTAKE[stage])
    }

    fn by(&self, coefficients: &[f64; COUNT]) -> f64 {
        let sum: f64 = coefficients.iter().zip(self.features()).map(|(weight, x)| weight * x).sum();
        1.0 / (1.0 + (-sum).exp())
    }
}

/// The values by depth up to `depth`: a search that has found a mate ends there, and would find it at any depth.
fn continued(values: &[(u32, i32)], depth: u32) -> Vec<(u32, i32)> {
    let mut out = values.to_vec();
    if let Some(&(last, value)) = values.last().filter(|(_, value)| mate_distance(*value).is_some()) {
        out.extend((last + 1..=depth).map(|depth| (depth, value)));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values that fall from `best` to `bait` centipawns at all depths up to 8.
    fn steady(best: i32, bait: i32) -> Evidence {
        let values = |value: i32| (0..=8).map(|depth| (depth, value)).collect::<Vec<_>>();
        Evidence::new(&values(best), &values(-bait), Circumstances::default())
    }

    #[test]
    fn the_probability_grows_with_the_fall() {
        for stage in 0..STAGES {
            let stated: Vec<f64> = [20, -30, -100, -200, -400].map(|bait| steady(20, bait).probability(stage)).into();
            assert!(stated.is_sorted(), "{stage}: {stated:?}");
            assert!(stated[0] < 0.05 && stated[4] > 0.85, "{stage}: {stated:?}");
        }
    }

    #[test]
    fn a_mate_let_go_costs_what_it_was_worth_though_its_search_ends_at_once() {
        let answers: Vec<(u32, i32)> = (0..=8).map(|depth| (depth, 150)).collect();
        let evidence = Evidence::new(&[(0, 700), (1, MATE - 1)], &answers, Circumstances::default());
        assert!(evidence.before == 1.0 && evidence.depths.len() >= COMPARED);
        assert!(evidence.loss() > 0.3 && evidence.probability(STAGES - 1) > 0.5);
    }

    #[test]
    fn a_loss_is_less_likely_if_an_earlier_look_or_a_late_depth_did_not_show_it() {
        let whole = steady(50, -300);
        let doubtful = Evidence { earlier: Some(0.0), ..steady(50, -300) };
        let best: Vec<(u32, i32)> = (0..=8).map(|depth| (depth, 50)).collect();
        let answers: Vec<(u32, i32)> = (0..=8).map(|depth| (depth, if depth == 6 { 0 } else { 300 })).collect();
        let late = Evidence::new(&best, &answers, Circumstances::default());
        for stage in 1..STAGES {
            for less in [&doubtful, &late] {
                assert!(less.is_mistake(stage) < whole.is_mistake(stage), "{stage}");
            }
            assert!(whole.is_mistake(stage) >= whole.probability(stage), "{stage}");
        }
        let mate = Evidence::of_mate(&best, Circumstances::default());
        assert!(mate.after == -1.0 && mate.is_mistake(STAGES - 1) > 0.8);
    }
}
