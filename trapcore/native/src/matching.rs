//! Move matching (Evans & Turrini, section 3): which replies of two positions correspond. The Python twin, which states
//! the conventions, is `trapcore.matching`.

use rustc_hash::FxHashMap;
use shakmaty::{Chess, MoveList, Position};

use crate::labels::Labels;
use crate::measures::jaccard;
use crate::position::Setting;
use crate::tree::{after, label_set};

/// Two replies that were paired, and what that rests on.
#[derive(Clone, Debug)]
pub struct MovePair {
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

/// A reply: its similarity to the reference, and its place among all labels of its side in alphabetical order.
#[derive(Clone, Copy)]
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
}

/// The first moves with their replies: similarity and text of each.
type Expanded = Vec<(String, Vec<(f64, String)>)>;

fn expand(setting: &Setting, labels: Labels, to_root: bool) -> Expanded {
    let root = label_set(setting, 1, labels);
    let moves = setting.chess.legal_moves();
    let mut expanded: Expanded = moves
        .iter()
        .map(|&m| {
            let child = Setting { chess: after(&setting.chess, m), mode: setting.mode };
            let replies = child.chess.legal_moves();
            let reference = if to_root { root.clone() } else { sorted_labels(&child, &replies, labels) };
            let named = replies.iter().map(|&r| {
                let grandchild = Setting { chess: after(&child.chess, r), mode: setting.mode };
                (jaccard(&label_set(&grandchild, 1, labels), &reference), labels.text(r, &replies, setting.mode))
            });
            (labels.text(m, &moves, setting.mode), named.collect())
        })
        .collect();
    expanded.sort_unstable_by(|x, y| x.0.cmp(&y.0));
    expanded
}

fn sorted_labels(setting: &Setting, moves: &MoveList, labels: Labels) -> Vec<u32> {
    let mut out: Vec<u32> = moves.iter().map(|&m| labels.of(m, moves, setting.mode)).collect();
    out.sort_unstable();
    out
}

impl Names {
    fn of(sides: [&Expanded; 2]) -> Names {
        let mut texts: Vec<String> =
            sides.into_iter().flatten().flat_map(|(_, replies)| replies.iter().map(|r| r.1.clone())).collect();
        texts.sort_unstable();
        texts.dedup();
        Names { texts }
    }

    fn number(&self, text: &str) -> Option<u32> {
        self.texts.binary_search_by(|known| known.as_str().cmp(text)).ok().map(|i| i as u32)
    }

    fn side(&self, expanded: Expanded) -> Side {
        let mut side = Side { first_moves: Vec::new(), replies: Vec::new() };
        for (text, named) in expanded {
            let mut replies: Vec<Reply> = named
                .into_iter()
                .filter_map(|(similarity, text)| self.number(&text).map(|label| Reply { similarity, label }))
                .collect();
            replies.sort_unstable_by(|x, y| x.similarity.total_cmp(&y.similarity).then(x.label.cmp(&y.label)));
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

/// The cheapest pairing that keeps the order of both lists, by distance of the similarities; among equally cheap ones
/// that with the most pairs of one name, and among those the one that leaves out the last of the longer list.
fn pair_replies(p: &[Reply], q: &[Reply], costs: &mut Vec<(f64, u32)>, mut found: impl FnMut(Reply, Reply)) {
    let swapped = p.len() > q.len();
    let (few, many) = if swapped { (q, p) } else { (p, q) };
    let width = many.len() - few.len() + 1;
    // costs[i * width + k]: the first i of `few` are paired within the first i + k of `many`.
    costs.clear();
    costs.resize(width, (0.0, 0));
    for (i, x) in few.iter().enumerate() {
        for k in 0..width {
            let paired = with_pair(costs[i * width + k], *x, many[i + k]);
            let cell = if k > 0 { least(costs[(i + 1) * width + k - 1], paired) } else { paired };
            costs.push(cell);
        }
    }
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

fn with_pair(cost: (f64, u32), x: Reply, y: Reply) -> (f64, u32) {
    (cost.0 + (x.similarity - y.similarity).abs(), cost.1 + u32::from(x.label != y.label))
}

fn least(a: (f64, u32), b: (f64, u32)) -> (f64, u32) {
    if b.0 < a.0 || (b.0 == a.0 && b.1 < a.1) { b } else { a }
}

#[derive(Default)]
struct Tally {
    distance: f64,
    after: Vec<(u16, u16)>,
}

/// The pairs of replies, the most frequent first, equally frequent ones alphabetically: at most `top`, and only those
/// whose first is called `only`, if that is given.
pub fn match_moves(
    a: &Setting,
    b: &Setting,
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

/// The names of all replies of a position, alphabetically, each once.
pub fn reply_names(setting: &Setting, labels: Labels) -> Vec<String> {
    let mut names = Vec::new();
    let replies = |chess: &Chess, names: &mut Vec<String>| {
        let moves = chess.legal_moves();
        names.extend(moves.iter().map(|&m| labels.text(m, &moves, setting.mode)));
    };
    for m in &setting.chess.legal_moves() {
        replies(&after(&setting.chess, *m), &mut names);
    }
    names.sort_unstable();
    names.dedup();
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    fn replies(similarities: &[f64]) -> Vec<Reply> {
        similarities.iter().enumerate().map(|(i, &similarity)| Reply { similarity, label: i as u32 }).collect()
    }

    fn pairs(p: &[Reply], q: &[Reply]) -> Vec<(u32, u32)> {
        let mut found = Vec::new();
        pair_replies(p, q, &mut Vec::new(), |x, y| found.push((x.label, y.label)));
        found.reverse();
        found
    }

    #[test]
    fn pairs_are_cheapest_then_of_one_name_then_early() {
        assert_eq!(pairs(&replies(&[0.1, 0.9]), &replies(&[0.2, 0.5, 0.8])), [(0, 0), (1, 2)]);
        assert_eq!(pairs(&replies(&[0.2, 0.5, 0.8]), &replies(&[0.1, 0.9])), [(0, 0), (2, 1)]);
        assert_eq!(pairs(&[Reply { similarity: 0.0, label: 1 }], &replies(&[0.0, 0.0, 0.0])), [(1, 1)]);
        assert_eq!(pairs(&[Reply { similarity: 0.0, label: 7 }], &replies(&[0.0, 0.0, 0.0])), [(7, 0)]);
        assert_eq!(pairs(&[], &replies(&[0.5])), []);
    }
}
