//! Counterparts of moves: what plays the part of a move in a similar node where no move has its label.
//!
//! It is found by move matching (Evans & Turrini, section 3) as the core's `measures::move_matching` does it for one first
//! move: the move whose replies can be paired with its own at the least cost, where a reply is how similar the moves after
//! it are to those before the move. Under the abstracted measure it is the move with the most words in common.

use super::options::Measure;
use crate::game_search::games::game::Game;
use native::workshop::{Unpaired, compare_children, jaccard};

/// What the moves of a node are matched by.
pub(super) enum Pattern {
    /// Of each reply, how similar the moves after it are to those of the node, ascending.
    Replies(Vec<f64>),
    /// Tokens of the move, ascending.
    Words(Vec<u32>),
}

impl Pattern {
    pub(super) fn size(&self) -> usize {
        match self {
            Pattern::Replies(replies) => size_of_val(replies.as_slice()),
            Pattern::Words(words) => size_of_val(words.as_slice()),
        }
    }

    /// 0 to 1.
    fn similarity(&self, other: &Pattern) -> f64 {
        match (self, other) {
            (Pattern::Replies(one), Pattern::Replies(other)) => compare_children(one, other, Unpaired::Formula),
            (Pattern::Words(one), Pattern::Words(other)) => jaccard(one, other),
            _ => 0.0,
        }
    }
}

/// The moves of a position by their codes, each with its pattern.
pub(super) fn patterns<G: Game>(game: &G, measure: Measure) -> Vec<(u16, Pattern)> {
    let mut moves = Vec::new();
    if game.result().is_none() {
        game.moves(&mut moves);
    }
    if measure == Measure::Abstracted {
        let words = game.abstracted(&moves).into_iter().map(|mut words| {
            words.sort_unstable();
            words.dedup();
            Pattern::Words(words)
        });
        return moves.iter().map(|&m| game.code(m)).zip(words).collect();
    }
    let mut is_own = vec![false; G::CODES];
    for &m in &moves {
        is_own[usize::from(game.code(m))] = true;
    }
    let (mut replies, mut then) = (Vec::new(), Vec::new());
    let pattern = |&m: &G::Move| {
        let mut next = game.clone();
        next.play(m);
        next.moves(&mut replies);
        let similarity = |&reply: &G::Move| {
            let mut last = next.clone();
            last.play(reply);
            last.moves(&mut then);
            let shared = then.iter().filter(|&&m| is_own[usize::from(last.code(m))]).count();
            // A node that has moves to match is not empty.
            shared as f64 / (moves.len() + then.len() - shared) as f64
        };
        let mut similarities: Vec<f64> = replies.iter().map(similarity).collect();
        similarities.sort_unstable_by(f64::total_cmp);
        (game.code(m), Pattern::Replies(similarities))
    };
    moves.iter().map(pattern).collect()
}

/// For each move of the first that the second has no label for: the code there of the most similar move whose label the
/// first has none for, if there is any. Of equally similar ones it is the first in the order of the game.
pub(super) fn counterparts(first: &[(u16, Pattern)], second: &[(u16, Pattern)]) -> Vec<(u16, u16)> {
    let alone = |own: &[(u16, Pattern)], other: &[(u16, Pattern)]| -> Vec<usize> {
        (0..own.len()).filter(|&place| other.iter().all(|(code, _)| *code != own[place].0)).collect()
    };
    let candidates = alone(second, first);
    let best = |&place: &usize| {
        let (code, pattern) = &first[place];
        let mut best: Option<(f64, u16)> = None;
        for &candidate in &candidates {
            let (theirs, other) = &second[candidate];
            let alike = pattern.similarity(other);
            if best.is_none_or(|(most, _)| alike > most) {
                best = Some((alike, *theirs));
            }
        }
        best.map(|(_, theirs)| (*code, theirs))
    };
    alone(first, second).iter().filter_map(best).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game_search::games::chess::Chess;

    fn names(fen: &str, other: &str, measure: Measure) -> Vec<(String, String)> {
        let games = [fen, other].map(|fen| Chess::parse(fen).unwrap());
        let moves = |game: &Chess| {
            let mut moves = Vec::new();
            game.moves(&mut moves);
            moves
        };
        let name = |game: &Chess, code: u16| {
            let m = moves(game).into_iter().find(|&m| game.code(m) == code);
            game.label(m.expect("the code of a legal move"))
        };
        let found = counterparts(&patterns(&games[0], measure), &patterns(&games[1], measure));
        found.into_iter().map(|(own, theirs)| (name(&games[0], own), name(&games[1], theirs))).collect()
    }

    #[test]
    fn a_mate_on_another_file_plays_the_part_of_the_mate() {
        let rook = "6k1/5ppp/8/8/8/8/r4PPP/3R2K1 w - - 0 1";
        let beside = "6k1/5ppp/8/8/8/8/r4PPP/4R1K1 w - - 0 1";
        for measure in [Measure::Sequences, Measure::Structural, Measure::Abstracted] {
            let found = names(rook, beside, measure);
            assert!(found.contains(&("d1d8".to_owned(), "e1e8".to_owned())), "{measure:?} {found:?}");
            // Moves of the king and of pawns have the same labels in both.
            assert!(found.iter().all(|(own, theirs)| own.starts_with("d1") && theirs.starts_with("e1")), "{found:?}");
            assert!(names(rook, rook, measure).is_empty());
        }
        // A mated side has nothing to match.
        assert!(names(rook, "3R2k1/5ppp/8/8/8/8/r4PPP/6K1 b - - 0 1", Measure::Sequences).is_empty());
    }
}
