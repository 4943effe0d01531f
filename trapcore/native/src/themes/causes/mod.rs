//! Why a losing move loses: causes that the board shows, and what the killer line does.
//!
//! A cause compares what follows the bait with what would follow if the mover had passed, and with the best other move.
//! Each cause is one predicate, which returns the squares that it rests on or nothing. What no predicate shows is not
//! said.
//!
//! | module | what it holds |
//! |---|---|
//! | `exchange` | what captures on one square win |
//! | `prize` | what a line comes to: mate, a piece, a promotion |
//! | `mistake` | a losing move, played out |
//! | `threats` | whether the killer works after a pass |
//! | `losses` | causes that exchanges show |
//! | `lines` | causes that the way of the killer shows |
//! | `kings` | causes about the king |
//! | `tactics` | tactics that were not there before the bait |
//! | `chances` | causes in what was not played, and in endings |
//! | `mechanism` | what the killer line does, and where |

mod chances;
mod exchange;
mod kings;
mod lines;
mod losses;
pub(crate) mod mechanism;
pub(crate) mod mistake;
mod prize;
mod tactics;
pub(crate) mod threats;

use shakmaty::{Move, Position, Square};

use crate::chess::moves::mirror_move;
use crate::chess::position::{GamePosition, mirror};
use crate::themes::causes::mechanism::Mechanism;
use crate::themes::causes::mistake::{Mistake, Question};
use crate::themes::causes::threats::{Passes, is_threat};
use crate::themes::{Passing, zugzwang};

type Predicate = fn(&Mistake) -> Option<Vec<Square>>;

/// Every cause but zugzwang by its name, the one that explains most first.
pub(crate) const CAUSES: &[(&str, Predicate)] = &[
    ("retaken", losses::takes_and_is_retaken),
    ("taken", losses::puts_where_taken),
    ("uncovers", losses::uncovers),
    ("overloaded", losses::overloaded),
    ("leaves", losses::leaves_guarded),
    ("cuts_off", losses::cuts_off),
    ("blocks_retreat", losses::blocks_retreat),
    ("back_rank", kings::opens_back_rank),
    ("takes_flight", kings::takes_flight),
    ("cover", kings::weakens_cover),
    ("square", lines::gives_up_square),
    ("line", lines::opens_line),
    ("vacates", lines::vacates),
    ("pawn_through", chances::lets_pawn_through),
    ("mating_net", kings::walks_into_mate),
    ("threat", threats::ignores_threat),
    ("fork", tactics::walks_into_fork),
    ("skewer", tactics::walks_into_skewer),
    ("discovery", tactics::walks_into_discovery),
    ("trap", tactics::walks_into_trap),
    ("no_squares", losses::runs_out_of_squares),
    ("pin", tactics::walks_into_pin),
    ("astray", losses::goes_astray),
    ("attacked", losses::walks_into_attack),
    ("mate_missed", chances::lets_mate_go),
    ("promotion_missed", chances::lets_promotion_go),
    ("capture_missed", chances::lets_capture_go),
    ("win_missed", chances::lets_win_go),
    ("ending", chances::trades_into_lost_ending),
];

/// The cause that only a search shows, searched for where there is no other.
pub(crate) const ZUGZWANG: &str = "zugzwang";
/// Nodes of each search for it.
const ZUGZWANG_NODES: u64 = 10_000;

/// Causes in what was not played: they come first where that was worth this many times what the line wins.
const MISSED: &[&str] = &["mate_missed", "promotion_missed", "capture_missed", "win_missed"];
const OUTWEIGHS: f64 = 1.5;

/// A cause, and the squares that it rests on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Cause {
    pub name: &'static str,
    pub squares: Vec<Square>,
}

/// Why a move loses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Explanation {
    /// The first one is *the* cause; empty if none is shown.
    pub causes: Vec<Cause>,
    pub mechanism: Mechanism,
}

/// Explains a losing move; its killer line has a move at least. Both colours have the same answers: a search is not
/// quite the same for both, and so Black's moves are explained as White's.
pub(crate) fn explain(question: Question<'_>, passes: &mut Passes) -> Explanation {
    if question.position.turn().is_white() {
        return explain_whites(question, passes);
    }
    let turned = |line: &[Move]| line.iter().map(|&m| mirror_move(m)).collect::<Vec<_>>();
    let (killer_line, best_line) = (&turned(question.killer_line), &turned(question.best_line));
    let chess = question.position.clone();
    let position = &mirror(&GamePosition { mode: chess.castles().mode(), chess }).chess;
    let bait = mirror_move(question.bait);
    explain_whites(Question { position, bait, killer_line, best_line, ..question }, passes).turned()
}

fn explain_whites(question: Question<'_>, passes: &mut Passes) -> Explanation {
    let mut mistake = Mistake::new(question);
    mistake.threatened = is_threat(&mistake, passes);
    let found = CAUSES.iter().filter_map(|&(name, holds)| Some(Cause { name, squares: holds(&mistake)? }));
    let mut causes: Vec<Cause> = found.collect();
    if mistake.chance.is_some_and(|chance| f64::from(chance.gain) >= OUTWEIGHS * f64::from(mistake.gain())) {
        causes.sort_by_key(|cause| !MISSED.contains(&cause.name));
    }
    if causes.is_empty() && chances::is_ending(&mistake) {
        let mut passing = Passing { searcher: &mut passes.searcher, nodes: ZUGZWANG_NODES };
        let found = zugzwang::zugzwang(&mistake.line, &mut passing).filter(|found| found.ply == 1);
        causes.extend(found.map(|found| Cause { name: ZUGZWANG, squares: found.targets }));
    }
    let missed = causes.first().filter(|first| MISSED.contains(&first.name));
    let mechanism = missed.and_then(|_| Mechanism::missed(&mistake)).unwrap_or_else(|| Mechanism::of(&mistake));
    Explanation { causes, mechanism }
}

impl Explanation {
    /// The same with colours exchanged.
    fn turned(mut self) -> Explanation {
        for cause in &mut self.causes {
            cause.squares.iter_mut().for_each(|square| *square = square.flip_vertical());
        }
        Explanation { mechanism: self.mechanism.turned(), ..self }
    }
}

#[cfg(test)]
mod tests;
