//! Breakthrough, see `workshop/games/rules/breakthrough.py`. Boards are bits, so that a playout takes a microsecond.

use super::game::{Game, WITHOUT_END};
use super::local::{EMPTY, Key, LocalGame, StaticMove, Statics, man};
use super::notation;
use native::workshop::Random;

const FILE_A: u64 = 0x0101_0101_0101_0101;
const RANK_1: u64 = 0xff;
/// The way of a step that does not take.
const STRAIGHT: usize = 1;

#[derive(Clone)]
pub(crate) struct Breakthrough {
    /// White, who moves up and begins, and Black.
    men: [u64; 2],
    mover: usize,
    size: u32,
}

/// A man's square and where he goes: 0 to the left, 1 straight, 2 to the right, as seen with White below.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Step {
    from: u8,
    to: u8,
    way: u8,
}

impl Breakthrough {
    /// Reads a board of `size` (5 to 8) ranks; the game may be over.
    pub(crate) fn parse(text: &str, size: u32) -> Option<Breakthrough> {
        let board = notation::read(text, size as usize, size as usize, *b"WB").filter(|board| board.rest == 0)?;
        Some(Breakthrough { men: board.men, mover: board.mover, size })
    }

    fn rank(&self, rank: u32) -> u64 {
        RANK_1 << (8 * rank)
    }

    /// The rank that a player runs for, and its number.
    fn far(&self, player: usize) -> u64 {
        if player == 0 { self.rank(self.size - 1) } else { RANK_1 }
    }

    /// The men who win with their next step, if the opponent does not take them.
    fn runners(&self, player: usize) -> u64 {
        self.men[player] & if player == 0 { self.rank(self.size - 2) } else { RANK_1 << 8 }
    }

    /// Where the mover's men can go to the left, straight and to the right, as bits of the squares they reach.
    fn targets(&self) -> [u64; 3] {
        let (own, other) = (self.men[self.mover], self.men[1 - self.mover]);
        let last = FILE_A << (self.size - 1);
        let (left, right) = (own & !FILE_A, own & !last);
        if self.mover == 0 {
            [left << 7 & !own, own << 8 & !(own | other), right << 9 & !own]
        } else {
            [left >> 9 & !own, own >> 8 & !(own | other), right >> 7 & !own]
        }
    }

    fn step(&self, to: u32, way: usize) -> Step {
        let up = [7, 8, 9][way];
        let down = [9, 8, 7][way];
        let from = if self.mover == 0 { to - up } else { to + down };
        Step { from: from as u8, to: to as u8, way: way as u8 }
    }

    fn steps(&self, targets: [u64; 3], moves: &mut Vec<Step>) {
        for (way, mut squares) in targets.into_iter().enumerate() {
            while squares != 0 {
                moves.push(self.step(squares.trailing_zeros(), way));
                squares &= squares - 1;
            }
        }
    }
}

impl Game for Breakthrough {
    type Move = Step;
    type Evaluator = ();
    const CODES: usize = 64 * 6;
    const POLL: u64 = 64;
    const PLAYOUT_PLIES: u32 = WITHOUT_END;
    const HAS_EVALUATION: bool = true;

    fn evaluator() {}

    fn mover(&self) -> usize {
        self.mover
    }

    fn result(&self) -> Option<f32> {
        let last = 1 - self.mover;
        (self.men[last] & self.far(last) != 0 || self.men[self.mover] == 0).then_some(-1.0)
    }

    fn moves(&self, moves: &mut Vec<Step>) {
        moves.clear();
        if self.result().is_none() {
            self.steps(self.targets(), moves);
        }
    }

    fn play(&mut self, m: Step) {
        let to = 1 << m.to;
        self.men[self.mover] ^= 1 << m.from | to;
        self.mover = 1 - self.mover;
        self.men[self.mover] &= !to;
    }

    fn code(&self, m: Step) -> u16 {
        (u16::from(m.from) * 3 + u16::from(m.way)) * 2 + self.mover as u16
    }

    fn label(&self, m: Step) -> String {
        notation::square(m.from.into()) + &notation::square(m.to.into())
    }

    fn random_move(&self, random: &mut Random, _scratch: &mut Vec<Step>) -> Step {
        let targets = self.targets();
        let counts = targets.map(u64::count_ones);
        let mut n = random.below((counts[0] + counts[1] + counts[2]) as usize) as u32;
        for (way, count) in counts.into_iter().enumerate() {
            if n < count {
                return self.step(notation::nth_bit(targets[way], n), way);
            }
            n -= count;
        }
        unreachable!("the number is below the sum")
    }

    fn decisive(&self) -> Option<Step> {
        let runners = self.runners(self.mover);
        if runners == 0 {
            return None;
        }
        // The far rank holds no man of his own, so that a runner can always go on, if only to the side.
        let far = self.far(self.mover);
        let targets = self.targets().map(|squares| squares & far);
        let way = targets.iter().position(|squares| *squares != 0)?;
        Some(self.step(targets[way].trailing_zeros(), way))
    }

    fn anti_decisive(&self, moves: &mut Vec<Step>) {
        moves.clear();
        let runners = self.runners(1 - self.mover);
        // Against two nothing helps.
        if runners.is_power_of_two() {
            self.steps(self.targets().map(|squares| squares & runners), moves);
        }
    }

    /// Men and how far they came, as a share of what can be; men nearer to the far rank count more.
    fn evaluate(&self, (): &mut ()) -> f32 {
        let mut sums = [0.0f32; 2];
        for (player, sum) in sums.iter_mut().enumerate() {
            for advance in 0..self.size {
                let rank = if player == 0 { advance } else { self.size - 1 - advance };
                let men = (self.men[player] & self.rank(rank)).count_ones() as f32;
                let advance = advance as f32 / self.size as f32;
                *sum += men * (1.0 + advance * advance * advance);
            }
        }
        let difference = sums[self.mover] - sums[1 - self.mover];
        (difference * 0.35).tanh()
    }
}

impl LocalGame for Breakthrough {
    const FOCUS: Option<u32> = None;

    fn statics(&self) -> Statics {
        let mut moves = vec![StaticMove::default(); Self::CODES];
        let board = notation::mask(self.size, self.size);
        for player in 0..2 {
            for from in 0..64 {
                for way in 0..3 {
                    let mut alone = Breakthrough { men: [0; 2], mover: player, size: self.size };
                    alone.men[player] = 1 << from & board;
                    // On the far rank he has nowhere to go.
                    let to = alone.targets()[way] & board;
                    if alone.men[player] & !alone.far(player) == 0 || to == 0 {
                        continue;
                    }
                    let step = alone.step(to.trailing_zeros(), way);
                    let mut made = StaticMove { player, touches: 1 << from | to, ..StaticMove::default() };
                    made.makes[man(player, 0)] = to;
                    made.makes[EMPTY] = 1 << from;
                    made.needs[man(player, 0)] = 1 << from;
                    made.needs[EMPTY] = to;
                    if way != STRAIGHT {
                        made.needs[man(1 - player, 0)] = to;
                    }
                    moves[alone.number(step)] = made;
                }
            }
        }
        Statics { moves, goals: [0, 1].map(|player| notation::bits(self.far(player) & board).collect()) }
    }

    fn number(&self, m: Step) -> usize {
        self.code(m).into()
    }

    fn needs(&self, m: Step) -> u64 {
        let to = 1u64 << m.to;
        // A man that comes onto an empty square beside the way straight ahead is taken there: the move is the same.
        let has_to_stay = usize::from(m.way) == STRAIGHT || self.men[1 - self.mover] & to != 0;
        1 << m.from | if has_to_stay { to } else { 0 }
    }

    fn goal_distance(&self, player: usize) -> u32 {
        let others = self.men[1 - player].count_ones();
        let ranks = if player == 0 {
            (self.size - 1).checked_sub((63 - self.men[0].leading_zeros().min(63)) / 8)
        } else {
            Some(self.men[1].trailing_zeros() / 8)
        };
        ranks.map_or(others, |ranks| others.min(ranks))
    }

    fn pass(&mut self) {
        self.mover = 1 - self.mover;
    }

    fn key(&self) -> Key {
        (self.men, self.mover)
    }
}
