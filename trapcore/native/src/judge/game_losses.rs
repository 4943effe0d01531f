//! What the moves of one game cost: the pass over its positions, and the answers about single moves.

use std::ops::Range;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use shakmaty::{Chess, Move, Position};

use crate::chess::moves::{after, move_code, positions_along};
use crate::judge::judgements::{ENGINE, JudgedPosition, Judgement, Judgements};
use crate::judge::losses::suspicion::{Circumstances, Evidence};
use crate::judge::losses::{Effort, Loss, LossProver, Question, STAGE_NODES};
use crate::judge::model::Case;
use crate::judge::pass::{Deepening, LOOK_NODES, PASS_NODES, deepen, pass};
use crate::judge::workspace::Workspace;
use crate::pgn::reader::Game;
use crate::search::verdict::Verdict;
use crate::search::{Limits, MAX_DEPTH};
use crate::win_chance::win_chance;

/// The stages for what is not to be believed of fewer nodes: that a trap of the library says that a move loses, and what
/// a move costs that carries an event, where that matters.
const CONFIRMING: Range<usize> = 1..3;
/// They matter if the move costs this much, or if every other one costs this much more.
const NOTABLE: f64 = 0.05;
const ALONE: f64 = 0.2;
/// A move is looked at again if it seems to cost this much.
const SEEMS: f64 = 0.06;

/// An engine is asked about a move that costs this much by its look. In 51 games with lichess's evaluations a border of
/// .08 told one more of the 255 moves that cost 15 points.
const LOOKED: f64 = 0.12;

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
    /// Of all that was searched.
    judgements: Judgements,
    /// The game is judged: what is searched now counts only if it is deeper.
    pub is_judged: bool,
    /// Of Black and of White, as the game says.
    ratings: [Option<u32>; 2],
    effort: Effort,
}

impl<'a> GameLosses<'a> {
    /// A game without knowledge yet.
    pub(super) fn new(game: &'a Game, effort: Effort, work: &mut Workspace) -> GameLosses<'a> {
        let positions = positions_along(&game.initial, &game.moves);
        work.searcher.clear();
        let rating = |tag: &str| game.tag(tag).and_then(|text| text.parse().ok()).filter(|&rating| rating > 0);
        let ratings = [rating("BlackElo"), rating("WhiteElo")];
        let (searched, answers, judgements) = (Vec::new(), FxHashMap::default(), Judgements::default());
        GameLosses { moves: &game.moves, positions, searched, answers, judgements, is_judged: false, ratings, effort }
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
        self.searched = pass(&mut work.searcher, &self.positions, &stop_flag);
        work.proof_nodes += self.searched.iter().map(|one| one.nodes).sum::<u64>();
        self.note_pass(PASS_NODES);
    }

    /// Takes an engine's look at each position for the pass.
    pub(super) fn looked(&mut self, looks: Vec<Deepening>) {
        self.searched = looks;
        self.note_pass(ENGINE + LOOK_NODES);
    }

    fn note_pass(&mut self, nodes: u64) {
        for (position, found) in self.positions.iter().zip(&self.searched).filter(|(_, found)| !found.values.is_empty())
        {
            let (chance, line) = (win_chance(found.value()), found.line.clone());
            self.judgements.note(position, Judgement { chance, nodes, line });
        }
    }

    /// What a position is worth by the deepest search of it; `None` if there was none.
    pub(super) fn judged(&self, position: &Chess) -> Option<JudgedPosition> {
        let judgement = self.judgements.of(position)?;
        Some(JudgedPosition { position: position.clone(), judgement })
    }

    /// Notes that the side to move at a decision mates by this line.
    pub(super) fn note_mate(&mut self, decision: usize, line: &[Move]) {
        self.judgements.note_mate(&self.positions[decision], line);
    }

    /// Notes what an answer says of the position of a decision and of that after the move in question.
    fn note(&mut self, decision: usize, bait: Move, killer: Option<Move>, loss: &Loss, mated: bool) {
        let position = self.positions[decision].clone();
        let nodes = STAGE_NODES[loss.stage];
        let line = if loss.line.is_empty() { killer.into_iter().collect() } else { loss.line.clone() };
        let best = if loss.before >= loss.after { loss.best_line.clone() } else { [vec![bait], line.clone()].concat() };
        self.keep(&position, Judgement { chance: loss.before.max(loss.after), nodes, line: best });
        let baited = after(&position, bait);
        if mated || loss.mate_in.is_some() {
            self.judgements.note_mate(&baited, &line);
        } else {
            self.keep(&baited, Judgement { chance: -loss.after, nodes, line });
        }
    }

    fn keep(&mut self, position: &Chess, found: Judgement) {
        let known = self.judgements.of(position).map_or(0, |known| known.nodes);
        if !self.is_judged || found.nodes > known {
            self.judgements.note(position, found);
        }
    }

    /// Makes the judgements of the positions of the game agree, after the last search.
    pub(super) fn agree(&mut self) {
        self.judgements.agree(&self.positions, self.moves);
    }

    /// What the pass saw of the move played at a decision; nothing where it did not look.
    pub(super) fn evidence(&self, decision: usize) -> Option<Evidence> {
        let (best, answers) = (self.searched.get(decision)?, self.searched.get(decision + 1)?);
        let circumstances = Circumstances::new(&self.positions[decision], self.rating(decision));
        (!best.values.is_empty()).then(|| Evidence::new(&best.values, &answers.values, circumstances))
    }

    /// The decisions whose move may have lost by what the pass saw. Where the move ended the game nothing punishes it.
    pub(super) fn suspects(&self) -> Vec<usize> {
        let Effort { suspected, end, .. } = self.effort;
        let is_suspected =
            |seen: Evidence| if end == 1 { seen.loss() >= LOOKED } else { seen.probability(0) >= suspected };
        let goes_on = |decision: usize| !self.positions[decision + 1].legal_moves().is_empty();
        (0..self.moves.len())
            .filter(|&decision| goes_on(decision) && self.evidence(decision).is_some_and(is_suspected))
            .collect()
    }

    /// What a move costs that could be played at a decision; `None` if it is the only one. Asked again, the answer is
    /// the same.
    pub(super) fn loss(&mut self, decision: usize, bait: Move, work: &mut Workspace) -> Option<Arc<Loss>> {
        if self.effort.end == 1 && self.moves.get(decision) == Some(&bait) {
            return self.suspicion(decision);
        }
        self.answer(decision, bait, Prior { killer: None, mated: false, stages: self.usual() }, work)
    }

    /// What a move costs that was not played at a decision; `None` if it is the only one. The last stage, which costs most,
    /// is for moves that were played.
    pub(super) fn unplayed(&mut self, decision: usize, bait: Move, work: &mut Workspace) -> Option<Arc<Loss>> {
        let stages = 1..self.usual().end.min(CONFIRMING.end);
        self.answer(decision, bait, Prior { killer: None, mated: false, stages }, work)
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

    /// What the bait of a case costs, which the library or a proof says to lose; `None` if it is the only move. The
    /// case's killer is tried where nothing was proved without it.
    pub(super) fn proposed(&mut self, decision: usize, case: &Case, work: &mut Workspace) -> Option<Arc<Loss>> {
        let mated = case.mate_in.is_some() && case.verdict == Verdict::Proved;
        if mated {
            self.judgements.note_mate(&after(&self.positions[decision], case.bait), &case.line);
        }
        let known = self.answers.get(&(decision, move_code(case.bait))).cloned().flatten();
        if let Some(known) = known.filter(|loss| loss.verdict == Verdict::Proved) {
            return Some(known);
        }
        let prior = Prior { killer: case.line.first().copied(), mated, stages: CONFIRMING };
        self.ask(decision, case.bait, prior, work)
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
        self.ask(decision, bait, prior, work)
    }

    fn ask(&mut self, decision: usize, bait: Move, prior: Prior, work: &mut Workspace) -> Option<Arc<Loss>> {
        let Prior { killer, mated, .. } = prior;
        let answer = self.seen(decision, bait, prior, work, |_, _| {});
        if let Some(loss) = &answer {
            self.note(decision, bait, killer, loss, mated);
        }
        self.answers.insert((decision, move_code(bait)), answer.clone());
        answer
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
        self.ask(decision, m, Prior { killer: None, mated: false, stages: CONFIRMING }, work)
    }

    /// Searches those of these decisions' moves that seem to cost something with more nodes, so that the judgements of
    /// their positions bear it out or do not.
    pub(super) fn look_again(&mut self, decisions: Range<usize>, work: &mut Workspace) {
        for decision in decisions {
            let Some(seen) = self.evidence(decision) else { continue };
            let m = self.moves[decision];
            for stage in CONFIRMING {
                let known = self.answers.get(&(decision, move_code(m))).cloned().flatten();
                let cost = known.as_deref().map_or(seen.loss(), Loss::cost);
                if work.is_stopped() || cost < SEEMS {
                    break;
                }
                if known.is_none_or(|loss| loss.stage < stage) {
                    let prior = Prior { killer: None, mated: false, stages: stage..stage + 1 };
                    self.ask(decision, m, prior, work);
                }
            }
        }
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

    /// Whether the last move is stalemate.
    pub(super) fn ends_in_stalemate(&self) -> bool {
        !self.moves.is_empty() && self.positions.last().is_some_and(Position::is_stalemate)
    }

    /// Whether the move played at a decision mates.
    pub(super) fn mates(&self, decision: usize) -> bool {
        self.positions.get(decision + 1).is_some_and(Position::is_checkmate)
    }
}
