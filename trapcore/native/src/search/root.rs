//! Iterative deepening: the root's moves at one depth after the other, in windows around the last value.

use shakmaty::{Chess, Move, MoveList, Position};

use super::history::NONE;
use super::move_picker::{Picker, is_loud};
use super::node::{PLY, reduction};
use super::place::Place;
use super::score::{INFINITE, MATE};
use super::{Found, Limits, MAX_DEPTH, Pruning, QUIET_CHECKS, SearchRequest, Searched, Searcher, Stopped};

/// Half the width of the first window around the last value, from the depth on from which there is one.
const WINDOW: i32 = 16;
const WINDOW_DEPTH: i32 = 4;

impl Searcher {
    /// Searches deeper and deeper; `each` sees the result of every finished depth, from 0 (captures and checks played
    /// out) on, and says whether to go on. Returns the last of them, or what a selective search knows beyond it. The
    /// search uses what earlier ones left in the table, unless [`Searcher::clear`] was called.
    pub(crate) fn search(
        &mut self,
        root: &Chess,
        request: SearchRequest<'_>,
        limits: Limits,
        pruning: Pruning,
        mut each: impl FnMut(&Found) -> bool,
    ) -> Found {
        let root = Place::new(root.clone());
        self.pruning = pruning;
        self.begin(request.game);
        self.root_men = root.chess.board().occupied().count();
        let quiescence = match pruning {
            _ if root.chess.legal_moves().is_empty() => {
                if root.in_check {
                    -MATE
                } else {
                    0
                }
            }
            Pruning::Exact => self.quiescence(&root.chess),
            Pruning::Selective => {
                self.begin_quiescence();
                let value = self.quiesce(&root, 0, -INFINITE, INFINITE, QUIET_CHECKS);
                // What was cut short has left moves behind that were still to be tried.
                self.ranked.clear();
                value.unwrap_or_else(|Stopped| self.evaluator.value(&root.chess, 0))
            }
        };
        self.stop_flag.begin();
        self.nodes = 0;
        self.newest = None;
        self.limits = limits;
        self.pv[0].clear();
        let mut moves = self.root_moves(&root.chess, request);
        let mut found = Found { value: quiescence, ..Found::default() };
        if !each(&found) || moves.is_empty() {
            return found;
        }
        let mut last = found.value;
        for depth in 1..=limits.depth.min(MAX_DEPTH) {
            let searched = match request.window {
                Some((low, high)) => self.root_window(&root, &mut moves, depth as i32, low, high),
                None => self.root(&root, &mut moves, depth as i32, last),
            };
            let newest = self.newest.take();
            let Ok(value) = searched else {
                if let Some((value, line)) = newest.filter(|_| request.window.is_none()) {
                    (found.value, found.line) = (value, line);
                }
                break;
            };
            last = value;
            found = Found { value, depth, line: self.pv[0].clone(), nodes: self.nodes };
            if !each(&found) || value.abs() >= MATE - depth as i32 {
                break;
            }
        }
        found.nodes = self.nodes;
        found
    }

    fn begin(&mut self, game: &[u64]) {
        self.path.clear();
        self.path.extend_from_slice(game);
        self.game = game.len();
        self.ranked.clear();
        self.failed.clear();
        for frame in &mut self.frames {
            (frame.excluded, frame.played, frame.reached_by) = (None, NONE, None);
        }
        self.table.begin();
    }

    /// The value at one depth, in a window that grows until the value lies in it.
    fn root(&mut self, root: &Place, moves: &mut MoveList, depth: i32, last: i32) -> Searched {
        let narrow = self.pruning == Pruning::Selective && depth >= WINDOW_DEPTH;
        let mut width = if narrow { WINDOW } else { INFINITE };
        let (mut low, mut high) = ((last - width).max(-INFINITE), (last + width).min(INFINITE));
        loop {
            let value = self.root_window(root, moves, depth, low, high)?;
            if value <= low {
                // No move is better than this; the line is still that of the depth before.
                self.note_newest(value);
            }
            width = (2 * width).min(2 * INFINITE);
            if value <= low && low > -INFINITE {
                high = (low + high) / 2;
                low = (value - width).max(-INFINITE);
            } else if value >= high && high < INFINITE {
                high = (value + width).min(INFINITE);
            } else {
                return Ok(value);
            }
        }
    }

    /// The moves to consider, in the order in which to try them at the first depth.
    fn root_moves(&mut self, root: &Chess, request: SearchRequest<'_>) -> MoveList {
        let mut legal = root.legal_moves();
        if !request.only.is_empty() {
            legal.retain(|m| request.only.contains(m));
        }
        let mut moves: MoveList = request.first.iter().copied().filter(|m| legal.contains(m)).collect();
        let mut picker = Picker::new(None, None, self.before(root, 0), &self.ranked);
        while let Some(m) = picker.next(root, &mut self.ranked, &self.history) {
            if legal.contains(&m) && !moves.contains(&m) {
                moves.push(m);
            }
        }
        picker.finish(&mut self.ranked);
        moves
    }

    fn root_window(&mut self, root: &Place, moves: &mut MoveList, depth: i32, low: i32, high: i32) -> Searched {
        self.root_depth = depth;
        self.step(root.key, 0);
        (self.frames[1].cutoffs, self.frames[2].cutoffs) = (0, 0);
        self.frames[0].before = self.before(&root.chess, 0);
        self.frames[0].value = if root.in_check { -INFINITE } else { self.evaluator.value(&root.chess, 0) };
        let (mut best, mut alpha) = (-INFINITE, low);
        for index in 0..moves.len() {
            let m = moves[index];
            let value = self.root_move(root, m, index, depth, [alpha, high])?;
            if value > best {
                best = value;
                if value > alpha {
                    alpha = value;
                    self.update_pv(0, m);
                    self.note_newest(value);
                    moves[..=index].rotate_right(1);
                }
            }
            if alpha >= high {
                break;
            }
        }
        Ok(best)
    }

    /// A value of the root, and its line, count from now on even if the depth does not come to its end.
    fn note_newest(&mut self, value: i32) {
        if self.pruning == Pruning::Selective {
            self.newest = Some((value, self.pv[0].clone()));
        }
    }

    /// The value of a root move at one depth: the first in the window, others only if they may be better.
    fn root_move(&mut self, root: &Place, m: Move, index: usize, depth: i32, window: [i32; 2]) -> Searched {
        let [alpha, beta] = window;
        let next = root.after(m);
        let full = depth - 1 + i32::from(next.in_check);
        if index == 0 {
            self.play(m, 0);
            return Ok(-self.child(&next, full, -beta, -alpha, false)?);
        }
        let is_late = self.pruning == Pruning::Selective
            && depth >= 3
            && index >= 3
            && !is_loud(m)
            && !next.in_check
            && !root.in_check;
        let less = if is_late { (reduction(depth, index) / PLY - 1).clamp(0, depth - 2) } else { 0 };
        self.play(m, 0);
        let mut value = -self.child(&next, full - less, -alpha - 1, -alpha, true)?;
        if less > 0 && value > alpha {
            value = -self.child(&next, full, -alpha - 1, -alpha, true)?;
        }
        if value > alpha && value < beta {
            value = -self.child(&next, full, -beta, -alpha, false)?;
        }
        Ok(value)
    }

    fn child(&mut self, next: &Place, depth: i32, alpha: i32, beta: i32, cut: bool) -> Searched {
        match self.pruning {
            Pruning::Exact => self.exact_node(next, depth, 1, alpha, beta),
            Pruning::Selective => self.node(next, depth, 1, alpha, beta, cut),
        }
    }
}
