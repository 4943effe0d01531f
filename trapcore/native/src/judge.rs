//! How a position is judged: known, similar, proposed, proved. And what a game made of it: the events.
//!
//! Nothing here depends on what was judged before, so that the same file gives the same findings in any number of
//! threads and after any interruption.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use shakmaty::{CastlingMode, Chess, Color, Move, Position};

use crate::baits::Tester;
use crate::game::Game;
use crate::index::{Hit, Index, Member, Scratch, Yardstick};
use crate::labels::uci_label;
use crate::mate::EXHAUSTIVE;
use crate::position::{Setting, live_key, mirror, mirror_move};
use crate::tree::after;
use crate::verdict::Verdict;

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
    pub yardstick: Yardstick,
    /// Least similarity at which a trap is proposed, 0 to 1.
    pub min_similarity: f64,
    /// Nodes for the proof of one proposed bait.
    pub nodes: u64,
    /// Also report what was not proved.
    pub unproved: bool,
    /// Decisions in the first so many plies are not looked at.
    pub skip_plies: usize,
}

/// One bait of one position, with the trap that it comes from.
#[derive(Clone, Debug)]
pub struct Case {
    pub member: Member,
    /// The position is the trap's own.
    pub known: bool,
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
    scratch: Scratch,
    hits: Vec<Hit>,
    tester: Tester,
    cases: FxHashMap<u128, Cases>,
    /// Positions that were known or similar, before proof.
    pub candidates: u64,
    pub proof_nodes: u64,
}

type Cases = Option<Arc<[Arc<Case>]>>;

/// The positions of the openings come again and again, so their cases are kept; the table is emptied when it has grown
/// to about ten megabytes.
const CACHE: usize = 1 << 17;
const TABLE_BITS: u32 = 16;
/// A gain of material is tested with four searches, each of which costs more a node than the mate prover.
const GAIN_SHARE: u64 = 8;

impl Default for Workspace {
    fn default() -> Workspace {
        Workspace {
            scratch: Scratch::default(),
            hits: Vec::new(),
            tester: Tester::new(TABLE_BITS, TABLE_BITS),
            cases: FxHashMap::default(),
            candidates: 0,
            proof_nodes: 0,
        }
    }
}

/// A library ready to be held against games.
pub struct Judge {
    /// As they are, and with colours exchanged.
    traps: Vec<[Trap; 2]>,
    known: FxHashMap<u128, Vec<Member>>,
    index: Index,
    options: Options,
}

impl Judge {
    pub fn new(traps: Vec<Trap>, options: Options) -> Judge {
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
        let settings: Vec<(Setting, Setting)> =
            traps.iter().map(|both| (both[0].setting.clone(), both[1].setting.clone())).collect();
        let index = Index::new(&settings, options.yardstick, options.min_similarity);
        Judge { traps, known, index, options }
    }

    fn trap(&self, member: Member) -> &Trap {
        &self.traps[member.trap as usize][usize::from(member.mirrored)]
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
            let cases = if decision < self.options.skip_plies { None } else { self.cases(&position, work) };
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
        case.verdict == Verdict::Proved
            && case.mate_in.is_some_and(|mate| {
                work.tester.prover.is_mated_in(&after(position, answer), mate.max(2), self.options.nodes) == Some(true)
            })
    }

    /// The baits of a position, best first; `None` when it has none.
    fn cases(&self, position: &Setting, work: &mut Workspace) -> Cases {
        let key = live_key(&position.chess);
        let cacheable = position.mode == CastlingMode::Standard;
        if let (true, Some(cases)) = (cacheable, work.cases.get(&key)) {
            work.candidates += 1;
            return cases.clone();
        }
        let candidates = work.candidates;
        let cases = self.find_cases(position, key, work);
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

    fn find_cases(&self, position: &Setting, key: u128, work: &mut Workspace) -> Vec<Case> {
        let mut cases: Vec<Case> = Vec::new();
        for &member in self.known.get(&key).map_or(&[][..], Vec::as_slice) {
            let trap = self.trap(member);
            let told = trap.verdict == Verdict::Proved || self.options.unproved && trap.verdict == Verdict::Undecided;
            // A hash of 128 bits does not collide by chance, but a bait must be legal whatever happens.
            if told && position.chess.is_legal(trap.bait) && cases.iter().all(|case| case.bait != trap.bait) {
                cases.push(Case {
                    member,
                    known: true,
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
        let mut hits = std::mem::take(&mut work.hits);
        self.index.hits(position, &mut work.scratch, &mut hits);
        if !hits.is_empty() || !cases.is_empty() {
            work.candidates += 1;
        }
        hits.sort_by(|a, b| b.similarity.total_cmp(&a.similarity).then(a.member.trap.cmp(&b.member.trap)));
        self.propose(position, &hits, &mut cases, work);
        work.hits = hits;
        cases.sort_by_key(|case| (case.verdict != Verdict::Proved, !case.known));
        cases
    }

    /// Maps the bait of each similar trap into the position, and keeps what is proved.
    fn propose(&self, position: &Setting, hits: &[Hit], cases: &mut Vec<Case>, work: &mut Workspace) {
        if hits.is_empty() {
            return;
        }
        let moves = position.chess.legal_moves();
        let mut tried: Vec<Move> = cases.iter().map(|case| case.bait).collect();
        for hit in hits {
            let trap = self.trap(hit.member);
            if trap.verdict == Verdict::Refuted {
                continue;
            }
            let wanted = uci_label(trap.bait, trap.setting.mode);
            let Some(&bait) = moves.iter().find(|&&m| uci_label(m, position.mode) == wanted) else { continue };
            if tried.contains(&bait) {
                continue;
            }
            if let Some(case) = self.prove(position, bait, hit, trap, &moves, work) {
                tried.push(bait);
                cases.push(case);
            }
        }
    }

    /// A proved case, or an undecided one if those were asked for.
    fn prove(
        &self,
        position: &Setting,
        bait: Move,
        hit: &Hit,
        trap: &Trap,
        moves: &[Move],
        work: &mut Workspace,
    ) -> Option<Case> {
        let baited = after(&position.chess, bait);
        let line = legal_beginning(&baited, &trap.line);
        let undecided = |line: Vec<Move>, nodes: u64| Case {
            member: hit.member,
            known: false,
            similarity: hit.similarity,
            bait,
            line,
            verdict: Verdict::Undecided,
            mate_in: None,
            loss: None,
            nodes,
        };
        let Some(mate) = trap.mate_in else {
            let nodes = self.options.nodes / GAIN_SHARE;
            let test = work.tester.test(&position.chess, bait, line.first().copied(), nodes);
            work.proof_nodes += test.nodes;
            return match test.verdict {
                Verdict::Proved if test.tempts() => Some(Case {
                    line: test.line,
                    verdict: Verdict::Proved,
                    mate_in: test.mate_in,
                    loss: Some(test.loss),
                    ..undecided(Vec::new(), test.nodes)
                }),
                Verdict::Undecided if self.options.unproved && !line.is_empty() => Some(undecided(line, test.nodes)),
                _ => None,
            };
        };
        let proof = work.tester.prover.prove(&baited, mate, self.options.nodes, line.first().copied());
        work.proof_nodes += proof.nodes;
        match (proof.verdict, proof.mate_in) {
            (Verdict::Proved, Some(mate_in)) => {
                let (avoidable, nodes) = self.is_avoidable(&position.chess, bait, moves, mate_in, work);
                avoidable.then(|| Case {
                    line: proof.line,
                    verdict: Verdict::Proved,
                    mate_in: Some(mate_in),
                    ..undecided(Vec::new(), proof.nodes + nodes)
                })
            }
            (Verdict::Undecided, _) if self.options.unproved && !line.is_empty() => Some(undecided(line, proof.nodes)),
            _ => None,
        }
    }

    /// A bait is one only if another move of the victim is proved not to allow a mate as quick (or, since refuting
    /// longer mates takes all night, one of three moves).
    fn is_avoidable(
        &self,
        position: &Chess,
        bait: Move,
        moves: &[Move],
        mate: u32,
        work: &mut Workspace,
    ) -> (bool, u64) {
        let mut nodes = 0;
        for &m in moves.iter().filter(|&&m| m != bait) {
            let Some(left) = self.options.nodes.checked_sub(nodes).filter(|&left| left > 0) else { break };
            let proof = work.tester.prover.prove(&after(position, m), mate.min(EXHAUSTIVE), left, None);
            nodes += proof.nodes;
            work.proof_nodes += proof.nodes;
            if proof.verdict == Verdict::Refuted {
                return (true, nodes);
            }
        }
        (false, nodes)
    }
}

/// Whether a case says again what another said; a proof is more than a likeness.
fn same_trap(a: &Case, b: &Case) -> bool {
    a.bait == b.bait && a.member.trap == b.member.trap && a.verdict == b.verdict
}

fn legal_beginning(position: &Chess, line: &[Move]) -> Vec<Move> {
    let mut position = position.clone();
    let mut out = Vec::new();
    for &m in line {
        // The piece that moves and what it takes may differ from the trap's; the squares must agree.
        let wanted = uci_label(m, CastlingMode::Standard);
        match position.legal_moves().iter().find(|&&l| uci_label(l, CastlingMode::Standard) == wanted) {
            Some(&legal) => {
                out.push(legal);
                position.play_unchecked(legal);
            }
            None => break,
        }
    }
    out
}

/// Who makes the move with this index.
pub fn mover(game: &Game, at: usize) -> Color {
    if at.is_multiple_of(2) { game.initial.turn() } else { !game.initial.turn() }
}
