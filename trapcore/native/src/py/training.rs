//! Training of the network.

use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;
use shakmaty::CastlingMode;

use super::games::PyBatch;
use crate::pgn::records::games;
use crate::search::network::Network;
use crate::training::engine;
use crate::training::random::Random;
use crate::training::record::{Record, SIZE, is_quiet};
use crate::training::sample::questions;
use crate::training::trainer::{Pass, Trainer};

/// Records of positions near those of a batch of games, valued by an engine. Games with an even number are held out;
/// they are examined alone if that is wanted.
#[pyfunction]
#[pyo3(signature = (batch, engine, *, share, seed, held_out = false))]
fn label_positions<'py>(
    py: Python<'py>,
    batch: &PyBatch,
    engine: &str,
    share: f64,
    seed: u64,
    held_out: bool,
) -> PyResult<Bound<'py, PyBytes>> {
    if !(0.0..=1.0).contains(&share) {
        return Err(PyValueError::new_err(format!("share is 0 to 1, not {share}")));
    }
    let records = py.detach(|| {
        let mut asked = Vec::new();
        for (piece, game) in games(&batch.0) {
            let Ok(game) = game else { continue };
            if game.mode == CastlingMode::Standard && piece.number.is_multiple_of(2) == held_out {
                // By the game's own number, so that a game has the same positions however the input is cut.
                let mut random = Random(seed ^ piece.number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
                asked.extend(questions(&game, share, &mut random));
            }
        }
        engine::label(engine, &asked)
    });
    let records = records.map_err(|error| PyOSError::new_err(format!("{engine}: {error}")))?;
    Ok(PyBytes::new(py, &records))
}

/// A network in training, with the records that it is trained on.
#[pyclass(name = "NetworkTrainer", module = "trapcore._native")]
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

/// Adds the functions and classes of this file to the module.
pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("RECORD_BYTES", SIZE)?;
    module.add_function(wrap_pyfunction!(label_positions, module)?)?;
    module.add_class::<NetworkTrainer>()
}
