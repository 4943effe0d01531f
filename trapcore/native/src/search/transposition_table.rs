//! The transposition table of the search.

use crate::search::score::MATE_BOUND;

/// Bound: what a stored value says of the true one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Bound {
    /// Nothing: only the static value is known.
    #[default]
    None,
    Exact,
    Lower,
    Upper,
}

impl Bound {
    /// What the best value found says, given the window that it was searched with.
    pub(crate) fn of(best: i32, alpha: i32, beta: i32) -> Bound {
        match best {
            v if v >= beta => Bound::Lower,
            v if v > alpha => Bound::Exact,
            _ => Bound::Upper,
        }
    }
}

/// Table entry: what is known of one position.
#[derive(Clone, Copy, Default)]
pub(crate) struct Entry {
    /// The upper half of the key; the lower one says where the entry lies.
    key: u32,
    generation: u16,
    /// Code of the best move, 0 if there is none.
    pub best: u16,
    value: i16,
    static_value: i16,
    /// Plus [`SHIFT`], so that quiescence fits.
    depth: u8,
    bound: Bound,
    /// Generation of the search. Older entries are replaced first.
    age: u8,
    /// On a main line, now or earlier.
    pub main: bool,
}

/// What is to be stored of a position.
pub(crate) struct Record {
    /// Code of the best move, 0 if there is none.
    pub best: u16,
    pub value: i32,
    /// [`UNKNOWN`] if there is none.
    pub static_value: i32,
    pub depth: i32,
    pub bound: Bound,
    /// On a main line, now or earlier.
    pub main: bool,
}

/// Static value of a position in check, which has none.
pub(crate) const UNKNOWN: i32 = i16::MIN as i32;
/// Depth 0 is quiescence with quiet checks, -1 without.
const SHIFT: i32 = 1;
/// Entries that lie together; one position may take the place of any of them.
const BUCKET: usize = 4;

/// Entries in one line of the processor's cache.
#[derive(Clone, Copy, Default)]
#[repr(align(64))]
struct Bucket([Entry; BUCKET]);

/// Fixed size; in a bucket the shallowest and oldest makes room.
pub(crate) struct Table {
    buckets: Vec<Bucket>,
    generation: u16,
    age: u8,
}

impl Table {
    /// `bits`: binary logarithm of the number of entries, 16 bytes each; at least 2.
    pub(crate) fn new(bits: u32) -> Table {
        Table { buckets: vec![Bucket::default(); (1 << bits) / BUCKET], generation: 1, age: 0 }
    }

    /// Forgets everything. The entries stay, but belong to another generation: to wipe a large table takes longer than
    /// a small search.
    pub(crate) fn clear(&mut self) {
        self.age = 0;
        self.generation = self.generation.wrapping_add(1);
        if self.generation == 0 {
            self.buckets.fill(Bucket::default());
            self.generation = 1;
        }
    }

    /// Another search begins, whose entries count for more.
    pub(crate) fn begin(&mut self) {
        self.age = self.age.wrapping_add(1);
    }

    fn bucket(&self, key: u64) -> usize {
        key as usize & (self.buckets.len() - 1)
    }

    /// Has the processor fetch what is stored of a position, which is asked for soon; nothing without a key.
    pub(crate) fn prefetch(&self, key: Option<u64>) {
        let Some(key) = key else { return };
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            let bucket: *const Bucket = &self.buckets[self.bucket(key)];
            // SAFETY: it reads nothing that the program sees.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(bucket.cast()) };
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = key;
    }

    pub(crate) fn probe(&self, key: u64) -> Option<Entry> {
        let bucket = &self.buckets[self.bucket(key)].0;
        bucket.iter().find(|entry| entry.key == (key >> 32) as u32 && entry.generation == self.generation).copied()
    }

    /// `ply`: distance of the position from the root; mates are stored by their distance from the position.
    pub(crate) fn store(&mut self, key: u64, record: Record, ply: usize) {
        let (generation, age) = (self.generation, self.age);
        let at = self.bucket(key);
        let bucket = &mut self.buckets[at].0;
        let short = (key >> 32) as u32;
        let known = |entry: &Entry| entry.key == short && entry.generation == generation;
        let worth = |entry: &Entry| {
            if entry.generation != generation {
                return i32::MIN;
            }
            i32::from(entry.depth) - 4 * i32::from(age.wrapping_sub(entry.age))
        };
        let place = bucket
            .iter()
            .position(known)
            .unwrap_or_else(|| (0..BUCKET).min_by_key(|&index| worth(&bucket[index])).expect("a bucket has entries"));
        let old = &mut bucket[place];
        let value = match record.value {
            v if v >= MATE_BOUND => v + ply as i32,
            v if v <= -MATE_BOUND => v - ply as i32,
            v => v,
        };
        let depth = (record.depth + SHIFT).clamp(0, 255) as u8;
        let same = known(old);
        let best = if record.best == 0 && same { old.best } else { record.best };
        if same && record.bound != Bound::Exact && depth + 3 < old.depth && old.age == age && old.bound != Bound::None {
            // A far shallower result is worth less than what is there.
            old.best = best;
            return;
        }
        *old = Entry {
            key: short,
            generation,
            best,
            value: value as i16,
            static_value: record.static_value as i16,
            depth,
            bound: record.bound,
            age,
            main: record.main,
        };
    }
}

impl Entry {
    pub(crate) fn depth(&self) -> i32 {
        i32::from(self.depth) - SHIFT
    }

    pub(crate) fn bound(&self) -> Bound {
        self.bound
    }

    /// The static value, if the position has one.
    pub(crate) fn static_value(&self) -> Option<i32> {
        Some(i32::from(self.static_value)).filter(|&value| value != UNKNOWN)
    }

    /// The value as seen from `ply`.
    pub(crate) fn value(&self, ply: usize) -> i32 {
        match i32::from(self.value) {
            v if v >= MATE_BOUND => v - ply as i32,
            v if v <= -MATE_BOUND => v + ply as i32,
            v => v,
        }
    }

    /// The value as seen from `ply`, if what is stored cuts off the window `alpha` to `beta` at any depth.
    fn bounded(&self, alpha: i32, beta: i32, ply: usize) -> Option<i32> {
        let value = self.value(ply);
        let usable = match self.bound {
            Bound::None => false,
            Bound::Exact => true,
            Bound::Lower => value >= beta,
            Bound::Upper => value <= alpha,
        };
        usable.then_some(value)
    }

    /// A value that cuts off the window `alpha` to `beta` at this depth, seen from `ply`.
    pub(crate) fn cutoff(&self, depth: i32, alpha: i32, beta: i32, ply: usize) -> Option<i32> {
        if self.depth() >= depth { self.bounded(alpha, beta, ply) } else { None }
    }

    /// A better guess than the static value, if what is stored bounds it on that side; mates are none.
    pub(crate) fn refined(&self, value: i32, ply: usize) -> Option<i32> {
        self.bounded(value, value, ply).filter(|v| v.abs() < MATE_BOUND)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::score::MATE;

    fn record(value: i32, depth: i32) -> Record {
        Record { best: 5, value, static_value: 17, depth, bound: Bound::Exact, main: false }
    }

    #[test]
    fn mates_are_seen_from_where_one_stands_and_quiescence_is_shallower_than_a_ply() {
        let mut table = Table::new(4);
        table.store(77, record(MATE - 9, 3), 4);
        let entry = table.probe(77).unwrap();
        assert_eq!((entry.cutoff(3, 0, 1, 2), entry.cutoff(4, 0, 1, 2)), (Some(MATE - 7), None));
        assert_eq!((entry.static_value(), entry.best, entry.refined(0, 0)), (Some(17), 5, None));
        table.store(78, record(-30, -1), 0);
        let entry = table.probe(78).unwrap();
        assert_eq!((entry.depth(), entry.cutoff(-1, 0, 1, 0), entry.cutoff(0, 0, 1, 0)), (-1, Some(-30), None));
        table.clear();
        assert!(table.probe(77).is_none());
    }

    #[test]
    fn a_full_bucket_gives_up_its_shallowest_and_the_old() {
        let mut table = Table::new(2);
        let key = |n: u64| n << 32;
        for (n, depth) in [(1, 9), (2, 4), (3, 7), (4, 8)] {
            table.store(key(n), record(0, depth), 0);
        }
        table.store(key(5), record(0, 1), 0);
        assert!(table.probe(key(2)).is_none() && table.probe(key(5)).is_some());
        table.begin();
        table.begin();
        table.store(key(6), record(0, 1), 0);
        table.store(key(7), record(0, 1), 0);
        assert!(table.probe(key(1)).is_some() && table.probe(key(6)).is_some() && table.probe(key(3)).is_none());
        assert_eq!(size_of::<Bucket>(), 64);
    }
}
