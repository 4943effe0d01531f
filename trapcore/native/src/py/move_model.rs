//! The move model, and values of moves by short searches.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use shakmaty::{Move, Square};

use super::arguments::legal_moves;
use super::calls::spare::Spare;
use super::calls::{Cancellation, detached};
use crate::chess::position::{self, GamePosition};
use crate::move_model::{self, Chooser, features};
use crate::search::stop::StopFlag;
use crate::trap_test::Tester;

/// Testers with tables of a binary logarithm, which are emptied before each search.
struct Testers(u32, Spare<Tester>);

/// For short searches, and for those of mining, which are shorter.
static TESTERS: Testers = Testers(13, Spare::new());
static SHALLOW_TESTERS: Testers = Testers(12, Spare::new());

impl Testers {
    fn lend<T>(&self, stop_flag: &StopFlag, work: impl FnOnce(&mut Tester) -> T) -> T {
        self.1.lend(
            || Tester::new(1, self.0),
            |tester| {
                tester.set_stop_flag(stop_flag);
                work(tester)
            },
        )
    }
}

fn square(name: Option<&str>) -> PyResult<Option<Square>> {
    name.map(|name| name.parse().map_err(|_| PyValueError::new_err(format!("no such square: {name:?}")))).transpose()
}

/// Each move with its probability, the likeliest first.
#[pyfunction]
#[pyo3(signature = (fen, last, rating, engine = false))]
pub(super) fn move_probabilities(
    py: Python<'_>,
    fen: &str,
    last: Option<&str>,
    rating: f64,
    engine: bool,
) -> PyResult<Vec<(String, f64)>> {
    let (position, last) = (position::parse(fen)?, square(last)?);
    let chooser = if engine { Chooser::Engine } else { Chooser::Person };
    let found = detached(py, None, None, |stop_flag| {
        TESTERS.lend(stop_flag, |tester| move_model::probabilities(tester, &position.chess, last, rating, chooser))
    })?;
    Ok(found.into_iter().map(|(m, p)| (m.to_uci(position.mode).to_string(), p)).collect())
}

/// The moves that tempt by their looks, those of the better rank first.
#[pyfunction]
pub(super) fn tempting_moves(py: Python<'_>, fen: &str) -> PyResult<Vec<String>> {
    let position = position::parse(fen)?;
    let found =
        detached(py, None, None, |stop_flag| TESTERS.lend(stop_flag, |tester| tester.tempting(&position.chess)))?;
    Ok(found.into_iter().map(|(_, _, m)| m.to_uci(position.mode).to_string()).collect())
}

/// Position, where the last move went, and the move that was played.
type Decision = (String, Option<String>, String);

/// For each decision the number of moves, which of them was played, and the features in 32-bit floats.
#[pyfunction]
pub(super) fn move_features<'py>(
    py: Python<'py>,
    decisions: Vec<Decision>,
) -> PyResult<Vec<(usize, usize, Bound<'py, PyBytes>)>> {
    let decisions = decisions
        .iter()
        .map(|(fen, last, played)| {
            let position = position::parse(fen)?;
            let played = position::parse_move(&position, played)?;
            Ok((position, square(last.as_deref())?, played))
        })
        .collect::<PyResult<Vec<(GamePosition, Option<Square>, Move)>>>()?;
    let found = detached(py, None, None, |stop_flag| {
        TESTERS.lend(stop_flag, |tester| {
            let mut out = Vec::with_capacity(decisions.len());
            for (position, last, played) in &decisions {
                let seen = features::features(tester, &position.chess, *last);
                if tester.is_stopped() {
                    break;
                }
                let at = seen.iter().position(|(m, _)| m == played).unwrap_or(0);
                let bytes: Vec<u8> = seen.iter().flat_map(|(_, x)| x.iter().flat_map(|x| x.to_ne_bytes())).collect();
                out.push((seen.len(), at, bytes));
            }
            out
        })
    })?;
    Ok(found.into_iter().map(|(count, at, bytes)| (count, at, PyBytes::new(py, &bytes))).collect())
}

/// Win chance of a position with the best move, that move, and for each move asked about its win chance and the answer.
type MoveValues = (f64, Option<String>, Vec<(f64, Option<String>)>);

/// Values of moves as short searches see them.
#[pyfunction]
#[pyo3(signature = (cases, nodes, stop = None))]
pub(super) fn move_values(
    py: Python<'_>,
    cases: Vec<(String, Vec<String>)>,
    nodes: u64,
    stop: Option<&Cancellation>,
) -> PyResult<Vec<MoveValues>> {
    valued(py, &TESTERS, cases, nodes, stop)
}

/// Win chance that each move costs, and the answer to it.
type Losses = Vec<(f64, Option<String>)>;

/// What moves cost as shallow searches see them.
#[pyfunction]
pub(super) fn losses(
    py: Python<'_>,
    cases: Vec<(String, Vec<String>)>,
    nodes: u64,
    stop: Option<&Cancellation>,
) -> PyResult<Vec<Losses>> {
    let cost =
        |(best, _, values): MoveValues| values.into_iter().map(|(value, answer)| (best - value, answer)).collect();
    Ok(valued(py, &SHALLOW_TESTERS, cases, nodes, stop)?.into_iter().map(cost).collect())
}

/// Positions with the values of moves in each; fewer if it was stopped.
fn valued(
    py: Python<'_>,
    testers: &Testers,
    cases: Vec<(String, Vec<String>)>,
    nodes: u64,
    stop: Option<&Cancellation>,
) -> PyResult<Vec<MoveValues>> {
    let parsed = |(fen, moves): &(String, Vec<String>)| {
        let position = position::parse(fen)?;
        let moves = legal_moves(&position, moves)?;
        Ok((position, moves))
    };
    let cases = cases.iter().map(parsed).collect::<PyResult<Vec<(GamePosition, Vec<Move>)>>>()?;
    detached(py, None, stop, |stop_flag| {
        testers.lend(stop_flag, |tester| {
            let mut out = Vec::with_capacity(cases.len());
            for (position, moves) in &cases {
                let uci = |m: Move| m.to_uci(position.mode).to_string();
                let (best, first, values) = tester.values(&position.chess, moves, nodes);
                if tester.is_stopped() {
                    break;
                }
                let values = values.into_iter().map(|(value, answer)| (value, answer.map(uci))).collect();
                out.push((best, first.map(uci), values));
            }
            out
        })
    })
}
