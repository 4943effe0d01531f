//! Chess, by the rules of `trapcore/trees/chess_game.py`. Playouts are cut off after some plies: quiescence values them.

use shakmaty::{CastlingMode, Position};

use super::super::game::Game;
use crate::chess::moves::{after, move_code};
use crate::chess::position;
use crate::search::Searcher;
use crate::search::stop::StopFlag;
use crate::trap_test::win_chance;

#[derive(Clone)]
pub(crate) struct Chess {
    chess: shakmaty::Chess,
    mode: CastlingMode,
}

impl Chess {
    pub(crate) fn parse(fen: &str) -> Option<Chess> {
        position::parse(fen).ok().map(|read| Chess { chess: read.chess, mode: read.mode })
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

    /// The win chance of the value after captures and checks are played out.
    fn evaluate(&self, searcher: &mut Searcher) -> f32 {
        win_chance(searcher.quiescence(&self.chess)) as f32
    }
}
