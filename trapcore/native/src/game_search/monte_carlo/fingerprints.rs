//! Fingerprints of nodes: the labels of their local trees of depth 2, and an index of those that are similar.
//!
//! Candidates are found by min-hashing (Broder 1997): two sets agree in the least of their hashed members with the
//! probability of their Jaccard similarity, so that sets which agree in one of [`HASHES`] such numbers are compared.

use rustc_hash::{FxHashMap, FxHasher};
use std::hash::Hasher;

use super::options::{Measure, Sharing};
use crate::game_search::games::game::Game;

/// Numbers by which a set is looked up.
const HASHES: usize = 8;
/// Most sets that are kept under one number; the newest stay.
const BUCKET: usize = 16;
/// Bytes of a record beside its fingerprint, its places in the index included, about.
const OVERHEAD: usize = 512;
/// Most nodes that a node shares with.
pub(crate) const MOST_LINKS: usize = 6;
/// Members of a fingerprint with their number, ascending.
pub(crate) type Fingerprint = Vec<(u32, u16)>;

/// The fingerprint of a position by a measure: its labels, or its lines of two moves in whatever order.
pub(crate) fn fingerprint<G: Game>(game: &G, measure: Measure) -> Fingerprint {
    let (mut moves, mut replies) = (Vec::new(), Vec::new());
    let mut members = Vec::new();
    if game.result().is_none() {
        game.moves(&mut moves);
    }
    for &m in &moves {
        let code = u32::from(game.code(m));
        if measure == Measure::Continuations {
            members.push(code);
        }
        let mut next = game.clone();
        next.play(m);
        next.moves(&mut replies);
        for &reply in &replies {
            let answer = u32::from(next.code(reply));
            members.push(match measure {
                Measure::Continuations => answer,
                Measure::Sequences => code.min(answer) << 16 | code.max(answer),
            });
        }
    }
    members.sort_unstable();
    let mut found: Fingerprint = Vec::with_capacity(members.len());
    for member in members {
        match found.last_mut() {
            Some((last, count)) if *last == member => *count += 1,
            _ => found.push((member, 1)),
        }
    }
    found
}

/// The similarity of two fingerprints, 0 to 1, as `trapcore/measures/` defines it.
pub(crate) fn similarity(one: &[(u32, u16)], other: &[(u32, u16)], measure: Measure) -> f32 {
    let (mut i, mut j, mut shared, mut both) = (0, 0, 0u32, 0u32);
    while i < one.len() && j < other.len() {
        match one[i].0.cmp(&other[j].0) {
            std::cmp::Ordering::Less => i += 1,
            std::cmp::Ordering::Greater => j += 1,
            std::cmp::Ordering::Equal => {
                shared += 1;
                both += u32::from(one[i].1) + u32::from(other[j].1);
                (i, j) = (i + 1, j + 1);
            }
        }
    }
    let total = |print: &[(u32, u16)]| print.iter().map(|(_, count)| u32::from(*count)).sum::<u32>();
    let (part, whole) = match measure {
        Measure::Continuations => (shared, (one.len() + other.len()) as u32 - shared),
        Measure::Sequences => (both, total(one) + total(other)),
    };
    if whole == 0 { 1.0 } else { part as f32 / whole as f32 }
}

/// A node with a fingerprint, and the nodes that are like it.
pub(crate) struct Record {
    pub(crate) node: u32,
    player: usize,
    fingerprint: Fingerprint,
    /// Node and similarity.
    pub(crate) links: Vec<(u32, f32)>,
    /// The move that is tried first in nodes like this.
    pub(crate) killer: Option<u16>,
    /// Whether it is proved to win.
    pub(crate) is_proved: bool,
}

/// The fingerprints of a tree.
pub(crate) struct Fingerprints {
    pub(crate) records: Vec<Record>,
    buckets: FxHashMap<(u8, u32), Vec<u32>>,
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
        let print = fingerprint(game, sharing.measure);
        self.room = self.room.saturating_sub(print.len() * size_of::<(u32, u16)>() + OVERHEAD);
        let (number, player) = (self.records.len() as u32, game.mover());
        let mut candidates = Vec::new();
        for (place, least) in least_hashes(&print).into_iter().enumerate() {
            // Only positions of the same player to move can share moves.
            let bucket = self.buckets.entry(((2 * place + player) as u8, least)).or_default();
            candidates.extend_from_slice(bucket);
            if bucket.len() == BUCKET {
                bucket.remove(0);
            }
            bucket.push(number);
        }
        candidates.sort_unstable();
        candidates.dedup();
        let mut links: Vec<(u32, f32)> = Vec::new();
        for other in candidates {
            let record = &self.records[other as usize];
            debug_assert_eq!(record.player, player);
            let alike = similarity(&print, &record.fingerprint, sharing.measure);
            if alike >= sharing.least {
                links.push((other, alike));
            }
        }
        links.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        links.truncate(MOST_LINKS);
        for (other, alike) in &mut links {
            let record = &mut self.records[*other as usize];
            record.links.push((node, *alike));
            if record.links.len() > MOST_LINKS {
                // The least similar of them goes.
                let least = (0..record.links.len()).min_by(|&a, &b| record.links[a].1.total_cmp(&record.links[b].1));
                record.links.swap_remove(least.expect("there are links"));
            }
            *other = record.node;
        }
        self.records.push(Record { node, player, fingerprint: print, links, killer: None, is_proved: false });
        number
    }
}

/// The least of the members under each of [`HASHES`] hashes.
fn least_hashes(print: &[(u32, u16)]) -> [u32; HASHES] {
    let mut least = [u32::MAX; HASHES];
    for (member, _) in print {
        for (place, least) in least.iter_mut().enumerate() {
            let mut hasher = FxHasher::default();
            hasher.write_u64((u64::from(*member) << 8) + place as u64 + 1);
            let hash = hasher.finish();
            *least = (*least).min(((hash ^ hash >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 32) as u32);
        }
    }
    least
}
