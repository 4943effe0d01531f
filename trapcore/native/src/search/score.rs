//! How the search writes values: centipawns, and mates by their distance.

/// Value of a mate on the board; one less for each ply that it is away.
pub(crate) const MATE: i32 = 30_000;
/// Values beyond this are mates.
pub(crate) const MATE_BOUND: i32 = MATE - 1_000;
/// Beyond every value.
pub(super) const INFINITE: i32 = MATE + 1;

/// Moves to mate of a mate value, positive for the side to move; `None` for other values.
pub(crate) fn mate_distance(value: i32) -> Option<i32> {
    let plies = MATE - value.abs();
    (value.abs() >= MATE_BOUND).then(|| (plies + 1) / 2 * value.signum())
}
