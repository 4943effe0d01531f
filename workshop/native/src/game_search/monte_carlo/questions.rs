//! Questions for local searches that run elsewhere, and their answers.

use super::hints::{LIKELY, Question};
use super::search::Search;
use crate::game_search::games::game::Game;
use crate::game_search::local_search::answer::LocalAnswer;
use crate::game_search::local_search::open::NamedAnswer;

impl<G: Game> Search<G> {
    /// A position that is worth a look and that nobody examines, for a local search elsewhere, whose answer comes with
    /// [`Search::hint`]: the label of the move to it, none for this position, and the nodes to spend. None if there is
    /// nothing to ask.
    pub(super) fn question(&mut self, width: usize) -> Option<(Option<String>, u64)> {
        let question = self.schedule.next(&self.tree, &self.game, LIKELY.max(width))?;
        self.schedule.asked.insert(question.after.map(|m| self.game.code(m)));
        Some((question.after.map(|m| self.game.label(m)), question.nodes))
    }

    /// Nobody examines what was asked any more.
    pub(super) fn forget_questions(&mut self) {
        self.schedule.asked.clear();
    }

    /// The answer to a question becomes hints; says whether it is one of this position, with moves as they are legal.
    pub(super) fn hint(&mut self, after: Option<&str>, nodes: u64, answer: NamedAnswer) -> bool {
        let mut game = self.game.clone();
        let after = match after {
            None => None,
            Some(label) => {
                let Some(m) = legal(&game, label) else { return false };
                game.play(m);
                Some(m)
            }
        };
        if !self.schedule.asked.remove(&after.map(|m| self.game.code(m))) {
            return false;
        }
        let mut line = Vec::new();
        let mut at = game.clone();
        for label in &answer.line {
            let Some(m) = legal(&at, label) else { return false };
            line.push(m);
            at.play(m);
        }
        let losing = answer.losing.iter().map(|(label, moves)| legal(&game, label).map(|m| (m, *moves)));
        let (Some(losing), best) = (losing.collect(), answer.best.as_deref().map(|label| legal(&game, label))) else {
            return false;
        };
        let answer = LocalAnswer {
            finding: answer.finding,
            moves: answer.moves,
            best: best.flatten(),
            line,
            losing,
            tenuki: answer.tenuki,
            depth: answer.depth,
            nodes: answer.nodes,
            is_cancelled: answer.is_cancelled,
        };
        let question = Question { after, game, last: None, nodes };
        self.schedule.apply(&mut self.tree, &self.game, &question, &answer);
        true
    }
}

/// The legal move of a label.
fn legal<G: Game>(game: &G, label: &str) -> Option<G::Move> {
    let mut moves = Vec::new();
    game.moves(&mut moves);
    moves.into_iter().find(|&m| game.label(m) == label)
}
