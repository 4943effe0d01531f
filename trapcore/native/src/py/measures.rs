//! Similarities of two positions, and the pairs of their moves.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::arguments::{depth, labels};
use crate::chess::position::{self, BadPosition, GamePosition};
use crate::measures::move_matching;
use crate::measures::paper::{self, Base, Unpaired};
use crate::measures::sampled;
use crate::measures::tree_edit::{MAX_EDIT_DEPTH, tree_edit_similarity};
use crate::trees::tree;

fn pair(a: &str, b: &str) -> Result<(GamePosition, GamePosition), BadPosition> {
    Ok((position::parse(a)?, position::parse(b)?))
}

fn base(name: &str) -> PyResult<Base> {
    match name {
        "continuations" => Ok(Base::Continuations),
        "sequences" => Ok(Base::Sequences),
        _ => Err(PyValueError::new_err(format!("base is 'continuations' or 'sequences', not {name:?}"))),
    }
}

#[pyfunction]
pub(super) fn continuations(
    py: Python<'_>,
    a: &str,
    b: &str,
    depth: u32,
    labels: &str,
    captures: bool,
) -> PyResult<f64> {
    let ((a, b), labels, depth) = (pair(a, b)?, self::labels(labels, captures)?, self::depth(depth)?);
    Ok(py.detach(|| paper::continuations(&a, &b, depth, labels)))
}

#[pyfunction]
pub(super) fn sequences(
    py: Python<'_>,
    a: &str,
    b: &str,
    depth: u32,
    labels: &str,
    captures: bool,
    prefixes: bool,
) -> PyResult<f64> {
    let ((a, b), labels, depth) = (pair(a, b)?, self::labels(labels, captures)?, self::depth(depth)?);
    Ok(py.detach(|| paper::sequence_similarity(&a, &b, depth, labels, prefixes)))
}

/// The lines that `sequences` compares, as 64-bit numbers in the machine's byte order, ascending.
#[pyfunction]
pub(super) fn sequence_ids<'py>(
    py: Python<'py>,
    fen: &str,
    depth: u32,
    labels: &str,
    captures: bool,
) -> PyResult<Bound<'py, PyBytes>> {
    let (position, labels, depth) = (position::parse(fen)?, self::labels(labels, captures)?, self::depth(depth)?);
    let ids = py.detach(|| tree::sequences(&position, depth, labels));
    Ok(PyBytes::new(py, &ids.iter().flat_map(|id| id.to_ne_bytes()).collect::<Vec<u8>>()))
}

#[pyfunction]
pub(super) fn tanimoto(
    py: Python<'_>,
    a: &str,
    b: &str,
    depth: u32,
    labels: &str,
    captures: bool,
    prefixes: bool,
) -> PyResult<f64> {
    let ((a, b), labels, depth) = (pair(a, b)?, self::labels(labels, captures)?, self::depth(depth)?);
    Ok(py.detach(|| paper::tanimoto_similarity(&a, &b, depth, labels, prefixes)))
}

#[pyfunction]
pub(super) fn tree_edit(
    py: Python<'_>,
    a: &str,
    b: &str,
    depth: u32,
    labels: &str,
    captures: bool,
) -> PyResult<Option<f64>> {
    if !(1..=MAX_EDIT_DEPTH).contains(&depth) {
        return Err(PyValueError::new_err(format!("depth is 1 to {MAX_EDIT_DEPTH}, not {depth}")));
    }
    let ((a, b), labels) = (pair(a, b)?, self::labels(labels, captures)?);
    Ok(py.detach(|| tree_edit_similarity(&a, &b, depth, labels)))
}

#[pyfunction]
pub(super) fn structural(
    py: Python<'_>,
    a: &str,
    b: &str,
    base: &str,
    depth: u32,
    labels: &str,
    captures: bool,
    unpaired: &str,
    root: Option<&str>,
) -> PyResult<f64> {
    let ((a, b), labels, depth) = (pair(a, b)?, self::labels(labels, captures)?, self::depth(depth)?);
    let (base, root) = (self::base(base)?, root.map(position::parse).transpose()?);
    let unpaired = match unpaired {
        "formula" => Unpaired::Formula,
        "pad" => Unpaired::Pad,
        _ => return Err(PyValueError::new_err(format!("unpaired is 'formula' or 'pad', not {unpaired:?}"))),
    };
    Ok(py.detach(|| paper::structural(&a, &b, base, depth, labels, unpaired, root.as_ref())))
}

#[pyfunction]
pub(super) fn sampled_structural(
    py: Python<'_>,
    a: &str,
    b: &str,
    base: &str,
    depth: u32,
    labels: &str,
    captures: bool,
    children: usize,
    seed: u64,
) -> PyResult<(f64, f64)> {
    let ((a, b), labels, depth) = (pair(a, b)?, self::labels(labels, captures)?, self::depth(depth)?);
    let base = self::base(base)?;
    let found = py.detach(|| sampled::sampled_structural(&a, &b, base, depth, labels, children, seed));
    Ok((found.value, found.standard_error))
}

#[pyfunction]
pub(super) fn move_count_ratio(a: &str, b: &str) -> PyResult<f64> {
    let (a, b) = pair(a, b)?;
    Ok(paper::move_count_ratio(&a, &b))
}

#[pyfunction]
pub(super) fn board_similarity(a: &str, b: &str) -> PyResult<f64> {
    let (a, b) = pair(a, b)?;
    Ok(paper::board_similarity(&a.chess, &b.chess))
}

/// Both moves, how often they were paired and could have been, mean distance, and after which first moves.
type PairParts = (String, String, u32, u32, f64, Vec<(String, String)>);

#[pyfunction]
pub(super) fn match_moves(
    py: Python<'_>,
    a: &str,
    b: &str,
    labels: &str,
    captures: bool,
    to_root: bool,
    only: Option<&str>,
    top: usize,
) -> PyResult<Vec<PairParts>> {
    let ((a, b), labels) = (pair(a, b)?, self::labels(labels, captures)?);
    let found = py.detach(|| move_matching::match_moves(&a, &b, labels, to_root, only, top));
    Ok(found.into_iter().map(|p| (p.first, p.second, p.count, p.chances, p.distance, p.after)).collect())
}

#[pyfunction]
pub(super) fn reply_names(fen: &str, labels: &str, captures: bool) -> PyResult<Vec<String>> {
    Ok(move_matching::reply_names(&position::parse(fen)?, self::labels(labels, captures)?))
}
