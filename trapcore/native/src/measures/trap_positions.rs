//! The traps of a library in the form in which every position of a file is compared with them.
//!
//! A trap enters twice, as it is and with colours exchanged, and only the entries whose victim is to move are compared
//! with a position. Each kind of index answers exactly: what it leaves out cannot reach the threshold.

use shakmaty::{Color, Position};

use crate::chess::moves::after;
use crate::chess::position::GamePosition;
use crate::measures::label_sets::LabelSets;
use crate::measures::paper::{Base, Unpaired, child_similarities, compare_children};
use crate::trees::labels::{LABEL_BITS, Labels, Naming, UCI_LABELS, uci_label};
use crate::trees::tree::Plies2;

const LABELS: Labels = Labels { naming: Naming::Uci, captures: false };
/// Depth of the structural measure's base. Its tree is one ply deeper, as deep as that of the other measures.
const BASE_DEPTH: u32 = 1;

/// What positions are compared by, in trees of depth 2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Measure {
    Sequences,
    Continuations,
    Structural,
}

/// Position of a trap in the caller's list, and whether colours were exchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Member {
    pub trap: u32,
    pub mirrored: bool,
}

/// A member at least as similar as the threshold.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hit {
    pub member: Member,
    pub similarity: f64,
}

/// All traps of a library, by the side to move.
pub(crate) struct Index {
    threshold: f64,
    white: Side,
    black: Side,
}

struct Side {
    members: Vec<Member>,
    forms: Forms,
}

enum Forms {
    /// Sequences of depth 2, dense: see [`Rows`].
    Rows(Rows),
    /// Label sets of depth 2.
    Bits(LabelSets),
    /// Ascending child similarities.
    Children(Vec<Vec<f64>>),
}

/// Per trap, how many of its sequences begin with each label (or end with it: a sequence has no order), one row a
/// label. The sum over a position's first moves of the smaller of both counts bounds the sequences that it can share
/// with each trap, needs no label of a reply, and is made for 16 traps at a time by the compiler's vector instructions.
struct Rows {
    counts: Vec<u8>,
    /// Of each trap, its part of the least sum that can reach the threshold.
    needed: Vec<u16>,
    trees: Vec<Tree>,
}

/// One trap's tree of depth 2.
struct Tree {
    size: u32,
    /// Order-free pairs of labels.
    keys: Vec<u32>,
}

/// Work space of one thread.
#[derive(Default)]
pub(crate) struct Scratch {
    plies: Plies2,
    bound: Vec<u16>,
    near: Vec<usize>,
    /// Bit set over order-free pairs of labels, all zero between calls.
    marks: Vec<u64>,
}

const PAIR_BITS: u32 = 11;

fn pair_key(a: u16, b: u16) -> u32 {
    u32::from(a.min(b)) << PAIR_BITS | u32::from(a.max(b))
}

impl Index {
    /// `traps`: the positions before the bait; hits below `threshold` (0 to 1) are never reported.
    pub(crate) fn new(traps: &[(GamePosition, GamePosition)], measure: Measure, threshold: f64) -> Index {
        let side = |color: Color| {
            let mut members = Vec::new();
            let mut positions: Vec<&GamePosition> = Vec::new();
            for (trap, (plain, mirrored)) in (0u32..).zip(traps) {
                for (position, is_mirrored) in [(plain, false), (mirrored, true)] {
                    if position.chess.turn() == color {
                        members.push(Member { trap, mirrored: is_mirrored });
                        positions.push(position);
                    }
                }
            }
            Side { forms: Forms::new(&positions, measure, threshold), members }
        };
        Index { threshold, white: side(Color::White), black: side(Color::Black) }
    }

    /// The members whose victim is to move as here and that are at least as similar as the threshold.
    pub(crate) fn hits(&self, query: &GamePosition, scratch: &mut Scratch, out: &mut Vec<Hit>) {
        out.clear();
        let side = match query.chess.turn() {
            Color::White => &self.white,
            Color::Black => &self.black,
        };
        if side.members.is_empty() {
            return;
        }
        let threshold = self.threshold;
        let mut push = |i: usize, similarity: f64| {
            if similarity >= threshold {
                out.push(Hit { member: side.members[i], similarity });
            }
        };
        match &side.forms {
            Forms::Rows(rows) => rows.hits(query, threshold, scratch, push),
            Forms::Bits(traps) => {
                scratch.plies.expand(&query.chess, query.mode);
                for (i, similarity) in traps.similar(&[scratch.plies.label_bits()], threshold).into_iter().flatten() {
                    push(i as usize, similarity);
                }
            }
            Forms::Children(traps) => {
                let moves = query.chess.legal_moves().len();
                let mut own: Option<Vec<f64>> = None;
                for (i, trap) in traps.iter().enumerate() {
                    // An unpaired child costs one, so the move-count ratio bounds the similarity.
                    let (few, many) = (moves.min(trap.len()), moves.max(trap.len()));
                    if (few as f64) < threshold * many as f64 {
                        continue;
                    }
                    let own = own.get_or_insert_with(|| children(query));
                    push(i, compare_children(own, trap, Unpaired::Formula));
                }
            }
        }
    }
}

impl Forms {
    fn new(positions: &[&GamePosition], measure: Measure, threshold: f64) -> Forms {
        let trees = || {
            positions.iter().map(|s| {
                let mut plies = Plies2::default();
                plies.expand(&s.chess, s.mode);
                plies
            })
        };
        match measure {
            Measure::Sequences => Forms::Rows(Rows::new(trees().collect(), threshold)),
            Measure::Continuations => {
                Forms::Bits(LabelSets::new(&trees().map(|plies| plies.label_bits()).collect::<Vec<_>>()))
            }
            Measure::Structural => Forms::Children(positions.iter().map(|s| children(s)).collect()),
        }
    }
}

/// Ascending child similarities.
fn children(position: &GamePosition) -> Vec<f64> {
    child_similarities(position, Base::Continuations, BASE_DEPTH, LABELS, None)
}

impl Rows {
    fn new(traps: Vec<Plies2>, threshold: f64) -> Rows {
        let n = traps.len();
        let mut counts = vec![0u8; UCI_LABELS * n];
        let mut trees = Vec::with_capacity(n);
        for (i, plies) in traps.iter().enumerate() {
            let mut keys = Vec::with_capacity(plies.replies.len());
            // A label cannot be a first move and a reply of one tree (see `Plies2`), so a cell holds one kind of
            // count; and 218 moves are the most that a position has, so it fits.
            for (label, replies) in plies.children() {
                counts[usize::from(label) * n + i] = replies.len() as u8;
                for &reply in replies {
                    counts[usize::from(reply) * n + i] += 1;
                    keys.push(pair_key(label, reply));
                }
            }
            trees.push(Tree { size: plies.size(), keys });
        }
        let needed = trees.iter().map(|tree| half_share(threshold, tree.size)).collect();
        Rows { counts, needed, trees }
    }

    fn hits(&self, query: &GamePosition, threshold: f64, scratch: &mut Scratch, mut push: impl FnMut(usize, f64)) {
        let Scratch { plies, bound, near, marks } = scratch;
        let n = self.trees.len();
        bound.clear();
        bound.resize(n, 0);
        let mut size = 0;
        for &m in &query.chess.legal_moves() {
            let own = after(&query.chess, m).legal_moves().len();
            size += own as u32;
            let label = usize::from(uci_label(m, query.mode));
            for (sum, &count) in bound.iter_mut().zip(&self.counts[label * n..][..n]) {
                *sum += u16::from(count.min(own as u8));
            }
        }
        // Two passes over the sums: the first has no branch and is nearly always the last.
        let own = half_share(threshold, size);
        if !bound.iter().zip(&self.needed).fold(false, |any, (&sum, &needed)| any | (sum >= own + needed)) {
            return;
        }
        near.clear();
        near.extend((0..n).filter(|&i| bound[i] >= own + self.needed[i]));
        plies.expand(&query.chess, query.mode);
        marks.resize((1usize << (2 * PAIR_BITS)) / 64, 0);
        for (label, replies) in plies.children() {
            for &reply in replies {
                let key = pair_key(label, reply) as usize;
                marks[key / 64] |= 1 << (key % 64);
            }
        }
        for &i in near.iter() {
            let tree = &self.trees[i];
            let shared =
                tree.keys.iter().filter(|&&key| marks[key as usize / 64] >> (key % 64) & 1 != 0).count() as u32;
            let all = size + tree.size;
            push(i, if all == 0 { 1.0 } else { f64::from(2 * shared) / f64::from(all) });
        }
        for (label, replies) in plies.children() {
            for &reply in replies {
                marks[pair_key(label, reply) as usize / 64] = 0;
            }
        }
    }
}

/// What a tree of this size adds to the least number of shared sequences, 2k >= threshold * (one size + the other);
/// rounded down, so that nothing is lost.
fn half_share(threshold: f64, size: u32) -> u16 {
    (threshold * f64::from(size) / 2.0) as u16
}

const _: () = assert!(UCI_LABELS <= 1 << PAIR_BITS && PAIR_BITS <= LABEL_BITS);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::position::{mirror, parse};
    use crate::measures::paper::{continuations, sequence_similarity, structural};

    fn walk(seed: u64, plies: u32) -> GamePosition {
        let mut s = parse("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1").unwrap();
        let mut state = seed;
        for _ in 0..plies {
            let moves = s.chess.legal_moves();
            if moves.is_empty() {
                break;
            }
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            s.chess = after(&s.chess, moves[(state >> 33) as usize % moves.len()]);
        }
        s
    }

    #[test]
    fn every_index_answers_what_comparing_all_would() {
        let traps: Vec<_> = (0..60)
            .map(|i| {
                let s = walk(i / 3, 6 + (i % 3) as u32 * 2);
                let m = mirror(&s);
                (s, m)
            })
            .collect();
        for measure in [Measure::Sequences, Measure::Continuations, Measure::Structural] {
            let threshold = 0.6;
            let index = Index::new(&traps, measure, threshold);
            let (mut scratch, mut hits, mut found) = (Scratch::default(), Vec::new(), 0);
            for i in 0..40 {
                let query = walk(i / 2, 5 + (i % 5) as u32);
                index.hits(&query, &mut scratch, &mut hits);
                let mut expected = Vec::new();
                for (t, (plain, mirrored)) in (0u32..).zip(&traps) {
                    for (position, is_mirrored) in [(plain, false), (mirrored, true)] {
                        let value = match measure {
                            Measure::Sequences => sequence_similarity(&query, position, 2, LABELS, false),
                            Measure::Continuations => continuations(&query, position, 2, LABELS),
                            Measure::Structural => structural(
                                &query,
                                position,
                                Base::Continuations,
                                BASE_DEPTH,
                                LABELS,
                                Unpaired::Formula,
                                None,
                            ),
                        };
                        if position.chess.turn() == query.chess.turn() && value >= threshold {
                            expected.push((t, is_mirrored, value));
                        }
                    }
                }
                found += expected.len();
                let got: Vec<_> = hits.iter().map(|h| (h.member.trap, h.member.mirrored, h.similarity)).collect();
                assert_eq!(got.len(), expected.len());
                for (g, e) in got.iter().zip(&expected) {
                    assert!((g.0, g.1) == (e.0, e.1) && (g.2 - e.2).abs() < 1e-12, "{measure:?} {g:?} {e:?}");
                }
            }
            assert!(found > 10, "{measure:?} met {found} hits only");
        }
    }
}
