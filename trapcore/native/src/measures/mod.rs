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

pub(crate) mod label_sets;
pub(crate) mod move_matching;
pub(crate) mod paper;
pub(crate) mod sampled;
pub(crate) mod trap_positions;
pub(crate) mod tree_edit;
