//! What a game did with a trap: the five events, and whether an answer springs the trap.
//!
//! Every classification of events goes through [`classify`], and every answer through [`is_sprung`], so that all ways
//! of use agree.

use shakmaty::{Chess, Move};

use crate::chess::moves::after;
use crate::mate::Prover;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EventKind {
    /// The attacker made the move after which the trap stood.
    Set,
    /// The victim took the bait.
    Fell,
    /// The victim played another move.
    Avoided,
    /// The attacker answered the bait with the killer, or with another move that mates as well.
    Sprung,
    /// The attacker answered with another move.
    Missed,
}

impl EventKind {
    pub(crate) fn name(self) -> &'static str {
        match self {
            EventKind::Set => "set",
            EventKind::Fell => "fell",
            EventKind::Avoided => "avoided",
            EventKind::Sprung => "sprung",
            EventKind::Missed => "missed",
        }
    }

    /// Index of the move that the event is about, given that of the victim's decision.
    pub(crate) fn move_index(self, decision: usize) -> usize {
        match self {
            EventKind::Set => decision - 1,
            EventKind::Fell | EventKind::Avoided => decision,
            EventKind::Sprung | EventKind::Missed => decision + 1,
        }
    }
}

/// A trap as it stood in a game.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Encounter {
    /// Index of the victim's decision: how many moves were played before it.
    pub decision: usize,
    /// The trap stood already at the victim's decision before.
    pub stood_already: bool,
    /// Whether the victim took the bait; `None` if the game ended.
    pub took_bait: Option<bool>,
    /// Whether the answer to the bait springs the trap; `None` if the game ended.
    pub is_sprung: Option<bool>,
}

/// The events of an encounter, in the order of the moves. A trap that stays open is set, and avoided, once.
pub(crate) fn classify(encounter: Encounter) -> impl Iterator<Item = EventKind> {
    let Encounter { decision, stood_already, took_bait, is_sprung } = encounter;
    let set = (decision > 0 && !stood_already).then_some(EventKind::Set);
    let choice = match took_bait {
        Some(true) => Some(EventKind::Fell),
        Some(false) if !stood_already => Some(EventKind::Avoided),
        _ => None,
    };
    let answer = match (took_bait, is_sprung) {
        (Some(true), Some(true)) => Some(EventKind::Sprung),
        (Some(true), Some(false)) => Some(EventKind::Missed),
        _ => None,
    };
    [set, choice, answer].into_iter().flatten()
}

/// The proof that an answer to the bait is compared with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Killer {
    pub m: Option<Move>,
    /// Moves to mate, where a mate is proved.
    pub mate_in: Option<u32>,
}

/// Whether an answer springs the trap: it is the killer, or it mates as well in no more moves than are searched in
/// full. And the nodes that the proof took. `baited`: the position after the bait.
pub(crate) fn is_sprung(prover: &mut Prover, baited: &Chess, killer: Killer, answer: Move, nodes: u64) -> (bool, u64) {
    if killer.m == Some(answer) {
        return (true, 0);
    }
    let Some(mate) = killer.mate_in else { return (false, 0) };
    let mated = prover.is_mated_in(&after(baited, answer), mate.max(2), nodes);
    (mated == Some(true), prover.nodes())
}
