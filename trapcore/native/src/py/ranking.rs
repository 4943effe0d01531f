//! Abstracted trees: their tokens, those of mistakes, what a fit of the weights needs, and the proposals.

use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use rustc_hash::FxHashMap;
use shakmaty::Move;
use shakmaty::uci::UciMove;

use super::calls::{Cancellation, detached};
use super::search::with_prover;
use crate::abstract_tree::AttackerView;
use crate::abstract_tree::tokens::{FIELD_BITS, KINDS, Stage};
use crate::chess::position::{self, BadPosition, GamePosition};
use crate::ranking::ranker::{Overview, Weights, naming_tokens};
use crate::ranking::similar_pairs::{Pair, pairs};
use crate::search::Searcher;
use crate::themes::differences::{added, difference_tokens};

/// The view of a position and, if known, the bait: `fen` is the position before it if the bait is legal there, else the
/// one after it.
fn view(fen: &str, bait: Option<&str>) -> Result<AttackerView, BadPosition> {
    let position = position::parse(fen)?;
    let Some(uci) = bait else { return Ok(AttackerView::new(position.chess, position.mode, None)) };
    let illegal = match position::parse_move(&position, uci) {
        Ok(bait) => return Ok(AttackerView::after_bait(&position.chess, bait, position.mode)),
        Err(illegal) => illegal,
    };
    match uci.parse::<UciMove>() {
        Ok(UciMove::Normal { from, to, .. }) => {
            AttackerView::after_squares(position.chess, position.mode, from, to).ok_or(illegal)
        }
        _ => Err(illegal),
    }
}

fn bytes<'py>(py: Python<'py>, values: &[u32]) -> Bound<'py, PyBytes> {
    let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_ne_bytes()).collect();
    PyBytes::new(py, &bytes)
}

/// TokenSets of tokens of the moves of several positions.
#[derive(Default)]
struct TokenSets {
    /// Moves of each position.
    moves: Vec<u32>,
    /// Index of the killer among them; `u32::MAX` without one.
    killers: Vec<u32>,
    /// Tokens of each move.
    sizes: Vec<u32>,
    tokens: Vec<u32>,
}

type TokenSetsOut<'py> = (Bound<'py, PyBytes>, Bound<'py, PyBytes>, Bound<'py, PyBytes>, Bound<'py, PyBytes>);

/// A position before the bait, the bait, and the killer if there is one.
type Example = (String, String, Option<String>);

impl TokenSets {
    fn push(&mut self, tokens: &[Vec<u32>], killer: Option<usize>) {
        self.moves.push(tokens.len() as u32);
        self.killers.push(killer.map_or(u32::MAX, |i| i as u32));
        for own in tokens {
            self.sizes.push(own.len() as u32);
            self.tokens.extend_from_slice(own);
        }
    }

    fn out<'py>(&self, py: Python<'py>) -> TokenSetsOut<'py> {
        (bytes(py, &self.moves), bytes(py, &self.killers), bytes(py, &self.sizes), bytes(py, &self.tokens))
    }
}

fn killer_index(view: &AttackerView, overview: &Overview, killer: Option<&str>) -> Result<Option<usize>, BadPosition> {
    let Some(uci) = killer else { return Ok(None) };
    let m = position::parse_move(&GamePosition { chess: view.chess.clone(), mode: view.mode }, uci)?;
    Ok(overview.seen.iter().position(|seen| seen.m == m))
}

/// The tokens of every move after the bait, of the first step.
#[pyfunction]
pub(super) fn seen_token_sets<'py>(py: Python<'py>, examples: Vec<Example>) -> PyResult<TokenSetsOut<'py>> {
    let sets = detached(py, None, None, |stop_flag| {
        let mut sets = TokenSets::default();
        for (fen, bait, killer) in &examples {
            if stop_flag.is_stopped() {
                break;
            }
            let view = view(fen, Some(bait))?;
            let overview = Overview::of(&view);
            let killer = killer_index(&view, &overview, killer.as_deref())?;
            sets.push(&overview.tokens, killer);
        }
        Ok::<_, BadPosition>(sets)
    })??;
    Ok(sets.out(py))
}

/// The tokens that name a known trap. `line`: the killer, whose tokens they are, and what follows; the mating net is
/// added where it ends in mate.
pub(super) fn tokens_of_killer<'a>(
    fen: &str,
    bait: Option<&str>,
    line: impl Iterator<Item = &'a str>,
) -> Result<Vec<u32>, BadPosition> {
    let view = view(fen, bait)?;
    let moves = position::parse_line(&GamePosition { chess: view.chess.clone(), mode: view.mode }, line)?;
    Ok(naming_tokens(&view, &moves).unwrap_or_default())
}

#[pyfunction]
pub(super) fn killer_tokens(py: Python<'_>, fen: &str, bait: Option<&str>, line: Vec<String>) -> PyResult<Vec<u32>> {
    Ok(py.detach(|| tokens_of_killer(fen, bait, line.iter().map(String::as_str)))?)
}

/// The same for many traps at once, packed; position before the bait, bait, and line with spaces between the moves.
#[pyfunction]
#[pyo3(signature = (traps, *, jobs = 1))]
pub(super) fn killer_token_sets<'py>(
    py: Python<'py>,
    traps: Vec<(String, String, String)>,
    jobs: usize,
) -> PyResult<Vec<Bound<'py, PyBytes>>> {
    let sets_of = |part: &[(String, String, String)]| {
        let sets = part.iter().map(|(fen, bait, line)| tokens_of_killer(fen, Some(bait), line.split_whitespace()));
        sets.collect::<Result<Vec<_>, BadPosition>>()
    };
    let parts = py.detach(|| {
        let size = traps.len().div_ceil(jobs.max(1)).max(1);
        std::thread::scope(|scope| {
            let threads: Vec<_> = traps.chunks(size).map(|part| scope.spawn(move || sets_of(part))).collect();
            let joined = threads.into_iter().map(|thread| thread.join().expect("making token sets does not panic"));
            joined.collect::<Result<Vec<_>, BadPosition>>()
        })
    })?;
    Ok(parts.iter().flatten().map(|tokens| bytes(py, tokens)).collect())
}

/// A mistake: the position before it, the line that begins with it (UCI, with spaces between), and its labels with the
/// tokens that each weighs.
type Mistake = (String, String, Vec<(String, u32)>);

fn tokens_of((fen, line, labels): &Mistake) -> Result<Vec<u8>, BadPosition> {
    let position = position::parse(fen)?;
    let moves = position::parse_line(&position, line.split_whitespace())?;
    let labels: Vec<(&str, u32)> = labels.iter().map(|(name, copies)| (name.as_str(), *copies)).collect();
    Ok(difference_tokens(&position, &moves, &labels).iter().flat_map(|token| token.to_ne_bytes()).collect())
}

/// The packed token set of each mistake.
#[pyfunction]
pub(super) fn difference_token_sets<'py>(
    py: Python<'py>,
    mistakes: Vec<Mistake>,
) -> PyResult<Vec<Bound<'py, PyBytes>>> {
    let sets = py.detach(|| mistakes.iter().map(tokens_of).collect::<Result<Vec<_>, _>>())?;
    Ok(sets.iter().map(|set| PyBytes::new(py, set)).collect())
}

/// The token that says of a killer's token that it was added; none where that is never said.
#[pyfunction]
pub(super) fn added_token(token: u32) -> Option<u32> {
    (token >> FIELD_BITS < KINDS.len() as u32).then(|| added(token)).flatten()
}

/// Name and stage of a kind of token, with name and width in bits of its fields.
type KindOut = (&'static str, &'static str, Vec<(&'static str, u32)>);

/// The kinds of tokens, in the order of their numbers.
#[pyfunction]
pub(super) fn token_kinds() -> Vec<KindOut> {
    let stage = |stage| match stage {
        Stage::Seen => "seen",
        Stage::Answered => "answered",
        Stage::Proved => "proved",
    };
    KINDS.iter().map(|kind| (kind.name, stage(kind.stage), kind.fields.to_vec())).collect()
}

/// UCI, score, confidence and tokens of each proposed move, and the moves made on a board.
type Proposals = (Vec<(String, f32, f64, Vec<u32>)>, u64);

/// Bait and killer line as UCI and as SAN, moves to the mate if it was proved, and the packed tokens of the killer.
type PairOut<'py> = (Vec<String>, Vec<String>, Option<u32>, Bound<'py, PyBytes>);

/// Tokens and weights, packed as in the files of weights: 32 bits each, little-endian.
type Packed = (Vec<u8>, Vec<u8>);

/// Learned weights, ready to order moves.
#[pyclass(frozen, name = "MoveRanker", module = "trapcore._native")]
pub(crate) struct MoveRanker(pub(crate) Arc<Weights>);

fn table(tokens: &[u8], weights: &[u8]) -> PyResult<FxHashMap<u32, f32>> {
    let four = |bytes: &[u8]| bytes.chunks_exact(4).map(|b| [b[0], b[1], b[2], b[3]]).collect::<Vec<_>>();
    if tokens.len() != weights.len() || !tokens.len().is_multiple_of(4) {
        return Err(PyValueError::new_err("tokens and weights are 32-bit numbers, as many of one as of the other"));
    }
    Ok(four(tokens)
        .into_iter()
        .map(u32::from_le_bytes)
        .zip(four(weights).into_iter().map(f32::from_le_bytes))
        .collect())
}

#[pymethods]
impl MoveRanker {
    #[new]
    fn new(seen: Packed, answered: Packed, nothing: f32) -> PyResult<MoveRanker> {
        let (seen, answered) = (table(&seen.0, &seen.1)?, table(&answered.0, &answered.1)?);
        Ok(MoveRanker(Arc::new(Weights { seen, answered, null_score: nothing })))
    }

    /// The best `top` moves, the first `shortlist` of them by their full trees.
    fn propose(
        &self,
        py: Python<'_>,
        fen: &str,
        bait: Option<&str>,
        shortlist: usize,
        top: usize,
    ) -> PyResult<Proposals> {
        let view = view(fen, bait)?;
        detached(py, None, None, |stop_flag| {
            let found = self.0.rank(&view, shortlist, &mut Searcher::for_quiescence(stop_flag));
            let text = |m| UciMove::from_move(m, view.mode).to_string();
            let moves = found.moves.into_iter().take(top).map(|p| (text(p.m), p.score, p.confidence, p.tokens));
            (moves.collect(), found.moves_made)
        })
    }

    /// The pairs of a position that may be like a known trap, the most promising pairs first.
    fn pairs<'py>(&self, py: Python<'py>, fen: &str, stop: Option<&Cancellation>) -> PyResult<Vec<PairOut<'py>>> {
        let position = position::parse(fen)?;
        let found = detached(py, None, stop, |stop_flag| {
            let pairs = with_prover(stop_flag, |prover| {
                pairs(&position, &self.0, &mut Searcher::for_quiescence(stop_flag), prover)
            });
            let text = |line: &[Move]| line.iter().map(|m| m.to_uci(position.mode).to_string()).collect();
            let converted = |pair: Pair| {
                let line: Vec<Move> = std::iter::once(pair.bait).chain(pair.line).collect();
                (text(&line), position::sans(&position.chess, &line), pair.mate_in, pair.tokens)
            };
            pairs.unwrap_or_default().into_iter().map(converted).collect::<Vec<_>>()
        })?;
        Ok(found.into_iter().map(|(uci, san, mate_in, tokens)| (uci, san, mate_in, bytes(py, &tokens))).collect())
    }

    /// All tokens of the first `shortlist` moves after each bait, and of the killer where it is not among them.
    fn shortlist_token_sets<'py>(
        &self,
        py: Python<'py>,
        examples: Vec<Example>,
        shortlist: usize,
    ) -> PyResult<TokenSetsOut<'py>> {
        let sets = detached(py, None, None, |stop_flag| {
            let (mut sets, mut moves_made) = (TokenSets::default(), 0);
            let mut searcher = Searcher::for_quiescence(stop_flag);
            for (fen, bait, killer) in &examples {
                if stop_flag.is_stopped() {
                    break;
                }
                let view = view(fen, Some(bait))?;
                let overview = Overview::of(&view);
                let killer = killer_index(&view, &overview, killer.as_deref())?;
                let order = overview.order(&view, &self.0.seen);
                let mut first: Vec<usize> = order.iter().take(shortlist).map(|&(i, _)| i).collect();
                if let Some(killer) = killer.filter(|killer| !first.contains(killer)) {
                    first.push(killer);
                }
                let tokens = overview.answered(&view, &first, &mut searcher, &mut moves_made);
                sets.push(&tokens, killer.and_then(|killer| first.iter().position(|&i| i == killer)));
            }
            Ok::<_, BadPosition>(sets)
        })??;
        Ok(sets.out(py))
    }
}
