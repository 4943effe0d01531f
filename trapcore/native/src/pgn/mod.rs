//! PGN: from a stream of bytes to games, and the places in a game at which text can be added.
//!
//! | module | what it holds |
//! |---|---|
//! | `lexer` | the tokens of PGN, with the bytes at which they stand |
//! | `splitter` | cutting a stream into games |
//! | `reader` | reading a game: tags, start position, moves |
//! | `anchors` | where text can be added to a game |
//! | `records` | games as rows for the library |
//! | `spelling` | the ways in which a move is written |
//! | `tags` | the tags before the moves |

pub(crate) mod anchors;
pub(crate) mod lexer;
pub(crate) mod reader;
pub(crate) mod records;
pub(crate) mod spelling;
pub(crate) mod splitter;
pub(crate) mod tags;

#[cfg(test)]
mod robustness_tests;
