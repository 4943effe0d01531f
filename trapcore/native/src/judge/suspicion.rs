//! The probability that a move loses by force, from what searches saw of it.

use crate::search::score::MATE;
use crate::trap_test::{Depth, LOSS, compare, win_chance};

/// Features of the evidence, in the order of [`Evidence::features`]. The falls are win chances, cut to -0.2 to 0.8.
pub(crate) const FEATURES: [&str; 8] =
    ["one", "fall", "least_fall", "spread", "before", "before_squared", "after", "mated"];
const COUNT: usize = FEATURES.len();

/// Depths whose falls are compared, the last ones.
const COMPARED: usize = 3;
const LEAST_FALL: f64 = -0.2;
const GREATEST_FALL: f64 = 0.8;

/// Log odds that the move loses [`LOSS`] or more by the judgement of a strong engine, a row for the pass and one for
/// each stage of the proof.
const COEFFICIENTS: [[f64; COUNT]; 6] = [
    [-4.526, 8.999, 5.081, 2.228, 0.024, -3.382, 0.964, 0.000],
    [-4.047, 7.435, 3.995, 2.929, 1.631, -3.464, -0.232, 0.831],
    [-3.443, 6.596, 4.831, -0.161, 1.068, -3.760, 0.159, -0.713],
    [-3.766, 7.692, 4.164, 2.473, 1.839, -5.162, -0.322, -0.128],
    [-3.992, 6.923, 5.747, 0.395, 1.313, -5.054, -0.101, -0.119],
    [-4.231, 7.739, 5.888, -0.215, 1.551, -4.676, -0.342, -0.105],
];

/// Stages of which [`COEFFICIENTS`] knows: the pass and those of the proof.
pub(crate) const STAGES: usize = COEFFICIENTS.len();

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
}

impl Evidence {
    /// Of the values by depth, for the side to move each: of the position, and after the move.
    pub(super) fn new(best: &[(u32, i32)], answers: &[(u32, i32)]) -> Evidence {
        let last = |values: &[(u32, i32)]| values.last().map_or(0.0, |&(_, value)| win_chance(value));
        let depths = compare(best, answers);
        Evidence { depths, before: last(best), after: -last(answers), mated: false }
    }

    /// Of a move after which there is a proved mate.
    pub(super) fn of_mate(best: &[(u32, i32)]) -> Evidence {
        let depths = best.iter().map(|&(depth, best)| Depth { depth, bait: -MATE, best }).collect();
        let before = best.last().map_or(0.0, |&(_, value)| win_chance(value));
        Evidence { depths, before, after: -1.0, mated: true }
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
        let before = self.before;
        [1.0, cut(self.loss()), least, most - least, before, before * before, self.after, f64::from(self.mated)]
    }

    /// The probability that the move loses [`LOSS`] or more, as it is stated after this stage (0: the pass).
    pub(super) fn probability(&self, stage: usize) -> f64 {
        let sum: f64 = COEFFICIENTS[stage].iter().zip(self.features()).map(|(weight, x)| weight * x).sum();
        1.0 / (1.0 + (-sum).exp())
    }

    /// The loss stands at all depths that were compared.
    pub(super) fn stands(&self) -> bool {
        let last = &self.depths[self.depths.len().saturating_sub(COMPARED)..];
        last.len() == COMPARED && last.iter().all(|depth| depth.loss() >= LOSS) && self.loss() >= LOSS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values that fall from `best` to `bait` centipawns at all depths up to 8.
    fn steady(best: i32, bait: i32) -> Evidence {
        let values = |value: i32| (0..=8).map(|depth| (depth, value)).collect::<Vec<_>>();
        Evidence::new(&values(best), &values(-bait))
    }

    #[test]
    fn the_probability_grows_with_the_fall() {
        for stage in 0..STAGES {
            let stated: Vec<f64> = [20, -30, -100, -200, -400].map(|bait| steady(20, bait).probability(stage)).into();
            assert!(stated.is_sorted(), "{stage}: {stated:?}");
            assert!(stated[0] < 0.05 && stated[4] > 0.9, "{stage}: {stated:?}");
        }
    }

    #[test]
    fn a_loss_stands_only_if_every_last_depth_shows_it() {
        assert!(steady(50, -300).stands());
        assert!(!steady(50, 0).stands());
        let best: Vec<(u32, i32)> = (0..=8).map(|depth| (depth, 50)).collect();
        let answers: Vec<(u32, i32)> = (0..=8).map(|depth| (depth, if depth == 6 { 0 } else { 300 })).collect();
        assert!(!Evidence::new(&best, &answers).stands());
        assert!(!Evidence::new(&best[..2], &answers[..2]).stands());
        let mate = Evidence::of_mate(&best);
        assert!(mate.stands() && mate.after == -1.0);
    }
}
