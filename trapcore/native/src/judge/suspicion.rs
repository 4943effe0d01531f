//! The probability that a move loses by force, from what searches saw of it.

use shakmaty::{Chess, Position};

use crate::search::score::{MATE, mate_distance};
use crate::trap_test::{Depth, LOSS, MISTAKE, compare, win_chance};

/// Features of the evidence, in the order of [`Evidence::features`]. The falls are win chances, cut to -0.2 to 0.8.
pub(crate) const FEATURES: [&str; 10] =
    ["one", "fall", "least_fall", "spread", "before", "before_squared", "after", "mated", "endgame", "rating"];

const COUNT: usize = FEATURES.len();

/// Depths whose falls are compared, the last ones.
const COMPARED: usize = 3;
const LEAST_FALL: f64 = -0.2;
const GREATEST_FALL: f64 = 0.8;

/// Log odds that the move loses [`LOSS`] or more by the judgement of a strong engine, a row for the pass and one for
/// each stage of the proof: a logistic regression on 11,247 moves of 164 games of amateurs, clubs and masters, 412 of
/// them losing by labels of `research.coverage.labels`; the later rows on those that the stage before left open.
#[allow(clippy::approx_constant)] // a fitted number may be near one
const COEFFICIENTS: [[f64; COUNT]; 4] = [
    [-5.043, 7.706, 3.541, 3.220, 1.478, -1.954, -1.157, 0.000, 1.577, -0.643],
    [-3.036, 5.858, 3.408, 0.503, 1.419, -2.236, -0.773, 0.914, -0.677, -0.619],
    [-3.805, 7.772, 4.528, 0.930, 1.078, -2.194, -0.860, 0.530, -1.344, -0.481],
    [-4.010, 7.397, 6.864, 0.740, 1.092, -2.649, -0.309, 0.620, -1.449, -0.438],
];

/// Stages of which [`COEFFICIENTS`] knows: the pass and those of the proof.
pub(crate) const STAGES: usize = COEFFICIENTS.len();

/// Ratings that are told apart, and the one that counts as 0, as no rating does.
const RATINGS: [u32; 2] = [800, 2600];
const USUAL_RATING: u32 = 1600;

/// Where and by whom a move is played: what its probability depends on beside the searches.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Circumstances {
    /// Share of the pieces that are gone, 0 to 1.
    pub endgame: f64,
    /// Rating of the mover in thousands above [`USUAL_RATING`]; 0 if it is not known.
    pub rating: f64,
}

impl Circumstances {
    pub(super) fn new(position: &Chess, rating: Option<u32>) -> Circumstances {
        let gone = 32usize.saturating_sub(position.board().occupied().count());
        let rating = rating.map_or(USUAL_RATING, |rating| rating.clamp(RATINGS[0], RATINGS[1]));
        Circumstances { endgame: gone as f64 / 30.0, rating: (f64::from(rating) - f64::from(USUAL_RATING)) / 1000.0 }
    }
}

/// What two searches saw of a move: one at the position, one at the answers.
#[derive(Clone, Debug)]
pub(super) struct Evidence {
    /// At the depths that both finished.
    pub depths: Vec<Depth>,
    /// Win chance of the mover, -1 to 1: with the best move, and with this one, each at its last depth.
    pub before: f64,
    pub after: f64,
    /// The move is known to lose to a mate.
    pub mated: bool,
    pub circumstances: Circumstances,
}

impl Evidence {
    /// Of the values by depth, for the side to move each: of the position, and after the move.
    pub(super) fn new(best: &[(u32, i32)], answers: &[(u32, i32)], circumstances: Circumstances) -> Evidence {
        let last = |values: &[(u32, i32)]| values.last().map_or(0.0, |&(_, value)| win_chance(value));
        let deepest = |values: &[(u32, i32)]| values.last().map_or(0, |&(depth, _)| depth);
        let whole = deepest(best).max(deepest(answers) + 1);
        let depths = compare(&continued(best, whole), &continued(answers, whole));
        Evidence { depths, before: last(best), after: -last(answers), mated: false, circumstances }
    }

    /// Of a move after which there is a proved mate.
    pub(super) fn of_mate(best: &[(u32, i32)], circumstances: Circumstances) -> Evidence {
        let depths = best.iter().map(|&(depth, best)| Depth { depth, bait: -MATE, best }).collect();
        let before = best.last().map_or(0.0, |&(_, value)| win_chance(value));
        Evidence { depths, before, after: -1.0, mated: true, circumstances }
    }

    /// Win chance that the move costs, -2 to 2.
    pub(super) fn loss(&self) -> f64 {
        self.before - self.after
    }

    /// What [`FEATURES`] names.
    pub(super) fn features(&self) -> [f64; COUNT] {
        let cut = |fall: f64| fall.clamp(LEAST_FALL, GREATEST_FALL);
        let last = &self.depths[self.depths.len().saturating_sub(COMPARED)..];
        let falls = || last.iter().map(|depth| cut(depth.loss())).chain([cut(self.loss())]);
        let least = falls().fold(f64::INFINITY, f64::min);
        let most = falls().fold(f64::NEG_INFINITY, f64::max);
        let Evidence { before, after, mated, circumstances: Circumstances { endgame, rating }, .. } = *self;
        let fall = cut(self.loss());
        [1.0, fall, least, most - least, before, before * before, after, f64::from(mated), endgame, rating]
    }

    /// The probability that the move loses [`LOSS`] or more, as it is stated after this stage (0: the pass).
    pub(super) fn probability(&self, stage: usize) -> f64 {
        let sum: f64 = COEFFICIENTS[stage].iter().zip(self.features()).map(|(weight, x)| weight * x).sum();
        1.0 / (1.0 + (-sum).exp())
    }

    /// The last depth shows the loss, and all that were compared show a mistake.
    pub(super) fn stands(&self) -> bool {
        let last = &self.depths[self.depths.len().saturating_sub(COMPARED)..];
        last.len() == COMPARED && last.iter().all(|depth| depth.loss() >= MISTAKE) && self.loss() >= LOSS
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
    fn a_mate_let_go_stands_though_its_search_ends_at_once() {
        let answers: Vec<(u32, i32)> = (0..=8).map(|depth| (depth, 150)).collect();
        let evidence = Evidence::new(&[(0, 700), (1, MATE - 1)], &answers, Circumstances::default());
        assert!(evidence.stands() && evidence.before == 1.0 && evidence.depths.len() >= COMPARED);
    }

    #[test]
    fn a_loss_stands_only_if_every_last_depth_shows_it() {
        assert!(steady(50, -300).stands());
        assert!(!steady(50, 0).stands());
        let best: Vec<(u32, i32)> = (0..=8).map(|depth| (depth, 50)).collect();
        let answers: Vec<(u32, i32)> = (0..=8).map(|depth| (depth, if depth == 6 { 0 } else { 300 })).collect();
        assert!(!Evidence::new(&best, &answers, Circumstances::default()).stands());
        assert!(!Evidence::new(&best[..2], &answers[..2], Circumstances::default()).stands());
        let mate = Evidence::of_mate(&best, Circumstances::default());
        assert!(mate.stands() && mate.after == -1.0);
    }
}
