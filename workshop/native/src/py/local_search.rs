//! Local search.

use std::sync::{Mutex, PoisonError};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::calls::detached;
use crate::game_search::local_search::answer::{Finding, Limits};
use crate::game_search::local_search::open::{self, AnyLocal, NamedAnswer};
use crate::game_search::local_search::rivals::Claim;

/// A local search with what it knows of its game.
#[pyclass(frozen, module = "workshop.native._core")]
pub(crate) struct LocalSearch(Mutex<Box<dyn AnyLocal>>);

/// What was found, in how many moves, the best move, the line, losing moves with their moves, moves after a tenuki, depth,
/// nodes, whether it was cancelled.
pub(super) type LocalParts =
    (String, u32, Option<String>, Vec<String>, Vec<(String, u32)>, Option<u32>, u32, u64, bool);

pub(super) fn finding_name(finding: Finding) -> &'static str {
    match finding {
        Finding::Win => "win",
        Finding::Loss => "loss",
        Finding::Nothing => "none",
    }
}

/// The reverse of [`local_parts`].
pub(super) fn answer_of(parts: LocalParts) -> PyResult<NamedAnswer> {
    let (finding, moves, best, line, losing, tenuki, depth, nodes, is_cancelled) = parts;
    let known =
        [Finding::Win, Finding::Loss, Finding::Nothing].into_iter().find(|known| finding_name(*known) == finding);
    let finding = known.ok_or_else(|| PyValueError::new_err(format!("no such finding: {finding:?}")))?;
    Ok(NamedAnswer { finding, moves, best, line, losing, tenuki, depth, nodes, is_cancelled })
}

fn local_parts(answer: NamedAnswer) -> LocalParts {
    (
        finding_name(answer.finding).to_owned(),
        answer.moves,
        answer.best,
        answer.line,
        answer.losing,
        answer.tenuki,
        answer.depth,
        answer.nodes,
        answer.is_cancelled,
    )
}

/// Whether it is won, in how many moves, nodes.
type ClaimParts = (Option<bool>, u32, u64);

fn claim_parts(claim: Claim) -> ClaimParts {
    (claim.is_won, claim.moves, claim.nodes)
}

impl LocalSearch {
    fn with<T>(&self, work: impl FnOnce(&mut Box<dyn AnyLocal>) -> T) -> T {
        // After a panic what is known is as whole as Rust's values always are.
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[pymethods]
impl LocalSearch {
    #[new]
    fn new(py: Python<'_>, game: &str, position: &str, memory: usize) -> PyResult<LocalSearch> {
        let opened = py.detach(|| open::open(game, position, memory));
        opened.map(|search| LocalSearch(Mutex::new(search))).ok_or_else(|| unreadable(game, position))
    }

    fn play(&self, py: Python<'_>, label: &str) -> bool {
        py.detach(|| self.with(|search| search.play(label)))
    }

    fn run(
        &self,
        py: Python<'_>,
        moves: u32,
        nodes: u64,
        milliseconds: Option<u64>,
        stop: Option<Py<PyAny>>,
    ) -> PyResult<LocalParts> {
        let limits = Limits { moves, nodes };
        let found = detached(py, milliseconds, stop, |stop_flag| self.with(|search| search.run(limits, stop_flag)))?;
        found.map(local_parts).ok_or_else(|| PyValueError::new_err("the game is over"))
    }

    fn alpha_beta(&self, py: Python<'_>, moves: u32, nodes: u64, milliseconds: Option<u64>) -> PyResult<ClaimParts> {
        let work = |stop_flag: &_| self.with(|search| search.alpha_beta(moves, nodes, stop_flag));
        Ok(claim_parts(detached(py, milliseconds, None, work)?))
    }

    fn proof_number(
        &self,
        py: Python<'_>,
        nodes: u64,
        positions: usize,
        milliseconds: Option<u64>,
    ) -> PyResult<ClaimParts> {
        let work = |stop_flag: &_| self.with(|search| search.proof_number(nodes, positions, stop_flag));
        Ok(claim_parts(detached(py, milliseconds, None, work)?))
    }
}

fn unreadable(game: &str, position: &str) -> PyErr {
    PyValueError::new_err(format!("{position:?} is no position of {game:?}, or the game has no goals on squares"))
}

/// Mean distance of moves, files of the focus, whether local search pays.
#[pyfunction]
pub(crate) fn locality(py: Python<'_>, game: &str, position: &str) -> Option<(f64, Option<u32>, bool)> {
    py.detach(|| open::locality_of(game, position)).map(|found| (found.mean_distance, found.focus, found.pays))
}
