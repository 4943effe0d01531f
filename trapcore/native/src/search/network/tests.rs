//! The network against a float reference, and its sums along random games against those made anew.

use shakmaty::{Chess, Color, Position};

use super::accumulator::Accumulator;
use super::features::{INPUTS, PLACES, features};
use super::file::FileError;
use super::inference::WIDEST_BIAS;
use super::*;
use crate::chess::moves::after;
use crate::chess::position::parse;
use crate::random::Random;

fn within(random: &mut Random, most: i32) -> i32 {
    random.below(2 * most as usize + 1) as i32 - most
}

/// Weights of about the size of trained ones.
pub(super) fn random_network(random: &mut Random) -> Network {
    let mut network = Network::zero();
    for row in network.features.iter_mut().chain([&mut network.bias]) {
        row.0.iter_mut().for_each(|weight| *weight = within(random, 60) as i16);
    }
    for head in &mut network.heads {
        head.weights_mut().for_each(|weight| *weight = within(random, 200) as i16);
        head.biases_mut().for_each(|bias| *bias = within(random, QV * QB / 2));
    }
    network
}

/// The value in floating point, the weights as the numbers that they stand for.
fn reference(network: &Network, chess: &Chess) -> f64 {
    let bucket = bucket(chess.board().occupied().count());
    let head = &network.heads[bucket];
    let weight = |weight: i16| f64::from(weight) / f64::from(QB);
    let bias = |bias: i32| f64::from(bias) / f64::from(QV * QB);
    let mut values = Vec::new();
    for side in [chess.turn(), !chess.turn()] {
        let mut hidden = network.bias.0.map(|bias| f64::from(bias) / f64::from(QA));
        for feature in features(chess.board(), side) {
            for (value, weight) in hidden.iter_mut().zip(network.features[feature].0) {
                *value += f64::from(weight) / f64::from(QA);
            }
        }
        values.extend(hidden.map(|value| value.clamp(0.0, 1.0).powi(2)));
    }
    let first: [f64; FIRST] = std::array::from_fn(|unit| {
        let weights = head.first[unit].iter().flat_map(|row| &row.0);
        let products = values.iter().zip(weights).map(|(value, &by)| value * weight(by));
        bias(head.first_bias[unit]) + products.sum::<f64>()
    });
    let passed: Vec<f64> = first
        .iter()
        .map(|value| value.clamp(0.0, 1.0))
        .chain(first.iter().map(|value| (value * value).min(1.0)))
        .collect();
    let second = head.second_bias.iter().enumerate().map(|(unit, &by)| {
        let products = passed.iter().zip(head.second).map(|(value, by)| value * weight(by[unit]));
        (bias(by) + products.sum::<f64>()).clamp(0.0, 1.0)
    });
    let deep: f64 = second.zip(head.third).map(|(value, by)| value * weight(by)).sum();
    let direct = values.iter().zip(head.direct.iter().flat_map(|row| row.0));
    let direct: f64 = direct.map(|(value, by)| value * weight(by)).sum();
    (bias(head.bias) + direct + deep) * f64::from(SCALE)
}

#[test]
fn sums_kept_along_a_game_are_those_made_anew_and_near_the_float_reference() {
    let mut random = Random(1);
    let network: &'static Network = Box::leak(Box::new(random_network(&mut random)));
    let mut kept = Accumulator::new(network, 40);
    for _ in 0..60 {
        let (mut chess, mut ply) = (Chess::default(), 0_usize);
        let mut line = vec![chess.clone()];
        for _ in 0..80 {
            let moves = chess.legal_moves();
            // Back and forth, as a search goes, with plies that are not evaluated.
            if moves.is_empty() || ply == 39 || random.below(4) == 0 {
                let back = random.below(ply.min(6) + 1);
                ply -= back;
                line.truncate(ply + 1);
                chess = line[ply].clone();
            } else {
                chess = after(&chess, moves[random.below(moves.len())]);
                ply += 1;
                line.push(chess.clone());
            }
            if random.below(3) > 0 {
                let value = kept.evaluate(&chess, ply);
                assert_eq!(value, Accumulator::new(network, 1).evaluate(&chess, 0));
                let exact = reference(network, &chess);
                // The roundings of the layers add up to few centipawns.
                assert!((f64::from(value) - exact).abs() <= 4.0, "{value} {exact}");
            }
        }
    }
}

#[test]
fn both_sides_see_the_same_of_a_mirrored_position() {
    let inputs = |fen: &str, side: Color| {
        let mut found: Vec<usize> = features(parse(fen).unwrap().chess.board(), side).collect();
        found.sort_unstable();
        found
    };
    let white = inputs("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", Color::White);
    assert_eq!(white.len(), 32);
    // Upside down with the colours changed, and from left to right.
    assert_eq!(inputs("r3k2r/pppbbppp/2n2q1P/1P2p3/3pn3/BN2PNP1/P1PPQPB1/R3K2R b KQkq - 0 1", Color::Black), white);
    assert_eq!(inputs("r2k3r/1bpqpp1p/1pnp2nb/3NP3/3P2p1/p1Q2N2/PPPBBPPP/R2K3R w - - 0 1", Color::White), white);
    assert!(white.iter().all(|&input| input < INPUTS));
    // The king on e1 is on d1 after mirroring: region 3, own king, kind 5, square 3.
    assert!(white.contains(&(3 * PLACES + 5 * 64 + 3)));
}

#[test]
fn a_file_holds_the_network_and_a_damaged_one_is_refused() {
    let network = random_network(&mut Random(3));
    let bytes = network.write();
    assert_eq!(Network::read(&bytes).as_ref(), Ok(&network));
    assert_eq!(Network::read(&bytes[1..]), Err(FileError::Length(bytes.len() - 1)));
    let mut damaged = bytes.clone();
    damaged[1000] ^= 1;
    assert_eq!(Network::read(&damaged), Err(FileError::Checksum));
    let sealed = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut content = bytes[..bytes.len() - 4].to_vec();
        change(&mut content);
        content.extend(crc32fast::hash(&content).to_le_bytes());
        Network::read(&content)
    };
    assert_eq!(sealed(&|content| content[4] ^= 4), Err(FileError::Header));
    let head = 16 + 2 * HIDDEN * (INPUTS + 1);
    assert_eq!(
        sealed(&|content| content[head..head + 2].copy_from_slice(&2_001_i16.to_le_bytes())),
        Err(FileError::Weight(2_001))
    );
    let last = bytes.len() - 8;
    assert_eq!(
        sealed(&|content| content[last..last + 4].copy_from_slice(&(WIDEST_BIAS + 1).to_le_bytes())),
        Err(FileError::Bias(WIDEST_BIAS + 1))
    );
}

#[test]
fn buckets_cover_every_number_of_pieces() {
    assert_eq!([2, 5, 6, 32].map(bucket), [0, 0, 1, 7]);
    assert!((0..=64).all(|pieces| bucket(pieces) < BUCKETS));
}
