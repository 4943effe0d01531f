//! What measures trapline and makes the files that come with it, as far as it needs speed: `workshop.native._core`.
//!
//! | module | what it holds |
//! |---|---|
//! | `families` | positions near those of games, in families that share most pieces |
//! | `teacher` | an engine's network, whose values ours learns |
//! | `trainer` | the network in floating point, its gradient, and Adam |
//! | `retrograde` | the distance to mate of every placement, from the mates backwards |
//! | `baselines` | a search and a prover without learning, to compare with |
//! | `game_search` | Monte Carlo tree search and local search of small games and chess |
//! | `py` | the interface to Python |

#![cfg_attr(not(feature = "python"), allow(dead_code))] // what only Python calls

mod baselines;
mod families;
mod game_search;
#[cfg(feature = "python")]
mod py;
mod retrograde;
mod teacher;
mod trainer;
