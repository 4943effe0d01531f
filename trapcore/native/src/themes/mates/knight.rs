//! Mates with a knight.

use shakmaty::{Bitboard, File, Position, Rank, Role, Square};

use super::Mate;
use crate::themes::attacks::{attackers, ring};
use crate::themes::line::{Evidence, Line};

/// Files and ranks from one square to another.
fn away(from: Square, to: Square) -> (i32, i32) {
    (to.file() as i32 - from.file() as i32, to.rank() as i32 - from.rank() as i32)
}

/// A knight mates a king that its own pieces surround.
pub(crate) fn smothered(line: &Line) -> Option<Evidence> {
    let mate = Mate::of(line)?;
    let knight = (line.end().checkers() & mate.board.knights()).first()?;
    if ring(mate.king).into_iter().all(|square| mate.is_victims(square)) { mate.by(knight) } else { None }
}

/// A rook mates beside the king, guarded by a knight beside the king, which a pawn guards.
pub(crate) fn hook(line: &Line) -> Option<Evidence> {
    let mate = Mate::of(line)?;
    if mate.last.became != Role::Rook || mate.last.to.distance(mate.king) != 1 {
        return None;
    }
    let knights = attackers(mate.board, line.attacker, mate.last.to) & mate.board.knights() & ring(mate.king);
    let holds =
        knights.into_iter().any(|knight| (attackers(mate.board, line.attacker, knight) & mate.board.pawns()).any());
    if holds { mate.by(mate.last.to) } else { None }
}

/// A rook mates beside a king in the corner, guarded by a knight two squares away on the diagonal.
pub(crate) fn arabian(line: &Line) -> Option<Evidence> {
    let mate = Mate::of(line)?;
    let is_corner =
        matches!(mate.king.file(), File::A | File::H) && matches!(mate.king.rank(), Rank::First | Rank::Eighth);
    if !is_corner || mate.last.became != Role::Rook || mate.last.to.distance(mate.king) != 1 {
        return None;
    }
    let holds = (attackers(mate.board, line.attacker, mate.last.to) & mate.board.knights()).into_iter().any(|knight| {
        let (files, ranks) = away(mate.king, knight);
        files.abs() == 2 && ranks.abs() == 2
    });
    if holds { mate.by(mate.last.to) } else { None }
}

/// A queen or rook mates along the edge a king that has its own piece beside it, a knight being two squares behind that.
pub(crate) fn anastasia(line: &Line) -> Option<Evidence> {
    let mate = Mate::of(line)?;
    let (king, last) = (mate.king, mate.last);
    let inwards = match king.file() {
        File::A => 1,
        File::H => -1,
        _ => return None,
    };
    if matches!(king.rank(), Rank::First | Rank::Eighth)
        || last.to.file() != king.file()
        || !matches!(last.became, Role::Queen | Role::Rook)
    {
        return None;
    }
    let at = |files: i32| king.offset(inwards * files);
    let knight = at(3).filter(|&square| mate.is_attackers(square) && mate.board.knights().contains(square));
    if at(1).is_some_and(|square| mate.is_victims(square)) && knight.is_some() { mate.by(last.to) } else { None }
}

/// A knight mates a king that a queen or rook confines: it holds the square beside the king on the file or rank that the
/// knight's jump crosses, from that file or rank, and does not stand level with the knight.
pub(crate) fn corner(line: &Line) -> Option<Evidence> {
    let mate = Mate::of(line)?;
    let (board, king) = (mate.board, mate.king);
    let knight = (mate.checkers & board.knights()).first()?;
    let (files, ranks) = away(king, knight);
    // The king's neighbour on its own rank or file, and the file or rank through it.
    let (beside, crossed, level) = if files.abs() == 2 {
        let beside = king.offset(files.signum())?;
        (beside, Bitboard::from_file(beside.file()), Bitboard::from_rank(knight.rank()))
    } else {
        let beside = king.offset(8 * ranks.signum())?;
        (beside, Bitboard::from_rank(beside.rank()), Bitboard::from_file(knight.file()))
    };
    let holds = |piece: Square| piece == beside || board.attacks_from(piece).contains(beside);
    let confines = board.rooks_and_queens() & mate.own() & crossed & !level;
    if confines.into_iter().any(holds) { mate.by(knight) } else { None }
}
