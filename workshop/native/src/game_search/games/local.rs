//! What local search needs to know of a game: its moves as the rules have them, on any board, and its goals.

use super::game::Game;

/// Contents of a square: six kinds of men of the first player, as many of the second, and nothing. A game with one kind
/// of men has kind 0 alone.
pub(crate) const CONTENTS: usize = 13;
pub(crate) const EMPTY: usize = 12;

/// The number of a content: a player's man of a kind.
pub(crate) const fn man(player: usize, kind: usize) -> usize {
    6 * player + kind
}

/// Propositions "this square holds that", as squares by content.
pub(crate) type Propositions = [u64; CONTENTS];

/// A move as the rules have it. It is none, and its number is free, if it touches nothing.
#[derive(Clone, Default)]
pub(crate) struct StaticMove {
    pub(crate) player: usize,
    /// Squares whose contents it changes.
    pub(crate) touches: u64,
    /// What holds after it and did not before.
    pub(crate) makes: Propositions,
    /// What it may have waited for: each of these, once it holds, can make the move legal.
    pub(crate) needs: Propositions,
}

/// All moves that a game knows, and its goals.
pub(crate) struct Statics {
    /// By their numbers.
    pub(crate) moves: Vec<StaticMove>,
    /// The ways to win of each player, as the squares that they depend on.
    pub(crate) goals: [Vec<u64>; 2],
}

/// A game that is won by goals on squares: a man on one of them, or men on all of a line.
pub(crate) trait LocalGame: Game {
    /// Where goals are shared by several moves, and moves are therefore near each other all over the board: most files
    /// between a move of the attacker and the one before it.
    const FOCUS: Option<u32>;

    fn statics(&self) -> Statics;

    /// The number of a legal move among the static ones.
    fn number(&self, m: Self::Move) -> usize;

    /// The squares that have to keep their contents for the move to stay legal, and to do what it does here.
    fn needs(&self, m: Self::Move) -> u64;

    /// Fewest moves of the player to one of his goals, or to the end of the opponent's men, against any play;
    /// never more than there are, and `u32::MAX` if he has none left.
    fn goal_distance(&self, player: usize) -> u32;

    /// The opponent is to move instead: a tenuki.
    fn pass(&mut self);

    /// A key that differs between positions of the game.
    fn key(&self) -> Key;
}

/// The squares of both players, and who moves.
pub(crate) type Key = ([u64; 2], usize);
