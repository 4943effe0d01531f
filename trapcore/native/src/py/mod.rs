//! The one room that knows Python. It converts, releases the GIL, and turns errors into those of `trapcore.errors`.
//! Positions and measures here, games in `games`.

mod games;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use shakmaty::Position;

use crate::labels::{Labels, Naming};
use crate::mate::{MateProof, PROVER_VERSION, Prover};
use crate::measures::{self, Base, Unpaired};
use crate::position::{self, BadPosition, Setting};
use crate::tree::{self, FINGERPRINT_VERSION, Plies2};

impl From<BadPosition> for PyErr {
    fn from(error: BadPosition) -> PyErr {
        Python::attach(|py| {
            let raise = || -> PyResult<PyErr> {
                let class = py.import("trapcore.errors")?.getattr("PositionError")?;
                Ok(PyErr::from_value(class.call1((error.to_string(), error.fen()))?))
            };
            raise().unwrap_or_else(|e| e)
        })
    }
}

fn labels(name: &str, captures: bool) -> PyResult<Labels> {
    let naming = match name {
        "uci" => Naming::Uci,
        "san" => Naming::San,
        _ => return Err(PyValueError::new_err(format!("labels are 'uci' or 'san', not {name:?}"))),
    };
    Ok(Labels { naming, captures })
}

fn depth(depth: u32) -> PyResult<u32> {
    if (1..=tree::MAX_DEPTH).contains(&depth) {
        Ok(depth)
    } else {
        Err(PyValueError::new_err(format!("depth is 1 to {}, not {depth}", tree::MAX_DEPTH)))
    }
}

fn pair(a: &str, b: &str) -> Result<(Setting, Setting), BadPosition> {
    Ok((position::parse(a)?, position::parse(b)?))
}

#[pyfunction]
fn epd(fen: &str) -> PyResult<String> {
    Ok(position::epd(&position::parse(fen)?.chess))
}

#[pyfunction]
fn position_key<'py>(py: Python<'py>, fen: &str) -> PyResult<Bound<'py, PyBytes>> {
    Ok(PyBytes::new(py, &position::position_key(&position::parse(fen)?.chess)))
}

#[pyfunction]
fn fingerprint<'py>(py: Python<'py>, fen: &str) -> PyResult<Bound<'py, PyBytes>> {
    let setting = position::parse(fen)?;
    let mut plies = Plies2::default();
    plies.expand(&setting.chess, setting.mode);
    Ok(PyBytes::new(py, &tree::pack(&plies.label_bits())))
}

#[pyfunction]
fn perft(py: Python<'_>, fen: &str, depth: u32) -> PyResult<u64> {
    let setting = position::parse(fen)?;
    Ok(py.detach(|| tree::perft(&setting.chess, depth)))
}

#[pyfunction]
fn continuations(py: Python<'_>, a: &str, b: &str, depth: u32, labels: &str, captures: bool) -> PyResult<f64> {
    let ((a, b), labels, depth) = (pair(a, b)?, self::labels(labels, captures)?, self::depth(depth)?);
    Ok(py.detach(|| measures::continuations(&a, &b, depth, labels)))
}

#[pyfunction]
fn sequences(py: Python<'_>, a: &str, b: &str, depth: u32, labels: &str, captures: bool) -> PyResult<f64> {
    let ((a, b), labels, depth) = (pair(a, b)?, self::labels(labels, captures)?, self::depth(depth)?);
    Ok(py.detach(|| measures::sequence_similarity(&a, &b, depth, labels)))
}

#[pyfunction]
#[allow(clippy::too_many_arguments)] // the options of one measure, named on the Python side
fn structural(
    py: Python<'_>,
    a: &str,
    b: &str,
    base: &str,
    depth: u32,
    labels: &str,
    captures: bool,
    unpaired: &str,
) -> PyResult<f64> {
    let ((a, b), labels, depth) = (pair(a, b)?, self::labels(labels, captures)?, self::depth(depth)?);
    let base = match base {
        "continuations" => Base::Continuations,
        "sequences" => Base::Sequences,
        _ => return Err(PyValueError::new_err(format!("base is 'continuations' or 'sequences', not {base:?}"))),
    };
    let unpaired = match unpaired {
        "formula" => Unpaired::Formula,
        "pad" => Unpaired::Pad,
        _ => return Err(PyValueError::new_err(format!("unpaired is 'formula' or 'pad', not {unpaired:?}"))),
    };
    Ok(py.detach(|| measures::structural(&a, &b, base, depth, labels, unpaired)))
}

#[pyfunction]
fn move_count_ratio(a: &str, b: &str) -> PyResult<f64> {
    let (a, b) = pair(a, b)?;
    Ok(measures::move_count_ratio(&a, &b))
}

#[pyfunction]
fn board_similarity(a: &str, b: &str) -> PyResult<f64> {
    let (a, b) = pair(a, b)?;
    Ok(measures::board_similarity(&a.chess, &b.chess))
}

#[pyfunction]
fn tree_labels(py: Python<'_>, fen: &str, depth: u32, labels: &str, captures: bool) -> PyResult<Vec<Vec<String>>> {
    let (setting, labels, depth) = (position::parse(fen)?, self::labels(labels, captures)?, self::depth(depth)?);
    Ok(py.detach(|| tree::lines(&setting, depth, labels)))
}

type ProofParts = (&'static str, Option<u32>, Vec<String>, u64, u32);

fn proof_parts(setting: &Setting, proof: &MateProof) -> ProofParts {
    let line = proof.line.iter().map(|m| m.to_uci(setting.mode).to_string()).collect();
    (proof.verdict.name(), proof.mate_in, line, proof.nodes, proof.refuted_to)
}

/// Binary logarithm of the table of a proof asked for by itself: a million entries, 16 MB.
const TABLE_BITS: u32 = 20;

thread_local! {
    static PROVER: std::cell::RefCell<Option<Prover>> = const { std::cell::RefCell::new(None) };
}

fn prove(setting: &Setting, mate: u32, nodes: u64, first: Option<shakmaty::Move>) -> MateProof {
    PROVER.with_borrow_mut(|prover| {
        prover.get_or_insert_with(|| Prover::new(TABLE_BITS)).prove(&setting.chess, mate, nodes, first)
    })
}

#[pyfunction]
fn prove_mate(py: Python<'_>, fen: &str, mate: u32, nodes: u64) -> PyResult<ProofParts> {
    let setting = position::parse(fen)?;
    let proof = py.detach(|| prove(&setting, mate, nodes, None));
    Ok(proof_parts(&setting, &proof))
}

#[pyfunction]
fn prove_bait(
    py: Python<'_>,
    fen: &str,
    bait: &str,
    killer: Option<&str>,
    mate: u32,
    nodes: u64,
) -> PyResult<ProofParts> {
    let mut setting = position::parse(fen)?;
    let bait = position::parse_move(&setting, bait)?;
    setting.chess.play_unchecked(bait);
    let killer = killer.map(|uci| position::parse_move(&setting, uci)).transpose()?;
    let proof = py.detach(|| prove(&setting, mate, nodes, killer));
    Ok(proof_parts(&setting, &proof))
}

#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("PROVER_VERSION", PROVER_VERSION)?;
    module.add("POSITION_KEY_VERSION", position::POSITION_KEY_VERSION)?;
    module.add("FINGERPRINT_VERSION", FINGERPRINT_VERSION)?;
    module.add_function(wrap_pyfunction!(epd, module)?)?;
    module.add_function(wrap_pyfunction!(position_key, module)?)?;
    module.add_function(wrap_pyfunction!(fingerprint, module)?)?;
    module.add_function(wrap_pyfunction!(perft, module)?)?;
    module.add_function(wrap_pyfunction!(continuations, module)?)?;
    module.add_function(wrap_pyfunction!(sequences, module)?)?;
    module.add_function(wrap_pyfunction!(structural, module)?)?;
    module.add_function(wrap_pyfunction!(move_count_ratio, module)?)?;
    module.add_function(wrap_pyfunction!(board_similarity, module)?)?;
    module.add_function(wrap_pyfunction!(tree_labels, module)?)?;
    module.add_function(wrap_pyfunction!(prove_mate, module)?)?;
    module.add_function(wrap_pyfunction!(prove_bait, module)?)?;
    games::register(module)?;
    Ok(())
}
