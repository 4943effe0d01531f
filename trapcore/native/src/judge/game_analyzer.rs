//! How a position is judged: known, similar, proposed, proved. And what a game made of it: the events.
//!
//! Nothing here depends on what was judged before, so that the same file gives the same findings in any number of
//! threads and after any interruption.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use shakmaty::{Chess, Color, Move, Position};

use crate::chess::moves::{after, mirror_move};
use crate::chess::position::{Setting, live_key, mirror};
use crate::judge::label_candidates::Patterns;
use crate::judge::token_candidates::Abstracted;
use crate::judge::verify::{Case, Cases};
use crate::measures::trap_positions::{Hit, Index, Member, Scratch, Yardstick};
use crate::pgn::reader::Game;
use crate::search::Searcher;
use crate::search::stop::Halt;
use crate::search::verdict::Verdict;
use crate::token_index;
use crate::trap_test::Tester;

/// A trap of the library: position before the bait, bait, and the killer line with its proof.
#[derive(Clone, Debug)]
pub struct Trap {
    pub setting: Setting,
    pub bait: Move,
    pub line: Vec<Move>,
    pub verdict: Verdict,
    /// Attacker's moves to mate after the bait; `None` for a gain of material.
    pub mate_in: Option<u32>,
}

/// What the caller asked for.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// `None` where abstracted trees are compared.
    pub yardstick: Option<Yardstick>,
    /// Least similarity at which a trap is proposed, 0 to 1.
    pub min_similarity: f64,
    /// Nodes for each question about one proposed bait.
    pub nodes: u64,
    /// The killers of the traps that propose a bait are tried first; without this the prover's own order is kept, which
    /// is there to be compared with.
    pub proposals_first: bool,
    /// Also report what was not proved.
    pub unproved: bool,
    /// Decisions in the first so many plies are not looked at.
    pub skip_plies: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventKind {
    Set,
    Fell,
    Avoided,
    Sprung,
    Missed,
}

impl EventKind {
    pub fn name(self) -> &'static str {
        match self {
            EventKind::Set => "set",
            EventKind::Fell => "fell",
            EventKind::Avoided => "avoided",
            EventKind::Sprung => "sprung",
            EventKind::Missed => "missed",
        }
    }
}

/// One event of a game.
#[derive(Clone, Debug)]
pub struct Event {
    /// Index of the move in the main line that the event is about.
    pub at: usize,
    pub kind: EventKind,
    /// Index of the position (moves played before it) in which the bait could be played.
    pub decision: usize,
    /// That position.
    pub position: Chess,
    pub case: Arc<Case>,
}

/// What one thread needs; reusable for ever.
pub struct Workspace {
    pub(crate) scratch: Scratch,
    pub(crate) hits: Vec<Hit>,
    pub(crate) tester: Tester,
    pub(crate) cases: FxHashMap<(u128, Option<Move>), Cases>,
    /// For settling shortlisted moves, apart from the proofs so that these do not depend on it.
    pub(crate) settler: Searcher,
    pub(crate) bags: token_index::Scratch,
    /// Positions that were known or similar, before proof.
    pub candidates: u64,
    /// Nodes of all proofs, also of those that failed.
    pub proof_nodes: u64,
}

const TABLE_BITS: u32 = 16;

impl Default for Workspace {
    fn default() -> Workspace {
        Workspace {
            scratch: Scratch::default(),
            hits: Vec::new(),
            tester: Tester::new(TABLE_BITS, TABLE_BITS),
            cases: FxHashMap::default(),
            settler: Searcher::settler(),
            bags: token_index::Scratch::default(),
            candidates: 0,
            proof_nodes: 0,
        }
    }
}

impl Workspace {
    /// Sets what ends the work early. What was found after that may be wrong, and so may what is kept of it here.
    pub fn set_halt(&mut self, halt: &Halt) {
        self.tester.set_halt(halt);
    }

    pub fn is_stopped(&self) -> bool {
        self.tester.is_stopped()
    }
}

/// A library ready to be held against games.
pub struct Judge {
    /// As they are, and with colours exchanged.
    traps: Vec<[Trap; 2]>,
    /// Of the same forms of the same traps.
    patterns: Vec<[Patterns; 2]>,
    pub(crate) known: FxHashMap<u128, Vec<Member>>,
    /// For a measure that compares whole trees.
    pub(crate) index: Option<Index>,
    /// For the measure that compares what single moves do.
    pub(crate) abstracted: Option<Abstracted>,
    pub(crate) options: Options,
}

impl Judge {
    /// `abstracted`: needed unless `options` has a yardstick.
    pub fn new(traps: Vec<Trap>, options: Options, abstracted: Option<Abstracted>) -> Judge {
        let traps: Vec<[Trap; 2]> = traps
            .into_iter()
            .map(|trap| {
                let exchanged = Trap {
                    setting: mirror(&trap.setting),
                    bait: mirror_move(trap.bait),
                    line: trap.line.iter().map(|&m| mirror_move(m)).collect(),
                    ..trap.clone()
                };
                [trap, exchanged]
            })
            .collect();
        let mut known: FxHashMap<u128, Vec<Member>> = FxHashMap::default();
        for (trap, both) in (0u32..).zip(&traps) {
            for (mirrored, form) in [(false, &both[0]), (true, &both[1])] {
                known.entry(live_key(&form.setting.chess)).or_default().push(Member { trap, mirrored });
            }
        }
        let index = options.yardstick.map(|yardstick| {
            let settings: Vec<(Setting, Setting)> =
                traps.iter().map(|both| (both[0].setting.clone(), both[1].setting.clone())).collect();
            Index::new(&settings, yardstick, options.min_similarity)
        });
        let patterns = traps.iter().map(|_| Default::default()).collect();
        Judge { traps, patterns, known, index, abstracted, options }
    }

    pub(crate) fn trap(&self, member: Member) -> &Trap {
        &self.traps[member.trap as usize][usize::from(member.mirrored)]
    }

    pub(crate) fn patterns(&self, member: Member) -> &Patterns {
        &self.patterns[member.trap as usize][usize::from(member.mirrored)]
    }

    /// The events of a game, ascending by move, and how many positions were looked at.
    pub fn events(&self, game: &Game, work: &mut Workspace) -> (Vec<Event>, u64) {
        let mut events = Vec::new();
        let mut position = Setting { chess: game.initial.clone(), mode: game.mode };
        // The cases of the last two positions, so that a trap that stays open is told of once.
        let mut recent: [Cases; 2] = [None, None];
        let seen = game.moves.len() as u64 + 1;
        if self.traps.is_empty() {
            return (events, seen);
        }
        for decision in 0..=game.moves.len() {
            let cases = if decision < self.options.skip_plies {
                None
            } else {
                self.cases(&position, game.moves.get(decision).copied(), work)
            };
            if let Some(list) = &cases {
                self.tell(game, decision, &position.chess, list, recent[1].as_deref(), work, &mut events);
            }
            recent = [cases, recent[0].take()];
            if let Some(&m) = game.moves.get(decision) {
                position.chess.play_unchecked(m);
            }
        }
        events.sort_by_key(|event| event.at);
        (events, seen)
    }

    #[allow(clippy::too_many_arguments)]
    fn tell(
        &self,
        game: &Game,
        decision: usize,
        position: &Chess,
        cases: &[Arc<Case>],
        earlier: Option<&[Arc<Case>]>,
        work: &mut Workspace,
        events: &mut Vec<Event>,
    ) {
        let played = game.moves.get(decision).copied();
        let taken = cases.iter().find(|case| Some(case.bait) == played);
        let case = taken.unwrap_or(&cases[0]);
        let stood_already = earlier.is_some_and(|list| list.iter().any(|c| same_trap(c, case)));
        let mut push = |at: usize, kind: EventKind| {
            events.push(Event { at, kind, decision, position: position.clone(), case: Arc::clone(case) });
        };
        if decision > 0 && !stood_already {
            push(decision - 1, EventKind::Set);
        }
        match (taken, played) {
            (None, None) => {}
            (None, Some(_)) if stood_already => {}
            (None, Some(_)) => push(decision, EventKind::Avoided),
            (Some(_), _) => {
                push(decision, EventKind::Fell);
                if let Some(&answer) = game.moves.get(decision + 1) {
                    let sprung = case.line.first() == Some(&answer)
                        || self.also_mates(&after(position, case.bait), answer, case, work);
                    push(decision + 1, if sprung { EventKind::Sprung } else { EventKind::Missed });
                }
            }
        }
    }

    /// Whether another move than the killer mates as well, in no more moves than are searched in full.
    fn also_mates(&self, position: &Chess, answer: Move, case: &Case, work: &mut Workspace) -> bool {
        let Some(mate) = case.mate_in.filter(|_| case.verdict == Verdict::Proved) else { return false };
        let prover = &mut work.tester.prover;
        let mated = prover.is_mated_in(&after(position, answer), mate.max(2), self.options.nodes);
        work.proof_nodes += prover.nodes();
        mated == Some(true)
    }
}

/// Whether a case says again what another said; a proof is more than a likeness.
fn same_trap(a: &Case, b: &Case) -> bool {
    a.bait == b.bait && a.member.trap == b.member.trap && a.verdict == b.verdict
}

/// Who makes the move with this index.
pub fn mover(game: &Game, at: usize) -> Color {
    if at.is_multiple_of(2) { game.initial.turn() } else { !game.initial.turn() }
}
