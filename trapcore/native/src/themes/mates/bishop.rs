//! Mates with bishops.

use shakmaty::{Bitboard, Role};

use super::Mate;
use crate::themes::attacks::{attackers, ring};
use crate::themes::line::{Evidence, Line};

/// The bishops of a mate in which nothing else of the attacker's reaches the king and the squares around it.
fn bishops<'a>(mate: &Mate<'a>) -> Option<Bitboard> {
    let attacker = mate.line.attacker;
    let bishops = mate.board.bishops() & mate.board.by_color(attacker);
    let alone = |square| (attackers(mate.board, attacker, square) & !bishops).is_empty();
    (bishops.more_than_one() && ring(mate.king).with(mate.king).into_iter().all(alone)).then_some(bishops)
}

/// The bishops come from two sides, so that their diagonals cross.
fn do_cross(mate: &Mate<'_>, bishops: Bitboard) -> bool {
    let king = mate.king.file();
    let (Some(first), Some(second)) = (bishops.first(), bishops.last()) else { return false };
    (first.file() < king) == (second.file() > king)
}

/// Two bishops mate on diagonals that cross.
pub(crate) fn boden(line: &Line) -> Option<Evidence> {
    let mate = Mate::of(line)?;
    if do_cross(&mate, bishops(&mate)?) { mate.by(mate.last.to) } else { None }
}

/// Two bishops mate on diagonals side by side.
pub(crate) fn double_bishop(line: &Line) -> Option<Evidence> {
    let mate = Mate::of(line)?;
    if do_cross(&mate, bishops(&mate)?) { None } else { mate.by(mate.last.to) }
}

/// A bishop mates, and all that keeps the king from the squares around it is the bishop and a queen that does not check.
pub(crate) fn balestra(line: &Line) -> Option<Evidence> {
    let mate = Mate::of(line).filter(|mate| mate.last.became == Role::Bishop)?;
    let queens = mate.board.queens() & mate.own();
    let keepers = queens.with(mate.last.to);
    let alone = mate.flights().into_iter().all(|square| (mate.keepers(square) & !keepers).is_empty());
    let holds = alone && mate.checkers.contains(mate.last.to) && (mate.checkers & queens).is_empty() && queens.any();
    if holds { mate.by(mate.last.to) } else { None }
}
