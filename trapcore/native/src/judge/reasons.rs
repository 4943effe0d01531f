//! Why a bait loses: whether its killer was a threat, and the causes of a move that was played.

use shakmaty::Position;

use crate::judge::events::EventKind;
use crate::judge::model::Event;
use crate::judge::pass::deepen;
use crate::judge::workspace::Workspace;
use crate::search::verdict::Verdict;
use crate::search::{Limits, MAX_DEPTH};
use crate::themes::causes::mistake::Question;
use crate::themes::causes::{Explanation, explain};
use crate::trap_test::{LOSS, win_chance};

/// Nodes for whether a killer that mates, or another one, works if the victim passes.
const MATE_NODES: u64 = 20_000;
const THREAT_NODES: u64 = 1_000;

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
    figures.before + win_chance(kept.value()) >= LOSS
}

/// Why the bait loses, if it was played and is proved to lose.
pub(super) fn explained(event: &Event, work: &mut Workspace) -> Option<Explanation> {
    let (case, figures) = (&event.case, event.case.figures.as_ref());
    if event.kind != EventKind::Fell || case.verdict != Verdict::Proved || case.line.is_empty() {
        return None;
    }
    let question = Question {
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
