//! Bags in memory, on their way to a segment.

use std::hash::{Hash, Hasher};

use rustc_hash::{FxHashMap, FxHasher};

use super::file::FileWriter;
use super::model::{TokenIndexError, Weights};

/// Stands before a rank that does not fit sixteen bits: the rank follows in two units, the low one first.
pub(super) const WIDE: u16 = u16::MAX;

/// A posting list that grows: the differences of ascending set numbers, seven bits a byte, the high bit set in all
/// bytes of a number but its last.
#[derive(Default)]
struct List {
    bytes: Vec<u8>,
    /// One more than the last set in it.
    next: u32,
    count: u32,
}

impl List {
    fn push(&mut self, set: u32) {
        let mut gap = set - self.next;
        while gap >= 0x80 {
            self.bytes.push(gap as u8 | 0x80);
            gap >>= 7;
        }
        self.bytes.push(gap as u8);
        self.next = set + 1;
        self.count += 1;
    }
}

/// Collects sets and writes them as one segment. Equal sets are stored once, with all their payloads.
///
/// Memory: about 4 bytes a token of a distinct set, twice what the posting lists take, and 40 bytes a set.
#[derive(Default)]
pub(super) struct Builder {
    /// Number of each token, in the order in which they came; the places of `tokens`.
    numbers: FxHashMap<u32, u32>,
    tokens: Vec<u32>,
    /// Numbers of tokens, set after set, by ascending token.
    sets: Vec<u32>,
    /// Where each set ends in `sets`.
    ends: Vec<u32>,
    /// Distinct sets by hash; a collision takes the next free number.
    seen: FxHashMap<u64, u32>,
    /// Set and payload.
    payloads: Vec<(u32, u64)>,
    scratch: Vec<u32>,
}

impl Builder {
    pub(super) fn payloads(&self) -> usize {
        self.payloads.len()
    }

    /// Tokens of all distinct sets together.
    pub(super) fn size(&self) -> usize {
        self.sets.len()
    }

    fn tokens_of(&self, set: u32) -> &[u32] {
        let set = set as usize;
        let start = if set == 0 { 0 } else { self.ends[set - 1] };
        &self.sets[start as usize..self.ends[set] as usize]
    }

    /// `tokens`: ascending, each once.
    pub(super) fn add(&mut self, payload: u64, tokens: &[u32]) {
        let mut own = std::mem::take(&mut self.scratch);
        own.clear();
        for &token in tokens {
            own.push(*self.numbers.entry(token).or_insert_with(|| {
                self.tokens.push(token);
                self.tokens.len() as u32 - 1
            }));
        }
        let mut hasher = FxHasher::default();
        own.hash(&mut hasher);
        let mut hash = hasher.finish();
        let set = loop {
            match self.seen.get(&hash) {
                Some(&set) if self.tokens_of(set) == own => break set,
                Some(_) => hash = hash.wrapping_add(1),
                None => {
                    let set = self.ends.len() as u32;
                    self.sets.extend(&own);
                    self.ends.push(self.sets.len() as u32);
                    self.seen.insert(hash, set);
                    break set;
                }
            }
        };
        self.payloads.push((set, payload));
        self.scratch = own;
    }

    /// Writes the segment; the sections are those that `segment` reads. Returns the checksum of the header.
    pub(super) fn write(self, mut out: FileWriter, weights: &Weights) -> Result<u32, TokenIndexError> {
        let units: Vec<u64> = self.tokens.iter().map(|&token| u64::from(weights.of(token))).collect();
        let weight = |set: u32| self.tokens_of(set).iter().map(|&number| units[number as usize]).sum::<u64>();
        let mut order: Vec<(u64, u32)> = (0..self.ends.len() as u32).map(|set| (weight(set), set)).collect();
        order.sort_unstable();
        let mut lists: Vec<List> = Vec::new();
        lists.resize_with(self.tokens.len(), List::default);
        for (new, (_, set)) in (0u32..).zip(&order) {
            self.tokens_of(*set).iter().for_each(|&number| lists[number as usize].push(new));
        }

        // Ranks: 0 for the token in most sets, so that those which are looked up all the time lie together and fit
        // sixteen bits.
        let Builder { tokens, payloads, .. } = &self;
        let mut by_rank: Vec<u32> = (0..tokens.len() as u32).collect();
        by_rank.sort_unstable_by_key(|&n| (u32::MAX - lists[n as usize].count, tokens[n as usize]));
        let mut ranks = vec![0u32; tokens.len()];
        for (rank, &number) in (0u32..).zip(&by_rank) {
            ranks[number as usize] = rank;
        }
        let mut by_token: Vec<u32> = (0..tokens.len() as u32).collect();
        by_token.sort_unstable_by_key(|&n| tokens[n as usize]);

        out.section(by_token.iter().map(|&n| tokens[n as usize].to_le_bytes()))?;
        out.section(by_token.iter().map(|&n| ranks[n as usize].to_le_bytes()))?;
        out.section(by_rank.iter().map(|&n| lists[n as usize].count.to_le_bytes()))?;
        let lengths = by_rank.iter().map(|&n| lists[n as usize].bytes.len() as u32);
        out.section(running(lengths).map(u32::to_le_bytes))?;
        out.section(by_rank.iter().map(|&n| &lists[n as usize].bytes))?;
        drop(lists);

        let mut starts = vec![0u32];
        let (mut own, mut bytes) = (Vec::new(), Vec::new());
        for &(_, set) in &order {
            own.clear();
            own.extend(self.tokens_of(set).iter().map(|&n| ranks[n as usize]));
            own.sort_unstable();
            bytes.clear();
            for &rank in &own {
                match u16::try_from(rank) {
                    Ok(rank) if rank != WIDE => bytes.extend(rank.to_le_bytes()),
                    _ => {
                        bytes.extend(WIDE.to_le_bytes());
                        bytes.extend(rank.to_le_bytes());
                    }
                }
            }
            out.write(&bytes)?;
            starts.push((out.written() / 2) as u32);
        }
        out.end_section()?;
        out.section(starts.iter().map(|start| start.to_le_bytes()))?;
        out.section(order.iter().map(|(weight, _)| weight.to_le_bytes()))?;

        let mut places = vec![0u32; order.len()];
        (0u32..).zip(&order).for_each(|(new, (_, set))| places[*set as usize] = new);
        let mut payloads: Vec<(u32, u64)> = payloads.iter().map(|&(set, own)| (places[set as usize], own)).collect();
        payloads.sort_unstable();
        let mut counts = vec![0u32; order.len()];
        payloads.iter().for_each(|(set, _)| counts[*set as usize] += 1);
        out.section(running(counts.iter().copied()).map(u32::to_le_bytes))?;
        out.section(payloads.iter().map(|(_, payload)| payload.to_le_bytes()))?;
        out.finish()
    }
}

/// Where each of these would start and the last would end, one after the other.
fn running(lengths: impl Iterator<Item = u32>) -> impl Iterator<Item = u32> {
    std::iter::once(0).chain(lengths.scan(0, |end, length| {
        *end += length;
        Some(*end)
    }))
}
