//! Mates by the queen.

use shakmaty::{Bitboard, File, Rank, Role};

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
