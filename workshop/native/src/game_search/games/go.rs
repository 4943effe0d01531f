//! Go on a small board, see `workshop/games/rules/go.py`: area scoring, no suicide, positional superko.

use super::game::Game;
use super::notation;
use native::workshop::Random;

/// The move that puts no stone.
pub(crate) const PASS: u8 = 64;

#[derive(Clone)]
pub(crate) struct Go {
    /// Black, who begins, and White.
    stones: [u64; 2],
    mover: usize,
    /// Passes in a row just before.
    passes: u8,
    board: u64,
    /// All boards of the game so far, this one included.
    earlier: Vec<[u64; 2]>,
}

impl Go {
    /// Reads a board of `size` (2 to 7) lines, with `pass` once or twice after the player to move.
    pub(crate) fn parse(text: &str, size: u32) -> Option<Go> {
        let board = notation::read(text, size as usize, size as usize, *b"BW").filter(|board| board.rest <= 2)?;
        Some(Go {
            stones: board.men,
            mover: board.mover,
            passes: board.rest as u8,
            board: notation::mask(size, size),
            earlier: vec![board.men],
        })
    }

    fn free(&self) -> u64 {
        self.board & !(self.stones[0] | self.stones[1])
    }

    fn near(&self, points: u64) -> u64 {
        // The eighth bit of a row is no point, so that nothing runs over the edge.
        (points << 1 | points >> 1 | points << 8 | points >> 8) & self.board
    }

    /// The points joined to `seed` inside `area`.
    fn region(&self, seed: u64, area: u64) -> u64 {
        let mut region = seed;
        loop {
            let grown = region | self.near(region) & area;
            if grown == region {
                return region;
            }
            region = grown;
        }
    }

    /// The stones after one more on a free point; none if that is suicide.
    fn after(&self, point: u64) -> Option<[u64; 2]> {
        let mut stones = self.stones;
        stones[self.mover] |= point;
        let other = stones[1 - self.mover];
        let mut beside = self.near(point) & other;
        let mut captured = 0;
        while beside != 0 {
            let string = self.region(beside & beside.wrapping_neg(), other);
            if self.near(string) & self.board & !(stones[0] | stones[1]) == 0 {
                captured |= string;
            }
            beside &= !string;
        }
        stones[1 - self.mover] &= !captured;
        let free = self.board & !(stones[0] | stones[1]);
        let lives = captured != 0
            || self.near(point) & free != 0
            || self.near(self.region(point, stones[self.mover])) & free != 0;
        lives.then_some(stones)
    }

    fn is_legal(&self, point: u64) -> bool {
        self.after(point).is_some_and(|stones| !self.earlier.contains(&stones))
    }

    /// The points of a player: his stones, and the free regions that touch no stone of the other.
    fn area(&self, player: usize) -> u32 {
        let mut left = self.free();
        let mut count = self.stones[player].count_ones();
        while left != 0 {
            let region = self.region(left & left.wrapping_neg(), self.free());
            let border = self.near(region);
            if border & self.stones[1 - player] == 0 && border & self.stones[player] != 0 {
                count += region.count_ones();
            }
            left &= !region;
        }
        count
    }

    /// Who has the larger area, for the player to move.
    fn score(&self) -> f32 {
        let (own, other) = (self.area(self.mover), self.area(1 - self.mover));
        f32::from(i8::from(own > other) - i8::from(own < other))
    }

    /// Whether all points beside it are the mover's, and of those at its corners at most one is not, none at the edge:
    /// to fill it is nearly always bad, and playouts that do never end.
    fn is_eye(&self, point: u64) -> bool {
        let (own, around) = (self.stones[self.mover], self.near(point));
        if around & !own != 0 {
            return false;
        }
        let corners = self.near(around) & !point & !(point << 2 | point >> 2 | point << 16 | point >> 16);
        let spoilt = (corners & self.stones[1 - self.mover]).count_ones();
        spoilt < if corners.count_ones() == 4 { 2 } else { 1 }
    }
}

impl Game for Go {
    type Move = u8;
    type Evaluator = ();
    const CODES: usize = 65;
    const POLL: u64 = 16;
    /// Three times the points of the largest board: playouts that are still under way then fight a ko.
    const PLAYOUT_PLIES: u32 = 150;
    const HAS_EVALUATION: bool = false;

    fn evaluator() {}

    fn mover(&self) -> usize {
        self.mover
    }

    fn result(&self) -> Option<f32> {
        (self.passes == 2).then(|| self.score())
    }

    fn moves(&self, moves: &mut Vec<u8>) {
        moves.clear();
        if self.passes < 2 {
            let mut free = self.free();
            while free != 0 {
                if self.is_legal(free & free.wrapping_neg()) {
                    moves.push(free.trailing_zeros() as u8);
                }
                free &= free - 1;
            }
            moves.push(PASS);
        }
    }

    fn play(&mut self, m: u8) {
        if m == PASS {
            self.passes += 1;
        } else {
            self.stones = self.after(1 << m).expect("the move is legal");
            self.passes = 0;
            self.earlier.push(self.stones);
        }
        self.mover = 1 - self.mover;
    }

    fn code(&self, m: u8) -> u16 {
        m.into()
    }

    fn label(&self, m: u8) -> String {
        if m == PASS { "pass".to_owned() } else { notation::square(m.into()) }
    }

    /// All but own eyes; a pass where nothing else is left.
    fn playout_moves(&self, moves: &mut Vec<u8>) {
        self.moves(moves);
        moves.pop();
        moves.retain(|m| !self.is_eye(1 << m));
        if moves.is_empty() {
            moves.push(PASS);
        }
    }

    fn random_move(&self, random: &mut Random, _scratch: &mut Vec<u8>) -> u8 {
        let mut left = self.free();
        while left != 0 {
            let bit = notation::nth_bit(left, random.below(left.count_ones() as usize) as u32);
            let point = 1 << bit;
            if !self.is_eye(point) && self.is_legal(point) {
                return bit as u8;
            }
            left &= !point;
        }
        PASS
    }

    fn cut_value(&self, (): &mut ()) -> f32 {
        self.score()
    }
}
