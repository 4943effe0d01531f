//! Move matching (Evans & Turrini, section 3): which moves of two positions correspond. The Python twin, which states
//! the conventions, is `trapcore.measures.move_matching`.
//!
//! [`match_moves`] counts the pairs of replies after all first moves, as the paper does. [`Pattern`] finds the
//! counterpart of one first move by the same pairing.

use rustc_hash::FxHashMap;
use shakmaty::{CastlingMode, Chess, Move, MoveList, Position};

use crate::chess::moves::after;
use crate::chess::position::GamePosition;
use crate::measures::paper::{Base, similarities_of};
use crate::trees::labels::{Labels, spelling_order, uci_label};
use crate::trees::tree::LabelBits;

/// Two replies that were paired, and what that rests on.
#[derive(Clone, Debug)]
pub(crate) struct MovePair {
    pub first: String,
    pub second: String,
    /// How often the two were paired, of how often both were there to be paired.
    pub count: u32,
    pub chances: u32,
    /// Mean distance of their similarities, over the pairings.
    pub distance: f64,
    /// The first moves of both positions after which they were paired, alphabetically.
    pub after: Vec<(String, String)>,
}

/// A reply: its similarity to the reference, and a number in the alphabetical order of the labels of its kind.
#[derive(Clone, Copy, Debug)]
struct Reply {
    similarity: f64,
    label: u32,
}

/// What one position brings to a match: its first moves, and the replies to each.
struct Side {
    first_moves: Vec<String>,
    replies: Vec<Vec<Reply>>,
}

/// Labels of replies as numbers in the alphabetical order of all of both sides.
struct Names {
    texts: Vec<String>,
    numbers: FxHashMap<u32, u32>,
}

/// The first moves, each with similarity and label of its replies, and the text of every label once.
struct Expanded {
    children: Vec<(String, Vec<(f64, u32)>)>,
    texts: FxHashMap<u32, String>,
}

fn expand(position: &GamePosition, labels: Labels, to_root: bool) -> Expanded {
    let moves = position.chess.legal_moves();
    let mut texts: FxHashMap<u32, String> = FxHashMap::default();
    let mut children: Vec<_> = moves
        .iter()
        .map(|&m| {
            let child = GamePosition { chess: after(&position.chess, m), mode: position.mode };
            let replies = child.chess.legal_moves();
            let reference = to_root.then_some(position);
            let similarities = similarities_of(&child, &replies, Base::Continuations, 1, labels, reference);
            let label = |&r: &Move| {
                let label = labels.of(r, &replies, position.mode);
                texts.entry(label).or_insert_with(|| labels.text(r, &replies, position.mode));
                label
            };
            let named = similarities.into_iter().zip(replies.iter().map(label)).collect();
            (labels.text(m, &moves, position.mode), named)
        })
        .collect();
    children.sort_unstable_by(|x, y| x.0.cmp(&y.0));
    Expanded { children, texts }
}

fn in_order(replies: &mut [Reply]) {
    replies.sort_unstable_by(|x, y| x.similarity.total_cmp(&y.similarity).then(x.label.cmp(&y.label)));
}

impl Names {
    fn of(sides: [&Expanded; 2]) -> Names {
        let mut named: Vec<(&String, u32)> =
            sides.into_iter().flat_map(|side| side.texts.iter().map(|(&label, text)| (text, label))).collect();
        named.sort_unstable();
        named.dedup();
        let numbers = (0..).zip(&named).map(|(number, &(_, label))| (label, number)).collect();
        Names { texts: named.into_iter().map(|(text, _)| text.clone()).collect(), numbers }
    }

    fn number(&self, text: &str) -> Option<u32> {
        self.texts.binary_search_by(|known| known.as_str().cmp(text)).ok().map(|i| i as u32)
    }

    fn side(&self, expanded: Expanded) -> Side {
        let mut side = Side { first_moves: Vec::new(), replies: Vec::new() };
        for (text, named) in expanded.children {
            let mut replies: Vec<Reply> = named
                .into_iter()
                .map(|(similarity, label)| Reply { similarity, label: self.numbers[&label] })
                .collect();
            in_order(&mut replies);
            side.first_moves.push(text);
            side.replies.push(replies);
        }
        side
    }
}

impl Side {
    /// How many first moves each label replies to.
    fn chances(&self, labels: usize) -> Vec<u32> {
        let mut chances = vec![0; labels];
        for reply in self.replies.iter().flatten() {
            chances[reply.label as usize] += 1;
        }
        chances
    }
}

/// Sum of distances, and number of pairs of two names.
type Cost = (f64, u32);

/// Fills `costs` with those of the cheapest pairings that keep the order of both lists, by distance of the
/// similarities; among equally cheap ones that with the most pairs of one name. Returns what pairing all costs.
///
/// `costs[i * width + k]`: the first i of `few` are paired within the first i + k of `many`.
fn pairing_costs(few: &[Reply], many: &[Reply], costs: &mut Vec<Cost>) -> Cost {
    let width = many.len() - few.len() + 1;
    costs.clear();
    costs.resize(width, (0.0, 0));
    for (i, x) in few.iter().enumerate() {
        let mut cell = (f64::INFINITY, 0);
        for k in 0..width {
            cell = least(cell, with_pair(costs[i * width + k], *x, many[i + k]));
            costs.push(cell);
        }
    }
    costs[costs.len() - 1]
}

/// The pairs of the cheapest pairing, the last first; among equally cheap ones of as many pairs of one name it is that
/// which leaves out the last of the longer list.
fn pair_replies(p: &[Reply], q: &[Reply], costs: &mut Vec<Cost>, mut found: impl FnMut(Reply, Reply)) {
    let swapped = p.len() > q.len();
    let (few, many) = if swapped { (q, p) } else { (p, q) };
    pairing_costs(few, many, costs);
    let width = many.len() - few.len() + 1;
    let (mut i, mut k) = (few.len(), width - 1);
    while i > 0 {
        let cell = costs[i * width + k];
        if k > 0 && costs[i * width + k - 1] == cell {
            k -= 1;
        } else {
            i -= 1;
            let (x, y) = (few[i], many[i + k]);
            if swapped { found(y, x) } else { found(x, y) }
        }
    }
}

fn with_pair(cost: Cost, x: Reply, y: Reply) -> Cost {
    (cost.0 + (x.similarity - y.similarity).abs(), cost.1 + u32::from(x.label != y.label))
}

fn least(a: Cost, b: Cost) -> Cost {
    if b.0 < a.0 || (b.0 == a.0 && b.1 < a.1) { b } else { a }
}

#[derive(Default)]
struct Tally {
    distance: f64,
    after: Vec<(u16, u16)>,
}

/// The pairs of replies, the most frequent first, equally frequent ones alphabetically: at most `top`, and only those
/// whose first is called `only`, if that is given.
pub(crate) fn match_moves(
    a: &GamePosition,
    b: &GamePosition,
    labels: Labels,
    to_root: bool,
    only: Option<&str>,
    top: usize,
) -> Vec<MovePair> {
    let (a, b) = (expand(a, labels, to_root), expand(b, labels, to_root));
    let names = Names::of([&a, &b]);
    let (a, b) = (names.side(a), names.side(b));
    let only = match only.map(|text| names.number(text)) {
        Some(None) => return Vec::new(),
        Some(number) => number,
        None => None,
    };
    let mut tallies: FxHashMap<(u32, u32), Tally> = FxHashMap::default();
    let mut costs = Vec::new();
    for (i, p) in a.replies.iter().enumerate() {
        for (j, q) in b.replies.iter().enumerate() {
            pair_replies(p, q, &mut costs, |x, y| {
                if only.is_none_or(|label| label == x.label) {
                    let tally = tallies.entry((x.label, y.label)).or_default();
                    tally.distance += (x.similarity - y.similarity).abs();
                    tally.after.push((i as u16, j as u16));
                }
            });
        }
    }
    let mut ranked: Vec<_> = tallies.into_iter().collect();
    // Numbers of labels are in the alphabetical order of their texts.
    ranked.sort_unstable_by_key(|(pair, tally)| (std::cmp::Reverse(tally.after.len()), *pair));
    ranked.truncate(top);
    let chances = [&a, &b].map(|side| side.chances(names.texts.len()));
    let pair = |((x, y), tally): ((u32, u32), Tally)| MovePair {
        first: names.texts[x as usize].clone(),
        second: names.texts[y as usize].clone(),
        count: tally.after.len() as u32,
        chances: chances[0][x as usize] * chances[1][y as usize],
        distance: tally.distance / tally.after.len() as f64,
        after: tally
            .after
            .iter()
            .map(|&(i, j)| (a.first_moves[usize::from(i)].clone(), b.first_moves[usize::from(j)].clone()))
            .collect(),
    };
    ranked.into_iter().map(pair).collect()
}

/// The pattern of one move of a position, to find the move of another that plays its part: the replies to it, each
/// with the share of moves that the position after it has in common with the one before the move (`uci` labels,
/// continuations at depth 1, the root as reference).
///
/// The counterpart of a move is the one whose replies can be paired with its own at the least cost, where a reply
/// without a partner costs 1 and the sum is divided by the larger number of replies: the moves whose positions are most
/// similar by the structural similarity of section 3.1. The paper counts pairs after all first moves instead, which
/// says nothing about first moves, needs every pair of them, and names a killer less often: of 298 mates, the board
/// turned over from left to right two plies later, this finds the killer in 90 %, counting in 71 %.
pub(crate) struct Pattern {
    label: u32,
    replies: Vec<Reply>,
}

impl Pattern {
    /// The pattern of a legal move.
    pub(crate) fn of(position: &GamePosition, m: Move) -> Pattern {
        let child = after(&position.chess, m);
        let replies = child.legal_moves();
        let label = spelling_order(m, position.mode);
        Pattern { label, replies: Reference::of(position).compared(&child, &replies) }
    }

    /// The move of another position that plays the part of this one; `None` if it has no move. Of equally cheap ones
    /// that with the fewest replies without a partner, then that with the most pairs of one name (the two moves are a
    /// pair themselves), then the first in alphabetical order.
    pub(crate) fn counterpart(&self, position: &GamePosition) -> Option<Move> {
        let reference = Reference::of(position);
        let mut candidates: Vec<_> = position
            .chess
            .legal_moves()
            .into_iter()
            .map(|m| {
                let child = after(&position.chess, m);
                let replies = child.legal_moves();
                let alone = self.replies.len().abs_diff(replies.len());
                (self.distance(replies.len(), 0.0), alone, m, child, replies)
            })
            .collect();
        // What the numbers of replies alone cost is known before the replies are played, and rules out most moves.
        candidates.sort_by(|x, y| x.0.total_cmp(&y.0).then(x.1.cmp(&y.1)));
        let mut best: Option<((f64, usize, u32, u32), Move)> = None;
        let mut costs = Vec::new();
        for (at_least, alone, m, child, replies) in candidates {
            if best.is_some_and(|((distance, fewest, ..), _)| (at_least, alone) > (distance, fewest)) {
                break;
            }
            let theirs = reference.compared(&child, &replies);
            let (few, many) =
                if theirs.len() < self.replies.len() { (&theirs, &self.replies) } else { (&self.replies, &theirs) };
            let (sum, strangers) = pairing_costs(few, many, &mut costs);
            let label = spelling_order(m, position.mode);
            let strangers = strangers + u32::from(label != self.label);
            let rank = (self.distance(theirs.len(), sum), alone, strangers, label);
            if best.is_none_or(|(least, _)| rank < least) {
                best = Some((rank, m));
            }
        }
        best.map(|(_, m)| m)
    }

    fn distance(&self, theirs: usize, sum: f64) -> f64 {
        let own = self.replies.len();
        if own.max(theirs) == 0 { 0.0 } else { (own.abs_diff(theirs) as f64 + sum) / own.max(theirs) as f64 }
    }
}

/// The moves of the position that all others are compared with.
struct Reference {
    labels: LabelBits,
    count: usize,
    mode: CastlingMode,
}

impl Reference {
    fn of(position: &GamePosition) -> Reference {
        let moves = position.chess.legal_moves();
        let mut labels = LabelBits::default();
        for &m in &moves {
            labels.insert(uci_label(m, position.mode));
        }
        Reference { labels, count: moves.len(), mode: position.mode }
    }

    /// The replies in a position two plies earlier than those that are compared, in the order of their pairing.
    fn compared(&self, child: &Chess, replies: &MoveList) -> Vec<Reply> {
        let similarity = |r: Move| {
            let moves = after(child, r).legal_moves();
            let shared = moves.iter().filter(|&&m| self.labels.contains(uci_label(m, self.mode))).count();
            let all = self.count + moves.len() - shared;
            if all == 0 { 1.0 } else { shared as f64 / all as f64 }
        };
        let mut out: Vec<Reply> =
            replies.iter().map(|&r| Reply { similarity: similarity(r), label: spelling_order(r, self.mode) }).collect();
        in_order(&mut out);
        out
    }
}

/// The names of all replies of a position, alphabetically, each once.
pub(crate) fn reply_names(position: &GamePosition, labels: Labels) -> Vec<String> {
    let mut names = Vec::new();
    let replies = |chess: &Chess, names: &mut Vec<String>| {
        let moves = chess.legal_moves();
        names.extend(moves.iter().map(|&m| labels.text(m, &moves, position.mode)));
    };
    for m in &position.chess.legal_moves() {
        replies(&after(&position.chess, *m), &mut names);
    }
    names.sort_unstable();
    names.dedup();
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measures::paper::{Unpaired, compare_children};

    #[test]
    fn the_counterpart_is_the_move_with_the_most_alike_replies() {
        let find = |position: &GamePosition, uci: &str| crate::chess::position::parse_move(position, uci).unwrap();
        let counterpart = |fen: &str, uci: &str, other: &str| {
            let (one, two) =
                (crate::chess::position::parse(fen).unwrap(), crate::chess::position::parse(other).unwrap());
            Pattern::of(&one, find(&one, uci)).counterpart(&two).map(|m| m.to_uci(two.mode).to_string())
        };
        let rook = "6k1/5ppp/8/8/8/8/r4PPP/3R2K1 w - -";
        assert_eq!(counterpart(rook, "d1d8", "6k1/5ppp/8/8/8/8/r4PPP/4R1K1 w - -").as_deref(), Some("e1e8"));
        assert_eq!(counterpart(rook, "d1d8", "6k1/5ppp/8/8/8/8/r4PPP/2Q3K1 w - -").as_deref(), Some("c1c8"));
        // Where nothing mates, the check with one reply is nearest to a mate.
        assert_eq!(counterpart(rook, "d1d8", "2b3k1/5ppp/8/8/8/8/r5PP/3R2K1 w - -"), Some("d1d8".to_owned()));
        assert_eq!(counterpart(rook, "d1d8", "7k/5Q2/8/8/8/8/8/7K b - -"), None);
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";
        for m in &crate::chess::position::parse(start).unwrap().chess.legal_moves() {
            let uci = m.to_uci(CastlingMode::Standard).to_string();
            assert_eq!(counterpart(start, &uci, start), Some(uci));
        }
    }

    #[test]
    fn moves_too_far_to_be_best_are_left_out_without_loss() {
        let fens = [
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq -",
            "r1bq1rk1/ppp2ppp/2np1n2/2b1p1B1/2B1P3/2NP1N2/PPP2PPP/R2Q1RK1 b - -",
            "8/2k5/8/3Q4/8/1n6/8/K7 w - -",
        ];
        let positions = fens.map(|fen| crate::chess::position::parse(fen).unwrap());
        for one in &positions {
            for &m in &one.chess.legal_moves() {
                let pattern = Pattern::of(one, m);
                for two in &positions {
                    let distance = |n: Move| {
                        let theirs = Pattern::of(two, n);
                        let similarities =
                            |side: &Pattern| side.replies.iter().map(|r| r.similarity).collect::<Vec<_>>();
                        1.0 - compare_children(&similarities(&pattern), &similarities(&theirs), Unpaired::Formula)
                    };
                    let found = distance(pattern.counterpart(two).unwrap());
                    assert!(two.chess.legal_moves().into_iter().all(|n| found <= distance(n) + 1e-12));
                }
            }
        }
    }
}
