//! The index of token sets.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::arguments::product_error;
use super::calls::detached;
use super::ranking::tokens_of_killer;
use crate::token_index::{Change, Filter, Hit, Index, TokenIndexError, UNIT, Weights, Writer, distinct};

impl From<TokenIndexError> for PyErr {
    fn from(error: TokenIndexError) -> PyErr {
        let class = match error {
            TokenIndexError::Unusable { .. } => "IndexFileError",
            TokenIndexError::Busy { .. } => "LibraryError",
            TokenIndexError::Unwritable { .. } => "OutputError",
            TokenIndexError::Argument(_) => "UsageError",
        };
        product_error(class, &[error.to_string()])
    }
}

fn argument(message: String) -> PyErr {
    TokenIndexError::Argument(message).into()
}

/// Token sets that are handed over at a time, so that the GIL is seldom passed.
const BATCH: usize = 4096;

/// A token set as numbers, or packed as `killer_token_sets` gives them.
fn tokens(token_set: &Bound<'_, PyAny>) -> PyResult<Vec<u32>> {
    if let Ok(packed) = token_set.cast::<PyBytes>() {
        let packed = packed.as_bytes();
        if !packed.len().is_multiple_of(4) {
            return Err(argument(format!("{} bytes are no packed tokens, of four bytes each", packed.len())));
        }
        return Ok(packed.chunks_exact(4).map(|b| u32::from_ne_bytes([b[0], b[1], b[2], b[3]])).collect());
    }
    token_set.try_iter()?.map(|token| token?.extract()).collect()
}

fn add_all(py: Python<'_>, writer: &mut Writer, token_sets: &Bound<'_, PyAny>) -> PyResult<()> {
    let mut batch: Vec<(u64, Vec<u32>)> = Vec::with_capacity(BATCH);
    let mut add = |batch: &mut Vec<_>| {
        py.detach(|| batch.drain(..).try_for_each(|(payload, tokens)| writer.add(payload, tokens)))
    };
    for (number, item) in token_sets.try_iter()?.enumerate() {
        let item = item?;
        let parts = || -> PyResult<(u64, Vec<u32>)> {
            let (payload, token_set): (u64, Bound<'_, PyAny>) = item.extract()?;
            Ok((payload, tokens(&token_set)?))
        };
        batch.push(parts().map_err(|error| {
            argument(format!(
                "token set {number} (from 0) is no pair of a payload (0 to 2**64-1) and its tokens (0 to 2**32-1): {error}"
            ))
        })?);
        if batch.len() == BATCH {
            add(&mut batch)?;
        }
    }
    Ok(add(&mut batch)?)
}

#[pyfunction]
#[pyo3(signature = (path, token_sets, *, weights, default_weight, vocabulary))]
pub(super) fn build_token_index(
    py: Python<'_>,
    path: PathBuf,
    token_sets: &Bound<'_, PyAny>,
    weights: HashMap<u32, f64>,
    default_weight: f64,
    vocabulary: u32,
) -> PyResult<usize> {
    let weights = Weights::new(weights, default_weight)?;
    let mut writer = py.detach(|| Writer::create(&path, vocabulary, weights))?;
    add_all(py, &mut writer, token_sets)?;
    Ok(py.detach(|| writer.commit())?.added)
}

#[pyfunction]
#[pyo3(signature = (path, *, vocabulary, add = None, remove = None))]
pub(super) fn change_token_index(
    py: Python<'_>,
    path: PathBuf,
    vocabulary: u32,
    add: Option<&Bound<'_, PyAny>>,
    remove: Option<&Bound<'_, PyAny>>,
) -> PyResult<(usize, usize)> {
    let mut writer = py.detach(|| Writer::open(&path, vocabulary))?;
    if let Some(remove) = remove {
        let payloads = remove.try_iter()?.map(|payload| payload?.extract()).collect::<PyResult<_>>()?;
        py.detach(|| writer.remove(&payloads))?;
    }
    if let Some(add) = add {
        add_all(py, &mut writer, add)?;
    }
    let Change { added, removed } = py.detach(|| writer.commit())?;
    Ok((added, removed))
}

/// Payloads to which questions can be restricted.
#[pyclass(frozen, name = "Payloads", module = "trapcore._native")]
pub(crate) struct Payloads(Filter);

#[pymethods]
impl Payloads {
    #[new]
    fn new(payloads: &Bound<'_, PyAny>) -> PyResult<Payloads> {
        let payloads = payloads.try_iter()?.map(|payload| payload?.extract()).collect::<PyResult<Vec<u64>>>()?;
        Ok(Payloads(Filter::new(payloads)))
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }
}

#[pyclass(frozen, name = "TokenIndex", module = "trapcore._native")]
pub(crate) struct PyTokenIndex(pub(crate) Arc<Index>);

#[pymethods]
impl PyTokenIndex {
    #[new]
    #[pyo3(signature = (path, *, vocabulary))]
    fn new(py: Python<'_>, path: PathBuf, vocabulary: u32) -> PyResult<PyTokenIndex> {
        Ok(PyTokenIndex(Arc::new(py.detach(|| Index::open(&path, vocabulary))?)))
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }

    #[getter]
    fn segments(&self) -> usize {
        self.0.segments()
    }

    #[getter]
    fn size(&self) -> u64 {
        self.0.size()
    }

    /// Name and content of each file.
    fn files<'py>(&self, py: Python<'py>) -> Vec<(PathBuf, Bound<'py, PyBytes>)> {
        self.0.files().map(|(name, bytes)| (name, PyBytes::new(py, bytes))).collect()
    }

    #[getter]
    fn is_current(&self) -> bool {
        self.0.is_current()
    }

    #[getter]
    fn is_in_place(&self) -> bool {
        self.0.is_in_place()
    }

    fn weight(&self, token: u32) -> f64 {
        f64::from(self.0.weights().of(token)) * UNIT
    }

    /// Those tokens of a set that the killer of a known trap has as well, so many of the weightiest, these first. With
    /// the GIL: to get it back would take longer than the work.
    fn shared(
        &self,
        own: &Bound<'_, PyAny>,
        fen: &str,
        bait: &str,
        line: Vec<String>,
        most: usize,
    ) -> PyResult<Vec<u32>> {
        let there = tokens_of_killer(fen, Some(bait), line.iter().map(String::as_str))?;
        let mut common = tokens(own)?;
        common.retain(|token| there.binary_search(token).is_ok());
        let weights = self.0.weights();
        common.sort_unstable_by_key(|&token| (Reverse(weights.of(token)), token));
        common.truncate(most);
        Ok(common)
    }

    #[pyo3(signature = (token_sets, k, *, only = None, jobs = 1))]
    fn top(
        &self,
        py: Python<'_>,
        token_sets: &Bound<'_, PyAny>,
        k: usize,
        only: Option<&Payloads>,
        jobs: usize,
    ) -> PyResult<Vec<Vec<(u64, f64)>>> {
        if k == 0 {
            return Err(argument("k is at least 1, not 0".to_owned()));
        }
        self.nearest(py, token_sets, (k, 0.0), only, jobs)
    }

    #[pyo3(signature = (token_sets, threshold, *, jobs = 1))]
    fn above(
        &self,
        py: Python<'_>,
        token_sets: &Bound<'_, PyAny>,
        threshold: f64,
        jobs: usize,
    ) -> PyResult<Vec<Vec<(u64, f64)>>> {
        if !(threshold > 0.0 && threshold <= 1.0) {
            return Err(argument(format!("a threshold is above 0 and at most 1, not {threshold}")));
        }
        self.nearest(py, token_sets, (usize::MAX, threshold), None, jobs)
    }
}

impl PyTokenIndex {
    fn nearest(
        &self,
        py: Python<'_>,
        token_sets: &Bound<'_, PyAny>,
        limits: (usize, f64),
        only: Option<&Payloads>,
        jobs: usize,
    ) -> PyResult<Vec<Vec<(u64, f64)>>> {
        if jobs == 0 {
            return Err(argument("jobs is at least 1, not 0".to_owned()));
        }
        let mut questions = Vec::new();
        for (number, token_set) in token_sets.try_iter()?.enumerate() {
            let mut own = tokens(&token_set?).map_err(|error| {
                argument(format!("token set {number} (from 0) does not hold tokens (0 to 2**32-1) only: {error}"))
            })?;
            distinct(&mut own)?;
            questions.push(own);
        }
        let found = detached(py, None, None, |stop_flag| {
            self.0.nearest_of_each(&questions, limits, only.map(|only| &only.0), jobs, || stop_flag.is_stopped())
        })?;
        // Without a cancellation only a signal ends it early, and that has been raised.
        let found = found.unwrap_or_default();
        let pairs = |hits: Vec<Hit>| hits.into_iter().map(|hit| (hit.payload, hit.similarity)).collect();
        Ok(found.into_iter().map(pairs).collect())
    }
}
