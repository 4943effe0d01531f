//! A position with its value, in 32 bytes, so that tens of millions of them fit into memory.

use shakmaty::{Bitboard, Board, CastlingMode, Color, Piece, Position, Role, Setup};

use native::workshop::{playable, see};

/// Bytes of a record.
pub(crate) const SIZE: usize = 32;

/// A position without castling rights, counters and en passant square, which the network does not see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Record {
    pub board: Board,
    pub turn: Color,
    /// Centipawns for the side to move.
    pub value: i16,
}

impl Record {
    /// Occupied squares (8 bytes), the pieces on them from a1 on (16 bytes of half a byte each), value (2 bytes), side
    /// to move (1 byte, White is 1), and zeros; little endian. `None` with more than 32 pieces.
    pub(crate) fn pack(&self) -> Option<[u8; SIZE]> {
        let occupied = self.board.occupied();
        if occupied.count() > 32 {
            return None;
        }
        let mut out = [0; SIZE];
        out[..8].copy_from_slice(&u64::from(occupied).to_le_bytes());
        for (index, square) in occupied.into_iter().enumerate() {
            let piece = self.board.piece_at(square)?;
            let code = (piece.role as u8 - 1) | u8::from(piece.color.is_white()) << 3;
            out[8 + index / 2] |= code << (4 * (index % 2));
        }
        out[24..26].copy_from_slice(&self.value.to_le_bytes());
        out[26] = u8::from(self.turn.is_white());
        Some(out)
    }

    /// What [`Record::pack`] wrote; `None` for other bytes.
    pub(crate) fn unpack(bytes: &[u8]) -> Option<Record> {
        let bytes: &[u8; SIZE] = bytes.try_into().ok()?;
        let occupied = Bitboard(u64::from_le_bytes(bytes[..8].try_into().ok()?));
        if occupied.count() > 32 {
            return None;
        }
        let mut board = Board::empty();
        for (index, square) in occupied.into_iter().enumerate() {
            let code = bytes[8 + index / 2] >> (4 * (index % 2)) & 15;
            let role = Role::try_from(u32::from(code & 7) + 1).ok()?;
            board.set_piece_at(square, Piece { color: Color::from_white(code & 8 != 0), role });
        }
        let value = i16::from_le_bytes(bytes[24..26].try_into().ok()?);
        Some(Record { board, turn: Color::from_white(bytes[26] == 1), value })
    }
}

/// Whether the side to move wins nothing by a capture, as static exchange evaluation sees it. What other positions are
/// worth is not for a static value to say: the search plays their captures out before it asks for one.
pub(crate) fn is_quiet(record: &Record) -> bool {
    let setup = Setup { board: record.board.clone(), turn: record.turn, ..Setup::empty() };
    let Ok(chess) = playable(setup, CastlingMode::Standard) else { return false };
    !chess.legal_moves().into_iter().any(|m| m.is_capture() && see(&chess, m) > 0)
}

#[cfg(test)]
mod tests {
    use native::workshop::parse;

    use super::*;

    #[test]
    fn a_position_is_quiet_if_no_capture_wins() {
        let quiet = |fen: &str| {
            let chess = parse(fen).unwrap().chess;
            is_quiet(&Record { board: chess.board().clone(), turn: chess.turn(), value: 0 })
        };
        assert!(quiet("4k3/2p5/3p4/8/8/3Q4/8/4K3 w - - 0 1"));
        assert!(!quiet("4k3/8/3p4/8/8/3Q4/8/4K3 w - - 0 1"));
        assert!(quiet("4k3/8/3p4/8/8/3Q4/8/4K3 b - - 0 1"));
    }

    #[test]
    fn what_is_packed_is_unpacked() {
        for fen in
            ["rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 0 1", "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N w - - 0 1"]
        {
            let chess = parse(fen).unwrap().chess;
            let record = Record { board: chess.board().clone(), turn: chess.turn(), value: -321 };
            assert_eq!(Record::unpack(&record.pack().unwrap()), Some(record));
        }
    }

    #[test]
    fn other_bytes_are_refused() {
        assert_eq!(Record::unpack(&[0; 31]), None);
        assert_eq!(Record::unpack(&[255; 32]), None);
    }
}
