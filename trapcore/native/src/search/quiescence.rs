//! Quiescence: captures and checks are played out before a position is evaluated.

use shakmaty::{Chess, Move, Position, Role};

use super::{MAX_PLY, Pruning, Searched, Searcher, key_of};
use crate::chess::checks::CheckFinder;
use crate::chess::moves::after;
use crate::chess::piece_values::piece_value;
use crate::chess::static_exchange::see;
use crate::search::evaluation::evaluate;
use crate::search::score::{INFINITE, MATE, MATE_BOUND};
use crate::search::transposition_table::Bound;

/// What a capture may gain beyond the piece it takes before a selective search believes in it.
const SURPLUS: i32 = 180;

/// The moves that quiescence looks at, with their rank: every way out of check; else captures that do not lose by
/// exchange, promotions to a queen, and, as long as `checks` is positive, checks that do not lose the piece.
pub(crate) fn loud_moves(chess: &Chess, moves: &[Move], in_check: bool, checks: i32) -> Vec<(i32, Move)> {
    let mut out = Vec::with_capacity(12);
    let finder = (!in_check && checks > 0).then(|| CheckFinder::new(chess));
    for &m in moves {
        if in_check {
            out.push((if m.is_capture() { see(chess, m) } else { -1 }, m));
        } else if m.is_capture() || m.promotion() == Some(Role::Queen) {
            let gain = see(chess, m);
            if gain >= 0 {
                out.push((gain + m.capture().map_or(0, piece_value), m));
            }
        } else if finder.as_ref().is_some_and(|finder| finder.may_check(m))
            && see(chess, m) >= 0
            && after(chess, m).is_check()
        {
            out.push((-1, m));
        }
    }
    out
}

impl Searcher {
    /// Value of the position with only loud moves played; fail-soft.
    pub(crate) fn qsearch(&mut self, chess: &Chess, ply: usize, mut alpha: i32, beta: i32, checks: i32) -> Searched {
        self.pv[ply].clear();
        self.count()?;
        let moves = chess.legal_moves();
        let in_check = chess.is_check();
        if moves.is_empty() {
            return Ok(if in_check { ply as i32 - MATE } else { 0 });
        }
        if chess.halfmoves() >= 100 || chess.is_insufficient_material() {
            return Ok(0);
        }
        if ply >= MAX_PLY - 1 {
            return Ok(evaluate(chess));
        }
        let selective = self.pruning == Pruning::Selective;
        // Depth 0 in the table is a position from which quiet checks were tried.
        let key = (selective && checks > 0).then(|| key_of(chess));
        let known = key.and_then(|key| self.table.probe(key));
        if let Some(value) = known.and_then(|entry| entry.cutoff(0, alpha, beta, ply))
            && beta - alpha == 1
        {
            return Ok(value);
        }
        let stand_pat = if in_check { -INFINITE } else { evaluate(chess) };
        let mut best = stand_pat;
        if best >= beta {
            return Ok(best);
        }
        let start = alpha;
        alpha = alpha.max(best);
        let mut ranked = loud_moves(chess, &moves, in_check, checks);
        let tried = known.and_then(|entry| entry.best);
        ranked.sort_by_key(|&(rank, m)| if Some(m) == tried { i32::MIN } else { -rank });
        // An answer to a check uses up no ply, so that each check is answered.
        let left = if in_check { checks } else { checks - 1 };
        let mut best_move = None;
        for (_, m) in ranked {
            if selective && !in_check && best > -MATE_BOUND && m.is_capture() && !m.is_promotion() {
                let hope = stand_pat + m.capture().map_or(0, piece_value) + SURPLUS;
                if hope <= alpha {
                    best = best.max(hope);
                    continue;
                }
            }
            let value = -self.qsearch(&after(chess, m), ply + 1, -beta, -alpha, left)?;
            if value > best {
                best = value;
                if value > alpha {
                    alpha = value;
                    best_move = Some(m);
                    self.update_pv(ply, m);
                }
                if value >= beta {
                    break;
                }
            }
        }
        if let Some(key) = key {
            let bound = match best {
                v if v >= beta => Bound::Lower,
                v if v > start => Bound::Exact,
                _ => Bound::Upper,
            };
            self.table.store(key, best_move.or(tried), best, 0, bound, ply);
        }
        Ok(best)
    }
}
