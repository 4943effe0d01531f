//! Connect Four, see `workshop/games/rules/connect_four.py`.

use super::game::{Game, WITHOUT_END};
use super::local::{EMPTY, Key, LocalGame, StaticMove, Statics, man};
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

    /// Where a disc falls in a file that is not full.
    fn square(&self, file: u8) -> u64 {
        self.playable() & 0x0101_0101_0101_0101 << file
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
        self.discs[self.mover] |= self.square(m);
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

impl LocalGame for ConnectFour {
    const FOCUS: Option<u32> = Some(2);

    fn statics(&self) -> Statics {
        let mut moves = vec![StaticMove::default(); 128];
        let board = notation::mask(FILES, RANKS);
        for player in 0..2 {
            for square in notation::bits(board) {
                let mut made = StaticMove { player, touches: square, ..StaticMove::default() };
                made.makes[man(player, 0)] = square;
                made.needs[EMPTY] = square;
                // It falls on a disc of either player.
                made.needs[man(0, 0)] = square >> 8;
                made.needs[man(1, 0)] = square >> 8;
                moves[2 * square.trailing_zeros() as usize + player] = made;
            }
        }
        Statics { moves, goals: [0, 1].map(|_| lines().collect()) }
    }

    fn number(&self, m: u8) -> usize {
        2 * self.square(m).trailing_zeros() as usize + self.mover
    }

    fn needs(&self, m: u8) -> u64 {
        self.square(m)
    }

    fn goal_distance(&self, player: usize) -> u32 {
        let other = self.discs[1 - player];
        let open = lines().filter(|line| line & other == 0);
        open.map(|line| (line & !self.discs[player]).count_ones()).min().unwrap_or(u32::MAX)
    }

    fn pass(&mut self) {
        self.mover = 1 - self.mover;
    }

    fn key(&self) -> Key {
        (self.discs, self.mover)
    }
}

/// The fours of the board.
fn lines() -> impl Iterator<Item = u64> {
    let board = notation::mask(FILES, RANKS);
    let fours = [1, 7, 8, 9].into_iter().flat_map(move |step| {
        let starts = notation::bits(board).filter(move |square| square.trailing_zeros() + 3 * step < 64);
        starts.map(move |square| (0..4).fold(0u64, |line, place| line | square << (step * place)))
    });
    // The eighth file of a row is no square, so that no line runs over the edge.
    fours.filter(move |line| line & !board == 0)
}

#[cfg(test)]
impl ConnectFour {
    /// Discs on the board.
    pub(crate) fn discs(&self) -> u32 {
        (self.discs[0] | self.discs[1]).count_ones()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_board_has_sixty_nine_fours_and_each_is_one() {
        assert_eq!(lines().count(), 69);
        assert!(lines().all(|line| line.count_ones() == 4 && has_four(line)));
    }
}
