//! What the killer line does, with the pieces, and where: names of the two as short keys.
//!
//! The keys are the same for both colours: squares are turned so that the mover is White.

use std::fmt::Write;

use shakmaty::{Board, Color, Position, Role, Square};

use crate::chess::piece_values::points;
use crate::themes::causes::mistake::Mistake;
use crate::themes::causes::prize::Kind;
use crate::themes::causes::tactics::{stood, wins_by};
use crate::themes::line::{Evidence, Line};
use crate::themes::{alignments, defenders, double_attacks, loose_pieces, mates, tempo};

/// Plies of the line in which a tactic has to come, for what it wins later.
const LATEST: usize = 5;

type Predicate = fn(&Line) -> Option<Evidence>;

/// Tactics that act on what is won, the one that says most first.
const TACTICS: &[(&str, Predicate)] = &[
    ("fork", double_attacks::fork),
    ("skewer", alignments::skewer),
    ("doubleCheck", double_attacks::double_check),
    ("discoveredAttack", double_attacks::discovered_attack),
    ("trappedPiece", loose_pieces::trapped_piece),
    ("overloading", defenders::overloading),
    ("capturingDefender", defenders::capturing_defender),
    ("deflection", defenders::deflection),
    ("interference", defenders::interference),
    ("attraction", defenders::attraction),
    ("pin", alignments::pin),
    ("xRayAttack", alignments::x_ray_attack),
    ("intermezzo", tempo::intermezzo),
];

/// Mates with a name.
const MATES: &[(&str, Predicate)] = &[
    ("backRankMate", mates::edge::back_rank),
    ("smotheredMate", mates::knight::smothered),
    ("anastasiaMate", mates::knight::anastasia),
    ("arabianMate", mates::knight::arabian),
    ("hookMate", mates::knight::hook),
    ("bodenMate", mates::bishop::boden),
    ("doubleBishopMate", mates::bishop::double_bishop),
    ("dovetailMate", mates::queen::dovetail),
];

/// What the killer line does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mechanism {
    /// A theme, or `taken` (the moved piece at once), `captured` (another one at once), `won` (a piece later),
    /// `promotion`, `mate`; or, where nothing of this is shown, what the killer is: `check`, `capture`, `quiet`.
    pub name: &'static str,
    /// Index of the move in the line, the bait being 0.
    pub ply: usize,
    /// Where the acting piece stands after it.
    pub by: Square,
    /// What it acts on, the most valuable first.
    pub targets: Vec<Square>,
    actor: Option<Role>,
    victims: Vec<Role>,
    mover: Color,
}

impl Mechanism {
    pub(crate) fn of(mistake: &Mistake) -> Mechanism {
        let (name, found) = named(mistake);
        let by = found.by.unwrap_or(mistake.line.step(found.ply).to);
        let (before, after) = (mistake.line.before(found.ply).board(), mistake.line.after(found.ply).board());
        // What the move took stands on the board before it.
        let role =
            |square: Square| if square == by { before.role_at(square) } else { of_either(after, before, square) };
        let mut targets = match name {
            // The guard is not what is won.
            "overloading" | "capturingDefender" | "deflection" | "interference" => {
                found.targets.last().copied().into_iter().collect()
            }
            _ => found.targets,
        };
        let is_ordered = name == "pin";
        if !is_ordered {
            targets.sort_by_key(|&square| (std::cmp::Reverse(role(square).map(points)), turned(square, mistake.mover)));
        }
        let victims = targets.iter().filter_map(|&square| role(square)).collect();
        let actor = (name != "taken").then(|| after.role_at(by)).flatten();
        Mechanism { name, ply: found.ply, by, targets, actor, victims, mover: mistake.mover }
    }

    /// `fork:N:KR`: what happens, the piece that acts, those that it acts on.
    pub(crate) fn key(&self) -> String {
        let victims: String = self.victims.iter().map(|role| role.upper_char()).collect();
        format!("{}:{}:{victims}", self.name, self.letter())
    }

    /// `fork:N@c2,Ke1`: what happens, the piece that acts and where, and the most valuable of those that it acts on.
    pub(crate) fn place(&self) -> String {
        let mut key = format!("{}:{}@{}", self.name, self.letter(), turned(self.by, self.mover));
        if let (Some(role), Some(&square)) = (self.victims.first(), self.targets.first()) {
            write!(key, ",{}{}", role.upper_char(), turned(square, self.mover)).expect("a string takes all");
        }
        key
    }

    /// The same with colours exchanged, with the same keys.
    pub(super) fn turned(self) -> Mechanism {
        let targets = self.targets.iter().map(|square| square.flip_vertical()).collect();
        Mechanism { by: self.by.flip_vertical(), targets, mover: !self.mover, ..self }
    }

    fn letter(&self) -> String {
        self.actor.map_or_else(String::new, |role| role.upper_char().to_string())
    }
}

fn of_either(after: &Board, before: &Board, square: Square) -> Option<Role> {
    after.role_at(square).or_else(|| before.role_at(square))
}

/// The square as a mover with the white pieces sees it.
fn turned(square: Square, mover: Color) -> Square {
    if mover.is_white() { square } else { square.flip_vertical() }
}

fn named(mistake: &Mistake) -> (&'static str, Evidence) {
    let line = &mistake.line;
    let killer = mistake.killer();
    let Some(prize) = mistake.prize else {
        let name = if killer.captured.is_some() {
            "capture"
        } else if line.after(1).is_check() {
            "check"
        } else {
            "quiet"
        };
        return (name, Evidence::new(1, killer.to, killer.captured.map(|_| killer.to)));
    };
    match prize.kind {
        Kind::Mate => mate(mistake),
        Kind::Promotion => {
            tactic(mistake, prize.ply).unwrap_or_else(|| ("promotion", Evidence::new(prize.ply, prize.square, [])))
        }
        Kind::Piece(_) if prize.ply == 1 => {
            let name = if mistake.victim == Some(mistake.bait().to) { "taken" } else { "captured" };
            (name, Evidence::new(1, killer.to, [killer.to]))
        }
        Kind::Piece(_) => tactic(mistake, prize.ply)
            .unwrap_or_else(|| ("won", Evidence::new(prize.ply, prize.square, [prize.square]))),
    }
}

fn mate(mistake: &Mistake) -> (&'static str, Evidence) {
    let line = &mistake.line;
    let king = mistake.king();
    if !line.end().is_checkmate() {
        return ("mate", Evidence::new(1, mistake.killer().to, [king]));
    }
    let pattern = MATES.iter().find_map(|&(name, holds)| Some((name, holds(line)?)));
    pattern.unwrap_or_else(|| ("mate", Evidence::new(line.last(), line.step(line.last()).to, [line.king(line.end())])))
}

/// The first tactic that explains what is won with the move `won_at`.
fn tactic(mistake: &Mistake, won_at: usize) -> Option<(&'static str, Evidence)> {
    TACTICS.iter().find_map(|&(name, holds)| {
        let found = holds(&mistake.line)?;
        let soon = found.ply <= LATEST.min(won_at);
        (soon && explains(mistake, name, &found)).then_some((name, found))
    })
}

/// Whether the tactic acts on what is won: a guard that is lured away or taken, on what it guarded.
fn explains(mistake: &Mistake, name: &str, found: &Evidence) -> bool {
    let Some(prize) = mistake.prize else { return false };
    match name {
        "capturingDefender" | "deflection" | "interference" | "overloading" => {
            found.targets.last().is_some_and(|&target| {
                target == prize.square || target == stood(mistake, prize.square, prize.ply, found.ply)
            })
        }
        "doubleCheck" => prize.ply <= found.ply + 2,
        _ => wins_by(mistake, found),
    }
}
