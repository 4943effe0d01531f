//! Wins and failures that are known, in two tables of a fixed number of places; what is newer takes the place.

use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};

use super::zone::Zone;
use crate::game_search::games::local::Key;

/// Bytes of a win and a failure together, with the room that they leave.
const BYTES: usize = size_of::<Option<Win>>() + PER_WIN * size_of::<Option<Failure>>();
/// Failures for each win: they are smaller, and there are more of them.
const PER_WIN: usize = 4;

#[derive(Clone)]
pub(super) struct Win {
    key: Key,
    pub(super) zone: Zone,
    /// The attacker's move, by its code.
    pub(super) code: u16,
}

#[derive(Clone)]
struct Failure {
    key: Key,
    center: u16,
    /// There is no win in so many moves.
    moves: u8,
}

pub(super) struct Table {
    wins: Vec<Option<Win>>,
    failures: Vec<Option<Failure>>,
}

impl Table {
    /// Of `memory` bytes at most, and of some places at least.
    pub(super) fn new(memory: usize) -> Table {
        let wins = (memory / BYTES).max(64);
        Table { wins: vec![None; wins], failures: vec![None; wins * PER_WIN] }
    }

    /// The win of the player to move, if one in at most so many moves is known.
    pub(super) fn win(&self, key: &Key, moves: u32) -> Option<&Win> {
        let win = self.wins[place(key, self.wins.len())].as_ref()?;
        (win.key == *key && u32::from(win.zone.moves) <= moves).then_some(win)
    }

    pub(super) fn add_win(&mut self, key: Key, zone: Zone, code: u16) {
        let place = place(&key, self.wins.len());
        self.wins[place] = Some(Win { key, zone, code });
    }

    /// Whether there is no win around this center in so many moves.
    pub(super) fn has_failed(&self, key: &Key, center: u16, moves: u32) -> bool {
        let known = self.failures[place(&(key, center), self.failures.len())].as_ref();
        known.is_some_and(|known| known.key == *key && known.center == center && u32::from(known.moves) >= moves)
    }

    pub(super) fn add_failure(&mut self, key: Key, center: u16, moves: u32) {
        let place = place(&(key, center), self.failures.len());
        self.failures[place] = Some(Failure { key, center, moves: moves as u8 });
    }
}

fn place(key: &impl Hash, places: usize) -> usize {
    let mut hasher = FxHasher::default();
    key.hash(&mut hasher);
    // The high bits are mixed best.
    ((u128::from(hasher.finish()) * places as u128) >> 64) as usize
}
