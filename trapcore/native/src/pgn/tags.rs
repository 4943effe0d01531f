//! The tags of a game. The splitter, the reader and the anchors share one notion of "tag pair", so that they agree about
//! where the movetext begins.

use crate::pgn::lexer::{BOM, comment_length, is_blank, is_first_column, line_feed, result_length, san};
use memchr::{memchr, memchr_iter, memchr2};
use std::borrow::Cow;
use unicode_normalization::UnicodeNormalization;

/// Lines that a tag may be broken into.
const TAG_LINES: usize = 3;

/// Names of tags that have a meaning here. A file may write them in any case.
const KNOWN_TAGS: [&str; 25] = [
    "Event",
    "Site",
    "Date",
    "Round",
    "White",
    "Black",
    "Result",
    "FEN",
    "SetUp",
    "Variant",
    "WhiteElo",
    "BlackElo",
    "WhiteTitle",
    "BlackTitle",
    "ECO",
    "Opening",
    "TimeControl",
    "Termination",
    "UTCDate",
    "UTCTime",
    "GameId",
    "GameURL",
    "ChapterName",
    "Orientation",
    "Source",
];

/// A tag pair, `end` bytes from its `[`.
pub(crate) struct TagPair<'a> {
    pub name: &'a [u8],
    /// Between the quotes, escapes as written.
    pub value: &'a [u8],
    pub end: usize,
}

/// The length of the tag at the beginning of `text`, a `[`, without the line feed behind it: its line, and the one or
/// two lines behind if only they end it. `None` if that is decided by bytes behind `text`, which is not `whole`.
pub(crate) fn tag_length(text: &[u8], whole: bool) -> Option<usize> {
    let mut ends = memchr_iter(b'\n', text).map(Some).chain([None]);
    let first = match ends.next()? {
        Some(end) => end,
        None => return whole.then_some(text.len()),
    };
    if text[..first].contains(&b']') {
        return Some(first);
    }
    let mut start = first + 1;
    for end in ends.take(TAG_LINES - 1) {
        let line = text[start..end.unwrap_or(text.len())].trim_ascii();
        if end.is_none() && !whole && !line.starts_with(b"[") {
            return None;
        }
        if line.ends_with(b"\"]") && !line.starts_with(b"[") {
            return Some(end.unwrap_or(text.len()));
        }
        if line.is_empty() || line.starts_with(b"[") || line.contains(&b']') {
            break;
        }
        start = end.map_or(text.len(), |end| end + 1);
    }
    Some(first)
}

/// The tag pair at the beginning of `line`, as [`tag_length`] cuts it. Quotes within the value that nobody escaped and a
/// missing end of the value are accepted: the value then ends at the last `"]` of the line, or with the line.
pub(crate) fn tag_pair(line: &[u8]) -> Option<TagPair<'_>> {
    let line = line.trim_ascii_end();
    let ends_properly = line.ends_with(b"\"]");
    let inside = line.strip_prefix(b"[")?;
    let from = 1 + blanks(inside);
    let is_name = |b: &u8| b.is_ascii_alphanumeric() || b"_+#=:-".contains(b);
    let name = &line[from..from + line[from..].iter().take_while(|b| is_name(b)).count()];
    name.first().filter(|b| b.is_ascii_alphanumeric())?;
    let quote = from + name.len() + blanks(&line[from + name.len()..]);
    if line.get(quote) != Some(&b'"') {
        return None;
    }
    let mut at = quote + 1;
    while let Some(found) = memchr2(b'"', b'\\', &line[at..]) {
        at += found + 1;
        if line[at - 1] == b'\\' {
            at = line.len().min(at + 1);
            continue;
        }
        let bracket = at + blanks(&line[at..]);
        if line.get(bracket) == Some(&b']') {
            let next = line[bracket + 1..].trim_ascii_start().first();
            if next.is_none_or(|b| *b == b'[') || !ends_properly {
                return Some(TagPair { name, value: &line[quote + 1..at - 1], end: bracket + 1 });
            }
        }
    }
    let value = &line[quote + 1..];
    let value = value.strip_suffix(b"]").unwrap_or(value).trim_ascii_end();
    Some(TagPair { name, value: value.strip_suffix(b"\"").unwrap_or(value), end: line.len() })
}

/// Whether `line` is a tag with something missing (`[WhiteElo 2400]`). It is skipped between other tags, and
/// begins a game if its name is `Event`.
pub(crate) fn is_broken_tag(line: &[u8], after_tags: bool) -> bool {
    match line.strip_prefix(b"[Event") {
        Some(rest) if rest.first().is_none_or(|b| b" \t\r]".contains(b)) => true,
        _ => after_tags && line.get(1).is_some_and(u8::is_ascii_alphabetic),
    }
}

fn blanks(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|b| matches!(b, b' ' | b'\t' | b'\r' | b'\n')).count()
}

/// Whether a line has words and nothing of a game: no move, no move number, no result, no bracket of any kind.
pub(crate) fn is_prose(line: &[u8]) -> bool {
    let is_game = |word: &[u8]| {
        let digits = word.iter().take_while(|b| b.is_ascii_digit()).count();
        let number = digits > 0 && (word.len() == digits || word[digits] == b'.');
        number || word == b"*" || result_length(word).is_some() || san(without_signs(word)).is_some()
    };
    line.iter().any(|b| !is_blank(*b))
        && !line.iter().any(|b| b"{}()[];<%".contains(b))
        && !line.split(|b| is_blank(*b) || *b == b',').any(is_game)
}

/// Without the signs behind a move.
fn without_signs(word: &[u8]) -> &[u8] {
    &word[..word.iter().rposition(|b| !b"!?.:".contains(b)).map_or(0, |at| at + 1)]
}

/// Where the tags begin, if nothing but prose is before them; otherwise 0.
fn behind_prose(bytes: &[u8]) -> usize {
    let mut at = 0;
    while at < bytes.len() {
        let end = line_feed(bytes, at).unwrap_or(bytes.len());
        let line = &bytes[at..end];
        let indent = line.iter().take_while(|b| is_blank(**b)).count();
        if line[indent..].starts_with(b"[") && tag_pair(&line[indent..]).is_some() {
            return at;
        }
        if indent < line.len() && !is_prose(line) {
            return 0;
        }
        at = end + 1;
    }
    0
}

/// The tag section of a game, from its first byte. Afterwards `end` is where the movetext begins.
pub(crate) struct Tags<'a> {
    bytes: &'a [u8],
    at: usize,
    line_end: usize,
    any: bool,
    pub end: usize,
}

impl<'a> Tags<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Tags<'a> {
        let end = if bytes.starts_with(BOM) { BOM.len() } else { 0 };
        Tags { bytes, at: behind_prose(bytes), line_end: 0, any: false, end }
    }

    /// Passes blanks, comments and `%` lines.
    fn skip(&mut self) {
        while let Some(&byte) = self.bytes.get(self.at) {
            let rest = &self.bytes[self.at..];
            let length = match byte {
                _ if is_blank(byte) => 1,
                b'{' => comment_length(rest).unwrap_or(0),
                b';' => memchr(b'\n', rest).map_or(rest.len(), |i| i + 1),
                b'%' if is_first_column(&self.bytes[..self.at]) => memchr(b'\n', rest).map_or(rest.len(), |i| i + 1),
                _ => 0,
            };
            if length == 0 {
                return;
            }
            self.at += length;
        }
    }
}

impl<'a> Iterator for Tags<'a> {
    type Item = TagPair<'a>;

    fn next(&mut self) -> Option<TagPair<'a>> {
        loop {
            self.skip();
            if self.bytes.get(self.at) != Some(&b'[') {
                return None;
            }
            if self.line_end <= self.at {
                let rest = &self.bytes[self.at..];
                // Trimmed, for each tag of the line looks at its end.
                let length = tag_length(rest, true).unwrap_or(rest.len());
                self.line_end = self.at + rest[..length].trim_ascii_end().len();
            }
            let line = &self.bytes[self.at..self.line_end];
            let pair = tag_pair(line);
            self.at = match &pair {
                Some(pair) => self.at + pair.end,
                None if is_broken_tag(line, self.any) => self.line_end,
                None => return None,
            };
            self.any = true;
            self.end = self.at;
            if pair.is_some() {
                return pair;
            }
        }
    }
}

/// Where the movetext of a game begins.
pub(crate) fn movetext(game: &[u8]) -> usize {
    let mut tags = Tags::new(game);
    tags.by_ref().for_each(drop);
    tags.end
}

/// The name of a tag as it is usually written.
pub(crate) fn tag_name(name: &[u8]) -> String {
    match KNOWN_TAGS.iter().find(|known| known.as_bytes().eq_ignore_ascii_case(name)) {
        Some(known) => (*known).to_owned(),
        None => decode(name),
    }
}

/// The value of a tag: escapes resolved, a line break in it is a space, letters composed.
pub(crate) fn tag_value(value: &[u8]) -> String {
    let text = decode(&unescape(value));
    let text = if text.contains('\n') { text.split_whitespace().collect::<Vec<_>>().join(" ") } else { text };
    if text.is_ascii() { text } else { text.nfc().collect() }
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

/// Text that is not UTF-8 is Latin-1.
pub(crate) fn decode(text: &[u8]) -> String {
    match str::from_utf8(text) {
        Ok(text) => text.to_owned(),
        Err(_) => text.iter().map(|b| char::from(*b)).collect(),
    }
}

#[cfg(test)]
#[path = "tags_tests.rs"]
mod tests;
