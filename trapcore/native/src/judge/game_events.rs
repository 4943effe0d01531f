//! The events of one game put together: what the library knows, moves that lost, mates that were missed, and poisoned
//! captures. There is one event of a kind for a move.

use std::sync::Arc;

use rustc_hash::FxHashSet;
use shakmaty::Move;

use crate::chess::moves::after;
use crate::chess::position::live_key;
use crate::judge::events::{Encounter, EventKind, Killer, classify, is_sprung};
use crate::judge::game_losses::GameLosses;
use crate::judge::losses::{Loss, mate_in};
use crate::judge::model::{Case, Event, Figures, JudgedGame, LOST, Options, Tell, WON};
use crate::judge::pass::lengthen;
use crate::judge::token_candidates::tempting;
use crate::judge::verify::{explained, is_threat};
use crate::judge::workspace::Workspace;
use crate::mate::PROVER_VERSION;
use crate::search::score::mate_distance;
use crate::search::verdict::Verdict;
use crate::trap_test::TESTER_VERSION;
use crate::win_chance::{BLUNDER, MISTAKE, win_chance};

/// Nodes of the search whether a capture may be poisoned, and the cost from which it is.
const POISON_NODES: u64 = 150;
const POISON: f64 = 0.25;

/// A case as it stood at a decision of a game.
pub(super) struct Standing {
    pub decision: usize,
    pub case: Arc<Case>,
    /// It stood already at the decision before.
    pub stood_already: bool,
}

/// Events of a game in the making.
pub(super) struct GameEvents<'a> {
    pub losses: GameLosses<'a>,
    events: Vec<Event>,
    options: Options,
}

impl<'a> GameEvents<'a> {
    pub(super) fn new(losses: GameLosses<'a>, options: Options) -> GameEvents<'a> {
        GameEvents { losses, events: Vec::new(), options }
    }

    fn has(&self, kind: EventKind, at: usize) -> bool {
        self.events.iter().any(|event| event.at == at && event.kind == kind)
    }

    /// Adds an event unless the move has one of the kind.
    fn add(&mut self, kind: EventKind, decision: usize, case: &Arc<Case>) {
        let at = kind.move_index(decision);
        if !self.has(kind, at) {
            self.events.push(Event {
                at,
                kind,
                decision,
                position: self.losses.positions[decision].clone(),
                baited: after(&self.losses.positions[decision], case.bait),
                origin: self.losses.positions[at].clone(),
                reached: self.losses.positions[at + 1].clone(),
                case: Arc::clone(case),
                threat: false,
                explanation: None,
                settled: true,
                played_loss: None,
                only_move: false,
            });
        }
    }

    /// The case with what was measured of its bait, where that bears it out.
    pub(super) fn measured(&mut self, standing: &Standing, work: &mut Workspace) -> (Case, Option<Arc<Loss>>) {
        let mut case = Case::clone(&standing.case);
        let loss = self.losses.proposed(standing.decision, &case, work);
        if let Some(loss) = loss.as_deref().filter(|loss| loss.verdict == Verdict::Proved) {
            case.figures = Some(figures(loss));
        }
        (case, loss)
    }

    /// Adds the events of a case: of its bait that was taken or avoided, of the move that set it, and of the answer.
    pub(super) fn tell(&mut self, standing: &Standing, work: &mut Workspace) {
        let Standing { decision, case, stood_already } = standing;
        let played = self.losses.moves.get(*decision).copied();
        let took_bait = played.map(|played| played == case.bait);
        let is_sprung = if took_bait == Some(true) { self.is_sprung(*decision, case, work) } else { None };
        let encounter = Encounter { decision: *decision, stood_already: *stood_already, took_bait, is_sprung };
        for kind in classify(encounter) {
            if kind != EventKind::Avoided || self.is_worth_avoiding(*decision, case) {
                self.add(kind, *decision, case);
            }
        }
    }

    /// Neither does the move played there mate, nor is all lost anyway.
    fn is_worth_avoiding(&self, decision: usize, case: &Case) -> bool {
        let lost = case.figures.as_ref().is_some_and(|figures| figures.before < LOST);
        !lost && !self.losses.mates(decision)
    }

    /// Whether the answer springs the trap: it is the killer, or mates as well, or, where there is no mate, keeps what
    /// the bait gave. `None` where that is not known, or the game ended.
    fn is_sprung(&mut self, decision: usize, case: &Case, work: &mut Workspace) -> Option<bool> {
        let answer = *self.losses.moves.get(decision + 1)?;
        let mate_in = case.mate_in.filter(|_| case.verdict == Verdict::Proved);
        if case.line.first() == Some(&answer) || mate_in.is_some() || case.verdict != Verdict::Proved {
            return Some(self.mates_as_well(decision, case.line.first().copied(), mate_in, answer, work));
        }
        match self.losses.answered(decision, work) {
            Some(loss) if loss.verdict == Verdict::Undecided => None,
            Some(loss) => Some(loss.verdict == Verdict::Refuted),
            None => Some(true),
        }
    }

    fn mates_as_well(
        &self,
        decision: usize,
        killer: Option<Move>,
        mate_in: Option<u32>,
        answer: Move,
        work: &mut Workspace,
    ) -> bool {
        let killer = Killer { m: killer, mate_in };
        let baited = &self.losses.positions[decision + 1];
        let (sprung, nodes) = is_sprung(&mut work.tester.prover, baited, killer, answer, self.options.limits.nodes);
        work.proof_nodes += nodes;
        // A longer mate that the pass saw is not missed either.
        let after = self.losses.searched.get(decision + 2).and_then(|one| mate_distance(one.value()));
        sprung || mate_in.is_some() && after.is_some_and(|mate| mate <= 0)
    }

    /// Adds a played move that is proved to lose, or may lose where an engine decides. `name`: gives the case its trap of the library.
    pub(super) fn tell_losses(
        &mut self,
        mut name: impl FnMut(usize, Case, &mut Workspace) -> Case,
        work: &mut Workspace,
    ) {
        let suspects = self.losses.suspects();
        work.suspected += suspects.len() as u64;
        for decision in suspects {
            if work.is_stopped() {
                return;
            }
            let bait = self.losses.moves[decision];
            let Some(loss) = self.losses.loss(decision, bait, work) else { continue };
            let told = loss.verdict == Verdict::Proved || self.options.engine && loss.verdict == Verdict::Undecided;
            if told && !self.has(EventKind::Fell, decision) {
                let case = name(decision, unnamed(bait, &loss), work);
                // An avoided trap is no comfort for a player who fell for something else.
                self.events.retain(|event| event.at != decision || event.kind != EventKind::Avoided);
                let standing = Standing { decision, case: Arc::new(case), stood_already: true };
                self.tell(&standing, work);
            }
        }
    }

    /// Adds the mates that stood on the board and were not played. A mate that stays is reported again only if it has
    /// become shorter.
    pub(super) fn tell_missed_mates(&mut self, work: &mut Workspace) {
        let mut before: [Option<u32>; 2] = [None, None];
        for at in 1..self.losses.moves.len() {
            if work.is_stopped() {
                return;
            }
            let mate = mate_in(&mut work.tester.prover, &self.losses.positions[at], &self.losses.searched[at]);
            work.proof_nodes += mate.as_ref().map_or(0, |proof| proof.nodes);
            let mut missed = None;
            let proved = mate.filter(|proof| proof.verdict == Verdict::Proved);
            if let Some(proof) = &proved {
                self.losses.note_mate(at, &proof.line);
            }
            if let Some(proof) = proved
                && !self.mates_as_well(at - 1, proof.line.first().copied(), proof.mate_in, self.losses.moves[at], work)
            {
                missed = proof.mate_in;
                let told = |event: &Event| event.at == at && event.kind == EventKind::Missed;
                let stands = self.events.iter().any(|event| told(event) && event.case.verdict == Verdict::Proved);
                if before[0].is_none_or(|earlier| proof.mate_in < Some(earlier)) && !stands {
                    // What an engine may yet refute gives way to a mate that is proved.
                    self.events.retain(|event| !told(event));
                    let bait = self.losses.moves[at - 1];
                    let victim = &self.losses.searched[at - 1];
                    let before = if victim.values.is_empty() { None } else { Some(win_chance(victim.value())) };
                    let best_line = if victim.line.first() == Some(&bait) { Vec::new() } else { victim.line.clone() };
                    let figures = before.map(|before| Figures {
                        before,
                        after: -1.0,
                        best_line,
                        probability: None,
                        settled: true,
                    });
                    self.add(
                        EventKind::Missed,
                        at - 1,
                        &Arc::new(Case {
                            loss: before.map(|before| before + 1.0),
                            figures,
                            mate_in: proof.mate_in,
                            line: proof.line,
                            by: PROVER_VERSION,
                            nodes: proof.nodes,
                            ..blank(bait)
                        }),
                    );
                }
            }
            before = [before[1], missed];
        }
    }

    /// Adds the captures that win material by exchange and lose by force, where they were rightly not played.
    pub(super) fn tell_poisoned(
        &mut self,
        mut name: impl FnMut(usize, Case, &mut Workspace) -> Case,
        work: &mut Workspace,
    ) {
        let mut stood: [Vec<Move>; 2] = [Vec::new(), Vec::new()];
        for decision in 0..self.losses.moves.len() {
            if work.is_stopped() {
                return;
            }
            let played = self.losses.moves[decision];
            let captures = tempting(&self.losses.positions[decision]);
            let earlier = std::mem::take(&mut stood[0]);
            stood.swap(0, 1);
            let before = win_chance(self.losses.searched[decision].value());
            if before < LOST || captures.contains(&played) || self.losses.mates(decision) {
                continue;
            }
            for &bait in &captures {
                if !self.losses.may_cost(decision, bait, POISON, POISON_NODES, work) {
                    continue;
                }
                let Some(loss) = self.losses.unplayed(decision, bait, work) else { continue };
                if loss.verdict != Verdict::Proved || loss.before < LOST || loss.after > WON {
                    continue;
                }
                stood[1].push(bait);
                let good = self.losses.played(decision, work).is_none_or(|played| played.cost() < MISTAKE);
                if good && !earlier.contains(&bait) && !self.has(EventKind::Avoided, decision) {
                    let case = Arc::new(name(decision, unnamed(bait, &loss), work));
                    self.add(EventKind::Avoided, decision, &case);
                }
            }
        }
    }

    /// Takes the events so far, after asking what their moves cost.
    pub(super) fn own(&mut self, work: &mut Workspace) -> Vec<Event> {
        for event in &self.events {
            self.losses.played(event.at, work);
        }
        self.losses.is_judged = true;
        std::mem::take(&mut self.events)
    }

    /// Puts the events together with those that were taken before.
    pub(super) fn join(&mut self, own: Vec<Event>, joined: impl Fn(Vec<Event>, Vec<Event>) -> Vec<Event>) {
        self.events = joined(std::mem::take(&mut self.events), own);
    }

    /// The events in the order of the moves, each with what its own move costs; and the judgements of their positions
    /// after the last search of the game.
    pub(super) fn finish(mut self, work: &mut Workspace) -> JudgedGame {
        let mut events = std::mem::take(&mut self.events);
        events.sort_by_key(|event| event.at);
        for event in &mut events {
            if work.is_stopped() {
                break;
            }
            match self.losses.played(event.at, work) {
                Some(loss) => {
                    event.played_loss = Some(loss.cost().max(0.0));
                    event.only_move = loss.cost() <= -BLUNDER;
                    event.settled = loss.settled && event.case.figures.as_ref().is_none_or(|figures| figures.settled);
                }
                None => event.played_loss = Some(0.0),
            }
            event.threat = is_threat(event, work);
        }
        let (moves, stalemate) = (self.losses.moves.len(), self.losses.ends_in_stalemate());
        // Where an engine decides it looks again itself. No answer shows what stalemate costs, so that no event is told.
        if self.options.tell == Tell::All && !self.options.engine {
            self.losses.look_again(0..moves, work);
        } else if stalemate {
            self.losses.look_again(moves - 1..moves, work);
        }
        self.losses.agree();
        for event in &mut events {
            lengthen_lines(event, work);
            event.explanation = explained(event, work);
        }
        let mut seen = FxHashSet::default();
        let first = match self.options {
            Options { values: true, .. } => 0,
            Options { tell, .. } if stalemate && tell >= Tell::Losses => moves - 1,
            _ => moves + 1,
        };
        let wanted = &self.losses.positions[first..];
        let about = events.iter().flat_map(Event::positions).chain(wanted);
        let judged = about.filter(|position| seen.insert(live_key(position)));
        let judged = judged.filter_map(|position| self.losses.judged(position)).collect();
        let values = wanted.windows(2).map(|pair| (pair[0].clone(), self.losses.judged(&pair[1])));
        let values = (first..).zip(values).map(|(at, (origin, judged))| (at, origin, judged)).collect();
        JudgedGame { events, judged, values, positions: 0 }
    }
}

/// Lengthens the lines that searches found, so that they say why the bait loses.
fn lengthen_lines(event: &mut Event, work: &mut Workspace) {
    if event.case.known || event.case.mate_in.is_some() || event.case.verdict != Verdict::Proved {
        return;
    }
    let case = Arc::make_mut(&mut event.case);
    lengthen(&mut work.searcher, &after(&event.position, case.bait), &mut case.line);
    if let Some(figures) = &mut case.figures {
        lengthen(&mut work.searcher, &event.position, &mut figures.best_line);
    }
}

fn figures(loss: &Loss) -> Figures {
    Figures {
        before: loss.before,
        after: loss.after,
        best_line: loss.best_line.clone(),
        probability: Some(loss.probability),
        settled: loss.settled,
    }
}

/// A case with a known bait only, and the verdict that it is one.
fn blank(bait: Move) -> Case {
    Case {
        member: None,
        known: false,
        by: TESTER_VERSION,
        similarity: 0.0,
        bait,
        line: Vec::new(),
        verdict: Verdict::Proved,
        mate_in: None,
        loss: None,
        figures: None,
        nodes: 0,
    }
}

/// The case of a proved loss, like no trap of the library yet.
fn unnamed(bait: Move, loss: &Loss) -> Case {
    Case {
        by: if loss.mate_in.is_some() { PROVER_VERSION } else { TESTER_VERSION },
        line: loss.line.clone(),
        verdict: loss.verdict,
        mate_in: loss.mate_in,
        loss: Some(loss.cost()),
        figures: Some(figures(loss)),
        nodes: loss.nodes,
        ..blank(bait)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::game_analyzer::GameAnalyzer;
    use crate::judge::model::{Options, ProofLimits, Tell};
    use crate::measures::trap_positions::Measure;
    use crate::pgn::reader::GameReader;

    const LEGAL: &str = "1. e4 e5 2. Nf3 d6 3. Bc4 Nc6 4. Nc3 Bg4 5. Nxe5 Bxd1";

    /// The events of a game, with an empty library: kind, number of the move from 1, and whether there is a mate.
    fn events_of(moves: &str, work: &mut Workspace) -> Vec<(EventKind, usize, Option<u32>, Event)> {
        let limits = ProofLimits { nodes: 20_000, unproved: false };
        let options = Options {
            tell: Tell::Losses,
            engine: false,
            measure: Some(Measure::Continuations),
            min_similarity: 0.8,
            proposals_first: true,
            values: false,
            limits,
        };
        let game = GameReader::new().read(format!("{moves} *\n").as_bytes()).unwrap();
        let found = GameAnalyzer::new(Vec::new(), options, None).events(&game, None, work);
        found.events.into_iter().map(|event| (event.kind, event.at + 1, event.case.mate_in, event)).collect()
    }

    fn parts(told: &[(EventKind, usize, Option<u32>, Event)]) -> Vec<(EventKind, usize, Option<u32>)> {
        told.iter().map(|&(kind, ply, mate, _)| (kind, ply, mate)).collect()
    }

    #[test]
    fn a_bait_that_is_mated_is_told_with_its_answer() {
        let work = &mut Workspace::default();
        let sprung = events_of(&format!("{LEGAL} 6. Bxf7+ Ke7 7. Nd5#"), work);
        assert!(parts(&sprung).contains(&(EventKind::Fell, 10, Some(2))), "{:?}", parts(&sprung));
        assert!(parts(&sprung).contains(&(EventKind::Sprung, 11, Some(2))), "{:?}", parts(&sprung));
        let (.., fell) = sprung.iter().find(|one| one.0 == EventKind::Fell && one.1 == 10).unwrap();
        assert!(fell.played_loss.unwrap() >= BLUNDER && !fell.only_move && fell.case.member.is_none());
        let (.., answer) = sprung.iter().find(|one| one.1 == 11).unwrap();
        assert!(answer.played_loss.unwrap() < 0.05 && answer.only_move);
        let missed = events_of(&format!("{LEGAL} 6. Kxd1 Nxe5"), work);
        assert!(parts(&missed).contains(&(EventKind::Missed, 11, Some(2))), "{:?}", parts(&missed));
    }

    #[test]
    fn what_a_game_tells_does_not_depend_on_the_games_before_it() {
        let game = format!("{LEGAL} 6. Kxd1 Nxe5");
        let work = &mut Workspace::default();
        let first = events_of(&game, work);
        events_of("1. f3 e5 2. g4 a6 3. a3 Qh4#", work);
        let again = events_of(&game, work);
        assert_eq!(format!("{first:?}"), format!("{again:?}"));
    }

    #[test]
    fn a_mate_that_was_missed_is_told_whatever_the_move_before_was() {
        let found = events_of("1. f3 e5 2. g4 a6 3. a3 Qh4#", &mut Workspace::default());
        assert!(parts(&found).contains(&(EventKind::Missed, 4, Some(1))), "{:?}", parts(&found));
        assert!(!parts(&found).iter().any(|&(kind, ply, _)| kind == EventKind::Missed && ply == 6));
    }

    #[test]
    fn a_capture_that_would_be_mated_is_told_as_avoided_once() {
        // The pawn on a2 is free, but the rook guards the back rank.
        let start = "[SetUp \"1\"]\n[FEN \"r5k1/5ppp/2p5/8/8/8/P4PPP/3R2K1 b - - 0 1\"]\n\n";
        let found = events_of(&format!("{start}1... c5 2. h3 c4 3. h4"), &mut Workspace::default());
        let kinds = parts(&found);
        assert_eq!(kinds, [(EventKind::Avoided, 1, Some(1))]);
        let (.., avoided) = &found[0];
        assert!(!avoided.threat && avoided.played_loss.is_some_and(|loss| loss < MISTAKE));
    }
}
