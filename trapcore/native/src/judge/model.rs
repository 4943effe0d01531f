//! Traps, the options, and what is found.

use std::sync::Arc;

use shakmaty::{Chess, Move};

use crate::chess::moves::mirror_move;
use crate::chess::position::{GamePosition, mirror};
use crate::judge::events::EventKind;
use crate::judge::judgements::JudgedPosition;
use crate::measures::trap_positions::{Measure, Member};
use crate::search::verdict::Verdict;
use crate::themes::causes::Explanation;

/// A trap of the library: position before the bait, bait, and the killer line with its proof.
#[derive(Clone, Debug)]
pub(crate) struct Trap {
    pub position: GamePosition,
    pub bait: Move,
    pub line: Vec<Move>,
    pub verdict: Verdict,
    /// Attacker's moves to mate after the bait; `None` for a gain of material.
    pub mate_in: Option<u32>,
}

impl Trap {
    /// The trap with colours exchanged.
    pub(super) fn mirrored(&self) -> Trap {
        Trap {
            position: mirror(&self.position),
            bait: mirror_move(self.bait),
            line: self.line.iter().map(|&m| mirror_move(m)).collect(),
            verdict: self.verdict,
            mate_in: self.mate_in,
        }
    }
}

/// What to report of games.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd)]
pub(crate) enum Tell {
    /// The traps of the library.
    Known,
    /// Those, and proved traps that are like them.
    Similar,
    /// All that, and every played move that is proved to lose, mates that were missed, and poisoned captures.
    Losses,
    /// All that, and a second look at every other move that seems to cost something.
    All,
}

impl Tell {
    pub(crate) fn named(name: &str) -> Option<Tell> {
        Some(match name {
            "known" => Tell::Known,
            "similar" => Tell::Similar,
            "losses" => Tell::Losses,
            "all" => Tell::All,
            _ => return None,
        })
    }
}

/// How traps are recognised.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Options {
    pub tell: Tell,
    /// An engine decides what a short proof leaves open, so that this is reported as well.
    pub engine: bool,
    /// `None` where abstracted trees are compared.
    pub measure: Option<Measure>,
    /// Least similarity at which a trap is proposed, 0 to 1.
    pub min_similarity: f64,
    /// The killers of the traps that propose a bait are tried first; without this they are tried in the prover's own order, which
    /// is there to be compared with.
    pub proposals_first: bool,
    /// Also what each position of a game is worth, if its losing moves are searched for.
    pub values: bool,
    /// Where a call does not set its own.
    pub limits: ProofLimits,
}

/// How much is spent on proofs, and whether what they leave open is reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ProofLimits {
    /// Nodes for each question about one proposed bait.
    pub nodes: u64,
    /// Also report what was not proved.
    pub unproved: bool,
}

/// Win chance of the mover with the best other move below which all is lost anyway, and with the move above which all is won
/// anyway. There our evaluation exaggerates: a strong engine sees half of so great a cost.
pub(super) const LOST: f64 = -0.5;
pub(super) const WON: f64 = 0.5;
/// One bait of one position, with the trap that it comes from.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    /// The trap of the library that it is or is like.
    pub member: Option<Member>,
    /// The position is the trap's own.
    pub known: bool,
    /// Who proved it, where it is proved.
    pub by: &'static str,
    /// 0 where it is like none.
    pub similarity: f64,
    pub bait: Move,
    /// Killer line in this position; only its legal beginning where nothing was proved.
    pub line: Vec<Move>,
    pub verdict: Verdict,
    pub mate_in: Option<u32>,
    /// Win chance that the bait costs, where that was measured here.
    pub loss: Option<f64>,
    /// What else was measured of it.
    pub figures: Option<Figures>,
    /// Nodes of the proof made here; 0 where the library's proof stands.
    pub nodes: u64,
}

/// Figures of a bait. Win chances are the victim's, -1 to 1.
#[derive(Clone, Debug)]
pub(crate) struct Figures {
    /// With the best other move.
    pub before: f64,
    /// With the bait.
    pub after: f64,
    /// The line that begins with the best other move.
    pub best_line: Vec<Move>,
    /// Stated probability that the bait loses .3 or more.
    pub probability: Option<f64>,
    /// Whether the win chances may be reported, see [`Loss::settled`](crate::judge::losses::Loss::settled).
    pub settled: bool,
}

/// The cases of a position, best first; `None` where there is none.
pub(crate) type Cases = Option<Arc<[Arc<Case>]>>;

/// A position in which a bait could be played.
#[derive(Clone, Copy)]
pub(super) struct Decision<'a> {
    pub position: &'a GamePosition,
    /// The move made there, which is examined whether it looks tempting or not.
    pub played: Option<Move>,
    /// The traps with this very position.
    pub known: &'a [Member],
}

/// A move that sets a trap.
pub(crate) struct SetTrap {
    pub m: Move,
    /// After the move, before the bait.
    pub position: Chess,
    pub case: Arc<Case>,
}

/// What a game holds.
#[derive(Debug, Default)]
pub(crate) struct JudgedGame {
    /// Ascending by move.
    pub events: Vec<Event>,
    /// The positions that they are about, each once.
    pub judged: Vec<JudgedPosition>,
    /// Of the moves whose value is wanted: the index, the position before it, and the one after it as far as its value is
    /// known. That of a last move that is stalemate is always wanted where losses are told.
    pub values: Vec<(usize, Chess, Option<JudgedPosition>)>,
    /// Positions that were examined.
    pub positions: u64,
}

/// One event of a game.
#[derive(Clone, Debug)]
pub(crate) struct Event {
    /// Index of the move in the main line that the event is about.
    pub at: usize,
    pub kind: EventKind,
    /// Index of the position (moves played before it) in which the bait could be played.
    pub decision: usize,
    /// That position, and the one after the bait.
    pub position: Chess,
    pub baited: Chess,
    /// Before the move that the event is about, and after it.
    pub origin: Chess,
    pub reached: Chess,
    pub case: Arc<Case>,
    /// The killer would work as well if the victim passed.
    pub threat: bool,
    /// Why the bait loses, of a move that was played and is proved to lose.
    pub explanation: Option<Explanation>,
    /// Whether the win chances of the bait and of the move that the event is about may be reported.
    pub settled: bool,
    /// Win chance that the move which the event is about costs against the best there, 0 to 2; `None` where it was
    /// not measured.
    pub played_loss: Option<f64>,
    /// Every other move there costs [`BLUNDER`](crate::win_chance::BLUNDER) or more against that one.
    pub only_move: bool,
}

impl Event {
    /// The positions that it gives values of.
    pub(super) fn positions(&self) -> [&Chess; 4] {
        [&self.position, &self.baited, &self.origin, &self.reached]
    }
}

/// Greatest similarity of another position than the trap's own: 1 says that it is the same position.
pub(crate) const GREATEST_SIMILARITY: f64 = 0.99;

/// What a trap says about its bait. Neither question holds the other: the trap test searches mates as well, but with
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
