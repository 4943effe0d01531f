//! Killers of a position, ranked by learned weights of their tokens.
//!
//! | module | what it holds |
//! |---|---|
//! | `ranker` | the legal moves after a bait, ranked |
//! | `similar_pairs` | pairs of a bait and a killer that are compared with known traps |

pub(crate) mod ranker;
pub(crate) mod similar_pairs;
