//! What local search answers: forced wins of both players of a position, each searched for apart, deeper and deeper.

use super::distance::MOST_MOVES;
use super::search::{LocalSearch, NO_CENTER};
use crate::game_search::games::local::LocalGame;
use native::workshop::StopFlag;

/// What is found for the player to move. It is a strong hint, no proof: a win may be slower than one that the opponent
/// has elsewhere and that was not examined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Finding {
    Win,
    /// Every move loses.
    Loss,
    Nothing,
}

/// How far and how long a position is searched.
#[derive(Clone, Copy)]
pub(crate) struct Limits {
    /// Moves of the winner.
    pub(crate) moves: u32,
    pub(crate) nodes: u64,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LocalAnswer<M> {
    pub(crate) finding: Finding,
    /// Moves of the winner to his win, at most; 0 where nothing was found.
    pub(crate) moves: u32,
    /// The move that wins, or the one that loses last.
    pub(crate) best: Option<M>,
    /// Moves of both players, as far as they are known.
    pub(crate) line: Vec<M>,
    /// Moves that lose, and in how many of the opponent's.
    pub(crate) losing: Vec<(M, u32)>,
    /// In how many moves the opponent wins if the player to move does something elsewhere.
    pub(crate) tenuki: Option<u32>,
    /// Moves to which both searches are complete.
    pub(crate) depth: u32,
    pub(crate) nodes: u64,
    /// Somebody else ended it before its budget was spent.
    pub(crate) is_cancelled: bool,
}

impl<G: LocalGame> LocalSearch<G> {
    /// Searches a position in which the game goes on, around the move that led to it, if there is one, or anywhere.
    pub(crate) fn run(
        &mut self,
        game: &G,
        last: Option<usize>,
        limits: Limits,
        stop_flag: &StopFlag,
    ) -> LocalAnswer<G::Move> {
        self.begin(limits.nodes, stop_flag);
        let mut found = LocalAnswer {
            finding: Finding::Nothing,
            moves: 0,
            best: None,
            line: Vec::new(),
            losing: Vec::new(),
            tenuki: None,
            depth: 0,
            nodes: 0,
            is_cancelled: false,
        };
        for moves in 1..=limits.moves.min(MOST_MOVES as u32) {
            if self.attack(game, moves, NO_CENTER).is_some() {
                (found.finding, found.moves) = (Finding::Win, moves);
                break;
            }
            self.find_losses(game, last, moves, &mut found);
            if found.finding == Finding::Loss || self.is_ended {
                break;
            }
            found.depth = moves;
        }
        found.nodes = self.nodes;
        found.is_cancelled = self.is_ended && self.stop_flag.is_stopped();
        match found.finding {
            Finding::Win => {
                found.line = self.line(game, found.moves);
                found.best = found.line.first().copied();
            }
            Finding::Loss => {
                // The move that loses last gives the opponent most occasions to go wrong.
                let last = found.losing.iter().rev().max_by_key(|(_, moves)| *moves).copied();
                if let Some((m, moves)) = last {
                    let mut next = game.clone();
                    next.play(m);
                    found.best = Some(m);
                    found.line = vec![m];
                    found.line.extend(self.line(&next, moves));
                }
            }
            Finding::Nothing => {}
        }
        found
    }

    /// Adds the moves after which the opponent wins in so many moves, if he does after a tenuki.
    fn find_losses(&mut self, game: &G, last: Option<usize>, moves: u32, found: &mut LocalAnswer<G::Move>) {
        let center = last.map_or(NO_CENTER, |number| number as u16);
        let mut passed = game.clone();
        passed.pass();
        let Some(mut zone) = self.attack(&passed, moves, center) else { return };
        found.tenuki.get_or_insert(moves);
        let player = game.mover();
        let mut replies = self.replies(game);
        let known = found.losing.clone();
        let mut holding = 0;
        // What may help is examined first: it can make the zone larger.
        loop {
            let mut is_grown = false;
            for reply in &mut replies {
                if !reply.is_done && self.is_relevant(reply, &zone, player) {
                    match self.reply(reply, moves, center) {
                        Some(other) => {
                            let before = zone;
                            zone.join(&other);
                            is_grown |= zone != before;
                            if known.iter().all(|(m, _)| *m != reply.m) {
                                found.losing.push((reply.m, moves));
                            }
                        }
                        None => holding += 1,
                    }
                    if self.is_ended {
                        return;
                    }
                }
            }
            if !is_grown {
                break;
            }
        }
        for reply in replies.iter().filter(|reply| !reply.is_done) {
            if known.iter().all(|(m, _)| *m != reply.m) {
                found.losing.push((reply.m, moves));
            }
        }
        if holding == 0 {
            (found.finding, found.moves) = (Finding::Loss, moves);
        }
    }

    /// The moves of a win that was found: the winner's, and the replies that hold out longest, as far as they are known.
    fn line(&self, game: &G, moves: u32) -> Vec<G::Move> {
        let (mut game, mut line, mut left) = (game.clone(), Vec::new(), moves);
        let mut legal = Vec::new();
        while game.result().is_none() && left > 0 {
            let known = self.table.win(&game.key(), left).map(|win| win.code);
            game.moves(&mut legal);
            let Some(m) = game.decisive().or_else(|| legal.iter().copied().find(|m| Some(game.code(*m)) == known))
            else {
                break;
            };
            line.push(m);
            game.play(m);
            left -= 1;
            let longest = self.replies(&game).into_iter().filter_map(|reply| {
                let is_over = reply.next.result().is_some();
                let known = if is_over { None } else { self.table.win(&reply.next.key(), left) };
                let soon = if is_over { None } else { reply.next.decisive().map(|_| 1) };
                soon.or(known.map(|win| win.zone.moves)).map(|moves| (moves, reply))
            });
            let Some((_, reply)) = longest.max_by_key(|(moves, _)| *moves) else { break };
            line.push(reply.m);
            game = reply.next;
        }
        line
    }
}
