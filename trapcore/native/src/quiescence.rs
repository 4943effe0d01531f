//! Quiescence: captures and checks are settled before a position is evaluated.

use shakmaty::{Chess, Move, Position, Role};

use crate::checks::CheckFinder;
use crate::evaluation::evaluate;
use crate::exchange::exchange;
use crate::search::{INFINITE, MATE, MAX_PLY, Searched, Searcher};
use crate::tree::after;

/// The moves that quiescence looks at, with their rank: every way out of check; else captures that do not lose by
/// exchange, promotions to a queen, and, as long as `checks` is positive, checks that do not lose the piece.
pub(crate) fn loud_moves(chess: &Chess, moves: &[Move], in_check: bool, checks: i32) -> Vec<(i32, Move)> {
    let mut out = Vec::with_capacity(12);
    let finder = CheckFinder::new(chess);
    for &m in moves {
        if in_check {
            out.push((if m.is_capture() { exchange(chess, m) } else { -1 }, m));
        } else if m.is_capture() || m.promotion() == Some(Role::Queen) {
            let gain = exchange(chess, m);
            if gain >= 0 {
                out.push((gain, m));
            }
        } else if checks > 0 && finder.may_check(m) && exchange(chess, m) >= 0 && after(chess, m).is_check() {
            out.push((-1, m));
        }
    }
    out
}

impl Searcher {
    /// Value of the position with only loud moves played; fail-soft.
    pub(crate) fn quiesce(&mut self, chess: &Chess, ply: usize, mut alpha: i32, beta: i32, checks: i32) -> Searched {
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
        let mut best = if in_check { -INFINITE } else { evaluate(chess) };
        if best >= beta {
            return Ok(best);
        }
        alpha = alpha.max(best);
        let mut ranked = loud_moves(chess, &moves, in_check, checks);
        ranked.sort_by_key(|(rank, _)| -rank);
        // An answer to a check uses up no ply, so that each check is settled.
        let left = if in_check { checks } else { checks - 1 };
        for (_, m) in ranked {
            let value = -self.quiesce(&after(chess, m), ply + 1, -beta, -alpha, left)?;
            if value > best {
                best = value;
                if value > alpha {
                    alpha = value;
                    self.keep_line(ply, m);
                }
                if value >= beta {
                    break;
                }
            }
        }
        Ok(best)
    }
}
