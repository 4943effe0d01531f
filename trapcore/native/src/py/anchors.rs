//! Where text can be added to the moves of a game, and what they are worth.

use std::ops::Range;

use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::pickle::impl_pickle;
use crate::chess::position;
use crate::judge::findings::MoveValue;
use crate::pgn::anchors::Anchor;

impl_pickle! {
    #[pyclass(frozen, get_all, name = "Anchor", module = "trapcore._native")]
    pub(super) struct PyAnchor {
        nag_at: usize,
        comment_at: usize,
        variation_at: usize,
        nags: Vec<u16>,
        comments: Vec<Py<PyBytes>>,
        variations: Vec<Py<PyBytes>>,
        number_next: bool,
    }
}

impl_pickle! {
    #[pyclass(frozen, get_all, name = "MoveValue", module = "trapcore._native")]
    pub(super) struct PyMoveValue {
        ply: usize,
        half_move: u32,
        played: String,
        origin: String,
        fen: String,
        mate_in: Option<i32>,
        anchor: Py<PyAnchor>,
    }
}

pub(super) fn anchor(py: Python<'_>, anchor: &Anchor, game: &[u8], start: usize) -> PyResult<Py<PyAnchor>> {
    let texts = |ranges: &[Range<usize>]| ranges.iter().map(|r| PyBytes::new(py, &game[r.clone()]).unbind()).collect();
    Py::new(
        py,
        PyAnchor {
            nag_at: start + anchor.nag_at,
            comment_at: start + anchor.comment_at,
            variation_at: start + anchor.variation_at,
            nags: anchor.nags.iter().map(|&nag| nag.into()).collect(),
            comments: texts(&anchor.comments),
            variations: texts(&anchor.variations),
            number_next: anchor.number_next,
        },
    )
}

pub(super) fn move_value(py: Python<'_>, value: &MoveValue, start: usize, text: &[u8]) -> PyResult<Py<PyMoveValue>> {
    Py::new(
        py,
        PyMoveValue {
            ply: value.at + 1,
            half_move: value.half_move,
            played: value.played.clone(),
            origin: position::epd(&value.origin),
            fen: position::epd(&value.judged.position),
            mate_in: value.mate_in,
            anchor: anchor(py, &value.anchor, text, start)?,
        },
    )
}
