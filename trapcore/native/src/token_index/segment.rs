//! Some sets in a file.
//!
//! | section | numbers | by |
//! |---|---|---|
//! | tokens | u32, ascending | vocabulary |
//! | ranks | u32; 0 for the token in most sets | vocabulary |
//! | counts | u32: sets that have the token | rank |
//! | list starts | u32, one more than ranks: bytes | rank |
//! | lists | set numbers, see [`super::builder`] | |
//! | sets | u16: ranks, ascending, see [`WIDE`] | |
//! | set starts | u32, one more than sets: places in the section before | set |
//! | set weights | u64, in units, ascending: sets are numbered by weight | set |
//! | payload starts | u32, one more than sets: places in the next section | set |
//! | payloads | u64, ascending for each set | |

use std::ops::Range;
use std::path::{Path, PathBuf};

use super::builder::WIDE;
use super::file::{self, Checked, Identity, Kind, u32_at, u64_at};
use super::model::TokenIndexError;

const TOKENS: usize = 0;
const RANKS: usize = 1;
const COUNTS: usize = 2;
const LIST_STARTS: usize = 3;
const LISTS: usize = 4;
const BAGS: usize = 5;
const SET_STARTS: usize = 6;
const SET_WEIGHTS: usize = 7;
const PAYLOAD_STARTS: usize = 8;
const PAYLOADS: usize = 9;

/// One segment, which lies in memory, and which of its payloads were removed.
pub(super) struct Segment {
    file: Checked<Vec<u8>>,
    path: PathBuf,
    identity: Identity,
    /// Distinct sets.
    sets: usize,
    /// Distinct tokens.
    vocabulary: usize,
    /// Places of removed payloads, ascending.
    removed: Vec<u32>,
    /// The same as bits; empty if nothing was removed.
    removed_bits: Vec<u64>,
}

impl Segment {
    /// `check`: the checksum that the manifest knows the file by.
    pub(super) fn open(path: &Path, check: u32, removed: Vec<u32>) -> Result<Segment, TokenIndexError> {
        let (file, identity) = file::read(path, Kind::Segment)?;
        let count = |section: usize, bytes: usize| file.section(section).len() / bytes;
        let (sets, vocabulary, payloads) = (count(SET_WEIGHTS, 8), count(TOKENS, 4), count(PAYLOADS, 8));
        let aligned = [(SET_WEIGHTS, 8 * sets), (TOKENS, 4 * vocabulary), (PAYLOADS, 8 * payloads)]
            .into_iter()
            .chain([(RANKS, 4 * vocabulary), (COUNTS, 4 * vocabulary), (LIST_STARTS, 4 * (vocabulary + 1))])
            .chain([(SET_STARTS, 4 * (sets + 1)), (PAYLOAD_STARTS, 4 * (sets + 1))])
            .all(|(section, length)| file.section(section).len() == length);
        // The checksums say that the file is as it was written. These make sure that nothing can be read out of
        // bounds, in a file from any writer.
        let whole = aligned
            && file.check == check
            && (0..vocabulary).all(|i| (u32_at(file.section(RANKS), i) as usize) < vocabulary)
            && ascends(file.section(LIST_STARTS), file.section(LISTS).len())
            && ascends(file.section(SET_STARTS), count(BAGS, 2))
            && ascends(file.section(PAYLOAD_STARTS), payloads)
            && (1..sets)
                .all(|set| u64_at(file.section(SET_WEIGHTS), set - 1) <= u64_at(file.section(SET_WEIGHTS), set))
            && removed.is_sorted_by(|a, b| a < b)
            && removed.last().is_none_or(|&last| (last as usize) < payloads);
        if !whole {
            return Err(TokenIndexError::unusable(path, "it does not belong to this index, or is damaged"));
        }
        let mut removed_bits = vec![0u64; if removed.is_empty() { 0 } else { payloads.div_ceil(64) }];
        for &place in &removed {
            removed_bits[place as usize / 64] |= 1 << (place % 64);
        }
        Ok(Segment { file, path: path.to_owned(), identity, sets, vocabulary, removed, removed_bits })
    }

    /// Whether its file is the one that was opened, unchanged and in its place.
    pub(super) fn is_in_place(&self) -> bool {
        self.identity.is_at(&self.path)
    }

    /// Distinct sets, removed ones included.
    pub(super) fn sets(&self) -> usize {
        self.sets
    }

    pub(super) fn vocabulary(&self) -> usize {
        self.vocabulary
    }

    /// The whole file.
    pub(super) fn bytes(&self) -> &[u8] {
        self.file.bytes()
    }

    /// Size of the file in bytes.
    pub(super) fn size(&self) -> u64 {
        self.file.size()
    }

    pub(super) fn removed(&self) -> &[u32] {
        &self.removed
    }

    fn all_payloads(&self) -> usize {
        self.file.section(PAYLOADS).len() / 8
    }

    /// How many payloads were not removed.
    pub(super) fn live(&self) -> usize {
        self.all_payloads() - self.removed.len()
    }

    fn is_removed(&self, place: usize) -> bool {
        self.removed_bits.get(place / 64).is_some_and(|bits| bits >> (place % 64) & 1 != 0)
    }

    /// Payloads that were not removed, with their places.
    pub(super) fn payloads(&self) -> impl Iterator<Item = (u32, u64)> {
        self.payloads_at(0..self.all_payloads())
    }

    fn payloads_at(&self, places: Range<usize>) -> impl Iterator<Item = (u32, u64)> {
        let all = self.file.section(PAYLOADS);
        places.filter(|&place| !self.is_removed(place)).map(|place| (place as u32, u64_at(all, place)))
    }

    /// Those of one set, ascending.
    pub(super) fn payloads_of(&self, set: usize) -> impl Iterator<Item = u64> {
        let starts = self.file.section(PAYLOAD_STARTS);
        self.payloads_at(u32_at(starts, set) as usize..u32_at(starts, set + 1) as usize).map(|(_, payload)| payload)
    }

    /// The sets that have a payload which counts, ascending.
    pub(super) fn sets_with(&self, counts: impl Fn(u64) -> bool) -> Vec<u32> {
        (0..self.sets).filter(|&set| self.payloads_of(set).any(&counts)).map(|set| set as u32).collect()
    }

    pub(super) fn rank(&self, token: u32) -> Option<u32> {
        let tokens = self.file.section(TOKENS);
        let (mut low, mut high) = (0, self.vocabulary);
        while low < high {
            let middle = low.midpoint(high);
            match u32_at(tokens, middle).cmp(&token) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => return Some(u32_at(self.file.section(RANKS), middle)),
            }
        }
        None
    }

    /// In how many distinct sets the token of this rank is.
    pub(super) fn count(&self, rank: u32) -> u32 {
        u32_at(self.file.section(COUNTS), rank as usize)
    }

    /// Each set that has the token of this rank, ascending.
    #[inline]
    pub(super) fn each_set_with(&self, rank: u32, mut work: impl FnMut(u32)) {
        let starts = self.file.section(LIST_STARTS);
        let (start, end) = (u32_at(starts, rank as usize), u32_at(starts, rank as usize + 1));
        let mut bytes = self.file.section(LISTS)[start as usize..end as usize].iter();
        let mut next = 0u32;
        while let Some(&byte) = bytes.next() {
            let mut gap = u32::from(byte & 0x7f);
            let mut last = byte;
            let mut shift = 7;
            while last & 0x80 != 0 {
                last = bytes.next().copied().unwrap_or(0);
                gap |= u32::from(last & 0x7f).wrapping_shl(shift);
                shift += 7;
            }
            let set = next.wrapping_add(gap);
            next = set.wrapping_add(1);
            work(set);
        }
    }

    /// Of all tokens of a set, in units.
    #[inline]
    pub(super) fn weight(&self, set: usize) -> u64 {
        u64_at(self.file.section(SET_WEIGHTS), set)
    }

    /// What a set has of a table of weights by rank.
    #[inline]
    pub(super) fn shared(&self, set: usize, weights: &[u32]) -> u64 {
        let mut sum = 0;
        self.each_rank_of(set, |rank| sum += u64::from(weights.get(rank as usize).copied().unwrap_or(0)));
        sum
    }

    #[inline]
    fn each_rank_of(&self, set: usize, mut work: impl FnMut(u32)) {
        let starts = self.file.section(SET_STARTS);
        let (start, end) = (u32_at(starts, set) as usize, u32_at(starts, set + 1) as usize);
        let mut units =
            self.file.section(BAGS)[2 * start..2 * end].chunks_exact(2).map(|u| u16::from_le_bytes([u[0], u[1]]));
        while let Some(unit) = units.next() {
            if unit == WIDE {
                let (low, high) = (units.next().unwrap_or(0), units.next().unwrap_or(0));
                work(u32::from(low) | u32::from(high) << 16);
            } else {
                work(u32::from(unit));
            }
        }
    }

    /// Each set that was not removed: its tokens, ascending, and its payloads.
    pub(super) fn each_set(
        &self,
        mut work: impl FnMut(&[u32], u64) -> Result<(), TokenIndexError>,
    ) -> Result<(), TokenIndexError> {
        let mut tokens = vec![0; self.vocabulary];
        for i in 0..self.vocabulary {
            tokens[u32_at(self.file.section(RANKS), i) as usize] = u32_at(self.file.section(TOKENS), i);
        }
        let mut own = Vec::new();
        for set in 0..self.sets {
            own.clear();
            self.each_rank_of(set, |rank| own.extend(tokens.get(rank as usize)));
            own.sort_unstable();
            for payload in self.payloads_of(set) {
                work(&own, payload)?;
            }
        }
        Ok(())
    }
}

/// Whether a section of starts goes up from 0 to this end.
fn ascends(starts: &[u8], end: usize) -> bool {
    let number = |place: usize| file::u32_at(starts, place) as usize;
    let last = starts.len() / 4 - 1;
    number(0) == 0 && number(last) == end && (0..last).all(|place| number(place) <= number(place + 1))
}
