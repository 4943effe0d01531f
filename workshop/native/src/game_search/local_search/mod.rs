//! Local search: forced wins whose moves lie near each other, and what the opponent can do about them.
//!
//! The idea is that of the general game player Sancho: a forced win of N moves that cannot be shortened has its moves
//! near each other, so that a search for it can leave out all others; the reference is in `docs/research/games/index.md`.
//!
//! | module | what it holds |
//! |---|---|
//! | `distance` | how far moves are from each other, by the rules of a game alone |
//! | `zone` | the squares that a forced win depends on, and when |
//! | `table` | wins and failures that are known, in bounded memory |
//! | `search` | the search for a forced win in so many moves |
//! | `answer` | forced wins of both players of a position, deeper and deeper |
//! | `rivals` | alpha-beta and proof-number search for the same claim |
//! | `open` | searches of any game by its name |

pub(crate) mod answer;
pub(crate) mod distance;
pub(crate) mod open;
pub(crate) mod rivals;
pub(crate) mod search;
mod table;
#[cfg(test)]
mod tests;
mod zone;
