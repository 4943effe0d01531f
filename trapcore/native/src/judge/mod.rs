//! Which traps stand in a position, and what a game made of them.
//!
//! | module | what it holds |
//! |---|---|
//! | `game_analyzer` | a library ready to be compared with games, and the events of a game |
//! | `label_candidates` | baits and killers of similar traps, as moves of the position |
//! | `token_candidates` | baits of the position whose killers resemble known ones |
//! | `verify` | proof of what is proposed |
//! | `findings` | the events of a batch of games, with their words |

pub mod findings;
pub mod game_analyzer;
mod label_candidates;
pub mod token_candidates;
pub mod verify;
