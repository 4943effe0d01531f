//! Ranking of the moves after a bait: learned weights over the tokens of abstracted trees.
//!
//! Two steps. All moves are ordered by what is seen of them alone; the best few are examined again with their replies.
//! The probability of a move is that of a conditional logit (one of the moves, or none of them, is a killer).

use rustc_hash::FxHashMap;
use shakmaty::Move;

use crate::abstract_tree::AttackerView;
use crate::abstract_tree::mating_net::MatingNet;
use crate::abstract_tree::replies::answer;
use crate::abstract_tree::seen::{Seen, look, look_at};
use crate::abstract_tree::tokens::{Siblings, names, of_answered, of_mating_net, of_quiescence_rank, of_seen};
use crate::chess::moves::after;
use crate::search::Searcher;

/// Moves of the attacker that are examined with their replies where a position has to be done with in a fraction of a
/// millisecond.
pub(crate) const LAZY_SHORTLIST: usize = 3;

/// Weight of each token, in natural units of log odds; a token that is not there weighs nothing.
#[derive(Clone, Debug, Default)]
pub(crate) struct Weights {
    /// For the order of all moves.
    pub seen: FxHashMap<u32, f32>,
    /// For the shortlist: of the tokens of both steps.
    pub answered: FxHashMap<u32, f32>,
    /// Null score: of the hypothesis that there is no killer.
    pub null_score: f32,
}

/// A move with its place in the order.
#[derive(Clone, Debug)]
pub(crate) struct RankedMove {
    pub m: Move,
    /// Log odds against [`Weights::null_score`]; comparable between positions for shortlisted moves only.
    pub score: f32,
    /// Probability that this move is a killer; 0 for a move that was not shortlisted.
    pub confidence: f64,
    /// All its tokens, ascending; empty for a move that was not shortlisted.
    pub tokens: Vec<u32>,
}

/// The moves of a view, best first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ranking {
    pub moves: Vec<RankedMove>,
    /// Moves made on a board to find the order, those of the quiescence included.
    pub moves_made: u64,
}

fn sum(weights: &FxHashMap<u32, f32>, tokens: &[u32]) -> f32 {
    tokens.iter().filter_map(|token| weights.get(token)).sum()
}

/// The moves of a view with what is seen of each, and the tokens of that.
pub(crate) struct Overview {
    pub seen: Vec<Seen>,
    pub tokens: Vec<Vec<u32>>,
}

impl Overview {
    pub(crate) fn of(view: &AttackerView) -> Overview {
        let seen = look(view);
        let siblings = Siblings::of(view, &seen);
        let tokens = (0..seen.len())
            .map(|i| {
                let mut tokens = Vec::with_capacity(64);
                of_seen(&seen, &siblings, i, &mut tokens);
                tokens
            })
            .collect();
        Overview { seen, tokens }
    }

    /// Indices of the moves, best first by `weights` of the seen tokens; equal ones in the order of the oriented board.
    pub(crate) fn order(&self, view: &AttackerView, weights: &FxHashMap<u32, f32>) -> Vec<(usize, f32)> {
        let mut order: Vec<(usize, f32)> =
            self.tokens.iter().enumerate().map(|(i, tokens)| (i, sum(weights, tokens))).collect();
        let place = |i: usize| view.orientation.place(self.seen[i].m);
        order.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| place(a.0).cmp(&place(b.0))));
        order
    }

    /// All tokens of the moves `shortlist`, ascending each; of fewer moves where `searcher` is stopped.
    pub(crate) fn answered(
        &self,
        view: &AttackerView,
        shortlist: &[usize],
        searcher: &mut Searcher,
        moves_made: &mut u64,
    ) -> Vec<Vec<u32>> {
        let mut values = Vec::with_capacity(shortlist.len());
        let mut out: Vec<Vec<u32>> = Vec::with_capacity(shortlist.len());
        for &i in shortlist {
            if searcher.stop_flag.is_stopped() {
                break;
            }
            let seen = &self.seen[i];
            let mut tokens = self.tokens[i].clone();
            let answered = answer(view, seen);
            *moves_made += answered.moves_made as u64;
            of_answered(seen, &answered, &mut tokens);
            values.push(-searcher.quiescence(&view.orientation.turned(seen.next.clone())));
            *moves_made += searcher.nodes();
            out.push(tokens);
        }
        for (tokens, rank) in out.iter_mut().zip(of_quiescence_rank(&values)) {
            tokens.push(rank);
            tokens.sort_unstable();
        }
        out
    }
}

/// The tokens by which the killer that begins `line` is compared with known ones, ascending: those of its tree that do
/// not depend on the other moves, which are not examined, and, where the line ends in mate, those of the mating net.
/// None for an empty line. The moves must be legal.
pub(crate) fn naming_tokens(view: &AttackerView, line: &[Move]) -> Option<Vec<u32>> {
    let seen = [look_at(view, *line.first()?)];
    let mut tokens = Vec::with_capacity(64);
    of_seen(&seen, &Siblings::of(view, &seen), 0, &mut tokens);
    of_answered(&seen[0], &answer(view, &seen[0]), &mut tokens);
    tokens.retain(|&token| names(token));
    let end = line.iter().fold(view.chess.clone(), |chess, &m| after(&chess, m));
    if let Some(net) = MatingNet::of(&end) {
        of_mating_net(&net, &mut tokens);
    }
    tokens.sort_unstable();
    tokens.dedup();
    Some(tokens)
}

impl Weights {
    /// All legal moves, best first; the first `shortlist` of them by their full trees.
    pub(crate) fn rank(&self, view: &AttackerView, shortlist: usize, searcher: &mut Searcher) -> Ranking {
        let overview = Overview::of(view);
        let mut moves_made = overview.seen.len() as u64;
        let order = overview.order(view, &self.seen);
        let first: Vec<usize> = order.iter().take(shortlist).map(|&(i, _)| i).collect();
        let tokens = overview.answered(view, &first, searcher, &mut moves_made);
        let mut moves: Vec<RankedMove> = first
            .iter()
            .zip(tokens)
            .map(|(&i, tokens)| RankedMove {
                m: overview.seen[i].m,
                score: sum(&self.answered, &tokens) - self.null_score,
                confidence: 0.0,
                tokens,
            })
            .collect();
        // A stable sort: equal moves stay in the order of the first step.
        moves.sort_by(|a, b| b.score.total_cmp(&a.score));
        let top = moves.first().map_or(0.0, |best| f64::from(best.score)).max(0.0);
        let all: f64 = (-top).exp() + moves.iter().map(|m| (f64::from(m.score) - top).exp()).sum::<f64>();
        for m in &mut moves {
            m.confidence = (f64::from(m.score) - top).exp() / all;
        }
        moves.extend(order.iter().skip(shortlist).map(|&(i, score)| RankedMove {
            m: overview.seen[i].m,
            score,
            confidence: 0.0,
            tokens: Vec::new(),
        }));
        Ranking { moves, moves_made }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::abstract_tree::tokens::{KINDS, kind_of};
    use crate::chess::position::parse;
    use crate::random::Random;
    use crate::search::stop::StopFlag;
    use shakmaty::Position;

    /// With debug assertions every field of every token is held to its width.
    #[test]
    fn random_games_give_tokens_of_every_kind_within_their_widths() {
        let (mut random, mut met, mut searcher) =
            (Random(1), [0_u32; KINDS.len()], Searcher::for_quiescence(&StopFlag::default()));
        for fen in [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
            "1r4kr/8/8/8/8/8/8/1R4KR w HBhb - 0 1",
            "8/2k5/8/8/8/8/1P3KP1/8 w - - 0 1",
            "Q6Q/8/8/8/8/1k6/8/Q5K1 w - - 0 1",
        ] {
            let s = parse(fen).unwrap();
            let mut chess = s.chess;
            for _ in 0..24 {
                let moves = chess.legal_moves();
                if moves.is_empty() {
                    break;
                }
                let bait = moves[random.below(moves.len())];
                let view = AttackerView::after_bait(&chess, bait, s.mode);
                let ranking = Weights::default().rank(&view, 8, &mut searcher);
                assert_eq!(ranking.moves.len(), view.chess.legal_moves().len());
                let mut tokens: Vec<u32> = ranking.moves.iter().flat_map(|m| m.tokens.clone()).collect();
                for m in &ranking.moves {
                    if let Some(net) = MatingNet::of(&after(&view.chess, m.m)) {
                        of_mating_net(&net, &mut tokens);
                    }
                }
                tokens.iter().for_each(|&token| met[kind_of(token) as usize] += 1);
                chess = view.chess;
            }
        }
        assert!(met.iter().all(|&times| times > 0), "{met:?}");
    }
}
