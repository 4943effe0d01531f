//! One judgement of each position of a game: the deepest search wins, whichever question it was made for.

use rustc_hash::FxHashMap;
use shakmaty::{Chess, Move, Position};

use crate::chess::moves::after;
use crate::chess::position::live_key;

/// Nodes that stand for a proof: no search is deeper.
pub(crate) const PROOF: u64 = 1 << 62;

/// Added to the nodes of an engine, which counts more than any search of ours.
pub(crate) const ENGINE: u64 = 1 << 61;

/// Only moves in a row that are played before a position is looked up.
const FORCED: usize = 16;

/// What a position is worth.
#[derive(Clone, Debug)]
pub(crate) struct Judgement {
    /// Win chance of the side to move, -1 to 1.
    pub chance: f64,
    /// Nodes that the search had, with [`ENGINE`] where that was an engine's; or [`PROOF`].
    pub nodes: u64,
    /// The best move and what follows; may be empty.
    pub line: Vec<Move>,
}

/// A position with its judgement.
#[derive(Clone, Debug)]
pub(crate) struct JudgedPosition {
    pub position: Chess,
    pub judgement: Judgement,
}

/// The judgements of the positions of one game, those after moves that were not played among them.
#[derive(Default)]
pub(super) struct Judgements {
    by_position: FxHashMap<u128, Judgement>,
}

impl Judgements {
    /// Keeps a judgement unless a deeper one of the position is known. A position with one legal move is worth what the
    /// next one is, and shares its judgement.
    pub(super) fn note(&mut self, position: &Chess, found: Judgement) {
        if self.of(position).is_none_or(|known| found.nodes >= known.nodes) {
            self.set(position, found);
        }
    }

    fn set(&mut self, position: &Chess, found: Judgement) {
        let (reached, forced) = only_moves(position);
        let Judgement { chance, nodes, mut line } = found;
        line.drain(..forced.len().min(line.len()));
        self.by_position.insert(live_key(&reached), Judgement { chance: of_mover(chance, &forced), nodes, line });
    }

    /// Notes that the side to move mates by this line, which may have only its beginning. So each position of it is
    /// decided.
    pub(super) fn note_mate(&mut self, position: &Chess, line: &[Move]) {
        let (mut position, mut chance) = (position.clone(), 1.0);
        for ply in 0..=line.len() {
            self.note(&position, Judgement { chance, nodes: PROOF, line: line[ply..].to_vec() });
            if let Some(&m) = line.get(ply) {
                position = after(&position, m);
                chance = -chance;
            }
        }
    }

    /// The judgement of a position; `None` if nobody has searched it.
    pub(super) fn of(&self, position: &Chess) -> Option<Judgement> {
        let (reached, forced) = only_moves(position);
        let found = ended(&reached).or_else(|| self.by_position.get(&live_key(&reached)).cloned())?;
        let Judgement { chance, nodes, line } = found;
        Some(Judgement { chance: of_mover(chance, &forced), nodes, line: [forced, line].concat() })
    }

    /// Makes the judgements of a game agree: no position is worth less than after the move that was played there. Where
    /// two say so the deeper one is right.
    pub(super) fn agree(&mut self, positions: &[Chess], moves: &[Move]) {
        for (index, &m) in moves.iter().enumerate().rev() {
            let (Some(here), Some(next)) = (self.of(&positions[index]), self.of(&positions[index + 1])) else {
                continue;
            };
            if here.chance + next.chance >= 0.0 {
                continue;
            }
            if next.nodes >= here.nodes {
                let line = [vec![m], next.line].concat();
                self.set(&positions[index], Judgement { chance: -next.chance, nodes: next.nodes, line });
            } else {
                let raised = Judgement { chance: -here.chance, nodes: here.nodes, line: next.line };
                self.set(&positions[index + 1], raised);
            }
        }
    }
}

/// The position after all moves that are the only legal one, and these moves.
fn only_moves(position: &Chess) -> (Chess, Vec<Move>) {
    let (mut reached, mut forced) = (position.clone(), Vec::new());
    while forced.len() < FORCED {
        let legal = reached.legal_moves();
        let [only] = legal[..] else { break };
        reached = after(&reached, only);
        forced.push(only);
    }
    (reached, forced)
}

/// The win chance of the side to move before these moves, given that after them, and the other way round.
fn of_mover(chance: f64, moves: &[Move]) -> f64 {
    if moves.len().is_multiple_of(2) { chance } else { -chance }
}

/// The judgement of the rules; `None` while the game goes on.
fn ended(position: &Chess) -> Option<Judgement> {
    let chance = if position.is_checkmate() {
        -1.0
    } else if position.is_stalemate() || position.is_insufficient_material() {
        0.0
    } else {
        return None;
    };
    Some(Judgement { chance, nodes: PROOF, line: Vec::new() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::moves::positions_along;
    use crate::chess::position::{parse, parse_line};

    /// A position, its next positions along a line, and the line.
    fn game(fen: &str, line: &[&str]) -> (Vec<Chess>, Vec<Move>) {
        let start = parse(fen).unwrap();
        let moves = parse_line(&start, line.iter().copied()).unwrap();
        (positions_along(&start.chess, &moves), moves)
    }

    fn searched(chance: f64, nodes: u64) -> Judgement {
        Judgement { chance, nodes, line: Vec::new() }
    }

    #[test]
    fn the_deepest_search_wins_in_any_order() {
        let (positions, _) = game("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", &[]);
        let mut judgements = Judgements::default();
        assert!(judgements.of(&positions[0]).is_none());
        for (chance, nodes) in [(0.1, 4_000), (0.3, 64_000), (0.2, 16_000)] {
            judgements.note(&positions[0], searched(chance, nodes));
        }
        let found = judgements.of(&positions[0]).unwrap();
        assert_eq!((found.chance, found.nodes), (0.3, 64_000));
    }

    #[test]
    fn no_position_is_worth_less_than_after_the_move_that_was_played() {
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        for (here, next) in [(16_000, 64_000), (64_000, 16_000)] {
            let (positions, moves) = game(start, &["e2e4"]);
            let mut judgements = Judgements::default();
            judgements.note(&positions[0], searched(0.1, here));
            judgements.note(&positions[1], searched(-0.4, next));
            judgements.agree(&positions, &moves);
            let [before, after] = [0, 1].map(|index| judgements.of(&positions[index]).unwrap());
            let deeper = if next > here { 0.4 } else { 0.1 };
            assert_eq!((before.chance, after.chance), (deeper, -deeper));
            assert_eq!(before.line.first(), (next > here).then_some(&moves[0]));
        }
    }

    #[test]
    fn a_position_with_one_legal_move_is_worth_what_the_next_one_is() {
        // The king has to go to h7, and White is to move.
        let (positions, moves) = game("7k/8/5K2/8/8/8/8/6R1 b - - 0 1", &["h8h7"]);
        let mut judgements = Judgements::default();
        judgements.note(&positions[0], Judgement { line: moves.clone(), ..searched(-0.9, 64_000) });
        judgements.note(&positions[1], searched(0.5, 4_000));
        let [before, after] = [0, 1].map(|index| judgements.of(&positions[index]).unwrap());
        assert_eq!((before.chance, after.chance), (-0.9, 0.9));
        assert_eq!((before.line, after.line.len()), (moves, 0));
    }

    #[test]
    fn each_position_of_a_mate_is_decided() {
        let fen = "r2qkbnr/ppp2ppp/2np4/4N3/2B1P3/2N5/PPPP1PPP/R1BbK2R w KQkq - 0 6";
        let (positions, moves) = game(fen, &["c4f7", "e8e7", "c3d5"]);
        let mut judgements = Judgements::default();
        judgements.note_mate(&positions[0], &moves);
        judgements.note(&positions[2], searched(0.2, 200_000));
        let chances: Vec<f64> = positions.iter().map(|position| judgements.of(position).unwrap().chance).collect();
        assert_eq!(chances, [1.0, -1.0, 1.0, -1.0]);
    }

    #[test]
    fn a_finished_game_is_judged_by_the_rules() {
        let (mated, _) = game("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1", &["d1d8"]);
        let (stalemate, _) = game("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", &[]);
        let judgements = Judgements::default();
        assert_eq!(judgements.of(&mated[1]).unwrap().chance, -1.0);
        assert_eq!(judgements.of(&stalemate[0]).unwrap().chance, 0.0);
    }
}
