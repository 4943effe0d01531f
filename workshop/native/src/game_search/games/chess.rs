//! Chess, by the rules of `trapcore/trees/chess_game.py`. Playouts are cut off after some plies: quiescence values them.

use native::workshop::{Searcher, StopFlag, after, move_code, own_words, parse, win_chance};
use shakmaty::{CastlingMode, Color, Piece, Position, Role, Square, attacks};

use super::game::Game;
use super::local::{CONTENTS, EMPTY, StaticMove, Statics, man};

#[derive(Clone)]
pub(crate) struct Chess {
    chess: shakmaty::Chess,
    mode: CastlingMode,
}

impl Chess {
    pub(crate) fn parse(fen: &str) -> Option<Chess> {
        parse(fen).ok().map(|read| Chess { chess: read.chess, mode: read.mode })
    }
}

impl Game for Chess {
    type Move = shakmaty::Move;
    type Evaluator = Searcher;
    const CODES: usize = 1 << 15;
    const POLL: u64 = 4;
    const PLAYOUT_PLIES: u32 = 2;
    const HAS_EVALUATION: bool = true;

    fn evaluator() -> Searcher {
        Searcher::for_quiescence(&StopFlag::default())
    }

    fn mover(&self) -> usize {
        usize::from(self.chess.turn().is_black())
    }

    fn result(&self) -> Option<f32> {
        if self.chess.legal_moves().is_empty() {
            return Some(if self.chess.is_check() { -1.0 } else { 0.0 });
        }
        self.chess.is_insufficient_material().then_some(0.0)
    }

    fn moves(&self, moves: &mut Vec<shakmaty::Move>) {
        moves.clear();
        if !self.chess.is_insufficient_material() {
            moves.extend(self.chess.legal_moves());
        }
    }

    fn play(&mut self, m: shakmaty::Move) {
        self.chess = after(&self.chess, m);
    }

    fn code(&self, m: shakmaty::Move) -> u16 {
        move_code(m)
    }

    fn label(&self, m: shakmaty::Move) -> String {
        m.to_uci(self.mode).to_string()
    }

    /// Words of the abstracted tree, of the moves alone.
    fn abstracted(&self, moves: &[shakmaty::Move]) -> Vec<Vec<u32>> {
        own_words(&self.chess, self.mode, moves)
    }

    /// The win chance of the value after captures and checks are played out.
    fn evaluate(&self, searcher: &mut Searcher) -> f32 {
        win_chance(searcher.quiescence(&self.chess)) as f32
    }
}

/// All moves of all men on an empty board, and captures of pawns, without castling and promotion; for their distances.
/// Mates depend on any squares: there are no goals.
pub(crate) fn statics() -> Statics {
    let mut moves = Vec::new();
    for color in Color::ALL {
        let player = usize::from(color.is_black());
        for (kind, role) in Role::ALL.into_iter().enumerate() {
            for from in Square::ALL {
                for to in Square::ALL {
                    if let Some(between) = way(Piece { color, role }, from, to) {
                        let mut made = StaticMove { player, touches: bit(from) | bit(to), ..StaticMove::default() };
                        made.makes[man(player, kind)] = bit(to);
                        made.makes[EMPTY] = bit(from);
                        made.needs[man(player, kind)] = bit(from);
                        made.needs[EMPTY] = between | bit(to);
                        if role != Role::Pawn || from.file() != to.file() {
                            for content in (0..CONTENTS - 1).filter(|content| content / 6 != player) {
                                made.needs[content] = bit(to);
                            }
                        }
                        moves.push(made);
                    }
                }
            }
        }
    }
    Statics { moves, goals: [Vec::new(), Vec::new()] }
}

fn bit(square: Square) -> u64 {
    1 << u32::from(square)
}

/// The squares between, if a man can go from one square to the other; none if not.
fn way(piece: Piece, from: Square, to: Square) -> Option<u64> {
    let between = attacks::between(from, to).0;
    if piece.role != Role::Pawn {
        return attacks::attacks(from, piece, 0u64.into()).contains(to).then_some(between);
    }
    // A pawn is on the second to the seventh rank, and never goes to its first.
    let (start, up) = if piece.color.is_white() { (1, 1) } else { (6, -1) };
    let ranks = (i32::from(to.rank()) - i32::from(from.rank())) * up;
    let is_there = !matches!(i32::from(from.rank()), 0 | 7);
    let files = (i32::from(to.file()) - i32::from(from.file())).abs();
    let goes = ranks == 1 && files <= 1 || ranks == 2 && files == 0 && i32::from(from.rank()) == start;
    (is_there && goes).then_some(between)
}
