//! Static value of a position, by the network or by the linear evaluation that it is compared with.

use std::sync::LazyLock;

use shakmaty::{Chess, Color, Position, Square};

use super::evaluation::evaluate;
use super::evaluation::scale::{Kind, UNSCALED, scale};
use super::network::accumulator::Accumulator;
use super::network::{BUCKETS, Network, bucket};
use super::score::MATE_BOUND;
use crate::chess::endgames::Outcome;
use crate::chess::endgames::tables::outcome;
use crate::chess::piece_values::piece_value;

/// What values the positions of a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Evaluation {
    Linear,
    #[default]
    Network,
}

static NETWORK: LazyLock<Network> =
    LazyLock::new(|| Network::read(include_bytes!("network/weights.bin")).expect("the tests read the same file"));

/// The share of an advantage seen by the network, in hundredths, by the bucket of the pieces: the network was taught
/// an engine's static values, and that engine's searches say this much more. Fitted to the labels of 164 games of
/// amateurs, clubs and masters (3,760 positions searched with 400 nodes): the root mean square error of the win
/// chance (-1 to 1) falls from .131 to .118.
const STRETCH: [i32; BUCKETS] = [165, 150, 134, 129, 131, 124, 118, 114];

/// Most men of an ending in which the network's value is scaled by the kind of the ending. With more men the network
/// itself knows as much.
const ENDING_MEN: usize = 8;

/// The network's value, stretched; no mate.
fn stretched(value: i32, men: usize) -> i32 {
    (value * STRETCH[bucket(men)] / 100).clamp(1 - MATE_BOUND, MATE_BOUND - 1)
}

/// The side that a value for the side to move puts ahead.
fn ahead(chess: &Chess, value: i32) -> Color {
    if value > 0 { chess.turn() } else { !chess.turn() }
}

/// Value of a position that the tables of endgames hold won. What brings the mate nearer is added.
pub(crate) const WON: i32 = 10_000;

/// The exact value of a position that is in the tables of endgames, for the side to move.
pub(super) fn known_value(chess: &Chess) -> Option<i32> {
    Some(match outcome(chess)? {
        Outcome::Drawn => 0,
        Outcome::Won => WON + progress(chess, chess.turn()),
        Outcome::Lost => -WON - progress(chess, !chess.turn()),
    })
}

/// How far the stronger side has come, 0 to 2,000 centipawns: pawns that advanced, material, a hostile king at the edge
/// of the board and its own king near.
fn progress(chess: &Chess, strong: Color) -> i32 {
    let board = chess.board();
    let own = board.by_color(strong) & !board.kings();
    let material: i32 = own.into_iter().filter_map(|square| board.role_at(square)).map(piece_value).sum();
    let steps = |square: Square| strong.fold_wb(i32::from(square.rank()), 7 - i32::from(square.rank()));
    let advanced: i32 = (own & board.pawns()).into_iter().map(steps).sum();
    let kings = board.king_of(strong).zip(board.king_of(!strong));
    let driven = kings.map_or(0, |(own, hostile)| {
        let middle = |at: i32| (2 * at - 7).abs() / 2;
        let edge = middle(i32::from(hostile.file())) + middle(i32::from(hostile.rank()));
        20 * edge + 10 * (7 - own.distance(hostile) as i32)
    });
    (material / 4 + 10 * advanced + driven).clamp(0, 2_000)
}

/// Values positions; one for each search.
pub(crate) struct Evaluator {
    pub(crate) evaluation: Evaluation,
    accumulator: Accumulator,
}

impl Evaluator {
    /// For lines of so many plies.
    pub(crate) fn new(plies: usize) -> Evaluator {
        Evaluator { evaluation: Evaluation::default(), accumulator: Accumulator::new(&NETWORK, plies) }
    }

    /// Centipawns for the side to move; no mate. The fewer pieces differ between this position and the last one that
    /// was valued at its ply or the ply before, the faster; the value is the same.
    pub(crate) fn value(&mut self, chess: &Chess, ply: usize) -> i32 {
        if let Some(value) = known_value(chess) {
            return value;
        }
        match self.evaluation {
            Evaluation::Linear => evaluate(chess),
            Evaluation::Network => {
                let men = chess.board().occupied().count();
                let value = stretched(self.accumulator.evaluate(chess, ply), men);
                if men > ENDING_MEN { value } else { value * scale(chess.board(), ahead(chess, value)) / UNSCALED }
            }
        }
    }

    /// The kind of an ending for the side that the network sees ahead, and the network's value for the side to move in
    /// centipawns, as if no kind were known. `None` for an ending of no kind or of a known outcome.
    pub(crate) fn ending(&mut self, chess: &Chess) -> Option<(Kind, i32)> {
        let men = chess.board().occupied().count();
        if men > ENDING_MEN || known_value(chess).is_some() {
            return None;
        }
        let value = stretched(self.accumulator.evaluate(chess, 0), men);
        Some((Kind::of(chess.board(), ahead(chess, value))?, value))
    }
}
