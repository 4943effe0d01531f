//! EPD, keys, fingerprints, trees and lines of a position.

use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::arguments;
use crate::chess::position;
use crate::trees::tree::{self, FINGERPRINT_VERSION, Plies2};

#[pyfunction]
fn epd(fen: &str) -> PyResult<String> {
    Ok(position::epd(&position::parse(fen)?.chess))
}

#[pyfunction]
fn plain_fen(text: &str) -> String {
    position::plain_fen(text)
}

#[pyfunction]
fn position_key<'py>(py: Python<'py>, fen: &str) -> PyResult<Bound<'py, PyBytes>> {
    Ok(PyBytes::new(py, &position::position_key(&position::parse(fen)?.chess)))
}

#[pyfunction]
fn fingerprint<'py>(py: Python<'py>, fen: &str) -> PyResult<Bound<'py, PyBytes>> {
    let position = position::parse(fen)?;
    let mut plies = Plies2::default();
    plies.expand(&position.chess, position.mode);
    Ok(PyBytes::new(py, &tree::pack(&plies.label_bits())))
}

#[pyfunction]
fn perft(py: Python<'_>, fen: &str, depth: u32) -> PyResult<u64> {
    let position = position::parse(fen)?;
    Ok(py.detach(|| tree::perft(&position.chess, depth)))
}

#[pyfunction]
fn tree_labels(py: Python<'_>, fen: &str, depth: u32, labels: &str, captures: bool) -> PyResult<Vec<Vec<String>>> {
    let (position, labels, depth) =
        (position::parse(fen)?, arguments::labels(labels, captures)?, arguments::depth(depth)?);
    Ok(py.detach(|| tree::lines(&position, depth, labels)))
}

#[pyfunction]
fn sans(fen: &str, line: Vec<String>) -> PyResult<Vec<String>> {
    let position = position::parse(fen)?;
    Ok(position::sans(&position.chess, &position::parse_line(&position, line.iter().map(String::as_str))?))
}

/// Adds the functions of this file to the module.
pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("POSITION_KEY_VERSION", position::POSITION_KEY_VERSION)?;
    module.add("FINGERPRINT_VERSION", FINGERPRINT_VERSION)?;
    module.add_function(wrap_pyfunction!(epd, module)?)?;
    module.add_function(wrap_pyfunction!(plain_fen, module)?)?;
    module.add_function(wrap_pyfunction!(position_key, module)?)?;
    module.add_function(wrap_pyfunction!(fingerprint, module)?)?;
    module.add_function(wrap_pyfunction!(perft, module)?)?;
    module.add_function(wrap_pyfunction!(tree_labels, module)?)?;
    module.add_function(wrap_pyfunction!(sans, module)?)?;
    Ok(())
}
