//! Static value of a position, by the network or by the linear evaluation that it is compared with.

use std::sync::LazyLock;

use shakmaty::Chess;

use super::evaluation::evaluate;
use super::network::Network;
use super::network::accumulator::Accumulator;

/// What values the positions of a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Evaluation {
    Linear,
    #[default]
    Network,
}

impl Evaluation {
    /// By its name, "linear" or "network".
    pub(crate) fn named(name: &str) -> Option<Evaluation> {
        match name {
            "linear" => Some(Evaluation::Linear),
            "network" => Some(Evaluation::Network),
            _ => None,
        }
    }
}

static NETWORK: LazyLock<Network> =
    LazyLock::new(|| Network::read(include_bytes!("network/weights.bin")).expect("the tests read the same file"));

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
        match self.evaluation {
            Evaluation::Linear => evaluate(chess),
            Evaluation::Network => self.accumulator.evaluate(chess, ply),
        }
    }
}
