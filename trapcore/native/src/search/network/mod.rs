//! A small network that values positions, in centipawns for the side to move.
//!
//! Inputs are the pieces on their squares as each side sees them, by the region of its king; a hidden layer for each
//! side, with squared clipped ReLU; and a head, chosen by how many pieces are left. A head adds a weighted sum of the
//! hidden values to what two small layers make of them. All in integers, so that every machine has the same values.
//! The hidden sums are kept along the line being searched and brought up to date by what changed on the board
//! ([efficiently updatable](https://www.chessprogramming.org/NNUE)).
//!
//! | module | what it holds |
//! |---|---|
//! | `features` | which inputs a board sets |
//! | `file` | the weights as a file |
//! | `inference` | sums and the head's output, in vector instructions where there are any |
//! | `accumulator` | the hidden sums along a line |

pub(crate) mod accumulator;
pub(crate) mod features;
pub(crate) mod file;
pub(crate) mod inference;

use self::features::INPUTS;

/// Width of the hidden layer for each side.
pub const HIDDEN: usize = 512;
/// Heads, chosen by the number of pieces.
pub const BUCKETS: usize = 8;
/// Units of a head's first layer; each passes its clipped value and its clipped square on.
pub const FIRST: usize = 8;
/// Units of a head's second layer.
pub const SECOND: usize = 32;
/// What 1.0 is in the hidden sums and the feature weights.
pub const QA: i32 = 255;
/// What 1.0 is in the hidden values and in those of the head's layers: the square of [`QA`] by 64.
pub const QV: i32 = 1016;
/// What 1.0 is in the weights of a head.
pub const QB: i32 = 1024;
/// Centipawns of an output of 1.0.
pub const SCALE: i32 = 400;

/// One value for each hidden neuron of a side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(align(64))]
pub struct Row(pub [i16; HIDDEN]);

impl Row {
    pub const ZERO: Row = Row([0; HIDDEN]);
}

/// What makes a value of the hidden values: first those of the side to move, then those of the other. Weights have the
/// scale [`QB`], biases [`QV`] · [`QB`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[repr(align(64))]
pub struct Head {
    /// What each unit of the first layer takes of the hidden values.
    pub first: [[Row; 2]; FIRST],
    pub first_bias: [i32; FIRST],
    /// By value of the first layer, the clipped ones before the squares: what each unit of the second layer takes of it.
    pub second: [[i16; SECOND]; 2 * FIRST],
    pub second_bias: [i32; SECOND],
    pub third: [i16; SECOND],
    /// What the hidden values add to the output by themselves.
    pub direct: [Row; 2],
    pub bias: i32,
}

impl Head {
    const ZERO: Head = Head {
        first: [[Row::ZERO; 2]; FIRST],
        first_bias: [0; FIRST],
        second: [[0; SECOND]; 2 * FIRST],
        second_bias: [0; SECOND],
        third: [0; SECOND],
        direct: [Row::ZERO; 2],
        bias: 0,
    };

    /// All weights, in the order of the file.
    pub fn weights(&self) -> impl Iterator<Item = &i16> {
        let [first, direct] = [self.first.as_flattened(), &self.direct].map(|rows| rows.iter().flat_map(|row| &row.0));
        first.chain(self.second.as_flattened()).chain(&self.third).chain(direct)
    }

    /// The same, to be changed.
    pub fn weights_mut(&mut self) -> impl Iterator<Item = &mut i16> {
        let [first, direct] =
            [self.first.as_flattened_mut(), &mut self.direct].map(|rows| rows.iter_mut().flat_map(|row| &mut row.0));
        first.chain(self.second.as_flattened_mut()).chain(&mut self.third).chain(direct)
    }

    /// All biases, in the order of the file.
    pub fn biases(&self) -> impl Iterator<Item = &i32> {
        self.first_bias.iter().chain(&self.second_bias).chain([&self.bias])
    }

    /// The same, to be changed.
    pub fn biases_mut(&mut self) -> impl Iterator<Item = &mut i32> {
        self.first_bias.iter_mut().chain(&mut self.second_bias).chain([&mut self.bias])
    }
}

/// The weights.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Network {
    /// What each input adds to the hidden sums; scale [`QA`]. As many as [`INPUTS`].
    pub features: Box<[Row]>,
    /// The hidden sums of an empty board.
    pub bias: Row,
    /// By bucket.
    pub heads: Box<[Head]>,
}

impl Network {
    /// All weights 0.
    pub fn zero() -> Network {
        Network {
            features: vec![Row::ZERO; INPUTS].into_boxed_slice(),
            bias: Row::ZERO,
            heads: vec![Head::ZERO; BUCKETS].into_boxed_slice(),
        }
    }
}

/// Which head a position of so many pieces takes.
pub fn bucket(pieces: usize) -> usize {
    (pieces.saturating_sub(2) / 4).min(BUCKETS - 1)
}

#[cfg(test)]
mod tests;
