//! Many label sets at once: which of them have at least a given Jaccard similarity to a set, exactly.
//!
//! Sets are bits, renumbered so that the labels in most sets come first. Of each there is a sketch of [`SKETCH`] words:
//! the commonest labels as they are, all others folded, so that several share a bit. Sketches of eight sets at a time
//! lie together, word by word, and are all that most comparisons look at: what two sets share is at most the bits that
//! their sketches share, and the smaller number of labels that found their bit taken. Sets are stored by size, so that
//! those of a size that rules them out are never looked at.

pub(crate) mod kernels;

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

use self::kernels::{Group, Kernel, LANES, SKETCH, Wanted};
use crate::trees::labels::UCI_LABELS;
use crate::trees::tree::LabelBits;

/// Those for the commonest labels; the others have 256 bits together.
const COMMON: usize = 1;
/// Groups that questions take turns with, so that they are read from memory once: what a first-level cache holds.
const TURN: usize = 40;
/// What rounding may cost a bound, as a part of it.
const SPARE: f64 = 1e-12;

/// A collection of label sets, numbered as given.
pub(crate) struct LabelSets {
    kernel: Kernel,
    /// Place of each label's bit.
    order: Vec<u16>,
    /// Numbers of the sets, by size.
    numbers: Vec<u32>,
    /// Ascending.
    sizes: Vec<u16>,
    groups: Vec<Group>,
    sets: Vec<[u64; LabelBits::WORDS]>,
}

/// A set in the order of a collection.
struct Ordered {
    sketch: [u64; SKETCH],
    words: [u64; LabelBits::WORDS],
    size: u16,
    /// Labels whose bit of the sketch was taken.
    spare: u16,
}

impl LabelSets {
    pub(crate) fn new(sets: &[LabelBits]) -> LabelSets {
        LabelSets::with_kernel(sets, Kernel::best())
    }

    pub(crate) fn with_kernel(sets: &[LabelBits], kernel: Kernel) -> LabelSets {
        let mut counts = vec![0u32; LabelBits::WORDS * 64];
        sets.iter().flat_map(LabelBits::iter).for_each(|label| counts[usize::from(label)] += 1);
        let mut labels: Vec<usize> = (0..counts.len()).collect();
        labels.sort_by_key(|&label| std::cmp::Reverse(counts[label]));
        let mut order = vec![0; counts.len()];
        (0u16..).zip(labels).for_each(|(place, label)| order[label] = place);

        let mut numbers: Vec<u32> = (0..sets.len() as u32).collect();
        numbers.sort_by_key(|&number| sets[number as usize].count());
        let mut groups = vec![Group::default(); sets.len().div_ceil(LANES)];
        let (mut sizes, mut stored) = (Vec::with_capacity(sets.len()), Vec::with_capacity(sets.len()));
        for (place, &number) in numbers.iter().enumerate() {
            let set = ordered(&order, &sets[number as usize]);
            groups[place / LANES].put(place % LANES, &set.sketch, set.spare, set.size);
            sizes.push(set.size);
            stored.push(set.words);
        }
        LabelSets { kernel, order, numbers, sizes, groups, sets: stored }
    }

    pub(crate) fn len(&self) -> usize {
        self.numbers.len()
    }

    /// For each query, the numbers of those that are at least so similar (0 to 1), ascending, and
    /// how similar they are. Asking about some dozens at once takes a fraction of the time for each.
    pub(crate) fn similar(&self, queries: &[LabelBits], threshold: f64) -> Vec<Vec<(u32, f64)>> {
        let queries: Vec<_> = queries.iter().map(|bits| ordered(&self.order, bits)).collect();
        let needed: Vec<_> = queries.iter().map(|set| needed(set.size, threshold)).collect();
        let windows: Vec<_> = queries.iter().map(|set| self.window(set.size, threshold)).collect();
        let mut found = vec![Vec::new(); queries.len()];
        for turn in (0..self.groups.len()).step_by(TURN) {
            for (i, set) in queries.iter().enumerate() {
                let turn = windows[i].start.max(turn)..windows[i].end.min(turn + TURN);
                self.scan(set, turn, &needed[i], |place| {
                    let similarity = self.compare(set, place);
                    if similarity >= threshold {
                        found[i].push((self.numbers[place], similarity));
                    }
                });
            }
        }
        found.iter_mut().for_each(|found| found.sort_unstable_by_key(|(number, _)| *number));
        found
    }

    /// Numbers and similarities of the `k` (1 or more) sets that are most similar, and of all that are as similar as
    /// the last of them, by number. What was found so far rules out more and more, so sets of the same size come first.
    pub(crate) fn nearest(&self, query: &LabelBits, k: usize) -> Vec<(u32, f64)> {
        let set = ordered(&self.order, query);
        let middle = self.sizes.partition_point(|&own| own < set.size) / LANES;
        let (mut low, mut high) = (middle, middle);
        let mut found: Vec<(u32, f64)> = Vec::new();
        // The similarities of the best, as bits: those of numbers that are not negative have the numbers' order.
        let mut best: BinaryHeap<Reverse<u64>> = BinaryHeap::with_capacity(k + 1);
        let (mut threshold, mut wanted) = (0.0, needed(set.size, 0.0));
        loop {
            let window = self.window(set.size, threshold);
            let upper = high..window.end.min(high + TURN).max(high);
            let lower = window.start.max(low.saturating_sub(TURN)).min(low)..low;
            if upper.is_empty() && lower.is_empty() {
                break;
            }
            (low, high) = (lower.start, upper.end);
            for turn in [upper, lower] {
                self.scan(&set, turn, &wanted, |place| {
                    let similarity = self.compare(&set, place);
                    if similarity >= threshold {
                        found.push((self.numbers[place], similarity));
                        best.push(Reverse(similarity.to_bits()));
                        if best.len() > k {
                            best.pop();
                        }
                    }
                });
            }
            let last = best.peek().filter(|_| best.len() == k).map_or(0.0, |bits| f64::from_bits(bits.0));
            if last > threshold {
                threshold = last;
                wanted = needed(set.size, threshold);
                found.retain(|(_, similarity)| *similarity >= threshold);
            }
        }
        found.sort_unstable_by_key(|(number, _)| *number);
        found
    }

    /// Calls `each` with the place of every set of these groups that may share enough; `groups` are [`TURN`] at most.
    fn scan(&self, set: &Ordered, groups: Range<usize>, needed: &[u16], mut each: impl FnMut(usize)) {
        if groups.is_empty() {
            return;
        }
        let mut near = [0; TURN];
        let near = &mut near[..groups.len()];
        let start = groups.start;
        self.kernel.scan(&self.groups[groups], &Wanted { sketch: &set.sketch, spare: set.spare, needed }, near);
        // Nearly always there is none, and that is seen of all groups at once.
        if near.iter().fold(0, |any, lanes| any | lanes) == 0 {
            return;
        }
        for (group, &lanes) in near.iter().enumerate().filter(|(_, lanes)| **lanes != 0) {
            for lane in (0..LANES).filter(|lane| lanes >> lane & 1 != 0) {
                let place = (start + group) * LANES + lane;
                // The last group may have empty places.
                if place < self.numbers.len() {
                    each(place);
                }
            }
        }
    }

    /// The groups with sets whose size does not rule them out: the smaller over the larger bounds the similarity.
    fn window(&self, size: u16, threshold: f64) -> Range<usize> {
        let size = f64::from(size);
        let least = size * threshold * (1.0 - SPARE);
        let start = self.sizes.partition_point(|&own| f64::from(own) < least);
        let end = self.sizes.partition_point(|&own| f64::from(own) * threshold * (1.0 - SPARE) <= size);
        start / LANES..end.div_ceil(LANES)
    }

    fn compare(&self, set: &Ordered, place: usize) -> f64 {
        let shared = set.words.iter().zip(&self.sets[place]).map(|(a, b)| (a & b).count_ones()).sum::<u32>();
        let all = u32::from(set.size) + u32::from(self.sizes[place]) - shared;
        if all == 0 { 1.0 } else { f64::from(shared) / f64::from(all) }
    }
}

fn ordered(order: &[u16], bits: &LabelBits) -> Ordered {
    let mut words = [0u64; LabelBits::WORDS];
    for label in bits.iter() {
        let place = usize::from(order[usize::from(label)]);
        words[place / 64] |= 1 << (place % 64);
    }
    let mut sketch = [0u64; SKETCH];
    sketch[..COMMON].copy_from_slice(&words[..COMMON]);
    for (number, word) in words[COMMON..].iter().enumerate() {
        sketch[COMMON + number % (SKETCH - COMMON)] |= word;
    }
    let count = |words: &[u64]| words.iter().map(|word| word.count_ones() as u16).sum::<u16>();
    let size = count(&words);
    Ordered { sketch, words, size, spare: size - count(&sketch) }
}

/// How many labels a set of each size must share with one of this size: k / (one + other - k) >= threshold.
fn needed(size: u16, threshold: f64) -> Vec<u16> {
    let least = |own: usize| threshold / (1.0 + threshold) * (f64::from(size) + own as f64) * (1.0 - SPARE);
    (0..=LabelBits::WORDS * 64).map(|own| least(own).ceil() as u16).collect()
}

const _: () = assert!(UCI_LABELS <= LabelBits::WORDS * 64 && LabelBits::WORDS > SKETCH && SKETCH <= 31);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// Labels, some of them in nearly every set, as in positions.
    fn set(random: &mut Random) -> LabelBits {
        let mut bits = LabelBits::default();
        for _ in 0..random.below(700) {
            let range = 1 + random.below(UCI_LABELS);
            bits.insert((random.below(range) * 577 % UCI_LABELS) as u16);
        }
        bits
    }

    fn naive(sets: &[LabelBits], query: &LabelBits, threshold: f64) -> Vec<(u32, f64)> {
        let count = |f: &dyn Fn(u64, u64) -> u64, other: &LabelBits| -> u32 {
            query.0.iter().zip(&other.0).map(|(&a, &b)| f(a, b).count_ones()).sum()
        };
        let similarity = |other| match count(&|a, b| a | b, other) {
            0 => 1.0,
            all => f64::from(count(&|a, b| a & b, other)) / f64::from(all),
        };
        (0u32..).zip(sets.iter().map(similarity)).filter(|(_, similarity)| *similarity >= threshold).collect()
    }

    fn full() -> LabelBits {
        let mut bits = LabelBits([u64::MAX; LabelBits::WORDS]);
        bits.0[LabelBits::WORDS - 1] = u64::MAX >> (LabelBits::WORDS * 64 - UCI_LABELS);
        bits
    }

    /// Equal sets, single sets, empty, full, and such as differ only in the first, last or rarest labels.
    fn sets(random: &mut Random, n: usize) -> Vec<LabelBits> {
        let mut sets: Vec<LabelBits> = (0..n / 3).map(|_| set(random)).collect();
        while sets.len() < n {
            let mut set = sets[random.below(1 + sets.len() / 2) % sets.len()];
            for _ in 0..random.below(80) {
                let label = random.below(UCI_LABELS);
                set.0[label / 64] ^= 1 << (label % 64);
            }
            sets.push(set);
        }
        sets.extend([LabelBits::default(), full(), LabelBits::default(), full()]);
        for label in [0, 63, 64, 319, 320, UCI_LABELS - 1] {
            let mut lone = LabelBits::default();
            lone.0[label / 64] |= 1 << (label % 64);
            let mut all_but = full();
            all_but.0[label / 64] &= !(1 << (label % 64));
            sets.extend([lone, all_but]);
        }
        sets
    }

    #[test]
    fn every_kernel_answers_what_comparing_all_would() {
        assert_eq!(Kernel::available().last().map(|kernel| kernel.name()), Some("portable"));
        let mut random = Random(1);
        for n in [3, 9, 40, 333, 5000] {
            let sets = sets(&mut random, n);
            let mut queries: Vec<_> = sets.iter().rev().step_by(1 + n / 20).copied().collect();
            queries.extend((0..5).map(|_| set(&mut random)));
            let mut hits = 0;
            for threshold in [0.0, 0.2, 0.5, 0.6, 2.0 / 3.0, 0.8, 0.95, 1.0] {
                let expected: Vec<_> = queries.iter().map(|query| naive(&sets, query, threshold)).collect();
                hits += expected.iter().map(Vec::len).sum::<usize>();
                for kernel in Kernel::available() {
                    let table = LabelSets::with_kernel(&sets, kernel);
                    assert_eq!(table.similar(&queries, threshold), expected, "{kernel:?} at {threshold}");
                    assert_eq!(table.similar(&queries[..1], threshold), expected[..1]);
                }
            }
            assert!(hits > n);
        }
        let none = LabelSets::new(&[]);
        assert!(none.len() == 0 && none.similar(&[full()], 0.0) == [vec![]] && none.similar(&[], 0.5).is_empty());
    }

    #[test]
    fn the_nearest_are_those_that_comparing_all_finds() {
        let mut random = Random(3);
        for n in [3, 9, 40, 700, 6000] {
            let sets = sets(&mut random, n);
            let mut queries: Vec<_> = sets.iter().step_by(1 + n / 15).copied().collect();
            queries.extend((0..5).map(|_| set(&mut random)));
            for kernel in Kernel::available() {
                let table = LabelSets::with_kernel(&sets, kernel);
                for query in &queries {
                    for k in [1, 2, 10, n, n + 50] {
                        let mut expected = naive(&sets, query, 0.0);
                        let mut values: Vec<f64> = expected.iter().map(|(_, similarity)| *similarity).collect();
                        values.sort_by(|a, b| b.total_cmp(a));
                        let last = values[k.min(values.len()) - 1];
                        expected.retain(|(_, similarity)| *similarity >= last);
                        assert_eq!(table.nearest(query, k), expected, "{kernel:?}, {k} of {n}");
                    }
                }
            }
        }
        assert!(LabelSets::new(&[]).nearest(&full(), 3).is_empty());
    }

    #[test]
    fn every_kernel_counts_every_bit_of_every_lane() {
        let mut random = Random(2);
        for kernel in Kernel::available() {
            for _ in 0..200 {
                let mut group = Group::default();
                let mut sketch = [0u64; SKETCH];
                sketch.iter_mut().for_each(|word| {
                    *word = (random.below(4) as u64).wrapping_mul(u64::MAX / 3) ^ (1 << random.below(64))
                });
                let mut expected = Vec::new();
                let (spare, size) = (random.below(300) as u16, random.below(600) as u16);
                let mut spares = [0u16; LANES];
                for (lane, own_spare) in spares.iter_mut().enumerate() {
                    let own: [u64; SKETCH] =
                        std::array::from_fn(|_| if random.below(5) == 0 { u64::MAX } else { random.next() << 31 });
                    *own_spare = random.below(300) as u16;
                    group.put(lane, &own, *own_spare, size);
                    let shared: u32 = own.iter().zip(&sketch).map(|(a, b)| (a & b).count_ones()).sum();
                    expected.push(shared as u16 + spare.min(*own_spare));
                }
                let mut needed = vec![0; LabelBits::WORDS * 64 + 1];
                for bound in expected.clone() {
                    for least in [bound, bound + 1, bound.saturating_sub(1)] {
                        needed[usize::from(size)] = least;
                        let mut out = [0xff; 2];
                        let wanted = Wanted { sketch: &sketch, spare, needed: &needed };
                        kernel.scan(&[group.clone(), group.clone()], &wanted, &mut out);
                        let lanes = expected.iter().rev().fold(0, |lanes, &has| lanes << 1 | u8::from(has >= least));
                        assert_eq!(out, [lanes; 2], "{kernel:?}");
                    }
                }
            }
        }
    }
}
