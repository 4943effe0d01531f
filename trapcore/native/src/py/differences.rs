//! Token sets of mistakes.

use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::abstract_tree::tokens::{FIELD_BITS, KINDS};
use crate::chess::position::{self, BadPosition};
use crate::differences::{TAKEN, added, difference_tokens};

/// A mistake: the position before it, the line that begins with it (UCI, with spaces between), and its labels with the
/// tokens that each weighs.
type Mistake = (String, String, Vec<(String, u32)>);

fn tokens_of((fen, line, labels): &Mistake) -> Result<Vec<u8>, BadPosition> {
    let position = position::parse(fen)?;
    let moves = position::parse_line(&position, line.split_whitespace())?;
    let labels: Vec<(&str, u32)> = labels.iter().map(|(name, copies)| (name.as_str(), *copies)).collect();
    Ok(difference_tokens(&position, &moves, &labels).iter().flat_map(|token| token.to_ne_bytes()).collect())
}

/// The packed token set of each mistake.
#[pyfunction]
fn difference_token_sets<'py>(py: Python<'py>, mistakes: Vec<Mistake>) -> PyResult<Vec<Bound<'py, PyBytes>>> {
    let sets = py.detach(|| mistakes.iter().map(tokens_of).collect::<Result<Vec<_>, _>>())?;
    Ok(sets.iter().map(|set| PyBytes::new(py, set)).collect())
}

/// The token that says of a killer's token that it was added; none where that is never said.
#[pyfunction]
fn added_token(token: u32) -> Option<u32> {
    (token >> FIELD_BITS < KINDS.len() as u32).then(|| added(token)).flatten()
}

pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("TAKEN_KIND", TAKEN)?;
    module.add_function(wrap_pyfunction!(difference_token_sets, module)?)?;
    module.add_function(wrap_pyfunction!(added_token, module)?)?;
    Ok(())
}
