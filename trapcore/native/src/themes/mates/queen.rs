//! Mates by the queen.

use shakmaty::{Bitboard, File, Rank, Role, Square};

use super::Mate;
use crate::themes::attacks::{attackers, ring};
use crate::themes::line::{Evidence, Line};

/// The queen mates from a corner of the king's ring, off the edge; the squares around that she does not reach are the
/// king's own pieces', and nothing else reaches any.
pub(crate) fn dovetail(line: &Line) -> Option<Evidence> {
    let mate = Mate::of(line)?;
    let (king, queen) = (mate.king, mate.last.to);
    let on_edge = matches!(king.file(), File::A | File::H) || matches!(king.rank(), Rank::First | Rank::Eighth);
    let is_diagonal = ring(king).contains(queen) && queen.file() != king.file() && queen.rank() != king.rank();
    if on_edge || mate.last.became != Role::Queen || !is_diagonal {
        return None;
    }
    let holds = ring(king).without(queen).into_iter().all(|square| {
        let reached = attackers(mate.board, line.attacker, square);
        reached.is_empty() || reached == Bitboard::from_square(queen) && mate.board.piece_at(square).is_none()
    });
    if holds { mate.by(queen) } else { None }
}

/// The queen mates from a corner of the king's ring, guarded by a rook beside the king.
pub(crate) fn triangle(line: &Line) -> Option<Evidence> {
    let mate = Mate::of(line).filter(|mate| mate.last.became == Role::Queen)?;
    let (king, queen) = (mate.king, mate.last.to);
    let is_diagonal = ring(king).contains(queen) && queen.file() != king.file() && queen.rank() != king.rank();
    let rooks = mate.guards(queen) & mate.board.rooks() & ring(king);
    if is_diagonal && rooks.any() { mate.by(queen) } else { None }
}

/// Away from the king on a line with it, and the square beyond.
fn mates_head_on(mate: &Mate<'_>, distance: u32) -> bool {
    let (king, queen) = (mate.king, mate.last.to);
    mate.last.became == Role::Queen
        && king.distance(queen) == distance
        && (queen.file() == king.file() || queen.rank() == king.rank())
}

/// The queen mates beside the king on its file or rank; its own pieces stand on the two far corners of its ring.
pub(crate) fn swallowstail(line: &Line) -> Option<Evidence> {
    let mate = Mate::of(line).filter(|mate| mates_head_on(mate, 1))?;
    let far = |square: &Square| {
        let (king, queen) = (mate.king, mate.last.to);
        square.distance(queen) == 2 && square.file() != king.file() && square.rank() != king.rank()
    };
    let corners: Vec<Square> = ring(mate.king).into_iter().filter(far).collect();
    if corners.len() == 2 && corners.iter().all(|&square| mate.is_victims(square)) {
        mate.by(mate.last.to)
    } else {
        None
    }
}

/// The queen or a rook mates a king on the edge from straight before it; its own pieces stand at both its sides.
pub(crate) fn epaulette(line: &Line) -> Option<Evidence> {
    let mate = Mate::of(line)?;
    let (king, last) = (mate.king, mate.last.to);
    if !matches!(mate.last.became, Role::Queen | Role::Rook) || king.distance(last) < 2 {
        return None;
    }
    let sides = if king.file() == last.file() {
        Bitboard::from_rank(king.rank())
    } else if king.rank() == last.rank() {
        Bitboard::from_file(king.file())
    } else {
        return None;
    };
    let sides = ring(king) & sides;
    let holds = sides.count() == 2 && sides.into_iter().all(|square| mate.is_victims(square));
    if holds { mate.by(last) } else { None }
}
