//! Reading one game: tags, initial position, main line.
//!
//! pgn-reader tokenizes the movetext. It is made to read on where it must not stop, and it gives no sign of what it
//! leaves out, so three things are done around it:
//!
//! - Tags are read by [`Tags`], as pgn-reader ends the tag section at the first quote that nobody escaped, and the
//!   splitter has to see the same tags.
//! - It ends a game at a blank line. Where there is one within the movetext, it is fed a copy without blank lines.
//! - A token that is no SAN it drops silently (and of `Nf3Nc6` it reports `Nc6`), which would shift all later moves.
//!   Therefore the moves it reports are compared, one by one, with the tokens that [`Tokens`] finds in the same bytes.
//!   That costs less than a tenth of the time, needs no second set of rules about what a move is, and it guarantees
//!   that the anchors of a game that was read are the places of its moves.

use crate::anchors::lex::{Kind, Tags, Tokens, san as san_of};
use memchr::{memchr, memchr_iter};
use pgn_reader::{Reader, SanPlus, Visitor};
use shakmaty::fen::Fen;
use shakmaty::san::{San, SanError};
use shakmaty::{CastlingMode, Chess, Color, FromSetup, KnownOutcome, Move, Outcome, Position, PositionError};
use std::io::Read;
use std::ops::ControlFlow;
use thiserror::Error;

/// Characters of a token or tag that are shown in a message.
const SHOWN: usize = 80;

/// Read behind each movetext: pgn-reader ends the game there, and as there are more bytes than it wants to look ahead,
/// it need not shift its buffer and ask for more at every token of the last lines.
static BEHIND: [u8; 512] = [b'\n'; 512];

/// A game that can be replayed.
#[derive(Clone, Debug)]
pub struct Game {
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
    pub fn tag<'a>(&'a self, name: &str) -> Option<&'a str> {
        self.tags.iter().find(|(n, _)| n == name).map(|(_, value)| value.as_str())
    }
}

/// Why a game cannot be replayed. It is then passed on as it is.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum Skip {
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
    pub fn reason(&self) -> &'static str {
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
pub struct GameReader {
    line: MainLine,
    /// Movetext without blank lines.
    copy: Vec<u8>,
}

/// What is read of a movetext.
#[derive(Debug, Default)]
struct MainLine {
    position: Chess,
    /// As written. One more than `moves` if the last is no legal move.
    sans: Vec<San>,
    moves: Vec<Move>,
    outcome: Option<Outcome>,
}

impl Visitor for MainLine {
    type Tags = ();
    type Movetext = ();
    type Output = Result<(), Skip>;

    fn begin_tags(&mut self) -> ControlFlow<Self::Output> {
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, (): ()) -> ControlFlow<Self::Output> {
        ControlFlow::Continue(())
    }

    fn san(&mut self, (): &mut (), SanPlus { san, .. }: SanPlus) -> ControlFlow<Self::Output> {
        self.sans.push(san);
        match san.to_move(&self.position) {
            Ok(m) => {
                self.position.play_unchecked(m);
                self.moves.push(m);
                ControlFlow::Continue(())
            }
            Err(error) => {
                let at = format!("{} {san}", self.number());
                ControlFlow::Break(Err(match error {
                    _ if san == San::Null => Skip::NullMove { at },
                    SanError::IllegalSan => Skip::IllegalMove { at },
                    SanError::AmbiguousSan => Skip::AmbiguousMove { at },
                }))
            }
        }
    }

    fn outcome(&mut self, (): &mut (), outcome: Outcome) -> ControlFlow<Self::Output> {
        self.outcome = Some(outcome);
        ControlFlow::Continue(())
    }

    fn end_game(&mut self, (): ()) -> Self::Output {
        Ok(())
    }
}

impl MainLine {
    fn begin(&mut self, initial: &Chess) {
        self.position = initial.clone();
        self.sans.clear();
        self.moves.clear();
        self.outcome = None;
    }

    /// The number of the move to come, as it is written before it.
    fn number(&self) -> String {
        let dots = if self.position.turn().is_white() { "." } else { "..." };
        format!("{}{dots}", self.position.fullmoves())
    }
}

impl GameReader {
    /// A reader without memory of its own yet.
    pub fn new() -> GameReader {
        GameReader::default()
    }

    /// Reads the game in `bytes`, as the splitter cuts them.
    pub fn read(&mut self, bytes: &[u8]) -> Result<Game, Skip> {
        if memchr(0, bytes).is_some() {
            return Err(Skip::Binary);
        }
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
        self.line.begin(&game.initial);
        let read = self.moves(&bytes[section.end..]);
        self.compare(bytes, section.end, read.is_ok())?;
        read?;
        game.moves.clone_from(&self.line.moves);
        game.outcome = self.line.outcome.map(|outcome| {
            match outcome {
                Outcome::Known(KnownOutcome::Decisive { winner: Color::White }) => "1-0",
                Outcome::Known(KnownOutcome::Decisive { winner: Color::Black }) => "0-1",
                Outcome::Known(KnownOutcome::Draw) => "1/2-1/2",
                Outcome::Unknown => "*",
            }
            .to_owned()
        });
        Ok(game)
    }

    /// Has pgn-reader read the movetext.
    fn moves(&mut self, movetext: &[u8]) -> Result<(), Skip> {
        let movetext = movetext.trim_ascii();
        // Where pgn-reader takes the game to be over. (`[` is garbage here, and to be found by `compare`.)
        let stops = |i: usize| {
            let rest = &movetext[i + 1..];
            rest.starts_with(b"\n") || rest.starts_with(b"\r\n") || rest.starts_with(b"[")
        };
        let mut feeds = memchr_iter(b'\n', movetext).filter(|i| stops(*i)).peekable();
        let movetext = if feeds.peek().is_some() {
            self.copy.clear();
            self.copy.extend_from_slice(movetext);
            // The last line feed of a row remains, so that `;` comments and `%` lines are what they were.
            feeds.for_each(|i| self.copy[i] = b' ');
            &self.copy
        } else {
            movetext
        };
        match Reader::new(movetext.chain(&BEHIND[..])).read_game(&mut self.line) {
            Ok(read) => read.unwrap_or(Ok(())),
            Err(error) => Err(Skip::Unreadable { problem: format!("the movetext has an {error}") }),
        }
    }

    /// Whether the moves that were read are all that stand there: as far as they go, if the game was given up.
    fn compare(&self, bytes: &[u8], movetext: usize, to_the_end: bool) -> Result<(), Skip> {
        let mut sans = self.line.sans.iter();
        let mut read = 0;
        for token in Tokens::from(bytes, movetext) {
            let text = &bytes[token.start..token.end];
            let problem = match token.kind {
                Kind::Move => {
                    let san = sans.next();
                    match (san_of(text), san) {
                        (Some(a), Some(b)) if a == *b => {
                            read += 1;
                            continue;
                        }
                        (Some(_), None) if !to_the_end => return Ok(()),
                        (Some(_), _) => "was not understood",
                        (None, _) => "is neither a move nor anything else that PGN knows",
                    }
                }
                Kind::Unclosed => "begins a comment or variation that does not end",
                _ => continue,
            };
            let text = shown(text);
            return Err(Skip::Unreadable { problem: format!("{text:?}, after {read} moves, {problem}") });
        }
        match sans.next() {
            Some(san) => Err(Skip::Unreadable { problem: format!("{san} was read in a place where no move stands") }),
            None => Ok(()),
        }
    }
}

/// Whether the variant is Chess960; refuses what is not chess.
fn is_chess960(name: &str) -> Result<bool, Skip> {
    let plain: String = name.chars().filter(|c| c.is_alphanumeric()).collect::<String>().to_lowercase();
    match plain.as_str() {
        "" | "standard" | "standardchess" | "chess" | "normal" | "regular" | "orthodox" | "classical" | "classic"
        | "fromposition" => Ok(false),
        "chess960" | "960" | "fischerandom" | "fischerrandom" | "fischerandomchess" | "fischerrandomchess"
        | "fischerandomchess960" | "fischerrandomchess960" | "chess960fischerrandom" | "freestyle"
        | "freestylechess" | "chess9lx" | "frc" | "wildfr" => Ok(true),
        _ => Err(Skip::UnknownVariant { name: shown(name.as_bytes()) }),
    }
}

/// The position of a FEN. Castling rights without a rook and an impossible en passant square are dropped; positions
/// that no game can reach are accepted as long as they can be played on.
fn position(fen: &str, is_960: bool) -> Result<(Chess, CastlingMode), Skip> {
    let bad = |cause: String| Skip::BadFen { fen: shown(fen.as_bytes()), cause };
    let setup = Fen::from_ascii(fen.as_bytes()).map_err(|error| bad(error.to_string()))?.into_setup();
    if setup.pockets.is_some() || setup.remaining_checks.is_some() {
        return Err(bad("it belongs to another variant".to_owned()));
    }
    let mode = if is_960 { CastlingMode::Chess960 } else { CastlingMode::detect(&setup) };
    let chess = Chess::from_setup(setup, mode)
        .or_else(PositionError::ignore_invalid_castling_rights)
        .or_else(PositionError::ignore_invalid_ep_square)
        .or_else(PositionError::ignore_too_much_material)
        .or_else(PositionError::ignore_impossible_check)
        .map_err(|error| bad(error.to_string()))?;
    Ok((chess, mode))
}

fn unescape(value: &[u8]) -> std::borrow::Cow<'_, [u8]> {
    pgn_reader::RawTag(value).decode()
}

fn decode(text: &[u8]) -> String {
    match str::from_utf8(text) {
        Ok(text) => text.to_owned(),
        Err(_) => text.iter().map(|b| char::from(*b)).collect(),
    }
}

/// The beginning of a text, for a message.
fn shown(text: &[u8]) -> String {
    let text = decode(&text[..text.len().min(4 * SHOWN)]);
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

#[cfg(test)]
#[path = "game_tests.rs"]
mod tests;
