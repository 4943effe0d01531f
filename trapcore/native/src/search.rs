//! The search for a forced gain: alpha-beta with principal variation search, iterative deepening, a transposition
//! table, and a quiescence that settles captures and checks.
//!
//! Two ways to search. `Exact` prunes only what cannot change the value, so that it equals a plain minimax of the same
//! evaluation, quiescence and extensions (the tests hold it to that). `Selective` also skips and shortens what is
//! unlikely to matter (null move, late moves), and reaches about twice the depth; it is what plays and proves gains,
//! where the verdict has to stand at further depths.

use shakmaty::zobrist::Zobrist64;
use shakmaty::{Chess, EnPassantMode, Move, MoveList, Position};

use crate::evaluation::evaluate;
use crate::halt::Halt;
use crate::ordering::Ordering;
use crate::transpositions::{Bound, Table};
use crate::tree::after;

/// Value of a mate on the board; one less for each ply that it is away.
pub const MATE: i32 = 30_000;
/// Values beyond this are mates.
pub const MATE_BOUND: i32 = MATE - 1_000;
pub const MAX_DEPTH: u32 = 64;
pub(crate) const MAX_PLY: usize = 120;
/// Plies of quiescence in which quiet checks are tried.
pub(crate) const QUIET_CHECKS: i32 = 1;
pub(crate) const INFINITE: i32 = MATE + 1;

/// What is pruned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pruning {
    Exact,
    Selective,
}

/// How far to go; whatever comes first, if the search is not halted before.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub depth: u32,
    pub nodes: u64,
}

/// The value of a position at one depth.
#[derive(Clone, Debug, Default)]
pub struct Found {
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
pub struct Searcher {
    table: Table,
    pub(crate) ordering: Ordering,
    /// Keys of the positions of the game before the root and of the line being searched.
    path: Vec<u64>,
    pub(crate) pv: Vec<Vec<Move>>,
    nodes: u64,
    limits: Limits,
    pruning: Pruning,
    /// What ends a search before its limits do.
    pub halt: Halt,
}

impl Searcher {
    /// `bits`: binary logarithm of the number of table entries, about 24 bytes each.
    pub fn new(bits: u32) -> Searcher {
        Searcher {
            table: Table::new(bits),
            ordering: Ordering::new(MAX_PLY),
            path: Vec::new(),
            pv: vec![Vec::new(); MAX_PLY + 1],
            nodes: 0,
            limits: Limits { depth: 0, nodes: 0 },
            pruning: Pruning::Exact,
            halt: Halt::default(),
        }
    }

    /// Forgets everything, so that results do not depend on earlier searches.
    pub fn clear(&mut self) {
        self.table.clear();
        self.ordering.clear();
    }

    /// Searches deeper and deeper; `each` sees the result of every finished depth and says whether to go on. `only`:
    /// root moves to consider, all if empty. `game`: keys of earlier positions, for repetition. Returns the last
    /// finished depth (depth 0 with the static value if not even the first was finished).
    #[allow(clippy::too_many_arguments)]
    pub fn search(
        &mut self,
        root: &Chess,
        only: &[Move],
        game: &[u64],
        limits: Limits,
        pruning: Pruning,
        mut each: impl FnMut(&Found) -> bool,
    ) -> Found {
        let settled = self.settle(root);
        self.halt.begin();
        self.nodes = 0;
        self.limits = limits;
        self.pruning = pruning;
        self.path.clear();
        self.path.extend_from_slice(game);
        let mut moves = root.legal_moves();
        if !only.is_empty() {
            moves.retain(|m| only.contains(m));
        }
        let mut found = Found { value: settled, ..Found::default() };
        if moves.is_empty() {
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

    /// Value after captures and checks are settled, for the side to move.
    pub fn settle(&mut self, position: &Chess) -> i32 {
        self.limits = Limits { depth: 0, nodes: u64::MAX };
        self.halt.begin_untimed();
        (self.nodes, self.pruning) = (0, Pruning::Exact);
        self.quiesce(position, 0, -INFINITE, INFINITE, QUIET_CHECKS).unwrap_or(0)
    }

    fn root(&mut self, root: &Chess, moves: &mut MoveList, depth: i32, last: i32) -> Searched {
        let mut window = if self.pruning == Pruning::Selective && depth >= 5 { 30 } else { INFINITE };
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

    fn root_window(&mut self, root: &Chess, moves: &mut MoveList, depth: i32, low: i32, high: i32) -> Searched {
        let key = key_of(root);
        if self.pv[0].is_empty() || depth == 1 {
            let ordered = self.ordering.order(root, moves, None, 0);
            moves.clear();
            moves.extend(ordered.into_iter().map(|(_, m)| m));
        }
        self.path.push(key);
        let (mut best, mut alpha) = (-INFINITE, low);
        for index in 0..moves.len() {
            let m = moves[index];
            let next = after(root, m);
            let extension = i32::from(next.is_check());
            let result = if index == 0 {
                self.node(&next, depth - 1 + extension, 1, -high, -alpha, true)
            } else {
                match self.node(&next, depth - 1 + extension, 1, -alpha - 1, -alpha, true) {
                    Ok(value) if -value > alpha && -value < high => {
                        self.node(&next, depth - 1 + extension, 1, -high, -alpha, true)
                    }
                    other => other,
                }
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
                    self.keep_line(0, m);
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

    pub(crate) fn keep_line(&mut self, ply: usize, m: Move) {
        let (head, tail) = self.pv.split_at_mut(ply + 1);
        head[ply].clear();
        head[ply].push(m);
        head[ply].extend_from_slice(&tail[0]);
    }

    pub(crate) fn count(&mut self) -> Result<(), Stopped> {
        self.nodes += 1;
        if self.nodes > self.limits.nodes || self.halt.is_due(self.nodes) {
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

    #[allow(clippy::too_many_arguments)]
    fn node(
        &mut self,
        chess: &Chess,
        depth: i32,
        ply: usize,
        mut alpha: i32,
        mut beta: i32,
        null_allowed: bool,
    ) -> Searched {
        self.pv[ply].clear();
        if depth <= 0 || ply >= MAX_PLY - 1 {
            return self.quiesce(chess, ply, alpha, beta, QUIET_CHECKS);
        }
        self.count()?;
        let moves = chess.legal_moves();
        let in_check = chess.is_check();
        if moves.is_empty() {
            return Ok(if in_check { ply as i32 - MATE } else { 0 });
        }
        let key = key_of(chess);
        if self.is_draw(chess, key) {
            return Ok(0);
        }
        // A mate found already is nearer than any that could be found here.
        alpha = alpha.max(ply as i32 - MATE);
        beta = beta.min(MATE - ply as i32 - 1);
        if alpha >= beta {
            return Ok(alpha);
        }
        let selective = self.pruning == Pruning::Selective;
        let known = self.table.probe(key);
        if selective
            && beta - alpha == 1
            && let Some(value) = known.and_then(|entry| entry.settles(depth, alpha, beta, ply))
        {
            return Ok(value);
        }
        let quiet_value = if selective && !in_check { evaluate(chess) } else { 0 };
        if selective && !in_check && beta - alpha == 1 && beta.abs() < MATE_BOUND {
            // So far ahead that a move less makes no difference.
            if depth <= 6 && quiet_value - 90 * depth >= beta {
                return Ok(quiet_value);
            }
            // So far ahead that even passing would not lose it.
            if null_allowed
                && depth >= 3
                && quiet_value >= beta
                && has_pieces(chess)
                && let Ok(passed) = chess.clone().swap_turn()
            {
                let reduced = depth - 3 - depth / 4 - ((quiet_value - beta) / 200).min(2);
                self.path.push(key);
                let value = self.node(&passed, reduced, ply + 1, -beta, 1 - beta, false);
                self.path.pop();
                let value = -value?;
                if value >= beta {
                    return Ok(if value >= MATE_BOUND { beta } else { value });
                }
            }
        }
        let tried = known.and_then(|entry| entry.best);
        let ranked = self.ordering.order(chess, &moves, tried, ply);
        let (mut best, mut best_move, start) = (-INFINITE, None, alpha);
        self.path.push(key);
        let mut outcome = Ok(());
        for (index, &(rank, m)) in ranked.iter().enumerate() {
            let next = after(chess, m);
            let check = next.is_check();
            let extension = i32::from(check);
            let quiet = !m.is_capture() && !m.is_promotion();
            if selective && !in_check && !check && best > -MATE_BOUND && beta - alpha == 1 {
                let late = quiet && depth <= 6 && index as i32 > 4 + 2 * depth * depth;
                let futile = quiet && depth <= 4 && quiet_value + 120 + 110 * depth <= alpha;
                let losing = !quiet && depth <= 4 && rank < 0;
                if late || futile || losing {
                    continue;
                }
            }
            let full = depth - 1 + extension;
            let reduction = if selective && depth >= 3 && index >= 3 && quiet && !check && !in_check {
                let base = 0.6 + f64::from(depth).ln() * (index as f64).ln() / 2.3;
                (base as i32 - i32::from(beta - alpha > 1)).clamp(0, depth - 2)
            } else {
                0
            };
            let result = if index == 0 {
                self.node(&next, full, ply + 1, -beta, -alpha, true)
            } else {
                self.scout(&next, full, reduction, ply, alpha, beta)
            };
            let value = match result {
                Ok(value) => -value,
                Err(stopped) => {
                    outcome = Err(stopped);
                    break;
                }
            };
            if value > best {
                best = value;
                if value > alpha {
                    alpha = value;
                    best_move = Some(m);
                    self.keep_line(ply, m);
                }
            }
            if alpha >= beta {
                if quiet {
                    self.ordering.reward(chess, m, depth, ply);
                }
                break;
            }
        }
        self.path.pop();
        outcome?;
        if best == -INFINITE {
            // Everything was futile.
            return Ok(quiet_value.min(start));
        }
        let bound = if best >= beta {
            Bound::Lower
        } else if best > start {
            Bound::Exact
        } else {
            Bound::Upper
        };
        self.table.store(key, best_move.or(tried), best, depth, bound, ply);
        Ok(best)
    }

    /// Is the move any better than what is there? With less depth and no width first.
    #[allow(clippy::too_many_arguments)]
    fn scout(&mut self, next: &Chess, full: i32, reduction: i32, ply: usize, alpha: i32, beta: i32) -> Searched {
        let mut value = self.node(next, full - reduction, ply + 1, -alpha - 1, -alpha, true)?;
        if reduction > 0 && -value > alpha {
            value = self.node(next, full, ply + 1, -alpha - 1, -alpha, true)?;
        }
        if -value > alpha && -value < beta {
            value = self.node(next, full, ply + 1, -beta, -alpha, true)?;
        }
        Ok(value)
    }
}

/// Identity of a position for repetition and the table.
pub fn key_of(chess: &Chess) -> u64 {
    chess.zobrist_hash::<Zobrist64>(EnPassantMode::Legal).0
}

fn has_pieces(chess: &Chess) -> bool {
    let board = chess.board();
    (chess.us() & !(board.pawns() | board.kings())).any()
}

/// Moves to mate of a mate value, positive for the side to move; `None` for other values.
pub fn mate_distance(value: i32) -> Option<i32> {
    let plies = MATE - value.abs();
    (value.abs() >= MATE_BOUND).then(|| (plies + 1) / 2 * value.signum())
}

#[cfg(test)]
#[path = "search_tests.rs"]
mod tests;
