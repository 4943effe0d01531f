//! Reading one game: tags, initial position, main line.
//!
//! The moves are those of [`Tokens`], parsed and played by shakmaty. The reader of pgn-reader, which parses moves with
//! the same functions, is what the tests compare with and not what reads here: it drops a token that is no SAN without
//! a sign (and of `Nf3Nc6` it reports `Nc6`), so that all later moves would shift; it ends a game at a blank line, and
//! the tags at a quote that nobody escaped; and it sets up a buffer of 16 KiB for each slice. To make sure of what it
//! read, the tokens had to be gone through as well, and both together take half again as long as this does. Read from
//! the tokens, every move stands where its anchor is.

use std::collections::BTreeMap;

use crate::chess::position::playable;
use crate::pgn::lexer::{Kind, Tags, Tokens, san as san_of};
use memchr::memchr;
use shakmaty::fen::Fen;
use shakmaty::san::{San, SanError};
use shakmaty::{CastlingMode, CastlingSide, Chess, File, Move, Position, Rank, Role, Square};
use std::borrow::Cow;
use thiserror::Error;

/// Characters of a token or tag that are shown in a message.
const SHOWN: usize = 80;

/// A game that can be replayed.
#[derive(Clone, Debug)]
pub(crate) struct Game {
    /// Name and value in the order of the file, escapes resolved. Text that is not UTF-8 is read as Latin-1.
    pub tags: Vec<(String, String)>,
    /// The position before the first move.
    pub initial: Chess,
    /// The FEN as it stands in the tags; `None` where the game begins as games do.
    pub start_fen: Option<String>,
    /// How castling is meant in this game.
    pub mode: CastlingMode,
    /// The main line. All moves are legal.
    pub moves: Vec<Move>,
    /// The last result in the movetext: `1-0`, `0-1`, `1/2-1/2` or `*`. The tag may say something else.
    pub outcome: Option<String>,
}

impl Game {
    /// The value of the first tag of that name.
    pub(crate) fn tag<'a>(&'a self, name: &str) -> Option<&'a str> {
        self.tags.iter().find(|(n, _)| n == name).map(|(_, value)| value.as_str())
    }

    /// Tags by name; of a repeated tag the first.
    pub(crate) fn tag_map(&self) -> BTreeMap<String, String> {
        let mut out = BTreeMap::new();
        for (name, value) in &self.tags {
            out.entry(name.clone()).or_insert_with(|| value.clone());
        }
        out
    }

    /// `1-0`, `0-1`, `1/2-1/2` or `*`: by the tag, and where that names no result by the movetext.
    pub(crate) fn result(&self) -> &str {
        let is_result = |text: &&str| ["1-0", "0-1", "1/2-1/2"].contains(text);
        self.tag("Result").filter(is_result).or(self.outcome.as_deref()).unwrap_or("*")
    }
}

/// Why a game cannot be replayed. It is then passed on as it is.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub(crate) enum Skip {
    /// Never by [`GameReader::read`]: for who cuts the games.
    #[error("the game is larger than {limit} bytes")]
    Oversized { limit: usize },
    #[error("the text has NUL bytes, so it is no PGN, or not in an encoding that contains ASCII")]
    Binary,
    #[error("the variant {name:?} is not chess as trapline knows it")]
    UnknownVariant { name: String },
    #[error("the FEN {fen:?} cannot be played from: {cause}")]
    BadFen { fen: String, cause: String },
    #[error("{at} is not legal")]
    IllegalMove { at: String },
    #[error("{at} can be more than one move")]
    AmbiguousMove { at: String },
    #[error("{at} is a null move")]
    NullMove { at: String },
    #[error("{problem}")]
    Unreadable { problem: String },
}

impl Skip {
    /// A stable name of the reason, to count by.
    pub(crate) fn reason(&self) -> &'static str {
        match self {
            Skip::Oversized { .. } => "oversized",
            Skip::Binary => "binary",
            Skip::UnknownVariant { .. } => "unknown-variant",
            Skip::BadFen { .. } => "bad-fen",
            Skip::IllegalMove { .. } => "illegal-move",
            Skip::AmbiguousMove { .. } => "ambiguous-move",
            Skip::NullMove { .. } => "null-move",
            Skip::Unreadable { .. } => "unreadable",
        }
    }
}

/// Reads games one after the other, with memory that is used again.
#[derive(Debug, Default)]
pub(crate) struct GameReader {
    moves: Vec<Move>,
}

impl GameReader {
    /// A reader without memory of its own yet.
    pub(crate) fn new() -> GameReader {
        GameReader::default()
    }

    /// Reads the game in `bytes`, as the splitter cuts them.
    pub(crate) fn read(&mut self, bytes: &[u8]) -> Result<Game, Skip> {
        let mut section = Tags::new(bytes);
        let mut tags = Vec::with_capacity(24);
        for tag in section.by_ref() {
            tags.push((decode(tag.name), decode(&unescape(tag.value))));
        }
        let mut game = Game {
            tags,
            initial: Chess::default(),
            start_fen: None,
            mode: CastlingMode::Standard,
            moves: Vec::new(),
            outcome: None,
        };
        let is_960 = is_chess960(game.tag("Variant").unwrap_or_default())?;
        if is_960 {
            game.mode = CastlingMode::Chess960;
        }
        if let Some(fen) = game.tag("FEN").map(str::trim).filter(|fen| !fen.is_empty()) {
            let fen = fen.to_owned();
            (game.initial, game.mode) = position(&fen, is_960)?;
            game.start_fen = (game.initial != Chess::default()).then_some(fen);
        }
        let result = self.replay(bytes, section.end, game.initial.clone()).map_err(|skip| match skip {
            Skip::Unreadable { .. } if memchr(0, bytes).is_some() => Skip::Binary,
            skip => skip,
        })?;
        game.outcome = result.map(outcome).map(str::to_owned);
        game.moves = self.moves.clone();
        Ok(game)
    }

    /// Plays the main line. Gives the last result in it, as written.
    fn replay<'a>(&mut self, bytes: &'a [u8], movetext: usize, mut chess: Chess) -> Result<Option<&'a [u8]>, Skip> {
        self.moves.clear();
        let mut result = None;
        for token in Tokens::from(bytes, movetext) {
            let text = &bytes[token.start..token.end];
            match token.kind {
                Kind::Move => {
                    let m = match san_of(text).map(|san| san.to_move(&chess)) {
                        Some(Ok(m)) => m,
                        strictly => match loosely(text, &chess) {
                            Some(Ok(m)) => m,
                            loosely => return Err(refused(&chess, text, strictly.or(loosely).and_then(Result::err))),
                        },
                    };
                    chess.play_unchecked(m);
                    self.moves.push(m);
                }
                Kind::Result => result = Some(text),
                Kind::Unclosed => return Err(unreadable(&chess, text, "begins what is never closed")),
                _ => {}
            }
        }
        Ok(result)
    }
}

/// The move of a token that is no legal SAN, as python-chess would read it: a sign of capture may be missing or too
/// much, there may be a hyphen (`Ng1-f3`), both squares stand for whatever piece is there (`g1f3`, `e1g1`), the `=` of
/// a promotion is not needed (`e8Q`), any number of `+` and `#` may follow; castling may be `o-o`. `None` if it is not
/// of such a form either.
#[cold]
fn loosely(token: &[u8], chess: &Chess) -> Option<Result<Move, SanError>> {
    let rest = &token[..token.iter().rposition(|b| !matches!(b, b'+' | b'#'))? + 1];
    match rest {
        b"o-o" => return Some(San::Castle(CastlingSide::KingSide).to_move(chess)),
        b"o-o-o" => return Some(San::Castle(CastlingSide::QueenSide).to_move(chess)),
        _ => {}
    }
    let (role, rest) = match rest {
        [letter @ (b'N' | b'B' | b'R' | b'Q' | b'K'), rest @ ..] => (Role::from_char((*letter).into()), rest),
        _ => (None, rest),
    };
    let (promotion, rest) = match rest {
        [.., letter] if letter.is_ascii_alphabetic() => {
            let rest = &rest[..rest.len() - 1];
            (Some(Role::from_char((*letter).into())?), rest.strip_suffix(b"=").unwrap_or(rest))
        }
        _ => (None, rest),
    };
    let (from, to) = rest.split_at_checked(rest.len().checked_sub(2)?)?;
    let to = Square::from_ascii(to).ok()?;
    let from = from.strip_suffix(b"x").or_else(|| from.strip_suffix(b"-")).unwrap_or(from);
    let (file, rank) = match *from {
        [] => (None, None),
        [one] => (File::from_char(one.into()), Rank::from_char(one.into())),
        [file, rank] => (Some(File::from_char(file.into())?), Some(Rank::from_char(rank.into())?)),
        _ => return None,
    };
    if !from.is_empty() && file.is_none() && rank.is_none() {
        return None;
    }
    let whole = role.is_none() && file.is_some() && rank.is_some();
    let mut legal = chess.legal_moves();
    legal.retain(|m| {
        let Some(origin) = m.from() else { return false };
        let goes = match m.castling_side() {
            Some(side) => to == Square::from_coords(side.king_to_file(), origin.rank()) || (whole && to == m.to()),
            None => to == m.to(),
        };
        let is_meant = match role {
            Some(role) => role == m.role(),
            None => whole || (m.role() == Role::Pawn && (file.is_some() || origin.file() == to.file())),
        };
        goes && is_meant
            && m.promotion() == promotion
            && file.is_none_or(|file| file == origin.file())
            && rank.is_none_or(|rank| rank == origin.rank())
    });
    Some(match legal.as_slice() {
        [m] => Ok(*m),
        [] => Err(SanError::IllegalSan),
        _ => Err(SanError::AmbiguousSan),
    })
}

#[cold]
fn refused(chess: &Chess, text: &[u8], error: Option<SanError>) -> Skip {
    let at = format!("{} {}", number(chess), shown(text));
    match error {
        Some(_) if san_of(text) == Some(San::Null) => Skip::NullMove { at },
        Some(SanError::IllegalSan) => Skip::IllegalMove { at },
        Some(SanError::AmbiguousSan) => Skip::AmbiguousMove { at },
        None => unreadable(chess, text, "is neither a move nor anything else that PGN knows"),
    }
}

#[cold]
fn unreadable(chess: &Chess, text: &[u8], problem: &str) -> Skip {
    Skip::Unreadable {
        problem: format!("in the place of {} there is {:?}, which {problem}", number(chess), shown(text)),
    }
}

/// The number of the move to come, as it is written before it.
fn number(chess: &Chess) -> String {
    format!("{}{}", chess.fullmoves(), if chess.turn().is_white() { "." } else { "..." })
}

/// A result in its usual spelling.
fn outcome(text: &[u8]) -> &'static str {
    match text {
        b"*" => "*",
        [b'1', b'/', ..] | [0xc2, ..] => "1/2-1/2",
        [b'1', ..] => "1-0",
        _ => "0-1",
    }
}

/// Whether the variant is Chess960; refuses what is not chess.
fn is_chess960(name: &str) -> Result<bool, Skip> {
    let plain: String = name.chars().filter(|c| c.is_alphanumeric()).collect::<String>().to_lowercase();
    match plain.as_str() {
        "" | "standard" | "standardchess" | "chess" | "normal" | "regular" | "orthodox" | "classical" | "classic"
        | "fromposition" => Ok(false),
        "chess960"
        | "960"
        | "fischerandom"
        | "fischerrandom"
        | "fischerandomchess"
        | "fischerrandomchess"
        | "fischerandomchess960"
        | "fischerrandomchess960"
        | "chess960fischerrandom"
        | "freestyle"
        | "freestylechess"
        | "chess9lx"
        | "frc"
        | "wildfr" => Ok(true),
        _ => Err(Skip::UnknownVariant { name: shown(name.as_bytes()) }),
    }
}

/// The position of a FEN, as leniently read as [`playable`] allows.
fn position(fen: &str, is_960: bool) -> Result<(Chess, CastlingMode), Skip> {
    let bad = |cause: String| Skip::BadFen { fen: shown(fen.as_bytes()), cause };
    let setup = Fen::from_ascii(fen.as_bytes()).map_err(|error| bad(error.to_string()))?.into_setup();
    if setup.pockets.is_some() || setup.remaining_checks.is_some() {
        return Err(bad("it belongs to another variant".to_owned()));
    }
    let mode = if is_960 { CastlingMode::Chess960 } else { CastlingMode::detect(&setup) };
    let chess = playable(setup, mode).map_err(bad)?;
    Ok((chess, mode))
}

/// Resolves `\"` and `\\`. Other backslashes are themselves.
fn unescape(value: &[u8]) -> Cow<'_, [u8]> {
    if memchr(b'\\', value).is_none() {
        return Cow::Borrowed(value);
    }
    let mut plain = Vec::with_capacity(value.len());
    let mut rest = value;
    while let [first, tail @ ..] = rest {
        rest = tail;
        match tail {
            [escaped @ (b'"' | b'\\'), after @ ..] if *first == b'\\' => {
                plain.push(*escaped);
                rest = after;
            }
            _ => plain.push(*first),
        }
    }
    Cow::Owned(plain)
}

fn decode(text: &[u8]) -> String {
    match str::from_utf8(text) {
        Ok(text) => text.to_owned(),
        Err(_) => text.iter().map(|b| char::from(*b)).collect(),
    }
}

/// The beginning of a text, for a message.
fn shown(text: &[u8]) -> String {
    let cut = &text[..text.len().min(4 * SHOWN)];
    let text = match str::from_utf8(cut) {
        // The cut went through a character.
        Err(error) if error.error_len().is_none() && cut.len() < text.len() => decode(&cut[..error.valid_up_to()]),
        _ => decode(cut),
    };
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

#[cfg(test)]
#[path = "reader_tests.rs"]
mod tests;
