//! Themes of a line.

use pyo3::prelude::*;
use pyo3::types::PyTuple;

use super::arguments::product_error;
use crate::chess::position;
use crate::themes::line::Line;
use crate::themes::{THEMES, line_themes as themes_of};

/// A theme, and what it rests on.
#[pyclass(frozen, eq, hash, module = "trapcore._native")]
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct LineTheme {
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

/// The themes of a line whose first move is the bait.
#[pyfunction]
fn line_themes(py: Python<'_>, fen: &str, moves: Vec<String>) -> PyResult<Vec<LineTheme>> {
    let position = position::parse(fen)?;
    let moves = position::parse_line(&position, moves.iter().map(String::as_str))?;
    if moves.len() < 2 {
        let message = format!("a line has the bait and its answer at least, not {} moves", moves.len());
        return Err(product_error("InputError", &[message]));
    }
    let found = py.detach(|| themes_of(&Line::new(&position.chess, &moves)));
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

pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("THEMES", PyTuple::new(module.py(), THEMES.iter().map(|&(name, _)| name))?)?;
    module.add_class::<LineTheme>()?;
    module.add_function(wrap_pyfunction!(line_themes, module)?)?;
    Ok(())
}
