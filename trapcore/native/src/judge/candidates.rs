//! Moves that may be baits, each with the similar traps that propose it.

use shakmaty::Move;

use crate::judge::model::Trap;
use crate::measures::trap_positions::Member;

/// Greatest similarity of another position than the trap's own: 1 says that it is the same position.
pub(crate) const GREATEST_SIMILARITY: f64 = 0.99;

/// What a trap says about its bait. Neither question holds the other: the trap test looks for mates as well, but with
/// fewer nodes and fewer moves, and has other rules for whether the bait was avoidable.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Question {
    Mate,
    Gain,
}

/// A similar trap that proposes a bait.
pub(super) struct SimilarTrap<'a> {
    pub member: Member,
    pub similarity: f64,
    pub trap: &'a Trap,
    /// What may be its killer here, in the order in which it is tried.
    pub killers: Vec<Move>,
    /// What can be played here of its killer line, or else the counterpart of its killer.
    pub line: Vec<Move>,
}

impl SimilarTrap<'_> {
    pub(super) fn question(&self) -> Question {
        if self.trap.mate_in.is_some() { Question::Mate } else { Question::Gain }
    }
}

/// A move that stands for the bait of similar traps; the most similar first.
pub(super) struct Candidate<'a> {
    pub bait: Move,
    pub traps: Vec<SimilarTrap<'a>>,
}

impl<'a> Candidate<'a> {
    /// The traps that pose this question.
    pub(super) fn posing(&self, question: Question) -> impl Iterator<Item = &SimilarTrap<'a>> {
        self.traps.iter().filter(move |similar| similar.question() == question)
    }

    /// The killers of all its traps, each once, the most similar trap's before the others'.
    pub(super) fn killers(&self) -> Vec<Move> {
        let mut out = Vec::new();
        for &killer in self.traps.iter().flat_map(|similar| &similar.killers) {
            if !out.contains(&killer) {
                out.push(killer);
            }
        }
        out
    }
}
