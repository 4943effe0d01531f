//! Connect Four, see `trapcore/trees/games/connect_four.py`.

use super::super::game::{Game, WITHOUT_END};
use super::notation;

const FILES: u32 = 7;
const RANKS: u32 = 6;
const BOTTOM: u64 = 0x7f;

#[derive(Clone)]
pub(crate) struct ConnectFour {
    discs: [u64; 2],
    mover: usize,
}

impl ConnectFour {
    pub(crate) fn parse(text: &str) -> Option<ConnectFour> {
        let board = notation::read(text, FILES as usize, RANKS as usize, *b"XO").filter(|board| board.rest == 0)?;
        let taken = board.men[0] | board.men[1];
        let falls = taken & !(taken << 8 | BOTTOM) == 0;
        falls.then_some(ConnectFour { discs: board.men, mover: board.mover })
    }

    /// The lowest free square of each file.
    fn playable(&self) -> u64 {
        let taken = self.discs[0] | self.discs[1];
        (taken << 8 | BOTTOM) & !taken & notation::mask(FILES, RANKS)
    }

    /// The squares that complete a four of the player, where a disc may fall now.
    fn completing(&self, player: usize) -> u64 {
        let mut found = 0;
        let mut free = self.playable();
        while free != 0 {
            let disc = free & free.wrapping_neg();
            if has_four(self.discs[player] | disc) {
                found |= disc;
            }
            free &= free - 1;
        }
        found
    }
}

/// The rows have an eighth square that stays empty, so that no line runs over the edge.
fn has_four(discs: u64) -> bool {
    [1, 7, 8, 9].into_iter().any(|step| {
        let pairs = discs & discs >> step;
        pairs & pairs >> (2 * step) != 0
    })
}

impl Game for ConnectFour {
    type Move = u8;
    type Evaluator = ();
    const CODES: usize = FILES as usize;
    const POLL: u64 = 128;
    const PLAYOUT_PLIES: u32 = WITHOUT_END;
    const HAS_EVALUATION: bool = false;

    fn evaluator() {}

    fn mover(&self) -> usize {
        self.mover
    }

    fn result(&self) -> Option<f32> {
        if has_four(self.discs[1 - self.mover]) {
            return Some(-1.0);
        }
        (self.playable() == 0).then_some(0.0)
    }

    fn moves(&self, moves: &mut Vec<u8>) {
        moves.clear();
        if self.result().is_none() {
            let mut free = self.playable();
            let mut files = 0u8;
            while free != 0 {
                files |= 1 << (free.trailing_zeros() % 8);
                free &= free - 1;
            }
            moves.extend((0..FILES as u8).filter(|file| files >> file & 1 != 0));
        }
    }

    fn play(&mut self, m: u8) {
        self.discs[self.mover] |= self.playable() & 0x0101_0101_0101_0101 << m;
        self.mover = 1 - self.mover;
    }

    fn code(&self, m: u8) -> u16 {
        m.into()
    }

    fn label(&self, m: u8) -> String {
        char::from(b'a' + m).to_string()
    }

    fn decisive(&self) -> Option<u8> {
        let four = self.completing(self.mover);
        (four != 0).then(|| (four.trailing_zeros() % 8) as u8)
    }

    fn anti_decisive(&self, moves: &mut Vec<u8>) {
        moves.clear();
        let threats = self.completing(1 - self.mover);
        // Against two nothing helps.
        if threats.is_power_of_two() {
            moves.push((threats.trailing_zeros() % 8) as u8);
        }
    }
}

#[cfg(test)]
impl ConnectFour {
    /// What tells positions apart.
    pub(crate) fn key(&self) -> ([u64; 2], usize) {
        (self.discs, self.mover)
    }

    /// Discs on the board.
    pub(crate) fn discs(&self) -> u32 {
        (self.discs[0] | self.discs[1]).count_ones()
    }
}
