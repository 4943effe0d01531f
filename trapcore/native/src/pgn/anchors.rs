//! Where text can be spliced into a game, so that everything else stays as it is.

use crate::pgn::lexer::{BOM, Kind, Tokens};
use crate::pgn::reader::MainLine;
use crate::pgn::tags::movetext;
use memchr::{memchr, memchr_iter};
use std::ops::Range;

/// A main-line move and what belongs to it, up to the next move number, move or result. All offsets are bytes from the
/// beginning of the game. Places to insert at are right behind what stands there, before the whitespace that follows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Anchor {
    /// The move, without suffix.
    pub token: Range<usize>,
    /// Behind the move, its suffix and the NAGs that directly follow.
    pub nag_at: usize,
    /// Behind the last of the comments that follow, without a variation between. Never within a `;` comment but in
    /// the line below it.
    pub comment_at: usize,
    /// Behind the last variation and its comments and NAGs; `comment_at` where there is no variation.
    pub variation_at: usize,
    /// NAGs wherever they stand; `!`, `?`, `!!`, `??`, `!?` and `?!` are 1 to 6.
    pub nags: Vec<u8>,
    /// The text in each pair of braces. (`;` comments are not among them.)
    pub comments: Vec<Range<usize>>,
    /// The text in each pair of outer parentheses.
    pub variations: Vec<Range<usize>>,
    /// The move is White's, and Black's reply has no move number of its own: text inserted behind this move has to end
    /// with one, such as `12...`
    pub number_next: bool,
}

/// How a game is laid out, so that inserted text can look the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    /// Moves stand on more than one line. Line breaks in comments and before the result do not count.
    pub wrapped: bool,
    /// Most lines end with CR LF.
    pub crlf: bool,
    pub encoding: Encoding,
}

/// The encoding of the bytes of a game, as far as it can be recognised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Encoding {
    Ascii,
    /// Also where nothing but a byte order mark says so.
    Utf8,
    /// Any other.
    Latin1,
}

/// What has been passed since the move.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd)]
enum Passed {
    Move,
    Comment,
    Variation,
    /// What belongs to a move ends at the next move number or result.
    All,
}

/// The anchors of the main line, one for each of the moves that were read from the same bytes.
pub(crate) fn anchors(bytes: &[u8], text: &MainLine, black_starts: bool) -> Vec<Anchor> {
    let mut anchors: Vec<Anchor> = Vec::with_capacity(text.moves.len());
    let mut passed = Passed::All;
    let mut numbered = false;
    let mut tokens = Tokens::from(bytes, movetext(bytes));
    while let Some(mut token) = tokens.next().filter(|token| token.start < text.end) {
        let start = token.start;
        if let Some(place) = text.moves.get(anchors.len()).filter(|place| place.start == start) {
            token.end = place.end;
            tokens.resume(place.end);
            let is_black = (anchors.len() % 2 == 1) != black_starts;
            if let Some(last) = anchors.last_mut() {
                last.number_next = is_black && !numbered;
            }
            anchors.push(Anchor {
                token: place.clone(),
                nag_at: token.end,
                comment_at: token.end,
                variation_at: token.end,
                nags: Vec::new(),
                comments: Vec::new(),
                variations: Vec::new(),
                number_next: false,
            });
            (passed, numbered) = (Passed::Move, false);
            continue;
        }
        let end = token.end;
        match token.kind {
            Kind::Number => (passed, numbered) = (Passed::All, true),
            Kind::Result => (passed, numbered) = (Passed::All, false),
            Kind::Unclosed => break,
            _ => {}
        }
        let Some(anchor) = anchors.last_mut().filter(|_| passed != Passed::All) else {
            continue;
        };
        match token.kind {
            Kind::Nag(nag) => anchor.nags.push(nag),
            Kind::Comment => anchor.comments.push(start + 1..end - 1),
            Kind::Variation => anchor.variations.push(start + 1..end - 1),
            // A `;` comment that the end of the game cuts short: nothing can be behind it.
            Kind::LineComment if bytes[end - 1] != b'\n' => continue,
            Kind::LineComment | Kind::EnPassant => {}
            // A sign or word that is glued to the move.
            Kind::Move | Kind::Other if passed == Passed::Move && start == anchor.nag_at => {}
            _ => continue,
        }
        match token.kind {
            Kind::Variation => passed = Passed::Variation,
            Kind::Comment | Kind::LineComment if passed == Passed::Move => passed = Passed::Comment,
            _ => {}
        }
        match (passed, token.kind) {
            (Passed::Move, _) => {
                (anchor.nag_at, anchor.comment_at, anchor.variation_at) = (end, end, end);
            }
            (Passed::Comment, Kind::Comment | Kind::LineComment) => {
                (anchor.comment_at, anchor.variation_at) = (end, end);
            }
            (Passed::Comment, _) => anchor.variation_at = end,
            _ => anchor.variation_at = end,
        }
    }
    anchors
}

/// The layout of a game.
pub(crate) fn layout(bytes: &[u8]) -> Layout {
    let (mut feeds, mut crlf) = (0_usize, 0_usize);
    for at in memchr_iter(b'\n', bytes) {
        feeds += 1;
        crlf += usize::from(at > 0 && bytes[at - 1] == b'\r');
    }
    let encoding = match bytes {
        _ if bytes.starts_with(BOM) => Encoding::Utf8,
        _ if bytes.is_ascii() => Encoding::Ascii,
        _ if str::from_utf8(bytes).is_ok() => Encoding::Utf8,
        _ => Encoding::Latin1,
    };
    Layout { wrapped: is_wrapped(bytes), crlf: crlf * 2 > feeds, encoding }
}

fn is_wrapped(bytes: &[u8]) -> bool {
    // The end of the last token of the main line, and whether a line ended since the last move or number.
    let mut begun = None;
    let mut broken = false;
    for token in Tokens::from(bytes, movetext(bytes)) {
        if let Some(end) = begun {
            broken |= memchr(b'\n', &bytes[end..token.start]).is_some();
            broken |= token.kind == Kind::Variation && breaks_outside_comments(&bytes[token.start..token.end]);
        }
        let is_move = matches!(token.kind, Kind::Move | Kind::Number);
        if is_move && broken {
            return true;
        }
        if is_move || begun.is_some() {
            begun = Some(token.end);
        }
    }
    false
}

fn breaks_outside_comments(variation: &[u8]) -> bool {
    let mut rest = variation;
    while let Some(at) = memchr::memchr3(b'\n', b'{', b';', rest) {
        let end = match rest[at] {
            b'{' => memchr(b'}', &rest[at..]),
            b';' => memchr(b'\n', &rest[at..]),
            _ => return true,
        };
        rest = &rest[end.map_or(rest.len(), |end| at + end + 1)..];
    }
    false
}

#[cfg(test)]
#[path = "anchors_tests.rs"]
mod tests;
