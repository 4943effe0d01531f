//! Kernels of the network, in plain Rust for every processor, and on x86-64 in vector instructions: AVX2, and AVX-512 with
//! VNNI. Which of them a processor has is found out at run time.

use super::{FIRST, Head, Network, QA, QB, QV, Row, SCALE};
use crate::search::score::MATE_BOUND;

/// Largest weight of a head: with it the sum over all hidden values fits 32 bits, whatever they are.
pub const WIDEST: i16 = 2_000;
/// Largest bias of a head: such a sum and the bias still fit.
pub const WIDEST_BIAS: i32 = 1 << 24;

/// `to = from + added - removed`, over rows of the network's feature weights; `from`: none for `to` itself.
#[inline(always)]
fn update_plain(network: &Network, from: Option<&Row>, to: &mut Row, added: &[u16], removed: &[u16]) {
    // The whole row at a time: with AVX-512 it stays in registers.
    let mut sums = from.unwrap_or(to).0;
    for &feature in added {
        let row = &network.features[usize::from(feature)].0;
        sums.iter_mut().zip(row).for_each(|(sum, weight)| *sum = sum.wrapping_add(*weight));
    }
    for &feature in removed {
        let row = &network.features[usize::from(feature)].0;
        sums.iter_mut().zip(row).for_each(|(sum, weight)| *sum = sum.wrapping_sub(*weight));
    }
    to.0 = sums;
}

/// Hidden values, the squares of the clipped sums; scale [`QV`].
#[inline(always)]
fn values(sums: &Row) -> Row {
    let mut values = *sums;
    for value in &mut values.0 {
        let clipped = (*value).clamp(0, QA as i16) as u16;
        *value = ((clipped * clipped + 32) >> 6) as i16;
    }
    values
}

/// Sum of the values of both sides times weights.
#[inline(always)]
fn product(values: &[Row; 2], weights: &[Row; 2]) -> i32 {
    let product = |(&value, &weight): (&i16, &i16)| i32::from(value) * i32::from(weight);
    values.iter().zip(weights).map(|(values, weights)| values.0.iter().zip(&weights.0).map(product).sum::<i32>()).sum()
}

/// The output of a head, times [`QV`] · [`QB`], given what the hidden values add directly and the sums of its first layer
/// without biases.
#[inline(always)]
fn rest(head: &Head, direct: i32, first: [i32; FIRST]) -> i64 {
    let mut values = [0; 2 * FIRST];
    let (clipped, squares) = values.split_at_mut(FIRST);
    for ((sum, bias), (clipped, square)) in first.iter().zip(head.first_bias).zip(clipped.iter_mut().zip(squares)) {
        let value = (sum + bias) / QB;
        let size = value.abs().min(QV);
        (*clipped, *square) = (value.clamp(0, QV), size * size / QV);
    }
    let mut second = head.second_bias;
    for (value, weights) in values.iter().zip(&head.second) {
        second.iter_mut().zip(weights).for_each(|(sum, &weight)| *sum += value * i32::from(weight));
    }
    let products = second.iter().zip(head.third).map(|(sum, weight)| (sum / QB).clamp(0, QV) * i32::from(weight));
    let deep = products.sum::<i32>() + head.bias;
    i64::from(direct) + i64::from(deep)
}

/// The output of a head, times [`QV`] · [`QB`], of the hidden sums of the side to move and of the other.
#[inline(always)]
fn evaluate_plain(head: &Head, own: &Row, other: &Row) -> i64 {
    let values = [own, other].map(values);
    rest(head, product(&values, &head.direct), head.first.each_ref().map(|weights| product(&values, weights)))
}

/// The kernels for one set of vector instructions.
#[cfg(target_arch = "x86_64")]
macro_rules! kernels {
    (
        $name:ident, $instructions:literal, $vector:ident, $zero:ident, $all:ident, $least:ident, $most:ident,
        $add:ident, $multiply:ident, $shift:ident, $add_products:expr
    ) => {
        mod $name {
            use std::arch::x86_64::*;

            use super::{FIRST, Head, Network, QA, Row};

            #[target_feature(enable = $instructions)]
            pub(super) fn update(network: &Network, from: Option<&Row>, to: &mut Row, added: &[u16], removed: &[u16]) {
                super::update_plain(network, from, to, added, removed);
            }

            /// All sums at once, so that each value is made and loaded only once.
            #[target_feature(enable = $instructions)]
            pub(super) fn evaluate(head: &Head, own: &Row, other: &Row) -> i64 {
                let (zero, most, half) = ($zero(), $all(QA as i16), $all(32));
                let mut sums = [zero; FIRST + 1];
                for (side, row) in [own, other].into_iter().enumerate() {
                    let direct = vectors(&head.direct[side]);
                    let first = head.first.each_ref().map(|rows| vectors(&rows[side]));
                    for (at, &hidden) in vectors(row).iter().enumerate() {
                        let clipped = $least($most(hidden, zero), most);
                        let values = $shift::<6>($add($multiply(clipped, clipped), half));
                        let weights = first.iter().map(|rows| rows[at]).chain([direct[at]]);
                        for (sum, weights) in sums.iter_mut().zip(weights) {
                            *sum = $add_products(*sum, values, weights);
                        }
                    }
                }
                let totals = sums.map(|sum| {
                    // SAFETY: a vector is nothing but numbers.
                    unsafe { std::mem::transmute::<$vector, [i32; size_of::<$vector>() / 4]>(sum) }.into_iter().sum()
                });
                let (first, direct) = totals.split_first_chunk::<FIRST>().expect("there is one sum more");
                super::rest(head, direct[0], *first)
            }

            fn vectors(row: &Row) -> &[$vector; size_of::<Row>() / size_of::<$vector>()] {
                // SAFETY: as large, of nothing but numbers, and a row is aligned to 64 bytes, as much as any vector.
                unsafe { &*std::ptr::from_ref(row).cast() }
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
kernels!(
    avx2,
    "avx2",
    __m256i,
    _mm256_setzero_si256,
    _mm256_set1_epi16,
    _mm256_min_epi16,
    _mm256_max_epi16,
    _mm256_add_epi16,
    _mm256_mullo_epi16,
    _mm256_srli_epi16,
    |sum, values, weights| _mm256_add_epi32(sum, _mm256_madd_epi16(values, weights))
);

#[cfg(target_arch = "x86_64")]
kernels!(
    avx512,
    "avx512f,avx512bw,avx512vnni",
    __m512i,
    _mm512_setzero_si512,
    _mm512_set1_epi16,
    _mm512_min_epi16,
    _mm512_max_epi16,
    _mm512_add_epi16,
    _mm512_mullo_epi16,
    _mm512_srli_epi16,
    _mm512_dpwssd_epi32
);

/// A kernel in the best instructions that this processor has.
macro_rules! fastest {
    ($kernel:ident, $plain:ident, $($argument:expr),+) => {{
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx512bw") && is_x86_feature_detected!("avx512vnni") {
            // SAFETY: the processor has the instructions.
            return unsafe { avx512::$kernel($($argument),+) };
        }
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") {
            // SAFETY: as above.
            return unsafe { avx2::$kernel($($argument),+) };
        }
        $plain($($argument),+)
    }};
}

/// `to = from + added - removed`, over rows of the network's feature weights; the indices are inputs. `from`: none for
/// `to` itself.
pub(super) fn update(network: &Network, from: Option<&Row>, to: &mut Row, added: &[u16], removed: &[u16]) {
    fastest!(update, update_plain, network, from, to, added, removed)
}

/// The output of a head, times [`QV`] · [`QB`], of the hidden sums of the side to move and of the other.
fn evaluate(head: &Head, own: &Row, other: &Row) -> i64 {
    fastest!(evaluate, evaluate_plain, head, own, other)
}

/// Centipawns for the side to move, of the hidden sums of the side to move and of the other; no mate.
pub(super) fn output(network: &Network, bucket: usize, own: &Row, other: &Row) -> i32 {
    let value = evaluate(&network.heads[bucket], own, other) * i64::from(SCALE) / i64::from(QV * QB);
    let most = i64::from(MATE_BOUND - 1);
    value.clamp(-most, most) as i32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use crate::search::network::tests::random_network;
    use crate::search::network::{BUCKETS, HIDDEN, SECOND};

    #[test]
    fn kernels_of_all_instruction_sets_agree() {
        let mut random = Random(7);
        let network = random_network(&mut random);
        for _ in 0..50 {
            let added: Vec<u16> = (0..random.below(5)).map(|_| random.below(768) as u16).collect();
            let removed: Vec<u16> = (0..random.below(5)).map(|_| random.below(768) as u16).collect();
            let from = network.features[random.below(768)];
            let (mut fast, mut plain) = (Row::ZERO, Row::ZERO);
            update(&network, Some(&from), &mut fast, &added, &removed);
            update_plain(&network, Some(&from), &mut plain, &added, &removed);
            assert_eq!(fast, plain);
            let head = &network.heads[random.below(BUCKETS)];
            assert_eq!(evaluate(head, &fast, &from), evaluate_plain(head, &plain, &from));
            #[cfg(target_arch = "x86_64")]
            if is_x86_feature_detected!("avx2") {
                // SAFETY: the processor has AVX2.
                let value = unsafe {
                    avx2::update(&network, Some(&from), &mut fast, &added, &removed);
                    avx2::evaluate(head, &fast, &from)
                };
                assert_eq!((fast, value), (plain, evaluate_plain(head, &plain, &from)));
            }
            update(&network, None, &mut fast, &removed, &added);
            assert_eq!(fast, from);
        }
    }

    #[test]
    fn the_widest_weights_do_not_overflow() {
        let (full, mut head) = (Row([QA as i16; HIDDEN]), Network::zero().heads[0].clone());
        head.weights_mut().for_each(|weight| *weight = WIDEST);
        let most = 2 * HIDDEN as i32 * QV * i32::from(WIDEST);
        assert_eq!(product(&[&full, &full].map(values), &head.direct), most);
        assert!(most.checked_add(WIDEST_BIAS).is_some());
        head.biases_mut().for_each(|bias| *bias = WIDEST_BIAS);
        let deep = SECOND as i32 * QV * i32::from(WIDEST) + WIDEST_BIAS;
        assert_eq!(evaluate_plain(&head, &full, &full), i64::from(most) + i64::from(deep));
    }
}
