//! One node of the search: what the table knows, what is pruned, and the moves in order.
//!
//! `Pruning::Exact` goes through here with every shortcut closed: its value is that of a plain minimax. The shortcuts
//! of `Pruning::Selective` are the usual ones; <https://www.chessprogramming.org/Selectivity> describes them.

use shakmaty::{Chess, Move, Position};

use super::score::{INFINITE, MATE, MATE_BOUND};
use super::{MAX_PLY, Pruning, QUIET_CHECKS, Searched, Searcher, Stopped, key_of};
use crate::chess::moves::after;
use crate::chess::static_exchange::see;
use crate::search::evaluation::evaluate;
use crate::search::move_ordering::{NONE, placed};
use crate::search::transposition_table::Bound;

/// A position that is better than the window by so many centipawns for each ply that is left needs no search.
const AHEAD: i32 = 75;
/// A quiet move gains no more than this, and as much again for each ply.
const QUIET_GAIN: i32 = 100;
/// A capture may lose so much material by exchange for each ply that is left, a quiet move so much.
const CAPTURE_LOSS: i32 = -90;
const QUIET_LOSS: i32 = -60;

/// A position whose static value may be ahead of the window.
struct Ahead {
    depth: i32,
    ply: usize,
    beta: i32,
    /// Static value, corrected by the table.
    quiet_value: i32,
    improving: bool,
    /// The move before was no pass.
    null_allowed: bool,
}

/// Plies by which a late move is searched less.
fn late(depth: i32, index: usize) -> i32 {
    (0.75 + f64::from(depth).ln() * (index as f64).ln() / 2.1) as i32
}

impl Searcher {
    pub(super) fn node(
        &mut self,
        chess: &Chess,
        mut depth: i32,
        ply: usize,
        mut alpha: i32,
        mut beta: i32,
        null_allowed: bool,
    ) -> Searched {
        self.pv[ply].clear();
        if depth <= 0 || ply >= MAX_PLY - 1 {
            return self.qsearch(chess, ply, alpha, beta, QUIET_CHECKS);
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
        let narrow = beta - alpha == 1;
        let known = self.table.probe(key);
        if selective
            && narrow
            && let Some(value) = known.and_then(|entry| entry.cutoff(depth, alpha, beta, ply))
        {
            return Ok(value);
        }
        let tried = known.and_then(|entry| entry.best);
        let quiet_value = if selective && !in_check {
            let value = evaluate(chess);
            known.and_then(|entry| entry.refined(value, ply)).unwrap_or(value)
        } else {
            0
        };
        self.static_values[ply] = if in_check { -INFINITE } else { quiet_value };
        // Is the mover better off than at its last move? Then its quiet moves deserve more trust.
        let improving = !in_check && ply >= 2 && quiet_value > self.static_values[ply - 2];
        if selective && !in_check && narrow && beta.abs() < MATE_BOUND {
            let ahead = Ahead { depth, ply, beta, quiet_value, improving, null_allowed };
            if let Some(value) = self.without_moving(chess, key, ahead)? {
                return Ok(value);
            }
            // So far behind that only a capture can help.
            if depth <= 2 && quiet_value + 200 * depth + 100 < alpha {
                let value = self.qsearch(chess, ply, alpha, beta, QUIET_CHECKS)?;
                if value < alpha {
                    return Ok(value);
                }
            }
        }
        if selective && depth >= 4 && tried.is_none() {
            // Without a move from an earlier search the order is poor; the next iteration will have one.
            depth -= 1;
        }
        let before = self.played[ply];
        let ranked = self.ordering.order(chess, &moves, tried, ply, before);
        let (mut best, mut best_move, start) = (-INFINITE, None, alpha);
        let mut failed: Vec<Move> = Vec::new();
        self.path.push(key);
        let mut outcome = Ok(());
        for (index, &(_, m)) in ranked.iter().enumerate() {
            let quiet = !m.is_capture() && !m.is_promotion();
            let next = after(chess, m);
            let check = next.is_check();
            let history = if quiet { self.ordering.history(chess, m, before) } else { 0 };
            let reduction =
                if selective && depth >= 3 && index >= 2 { late(depth, index) - i32::from(improving) } else { 0 };
            if selective && !in_check && best > -MATE_BOUND && narrow {
                let left = depth - reduction.max(0);
                let limit = (3 + depth * depth) as usize / if improving { 1 } else { 2 };
                let skip = if check {
                    false
                } else if quiet {
                    depth <= 7 && index > limit
                        || left <= 6 && quiet_value + QUIET_GAIN * (1 + left.max(0)) <= alpha
                        || left <= 6 && see(chess, m) < QUIET_LOSS * depth
                } else {
                    depth <= 6 && see(chess, m) < CAPTURE_LOSS * depth
                };
                if skip {
                    continue;
                }
            }
            let extension = if selective { i32::from(check && see(chess, m) >= 0) } else { i32::from(check) };
            let full = depth - 1 + extension;
            let reduction = if quiet && !check && !in_check {
                (reduction - i32::from(!narrow) - history / 5_000).clamp(0, (depth - 2).max(0))
            } else if quiet && !check {
                (reduction - 2).clamp(0, (depth - 2).max(0))
            } else {
                0
            };
            self.played[ply + 1] = placed(m);
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
                    self.update_pv(ply, m);
                }
            }
            if alpha >= beta {
                if quiet {
                    self.ordering.reward(chess, m, &failed, depth, ply, before);
                }
                break;
            }
            if quiet {
                failed.push(m);
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

    /// A value that stands whatever is played: the position is so far ahead that a move less makes no difference, or
    /// that even passing would not lose it.
    fn without_moving(&mut self, chess: &Chess, key: u64, ahead: Ahead) -> Result<Option<i32>, Stopped> {
        let Ahead { depth, ply, beta, quiet_value, improving, null_allowed } = ahead;
        if depth <= 7 && quiet_value - AHEAD * (depth - i32::from(improving)) >= beta {
            return Ok(Some(quiet_value));
        }
        if !null_allowed || depth < 3 || quiet_value < beta || !has_pieces(chess) {
            return Ok(None);
        }
        let Ok(passed) = chess.clone().swap_turn() else { return Ok(None) };
        let reduced = depth - 4 - depth / 4 - ((quiet_value - beta) / 200).min(2);
        self.path.push(key);
        self.played[ply + 1] = NONE;
        let value = self.node(&passed, reduced, ply + 1, -beta, 1 - beta, false);
        self.path.pop();
        let value = -value?;
        Ok((value >= beta).then_some(if value >= MATE_BOUND { beta } else { value }))
    }

    /// Is the move any better than what is there? With less depth and no width first.
    pub(super) fn scout(
        &mut self,
        next: &Chess,
        full: i32,
        reduction: i32,
        ply: usize,
        alpha: i32,
        beta: i32,
    ) -> Searched {
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

fn has_pieces(chess: &Chess) -> bool {
    let board = chess.board();
    (chess.us() & !(board.pawns() | board.kings())).any()
}
