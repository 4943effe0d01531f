//! The judgements of the positions of games.

use pyo3::prelude::*;
use shakmaty::CastlingMode;

use super::pickle::impl_pickle;
use crate::chess::position;
use crate::judge::judgements::{JudgedPosition, PROOF};

impl_pickle! {
    #[pyclass(frozen, get_all, name = "JudgedPosition", module = "trapcore._native")]
    pub(super) struct PyJudgedPosition {
        fen: String,
        chance: f64,
        nodes: u64,
        line: Vec<String>,
    }
}

pub(super) fn judged(found: &JudgedPosition, mode: CastlingMode) -> PyJudgedPosition {
    let JudgedPosition { position, judgement } = found;
    PyJudgedPosition {
        fen: position::epd(position),
        chance: judgement.chance,
        nodes: judgement.nodes,
        line: judgement.line.iter().map(|m| m.to_uci(mode).to_string()).collect(),
    }
}

/// Adds what is in this file to the module.
pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("PROOF", PROOF)?;
    module.add_class::<PyJudgedPosition>()
}
