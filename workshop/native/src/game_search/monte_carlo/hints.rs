//! Hints of local searches for a running search: what is asked, in which order, and what the answers say of its moves.

use native::workshop::StopFlag;
use rustc_hash::{FxHashMap, FxHashSet};

use super::tree::Tree;
use crate::game_search::games::game::Game;
use crate::game_search::games::local::LocalGame;
use crate::game_search::local_search::answer::{Finding, Limits, LocalAnswer};
use crate::game_search::local_search::distance::MOST_MOVES;
use crate::game_search::local_search::search::LocalSearch;

/// Nodes of the first question about a position; each further one has twice as many.
const FIRST_NODES: u64 = 2_000;
/// Likely next moves whose positions are asked about.
pub(super) const LIKELY: usize = 3;
/// Playouts between two questions where no thread answers them.
pub(super) const PLAYOUTS: u64 = 500;

/// The local search of a game, for a search that knows no goals.
pub(crate) trait Hinter<G: Game>: Send {
    /// What numbers the moves of a position.
    fn numbers(&self) -> Numbers<G>;

    fn look(&mut self, question: &Question<G>, stop_flag: &StopFlag) -> LocalAnswer<G::Move>;
}

/// The number of a move in a position, see [`LocalGame::number`].
pub(super) type Numbers<G> = fn(&G, <G as Game>::Move) -> usize;

impl<G: LocalGame> Hinter<G> for LocalSearch<G> {
    fn numbers(&self) -> Numbers<G> {
        G::number
    }

    fn look(&mut self, question: &Question<G>, stop_flag: &StopFlag) -> LocalAnswer<G::Move> {
        let limits = Limits { moves: MOST_MOVES as u32, nodes: question.nodes };
        self.run(&question.game, question.last, limits, stop_flag)
    }
}

/// A position, and the number of the move that led to it.
pub(crate) struct Question<G: Game> {
    /// The root's move to it; none at the root itself.
    pub(super) after: Option<G::Move>,
    pub(super) game: G,
    pub(super) last: Option<usize>,
    pub(super) nodes: u64,
}

/// What local search saw of a position.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Seen {
    /// The move from the root to it; none: the root.
    pub(crate) after: Option<String>,
    /// For the player to move there.
    pub(crate) finding: Finding,
    pub(crate) moves: u32,
    pub(crate) line: Vec<String>,
    pub(crate) losing: Vec<String>,
    pub(crate) tenuki: Option<u32>,
}

/// What was asked, and what is to be asked next.
pub(super) struct Schedule<G: Game> {
    /// The number of the move that led to the root.
    last: Option<usize>,
    /// Nodes that were spent on a position, by the code of the root's move to it; none where everything is known.
    spent: FxHashMap<Option<u16>, Option<u64>>,
    seen: Vec<(Option<u16>, Seen)>,
    /// Positions that somebody else is looking at, by the same code.
    pub(super) asked: FxHashSet<Option<u16>>,
    numbers: Option<Numbers<G>>,
}

impl<G: Game> Schedule<G> {
    pub(super) fn new(last: Option<usize>, numbers: Option<Numbers<G>>) -> Schedule<G> {
        Schedule { last, spent: FxHashMap::default(), seen: Vec::new(), asked: FxHashSet::default(), numbers }
    }

    pub(super) fn seen(&self) -> Vec<Seen> {
        self.seen.iter().map(|(_, seen)| seen.clone()).collect()
    }

    /// What to search now: the root, or the position after one of the likely moves, the least searched one first.
    pub(super) fn next(&self, tree: &Tree<G::Move>, game: &G, likely_moves: usize) -> Option<Question<G>> {
        let mut likely: Vec<_> =
            tree.nodes[tree.nodes[0].range()].iter().filter(|child| child.proof.is_none()).collect();
        likely.sort_by_key(|child| std::cmp::Reverse(child.visits));
        likely.truncate(likely_moves);
        let targets = [None].into_iter().chain(likely.iter().map(|child| Some((child.code, child.played))));
        let spent = |target: &Option<(u16, Option<G::Move>)>| {
            self.spent.get(&target.map(|(code, _)| code)).copied().unwrap_or(Some(0))
        };
        let is_free = |target: &Option<(u16, Option<G::Move>)>| !self.asked.contains(&target.map(|(code, _)| code));
        let open = targets.filter(is_free).filter_map(|target| spent(&target).map(|nodes| (nodes, target)));
        // The first of those with the least nodes.
        let (nodes, target) = open.min_by_key(|(nodes, _)| *nodes)?;
        let nodes = (2 * nodes).max(FIRST_NODES);
        let Some((_, Some(m))) = target else {
            return Some(Question { after: None, game: game.clone(), last: self.last, nodes });
        };
        let mut next = game.clone();
        next.play(m);
        if next.result().is_some() {
            return None;
        }
        Some(Question { after: Some(m), game: next, last: self.numbers.map(|number| number(game, m)), nodes })
    }

    /// An answer becomes hints of the moves that it speaks of.
    pub(super) fn apply(
        &mut self,
        tree: &mut Tree<G::Move>,
        game: &G,
        question: &Question<G>,
        answer: &LocalAnswer<G::Move>,
    ) {
        let code = question.after.map(|m| game.code(m));
        let is_done = answer.finding != Finding::Nothing || answer.nodes < question.nodes && !answer.is_cancelled;
        self.spent.insert(code, (!is_done).then_some(question.nodes));
        let Some(node) = place(tree, code) else { return };
        for (m, _) in &answer.losing {
            hint(tree, node, question.game.code(*m), -1);
        }
        if let (Finding::Win, Some(m)) = (answer.finding, answer.best) {
            hint(tree, node, question.game.code(m), 1);
        }
        if node != 0 {
            // The value of the position is the opponent's.
            tree.nodes[node].hint = match answer.finding {
                Finding::Win => -1,
                Finding::Loss => 1,
                Finding::Nothing => 0,
            };
        }
        self.remember(code, game, question, answer);
    }

    fn remember(&mut self, code: Option<u16>, game: &G, question: &Question<G>, answer: &LocalAnswer<G::Move>) {
        self.seen.retain(|(known, _)| *known != code);
        if answer.finding == Finding::Nothing && answer.tenuki.is_none() {
            return;
        }
        let (mut at, mut line) = (question.game.clone(), Vec::new());
        for m in &answer.line {
            line.push(at.label(*m));
            at.play(*m);
        }
        let seen = Seen {
            after: question.after.map(|m| game.label(m)),
            finding: answer.finding,
            moves: answer.moves,
            line,
            losing: answer.losing.iter().map(|(m, _)| question.game.label(*m)).collect(),
            tenuki: answer.tenuki,
        };
        self.seen.push((code, seen));
    }
}

/// The root, or its child of a code.
fn place<M: Copy>(tree: &Tree<M>, code: Option<u16>) -> Option<usize> {
    match code {
        None => Some(0),
        Some(code) => tree.nodes[0].range().find(|&child| tree.nodes[child].code == code),
    }
}

fn hint<M: Copy>(tree: &mut Tree<M>, node: usize, code: u16, hint: i8) {
    let range = tree.nodes[node].range();
    for child in &mut tree.nodes[range] {
        if child.code == code {
            child.hint = hint;
        }
    }
}
