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
    BadPosition, FEATURES, GamePosition, MATERIALS, Network, ROWS, Sink, collect, parse, parse_move, phase, scale,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;
use shakmaty::{Color, Move, Position};

use crate::baselines;
use crate::families::{Family, Game};
use crate::retrograde::{Distances, packed};
use crate::teacher::{Memory, Teacher};
use crate::trainer::{Trainer, TrainingData};

#[pymodule]
mod _core {
    #[pymodule_export]
    const LOCALITY_PAYS: f64 = crate::game_search::local_search::distance::PAYS;
    #[pymodule_export]
    const MOST_MOVES: usize = crate::game_search::local_search::distance::MOST_MOVES;
    #[pymodule_export]
    use super::local_search::{LocalSearch, locality};
    #[pymodule_export]
    use super::monte_carlo::{MonteCarlo, has_evaluation, node_similarity};
    #[pymodule_export]
    use super::{NetworkTrainer, evaluation_features, evaluation_rows, make_endgames, moves_until_proof, three_plies};
}

/// Number of a game, its start (none for the usual one), and its moves as the library stores them.
type NumberedGame = (u64, Option<String>, PyBackedBytes);

/// A network in training, with what it learns from.
#[pyclass(module = "workshop.native._core")]
struct NetworkTrainer {
    trainer: Trainer,
    data: TrainingData,
    seed: u64,
    steps: u64,
}

#[pymethods]
impl NetworkTrainer {
    #[new]
    #[pyo3(signature = (games, left_out, teacher, seed, start = None))]
    fn new(
        games: Vec<NumberedGame>,
        left_out: Vec<NumberedGame>,
        teacher: &[u8],
        seed: u64,
        start: Option<PyBackedBytes>,
    ) -> PyResult<NetworkTrainer> {
        let read = |games: &[NumberedGame]| -> Vec<Game> {
            games.iter().filter_map(|(_, start, moves)| Game::new(start.as_deref(), moves)).collect()
        };
        let (games, left_out) = (read(&games), read(&left_out));
        if games.is_empty() || left_out.is_empty() {
            return Err(PyValueError::new_err("there must be two games or more"));
        }
        let teacher =
            Teacher::read(teacher).ok_or_else(|| PyValueError::new_err("the engine's network is of another kind"))?;
        let trainer = match start {
            None => Trainer::new(seed),
            Some(bytes) => {
                let network = Network::read(&bytes).map_err(|error| PyValueError::new_err(error.to_string()))?;
                Trainer::from_network(&network)
            }
        };
        Ok(NetworkTrainer { trainer, data: TrainingData { games, left_out, teacher }, seed, steps: 0 })
    }

    /// Mean loss of `steps` steps with `batch` positions each.
    fn train(&mut self, py: Python<'_>, steps: usize, batch: usize, rate: f32, threads: usize) -> f64 {
        py.detach(|| {
            let mut loss = 0.0;
            for _ in 0..steps {
                self.steps += 1;
                let seed = self.seed << 32 ^ self.steps;
                loss += self.trainer.step(&self.data, batch, rate, threads, seed);
            }
            loss / steps.max(1) as f64
        })
    }

    /// Mean loss on games that were left out.
    fn loss(&mut self, py: Python<'_>, positions: usize, threads: usize) -> f64 {
        py.detach(|| self.trainer.loss(&self.data, positions, threads, 0))
    }

    /// The rounded network as a file.
    fn network<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.trainer.rounded().write())
    }

    /// What the teacher says of a position.
    fn taught(&self, fen: &str) -> PyResult<i16> {
        let chess = position(fen)?.chess;
        let family = Family::alone(chess.board().clone(), chess.turn());
        Ok(self.data.teacher.values(&family, &mut Memory::new())[0])
    }
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
