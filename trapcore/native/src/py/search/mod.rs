//! Mate proofs, the search, and the trap test, with the tables that each thread keeps.

mod local_search;
mod monte_carlo;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use shakmaty::Move;
use shakmaty::uci::UciMove;

use crate::chess::moves::{after, move_code};
use crate::chess::position::{self, GamePosition};
use crate::judge::model::GREATEST_SIMILARITY;
use crate::mate::{MateProof, PROVER_VERSION, Prover};
use crate::py::arguments::legal_moves;
use crate::py::calls::spare::Spare;
use crate::py::calls::{Cancellation, detached};
use crate::search::score::{MATE, MATE_BOUND, mate_distance};
use crate::search::static_value::Evaluation;
use crate::search::stop::StopFlag;
use crate::search::{Limits, Pruning, SearchRequest, Searcher, key_of};
use crate::trap_test::{
    self, BaitTest, Depth, LOSS, MISTAKE, TEMPTING_GAIN, TEMPTING_RANK, TESTER_VERSION, TOLD, Tester, WIN_CHANCE_SCALE,
};

type ProofParts = (&'static str, Option<u32>, Vec<String>, u64, u32);

fn proof_parts(position: &GamePosition, proof: &MateProof) -> ProofParts {
    let line = proof.line.iter().map(|m| m.to_uci(position.mode).to_string()).collect();
    (proof.verdict.name(), proof.mate_in, line, proof.nodes, proof.refuted_to)
}

/// Binary logarithm of the tables for questions that come one by one: a million entries and 16 MB each.
const TABLE_BITS: u32 = 20;

static PROVERS: Spare<Prover> = Spare::new();
static TESTERS: Spare<Tester> = Spare::new();

/// Works with tables of the prover.
pub(crate) fn with_prover<T>(stop_flag: &StopFlag, work: impl FnOnce(&mut Prover) -> T) -> T {
    PROVERS.lend(
        || Prover::new(TABLE_BITS),
        |prover| {
            prover.stop_flag = stop_flag.clone();
            work(prover)
        },
    )
}

/// Works with tables of the prover and of the search.
fn with_tester<T>(stop_flag: &StopFlag, work: impl FnOnce(&mut Tester) -> T) -> T {
    TESTERS.lend(
        || Tester { prover: Prover::new(TABLE_BITS), searcher: Searcher::new(TABLE_BITS) },
        |tester| {
            tester.set_stop_flag(stop_flag);
            work(tester)
        },
    )
}

#[pyfunction]
#[pyo3(signature = (fen, mate, nodes, milliseconds, stop, first = Vec::new()))]
fn prove_mate(
    py: Python<'_>,
    fen: &str,
    mate: u32,
    nodes: u64,
    milliseconds: Option<u64>,
    stop: Option<&Cancellation>,
    first: Vec<String>,
) -> PyResult<ProofParts> {
    let position = position::parse(fen)?;
    let first = legal_moves(&position, &first)?;
    let proof = detached(py, milliseconds, stop, |stop_flag| {
        with_prover(stop_flag, |prover| prover.prove(&position.chess, mate, nodes, &first))
    })?;
    Ok(proof_parts(&position, &proof))
}

#[pyfunction]
#[allow(clippy::too_many_arguments)] // the question and its budget
fn prove_bait(
    py: Python<'_>,
    fen: &str,
    bait: &str,
    killers: Vec<String>,
    mate: u32,
    nodes: u64,
    milliseconds: Option<u64>,
    stop: Option<&Cancellation>,
) -> PyResult<ProofParts> {
    let position = position::parse(fen)?;
    let (_, baited, killers) = bait_and_killers(&position, bait, &killers)?;
    let proof = detached(py, milliseconds, stop, |stop_flag| {
        with_prover(stop_flag, |prover| prover.prove(&baited.chess, mate, nodes, &killers))
    })?;
    Ok(proof_parts(&baited, &proof))
}

/// The bait, the position after it, and the answers to try first.
fn bait_and_killers(
    position: &GamePosition,
    bait: &str,
    killers: &[String],
) -> PyResult<(Move, GamePosition, Vec<Move>)> {
    let bait = position::parse_move(position, bait)?;
    let baited = GamePosition { chess: after(&position.chess, bait), mode: position.mode };
    let killers = legal_moves(&baited, killers)?;
    Ok((bait, baited, killers))
}

/// Value in centipawns, moves to mate or none, depth, line, nodes.
type SearchParts = (i32, Option<i32>, u32, Vec<String>, u64);

#[pyfunction]
#[pyo3(signature = (fen, moves, depth, nodes, milliseconds, stop, first = Vec::new(), only = Vec::new(), evaluation = "network"))]
#[allow(clippy::too_many_arguments)] // the question and its budget
fn search(
    py: Python<'_>,
    fen: &str,
    moves: Vec<String>,
    depth: u32,
    nodes: u64,
    milliseconds: Option<u64>,
    stop: Option<&Cancellation>,
    first: Vec<String>,
    only: Vec<String>,
    evaluation: &str,
) -> PyResult<SearchParts> {
    let evaluation = Evaluation::named(evaluation)
        .ok_or_else(|| PyValueError::new_err(format!("no evaluation \"{evaluation}\"")))?;
    let mut position = position::parse(fen)?;
    let mut game = Vec::with_capacity(moves.len());
    for uci in &moves {
        let played = position::parse_move(&position, uci)?;
        game.push(key_of(&position.chess));
        position.chess = after(&position.chess, played);
    }
    let (first, only) = (legal_moves(&position, &first)?, legal_moves(&position, &only)?);
    let limits = Limits { depth, nodes };
    let found = detached(py, milliseconds, stop, |stop_flag| {
        with_tester(stop_flag, |tester| {
            let request = SearchRequest { only: &only, first: &first, game: &game, window: None };
            tester.searcher.clear();
            tester.searcher.evaluator.evaluation = evaluation;
            let found = tester.searcher.search(&position.chess, request, limits, Pruning::Selective, |_| true);
            tester.searcher.evaluator.evaluation = Evaluation::default();
            found
        })
    })?;
    let line = found.line.iter().map(|m| m.to_uci(position.mode).to_string()).collect();
    Ok((found.value, mate_distance(found.value), found.depth, line, found.nodes))
}

/// The answers of the trap test for one bait.
#[pyclass(frozen, get_all, name = "BaitTest", module = "trapcore._native")]
struct PyBaitTest {
    bait: String,
    forced: bool,
    verdict: &'static str,
    mate_in: Option<u32>,
    best: Option<String>,
    line: Vec<String>,
    loss: f64,
    depths: Vec<(u32, i32, i32)>,
    rank: usize,
    gain: i32,
    tempts: bool,
    nodes: u64,
}

fn bait_test(position: &GamePosition, test: BaitTest) -> PyBaitTest {
    let uci = |m: &Move| m.to_uci(position.mode).to_string();
    PyBaitTest {
        bait: uci(&test.bait),
        forced: test.forced,
        verdict: test.verdict.name(),
        mate_in: test.mate_in,
        best: test.best.as_ref().map(uci),
        line: test.line.iter().map(uci).collect(),
        loss: test.loss,
        depths: test.depths.iter().map(|d| (d.depth, d.bait, d.best)).collect(),
        rank: test.rank,
        gain: test.gain,
        tempts: test.tempts(),
        nodes: test.nodes,
    }
}

#[pyfunction]
#[allow(clippy::too_many_arguments)] // the question and its budget
fn test_bait(
    py: Python<'_>,
    fen: &str,
    bait: &str,
    killers: Vec<String>,
    depth: u32,
    nodes: u64,
    milliseconds: Option<u64>,
    stop: Option<&Cancellation>,
) -> PyResult<PyBaitTest> {
    let position = position::parse(fen)?;
    let (bait, _, killers) = bait_and_killers(&position, bait, &killers)?;
    let limits = Limits { depth, nodes };
    let test = detached(py, milliseconds, stop, |stop_flag| {
        with_tester(stop_flag, |tester| tester.test(&position.chess, bait, &killers, limits))
    })?;
    Ok(bait_test(&position, test))
}

/// Tests several baits of one position, each against the best of the other moves.
#[pyfunction]
fn test_baits(
    py: Python<'_>,
    fen: &str,
    baits: Vec<String>,
    depth: u32,
    nodes: u64,
    milliseconds: Option<u64>,
    stop: Option<&Cancellation>,
) -> PyResult<Vec<PyBaitTest>> {
    let position = position::parse(fen)?;
    let baits = legal_moves(&position, &baits)?;
    let limits = Limits { depth, nodes };
    let tests = detached(py, milliseconds, stop, |stop_flag| {
        with_tester(stop_flag, |tester| tester.test_together(&position.chess, &baits, limits))
    })?;
    Ok(tests.into_iter().map(|test| bait_test(&position, test)).collect())
}

#[pyfunction]
fn find_baits(
    py: Python<'_>,
    fen: &str,
    depth: u32,
    nodes: u64,
    milliseconds: Option<u64>,
    stop: Option<&Cancellation>,
) -> PyResult<Vec<PyBaitTest>> {
    let position = position::parse(fen)?;
    let limits = Limits { depth, nodes };
    let tests = detached(py, milliseconds, stop, |stop_flag| {
        with_tester(stop_flag, |tester| tester.baits(&position.chess, limits))
    })?;
    Ok(tests.into_iter().map(|test| bait_test(&position, test)).collect())
}

/// What values by depth say about a bait: the verdict, and the win chance that it costs at the last of them.
#[pyfunction]
fn judge_depths(depths: Vec<(u32, i32, i32)>) -> (&'static str, f64) {
    let depths: Vec<Depth> = depths.into_iter().map(|(depth, bait, best)| Depth { depth, bait, best }).collect();
    (trap_test::verdict_at(&depths).name(), depths.last().map_or(0.0, Depth::loss))
}

#[pyfunction]
fn first_sight(py: Python<'_>, fen: &str, bait: &str) -> PyResult<(usize, i32)> {
    let position = position::parse(fen)?;
    let bait = move_code(position::parse_move(&position, bait)?);
    let seen = detached(py, None, None, |stop_flag| {
        with_tester(stop_flag, |tester| tester.temptation(&position.chess).remove(&bait))
    })?;
    // A legal move has a rank.
    Ok(seen.unwrap_or((usize::MAX, 0)))
}

#[pyfunction]
fn bait_profile(py: Python<'_>, fen: &str, bait: &str, depth: u32) -> PyResult<Vec<(u32, usize, i32, i32)>> {
    let position = position::parse(fen)?;
    let bait = position::parse_move(&position, bait)?;
    detached(py, None, None, |stop_flag| with_tester(stop_flag, |tester| tester.profile(&position.chess, bait, depth)))
}

#[pyfunction]
fn static_ranking(py: Python<'_>, fen: &str) -> PyResult<Vec<(String, i32)>> {
    let position = position::parse(fen)?;
    let text = |m| UciMove::from_move(m, position.mode).to_string();
    Ok(py
        .detach(|| trap_test::static_ranking(&position.chess).into_iter().map(|(value, m)| (text(m), value)).collect()))
}

/// Adds the functions of this file to the module.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("PROVER_VERSION", PROVER_VERSION)?;
    module.add("TESTER_VERSION", TESTER_VERSION)?;
    module.add("LOSS", LOSS)?;
    module.add("GREATEST_SIMILARITY", GREATEST_SIMILARITY)?;
    module.add("MISTAKE", MISTAKE)?;
    module.add("TOLD", TOLD)?;
    module.add("TEMPTING_RANK", TEMPTING_RANK)?;
    module.add("TEMPTING_GAIN", TEMPTING_GAIN)?;
    module.add("WIN_CHANCE_SCALE", WIN_CHANCE_SCALE)?;
    module.add("MATE", MATE)?;
    module.add("MATE_BOUND", MATE_BOUND)?;
    module.add_function(wrap_pyfunction!(prove_mate, module)?)?;
    module.add_function(wrap_pyfunction!(prove_bait, module)?)?;
    module.add_function(wrap_pyfunction!(search, module)?)?;
    module.add_function(wrap_pyfunction!(test_bait, module)?)?;
    module.add_function(wrap_pyfunction!(test_baits, module)?)?;
    module.add_function(wrap_pyfunction!(find_baits, module)?)?;
    module.add_function(wrap_pyfunction!(judge_depths, module)?)?;
    module.add_function(wrap_pyfunction!(first_sight, module)?)?;
    module.add_function(wrap_pyfunction!(bait_profile, module)?)?;
    module.add_function(wrap_pyfunction!(static_ranking, module)?)?;
    module.add_class::<PyBaitTest>()?;
    local_search::register(module)?;
    monte_carlo::register(module)
}
