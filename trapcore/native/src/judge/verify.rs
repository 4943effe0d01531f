//! The baits of one position: known from the library, or proposed by similar traps and proved here.
//!
//! Similarity proposes (`proposals`), proof disposes. A bait that several traps propose is asked about once, the
//! killers of all of them are tried first, and the case is told under the name of the most similar trap that asked the
//! question which was answered.

use std::sync::Arc;

use shakmaty::{CastlingMode, Chess, Move, Position};

use crate::chess::moves::after;
use crate::chess::position::{Setting, live_key};
use crate::judge::game_analyzer::{Judge, Workspace};
use crate::judge::label_candidates::{Proposal, Proposer, Question};
use crate::mate::{EXHAUSTIVE, MateProof};
use crate::measures::trap_positions::{Hit, Member};
use crate::search::verdict::Verdict;
use crate::search::{Limits, MAX_DEPTH};

/// One bait of one position, with the trap that it comes from.
#[derive(Clone, Debug)]
pub struct Case {
    pub member: Member,
    /// The position is the trap's own.
    pub known: bool,
    /// The verdict was found here; otherwise it is the library's.
    pub here: bool,
    pub similarity: f64,
    pub bait: Move,
    /// Killer line in this position; only its legal beginning where nothing was proved.
    pub line: Vec<Move>,
    pub verdict: Verdict,
    pub mate_in: Option<u32>,
    /// Win chance that the bait costs, where a gain of material was proved here.
    pub loss: Option<f64>,
    /// Nodes of the proof made here; 0 where the library's proof stands.
    pub nodes: u64,
}

pub(crate) type Cases = Option<Arc<[Arc<Case>]>>;

/// The positions of the openings come again and again, so their cases are kept; the table is emptied when it has grown
/// to about ten megabytes.
const CACHE: usize = 1 << 17;
/// A gain of material is tested with four searches, each of which costs more a node than the mate prover.
const GAIN_SHARE: u64 = 8;

/// Proposed killers that a gain of material is searched for one by one.
const ALONE: usize = 1;
/// Nodes of the first look at a gain of material, which most proposals do not stand.
const GLANCE: u64 = 2000;

/// The answer to one question about a bait; proved only if the bait was avoidable (and for a gain, if it tempts).
struct Answer {
    verdict: Verdict,
    line: Vec<Move>,
    mate_in: Option<u32>,
    loss: Option<f64>,
    nodes: u64,
}

impl Judge {
    /// The baits of a position, best first; `None` when it has none. `played`: the move made there, which is looked at
    /// whether it looks tempting or not where baits are looked at one by one.
    pub(crate) fn cases(&self, position: &Setting, played: Option<Move>, work: &mut Workspace) -> Cases {
        let key = (live_key(&position.chess), played.filter(|_| self.abstracted.is_some()));
        let cacheable = position.mode == CastlingMode::Standard;
        if let (true, Some(cases)) = (cacheable, work.cases.get(&key)) {
            work.candidates += 1;
            return cases.clone();
        }
        let candidates = work.candidates;
        let cases = self.find_cases(position, played, work);
        let cases: Cases = (!cases.is_empty()).then(|| cases.into_iter().map(Arc::new).collect());
        // What was dear to find out is kept; that nothing is near is cheap to find out again.
        if cacheable && work.candidates > candidates {
            if work.cases.len() >= CACHE {
                work.cases.clear();
            }
            work.cases.insert(key, cases.clone());
        }
        cases
    }

    fn find_cases(&self, position: &Setting, played: Option<Move>, work: &mut Workspace) -> Vec<Case> {
        let mut cases: Vec<Case> = Vec::new();
        let known = self.known.get(&live_key(&position.chess)).map_or(&[][..], Vec::as_slice);
        for &member in known {
            let trap = self.trap(member);
            let told = trap.verdict == Verdict::Proved || self.options.unproved && trap.verdict == Verdict::Undecided;
            // A hash of 128 bits does not collide by chance, but a bait must be legal whatever happens.
            if told && position.chess.is_legal(trap.bait) && cases.iter().all(|case| case.bait != trap.bait) {
                cases.push(Case {
                    member,
                    known: true,
                    here: false,
                    similarity: 1.0,
                    bait: trap.bait,
                    line: trap.line.clone(),
                    verdict: trap.verdict,
                    mate_in: trap.mate_in,
                    loss: None,
                    nodes: 0,
                });
            }
        }
        if let Some(abstracted) = &self.abstracted {
            let proposals = self.screened(abstracted, position, played, known, &cases, work);
            work.candidates += u64::from(!proposals.is_empty() || !cases.is_empty());
            for proposal in &proposals {
                let found = self.prove(position, known, proposal, work);
                cases.extend(found.and_then(|case| self.named(abstracted, position, case, work)));
            }
        }
        if let Some(index) = &self.index {
            let mut hits = std::mem::take(&mut work.hits);
            index.hits(position, &mut work.scratch, &mut hits);
            work.candidates += u64::from(!hits.is_empty() || !cases.is_empty());
            // Other positions can be as similar as the trap's own.
            hits.sort_by(|a, b| {
                let stranger = |hit: &Hit| !known.contains(&hit.member);
                b.similarity
                    .total_cmp(&a.similarity)
                    .then_with(|| stranger(a).cmp(&stranger(b)))
                    .then(a.member.trap.cmp(&b.member.trap))
            });
            for proposal in self.proposals(position, known, &hits, &cases) {
                cases.extend(self.prove(position, known, &proposal, work));
            }
            work.hits = hits;
        }
        cases.sort_by_key(|case| (case.verdict != Verdict::Proved, !case.known));
        cases
    }

    /// A proved case, or an undecided one if those were asked for. Each question that a trap asks is asked once, the
    /// most similar trap's first.
    fn prove(&self, position: &Setting, known: &[Member], proposal: &Proposal, work: &mut Workspace) -> Option<Case> {
        let case = |proposer: &Proposer, answer: Answer| Case {
            member: proposer.member,
            known: known.contains(&proposer.member),
            here: true,
            similarity: proposer.similarity,
            bait: proposal.bait,
            line: answer.line,
            verdict: answer.verdict,
            mate_in: answer.mate_in,
            loss: answer.loss,
            nodes: answer.nodes,
        };
        let killers = if self.options.proposals_first { proposal.killers() } else { Vec::new() };
        let mut open = Vec::new();
        let first = proposal.proposers[0].asks();
        let second = if first == Question::Mate { Question::Gain } else { Question::Mate };
        for question in [first, second] {
            let Some(proposer) = proposal.asking(question).next() else { continue };
            let answer = match question {
                Question::Mate => self.prove_mate(&position.chess, proposal, &killers, work),
                Question::Gain => {
                    self.prove_gain(&position.chess, proposal.bait, &killers[..killers.len().min(ALONE)], work)
                }
            };
            work.proof_nodes += answer.nodes;
            match answer.verdict {
                Verdict::Proved => {
                    // A mate is told as one like the mate of a trap that is as quick.
                    let as_quick = |p: &&Proposer| p.trap.mate_in >= answer.mate_in;
                    let same = proposal.asking(question).find(as_quick).unwrap_or(proposer);
                    return Some(case(same, answer));
                }
                Verdict::Undecided => open.push((question, answer)),
                Verdict::Refuted => {}
            }
        }
        if !self.options.unproved {
            return None;
        }
        let is_open = |question| open.iter().any(|&(asked, _)| asked == question);
        let proposer = proposal.proposers.iter().find(|p| !p.line.is_empty() && is_open(p.asks()))?;
        let (_, answer) = open.into_iter().find(|&(asked, _)| asked == proposer.asks())?;
        Some(case(proposer, Answer { line: proposer.line.clone(), ..answer }))
    }

    /// Whether the bait loses to a mate as quick as that of one of the traps that end in mate.
    fn prove_mate(&self, position: &Chess, proposal: &Proposal, killers: &[Move], work: &mut Workspace) -> Answer {
        let baited = after(position, proposal.bait);
        let mut bounds: Vec<u32> = proposal.asking(Question::Mate).filter_map(|p| p.trap.mate_in).collect();
        bounds.sort_unstable_by(|a, b| b.cmp(a));
        bounds.dedup();
        let mut nodes = 0;
        let mut proof: Option<MateProof> = None;
        for bound in bounds {
            // Within the longest bound all shorter mates are looked for as well. But beyond the exhaustive search a
            // narrower question may be decided where the wider one ran out of nodes.
            let decided = |earlier: &MateProof| {
                earlier.verdict != Verdict::Undecided || bound <= earlier.refuted_to.max(EXHAUSTIVE)
            };
            if proof.as_ref().is_some_and(decided) {
                break;
            }
            let found = work.tester.prover.prove(&baited, bound, self.options.nodes, killers);
            nodes += found.nodes;
            if found.verdict != Verdict::Refuted || proof.is_none() {
                proof = Some(found);
            }
        }
        let Some(MateProof { verdict, mate_in, line, .. }) = proof else {
            return Answer { verdict: Verdict::Undecided, line: Vec::new(), mate_in: None, loss: None, nodes };
        };
        let avoidable = mate_in.is_none_or(|mate| self.is_avoidable(position, proposal.bait, mate, &mut nodes, work));
        let verdict = if avoidable { verdict } else { Verdict::Refuted };
        Answer { verdict, line, mate_in, loss: None, nodes }
    }

    /// The trap test.
    fn prove_gain(&self, position: &Chess, bait: Move, killers: &[Move], work: &mut Workspace) -> Answer {
        // Screening proposes many baits, whole trees that are alike propose few.
        let many = self.abstracted.is_some();
        if many && !work.tester.may_lose(position, bait, killers, GLANCE.min(self.options.nodes)) {
            return Answer { verdict: Verdict::Undecided, line: Vec::new(), mate_in: None, loss: None, nodes: GLANCE };
        }
        let limits = Limits { depth: MAX_DEPTH, nodes: self.options.nodes / GAIN_SHARE };
        let test = work.tester.test(position, bait, killers, limits);
        let proved = test.verdict == Verdict::Proved;
        Answer {
            verdict: if proved && !test.tempts() { Verdict::Refuted } else { test.verdict },
            line: test.line,
            mate_in: test.mate_in,
            loss: proved.then_some(test.loss),
            nodes: test.nodes,
        }
    }

    /// A bait is one only if another move of the victim is proved not to allow a mate as quick (or, since refuting
    /// longer mates takes all night, one of three moves).
    fn is_avoidable(&self, position: &Chess, bait: Move, mate: u32, nodes: &mut u64, work: &mut Workspace) -> bool {
        let mut spent = 0;
        for m in position.legal_moves().into_iter().filter(|&m| m != bait) {
            let Some(left) = self.options.nodes.checked_sub(spent).filter(|&left| left > 0) else { break };
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
