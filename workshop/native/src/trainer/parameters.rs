//! The parameters of the network in floating point, and their rounding.

use native::workshop::{
    BUCKETS, FIRST, HIDDEN, INPUTS, Network, QA, QB, QV, Random, SECOND, WIDEST as WIDEST_ROUNDED,
    WIDEST_BIAS as WIDEST_BIAS_ROUNDED,
};

/// Feature weights stay within this, so that the sum of 32 of them fits into 16 bits.
const WIDEST_FEATURE: f32 = 3.9;
/// Weights of the heads stay within this, so that a network may have them after rounding.
const WIDEST: f32 = WIDEST_ROUNDED as f32 / QB as f32;
/// The same for their biases.
const WIDEST_BIAS: f32 = WIDEST_BIAS_ROUNDED as f32 / (QV * QB) as f32;

/// Hidden values of both sides.
pub(super) const WIDTH: usize = 2 * HIDDEN;
/// Hidden values that the first layer is computed for at a time: as many as fit a vector.
pub(super) const LANES: usize = 8;
/// Where the bias of the hidden sums begins, and the heads.
const BIAS: usize = INPUTS * HIDDEN;
const HEADS: usize = BIAS + HIDDEN;
/// Numbers of a head.
const HEAD: usize = size_of::<FloatHead>() / size_of::<f32>();

/// A value for each hidden neuron of a side.
pub(super) type Hidden = [f32; HIDDEN];

/// A head of the network, or the gradient by its parameters. Nothing but numbers.
#[derive(Clone)]
#[repr(C)]
pub(super) struct FloatHead {
    /// By hidden value: those of the side to move, then those of the other.
    pub direct: [f32; WIDTH],
    /// By block of hidden values, then by unit, then by value of the block.
    pub first: [[[f32; LANES]; FIRST]; WIDTH / LANES],
    pub first_bias: [f32; FIRST],
    /// By value of the first layer, then by unit.
    pub second: [[f32; SECOND]; 2 * FIRST],
    pub second_bias: [f32; SECOND],
    pub third: [f32; SECOND],
    pub bias: f32,
}

impl FloatHead {
    /// Calls `act` with each weight, in the order of [`native::workshop::Head::weights`].
    fn each_weight(&mut self, mut act: impl FnMut(&mut f32)) {
        for unit in 0..FIRST {
            self.first.iter_mut().flat_map(|block| &mut block[unit]).for_each(&mut act);
        }
        self.second.as_flattened_mut().iter_mut().chain(&mut self.third).chain(&mut self.direct).for_each(act);
    }

    /// All biases, in the order of [`native::workshop::Head::biases`].
    fn biases_mut(&mut self) -> impl Iterator<Item = &mut f32> {
        self.first_bias.iter_mut().chain(&mut self.second_bias).chain([&mut self.bias])
    }
}

/// The weights of the inputs ([input][hidden]), the bias of the hidden sums, and the heads by bucket; or the gradient by
/// all of them.
pub(super) struct Parameters(pub Vec<f32>);

impl Parameters {
    pub(super) fn zero() -> Parameters {
        Parameters(vec![0.0; HEADS + BUCKETS * HEAD])
    }

    /// Start of a training: the layers add little to the output, and most of their units are within their limits.
    pub(super) fn random(seed: u64) -> Parameters {
        let mut random = Random(seed);
        let mut fill = |values: &mut [f32], width: f64| {
            for value in values {
                *value = ((2.0 * random.unit() - 1.0) * width) as f32;
            }
        };
        let mut parameters = Parameters::zero();
        fill(&mut parameters.0[..BIAS], 0.1);
        parameters.0[BIAS..HEADS].fill(0.2);
        for bucket in 0..BUCKETS {
            let head = parameters.head_mut(bucket);
            fill(&mut head.direct, 0.02);
            fill(head.first.as_flattened_mut().as_flattened_mut(), 0.05);
            head.first_bias.fill(0.1);
            fill(head.second.as_flattened_mut(), 0.3);
            head.second_bias.fill(0.1);
            fill(&mut head.third, 0.01);
        }
        parameters
    }

    pub(super) fn from_network(network: &Network) -> Parameters {
        let mut parameters = Parameters::zero();
        let rows = network.features.iter().chain([&network.bias]);
        for (to, &from) in parameters.0.iter_mut().zip(rows.flat_map(|row| &row.0)) {
            *to = f32::from(from) / QA as f32;
        }
        for (bucket, from) in network.heads.iter().enumerate() {
            let head = parameters.head_mut(bucket);
            let mut weights = from.weights();
            head.each_weight(|to| *to = f32::from(*weights.next().expect("as many weights")) / QB as f32);
            for (to, &from) in head.biases_mut().zip(from.biases()) {
                *to = from as f32 / (QV * QB) as f32;
            }
        }
        parameters
    }

    /// The network with its weights rounded.
    pub(super) fn rounded(&self) -> Network {
        let mut network = Network::zero();
        let rows = network.features.iter_mut().chain([&mut network.bias]);
        for (to, &from) in rows.flat_map(|row| &mut row.0).zip(&self.0) {
            *to = (from * QA as f32).round() as i16;
        }
        for (bucket, to) in network.heads.iter_mut().enumerate() {
            let mut head = self.head(bucket).clone();
            let mut weights = to.weights_mut();
            head.each_weight(move |from| {
                *weights.next().expect("as many weights") = (*from * QB as f32).round() as i16;
            });
            for (to, &mut from) in to.biases_mut().zip(head.biases_mut()) {
                *to = (from * (QV * QB) as f32).round() as i32;
            }
        }
        network
    }

    /// The weights of an input, or the bias of the hidden sums as if it were the input after the last.
    #[inline(always)]
    pub(super) fn row(&self, input: usize) -> &Hidden {
        self.0[..HEADS][input * HIDDEN..][..HIDDEN].try_into().expect("a row")
    }

    #[inline(always)]
    pub(super) fn row_mut(&mut self, input: usize) -> &mut Hidden {
        (&mut self.0[..HEADS][input * HIDDEN..][..HIDDEN]).try_into().expect("a row")
    }

    #[inline(always)]
    pub(super) fn head(&self, bucket: usize) -> &FloatHead {
        let numbers = &self.0[HEADS + bucket * HEAD..][..HEAD];
        // SAFETY: a head is made of so many numbers, one after the other.
        unsafe { &*numbers.as_ptr().cast() }
    }

    #[inline(always)]
    pub(super) fn head_mut(&mut self, bucket: usize) -> &mut FloatHead {
        let numbers = &mut self.0[HEADS + bucket * HEAD..][..HEAD];
        // SAFETY: a head is made of so many numbers, one after the other.
        unsafe { &mut *numbers.as_mut_ptr().cast() }
    }

    /// Keeps the parameters of the heads within their limits.
    pub(super) fn limit_heads(&mut self) {
        for bucket in 0..BUCKETS {
            let head = self.head_mut(bucket);
            head.each_weight(|weight| *weight = weight.clamp(-WIDEST, WIDEST));
            head.biases_mut().for_each(|bias| *bias = bias.clamp(-WIDEST_BIAS, WIDEST_BIAS));
        }
    }
}

/// Keeps the feature weights within their limit among `parameters`, which begin at `start`.
pub(super) fn limit_features(parameters: &mut [f32], start: usize) {
    let weights = BIAS.saturating_sub(start).min(parameters.len());
    for weight in &mut parameters[..weights] {
        *weight = weight.clamp(-WIDEST_FEATURE, WIDEST_FEATURE);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_network_keeps_its_weights_as_parameters() {
        let mut random = Random(5);
        let mut within = |most: usize| random.below(2 * most + 1) as i32 - most as i32;
        let mut network = Network::zero();
        for row in network.features.iter_mut().chain([&mut network.bias]) {
            row.0.iter_mut().for_each(|weight| *weight = within(900) as i16);
        }
        for head in &mut network.heads {
            head.weights_mut().for_each(|weight| *weight = within(2_000) as i16);
            head.biases_mut().for_each(|bias| *bias = within(2_000_000));
        }
        let parameters = Parameters::from_network(&network);
        assert_eq!(parameters.rounded(), network);
        let (head, of) = (parameters.head(3), &network.heads[3]);
        assert_eq!(head.first[701 / LANES][5][701 % LANES], f32::from(of.first[5][1].0[701 - HIDDEN]) / QB as f32);
        assert_eq!(head.second[9][30], f32::from(of.second[9][30]) / QB as f32);
        assert_eq!(head.third[31], f32::from(of.third[31]) / QB as f32);
        assert_eq!(head.direct[HIDDEN + 2], f32::from(of.direct[1].0[2]) / QB as f32);
        assert_eq!(head.bias, of.bias as f32 / (QV * QB) as f32);
    }

    #[test]
    fn parameters_at_their_limits_round_to_weights_that_a_network_may_have() {
        let mut parameters = Parameters::zero();
        for limit in [100.0, -100.0] {
            parameters.0.fill(limit);
            parameters.limit_heads();
            limit_features(&mut parameters.0, 0);
            let network = parameters.rounded();
            assert_eq!(network.heads[7].third[0], WIDEST_ROUNDED * limit.signum() as i16);
            assert_eq!(Network::read(&network.write()), Ok(network));
        }
    }
}
