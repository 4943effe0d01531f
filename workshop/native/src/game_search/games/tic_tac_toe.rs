//! Tic-tac-toe, see `workshop/games/rules/tic_tac_toe.py`.

use super::game::{Game, WITHOUT_END};
use super::local::{EMPTY, Key, LocalGame, StaticMove, Statics, man};
use super::notation;

const BOARD: u64 = 0x0007_0707;
const THREES: [u64; 8] =
    [0x7, 0x700, 0x7_0000, 0x1_0101, 0x2_0202, 0x4_0404, 1 | 1 << 9 | 1 << 18, 1 << 2 | 1 << 9 | 1 << 16];

#[derive(Clone)]
pub(crate) struct TicTacToe {
    marks: [u64; 2],
    mover: usize,
}

impl TicTacToe {
    pub(crate) fn parse(text: &str) -> Option<TicTacToe> {
        let board = notation::read(text, 3, 3, *b"XO").filter(|board| board.rest == 0)?;
        Some(TicTacToe { marks: board.men, mover: board.mover })
    }
}

impl Game for TicTacToe {
    type Move = u8;
    type Evaluator = ();
    const CODES: usize = 24;
    const POLL: u64 = 256;
    const PLAYOUT_PLIES: u32 = WITHOUT_END;
    const HAS_EVALUATION: bool = false;

    fn evaluator() {}

    fn mover(&self) -> usize {
        self.mover
    }

    fn result(&self) -> Option<f32> {
        let last = self.marks[1 - self.mover];
        if THREES.iter().any(|three| last & three == *three) {
            return Some(-1.0);
        }
        ((self.marks[0] | self.marks[1]) == BOARD).then_some(0.0)
    }

    fn moves(&self, moves: &mut Vec<u8>) {
        moves.clear();
        if self.result().is_none() {
            let mut free = BOARD & !(self.marks[0] | self.marks[1]);
            while free != 0 {
                moves.push(free.trailing_zeros() as u8);
                free &= free - 1;
            }
        }
    }

    fn play(&mut self, m: u8) {
        self.marks[self.mover] |= 1 << m;
        self.mover = 1 - self.mover;
    }

    fn code(&self, m: u8) -> u16 {
        m.into()
    }

    fn label(&self, m: u8) -> String {
        notation::square(m.into()).to_uppercase()
    }

    fn decisive(&self) -> Option<u8> {
        completed(self.marks[self.mover], self.marks[1 - self.mover])
    }

    fn anti_decisive(&self, moves: &mut Vec<u8>) {
        moves.clear();
        moves.extend(completed(self.marks[1 - self.mover], self.marks[self.mover]));
    }
}

/// A free square that completes a three of `own`.
fn completed(own: u64, other: u64) -> Option<u8> {
    THREES.iter().map(|three| three & !own).find(|gap| gap.is_power_of_two() && gap & other == 0).map(|gap| {
        gap.trailing_zeros() as u8 // one square is missing
    })
}

impl LocalGame for TicTacToe {
    const FOCUS: Option<u32> = None;

    fn statics(&self) -> Statics {
        let mut moves = vec![StaticMove::default(); 2 * Self::CODES];
        for player in 0..2 {
            for square in notation::bits(BOARD) {
                let mut made = StaticMove { player, touches: square, ..StaticMove::default() };
                made.makes[man(player, 0)] = square;
                made.needs[EMPTY] = square;
                moves[2 * square.trailing_zeros() as usize + player] = made;
            }
        }
        Statics { moves, goals: [0, 1].map(|_| THREES.to_vec()) }
    }

    fn number(&self, m: u8) -> usize {
        2 * usize::from(m) + self.mover
    }

    fn needs(&self, m: u8) -> u64 {
        1 << m
    }

    fn goal_distance(&self, player: usize) -> u32 {
        let open = THREES.iter().filter(|three| **three & self.marks[1 - player] == 0);
        open.map(|three| (three & !self.marks[player]).count_ones()).min().unwrap_or(u32::MAX)
    }

    fn pass(&mut self) {
        self.mover = 1 - self.mover;
    }

    fn key(&self) -> Key {
        (self.marks, self.mover)
    }
}
