//! What the killer line does, with the pieces, and where: names of the two as short keys.
//!
//! A move that loses by letting a chance go has the mechanism of the line that was not played. The keys are the same
//! for both colours: squares are turned so that the mover is White.

use std::fmt::Write;

use shakmaty::{Board, Color, Position, Role, Square};

use crate::chess::piece_values::points;
use crate::themes::causes::mistake::Mistake;
use crate::themes::causes::prize::{Kind, Prize};
use crate::themes::causes::tactics::{stood, wins_by};
use crate::themes::line::{Evidence, Line};
use crate::themes::{alignments, defenders, double_attacks, loose_pieces, mates, tempo};

/// Plies of the line in which a tactic has to come, for what it wins later.
const LATEST: usize = 5;

type Predicate = fn(&Line) -> Option<Evidence>;

/// Before the name of a mechanism that the player who made the mistake missed.
const MISSED: &str = "missed-";

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

/// What the killer line does, or the line that was missed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mechanism {
    /// A theme, or `taken` (the moved piece at once), `captured` (another one at once), `won` (a piece later),
    /// `promotion`, `mate`; or, where nothing of this is shown, what the killer is: `check`, `capture`, `quiet`.
    name: &'static str,
    /// The line is one that the player who made the mistake did not play.
    missed: bool,
    /// Where the acting piece stands after the move that shows it.
    by: Square,
    /// What it acts on, the most valuable first.
    targets: Vec<Square>,
    actor: Option<Role>,
    victims: Vec<Role>,
    mover: Color,
}

impl Mechanism {
    /// Of the killer line.
    pub(crate) fn of(mistake: &Mistake) -> Mechanism {
        Act { line: &mistake.line, prize: mistake.prize, victim: mistake.victim, mover: mistake.mover }.mechanism()
    }

    /// Of the best line, which was not played; `None` if it wins nothing that the board shows.
    pub(crate) fn missed(mistake: &Mistake) -> Option<Mechanism> {
        let chance = mistake.chance?;
        let line = Line::unprovoked(mistake.question.position, mistake.question.chance_line());
        let prize = Some(Prize { ply: chance.ply + 1, ..chance });
        let act = Act { line: &line, prize, victim: None, mover: mistake.mover };
        Some(Mechanism { missed: true, ..act.mechanism() })
    }

    /// `fork:N:KR`: what happens, the piece that acts, those that it acts on.
    pub(crate) fn key(&self) -> String {
        let victims: String = self.victims.iter().map(|role| role.upper_char()).collect();
        format!("{}{}:{}:{victims}", self.prefix(), self.name, self.letter())
    }

    /// `fork:N@c2,Ke1`: what happens, the piece that acts and where, and the most valuable of those that it acts on.
    pub(crate) fn place(&self) -> String {
        let at = turned(self.by, self.mover);
        let mut key = format!("{}{}:{}@{at}", self.prefix(), self.name, self.letter());
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

    fn prefix(&self) -> &'static str {
        if self.missed { MISSED } else { "" }
    }

    fn letter(&self) -> String {
        self.actor.map_or_else(String::new, |role| role.upper_char().to_string())
    }
}

/// A line, and what it wins for the player who moves second in it.
struct Act<'a> {
    line: &'a Line,
    prize: Option<Prize>,
    /// Where the piece that is lost stands after the bait.
    victim: Option<Square>,
    /// The player who made the mistake.
    mover: Color,
}

impl Act<'_> {
    fn mechanism(&self) -> Mechanism {
        let (name, found) = self.named();
        let line = self.line;
        let by = found.by.unwrap_or(line.step(found.ply).to);
        let (before, after) = (line.before(found.ply).board(), line.after(found.ply).board());
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
            targets.sort_by_key(|&square| (std::cmp::Reverse(role(square).map(points)), turned(square, self.mover)));
        }
        let victims = targets.iter().filter_map(|&square| role(square)).collect();
        let actor = (name != "taken").then(|| after.role_at(by)).flatten();
        Mechanism { name, missed: false, by, targets, actor, victims, mover: self.mover }
    }

    fn named(&self) -> (&'static str, Evidence) {
        let line = self.line;
        let killer = line.step(1);
        let Some(prize) = self.prize else {
            if let Some(found) = double_attacks::fork(line).filter(|found| found.ply == 1) {
                return ("fork", found);
            }
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
            Kind::Mate => self.mate(),
            Kind::Promotion => {
                self.tactic(prize).unwrap_or_else(|| ("promotion", Evidence::new(prize.ply, prize.square, [])))
            }
            Kind::Piece(_) if prize.ply == 1 => {
                let name = if self.victim == Some(line.step(0).to) { "taken" } else { "captured" };
                (name, Evidence::new(1, killer.to, [killer.to]))
            }
            Kind::Piece(_) => {
                self.tactic(prize).unwrap_or_else(|| ("won", Evidence::new(prize.ply, prize.square, [prize.square])))
            }
        }
    }

    fn mate(&self) -> (&'static str, Evidence) {
        let line = self.line;
        let king = line.king(line.after(0));
        let name = if line.after(1).is_checkmate() { "mateIn1" } else { "mate" };
        if !line.end().is_checkmate() {
            return (name, Evidence::new(1, line.step(1).to, [king]));
        }
        let pattern = MATES.iter().find_map(|&(name, holds)| Some((name, holds(line)?)));
        let mate = || (name, Evidence::new(line.last(), line.step(line.last()).to, [line.king(line.end())]));
        pattern.unwrap_or_else(mate)
    }

    /// The first tactic that explains what is won.
    fn tactic(&self, prize: Prize) -> Option<(&'static str, Evidence)> {
        TACTICS.iter().find_map(|&(name, holds)| {
            let found = holds(self.line)?;
            let soon = found.ply <= LATEST.min(prize.ply);
            (soon && explains(self.line, prize, name, &found)).then_some((name, found))
        })
    }
}

fn of_either(after: &Board, before: &Board, square: Square) -> Option<Role> {
    after.role_at(square).or_else(|| before.role_at(square))
}

/// The square as a mover with the white pieces sees it.
fn turned(square: Square, mover: Color) -> Square {
    if mover.is_white() { square } else { square.flip_vertical() }
}

/// Whether the tactic acts on what is won: a guard that is lured away or taken, on what it guarded.
fn explains(line: &Line, prize: Prize, name: &str, found: &Evidence) -> bool {
    match name {
        "capturingDefender" | "deflection" | "interference" | "overloading" => found
            .targets
            .last()
            .is_some_and(|&target| target == prize.square || target == stood(line, prize.square, prize.ply, found.ply)),
        "doubleCheck" => prize.ply <= found.ply + 2,
        _ => wins_by(line, prize, found),
    }
}
