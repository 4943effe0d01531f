//! Arguments that many functions take, and the errors that they raise.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use shakmaty::Move;

use crate::chess::position::{self, BadPosition, GamePosition};
use crate::trees::labels::{Labels, Naming};
use crate::trees::tree;

/// An error of `trapcore.errors`, made of these texts.
pub(super) fn product_error(class: &str, texts: &[String]) -> PyErr {
    Python::attach(|py| {
        let make = || -> PyResult<PyErr> {
            let class = py.import("trapcore.errors")?.getattr(class)?;
            Ok(PyErr::from_value(class.call1(PyTuple::new(py, texts)?)?))
        };
        make().unwrap_or_else(|error| error)
    })
}

impl From<BadPosition> for PyErr {
    fn from(error: BadPosition) -> PyErr {
        product_error("PositionError", &[error.to_string(), error.fen().to_owned()])
    }
}

/// How moves are labelled.
pub(super) fn labels(name: &str, captures: bool) -> PyResult<Labels> {
    let naming = match name {
        "uci" => Naming::Uci,
        "san" => Naming::San,
        _ => return Err(PyValueError::new_err(format!("labels are 'uci' or 'san', not {name:?}"))),
    };
    Ok(Labels { naming, captures })
}

/// A depth that the measures accept.
pub(super) fn depth(depth: u32) -> PyResult<u32> {
    if (1..=tree::MAX_DEPTH).contains(&depth) {
        Ok(depth)
    } else {
        Err(PyValueError::new_err(format!("depth is 1 to {}, not {depth}", tree::MAX_DEPTH)))
    }
}

/// Legal moves of a position.
pub(super) fn legal_moves(position: &GamePosition, moves: &[String]) -> PyResult<Vec<Move>> {
    Ok(moves.iter().map(|uci| position::parse_move(position, uci)).collect::<Result<_, _>>()?)
}
