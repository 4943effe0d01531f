//! The abstracted local tree of a move (paper, section 5.2): what the move does, what can be answered, and what follows,
//! told in words that name no square, so that trees of different positions can be compared.
//!
//! All is seen from the attacker, who is to move: files and ranks count from the victim's king, upwards to where the
//! attacker's pawns go and to the right from the wing on which the king stands, so that a position with colours
//! exchanged, or mirrored left to right, has the same tokens.
//!
//! | module | what it holds |
//! |---|---|
//! | `seen` | what is seen of a move without its replies |
//! | `replies` | its replies and the follow-ups to them |
//! | `mating_net` | how a king stands mated |
//! | `tokens` | the vocabulary |

pub mod mating_net;
pub mod replies;
pub mod seen;
pub mod tokens;

use shakmaty::{Bitboard, CastlingMode, Chess, Color, EnPassantMode, File, Move, Position, Role, Square};

use crate::chess::position::{Setting, mirror, playable};
use crate::trees::tree::after;

/// A position of the attacker, with the bait that led to it if it is known.
pub struct Scene {
    /// Attacker to move.
    pub chess: Chess,
    pub bait: Option<Bait>,
    pub view: View,
    pub mode: CastlingMode,
}

/// The bait as the attacker's moves relate to it.
pub struct Bait {
    pub from: Square,
    pub to: Square,
    /// The position before it with the attacker to move, where that is legal.
    passed: Option<Chess>,
}

/// How the board is turned: attacker upwards, the victim's king on the right half.
#[derive(Clone, Copy, Debug)]
pub struct View {
    pub attacker: Color,
    flipped: bool,
}

impl View {
    pub fn of(chess: &Chess, attacker: Color) -> View {
        let king = chess.board().king_of(!attacker).expect("a legal position has both kings");
        View { attacker, flipped: king.file() <= File::D }
    }

    /// The square as it stands on the turned board; or back, since turning twice changes nothing.
    pub fn square(self, square: Square) -> Square {
        let square = if self.attacker == Color::Black { square.flip_vertical() } else { square };
        if self.flipped { square.flip_horizontal() } else { square }
    }

    /// The square of a set that comes first on the turned board.
    pub fn first(self, set: Bitboard) -> Option<Square> {
        if !set.more_than_one() {
            return set.first();
        }
        set.into_iter().min_by_key(|&square| self.square(square))
    }

    /// Where `to` lies from `king`: files to the right, ranks upwards, on the turned board, each -7 to 7.
    pub fn offset(self, king: Square, to: Square) -> (i32, i32) {
        let (king, to) = (self.square(king), self.square(to));
        (to.file() as i32 - king.file() as i32, to.rank() as i32 - king.rank() as i32)
    }

    /// Where a move stands in the order of the turned board; no two moves of a position share a place.
    pub fn place(self, m: Move) -> (Square, Square, Option<Role>, bool) {
        let (from, to) = ends(m);
        (self.square(from), self.square(to), m.promotion(), m.is_castle())
    }

    /// The position with the attacker as White, and mirrored left to right where the view is and castling, which has no
    /// mirror image, is over: for judgements that tell the colours or the wings apart.
    pub fn turned(self, chess: Chess) -> Chess {
        let mode = chess.castles().mode();
        let chess = if self.attacker.is_black() { mirror(&Setting { chess, mode }).chess } else { chess };
        if !self.flipped || chess.castles().any() {
            return chess;
        }
        let mut setup = chess.to_setup(EnPassantMode::Legal);
        setup.board.flip_horizontal();
        setup.ep_square = setup.ep_square.map(|square| square.flip_horizontal());
        playable(setup, CastlingMode::Standard).expect("a mirrored legal position is legal")
    }
}

impl Scene {
    /// `chess`: attacker to move; with the position before and the bait that led from it, if known.
    pub fn new(chess: Chess, mode: CastlingMode, before: Option<(&Chess, Move)>) -> Scene {
        let view = View::of(&chess, chess.turn());
        let bait = before.map(|(before, bait)| Bait {
            from: bait.from().unwrap_or(bait.to()),
            to: bait.to(),
            passed: pass(before, mode),
        });
        Scene { chess, bait, view, mode }
    }

    /// The scene after a bait of which only the squares are known. `None` if the victim has no piece on `to`, or `from`
    /// is not empty.
    pub fn after_squares(chess: Chess, mode: CastlingMode, from: Square, to: Square) -> Option<Scene> {
        let board = chess.board();
        let possible = board.by_color(!chess.turn()).contains(to) && board.piece_at(from).is_none();
        let mut scene = Scene::new(chess, mode, None);
        scene.bait = Some(Bait { from, to, passed: None });
        possible.then_some(scene)
    }

    /// The attacker's scene after the victim's move `bait`.
    pub fn after_bait(before: &Chess, bait: Move, mode: CastlingMode) -> Scene {
        Scene::new(after(before, bait), mode, Some((before, bait)))
    }

    pub fn victim_king(&self) -> Square {
        self.chess.board().king_of(!self.view.attacker).expect("a legal position has both kings")
    }
}

/// The position with the other side to move, unless the side to move is in check.
fn pass(chess: &Chess, mode: CastlingMode) -> Option<Chess> {
    let setup = chess.to_setup(EnPassantMode::Legal).into_swapped_turn();
    playable(setup, mode).ok()
}

/// Where a piece comes from and goes to; castling is the king's move.
pub fn ends(m: Move) -> (Square, Square) {
    match m {
        Move::Castle { king, rook } => {
            let side = shakmaty::CastlingSide::from_king_side(rook > king);
            (king, Square::from_coords(side.king_to_file(), king.rank()))
        }
        _ => (m.from().unwrap_or(m.to()), m.to()),
    }
}

/// The cheapest role among the pieces of a set.
fn cheapest(chess: &Chess, set: Bitboard) -> Option<Role> {
    Role::ALL.into_iter().find(|&role| (set & chess.board().by_role(role)).any())
}
