//! A losing move with all that its causes are read from.

use shakmaty::{Bitboard, Board, Chess, Color, Move, Position, Role, Square};

use crate::themes::causes::prize::{Kind, Played, Prize};
use crate::themes::line::{Line, Step};

/// Plies of the line with the best other move that count.
const BEST_LINE: usize = 5;

/// What is known of a losing move. Win chances are the mover's, -1 to 1.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Question<'a> {
    pub position: &'a Chess,
    pub bait: Move,
    /// What refutes the bait; one move at least.
    pub killer_line: &'a [Move],
    /// The line that begins with the best other move; empty where that is not known.
    pub best_line: &'a [Move],
    /// With the best move, and with the bait; `None` where it was not measured.
    pub before: Option<f64>,
    pub after: Option<f64>,
    /// Moves to the mate that the bait allows.
    pub mate_in: Option<u32>,
}

impl<'a> Question<'a> {
    /// As much of the line with the best other move as counts.
    pub(super) fn chance_line(&self) -> &'a [Move] {
        &self.best_line[..self.best_line.len().min(BEST_LINE)]
    }
}

/// The same, played out.
pub(crate) struct Mistake<'a> {
    pub question: Question<'a>,
    /// The bait and what refutes it.
    pub line: Line,
    /// The player who made the mistake.
    pub mover: Color,
    /// What the line takes; its plies are those of the line, 0 for the bait.
    pub prize: Option<Prize>,
    /// Where the piece that is lost stands after the bait.
    pub victim: Option<Square>,
    /// What the best other move would have won; its plies are those of the best line.
    pub chance: Option<Prize>,
    /// As if the mover had passed; `None` where he is in check.
    pub passed: Option<Chess>,
    /// The killer works after a pass as well; `None` where that was not searched.
    pub threatened: Option<bool>,
}

impl<'a> Mistake<'a> {
    pub(crate) fn new(question: Question<'a>) -> Mistake<'a> {
        let Question { position, bait, killer_line, best_line, mate_in, .. } = question;
        let moves: Vec<Move> = [&[bait], killer_line].concat();
        let line = Line::new(position, &moves);
        let played = Played::new(position, &moves);
        let king = line.king(line.after(0));
        let mate = || Prize { kind: Kind::Mate, ply: moves.len() - 1, square: king, gain: 20_000 };
        let prize = if mate_in.is_some() { Some(mate()) } else { played.prize(1) };
        let victim = prize.map(|prize| match prize.kind {
            Kind::Piece(_) => played.stood(prize.square, prize.ply, 1),
            _ => king,
        });
        let best = Played::new(position, question.chance_line());
        let chance = if best_line.is_empty() { None } else { best.prize(0) };
        let passed = position.clone().swap_turn().ok();
        let mover = position.turn();
        Mistake { question, line, mover, prize, victim, chance, passed, threatened: None }
    }

    /// The player who refutes it.
    pub(crate) fn attacker(&self) -> Color {
        !self.mover
    }

    pub(crate) fn bait(&self) -> &Step {
        self.line.step(0)
    }

    pub(crate) fn killer(&self) -> &Step {
        self.line.step(1)
    }

    /// Before the bait.
    pub(crate) fn board(&self) -> &Board {
        self.line.before(0).board()
    }

    /// After the bait.
    pub(crate) fn baited(&self) -> &Board {
        self.line.after(0).board()
    }

    /// Where the mover's king stands after the bait.
    pub(crate) fn king(&self) -> Square {
        self.line.king(self.line.after(0))
    }

    pub(crate) fn mates(&self) -> bool {
        self.prize.is_some_and(|prize| prize.kind == Kind::Mate)
    }

    /// The piece that is taken, and where it stands after the bait; `None` where it is no piece, or a mate.
    pub(crate) fn lost_piece(&self) -> Option<(Role, Square)> {
        match self.prize?.kind {
            Kind::Piece(role) => Some((role, self.victim?)),
            _ => None,
        }
    }

    /// The same where it is another one than the piece that made the bait.
    pub(crate) fn lost_bystander(&self) -> Option<Square> {
        self.lost_piece().map(|(_, square)| square).filter(|&square| square != self.bait().to)
    }

    /// What the moved piece attacked where it came from, on the board before the bait.
    pub(crate) fn guarded(&self) -> Bitboard {
        self.board().attacks_from(self.bait().from)
    }

    /// What it attacks now.
    pub(crate) fn guards(&self) -> Bitboard {
        self.baited().attacks_from(self.bait().to)
    }

    /// What the line wins, in centipawns; 0 where that is no material.
    pub(crate) fn gain(&self) -> i32 {
        self.prize.filter(|prize| prize.kind != Kind::Mate).map_or(0, |prize| prize.gain)
    }
}
