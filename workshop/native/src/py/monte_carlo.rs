//! Monte Carlo tree search.

use std::sync::{Mutex, PoisonError};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::calls::detached;
use super::local_search::{LocalParts, answer_of, finding_name};
use crate::game_search::monte_carlo::answer::Answer;
use crate::game_search::monte_carlo::hints::Seen;
use crate::game_search::monte_carlo::open::{self, AnySearch};
use crate::game_search::monte_carlo::options::{AllMovesAsFirst, Measure, Options, PlayoutPolicy, Sharing};

/// A search with its tree, which is kept from move to move.
#[pyclass(frozen, module = "workshop.native._core")]
pub(crate) struct MonteCarlo(Mutex<Box<dyn AnySearch>>);

/// Moves with their playouts, values, proofs and hints, the best first; line, playouts, nodes, fingerprints, what local
/// search saw, whether it was cancelled, whether the tree is full.
type AnswerParts =
    (Vec<(String, u32, f32, Option<i8>, i8)>, Vec<String>, u64, usize, usize, Vec<SeenParts>, bool, bool);

/// The move to a position, what was found there and in how many moves, the line, losing moves, moves after a tenuki.
type SeenParts = (Option<String>, &'static str, u32, Vec<String>, Vec<String>, Option<u32>);

fn seen_parts(seen: Seen) -> SeenParts {
    (seen.after, finding_name(seen.finding), seen.moves, seen.line, seen.losing, seen.tenuki)
}

fn answer_parts(answer: Answer) -> AnswerParts {
    (
        answer.moves.into_iter().map(|m| (m.label, m.playouts, m.value, m.proof, m.hint)).collect(),
        answer.line,
        answer.playouts,
        answer.nodes,
        answer.fingerprints,
        answer.seen.into_iter().map(seen_parts).collect(),
        answer.is_cancelled,
        answer.is_full,
    )
}

/// The measure, the least similarity, playouts before the fingerprint, and what is shared: moves, killers, counterparts.
type SharingParts = (String, f32, u32, bool, bool, bool);

fn unreadable(game: &str, position: &str) -> PyErr {
    PyValueError::new_err(format!("{position:?} is no position of {game:?}"))
}

fn over() -> PyErr {
    PyValueError::new_err("the game is over")
}

fn measure(name: &str) -> PyResult<Measure> {
    match name {
        "continuations" => Ok(Measure::Continuations),
        "sequences" => Ok(Measure::Sequences),
        "tanimoto" => Ok(Measure::Tanimoto),
        "structural" => Ok(Measure::Structural),
        "tree-edit" => Ok(Measure::TreeEdit),
        "abstracted" => Ok(Measure::Abstracted),
        _ => Err(PyValueError::new_err(format!("no such measure: {name:?}"))),
    }
}

impl MonteCarlo {
    fn with<T>(&self, work: impl FnOnce(&mut Box<dyn AnySearch>) -> T) -> T {
        // After a panic the tree is as whole as Rust's values always are.
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[pymethods]
impl MonteCarlo {
    #[new]
    #[pyo3(signature = (game, position, seed, memory, *, exploration, solver, decisive, mast, history, all_moves, grave,
        only_decisive, bias, minimax, sharing, local))]
    fn new(
        game: &str,
        position: &str,
        seed: u64,
        memory: usize,
        exploration: f32,
        solver: bool,
        decisive: bool,
        mast: Option<f64>,
        history: f32,
        all_moves: bool,
        grave: Option<u32>,
        only_decisive: bool,
        bias: f32,
        minimax: f32,
        sharing: Option<SharingParts>,
        local: bool,
    ) -> PyResult<MonteCarlo> {
        let sharing = match sharing {
            Some((name, least, playouts, moves, killers, counterparts)) => {
                Some(Sharing { measure: measure(&name)?, least, playouts, moves, killers, counterparts })
            }
            None => None,
        };
        let all_moves = match (all_moves, grave) {
            (_, Some(playouts)) => AllMovesAsFirst::Grave { playouts },
            (true, None) => AllMovesAsFirst::Rave,
            (false, None) => AllMovesAsFirst::Off,
        };
        let playouts = mast.map_or(PlayoutPolicy::Random, |random| PlayoutPolicy::Mast { random });
        let options = Options {
            exploration,
            solver,
            decisive,
            playouts,
            history,
            all_moves,
            only_decisive,
            bias,
            minimax,
            sharing,
            local,
            memory,
        };
        let search = open::open(game, position, options, seed).ok_or_else(|| unreadable(game, position))?;
        Ok(MonteCarlo(Mutex::new(search)))
    }

    fn run(
        &self,
        py: Python<'_>,
        playouts: u64,
        milliseconds: Option<u64>,
        stop: Option<Py<PyAny>>,
    ) -> PyResult<AnswerParts> {
        let by_playouts = milliseconds.is_none();
        let work = |stop_flag: &_| self.with(|search| search.run(playouts, by_playouts, stop_flag));
        let found = detached(py, milliseconds, stop, work)?;
        found.map(answer_parts).ok_or_else(over)
    }

    fn play(&self, py: Python<'_>, label: &str) -> bool {
        py.detach(|| self.with(|search| search.play(label)))
    }

    /// The move to a position that a local search elsewhere should examine, and nodes to spend; none if there is none.
    fn question(&self, py: Python<'_>, width: usize) -> Option<(Option<String>, u64)> {
        py.detach(|| self.with(|search| search.question(width)))
    }

    fn forget_questions(&self, py: Python<'_>) {
        py.detach(|| self.with(|search| search.forget_questions()));
    }

    fn hint(&self, py: Python<'_>, after: Option<&str>, nodes: u64, answer: LocalParts) -> PyResult<()> {
        let answer = answer_of(answer)?;
        let is_known = py.detach(|| self.with(|search| search.hint(after, nodes, answer)));
        if is_known { Ok(()) } else { Err(PyValueError::new_err("this was not asked, or its moves are not legal")) }
    }

    fn labels(&self, py: Python<'_>) -> Vec<String> {
        py.detach(|| self.with(|search| search.labels()))
    }

    fn result(&self, py: Python<'_>) -> Option<f32> {
        py.detach(|| self.with(|search| search.result()))
    }

    fn random_playouts(&self, py: Python<'_>, count: u64) -> PyResult<f64> {
        py.detach(|| self.with(|search| search.random_playouts(count))).ok_or_else(over)
    }
}

#[pyfunction]
pub(crate) fn has_evaluation(game: &str, position: &str) -> PyResult<bool> {
    open::has_evaluation(game, position).ok_or_else(|| unreadable(game, position))
}

#[pyfunction]
pub(crate) fn node_similarity(game: &str, first: &str, second: &str, by: &str) -> PyResult<f32> {
    let by = measure(by)?;
    open::compare(game, first, second, by)
        .ok_or_else(|| PyValueError::new_err(format!("no two positions of {game:?}: {first:?}, {second:?}")))
}
