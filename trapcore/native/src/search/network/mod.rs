//! A small network that values positions, in centipawns for the side to move.
//!
//! Inputs are the pieces on their squares as each side sees them, by the region of its king; a hidden layer for each side, with squared clipped
//! ReLU; one output, whose weights depend on how many pieces are left. All in integers, so that every machine has the
//! same values. The hidden sums are kept along the line being searched and brought up to date by what changed on the
//! board ([efficiently updatable](https://www.chessprogramming.org/NNUE)).
//!
//! | module | what it holds |
//! |---|---|
//! | `features` | which inputs a board sets |
//! | `file` | the weights as a file |
//! | `inference` | sums and output, in vector instructions where there are any |
//! | `accumulator` | the hidden sums along a line |

pub(crate) mod accumulator;
pub(crate) mod features;
pub(crate) mod file;
pub(crate) mod inference;

use self::features::INPUTS;

/// Width of the hidden layer for each side.
pub const HIDDEN: usize = 256;
/// Sets of output weights, chosen by the number of pieces.
pub const BUCKETS: usize = 8;
/// What 1.0 is in the hidden layer and the feature weights.
pub const QA: i32 = 255;
/// What 1.0 is in the output weights.
pub const QB: i32 = 256;
/// Centipawns of an output of 1.0.
pub const SCALE: i32 = 400;

/// One value for each hidden neuron of a side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(align(64))]
pub struct Row(pub [i16; HIDDEN]);

impl Row {
    pub const ZERO: Row = Row([0; HIDDEN]);
}

/// The weights.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Network {
    /// What each input adds to the hidden sums; scale [`QA`]. As many as [`INPUTS`].
    pub features: Box<[Row]>,
    /// The hidden sums of an empty board.
    pub bias: Row,
    /// By bucket: weights of the hidden values of the side to move, and of the other; scale [`QB`].
    pub output: [[Row; 2]; BUCKETS],
    /// Scale [`QA`] · [`QB`].
    pub output_bias: [i32; BUCKETS],
}

impl Network {
    /// All weights 0.
    pub fn zero() -> Network {
        Network {
            features: vec![Row::ZERO; INPUTS].into_boxed_slice(),
            bias: Row::ZERO,
            output: [[Row::ZERO; 2]; BUCKETS],
            output_bias: [0; BUCKETS],
        }
    }
}

/// Which output weights a position of so many pieces takes.
pub fn bucket(pieces: usize) -> usize {
    (pieces.saturating_sub(2) / 4).min(BUCKETS - 1)
}

#[cfg(test)]
mod tests;
