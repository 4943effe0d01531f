//! What the moves of one game cost: the pass over its positions, and the answers about single moves.

use std::ops::Range;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use shakmaty::{Chess, Move, Position};

use crate::chess::moves::{after, move_code};
use crate::judge::losses::{Effort, Loss, LossProver, Question};
use crate::judge::model::Case;
use crate::judge::pass::{Deepening, deepen, pass};
use crate::judge::suspicion::{Circumstances, Evidence};
use crate::judge::workspace::Workspace;
use crate::pgn::reader::Game;
use crate::search::verdict::Verdict;
use crate::search::{Limits, MAX_DEPTH};
use crate::trap_test::win_chance;

/// The stages for what is not to be believed of fewer nodes: that a trap of the library says that a move loses, and what
/// a move costs that carries an event, where that matters.
const CONFIRMING: Range<usize> = 1..3;
/// They matter where the move costs so much, or where every other one costs so much more.
const NOTABLE: f64 = 0.05;
const ALONE: f64 = 0.2;

/// What is known of a move before it is asked about.
struct Prior {
    /// The answer that is tried first.
    killer: Option<Move>,
    /// That it loses to a mate is proved.
    mated: bool,
    stages: Range<usize>,
}

/// A game and what is known of its moves.
pub(super) struct GameLosses<'a> {
    pub moves: &'a [Move],
    /// Before each move, and after the last.
    pub positions: Vec<Chess>,
    /// The pass, by position; empty where none was made.
    pub searched: Vec<Deepening>,
    answers: FxHashMap<(usize, u16), Option<Arc<Loss>>>,
    /// Of Black and of White, as the game says.
    ratings: [Option<u32>; 2],
    from: usize,
    effort: Effort,
}

impl<'a> GameLosses<'a> {
    /// A game of which nothing is known yet; its first `from` decisions are not looked at.
    pub(super) fn new(game: &'a Game, from: usize, effort: Effort, work: &mut Workspace) -> GameLosses<'a> {
        let mut positions = Vec::with_capacity(game.moves.len() + 1);
        positions.push(game.initial.clone());
        for (index, &m) in game.moves.iter().enumerate() {
            positions.push(after(&positions[index], m));
        }
        work.searcher.clear();
        let rating = |tag: &str| game.tag(tag).and_then(|text| text.parse().ok()).filter(|&rating| rating > 0);
        let ratings = [rating("BlackElo"), rating("WhiteElo")];
        let (searched, answers) = (Vec::new(), FxHashMap::default());
        GameLosses { moves: &game.moves, positions, searched, answers, ratings, from, effort }
    }

    fn rating(&self, decision: usize) -> Option<u32> {
        self.ratings[usize::from(self.positions[decision].turn().is_white())]
    }

    /// The stages where nobody says that the move loses; an engine that decides needs no more than a first look.
    fn usual(&self) -> Range<usize> {
        1..self.effort.end.max(2)
    }

    /// Makes the pass.
    pub(super) fn pass(&mut self, work: &mut Workspace) {
        let stop_flag = work.searcher.stop_flag.clone();
        self.searched = pass(&mut work.searcher, &self.positions, self.from, &stop_flag);
        work.proof_nodes += self.searched.iter().map(|one| one.nodes).sum::<u64>();
    }

    /// What the pass saw of the move played at a decision; nothing where it did not look.
    pub(super) fn evidence(&self, decision: usize) -> Option<Evidence> {
        let (best, answers) = (self.searched.get(decision)?, self.searched.get(decision + 1)?);
        let circumstances = Circumstances::new(&self.positions[decision], self.rating(decision));
        (!best.values.is_empty()).then(|| Evidence::new(&best.values, &answers.values, circumstances))
    }

    /// The decisions whose move may have lost by what the pass saw.
    pub(super) fn suspects(&self) -> Vec<usize> {
        let suspected =
            |&decision: &usize| self.evidence(decision).is_some_and(|e| e.probability(0) >= self.effort.suspected);
        (self.from..self.moves.len()).filter(suspected).collect()
    }

    /// What a move costs that could be played at a decision; `None` if it is the only one. Asked again, the answer is
    /// the same.
    pub(super) fn loss(&mut self, decision: usize, bait: Move, work: &mut Workspace) -> Option<Arc<Loss>> {
        if self.effort.end == 1 && self.moves.get(decision) == Some(&bait) {
            return self.suspicion(decision);
        }
        self.answer(decision, bait, Prior { killer: None, mated: false, stages: self.usual() }, work)
    }

    /// The move played at a decision as the pass saw it, undecided; `None` if it is the only one.
    fn suspicion(&self, decision: usize) -> Option<Arc<Loss>> {
        let evidence = self.evidence(decision).filter(|_| self.positions[decision].legal_moves().len() > 1)?;
        let (best, answers) = (&self.searched[decision], &self.searched[decision + 1]);
        let is_best = best.line.first() == Some(&self.moves[decision]);
        Some(Arc::new(Loss {
            before: evidence.before,
            after: evidence.after,
            best_line: if is_best { Vec::new() } else { best.line.clone() },
            line: answers.line.clone(),
            mate_in: None,
            verdict: Verdict::Undecided,
            probability: evidence.probability(0),
            stage: 0,
            settled: true,
            nodes: 0,
        }))
    }

    /// What the bait of a case costs, which the library or a proof says to lose; `None` if it is the only move.
    pub(super) fn proposed(&mut self, decision: usize, case: &Case, work: &mut Workspace) -> Option<Arc<Loss>> {
        let mated = case.mate_in.is_some() && case.verdict == Verdict::Proved;
        let prior = Prior { killer: case.line.first().copied(), mated, stages: CONFIRMING };
        self.answer(decision, case.bait, prior, work)
    }

    /// What the answer to the bait at a decision costs against the killer.
    pub(super) fn answered(&mut self, decision: usize, work: &mut Workspace) -> Option<Arc<Loss>> {
        self.answer(
            decision + 1,
            self.moves[decision + 1],
            Prior { killer: None, mated: false, stages: CONFIRMING },
            work,
        )
    }

    fn answer(&mut self, decision: usize, bait: Move, prior: Prior, work: &mut Workspace) -> Option<Arc<Loss>> {
        let key = (decision, move_code(bait));
        if let Some(answer) = self.answers.get(&key) {
            return answer.clone();
        }
        let answer = self.ask(decision, bait, prior, work);
        self.answers.insert(key, answer.clone());
        answer
    }

    fn ask(&self, decision: usize, bait: Move, prior: Prior, work: &mut Workspace) -> Option<Arc<Loss>> {
        self.seen(decision, bait, prior, work, |_, _| {})
    }

    /// Asks about the move played at a decision as if nothing were known of it; `each` sees the evidence after every
    /// stage of the proof, with its number.
    pub(super) fn examine(&self, decision: usize, work: &mut Workspace, each: impl FnMut(usize, &Evidence)) {
        self.seen(
            decision,
            self.moves[decision],
            Prior { killer: None, mated: false, stages: self.usual() },
            work,
            each,
        );
    }

    fn seen(
        &self,
        decision: usize,
        bait: Move,
        prior: Prior,
        work: &mut Workspace,
        each: impl FnMut(usize, &Evidence),
    ) -> Option<Arc<Loss>> {
        let Prior { killer, mated, stages } = prior;
        let best = self.searched.get(decision).and_then(|one| one.line.first().copied());
        // After the move that was played the pass has an answer of its own.
        let played = self.moves.get(decision) == Some(&bait);
        let answer = self.searched.get(decision + 1).filter(|_| played).and_then(|one| one.line.first());
        let killers: Vec<Move> = killer.into_iter().chain(answer.copied()).collect();
        let (position, rating) = (&self.positions[decision], self.rating(decision));
        let seen = self.evidence(decision).filter(|_| played);
        let question = Question { position, bait, killers: &killers, best, mated, seen, rating, stages };
        let mut prover =
            LossProver { effort: self.effort, searcher: &mut work.searcher, prover: &mut work.tester.prover };
        let loss = prover.prove(question, each)?;
        work.proof_nodes += loss.nodes;
        Some(Arc::new(loss))
    }

    /// What the move played at a decision costs, looked at twice where a glyph may depend on it.
    pub(super) fn played(&mut self, decision: usize, work: &mut Workspace) -> Option<Arc<Loss>> {
        let m = self.moves[decision];
        let loss = self.loss(decision, m, work)?;
        let matters = loss.cost() >= NOTABLE || loss.cost() <= -ALONE;
        if !matters || loss.verdict != Verdict::Refuted || loss.stage >= CONFIRMING.start {
            return Some(loss);
        }
        let answer = self.ask(decision, m, Prior { killer: None, mated: false, stages: CONFIRMING }, work);
        self.answers.insert((decision, move_code(m)), answer.clone());
        answer
    }

    /// Whether a search of so many nodes sees a move at a decision cost `least` or more against what the pass found
    /// there.
    pub(super) fn may_cost(&self, decision: usize, m: Move, least: f64, nodes: u64, work: &mut Workspace) -> bool {
        let Some(before) = self.searched.get(decision) else { return false };
        let limits = Limits { depth: MAX_DEPTH, nodes };
        let next = after(&self.positions[decision], m);
        let answers = deepen(&mut work.searcher, &next, &[], &[], limits);
        work.proof_nodes += answers.nodes;
        win_chance(before.value()) + win_chance(answers.value()) >= least
    }

    /// Whether the move played at a decision mates.
    pub(super) fn mates(&self, decision: usize) -> bool {
        self.positions.get(decision + 1).is_some_and(Position::is_checkmate)
    }
}
