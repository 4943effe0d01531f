//! Quiescence, the kinds of endings, and the tables of endings.

use std::path::PathBuf;

use pyo3::prelude::*;

use super::arguments::product_error;
use super::calls::detached;
use crate::chess::endgames::Outcome;
use crate::chess::endgames::syzygy;
use crate::chess::endgames::tables::outcome;
use crate::chess::position;
use crate::search::Searcher;
use crate::search::evaluation::scale::Kind;
use crate::search::static_value::Evaluator;

/// The value after captures and checks are played out.
#[pyfunction]
pub(super) fn qsearch(py: Python<'_>, fen: &str) -> PyResult<i32> {
    let chess = position::parse(fen)?.chess;
    detached(py, None, None, |stop_flag| Searcher::for_quiescence(stop_flag).quiescence(&chess))
}

/// The kind of an ending for the side that the network sees ahead, and the network's value for the side to move in
/// centipawns, as if no kind were known. `None` for an ending of no kind or of a known outcome.
#[pyfunction]
pub(super) fn ending_kind(fen: &str) -> PyResult<Option<(String, i32)>> {
    let chess = position::parse(fen)?.chess;
    let found = Evaluator::new(1).ending(&chess);
    Ok(found.map(|(kind, value)| (format!("{kind:?}"), value)))
}

/// The kinds of endings, and how much of an advantage counts in each, in 64ths.
#[pyfunction]
pub(super) fn ending_shares() -> Vec<(String, i32)> {
    Kind::ALL.iter().map(|&kind| (format!("{kind:?}"), kind.share())).collect()
}

/// Opens the Syzygy tables in these folders for the rest of the process; the most men of a table.
#[pyfunction]
pub(super) fn open_syzygy(py: Python<'_>, folders: Vec<PathBuf>) -> PyResult<usize> {
    py.detach(|| syzygy::open(&folders)).map_err(|error| product_error("InputError", &[error.to_string()]))
}

/// What becomes of a position for the side to move, by all tables that there are.
#[pyfunction]
pub(super) fn known_outcome(fen: &str) -> PyResult<Option<&'static str>> {
    Ok(outcome(&position::parse(fen)?.chess).map(|found| match found {
        Outcome::Lost => "lost",
        Outcome::Drawn => "drawn",
        Outcome::Won => "won",
    }))
}
