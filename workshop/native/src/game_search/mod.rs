//! Searches of small games and of chess.
//!
//! | module | what it holds |
//! |---|---|
//! | `games` | the games, and what they must know |
//! | `local_search` | forced wins inside a shrinking region of moves |
//! | `monte_carlo` | Monte Carlo tree search, what similar nodes share, and hints of local searches |

pub(crate) mod games;
pub(crate) mod local_search;
pub(crate) mod monte_carlo;
