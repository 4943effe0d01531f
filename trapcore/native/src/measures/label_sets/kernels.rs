//! The inner loop over groups of eight sets, written out for each kind of processor.
//!
//! The compiler is not left to find vector instructions: for this loop what it finds depends on the target in ways that
//! cost up to a factor of ten in either direction.

/// Words of a sketch. Of the positions of 20,000 puzzles one in 240 is then not ruled out at a similarity of .3, and
/// one in 2,000 at .36; with the 512 commonest labels and none folded, as much again to read, it was one in 8 and one
/// in 30.
pub(crate) const SKETCH: usize = 5;
/// Sets in a group.
pub(crate) const LANES: usize = 8;

/// The sketches of eight sets, their labels whose bit was taken, and the size of the smallest.
#[derive(Clone, Default)]
#[repr(C, align(64))]
pub(crate) struct Group {
    /// By word, then by lane.
    words: [[u64; LANES]; SKETCH],
    spares: [u16; LANES],
    least: u16,
}

impl Group {
    /// Puts a set in; the sets of a group come in ascending size, from lane 0.
    pub(crate) fn put(&mut self, lane: usize, sketch: &[u64; SKETCH], spare: u16, size: u16) {
        for (words, &word) in self.words.iter_mut().zip(sketch) {
            words[lane] = word;
        }
        self.spares[lane] = spare;
        if lane == 0 {
            self.least = size;
        }
    }
}

/// The query, and how many labels a set of each size must share with it.
pub(crate) struct Wanted<'a> {
    pub sketch: &'a [u64; SKETCH],
    pub spare: u16,
    pub needed: &'a [u16],
}

impl Wanted<'_> {
    /// What the smallest set of a group must share; the others must share as much or more.
    #[inline(always)]
    fn needed(&self, group: &Group) -> u16 {
        self.needed[usize::from(group.least)]
    }
}

/// The loop in instructions that this processor has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Kernel(Instructions);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Instructions {
    /// Counts the bits of eight words with one instruction.
    #[cfg(target_arch = "x86_64")]
    Avx512,
    /// Counts bits by looking up half bytes, 64 at a time.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// Counts the bits of one word with one instruction.
    #[cfg(target_arch = "x86_64")]
    Popcnt,
    /// The portable code, as the compiler makes it for any processor.
    Portable,
}

impl Kernel {
    /// Those that this processor can run, the fastest first. There is no other way to one.
    pub(crate) fn available() -> Vec<Kernel> {
        let mut all = Vec::new();
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vpopcntdq") {
                all.push(Kernel(Instructions::Avx512));
            }
            if is_x86_feature_detected!("avx2") {
                all.push(Kernel(Instructions::Avx2));
            }
            if is_x86_feature_detected!("popcnt") {
                all.push(Kernel(Instructions::Popcnt));
            }
        }
        all.push(Kernel(Instructions::Portable));
        all
    }

    pub(crate) fn best() -> Kernel {
        Kernel::available()[0]
    }

    pub(crate) fn name(self) -> &'static str {
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512 => "avx512",
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2 => "avx2",
            #[cfg(target_arch = "x86_64")]
            Instructions::Popcnt => "popcnt",
            Instructions::Portable => "portable",
        }
    }

    /// Marks, one byte a group and one bit a set, which sets may share as much as they must. Nothing else happens in
    /// the loop: a list that grows there would have the vector registers saved and loaded again for every group.
    #[inline]
    pub(crate) fn scan(self, groups: &[Group], wanted: &Wanted<'_>, out: &mut [u8]) {
        match self.0 {
            // SAFETY: a `Kernel` comes from `available` alone, which found that this processor has the instructions.
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512 => unsafe { x86::scan_avx512(groups, wanted, out) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2 => unsafe { x86::scan_avx2(groups, wanted, out) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Instructions::Popcnt => unsafe { x86::scan_popcnt(groups, wanted, out) },
            Instructions::Portable => scan_by_word(groups, wanted, out),
        }
    }
}

#[inline(always)]
fn scan_by_word(groups: &[Group], wanted: &Wanted<'_>, out: &mut [u8]) {
    for (group, out) in groups.iter().zip(out) {
        let mut shared = [0u32; LANES];
        for (words, bits) in group.words.iter().zip(wanted.sketch) {
            for (sum, word) in shared.iter_mut().zip(words) {
                *sum += (word & bits).count_ones();
            }
        }
        let needed = u32::from(wanted.needed(group));
        *out = 0;
        for (lane, (shared, &spare)) in shared.iter().zip(&group.spares).enumerate() {
            *out |= u8::from(shared + u32::from(spare.min(wanted.spare)) >= needed) << lane;
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;

    use super::{Group, LANES, Wanted, scan_by_word};

    #[target_feature(enable = "popcnt")]
    pub(super) fn scan_popcnt(groups: &[Group], wanted: &Wanted<'_>, out: &mut [u8]) {
        scan_by_word(groups, wanted, out);
    }

    #[target_feature(enable = "avx512f,avx512vpopcntdq")]
    pub(super) fn scan_avx512(groups: &[Group], wanted: &Wanted<'_>, out: &mut [u8]) {
        let sketch = wanted.sketch.map(|word| _mm512_set1_epi64(word as i64));
        let spare = _mm512_set1_epi64(i64::from(wanted.spare));
        for (group, out) in groups.iter().zip(out) {
            // SAFETY: reads the 16 bytes of an array of eight `u16`; the instruction asks for no alignment.
            let spares = unsafe { _mm_loadu_si128((&raw const group.spares).cast()) };
            let mut shared = _mm512_min_epu64(_mm512_cvtepu16_epi64(spares), spare);
            for (words, bits) in group.words.iter().zip(sketch) {
                // SAFETY: reads the 64 bytes of an array of eight `u64`; the instruction asks for no alignment.
                let words = unsafe { _mm512_loadu_si512(words.as_ptr().cast()) };
                shared = _mm512_add_epi64(shared, _mm512_popcnt_epi64(_mm512_and_si512(words, bits)));
            }
            let needed = _mm512_set1_epi64(i64::from(wanted.needed(group)));
            *out = _mm512_cmpge_epu64_mask(shared, needed);
        }
    }

    #[target_feature(enable = "avx2")]
    pub(super) fn scan_avx2(groups: &[Group], wanted: &Wanted<'_>, out: &mut [u8]) {
        const HALF: usize = LANES / 2;
        // How many bits are set in each half byte, for both halves of a register.
        let bits = _mm256_setr_epi8(
            0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,
        );
        let low = _mm256_set1_epi8(0x0f);
        let spare = _mm_set1_epi16(wanted.spare as i16);
        for (group, out) in groups.iter().zip(out) {
            // SAFETY: reads the 16 bytes of an array of eight `u16`; the instruction asks for no alignment.
            let spares = unsafe { _mm_loadu_si128((&raw const group.spares).cast()) };
            let spares = _mm_min_epu16(spares, spare);
            let too_few = _mm256_set1_epi64x(i64::from(wanted.needed(group)) - 1);
            *out = 0;
            for (half, spares) in [spares, _mm_unpackhi_epi64(spares, spares)].into_iter().enumerate() {
                // A byte counts up to 8 bits of each word of the sketch, so it does not overflow.
                let mut counts = _mm256_setzero_si256();
                for (words, own) in group.words.iter().zip(wanted.sketch) {
                    // SAFETY: reads the 32 bytes of one half of an array of eight `u64`; any alignment will do.
                    let words = unsafe { _mm256_loadu_si256(words[half * HALF..][..HALF].as_ptr().cast()) };
                    let both = _mm256_and_si256(words, _mm256_set1_epi64x(*own as i64));
                    let upper = _mm256_and_si256(_mm256_srli_epi16::<4>(both), low);
                    counts = _mm256_add_epi8(counts, _mm256_shuffle_epi8(bits, _mm256_and_si256(both, low)));
                    counts = _mm256_add_epi8(counts, _mm256_shuffle_epi8(bits, upper));
                }
                let shared =
                    _mm256_add_epi64(_mm256_sad_epu8(counts, _mm256_setzero_si256()), _mm256_cvtepu16_epi64(spares));
                let enough = _mm256_castsi256_pd(_mm256_cmpgt_epi64(shared, too_few));
                *out |= (_mm256_movemask_pd(enough) as u8) << (half * HALF);
            }
        }
    }
}
