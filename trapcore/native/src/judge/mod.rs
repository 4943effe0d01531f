//! Which traps stand in a position, and what a game made of them.
//!
//! Similarity proposes candidates, proof decides; nothing that is only similar is reported as a trap.
//!
//! | module | what it holds |
//! |---|---|
//! | `model` | traps, the options, candidates for baits, and what is found |
//! | `trap_list` | the traps of a library, as they are and with colours exchanged |
//! | `workspace` | the memory that one thread reuses, with the cases of earlier positions |
//! | `label_candidates` | candidates from similar trees: the traps' own moves, or their counterparts |
//! | `token_candidates` | candidates whose killers share tokens with known ones |
//! | `verify` | the proof of a candidate, and why a bait loses |
//! | `pass` | the brief search of every position of a game |
//! | `losses` | the proof that a move loses |
//! | `loss_evidence` | what the searches saw of the moves of a game, for the fit of the probability |
//! | `judgements` | one judgement of each position of a game |
//! | `game_losses` | what the moves of one game cost |
//! | `events` | what a game did with a trap: set, fell, avoided, sprung, missed |
//! | `game_events` | the events of one game, put together |
//! | `game_analyzer` | the cases of a position and the events of a game |
//! | `findings` | the events of a batch of games, with their words |

pub(crate) mod events;
pub(crate) mod findings;
pub(crate) mod game_analyzer;
mod game_events;
mod game_losses;
pub(crate) mod judgements;
mod label_candidates;
pub(crate) mod loss_evidence;
pub(crate) mod losses;
pub(crate) mod model;
pub(crate) mod pass;
pub(crate) mod token_candidates;
mod trap_list;
mod verify;
pub(crate) mod workspace;
