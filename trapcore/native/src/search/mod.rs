//! The search for a forced gain: alpha-beta with principal variation search, iterative deepening, a transposition
//! table, and a quiescence search of captures and checks.
//!
//! Two ways to search. `Exact` prunes only what cannot change the value, so that it equals a plain minimax of the same
//! evaluation, quiescence and extensions (the tests hold it to that). `Selective` also skips and shortens what is
//! unlikely to matter (null move, late moves), and reaches about twice the depth; it is what plays and proves gains,
//! where the verdict has to stand at further depths.
//!
//! | module | what it holds |
//! |---|---|
//! | `score` | how values are written: centipawns, and mates by their distance |
//! | `verdict` | proved, refuted or undecided |
//! | `stop` | what ends a search early: time, another thread, a signal |
//! | `evaluation` | the value of a quiet position by a linear sum of features |
//! | `network` | the same by a small network |
//! | `move_ordering` | which move is tried first |
//! | `transposition_table` | results of positions that were searched before |
//! | `node` | one node of the full-width search |
//! | `quiescence` | captures and checks beyond the last full ply |

pub(crate) mod evaluation;
mod move_ordering;
#[allow(dead_code)] // until there are trained weights
pub(crate) mod network;
mod node;
mod quiescence;
pub(crate) mod score;
pub(crate) mod stop;
mod transposition_table;
pub(crate) mod verdict;

use shakmaty::zobrist::Zobrist64;
use shakmaty::{Chess, EnPassantMode, Move, MoveList, Position};

use crate::chess::moves::after;
use crate::search::move_ordering::{NONE, Ordering, placed};
use crate::search::score::{INFINITE, MATE};
use crate::search::stop::StopFlag;
use crate::search::transposition_table::Table;

pub(crate) const MAX_DEPTH: u32 = 64;
const MAX_PLY: usize = 120;
/// Plies of quiescence in which quiet checks are tried.
const QUIET_CHECKS: i32 = 1;

/// What is pruned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pruning {
    Exact,
    Selective,
}

/// How far to go; whatever comes first, if the search is not stopped before.
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
}

/// The value of a position at one depth.
#[derive(Clone, Debug, Default)]
pub(crate) struct Found {
    /// Centipawns for the side to move; mates as [`MATE`] less plies.
    pub value: i32,
    /// Last depth that was searched to its end.
    pub depth: u32,
    pub line: Vec<Move>,
    pub nodes: u64,
}

pub(crate) struct Stopped;
pub(crate) type Searched = Result<i32, Stopped>;

/// A reusable search; one for each thread.
pub(crate) struct Searcher {
    pub(crate) table: Table,
    pub(crate) ordering: Ordering,
    /// Keys of the positions of the game before the root and of the line being searched.
    path: Vec<u64>,
    pub(crate) pv: Vec<Vec<Move>>,
    nodes: u64,
    limits: Limits,
    pub(crate) pruning: Pruning,
    /// Static values of the line being searched, by ply.
    static_values: Vec<i32>,
    /// Piece and target of the move that led to each ply.
    played: Vec<usize>,
    /// What ends a search before its limits do.
    pub stop_flag: StopFlag,
}

impl Searcher {
    /// `bits`: binary logarithm of the number of table entries, about 24 bytes each.
    pub(crate) fn new(bits: u32) -> Searcher {
        Searcher {
            table: Table::new(bits),
            ordering: Ordering::new(MAX_PLY),
            path: Vec::new(),
            pv: vec![Vec::new(); MAX_PLY + 1],
            nodes: 0,
            limits: Limits { depth: 0, nodes: 0 },
            pruning: Pruning::Exact,
            static_values: vec![0; MAX_PLY + 1],
            played: vec![NONE; MAX_PLY + 1],
            stop_flag: StopFlag::default(),
        }
    }

    /// A searcher for [`Searcher::quiescence`] alone, which needs next to no table.
    pub(crate) fn for_quiescence() -> Searcher {
        Searcher::new(4)
    }

    /// Forgets everything, so that results do not depend on earlier searches.
    pub(crate) fn clear(&mut self) {
        self.table.clear();
        self.ordering.clear();
    }

    /// Searches deeper and deeper; `each` sees the result of every finished depth, from 0 (captures and checks played
    /// out) on, and says whether to go on. Returns the last of them.
    pub(crate) fn search(
        &mut self,
        root: &Chess,
        request: SearchRequest<'_>,
        limits: Limits,
        pruning: Pruning,
        mut each: impl FnMut(&Found) -> bool,
    ) -> Found {
        let quiescence = self.quiescence(root);
        self.stop_flag.begin();
        self.nodes = 0;
        self.limits = limits;
        self.pruning = pruning;
        self.path.clear();
        self.path.extend_from_slice(request.game);
        self.pv[0].clear();
        let mut moves = self.root_moves(root, request);
        let mut found = Found { value: quiescence, ..Found::default() };
        if !each(&found) || moves.is_empty() {
            return found;
        }
        let mut last = found.value;
        for depth in 1..=limits.depth.min(MAX_DEPTH) {
            let searched = self.root(root, &mut moves, depth as i32, last);
            let Ok(value) = searched else { break };
            last = value;
            found = Found { value, depth, line: self.pv[0].clone(), nodes: self.nodes };
            if !each(&found) || value.abs() >= MATE - depth as i32 {
                break;
            }
        }
        found.nodes = self.nodes;
        found
    }

    /// Value after captures and checks are played out, for the side to move.
    pub(crate) fn quiescence(&mut self, position: &Chess) -> i32 {
        self.limits = Limits { depth: 0, nodes: u64::MAX };
        self.stop_flag.begin_untimed();
        (self.nodes, self.pruning) = (0, Pruning::Exact);
        self.qsearch(position, 0, -INFINITE, INFINITE, QUIET_CHECKS).unwrap_or(0)
    }

    /// Nodes of the last call.
    pub(crate) fn nodes(&self) -> u64 {
        self.nodes
    }

    fn root(&mut self, root: &Chess, moves: &mut MoveList, depth: i32, last: i32) -> Searched {
        let mut window = if self.pruning == Pruning::Selective && depth >= 4 { 25 } else { INFINITE };
        let (mut low, mut high) =
            (last.saturating_sub(window).max(-INFINITE), last.saturating_add(window).min(INFINITE));
        loop {
            let value = self.root_window(root, moves, depth, low, high)?;
            window = window.saturating_mul(4).min(2 * INFINITE);
            if value <= low && low > -INFINITE {
                low = (value - window).max(-INFINITE);
            } else if value >= high && high < INFINITE {
                high = (value + window).min(INFINITE);
            } else {
                return Ok(value);
            }
        }
    }

    /// The moves to consider, in the order in which to try them at the first depth.
    fn root_moves(&self, root: &Chess, request: SearchRequest<'_>) -> MoveList {
        let mut legal = root.legal_moves();
        if !request.only.is_empty() {
            legal.retain(|m| request.only.contains(m));
        }
        let mut moves: MoveList = request.first.iter().copied().filter(|m| legal.contains(m)).collect();
        let ordered = self.ordering.order(root, &legal, None, 0, NONE);
        moves.extend(ordered.into_iter().map(|(_, m)| m).filter(|m| !request.first.contains(m)));
        moves
    }

    fn root_window(&mut self, root: &Chess, moves: &mut MoveList, depth: i32, low: i32, high: i32) -> Searched {
        let key = key_of(root);
        self.path.push(key);
        let (mut best, mut alpha) = (-INFINITE, low);
        for index in 0..moves.len() {
            let m = moves[index];
            let next = after(root, m);
            let extension = i32::from(next.is_check());
            self.played[1] = placed(m);
            let full = depth - 1 + extension;
            let result = if index == 0 {
                self.node(&next, full, 1, -high, -alpha, true)
            } else {
                self.scout(&next, full, 0, 0, alpha, high)
            };
            let value = match result {
                Ok(value) => -value,
                Err(stopped) => {
                    self.path.pop();
                    return Err(stopped);
                }
            };
            if value > best {
                best = value;
                if value > alpha {
                    alpha = value;
                    self.update_pv(0, m);
                    moves[..=index].rotate_right(1);
                }
            }
            if alpha >= high {
                break;
            }
        }
        self.path.pop();
        Ok(best)
    }

    pub(crate) fn update_pv(&mut self, ply: usize, m: Move) {
        let (head, tail) = self.pv.split_at_mut(ply + 1);
        head[ply].clear();
        head[ply].push(m);
        head[ply].extend_from_slice(&tail[0]);
    }

    pub(crate) fn count(&mut self) -> Result<(), Stopped> {
        self.nodes += 1;
        if self.nodes > self.limits.nodes || self.stop_flag.is_due(self.nodes) {
            return Err(Stopped);
        }
        Ok(())
    }

    fn is_draw(&self, chess: &Chess, key: u64) -> bool {
        if chess.halfmoves() >= 100 || chess.is_insufficient_material() {
            return true;
        }
        // Once in the line is enough: whoever could deviate for the better would have done so the first time.
        let back = (chess.halfmoves() as usize).min(self.path.len());
        self.path[self.path.len() - back..].iter().rev().skip(1).step_by(2).any(|&earlier| earlier == key)
    }
}

/// Identity of a position for repetition and the table.
pub(crate) fn key_of(chess: &Chess) -> u64 {
    chess.zobrist_hash::<Zobrist64>(EnPassantMode::Legal).0
}

#[cfg(test)]
mod tests;
