//! Positions and moves, without search.
//!
//! | module | what it holds |
//! |---|---|
//! | `position` | FEN and EPD, the frozen position key |
//! | `moves` | the position after a move, squares, codes and mirror images of moves |
//! | `orientation` | the board as the attacker sees it |
//! | `checks` | finding checks and mates without making the move |
//! | `piece_values` | what pieces are worth |
//! | `static_exchange` | static exchange evaluation |

pub mod checks;
pub mod moves;
pub mod orientation;
pub(crate) mod piece_values;
pub mod position;
pub mod static_exchange;
