//! The evaluation and what a fit of its weights needs, and the tables of endings, made anew.

use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::arguments::product_error;
use super::calls::detached;
use crate::chess::endgames::material::MATERIALS;
use crate::chess::endgames::retrograde::{Distances, Outcome};
use crate::chess::endgames::syzygy;
use crate::chess::endgames::tables::{outcome, packed};
use crate::chess::position;
use crate::search::Searcher;
use crate::search::evaluation::features::{FEATURES, ROWS};
use crate::search::evaluation::scale::{Kind, scale};
use crate::search::evaluation::{self, Trace};
use crate::search::static_value::Evaluator;
use shakmaty::{Color, Position};

#[pyfunction]
fn evaluate(fen: &str) -> PyResult<i32> {
    Ok(evaluation::evaluate(&position::parse(fen)?.chess))
}

/// The value after captures and checks are played out.
#[pyfunction]
fn qsearch(py: Python<'_>, fen: &str) -> PyResult<i32> {
    let chess = position::parse(fen)?.chess;
    detached(py, None, None, |stop_flag| Searcher::for_quiescence(stop_flag).quiescence(&chess))
}

/// Phase, scale of an endgame for White and for Black, and the counts as 16-bit integers in the machine's byte order.
#[pyfunction]
fn evaluation_features<'py>(py: Python<'py>, fen: &str) -> PyResult<(i32, i32, i32, Bound<'py, PyBytes>)> {
    let chess = position::parse(fen)?.chess;
    let board = chess.board();
    let mut trace = Trace { counts: [0; FEATURES] };
    evaluation::collect(&chess, &mut trace);
    let counts: Vec<u8> = trace.counts.iter().flat_map(|count| count.to_ne_bytes()).collect();
    let scale = |white| scale(board, Color::from_white(white));
    Ok((evaluation::phase(board), scale(true), scale(false), PyBytes::new(py, &counts)))
}

/// The kind of an ending for the side that the network sees ahead, and the network's value for the side to move in
/// centipawns, as if no kind were known. `None` for an ending of no kind or of a known outcome.
#[pyfunction]
fn ending_kind(fen: &str) -> PyResult<Option<(String, i32)>> {
    let chess = position::parse(fen)?.chess;
    let found = Evaluator::new(1).ending(&chess);
    Ok(found.map(|(kind, value)| (format!("{kind:?}"), value)))
}

/// The kinds of endings, and how much of an advantage counts in each, in 64ths.
#[pyfunction]
fn ending_shares() -> Vec<(String, i32)> {
    Kind::ALL.iter().map(|&kind| (format!("{kind:?}"), kind.share())).collect()
}

/// Name and length of each row of features, in the order of the counts.
#[pyfunction]
fn evaluation_rows() -> Vec<(&'static str, usize)> {
    ROWS.to_vec()
}

/// Opens the Syzygy tables in these folders for the rest of the process; the most men of a table.
#[pyfunction]
fn open_syzygy(py: Python<'_>, folders: Vec<PathBuf>) -> PyResult<usize> {
    py.detach(|| syzygy::open(&folders)).map_err(|error| product_error("InputError", &[error.to_string()]))
}

/// What becomes of a position for the side to move, by all tables that there are.
#[pyfunction]
fn known_outcome(fen: &str) -> PyResult<Option<&'static str>> {
    Ok(outcome(&position::parse(fen)?.chess).map(|found| match found {
        Outcome::Lost => "lost",
        Outcome::Drawn => "drawn",
        Outcome::Won => "won",
    }))
}

/// Makes every table and hands its name and its outcomes to `each`, in the order of the file of tables.
#[pyfunction]
fn make_endgames(py: Python<'_>, each: &Bound<'_, PyAny>) -> PyResult<()> {
    let mut made = Distances::default();
    for (place, material) in MATERIALS.iter().enumerate() {
        let table = py.detach(|| packed(made.of(place)));
        each.call1((material.name(), PyBytes::new(py, &table)))?;
    }
    Ok(())
}

pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(evaluate, module)?)?;
    module.add_function(wrap_pyfunction!(qsearch, module)?)?;
    module.add_function(wrap_pyfunction!(evaluation_features, module)?)?;
    module.add_function(wrap_pyfunction!(ending_kind, module)?)?;
    module.add_function(wrap_pyfunction!(ending_shares, module)?)?;
    module.add_function(wrap_pyfunction!(evaluation_rows, module)?)?;
    module.add_function(wrap_pyfunction!(make_endgames, module)?)?;
    module.add_function(wrap_pyfunction!(open_syzygy, module)?)?;
    module.add_function(wrap_pyfunction!(known_outcome, module)?)?;
    Ok(())
}
