//! The trap test: does a move lose, was it avoidable, and does it tempt?

use rustc_hash::FxHashMap;
use shakmaty::{Chess, Move, Position};

use crate::chess::moves::{after, move_code};
use crate::chess::static_exchange::see;
use crate::mate::Prover;
use crate::search::evaluation::evaluate;
use crate::search::score::MATE;
use crate::search::static_value::Evaluation;
use crate::search::stop::StopFlag;
use crate::search::verdict::Verdict;
use crate::search::{Found, Limits, MAX_DEPTH, Pruning, SearchRequest, Searcher};
use crate::win_chance::{BLUNDER, win_chance};

/// A played move is reported as losing if it costs this. Searches scatter about the true cost: a border at [`BLUNDER`]
/// would leave out one losing move of ten that cost as much.
pub(crate) const TOLD: f64 = 0.25;
/// Depths at which the loss has to stand, the last ones searched.
const STABLE_DEPTHS: usize = 3;
/// A loss seen only by a shallow search proves nothing.
const LEAST_DEPTH: u32 = 6;
/// A move of such a rank in the static ranking or after one ply, tempts.
pub(crate) const TEMPTING_RANK: usize = 3;
/// A move that seems to win this many centipawns there tempts at any rank.
pub(crate) const TEMPTING_GAIN: i32 = 80;
/// Name of these rules and of the search behind them, stored with each proof.
pub(crate) const TESTER_VERSION: &str = "trapline-search-12";

/// One depth of the comparison, both for the victim, in centipawns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Depth {
    pub depth: u32,
    pub bait: i32,
    pub best: i32,
}

impl Depth {
    /// Win chance that the bait costs at this depth, -2 to 2.
    pub(crate) fn loss(&self) -> f64 {
        win_chance(self.best) - win_chance(self.bait)
    }
}

/// Both searches at the depths that both finished; the bait itself is a ply.
pub(crate) fn compare(best: &[(u32, i32)], answers: &[(u32, i32)]) -> Vec<Depth> {
    let deep = |depth: u32| best.iter().find(|(d, _)| *d == depth).map(|(_, value)| *value);
    answers
        .iter()
        .filter_map(|&(depth, value)| Some(Depth { depth: depth + 1, bait: -value, best: deep(depth + 1)? }))
        .collect()
}

/// Proved when the loss stands at the last depths, refuted when a search as deep does not see it.
pub(crate) fn verdict_at(depths: &[Depth]) -> Verdict {
    let Some(deepest) = depths.last().filter(|d| d.depth >= LEAST_DEPTH) else { return Verdict::Undecided };
    let last = &depths[depths.len().saturating_sub(STABLE_DEPTHS)..];
    if last.len() == STABLE_DEPTHS && last.iter().all(|d| d.loss() >= BLUNDER) {
        Verdict::Proved
    } else if deepest.loss() < BLUNDER {
        Verdict::Refuted
    } else {
        Verdict::Undecided
    }
}

/// The answers with their figures.
#[derive(Clone, Debug)]
pub(crate) struct BaitTest {
    pub bait: Move,
    /// It is the only legal move: a loss without a choice, and no trap with any verdict.
    pub forced: bool,
    /// Proved when the loss stands, refuted when a search as deep shows that it does not, else undecided. Of a forced
    /// move: whether the opponent stands so much better after it.
    pub verdict: Verdict,
    pub mate_in: Option<u32>,
    /// Best other move.
    pub best: Option<Move>,
    /// Killer line.
    pub line: Vec<Move>,
    /// Win chance that the bait costs at the last common depth, -2 to 2.
    pub loss: f64,
    pub depths: Vec<Depth>,
    /// Better rank of the bait in the static ranking and after one ply, from 1.
    pub rank: usize,
    /// What the bait seems to win there, against the value of the position as it stands, in centipawns.
    pub gain: i32,
    pub nodes: u64,
}

impl BaitTest {
    pub(crate) fn tempts(&self) -> bool {
        tempts(self.rank, self.gain)
    }
}

fn tempts(rank: usize, gain: i32) -> bool {
    rank <= TEMPTING_RANK || gain >= TEMPTING_GAIN
}

/// Static ranking of all moves, as seen by a player who counts material but does not search for checks: the value after
/// the move, less what the opponent's best exchange wins; best first. Mates are seen only when they are on the board.
pub(crate) fn static_ranking(position: &Chess) -> Vec<(i32, Move)> {
    let mut out: Vec<(i32, Move)> = position
        .legal_moves()
        .into_iter()
        .map(|m| {
            let next = after(position, m);
            if next.is_checkmate() {
                return (MATE, m);
            }
            let captures = next.legal_moves().into_iter().filter(|c| c.is_capture() || c.is_promotion());
            let lost = captures.map(|c| see(&next, c)).max().unwrap_or(0).max(0);
            (-evaluate(&next) - lost, m)
        })
        .collect();
    out.sort_by_key(|(value, _)| -value);
    out
}

/// Values by depth, and the line of the last.
type Deepened = (Vec<(u32, i32)>, Vec<Move>);

/// The trap tester: a mate prover and a searcher.
pub(crate) struct Tester {
    pub prover: Prover,
    pub searcher: Searcher,
}

impl Tester {
    pub(crate) fn new(prover_bits: u32, searcher_bits: u32) -> Tester {
        Tester { prover: Prover::new(prover_bits), searcher: Searcher::new(searcher_bits) }
    }

    /// Sets what ends a question, or all of them, early.
    pub(crate) fn set_stop_flag(&mut self, stop_flag: &StopFlag) {
        self.prover.stop_flag = stop_flag.clone();
        self.searcher.stop_flag = stop_flag.clone();
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.searcher.stop_flag.is_stopped()
    }

    /// Tests every tempting move of a position; the most tempting first.
    pub(crate) fn baits(&mut self, position: &Chess, limits: Limits) -> Vec<BaitTest> {
        self.tempting(position)
            .into_iter()
            .map(|(rank, gain, m)| self.test_tempting(position, m, (rank, gain), &[], limits, None))
            .collect()
    }

    /// The moves that tempt, with rank and seeming gain; the most tempting first.
    pub(crate) fn tempting(&mut self, position: &Chess) -> Vec<(usize, i32, Move)> {
        let temptation = self.temptation(position);
        let mut tempting: Vec<(usize, i32, Move)> = position
            .legal_moves()
            .into_iter()
            .filter_map(|m| temptation.get(&move_code(m)).map(|&(rank, gain)| (rank, gain, m)))
            .filter(|&(rank, gain, _)| tempts(rank, gain))
            .collect();
        tempting.sort_by_key(|&(rank, gain, _)| (rank, -gain));
        tempting
    }

    /// Tests several baits of one position, each against the best of the other moves, which is searched once:
    /// what is proved so is proved against the best other move all the more.
    pub(crate) fn test_together(&mut self, position: &Chess, baits: &[Move], limits: Limits) -> Vec<BaitTest> {
        let others: Vec<Move> = position.legal_moves().into_iter().filter(|m| !baits.contains(m)).collect();
        if others.is_empty() {
            return baits.iter().map(|&bait| self.test(position, bait, &[], limits)).collect();
        }
        let mut temptation = self.temptation(position);
        let mut nodes = 0;
        let best = self.deepen(position, &others, &[], limits, &mut nodes);
        baits
            .iter()
            .map(|&bait| {
                let tempts = temptation.remove(&move_code(bait)).unwrap_or((usize::MAX, 0));
                self.test_tempting(position, bait, tempts, &[], limits, Some(&best))
            })
            .collect()
    }

    /// Rank (from 1) and seeming gain in centipawns of each move, the better of two views: the static ranking, where
    /// nobody searches for checks, and by a search of one ply, which also understands pins.
    pub(crate) fn temptation(&mut self, position: &Chess) -> FxHashMap<u16, (usize, i32)> {
        let mut out: FxHashMap<u16, (usize, i32)> = FxHashMap::default();
        let views = [
            (static_ranking(position), evaluate(position)),
            (self.ranking(position, 1), self.seen_by_a_player(|searcher| searcher.quiescence(position))),
        ];
        for (view, stands) in views {
            for (value, m) in &view {
                let rank = 1 + view.iter().filter(|(other, _)| other > value).count();
                let seen = out.entry(move_code(*m)).or_insert((rank, value - stands));
                *seen = (seen.0.min(rank), seen.1.max(value - stands));
            }
        }
        out
    }

    /// Rank (from 1) and value of a move among all moves, and the value of the best, by the static ranking (depth 0)
    /// and after searches of 1 to `depth` plies: what makes a bait tempting is that it falls with the depth.
    pub(crate) fn profile(&mut self, position: &Chess, bait: Move, depth: u32) -> Vec<(u32, usize, i32, i32)> {
        (0..=depth)
            .filter_map(|depth| {
                let ranking = if depth == 0 { static_ranking(position) } else { self.ranking(position, depth) };
                let at = ranking.iter().position(|(_, m)| *m == bait)?;
                // Equal values share the better rank.
                let rank = 1 + ranking.iter().filter(|(value, _)| *value > ranking[at].0).count();
                Some((depth, rank, ranking[at].0, ranking[0].0))
            })
            .collect()
    }

    /// Values of all moves after a search of `depth` plies each, as a player values them, best first.
    pub(crate) fn ranking(&mut self, position: &Chess, depth: u32) -> Vec<(i32, Move)> {
        let moves = position.legal_moves();
        let limits = Limits { depth: depth - 1, nodes: RANKING_NODES / moves.len().max(1) as u64 };
        let mut out: Vec<(i32, Move)> = self.seen_by_a_player(|searcher| {
            searcher.clear();
            let mut value = |m| {
                let next = after(position, m);
                -searcher.search(&next, SearchRequest::default(), limits, Pruning::Exact, |_| true).value
            };
            moves.into_iter().map(|m| (value(m), m)).collect()
        });
        out.sort_by_key(|(value, _)| -value);
        out
    }

    /// Looks with the linear evaluation, which counts material and plain features: what tempts is what seems good to
    /// somebody who has no network's experience.
    fn seen_by_a_player<T>(&mut self, look: impl FnOnce(&mut Searcher) -> T) -> T {
        self.searcher.evaluator.evaluation = Evaluation::Linear;
        let seen = look(&mut self.searcher);
        self.searcher.evaluator.evaluation = Evaluation::default();
        seen
    }

    /// Tests one bait, within `limits` for each question: the best other move, the mate, the best answer with the
    /// proposed killers tried first, and, where the bait may lose, each proposed killer by itself. The first of them
    /// that holds the gain is taken; the line goes on from it.
    pub(crate) fn test(&mut self, position: &Chess, bait: Move, killers: &[Move], limits: Limits) -> BaitTest {
        let temptation = self.temptation(position).remove(&move_code(bait)).unwrap_or((usize::MAX, 0));
        self.test_tempting(position, bait, temptation, killers, limits, None)
    }

    /// The same of a bait whose rank and seeming gain are known, and perhaps the values of the best other move.
    fn test_tempting(
        &mut self,
        position: &Chess,
        bait: Move,
        (rank, gain): (usize, i32),
        killers: &[Move],
        limits: Limits,
        known: Option<&Deepened>,
    ) -> BaitTest {
        let mut test = BaitTest {
            bait,
            forced: false,
            verdict: Verdict::Undecided,
            mate_in: None,
            best: None,
            line: Vec::new(),
            loss: 0.0,
            depths: Vec::new(),
            rank,
            gain,
            nodes: 0,
        };
        let others: Vec<Move> = position.legal_moves().into_iter().filter(|&m| m != bait).collect();
        if self.is_stopped() {
            // Cut short, the two views are none.
            return test;
        }
        if others.is_empty() {
            test.forced = true;
            self.test_forced(position, killers, limits, &mut test);
            return test;
        }
        let (best, line) =
            known.cloned().unwrap_or_else(|| self.deepen(position, &others, &[], limits, &mut test.nodes));
        test.best = line.first().copied();
        let baited = after(position, bait);
        let mate = self.prover.prove(&baited, MATES, limits.nodes, killers);
        test.nodes += mate.nodes;
        if let (Verdict::Proved, Some((_, value))) = (mate.verdict, best.iter().rfind(|(depth, _)| *depth > 0)) {
            test.loss = win_chance(*value) + 1.0;
            test.verdict = if test.loss >= BLUNDER { Verdict::Proved } else { Verdict::Refuted };
            (test.mate_in, test.line) = (mate.mate_in, mate.line);
            // Not needed for the verdict, but it shows from which depth on the mate is seen.
            let (answers, _) = self.deepen(&baited, &[], &[], limits, &mut test.nodes);
            test.depths = compare(&best, &answers);
            return test;
        }
        // The bait itself is a ply, and deeper values would be compared with nothing.
        let reached = best.last().map_or(0, |&(depth, _)| depth.saturating_sub(1));
        let limits = Limits { depth: limits.depth.min(reached), ..limits };
        self.answered(&baited, &best, &[], killers, limits, &mut test);
        // A proposed killer is worth a search of its own where it may hold more than the best answer did: it is taken
        // if it wins as well, and alone it is searched deeper.
        if test.verdict == Verdict::Proved || test.loss >= BLUNDER / 2.0 {
            for &killer in killers {
                if test.verdict == Verdict::Proved && test.line.first() == Some(&killer) {
                    break;
                }
                let mut alone = BaitTest { nodes: 0, ..test.clone() };
                self.answered(&baited, &best, &[killer], &[], limits, &mut alone);
                let nodes = test.nodes + alone.nodes;
                if alone.verdict == Verdict::Proved {
                    test = BaitTest { nodes, ..alone };
                    break;
                }
                test.nodes = nodes;
            }
        }
        test
    }

    /// Tests the only legal move: whether the opponent mates after it, or stands better by what a bait has to cost. It
    /// is compared with an even game, because there is no other move to compare it with, and costs nothing.
    fn test_forced(&mut self, position: &Chess, killers: &[Move], limits: Limits, test: &mut BaitTest) {
        let played = after(position, test.bait);
        let mate = self.prover.prove(&played, MATES, limits.nodes, killers);
        test.nodes += mate.nodes;
        if mate.verdict == Verdict::Proved {
            (test.verdict, test.mate_in, test.line) = (Verdict::Proved, mate.mate_in, mate.line);
            return;
        }
        let (answers, line) = self.deepen(&played, &[], killers, limits, &mut test.nodes);
        let even: Vec<(u32, i32)> = answers.iter().map(|&(depth, _)| (depth + 1, 0)).collect();
        test.line = line;
        test.verdict = if self.is_stopped() { Verdict::Undecided } else { verdict_at(&compare(&even, &answers)) };
    }

    /// Whether a shallow search of `nodes` nodes at the answers to a bait sees about the loss that a trap costs,
    /// against the value of the position as it stands. What it does not see may be there all the same.
    pub(crate) fn may_lose(&mut self, position: &Chess, bait: Move, killers: &[Move], nodes: u64) -> bool {
        let static_chance = win_chance(self.searcher.quiescence(position));
        let limits = Limits { depth: MAX_DEPTH, nodes };
        let (answers, _) = self.deepen(&after(position, bait), &[], killers, limits, &mut 0);
        answers.last().is_some_and(|&(_, value)| static_chance + win_chance(value) >= BLUNDER * 0.9)
    }

    /// The win chance of the position and its best move, by a search of `nodes` nodes, and of each of these moves the
    /// win chance (-1 to 1, for the side that plays it) and the answer, by a search of half as many at its answers,
    /// which knows what the ones before it found.
    #[allow(clippy::type_complexity)] // two answers, one for the position and one for each move
    pub(crate) fn values(
        &mut self,
        position: &Chess,
        moves: &[Move],
        nodes: u64,
    ) -> (f64, Option<Move>, Vec<(f64, Option<Move>)>) {
        let limits = Limits { depth: MAX_DEPTH, nodes };
        let value = |found: &[(u32, i32)]| found.last().map_or(0.0, |&(_, value)| win_chance(value));
        let (found, line) = self.deepen(position, &[], &[], limits, &mut 0);
        let best = value(&found);
        let limits = Limits { nodes: (nodes / 2).max(1), ..limits };
        let values = moves
            .iter()
            .map(|&m| {
                let (answers, line) = self.deepen_on(&after(position, m), &[], &[], limits, &mut 0);
                (-value(&answers), line.first().copied())
            })
            .collect();
        (best, line.first().copied(), values)
    }

    /// Searches the answers to the bait, all or `only` these, and judges the loss.
    fn answered(
        &mut self,
        baited: &Chess,
        best: &[(u32, i32)],
        only: &[Move],
        first: &[Move],
        limits: Limits,
        test: &mut BaitTest,
    ) {
        let (answers, line) = self.deepen(baited, only, first, limits, &mut test.nodes);
        test.depths = compare(best, &answers);
        test.line = line;
        test.loss = test.depths.last().map_or(0.0, Depth::loss);
        // What was cut short did not look as deep as its budget would have let it.
        test.verdict = if self.is_stopped() { Verdict::Undecided } else { verdict_at(&test.depths) };
    }

    /// Value by depth from 0 (captures and checks played out), for the side to move; `only` these moves, all if empty,
    /// the `first` ones before the others.
    fn deepen(&mut self, root: &Chess, only: &[Move], first: &[Move], limits: Limits, spent: &mut u64) -> Deepened {
        self.searcher.clear();
        self.deepen_on(root, only, first, limits, spent)
    }

    /// The same with what earlier searches taught.
    fn deepen_on(&mut self, root: &Chess, only: &[Move], first: &[Move], limits: Limits, spent: &mut u64) -> Deepened {
        let mut values = Vec::new();
        let request = SearchRequest { only, first, ..SearchRequest::default() };
        let found: Found = self.searcher.search(root, request, limits, Pruning::Selective, |found| {
            values.push((found.depth, found.value));
            true
        });
        if let Some(last) = values.last_mut() {
            last.1 = found.value;
        }
        *spent += found.nodes;
        (values, found.line)
    }
}

/// Most nodes of a ranking, an equal share for each move; beyond it a move has the value of the depth before.
const RANKING_NODES: u64 = 20_000_000;
/// Longest mate that is searched for.
const MATES: u32 = 5;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn win_chances_are_lichess_ones() {
        assert_eq!(win_chance(0), 0.0);
        assert!((win_chance(100) - 0.18209).abs() < 1e-4);
        assert_eq!((win_chance(MATE - 3), win_chance(3 - MATE)), (1.0, -1.0));
    }
}
