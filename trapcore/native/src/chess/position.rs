//! Positions as text: reading FEN and EPD, the canonical EPD, and the frozen position key.

use blake2::digest::consts::U16;
use blake2::{Blake2b, Digest};
use shakmaty::fen::{Epd, Fen};
use shakmaty::san::SanPlus;
use shakmaty::zobrist::Zobrist128;
use shakmaty::{
    CastlingMode, Chess, Color, EnPassantMode, FromSetup, Move, Position, PositionError, Setup, uci::UciMove,
};
use thiserror::Error;

/// Version of [`position_key`]. A change of the key is a change of every library on disk.
pub(crate) const POSITION_KEY_VERSION: u32 = 1;

/// A position and the way its castling moves are written.
#[derive(Clone, Debug)]
pub struct GamePosition {
    pub chess: Chess,
    pub mode: CastlingMode,
}

/// Text that is no legal chess position.
#[derive(Debug, Error)]
pub enum BadPosition {
    #[error("{reason}: {fen:?}")]
    Syntax { fen: String, reason: String },
    #[error("{reason}: {fen:?}")]
    Illegal { fen: String, reason: String },
    #[error("{uci} is not a legal move in {fen:?}")]
    Move { fen: String, uci: String },
}

impl BadPosition {
    /// The text that was refused.
    pub fn fen(&self) -> &str {
        match self {
            BadPosition::Syntax { fen, .. } | BadPosition::Illegal { fen, .. } | BadPosition::Move { fen, .. } => fen,
        }
    }

    /// What is wrong with it.
    pub(crate) fn reason(&self) -> &str {
        match self {
            BadPosition::Syntax { reason, .. } | BadPosition::Illegal { reason, .. } => reason,
            BadPosition::Move { .. } => "not a legal move",
        }
    }
}

/// Most men of a side.
const MEN: usize = 16;
/// Most queens of a side, with the pawns that may become queens: no move can add to them.
const QUEENS: usize = 9;

/// Castling rights without a rook and an impossible en passant square are dropped, as python-chess and lichess do;
/// other positions that no game can reach are accepted as long as they can be played on (problems have them), but not
/// those with more men or queens than a side can have, which would take a search past all bounds. The error says what
/// is wrong.
pub fn playable(setup: Setup, mode: CastlingMode) -> Result<Chess, String> {
    for color in Color::ALL {
        let own = setup.board.by_color(color);
        if own.count() > MEN {
            return Err(format!("illegal position: {color} has more than {MEN} men"));
        }
        if (own & (setup.board.queens() | setup.board.pawns())).count() > QUEENS {
            return Err(format!("illegal position: {color} has more than {QUEENS} queens and pawns together"));
        }
    }
    Chess::from_setup(setup, mode)
        .or_else(PositionError::ignore_invalid_castling_rights)
        .or_else(PositionError::ignore_invalid_ep_square)
        .or_else(PositionError::ignore_too_much_material)
        .or_else(PositionError::ignore_impossible_check)
        .map_err(|error| error.to_string())
}

/// Whether the text has the form of castling rights: shakmaty takes more than the two of a side and any order, python-chess
/// and the standard (PGN 16.1.3.3) do not.
fn are_castling_rights(text: &str) -> bool {
    let white = text.bytes().take_while(u8::is_ascii_uppercase).count();
    text == "-" || (white <= 2 && text.len() - white <= 2 && !text[white..].bytes().any(|b| b.is_ascii_uppercase()))
}

/// The fields of a FEN as people hand it on: also from the address of a board on lichess, with underscores for spaces,
/// or without the castling rights, which are none then. What is no FEN stays none.
pub(crate) fn plain_fen(text: &str) -> String {
    let mut text = text.trim();
    let path = text.split_once("://").map_or(text, |(_, rest)| rest);
    let path = path.strip_prefix("www.").unwrap_or(path);
    let spaced;
    if let Some(path) = path.strip_prefix("lichess.org/") {
        spaced = path.split(['?', '#']).next().unwrap_or_default().replace("%20", " ").replace("%2F", "/");
        text = &spaced;
    }
    let is_gap = |c: char| c.is_whitespace() || c == '_';
    let mut fields: Vec<String> = text.split(is_gap).filter(|field| !field.is_empty()).map(str::to_owned).collect();
    if let Some(board) = fields.first_mut()
        && text.len() < path.len()
    {
        // What lichess puts before the board: `analysis/fromPosition/`.
        let names = |part: &&str| ["editor", "analysis", "standard", "fromPosition", "chess960"].contains(part);
        let parts: Vec<&str> = board.split('/').skip_while(names).collect();
        *board = parts.join("/");
    }
    let is_number = |field: &String| field.bytes().all(|b| b.is_ascii_digit());
    let is_square = |field: &String| matches!(field.as_bytes(), [b'a'..=b'h', b'3' | b'6']);
    let lacks_rights = fields.get(2).is_some_and(is_square)
        || (fields.get(2).is_some_and(|field| field == "-") && fields.len() == 5 && fields[3..].iter().all(is_number))
        || (fields.len() == 4 && fields[2..].iter().all(is_number));
    if lacks_rights {
        fields.insert(2, "-".to_owned());
    }
    if fields.len() > 3 && is_number(&fields[3]) {
        fields.insert(3, "-".to_owned());
    }
    fields.join(" ")
}

/// Reads a FEN, or an EPD without operations, as leniently as [`playable`] allows.
pub fn parse(fen: &str) -> Result<GamePosition, BadPosition> {
    parse_variant(fen, false)
}

/// The same; a Chess960 position may have the castling rights of usual chess, which do not show what it is.
pub(crate) fn parse_variant(fen: &str, chess960: bool) -> Result<GamePosition, BadPosition> {
    let spaced = plain_fen(fen);
    let pieces = spaced.split(' ').next().unwrap_or_default().as_bytes();
    if pieces.windows(2).any(|pair| pair.iter().all(u8::is_ascii_digit)) {
        // shakmaty adds them up, python-chess and the standard (PGN 16.1.3.1) do not know them.
        let reason = "not a FEN: two numbers of empty squares side by side".to_owned();
        return Err(BadPosition::Syntax { fen: fen.to_owned(), reason });
    }
    if spaced.split(' ').nth(2).is_some_and(|rights| !are_castling_rights(rights)) {
        let reason = "not a FEN: castling rights are - or White's, as KQ, and then Black's, as kq".to_owned();
        return Err(BadPosition::Syntax { fen: fen.to_owned(), reason });
    }
    let setup = Fen::from_ascii(spaced.as_bytes())
        .map_err(|e| BadPosition::Syntax { fen: fen.to_owned(), reason: e.to_string() })?
        .into_setup();
    if setup.pockets.is_some() || setup.remaining_checks.is_some() {
        return Err(BadPosition::Illegal {
            fen: fen.to_owned(),
            reason: "illegal position: of another variant".to_owned(),
        });
    }
    let mode = if chess960 { CastlingMode::Chess960 } else { CastlingMode::detect(&setup) };
    let chess = playable(setup, mode).map_err(|reason| BadPosition::Illegal { fen: fen.to_owned(), reason })?;
    Ok(GamePosition { chess, mode })
}

/// The legal move written `uci` in the given position.
pub fn parse_move(position: &GamePosition, uci: &str) -> Result<Move, BadPosition> {
    uci.parse::<UciMove>()
        .ok()
        .and_then(|m| m.to_move(&position.chess).ok())
        .ok_or_else(|| BadPosition::Move { fen: fen(&position.chess), uci: uci.to_owned() })
}

/// A legal line of moves in SAN. `chess` is the position that it begins in.
pub(crate) fn sans(chess: &Chess, line: &[Move]) -> Vec<String> {
    let mut chess = chess.clone();
    line.iter().map(|&m| SanPlus::from_move_and_play_unchecked(&mut chess, m).to_string()).collect()
}

/// The line of moves written `line`, each legal after those before it.
pub(crate) fn parse_line<'a>(
    position: &GamePosition,
    line: impl IntoIterator<Item = &'a str>,
) -> Result<Vec<Move>, BadPosition> {
    let mut position = position.clone();
    let mut moves = Vec::new();
    for uci in line {
        let m = parse_move(&position, uci)?;
        position.chess.play_unchecked(m);
        moves.push(m);
    }
    Ok(moves)
}

/// The FEN with counters.
pub fn fen(chess: &Chess) -> String {
    Fen::from_position(chess, EnPassantMode::Legal).to_string()
}

/// Pieces, side to move, castling rights (X-FEN), and the en passant square only where such a capture is legal.
pub(crate) fn epd(chess: &Chess) -> String {
    Epd::from_position(chess, EnPassantMode::Legal).to_string()
}

/// BLAKE2b with 16 bytes of digest over the ASCII of [`epd`]: slow beside a Zobrist hash (a third of a microsecond),
/// but anyone can recompute it in one line of any language, it does not depend on tables of a library, and it may
/// stand on disk for ever.
pub(crate) fn position_key(chess: &Chess) -> [u8; 16] {
    digest16(&[epd(chess).as_bytes()])
}

/// BLAKE2b-128 of the parts one after the other.
pub(crate) fn digest16(parts: &[&[u8]]) -> [u8; 16] {
    let mut hasher = Blake2b::<U16>::new();
    for part in parts {
        hasher.update(part);
    }
    hasher.finalize().into()
}

/// A fast identity of the position inside one process; never stored.
pub(crate) fn live_key(chess: &Chess) -> u128 {
    chess.zobrist_hash::<Zobrist128>(EnPassantMode::Legal).0
}

/// The same position with colours exchanged and ranks turned over, the other side to move.
pub(crate) fn mirror(position: &GamePosition) -> GamePosition {
    let mut setup = position.chess.to_setup(EnPassantMode::Legal);
    setup.board.flip_vertical();
    setup.board.swap_colors();
    setup.turn = !setup.turn;
    setup.castling_rights = setup.castling_rights.flip_vertical();
    setup.ep_square = setup.ep_square.map(|s| s.flip_vertical());
    let chess = playable(setup, position.mode).expect("a mirrored legal position is legal");
    GamePosition { chess, mode: position.mode }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn epd_drops_an_en_passant_square_that_no_pawn_can_use() {
        let s = parse("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1").unwrap();
        assert_eq!(epd(&s.chess), "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -");
    }

    #[test]
    fn fens_as_people_hand_them_on() {
        let board = "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R";
        let path = format!("{board}_w_KQkq_-_2_3");
        for (text, plain) in [
            (format!("https://lichess.org/editor/{path}?color=white"), format!("{board} w KQkq - 2 3")),
            (format!("lichess.org/analysis/{path}#4"), format!("{board} w KQkq - 2 3")),
            (format!("https://lichess.org/analysis/fromPosition/{path}"), format!("{board} w KQkq - 2 3")),
            (
                format!("https://lichess.org/analysis/standard/{}", path.replace('_', "%20")),
                format!("{board} w KQkq - 2 3"),
            ),
            (format!("  {board}  w\tKQkq - 2 3\n"), format!("{board} w KQkq - 2 3")),
            (format!("{board} w - 2 3"), format!("{board} w - - 2 3")),
            (format!("{board} w 2 3"), format!("{board} w - - 2 3")),
            (format!("{board} b e3 0 3"), format!("{board} b - e3 0 3")),
            (format!("{board} w KQkq 2 3"), format!("{board} w KQkq - 2 3")),
            (format!("{board} w KQkq -"), format!("{board} w KQkq -")),
            (format!("{board} w"), format!("{board} w")),
        ] {
            assert_eq!(plain_fen(&text), plain, "{text}");
            assert!(parse(&text).is_ok(), "{text}");
        }
    }

    #[test]
    fn key_of_the_start_position_is_frozen() {
        let hex: String = position_key(&Chess::default()).iter().map(|b| format!("{b:02x}")).collect();
        let again = digest16(&[b"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -"]);
        assert_eq!(hex, again.iter().map(|b| format!("{b:02x}")).collect::<String>());
    }

    #[test]
    fn mirror_is_an_involution() {
        for fen_text in [
            "r2qkbnr/ppp2ppp/2np4/4N3/2B1P1b1/2N5/PPPP1PPP/R1BQK2R b KQkq - 0 5",
            "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3",
        ] {
            let s = parse(fen_text).unwrap();
            assert_eq!(epd(&mirror(&mirror(&s)).chess), epd(&s.chess));
            assert_eq!(mirror(&s).chess.legal_moves().len(), s.chess.legal_moves().len());
        }
    }

    #[test]
    fn castling_rights_stand_in_their_order() {
        for rights in ["-", "KQkq", "Kq", "k", "HAha"] {
            assert!(parse(&format!("r3k2r/8/8/8/8/8/8/R3K2R w {rights} - 0 1")).is_ok(), "{rights}");
        }
        for rights in ["kQkq", "kqKQ", "KQK", "KQkqk"] {
            assert!(parse(&format!("r3k2r/8/8/8/8/8/8/R3K2R w {rights} - 0 1")).is_err(), "{rights}");
        }
    }

    #[test]
    fn nonsense_is_refused() {
        for text in [
            "",
            "x",
            "8/8/8/8/8/8/8/8 w - - 0 1",
            "4k3/8/8/8/8/8/8/4K2R b K - 0 1 extra words here",
            "kk6/8/8/8/8/8/8/K7 w - -",
            "4k12/8/8/8/8/8/8/4K3 w - - 0 1",
            "qqqqqqqk/qqqqqqqq/8/8/8/8/QQQQQQQQ/KQQQQQQQ w - - 0 1",
            "4k3/8/8/8/8/7P/PPPPPPPP/4KQ2 w - - 0 1",
            "rnbqkbnr/pppppppp/8/8/8/NNNNNNNN/N7/RNBQKBNR w KQkq - 0 1",
            "4k3/8/8/8/8/2NNNNNN/NNNNNNNN/N3K1NN w - - 0 1",
        ] {
            assert!(parse(text).is_err(), "{text:?}");
        }
        assert!(parse("4k3/4R3/8/8/8/8/8/4K3 w - - 0 1").is_err(), "side not to move in check");
    }
}
