//! What measures trapline and makes the files that come with it, as far as it needs speed: `workshop.native._core`.
//!
//! | module | what it holds |
//! |---|---|
//! | `record` | a position with its value in 32 bytes |
//! | `sample` | positions near those of games, and some moves of each |
//! | `engine` | an engine that values the ends of short lines |
//! | `trainer` | the network in floating point, its gradient, and Adam |
//! | `retrograde` | the distance to mate of every placement, from the mates backwards |
//! | `baselines` | a search and a prover without learning, to compare with |
//! | `game_search` | Monte Carlo tree search and local search of small games and chess |
//! | `py` | the interface to Python |

#![cfg_attr(not(feature = "python"), allow(dead_code))] // what only Python calls

mod baselines;
mod engine;
mod game_search;
#[cfg(feature = "python")]
mod py;
mod record;
mod retrograde;
mod sample;
mod trainer;
