//! A head on its way forward, and back for the gradient.

use native::workshop::{FIRST, SECOND};

use super::parameters::{FloatHead, LANES, WIDTH};

/// The values of a position in a head, kept for the gradient.
pub(super) struct HeadPass {
    /// Hidden values of the side to move, then those of the other.
    pub values: [f32; WIDTH],
    /// Sums of the first layer.
    first: [f32; FIRST],
    /// Outputs of the first layer: the clipped sums, then the clipped squares.
    passed: [f32; 2 * FIRST],
    /// Sums of the second layer.
    second: [f32; SECOND],
}

impl HeadPass {
    pub(super) fn new() -> HeadPass {
        HeadPass { values: [0.0; WIDTH], first: [0.0; FIRST], passed: [0.0; 2 * FIRST], second: [0.0; SECOND] }
    }

    /// The output, given the values. With the vector instructions that the machine has.
    pub(super) fn forward(&mut self, head: &FloatHead) -> f32 {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") {
            // SAFETY: the machine has these instructions.
            return unsafe { self.forward_avx2(head) };
        }
        self.forward_plain(head)
    }

    /// Adds the gradient of the last output to `sums`, given the derivative of the loss by the output. Returns the
    /// derivatives by the values.
    pub(super) fn back(&self, head: &FloatHead, sums: &mut FloatHead, slope: f32) -> [f32; WIDTH] {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") {
            // SAFETY: the machine has these instructions.
            return unsafe { self.back_avx2(head, sums, slope) };
        }
        self.back_plain(head, sums, slope)
    }

    // Not inlined: as part of a larger function compilers make no vector instructions of them.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    #[inline(never)]
    fn forward_avx2(&mut self, head: &FloatHead) -> f32 {
        self.forward_plain(head)
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    #[inline(never)]
    fn back_avx2(&self, head: &FloatHead, sums: &mut FloatHead, slope: f32) -> [f32; WIDTH] {
        self.back_plain(head, sums, slope)
    }

    #[inline(always)]
    fn forward_plain(&mut self, head: &FloatHead) -> f32 {
        let mut sums = [[0.0; LANES]; FIRST];
        for (values, weights) in self.values.as_chunks::<LANES>().0.iter().zip(&head.first) {
            for unit in 0..FIRST {
                add_products(&mut sums[unit], values, &weights[unit]);
            }
        }
        self.first = totals(&sums);
        for unit in 0..FIRST {
            self.first[unit] += head.first_bias[unit];
            self.passed[unit] = self.first[unit].clamp(0.0, 1.0);
            self.passed[FIRST + unit] = (self.first[unit] * self.first[unit]).min(1.0);
        }
        self.second = head.second_bias;
        for (&value, weights) in self.passed.iter().zip(&head.second) {
            add_times(&mut self.second, value, weights);
        }
        let clipped = self.second.map(|sum| sum.clamp(0.0, 1.0));
        head.bias + product(&self.values, &head.direct) + product(&clipped, &head.third)
    }

    #[inline(always)]
    fn back_plain(&self, head: &FloatHead, sums: &mut FloatHead, slope: f32) -> [f32; WIDTH] {
        sums.bias += slope;
        add_times(&mut sums.third, slope, &self.second.map(|sum| sum.clamp(0.0, 1.0)));
        let inside = self.second.map(|sum| if sum > 0.0 && sum < 1.0 { slope } else { 0.0 });
        let mut second = [0.0; SECOND];
        add_products(&mut second, &inside, &head.third);
        add_times(&mut sums.second_bias, 1.0, &second);
        for (sums, &value) in sums.second.iter_mut().zip(&self.passed) {
            add_times(sums, value, &second);
        }
        let passed = head.second.each_ref().map(|weights| product(&second, weights));
        let mut first = [0.0; FIRST];
        for unit in 0..FIRST {
            let sum = self.first[unit];
            let clipped = if sum > 0.0 && sum < 1.0 { passed[unit] } else { 0.0 };
            let square = if sum.abs() < 1.0 { 2.0 * sum * passed[FIRST + unit] } else { 0.0 };
            first[unit] = clipped + square;
            sums.first_bias[unit] += first[unit];
        }
        add_times(&mut sums.direct, slope, &self.values);
        let mut slopes = head.direct.map(|weight| slope * weight);
        let blocks = slopes.as_chunks_mut::<LANES>().0.iter_mut().zip(self.values.as_chunks::<LANES>().0);
        for ((slopes, values), (weights, sums)) in blocks.zip(head.first.iter().zip(&mut sums.first)) {
            for unit in 0..FIRST {
                add_times(&mut sums[unit], first[unit], values);
                add_times(slopes, first[unit], &weights[unit]);
            }
        }
        slopes
    }
}

#[inline(always)]
fn add_times<const N: usize>(to: &mut [f32; N], factor: f32, from: &[f32; N]) {
    to.iter_mut().zip(from).for_each(|(sum, value)| *sum += factor * value);
}

#[inline(always)]
fn add_products<const N: usize>(to: &mut [f32; N], values: &[f32; N], weights: &[f32; N]) {
    for at in 0..N {
        to[at] += values[at] * weights[at];
    }
}

/// Sum of the values times their weights.
#[inline(always)]
fn product<const N: usize>(values: &[f32; N], weights: &[f32; N]) -> f32 {
    let mut sums = [0.0; 2 * LANES];
    for (values, weights) in values.as_chunks().0.iter().zip(weights.as_chunks().0) {
        add_products(&mut sums, values, weights);
    }
    let sums: [f32; LANES] = std::array::from_fn(|lane| sums[lane] + sums[LANES + lane]);
    let four: [f32; 4] = std::array::from_fn(|lane| sums[lane] + sums[4 + lane]);
    (four[0] + four[2]) + (four[1] + four[3])
}

/// The sum of each unit. Not inlined: compilers would transpose the sums at each addition.
#[inline(never)]
fn totals(sums: &[[f32; LANES]; FIRST]) -> [f32; FIRST] {
    sums.map(|sums| sums.iter().sum())
}
