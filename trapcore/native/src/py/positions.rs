//! EPD, keys, fingerprints, trees, lines and exchanges of a position.

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use shakmaty::Position;

use crate::chess::position;
use crate::chess::static_exchange::see_legal;
use crate::trees::tree::{self, Plies2};

#[pyfunction]
pub(super) fn epd(fen: &str) -> PyResult<String> {
    Ok(position::epd(&position::parse(fen)?.chess))
}

#[pyfunction]
pub(super) fn plain_fen(text: &str) -> String {
    position::plain_fen(text)
}

#[pyfunction]
pub(super) fn position_key<'py>(py: Python<'py>, fen: &str) -> PyResult<Bound<'py, PyBytes>> {
    Ok(PyBytes::new(py, &position::position_key(&position::parse(fen)?.chess)))
}

#[pyfunction]
pub(super) fn fingerprint<'py>(py: Python<'py>, fen: &str) -> PyResult<Bound<'py, PyBytes>> {
    let position = position::parse(fen)?;
    let mut plies = Plies2::default();
    plies.expand(&position.chess, position.mode);
    Ok(PyBytes::new(py, &tree::pack(&plies.label_bits())))
}

#[pyfunction]
pub(super) fn perft(py: Python<'_>, fen: &str, depth: u32) -> PyResult<u64> {
    let position = position::parse(fen)?;
    Ok(py.detach(|| shakmaty::perft(&position.chess, depth)))
}

#[pyfunction]
pub(super) fn sans(fen: &str, line: Vec<String>) -> PyResult<Vec<String>> {
    let position = position::parse(fen)?;
    Ok(position::sans(&position.chess, &position::parse_line(&position, line.iter().map(String::as_str))?))
}

/// Each move with the centipawns that the legal captures on its square gain.
#[pyfunction]
pub(super) fn exchanges(py: Python<'_>, fen: &str) -> PyResult<Vec<(String, i32)>> {
    let position = position::parse(fen)?;
    let moves = position.chess.legal_moves();
    Ok(py.detach(|| {
        moves.iter().map(|&m| (m.to_uci(position.mode).to_string(), see_legal(&position.chess, m))).collect()
    }))
}
