//! The ways in which people and programs write a move, and why one cannot be played.

use crate::pgn::lexer::{DASHES, figurine, invisible, san};
use shakmaty::san::{San, SanError};
use shakmaty::{CastlingSide, Chess, File, Move, Position, Rank, Role, Square};

/// Longest spelling of a move that is searched for in a word, in bytes.
const LONGEST: usize = 32;

/// A move as it is written, which need not be legal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Written {
    Strict(San),
    /// As python-chess would read it: a sign of capture may be missing or too much, there may be a hyphen (`Ng1-f3`),
    /// both squares stand for the piece that is there (`g1f3`, `e1g1`), the `=` of a promotion is not needed (`e8Q`).
    Loose {
        role: Option<Role>,
        file: Option<File>,
        rank: Option<Rank>,
        to: Square,
        promotion: Option<Role>,
    },
}

/// What a word of the movetext means.
pub(crate) enum Word {
    /// A legal move in its first bytes, as many as this.
    Move(Move, usize),
    /// A move that cannot be played.
    Refused(Written, SanError),
    Null,
    /// It names a square, but in no notation that is known: a move that is not understood.
    Foreign,
    /// Nothing that a game needs.
    Noise,
}

/// What `word` means in a position.
pub(crate) fn word(text: &[u8], chess: &Chess) -> Word {
    if [&b"--"[..], b"Z0", b"0000", b"@@@@", b"null", b"pass"].contains(&text) {
        return Word::Null;
    }
    if let Some(strict) = san(text)
        && let Ok(m) = strict.to_move(chess)
    {
        return Word::Move(m, text.len());
    }
    odd_word(text, chess)
}

#[cold]
fn odd_word(text: &[u8], chess: &Chess) -> Word {
    let mut refused = None;
    for end in (2..=text.len().min(LONGEST)).rev() {
        let Some(written) = written(&plain(&text[..end])) else { continue };
        match written.play(chess) {
            Ok(m) => return Word::Move(m, end),
            // The whole of it is a move: no part of it may stand for another one.
            Err(error) if end == text.len() => return Word::Refused(written, error),
            Err(error) => {
                refused.get_or_insert((written, error));
            }
        }
    }
    match refused {
        Some((written, error)) => Word::Refused(written, error),
        None if names_a_square(text) => Word::Foreign,
        None => Word::Noise,
    }
}

/// The word in ASCII: typographic hyphens, figurines, the `×` and `:` of a capture, zeros of castling; without what has
/// no width.
fn plain(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(&first) = rest.first() {
        let length = if let Some(length) = invisible(rest) {
            length
        } else if let Some(dash) = DASHES.iter().find(|dash| rest.starts_with(dash)) {
            out.push(b'-');
            dash.len()
        } else if let Some(letter) = figurine(rest) {
            out.push(letter);
            3
        } else if rest.starts_with("×".as_bytes()) {
            out.push(b'x');
            2
        } else {
            out.push(if first == b':' { b'x' } else { first });
            1
        };
        rest = &rest[length..];
    }
    let signs = out.iter().rposition(|b| !matches!(b, b'+' | b'#')).map_or(0, |at| at + 1);
    if out[..signs].iter().all(|b| matches!(b, b'0' | b'O' | b'o' | b'-')) {
        out[..signs].iter_mut().filter(|b| **b != b'-').for_each(|b| *b = b'O');
    }
    out
}

/// The move of a word in ASCII; `None` if it has not the form of one.
fn written(text: &[u8]) -> Option<Written> {
    if let Some(strict) = san(text).filter(|strict| *strict != San::Null) {
        return Some(Written::Strict(strict));
    }
    let rest = &text[..text.iter().rposition(|b| !matches!(b, b'+' | b'#'))? + 1];
    match rest {
        b"O-O" => return Some(Written::Strict(San::Castle(CastlingSide::KingSide))),
        b"O-O-O" => return Some(Written::Strict(San::Castle(CastlingSide::QueenSide))),
        _ => {}
    }
    let (role, rest) = match rest {
        [letter @ (b'N' | b'B' | b'R' | b'Q' | b'K'), rest @ ..] => (Role::from_char((*letter).into()), rest),
        _ => (None, rest),
    };
    let (promotion, rest) = match rest {
        [.., letter] if letter.is_ascii_alphabetic() => {
            let rest = &rest[..rest.len() - 1];
            let role = Role::from_char((*letter).into()).filter(|role| !matches!(role, Role::Pawn | Role::King))?;
            (Some(role), rest.strip_suffix(b"=").unwrap_or(rest))
        }
        _ => (None, rest),
    };
    let (from, to) = rest.split_at_checked(rest.len().checked_sub(2)?)?;
    let to = Square::from_ascii(to).ok()?;
    if promotion.is_some() && !matches!(to.rank(), Rank::First | Rank::Eighth) {
        return None;
    }
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
    Some(Written::Loose { role, file, rank, to, promotion })
}

/// Whether a word ends with a square, as `Sf6` does.
fn names_a_square(text: &[u8]) -> bool {
    let end = text.iter().rposition(u8::is_ascii_alphanumeric).map_or(0, |at| at + 1);
    matches!(text[..end], [_, .., b'a'..=b'h' | b'A'..=b'H', b'1'..=b'8'])
}

impl Written {
    fn play(&self, chess: &Chess) -> Result<Move, SanError> {
        match self {
            Written::Strict(san) => san.to_move(chess).or_else(|error| match *san {
                San::Normal { role, file, rank, to, promotion, .. } => {
                    let role = Some(role).filter(|role| *role != Role::Pawn);
                    Written::Loose { role, file, rank, to, promotion }.play(chess)
                }
                _ => Err(error),
            }),
            Written::Loose { role, file, rank, to, promotion } => {
                let whole = role.is_none() && file.is_some() && rank.is_some();
                let mut legal = chess.legal_moves();
                legal.retain(|m| {
                    let Some(origin) = m.from() else { return false };
                    let goes = match m.castling_side() {
                        Some(side) => {
                            *to == Square::from_coords(side.king_to_file(), origin.rank()) || (whole && *to == m.to())
                        }
                        None => *to == m.to(),
                    };
                    let is_meant = match role {
                        Some(role) => *role == m.role(),
                        None => whole || (m.role() == Role::Pawn && (file.is_some() || origin.file() == to.file())),
                    };
                    goes && is_meant
                        && m.promotion() == *promotion
                        && file.is_none_or(|file| file == origin.file())
                        && rank.is_none_or(|rank| rank == origin.rank())
                });
                match legal.as_slice() {
                    [m] => Ok(*m),
                    [] => Err(SanError::IllegalSan),
                    _ => Err(SanError::AmbiguousSan),
                }
            }
        }
    }

    /// Why it is not legal, if the exact reason is known.
    pub(crate) fn obstacle(&self, chess: &Chess) -> Option<String> {
        let (role, file, rank, to) = match *self {
            Written::Strict(San::Normal { role, file, rank, to, .. }) => (role, file, rank, to),
            Written::Loose { role, file, rank, to, .. } => {
                let from =
                    file.zip(rank).and_then(|(file, rank)| chess.board().role_at(Square::from_coords(file, rank)));
                (role.or(from).unwrap_or(Role::Pawn), file, rank, to)
            }
            Written::Strict(San::Castle(_)) if chess.is_check() => return Some("the king is in check".to_owned()),
            _ => return None,
        };
        let board = chess.board();
        let us = chess.turn();
        let name = name(role);
        let own: Vec<Square> = (board.by_color(us) & board.by_role(role))
            .into_iter()
            .filter(|from| file.is_none_or(|f| f == from.file()) && rank.is_none_or(|r| r == from.rank()))
            .collect();
        if own.is_empty() {
            let place = if file.is_some() || rank.is_some() { " there" } else { "" };
            return Some(format!("{us} has no {name}{place}"));
        }
        if board.color_at(to) == Some(us) {
            return Some(format!("a piece of {us} itself is on {to}"));
        }
        if role == Role::Pawn {
            let stands = board.piece_at(to).is_some();
            let blocked = stands && file.is_none_or(|file| file == to.file());
            return blocked.then(|| format!("the square {to} is not free"));
        }
        let reach: Vec<Square> = own.into_iter().filter(|from| board.attacks_from(*from).contains(to)).collect();
        match *reach {
            [] => Some(format!("no {name} can go to {to}")),
            [_, ..] if role == Role::King => Some(format!("the square {to} is attacked")),
            [_, ..] if chess.is_check() => Some("the king is in check".to_owned()),
            [from] => Some(format!("the {name} on {from} is pinned")),
            _ => None,
        }
    }
}

fn name(role: Role) -> &'static str {
    match role {
        Role::Pawn => "pawn",
        Role::Knight => "knight",
        Role::Bishop => "bishop",
        Role::Rook => "rook",
        Role::Queen => "queen",
        Role::King => "king",
    }
}
