//! Boards as text: rows from the top, `/` between them, then who moves. `workshop/games/rules/grid.py` explains errors;
//! here any other text is only refused.

/// The squares of each player as bits, a file's bit 0 at the left and 8 bits a row from the bottom.
pub(super) struct Board {
    pub(super) men: [u64; 2],
    /// The player to move.
    pub(super) mover: usize,
    /// Words after the player to move.
    pub(super) rest: usize,
}

/// Reads a board of so many files and ranks (at most 8); `players` are the capital letters of the two.
pub(super) fn read(text: &str, files: usize, ranks: usize, players: [u8; 2]) -> Option<Board> {
    let mut words = text.split_ascii_whitespace();
    let rows: Vec<&[u8]> = words.next()?.split('/').map(str::as_bytes).collect();
    if rows.len() != ranks || rows.iter().any(|row| row.len() != files) {
        return None;
    }
    let mut men = [0, 0];
    for (number, row) in rows.iter().rev().enumerate() {
        for (file, letter) in row.iter().enumerate() {
            match players.iter().position(|player| player.eq_ignore_ascii_case(letter)) {
                Some(player) => men[player] |= 1 << (8 * number + file),
                None if *letter == b'.' => {}
                None => return None,
            }
        }
    }
    let turn = words.next()?.as_bytes();
    let mover = players.iter().position(|player| turn.eq_ignore_ascii_case(&[*player]))?;
    Some(Board { men, mover, rest: words.count() })
}

/// `a1` at the lower left, from the bit's number.
pub(super) fn square(bit: u32) -> String {
    format!("{}{}", char::from(b'a' + (bit % 8) as u8), bit / 8 + 1)
}

/// The bits of a board of so many files and ranks.
pub(super) fn mask(files: u32, ranks: u32) -> u64 {
    (0..ranks).fold(0, |mask, rank| mask | ((1u64 << files) - 1) << (8 * rank))
}

/// The number of the `n`-th bit that is set, counted from 0.
pub(super) fn nth_bit(mut bits: u64, n: u32) -> u32 {
    for _ in 0..n {
        bits &= bits - 1;
    }
    bits.trailing_zeros()
}

/// The bits that are set, each alone.
pub(super) fn bits(mut all: u64) -> impl Iterator<Item = u64> {
    std::iter::from_fn(move || {
        let bit = all & all.wrapping_neg();
        all ^= bit;
        (bit != 0).then_some(bit)
    })
}
