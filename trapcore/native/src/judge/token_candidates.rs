//! Which moves of the victim may be baits, and what refutes them: asked of abstracted trees, before anything is proved.
//!
//! The move that was played is looked at, and those that tempt. For each, the attacker's moves are ordered by the learned
//! weights; where the best of them looks like a killer and resembles the killers of known traps, there is something to
//! prove.

use rustc_hash::FxHashMap;
use shakmaty::{Chess, Move, Position};
use std::sync::Arc;

use crate::abstract_tree::Scene;
use crate::abstract_tree::tokens::names;
use crate::chess::position::Setting;
use crate::chess::static_exchange::see;
use crate::judge::game_analyzer::{Judge, Workspace};
use crate::judge::label_candidates::{Proposal, Proposer};
use crate::judge::verify::Case;
use crate::measures::trap_positions::Member;
use crate::ranking::ranker::{LAZY_SHORTLIST, Proposed, Weights, naming_bag};
use crate::search::verdict::Verdict;
use crate::token_index;
use crate::trap_test::TEMPTING_GAIN;

/// Log odds from which a move is worth a proof.
const LEAST: f32 = 3.0;
/// Similar traps that are asked what to prove.
const NEAREST: usize = 5;
/// Share of the least similarity from which a trap that mates asks for a proof: how the king will stand, which is most of
/// such a likeness, is only known once the mate is proved.
const UNPROVED: f64 = 0.5;
/// Victim's moves that are looked at beside the one that was played.
const TEMPTING: usize = 2;

/// What screening needs of a library.
pub struct Abstracted {
    pub weights: Arc<Weights>,
    pub likeness: Arc<token_index::Index>,
    /// The trap that each payload of the index stands for, by its place in the list.
    pub traps: FxHashMap<u64, u32>,
}

impl Judge {
    /// The baits of a position that may lose, each with the traps that it resembles, the most similar first.
    pub(crate) fn screened<'a>(
        &'a self,
        abstracted: &Abstracted,
        position: &Setting,
        played: Option<Move>,
        known: &[Member],
        cases: &[Case],
        work: &mut Workspace,
    ) -> Vec<Proposal<'a>> {
        let refuted = self.refuted(known);
        let mut baits = tempting(&position.chess);
        if let Some(played) = played.filter(|played| !baits.contains(played)) {
            baits.push(played);
        }
        baits.retain(|bait| !refuted.contains(bait) && cases.iter().all(|case| case.bait != *bait));
        let mut proposals = Vec::new();
        for bait in baits {
            let scene = Scene::after_bait(&position.chess, bait, position.mode);
            let proposal = abstracted.weights.propose(&scene, LAZY_SHORTLIST, &mut work.settler);
            // To take back what the bait took in a fair exchange refutes nothing.
            let fair = bait.is_capture() && see(&position.chess, bait) >= 0;
            let refutes = |m: Move| !(fair && m.is_capture() && m.to() == bait.to());
            let worth = |best: &&Proposed| best.score >= LEAST && refutes(best.m);
            let Some(best) = proposal.moves.iter().take(LAZY_SHORTLIST).find(worth) else { continue };
            let bag: Vec<u32> = best.tokens.iter().copied().filter(|&token| names(token)).collect();
            let mut hits = self.resembling(abstracted, position, &bag, self.options.min_similarity * UNPROVED, work);
            hits.retain(|&(member, similarity)| {
                similarity >= self.options.min_similarity || self.trap(member).mate_in.is_some()
            });
            let killers: Vec<Move> = proposal.moves.iter().take(LAZY_SHORTLIST).map(|proposed| proposed.m).collect();
            let proposers: Vec<Proposer> = hits
                .into_iter()
                .map(|(member, similarity)| Proposer {
                    member,
                    similarity,
                    trap: self.trap(member),
                    killers: killers.clone(),
                    line: vec![best.m],
                })
                .collect();
            if !proposers.is_empty() {
                proposals.push(Proposal { bait, proposers });
            }
        }
        proposals
    }

    /// The case under the name of the trap that its proved line resembles most; `None` if there is no such trap. A mate
    /// is compared with mates, by the way the king stands in the end as well.
    pub(crate) fn named(
        &self,
        abstracted: &Abstracted,
        position: &Setting,
        case: Case,
        work: &mut Workspace,
    ) -> Option<Case> {
        if case.verdict != Verdict::Proved || case.known || case.line.is_empty() {
            return Some(case);
        }
        let scene = Scene::after_bait(&position.chess, case.bait, position.mode);
        let bag = naming_bag(&scene, &case.line)?;
        let hits = self.resembling(abstracted, position, &bag, self.options.min_similarity, work);
        let as_good = |member: &Member| self.trap(*member).mate_in.is_some() == case.mate_in.is_some();
        let (member, similarity) = hits.into_iter().find(|(member, _)| as_good(member))?;
        Some(Case { member, similarity, ..case })
    }

    /// The nearest traps, the most similar first, that are at least so similar and not refuted; `bag` ascending.
    fn resembling(
        &self,
        abstracted: &Abstracted,
        position: &Setting,
        bag: &[u32],
        least: f64,
        work: &mut Workspace,
    ) -> Vec<(Member, f64)> {
        let hits = abstracted.likeness.nearest(bag, NEAREST, least, &mut work.bags);
        let member = |hit: token_index::Hit| {
            let &trap = abstracted.traps.get(&hit.payload)?;
            let plain = Member { trap, mirrored: false };
            let mirrored = self.trap(plain).setting.chess.turn() != position.chess.turn();
            let told = self.trap(plain).verdict != Verdict::Refuted;
            told.then_some((Member { trap, mirrored }, hit.similarity))
        };
        hits.into_iter().filter_map(member).collect()
    }
}

/// The captures and promotions that seem to win most, best first.
fn tempting(chess: &Chess) -> Vec<Move> {
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
