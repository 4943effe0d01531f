//! Local searches of any game by its name.

use super::answer::{Limits, LocalAnswer};
use super::distance::{Distances, PAYS};
use super::rivals::{Claim, alpha_beta, proof_number};
use super::search::LocalSearch;
use crate::game_search::games::chess;
use crate::game_search::games::local::LocalGame;
use crate::game_search::games::named::with_local;
use native::workshop::StopFlag;

/// What is known of a game before it is played.
pub(crate) struct Locality {
    /// Of two moves, in turns.
    pub(crate) mean_distance: f64,
    /// Files between moves that follow each other, where goals are shared.
    pub(crate) focus: Option<u32>,
    /// Whether moves are so far apart that much can be left out.
    pub(crate) pays: bool,
}

/// An answer with moves as labels.
pub(crate) type NamedAnswer = LocalAnswer<String>;

/// A position of a game whose moves have places and whose goals are on squares.
pub(crate) trait AnyLocal: Send {
    /// See [`LocalSearch::run`]; none if the game is over.
    fn run(&mut self, limits: Limits, stop_flag: &StopFlag) -> Option<NamedAnswer>;

    /// Plays a move; says whether it was legal. The search keeps to its surroundings.
    fn play(&mut self, label: &str) -> bool;

    fn alpha_beta(&self, moves: u32, nodes: u64, stop_flag: &StopFlag) -> Claim;

    fn proof_number(&self, nodes: u64, positions: usize, stop_flag: &StopFlag) -> Claim;
}

struct Local<G: LocalGame> {
    game: G,
    search: LocalSearch<G>,
    last: Option<usize>,
}

/// The same answer with its moves as labels.
fn named<G: LocalGame>(game: &G, found: LocalAnswer<G::Move>) -> NamedAnswer {
    let mut line = Vec::with_capacity(found.line.len());
    let mut at = game.clone();
    for m in found.line {
        line.push(at.label(m));
        at.play(m);
    }
    LocalAnswer {
        finding: found.finding,
        moves: found.moves,
        best: found.best.map(|m| game.label(m)),
        line,
        losing: found.losing.into_iter().map(|(m, moves)| (game.label(m), moves)).collect(),
        tenuki: found.tenuki,
        depth: found.depth,
        nodes: found.nodes,
        is_cancelled: found.is_cancelled,
    }
}

impl<G: LocalGame> AnyLocal for Local<G> {
    fn run(&mut self, limits: Limits, stop_flag: &StopFlag) -> Option<NamedAnswer> {
        let game = self.game.clone();
        game.result().is_none().then(|| named(&game, self.search.run(&game, self.last, limits, stop_flag)))
    }

    fn play(&mut self, label: &str) -> bool {
        let mut moves = Vec::new();
        self.game.moves(&mut moves);
        let Some(m) = moves.into_iter().find(|&m| self.game.label(m) == label) else { return false };
        self.last = Some(self.game.number(m));
        self.game.play(m);
        true
    }

    fn alpha_beta(&self, moves: u32, nodes: u64, stop_flag: &StopFlag) -> Claim {
        alpha_beta(&self.game, moves, nodes, stop_flag)
    }

    fn proof_number(&self, nodes: u64, positions: usize, stop_flag: &StopFlag) -> Claim {
        proof_number(&self.game, nodes, positions, stop_flag)
    }
}

fn local<G: LocalGame + 'static>(game: G, memory: usize) -> Box<dyn AnyLocal> {
    Box::new(Local { search: LocalSearch::new(&game, memory), game, last: None })
}

fn locality<G: LocalGame>(game: &G) -> Locality {
    let mean_distance = Distances::new(&game.statics()).mean();
    Locality { mean_distance, focus: G::FOCUS, pays: mean_distance >= PAYS }
}

/// The local search of a position; none if there is no such position, or the game has no goals on squares.
pub(crate) fn open(name: &str, position: &str, memory: usize) -> Option<Box<dyn AnyLocal>> {
    with_local!(name, position, game => local(game, memory))
}

/// What the rules say of the distances of a game's moves; none if there is no such game, or it has no goals on squares
/// (but chess, whose distances alone are known).
pub(crate) fn locality_of(name: &str, position: &str) -> Option<Locality> {
    if name == "chess" {
        let mean_distance = Distances::new(&chess::statics()).mean();
        return Some(Locality { mean_distance, focus: None, pays: mean_distance >= PAYS });
    }
    with_local!(name, position, game => locality(&game))
}
