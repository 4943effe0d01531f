//! Interface of a game that Monte Carlo tree search plays.

use native::workshop::Random;

/// Most plies of a playout in a game that could go on for ever; then [`Game::cut_value`] values it.
pub(crate) const WITHOUT_END: u32 = u32::MAX;

/// A position of a game of two players, with all that the rules have to remember.
///
/// Players are 0, who begins the game, and 1. Values are 1 for a win, 0 for a draw, -1 for a loss.
pub(crate) trait Game: Clone + Send {
    type Move: Copy + PartialEq + Send;
    /// What values positions; it is made once for a search.
    type Evaluator: Send;

    /// Codes of moves are below this.
    const CODES: usize;
    /// Playouts between two looks at the clock: about a tenth of a millisecond's work.
    const POLL: u64;
    /// Plies of a playout before it is cut off and valued.
    const PLAYOUT_PLIES: u32;
    /// Whether [`Game::evaluate`] knows anything.
    const HAS_EVALUATION: bool;

    fn evaluator() -> Self::Evaluator;

    /// The player to move.
    fn mover(&self) -> usize;

    /// What the end of the game is worth for the player to move; none while the game goes on.
    fn result(&self) -> Option<f32>;

    /// Puts the legal moves into `moves`; none if the game is over, and only then.
    fn moves(&self, moves: &mut Vec<Self::Move>);

    fn play(&mut self, m: Self::Move);

    /// A number of the move for tables. Moves of two positions have the same if they have the same label, and two moves
    /// of one position never have.
    fn code(&self, m: Self::Move) -> u16;

    /// The name of the move, as in `workshop.games.rules`.
    fn label(&self, m: Self::Move) -> String;

    /// Moves that a playout chooses from: the legal ones without those that only spoil it. The game goes on.
    fn playout_moves(&self, moves: &mut Vec<Self::Move>) {
        self.moves(moves);
    }

    /// One of [`Game::playout_moves`], each as likely. `scratch` is room to work in.
    fn random_move(&self, random: &mut Random, scratch: &mut Vec<Self::Move>) -> Self::Move {
        self.playout_moves(scratch);
        scratch[random.below(scratch.len())]
    }

    /// A move that wins at once, where that is cheap to see.
    fn decisive(&self) -> Option<Self::Move> {
        None
    }

    /// Puts into `moves` all that keep the opponent from winning with his next move, if he threatens to; else, or if
    /// none does, nothing. Only asked where there is no decisive move.
    fn anti_decisive(&self, moves: &mut Vec<Self::Move>) {
        moves.clear();
    }

    /// What each of these moves does, in words that name no square, as tokens; nothing in games without such words.
    fn abstracted(&self, _moves: &[Self::Move]) -> Vec<Vec<u32>> {
        Vec::new()
    }

    /// How good the position is for the player to move, between -1 and 1; 0 in games without evaluation.
    fn evaluate(&self, _evaluator: &mut Self::Evaluator) -> f32 {
        0.0
    }

    /// The value of a playout that is cut off here, for the player to move.
    fn cut_value(&self, evaluator: &mut Self::Evaluator) -> f32 {
        self.evaluate(evaluator)
    }
}
