//! Fingerprints of nodes, and an index of those that are similar.

use rustc_hash::FxHashMap;

use super::counterparts::{Pattern, counterparts, patterns};
use super::node_measures::{Fingerprint, Key, fingerprint, similarity};
use super::options::{Measure, Sharing};
use crate::game_search::games::game::Game;

/// Most fingerprints that are kept under one key; the newest stay.
const BUCKET: usize = 16;
/// Bytes of a record beside its fingerprint, its places in the index included, about.
const OVERHEAD: usize = 512;
/// Most nodes that a node shares with.
pub(crate) const MOST_LINKS: usize = 6;

/// A node that is like another.
#[derive(Clone)]
pub(crate) struct Link {
    pub(crate) node: u32,
    /// The similarity, 0 to 1.
    pub(crate) alike: f32,
    /// Codes of moves here that have no label there, and of what plays their part there.
    pub(crate) counterparts: Vec<(u16, u16)>,
}

/// A node with a fingerprint, and the nodes that are like it.
pub(crate) struct Record {
    pub(crate) node: u32,
    player: usize,
    fingerprint: Fingerprint,
    /// None unless counterparts are searched for.
    patterns: Vec<(u16, Pattern)>,
    pub(crate) links: Vec<Link>,
    /// The move that is tried first in nodes like this.
    pub(crate) killer: Option<u16>,
    /// Whether it is proved to win.
    pub(crate) is_proved: bool,
}

/// The fingerprints of a tree.
pub(crate) struct Fingerprints {
    pub(crate) records: Vec<Record>,
    buckets: FxHashMap<(usize, Key), Vec<u32>>,
    /// Bytes that are left for more.
    room: usize,
    memory: usize,
}

impl Fingerprints {
    /// With `memory` bytes.
    pub(crate) fn new(memory: usize) -> Fingerprints {
        Fingerprints { records: Vec::new(), buckets: FxHashMap::default(), room: memory, memory }
    }

    pub(crate) fn clear(&mut self) {
        *self = Fingerprints::new(self.memory);
    }

    pub(crate) fn is_full(&self) -> bool {
        self.room == 0
    }

    /// Adds a node at whose position `game` stands, links it with those like it, and returns the record's number.
    pub(crate) fn add<G: Game>(&mut self, node: u32, game: &G, sharing: Sharing) -> u32 {
        let (print, keys) = fingerprint(game, sharing.measure);
        let patterns = if sharing.counterparts { patterns(game, sharing.measure) } else { Vec::new() };
        let size: usize = patterns.iter().map(|(_, pattern)| pattern.size() + size_of::<(u16, Pattern)>()).sum();
        self.room = self.room.saturating_sub(print.size() + size + OVERHEAD);
        let (number, player) = (self.records.len() as u32, game.mover());
        let mut near: Vec<(u32, f32)> = Vec::new();
        for other in self.candidates(number, player, keys, sharing.measure) {
            let record = &self.records[other as usize];
            debug_assert_eq!(record.player, player);
            let alike = similarity(&print, &record.fingerprint, sharing.measure);
            if alike >= sharing.least {
                near.push((other, alike));
            }
        }
        near.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        near.truncate(MOST_LINKS);
        let mut links = Vec::with_capacity(near.len());
        for (other, alike) in near {
            let record = &mut self.records[other as usize];
            let back = Link { node, alike, counterparts: counterparts(&record.patterns, &patterns) };
            links.push(Link { node: record.node, alike, counterparts: counterparts(&patterns, &record.patterns) });
            record.links.push(back);
            if record.links.len() > MOST_LINKS {
                // The least similar of them goes.
                let least =
                    (0..record.links.len()).min_by(|&a, &b| record.links[a].alike.total_cmp(&record.links[b].alike));
                record.links.swap_remove(least.expect("there are links"));
            }
        }
        let is_proved = false;
        self.records.push(Record { node, player, fingerprint: print, patterns, links, killer: None, is_proved });
        number
    }

    /// The records that a new one is compared with, which is entered under its keys.
    fn candidates(&mut self, number: u32, player: usize, keys: Vec<Key>, measure: Measure) -> Vec<u32> {
        let mut found = Vec::new();
        for key in keys {
            // Only positions of the same player to move can share moves.
            let bucket = self.buckets.entry((player, key)).or_default();
            found.extend_from_slice(bucket);
            if bucket.len() == BUCKET {
                bucket.remove(0);
            }
            bucket.push(number);
        }
        found.sort_unstable();
        if measure == Measure::TreeEdit {
            // A comparison takes a thousand times as long as any other: only those with the most keys in common.
            let mut counts: Vec<(usize, u32)> =
                found.chunk_by(|a, b| a == b).map(|same| (same.len(), same[0])).collect();
            counts.sort_unstable_by(|a, b| b.cmp(a));
            return counts.into_iter().take(MOST_LINKS).map(|(_, other)| other).collect();
        }
        found.dedup();
        found
    }
}
