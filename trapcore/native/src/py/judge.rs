//! The events of games.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use shakmaty::{CastlingMode, Move, Position};

use super::anchors::{PyAnchor, PyMoveValue, anchor, move_value};
use super::arguments;
use super::calls::{Cancellation, detached};
use super::games::{PyBatch, PyJudgedPosition, PyNote, PySkipped, judged, list, noted, skipped};
use super::pickle::impl_pickle;
use super::ranking::MoveRanker;
use super::themes::causes::{PyExplanation, explanation};
use super::token_index::PyTokenIndex;
use crate::chess::moves::after;
use crate::chess::position::{self, GamePosition};
use crate::judge::findings::{self, Finding, GameFindings, NoLooks, analyze_batch};
use crate::judge::game_analyzer::GameAnalyzer;
use crate::judge::loss_evidence::{SeenMove, loss_evidence_of_batch};
use crate::judge::model::{Case, Options, ProofLimits, SetTrap, Tell, Trap};
use crate::judge::token_candidates::TokenLibrary;
use crate::judge::workspace::Workspace;
use crate::measures::trap_positions::Measure;
use crate::pgn::anchors::Encoding;
use crate::search::stop::StopFlag;
use crate::search::verdict::Verdict;

impl_pickle! {
    #[pyclass(frozen, get_all, name = "Finding", module = "trapcore._native")]
    pub(super) struct PyFinding {
        ply: usize,
        event: String,
        trap: Option<u32>,
        known: bool,
        mirrored: bool,
        similarity: f64,
        mover: String,
        number: u32,
        played: String,
        bait: String,
        bait_san: String,
        killer_line: Vec<String>,
        killer_line_san: Vec<String>,
        verdict: String,
        mate_in: Option<u32>,
        loss: Option<f64>,
        nodes: u64,
        prover: String,
        kind: String,
        before: Option<f64>,
        after: Option<f64>,
        best: Option<String>,
        best_san: Option<String>,
        best_line_san: Vec<String>,
        probability: Option<f64>,
        threat: bool,
        explanation: Option<Py<PyExplanation>>,
        settled: bool,
        played_loss: Option<f64>,
        only_move: bool,
        fen: String,
        baited: String,
        origin: String,
        reached: String,
        trap_ply: usize,
        anchor: Py<PyAnchor>,
    }
}

impl_pickle! {
    #[pyclass(frozen, get_all, name = "GameFindings", module = "trapcore._native")]
    pub(super) struct PyGameFindings {
        game: u64,
        offset: u64,
        start: usize,
        size: usize,
        tags: BTreeMap<String, String>,
        wrapped: bool,
        newline: String,
        encoding: String,
        commented: bool,
        findings: Vec<Py<PyFinding>>,
        judged: Vec<Py<PyJudgedPosition>>,
        values: Vec<Py<PyMoveValue>>,
    }
}

impl_pickle! {
    #[pyclass(frozen, get_all, name = "BatchFindings", module = "trapcore._native")]
    pub(super) struct PyBatchFindings {
        games: u64,
        positions: u64,
        skipped: Vec<Py<PySkipped>>,
        notes: Vec<Py<PyNote>>,
        found: Vec<Py<PyGameFindings>>,
        candidates: u64,
        suspected: u64,
        proof_nodes: u64,
    }
}

impl_pickle! {
    #[pyclass(frozen, get_all, name = "SetTrap", module = "trapcore._native")]
    pub(super) struct PySetTrap {
        uci: String,
        trap: u32,
        known: bool,
        mirrored: bool,
        similarity: f64,
        bait: String,
        bait_san: String,
        killer_line: Vec<String>,
        killer_line_san: Vec<String>,
        verdict: String,
        mate_in: Option<u32>,
        loss: Option<f64>,
        nodes: u64,
        prover: String,
        fen: String,
    }
}

fn set_trap(set: &SetTrap, mode: CastlingMode) -> PySetTrap {
    let SetTrap { m, position, case } = set;
    let uci = |m: &Move| m.to_uci(mode).to_string();
    let member = case.member.expect("only traps of the library, and what is like them, are looked for here");
    PySetTrap {
        uci: uci(m),
        trap: member.trap,
        known: case.known,
        mirrored: member.mirrored,
        similarity: case.similarity,
        bait: uci(&case.bait),
        bait_san: position::sans(position, &[case.bait]).concat(),
        killer_line: case.line.iter().map(uci).collect(),
        killer_line_san: position::sans(&after(position, case.bait), &case.line),
        verdict: case.verdict.name().to_owned(),
        mate_in: case.mate_in,
        loss: case.loss,
        nodes: case.nodes,
        prover: prover(case).to_owned(),
        fen: position::fen(position),
    }
}

/// The prover of a case; empty without one.
fn prover(case: &Case) -> &'static str {
    if case.verdict == Verdict::Proved { case.by } else { "" }
}

fn finding(py: Python<'_>, finding: Finding, game: &GameFindings, text: &[u8]) -> PyResult<Py<PyFinding>> {
    let Finding { event, mover, number, played, bait_san, line_san, best_line_san, kind, anchor } = finding;
    let case = &event.case;
    let mode = game.game.mode;
    let figures = case.figures.as_ref();
    let best = figures.and_then(|figures| figures.best_line.first());
    Py::new(
        py,
        PyFinding {
            ply: event.at + 1,
            event: event.kind.name().to_owned(),
            trap: case.member.map(|member| member.trap),
            known: case.known,
            mirrored: case.member.is_some_and(|member| member.mirrored),
            similarity: case.similarity,
            mover: if mover.is_white() { "white" } else { "black" }.to_owned(),
            number,
            played,
            bait: case.bait.to_uci(mode).to_string(),
            bait_san,
            killer_line: case.line.iter().map(|m| m.to_uci(mode).to_string()).collect(),
            killer_line_san: line_san,
            verdict: case.verdict.name().to_owned(),
            mate_in: case.mate_in,
            loss: case.loss,
            nodes: case.nodes,
            prover: prover(case).to_owned(),
            kind: kind.to_owned(),
            before: figures.map(|figures| figures.before),
            after: figures.map(|figures| figures.after),
            best: best.map(|m| m.to_uci(mode).to_string()),
            best_san: best_line_san.first().cloned(),
            best_line_san,
            probability: figures.and_then(|figures| figures.probability),
            threat: event.threat,
            explanation: event.explanation.as_ref().map(|found| explanation(py, found)).transpose()?,
            settled: event.settled,
            played_loss: event.played_loss,
            only_move: event.only_move,
            fen: position::fen(&event.position),
            baited: position::epd(&event.baited),
            origin: position::epd(&event.origin),
            reached: position::epd(&event.reached),
            trap_ply: event.decision + 1,
            anchor: self::anchor(py, &anchor, text, game.start)?,
        },
    )
}

type TrapParts = (String, String, Vec<String>, String, u32);

fn trap((fen, bait, line, verdict, mate): TrapParts) -> PyResult<Trap> {
    let position = position::parse(&fen)?;
    let bait = position::parse_move(&position, &bait)?;
    let mut reached = GamePosition { chess: after(&position.chess, bait), mode: position.mode };
    let mut moves = Vec::with_capacity(line.len());
    for uci in &line {
        let m = position::parse_move(&reached, uci)?;
        moves.push(m);
        reached.chess.play_unchecked(m);
    }
    let verdict = [Verdict::Proved, Verdict::Refuted, Verdict::Undecided]
        .into_iter()
        .find(|v| v.name() == verdict)
        .ok_or_else(|| PyValueError::new_err(format!("no such verdict: {verdict:?}")))?;
    Ok(Trap { position, bait, line: moves, verdict, mate_in: (mate > 0).then_some(mate) })
}

/// The judge and the work spaces of the threads that use it.
#[pyclass(frozen, name = "GameAnalyzer", module = "trapcore._native")]
pub(super) struct PyGameAnalyzer {
    analyzer: GameAnalyzer,
    spaces: Mutex<Vec<Workspace>>,
}

#[pymethods]
impl PyGameAnalyzer {
    #[new]
    #[pyo3(signature = (
        traps, *, measure, min_similarity, nodes, unproved, tell = "similar", engine = false, values = false,
        proposals_first = true, ranker = None, index = None, ids = None
    ))]
    fn new(
        py: Python<'_>,
        traps: Vec<TrapParts>,
        measure: &str,
        min_similarity: f64,
        nodes: u64,
        unproved: bool,
        tell: &str,
        engine: bool,
        values: bool,
        proposals_first: bool,
        ranker: Option<PyRef<'_, MoveRanker>>,
        index: Option<PyRef<'_, PyTokenIndex>>,
        ids: Option<Vec<u64>>,
    ) -> PyResult<PyGameAnalyzer> {
        let measure = match measure {
            "abstracted" => None,
            "sequences" => Some(Measure::Sequences),
            "continuations" => Some(Measure::Continuations),
            "structural" => Some(Measure::Structural),
            _ => return Err(PyValueError::new_err(format!("no such measure: {measure:?}"))),
        };
        if !(0.0..=1.0).contains(&min_similarity) {
            return Err(PyValueError::new_err(format!("min_similarity is 0 to 1, not {min_similarity}")));
        }
        let abstracted = match (measure, ranker, index, ids) {
            (Some(_), ..) => None,
            (None, Some(ranker), Some(index), Some(ids)) if ids.len() == traps.len() => Some(TokenLibrary {
                weights: Arc::clone(&ranker.0),
                index: Arc::clone(&index.0),
                traps: ids.into_iter().zip(0..).collect(),
            }),
            _ => return Err(PyValueError::new_err("abstracted trees need a ranker, an index, and an id a trap")),
        };
        let Some(tell) = Tell::named(tell) else {
            return Err(PyValueError::new_err(format!("tell is known, similar, losses or all, not {tell:?}")));
        };
        let limits = ProofLimits { nodes, unproved };
        let options = Options { tell, engine, measure, min_similarity, values, proposals_first, limits };
        let traps = traps.into_iter().map(trap).collect::<PyResult<Vec<_>>>()?;
        let analyzer = py.detach(|| GameAnalyzer::new(traps, options, abstracted));
        Ok(PyGameAnalyzer { analyzer, spaces: Mutex::new(Vec::new()) })
    }

    #[pyo3(signature = (batch, stop = None))]
    fn judge(&self, py: Python<'_>, batch: &PyBatch, stop: Option<&Cancellation>) -> PyResult<PyBatchFindings> {
        let found = detached(py, None, stop, |stop_flag| {
            let (found, is_whole) =
                self.with_workspace(stop_flag, |work| analyze_batch(&self.analyzer, &batch.0, &batch.1, work));
            is_whole.then_some(found)
        })?;
        let found = found.ok_or_else(|| PyRuntimeError::new_err("the judging of this batch was cancelled"))?;
        let mut found = found.map_err(|NoLooks(game)| {
            PyValueError::new_err(format!("the engine's looks at game {game} are missing or not of this game"))
        })?;
        let mut games = Vec::with_capacity(found.found.len());
        for mut game in std::mem::take(&mut found.found) {
            let text = &batch.0.data[game.start..game.start + game.size];
            let findings = std::mem::take(&mut game.findings);
            let findings = findings.into_iter().map(|f| finding(py, f, &game, text)).collect::<PyResult<_>>()?;
            let values =
                game.values.iter().map(|value| move_value(py, value, game.start, text)).collect::<PyResult<_>>()?;
            games.push(PyGameFindings {
                game: game.number,
                offset: game.offset,
                start: game.start,
                size: game.size,
                tags: game.game.tag_map(),
                wrapped: game.layout.wrapped,
                newline: if game.layout.crlf { "\r\n" } else { "\n" }.to_owned(),
                encoding: match game.layout.encoding {
                    Encoding::Ascii => "ascii",
                    Encoding::Utf8 => "utf-8",
                    Encoding::Latin1 => "latin-1",
                }
                .to_owned(),
                commented: game.commented,
                findings,
                judged: list(py, game.judged.iter().map(|found| judged(found, game.game.mode)).collect())?,
                values,
            });
        }
        Ok(PyBatchFindings {
            games: found.games,
            positions: found.positions,
            skipped: list(py, skipped(found.unread))?,
            notes: list(py, noted(found.notes))?,
            found: list(py, games)?,
            candidates: found.candidates,
            suspected: found.suspected,
            proof_nodes: found.proof_nodes,
        })
    }

    #[pyo3(signature = (
        fen, moves, *, nodes = None, unproved = None, chess960 = false, milliseconds = None, stop = None
    ))]
    fn judge_position(
        &self,
        py: Python<'_>,
        fen: &str,
        moves: Vec<String>,
        nodes: Option<u64>,
        unproved: Option<bool>,
        chess960: bool,
        milliseconds: Option<u64>,
        stop: Option<&Cancellation>,
    ) -> PyResult<Vec<PySetTrap>> {
        let end = milliseconds.and_then(|time| Instant::now().checked_add(Duration::from_millis(time)));
        let position = position::parse_variant(fen, chess960)?;
        let moves = arguments::legal_moves(&position, &moves)?;
        let own = self.analyzer.limits();
        let limits = ProofLimits { nodes: nodes.unwrap_or(own.nodes), unproved: unproved.unwrap_or(own.unproved) };
        detached(py, None, stop, |stop_flag| {
            let (found, _) = self.with_workspace(&stop_flag.clone().until(end), |work| {
                self.analyzer.traps_set(&position, &moves, limits, work)
            });
            found.iter().map(|set| set_trap(set, position.mode)).collect()
        })
    }
}

impl PyGameAnalyzer {
    /// Works with a workspace that no other thread has; false if the work was stopped before it was done.
    fn with_workspace<T>(&self, stop_flag: &StopFlag, work: impl FnOnce(&mut Workspace) -> T) -> (T, bool) {
        let taken = self.spaces.lock().expect("no thread panics with the lock").pop();
        let mut space = taken.unwrap_or_default();
        space.set_stop_flag(stop_flag);
        let found = work(&mut space);
        // Where the work was stopped, what was cached may be wrong.
        let is_whole = !space.is_stopped();
        if is_whole {
            self.spaces.lock().expect("no thread panics with the lock").push(space);
        }
        (found, is_whole)
    }
}

/// Number of a game, and what was seen of its moves: ply, stage, features, and the probability stated then.
type SeenGame = (u64, Vec<(usize, usize, Vec<f64>, f64)>);

/// What the pass and the stages of the proof see of the moves of a batch; ends early where it is stopped.
#[pyfunction]
#[pyo3(signature = (batch, stop = None))]
pub(super) fn loss_evidence(py: Python<'_>, batch: &PyBatch, stop: Option<&Cancellation>) -> PyResult<Vec<SeenGame>> {
    let found = detached(py, None, stop, |stop_flag| {
        let mut work = Workspace::default();
        work.set_stop_flag(stop_flag);
        loss_evidence_of_batch(&batch.0, &mut work)
    })?;
    let row = |seen: SeenMove| (seen.decision + 1, seen.stage, seen.features, seen.probability);
    Ok(found.into_iter().map(|(number, seen)| (number, seen.into_iter().map(row).collect())).collect())
}

/// What a killer is; `fen`: the position in which it is played.
#[pyfunction]
pub(super) fn killer_kind(fen: &str, killer: &str, mates: bool) -> PyResult<&'static str> {
    let position = position::parse(fen)?;
    let killer = position::parse_move(&position, killer)?;
    Ok(findings::killer_kind(&position.chess, Some(killer), mates))
}
