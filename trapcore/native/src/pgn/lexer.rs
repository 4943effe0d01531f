//! The tokens of a game as they lie in its bytes. The splitter, the reader and the anchors share one notion of
//! "comment" and "main line", so that they agree about where something stands.
//!
//! Every function here looks at each byte a bounded number of times.

use memchr::{memchr, memchr_iter, memchr2};
use shakmaty::CastlingSide;
use shakmaty::san::{San, SanPlus};

pub(crate) const BOM: &[u8] = b"\xef\xbb\xbf";

/// Hyphens found in results and castling: ASCII, the hyphens and dashes of typography, the minus sign.
pub(crate) const DASHES: [&[u8]; 8] = [
    b"-",
    "\u{2010}".as_bytes(),
    "\u{2011}".as_bytes(),
    "\u{2012}".as_bytes(),
    "–".as_bytes(),
    "—".as_bytes(),
    "\u{2015}".as_bytes(),
    "\u{2212}".as_bytes(),
];

/// Characters without a width: they may stand anywhere in a text that was copied from a page.
pub(crate) const INVISIBLE: [&[u8]; 8] = [
    "\u{ad}".as_bytes(),
    "\u{200b}".as_bytes(),
    "\u{200c}".as_bytes(),
    "\u{200d}".as_bytes(),
    "\u{200e}".as_bytes(),
    "\u{200f}".as_bytes(),
    "\u{2060}".as_bytes(),
    BOM,
];

/// The pieces of figurine notation in the order of Unicode, which has White's from U+2654 and Black's from U+265A.
pub(crate) const FIGURINES: &[u8] = b"KQRBN";

/// The letter of the figurine at the beginning of `bytes`.
pub(crate) fn figurine(bytes: &[u8]) -> Option<u8> {
    match bytes {
        [0xe2, 0x99, third @ 0x94..=0x98, ..] => Some(FIGURINES[usize::from(third - 0x94)]),
        [0xe2, 0x99, third @ 0x9a..=0x9e, ..] => Some(FIGURINES[usize::from(third - 0x9a)]),
        _ => None,
    }
}

/// The length of the space other than ASCII at the beginning of `bytes`: no-break, thin, ideographic.
fn wide_space(bytes: &[u8]) -> Option<usize> {
    match bytes {
        [0xc2, 0xa0 | 0x85, ..] => Some(2),
        [0xe2, 0x80, 0x80..=0x8a | 0xa8 | 0xa9 | 0xaf, ..] | [0xe2, 0x81, 0x9f, ..] | [0xe3, 0x80, 0x80, ..] => Some(3),
        _ => None,
    }
}

/// The length of the character without a width at the beginning of `bytes`.
pub(crate) fn invisible(bytes: &[u8]) -> Option<usize> {
    INVISIBLE.iter().find(|one| bytes.starts_with(one)).map(|one| one.len())
}

/// The length of what is no more than space at the beginning of `bytes`, other than ASCII. In Latin-1 the no-break
/// space is a byte.
fn blank_length(bytes: &[u8]) -> Option<usize> {
    if bytes[0] == 0xa0 { Some(1) } else { wide_space(bytes).or_else(|| invisible(bytes)) }
}

/// Bytes from the beginning of `rest` to the end of its run of letters.
fn run(rest: &[u8]) -> usize {
    let ends = |at: &usize| ENDS[usize::from(rest[*at])] || (rest[*at] >= 0xc2 && wide_space(&rest[*at..]).is_some());
    (1..rest.len()).find(ends).unwrap_or(rest.len())
}

/// Bytes that end a move token: the set of pgn-reader, the comma, and all control characters.
static ENDS: [bool; 256] = {
    let mut table = [false; 256];
    let mut i = 0;
    while i < 256 {
        table[i] = matches!(
            i as u8,
            0..=b' ' | b'{' | b'}' | b'(' | b')' | b'!' | b'?' | b'$' | b';' | b'.' | b',' | b'*' | 0x7f
        );
        i += 1;
    }
    table
};

/// Whether a byte is nothing that PGN is written with: whitespace, a control character, or not ASCII. Between lines
/// such bytes are skipped, be they a byte order mark, the end-of-file mark of DOS or stray.
pub(crate) fn is_blank(byte: u8) -> bool {
    !(0x21..=0x7e).contains(&byte)
}

/// Whether a line is still at its first column after `before` was read.
pub(crate) fn is_first_column(before: &[u8]) -> bool {
    matches!(before.last(), None | Some(b'\n')) || before == BOM
}

/// The length of the comment at the beginning of `bytes`. PGN knows no comment in a comment, so that it ends at the
/// first `}`; but where braces were opened in it, a `}` that nothing else can have opened still belongs to it.
pub(crate) fn comment_length(bytes: &[u8]) -> Option<usize> {
    let mut end = memchr(b'}', bytes)? + 1;
    let mut open = memchr_iter(b'{', &bytes[1..end]).count();
    while open > 0 {
        match memchr2(b'{', b'}', &bytes[end..]) {
            Some(i) if bytes[end + i] == b'}' && !bytes[end..end + i].windows(2).any(|two| two == b"\n\n") => {
                end += i + 1;
                open -= 1;
            }
            _ => break,
        }
    }
    Some(end)
}

/// What a token of the movetext is. A token inside a comment or a variation is not seen by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// What stands where a move can stand. It need not be one: the reader decides.
    Move,
    /// `12.` or `12...`
    Number,
    /// `$6`, or a suffix such as `?!` by its number.
    Nag(u8),
    /// With its braces.
    Comment,
    /// From `;` to the line feed and on over `%` lines. Nothing can be inserted in front of these.
    LineComment,
    /// With its parentheses.
    Variation,
    Result,
    /// `e.p.`
    EnPassant,
    /// `<reserved>`, `+-`, `=`, `±`: nothing that could be a move.
    Other,
    /// A comment or variation that never ends. No token follows.
    Unclosed,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    pub kind: Kind,
    pub start: usize,
    pub end: usize,
}

/// The tokens of the main line.
pub(crate) struct Tokens<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Tokens<'a> {
    /// Goes on at `at`, behind the part of a token that was a move.
    pub(crate) fn resume(&mut self, at: usize) {
        self.at = at;
    }

    /// Of a game whose movetext begins at `at`.
    pub(crate) fn from(game: &'a [u8], at: usize) -> Tokens<'a> {
        let mut tokens = Tokens { bytes: game, at };
        if is_first_column(&game[..at]) {
            tokens.escapes();
        }
        tokens
    }

    /// At the beginning of a line: passes `%` lines, without the line feed of the last.
    fn escapes(&mut self) {
        if self.bytes.get(self.at) == Some(&b'%') {
            self.at = line_feed(self.bytes, self.at).unwrap_or(self.bytes.len());
        }
    }

    /// The length of what begins with a digit, and its kind.
    fn digits(rest: &[u8]) -> (Kind, usize) {
        // Nearly all are move numbers, and have none of these.
        if rest.get(1).is_some_and(|b| matches!(b, b'-' | b'/' | b':' | 0xe2)) || rest.starts_with(b"0.5") {
            if let Some(length) = result_length(rest) {
                return (Kind::Result, length);
            }
            let castling = if rest[0] == b'0' { castling_length(rest) } else { 1 };
            if castling > 1 {
                return (Kind::Move, castling);
            }
        }
        let zeros = rest.iter().take_while(|b| **b == b'0').count();
        let digits = zeros + rest[zeros..].iter().take_while(|b| b.is_ascii_digit()).count();
        if zeros == digits && zeros > 1 {
            return (Kind::Move, digits); // `0000` is a null move in some programs
        }
        (Kind::Number, digits + rest[digits..].iter().take_while(|b| **b == b'.').count())
    }

    /// The length of a run of bytes that begins with no special byte, and its kind.
    fn word(rest: &[u8]) -> (Kind, usize) {
        let length = run(rest);
        let word = &rest[..length];
        match word {
            b"e" if rest[1..].starts_with(b".p.") => (Kind::EnPassant, 4),
            b"e" if rest[1..].starts_with(b".p") => (Kind::EnPassant, 3),
            b"ep" => (Kind::EnPassant, 2 + usize::from(rest.get(2) == Some(&b'.'))),
            // A result that nobody separated from the last move: `Rc10-1`.
            [_, .., b'0', b'-', b'1'] | [_, .., b'1', b'-', b'0'] => (Kind::Move, length - 3),
            [_, .., b'1', b'/', b'2', b'-', b'1', b'/', b'2'] => (Kind::Move, length - 7),
            [b'a'..=b'h' | b'A'..=b'Z', ..] => (Kind::Move, length),
            // A sign in front of a word.
            [0xe2, _, _, _, ..] if figurine(word).is_none() => (Kind::Other, 3),
            _ if word.starts_with(b"--") || word.iter().any(u8::is_ascii_alphanumeric) => (Kind::Move, length),
            _ => (Kind::Other, length),
        }
    }
}

impl Iterator for Tokens<'_> {
    type Item = Token;

    #[inline]
    fn next(&mut self) -> Option<Token> {
        let token = |kind, start, end| Some(Token { kind, start, end });
        loop {
            let start = self.at;
            let rest = &self.bytes[start..];
            if let Some(length) = rest.first().filter(|b| **b >= 0xa0).and_then(|_| blank_length(rest)) {
                self.at += length;
                continue;
            }
            let (kind, length) = match *rest.first()? {
                b'\n' => {
                    self.at += 1;
                    self.escapes();
                    continue;
                }
                0..=b' ' | b'.' | b',' | b')' | b'}' | 0x7f => {
                    self.at += 1;
                    continue;
                }

                b'0'..=b'9' => Self::digits(rest),
                b'*' => (Kind::Result, 1),
                b'!' | b'?' => match rest {
                    [b'!', b'!', ..] => (Kind::Nag(3), 2),
                    [b'?', b'?', ..] => (Kind::Nag(4), 2),
                    [b'!', b'?', ..] => (Kind::Nag(5), 2),
                    [b'?', b'!', ..] => (Kind::Nag(6), 2),
                    [b'!', ..] => (Kind::Nag(1), 1),
                    _ => (Kind::Nag(2), 1),
                },
                b'$' => {
                    let length = 1 + rest[1..].iter().position(|b| ENDS[usize::from(*b)]).unwrap_or(rest.len() - 1);
                    let number = str::from_utf8(&rest[1..length]).ok().and_then(|n| n.parse().ok());
                    (number.map_or(Kind::Other, Kind::Nag), length)
                }
                b'{' => match comment_length(rest) {
                    Some(length) => (Kind::Comment, length),
                    None => (Kind::Unclosed, rest.len()),
                },
                b';' => {
                    let mut end = line_feed(self.bytes, start);
                    while let Some(feed) = end.filter(|feed| self.bytes.get(feed + 1) == Some(&b'%')) {
                        end = line_feed(self.bytes, feed + 1);
                    }
                    (Kind::LineComment, end.map_or(rest.len(), |end| end + 1 - start))
                }
                b'(' => match variation_length(rest) {
                    Some(length) => (Kind::Variation, length),
                    None => (Kind::Unclosed, rest.len()),
                },
                // Long `<...>` are not searched for, else a line of `<` would take quadratic time.
                b'<' => match memchr2(b'>', b'\n', &rest[..rest.len().min(256)]) {
                    Some(i) if rest[i] == b'>' => (Kind::Other, i + 1),
                    _ => Self::word(rest),
                },
                0xc2 => result_length(rest).map_or_else(|| Self::word(rest), |length| (Kind::Result, length)),
                _ => Self::word(rest),
            };
            self.at = start + length;
            return token(kind, start, self.at);
        }
    }
}

pub(crate) fn line_feed(bytes: &[u8], from: usize) -> Option<usize> {
    memchr(b'\n', &bytes[from..]).map(|i| from + i)
}

fn dash_length(bytes: &[u8]) -> Option<usize> {
    DASHES.iter().find(|dash| bytes.starts_with(dash)).map(|dash| dash.len())
}

/// The length of the result at the beginning of `bytes`, in any spelling but `*`; of `1/2 - 1/2` the first half.
pub(crate) fn result_length(bytes: &[u8]) -> Option<usize> {
    let half = "½".as_bytes();
    let sides: [(&[u8], &[u8]); 5] = [(b"1", b"0"), (b"0", b"1"), (b"1/2", b"1/2"), (b"0.5", b"0.5"), (half, half)];
    let whole = sides.iter().find_map(|(white, black)| {
        let rest = bytes.strip_prefix(*white)?;
        let dash = dash_length(rest).or_else(|| rest.starts_with(b":").then_some(1))?;
        rest[dash..].starts_with(black).then_some(white.len() + dash + black.len())
    });
    whole.or_else(|| bytes.starts_with(b"1/2").then_some(3))
}

/// Whether `text`, which has nothing blank at its end, ends with what terminates a game, in any spelling.
pub(crate) fn ends_with_result(text: &[u8]) -> bool {
    let follows = |loser: &[u8], winner: &[u8]| {
        let Some(rest) = text.strip_suffix(loser).map(<[u8]>::trim_ascii_end) else { return false };
        let dash = DASHES.iter().copied().chain([&b":"[..]]).find_map(|dash| rest.strip_suffix(dash));
        dash.is_some_and(|rest| rest.trim_ascii_end().ends_with(winner))
    };
    match text {
        [.., b'*'] => true,
        [.., b'0'] => follows(b"0", b"1"),
        [.., b'1'] => follows(b"1", b"0"),
        [.., b'5'] => follows(b"0.5", b"0.5"),
        [.., b'1', b'/', b'2'] => true,
        // ½, also in Latin-1
        [.., before, 0xbd] => *before == 0xc2 || *before == b'-',
        _ => false,
    }
}

/// The length of castling written with zeros, or 1 for a single zero.
fn castling_length(bytes: &[u8]) -> usize {
    let mut length = 1;
    for _ in 0..2 {
        match dash_length(&bytes[length..]) {
            Some(dash) if bytes.get(length + dash) == Some(&b'0') => length += dash + 1,
            _ => break,
        }
    }
    if length > 1 && bytes.get(length).is_some_and(|b| matches!(b, b'+' | b'#')) {
        length += 1;
    }
    length
}

/// The length of the variation at the beginning of `bytes`. Parentheses in comments do not count.
fn variation_length(bytes: &[u8]) -> Option<usize> {
    let (mut depth, mut at) = (0_usize, 0);
    loop {
        match *bytes.get(at)? {
            b'(' => depth += 1,
            b')' if depth == 1 => return Some(at + 1),
            b')' => depth -= 1,
            b'{' => at += comment_length(&bytes[at..])? - 1,
            b';' => at = line_feed(bytes, at)? - 1, // the line feed is looked at next
            b'\n' if bytes.get(at + 1) == Some(&b'%') => at = line_feed(bytes, at + 1)? - 1,
            _ => {}
        }
        at += 1;
    }
}

/// A move token as SAN, castling with zeros included.
#[inline]
pub(crate) fn san(token: &[u8]) -> Option<San> {
    if token.first() == Some(&b'0') {
        return match token.iter().filter(|b| **b == b'0').count() {
            _ if castling_length(token) != token.len() => None,
            2 => Some(San::Castle(CastlingSide::KingSide)),
            3 => Some(San::Castle(CastlingSide::QueenSide)),
            _ => None,
        };
    }
    SanPlus::from_ascii(token).ok().map(|san_plus| san_plus.san)
}
