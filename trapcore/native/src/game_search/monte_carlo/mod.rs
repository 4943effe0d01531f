//! Monte Carlo tree search of any game of the product, its variants, and what similar nodes share.
//!
//! | module | what it holds |
//! |---|---|
//! | `options` | the variants of the search |
//! | `tree` | the nodes |
//! | `playout` | playouts and the history of moves |
//! | `fingerprints` | local trees of nodes, and which are similar |
//! | `hints` | hints of local searches |
//! | `answer` | what a search answers |
//! | `search` | selection, expansion, proofs |
//! | `learning` | what a playout teaches |
//! | `sharing` | moves that refute, tried first in similar nodes |
//! | `open` | searches of any game by its name |

pub(crate) mod answer;
mod fingerprints;
pub(crate) mod hints;
mod learning;
pub(crate) mod open;
pub(crate) mod options;
mod playout;
pub(crate) mod search;
mod sharing;
#[cfg(test)]
mod tests;
mod tree;
