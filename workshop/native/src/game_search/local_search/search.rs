//! The search for a forced win of the player to move in so many moves of his.
//!
//! A move of the attacker counts only if he would win should the opponent pass, a virtual *tenuki*; so nothing is won by
//! zugzwang, and what the win after the tenuki depends on is the zone that the opponent's reply has to touch. All other
//! replies lose as the tenuki does. The attacker's moves lie in a region that shrinks: none is farther from his first
//! than the moves that are left.

use super::distance::{Distances, MOST_MOVES};
use super::table::Table;
use super::zone::Zone;
use crate::game_search::games::local::LocalGame;
use native::workshop::StopFlag;

/// The attacker has not moved yet: his first move becomes the center.
pub(super) const NO_CENTER: u16 = u16::MAX;

pub(crate) struct LocalSearch<G: LocalGame> {
    pub(super) distances: Distances,
    pub(super) table: Table,
    /// How often a move, by its number, won or refuted.
    merits: Vec<u32>,
    pub(super) nodes: u64,
    limit: u64,
    pub(super) stop_flag: StopFlag,
    /// The budget is spent, and what is under way has no answer.
    pub(super) is_ended: bool,
    game: std::marker::PhantomData<fn(G)>,
}

/// A move, the position after it, and the move's number.
pub(super) struct Candidate<G: LocalGame> {
    pub(super) m: G::Move,
    pub(super) next: G,
    pub(super) number: usize,
    pub(super) is_done: bool,
}

impl<G: LocalGame> LocalSearch<G> {
    /// For the game of this position, with so many bytes for what is known.
    pub(crate) fn new(game: &G, memory: usize) -> LocalSearch<G> {
        let statics = game.statics();
        LocalSearch {
            distances: Distances::for_search(&statics),
            table: Table::new(memory),
            merits: vec![0; statics.moves.len()],
            nodes: 0,
            limit: 0,
            stop_flag: StopFlag::default(),
            is_ended: false,
            game: std::marker::PhantomData,
        }
    }

    /// A question begins, of so many nodes at most.
    pub(super) fn begin(&mut self, limit: u64, stop_flag: &StopFlag) {
        self.stop_flag = stop_flag.clone();
        self.stop_flag.begin();
        (self.nodes, self.limit, self.is_ended) = (0, limit, false);
    }

    /// Counts a node; says whether the budget allows it.
    fn enter(&mut self) -> bool {
        self.is_ended = self.is_ended || self.nodes >= self.limit || self.stop_flag.is_due(self.nodes);
        self.nodes += u64::from(!self.is_ended);
        !self.is_ended
    }

    /// The zone of a win of the player to move in at most so many moves (1 to [`MOST_MOVES`]) around a center; none if
    /// none is found.
    pub(super) fn attack(&mut self, game: &G, moves: u32, center: u16) -> Option<Zone> {
        debug_assert!(moves as usize <= MOST_MOVES);
        if !self.enter() || game.goal_distance(game.mover()) > moves {
            return None;
        }
        if let Some(m) = game.decisive() {
            return Some(Zone::WON.before(game.needs(m)));
        }
        let key = game.key();
        if let Some(win) = self.table.win(&key, moves) {
            return Some(win.zone);
        }
        if self.table.has_failed(&key, center, moves) {
            return None;
        }
        for candidate in self.candidates(game, moves, center) {
            let number = candidate.number;
            let center = if G::FOCUS.is_some() || center == NO_CENTER { number as u16 } else { center };
            let touched = self.distances.reach(number)[0];
            if let Some(zone) = self.defend(&candidate.next, moves - 1, center, touched) {
                let zone = zone.before(game.needs(candidate.m));
                self.merits[number] += 1;
                self.table.add_win(key, zone, game.code(candidate.m));
                return Some(zone);
            }
            if self.is_ended {
                return None;
            }
        }
        self.table.add_failure(key, center, moves);
        None
    }

    /// The attacker's moves that are near enough to each other and to a goal, the most promising first.
    fn candidates(&self, game: &G, moves: u32, center: u16) -> Vec<Candidate<G>> {
        let mut legal = Vec::new();
        // Where the opponent threatens to win, only what prevents it is of use.
        game.anti_decisive(&mut legal);
        if legal.is_empty() {
            game.moves(&mut legal);
        }
        let attacker = game.mover();
        let mut found: Vec<(u32, u32, Candidate<G>)> = Vec::with_capacity(legal.len());
        for m in legal {
            let number = game.number(m);
            // A man that cannot come to a goal in time does not belong to a win that cannot be shortened.
            let is_late = self.distances.to_goal(number) >= moves;
            if is_late || center != NO_CENTER && !self.is_near(center.into(), number, moves) {
                continue;
            }
            let mut next = game.clone();
            next.play(m);
            let distance = next.goal_distance(attacker);
            if distance < moves {
                found.push((distance, u32::MAX - self.merits[number], Candidate { m, next, number, is_done: false }));
            }
        }
        found.sort_by_key(|(distance, merit, _)| (*distance, *merit));
        found.into_iter().map(|(_, _, candidate)| candidate).collect()
    }

    fn is_near(&self, center: usize, number: usize, moves: u32) -> bool {
        match G::FOCUS {
            Some(files) => {
                let file = |number| self.distances.reach(number)[0].trailing_zeros() % 8;
                file(center).abs_diff(file(number)) <= files
            }
            // Before the last move the region is as wide as two moves that meet at once.
            None => self.distances.between(center, number) <= moves + 1,
        }
    }

    /// The zone of a win of the player who has just moved, in at most so many more moves; `touched` are the squares of his
    /// move.
    fn defend(&mut self, game: &G, moves: u32, center: u16, touched: u64) -> Option<Zone> {
        if !self.enter() {
            return None;
        }
        if let Some(result) = game.result() {
            return (result == -1.0).then_some(Zone::WON);
        }
        if moves == 0 || game.goal_distance(1 - game.mover()) > moves || game.decisive().is_some() {
            return None;
        }
        let mut replies = self.replies(game);
        let mut zone = Zone::WON;
        // Replies to the move itself refute it most often, so that the tenuki need not be examined.
        for reply in &mut replies {
            if self.distances.reach(reply.number)[0] & touched != 0 {
                zone.join(&self.reply(reply, moves, center)?);
            }
        }
        let mut passed = game.clone();
        passed.pass();
        let quick = tenuki_moves(moves);
        zone.join(&self.attack(&passed, quick, center)?);
        self.answer_all(&mut replies, &mut zone, moves, center)?;
        Some(zone)
    }

    /// All moves of the opponent, those that refuted most often first.
    pub(super) fn replies(&self, game: &G) -> Vec<Candidate<G>> {
        let mut legal = Vec::new();
        game.moves(&mut legal);
        let made = legal.into_iter().map(|m| {
            let mut next = game.clone();
            next.play(m);
            Candidate { m, next, number: game.number(m), is_done: false }
        });
        let mut found: Vec<_> = made.collect();
        found.sort_by_key(|reply| std::cmp::Reverse(self.merits[reply.number]));
        found
    }

    /// The attacker's win after a reply; none if it refutes.
    pub(super) fn reply(&mut self, reply: &mut Candidate<G>, moves: u32, center: u16) -> Option<Zone> {
        reply.is_done = true;
        let zone = if reply.next.result().is_some() { None } else { self.attack(&reply.next, moves, center) };
        if zone.is_none() && !self.is_ended {
            self.merits[reply.number] += 1;
        }
        zone
    }

    /// Whether a reply can disturb a win: it touches the zone in time, or the opponent wins first.
    pub(super) fn is_relevant(&self, reply: &Candidate<G>, zone: &Zone, defender: usize) -> bool {
        zone.is_touched(self.distances.reach(reply.number))
            || reply.next.result().is_some()
            || reply.next.goal_distance(defender) < u32::from(zone.moves)
    }

    /// Answers all replies that can disturb the win, until the zone grows no more; none if one refutes.
    fn answer_all(&mut self, replies: &mut [Candidate<G>], zone: &mut Zone, moves: u32, center: u16) -> Option<()> {
        loop {
            let mut is_grown = false;
            for reply in replies.iter_mut() {
                let defender = 1 - reply.next.mover();
                if !reply.is_done && self.is_relevant(reply, zone, defender) {
                    let before = *zone;
                    zone.join(&self.reply(reply, moves, center)?);
                    is_grown |= *zone != before;
                }
            }
            if !is_grown {
                return Some(());
            }
        }
    }
}

/// The moves in which the attacker has to win after a tenuki, if he has so many after another reply. That it is fewer
/// keeps the search to moves that threaten something: on positions of games it finds the same wins with fewer nodes.
fn tenuki_moves(moves: u32) -> u32 {
    (2 * moves).div_ceil(3)
}
