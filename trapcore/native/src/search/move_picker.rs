//! Move picker: the moves of a node one by one, the most promising first, no earlier than they are needed.

use shakmaty::{Chess, Move, Position, Role};

use super::history::{Before, History};
use crate::chess::piece_values::piece_value;
use crate::chess::static_exchange::see_reaches;

/// Added for the move that refuted a sibling.
const KILLER: i32 = 1 << 20;
/// Added for a minor piece that a pawn attacks and that gets away; as much as a history of moderate success, because in
/// a search of a few thousand nodes most moves have no history.
const ESCAPE: i32 = 4_000;
/// Of the moves in `good`, none is tried before those.
const UNDERPROMOTION: i32 = -(1 << 20);

/// A move with its rank; larger is earlier.
#[derive(Clone, Copy)]
pub(super) struct Ranked {
    rank: i32,
    m: Move,
}

/// What comes next.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Tried,
    Generate,
    Good,
    RankQuiet,
    Quiet,
    Bad,
    Done,
}

/// Moves of one node, on a stack that all nodes of a line share: captures and promotions, then quiet moves.
pub(super) struct Picker {
    stage: Stage,
    /// The table's move, which comes first.
    tried: Option<Move>,
    killer: Option<Move>,
    before: Before,
    base: usize,
    next: usize,
    /// End of the captures that lose material, which were moved to the front.
    bad: usize,
    quiet: usize,
    end: usize,
    /// Quiet moves are wanted no more.
    pub skip_quiet: bool,
}

/// A capture, or a promotion.
pub(super) fn is_loud(m: Move) -> bool {
    m.is_capture() || m.is_promotion()
}

/// Rank of a capture or promotion: what it takes, then what was learned of it.
pub(super) fn loud_rank(history: &History, m: Move) -> i32 {
    match m.promotion() {
        Some(Role::Queen) | None => {
            let gained = m.capture().map_or(0, piece_value) + m.promotion().map_or(0, piece_value);
            16 * gained - piece_value(m.role()).min(1000) + history.capture(m)
        }
        Some(_) => UNDERPROMOTION,
    }
}

impl Picker {
    /// `tried`: legal.
    pub(super) fn new(tried: Option<Move>, killer: Option<Move>, before: Before, stack: &[Ranked]) -> Picker {
        let base = stack.len();
        let stage = if tried.is_some() { Stage::Tried } else { Stage::Generate };
        Picker { stage, tried, killer, before, base, next: base, bad: base, quiet: base, end: base, skip_quiet: false }
    }

    /// The next move; `stack` as long as this node left it.
    pub(super) fn next(&mut self, chess: &Chess, stack: &mut Vec<Ranked>, history: &History) -> Option<Move> {
        loop {
            match self.stage {
                Stage::Tried => {
                    self.stage = Stage::Generate;
                    return self.tried;
                }
                Stage::Generate => self.generate(chess, stack, history),
                Stage::Good => {
                    let Some(ranked) = self.select(stack, self.quiet) else {
                        self.stage = if self.skip_quiet { Stage::Bad } else { Stage::RankQuiet };
                        self.next = if self.skip_quiet { self.base } else { self.quiet };
                        continue;
                    };
                    if ranked.rank > UNDERPROMOTION && is_good(chess, ranked.m) {
                        return Some(ranked.m);
                    }
                    stack.swap(self.bad, self.next - 1);
                    self.bad += 1;
                }
                Stage::RankQuiet => {
                    for ranked in &mut stack[self.quiet..self.end] {
                        let killer = if Some(ranked.m) == self.killer { KILLER } else { 0 };
                        ranked.rank = killer
                            + history.quiet(chess.turn(), ranked.m, &self.before)
                            + ESCAPE * self.before.threats.escape(ranked.m);
                    }
                    self.stage = Stage::Quiet;
                }
                Stage::Quiet => {
                    if !self.skip_quiet
                        && let Some(ranked) = self.select(stack, self.end)
                    {
                        return Some(ranked.m);
                    }
                    (self.stage, self.next) = (Stage::Bad, self.base);
                }
                Stage::Bad => {
                    if self.next < self.bad {
                        self.next += 1;
                        return Some(stack[self.next - 1].m);
                    }
                    self.stage = Stage::Done;
                }
                Stage::Done => return None,
            }
        }
    }

    fn generate(&mut self, chess: &Chess, stack: &mut Vec<Ranked>, history: &History) {
        let moves = chess.legal_moves();
        let wanted = |m: &&Move| Some(**m) != self.tried;
        for &m in moves.iter().filter(wanted).filter(|m| is_loud(**m)) {
            stack.push(Ranked { rank: loud_rank(history, m), m });
        }
        self.quiet = stack.len();
        stack.extend(moves.iter().filter(wanted).filter(|m| !is_loud(**m)).map(|&m| Ranked { rank: 0, m }));
        self.end = stack.len();
        self.stage = Stage::Good;
    }

    /// The best of those from `next` to `end`, moved to the place of the next.
    fn select(&mut self, stack: &mut [Ranked], end: usize) -> Option<Ranked> {
        let left = &mut stack[self.next..end];
        let best = best_of(left)?;
        let chosen = left[best];
        left.swap(0, best);
        self.next += 1;
        Some(chosen)
    }

    /// Leaves the stack as it was before this node.
    pub(super) fn finish(&self, stack: &mut Vec<Ranked>) {
        stack.truncate(self.base);
    }
}

/// Wins material or loses none; where the cheaper takes the dearer that is clear at once.
fn is_good(chess: &Chess, m: Move) -> bool {
    m.promotion().is_none() && m.capture().is_some_and(|role| piece_value(role) >= piece_value(m.role()))
        || see_reaches(chess, m, 0)
}

/// Ranked moves of quiescence: chosen one by one from `base` on.
pub(super) fn push(stack: &mut Vec<Ranked>, rank: i32, m: Move) {
    stack.push(Ranked { rank, m });
}

/// Takes the best of those from `base` on off the stack.
pub(super) fn pop_best(stack: &mut Vec<Ranked>, base: usize) -> Option<Move> {
    let best = best_of(&stack[base..])?;
    Some(stack.swap_remove(base + best).m)
}

/// The first of those with the highest rank.
fn best_of(ranked: &[Ranked]) -> Option<usize> {
    let (mut best, mut most) = (0, ranked.first()?.rank);
    for (index, &Ranked { rank, .. }) in ranked.iter().enumerate() {
        (best, most) = if rank > most { (index, rank) } else { (best, most) };
    }
    Some(best)
}
