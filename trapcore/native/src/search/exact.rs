//! The full-width search without any pruning but alpha-beta: its value is that of a plain minimax.

use shakmaty::{Chess, Move, Position, Role};

use super::move_picker::{Picker, is_loud};
use super::place::Place;
use super::score::{INFINITE, MATE};
use super::transposition_table::{Bound, Record, UNKNOWN};
use super::{MAX_PLY, QUIET_CHECKS, Searched, Searcher};
use crate::chess::checks::CheckFinder;
use crate::chess::moves::{after, coded_move, move_code};
use crate::chess::piece_values::piece_value;
use crate::chess::static_exchange::see;

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
    /// The table gives the order of the moves and nothing else.
    pub(super) fn exact_node(
        &mut self,
        place: &Place,
        depth: i32,
        ply: usize,
        mut alpha: i32,
        mut beta: i32,
    ) -> Searched {
        self.pv[ply].clear();
        if depth <= 0 || ply >= MAX_PLY - 1 {
            return self.exact_quiescence(&place.chess, ply, alpha, beta, QUIET_CHECKS);
        }
        self.count()?;
        let chess = &place.chess;
        if let Some(value) = self.over(place, ply) {
            return Ok(value);
        }
        // A mate found already is nearer than any that could be found here.
        alpha = alpha.max(ply as i32 - MATE);
        beta = beta.min(MATE - ply as i32 - 1);
        if alpha >= beta {
            return Ok(alpha);
        }
        self.step(place.key, ply);
        let tried = self.table.probe(place.key).and_then(|entry| coded_move(chess, entry.best));
        let before = self.before(chess, ply);
        let mut picker = Picker::new(tried, self.frames[ply].killer, before, &self.ranked);
        let (mut best, mut best_move, start) = (-INFINITE, None, alpha);
        while let Some(m) = picker.next(chess, &mut self.ranked, &self.history) {
            let next = place.after(m);
            self.play(m, ply);
            let left = depth - 1 + i32::from(next.in_check);
            let mut value = alpha + 1;
            if best > -INFINITE {
                value = -self.exact_node(&next, left, ply + 1, -alpha - 1, -alpha)?;
            }
            if best == -INFINITE || value > alpha && value < beta {
                value = -self.exact_node(&next, left, ply + 1, -beta, -alpha)?;
            }
            if value > best {
                best = value;
                if value > alpha {
                    (alpha, best_move) = (value, Some(m));
                    self.update_pv(ply, m);
                }
            }
            if alpha >= beta {
                if !is_loud(m) {
                    self.frames[ply].killer = Some(m);
                    self.history.note_quiet(chess.turn(), m, &before, depth * depth * 16);
                }
                break;
            }
        }
        picker.finish(&mut self.ranked);
        if best == -INFINITE {
            return Ok(if place.in_check { ply as i32 - MATE } else { 0 });
        }
        let bound = Bound::of(best, start, beta);
        let best_code = best_move.map_or(0, move_code);
        self.table.store(
            place.key,
            Record { best: best_code, value: best, static_value: UNKNOWN, depth, bound, main: false },
            ply,
        );
        Ok(best)
    }

    /// Value of the position with only loud moves played; fail-soft.
    pub(super) fn exact_quiescence(
        &mut self,
        chess: &Chess,
        ply: usize,
        mut alpha: i32,
        beta: i32,
        checks: i32,
    ) -> Searched {
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
            return Ok(self.evaluator.value(chess, ply));
        }
        let mut best = if in_check { -INFINITE } else { self.evaluator.value(chess, ply) };
        if best >= beta {
            return Ok(best);
        }
        alpha = alpha.max(best);
        let mut ranked = loud_moves(chess, &moves, in_check, checks);
        ranked.sort_by_key(|&(rank, _)| -rank);
        // An answer to a check uses up no ply, so that each check is answered.
        let left = if in_check { checks } else { checks - 1 };
        for (_, m) in ranked {
            let value = -self.exact_quiescence(&after(chess, m), ply + 1, -beta, -alpha, left)?;
            if value > best {
                best = value;
                if value > alpha {
                    alpha = value;
                    self.update_pv(ply, m);
                }
                if value >= beta {
                    break;
                }
            }
        }
        Ok(best)
    }
}
