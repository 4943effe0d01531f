//! The network in floating point, its gradient, and Adam.
//!
//! The loss is the squared difference of win chances on the scale 0 to 1: a centipawn counts where games are decided,
//! and hardly where they are won. What is trained is what the core's network infers, with the same inputs, buckets and
//! activation, before its weights are rounded.

use std::thread;

use native::workshop::{
    BUCKETS, HIDDEN, INPUTS, Network, QA, QB, Random, SCALE, WIDEST as WIDEST_OUTPUT, WIN_CHANCE_SCALE, bucket,
    features,
};

use crate::record::{Record, SIZE};

/// Centipawns of an output of 1.
const UNIT: f32 = SCALE as f32;
/// Output weights stay within this, so that rounded they are what the inference can do with.
const WIDEST: f32 = WIDEST_OUTPUT as f32 / QB as f32;
/// Feature weights stay within this, so that the sum of 32 of them fits into 16 bits.
const WIDEST_FEATURE: f32 = 3.9;
/// Of Adam, as its authors propose them (Kingma and Ba, 2015).
const BETA1: f32 = 0.9;
const BETA2: f32 = 0.999;
const EPSILON: f32 = 1e-8;

/// Where the parts of the parameters begin: weights of the inputs, bias, output weights by bucket, output bias.
const BIAS: usize = INPUTS * HIDDEN;
const OUTPUT: usize = BIAS + HIDDEN;
const OUTPUT_BIAS: usize = OUTPUT + BUCKETS * 2 * HIDDEN;
/// Number of parameters.
pub(crate) const PARAMETERS: usize = OUTPUT_BIAS + BUCKETS;

/// The network, and what Adam remembers of its gradients.
pub(crate) struct Trainer {
    /// [`PARAMETERS`] values: [input][hidden], [hidden], [bucket][2 hidden], [bucket].
    pub parameters: Vec<f32>,
    mean: Vec<f32>,
    square: Vec<f32>,
    steps: i32,
}

/// Sums over a share of a batch.
struct Gradient {
    sums: Vec<f32>,
    loss: f64,
}

/// Whether a step also changes the parameters.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Pass {
    Train { rate: f32 },
    Measure,
}

impl Trainer {
    /// Small random weights from `seed`.
    pub(crate) fn new(seed: u64) -> Trainer {
        let mut random = Random(seed);
        let mut parameters = vec![0.0; PARAMETERS];
        let mut fill = |values: &mut [f32], width: f64| {
            for value in values {
                *value = ((2.0 * random.unit() - 1.0) * width) as f32;
            }
        };
        fill(&mut parameters[..BIAS], 0.1);
        parameters[BIAS..OUTPUT].fill(0.2);
        fill(&mut parameters[OUTPUT..OUTPUT_BIAS], 0.1);
        Trainer { parameters, mean: vec![0.0; PARAMETERS], square: vec![0.0; PARAMETERS], steps: 0 }
    }

    /// The weights of a network, to be trained further.
    pub(crate) fn from_network(network: &Network) -> Trainer {
        let mut trainer = Trainer::new(0);
        let copy = |parameters: &mut [f32], row: &[i16], scale: i32| {
            for (to, &from) in parameters.iter_mut().zip(row) {
                *to = f32::from(from) / scale as f32;
            }
        };
        for (input, row) in network.features.iter().enumerate() {
            copy(&mut trainer.parameters[input * HIDDEN..], &row.0, QA);
        }
        copy(&mut trainer.parameters[BIAS..], &network.bias.0, QA);
        for (index, row) in network.output.as_flattened().iter().enumerate() {
            copy(&mut trainer.parameters[OUTPUT + index * HIDDEN..], &row.0, QB);
        }
        for (to, &from) in trainer.parameters[OUTPUT_BIAS..].iter_mut().zip(&network.output_bias) {
            *to = from as f32 / (QA * QB) as f32;
        }
        trainer
    }

    /// Mean loss of the records numbered `batch`, each [`SIZE`] bytes of `records`; then a step down its gradient.
    pub(crate) fn pass(&mut self, records: &[u8], batch: &[u32], pass: Pass, threads: usize) -> f64 {
        if batch.is_empty() {
            return 0.0;
        }
        let share = batch.len().div_ceil(threads.max(1));
        let parameters = &self.parameters;
        let gradients: Vec<Gradient> = thread::scope(|scope| {
            let work = |part| move || gradient(parameters, records, part, pass != Pass::Measure);
            let running: Vec<_> = batch.chunks(share).map(|part| scope.spawn(work(part))).collect();
            running.into_iter().map(|thread| thread.join().expect("no thread panics")).collect()
        });
        let loss = gradients.iter().map(|gradient| gradient.loss).sum::<f64>() / batch.len() as f64;
        if let Pass::Train { rate } = pass {
            let (first, others) = gradients.split_first().expect("there is a thread");
            let mut sums = first.sums.clone();
            for other in others {
                sums.iter_mut().zip(&other.sums).for_each(|(sum, add)| *sum += add);
            }
            self.step(&sums, 1.0 / batch.len() as f32, rate);
        }
        loss
    }

    fn step(&mut self, sums: &[f32], scale: f32, rate: f32) {
        self.steps += 1;
        let rate = rate * (1.0 - BETA2.powi(self.steps)).sqrt() / (1.0 - BETA1.powi(self.steps));
        let moments = self.mean.iter_mut().zip(&mut self.square);
        for ((parameter, &sum), (mean, square)) in self.parameters.iter_mut().zip(sums).zip(moments) {
            let gradient = sum * scale;
            *mean = BETA1 * *mean + (1.0 - BETA1) * gradient;
            *square = BETA2 * *square + (1.0 - BETA2) * gradient * gradient;
            *parameter -= rate * *mean / (square.sqrt() + EPSILON);
        }
        let limit = |values: &mut [f32], most: f32| values.iter_mut().for_each(|v| *v = v.clamp(-most, most));
        limit(&mut self.parameters[..BIAS], WIDEST_FEATURE);
        limit(&mut self.parameters[OUTPUT..OUTPUT_BIAS], WIDEST);
    }

    /// Value of a record by the network, in centipawns for the side to move.
    #[cfg(test)]
    pub(crate) fn value(&self, record: &Record) -> f32 {
        UNIT * Forward::new().run(&self.parameters, record)
    }

    /// The network with its weights rounded.
    pub(crate) fn rounded(&self) -> Network {
        let mut network = Network::zero();
        let copy = |row: &mut [i16], at: usize, scale: i32| {
            for (to, &from) in row.iter_mut().zip(&self.parameters[at..]) {
                *to = (from * scale as f32).round() as i16;
            }
        };
        for (input, row) in network.features.iter_mut().enumerate() {
            copy(&mut row.0, input * HIDDEN, QA);
        }
        copy(&mut network.bias.0, BIAS, QA);
        for (index, row) in network.output.as_flattened_mut().iter_mut().enumerate() {
            copy(&mut row.0, OUTPUT + index * HIDDEN, QB);
        }
        for (to, &from) in network.output_bias.iter_mut().zip(&self.parameters[OUTPUT_BIAS..]) {
            *to = (from * (QA * QB) as f32).round() as i32;
        }
        network
    }
}

/// Loss and gradient of some records, with the vector instructions that the machine has.
fn gradient(parameters: &[f32], records: &[u8], part: &[u32], backward: bool) -> Gradient {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
        // SAFETY: the machine has these instructions.
        return unsafe { gradient_avx2(parameters, records, part, backward) };
    }
    gradient_plain(parameters, records, part, backward)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn gradient_avx2(parameters: &[f32], records: &[u8], part: &[u32], backward: bool) -> Gradient {
    gradient_plain(parameters, records, part, backward)
}

#[inline(always)]
fn gradient_plain(parameters: &[f32], records: &[u8], part: &[u32], backward: bool) -> Gradient {
    let mut sums = vec![0.0; if backward { PARAMETERS } else { 0 }];
    let mut loss = 0.0;
    let mut forward = Forward::new();
    for &number in part {
        let at = number as usize * SIZE;
        let Some(record) = Record::unpack(&records[at..at + SIZE]) else { continue };
        let output = forward.run(parameters, &record);
        let scale = UNIT * WIN_CHANCE_SCALE as f32;
        let chance = 1.0 / (1.0 + (-scale * output).exp());
        let wanted = 1.0 / (1.0 + (-WIN_CHANCE_SCALE as f32 * f32::from(record.value)).exp());
        let error = chance - wanted;
        loss += f64::from(error * error);
        if backward {
            forward.back(parameters, &mut sums, 2.0 * error * chance * (1.0 - chance) * scale);
        }
    }
    Gradient { sums, loss }
}

/// One record on its way through the network.
struct Forward {
    /// Inputs of the side to move, then of the other.
    inputs: [Vec<usize>; 2],
    hidden: [[f32; HIDDEN]; 2],
    bucket: usize,
}

impl Forward {
    fn new() -> Forward {
        Forward { inputs: [Vec::with_capacity(32), Vec::with_capacity(32)], hidden: [[0.0; HIDDEN]; 2], bucket: 0 }
    }

    #[inline(always)]
    fn run(&mut self, parameters: &[f32], record: &Record) -> f32 {
        self.bucket = bucket(record.board.occupied().count());
        let start = OUTPUT + self.bucket * 2 * HIDDEN;
        let mut output = parameters[OUTPUT_BIAS + self.bucket];
        for (side, color) in [record.turn, !record.turn].into_iter().enumerate() {
            let inputs = &mut self.inputs[side];
            inputs.clear();
            inputs.extend(features(&record.board, color));
            let hidden = &mut self.hidden[side];
            hidden.copy_from_slice(&parameters[BIAS..OUTPUT]);
            for &input in inputs.iter() {
                let row: &[f32; HIDDEN] = parameters[input * HIDDEN..][..HIDDEN].try_into().expect("a row");
                for (sum, weight) in hidden.iter_mut().zip(row) {
                    *sum += weight;
                }
            }
            let weights = &parameters[start + side * HIDDEN..][..HIDDEN];
            let mut lanes = [0.0f32; 16];
            for (chunk, weights) in hidden.chunks_exact(16).zip(weights.chunks_exact(16)) {
                for lane in 0..16 {
                    let active = chunk[lane].clamp(0.0, 1.0);
                    lanes[lane] += active * active * weights[lane];
                }
            }
            output += lanes.iter().sum::<f32>();
        }
        output
    }

    /// Adds the gradient of the last record, given the derivative of the loss by the output.
    #[inline(always)]
    fn back(&self, parameters: &[f32], sums: &mut [f32], slope: f32) {
        let start = OUTPUT + self.bucket * 2 * HIDDEN;
        sums[OUTPUT_BIAS + self.bucket] += slope;
        for side in 0..2 {
            let hidden = &self.hidden[side];
            let mut slopes = [0.0f32; HIDDEN];
            let at = start + side * HIDDEN;
            let weights: &[f32; HIDDEN] = parameters[at..][..HIDDEN].try_into().expect("a row");
            let output: &mut [f32; HIDDEN] = (&mut sums[at..at + HIDDEN]).try_into().expect("a row");
            for unit in 0..HIDDEN {
                let active = hidden[unit].clamp(0.0, 1.0);
                output[unit] += slope * active * active;
                let inside = if hidden[unit] > 0.0 && hidden[unit] < 1.0 { 2.0 * active } else { 0.0 };
                slopes[unit] = slope * weights[unit] * inside;
            }
            let mut add = |at: usize| {
                let row: &mut [f32; HIDDEN] = (&mut sums[at..at + HIDDEN]).try_into().expect("a row");
                for (sum, slope) in row.iter_mut().zip(&slopes) {
                    *sum += slope;
                }
            };
            add(BIAS);
            for &input in &self.inputs[side] {
                add(input * HIDDEN);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use native::workshop::{Accumulator, parse};
    use shakmaty::Position;

    use super::*;

    const FENS: [(&str, i16); 3] = [
        ("r1bqk2r/pppp1ppp/2n5/2b1p3/2BnP3/2N2N2/PPPP1PPP/R1BQ1RK1 w kq - 0 1", 250),
        ("8/5k2/3p4/1P1P4/8/2K5/8/8 b - - 0 1", -400),
        ("rnb1kbnr/pppp1ppp/8/4p3/4P2q/8/PPPP1PPP/RNBQKBNR w KQkq - 0 1", -10),
    ];

    fn records() -> (Vec<Record>, Vec<u8>) {
        let records: Vec<Record> = FENS
            .into_iter()
            .map(|(fen, value)| {
                let chess = parse(fen).unwrap().chess;
                Record { board: chess.board().clone(), turn: chess.turn(), value }
            })
            .collect();
        let packed = records.iter().flat_map(|record| record.pack().unwrap()).collect();
        (records, packed)
    }

    #[test]
    fn the_gradient_is_that_of_the_loss() {
        let (_, packed) = records();
        let mut trainer = Trainer::new(1);
        let found = gradient(&trainer.parameters, &packed, &[0, 1, 2], true);
        let largest = |range: std::ops::Range<usize>| {
            range.max_by(|&a, &b| found.sums[a].abs().total_cmp(&found.sums[b].abs())).unwrap()
        };
        // One parameter of each kind, the one that the loss depends on most.
        for at in
            [largest(0..BIAS), largest(BIAS..OUTPUT), largest(OUTPUT..OUTPUT_BIAS), largest(OUTPUT_BIAS..PARAMETERS)]
        {
            let before = trainer.parameters[at];
            let mut loss = |value| {
                trainer.parameters[at] = value;
                3.0 * trainer.pass(&packed, &[0, 1, 2], Pass::Measure, 1)
            };
            let slope = (loss(before + 0.001) - loss(before - 0.001)) / 0.002;
            trainer.parameters[at] = before;
            let sum = f64::from(found.sums[at]);
            assert!((slope - sum).abs() < 0.03 * sum.abs(), "{at}: {slope} {sum}");
        }
    }

    #[test]
    fn steps_fit_the_values_and_rounding_keeps_them() {
        let (records, packed) = records();
        let mut trainer = Trainer::new(2);
        for _ in 0..300 {
            trainer.pass(&packed, &[0, 1, 2], Pass::Train { rate: 0.003 }, 2);
        }
        let network: &'static Network = Box::leak(Box::new(trainer.rounded()));
        assert_eq!(Network::read(&network.write()).as_ref(), Ok(network));
        assert_eq!(&Trainer::from_network(network).rounded(), network);
        for (fen, record) in FENS.into_iter().zip(&records) {
            let value = trainer.value(record);
            assert!((value - f32::from(record.value)).abs() < 25.0, "{value} for {}", record.value);
            let rounded = Accumulator::new(network, 1).evaluate(&parse(fen.0).unwrap().chess, 0);
            assert!((rounded as f32 - value).abs() < 8.0, "{rounded} for {value}");
        }
    }

    #[test]
    fn threads_change_sums_by_no_more_than_rounding() {
        let (_, packed) = records();
        let (mut one, mut two) = (Trainer::new(3), Trainer::new(3));
        for _ in 0..5 {
            one.pass(&packed, &[0, 1, 2], Pass::Train { rate: 0.001 }, 1);
            two.pass(&packed, &[0, 1, 2], Pass::Train { rate: 0.001 }, 3);
        }
        let most = one.parameters.iter().zip(&two.parameters).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        assert!(most < 1e-3, "{most}");
    }
}
