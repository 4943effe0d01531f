//! Cutting a stream of PGN into batches of whole games.
//!
//! What is cut is never changed: the data of all batches, one after the other, is the input, byte for byte. Where it is
//! cut depends on the input alone and not on how it arrived.

use crate::pgn::lexer::{ends_with_result, is_blank, is_first_column};
use crate::pgn::tags::{is_broken_tag, is_prose, tag_length, tag_pair};
use memchr::{memchr, memchr2, memchr3};
use rustc_hash::FxHasher;
use std::hash::Hasher;
use std::ops::Range;

/// What a line begins with is decided within this many bytes. Longer tags and longer runs of blanks are no tags and
/// no blank lines.
const LOOK: usize = 4096;
/// Bytes retained before a cut, so that a result token is recognised wherever a cut was made.
const TAIL: usize = 32;
/// The last byte of `½`, in Latin-1 and in UTF-8.
const HALF: u8 = 0xbd;
/// Bytes taken in at once, for input of any size.
const STEP: usize = 1 << 20;
/// Names of tags that are remembered. A game with more tags ends at its next blank line between tags.
const MAX_TAGS: usize = 256;

/// Consecutive bytes of the input, cut where games begin.
///
/// A game of more than `max_game_bytes` is cut into pieces of that size. Only the first piece begins a game: its index
/// stands in `starts` and in `oversized`. The following batches carry the rest before `starts[0]`, or have no `starts`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Batch {
    /// Number, from 1, of the first game that begins in this batch (or, if none does, of the next one to begin).
    pub first_game: u64,
    /// Where `data` lies in the input, in bytes.
    pub offset: u64,
    pub data: Vec<u8>,
    /// Where in `data` games begin. What is before the first belongs to an oversized game.
    pub starts: Vec<usize>,
    /// Indexes into `starts` of games that are larger than allowed, of which `data` holds the first piece.
    pub oversized: Vec<usize>,
    /// Indexes into `starts` of games that other programs read as part of a comment which was never closed before.
    pub commented: Vec<usize>,
}

impl Batch {
    /// The bytes of the game that begins at `starts[index]`.
    pub(crate) fn game(&self, index: usize) -> Range<usize> {
        self.starts[index]..self.starts.get(index + 1).copied().unwrap_or(self.data.len())
    }

    /// The bytes before the first game, which go on with an oversized game.
    #[cfg(test)]
    pub(crate) fn continued(&self) -> Range<usize> {
        0..self.starts.first().copied().unwrap_or(self.data.len())
    }
}

#[derive(Clone, Copy, Debug)]
enum State {
    /// At the beginning of a line, outside comments.
    Line,
    /// In movetext.
    Text,
    /// In what lasts to the end of the line: `;`, `%`, a broken tag.
    Rest,
    /// Between braces.
    Comment,
    /// Between braces, at the beginning of a line.
    CommentLine,
}

/// What is known of the game that is being read.
#[derive(Debug, Default)]
struct Seen {
    /// Hashes of the names of its tags.
    tags: Vec<u64>,
    /// A blank line or a comment since the last tag.
    gap: bool,
    /// Movetext other than comments.
    text: bool,
    /// The last token of the movetext terminates the game.
    result: bool,
    /// A blank line since the last text.
    blank: bool,
}

/// Finds the games in a stream.
///
/// A game begins
///
/// - at a line with a tag pair, if the game before has movetext;
/// - at a tag pair after a blank line (or a comment) after tags, if it is `Event` or a tag that the game before has;
/// - at text after a blank line after a token that terminates a game;
/// - at `[Event "` after a blank line in a comment, which somebody forgot to close.
///
/// Text before the first game belongs to it, and text after a game to that game. Comments before tags belong
/// to the tags.
#[derive(Debug)]
pub(crate) struct Splitter {
    batch_bytes: usize,
    max_game_bytes: usize,
    buffer: Vec<u8>,
    /// Where `buffer` lies in the input.
    offset: u64,
    // All of the following are indexes into `buffer`.
    /// The first byte that is in no batch.
    head: usize,
    /// The first byte that is not examined.
    at: usize,
    /// The current game, or the piece of it that is still to come.
    piece: usize,
    /// The text that is being read, since the last comment or line feed.
    segment: usize,
    starts: Vec<usize>,
    oversized: Vec<usize>,
    commented: Vec<usize>,
    /// A comment was opened before the current game and nothing has closed it since.
    unclosed: bool,
    /// The current game has been cut.
    cut: bool,
    /// Games that have begun, and how many of them before the current batch.
    games: u64,
    games_before: u64,
    state: State,
    /// The last line of the comment was blank.
    blank_in_comment: bool,
    seen: Seen,
}

impl Splitter {
    /// A batch ends with the first game after which it has at least `batch_bytes`. Games of more than `max_game_bytes`
    /// are cut in pieces. The splitter holds about the sum of both, beside what it is fed.
    pub(crate) fn new(batch_bytes: usize, max_game_bytes: usize) -> Splitter {
        Splitter {
            batch_bytes,
            max_game_bytes: max_game_bytes.max(1),
            buffer: Vec::new(),
            offset: 0,
            head: 0,
            at: 0,
            piece: 0,
            segment: 0,
            starts: vec![0],
            oversized: Vec::new(),
            commented: Vec::new(),
            unclosed: false,
            cut: false,
            games: 1,
            games_before: 0,
            state: State::Line,
            blank_in_comment: false,
            seen: Seen::default(),
        }
    }

    /// Takes the next bytes of the input, and gives the batches that are complete.
    pub(crate) fn feed(&mut self, bytes: &[u8]) -> Vec<Batch> {
        let mut batches = Vec::new();
        for step in bytes.chunks(STEP) {
            self.buffer.extend_from_slice(step);
            self.scan(false, &mut batches);
            self.forget();
        }
        batches
    }

    /// Ends the input, and gives the batches that are left. Then the splitter is as new.
    pub(crate) fn finish(&mut self) -> Vec<Batch> {
        let mut batches = Vec::new();
        self.scan(true, &mut batches);
        self.cut_pieces(self.buffer.len(), &mut batches);
        if self.head < self.buffer.len() {
            self.emit(self.buffer.len(), &mut batches);
        }
        *self = Splitter::new(self.batch_bytes, self.max_game_bytes);
        batches
    }

    fn scan(&mut self, at_end: bool, batches: &mut Vec<Batch>) {
        while self.at < self.buffer.len() {
            let moved = match self.state {
                State::Line => self.line(at_end, batches),
                State::Text => self.text(),
                State::Rest => self.rest(),
                State::Comment => self.comment(),
                State::CommentLine => self.comment_line(at_end, batches),
            };
            self.cut_pieces(self.at, batches);
            if !moved {
                break;
            }
        }
    }

    /// Examines the beginning of a line. False if more bytes are needed.
    fn line(&mut self, at_end: bool, batches: &mut Vec<Batch>) -> bool {
        let start = self.at;
        let rest = &self.buffer[start..];
        let window = &rest[..rest.len().min(LOOK)];
        let whole = at_end || window.len() == LOOK;
        let Some(indent) = window.iter().position(|b| *b == b'\n' || !is_blank(*b)) else {
            if whole {
                self.begin_text(start);
            }
            return whole;
        };
        match window[indent] {
            b'\n' => {
                (self.seen.gap, self.seen.blank) = (true, true);
                self.at = start + indent + 1;
            }
            b'%' if is_first_column(&window[..indent]) => self.state = State::Rest,
            b'[' => {
                let Some(length) = tag_length(&window[indent..], whole) else {
                    return false;
                };
                let end = Some(indent + length).filter(|end| *end < window.len());
                let line = &window[indent..indent + length];
                let Some(tag) = tag_pair(line) else {
                    if is_broken_tag(line, !self.seen.text && !self.seen.tags.is_empty()) {
                        let (name, is_event) = (hash(line), is_broken_tag(line, false));
                        self.tag(start, name, is_event, batches);
                        self.state = State::Rest;
                    } else {
                        self.text_line(start, batches);
                    }
                    return true;
                };
                let (name, is_event, length) = (hash(tag.name), tag.name == b"Event", tag.end);
                self.tag(start, name, is_event, batches);
                self.tags_of_line(start + indent + length, end.map(|end| start + end));
            }
            b'{' | b';' => {
                if self.seen.result && self.seen.blank {
                    self.begin_game(start, batches);
                }
                self.begin_text(start);
            }
            _ if self.is_between_games() => {
                let end = memchr(b'\n', window);
                if end.is_none() && !whole {
                    return false;
                }
                if is_prose(&window[..end.unwrap_or(window.len())]) {
                    self.state = State::Rest;
                } else {
                    self.text_line(start, batches);
                }
            }
            _ => self.text_line(start, batches),
        }
        true
    }

    /// Whether words here belong to no game: before the first tag, or after a result and a blank line.
    fn is_between_games(&self) -> bool {
        let seen = &self.seen;
        (seen.tags.is_empty() && !seen.text) || (seen.result && seen.blank)
    }

    /// A line of movetext.
    fn text_line(&mut self, start: usize, batches: &mut Vec<Batch>) {
        if self.seen.result && self.seen.blank {
            self.begin_game(start, batches);
        }
        self.begin_text(start);
    }

    fn begin_text(&mut self, at: usize) {
        (self.segment, self.at, self.state) = (at, at, State::Text);
    }

    /// A tag at the beginning of a line.
    fn tag(&mut self, start: usize, name: u64, is_event: bool, batches: &mut Vec<Batch>) {
        let seen = &self.seen;
        let again = || is_event || seen.tags.len() == MAX_TAGS || seen.tags.contains(&name);
        if seen.text || (seen.gap && !seen.tags.is_empty() && again()) {
            self.begin_game(start, batches);
        }
        if self.seen.tags.len() < MAX_TAGS {
            self.seen.tags.push(name);
        }
        self.seen.gap = false;
    }

    /// What follows the first tag of a line: more tags, or already the movetext.
    fn tags_of_line(&mut self, mut at: usize, end: Option<usize>) {
        let Some(end) = end else {
            self.state = State::Rest;
            return;
        };
        loop {
            let rest = &self.buffer[at..end];
            let blanks = rest.iter().take_while(|b| is_blank(**b)).count();
            let Some(tag) = tag_pair(&rest[blanks..]) else {
                self.begin_text(at);
                return;
            };
            self.seen.tags.push(hash(tag.name));
            self.seen.tags.truncate(MAX_TAGS);
            at += blanks + tag.end;
        }
    }

    /// Passes movetext up to the next comment or the end of the line.
    fn text(&mut self) -> bool {
        let rest = &self.buffer[self.at..];
        let found = memchr3(b'\n', b'{', b';', rest);
        let text = &rest[..found.unwrap_or(rest.len())];
        self.seen.text |= text.iter().any(|b| !is_blank(*b));
        let end = self.at + text.len();
        self.at = end;
        if found.is_none() {
            return false;
        }
        let tail = self.segment.max(end.saturating_sub(TAIL));
        let last = self.buffer[tail..end].iter().rposition(|b| !is_blank(*b) || *b == HALF);
        if last.is_some() || tail > self.segment {
            self.seen.blank = false;
            self.seen.result = last.is_some_and(|last| ends_with_result(&self.buffer[tail..=tail + last]));
        }
        self.at += 1;
        self.state = match self.buffer[end] {
            b'\n' => State::Line,
            byte => {
                self.seen.gap = true;
                if byte == b'{' { State::Comment } else { State::Rest }
            }
        };
        true
    }

    /// Passes the rest of the line.
    fn rest(&mut self) -> bool {
        match memchr(b'\n', &self.buffer[self.at..]) {
            Some(i) => {
                self.at += i + 1;
                self.state = State::Line;
            }
            None => self.at = self.buffer.len(),
        }
        true
    }

    /// Passes a comment, up to its end or the end of the line.
    fn comment(&mut self) -> bool {
        match memchr2(b'}', b'\n', &self.buffer[self.at..]) {
            Some(i) if self.buffer[self.at + i] == b'}' => {
                self.unclosed = false;
                self.begin_text(self.at + i + 1);
            }
            Some(i) => {
                self.at += i + 1;
                self.blank_in_comment = false;
                self.state = State::CommentLine;
            }
            None => self.at = self.buffer.len(),
        }
        true
    }

    /// Examines the beginning of a line in a comment. False if more bytes are needed.
    fn comment_line(&mut self, at_end: bool, batches: &mut Vec<Batch>) -> bool {
        let event = b"[Event \"";
        let start = self.at;
        let rest = &self.buffer[start..];
        let window = &rest[..rest.len().min(LOOK)];
        let whole = at_end || window.len() == LOOK;
        match window.iter().position(|b| !matches!(b, b' ' | b'\t' | b'\r')) {
            None if !whole => return false,
            Some(indent) if window[indent] == b'\n' => {
                self.blank_in_comment = true;
                self.at = start + indent + 1;
            }
            Some(0) if self.blank_in_comment && !whole && window.len() < event.len() && event.starts_with(window) => {
                return false;
            }
            Some(0) if self.blank_in_comment && window.starts_with(event) => {
                self.unclosed = true;
                self.begin_game(start, batches);
                self.state = State::Line;
            }
            _ => self.state = State::Comment,
        }
        true
    }

    /// The current game ends, and another begins at `start`.
    fn begin_game(&mut self, start: usize, batches: &mut Vec<Batch>) {
        self.cut_pieces(start, batches);
        if start - self.head >= self.batch_bytes {
            self.emit(start, batches);
        }
        self.games += 1;
        if self.unclosed {
            self.commented.push(self.starts.len());
        }
        self.starts.push(start);
        self.piece = start;
        self.cut = false;
        self.seen = Seen::default();
    }

    /// Cuts the current game, which reaches to `end` at least, if it is too large.
    fn cut_pieces(&mut self, end: usize, batches: &mut Vec<Batch>) {
        while end - self.piece > self.max_game_bytes {
            if !self.cut {
                self.oversized.push(self.starts.len() - 1);
                self.cut = true;
            }
            self.piece += self.max_game_bytes;
            self.emit(self.piece, batches);
        }
    }

    fn emit(&mut self, end: usize, batches: &mut Vec<Batch>) {
        let head = self.head;
        batches.push(Batch {
            first_game: self.games_before + 1,
            offset: self.offset + head as u64,
            data: self.buffer[head..end].to_vec(),
            starts: self.starts.drain(..).map(|start| start - head).collect(),
            oversized: std::mem::take(&mut self.oversized),
            commented: std::mem::take(&mut self.commented),
        });
        self.head = end;
        self.games_before = self.games;
    }

    /// Drops the bytes that are in batches.
    fn forget(&mut self) {
        let gone = self.head.saturating_sub(TAIL + 1);
        self.buffer.drain(..gone);
        self.offset += gone as u64;
        self.head -= gone;
        self.at -= gone;
        self.piece -= gone;
        self.segment = self.segment.saturating_sub(gone);
        self.starts.iter_mut().for_each(|start| *start -= gone);
    }
}

fn hash(name: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(name);
    hasher.finish()
}

#[cfg(test)]
#[path = "splitter_tests.rs"]
mod tests;
