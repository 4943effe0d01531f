//! The Rust core of trapline: everything that is done once for each position.
//!
//! Each module imports only from those above it.
//!
//! | module | what it holds |
//! |---|---|
//! | `random` | random numbers that are the same everywhere |
//! | `chess` | positions as text, checks, static exchange evaluation, endings of up to four men |
//! | `trees` | local trees of a position and the labels of their moves |
//! | `pgn` | PGN: cutting a stream, reading a game, where text can be added |
//! | `search` | the search for a gain of material, its evaluation, what stops it |
//! | `win_chance` | win chance of a value, and what an inaccuracy, a mistake and a blunder cost |
//! | `mate` | the mate prover |
//! | `trap_test` | the trap test: does a move lose, was it avoidable, does it tempt |
//! | `move_model` | how likely players of a rating choose each move |
//! | `measures` | similarity of positions by their local trees, and of their moves |
//! | `abstract_tree` | abstracted local trees of a move, and their tokens |
//! | `token_index` | an inverted index of the tokens of a million killers, in files |
//! | `ranking` | killers of a position, ranked by learned weights of their tokens |
//! | `themes` | what a line does to the victim, in lichess's names of themes, and why a move loses |
//! | `judge` | which traps stand in a position, and what a game made of them |
//! | `fuzzing` | any bytes as a position with budgets; only for tests and the fuzz target |
//! | `py` | the interface to Python, and all that knows of it |

#![cfg_attr(not(feature = "python"), allow(dead_code, unused_imports))] // what only Python calls

mod abstract_tree;
mod chess;
#[cfg(any(test, fuzzing))]
pub mod fuzzing;
mod judge;
mod mate;
mod measures;
mod move_model;
mod pgn;
#[cfg(feature = "python")]
mod py;
mod random;
mod ranking;
mod search;
mod themes;
mod token_index;
mod trap_test;
mod trees;
mod win_chance;

/// What the crate of the workshop uses.
pub mod workshop {
    pub use crate::abstract_tree::own_words;
    pub use crate::chess::checks::{CheckFinder, is_mate};
    pub use crate::chess::endgames::Outcome;
    pub use crate::chess::endgames::material::{MATERIALS, Material, Placement, find, is_last};
    pub use crate::chess::endgames::tables::table;
    pub use crate::chess::moves::{after, move_code};
    pub use crate::chess::piece_values::material_gain;
    pub use crate::chess::position::{BadPosition, GamePosition, fen, parse, parse_move, playable};
    pub use crate::chess::static_exchange::see;
    pub use crate::measures::paper::{Unpaired, compare_children, jaccard};
    pub use crate::measures::tree_edit::{Postorder, similarity_of_trees};
    pub use crate::pgn::records::decode;
    pub use crate::random::Random;
    pub use crate::search::Searcher;
    pub use crate::search::evaluation::features::{FEATURES, ROWS};
    pub use crate::search::evaluation::scale::scale;
    pub use crate::search::evaluation::{Sink, collect, phase};
    pub use crate::search::network::accumulator::Accumulator;
    pub use crate::search::network::features::{INPUTS, features};
    pub use crate::search::network::inference::{WIDEST, WIDEST_BIAS};
    pub use crate::search::network::{BUCKETS, FIRST, HIDDEN, Head, Network, QA, QB, QV, SCALE, SECOND, bucket};
    pub use crate::search::stop::StopFlag;
    pub use crate::win_chance::{WIN_CHANCE_SCALE, win_chance};
}
