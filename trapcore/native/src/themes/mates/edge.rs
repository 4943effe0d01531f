//! Mates along the edge of the board.

use shakmaty::{Position, Rank};

use super::Mate;
use crate::themes::attacks::{attackers, ring};
use crate::themes::line::{Evidence, Line};

/// The king on its first rank is mated along it, behind its own pieces. The attacker attacks none of these.
pub(crate) fn back_rank(line: &Line) -> Option<Evidence> {
    let mate = Mate::of(line)?;
    let (home, front) = line.attacker.fold_wb((Rank::Eighth, Rank::Seventh), (Rank::First, Rank::Second));
    let is_wall = |square| mate.is_victims(square) && attackers(mate.board, line.attacker, square).is_empty();
    let walled = ring(mate.king).into_iter().filter(|square| square.rank() == front).all(is_wall);
    let checker = line.end().checkers().into_iter().find(|checker| checker.rank() == home);
    if mate.king.rank() == home && walled { mate.by(checker?) } else { None }
}
