//! The proof that a move loses: does it cost [`BLUNDER`](crate::win_chance::BLUNDER), or nearly so, against the best other move?
//!
//! Both questions, what the best other move keeps and what the move leaves, are searched in stages with more and more
//! nodes and one table, until the probability is beyond one of the borders. `Proved` also needs the last search to see so
//! much lost, or a mate by the prover, and the ends of both lines to bear it out ([`confirmation`]). [`suspicion`] has
//! the probability that a move loses, from what searches saw of it, and [`perpetual`] the losses that perpetual check may
//! undo.

mod confirmation;
mod perpetual;
pub(crate) mod suspicion;

use std::ops::Range;

use shakmaty::{Chess, Move, Position};

use crate::chess::moves::after;
use crate::judge::losses::confirmation::{Claim, Confirmation};
use crate::judge::losses::perpetual::may_be_perpetual;
use crate::judge::losses::suspicion::{Circumstances, Evidence, STAGES};
use crate::judge::model::{LOST, WON};
use crate::judge::pass::{Deepening, deepen};
use crate::mate::{EXHAUSTIVE, MateProof, Prover};
use crate::search::score::mate_distance;
use crate::search::verdict::Verdict;
use crate::search::{Limits, MAX_DEPTH, Searcher};
use crate::win_chance::{BLUNDER, win_chance};

/// Nodes for each of the two questions, by stage; the first entry is the pass, which is not made here.
pub(super) const STAGE_NODES: [u64; STAGES] = [0, 16_000, 64_000, 200_000];

/// How far questions about losses are followed up.
#[derive(Clone, Copy, Debug)]
pub(super) struct Effort {
    /// A move of the pass with at least this probability is examined.
    pub suspected: f64,
    /// Up to this probability a loss is refuted, by stage.
    pub refuted: [f64; STAGES],
    /// From this probability of a mistake on a loss is proved before the last stage, by stage.
    pub proved: [f64; STAGES],
    /// One more than the last stage of the proof where no trap of the library says that the move loses; with 1 the pass
    /// alone judges moves that were played.
    pub end: usize,
}

/// No probability is so high: nothing is proved at such a stage.
const NEVER: f64 = f64::INFINITY;

/// Where our own search decides. What more nodes have borne out needs less to be believed, and what is unlikely after a
/// stage is dropped, so that the last stage, which costs most, is for what is in doubt. Of 486 losing moves in 131 games of
/// two amateurs, the borders report 421, and 474 of 486 claims agree. With .1 for what is dropped these are 419, and 477 of
/// 490, for a fifth more nodes; with .25 and .4 they are 414 of 486 at best.
pub(super) const ALONE: Effort =
    Effort { suspected: 0.02, refuted: [0.0, 0.2, 0.25, 0.1], proved: [NEVER, 0.97, 0.93, PROVED], end: STAGES };
/// Where every move is judged: what is unlikely to lose may still be an inaccuracy, and its cost is wanted. With the
/// borders of [`ALONE`] 124 of 163 moves that cost 10 to 15 points in 62 lichess games are marked, with these 131.
pub(super) const EVERY_MOVE: Effort = Effort { refuted: [0.0, 0.1, 0.1, 0.1], ..ALONE };
/// Where an engine decides, and has made the pass.
pub(super) const WITH_ENGINE: Effort = Effort { refuted: [0.0; STAGES], end: 1, ..ALONE };
/// Where what the searches see is collected for the fit of the probabilities: farther than needed, so that the borders
/// can be chosen by it.
pub(super) const COLLECTING: Effort =
    Effort { suspected: 0.008, refuted: [0.01; STAGES], proved: [NEVER; STAGES], ..ALONE };

/// From this probability of a mistake on a loss is proved after the last stage.
const PROVED: f64 = 0.8;

/// With so few pieces beside kings and pawns no win chances are reported: against Stockfish's, the loss is wrong by 6.8
/// points on average (20 moves), elsewhere by 3.7 (594).
const FEW_PIECES: usize = 4;

/// Men of an ending in which a loss must also be seen by two searches of so many nodes, and what it must cost by them: a
/// game of so few men is won, drawn or lost, and so many nodes mostly see which. So is one that perpetual check may draw.
const ENDING_MEN: usize = 7;
const ENDING_NODES: u64 = 1_000_000;
const ENDING_COST: f64 = 0.4;

/// With few pieces a move is reported below [`LOST`] and above [`WON`] only if it costs this much, or allows mate. Of 13
/// such moves with more pieces, in 255 games, that cost less, 12 cost a mistake by a strong engine.
const TOLD_BEYOND: f64 = 0.45;

/// Longest mate that is searched for, and the nodes for it at each stage, as a share of those of the stage.
pub(super) const MATES: u32 = 5;
const MATE_SHARE: u64 = 2;
/// Longest mate to search for if the search saw none, and the nodes for that if a mate is likely, if the attacker is at
/// least not worse, and for a mate that it saw.
const UNSEEN_MATES: u32 = 2;
const LIKELY_NODES: u64 = 1_000;
const UNSEEN_NODES: u64 = 150;
const SEEN_NODES: u64 = 20_000;
/// A mate is searched for where the search gives the attacker so many centipawns.
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
    /// Stated probability that the move loses [`BLUNDER`](crate::win_chance::BLUNDER) or more.
    pub probability: f64,
    /// The stage that gave the answer.
    pub stage: usize,
    /// The win chances may be reported: there are not too few pieces.
    pub settled: bool,
    pub nodes: u64,
}

impl Loss {
    /// Win chance that the move costs against the best other one, -2 to 2; negative where it is the best itself.
    pub(crate) fn cost(&self) -> f64 {
        self.before - self.after
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
    /// What the pass saw, if the move was played.
    pub seen: Option<Evidence>,
    /// Of the player who plays it, if it is known.
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
        let Question { position, bait, mated, rating, stages, ref seen, .. } = question;
        let circumstances = Circumstances::new(position, rating);
        let others: Vec<Move> = position.legal_moves().into_iter().filter(|&m| m != bait).collect();
        if others.is_empty() {
            return None;
        }
        let baited = after(position, bait);
        let few_pieces = (position.board().occupied() & !position.board().pawns()).count() <= FEW_PIECES + 2;
        let mut nodes = 0;
        let mut mate: Option<MateProof> = None;
        let mut killers = question.killers.to_vec();
        let mut best: Vec<Move> = question.best.into_iter().collect();
        let mut last: Option<(Deepening, Deepening, Evidence, Verdict, usize)> = None;
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
            let is_mated = mated || mate.is_some();
            let left =
                if is_mated { Deepening::default() } else { deepen(self.searcher, &baited, &[], &killers, reached) };
            nodes += kept.nodes + left.nodes;
            if let Some(&killer) = left.line.first() {
                killers = vec![killer];
            }
            if mate.is_none() && left.value() >= MATE_LIKELY {
                let proof = self.prover.prove(&baited, MATES, budget * MATE_SHARE, &killers);
                nodes += proof.nodes;
                mate = (proof.verdict == Verdict::Proved).then_some(proof);
            }
            let mut evidence = if mated || mate.is_some() {
                Evidence::of_mate(&kept.values, circumstances)
            } else {
                Evidence::new(&kept.values, &left.values, circumstances)
            };
            let before = last.as_ref().map(|(_, _, before, ..)| before).or(seen.as_ref());
            evidence.earlier = before.map(Evidence::loss);
            let mut verdict = self.verdict(&evidence, stage, stage < last_stage);
            let matters_little = verdict == Verdict::Proved && few_pieces && matters_little(&evidence);
            let may_be_none =
                verdict == Verdict::Proved && !evidence.mated && may_be_perpetual(position, &kept, &baited, &left);
            if matters_little || may_be_none && (stage < last_stage || self.effort.end == 1) {
                verdict = Verdict::Undecided;
            }
            if verdict == Verdict::Proved && self.effort.end > 1 {
                let Evidence { before, after, mated, .. } = evidence;
                let (others, baited, kept, left) = (&others, &baited, &kept, &left);
                let claim = Claim { position, others, baited, kept, left, before, after, mated };
                let mut confirmation = Confirmation { searcher: self.searcher, prover: self.prover };
                let (stands, spent) = confirmation.bears_out(&claim);
                nodes += spent;
                if !stands {
                    verdict = Verdict::Undecided;
                }
            }
            let (mut kept, mut left) = (kept, left);
            if verdict == Verdict::Proved && self.effort.end > 1 && (may_be_none || is_ending(position)) {
                (kept, left) = self.searched_deeply(position, &others, &baited, &kept, left, evidence.mated);
                nodes += kept.nodes + left.nodes;
                evidence.before = win_chance(kept.value());
                evidence.after = if evidence.mated { -1.0 } else { -win_chance(left.value()) };
                if evidence.loss() < ENDING_COST {
                    verdict = Verdict::Refuted;
                }
            }
            if let (true, Verdict::Proved, Some(&other)) = (evidence.mated, verdict, best.first()) {
                // It was avoidable only if the best other move is not mated as well.
                let proof = self.prover.prove(&after(position, other), EXHAUSTIVE, budget, &[]);
                nodes += proof.nodes;
                if proof.verdict == Verdict::Proved {
                    verdict = Verdict::Refuted;
                }
            }
            let is_stopped = self.searcher.stop_flag.is_stopped();
            each(stage, &evidence);
            let goes_on = verdict == Verdict::Undecided && !matters_little && !is_stopped;
            let verdict = if is_stopped { Verdict::Undecided } else { verdict };
            last = Some((kept, left, evidence, verdict, stage));
            if !goes_on {
                break;
            }
        }
        let (kept, left, evidence, verdict, stage) = last?;
        let (line, mate_in) = match mate {
            Some(proof) => (proof.line, proof.mate_in),
            None => (left.line, None),
        };
        let (before, after, probability) = (evidence.before, evidence.after, evidence.probability(stage));
        let (best_line, settled) = (kept.line, !few_pieces);
        Some(Loss { before, after, best_line, line, mate_in, verdict, probability, stage, settled, nodes })
    }

    /// The other moves, and the answers unless one mates, searched with [`ENDING_NODES`] and an empty table.
    fn searched_deeply(
        &mut self,
        position: &Chess,
        others: &[Move],
        baited: &Chess,
        kept: &Deepening,
        left: Deepening,
        mated: bool,
    ) -> (Deepening, Deepening) {
        let limits = Limits { depth: MAX_DEPTH, nodes: ENDING_NODES };
        let first = |line: &[Move]| line.iter().copied().take(1).collect::<Vec<_>>();
        // A loss that few nodes saw would be found in the table again.
        self.searcher.clear();
        let deep = deepen(self.searcher, position, others, &first(&kept.line), limits);
        if mated {
            return (deep, left);
        }
        self.searcher.clear();
        (deep, deepen(self.searcher, baited, &[], &first(&left.line), limits))
    }

    fn verdict(&self, evidence: &Evidence, stage: usize, goes_on: bool) -> Verdict {
        let border = if goes_on { self.effort.proved[stage] } else { PROVED };
        // In 120 games there were five claims of less. A strong engine confirmed none of them.
        if evidence.is_mistake(stage) >= border && evidence.loss() >= BLUNDER {
            Verdict::Proved
        } else if evidence.probability(stage) <= self.effort.refuted[stage] {
            Verdict::Refuted
        } else {
            Verdict::Undecided
        }
    }
}

/// Whether a position is an ending of few men.
fn is_ending(position: &Chess) -> bool {
    position.board().occupied().count() <= ENDING_MEN
}

/// Whether a loss is small where all was lost before, or is won still.
fn matters_little(evidence: &Evidence) -> bool {
    let beyond = evidence.before < LOST || evidence.after > WON;
    beyond && !evidence.mated && evidence.loss() < TOLD_BEYOND
}

/// Whether there is a mate for the side to move, given a search of the position; `None` where it was not searched for.
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
        let question = Question {
            position: &position.chess,
            bait,
            killers: &[],
            best: None,
            mated: false,
            seen: None,
            rating: None,
            stages,
        };
        LossProver { effort: ALONE, searcher: &mut searcher, prover: &mut prover }.prove(question, |_, _| {})
    }

    #[test]
    fn what_few_nodes_hold_lost_is_proved_only_if_more_bear_it_out() {
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
        for (moves, expected) in [(denied, false), (borne_out, true)] {
            for (fen, bait) in moves {
                let loss = answered(fen, bait).unwrap();
                assert_eq!(loss.verdict == Verdict::Proved, expected, "{fen} {bait}: {loss:?}");
                assert!(!loss.best_line.is_empty() && !loss.line.is_empty());
                assert!(!expected || STAGE_NODES[loss.stage] >= 16_000 && loss.cost() >= BLUNDER);
            }
        }
    }

    #[test]
    fn a_move_that_wins_by_a_longer_mate_is_not_proved_to_lose() {
        // After the capture on g4 the queen comes to h6 and mates in eight.
        let loss = answered("r2q1rk1/p2b1p1p/1p3Pp1/2npP1Q1/8/4R3/PPBN2PP/6K1 w - - 6 24", "g2g4").unwrap();
        assert_ne!(loss.verdict, Verdict::Proved, "{loss:?}");
    }

    #[test]
    fn a_small_loss_with_few_pieces_is_not_proved_of_a_player_who_was_lost_or_is_winning_still() {
        // A strong engine sees White winning after the move as well, by four percentage points less.
        let loss = answered("8/4Q3/p2Pp3/4k1p1/8/P1P5/KP4PP/5q2 w - - 5 43", "e7d7").unwrap();
        assert_ne!(loss.verdict, Verdict::Proved, "{loss:?}");
        let position = parse("8/4Q3/p2Pp3/4k1p1/8/P1P5/KP4PP/5q2 w - - 5 43").unwrap();
        let circumstances = Circumstances::new(&position.chess, None);
        let told =
            |best: i32, answer: i32| !matters_little(&Evidence::new(&[(8, best)], &[(8, answer)], circumstances));
        assert!(told(100, 100) && !told(-400, 700) && !told(700, -350) && told(700, 0));
        assert!(!matters_little(&Evidence::of_mate(&[(8, -700)], circumstances)));
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
        assert!(lost.cost() >= BLUNDER && lost.line[0].is_capture());
        let developed = answered(start, "g1f3").unwrap();
        assert_eq!(developed.verdict, Verdict::Refuted);
        assert!(developed.cost() < BLUNDER / 2.0);
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
        // Here a knight falls to the fourth check; a strong engine sees a mate in ten.
        let loss = answered("5rk1/5ppp/4p3/8/2P3n1/N2P4/PQ1NKPqP/RR6 w - - 0 24", "b2b8").unwrap();
        assert!(loss.verdict == Verdict::Proved && loss.cost() > 1.5, "{loss:?}");
    }

    #[test]
    fn a_move_of_a_drawn_ending_of_four_men_costs_nothing_and_one_that_throws_a_draw_away_is_proved() {
        for (fen, bait) in [("1K6/P2q4/8/8/8/8/8/7k b - - 0 8", "d7a4"), ("8/8/8/Q7/3K4/8/2p5/1k6 w - - 0 29", "a5c3")]
        {
            let loss = answered(fen, bait).unwrap();
            assert_eq!((loss.before, loss.after), (0.0, 0.0), "{fen} {bait}: {loss:?}");
            assert_ne!(loss.verdict, Verdict::Proved, "{fen} {bait}: {loss:?}");
        }
        let loss = answered("4k3/8/8/4K3/4P3/8/8/8 b - - 0 1", "e8d8").unwrap();
        assert!(loss.verdict == Verdict::Proved && loss.cost() > 0.9, "{loss:?}");
    }

    #[test]
    fn a_move_of_an_ending_of_six_men_is_proved_only_if_many_nodes_see_the_loss() {
        // The game is drawn after the move of the king, and lost after that of the queen.
        let fen = "2K5/1P6/k6R/1n2q3/8/8/8/8 b - - 0 4";
        let [king, queen] = ["a6a7", "e5f6"].map(|bait| answered(fen, bait).unwrap());
        assert_ne!(king.verdict, Verdict::Proved, "{king:?}");
        assert!(queen.verdict == Verdict::Proved && queen.cost() >= ENDING_COST, "{queen:?}");
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
