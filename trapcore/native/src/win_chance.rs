//! Win chance of a value, and what a move costs to be an inaccuracy, a mistake or a blunder.

use crate::search::score::{MATE_BOUND, mate_distance};

/// Win chance that a move costs at least to be what lichess calls an inaccuracy, a mistake or a blunder.
pub(crate) const INACCURACY: f64 = 0.1;
pub(crate) const MISTAKE: f64 = 0.2;
pub(crate) const BLUNDER: f64 = 0.3;

/// Of lichess's win chance: <https://github.com/lichess-org/lila/pull/11148>.
pub const WIN_CHANCE_SCALE: f64 = 0.003_682_08;

/// lichess's win chance of a value in centipawns, -1 to 1.
pub fn win_chance(value: i32) -> f64 {
    if mate_distance(value).is_some() {
        return f64::from(value.signum());
    }
    2.0 / (1.0 + (-WIN_CHANCE_SCALE * f64::from(value)).exp()) - 1.0
}

/// The value in centipawns from which on lichess's win chance is at least this; a mate for 1 and more.
pub(crate) fn value_of_chance(chance: f64) -> i32 {
    if chance.abs() >= 1.0 {
        return if chance > 0.0 { MATE_BOUND } else { -MATE_BOUND };
    }
    (2.0 * chance.atanh() / WIN_CHANCE_SCALE).ceil() as i32
}
