//! Playouts: a game played to its end by a quick policy, and the history of moves that the policy learns.

use super::options::{Options, PlayoutPolicy};
use super::tree::Mean;
use crate::game_search::games::game::Game;
use native::workshop::Random;

/// How playouts ended in which a player made a move, by player and code.
pub(crate) struct History {
    means: [Vec<Mean>; 2],
}

impl History {
    /// With room for so many codes.
    pub(crate) fn new(codes: usize) -> History {
        History { means: [vec![Mean::default(); codes], vec![Mean::default(); codes]] }
    }

    pub(crate) fn add(&mut self, player: usize, code: u16, value: f32) {
        self.means[player][usize::from(code)].add(value, 1.0);
    }

    /// -1 to 1 for the player; 0 for a move that was never made.
    pub(crate) fn value(&self, player: usize, code: u16) -> f32 {
        self.means[player][usize::from(code)].value()
    }
}

/// Player and code of each move of a playout, its moves in the tree first.
pub(crate) type Played = Vec<(u8, u16)>;

/// What playouts are made with.
pub(crate) struct Playouts<G: Game> {
    pub(crate) evaluator: G::Evaluator,
    pub(crate) history: History,
    moves: Vec<G::Move>,
}

impl<G: Game> Playouts<G> {
    pub(crate) fn new(options: &Options) -> Playouts<G> {
        let codes = if options.keeps_history() { G::CODES } else { 0 };
        Playouts { evaluator: G::evaluator(), history: History::new(codes), moves: Vec::new() }
    }

    /// Plays on to the end, or until the playout is cut off; adds the moves to `played` where they are needed. Returns
    /// the value for player 0, and whether it was a game's end.
    pub(crate) fn run(
        &mut self,
        mut game: G,
        options: &Options,
        random: &mut Random,
        played: &mut Played,
    ) -> (f32, bool) {
        let remember = options.keeps_moves() || options.keeps_history();
        let mut plies = 0;
        loop {
            if let Some(value) = game.result() {
                return (for_first(value, game.mover()), true);
            }
            if plies == G::PLAYOUT_PLIES {
                return (for_first(game.cut_value(&mut self.evaluator), game.mover()), false);
            }
            let m = self.choose(&game, options, random);
            if remember {
                played.push((game.mover() as u8, game.code(m)));
            }
            game.play(m);
            plies += 1;
        }
    }

    fn choose(&mut self, game: &G, options: &Options, random: &mut Random) -> G::Move {
        if options.decisive {
            if let Some(m) = game.decisive() {
                return m;
            }
            game.anti_decisive(&mut self.moves);
            if !self.moves.is_empty() {
                return self.moves[random.below(self.moves.len())];
            }
        }
        match options.playouts {
            PlayoutPolicy::Mast { random: share } if random.unit() >= share => {
                game.playout_moves(&mut self.moves);
                let player = game.mover();
                // Moves of the same value are tried from a place that changes, not always in the order of the board.
                let (count, start) = (self.moves.len(), random.below(self.moves.len()));
                let mut best = (f32::NEG_INFINITY, start);
                for number in (start..count).chain(0..start) {
                    let value = self.history.value(player, game.code(self.moves[number]));
                    if value > best.0 {
                        best = (value, number);
                    }
                }
                self.moves[best.1]
            }
            _ => game.random_move(random, &mut self.moves),
        }
    }
}

/// A value for a player as one for player 0.
pub(crate) fn for_first(value: f32, player: usize) -> f32 {
    if player == 0 { value } else { -value }
}
