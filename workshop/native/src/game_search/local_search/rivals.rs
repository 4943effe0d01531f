//! Other searches for the same claim, which look at all moves of both players: what local search is measured against.

use native::workshop::StopFlag;
use rustc_hash::FxHashMap;

use crate::game_search::games::local::{Key, LocalGame};

/// Proof and disproof numbers are below this; it is the number of what is disproved.
const INFINITE: u32 = 1 << 30;

/// What a rival found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Claim {
    /// Whether the player to move wins; none if the budget was spent before.
    pub(crate) is_won: Option<bool>,
    /// Moves of the winner; 0 if the search does not count them.
    pub(crate) moves: u32,
    pub(crate) nodes: u64,
}

/// Nodes that are counted, and what ends the search.
struct Counter<'a> {
    nodes: u64,
    limit: u64,
    stop_flag: &'a StopFlag,
    is_ended: bool,
}

impl Counter<'_> {
    fn enter(&mut self) -> bool {
        self.is_ended = self.is_ended || self.nodes >= self.limit || self.stop_flag.is_due(self.nodes);
        self.nodes += u64::from(!self.is_ended);
        !self.is_ended
    }
}

fn children<G: LocalGame>(game: &G) -> Vec<G> {
    let mut moves = Vec::new();
    game.moves(&mut moves);
    let play = |m| {
        let mut next = game.clone();
        next.play(m);
        next
    };
    moves.into_iter().map(play).collect()
}

/// Plain iterative alpha-beta search: does the player to move win in 1, 2, … up to so many moves? The windows are those of
/// a win alone, moves come as the game has them, and nothing is remembered.
pub(crate) fn alpha_beta<G: LocalGame>(game: &G, most: u32, limit: u64, stop_flag: &StopFlag) -> Claim {
    fn wins<G: LocalGame>(game: &G, plies: u32, counter: &mut Counter<'_>) -> bool {
        if !counter.enter() {
            return false;
        }
        if let Some(result) = game.result() {
            return result == 1.0;
        }
        // The player to move wins if a reply loses; where no plies are left, nobody has won.
        plies > 0 && children(game).iter().any(|next| loses(next, plies - 1, counter))
    }
    fn loses<G: LocalGame>(game: &G, plies: u32, counter: &mut Counter<'_>) -> bool {
        if !counter.enter() {
            return false;
        }
        if let Some(result) = game.result() {
            return result == -1.0;
        }
        plies > 0 && children(game).iter().all(|next| wins(next, plies - 1, counter))
    }
    let mut stop_flag = stop_flag.clone();
    stop_flag.begin();
    let mut counter = Counter { nodes: 0, limit, stop_flag: &stop_flag, is_ended: false };
    for moves in 1..=most {
        if wins(game, 2 * moves - 1, &mut counter) {
            return Claim { is_won: Some(true), moves, nodes: counter.nodes };
        }
        if counter.is_ended {
            return Claim { is_won: None, moves: 0, nodes: counter.nodes };
        }
    }
    Claim { is_won: Some(false), moves: 0, nodes: counter.nodes }
}

/// Depth-first proof-number search (Nagai, "Df-pn algorithm for searching AND/OR trees and its applications", 2002): does
/// the player to move win, in however many moves? It holds at most so many positions, and ends where there are more.
pub(crate) fn proof_number<G: LocalGame>(game: &G, limit: u64, positions: usize, stop_flag: &StopFlag) -> Claim {
    let mut stop_flag = stop_flag.clone();
    stop_flag.begin();
    let counter = Counter { nodes: 0, limit, stop_flag: &stop_flag, is_ended: false };
    let mut search = ProofNumberSearch { known: FxHashMap::default(), positions, attacker: game.mover(), counter };
    let (proof, disproof) = search.look(game, INFINITE, INFINITE);
    let is_won = if search.counter.is_ended { None } else { Some(proof == 0) };
    debug_assert!(is_won.is_none() || proof == 0 || disproof == 0);
    Claim { is_won, moves: 0, nodes: search.counter.nodes }
}

struct ProofNumberSearch<'a> {
    /// Numbers of proof and disproof for the attacker.
    known: FxHashMap<Key, (u32, u32)>,
    positions: usize,
    attacker: usize,
    counter: Counter<'a>,
}

impl ProofNumberSearch<'_> {
    fn first_numbers<G: LocalGame>(&self, game: &G) -> (u32, u32) {
        if let Some(numbers) = self.known.get(&game.key()) {
            return *numbers;
        }
        match game.result() {
            // A draw is no win.
            Some(result) if (result > 0.0) == (game.mover() == self.attacker) && result != 0.0 => (0, INFINITE),
            Some(_) => (INFINITE, 0),
            None => (1, 1),
        }
    }

    /// Numbers of a position, which it is examined for until one of them reaches its threshold.
    fn look<G: LocalGame>(&mut self, game: &G, most_proof: u32, most_disproof: u32) -> (u32, u32) {
        let first = self.first_numbers(game);
        if game.result().is_some() || first.0 >= most_proof || first.1 >= most_disproof {
            return first;
        }
        if !self.counter.enter() {
            return first;
        }
        let is_attacker = game.mover() == self.attacker;
        let children = children(game);
        // Seen from the player to move: a child's own numbers are turned round.
        let own = |(proof, disproof): (u32, u32)| if is_attacker { (proof, disproof) } else { (disproof, proof) };
        let (most_own, most_other) = own((most_proof, most_disproof));
        let numbers = loop {
            let (mut least, mut second, mut sum, mut best) = (INFINITE, INFINITE, 0u32, 0);
            let mut best_other = 0;
            for (number, child) in children.iter().enumerate() {
                let (win, loss) = own(self.first_numbers(child));
                sum = (sum + loss).min(INFINITE);
                if win < least {
                    (second, least, best, best_other) = (least, win, number, loss);
                } else {
                    second = second.min(win);
                }
            }
            if least >= most_own || sum >= most_other || self.counter.is_ended {
                break own((least, sum));
            }
            // A quarter more than the next best, so that the search does not jump to and fro.
            let limit = most_own.min(second.saturating_add(second / 4 + 1)).min(INFINITE);
            let other = (most_other - (sum - best_other)).min(INFINITE);
            let (proof, disproof) = own((limit, other));
            self.look(&children[best], proof, disproof);
        };
        if self.known.len() >= self.positions && !self.known.contains_key(&game.key()) {
            self.counter.is_ended = true;
        } else {
            self.known.insert(game.key(), numbers);
        }
        numbers
    }
}
