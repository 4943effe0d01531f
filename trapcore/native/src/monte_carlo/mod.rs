//! Monte Carlo tree search of any game of the product, its variants, and what similar nodes share.
//!
//! | module | what it holds |
//! |---|---|
//! | `game` | what a game must know |
//! | `games` | the games |
//! | `options` | the variants of the search |
//! | `tree` | the nodes |
//! | `playout` | playouts and the history of moves |
//! | `fingerprints` | local trees of nodes, and which are similar |
//! | `answer` | what a search answers |
//! | `search` | selection, expansion, proofs, and what a playout teaches |
//! | `open` | searches of any game by its name |

pub(crate) mod answer;
mod fingerprints;
mod game;
mod games;
pub(crate) mod open;
pub(crate) mod options;
mod playout;
pub(crate) mod search;
#[cfg(test)]
mod tests;
mod tree;
