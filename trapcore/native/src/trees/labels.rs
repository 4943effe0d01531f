//! Labels: what a move is called inside a measure. The Python twin is `trapcore.trees.chess_game`.
//!
//! A label is a number here. `uci` labels are dense (0 to [`UCI_LABELS`]-1), so that a set of them is a small bit set
//! and a table over them is an array: of the 4,096 pairs of squares only 1,792 lie on a queen's line or a knight's
//! jump, and 44 of those can promote, to four pieces each.

use shakmaty::san::San;
use shakmaty::{CastlingMode, Move, MoveList, Role, Square};

/// Number of `uci` labels without captures.
pub(crate) const UCI_LABELS: usize = 1792 + 44 * 4;
/// Bits that any label fits in, captured piece included.
pub(crate) const LABEL_BITS: u32 = 20;

const CAPTURE_SHIFT_UCI: u32 = 11;
const CAPTURE_SHIFT_SAN: u32 = 17;

/// How moves are named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Naming {
    /// From-square, to-square, promotion.
    Uci,
    /// SAN without `x` and without `+` and `#`.
    San,
}

/// A naming, and whether the captured piece belongs to the name (what the paper's section 4 calls recording
/// irreversible moves).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Labels {
    pub naming: Naming,
    pub captures: bool,
}

/// No label: the squares are joined by no move.
const NONE: u16 = u16::MAX;

struct Table {
    pair: [u16; 4096],
    promotion: [u16; 4096],
}

/// Square pairs in the order from * 64 + to; then promotions in the same order, N B R Q. The order is part of the
/// stored fingerprints: it must not change without a new fingerprint version. Made by the compiler, because a million
/// moves a second are looked up in it.
static TABLE: Table = table();

const fn table() -> Table {
    let mut table = Table { pair: [NONE; 4096], promotion: [NONE; 4096] };
    let mut next = 0;
    let mut squares = 0;
    while squares < 4096 {
        let (right, up) = offset(squares);
        let line = right == 0 || up == 0 || right == up;
        if (line && right + up > 0) || (right == 1 && up == 2) || (right == 2 && up == 1) {
            table.pair[squares] = next;
            next += 1;
        }
        squares += 1;
    }
    squares = 0;
    while squares < 4096 {
        let (right, _) = offset(squares);
        let (from_rank, to_rank) = (squares >> 9, squares >> 3 & 7);
        if right <= 1 && ((from_rank == 6 && to_rank == 7) || (from_rank == 1 && to_rank == 0)) {
            table.promotion[squares] = next;
            next += 4;
        }
        squares += 1;
    }
    assert!(next as usize == UCI_LABELS);
    table
}

/// Files and ranks between the squares of a pair.
const fn offset(squares: usize) -> (usize, usize) {
    let (from, to) = (squares >> 6, squares & 63);
    ((from & 7).abs_diff(to & 7), (from >> 3).abs_diff(to >> 3))
}

fn index(from: Square, to: Square) -> usize {
    usize::from(from) << 6 | usize::from(to)
}

/// The dense label of a move, 0 to [`UCI_LABELS`]-1. Castling is the king's own step in standard chess and king takes
/// rook in Chess960, as UCI writes it.
#[inline]
pub(crate) fn uci_label(m: Move, mode: CastlingMode) -> u16 {
    match m {
        Move::Normal { from, to, promotion: None, .. } | Move::EnPassant { from, to } => TABLE.pair[index(from, to)],
        Move::Normal { from, to, promotion: Some(role), .. } => {
            TABLE.promotion[index(from, to)] + role as u16 - Role::Knight as u16
        }
        _ => {
            let (from, to) = squares(m, mode);
            TABLE.pair[index(from, to)]
        }
    }
}

/// From and to as UCI writes them.
pub(crate) fn squares(m: Move, mode: CastlingMode) -> (Square, Square) {
    match m {
        Move::Castle { king, rook } if mode == CastlingMode::Standard => {
            let file = if rook > king { shakmaty::File::G } else { shakmaty::File::C };
            (king, Square::from_coords(file, king.rank()))
        }
        Move::Castle { king, rook } => (king, rook),
        _ => (m.from().unwrap_or(m.to()), m.to()),
    }
}

/// A number in the alphabetical order of the texts of `uci` labels.
pub(crate) fn spelling_order(m: Move, mode: CastlingMode) -> u32 {
    let (from, to) = squares(m, mode);
    let spelled = |square: Square| square.file() as u32 * 8 + square.rank() as u32;
    let promotion = m.promotion().map_or(0, |role| role.char() as u32);
    spelled(from) << 13 | spelled(to) << 7 | promotion
}

fn san_label(m: Move, moves: &MoveList) -> u32 {
    match San::disambiguate(m, moves) {
        San::Normal { role, file, rank, to, promotion, .. } => {
            // Ten names of the moving piece (six pieces, four promotions), to-square, and 9 * 9 disambiguations.
            let piece = promotion.map_or(role as u32 - 1, |p| 6 + p as u32 - Role::Knight as u32);
            let origin = file.map_or(0, |f| f as u32 + 1) * 9 + rank.map_or(0, |r| r as u32 + 1);
            piece << 13 | u32::from(to) << 7 | origin
        }
        San::Castle(side) => (10 + side.is_king_side() as u32) << 13,
        San::Put { .. } | San::Null => unreachable!("chess has neither drops nor null moves"),
    }
}

impl Labels {
    /// The label of `m`, one of the legal `moves`; below 1 << [`LABEL_BITS`].
    pub(crate) fn of(self, m: Move, moves: &MoveList, mode: CastlingMode) -> u32 {
        let (name, shift) = match self.naming {
            Naming::Uci => (u32::from(uci_label(m, mode)), CAPTURE_SHIFT_UCI),
            Naming::San => (san_label(m, moves), CAPTURE_SHIFT_SAN),
        };
        let captured = if self.captures { m.capture().map_or(0, |role| role as u32) } else { 0 };
        name | captured << shift
    }

    /// A number that all moves of one label share, cheaper than the label: only SAN has to know the other moves.
    pub(crate) fn sieve(self, m: Move, mode: CastlingMode) -> u32 {
        match self.naming {
            Naming::Uci => u32::from(uci_label(m, mode)),
            // Castling is written without squares: either side's, from wherever the king stands, is the same label.
            Naming::San if m.is_castle() => 0,
            Naming::San => m.promotion().unwrap_or(m.role()) as u32 * 64 + u32::from(squares(m, mode).1),
        }
    }

    /// The label as text, as the Python definition writes it.
    pub(crate) fn text(self, m: Move, moves: &MoveList, mode: CastlingMode) -> String {
        let mut text = match self.naming {
            Naming::Uci => m.to_uci(mode).to_string(),
            Naming::San => San::disambiguate(m, moves).to_string().replace('x', ""),
        };
        if let (true, Some(role)) = (self.captures, m.capture()) {
            text.push('x');
            text.push(role.upper_char());
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use shakmaty::{Chess, Position};
    use std::collections::HashMap;

    #[test]
    fn labels_and_texts_name_the_same_moves() {
        let fens = [
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq -",
            "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
            "4k3/8/8/1N3N2/8/8/1N3N2/4K3 w - -",
        ];
        for naming in [Naming::Uci, Naming::San] {
            for captures in [false, true] {
                let labels = Labels { naming, captures };
                let mut seen: HashMap<u32, String> = HashMap::new();
                for fen in fens {
                    let s = crate::chess::position::parse(fen).unwrap();
                    let moves = s.chess.legal_moves();
                    for &m in &moves {
                        let id = labels.of(m, &moves, s.mode);
                        let text = labels.text(m, &moves, s.mode);
                        assert!(id < 1 << LABEL_BITS);
                        assert_eq!(seen.entry(id).or_insert_with(|| text.clone()), &text);
                    }
                }
                let distinct: std::collections::HashSet<_> = seen.values().collect();
                assert_eq!(distinct.len(), seen.len(), "two labels share a text");
            }
        }
    }

    #[test]
    fn spelling_order_is_alphabetical() {
        for fen in
            ["r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq -", "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - -"]
        {
            for mode in [CastlingMode::Standard, CastlingMode::Chess960] {
                let chess = crate::chess::position::parse(fen).unwrap().chess;
                let mut by_order = chess.legal_moves();
                by_order.sort_by_key(|&m| spelling_order(m, mode));
                let texts: Vec<String> = by_order.iter().map(|m| m.to_uci(mode).to_string()).collect();
                assert!(texts.is_sorted(), "{texts:?}");
            }
        }
    }

    #[test]
    fn castling_is_written_as_uci_does() {
        let s = crate::chess::position::parse("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1").unwrap();
        let castles: Vec<_> = s.chess.legal_moves().into_iter().filter(|m| m.is_castle()).collect();
        assert_eq!(castles.len(), 2);
        for m in castles {
            let (_, to) = squares(m, CastlingMode::Standard);
            assert!(to == Square::G1 || to == Square::C1);
            let (_, to) = squares(m, CastlingMode::Chess960);
            assert!(to == Square::H1 || to == Square::A1);
        }
        assert!(Chess::default().legal_moves().iter().all(|m| (uci_label(*m, s.mode) as usize) < UCI_LABELS));
    }
}
