//! The proof of a candidate, and why a bait loses.
//!
//! A bait that several traps propose is examined once, the killers of all of them are tried first, and the case gets
//! the name of the most similar trap that posed the question which was answered.

use shakmaty::{Chess, Move, Position};

use crate::chess::moves::after;
use crate::judge::events::EventKind;
use crate::judge::model::{Candidate, Case, Decision, Event, GREATEST_SIMILARITY, ProofLimits, Question, SimilarTrap};
use crate::judge::pass::deepen;
use crate::judge::workspace::Workspace;
use crate::mate::{EXHAUSTIVE, MateProof, PROVER_VERSION};
use crate::search::verdict::Verdict;
use crate::search::{Limits, MAX_DEPTH};
use crate::themes::causes::mistake;
use crate::themes::causes::{Explanation, explain};
use crate::trap_test::TESTER_VERSION;
use crate::win_chance::{BLUNDER, win_chance};

/// A gain of material is tested with four searches. Each costs more a node than the mate prover.
const GAIN_SHARE: u64 = 8;

/// Proposed killers that a gain of material is searched for one by one.
const ALONE: usize = 1;
/// Nodes of the shallow search before the test of a gain of material, which most candidates do not pass.
const PRESCREEN_NODES: u64 = 2000;

/// Nodes for whether a killer that mates, or another one, works if the victim passes.
const MATE_NODES: u64 = 20_000;
const THREAT_NODES: u64 = 1_000;

/// The answer to one question about a bait; proved only if the bait was avoidable (and for a gain, if it tempts).
struct Answer {
    verdict: Verdict,
    line: Vec<Move>,
    mate_in: Option<u32>,
    loss: Option<f64>,
    nodes: u64,
}

/// How candidates are proved.
pub(super) struct Verifier {
    pub limits: ProofLimits,
    /// See [`Options::proposals_first`](crate::judge::model::Options::proposals_first).
    pub killers_first: bool,
    /// A shallow search comes before the test of a gain: tokens propose many baits, whole trees that are similar few.
    pub prescreen: bool,
}

impl Verifier {
    /// A proved case, or an undecided one if the limits say so. Each question that a trap poses is examined once, the
    /// most similar trap's first.
    pub(super) fn prove(&self, decision: &Decision, candidate: &Candidate, work: &mut Workspace) -> Option<Case> {
        let is_known = |similar: &SimilarTrap| decision.known.contains(&similar.member);
        let case = |similar: &SimilarTrap, answer: Answer| Case {
            member: Some(similar.member),
            known: is_known(similar),
            by: if answer.loss.is_some() { TESTER_VERSION } else { PROVER_VERSION },
            similarity: similar.similarity.min(if is_known(similar) { 1.0 } else { GREATEST_SIMILARITY }),
            bait: candidate.bait,
            line: answer.line,
            verdict: answer.verdict,
            mate_in: answer.mate_in,
            loss: answer.loss,
            figures: None,
            nodes: answer.nodes,
        };
        let killers = if self.killers_first { candidate.killers() } else { Vec::new() };
        let mut open = Vec::new();
        let first = candidate.traps[0].question();
        let second = if first == Question::Mate { Question::Gain } else { Question::Mate };
        for question in [first, second] {
            let Some(similar) = candidate.posing(question).next() else { continue };
            let answer = match question {
                Question::Mate => self.prove_mate(&decision.position.chess, candidate, &killers, work),
                Question::Gain => self.prove_gain(
                    &decision.position.chess,
                    candidate.bait,
                    &killers[..killers.len().min(ALONE)],
                    work,
                ),
            };
            work.proof_nodes += answer.nodes;
            match answer.verdict {
                Verdict::Proved => {
                    // A mate is reported under a trap whose mate is as quick.
                    let as_quick = |p: &&SimilarTrap| p.trap.mate_in >= answer.mate_in;
                    let same = candidate.posing(question).find(as_quick).unwrap_or(similar);
                    return Some(case(same, answer));
                }
                Verdict::Undecided => open.push((question, answer)),
                Verdict::Refuted => {}
            }
        }
        if !self.limits.unproved {
            return None;
        }
        let is_open = |question| open.iter().any(|&(posed, _)| posed == question);
        let similar = candidate.traps.iter().find(|p| !p.line.is_empty() && is_open(p.question()))?;
        let (_, answer) = open.into_iter().find(|&(posed, _)| posed == similar.question())?;
        Some(case(similar, Answer { line: similar.line.clone(), ..answer }))
    }

    /// Whether the bait loses to a mate as quick as that of one of the traps that end in mate.
    fn prove_mate(&self, position: &Chess, candidate: &Candidate, killers: &[Move], work: &mut Workspace) -> Answer {
        let baited = after(position, candidate.bait);
        let mut bounds: Vec<u32> = candidate.posing(Question::Mate).filter_map(|p| p.trap.mate_in).collect();
        bounds.sort_unstable_by(|a, b| b.cmp(a));
        bounds.dedup();
        let mut nodes = 0;
        let mut proof: Option<MateProof> = None;
        for bound in bounds {
            // Within the longest bound all shorter mates are searched for as well. But beyond the exhaustive search a
            // narrower question may be decided where the wider one ran out of nodes.
            let decided = |earlier: &MateProof| {
                earlier.verdict != Verdict::Undecided || bound <= earlier.refuted_to.max(EXHAUSTIVE)
            };
            if proof.as_ref().is_some_and(decided) {
                break;
            }
            let found = work.tester.prover.prove(&baited, bound, self.limits.nodes, killers);
            nodes += found.nodes;
            if found.verdict != Verdict::Refuted || proof.is_none() {
                proof = Some(found);
            }
        }
        let Some(MateProof { verdict, mate_in, line, .. }) = proof else {
            return Answer { verdict: Verdict::Undecided, line: Vec::new(), mate_in: None, loss: None, nodes };
        };
        let avoidable = mate_in.is_none_or(|mate| self.is_avoidable(position, candidate.bait, mate, &mut nodes, work));
        let verdict = if avoidable { verdict } else { Verdict::Refuted };
        Answer { verdict, line, mate_in, loss: None, nodes }
    }

    /// The trap test.
    fn prove_gain(&self, position: &Chess, bait: Move, killers: &[Move], work: &mut Workspace) -> Answer {
        if self.prescreen && !work.tester.may_lose(position, bait, killers, PRESCREEN_NODES.min(self.limits.nodes)) {
            return Answer {
                verdict: Verdict::Undecided,
                line: Vec::new(),
                mate_in: None,
                loss: None,
                nodes: PRESCREEN_NODES,
            };
        }
        let limits = Limits { depth: MAX_DEPTH, nodes: self.limits.nodes / GAIN_SHARE };
        let test = work.tester.test(position, bait, killers, limits);
        let proved = test.verdict == Verdict::Proved;
        Answer {
            verdict: if proved && (test.forced || !test.tempts()) { Verdict::Refuted } else { test.verdict },
            line: test.line,
            mate_in: test.mate_in,
            loss: proved.then_some(test.loss),
            nodes: test.nodes,
        }
    }

    /// A bait is one only if another move of the victim is proved not to allow a mate as quick (or, because refuting
    /// longer mates takes all night, one of three moves).
    fn is_avoidable(&self, position: &Chess, bait: Move, mate: u32, nodes: &mut u64, work: &mut Workspace) -> bool {
        let mut spent = 0;
        for m in position.legal_moves().into_iter().filter(|&m| m != bait) {
            let Some(left) = self.limits.nodes.checked_sub(spent).filter(|&left| left > 0) else { break };
            let proof = work.tester.prover.prove(&after(position, m), mate.min(EXHAUSTIVE), left, &[]);
            spent += proof.nodes;
            *nodes += proof.nodes;
            if proof.verdict == Verdict::Refuted {
                return true;
            }
        }
        false
    }
}

/// Whether the killer would work as well if the victim passed.
pub(super) fn is_threat(event: &Event, work: &mut Workspace) -> bool {
    let (Some(&killer), Ok(passed)) = (event.case.line.first(), event.position.clone().swap_turn()) else {
        return false;
    };
    if event.case.verdict != Verdict::Proved || !passed.is_legal(killer) {
        return false;
    }
    if let Some(mate) = event.case.mate_in {
        let proof = work.tester.prover.prove(&passed, mate, MATE_NODES, &[killer]);
        work.proof_nodes += proof.nodes;
        return proof.verdict == Verdict::Proved;
    }
    let Some(figures) = &event.case.figures else { return false };
    let limits = Limits { depth: MAX_DEPTH, nodes: THREAT_NODES };
    let kept = deepen(&mut work.searcher, &passed, &[killer], &[], limits);
    work.proof_nodes += kept.nodes;
    figures.before + win_chance(kept.value()) >= BLUNDER
}

/// Why the bait loses, if it was played and is proved to lose.
pub(super) fn explained(event: &Event, work: &mut Workspace) -> Option<Explanation> {
    let (case, figures) = (&event.case, event.case.figures.as_ref());
    if event.kind != EventKind::Fell || case.verdict != Verdict::Proved || case.line.is_empty() {
        return None;
    }
    let question = mistake::Question {
        position: &event.position,
        bait: case.bait,
        killer_line: &case.line,
        best_line: figures.map_or(&[], |figures| &figures.best_line),
        before: figures.map(|figures| figures.before),
        after: figures.map(|figures| figures.after),
        mate_in: case.mate_in,
    };
    Some(explain(question, &mut work.passes))
}
