//! Mate proofs, the search, and the trap test, with the tables that each thread keeps.

use pyo3::prelude::*;
use shakmaty::uci::UciMove;
use shakmaty::{Chess, Move};

use crate::chess::moves::{after, move_code};
use crate::chess::position::{self, GamePosition};
use crate::judge::pass::{TOLD_NODES, lengthen};
use crate::mate::{MateProof, Prover};
use crate::py::arguments::legal_moves;
use crate::py::calls::spare::Spare;
use crate::py::calls::{Cancellation, detached};
use crate::search::score::mate_distance;
use crate::search::stop::StopFlag;
use crate::search::{Limits, Pruning, SearchRequest, Searcher, key_of};
use crate::trap_test::{self, BaitTest, Depth, Tester};

type ProofParts = (&'static str, Option<u32>, Vec<String>, u64, u32);

fn proof_parts(position: &GamePosition, proof: &MateProof) -> ProofParts {
    let line = proof.line.iter().map(|m| m.to_uci(position.mode).to_string()).collect();
    (proof.verdict.name(), proof.mate_in, line, proof.nodes, proof.refuted_to)
}

/// Binary logarithm of the tables for questions that come one by one: a million entries and 16 MB each.
const TABLE_BITS: u32 = 20;

/// The same for searches of few nodes, which are many in a comment on a game: 4 MB.
const SMALL_TABLE_BITS: u32 = 18;

/// Most nodes of a search that gets the small table, which then has room for all of its positions.
const FEW_NODES: u64 = 1 << 15;

static PROVERS: Spare<Prover> = Spare::new();
static TESTERS: Spare<Tester> = Spare::new();
static SEARCHERS: Spare<Searcher> = Spare::new();
static SMALL_SEARCHERS: Spare<Searcher> = Spare::new();

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

/// Works with a table of the search that is large enough for so many nodes.
fn with_searcher<T>(stop_flag: &StopFlag, nodes: u64, work: impl FnOnce(&mut Searcher) -> T) -> T {
    let (spare, bits) =
        if nodes <= FEW_NODES { (&SMALL_SEARCHERS, SMALL_TABLE_BITS) } else { (&SEARCHERS, TABLE_BITS) };
    spare.lend(
        || Searcher::new(bits),
        |searcher| {
            searcher.stop_flag = stop_flag.clone();
            work(searcher)
        },
    )
}

#[pyfunction]
#[pyo3(signature = (fen, mate, nodes, milliseconds, stop, first = Vec::new(), bait = None))]
pub(crate) fn prove_mate(
    py: Python<'_>,
    fen: &str,
    mate: u32,
    nodes: u64,
    milliseconds: Option<u64>,
    stop: Option<&Cancellation>,
    first: Vec<String>,
    bait: Option<&str>,
) -> PyResult<ProofParts> {
    let mut position = position::parse(fen)?;
    if let Some(bait) = bait {
        position.chess = after(&position.chess, position::parse_move(&position, bait)?);
    }
    let first = legal_moves(&position, &first)?;
    let proof = detached(py, milliseconds, stop, |stop_flag| {
        with_prover(stop_flag, |prover| prover.prove(&position.chess, mate, nodes, &first))
    })?;
    Ok(proof_parts(&position, &proof))
}

/// Value in centipawns, moves to mate or none, depth, line, nodes.
type SearchParts = (i32, Option<i32>, u32, Vec<String>, u64);

#[pyfunction]
#[pyo3(signature = (fen, moves, depth, nodes, milliseconds, stop, first = Vec::new(), only = Vec::new()))]
pub(crate) fn search(
    py: Python<'_>,
    fen: &str,
    moves: Vec<String>,
    depth: u32,
    nodes: u64,
    milliseconds: Option<u64>,
    stop: Option<&Cancellation>,
    first: Vec<String>,
    only: Vec<String>,
) -> PyResult<SearchParts> {
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
        with_searcher(stop_flag, nodes, |searcher| {
            let request = SearchRequest { only: &only, first: &first, game: &game, window: None };
            searcher.clear();
            searcher.search(&position.chess, request, limits, Pruning::Selective, |_| true)
        })
    })?;
    let line = found.line.iter().map(|m| m.to_uci(position.mode).to_string()).collect();
    Ok((found.value, mate_distance(found.value), found.depth, line, found.nodes))
}

/// A line with what searches find behind it where it is short.
#[pyfunction]
pub(crate) fn lengthened(py: Python<'_>, fen: &str, line: Vec<String>) -> PyResult<Vec<String>> {
    let position = position::parse(fen)?;
    let mut moves = position::parse_line(&position, line.iter().map(String::as_str))?;
    detached(py, None, None, |stop_flag| {
        with_searcher(stop_flag, TOLD_NODES, |searcher| lengthen(searcher, &position.chess, &mut moves));
    })?;
    Ok(moves.iter().map(|m| m.to_uci(position.mode).to_string()).collect())
}

/// The answers of the trap test for one bait.
#[pyclass(frozen, get_all, name = "BaitTest", module = "trapcore._native")]
pub(crate) struct PyBaitTest {
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

/// What the tester says of a position and of moves in it (UCI).
fn tested(
    py: Python<'_>,
    (fen, moves): (&str, &[String]),
    (milliseconds, stop): (Option<u64>, Option<&Cancellation>),
    test: impl FnOnce(&mut Tester, &Chess, &[Move]) -> Vec<BaitTest> + Send,
) -> PyResult<Vec<PyBaitTest>> {
    let position = position::parse(fen)?;
    let moves = legal_moves(&position, moves)?;
    let tests = detached(py, milliseconds, stop, |stop_flag| {
        with_tester(stop_flag, |tester| test(tester, &position.chess, &moves))
    })?;
    Ok(tests.into_iter().map(|test| bait_test(&position, test)).collect())
}

#[pyfunction]
pub(crate) fn test_bait(
    py: Python<'_>,
    fen: &str,
    bait: String,
    killers: Vec<String>,
    depth: u32,
    nodes: u64,
    milliseconds: Option<u64>,
    stop: Option<&Cancellation>,
) -> PyResult<PyBaitTest> {
    let position = position::parse(fen)?;
    let baited = after(&position.chess, position::parse_move(&position, &bait)?);
    let killers = legal_moves(&GamePosition { chess: baited, mode: position.mode }, &killers)?;
    let limits = Limits { depth, nodes };
    let mut found = tested(py, (fen, &[bait]), (milliseconds, stop), |tester, chess, bait| {
        vec![tester.test(chess, bait[0], &killers, limits)]
    })?;
    Ok(found.remove(0))
}

/// Tests each bait against the best of the moves that are none of them.
#[pyfunction]
pub(crate) fn test_baits(
    py: Python<'_>,
    fen: &str,
    baits: Vec<String>,
    depth: u32,
    nodes: u64,
    milliseconds: Option<u64>,
    stop: Option<&Cancellation>,
) -> PyResult<Vec<PyBaitTest>> {
    let limits = Limits { depth, nodes };
    tested(py, (fen, &baits), (milliseconds, stop), |tester, chess, baits| tester.test_together(chess, baits, limits))
}

#[pyfunction]
pub(crate) fn find_baits(
    py: Python<'_>,
    fen: &str,
    depth: u32,
    nodes: u64,
    milliseconds: Option<u64>,
    stop: Option<&Cancellation>,
) -> PyResult<Vec<PyBaitTest>> {
    let limits = Limits { depth, nodes };
    tested(py, (fen, &[]), (milliseconds, stop), |tester, chess, _| tester.baits(chess, limits))
}

/// What values by depth say about a bait: the verdict, and the win chance that it costs at the last of them.
#[pyfunction]
pub(crate) fn judge_depths(depths: Vec<(u32, i32, i32)>) -> (&'static str, f64) {
    let depths: Vec<Depth> = depths.into_iter().map(|(depth, bait, best)| Depth { depth, bait, best }).collect();
    (trap_test::verdict_at(&depths).name(), depths.last().map_or(0.0, Depth::loss))
}

#[pyfunction]
pub(crate) fn first_sight(py: Python<'_>, fen: &str, bait: &str) -> PyResult<(usize, i32)> {
    let position = position::parse(fen)?;
    let bait = move_code(position::parse_move(&position, bait)?);
    let seen = detached(py, None, None, |stop_flag| {
        with_tester(stop_flag, |tester| tester.temptation(&position.chess).remove(&bait))
    })?;
    // A legal move has a rank.
    Ok(seen.unwrap_or((usize::MAX, 0)))
}

#[pyfunction]
pub(crate) fn bait_profile(py: Python<'_>, fen: &str, bait: &str, depth: u32) -> PyResult<Vec<(u32, usize, i32, i32)>> {
    let position = position::parse(fen)?;
    let bait = position::parse_move(&position, bait)?;
    detached(py, None, None, |stop_flag| with_tester(stop_flag, |tester| tester.profile(&position.chess, bait, depth)))
}

#[pyfunction]
pub(crate) fn static_ranking(py: Python<'_>, fen: &str) -> PyResult<Vec<(String, i32)>> {
    let position = position::parse(fen)?;
    let text = |m| UciMove::from_move(m, position.mode).to_string();
    Ok(py
        .detach(|| trap_test::static_ranking(&position.chess).into_iter().map(|(value, m)| (text(m), value)).collect()))
}
