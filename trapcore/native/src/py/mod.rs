//! The interface to Python: converts values, releases the GIL, and raises the errors of `trapcore.errors`.
//!
//! | module | what it holds |
//! |---|---|
//! | `arguments` | arguments that many functions take, and the errors that they raise |
//! | `pickle` | classes that are made of their fields and can be pickled |
//! | `calls` | how long calls are made: they end early, at a lower priority, with tables that are kept |
//! | `positions` | EPD, keys, fingerprints, trees and lines of a position |
//! | `search` | mate proofs, the search, the trap test |
//! | `evaluation` | the evaluation, what a fit of its weights needs, and the tables of endings |
//! | `measures` | similarities of two positions, and the pairs of their moves |
//! | `label_sets` | fingerprints of many positions, compared with one at once |
//! | `ranking` | tokens of moves, and killers ranked by learned weights |
//! | `token_index` | the index of token sets |
//! | `mining` | what mining needs of thousands of positions at a time |
//! | `move_model` | the move model, and values of moves by short searches |
//! | `baselines` | a search and a prover without learning, to compare with |
//! | `games` | batches of games, and games as rows for the library |
//! | `judge` | the events of games |
//! | `themes` | themes of a line, and why losing moves lose |
//! | `training` | training of the network |

mod arguments;
mod baselines;
mod calls;
mod evaluation;
mod games;
mod judge;
mod label_sets;
mod measures;
mod mining;
mod move_model;
mod pickle;
mod positions;
mod ranking;
mod search;
mod themes;
mod token_index;
mod training;

use pyo3::prelude::*;

#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    positions::register(module)?;
    search::register(module)?;
    evaluation::register(module)?;
    measures::register(module)?;
    label_sets::register(module)?;
    ranking::register(module)?;
    token_index::register(module)?;
    mining::register(module)?;
    move_model::register(module)?;
    baselines::register(module)?;
    calls::register(module)?;
    games::register(module)?;
    judge::register(module)?;
    themes::register(module)?;
    training::register(module)
}
