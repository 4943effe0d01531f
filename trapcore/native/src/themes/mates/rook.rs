//! Mates with a rook, mostly together with a bishop or the queen.

use shakmaty::{Bitboard, Role, Square};

use super::Mate;
use crate::themes::attacks::ring;
use crate::themes::line::{Evidence, Line};

/// The mate by a rook beside the king; nothing else.
fn rook_beside(line: &Line) -> Option<Mate<'_>> {
    Mate::of(line).filter(|mate| mate.last.became == Role::Rook && ring(mate.king).contains(mate.last.to))
}

/// A rook mates beside the king, guarded by a bishop.
pub(crate) fn opera(line: &Line) -> Option<Evidence> {
    let mate = rook_beside(line)?;
    if (mate.guards(mate.last.to) & mate.board.bishops()).any() { mate.by(mate.last.to) } else { None }
}

/// A rook mates, and only bishops keep the king from a square beside it; not the bishop that guards a rook beside it.
pub(crate) fn pillsburys(line: &Line) -> Option<Evidence> {
    let mate = Mate::of(line).filter(|mate| mate.last.became == Role::Rook)?;
    let rook = mate.last.to;
    let guards = if ring(mate.king).contains(rook) { mate.guards(rook) } else { Bitboard::EMPTY };
    let is_kept = |square: Square| {
        let keepers = mate.keepers(square);
        keepers.any() && (keepers & (!mate.board.bishops() | guards)).is_empty()
    };
    if mate.flights().without(rook).into_iter().any(is_kept) { mate.by(rook) } else { None }
}

/// A bishop mates from afar a king that a rook confines; a rook and a bishop both reach a square beside it.
pub(crate) fn morphys(line: &Line) -> Option<Evidence> {
    let mate = Mate::of(line)?;
    let bishop = (mate.checkers & mate.board.bishops() & !ring(mate.king)).first()?;
    let holds = mate.flights().into_iter().any(|square| {
        let keepers = mate.keepers(square);
        (keepers & mate.board.rooks()).any() && (keepers & mate.board.bishops()).any()
    });
    if holds { mate.by(bishop) } else { None }
}

/// A rook mates beside the king, guarded by another rook beside the king.
pub(crate) fn blind_swine(line: &Line) -> Option<Evidence> {
    let mate = rook_beside(line)?;
    let second = mate.guards(mate.last.to) & mate.board.rooks() & ring(mate.king);
    if second.any() { mate.by(mate.last.to) } else { None }
}

/// Queen and rook (one of them mates) stand in opposite corners of a block of nine squares that holds the king.
pub(crate) fn kill_box(line: &Line) -> Option<Evidence> {
    let mate = Mate::of(line)?;
    let (queens, rooks) = (mate.board.queens() & mate.own(), mate.board.rooks() & mate.own());
    let last = mate.last.to;
    let others = match mate.last.became {
        Role::Queen => rooks,
        Role::Rook => queens,
        _ => return None,
    };
    let is_between = |a: i32, b: i32, x: i32| (a - b).abs() == 2 && (a.min(b)..=a.max(b)).contains(&x);
    let holds = others.into_iter().any(|other| {
        let file = |square: Square| square.file() as i32;
        let rank = |square: Square| square.rank() as i32;
        is_between(file(last), file(other), file(mate.king)) && is_between(rank(last), rank(other), rank(mate.king))
    });
    if holds { mate.by(last) } else { None }
}

/// A rook mates beside a king without pieces of its own around, guarded by another piece than a knight, while only
/// knights keep the king from a square beside it.
pub(crate) fn vukovic(line: &Line) -> Option<Evidence> {
    let mate = rook_beside(line)?;
    let guards = mate.guards(mate.last.to);
    let alone = ring(mate.king).into_iter().all(|square| !mate.is_victims(square));
    let is_kept = |square: Square| {
        let keepers = mate.keepers(square);
        keepers.any() && (keepers & !mate.board.knights()).is_empty()
    };
    let holds =
        alone && guards.any() && (guards & mate.board.knights()).is_empty() && mate.flights().into_iter().any(is_kept);
    if holds { mate.by(mate.last.to) } else { None }
}
