//! Similarity of positions by their local trees, and of their moves.
//!
//! | module | what it holds |
//! |---|---|
//! | `paper` | the similarities of the paper |
//! | `sampled` | the structural similarity of a sample of the moves |
//! | `tree_edit` | the edit distance of two trees, to compare with |
//! | `move_matching` | which moves of two positions correspond |
//! | `label_sets` | many sets of labels compared with one at once |
//! | `trap_positions` | the positions of a library of traps, compared with one at once |

pub mod label_sets;
pub mod move_matching;
pub mod paper;
pub mod sampled;
pub mod trap_positions;
pub mod tree_edit;
