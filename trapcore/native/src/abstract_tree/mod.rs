//! The abstracted local tree of a move (paper, section 5.2): what the move does, what can be answered, and what
//! follows, in words that name no square, so that trees of different positions can be compared.
//!
//! All is seen from the attacker, who is to move: files and ranks count from the victim's king, upwards to where the
//! attacker's pawns go and to the right from the wing on which the king stands, so that a position with colours
//! exchanged, or mirrored left to right, has the same tokens.
//!
//! | module | what it holds |
//! |---|---|
//! | `attacker_view` | a position as the attacker sees it, with the bait |
//! | `seen` | what is seen of a move without its replies |
//! | `replies` | its replies and the follow-ups to them |
//! | `mating_net` | how a king stands mated |
//! | `tokens` | the vocabulary |

mod attacker_view;
pub(crate) mod mating_net;
pub(crate) mod replies;
pub(crate) mod seen;
pub(crate) mod tokens;

use shakmaty::{CastlingMode, Chess, Move};

pub(crate) use attacker_view::AttackerView;

/// What each of these legal moves does by itself, as tokens in words that name no square and no other move.
pub fn own_words(chess: &Chess, mode: CastlingMode, moves: &[Move]) -> Vec<Vec<u32>> {
    let view = AttackerView::new(chess.clone(), mode, None);
    let seen: Vec<_> = moves.iter().map(|&m| seen::look_at(&view, m)).collect();
    let siblings = tokens::Siblings::of(&view, &seen);
    let words = |number| {
        let mut words = Vec::new();
        tokens::of_seen(&seen, &siblings, number, &mut words);
        words.retain(|&word| tokens::names(word));
        words
    };
    (0..seen.len()).map(words).collect()
}
