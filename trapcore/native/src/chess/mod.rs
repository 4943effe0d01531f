//! Positions and moves, without search.
//!
//! | module | what it holds |
//! |---|---|
//! | `position` | FEN and EPD, the frozen position key |
//! | `moves` | the position after a move, squares, codes and mirror images of moves |
//! | `orientation` | the board as the attacker sees it |
//! | `checks` | finding checks and mates without making the move |
//! | `piece_values` | piece values |
//! | `static_exchange` | static exchange evaluation |
//! | `endgames` | won, drawn or lost: every position of up to four men |

pub(crate) mod checks;
pub(crate) mod endgames;
pub(crate) mod moves;
pub(crate) mod orientation;
pub(crate) mod piece_values;
pub(crate) mod position;
pub(crate) mod static_exchange;
