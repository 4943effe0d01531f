//! Themes of a line.
//!
//! | module | what it holds |
//! |---|---|
//! | `causes` | why losing moves lose |

pub(super) mod causes;

use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::chess::position;
use crate::py::arguments::product_error;
use crate::py::calls::spare::Spare;
use crate::py::calls::{Cancellation, detached};
use crate::search::Searcher;
use crate::themes::line::Line;
use crate::themes::{Passing, line_themes as themes_of};

/// A theme, and what it rests on.
#[pyclass(frozen, eq, hash, module = "trapcore._native")]
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct LineTheme {
    #[pyo3(get)]
    name: String,
    #[pyo3(get)]
    ply: usize,
    #[pyo3(get)]
    by: Option<String>,
    targets: Vec<String>,
}

#[pymethods]
impl LineTheme {
    #[new]
    fn new(name: String, ply: usize, by: Option<String>, targets: Vec<String>) -> LineTheme {
        LineTheme { name, ply, by, targets }
    }

    #[getter]
    fn targets<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, &self.targets)
    }

    fn __getnewargs__(&self) -> (String, usize, Option<String>, Vec<String>) {
        (self.name.clone(), self.ply, self.by.clone(), self.targets.clone())
    }

    fn __repr__(this: &Bound<'_, Self>) -> PyResult<String> {
        let fields = LineTheme::__getnewargs__(this.get()).into_pyobject(this.py())?;
        Ok(format!("LineTheme{}", fields.repr()?))
    }
}

/// Binary logarithm of the table of the searches for zugzwang, which are short: it is emptied before each.
const TABLE_BITS: u32 = 14;

static SEARCHERS: Spare<Searcher> = Spare::new();

/// The themes of a line whose first move is the bait; zugzwang only with nodes to search.
#[pyfunction]
#[pyo3(signature = (fen, moves, nodes = 0, stop = None))]
pub(crate) fn line_themes(
    py: Python<'_>,
    fen: &str,
    moves: Vec<String>,
    nodes: u64,
    stop: Option<&Cancellation>,
) -> PyResult<Vec<LineTheme>> {
    let position = position::parse(fen)?;
    let moves = position::parse_line(&position, moves.iter().map(String::as_str))?;
    if moves.len() < 2 {
        let message = format!("a line has the bait and its answer at least, not {} moves", moves.len());
        return Err(product_error("InputError", &[message]));
    }
    let line = Line::new(&position.chess, &moves);
    let found = if nodes == 0 {
        themes_of(&line, None)
    } else {
        detached(py, None, stop, |stop_flag| {
            SEARCHERS.lend(
                || Searcher::new(TABLE_BITS),
                |searcher| {
                    searcher.stop_flag = stop_flag.clone();
                    themes_of(&line, Some(Passing { searcher, nodes }))
                },
            )
        })?
    };
    Ok(found
        .into_iter()
        .map(|(name, evidence)| LineTheme {
            name: name.to_owned(),
            ply: evidence.ply,
            by: evidence.by.map(|square| square.to_string()),
            targets: evidence.targets.iter().map(ToString::to_string).collect(),
        })
        .collect())
}
