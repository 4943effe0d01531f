//! Similar pairs: what in a position may be like a known trap, its most promising pairs of a bait and a killer, with
//! the tokens by which the killer is compared.
//!
//! Every legal move of the victim that is high enough in the static ranking may be the bait, what the learned weights
//! propose after it the killer. Where that is proved to mate, the whole line counts, as it does in known traps.

use shakmaty::{Color, Move, Position};

use crate::abstract_tree::AttackerView;
use crate::chess::moves::{after, mirror_move};
use crate::chess::position::{GamePosition, mirror};
use crate::mate::Prover;
use crate::ranking::ranker::{Weights, naming_tokens};
use crate::search::Searcher;
use crate::search::verdict::Verdict;
use crate::trap_test::static_ranking;
use crate::trees::labels::spelling_order;

/// Moves of the victim that are examined: the first of the static ranking.
const BAITS: usize = 24;
/// Pairs that are compared with the traps'.
const KILLERS: usize = 8;
/// A bait of static rank n counts so many times the root of n less than the log odds of its killer. Of 0 to 3, with
/// the ranks themselves and with gains of material instead, this left most of the bundled traps' pairs among the first.
const RANK_COST: f64 = 2.0;
/// Moves of the attacker that are examined with all their replies, after each bait.
const SHORTLIST: usize = 2;
/// Of the proof that a killer mates. With 1,500 nodes one of 344 puzzles more was seen to mate, for a quarter more
/// time.
const MATE_MOVES: u32 = 4;
const MATE_NODES: u64 = 400;

/// A possible bait, and what may refute it.
pub(crate) struct Pair {
    pub bait: Move,
    /// As far as it is no proved mate, the killer only.
    pub line: Vec<Move>,
    pub mate_in: Option<u32>,
    /// Of the killer, see [`naming_tokens`].
    pub tokens: Vec<u32>,
}

impl Pair {
    fn mirrored(self) -> Pair {
        let line = self.line.into_iter().map(mirror_move).collect();
        Pair { bait: mirror_move(self.bait), line, ..self }
    }
}

/// The most promising pairs, each with other tokens, the most promising first; of the position with colours exchanged
/// the same ones. None if `prover` was stopped.
pub(crate) fn pairs(
    position: &GamePosition,
    weights: &Weights,
    searcher: &mut Searcher,
    prover: &mut Prover,
) -> Option<Vec<Pair>> {
    // Generators of moves, and with them which of equal mates is found first, go by the squares as White sees them.
    match position.chess.turn() {
        Color::White => pairs_of_white(position, weights, searcher, prover),
        Color::Black => {
            let found = pairs_of_white(&mirror(position), weights, searcher, prover)?;
            Some(found.into_iter().map(Pair::mirrored).collect())
        }
    }
}

fn pairs_of_white(
    position: &GamePosition,
    weights: &Weights,
    searcher: &mut Searcher,
    prover: &mut Prover,
) -> Option<Vec<Pair>> {
    let mut proposed = Vec::new();
    for (rank, bait) in ranked(position) {
        let view = AttackerView::after_bait(&position.chess, bait, position.mode);
        if let Some(best) = weights.rank(&view, SHORTLIST, searcher).moves.into_iter().next() {
            proposed.push((RANK_COST * (rank as f64).sqrt() - f64::from(best.score), bait, best.m, view));
        }
        if prover.stop_flag.is_stopped() {
            return None;
        }
    }
    let place = |bait, killer| (spelling_order(bait, position.mode), spelling_order(killer, position.mode));
    proposed.sort_by(|a, b| a.0.total_cmp(&b.0).then_with(|| place(a.1, a.2).cmp(&place(b.1, b.2))));
    let mut found: Vec<Pair> = Vec::with_capacity(KILLERS);
    for (_, bait, killer, view) in proposed {
        let proof = prover.prove(&after(&position.chess, bait), MATE_MOVES, MATE_NODES, &[killer]);
        if prover.stop_flag.is_stopped() {
            return None;
        }
        let is_proved = proof.verdict == Verdict::Proved;
        let line = if is_proved { proof.line } else { vec![killer] };
        let tokens = naming_tokens(&view, &line).unwrap_or_default();
        if found.iter().all(|pair| pair.tokens != tokens) {
            found.push(Pair { bait, line, mate_in: proof.mate_in.filter(|_| is_proved), tokens });
        }
        if found.len() == KILLERS {
            break;
        }
    }
    Some(found)
}

/// The baits to examine with their static ranks, from 1; equal ones share the better rank.
fn ranked(position: &GamePosition) -> Vec<(usize, Move)> {
    let (mut rank, mut last, mut out) = (0, None, Vec::new());
    for (place, (value, bait)) in (1..).zip(static_ranking(&position.chess)) {
        if last != Some(value) {
            (rank, last) = (place, Some(value));
        }
        if rank > BAITS {
            break;
        }
        out.push((rank, bait));
    }
    out
}
