//! Inverted index of token sets: which of a million known traps resemble this one most.
//!
//! A token set holds abstract tokens (numbers that mean something to the caller alone); its *payload* is the number
//! that the caller knows it by. The similarity of two sets is the weight of what they share over the weight of what
//! either has, 1 if neither has any. A similarity of 0 is never reported.
//!
//! Weights are whole multiples of [`UNIT`], so that every sum is exact: the order of the tokens, the division of the
//! index into segments and the rounding of intermediate results cannot change an answer.
//!
//! | module | what it holds |
//! |---|---|
//! | `model` | weights, the definition of similarity, errors |
//! | `file` | sections with checksums, written beside and renamed, read whole and checked |
//! | `builder` | sets in memory, on their way to a segment |
//! | `segment` | some sets in a file: vocabulary, posting lists, the sets themselves, payloads |
//! | `store` | the folder: manifest, segments, their merging, one writer at a time |
//! | `query` | the nearest sets, exactly |
//! | `filter` | payloads to which a question is restricted |

mod builder;
mod file;
mod filter;
mod model;
mod query;
mod segment;
mod store;
#[cfg(test)]
mod tests;

pub(crate) use filter::Filter;
pub(crate) use model::{MAX_WEIGHT, TokenIndexError, UNIT, Weights, distinct};
pub(crate) use query::{Hit, Scratch};
pub(crate) use store::{Change, Index, Writer};
