//! One node of the selective search: what the table knows, what is pruned, and the moves in order.
//!
//! The shortcuts are the usual ones; <https://www.chessprogramming.org/Selectivity> describes them.

use std::sync::LazyLock;

use shakmaty::{Chess, Color, Move, Position};

use super::history::NONE;
use super::move_picker::{Picker, is_loud};
use super::place::Place;
use super::score::{INFINITE, MATE, MATE_BOUND};
use super::static_value::known_value;
use super::transposition_table::{Bound, Entry, Record, UNKNOWN};
use super::{MAX_PLY, QUIET_CHECKS, Searched, Searcher, Stopped};
use crate::chess::checks::CheckFinder;
use crate::chess::endgames::tables::most_men;
use crate::chess::moves::{after, coded_move, move_code};
use crate::chess::static_exchange::see_reaches;

/// A position that is better than the window by so many centipawns for each ply that is left needs no search.
const AHEAD: i32 = 60;
/// One that is worse by this, and by so many more for each ply squared, can be helped by captures only.
const BEHIND: [i32; 2] = [200, 180];
/// A quiet move gains no more than this, and this much more for each ply.
const QUIET_GAIN: [i32; 2] = [100, 60];
/// Material that a move may lose by exchange: a capture this for each ply left, a quiet move this for each squared.
const CAPTURE_LOSS: i32 = -90;
const QUIET_LOSS: i32 = -25;
/// A quiet move whose history is below this for each ply is not tried.
const UNPROMISING: i32 = -4_000;
/// From so many cutoffs after a node's moves on its further moves are searched less deep: they will be refuted, too.
const CUTOFFS: u32 = 3;
/// Most that a swing of the static value, a quarter of it, counts in the history.
const SWING: i32 = 500;
/// From this depth on it is asked whether the table's move is the only good one.
const SINGULAR_DEPTH: i32 = 6;
/// Reductions are counted in such parts of a ply.
pub(super) const PLY: i32 = 1024;

/// Natural logarithms, 1024 for 1.
static LOGARITHMS: LazyLock<[i32; 128]> =
    LazyLock::new(|| std::array::from_fn(|n| if n == 0 { 0 } else { ((n as f64).ln() * 1024.0) as i32 }));

/// How much less deep a late move is searched, in parts of a ply.
pub(super) fn reduction(depth: i32, index: usize) -> i32 {
    let logarithms = &*LOGARITHMS;
    700 + logarithms[depth.clamp(0, 127) as usize] * logarithms[index.min(127)] / 2355
}

/// What is known of a node before its moves are tried.
struct Outlook {
    depth: i32,
    ply: usize,
    beta: i32,
    /// Static value, corrected by what was learned and by the table.
    value: i32,
    improving: bool,
    cut: bool,
    /// A quiet move was best in an earlier search.
    known_quiet: bool,
}

impl Searcher {
    /// `cut`: a move is expected to exceed the window.
    pub(super) fn node(
        &mut self,
        place: &Place,
        mut depth: i32,
        ply: usize,
        mut alpha: i32,
        mut beta: i32,
        cut: bool,
    ) -> Searched {
        if depth <= 0 || ply >= MAX_PLY - 1 {
            return self.quiesce(place, ply, alpha, beta, QUIET_CHECKS);
        }
        self.pv[ply].clear();
        self.count()?;
        let (chess, in_check) = (&place.chess, place.in_check);
        let excluded = self.frames[ply].excluded;
        if excluded.is_none()
            && let Some(value) = self.over(place, ply)
        {
            return Ok(value);
        }
        if excluded.is_none()
            && let Some(value) = self.decided(place, ply)
        {
            return Ok(value);
        }
        // A mate found already is nearer than any that could be found here.
        alpha = alpha.max(ply as i32 - MATE);
        beta = beta.min(MATE - ply as i32 - 1);
        if alpha >= beta {
            return Ok(alpha);
        }
        self.step(place.key, ply);
        let wide = beta - alpha > 1;
        let known = if excluded.is_none() { self.table.probe(place.key) } else { None };
        if !wide && let Some(value) = known.and_then(|entry| entry.cutoff(depth, alpha, beta, ply)) {
            return Ok(value);
        }
        let static_value = self.set_static_value(place, ply, known);
        let corrected = self.frames[ply].value;
        // Quiescence tries no quiet checks in answer to a capture: what it holds won may be lost to a mate on the back rank.
        let searched = known.filter(|entry| entry.depth() > 0);
        let value = searched.and_then(|entry| entry.refined(corrected, ply)).unwrap_or(corrected);
        // Is the mover better off than at its last move? Then its quiet moves deserve more trust.
        let improving = !in_check && ply >= 2 && corrected > self.earlier_value(ply);
        if excluded.is_none() {
            self.note_swing(chess, ply);
        }
        self.frames[ply + 2].cutoffs = 0;
        let main = wide || known.is_some_and(|entry| entry.main);
        let tried = known.and_then(|entry| coded_move(chess, entry.best));
        if !wide && !in_check && excluded.is_none() && beta.abs() < MATE_BOUND {
            let known_quiet = tried.is_some_and(|m| !is_loud(m));
            let outlook = Outlook { depth, ply, beta, value, improving, cut, known_quiet };
            if let Some(value) = self.without_moves(place, outlook)? {
                return Ok(value);
            }
        }
        if depth >= 4 && tried.is_none() && (cut || wide) {
            // Without a move from an earlier search the order is poor; the next iteration will have one.
            depth -= 1;
        }
        let tried_is_loud = tried.is_some_and(is_loud);
        let before = self.before(chess, ply);
        self.frames[ply].before = before;
        let mut picker = Picker::new(tried, self.frames[ply].killer, before, &self.ranked);
        let failed = self.failed.len();
        let (mut best, mut best_move, start) = (-INFINITE, None, alpha);
        let mut finder = None;
        let mut searched = 0;
        while let Some(m) = picker.next(chess, &mut self.ranked, &self.history) {
            if Some(m) == excluded {
                continue;
            }
            let quiet = !is_loud(m);
            let history = if quiet { self.history.quiet(chess.turn(), m, &before) } else { self.history.capture(m) };
            let mut less = reduction(depth, searched) - if improving { PLY / 2 } else { 0 };
            if !wide && !in_check && best > -MATE_BOUND && has_pieces(chess, chess.turn()) {
                let left = (depth - less / PLY).max(0);
                let hopeless = if quiet {
                    let limit = (3 + depth * depth) / if improving { 1 } else { 2 };
                    if depth <= 8 && searched as i32 > limit {
                        picker.skip_quiet = true;
                    }
                    picker.skip_quiet
                        || left <= 4 && history < UNPROMISING * (left + 1)
                        || left <= 7 && value + QUIET_GAIN[0] + QUIET_GAIN[1] * left <= alpha
                        || left <= 7 && !see_reaches(chess, m, QUIET_LOSS * left * left)
                } else {
                    depth <= 7 && !see_reaches(chess, m, CAPTURE_LOSS * depth - history / 100)
                };
                if hopeless && !(quiet && finder.get_or_insert_with(|| CheckFinder::new(chess)).may_check(m)) {
                    continue;
                }
            }
            let key = place.key_after(m);
            self.table.prefetch(key);
            let next = Place::reached(after(chess, m), key);
            let mut extension = 0;
            if let Some(entry) = known.filter(|_| Some(m) == tried && depth >= SINGULAR_DEPTH)
                && is_telling(&entry, depth, ply)
                && ply < 2 * self.root_depth as usize
            {
                let border = entry.value(ply) - 2 * depth;
                self.frames[ply].excluded = Some(m);
                let others = self.node(place, (depth - 1) / 2, ply, border - 1, border, cut)?;
                self.frames[ply].excluded = None;
                if others < border {
                    extension = if !wide && others < border - 20 { 2 } else { 1 };
                } else if border >= beta {
                    // Even without the table's move it is too good.
                    return Ok(border);
                } else if entry.value(ply) >= beta {
                    extension = -2;
                } else if cut {
                    extension = -1;
                }
            }
            self.play(m, ply);
            let mut full = depth - 1 + extension;
            let mut result = alpha + 1;
            if depth >= 2 && searched > 0 {
                less -= history * PLY / 12_000;
                less += if cut { PLY + PLY / 2 } else { 0 };
                less += if tried_is_loud && quiet { PLY / 2 } else { 0 };
                less += if self.frames[ply + 1].cutoffs >= CUTOFFS { PLY } else { 0 };
                less -= if wide { PLY } else { 0 };
                less -= if main { PLY / 2 } else { 0 };
                less -= if next.in_check || in_check { PLY } else { 0 };
                less = if quiet { less } else { less / 2 - PLY / 2 };
                let reduced = (full - less.max(0) / PLY).clamp(1, full.max(1));
                result = -self.node(&next, reduced, ply + 1, -alpha - 1, -alpha, true)?;
                if result > alpha && reduced < full {
                    full += i32::from(result > best + 60) - i32::from(result < best + 10);
                    if reduced < full {
                        result = -self.node(&next, full, ply + 1, -alpha - 1, -alpha, !cut)?;
                    }
                    if quiet {
                        let bonus = (60 * depth).min(1_700);
                        self.history.note_following(m, &before, if result > alpha { bonus } else { -bonus });
                    }
                }
            } else if !wide || searched > 0 {
                result = -self.node(&next, full, ply + 1, -alpha - 1, -alpha, !cut)?;
            }
            if wide && (searched == 0 || result > alpha) {
                result = -self.node(&next, full, ply + 1, -beta, -alpha, false)?;
            }
            searched += 1;
            if result > best {
                best = result;
                if result > alpha {
                    (alpha, best_move) = (result, Some(m));
                    self.update_pv(ply, m);
                }
            }
            if alpha >= beta {
                self.frames[ply].cutoffs += 1;
                self.reward(chess, m, failed, depth, ply);
                break;
            }
            self.failed.push(m);
        }
        picker.finish(&mut self.ranked);
        self.failed.truncate(failed);
        if searched == 0 {
            return Ok(match excluded {
                Some(_) => alpha,
                None if in_check => ply as i32 - MATE,
                None => 0,
            });
        }
        if excluded.is_none() {
            if best <= start {
                self.reward_last_move(chess, depth, ply);
            }
            let bound = Bound::of(best, start, beta);
            let told = match bound {
                Bound::Lower => best > corrected,
                Bound::Upper => best < corrected,
                _ => true,
            };
            if !in_check && told && best.abs() < MATE_BOUND && !best_move.is_some_and(is_loud) {
                self.history.note_difference(chess, depth, best - corrected);
            }
            let record = Record { best: best_move.map_or(0, move_code), value: best, static_value, depth, bound, main };
            self.table.store(place.key, record, ply);
        }
        Ok(best)
    }

    /// The static value when the mover was last to move and not in check; far below everything if there is none.
    fn earlier_value(&self, ply: usize) -> i32 {
        match self.frames[ply - 2].value {
            value if value == -INFINITE && ply >= 4 => self.frames[ply - 4].value,
            value => value,
        }
    }

    /// The quiet move that led here, if the static value rose or fell by it.
    fn note_swing(&mut self, chess: &Chess, ply: usize) {
        let (before, now) = (self.frames[ply - 1].value, self.frames[ply].value);
        if let Some(m) = self.frames[ply].reached_by
            && !is_loud(m)
            && before != -INFINITE
            && now != -INFINITE
        {
            let bonus = (-(before + now) / 4).clamp(-SWING, SWING);
            self.history.note_anywhere(!chess.turn(), m, &self.frames[ply - 1].before, bonus);
        }
    }

    /// The quiet move that led here is good: no move of this node refuted it.
    fn reward_last_move(&mut self, chess: &Chess, depth: i32, ply: usize) {
        if let Some(m) = self.frames[ply].reached_by
            && !is_loud(m)
        {
            let bonus = (120 * depth - 60).min(1_500);
            self.history.note_quiet(!chess.turn(), m, &self.frames[ply - 1].before, bonus);
        }
    }

    /// The value of a position that the tables of endgames decide: of drawn ones, and of others that the root is not yet
    /// among. Between won positions of the root's material the search decides by what brings the mate nearer.
    fn decided(&self, place: &Place, ply: usize) -> Option<i32> {
        let men = place.chess.board().occupied().count();
        if men > most_men() {
            return None;
        }
        let value = known_value(&place.chess)?;
        (value == 0 || men < self.root_men).then(|| value - value.signum() * ply as i32)
    }

    /// Notes the static value of a position in its frame, corrected by what was learned; returns it uncorrected.
    fn set_static_value(&mut self, place: &Place, ply: usize, known: Option<Entry>) -> i32 {
        if place.in_check {
            self.frames[ply].value = -INFINITE;
            return UNKNOWN;
        }
        if self.frames[ply].excluded.is_some() {
            // It stands there already.
            return UNKNOWN;
        }
        let found = known.and_then(|entry| entry.static_value());
        let value = found.unwrap_or_else(|| self.evaluator.value(&place.chess, ply));
        self.frames[ply].value = self.corrected(&place.chess, value);
        value
    }

    /// A value that stands for every move: the position is so far ahead that a move less makes no difference, or
    /// so far behind that no quiet move helps, or even passing would not lose it.
    fn without_moves(&mut self, place: &Place, outlook: Outlook) -> Result<Option<i32>, Stopped> {
        let Outlook { depth, ply, beta, value, improving, cut, known_quiet } = outlook;
        if depth <= 3 && value + BEHIND[0] + BEHIND[1] * depth * depth < beta {
            let found = self.quiesce(place, ply, beta - 1, beta, QUIET_CHECKS)?;
            if found < beta {
                return Ok(Some(found));
            }
        }
        if depth <= 8 && !known_quiet && value - AHEAD * (depth - i32::from(improving)) >= beta && value < MATE_BOUND {
            return Ok(Some((value + beta) / 2));
        }
        let passed_before = self.frames[ply].played == NONE;
        if passed_before
            || depth < 3
            || value < beta
            || self.frames[ply].value < beta - 20 * depth + 120
            || !has_pieces(&place.chess, place.chess.turn())
        {
            return Ok(None);
        }
        let Some(passed) = place.passed() else { return Ok(None) };
        let reduced = depth - 4 - depth / 4 - ((value - beta) / 200).min(3);
        (self.frames[ply + 1].played, self.frames[ply + 1].reached_by) = (NONE, None);
        let found = -self.node(&passed, reduced, ply + 1, -beta, 1 - beta, !cut)?;
        Ok((found >= beta).then_some(if found >= MATE_BOUND { beta } else { found }))
    }

    /// Remembers the move that refuted, and that those tried before it did not.
    fn reward(&mut self, chess: &Chess, m: Move, failed: usize, depth: i32, ply: usize) {
        let (turn, before) = (chess.turn(), self.frames[ply].before);
        let bonus = (160 * depth - 60).min(1_700);
        if is_loud(m) {
            self.history.note_capture(m, bonus);
        } else {
            self.frames[ply].killer = Some(m);
            self.history.note_quiet(turn, m, &before, bonus);
        }
        for &other in &self.failed[failed..] {
            if is_loud(other) {
                self.history.note_capture(other, -bonus);
            } else if !is_loud(m) {
                self.history.note_quiet(turn, other, &before, -bonus);
            }
        }
    }
}

/// Whether an entry says that its move is good, by a search that is nearly as deep.
fn is_telling(entry: &Entry, depth: i32, ply: usize) -> bool {
    entry.depth() >= depth - 3
        && matches!(entry.bound(), Bound::Lower | Bound::Exact)
        && entry.value(ply).abs() < MATE_BOUND
}

fn has_pieces(chess: &Chess, side: Color) -> bool {
    let board = chess.board();
    (board.by_color(side) & !(board.pawns() | board.kings())).any()
}
