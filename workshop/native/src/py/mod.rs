//! The interface to Python.
//!
//! | module | what it holds |
//! |---|---|
//! | `calls` | how long calls are made: they end early |
//! | `local_search` | local searches of games |
//! | `monte_carlo` | Monte Carlo tree search of games |

#![allow(clippy::too_many_arguments)] // Python names them

mod calls;
mod local_search;
mod monte_carlo;

use native::workshop::{
    BadPosition, FEATURES, GamePosition, MATERIALS, Network, ROWS, Random, Sink, collect, parse, parse_move, phase,
    scale,
};
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;
use shakmaty::{Color, Move, Position};

use crate::record::{Record, SIZE, is_quiet};
use crate::retrograde::{Distances, packed};
use crate::sample::questions;
use crate::trainer::{Pass, Trainer};
use crate::{baselines, engine};

#[pymodule]
mod _core {
    #[pymodule_export]
    const RECORD_BYTES: usize = crate::record::SIZE;
    #[pymodule_export]
    const LOCALITY_PAYS: f64 = crate::game_search::local_search::distance::PAYS;
    #[pymodule_export]
    const MOST_MOVES: usize = crate::game_search::local_search::distance::MOST_MOVES;
    #[pymodule_export]
    use super::local_search::{LocalSearch, locality};
    #[pymodule_export]
    use super::monte_carlo::{MonteCarlo, has_evaluation, node_similarity};
    #[pymodule_export]
    use super::{
        NetworkTrainer, evaluation_features, evaluation_rows, label_positions, make_endgames, moves_until_proof,
        three_plies,
    };
}

/// Number of a game, its start (none for the usual one), and its moves as the library stores them.
type NumberedGame = (u64, Option<String>, PyBackedBytes);

/// Records of positions near those of games, valued by an engine.
#[pyfunction]
fn label_positions<'py>(
    py: Python<'py>,
    games: Vec<NumberedGame>,
    engine: &str,
    share: f64,
    seed: u64,
) -> PyResult<Bound<'py, PyBytes>> {
    if !(0.0..=1.0).contains(&share) {
        return Err(PyValueError::new_err(format!("share is 0 to 1, not {share}")));
    }
    let records = py.detach(|| {
        let asked: Vec<_> = games
            .iter()
            .flat_map(|(number, start, moves)| {
                // By the game's own number, so that a game has the same positions however the input is cut.
                let mut random = Random(seed ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
                questions(start.as_deref(), moves, share, &mut random)
            })
            .collect();
        engine::label(engine, &asked)
    });
    let records = records.map_err(|error| PyOSError::new_err(format!("{engine}: {error}")))?;
    Ok(PyBytes::new(py, &records))
}

/// A network in training, with the records that it is trained on.
#[pyclass(module = "workshop.native._core")]
struct NetworkTrainer {
    trainer: Trainer,
    records: Vec<u8>,
    /// Numbers of the records in the order of this round, and how many of them were used.
    order: Vec<u32>,
    used: usize,
    random: Random,
}

#[pymethods]
impl NetworkTrainer {
    #[new]
    #[pyo3(signature = (records, seed, start = None))]
    fn new(
        py: Python<'_>,
        records: Vec<PyBackedBytes>,
        seed: u64,
        start: Option<PyBackedBytes>,
    ) -> PyResult<NetworkTrainer> {
        let records = py.detach(|| joined(&records))?;
        let trainer = match start {
            None => Trainer::new(seed),
            Some(bytes) => {
                let network = Network::read(&bytes).map_err(|error| PyValueError::new_err(error.to_string()))?;
                Trainer::from_network(&network)
            }
        };
        let order: Vec<u32> = (0..(records.len() / SIZE) as u32).collect();
        let used = order.len();
        Ok(NetworkTrainer { trainer, records, order, used, random: Random(seed) })
    }

    #[getter]
    fn records(&self) -> usize {
        self.order.len()
    }

    /// Mean loss of `steps` steps with `batch` records each.
    fn train(&mut self, py: Python<'_>, steps: usize, batch: usize, rate: f32, threads: usize) -> f64 {
        py.detach(|| {
            let mut loss = 0.0;
            for _ in 0..steps {
                if self.used + batch > self.order.len() {
                    for index in (1..self.order.len()).rev() {
                        let other = self.random.below(index + 1);
                        self.order.swap(index, other);
                    }
                    self.used = 0;
                }
                let end = (self.used + batch).min(self.order.len());
                let numbers = &self.order[self.used..end];
                loss += self.trainer.pass(&self.records, numbers, Pass::Train { rate }, threads);
                self.used = end;
            }
            loss / steps.max(1) as f64
        })
    }

    /// Mean loss on other records.
    fn loss(&mut self, py: Python<'_>, records: PyBackedBytes, threads: usize) -> PyResult<f64> {
        let records = joined(&[records])?;
        let all: Vec<u32> = (0..(records.len() / SIZE) as u32).collect();
        Ok(py.detach(|| self.trainer.pass(&records, &all, Pass::Measure, threads)))
    }

    /// The rounded network as a file.
    fn network<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.trainer.rounded().write())
    }
}

/// The quiet ones of the records, one after the other, if all are records.
fn joined(parts: &[PyBackedBytes]) -> PyResult<Vec<u8>> {
    let mut all = Vec::with_capacity(parts.iter().map(|part| part.len()).sum());
    for part in parts {
        if part.len() % SIZE != 0 {
            return Err(not_records());
        }
        for bytes in part.chunks_exact(SIZE) {
            if is_quiet(&Record::unpack(bytes).ok_or_else(not_records)?) {
                all.extend_from_slice(bytes);
            }
        }
    }
    Ok(all)
}

fn not_records() -> PyErr {
    PyValueError::new_err("these are no training records")
}

/// Makes every table and hands its name and its outcomes to `each`, in the order of the file of tables.
#[pyfunction]
fn make_endgames(py: Python<'_>, each: &Bound<'_, PyAny>) -> PyResult<()> {
    let mut made = Distances::default();
    for (place, material) in MATERIALS.iter().enumerate() {
        let table = py.detach(|| packed(made.of(place)));
        each.call1((material.name(), PyBytes::new(py, &table)))?;
    }
    Ok(())
}

fn position(fen: &str) -> PyResult<GamePosition> {
    parse(fen).map_err(|error| PyValueError::new_err(error.to_string()))
}

/// UCI of each move, centipawns after the best reply, their mean; and the moves made on a board.
type ThreePlies = (Vec<(String, i32, i32)>, u64);

/// Each move as a search of three plies sees it.
#[pyfunction]
fn three_plies(py: Python<'_>, fen: &str) -> PyResult<ThreePlies> {
    let position = position(fen)?;
    let (moves, moves_made) = py.detach(|| baselines::three_plies(&position.chess));
    Ok((moves.iter().map(|p| (p.m.to_uci(position.mode).to_string(), p.worst, p.mean)).collect(), moves_made))
}

/// Moves made on a board until a mate is proved, with the given order of the first moves.
#[pyfunction]
fn moves_until_proof(py: Python<'_>, fen: &str, order: Vec<String>, mate: u32, most: u64) -> PyResult<Option<u64>> {
    if mate == 0 {
        return Err(PyValueError::new_err("mate must be 1 move or more"));
    }
    let position = position(fen)?;
    let order = order.iter().map(|uci| parse_move(&position, uci)).collect::<Result<Vec<Move>, BadPosition>>();
    let order = order.map_err(|error| PyValueError::new_err(error.to_string()))?;
    Ok(py.detach(|| baselines::moves_until_proof(&position.chess, &order, mate, most)))
}

/// By feature: occurrences for White less those for Black.
struct Counts([i16; FEATURES]);

impl Sink for Counts {
    fn add(&mut self, feature: usize, count: i32) {
        self.0[feature] += count as i16;
    }
}

/// Phase, scale of an endgame for White and for Black, and the counts as 16-bit integers in the machine's byte order.
#[pyfunction]
fn evaluation_features<'py>(py: Python<'py>, fen: &str) -> PyResult<(i32, i32, i32, Bound<'py, PyBytes>)> {
    let chess = position(fen)?.chess;
    let board = chess.board();
    let mut counts = Counts([0; FEATURES]);
    collect(&chess, &mut counts);
    let counts: Vec<u8> = counts.0.iter().flat_map(|count| count.to_ne_bytes()).collect();
    let scale = |white| scale(board, Color::from_white(white));
    Ok((phase(board), scale(true), scale(false), PyBytes::new(py, &counts)))
}

/// Name and length of each row of features, in the order of the counts.
#[pyfunction]
fn evaluation_rows() -> Vec<(&'static str, usize)> {
    ROWS.to_vec()
}
