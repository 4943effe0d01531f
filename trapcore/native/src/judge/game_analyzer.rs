//! The cases of a position, known from the library or proposed by similar traps and proved; and the events of a game.
//!
//! Nothing here depends on what was analyzed before, so that the same file gives the same findings in any number of
//! threads and after any interruption.

use std::sync::Arc;

use shakmaty::{CastlingMode, Color, Move, Position};

use crate::chess::moves::after;
use crate::chess::position::{GamePosition, live_key};
use crate::judge::events::EventKind;
use crate::judge::game_events::{GameEvents, Standing};
use crate::judge::game_losses::GameLosses;
use crate::judge::label_candidates::LabelCandidates;
use crate::judge::losses::{ALONE, EVERY_MOVE, Loss, WITH_ENGINE};
use crate::judge::model::{Case, Cases, Decision, Event, JudgedGame, Options, ProofLimits, SetTrap, Tell, Trap};
use crate::judge::pass::Deepening;
use crate::judge::token_candidates::{TokenCandidates, TokenLibrary};
use crate::judge::trap_list::TrapList;
use crate::judge::verify::Verifier;
use crate::judge::workspace::{CaseKey, Workspace};
use crate::mate::PROVER_VERSION;
use crate::pgn::reader::Game;
use crate::search::verdict::Verdict;
use crate::trap_test::TESTER_VERSION;

/// Who proved what the library says.
const LIBRARY: &str = "library";

/// A library ready to be compared with games.
pub(crate) struct GameAnalyzer {
    traps: TrapList,
    /// For a measure that compares whole trees.
    labels: Option<LabelCandidates>,
    /// For the measure that compares what single moves do.
    tokens: Option<TokenLibrary>,
    options: Options,
}

impl GameAnalyzer {
    /// `tokens`: needed unless `options` has a measure.
    pub(crate) fn new(traps: Vec<Trap>, options: Options, tokens: Option<TokenLibrary>) -> GameAnalyzer {
        let traps = TrapList::new(traps);
        let labels = options.measure.map(|measure| LabelCandidates::new(&traps, measure, options.min_similarity));
        GameAnalyzer { traps, labels, tokens, options }
    }

    /// Whether an engine decides what moves lose, so that it has to look at the games first.
    pub(crate) fn needs_looks(&self) -> bool {
        self.options.engine && self.options.tell >= Tell::Losses
    }

    /// The events of a game, and the judgements that they rest on.
    /// `looks`: an engine's at each position, where an engine decides.
    pub(crate) fn events(&self, game: &Game, looks: Option<Vec<Deepening>>, work: &mut Workspace) -> JudgedGame {
        let positions = game.moves.len() as u64 + 1;
        let whole = self.options.tell >= Tell::Losses;
        if self.traps.is_empty() && !whole {
            return JudgedGame { positions, ..JudgedGame::default() };
        }
        let standing = self.standing(game, work);
        let limits = self.options.limits;
        let effort = match self.options {
            Options { engine: true, .. } => WITH_ENGINE,
            Options { tell: Tell::All, .. } => EVERY_MOVE,
            _ => ALONE,
        };
        let mut events = GameEvents::new(GameLosses::new(game, effort, work), self.options);
        if !whole {
            for mut standing in standing {
                standing.case = Arc::new(events.measured(&standing, work).0);
                events.tell(&standing, work);
            }
            return JudgedGame { positions, ..events.finish(work) };
        }
        match looks {
            Some(looks) => events.losses.looked(looks),
            None => events.losses.pass(work),
        }
        let name = |decision: usize, case: Case, work: &mut Workspace| self.named(game, decision, case, work);
        events.tell_losses(name, work);
        events.tell_missed_mates(work);
        events.tell_poisoned(name, work);
        // The library's traps come last: what a game is worth does not depend on which ones there are.
        let own = events.own(work);
        for mut standing in standing {
            let (case, loss) = events.measured(&standing, work);
            let measured = case.figures.as_ref().map(|figures| figures.before - figures.after);
            let case = Case { loss: measured.or(case.loss), ..case };
            if let Some(case) = confirmed(case, loss.as_deref(), limits.unproved) {
                standing.case = Arc::new(case);
                events.tell(&standing, work);
            }
        }
        events.join(own, joined);
        JudgedGame { positions, ..events.finish(work) }
    }

    /// The cases of the library as they stood in a game: at each decision that of the bait that was taken, or else the
    /// best one.
    fn standing(&self, game: &Game, work: &mut Workspace) -> Vec<Standing> {
        let mut found = Vec::new();
        if self.traps.is_empty() {
            return found;
        }
        let mut position = GamePosition { chess: game.initial.clone(), mode: game.mode };
        // The cases of the last two positions, so that a trap that stays open is reported once.
        let mut recent: [Cases; 2] = [None, None];
        for decision in 0..=game.moves.len() {
            let played = game.moves.get(decision).copied();
            let cases = self.cases(&position, played, self.options.limits, work);
            if let Some(list) = &cases {
                let taken = list.iter().find(|case| Some(case.bait) == played);
                let case = Arc::clone(taken.unwrap_or(&list[0]));
                let earlier = recent[1].as_deref().unwrap_or_default();
                let stood_already = earlier.iter().any(|c| same_trap(c, &case));
                found.push(Standing { decision, case, stood_already });
            }
            recent = [cases, recent[0].take()];
            if let Some(m) = played {
                position.chess.play_unchecked(m);
            }
        }
        found
    }

    /// The case with the trap of the library that its line is most similar to, if there is one.
    fn named(&self, game: &Game, decision: usize, case: Case, work: &mut Workspace) -> Case {
        let Some(library) = self.tokens.as_ref().filter(|_| !self.traps.is_empty()) else { return case };
        let mut chess = game.initial.clone();
        for &m in &game.moves[..decision] {
            chess.play_unchecked(m);
        }
        let position = GamePosition { chess, mode: game.mode };
        let tokens = TokenCandidates { library, traps: &self.traps, min_similarity: self.options.min_similarity };
        match tokens.most_similar(&position, &case, work) {
            Some((member, similarity)) => Case { member: Some(member), similarity, ..case },
            None => case,
        }
    }

    /// The limits of calls that do not set their own.
    pub(crate) fn limits(&self) -> ProofLimits {
        self.options.limits
    }

    /// Those of the legal `moves` that set a trap, each with the best trap that stands after it: the trap of the event
    /// that a game would have in which only this move is played. Ends early where the work is stopped.
    pub(crate) fn traps_set(
        &self,
        position: &GamePosition,
        moves: &[Move],
        limits: ProofLimits,
        work: &mut Workspace,
    ) -> Vec<SetTrap> {
        let mut found = Vec::new();
        if self.traps.is_empty() {
            return found;
        }
        for &m in moves {
            let next = GamePosition { chess: after(&position.chess, m), mode: position.mode };
            let cases = self.cases(&next, None, limits, work);
            if work.is_stopped() {
                break;
            }
            if let Some(best) = cases.as_deref().and_then(<[_]>::first) {
                found.push(SetTrap { m, position: next.chess, case: Arc::clone(best) });
            }
        }
        found
    }

    /// The baits of a position, best first; `None` when it has none. `played`: the move made there, which is examined
    /// whether it looks tempting or not where baits are examined one by one.
    pub(super) fn cases(
        &self,
        position: &GamePosition,
        played: Option<Move>,
        limits: ProofLimits,
        work: &mut Workspace,
    ) -> Cases {
        let played = played.filter(|_| self.tokens.is_some());
        let key = CaseKey { position: live_key(&position.chess), played, limits };
        let cacheable = position.mode == CastlingMode::Standard;
        if let (true, Some(cases)) = (cacheable, work.cached(&key)) {
            work.candidates += 1;
            return cases;
        }
        let candidates = work.candidates;
        let decision = Decision { position, played, known: self.traps.at(key.position) };
        let cases = self.find_cases(&decision, limits, work);
        let cases: Cases = (!cases.is_empty()).then(|| cases.into_iter().map(Arc::new).collect());
        // Expensive results are cached; that nothing is similar is cheap to find out again.
        if cacheable && work.candidates > candidates {
            work.cache(key, cases.clone());
        }
        cases
    }

    fn find_cases(&self, decision: &Decision, limits: ProofLimits, work: &mut Workspace) -> Vec<Case> {
        let mut cases = self.known_cases(decision, limits);
        let verifier =
            Verifier { limits, killers_first: self.options.proposals_first, prescreen: self.tokens.is_some() };
        if self.options.tell == Tell::Known {
            work.candidates += u64::from(!cases.is_empty());
            return cases;
        }
        if let Some(library) = &self.tokens {
            let tokens = TokenCandidates { library, traps: &self.traps, min_similarity: self.options.min_similarity };
            let candidates = tokens.find(decision, &cases, work);
            work.candidates += u64::from(!candidates.is_empty() || !cases.is_empty());
            for candidate in &candidates {
                let found = verifier.prove(decision, candidate, work);
                cases.extend(found.and_then(|case| tokens.named(decision.position, case, work)));
            }
        }
        if let Some(labels) = &self.labels {
            let hits = labels.similar_traps(decision, work);
            work.candidates += u64::from(!hits.is_empty() || !cases.is_empty());
            for candidate in labels.find(&self.traps, decision, &hits, &cases) {
                cases.extend(verifier.prove(decision, &candidate, work));
            }
            work.hits = hits;
        }
        cases.sort_by_key(|case| (case.verdict != Verdict::Proved, !case.known));
        cases
    }

    /// The cases of the traps with this very position, with the library's verdicts.
    fn known_cases(&self, decision: &Decision, limits: ProofLimits) -> Vec<Case> {
        let mut cases: Vec<Case> = Vec::new();
        for &member in decision.known {
            let trap = self.traps.get(member);
            let reported = trap.verdict == Verdict::Proved || limits.unproved && trap.verdict == Verdict::Undecided;
            // A hash of 128 bits does not collide by chance, but a bait must always be legal.
            let legal = decision.position.chess.is_legal(trap.bait);
            // A move without alternative is no bait.
            let chosen = legal && decision.position.chess.legal_moves().len() > 1;
            if reported && chosen && cases.iter().all(|case| case.bait != trap.bait) {
                cases.push(Case {
                    member: Some(member),
                    known: true,
                    by: LIBRARY,
                    similarity: 1.0,
                    bait: trap.bait,
                    line: trap.line.clone(),
                    verdict: trap.verdict,
                    mate_in: trap.mate_in,
                    loss: None,
                    figures: None,
                    nodes: 0,
                });
            }
        }
        cases
    }
}

/// A case of the library as it is reported of a whole game: with the verdict and the line found here, unless the
/// position is the trap's own. `None` where it is not to be reported.
fn confirmed(case: Case, loss: Option<&Loss>, unproved: bool) -> Option<Case> {
    if case.known {
        return Some(case);
    }
    let loss = loss?;
    if loss.verdict == Verdict::Proved {
        if case.mate_in.is_some() && case.verdict == Verdict::Proved {
            return Some(case);
        }
        let by = if loss.mate_in.is_some() { PROVER_VERSION } else { TESTER_VERSION };
        let (line, mate_in, nodes) = (loss.line.clone(), loss.mate_in, loss.nodes);
        return Some(Case { line, mate_in, nodes, by, verdict: Verdict::Proved, ..case });
    }
    let open = unproved && loss.verdict == Verdict::Undecided;
    open.then_some(Case { verdict: Verdict::Undecided, mate_in: None, ..case })
}

/// The events of the library's traps in a game with those that were found without it. Of the same move the library's say
/// more, except that a proved mate counts more than an unproved case. A player who fell for something else has avoided
/// nothing.
fn joined(mut known: Vec<Event>, own: Vec<Event>) -> Vec<Event> {
    let is_mate = |event: &Event| event.kind == EventKind::Missed && event.case.mate_in.is_some();
    known.retain(|event| {
        let is_open = event.kind == EventKind::Missed && event.case.verdict != Verdict::Proved;
        !own.iter()
            .filter(|other| other.at == event.at)
            .any(|other| event.kind == EventKind::Avoided && other.kind == EventKind::Fell || is_open && is_mate(other))
    });
    let fell = |at: usize| known.iter().any(|event| event.kind == EventKind::Fell && event.at == at);
    let is_told = |event: &Event| match event.kind {
        EventKind::Avoided if fell(event.at) => true,
        EventKind::Sprung | EventKind::Missed if fell(event.decision) && !is_mate(event) => true,
        kind => known.iter().any(|other| other.at == event.at && other.kind == kind),
    };
    let mut left: Vec<Event> = own.into_iter().filter(|event| !is_told(event)).collect();
    known.append(&mut left);
    known
}

/// Whether two cases are the same trap with the same verdict.
fn same_trap(a: &Case, b: &Case) -> bool {
    let trap = |case: &Case| case.member.map(|member| member.trap);
    a.bait == b.bait && trap(a) == trap(b) && a.verdict == b.verdict
}

/// The side that makes the move with this index.
pub(crate) fn mover(game: &Game, at: usize) -> Color {
    if at.is_multiple_of(2) { game.initial.turn() } else { !game.initial.turn() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::position::{epd, parse, parse_line, parse_move};
    use crate::judge::judgements::JudgedPosition;
    use crate::measures::trap_positions::Measure;
    use crate::pgn::reader::GameReader;

    const LEGAL: &str = "r2qkbnr/ppp2ppp/2np4/4p3/2B1P1b1/2N2N2/PPPP1PPP/R1BQK2R w KQkq - 2 5";
    /// The rook leaves its first rank for a pawn, and is mated there.
    const BACK_RANK: &str = "r5k1/5ppp/8/8/8/8/P4PPP/3R2K1 b - - 0 1";

    fn trap(fen: &str, bait: &str, line: &[&str], mate: u32) -> Trap {
        let position = parse(fen).unwrap();
        let bait = parse_move(&position, bait).unwrap();
        let baited = GamePosition { chess: after(&position.chess, bait), mode: position.mode };
        let line = parse_line(&baited, line.iter().copied()).unwrap();
        Trap { position, bait, line, verdict: Verdict::Proved, mate_in: Some(mate) }
    }

    /// Legal's mate after Nxe5, and a mate on the back rank.
    fn analyzer(limits: ProofLimits) -> GameAnalyzer {
        let set = parse(LEGAL).unwrap();
        let after_set = GamePosition { chess: after(&set.chess, parse_move(&set, "f3e5").unwrap()), mode: set.mode };
        let fen = format!("{} 0 5", epd(&after_set.chess));
        let traps = vec![trap(&fen, "g4d1", &["c4f7", "e8e7", "c3d5"], 2), trap(BACK_RANK, "a8a2", &["d1d8"], 1)];
        let options = Options {
            tell: Tell::Similar,
            engine: false,
            measure: Some(Measure::Continuations),
            min_similarity: 0.2,
            proposals_first: true,
            values: false,
            limits,
        };
        GameAnalyzer::new(traps, options, None)
    }

    type Found = (Move, Move, Vec<Move>, u32, bool, Verdict, Option<u32>);

    fn parts(m: Move, case: &Case) -> Found {
        (m, case.bait, case.line.clone(), case.member.unwrap().trap, case.known, case.verdict, case.mate_in)
    }

    #[test]
    fn a_position_is_judged_as_a_game_of_one_move_is() {
        let (mut known, mut similar) = (0, 0);
        for (fen, variant) in [
            (LEGAL, ""),
            ("r5k1/5ppp/8/8/8/8/P4PPP/4R1K1 w - - 0 1", ""),
            ("r5k1/5ppp/8/8/8/8/P4PPP/3R2K1 w - - 0 1", "[Variant \"Chess960\"]\n"),
        ] {
            for limits in [1, 500, 20_000]
                .into_iter()
                .flat_map(|nodes| [false, true].map(|unproved| ProofLimits { nodes, unproved }))
            {
                let position = crate::chess::position::parse_variant(fen, !variant.is_empty()).unwrap();
                let moves = position.chess.legal_moves();
                // One analyzer for all limits, and one for each.
                let (shared, own) = (analyzer(ProofLimits { nodes: 7, unproved: true }), analyzer(limits));
                let mut work = Workspace::default();
                for nodes in [1, 20_000] {
                    shared.traps_set(&position, &moves, ProofLimits { nodes, unproved: true }, &mut work);
                }
                let found = shared.traps_set(&position, &moves, limits, &mut work);
                let found: Vec<Found> = found.iter().map(|set| parts(set.m, &set.case)).collect();
                let mut expected = Vec::new();
                for &m in &moves {
                    let uci = m.to_uci(position.mode);
                    let game = format!("{variant}[SetUp \"1\"]\n[FEN \"{fen}\"]\n\n1. {uci} *\n");
                    let game = GameReader::new().read(game.as_bytes()).unwrap();
                    let events = own.events(&game, None, &mut Workspace::default()).events;
                    let set = events.iter().filter(|event| event.kind == EventKind::Set);
                    expected.extend(set.map(|event| parts(m, &event.case)));
                }
                assert_eq!(found, expected, "{fen} {limits:?}");
                known += found.iter().filter(|found| found.4).count();
                similar += found.iter().filter(|found| !found.4).count();
            }
        }
        assert!(known > 0 && similar > 0, "{known} {similar}");
    }

    #[test]
    fn a_judged_position_ends_with_its_time() {
        use crate::search::stop::StopFlag;
        let analyzer = analyzer(ProofLimits { nodes: 20_000, unproved: true });
        let position = parse(LEGAL).unwrap();
        let mut work = Workspace::default();
        work.set_stop_flag(&StopFlag::default().until(Some(std::time::Instant::now())));
        let found = analyzer.traps_set(&position, &position.chess.legal_moves(), analyzer.limits(), &mut work);
        assert!(found.is_empty() && work.is_stopped());
    }

    #[test]
    fn what_the_positions_of_a_game_are_worth_does_not_depend_on_the_library() {
        let mut known = analyzer(ProofLimits { nodes: 20_000, unproved: false });
        known.options.tell = Tell::Losses;
        let alone = GameAnalyzer::new(Vec::new(), known.options, None);
        let text = b"1. e4 e5 2. Nf3 d6 3. Bc4 Nc6 4. Nc3 Bg4 5. Nxe5 Bxd1 6. Kxd1 Nxe5 7. Bb3 Nf6 8. Nd5 Nxd5 *";
        let game = GameReader::new().read(text).unwrap();
        let [with_traps, without] = [&known, &alone].map(|judge| judge.events(&game, None, &mut Workspace::default()));
        let named = with_traps.events.iter().filter(|event| event.case.known).count();
        assert!(named > 0 && !without.judged.is_empty());
        for found in without.judged {
            let same = |other: &&JudgedPosition| live_key(&other.position) == live_key(&found.position);
            let other = with_traps.judged.iter().find(same).unwrap();
            assert_eq!(other.judgement.chance, found.judgement.chance, "{}", epd(&found.position));
        }
    }
}
