//! The structural similarity estimated from some of the children (Evans & Turrini, section 3.1, who propose it). The
//! Python twin is `trapcore.measures.sampled`.

use shakmaty::{Move, MoveList, Position};

use crate::chess::position::{GamePosition, digest16};
use crate::measures::paper::{Base, cheapest_pairing, similarities_of};
use crate::trees::labels::Labels;

/// An estimate of the structural similarity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Estimate {
    pub value: f64,
    pub standard_error: f64,
}

/// The `count` children whose labels come first by a digest under `seed`, or all if there are fewer. The order of
/// generation is no matter, and what both positions can play is drawn in both or in neither, as far as numbers allow.
fn drawn(position: &GamePosition, moves: &MoveList, count: usize, seed: u64, labels: Labels) -> Vec<Move> {
    let mut keyed: Vec<_> = moves
        .iter()
        .map(|&m| (digest16(&[&seed.to_le_bytes(), labels.text(m, moves, position.mode).as_bytes()]), m))
        .collect();
    keyed.sort_unstable_by_key(|(key, _)| *key);
    keyed.truncate(count);
    keyed.into_iter().map(|(_, m)| m).collect()
}

/// How many to draw of `of` children if `count` are drawn of `most`: in proportion, halves up, at least one.
fn share(count: usize, of: usize, most: usize) -> usize {
    if count >= most { of } else { ((2 * count * of + most) / (2 * most)).max(1) }
}

/// Estimates the structural similarity (a child without a partner costs 1) from `count` children of the
/// position that has more, and as large a share of the other's.
pub(crate) fn sampled_structural(
    a: &GamePosition,
    b: &GamePosition,
    base: Base,
    depth: u32,
    labels: Labels,
    count: usize,
    seed: u64,
) -> Estimate {
    let moves = [a, b].map(|position| position.chess.legal_moves());
    let [c1, c2] = [moves[0].len(), moves[1].len()];
    let similarities = |position: &GamePosition, moves: &MoveList| {
        let chosen = drawn(position, moves, share(count, moves.len(), c1.max(c2)), seed, labels);
        let mut out = similarities_of(position, &chosen, base, depth, labels, None);
        out.sort_unstable_by(f64::total_cmp);
        out
    };
    estimate(&similarities(a, &moves[0]), &similarities(b, &moves[1]), c1, c2)
}

/// The estimate from the ascending similarities of the children drawn, out of `c1` and `c2`.
fn estimate(p: &[f64], q: &[f64], c1: usize, c2: usize) -> Estimate {
    let (fewest, most) = (c1.min(c2), c1.max(c2));
    if fewest == 0 {
        return Estimate { value: if most == 0 { 1.0 } else { 0.0 }, standard_error: 0.0 };
    }
    let matched = fewest as f64 * mean_distance(p, q);
    let variance =
        variance_of_mean(p, c1, |rest| mean_distance(rest, q)) + variance_of_mean(q, c2, |rest| mean_distance(p, rest));
    Estimate {
        value: 1.0 - ((most - fewest) as f64 + matched) / most as f64,
        standard_error: fewest as f64 / most as f64 * variance.sqrt(),
    }
}

/// Mean distance of the cheapest pairs.
fn mean_distance(p: &[f64], q: &[f64]) -> f64 {
    let (few, many) = if p.len() <= q.len() { (p, q) } else { (q, p) };
    if few.is_empty() { 0.0 } else { cheapest_pairing(few, many) / few.len() as f64 }
}

/// Jackknife variance of a mean over one sample, of a population of `all`: nothing is uncertain when all are drawn.
fn variance_of_mean(sample: &[f64], all: usize, mean: impl Fn(&[f64]) -> f64) -> f64 {
    let n = sample.len();
    if n < 2 {
        // One child says nothing about the others: the widest spread that numbers from 0 to 1 can have.
        return if n == all { 0.0 } else { 0.25 };
    }
    let left_out: Vec<f64> = (0..n).map(|i| mean(&[&sample[..i], &sample[i + 1..]].concat())).collect();
    let centre = left_out.iter().sum::<f64>() / n as f64;
    let spread: f64 = left_out.iter().map(|x| (x - centre).powi(2)).sum();
    (1.0 - n as f64 / all as f64) * (n - 1) as f64 / n as f64 * spread
}
