//! Killers of a position, ranked by learned weights of their tokens.
//!
//! | module | what it holds |
//! |---|---|
//! | `ranker` | the legal moves after a bait, ranked |
//! | `similar_pairs` | pairs of a bait and a killer that are compared with known traps |
//! | `baselines` | a search and a prover without learning, to compare with |

pub(crate) mod baselines;
pub(crate) mod ranker;
pub(crate) mod similar_pairs;
