//! The paper's measures for chess (Evans & Turrini, sections 2 and 3), on the conventions that the plain definitions
//! in `trapcore/measures` state. Each must equal its definition; the property tests hold them together.

use shakmaty::{Chess, Move, Position, Square};

use crate::chess::moves::after;
use crate::chess::position::GamePosition;
use crate::trees::labels::Labels;
use crate::trees::tree::{label_set, prefixes, sequences};

/// The similarity a structural comparison is built on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Base {
    Continuations,
    Sequences,
}

/// What a child without a partner costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unpaired {
    /// 1, as the formula of section 3.1 says.
    Formula,
    /// 1 - p, as Algorithm 1's padding with ones does.
    Pad,
}

/// Section 2.1: shared over all labels at depths 1 to `depth`.
pub(crate) fn continuations(a: &GamePosition, b: &GamePosition, depth: u32, labels: Labels) -> f64 {
    jaccard(&label_set(a, depth, labels), &label_set(b, depth, labels))
}

/// The order-free sequences of exactly `depth` moves, or of 1 to `depth` moves.
fn lines(position: &GamePosition, depth: u32, labels: Labels, with_prefixes: bool) -> Vec<u64> {
    if with_prefixes { prefixes(position, depth, labels) } else { sequences(position, depth, labels) }
}

/// Section 2.2: the multiplicities of the shared order-free sequences of exactly `depth` moves over all; with
/// prefixes, of 1 to `depth` moves.
pub(crate) fn sequence_similarity(
    a: &GamePosition,
    b: &GamePosition,
    depth: u32,
    labels: Labels,
    prefixes: bool,
) -> f64 {
    shared_multiplicity(&lines(a, depth, labels, prefixes), &lines(b, depth, labels, prefixes))
}

/// Section 2.2, the relation to kernels: Tanimoto's coefficient of the multiplicities of the same sequences.
pub(crate) fn tanimoto_similarity(
    a: &GamePosition,
    b: &GamePosition,
    depth: u32,
    labels: Labels,
    prefixes: bool,
) -> f64 {
    tanimoto(&lines(a, depth, labels, prefixes), &lines(b, depth, labels, prefixes))
}

/// Section 3.1: how similar the children are to their parent, or to a `root` that both positions come from, with the
/// cheapest pairing of children.
pub(crate) fn structural(
    a: &GamePosition,
    b: &GamePosition,
    base: Base,
    depth: u32,
    labels: Labels,
    unpaired: Unpaired,
    root: Option<&GamePosition>,
) -> f64 {
    let p = child_similarities(a, base, depth, labels, root);
    let q = child_similarities(b, base, depth, labels, root);
    compare_children(&p, &q, unpaired)
}

/// Base similarity of each child with its parent, or with the root, ascending.
pub(crate) fn child_similarities(
    position: &GamePosition,
    base: Base,
    depth: u32,
    labels: Labels,
    root: Option<&GamePosition>,
) -> Vec<f64> {
    let mut out = similarities_of(position, &position.chess.legal_moves(), base, depth, labels, root);
    out.sort_unstable_by(f64::total_cmp);
    out
}

/// Base similarity of the child that each of `moves` leads to, with its parent or with the root.
pub(crate) fn similarities_of(
    position: &GamePosition,
    moves: &[Move],
    base: Base,
    depth: u32,
    labels: Labels,
    root: Option<&GamePosition>,
) -> Vec<f64> {
    let child = |m| GamePosition { chess: after(&position.chess, m), mode: position.mode };
    let reference = root.unwrap_or(position);
    match base {
        Base::Continuations if depth == 1 => similarities_at_depth_1(position, moves, labels, reference),
        Base::Continuations => {
            let compared = label_set(reference, depth, labels);
            moves.iter().map(|&m| jaccard(&label_set(&child(m), depth, labels), &compared)).collect()
        }
        Base::Sequences => {
            let compared = sequences(reference, depth, labels);
            moves.iter().map(|&m| shared_multiplicity(&sequences(&child(m), depth, labels), &compared)).collect()
        }
    }
}

/// The same for the base that is used most: moves of one position never share a label, so nothing needs sorting.
fn similarities_at_depth_1(
    position: &GamePosition,
    moves: &[Move],
    labels: Labels,
    reference: &GamePosition,
) -> Vec<f64> {
    let compared = label_set(reference, 1, labels);
    // Most labels are in no set: a few bits of each move show that before its label is looked up.
    let mut marks = [0u64; 32];
    let mark = |m: Move, mode| {
        let sieve = labels.sieve(m, mode);
        ((sieve as usize >> 6) & 31, 1u64 << (sieve & 63))
    };
    for &m in &reference.chess.legal_moves() {
        let (word, bit) = mark(m, reference.mode);
        marks[word] |= bit;
    }
    let similarity = |&m: &Move| {
        let replies = after(&position.chess, m).legal_moves();
        let is_shared = |&&reply: &&Move| {
            let (word, bit) = mark(reply, position.mode);
            marks[word] & bit != 0 && compared.binary_search(&labels.of(reply, &replies, position.mode)).is_ok()
        };
        let shared = replies.iter().filter(is_shared).count();
        let all = compared.len() + replies.len() - shared;
        if all == 0 { 1.0 } else { shared as f64 / all as f64 }
    };
    moves.iter().map(similarity).collect()
}

/// Structural similarity of two ascending lists of child similarities.
pub fn compare_children(p: &[f64], q: &[f64], unpaired: Unpaired) -> f64 {
    let (few, many) = if p.len() <= q.len() { (p, q) } else { (q, p) };
    if many.is_empty() {
        return 1.0;
    }
    let gap = many.len() - few.len();
    let cost = match unpaired {
        Unpaired::Formula => gap as f64 + cheapest_pairing(few, many),
        Unpaired::Pad => {
            let padded = few.iter().copied().chain(std::iter::repeat_n(1.0, gap));
            padded.zip(many).map(|(x, y)| (x - y).abs()).sum()
        }
    };
    1.0 - cost / many.len() as f64
}

/// Least sum of differences when every member of `few` takes one of `many`, both ascending: on a line an optimal
/// pairing never crosses, so a dynamic programme over a band of `gap + 1` replaces the assignment problem.
pub(crate) fn cheapest_pairing(few: &[f64], many: &[f64]) -> f64 {
    let gap = many.len() - few.len();
    // best[k]: the members so far are paired within the first i + k + 1 of `many`.
    let mut best = vec![0.0; gap + 1];
    for (i, &x) in few.iter().enumerate() {
        let mut left = f64::INFINITY;
        for (k, cell) in best.iter_mut().enumerate() {
            left = left.min(*cell + (x - many[i + k]).abs());
            *cell = left;
        }
    }
    best[gap]
}

/// Fewer over more legal moves: the baseline that structural similarity nearly is.
pub(crate) fn move_count_ratio(a: &GamePosition, b: &GamePosition) -> f64 {
    let (x, y) = (a.chess.legal_moves().len(), b.chess.legal_moves().len());
    if x.max(y) == 0 { 1.0 } else { x.min(y) as f64 / x.max(y) as f64 }
}

/// One minus the share of squares that differ: the paper's control, turned into a similarity.
pub(crate) fn board_similarity(a: &Chess, b: &Chess) -> f64 {
    let same = Square::ALL.into_iter().filter(|&s| a.board().piece_at(s) == b.board().piece_at(s)).count();
    same as f64 / 64.0
}

/// Shared over all of two ascending sets; 1 when both are empty.
pub fn jaccard(a: &[u32], b: &[u32]) -> f64 {
    let shared = shared_runs(a, b, |_, _| 1);
    let all = a.len() + b.len() - shared;
    if all == 0 { 1.0 } else { shared as f64 / all as f64 }
}

/// Both multiplicities of the shared values over both sizes, of two ascending multisets; 1 when both are empty.
pub(crate) fn shared_multiplicity(a: &[u64], b: &[u64]) -> f64 {
    let all = a.len() + b.len();
    if all == 0 { 1.0 } else { shared_runs(a, b, |x, y| x + y) as f64 / all as f64 }
}

/// Inner product of two ascending multisets over the sum of their squares less that product; 1 when both are empty.
pub(crate) fn tanimoto(a: &[u64], b: &[u64]) -> f64 {
    let product = |x: &[u64], y: &[u64]| shared_runs(x, y, |k1, k2| k1 * k2);
    let shared = product(a, b);
    let all = product(a, a) + product(b, b) - shared;
    if all == 0 { 1.0 } else { shared as f64 / all as f64 }
}

/// Sums `weigh(multiplicity in a, multiplicity in b)` over the values that stand in both ascending lists.
fn shared_runs<T: Ord + Copy>(a: &[T], b: &[T], weigh: impl Fn(usize, usize) -> usize) -> usize {
    let run = |list: &[T], from: usize| list[from..].iter().take_while(|x| **x == list[from]).count();
    let (mut i, mut j, mut sum) = (0, 0, 0);
    while i < a.len() && j < b.len() {
        match a[i].cmp(&b[j]) {
            std::cmp::Ordering::Less => i += 1,
            std::cmp::Ordering::Greater => j += 1,
            std::cmp::Ordering::Equal => {
                let (x, y) = (run(a, i), run(b, j));
                sum += weigh(x, y);
                i += x;
                j += y;
            }
        }
    }
    sum
}
