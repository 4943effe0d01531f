//! Quiescence of the selective search: captures, and at first checks, are played out before a position is valued.

use shakmaty::{Move, Position, Role};

use super::move_picker::{is_loud, loud_rank, pop_best, push};
use super::place::Place;
use super::score::{INFINITE, MATE, MATE_BOUND};
use super::transposition_table::{Bound, Record, UNKNOWN};
use super::{MAX_PLY, Searched, Searcher};
use crate::chess::checks::CheckFinder;
use crate::chess::moves::{after, move_code, pseudo_legal_captures};
use crate::chess::piece_values::piece_value;
use crate::chess::static_exchange::see_reaches;

/// What a capture may gain beyond the piece it takes before the search believes in it.
const SURPLUS: i32 = 100;
/// Ways out of check that are tried once one is known that is no mate; and captures that lose none.
const EVASIONS: usize = 2;
/// Rank of captures among the ways out of check.
const CAPTURE: i32 = 1 << 20;
/// Rank of quiet checks.
const CHECK: i32 = -(1 << 20);

impl Searcher {
    /// Value of the position with only loud moves played; fail-soft.
    pub(super) fn quiesce(&mut self, place: &Place, ply: usize, mut alpha: i32, beta: i32, checks: i32) -> Searched {
        self.pv[ply].clear();
        self.count()?;
        let (chess, in_check) = (&place.chess, place.in_check);
        if chess.halfmoves() >= 100 || chess.is_insufficient_material() {
            return Ok(if in_check && chess.legal_moves().is_empty() { ply as i32 - MATE } else { 0 });
        }
        if ply >= MAX_PLY - 1 {
            return Ok(self.evaluator.value(chess, ply));
        }
        let depth = if checks > 0 { 0 } else { -1 };
        let known = self.table.probe(place.key);
        if beta - alpha == 1
            && let Some(value) = known.and_then(|entry| entry.cutoff(depth, alpha, beta, ply))
        {
            return Ok(value);
        }
        let main = beta - alpha > 1 || known.is_some_and(|entry| entry.main);
        let start = alpha;
        let (mut best, mut static_value) = (-INFINITE, UNKNOWN);
        if !in_check {
            static_value =
                known.and_then(|entry| entry.static_value()).unwrap_or_else(|| self.evaluator.value(chess, ply));
            let corrected = self.corrected(chess, static_value);
            best = known.and_then(|entry| entry.refined(corrected, ply)).unwrap_or(corrected);
            if best >= beta {
                if known.is_none() {
                    let record = Record { best: 0, value: best, static_value, depth, bound: Bound::Lower, main };
                    self.table.store(place.key, record, ply);
                }
                return Ok(best);
            }
            alpha = alpha.max(best);
        }
        let base = self.ranked.len();
        let tried = known.map_or(0, |entry| entry.best);
        if self.rank_loud(place, ply, checks, tried) {
            return Ok(ply as i32 - MATE);
        }
        let hope = best + SURPLUS;
        // An answer to a check uses up no ply, so that each check is answered.
        let left = if in_check { checks } else { checks - 1 };
        let (turn, mut best_code, mut evasions) = (chess.turn(), 0, 0);
        while let Some(m) = pop_best(&mut self.ranked, base) {
            if best > -MATE_BOUND {
                if in_check {
                    evasions += 1;
                    if !is_loud(m) && evasions >= EVASIONS || is_loud(m) && !see_reaches(chess, m, 0) {
                        continue;
                    }
                } else if is_loud(m) && !m.is_promotion() {
                    let most = hope + m.capture().map_or(0, piece_value);
                    if most <= alpha {
                        best = best.max(most);
                        continue;
                    }
                    if !see_reaches(chess, m, 0) {
                        continue;
                    }
                }
            }
            let key = place.key_after(m);
            self.table.prefetch(key);
            let next = after(chess, m);
            if !in_check {
                let board = next.board();
                let king = board.king_of(turn).expect("a legal position has both kings");
                if board.attacks_to(king, !turn, board.occupied()).any() {
                    continue;
                }
            }
            let next = Place::reached(next, key);
            self.play(m, ply);
            let value = -self.quiesce(&next, ply + 1, -beta, -alpha, left)?;
            if value > best {
                best = value;
                if value > alpha {
                    (alpha, best_code) = (value, move_code(m));
                    self.update_pv(ply, m);
                }
                if value >= beta {
                    break;
                }
            }
        }
        self.ranked.truncate(base);
        let bound = Bound::of(best, start, beta);
        self.table.store(place.key, Record { best: best_code, value: best, static_value, depth, bound, main }, ply);
        Ok(best)
    }

    /// Ranks the moves that quiescence looks at: every way out of check; else captures, promotions to a queen, and, as
    /// long as `checks` is positive, checks that do not lose the piece. Says whether the position is a mate.
    fn rank_loud(&mut self, place: &Place, ply: usize, checks: i32, tried: u16) -> bool {
        let chess = &place.chess;
        let first = |rank: i32, code: u16| if code == tried { i32::MAX } else { rank };
        if place.in_check {
            let before = self.before(chess, ply);
            let (history, ranked) = (&self.history, &mut self.ranked);
            let moves = chess.legal_moves();
            for &m in &moves {
                let rank =
                    if is_loud(m) { CAPTURE + loud_rank(history, m) } else { history.quiet(chess.turn(), m, &before) };
                push(ranked, first(rank, move_code(m)), m);
            }
            return moves.is_empty();
        }
        let (history, ranked) = (&self.history, &mut self.ranked);
        pseudo_legal_captures(chess, |m| push(ranked, first(loud_rank(history, m), move_code(m)), m));
        if checks > 0 {
            let finder = CheckFinder::new(chess);
            let mut push_check = |m: Move| {
                if see_reaches(chess, m, 0) && after(chess, m).is_check() {
                    push(ranked, first(CHECK, move_code(m)), m);
                }
            };
            if let Some(moves) = finder.pieces_only() {
                for (role, from, to) in moves.filter(|&(_, _, to)| chess.board().role_at(to).is_none()) {
                    push_check(Move::Normal { role, from, capture: None, to, promotion: None });
                }
            } else {
                let quiet = |m: &&Move| !m.is_capture() && m.promotion() != Some(Role::Queen);
                chess.legal_moves().iter().filter(quiet).filter(|m| finder.may_check(**m)).for_each(|&m| push_check(m));
            }
        }
        false
    }
}
