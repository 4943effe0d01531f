//! An index of bags of tokens: which of a million known traps resemble this one most.
//!
//! A *bag* is a set of abstract tokens (numbers that mean something to the caller alone), a *payload* the number that
//! the caller knows a bag by. The similarity of two bags is the weight of what they share over the weight of what
//! either has, 1 if neither has any. A similarity of 0 is never reported.
//!
//! Weights are whole multiples of [`UNIT`], so that every sum is exact: the order of the tokens, the division of the
//! index into segments and the rounding of intermediate results cannot change an answer.
//!
//! | module | what it holds |
//! |---|---|
//! | `model` | weights, the definition of similarity, errors |
//! | `file` | sections with checksums, written beside and renamed, mapped and checked |
//! | `builder` | bags in memory, on their way to a segment |
//! | `segment` | some bags in a file: vocabulary, posting lists, the bags themselves, payloads |
//! | `store` | the folder: manifest, segments, their merging, one writer at a time |
//! | `query` | the nearest bags, exactly |
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
pub(crate) use model::{BagError, MAX_WEIGHT, UNIT, Weights, distinct};
pub(crate) use query::{Hit, Scratch};
pub(crate) use store::{Change, Index, Writer};
