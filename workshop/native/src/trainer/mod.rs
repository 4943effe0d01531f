//! The network in floating point, its gradient over families of positions, and Adam.
//!
//! The loss is the squared difference of win chances on the scale 0 to 1: a centipawn counts where games are decided,
//! and hardly where they are won. What is trained is what the core's network infers, with the same inputs, buckets and
//! activation, before its weights are rounded. No position is used twice: new ones cost less than it would gain.
//!
//! | module | what it holds |
//! |---|---|
//! | `parameters` | the parameters, their limits and their rounding |
//! | `head` | a head forward and back |
//! | `forward` | a family forward and back |

mod forward;
mod head;
mod parameters;

use std::thread;

use native::workshop::{HIDDEN, Network, Random};

use self::forward::Forward;
use self::parameters::{Parameters, limit_features};
use crate::families::{Game, family};
use crate::teacher::{Memory, Teacher};

/// Of Adam, as its authors propose them (Kingma and Ba, 2015).
const BETA1: f32 = 0.9;
const BETA2: f32 = 0.999;
const EPSILON: f32 = 1e-8;

/// Games, and what values the positions near them.
pub(crate) struct TrainingData {
    pub games: Vec<Game>,
    /// Those that the loss is measured on.
    pub left_out: Vec<Game>,
    pub teacher: Teacher,
}

/// The network, and what Adam remembers of its gradients.
pub(crate) struct Trainer {
    parameters: Parameters,
    mean: Vec<f32>,
    square: Vec<f32>,
    steps: i32,
    workers: Vec<Worker>,
}

/// Memory of a thread.
struct Worker {
    memory: Memory,
    forward: Forward,
    /// The gradient; zeros between two steps.
    sums: Parameters,
}

impl Worker {
    fn new() -> Worker {
        Worker { memory: Memory::new(), forward: Forward::new(), sums: Parameters::zero() }
    }

    /// Number of positions, at least `count`, and the sum of their losses; with `backward` their gradient as well.
    fn pass(
        &mut self,
        parameters: &Parameters,
        data: &TrainingData,
        count: usize,
        random: &mut Random,
        backward: bool,
    ) -> (usize, f64) {
        let (mut done, mut loss) = (0, 0.0);
        while done < count {
            let games = if backward { &data.games } else { &data.left_out };
            let Some(family) = family(games, random) else { continue };
            let values = data.teacher.values(&family, &mut self.memory);
            loss += self.forward.family(parameters, &family, &values, backward.then_some(&mut self.sums));
            done += values.len();
        }
        (done, loss)
    }
}

impl Trainer {
    /// Small random weights from `seed`.
    pub(crate) fn new(seed: u64) -> Trainer {
        Trainer::of(Parameters::random(seed))
    }

    /// The weights of a network, to be trained further.
    pub(crate) fn from_network(network: &Network) -> Trainer {
        Trainer::of(Parameters::from_network(network))
    }

    fn of(parameters: Parameters) -> Trainer {
        let zeros = vec![0.0; parameters.0.len()];
        Trainer { parameters, mean: zeros.clone(), square: zeros, steps: 0, workers: Vec::new() }
    }

    /// The network with its weights rounded.
    pub(crate) fn rounded(&self) -> Network {
        self.parameters.rounded()
    }

    /// Mean loss of at least `batch` positions, drawn by `seed`, and a step down its gradient.
    pub(crate) fn step(&mut self, data: &TrainingData, batch: usize, rate: f32, threads: usize, seed: u64) -> f64 {
        let (count, loss) = self.pass(data, batch, threads, seed, true);
        self.descend(1.0 / count as f32, rate);
        loss / count as f64
    }

    /// Mean loss of at least `count` positions of games left out, drawn by `seed`.
    pub(crate) fn loss(&mut self, data: &TrainingData, count: usize, threads: usize, seed: u64) -> f64 {
        let (count, loss) = self.pass(data, count, threads, seed, false);
        loss / count as f64
    }

    fn pass(&mut self, data: &TrainingData, count: usize, threads: usize, seed: u64, backward: bool) -> (usize, f64) {
        self.workers.resize_with(threads.max(1), Worker::new);
        let parameters = &self.parameters;
        let share = count.div_ceil(self.workers.len());
        thread::scope(|scope| {
            let running = self.workers.iter_mut().enumerate().map(|(index, worker)| {
                // A generator's states follow each other, so that near seeds would draw the same positions.
                let mut random = Random(Random(seed ^ (index as u64) << 48).below(usize::MAX) as u64);
                scope.spawn(move || worker.pass(parameters, data, share, &mut random, backward))
            });
            let running: Vec<_> = running.collect();
            let sums = running.into_iter().map(|thread| thread.join().expect("no thread panics"));
            sums.fold((0, 0.0), |(count, loss), (more, further)| (count + more, loss + further))
        })
    }

    /// A step of Adam by the gradients of the workers times `scale`; they are zeros then.
    fn descend(&mut self, scale: f32, rate: f32) {
        self.steps += 1;
        let rate = rate * (1.0 - BETA2.powi(self.steps)).sqrt() / (1.0 - BETA1.powi(self.steps));
        let share = self.parameters.0.len().div_ceil(self.workers.len()).next_multiple_of(HIDDEN);
        let mut sums: Vec<_> = self.workers.iter_mut().map(|worker| worker.sums.0.chunks_mut(share)).collect();
        let moments = self.mean.chunks_mut(share).zip(self.square.chunks_mut(share));
        thread::scope(|scope| {
            for (index, (parameters, (mean, square))) in self.parameters.0.chunks_mut(share).zip(moments).enumerate() {
                let mut gradients: Vec<_> = sums.iter_mut().filter_map(Iterator::next).collect();
                scope.spawn(move || {
                    let (first, others) = gradients.split_first_mut().expect("there is a worker");
                    for other in others {
                        first.iter_mut().zip(other.iter_mut()).for_each(|(sum, add)| *sum += std::mem::take(add));
                    }
                    let moments = mean.iter_mut().zip(square);
                    for ((parameter, sum), (mean, square)) in parameters.iter_mut().zip(first.iter_mut()).zip(moments) {
                        let gradient = std::mem::take(sum) * scale;
                        *mean = BETA1 * *mean + (1.0 - BETA1) * gradient;
                        *square = BETA2 * *square + (1.0 - BETA2) * gradient * gradient;
                        *parameter -= rate * *mean / (square.sqrt() + EPSILON);
                    }
                    limit_features(parameters, index * share);
                });
            }
        });
        self.parameters.limit_heads();
    }
}

#[cfg(test)]
mod tests {
    use native::workshop::{Accumulator, BUCKETS, INPUTS, bucket, parse};
    use shakmaty::Position;

    use super::*;
    use crate::families::{Family, Member};

    const FENS: [(&str, i16); 3] = [
        ("r1bqk2r/pppp1ppp/2n5/2b1p3/2BnP3/2N2N2/PPPP1PPP/R1BQ1RK1 w kq - 0 1", 250),
        ("r1bqk2r/pppp1ppp/2n5/2b1p3/2BNP3/2N5/PPPP1PPP/R1BQ1RK1 b kq - 0 1", -300),
        ("8/5k2/3p4/1P1P4/8/2K5/8/8 b - - 0 1", -400),
    ];

    /// The second position has most pieces of the root, the third few.
    fn positions() -> (Family, Vec<i16>) {
        let members: Vec<Member> = FENS
            .into_iter()
            .map(|(fen, _)| {
                let chess = parse(fen).unwrap().chess;
                Member { board: chess.board().clone(), turn: chess.turn() }
            })
            .collect();
        (Family { root: members[0].board.clone(), members }, FENS.map(|(_, value)| value).to_vec())
    }

    #[test]
    fn the_gradient_is_that_of_the_loss() {
        /// The parameters of one kind; of those of the heads, those of a bucket.
        type Part = fn(&mut Parameters, usize) -> &mut [f32];
        let parts: [(&str, Part); 9] = [
            ("features", |of, _| &mut of.0[..INPUTS * HIDDEN]),
            ("bias", |of, _| of.row_mut(INPUTS)),
            ("direct", |of, bucket| &mut of.head_mut(bucket).direct),
            ("first", |of, bucket| of.head_mut(bucket).first.as_flattened_mut().as_flattened_mut()),
            ("first_bias", |of, bucket| &mut of.head_mut(bucket).first_bias),
            ("second", |of, bucket| of.head_mut(bucket).second.as_flattened_mut()),
            ("second_bias", |of, bucket| &mut of.head_mut(bucket).second_bias),
            ("third", |of, bucket| &mut of.head_mut(bucket).third),
            ("bias of the output", |of, bucket| std::slice::from_mut(&mut of.head_mut(bucket).bias)),
        ];
        let (family, values) = positions();
        let mut parameters = Parameters::random(1);
        // As wide as trained ones, so that the loss depends on the layers.
        for bucket in 0..BUCKETS {
            parameters.head_mut(bucket).third.iter_mut().for_each(|weight| *weight *= 50.0);
        }
        let mut forward = Forward::new();
        let mut sums = Parameters::zero();
        forward.family(&parameters, &family, &values, Some(&mut sums));
        let buckets = [&family.members[0], &family.members[2]].map(|member| bucket(member.board.occupied().count()));
        for ((name, part), bucket) in parts.iter().flat_map(|part| buckets.map(|bucket| (part, bucket))) {
            // The one that the loss depends on most.
            let slopes = part(&mut sums, bucket);
            let at = (0..slopes.len()).max_by(|&a, &b| slopes[a].abs().total_cmp(&slopes[b].abs())).unwrap();
            let sum = f64::from(slopes[at]);
            let before = part(&mut parameters, bucket)[at];
            let mut loss = |value| {
                part(&mut parameters, bucket)[at] = value;
                forward.family(&parameters, &family, &values, None)
            };
            let slope = (loss(before + 0.001) - loss(before - 0.001)) / 0.002;
            loss(before);
            assert!((slope - sum).abs() < 0.01 * sum.abs(), "{name} {at} of {bucket}: {slope} {sum}");
        }
    }

    #[test]
    fn steps_fit_the_values_and_rounding_keeps_them() {
        let (family, values) = positions();
        let mut trainer = Trainer::new(2);
        trainer.workers.resize_with(2, Worker::new);
        for step in 0..300 {
            let worker = &mut trainer.workers[step % 2];
            worker.forward.family(&trainer.parameters, &family, &values, Some(&mut worker.sums));
            trainer.descend(1.0 / 3.0, 0.003);
        }
        let network: &'static Network = Box::leak(Box::new(trainer.rounded()));
        assert_eq!(Network::read(&network.write()).as_ref(), Ok(network));
        assert_eq!(&Trainer::from_network(network).rounded(), network);
        for (fen, value) in FENS {
            let rounded = Accumulator::new(network, 1).evaluate(&parse(fen).unwrap().chess, 0);
            assert!((rounded - i32::from(value)).abs() < 25, "{rounded} for {value}");
        }
    }
}
