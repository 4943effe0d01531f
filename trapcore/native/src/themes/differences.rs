//! The difference that a mistake makes to the local trees of both sides, as tokens.
//!
//! Of the paper's local trees three are compared: the opponent's after the mistake, his after a pass in its place, and
//! the mover's own before and after it. Four parts make one token set:
//!
//! | part | tokens |
//! |---|---|
//! | the killer | those that name it, see [`naming_tokens`] |
//! | added | those of them that the same move does not have after a pass, once more, each as a kind of its own |
//! | taken | guards of the killer's squares that the mover loses, attackers of its target that the opponent wins |
//! | labels | the themes of the proved line, and the names that the caller gives it |
//!
//! A label weighs by its copies: as many tokens that nothing else has. So the similarity of two mistakes is that of
//! their token sets, in the index that serves the killers as well.

use shakmaty::{Chess, Move, Position, Role, Square};

use crate::abstract_tree::AttackerView;
use crate::abstract_tree::tokens::{FIELD_BITS, KINDS, Stage, kind_of, names};
use crate::chess::moves::ends;
use crate::chess::position::GamePosition;
use crate::ranking::ranker::naming_tokens;
use crate::themes::line::Line;
use crate::themes::line_themes;

/// Kind of the tokens of what was taken, and of labels; those of what was added lie between the vocabulary and these.
pub(crate) const TAKEN: u32 = 30;
const LABEL: u32 = 31;

/// Tokens of a theme of the line. Of 1, 4 and 16 copies, 4 found as many neighbours of the same theme as 16 did.
const THEME_COPIES: u32 = 4;
/// Themes that say how long a line is or when it happens, and not what happens in it.
const NO_IDEA: [&str; 20] = [
    "mate",
    "mateIn1",
    "mateIn2",
    "mateIn3",
    "mateIn4",
    "mateIn5",
    "opening",
    "middlegame",
    "endgame",
    "pawnEndgame",
    "knightEndgame",
    "bishopEndgame",
    "rookEndgame",
    "queenEndgame",
    "queenRookEndgame",
    "oneMove",
    "short",
    "long",
    "veryLong",
    "advancedPawn",
];

/// A name of the mistake, and how many tokens it weighs.
pub(crate) type Label<'a> = (&'a str, u32);

/// The token set of a mistake, ascending: `line` is the mistake and the proved line that punishes it, legal one after
/// the other. Empty for a line of less than two moves.
pub(crate) fn difference_tokens(position: &GamePosition, line: &[Move], labels: &[Label]) -> Vec<u32> {
    let (before, mode) = (&position.chess, position.mode);
    let [mistake, killer, ..] = *line else { return Vec::new() };
    let view = AttackerView::after_bait(before, mistake, mode);
    let mut tokens = naming_tokens(&view, &line[1..]).unwrap_or_default();
    let earlier = view.passed().and_then(|passed| {
        // After a pass it may take another piece, or none.
        let is_same = |m: &Move| ends(*m) == ends(killer) && m.promotion() == killer.promotion();
        let same = passed.legal_moves().into_iter().find(is_same)?;
        naming_tokens(&AttackerView::new(passed.clone(), mode, None), &[same])
    });
    let earlier = earlier.unwrap_or_default();
    let added: Vec<u32> = tokens
        .iter()
        .filter(|&token| earlier.binary_search(token).is_err())
        .filter_map(|&token| added(token))
        .collect();
    tokens.extend(added);
    tokens.extend(taken(before, &view.chess, killer));
    let themes = line_themes(&Line::new(before, line), None);
    for (name, _) in themes.iter().filter(|(name, _)| !NO_IDEA.contains(name)) {
        tokens.extend(label(name, THEME_COPIES));
    }
    tokens.extend(labels.iter().flat_map(|&(name, copies)| label(name, copies)));
    tokens.sort_unstable();
    tokens.dedup();
    tokens
}

/// The token of something that was added: none for the kinds that a pass cannot change.
pub(crate) fn added(token: u32) -> Option<u32> {
    let is_named = |kind: &u32| names(kind << FIELD_BITS) && !matches!(KINDS[*kind as usize].stage, Stage::Proved);
    let place = (0..KINDS.len() as u32).filter(is_named).position(|kind| kind == kind_of(token))?;
    Some(((KINDS.len() + place) as u32) << FIELD_BITS | token & ((1 << FIELD_BITS) - 1))
}

/// What the mover's side lost around the killer's squares and what the attacker won there.
fn taken(before: &Chess, now: &Chess, killer: Move) -> Vec<u32> {
    let (from, to) = ends(killer);
    let (victim, attacker) = (before.turn(), !before.turn());
    let count = |chess: &Chess, square: Square, color, role| {
        let board = chess.board();
        (board.attacks_to(square, color, board.occupied()) & board.by_role(role)).count()
    };
    let mut tokens = Vec::new();
    for role in Role::ALL {
        let losses = [
            count(before, to, victim, role) > count(now, to, victim, role),
            count(before, from, victim, role) > count(now, from, victim, role),
            count(before, to, attacker, role) < count(now, to, attacker, role),
        ];
        let token = |place: usize| TAKEN << FIELD_BITS | (place as u32) << 3 | role as u32;
        tokens.extend(losses.iter().enumerate().filter(|(_, lost)| **lost).map(|(place, _)| token(place)));
    }
    tokens
}

/// The tokens of a label: the FNV-1a hash of its name below the number of the copy.
fn label(name: &str, copies: u32) -> impl Iterator<Item = u32> {
    let hash = name.bytes().fold(0x811c_9dc5u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    (0..copies.min(8)).map(move |copy| LABEL << FIELD_BITS | copy << 24 | hash >> 8)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::position::{parse, parse_line};

    fn tokens(fen: &str, line: &str, labels: &[Label]) -> Vec<u32> {
        let position = parse(fen).unwrap();
        let moves = parse_line(&position, line.split_whitespace()).unwrap();
        difference_tokens(&position, &moves, labels)
    }

    const FORK: &str = "r3k3/8/8/1b1N4/8/8/8/4K3 b q - 0 1";

    #[test]
    fn colours_and_wings_make_no_difference() {
        let white = tokens(FORK, "b5a4 d5c7 e8d7 c7a8", &[("place", 8)]);
        let black = tokens("4k3/8/8/8/1B1n4/8/8/R3K3 w Q - 0 1", "b4a5 d4c2 e1d2 c2a1", &[("place", 8)]);
        assert_eq!(white, black);
    }
}
