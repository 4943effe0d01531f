//! Training of the network: positions labelled by an engine, and gradient descent.
//!
//! | module | what it holds |
//! |---|---|
//! | `record` | a position with its value in 32 bytes |
//! | `random` | random numbers that are the same everywhere |
//! | `sample` | positions near those of games, and some moves of each |
//! | `engine` | an engine that values the ends of short lines |
//! | `trainer` | the network in floating point, its gradient, and Adam |

pub(crate) mod engine;
pub(crate) mod random;
pub(crate) mod record;
pub(crate) mod sample;
pub(crate) mod trainer;
