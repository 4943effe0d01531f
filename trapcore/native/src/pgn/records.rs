//! Games as rows for the library: identity, moves, and the key and fingerprint of every position.

use rustc_hash::FxHashSet;
use shakmaty::{CastlingMode, Chess, Move, Position, Role};

use crate::chess::position::{BadPosition, digest16, epd, parse, position_key};
use crate::pgn::reader::{Game, GameReader, Note, Skip};
use crate::pgn::splitter::Batch;
use crate::trees::tree::{Plies2, pack};

/// One readable game.
pub(crate) struct Record {
    /// Number within the input, from 1.
    pub number: u64,
    /// Byte offset within the input.
    pub offset: u64,
    pub digest: [u8; 16],
    pub game: Game,
    /// Two bytes a ply; see [`encode`].
    pub moves: Vec<u8>,
    /// Before each move and after the last.
    pub keys: Vec<[u8; 16]>,
}

/// A game that was not read, and why.
pub(crate) struct Unread {
    pub number: u64,
    pub offset: u64,
    pub reason: &'static str,
    pub detail: String,
}

/// A note on a game that was read.
pub(crate) struct Noted {
    pub number: u64,
    pub offset: u64,
    pub note: Note,
}

impl Noted {
    pub(crate) fn all(piece: &Piece<'_>, game: &Game) -> impl Iterator<Item = Noted> {
        let (number, offset) = (piece.number, piece.offset);
        game.notes.iter().map(move |note| Noted { number, offset, note: note.clone() })
    }
}

#[derive(Default)]
pub(crate) struct Records {
    pub records: Vec<Record>,
    pub unread: Vec<Unread>,
    pub notes: Vec<Noted>,
    /// Each position of the batch once: key and packed fingerprint.
    pub positions: Vec<([u8; 16], Vec<u8>)>,
}

/// One game of a batch as text.
pub(crate) struct Piece<'a> {
    /// Number within the input, from 1.
    pub number: u64,
    /// Byte offset within the input.
    pub offset: u64,
    /// Offset within the batch.
    pub start: usize,
    pub bytes: &'a [u8],
    /// Other programs read it as part of a comment that was never closed.
    pub commented: bool,
}

/// The games of a batch, each read or with the reason why not.
pub(crate) fn games(batch: &Batch) -> impl Iterator<Item = (Piece<'_>, Result<Game, Skip>)> {
    let reader = GameReader::new();
    (0u64..).zip(&batch.starts).enumerate().map(move |(index, (count, &start))| {
        let bytes = &batch.data[batch.game(index)];
        let commented = batch.commented.contains(&index);
        let (number, offset) = (batch.first_game + count, batch.offset + start as u64);
        let piece = Piece { number, offset, start, bytes, commented };
        let game = if batch.oversized.contains(&index) {
            Err(Skip::Oversized { limit: bytes.len() })
        } else {
            reader.read(bytes)
        };
        (piece, game)
    })
}

impl Unread {
    pub(crate) fn new(piece: &Piece<'_>, skip: &Skip) -> Unread {
        Unread { number: piece.number, offset: piece.offset, reason: skip.reason(), detail: skip.to_string() }
    }
}

/// Reads the games of a batch for the library.
pub(crate) fn read(batch: &Batch) -> Records {
    let mut out = Records::default();
    let mut met: FxHashSet<[u8; 16]> = FxHashSet::default();
    let mut plies = Plies2::default();
    for (piece, game) in games(batch) {
        match game {
            Err(skip) => out.unread.push(Unread::new(&piece, &skip)),
            Ok(game) => {
                out.notes.extend(Noted::all(&piece, &game));
                let mut position = game.initial.clone();
                let mut keys = Vec::with_capacity(game.moves.len() + 1);
                let mut moves = Vec::with_capacity(2 * game.moves.len());
                for turn in 0..=game.moves.len() {
                    let key = position_key(&position);
                    keys.push(key);
                    if met.insert(key) {
                        plies.expand(&position, game.mode);
                        out.positions.push((key, pack(&plies.label_bits())));
                    }
                    if let Some(&m) = game.moves.get(turn) {
                        moves.extend(encode(m).to_le_bytes());
                        position.play_unchecked(m);
                    }
                }
                let digest = identity(&game, &moves);
                out.records.push(Record { number: piece.number, offset: piece.offset, digest, game, moves, keys });
            }
        }
    }
    out
}

/// from + 64 * to + 4096 * promotion (0 none, 1 N, 2 B, 3 R, 4 Q); castling is king takes rook.
pub(crate) fn encode(m: Move) -> u16 {
    let (from, to) = crate::trees::labels::squares(m, CastlingMode::Chess960);
    let promotion = m.promotion().map_or(0, |role| role as u16 - Role::Knight as u16 + 1);
    u16::from(from) | u16::from(to) << 6 | promotion << 12
}

/// The legal move that [`encode`] wrote so.
pub fn decode(chess: &Chess, code: u16) -> Option<Move> {
    chess.legal_moves().into_iter().find(|&m| encode(m) == code)
}

/// A stored game, and plies of it.
pub(crate) struct Stored<'a> {
    /// `None` for the usual start.
    pub start_fen: Option<&'a str>,
    pub moves: &'a [u8],
    /// Moves made before the position, ascending.
    pub plies: &'a [usize],
}

/// The EPD at each of the plies and the move played in it, in UCI as the position has it written. Nothing for a
/// game that cannot be replayed so far.
pub(crate) fn replayed(game: &Stored) -> Result<Vec<(String, String)>, BadPosition> {
    let mut chess = match game.start_fen {
        Some(fen) => parse(fen)?.chess,
        None => Chess::default(),
    };
    let mut out = Vec::with_capacity(game.plies.len());
    let mut wanted = game.plies.iter().copied().peekable();
    for (ply, code) in game.moves.as_chunks::<2>().0.iter().enumerate() {
        let Some(m) = decode(&chess, u16::from_le_bytes(*code)) else { break };
        while wanted.next_if_eq(&ply).is_some() {
            let epd = epd(&chess);
            let mode = parse(&epd)?.mode;
            out.push((epd, m.to_uci(mode).to_string()));
        }
        if wanted.peek().is_none() {
            break;
        }
        chess.play_unchecked(m);
    }
    if out.len() < game.plies.len() { Ok(Vec::new()) } else { Ok(out) }
}

/// The same game has the same identity in any file: start, moves, players, date and round.
fn identity(game: &Game, moves: &[u8]) -> [u8; 16] {
    let start = epd(&game.initial);
    let mut parts: Vec<&[u8]> = vec![start.as_bytes(), b"\n", moves];
    for name in ["White", "Black", "Date", "Round"] {
        parts.push(b"\n");
        parts.push(game.tag(name).unwrap_or("").as_bytes());
    }
    digest16(&parts)
}
