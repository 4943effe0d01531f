//! Searches of any game by its name.

use super::answer::Answer;
use super::node_measures::{fingerprint, similarity};
use super::options::{Measure, Options};
use super::search::Search;
use crate::game_search::games::game::Game;
use crate::game_search::games::local::LocalGame;
use crate::game_search::games::named::{with_local, with_position};
use crate::game_search::local_search::open::NamedAnswer;
use crate::game_search::local_search::search::LocalSearch;
use native::workshop::StopFlag;

/// A search whose game is known when the program runs.
pub(crate) trait AnySearch: Send {
    /// See [`Search::run`]; none if the game is over.
    fn run(&mut self, playouts: u64, by_playouts: bool, stop_flag: &StopFlag) -> Option<Answer>;

    /// Plays a move; says whether it was legal.
    fn play(&mut self, label: &str) -> bool;

    /// Labels of the legal moves.
    fn labels(&self) -> Vec<String>;

    /// What the end of the game is worth for the player to move.
    fn result(&self) -> Option<f32>;

    /// See [`Search::question`].
    fn question(&mut self, width: usize) -> Option<(Option<String>, u64)>;

    /// See [`Search::forget_questions`].
    fn forget_questions(&mut self);

    /// See [`Search::hint`].
    fn hint(&mut self, after: Option<&str>, nodes: u64, answer: NamedAnswer) -> bool;

    /// See [`Search::random_playouts`]; none if the game is over.
    fn random_playouts(&mut self, count: u64) -> Option<f64>;
}

impl<G: Game> AnySearch for Search<G> {
    fn run(&mut self, playouts: u64, by_playouts: bool, stop_flag: &StopFlag) -> Option<Answer> {
        self.game.result().is_none().then(|| Search::run(self, playouts, by_playouts, stop_flag))
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

    fn question(&mut self, width: usize) -> Option<(Option<String>, u64)> {
        Search::question(self, width)
    }

    fn forget_questions(&mut self) {
        Search::forget_questions(self);
    }

    fn hint(&mut self, after: Option<&str>, nodes: u64, answer: NamedAnswer) -> bool {
        Search::hint(self, after, nodes, answer)
    }

    fn random_playouts(&mut self, count: u64) -> Option<f64> {
        self.game.result().is_none().then(|| Search::random_playouts(self, count))
    }
}

/// A search from a position; none if there is no such game or position, or no local search where hints are wanted.
pub(crate) fn open(name: &str, position: &str, options: Options, seed: u64) -> Option<Box<dyn AnySearch>> {
    if options.local {
        return with_local!(name, position, game => hinted(game, options, seed));
    }
    with_position!(name, position, game => Box::new(Search::new(game, options, seed)) as Box<dyn AnySearch>)
}

fn hinted<G: LocalGame + 'static>(game: G, options: Options, seed: u64) -> Box<dyn AnySearch> {
    // A quarter of the memory is the local search's.
    let hinter = Box::new(LocalSearch::new(&game, options.memory / 4));
    let options = Options { memory: options.memory / 4 * 3, ..options };
    Box::new(Search::with_hints(game, options, seed, Some(hinter)))
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
    let one = with_position!(name, one, game => fingerprint(&game, measure).0)?;
    let other = with_position!(name, other, game => fingerprint(&game, measure).0)?;
    Some(similarity(&one, &other, measure))
}
