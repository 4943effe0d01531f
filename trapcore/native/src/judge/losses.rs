//! The proof that a move loses: does it cost [`LOSS`] or more against the best other move?
//!
//! Both questions, what the best other move keeps and what the move leaves, are searched in stages with more and more
//! nodes and one table, until the probability is beyond one of the borders. `Proved` also needs the loss to stand at
//! the last depths, or a mate by the prover.

use std::ops::Range;

use shakmaty::{Chess, Move, Position, Role};

use crate::chess::moves::after;
use crate::judge::pass::{Deepening, deepen};
use crate::judge::suspicion::{Circumstances, Evidence, STAGES};
use crate::mate::{EXHAUSTIVE, MateProof, Prover};
use crate::search::score::mate_distance;
use crate::search::verdict::Verdict;
use crate::search::{Limits, MAX_DEPTH, Searcher};
use crate::trap_test::{LOSS, MISTAKE, win_chance};

/// Nodes for each of the two questions, by stage; the first entry is the pass, which is not made here.
pub(super) const STAGE_NODES: [u64; STAGES] = [0, 1_000, 4_000, 16_000];

/// How far questions about losses are followed up.
#[derive(Clone, Copy, Debug)]
pub(super) struct Effort {
    /// A move of the pass with at least this probability is examined.
    pub suspected: f64,
    /// Up to this probability a loss is refuted.
    pub refuted: f64,
    /// One more than the last stage of the proof where no trap of the library says that the move loses.
    pub end: usize,
    /// A move that was played and is proved to lose, or may, is looked at again with more nodes before that is told.
    pub confirms: bool,
}

/// Where our own search decides.
pub(super) const ALONE: Effort = Effort { suspected: 0.03, refuted: 0.03, end: 4, confirms: true };
/// Where an engine decides: ours saves it the moves that hardly can lose by the pass, and refutes nothing itself, since
/// half of the losing moves that were not told had been refuted so.
pub(super) const WITH_ENGINE: Effort = Effort { suspected: 0.005, refuted: 0.0, end: 2, confirms: false };

/// From this probability on a loss that stands is proved: before the last stage of the question, and after it. By
/// cross-validation on the 164 games of the fit 98 of 100 claims agree at these borders, and 47 of 100 losing moves are
/// found; with .55 after it 97 and 49, with .7 98 and 45.
const PROVED_EARLY: f64 = 0.9;
const PROVED: f64 = 0.65;
/// From this probability on a loss that is not proved is looked at again as well. Of the 191 losing moves of 50 games
/// 122 are told in place of 102 with this and with more suspects, and of 136 claims 132 agree, in place of 109 of 113.
const POSSIBLE: f64 = 0.15;

/// Nodes for each of the two questions where a loss is looked at again before it is told. If it is proved, the first
/// search suffices where it agrees with the proof about a loss that is [`CLEAR`], the second where it sees a loss: what
/// one search denies another one may bear out. If it is only possible, the last two have to see one that is [`CERTAIN`].
const CONFIRMING_NODES: [u64; 3] = [12_000, 80_000, 200_000];
/// Searches agree where their win chances differ by less than this; where the last two do not, no win chances are told.
const AGREES: f64 = 0.15;
/// Nor are they with so few pieces beside kings and pawns: of 16 such pairs 5 were wrong by more than ten percentage
/// points, of 110 others 7.
const FEW_PIECES: usize = 4;
/// A loss that is not near the border, and one that is a little above it.
const CLEAR: f64 = 0.45;
const CERTAIN: f64 = 0.35;

/// Win chance from which a side is said to stand better than level, where perpetual check would change that.
const NOT_LEVEL: f64 = 0.2;
/// So many plies of a line show perpetual check.
const PERPETUAL_PLIES: usize = 6;

/// The stage from which a mate is believed to have been avoidable.
const LEAST_MATED: usize = 2;

/// Longest mate that is looked for, and the nodes for it at each stage, as a share of those of the stage.
pub(super) const MATES: u32 = 5;
const MATE_SHARE: u64 = 2;
/// Longest mate that is looked for where the search saw none, and the nodes for that where a mate is likely, where the
/// attacker is at least not worse, and for a mate that it saw.
const UNSEEN_MATES: u32 = 2;
const LIKELY_NODES: u64 = 1_000;
const UNSEEN_NODES: u64 = 150;
const SEEN_NODES: u64 = 20_000;
/// A mate is looked for where the search gives the attacker so many centipawns.
const MATE_LIKELY: i32 = 500;

/// The answer about one move. Win chances are those of the mover, -1 to 1.
#[derive(Clone, Debug)]
pub(crate) struct Loss {
    /// With the best other move.
    pub before: f64,
    /// With the move.
    pub after: f64,
    /// The best other move, and the line that begins with it.
    pub best_line: Vec<Move>,
    /// The best answer to the move, and the line that begins with it.
    pub line: Vec<Move>,
    /// Moves of the opponent to mate after the move, where a mate is proved.
    pub mate_in: Option<u32>,
    pub verdict: Verdict,
    /// Stated probability that the move loses [`LOSS`] or more.
    pub probability: f64,
    /// The stage that gave the answer.
    pub stage: usize,
    /// The last two searches agree about both win chances, and can be trusted with them.
    pub settled: bool,
    pub nodes: u64,
}

impl Loss {
    /// Win chance that the move costs against the best other one, -2 to 2; negative where it is the best itself.
    pub(crate) fn cost(&self) -> f64 {
        self.before - self.after
    }

    /// Whether it is worth looking at again, if the move was played.
    pub(super) fn is_possible(&self) -> bool {
        self.verdict == Verdict::Proved || self.verdict == Verdict::Undecided && self.probability >= POSSIBLE
    }
}

/// A move whose loss is in question.
#[derive(Clone)]
pub(super) struct Question<'a> {
    pub position: &'a Chess,
    pub bait: Move,
    /// Answers that are tried first.
    pub killers: &'a [Move],
    /// The other move that is tried first.
    pub best: Option<Move>,
    /// That the move loses to a mate is proved already.
    pub mated: bool,
    /// Of who plays it, if it is known.
    pub rating: Option<u32>,
    /// The stages to go through, from 1.
    pub stages: Range<usize>,
}

/// What answers questions about losses.
pub(super) struct LossProver<'a> {
    pub effort: Effort,
    pub searcher: &'a mut Searcher,
    pub prover: &'a mut Prover,
}

impl LossProver<'_> {
    /// Proves or refutes that the move loses; `None` if it is the only legal one. Where the work is stopped the answer
    /// is undecided. `each` sees the evidence after every stage, with its number.
    pub(super) fn prove(&mut self, question: Question, mut each: impl FnMut(usize, &Evidence)) -> Option<Loss> {
        let Question { position, bait, mated, rating, stages, .. } = question;
        let circumstances = Circumstances::new(position, rating);
        let others: Vec<Move> = position.legal_moves().into_iter().filter(|&m| m != bait).collect();
        if others.is_empty() {
            return None;
        }
        let baited = after(position, bait);
        let mut nodes = 0;
        let mut mate: Option<MateProof> = None;
        let mut killers = question.killers.to_vec();
        let mut best: Vec<Move> = question.best.into_iter().collect();
        let mut last = None;
        let last_stage = stages.end - 1;
        for stage in stages {
            let budget = STAGE_NODES[stage];
            let limits = Limits { depth: MAX_DEPTH, nodes: budget };
            let kept = deepen(self.searcher, position, &others, &best, limits);
            best = kept.line.first().copied().into_iter().collect();
            // Deeper values of the answers would be compared with nothing, unless the best move mates.
            let mates = mate_distance(kept.value()).is_some();
            let reached = if mates { MAX_DEPTH } else { kept.values.last().map_or(1, |&(depth, _)| depth.max(1)) };
            let reached = Limits { depth: reached, ..limits };
            let left =
                if mated { Deepening::default() } else { deepen(self.searcher, &baited, &[], &killers, reached) };
            nodes += kept.nodes + left.nodes;
            if let Some(&killer) = left.line.first() {
                killers = vec![killer];
            }
            if mate.is_none() && left.value() >= MATE_LIKELY {
                let proof = self.prover.prove(&baited, MATES, budget * MATE_SHARE, &killers);
                nodes += proof.nodes;
                mate = (proof.verdict == Verdict::Proved).then_some(proof);
            }
            let evidence = if mated || mate.is_some() {
                Evidence::of_mate(&kept.values, circumstances)
            } else {
                Evidence::new(&kept.values, &left.values, circumstances)
            };
            let probability = evidence.probability(stage);
            let mut verdict = verdict(&evidence, stage, stage < last_stage, self.effort.refuted);
            if verdict == Verdict::Proved && !evidence.mated && may_be_perpetual(position, &kept, &baited, &left) {
                verdict = Verdict::Undecided;
            }
            if evidence.mated && verdict == Verdict::Proved {
                if stage < LEAST_MATED && stage < last_stage {
                    verdict = Verdict::Undecided;
                } else if let Some(&other) = best.first() {
                    // It was avoidable only if the best other move is not mated as well.
                    let proof = self.prover.prove(&after(position, other), EXHAUSTIVE, budget, &[]);
                    nodes += proof.nodes;
                    if proof.verdict == Verdict::Proved {
                        verdict = Verdict::Refuted;
                    }
                }
            }
            let is_stopped = self.searcher.stop_flag.is_stopped();
            each(stage, &evidence);
            let goes_on = verdict == Verdict::Undecided && !is_stopped;
            last =
                Some((kept, left, evidence, probability, if is_stopped { Verdict::Undecided } else { verdict }, stage));
            if !goes_on {
                break;
            }
        }
        let (kept, left, evidence, probability, verdict, stage) = last?;
        let (line, mate_in) = match mate {
            Some(proof) => (proof.line, proof.mate_in),
            None => (left.line, None),
        };
        let (before, after) = (evidence.before, evidence.after);
        let (best_line, settled) = (kept.line, true);
        Some(Loss { before, after, best_line, line, mate_in, verdict, probability, stage, settled, nodes })
    }

    /// A loss that is proved or possible, as searches of [`CONFIRMING_NODES`] see it: with their win chances, best move and
    /// answer. It is undecided where they do not bear it out.
    pub(super) fn confirm(&mut self, position: &Chess, bait: Move, claimed: &Loss) -> Loss {
        let others: Vec<Move> = position.legal_moves().into_iter().filter(|&m| m != bait).collect();
        let baited = after(position, bait);
        let few_pieces = (position.board().occupied() & !position.board().pawns()).count() <= FEW_PIECES + 2;
        let is_proved = claimed.verdict == Verdict::Proved;
        let mut seen = Loss { verdict: Verdict::Undecided, ..claimed.clone() };
        for (search, &nodes) in CONFIRMING_NODES.iter().enumerate() {
            let limits = Limits { depth: MAX_DEPTH, nodes };
            let first = |line: &[Move]| line.first().copied().into_iter().collect::<Vec<_>>();
            let kept = deepen(self.searcher, position, &others, &first(&seen.best_line), limits);
            let mut next = Loss { before: win_chance(kept.value()), nodes: seen.nodes + kept.nodes, ..seen.clone() };
            let mut left = Deepening::default();
            if next.mate_in.is_none() {
                left = deepen(self.searcher, &baited, &[], &first(&seen.line), limits);
                next.after = -win_chance(left.value());
                next.nodes += left.nodes;
                if !left.line.is_empty() {
                    next.line.clone_from(&left.line);
                }
            }
            if self.searcher.stop_flag.is_stopped() || kept.line.is_empty() {
                return seen;
            }
            next.best_line.clone_from(&kept.line);
            let apart = f64::max((next.before - seen.before).abs(), (next.after - seen.after).abs());
            let agrees = apart < AGREES && next.best_line.first() == seen.best_line.first();
            next.settled = apart < AGREES && !few_pieces;
            seen = next;
            let is_last = search + 1 == CONFIRMING_NODES.len();
            let least = match (is_proved, search) {
                (true, 0) => CLEAR,
                (true, _) => LOSS,
                (false, 0) => MISTAKE,
                (false, _) => CERTAIN,
            };
            let is_seen = seen.cost() >= least;
            let suffices = if is_proved { is_seen && (agrees || search > 0) } else { is_seen && is_last };
            if suffices && (is_proved || !may_be_perpetual(position, &kept, &baited, &left)) {
                seen.verdict = Verdict::Proved;
            }
            if suffices || !is_proved && !is_seen {
                break;
            }
        }
        seen
    }
}

fn verdict(evidence: &Evidence, stage: usize, goes_on: bool, refuted: f64) -> Verdict {
    let probability = evidence.probability(stage);
    let border = if goes_on { PROVED_EARLY } else { PROVED };
    if probability >= border && (evidence.stands() || evidence.mated && evidence.loss() >= LOSS) {
        Verdict::Proved
    } else if probability <= refuted {
        Verdict::Refuted
    } else {
        Verdict::Undecided
    }
}

/// Whether a loss may be none because of perpetual check, which so few nodes seldom see to its end: whoever is said to
/// stand worse at the end of a line, of the best other move or of the move in question, gives check with each of his
/// moves in it; or the opponent wins by nothing but checks that take nothing.
fn may_be_perpetual(position: &Chess, kept: &Deepening, baited: &Chess, left: &Deepening) -> bool {
    let is_claimed = |found: &Deepening| {
        mate_distance(found.value()).is_none() && win_chance(found.value()) >= NOT_LEVEL && !found.line.is_empty()
    };
    is_claimed(kept) && only_checks(position, &kept.line, 1) >= 2
        || is_claimed(left) && (only_checks(baited, &left.line, 1) >= 2 || only_checks(baited, &left.line, 0) >= 3)
}

/// Checks that one side, which has every second move from `first` on, gives at the beginning of a line; 0 if one of its
/// moves there is none, or if a piece is taken that it does not take itself to save the game.
fn only_checks(position: &Chess, line: &[Move], first: usize) -> usize {
    let (mut position, mut found) = (position.clone(), 0);
    for (ply, &m) in line.iter().take(PERPETUAL_PLIES).enumerate() {
        let takes = m.capture().is_some_and(|role| role != Role::Pawn);
        position.play_unchecked(m);
        let is_theirs = ply % 2 == first;
        // Whoever attacks shows a gain by what he takes; whoever defends may take as he likes.
        if is_theirs && !position.is_check() || takes && is_theirs == (first == 0) {
            return 0;
        }
        found += usize::from(is_theirs);
    }
    found
}

/// Whether there is a mate for the side to move, given a search of the position; `None` where it was not looked for.
pub(super) fn mate_in(prover: &mut Prover, position: &Chess, searched: &Deepening) -> Option<MateProof> {
    let value = searched.value();
    if value < 0 {
        return None;
    }
    let unseen = if value < MATE_LIKELY { UNSEEN_NODES } else { LIKELY_NODES };
    let (seen, nodes) = mate_distance(value).map_or((UNSEEN_MATES, unseen), |moves| (moves.unsigned_abs(), SEEN_NODES));
    if seen > MATES {
        return None;
    }
    Some(prover.prove(position, seen, nodes, &searched.line[..searched.line.len().min(1)]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::position::{parse, parse_move};

    fn answered(fen: &str, bait: &str) -> Option<Loss> {
        let position = parse(fen).unwrap();
        let bait = parse_move(&position, bait).unwrap();
        let (mut searcher, mut prover) = (Searcher::new(16), Prover::new(14));
        let stages = 1..STAGES;
        let question =
            Question { position: &position.chess, bait, killers: &[], best: None, mated: false, rating: None, stages };
        LossProver { effort: ALONE, searcher: &mut searcher, prover: &mut prover }.prove(question, |_, _| {})
    }

    /// A loss that the proof claimed, as larger searches see it.
    fn confirmed(fen: &str, bait: &str, claimed: &Loss) -> Loss {
        let position = parse(fen).unwrap();
        let bait = parse_move(&position, bait).unwrap();
        let (mut searcher, mut prover) = (Searcher::new(16), Prover::new(14));
        LossProver { effort: ALONE, searcher: &mut searcher, prover: &mut prover }.confirm(
            &position.chess,
            bait,
            claimed,
        )
    }

    #[test]
    fn a_claim_that_larger_searches_deny_is_undecided() {
        // Of games: a strong engine sees the first three cost nothing, and the others a knight, a rook, and a win.
        let denied = [
            ("r5k1/2pb2pp/p4r2/2qp4/P2NnPP1/2P2Q2/6KP/RN3R2 b - - 1 21", "d7g4"),
            ("r5k1/2p3pp/p4r2/2qp4/P2NnPb1/2P2Q2/6KP/RN3R2 w - - 0 22", "f3d3"),
            ("4r1k1/3r1q1p/2p1b1pR/ppP1Bp2/1n1P4/1P1B1P2/P2Q2P1/1K5R w - - 7 27", "d2g5"),
        ];
        let borne_out = [
            ("6k1/3P2p1/2n1Np1p/8/r3P3/5PP1/7P/5R1K w - - 0 31", "e6d4"),
            ("3r1k2/7R/4p3/1p6/1PbBp3/2P1P3/5PPP/6K1 b - - 0 29", "d8a8"),
            ("r1b2rk1/ppp2p2/2np1qpp/8/2PN4/2PBP3/P1Q2PPP/1R3RK1 b - - 1 14", "b7b6"),
        ];
        for (moves, expected) in [(denied, Verdict::Undecided), (borne_out, Verdict::Proved)] {
            for (fen, bait) in moves {
                let claimed =
                    Loss { before: 0.2, after: -0.4, verdict: Verdict::Proved, ..answered(fen, bait).unwrap() };
                let seen = confirmed(fen, bait, &claimed);
                assert_eq!(seen.verdict, expected, "{fen} {bait}: {seen:?}");
                assert!(seen.nodes > claimed.nodes && (seen.cost() >= LOSS) == (expected == Verdict::Proved));
                assert!(!seen.best_line.is_empty() && !seen.line.is_empty());
            }
        }
    }

    #[test]
    fn a_mate_that_is_proved_stays_one() {
        let legal = "r2qkbnr/ppp2ppp/2np4/4N3/2B1P1b1/2N5/PPPP1PPP/R1BQK2R b KQkq - 0 5";
        let proved = answered(legal, "g4d1").unwrap();
        let seen = confirmed(legal, "g4d1", &proved);
        assert_eq!((seen.verdict, seen.mate_in, seen.after), (Verdict::Proved, Some(2), -1.0));
        assert_eq!(seen.line, proved.line);
    }

    #[test]
    fn a_bait_that_is_mated_loses() {
        let legal = "r2qkbnr/ppp2ppp/2np4/4N3/2B1P1b1/2N5/PPPP1PPP/R1BQK2R b KQkq - 0 5";
        let loss = answered(legal, "g4d1").unwrap();
        assert_eq!((loss.verdict, loss.mate_in, loss.line.len()), (Verdict::Proved, Some(2), 3));
        assert!(loss.after == -1.0 && loss.before > -0.6 && loss.probability > 0.8);
        assert!(
            loss.best_line.first().is_some_and(|&best| best != parse_move(&parse(legal).unwrap(), "g4d1").unwrap())
        );
    }

    #[test]
    fn a_queen_left_hanging_is_proved_to_lose_and_a_quiet_move_is_not() {
        let start = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2";
        let queen = answered(start, "d1g4").unwrap();
        assert_ne!(queen.verdict, Verdict::Proved, "nothing attacks g4 but the bishop behind its pawn: {queen:?}");
        assert!(queen.probability < 0.5);
        let lost = answered("rnbqkbnr/ppp2ppp/3p4/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 3", "d1g4").unwrap();
        assert_eq!((lost.verdict, lost.mate_in), (Verdict::Proved, None));
        assert!(lost.cost() >= LOSS && lost.line[0].is_capture());
        let developed = answered(start, "g1f3").unwrap();
        assert_eq!(developed.verdict, Verdict::Refuted);
        assert!(developed.cost() < LOSS / 2.0);
    }

    #[test]
    fn what_perpetual_check_may_save_is_not_proved_to_lose() {
        // The king flees from a queen that checks for ever; a strong engine sees a draw before and after the move.
        for (fen, bait) in [
            ("5r2/rbqn1pQ1/pb6/1p2Pp1k/2p5/1PPp2PP/P2P3K/R1B5 w - - 0 25", "g3g4"),
            ("8/p7/1k2Q3/8/1p5q/8/8/1K6 b - - 3 51", "b6b7"),
            ("8/p7/3Q4/k7/1p5q/8/8/1K6 w - - 16 58", "d6c7"),
        ] {
            let loss = answered(fen, bait).unwrap();
            assert_ne!(loss.verdict, Verdict::Proved, "{fen} {bait}: {loss:?}");
        }
    }

    #[test]
    fn the_only_legal_move_loses_nothing() {
        assert!(answered("7k/8/5K2/8/8/8/8/6R1 b - - 0 1", "h8h7").is_none());
    }

    #[test]
    fn a_move_that_mates_loses_nothing() {
        let mate = answered("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1", "d1d8").unwrap();
        assert_eq!((mate.verdict, mate.after), (Verdict::Refuted, 1.0));
    }
}
