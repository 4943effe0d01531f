//! What needs no learning, for comparison.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use shakmaty::{Move, Position};

use crate::chess::position;
use crate::chess::static_exchange::see;
use crate::ranking::baselines;

/// UCI of each move, centipawns after the best reply, their mean; and the moves made on a board.
type ThreePlies = (Vec<(String, i32, i32)>, u64);

/// Each move as a search of three plies sees it.
#[pyfunction]
fn three_plies(py: Python<'_>, fen: &str) -> PyResult<ThreePlies> {
    let position = position::parse(fen)?;
    let (moves, moves_made) = py.detach(|| baselines::three_plies(&position.chess));
    Ok((moves.iter().map(|p| (p.m.to_uci(position.mode).to_string(), p.worst, p.mean)).collect(), moves_made))
}

/// Moves made on a board until a mate is proved, with the given order of the first moves.
#[pyfunction]
fn moves_until_proof(py: Python<'_>, fen: &str, order: Vec<String>, mate: u32, most: u64) -> PyResult<Option<u64>> {
    if mate == 0 {
        return Err(PyValueError::new_err("mate must be 1 move or more"));
    }
    let position = position::parse(fen)?;
    let order = order.iter().map(|uci| position::parse_move(&position, uci)).collect::<Result<Vec<Move>, _>>()?;
    Ok(py.detach(|| baselines::moves_until_proof(&position.chess, &order, mate, most)))
}

/// Each move with the centipawns that the exchange on its square gains.
#[pyfunction]
fn exchanges(py: Python<'_>, fen: &str) -> PyResult<Vec<(String, i32)>> {
    let position = position::parse(fen)?;
    let moves = position.chess.legal_moves();
    Ok(py.detach(|| moves.iter().map(|&m| (m.to_uci(position.mode).to_string(), see(&position.chess, m))).collect()))
}

/// Adds the functions of this file to the module.
pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(exchanges, module)?)?;
    module.add_function(wrap_pyfunction!(three_plies, module)?)?;
    module.add_function(wrap_pyfunction!(moves_until_proof, module)?)?;
    Ok(())
}
