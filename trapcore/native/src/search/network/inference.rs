//! Kernels of the network. Each is written once, in plain Rust that compilers turn into vector instructions, and on
//! x86-64 compiled twice: for every processor, and for those with AVX2, which is found out at run time.

use super::{Network, QA, QB, Row, SCALE};
use crate::search::score::MATE_BOUND;

/// Largest output weight: times a hidden value it fits 16 bits, and the sum over a side fits 32.
pub const WIDEST: i16 = 128;
/// Hidden neurons that are worked on at a time, so that they stay in registers.
const CHUNK: usize = 128;

/// `to = from + added - removed`, over rows of the network's feature weights.
#[inline(always)]
fn update_plain(network: &Network, from: &Row, to: &mut Row, added: &[u16], removed: &[u16]) {
    for start in (0..from.0.len()).step_by(CHUNK) {
        let range = start..start + CHUNK;
        let mut sums = [0_i16; CHUNK];
        sums.copy_from_slice(&from.0[range.clone()]);
        for &feature in added {
            for (sum, weight) in sums.iter_mut().zip(&network.features[usize::from(feature)].0[range.clone()]) {
                *sum = sum.wrapping_add(*weight);
            }
        }
        for &feature in removed {
            for (sum, weight) in sums.iter_mut().zip(&network.features[usize::from(feature)].0[range.clone()]) {
                *sum = sum.wrapping_sub(*weight);
            }
        }
        to.0[range].copy_from_slice(&sums);
    }
}

/// Sum of the squared clipped values times their weights, times [`QA`]² · [`QB`].
#[inline(always)]
fn weighted_plain(sums: &Row, weights: &Row) -> i32 {
    sums.0
        .iter()
        .zip(&weights.0)
        .map(|(&sum, &weight)| {
            let value = sum.clamp(0, QA as i16);
            i32::from(value.wrapping_mul(weight)) * i32::from(value)
        })
        .sum()
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use super::{Network, Row};

    #[target_feature(enable = "avx2")]
    pub(super) fn update(network: &Network, from: &Row, to: &mut Row, added: &[u16], removed: &[u16]) {
        super::update_plain(network, from, to, added, removed);
    }

    #[target_feature(enable = "avx2")]
    pub(super) fn weighted(sums: &Row, weights: &Row) -> i32 {
        super::weighted_plain(sums, weights)
    }
}

/// `to = from + added - removed`, over rows of the network's feature weights; the indices are inputs.
pub(super) fn update(network: &Network, from: &Row, to: &mut Row, added: &[u16], removed: &[u16]) {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2.
        return unsafe { avx2::update(network, from, to, added, removed) };
    }
    update_plain(network, from, to, added, removed);
}

fn weighted(sums: &Row, weights: &Row) -> i32 {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2.
        return unsafe { avx2::weighted(sums, weights) };
    }
    weighted_plain(sums, weights)
}

/// Centipawns for the side to move, of the hidden sums of the side to move and of the other; no mate.
pub(super) fn output(network: &Network, bucket: usize, own: &Row, other: &Row) -> i32 {
    let [own_weights, other_weights] = &network.output[bucket];
    let sum = i64::from(weighted(own, own_weights)) + i64::from(weighted(other, other_weights));
    let unscaled = sum / i64::from(QA) + i64::from(network.output_bias[bucket]);
    let value = unscaled * i64::from(SCALE) / i64::from(QA * QB);
    let most = i64::from(MATE_BOUND - 1);
    value.clamp(-most, most) as i32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use crate::search::network::tests::random_network;

    #[test]
    fn kernels_of_all_instruction_sets_agree() {
        let mut random = Random(7);
        let network = random_network(&mut random);
        for _ in 0..50 {
            let added: Vec<u16> = (0..random.below(5)).map(|_| random.below(768) as u16).collect();
            let removed: Vec<u16> = (0..random.below(5)).map(|_| random.below(768) as u16).collect();
            let from = network.features[random.below(768)];
            let (mut fast, mut plain) = (Row::ZERO, Row::ZERO);
            update(&network, &from, &mut fast, &added, &removed);
            update_plain(&network, &from, &mut plain, &added, &removed);
            assert_eq!(fast, plain);
            let weights = &network.output[random.below(8)][random.below(2)];
            assert_eq!(weighted(&fast, weights), weighted_plain(&plain, weights));
        }
    }

    #[test]
    fn the_widest_weights_do_not_overflow() {
        let (full, heavy) = (Row([QA as i16; 256]), Row([WIDEST; 256]));
        assert_eq!(weighted(&full, &heavy), 256 * QA * QA * i32::from(WIDEST));
        assert_eq!(weighted(&full, &Row([-WIDEST; 256])), -256 * QA * QA * i32::from(WIDEST));
    }
}
