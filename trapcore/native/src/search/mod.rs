//! The search for a forced gain: alpha-beta with principal variation search, iterative deepening, a transposition
//! table, and a quiescence search of captures and checks.
//!
//! Two ways to search. `Exact` prunes only what cannot change the value, so that it equals a plain minimax of the same
//! evaluation, quiescence and extensions (the tests hold it to that). `Selective` also skips and shortens what is
//! unlikely to matter, and reaches about twice the depth; it is what plays and proves gains, where the verdict has to
//! stand at further depths.
//!
//! | module | what it holds |
//! |---|---|
//! | `score` | how values are written: centipawns, and mates by their distance |
//! | `verdict` | proved, refuted or undecided |
//! | `stop` | what ends a search early: time, another thread, a signal |
//! | `evaluation` | a linear sum of features |
//! | `network` | a small network |
//! | `static_value` | the value of a quiet position, by either of the two |
//! | `place` | a position of a line, with its key |
//! | `threats` | which squares the other side attacks |
//! | `history` | what earlier nodes taught |
//! | `move_picker` | which move is tried next |
//! | `transposition_table` | results of positions that were searched before |
//! | `root` | iterative deepening, and the moves at the root |
//! | `node` | one node of the selective search |
//! | `quiescence` | captures and checks beyond its last full ply |
//! | `exact` | nodes and quiescence of the exact search |

pub(crate) mod evaluation;
mod exact;
mod history;
mod move_picker;
pub(crate) mod network;
mod node;
mod place;
mod quiescence;
mod root;
pub(crate) mod score;
pub(crate) mod static_value;
pub(crate) mod stop;
mod threats;
mod transposition_table;
pub(crate) mod verdict;

use shakmaty::{Chess, Move, Position};

use crate::chess::endgames::tables::most_men;
use crate::search::history::{Before, History, NONE, placed};
use crate::search::move_picker::Ranked;
use crate::search::place::Place;
pub(crate) use crate::search::place::key_of;
use crate::search::score::{INFINITE, MATE, MATE_BOUND};
use crate::search::static_value::Evaluator;
use crate::search::stop::StopFlag;
use crate::search::threats::Threats;
use crate::search::transposition_table::Table;

pub(crate) const MAX_DEPTH: u32 = 64;
const MAX_PLY: usize = 120;
/// Plies of quiescence in which quiet checks are tried.
const QUIET_CHECKS: i32 = 1;
/// Most nodes of a quiescence search by itself. Of 50,000 positions of games, puzzles and problems one needs more; where
/// both sides have nine queens, the captures would not come to an end.
const QUIESCENCE_NODES: u64 = 10_000;

/// What is pruned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pruning {
    Exact,
    Selective,
}

/// How far to go: the first limit ends the search, if nothing stops it before.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub depth: u32,
    pub nodes: u64,
}

/// The root moves to consider, and the game before the root.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SearchRequest<'a> {
    /// Moves to consider, all if empty.
    pub only: &'a [Move],
    /// Moves to try before the others, in this order.
    pub first: &'a [Move],
    /// Keys of earlier positions of the game, for repetition.
    pub game: &'a [u64],
    /// Two values between which the exact one does not matter: what is found at or beyond one of them is a bound. With
    /// neighbouring numbers the only question is which side the value is on, and it is answered fastest.
    pub window: Option<(i32, i32)>,
}

/// The value of a position at one depth. A selective search that is cut short takes value and line from the depth that it
/// has begun, if that has already raised or lowered the value.
#[derive(Clone, Debug, Default)]
pub(crate) struct Found {
    /// Centipawns for the side to move; mates as [`MATE`] less plies.
    pub value: i32,
    /// Last depth that was searched to its end.
    pub depth: u32,
    pub line: Vec<Move>,
    pub nodes: u64,
}

struct Stopped;
type Searched = Result<i32, Stopped>;

/// What is kept of each ply of the line being searched.
#[derive(Clone, Copy)]
struct Frame {
    /// Static value, corrected; far below everything in check.
    value: i32,
    /// Piece and target of the move that led here.
    played: usize,
    /// The move that is left out to see how good the others are.
    excluded: Option<Move>,
    /// The quiet move that refuted last at this ply.
    killer: Option<Move>,
    /// The move that led here; none at the root and after a pass.
    reached_by: Option<Move>,
    /// How many nodes at this ply, children of one parent, ended with a cutoff.
    cutoffs: u32,
    /// What the history of its quiet moves depends on.
    before: Before,
}

const NO_FRAME: Frame = Frame {
    value: 0,
    played: NONE,
    excluded: None,
    killer: None,
    reached_by: None,
    cutoffs: 0,
    before: Before::NOTHING,
};

/// A reusable search; one for each thread.
pub struct Searcher {
    table: Table,
    history: History,
    pub(crate) evaluator: Evaluator,
    /// Keys of the positions of the game before the root and of the line being searched.
    path: Vec<u64>,
    /// How many of them are the game's.
    game: usize,
    pv: Vec<Vec<Move>>,
    frames: Vec<Frame>,
    /// Moves that the nodes of the line have still to try.
    ranked: Vec<Ranked>,
    /// Moves that the nodes of the line have tried in vain.
    failed: Vec<Move>,
    nodes: u64,
    /// What the depth that is being searched has said of the root so far.
    newest: Option<(i32, Vec<Move>)>,
    limits: Limits,
    pruning: Pruning,
    root_depth: i32,
    /// Men at the root.
    root_men: usize,
    /// What ends a search before its limits do.
    pub stop_flag: StopFlag,
}

impl Searcher {
    /// `bits`: binary logarithm of the number of table entries, 16 bytes each.
    pub(crate) fn new(bits: u32) -> Searcher {
        Searcher {
            table: Table::new(bits),
            history: History::new(),
            evaluator: Evaluator::new(MAX_PLY + 1),
            path: Vec::new(),
            game: 0,
            pv: vec![Vec::new(); MAX_PLY + 1],
            frames: vec![NO_FRAME; MAX_PLY + 1],
            ranked: Vec::new(),
            failed: Vec::new(),
            nodes: 0,
            newest: None,
            limits: Limits { depth: 0, nodes: 0 },
            pruning: Pruning::Exact,
            root_depth: 0,
            root_men: 0,
            stop_flag: StopFlag::default(),
        }
    }

    /// A searcher for [`Searcher::quiescence`] alone, which needs next to no table.
    pub fn for_quiescence(stop_flag: &StopFlag) -> Searcher {
        Searcher { stop_flag: stop_flag.clone(), ..Searcher::new(4) }
    }

    /// Forgets everything, so that results do not depend on earlier searches.
    pub(crate) fn clear(&mut self) {
        self.table.clear();
        self.history.clear();
        self.frames.fill(NO_FRAME);
    }

    /// Value after captures and checks are played out, for the side to move; as the position stands where that takes
    /// more than [`QUIESCENCE_NODES`] or is stopped.
    pub fn quiescence(&mut self, position: &Chess) -> i32 {
        self.begin_quiescence();
        let value = self.exact_quiescence(position, 0, -INFINITE, INFINITE, QUIET_CHECKS);
        value.unwrap_or_else(|Stopped| self.evaluator.value(position, 0))
    }

    /// A quiescence search by itself begins: too short to be timed.
    fn begin_quiescence(&mut self) {
        self.stop_flag.begin_untimed();
        self.nodes = 0;
        // The flag is examined now and then, and there may be hundreds of these one after the other.
        let nodes = if self.stop_flag.is_stopped() { 0 } else { QUIESCENCE_NODES };
        self.limits = Limits { depth: 0, nodes };
    }

    /// Nodes of the last call.
    pub(crate) fn nodes(&self) -> u64 {
        self.nodes
    }

    fn update_pv(&mut self, ply: usize, m: Move) {
        let (head, tail) = self.pv.split_at_mut(ply + 1);
        head[ply].clear();
        head[ply].push(m);
        head[ply].extend_from_slice(&tail[0]);
    }

    fn count(&mut self) -> Result<(), Stopped> {
        self.nodes += 1;
        if self.nodes > self.limits.nodes || self.stop_flag.is_due(self.nodes) {
            return Err(Stopped);
        }
        Ok(())
    }

    /// The line goes on from a position at this ply.
    fn step(&mut self, key: u64, ply: usize) {
        self.path.truncate(self.game + ply);
        self.path.push(key);
    }

    /// A move is played at this ply.
    fn play(&mut self, m: Move, ply: usize) {
        (self.frames[ply + 1].played, self.frames[ply + 1].reached_by) = (placed(m), Some(m));
    }

    /// The moves that led to the position at this ply, and what threatens there.
    fn before(&self, chess: &Chess, ply: usize) -> Before {
        let played = [self.frames[ply].played, if ply > 0 { self.frames[ply - 1].played } else { NONE }];
        Before { played, threats: Threats::new(chess) }
    }

    /// A static value with what was learned of positions like this. What the tables of endgames say is exact.
    fn corrected(&self, chess: &Chess, value: i32) -> i32 {
        if chess.board().occupied().count() <= most_men() {
            return value;
        }
        (value + self.history.correction(chess)).clamp(1 - MATE_BOUND, MATE_BOUND - 1)
    }

    /// The value where a rule ends the game: fifty moves, too little material, repetition.
    fn over(&self, place: &Place, ply: usize) -> Option<i32> {
        let chess = &place.chess;
        let halfmoves = chess.halfmoves() as usize;
        if halfmoves >= 100 || chess.is_insufficient_material() {
            let mated = place.in_check && chess.legal_moves().is_empty();
            return Some(if mated { ply as i32 - MATE } else { 0 });
        }
        // Once in the line is enough: a side with a better move would have played it the first time.
        let path = &self.path[..self.game + ply];
        let back = halfmoves.min(path.len());
        let repeated = path[path.len() - back..].iter().rev().skip(1).step_by(2).any(|&earlier| earlier == place.key);
        repeated.then_some(0)
    }
}

#[cfg(test)]
mod tests;
