//! The games that searches play, by the rules of `workshop/games/rules/`, which the tests hold them to.
//!
//! | module | what it holds |
//! |---|---|
//! | `game` | what a game must know |
//! | `local` | what a game must know beside for local search |
//! | `named` | games by their names |
//! | `breakthrough` | Breakthrough on 5 to 8 ranks |
//! | `connect_four` | Connect Four on 7 files and 6 ranks |
//! | `go` | Go on 2 to 7 lines, with positional superko |
//! | `tic_tac_toe` | tic-tac-toe |
//! | `chess` | chess, playouts cut off by the evaluation |
//! | `notation` | boards as text |

pub(crate) mod breakthrough;
pub(crate) mod chess;
pub(crate) mod connect_four;
pub(crate) mod game;
pub(crate) mod go;
pub(crate) mod local;
pub(crate) mod named;
mod notation;
pub(crate) mod tic_tac_toe;
