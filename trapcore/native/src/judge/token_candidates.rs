//! Candidates whose killers share tokens with the killers of known traps.
//!
//! The move that was played is examined, and those that tempt. For each, the attacker's moves are ranked by the learned
//! weights; where the best of them looks like a killer and resembles the killers of known traps, there is something to
//! prove.

use rustc_hash::FxHashMap;
use shakmaty::{Chess, Color, Move, Position};
use std::sync::Arc;

use crate::abstract_tree::AttackerView;
use crate::abstract_tree::tokens::names;
use crate::chess::position::GamePosition;
use crate::chess::static_exchange::see;
use crate::judge::model::{Candidate, Case, Decision, GREATEST_SIMILARITY, SimilarTrap};
use crate::judge::trap_list::TrapList;
use crate::judge::workspace::Workspace;
use crate::measures::trap_positions::Member;
use crate::ranking::ranker::{LAZY_SHORTLIST, RankedMove, Weights, naming_tokens};
use crate::search::verdict::Verdict;
use crate::token_index;
use crate::trap_test::TEMPTING_GAIN;

/// Log odds from which a move is worth a proof.
const LEAST: f32 = 3.0;
/// Similar traps that say what is to be proved.
const NEAREST: usize = 5;
/// Share of the least similarity from which a trap that mates proposes a proof: how the king will stand, which is most
/// of such a similarity, is only known once the mate is proved.
const UNPROVED: f64 = 0.5;
/// Victim's moves that are examined beside the one that was played.
const TEMPTING: usize = 2;

/// The killers of a library by their tokens, and the weights that rank moves.
pub(crate) struct TokenLibrary {
    pub weights: Arc<Weights>,
    pub index: Arc<token_index::Index>,
    /// The trap that each payload of the index stands for, by its place in the list.
    pub traps: FxHashMap<u64, u32>,
}

/// What finds candidates by tokens.
pub(super) struct TokenCandidates<'a> {
    pub library: &'a TokenLibrary,
    pub traps: &'a TrapList,
    pub min_similarity: f64,
}

impl<'a> TokenCandidates<'a> {
    /// The baits of a position that may lose, each with the traps that it resembles, the most similar first.
    pub(super) fn find(&self, decision: &Decision, cases: &[Case], work: &mut Workspace) -> Vec<Candidate<'a>> {
        let position = decision.position;
        let refuted = self.traps.refuted_baits(decision.known);
        let mut baits = tempting(&position.chess);
        if let Some(played) = decision.played.filter(|played| !baits.contains(played)) {
            baits.push(played);
        }
        baits.retain(|bait| !refuted.contains(bait) && cases.iter().all(|case| case.bait != *bait));
        let mut candidates = Vec::new();
        for bait in baits {
            let view = AttackerView::after_bait(&position.chess, bait, position.mode);
            let ranking = self.library.weights.rank(&view, LAZY_SHORTLIST, &mut work.quiescence);
            // To take back what the bait took in a fair exchange refutes nothing.
            let fair = bait.is_capture() && see(&position.chess, bait) >= 0;
            let refutes = |m: Move| !(fair && m.is_capture() && m.to() == bait.to());
            let is_killer = |best: &&RankedMove| best.score >= LEAST && refutes(best.m);
            let Some(best) = ranking.moves.iter().take(LAZY_SHORTLIST).find(is_killer) else { continue };
            let tokens: Vec<u32> = best.tokens.iter().copied().filter(|&token| names(token)).collect();
            let mut hits = self.nearest(position.chess.turn(), &tokens, self.min_similarity * UNPROVED, work);
            hits.retain(|&(member, similarity)| {
                similarity >= self.min_similarity || self.traps.get(member).mate_in.is_some()
            });
            let killers: Vec<Move> = ranking.moves.iter().take(LAZY_SHORTLIST).map(|ranked| ranked.m).collect();
            let traps: Vec<SimilarTrap> = hits
                .into_iter()
                .map(|(member, similarity)| SimilarTrap {
                    member,
                    similarity,
                    trap: self.traps.get(member),
                    killers: killers.clone(),
                    line: vec![best.m],
                })
                .collect();
            if !traps.is_empty() {
                candidates.push(Candidate { bait, traps });
            }
        }
        candidates
    }

    /// The case under the name of the trap that its proved line resembles most; `None` if there is no such trap. A mate
    /// is compared with mates, by the way the king stands in the end as well.
    pub(super) fn named(&self, position: &GamePosition, case: Case, work: &mut Workspace) -> Option<Case> {
        if case.verdict != Verdict::Proved || case.known || case.line.is_empty() {
            return Some(case);
        }
        let (member, similarity) = self.most_similar(position, &case, work)?;
        Some(Case { member: Some(member), similarity, ..case })
    }

    /// The trap whose killer line is most similar to the proved one of a case, if there is one.
    pub(super) fn most_similar(
        &self,
        position: &GamePosition,
        case: &Case,
        work: &mut Workspace,
    ) -> Option<(Member, f64)> {
        let view = AttackerView::after_bait(&position.chess, case.bait, position.mode);
        let tokens = naming_tokens(&view, &case.line)?;
        let hits = self.nearest(position.chess.turn(), &tokens, self.min_similarity, work);
        let as_good = |member: &Member| self.traps.get(*member).mate_in.is_some() == case.mate_in.is_some();
        let (member, similarity) = hits.into_iter().find(|(member, _)| as_good(member))?;
        Some((member, similarity.min(GREATEST_SIMILARITY)))
    }

    /// The nearest traps, the most similar first, that are at least so similar and not refuted. `victim`: who is to
    /// move; `tokens`: ascending.
    fn nearest(&self, victim: Color, tokens: &[u32], least: f64, work: &mut Workspace) -> Vec<(Member, f64)> {
        let hits = self.library.index.nearest(tokens, NEAREST, least, &mut work.token_scratch);
        let member = |hit: token_index::Hit| {
            let &trap = self.library.traps.get(&hit.payload)?;
            let plain = self.traps.get(Member { trap, mirrored: false });
            let mirrored = plain.position.chess.turn() != victim;
            (plain.verdict != Verdict::Refuted).then_some((Member { trap, mirrored }, hit.similarity))
        };
        hits.into_iter().filter_map(member).collect()
    }
}

/// The captures and promotions that seem to win most, best first.
pub(super) fn tempting(chess: &Chess) -> Vec<Move> {
    let mut found: Vec<(i32, Move)> = chess
        .legal_moves()
        .iter()
        .filter(|m| m.is_capture() || m.is_promotion())
        .map(|&m| (-see(chess, m), m))
        .filter(|&(loss, _)| loss <= -TEMPTING_GAIN)
        .collect();
    found.sort_by_key(|&(loss, _)| loss);
    found.into_iter().take(TEMPTING).map(|(_, m)| m).collect()
}
