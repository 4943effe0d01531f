//! Some payloads, to which a question is restricted.

use rustc_hash::FxHashMap;

/// Payloads of one block.
const BLOCK: u64 = 4096;

/// A set of payloads: bits by block, so that a million close ones are a few hundred small pieces and any number can be
/// one.
#[derive(Default)]
pub(crate) struct Filter {
    blocks: FxHashMap<u64, Box<[u64; BLOCK as usize / 64]>>,
    size: usize,
}

impl Filter {
    /// Each payload that is given, however often.
    pub(crate) fn new(payloads: impl IntoIterator<Item = u64>) -> Filter {
        let mut made = Filter::default();
        for payload in payloads {
            let block = made.blocks.entry(payload / BLOCK).or_insert_with(|| Box::new([0; BLOCK as usize / 64]));
            let (word, bit) = ((payload % BLOCK / 64) as usize, 1 << (payload % 64));
            made.size += usize::from(block[word] & bit == 0);
            block[word] |= bit;
        }
        made
    }

    pub(crate) fn has(&self, payload: u64) -> bool {
        let block = self.blocks.get(&(payload / BLOCK));
        block.is_some_and(|block| block[(payload % BLOCK / 64) as usize] >> (payload % 64) & 1 != 0)
    }

    pub(crate) fn len(&self) -> usize {
        self.size
    }
}
