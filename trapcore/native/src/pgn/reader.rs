//! Reading one game: tags, initial position, main line.
//!
//! One bad token costs that token, and one bad move costs what follows it: the moves before it are those of the game,
//! and a [`Note`] says what was left out. A word that no move needs is ignored. If a move number shows that such a word
//! was a move, the game ends before it, so that no later move is read in the wrong position.
//!
//! The moves are those of [`Tokens`], parsed and played by shakmaty. The reader of pgn-reader, which parses moves with
//! the same functions, is what the tests compare with and not what reads here: it drops a token that is no SAN without
//! a sign (and of `Nf3Nc6` it reports `Nc6`), it ends a game at a blank line, and the tags at a quote that nobody
//! escaped. Read from the tokens, every move stands where its anchor is.

use std::collections::BTreeMap;

use crate::chess::position::{BadPosition, parse_variant, plain_fen};
use crate::pgn::lexer::{Kind, Token, Tokens};
use crate::pgn::spelling::{Word, word};
use crate::pgn::tags::{Tags, decode, tag_name, tag_value};
use memchr::memchr;
use shakmaty::san::SanError;
use shakmaty::{CastlingMode, Chess, Move, Position};
use std::borrow::Cow;
use std::ops::Range;
use thiserror::Error;

/// Characters of a token or tag that are shown in a message.
const SHOWN: usize = 80;

/// Half-moves of a game that are read. The longest game of a tournament has 538; programs have played 1,200.
pub(crate) const MOST_PLIES: usize = 2000;

/// The moves of a game as they lie in its bytes.
#[derive(Clone, Debug, Default)]
pub(crate) struct MainLine {
    /// Where each move stands.
    pub moves: Vec<Range<usize>>,
    /// Where reading ended: nothing behind it belongs to a move.
    pub end: usize,
}

/// Something that was left out of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Note {
    /// Moves before it, from 0.
    pub ply: usize,
    /// The number of the move in whose place it stands.
    pub number: u32,
    /// A stable name, to count by.
    pub reason: &'static str,
    /// A sentence that follows `Game 3, move 14: `.
    pub detail: String,
}

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
    /// Where the moves stand.
    pub text: MainLine,
    /// What was left out.
    pub notes: Vec<Note>,
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
    /// Never by [`GameReader::read`]: for the code that cuts the games.
    #[error("the game is larger than {limit} bytes")]
    Oversized { limit: usize },
    #[error("the text has NUL bytes, so it is no PGN, or not in an encoding that contains ASCII")]
    Binary,
    #[error("the variant {name:?} is not chess as trapline knows it")]
    UnknownVariant { name: String },
    #[error("the FEN {fen:?} cannot be played from: {cause}")]
    BadFen { fen: String, cause: String },
    #[error("there is no game in this text: it has neither tags nor moves")]
    NoGame,
}

impl Skip {
    /// A stable name of the reason, to count by.
    pub(crate) fn reason(&self) -> &'static str {
        match self {
            Skip::Oversized { .. } => "oversized",
            Skip::Binary => "binary",
            Skip::UnknownVariant { .. } => "unknown-variant",
            Skip::BadFen { .. } => "bad-fen",
            Skip::NoGame => "no-game",
        }
    }
}

/// Reads games one after the other.
#[derive(Debug, Default)]
pub(crate) struct GameReader;

impl GameReader {
    pub(crate) fn new() -> GameReader {
        GameReader
    }

    /// Reads the game in `bytes`, as the splitter cuts them.
    pub(crate) fn read(&self, bytes: &[u8]) -> Result<Game, Skip> {
        let mut section = Tags::new(bytes);
        let mut tags = Vec::with_capacity(24);
        for tag in section.by_ref() {
            tags.push((tag_name(tag.name), tag_value(tag.value)));
        }
        let mut game = Game {
            tags,
            initial: Chess::default(),
            start_fen: None,
            mode: CastlingMode::Standard,
            moves: Vec::new(),
            text: MainLine::default(),
            notes: Vec::new(),
            outcome: None,
        };
        let is_960 = is_chess960(game.tag("Variant").unwrap_or_default())?;
        if is_960 {
            game.mode = CastlingMode::Chess960;
        }
        if let Some(fen) = game.tag("FEN").map(str::trim).filter(|fen| !fen.is_empty()) {
            let fen = fen.to_owned();
            (game.initial, game.mode) = position(&fen, is_960)?;
            game.start_fen = (game.initial != Chess::default()).then(|| plain_fen(&fen));
        }
        let replay = Replay::of(bytes, section.end, &game);
        if game.tags.is_empty() && replay.is_no_game() {
            return Err(if memchr(0, bytes).is_some() { Skip::Binary } else { Skip::NoGame });
        }
        game.outcome = replay.result.as_deref().map(|text| outcome(text).to_owned());
        (game.moves, game.text, game.notes) = (replay.moves, replay.text, replay.notes);
        Ok(game)
    }
}

/// The main line while it is played.
struct Replay<'a> {
    bytes: &'a [u8],
    chess: Chess,
    moves: Vec<Move>,
    text: MainLine,
    notes: Vec<Note>,
    /// The last result, as written.
    result: Option<Cow<'a, [u8]>>,
    /// Nothing is played any more.
    ended: bool,
    numbers: usize,
    /// How much the numbers of moves are ahead of those by the position.
    ahead: Option<i64>,
    ignored: Ignored,
}

/// Words and signs that were ignored.
#[derive(Default)]
struct Ignored {
    words: usize,
    first: Option<Note>,
    /// One since the last move number, which may have been a move: where it stands, and the game before it.
    suspect: Option<(Token, Chess, usize)>,
}

impl<'a> Replay<'a> {
    fn of(bytes: &'a [u8], movetext: usize, game: &Game) -> Replay<'a> {
        let mut replay = Replay {
            bytes,
            chess: game.initial.clone(),
            moves: Vec::new(),
            text: MainLine { moves: Vec::new(), end: bytes.len() },
            notes: Vec::new(),
            result: None,
            ended: false,
            numbers: 0,
            ahead: None,
            ignored: Ignored::default(),
        };
        let forfeited = game.tag("Result") == Some("0-0");
        let mut tokens = Tokens::from(bytes, movetext);
        while let Some(token) = tokens.next() {
            match token.kind {
                Kind::Move => {
                    let played = replay.word(token, forfeited);
                    if let Some(end) = played {
                        tokens.resume(end);
                    }
                }
                Kind::Number => replay.number(token),
                Kind::Result => replay.result = Some(Cow::Borrowed(&bytes[token.start..token.end])),
                Kind::Other => replay.ignore(token, false),
                Kind::Unclosed => {
                    let what = if bytes[token.start] == b'{' { "comment" } else { "variation" };
                    replay.end(token, "unclosed", format!("a {what} begins here and is never closed"));
                }
                _ => {}
            }
        }
        if let Some(first) = replay.ignored.first.take() {
            let more = match replay.ignored.words - 1 {
                0 => " is no move and was ignored".to_owned(),
                1 => " and 1 more word are no moves and were ignored".to_owned(),
                more => format!(" and {more} more words are no moves and were ignored"),
            };
            replay.notes.insert(0, Note { detail: first.detail + &more, ..first });
        }
        replay
    }

    /// Without tags, a text is no game if it has neither a move nor a number before one that cannot be played, or more
    /// words than moves and no move number.
    fn is_no_game(&self) -> bool {
        let words = self.ignored.words > self.moves.len();
        if memchr(0, self.bytes).is_some() {
            return words || (self.moves.is_empty() && self.result.is_none());
        }
        let refused = self.numbers > 0 && !self.notes.is_empty();
        (self.moves.is_empty() && ((self.result.is_none() && !refused) || words)) || (words && self.numbers == 0)
    }

    /// Plays a word, and gives where it ended as far as it is a move.
    fn word(&mut self, token: Token, forfeited: bool) -> Option<usize> {
        let text = &self.bytes[token.start..token.end];
        let zeros = text == b"0-0";
        if zeros && (self.ended || (forfeited && self.is_last(token))) {
            self.result = Some(Cow::Borrowed(text));
            return None;
        }
        if self.ended {
            return None;
        }
        match word(text, &self.chess) {
            Word::Move(m, length) if self.moves.len() < MOST_PLIES => {
                self.chess.play_unchecked(m);
                self.moves.push(m);
                self.text.moves.push(token.start..token.start + length);
                return Some(token.start + length);
            }
            Word::Move(..) => {
                let detail = format!("a game is read to its {MOST_PLIES}th half-move, and this one goes on");
                self.end(token, "too-long", detail);
            }
            Word::Refused(..) if zeros && self.is_last(token) => self.result = Some(Cow::Borrowed(text)),
            // Words behind the result.
            Word::Refused(..) | Word::Foreign | Word::Null if self.result.is_some() => self.ignore(token, false),
            Word::Refused(written, error) => {
                let text = shown(text);
                let (reason, detail) = match error {
                    SanError::AmbiguousSan => ("ambiguous-move", format!("{text} can be more than one move")),
                    SanError::IllegalSan => {
                        let why = written.obstacle(&self.chess).map_or_else(String::new, |why| format!(" ({why})"));
                        ("illegal-move", format!("{text} is not legal{why}"))
                    }
                };
                self.end(token, reason, detail);
            }
            Word::Null => self.end(token, "null-move", format!("{} is a null move", shown(text))),
            Word::Foreign => {
                let detail = format!("{:?} is a move in a notation that trapline does not know", shown(text));
                self.end(token, "unreadable", detail);
            }
            Word::Noise => self.ignore(token, true),
        }
        None
    }

    fn is_last(&self, token: Token) -> bool {
        Tokens::from(self.bytes, token.end).all(|token| !matches!(token.kind, Kind::Move | Kind::Number))
    }

    /// Compares a move number with the position: if it runs ahead, a word before it was a move.
    fn number(&mut self, token: Token) {
        let text = &self.bytes[token.start..token.end];
        let digits = text.iter().take_while(|b| b.is_ascii_digit()).count();
        let number = str::from_utf8(&text[..digits]).ok().and_then(|digits| digits.parse::<i64>().ok());
        let Some(number) = number.filter(|_| digits < text.len() && text[0] != b'0' && !self.ended) else { return };
        self.numbers += 1;
        if text.ends_with(b"..") {
            // Not compared: trapline adds such numbers, and what it adds must not change what is read.
            return;
        }
        let ahead = number - i64::from(self.chess.fullmoves().get());
        let suspect = self.ignored.suspect.take();
        if let (Some(before), Some((token, chess, plies))) = (self.ahead, suspect)
            && before < ahead
        {
            self.chess = chess;
            self.moves.truncate(plies);
            self.text.moves.truncate(plies);
            let word = shown(&self.bytes[token.start..token.end]);
            self.end(token, "unreadable", format!("{word:?} stands for a move that trapline cannot read"));
            return;
        }
        self.ahead = Some(ahead);
    }

    fn ignore(&mut self, token: Token, may_be_move: bool) {
        if self.ended {
            return;
        }
        let text = &self.bytes[token.start..token.end];
        self.ignored.words += 1;
        if self.ignored.first.is_none() {
            self.ignored.first = Some(self.note("ignored-text", format!("{:?}", shown(text))));
        }
        if may_be_move && self.ignored.suspect.is_none() && self.result.is_none() {
            self.ignored.suspect = Some((token, self.chess.clone(), self.moves.len()));
        }
    }

    /// Ends the moves before `token`.
    fn end(&mut self, token: Token, reason: &'static str, detail: String) {
        if self.ended {
            return;
        }
        let note = self.note(reason, detail + ". The game is read up to there");
        self.notes.push(note);
        self.ended = true;
        self.text.end = token.start;
    }

    fn note(&self, reason: &'static str, detail: String) -> Note {
        Note { ply: self.moves.len(), number: self.chess.fullmoves().get(), reason, detail }
    }
}

/// A result in its usual spelling.
fn outcome(text: &[u8]) -> &'static str {
    match text {
        // A double forfeit has neither a winner nor half a point.
        b"*" | b"0-0" => "*",
        [b'1', b'/', ..] | [b'0', b'.', ..] | [0xc2, ..] => "1/2-1/2",
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

/// The position of a FEN, as every reader of FENs takes it.
fn position(fen: &str, is_960: bool) -> Result<(Chess, CastlingMode), Skip> {
    let bad = |error: BadPosition| Skip::BadFen { fen: shown(fen.as_bytes()), cause: error.reason().to_owned() };
    let found = parse_variant(fen, is_960).map_err(bad)?;
    Ok((found.chess, found.mode))
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
