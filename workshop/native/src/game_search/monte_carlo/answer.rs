//! What a search answers.

use std::cmp::Ordering;

use super::hints::Seen;
use super::tree::{Node, Tree};
use crate::game_search::games::game::Game;

/// A move at the root.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RootMove {
    pub(crate) label: String,
    pub(crate) playouts: u32,
    /// For the player to move, -1 to 1.
    pub(crate) value: f32,
    /// Proved: 1 a win, 0 a draw, -1 a loss.
    pub(crate) proof: Option<i8>,
    /// What local search says: 1 it wins, -1 it loses, 0 nothing.
    pub(crate) hint: i8,
}

/// What a search found.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Answer {
    /// All moves that were considered, the best first.
    pub(crate) moves: Vec<RootMove>,
    /// Most visited moves of both players.
    pub(crate) line: Vec<String>,
    /// Playouts of this call.
    pub(crate) playouts: u64,
    pub(crate) nodes: usize,
    pub(crate) fingerprints: usize,
    /// What local search saw of the root and of likely positions.
    pub(crate) seen: Vec<Seen>,
    /// Somebody else ended it before its budget was spent.
    pub(crate) is_cancelled: bool,
    /// The tree could not grow any further.
    pub(crate) is_full: bool,
}

/// Whether one child is better than another: what is proved, then what local search says, then playouts, then value. If
/// local search says that all lose, playouts decide as without it.
fn compare<M>(one: &Node<M>, other: &Node<M>) -> Ordering {
    let certain = |node: &Node<M>| -node.proof.unwrap_or(0);
    let order = certain(one).cmp(&certain(other)).then(one.hint.cmp(&other.hint));
    let order = order.then(one.visits.cmp(&other.visits));
    order.then_with(|| one.value().total_cmp(&other.value())).then(other.code.cmp(&one.code))
}

/// The moves of the root at whose position `game` stands, the best first.
pub(super) fn root_moves<G: Game>(tree: &Tree<G::Move>, game: &G) -> Vec<RootMove> {
    let mut children: Vec<_> = tree.nodes[tree.nodes[0].range()].iter().collect();
    children.sort_by(|a, b| compare(b, a));
    let answered = |child: &Node<G::Move>| {
        let proof = child.proof.map(|proof| -proof);
        let label = game.label(child.played.expect("a child has a move"));
        RootMove {
            label,
            playouts: child.visits,
            value: proof.map_or(child.value(), f32::from),
            proof,
            hint: child.hint,
        }
    };
    children.into_iter().map(answered).collect()
}

/// The best moves of both sides from the root on, as far as they were tried.
pub(super) fn best_line<G: Game>(tree: &Tree<G::Move>, game: &G) -> Vec<String> {
    let (mut game, mut node, mut line) = (game.clone(), &tree.nodes[0], Vec::new());
    while let Some(best) = tree.nodes[node.range()].iter().max_by(|a, b| compare(a, b)) {
        if best.visits == 0 && best.proof.is_none() {
            break;
        }
        let m = best.played.expect("a child has a move");
        line.push(game.label(m));
        game.play(m);
        node = best;
    }
    line
}
