//! Searches of any game by its name.

use super::answer::Answer;
use super::fingerprints::{fingerprint, similarity};
use super::game::Game;
use super::games::breakthrough::Breakthrough;
use super::games::chess::Chess;
use super::games::connect_four::ConnectFour;
use super::games::go::Go;
use super::games::tic_tac_toe::TicTacToe;
use super::options::{Measure, Options};
use super::search::Search;
use crate::search::stop::StopFlag;

/// A search whose game is known when the program runs.
pub(crate) trait AnySearch: Send {
    /// See [`Search::run`]; none if the game is over.
    fn run(&mut self, playouts: u64, stop_flag: &StopFlag) -> Option<Answer>;

    /// Plays a move; says whether it was legal.
    fn play(&mut self, label: &str) -> bool;

    /// Labels of the legal moves.
    fn labels(&self) -> Vec<String>;

    /// What the end of the game is worth for the player to move.
    fn result(&self) -> Option<f32>;

    /// See [`Search::random_playouts`]; none if the game is over.
    fn random_playouts(&mut self, count: u64) -> Option<f64>;
}

impl<G: Game> AnySearch for Search<G> {
    fn run(&mut self, playouts: u64, stop_flag: &StopFlag) -> Option<Answer> {
        self.game.result().is_none().then(|| Search::run(self, playouts, stop_flag))
    }

    fn play(&mut self, label: &str) -> bool {
        let mut moves = Vec::new();
        self.game.moves(&mut moves);
        let found = moves.into_iter().find(|&m| self.game.label(m) == label);
        found.map(|m| Search::play(self, m)).is_some()
    }

    fn labels(&self) -> Vec<String> {
        let mut moves = Vec::new();
        self.game.moves(&mut moves);
        moves.into_iter().map(|m| self.game.label(m)).collect()
    }

    fn result(&self) -> Option<f32> {
        self.game.result()
    }

    fn random_playouts(&mut self, count: u64) -> Option<f64> {
        self.game.result().is_none().then(|| Search::random_playouts(self, count))
    }
}

/// The size in a name like `go-5x5`.
fn size(name: &str, game: &str, sizes: std::ops::RangeInclusive<u32>) -> Option<u32> {
    let (width, height) = name.strip_prefix(game)?.strip_prefix('-')?.split_once('x')?;
    let size = width.parse().ok()?;
    (width == height && sizes.contains(&size)).then_some(size)
}

/// Reads a position of the game that is named, and does something with it; none if there is no such game or position.
macro_rules! with_position {
    ($name:expr, $text:expr, $position:ident => $body:expr) => {
        match $name {
            "chess" => Chess::parse($text).map(|$position| $body),
            "tic-tac-toe" => TicTacToe::parse($text).map(|$position| $body),
            "connect-four" => ConnectFour::parse($text).map(|$position| $body),
            "breakthrough" => Breakthrough::parse($text, 8).map(|$position| $body),
            name => {
                if let Some(size) = size(name, "breakthrough", 5..=8) {
                    Breakthrough::parse($text, size).map(|$position| $body)
                } else {
                    let size = size(name, "go", 2..=7)?;
                    Go::parse($text, size).map(|$position| $body)
                }
            }
        }
    };
}

/// A search from a position; none if there is no such game or position.
pub(crate) fn open(name: &str, position: &str, options: Options, seed: u64) -> Option<Box<dyn AnySearch>> {
    with_position!(name, position, game => Box::new(Search::new(game, options, seed)) as Box<dyn AnySearch>)
}

/// Whether the game has an evaluation; none if there is no such game or position.
pub(crate) fn has_evaluation(name: &str, position: &str) -> Option<bool> {
    fn known<G: Game>(_game: &G) -> bool {
        G::HAS_EVALUATION
    }
    with_position!(name, position, game => known(&game))
}

/// The similarity by which nodes are linked, of two positions of a game.
pub(crate) fn compare(name: &str, one: &str, other: &str, measure: Measure) -> Option<f32> {
    let one = with_position!(name, one, game => fingerprint(&game, measure))?;
    let other = with_position!(name, other, game => fingerprint(&game, measure))?;
    Some(similarity(&one, &other, measure))
}
