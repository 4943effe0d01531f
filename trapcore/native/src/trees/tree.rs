//! Local trees: all lines of a position to a stated depth, reduced to what the measures read.

use shakmaty::{CastlingMode, Chess, Position};

use crate::chess::moves::after;
use crate::chess::position::GamePosition;
use crate::trees::labels::{LABEL_BITS, Labels, Naming, UCI_LABELS, uci_label};

/// Depths that the measures accept. Three fits an order-free sequence into 64 bits exactly, so no hash is needed.
pub(crate) const MAX_DEPTH: u32 = 3;

/// Version of [`pack`]ed fingerprints.
pub(crate) const FINGERPRINT_VERSION: u32 = 1;

/// The labels at depths 1 to `depth`, ascending, each once.
pub(crate) fn label_set(position: &GamePosition, depth: u32, labels: Labels) -> Vec<u32> {
    let mut out = Vec::with_capacity(128);
    if labels.naming == Naming::Uci && depth > 1 {
        // A bit for each label takes less time than sorting a thousand of them.
        let mut seen = [0u64; UCI_BITS / 64];
        collect_labels(&position.chess, position.mode, depth, labels, &mut |label| {
            seen[label as usize / 64] |= 1 << (label % 64);
        });
        for (word, &bits) in seen.iter().enumerate() {
            let mut rest = bits;
            while rest != 0 {
                out.push(word as u32 * 64 + rest.trailing_zeros());
                rest &= rest - 1;
            }
        }
        return out;
    }
    collect_labels(&position.chess, position.mode, depth, labels, &mut |label| out.push(label));
    out.sort_unstable();
    out.dedup();
    out
}

/// More than any `uci` label with a captured piece.
const UCI_BITS: usize = 1 << 14;

fn collect_labels(chess: &Chess, mode: CastlingMode, depth: u32, labels: Labels, see: &mut impl FnMut(u32)) {
    let moves = chess.legal_moves();
    for &m in &moves {
        see(labels.of(m, &moves, mode));
        if depth > 1 {
            collect_labels(&after(chess, m), mode, depth - 1, labels, see);
        }
    }
}

/// The order-free sequences of exactly `depth` moves, ascending, with repetition: the labels of each line, sorted, in
/// one number of `depth` times [`LABEL_BITS`] bits. Lines that end early are left out.
pub(crate) fn sequences(position: &GamePosition, depth: u32, labels: Labels) -> Vec<u64> {
    debug_assert!((1..=MAX_DEPTH).contains(&depth));
    let mut out = Vec::new();
    let mut line = [0u32; MAX_DEPTH as usize];
    collect_sequences(&position.chess, position.mode, depth as usize, 0, labels, &mut line, &mut out);
    out.sort_unstable();
    out
}

/// The order-free sequences of 1 to `depth` moves, each node of the tree once; the length stands above the labels.
pub(crate) fn prefixes(position: &GamePosition, depth: u32, labels: Labels) -> Vec<u64> {
    let long = |length: u32| sequences(position, length, labels).into_iter().map(move |key| key | length_mark(length));
    let mut out: Vec<u64> = (1..=depth).flat_map(long).collect();
    out.sort_unstable();
    out
}

fn length_mark(length: u32) -> u64 {
    u64::from(length) << (MAX_DEPTH * LABEL_BITS)
}

fn collect_sequences(
    chess: &Chess,
    mode: CastlingMode,
    depth: usize,
    ply: usize,
    labels: Labels,
    line: &mut [u32; MAX_DEPTH as usize],
    out: &mut Vec<u64>,
) {
    let moves = chess.legal_moves();
    for &m in &moves {
        line[ply] = labels.of(m, &moves, mode);
        if ply + 1 == depth {
            let mut sorted = *line;
            sorted[..depth].sort_unstable();
            out.push(sorted[..depth].iter().fold(0, |key, &label| key << LABEL_BITS | u64::from(label)));
        } else {
            collect_sequences(&after(chess, m), mode, depth, ply + 1, labels, line, out);
        }
    }
}

/// The tree of depth 2 under `uci` labels: the form in which a million positions are compared.
///
/// In chess a line of two plies and the same two labels in the other order cannot both stand in one tree (the reply's
/// from-square would have to hold a piece of each side), so every order-free sequence occurs once and two trees share
/// as many sequences as they share keys.
#[derive(Clone, Debug, Default)]
pub(crate) struct Plies2 {
    /// Labels of the first moves, in the order of generation.
    pub first: Vec<u16>,
    /// `ends[i]` is the end of the replies to `first[i]` in `replies`.
    pub ends: Vec<u16>,
    pub replies: Vec<u16>,
}

impl Plies2 {
    pub(crate) fn expand(&mut self, chess: &Chess, mode: CastlingMode) {
        self.first.clear();
        self.ends.clear();
        self.replies.clear();
        for m in &chess.legal_moves() {
            let next = after(chess, *m);
            self.first.push(uci_label(*m, mode));
            self.replies.extend(next.legal_moves().iter().map(|r| uci_label(*r, mode)));
            self.ends.push(self.replies.len() as u16);
        }
    }

    /// Number of sequences of length 2.
    pub(crate) fn size(&self) -> u32 {
        self.replies.len() as u32
    }

    /// First moves with the labels of their replies.
    pub(crate) fn children(&self) -> impl Iterator<Item = (u16, &[u16])> {
        let mut start = 0;
        self.first.iter().zip(&self.ends).map(move |(&label, &end)| {
            let replies = &self.replies[start..usize::from(end)];
            start = usize::from(end);
            (label, replies)
        })
    }

    /// Marks the labels at depths 1 and 2.
    pub(crate) fn label_bits(&self) -> LabelBits {
        let mut bits = LabelBits::default();
        for &label in self.first.iter().chain(&self.replies) {
            bits.insert(label);
        }
        bits
    }
}

/// A set of `uci` labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LabelBits(pub [u64; LabelBits::WORDS]);

impl Default for LabelBits {
    fn default() -> LabelBits {
        LabelBits([0; LabelBits::WORDS])
    }
}

impl LabelBits {
    pub(crate) const WORDS: usize = UCI_LABELS.div_ceil(64);

    pub(crate) fn insert(&mut self, label: u16) {
        self.0[usize::from(label) / 64] |= 1 << (label % 64);
    }

    pub(crate) fn contains(&self, label: u16) -> bool {
        self.0[usize::from(label) / 64] >> (label % 64) & 1 != 0
    }

    pub(crate) fn count(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = u16> + '_ {
        self.0.iter().enumerate().flat_map(|(i, &word)| {
            let mut rest = word;
            std::iter::from_fn(move || {
                (rest != 0).then(|| {
                    let bit = rest.trailing_zeros();
                    rest &= rest - 1;
                    (i * 64) as u16 + bit as u16
                })
            })
        })
    }
}

/// A label set as the differences of its ascending members, LEB128: about 75 bytes where the bit set takes 248.
pub(crate) fn pack(bits: &LabelBits) -> Vec<u8> {
    let mut out = Vec::with_capacity(96);
    let mut last = 0u16;
    for label in bits.iter() {
        let mut delta = label - last;
        last = label;
        while delta >= 0x80 {
            out.push(delta as u8 | 0x80);
            delta >>= 7;
        }
        out.push(delta as u8);
    }
    out
}

/// The set that [`pack`] wrote so; None if it wrote no such bytes.
pub(crate) fn unpack(bytes: &[u8]) -> Option<LabelBits> {
    let (mut bits, mut label, mut value, mut shift) = (LabelBits::default(), 0usize, 0usize, 0);
    for (i, byte) in bytes.iter().enumerate() {
        value |= usize::from(byte & 0x7f) << shift;
        shift += 7;
        if byte & 0x80 == 0 {
            // Members differ, so only the first can be 0; and no number has a byte more than it needs.
            let is_first = i + 1 == shift / 7 && bits.count() == 0;
            label += value;
            if label >= UCI_LABELS || (value == 0 && !is_first) || (*byte == 0 && shift > 7) {
                return None;
            }
            bits.insert(label as u16);
            (value, shift) = (0, 0);
        } else if shift > 14 {
            return None;
        }
    }
    (shift == 0).then_some(bits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::position::parse;

    const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq -";
    const UCI: Labels = Labels { naming: Naming::Uci, captures: false };

    #[test]
    fn the_fast_tree_agrees_with_the_general_one() {
        for fen in [KIWIPETE, "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1", "7k/8/8/8/8/8/5q2/7K w - - 0 1"] {
            let s = parse(fen).unwrap();
            let mut plies = Plies2::default();
            plies.expand(&s.chess, s.mode);
            assert_eq!(u64::from(plies.size()), shakmaty::perft(&s.chess, 2));
            let bits = plies.label_bits();
            let general = label_set(&s, 2, UCI);
            assert_eq!(bits.iter().map(u32::from).collect::<Vec<_>>(), general);
            let mut keys: Vec<u64> = plies
                .children()
                .flat_map(|(a, replies)| {
                    replies.iter().map(move |&b| u64::from(a.min(b)) << LABEL_BITS | u64::from(a.max(b)))
                })
                .collect();
            keys.sort_unstable();
            assert_eq!(keys, sequences(&s, 2, UCI));
            keys.dedup();
            assert_eq!(keys.len(), plies.replies.len(), "a sequence occurs once");
        }
    }

    #[test]
    fn packed_labels_read_back() {
        let mut plies = Plies2::default();
        let s = parse(KIWIPETE).unwrap();
        plies.expand(&s.chess, s.mode);
        let bits = plies.label_bits();
        assert!(bits.count() > 50);
        assert_eq!(unpack(&pack(&bits)), Some(bits));
        assert_eq!(unpack(&[]), Some(LabelBits::default()));
        let mut ends = LabelBits::default();
        [0, 1, UCI_LABELS as u16 - 1].iter().for_each(|&label| ends.insert(label));
        assert_eq!(unpack(&pack(&ends)), Some(ends));
        let too_far = UCI_LABELS as u16;
        for bytes in
            [&[5, 0][..], &[0x80], &[0x80, 0], &[1, 0x80], &[0xff; 9], &[too_far as u8 | 0x80, (too_far >> 7) as u8]]
        {
            assert_eq!(unpack(bytes), None, "{bytes:?}");
        }
    }
}
