//! Batches of games, and games as rows for the library, which are replayed.

use std::collections::BTreeMap;

use pyo3::PyClass;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::pyclass_init::PyClassInitializer;
use pyo3::types::PyBytes;
use shakmaty::CastlingMode;

use super::pickle::impl_pickle;
use crate::chess::position::{self, BadPosition};
use crate::judge::findings::Looks;
use crate::judge::judgements::JudgedPosition;
use crate::pgn::records::{self, Noted, Stored, Unread, replayed};
use crate::pgn::splitter::{Batch, Splitter};

/// Whole games of one input, and what an engine saw of them.
#[pyclass(frozen, name = "Batch", module = "trapcore._native")]
pub(crate) struct PyBatch(pub(crate) Batch, pub(crate) Looks);

/// First game, offset, data, starts, oversized, commented: see `Batch`; and the looks.
type BatchParts<'py> = (u64, u64, Bound<'py, PyBytes>, Vec<usize>, Vec<usize>, Vec<usize>, Looks);

#[pymethods]
impl PyBatch {
    #[new]
    #[pyo3(signature = (first_game, offset, data, starts, oversized, commented, looks = None))]
    fn new(
        first_game: u64,
        offset: u64,
        data: PyBackedBytes,
        starts: Vec<usize>,
        oversized: Vec<usize>,
        commented: Vec<usize>,
        looks: Option<Looks>,
    ) -> PyResult<PyBatch> {
        let inside = starts.is_sorted_by(|a, b| a < b) && starts.last().is_none_or(|&last| last < data.len());
        if !inside || oversized.iter().chain(&commented).any(|&index| index >= starts.len()) {
            return Err(PyValueError::new_err("games begin within the batch, one after the other"));
        }
        let batch = Batch { first_game, offset, data: data.to_vec(), starts, oversized, commented };
        Ok(PyBatch(batch, looks.unwrap_or_default()))
    }

    fn __getnewargs__<'py>(&self, py: Python<'py>) -> BatchParts<'py> {
        let Batch { first_game, offset, data, starts, oversized, commented } = &self.0;
        let data = PyBytes::new(py, data);
        (*first_game, *offset, data, starts.clone(), oversized.clone(), commented.clone(), self.1.clone())
    }

    fn with_looks(&self, looks: Looks) -> PyBatch {
        PyBatch(self.0.clone(), looks)
    }

    #[getter]
    fn first_game(&self) -> u64 {
        self.0.first_game
    }

    #[getter]
    fn offset(&self) -> u64 {
        self.0.offset
    }

    #[getter]
    fn games(&self) -> usize {
        self.0.starts.len()
    }

    #[getter]
    fn size(&self) -> usize {
        self.0.data.len()
    }

    fn data<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.data)
    }

    fn splice<'py>(&self, py: Python<'py>, insertions: Vec<(usize, PyBackedBytes)>) -> PyResult<Bound<'py, PyBytes>> {
        let data = &self.0.data;
        let ascending = insertions.is_sorted_by_key(|(at, _)| *at);
        if !ascending || insertions.last().is_some_and(|(at, _)| *at > data.len()) {
            return Err(PyValueError::new_err("insertions must ascend and lie within the batch"));
        }
        let mut out = Vec::with_capacity(data.len() + insertions.iter().map(|(_, text)| text.len()).sum::<usize>());
        let mut copied = 0;
        for (at, text) in &insertions {
            out.extend_from_slice(&data[copied..*at]);
            out.extend_from_slice(text);
            copied = *at;
        }
        out.extend_from_slice(&data[copied..]);
        Ok(PyBytes::new(py, &out))
    }
}

/// A batch that no engine has looked at.
fn unseen(batch: Batch) -> PyBatch {
    PyBatch(batch, Looks::new())
}

#[pyclass(name = "PgnSplitter", module = "trapcore._native")]
pub(super) struct PySplitter(Splitter);

#[pymethods]
impl PySplitter {
    #[new]
    #[pyo3(signature = (batch_bytes = 1 << 20, max_game_bytes = 16 << 20))]
    fn new(batch_bytes: usize, max_game_bytes: usize) -> PySplitter {
        PySplitter(Splitter::new(batch_bytes, max_game_bytes))
    }

    fn feed(&mut self, py: Python<'_>, data: PyBackedBytes) -> Vec<PyBatch> {
        py.detach(|| self.0.feed(&data)).into_iter().map(unseen).collect()
    }

    fn finish(&mut self) -> Vec<PyBatch> {
        self.0.finish().into_iter().map(unseen).collect()
    }
}

impl_pickle! {
    #[pyclass(frozen, get_all, name = "Skipped", module = "trapcore._native")]
    pub struct PySkipped {
        game: u64,
        offset: u64,
        reason: String,
        detail: String,
    }
}

impl_pickle! {
    #[pyclass(frozen, get_all, name = "Note", module = "trapcore._native")]
    pub struct PyNote {
        game: u64,
        offset: u64,
        ply: usize,
        number: u32,
        reason: String,
        detail: String,
    }
}

pub(super) fn noted(notes: Vec<Noted>) -> Vec<PyNote> {
    notes
        .into_iter()
        .map(|noted| PyNote {
            game: noted.number,
            offset: noted.offset,
            ply: noted.note.ply,
            number: noted.note.number,
            reason: noted.note.reason.to_owned(),
            detail: noted.note.detail,
        })
        .collect()
}

pub(super) fn skipped(unread: Vec<Unread>) -> Vec<PySkipped> {
    unread
        .into_iter()
        .map(|u| PySkipped { game: u.number, offset: u.offset, reason: u.reason.to_owned(), detail: u.detail })
        .collect()
}

pub(super) fn list<T: PyClass + Into<PyClassInitializer<T>>>(py: Python<'_>, items: Vec<T>) -> PyResult<Vec<Py<T>>> {
    items.into_iter().map(|item| Py::new(py, item)).collect()
}

impl_pickle! {
    #[pyclass(frozen, get_all, name = "GameRecord", module = "trapcore._native")]
    pub(super) struct PyGameRecord {
        game: u64,
        offset: u64,
        digest: Py<PyBytes>,
        tags: BTreeMap<String, String>,
        result: String,
        start_fen: Option<String>,
        chess960: bool,
        plies: usize,
        moves: Py<PyBytes>,
        keys: Vec<Py<PyBytes>>,
    }
}

impl_pickle! {
    #[pyclass(frozen, get_all, name = "BatchRecords", module = "trapcore._native")]
    pub(super) struct PyBatchRecords {
        records: Vec<Py<PyGameRecord>>,
        skipped: Vec<Py<PySkipped>>,
        notes: Vec<Py<PyNote>>,
        positions: Vec<(Py<PyBytes>, Py<PyBytes>)>,
    }
}

#[pyfunction]
pub(super) fn read_records(py: Python<'_>, batch: &PyBatch) -> PyResult<PyBatchRecords> {
    let read = py.detach(|| records::read(&batch.0));
    let bytes = |data: &[u8]| PyBytes::new(py, data).unbind();
    let games = read.records.into_iter().map(|record| PyGameRecord {
        game: record.number,
        offset: record.offset,
        digest: bytes(&record.digest),
        tags: record.game.tag_map(),
        result: record.game.result().to_owned(),
        chess960: record.game.mode == CastlingMode::Chess960,
        plies: record.game.moves.len(),
        moves: bytes(&record.moves),
        keys: record.keys.iter().map(|key| bytes(key)).collect(),
        start_fen: record.game.start_fen,
    });
    Ok(PyBatchRecords {
        records: list(py, games.collect())?,
        skipped: list(py, skipped(read.unread))?,
        notes: list(py, noted(read.notes))?,
        positions: read.positions.iter().map(|(key, print)| (bytes(key), bytes(print))).collect(),
    })
}

/// Start (or None), moves as stored, and plies.
type StoredGame = (Option<String>, Vec<u8>, Vec<usize>);

/// Positions and moves of stored games.
#[pyfunction]
pub(super) fn replay(py: Python<'_>, games: Vec<StoredGame>) -> PyResult<Vec<Vec<(String, String)>>> {
    let all = py.detach(|| {
        games
            .iter()
            .map(|(start, moves, plies)| replayed(&Stored { start_fen: start.as_deref(), moves, plies }))
            .collect::<Result<_, BadPosition>>()
    })?;
    Ok(all)
}

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
