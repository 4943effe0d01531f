//! Causes of losing moves.

use pyo3::prelude::*;
use shakmaty::{Move, Square};

use crate::chess::moves::after;
use crate::chess::position::{self, GamePosition};
use crate::py::arguments::product_error;
use crate::py::calls::spare::Spare;
use crate::py::calls::{Cancellation, detached};
use crate::py::pickle::impl_pickle;
use crate::themes::causes::mistake::Question;
use crate::themes::causes::threats::Passes;
use crate::themes::causes::{Cause, Explanation, explain};

impl_pickle! {
    #[pyclass(frozen, get_all, name = "Cause", module = "trapcore._native")]
    pub(crate) struct PyCause {
        name: String,
        squares: Vec<String>,
    }
}

impl_pickle! {
    #[pyclass(frozen, get_all, name = "Explanation", module = "trapcore._native")]
    pub(crate) struct PyExplanation {
        causes: Vec<Py<PyCause>>,
        mechanism: String,
        place: String,
    }
}

fn names(squares: &[Square]) -> Vec<String> {
    squares.iter().map(ToString::to_string).collect()
}

pub(crate) fn explanation(py: Python<'_>, found: &Explanation) -> PyResult<Py<PyExplanation>> {
    let cause = |cause: &Cause| Py::new(py, PyCause { name: cause.name.to_owned(), squares: names(&cause.squares) });
    let mechanism = &found.mechanism;
    Py::new(
        py,
        PyExplanation {
            causes: found.causes.iter().map(cause).collect::<PyResult<_>>()?,
            mechanism: mechanism.key(),
            place: mechanism.place(),
        },
    )
}

/// FEN, bait, killer line, best line, win chances with the best move and with the bait, moves to mate.
type MistakeParts = (String, String, Vec<String>, Vec<String>, Option<f64>, Option<f64>, Option<u32>);

struct Read {
    position: GamePosition,
    bait: Move,
    killer_line: Vec<Move>,
    best_line: Vec<Move>,
    before: Option<f64>,
    after: Option<f64>,
    mate_in: Option<u32>,
}

fn read((fen, bait, killers, best, before, after_, mate_in): MistakeParts) -> PyResult<Read> {
    let position = position::parse(&fen)?;
    let bait = position::parse_move(&position, &bait)?;
    let baited = GamePosition { chess: after(&position.chess, bait), mode: position.mode };
    let killer_line = position::parse_line(&baited, killers.iter().map(String::as_str))?;
    if killer_line.is_empty() {
        return Err(product_error("InputError", &["a losing move has an answer at least".to_owned()]));
    }
    let best_line = position::parse_line(&position, best.iter().map(String::as_str))?;
    Ok(Read { position, bait, killer_line, best_line, before, after: after_, mate_in })
}

static PASSES: Spare<Passes> = Spare::new();

/// Why losing moves lose, in their order.
#[pyfunction]
#[pyo3(signature = (mistakes, stop = None))]
pub(crate) fn explain_mistakes(
    py: Python<'_>,
    mistakes: Vec<MistakeParts>,
    stop: Option<&Cancellation>,
) -> PyResult<Vec<Py<PyExplanation>>> {
    let mistakes = mistakes.into_iter().map(read).collect::<PyResult<Vec<_>>>()?;
    let found = detached(py, None, stop, |stop_flag| {
        PASSES.lend(Passes::default, |passes| {
            passes.set_stop_flag(stop_flag);
            mistakes.iter().map(|each| explain(each.question(), passes)).collect::<Vec<_>>()
        })
    })?;
    found.iter().map(|found| explanation(py, found)).collect()
}

impl Read {
    fn question(&self) -> Question<'_> {
        Question {
            position: &self.position.chess,
            bait: self.bait,
            killer_line: &self.killer_line,
            best_line: &self.best_line,
            before: self.before,
            after: self.after,
            mate_in: self.mate_in,
        }
    }
}
