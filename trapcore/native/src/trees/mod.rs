//! Local trees of a position and the labels of their moves.
//!
//! | module | what it holds |
//! |---|---|
//! | `labels` | what moves are called |
//! | `tree` | local trees: sequences of moves, fingerprints, perft |

pub(crate) mod labels;
pub(crate) mod tree;
