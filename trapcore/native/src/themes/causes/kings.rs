//! Causes about the king: its cover, the back rank, a walk into a mating net, a flight square that is taken away.

use shakmaty::{Bitboard, Color, File, Position, Rank, Role, Square, attacks};

use crate::themes::attacks::ring;
use crate::themes::causes::mistake::Mistake;

type Squares = Option<Vec<Square>>;

/// The attacker's moves that are examined.
const LOOKED_AT: usize = 5;

/// A rook or queen that guarded the first rank leaves it, and the attacker checks there.
pub(crate) fn opens_back_rank(mistake: &Mistake) -> Squares {
    if mistake.threatened == Some(true) {
        return None;
    }
    let (bait, home) = (mistake.bait(), mistake.mover.fold_wb(Rank::First, Rank::Eighth));
    if !matches!(bait.role, Role::Rook | Role::Queen) || bait.from.rank() != home {
        return None;
    }
    let entry = plies(mistake).find(|&ply| {
        let step = mistake.line.step(ply);
        matches!(step.became, Role::Rook | Role::Queen)
            && step.to.rank() == home
            && step.to != bait.to
            && mistake.line.after(ply).is_check()
    })?;
    let square = mistake.line.step(entry).to;
    let king = mistake.king();
    let holds = king.rank() == home && (square == bait.from || mistake.guarded().contains(square));
    (holds && !mistake.guards().contains(square)).then(|| vec![square, king])
}

fn plies(mistake: &Mistake) -> impl Iterator<Item = usize> + use<> {
    let last = mistake.line.last().min(LOOKED_AT);
    (1..=last).step_by(2)
}

/// A pawn before the king moves, and the attacker comes over a square that it guarded, or along a line that it closed,
/// with check or mate.
pub(crate) fn weakens_cover(mistake: &Mistake) -> Squares {
    let (bait, king) = (mistake.bait(), mistake.king());
    if bait.role != Role::Pawn || mistake.threatened == Some(true) || !covers(mistake.mover, king, bait.from) {
        return None;
    }
    let guarded = attacks::pawn_attacks(mistake.mover, bait.from);
    plies(mistake).find_map(|ply| {
        let step = mistake.line.step(ply);
        let checks = mistake.line.after(ply).is_check();
        let comes = guarded.contains(step.to) || step.to == bait.from;
        let through = attacks::between(step.to, king).contains(bait.from)
            || attacks::between(step.from, step.to).contains(bait.from);
        // Of a king in the centre a pawn's move opens a line to nearly always, and costs it only a mate.
        let castled = !matches!(king.file(), File::D | File::E) || mistake.mates();
        let nears = castled && comes && (checks || ring(king).contains(step.to) || mistake.mates());
        (nears || castled && through && checks).then(|| vec![step.to, king])
    })
}

/// Whether a pawn on the square stands before the king, no more than two ranks away, on its file or one beside it.
fn covers(color: Color, king: Square, pawn: Square) -> bool {
    let ahead = (pawn.rank() as i32 - king.rank() as i32) * color.fold_wb(1, -1);
    (0..=2).contains(&ahead) && (pawn.file() as i32 - king.file() as i32).abs() <= 1
}

/// The king moves, and is mated where it was not before; or another move allows a mate that was not there.
pub(crate) fn walks_into_mate(mistake: &Mistake) -> Squares {
    let new = match mistake.threatened {
        Some(threatened) => !threatened,
        None => mistake.bait().role == Role::King,
    };
    (mistake.mates() && new).then(|| vec![mistake.king()])
}

/// In the final mate the moved piece stands on a square that its king could have gone to.
pub(crate) fn takes_flight(mistake: &Mistake) -> Squares {
    let (bait, end) = (mistake.bait(), mistake.line.end());
    if bait.role == Role::King || !end.is_checkmate() || mistake.threatened == Some(true) {
        return None;
    }
    let (board, king) = (end.board(), mistake.line.king(end));
    let stands = board.piece_at(bait.to) == Some(bait.became.of(mistake.mover));
    let free = board.occupied().without(king).without(bait.to);
    let is_flight = ring(king).contains(bait.to)
        && (board.attacks_to(bait.to, mistake.attacker(), free) & !Bitboard::from_square(bait.to)).is_empty();
    let was_free = mistake.board().piece_at(bait.to).is_none_or(|piece| piece.color != mistake.mover);
    (stands && is_flight && was_free).then(|| vec![king, bait.to])
}
