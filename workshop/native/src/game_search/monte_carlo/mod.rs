//! Monte Carlo tree search of any game of the product, its variants, and what similar nodes share.
//!
//! | module | what it holds |
//! |---|---|
//! | `options` | the variants of the search |
//! | `tree` | the nodes |
//! | `playout` | playouts and the history of moves |
//! | `node_measures` | what local trees of nodes are compared by |
//! | `fingerprints` | nodes that are similar |
//! | `counterparts` | what plays the part of a move in a similar node |
//! | `hints` | hints of local searches |
//! | `questions` | local searches that run elsewhere |
//! | `answer` | what a search answers |
//! | `search` | selection, expansion, proofs |
//! | `learning` | what a playout teaches |
//! | `sharing` | moves that refute, tried first in similar nodes |
//! | `open` | searches of any game by its name |

pub(crate) mod answer;
mod counterparts;
mod fingerprints;
pub(crate) mod hints;
mod learning;
mod node_measures;
pub(crate) mod open;
pub(crate) mod options;
mod playout;
mod questions;
pub(crate) mod search;
mod sharing;
#[cfg(test)]
mod tests;
mod tree;
