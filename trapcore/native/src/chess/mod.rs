//! Positions and moves, without search.
//!
//! | module | what it holds |
//! |---|---|
//! | `position` | FEN and EPD, the frozen position key |
//! | `checks` | finding checks and mates without making the move |
//! | `static_exchange` | static exchange evaluation |

pub mod checks;
pub mod position;
pub mod static_exchange;
