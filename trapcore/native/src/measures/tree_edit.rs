//! Tree-edit distance of local trees (Evans & Turrini, section 2.3): Zhang and Shasha's algorithm on ordered trees. The
//! Python twin is `trapcore.measures.tree_edit`.

use rustc_hash::FxHashMap;
use shakmaty::{CastlingMode, Chess, Position};

use crate::chess::moves::after;
use crate::chess::position::GamePosition;
use crate::trees::labels::Labels;

/// Deepest tree that is compared: at depth 2 a tree has some thousand nodes, at depth 3 some forty thousand, whose
/// table of distances would take gigabytes and minutes.
pub(crate) const MAX_EDIT_DEPTH: u32 = 2;

/// Most moves of a tree that is compared, far more than any game's position has at depth 2: two tables of its square
/// take half a gigabyte, and numbers of nodes stay within 16 bits.
pub(crate) const MAX_EDIT_MOVES: u64 = 12_000;

/// The root's label, which no move has: some cheapest edit keeps the roots.
const ROOT: u32 = u32::MAX;

/// An ordered tree as arrays in postorder, children before their parent; the last node is the root.
#[derive(Clone, Debug, Default)]
pub struct Postorder {
    labels: Vec<u32>,
    /// The first node of each node's subtree, which is its leftmost leaf.
    firsts: Vec<u16>,
    parents: Vec<u16>,
}

impl Postorder {
    /// The local tree of a position, the children of each node in the alphabetical order of their labels.
    pub(crate) fn of(position: &GamePosition, depth: u32, labels: Labels) -> Postorder {
        debug_assert!((1..=MAX_EDIT_DEPTH).contains(&depth));
        let mut tree = Postorder::default();
        tree.grow(&position.chess, position.mode, depth, labels);
        tree.close(ROOT, 0);
        tree
    }

    /// The tree of moves and the replies to each, in their order; none if it has more than [`MAX_EDIT_MOVES`].
    pub fn of_depth_2(children: &[(u32, Vec<u32>)]) -> Option<Postorder> {
        let moves: usize = children.iter().map(|(_, replies)| replies.len() + 1).sum();
        if moves as u64 > MAX_EDIT_MOVES {
            return None;
        }
        let mut tree = Postorder::default();
        for (label, replies) in children {
            let first = tree.labels.len();
            for reply in replies {
                tree.close(*reply, tree.labels.len());
            }
            tree.close(*label, first);
        }
        tree.close(ROOT, 0);
        Some(tree)
    }

    /// Bytes.
    pub fn size(&self) -> usize {
        self.labels.len() * (size_of::<u32>() + 2 * size_of::<u16>())
    }

    fn grow(&mut self, chess: &Chess, mode: CastlingMode, depth: u32, labels: Labels) {
        let moves = chess.legal_moves();
        let mut named: Vec<_> = moves.iter().map(|&m| (labels.text(m, &moves, mode), m)).collect();
        named.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        for (_, m) in named {
            let first = self.labels.len();
            if depth > 1 {
                self.grow(&after(chess, m), mode, depth - 1, labels);
            }
            self.close(labels.of(m, &moves, mode), first);
        }
    }

    /// Adds a node whose subtree begins at `first`; the nodes of it that have no parent yet become its children.
    fn close(&mut self, label: u32, first: usize) {
        let node = self.labels.len() as u16;
        self.labels.push(label);
        self.firsts.push(first as u16);
        self.parents.push(u16::MAX);
        for parent in &mut self.parents[first..usize::from(node)] {
            if *parent == u16::MAX {
                *parent = node;
            }
        }
    }

    /// Number of moves in the tree: |T| of the paper.
    pub(crate) fn edges(&self) -> usize {
        self.labels.len() - 1
    }

    fn first(&self, node: usize) -> usize {
        usize::from(self.firsts[node])
    }

    fn is_leaf(&self, node: usize) -> bool {
        self.first(node) == node
    }

    /// Nodes with a sibling to their left, and the root: where a table of forests begins. Leaves are left out, their
    /// distances are known without one.
    fn keyroots(&self) -> Vec<usize> {
        let mut last: FxHashMap<u16, usize> = FxHashMap::default();
        for node in 0..self.labels.len() {
            last.insert(self.firsts[node], node);
        }
        let mut roots: Vec<usize> = last.into_values().filter(|&node| !self.is_leaf(node)).collect();
        roots.sort_unstable();
        roots
    }
}

/// The distances of all subtrees of one tree from all subtrees of another.
struct Distances {
    table: Vec<u16>,
    width: usize,
}

impl Distances {
    /// Those of the leaves: a leaf becomes one node of the other subtree, the rest of which is inserted; it costs
    /// nothing itself where its label occurs there. (All others are zero until they are known.)
    fn of_leaves(a: &Postorder, b: &Postorder) -> Distances {
        let (height, width) = (a.labels.len(), b.labels.len());
        let mut table = vec![0u16; height * width];
        let sizes: Vec<u16> = (0..width).map(|node| (node - b.first(node) + 1) as u16).collect();
        let places = places(b);
        for i in (0..height).filter(|&i| a.is_leaf(i)) {
            let row = &mut table[i * width..(i + 1) * width];
            row.copy_from_slice(&sizes);
            for &place in places.get(&a.labels[i]).into_iter().flatten() {
                for above in ancestry(b, place) {
                    row[above] = sizes[above] - 1;
                }
            }
        }
        let places = self::places(a);
        for j in (0..width).filter(|&j| b.is_leaf(j)) {
            for i in (0..height).filter(|&i| !a.is_leaf(i)) {
                table[i * width + j] = (i - a.first(i) + 1) as u16;
            }
            for &place in places.get(&b.labels[j]).into_iter().flatten() {
                for above in ancestry(a, place).filter(|&i| !a.is_leaf(i)) {
                    table[above * width + j] = (above - a.first(above)) as u16;
                }
            }
        }
        Distances { table, width }
    }
}

/// Where each label stands.
fn places(tree: &Postorder) -> FxHashMap<u32, Vec<usize>> {
    let mut places: FxHashMap<u32, Vec<usize>> = FxHashMap::default();
    for (node, &label) in tree.labels.iter().enumerate() {
        places.entry(label).or_default().push(node);
    }
    places
}

/// A node and all nodes above it.
fn ancestry(tree: &Postorder, node: usize) -> impl Iterator<Item = usize> + '_ {
    std::iter::successors(Some(node), |&n| {
        let parent = tree.parents[n];
        (parent != u16::MAX).then_some(usize::from(parent))
    })
}

/// e(T1, T2): fewest moves inserted, removed and renamed to turn one ordered tree into the other.
pub(crate) fn edit_distance(a: &Postorder, b: &Postorder) -> u32 {
    let mut subtrees = Distances::of_leaves(a, b);
    // One table of forests for all pairs of keyroots, with a row and a column for the empty forest before the first.
    let stride = b.labels.len() + 1;
    let mut forests = vec![0u16; (a.labels.len() + 1) * stride];
    let b_roots = b.keyroots();
    for &k in &a.keyroots() {
        for &l in &b_roots {
            compare_forests(a, b, k, l, &mut subtrees, &mut forests, stride);
        }
    }
    // Without moves a root is a leaf, and its row or column was filled at once.
    u32::from(subtrees.table[subtrees.table.len() - 1])
}

/// Fills the distances of every pair of subtrees that begin where those of the keyroots `k` and `l` begin.
fn compare_forests(
    a: &Postorder,
    b: &Postorder,
    k: usize,
    l: usize,
    subtrees: &mut Distances,
    forests: &mut [u16],
    stride: usize,
) {
    let (from, start) = (a.first(k), b.first(l));
    // Row r holds the forests of the nodes from..from + r of a.
    for (j, cell) in forests[..=l - start + 1].iter_mut().enumerate() {
        *cell = j as u16;
    }
    for i in from..=k {
        let row = i - from + 1;
        let (before, rest) = forests.split_at_mut(row * stride);
        let above = &before[(row - 1) * stride..];
        let here = &mut rest[..stride];
        here[0] = row as u16;
        let whole = a.first(i) == from;
        let outside = &before[(a.first(i) - from) * stride..][..stride];
        let known = &mut subtrees.table[i * subtrees.width..(i + 1) * subtrees.width];
        let label = a.labels[i];
        for j in start..=l {
            let column = j - start + 1;
            let edited = above[column].min(here[column - 1]) + 1;
            here[column] = if whole && b.first(j) == start {
                let relabelled = above[column - 1] + u16::from(label != b.labels[j]);
                known[j] = edited.min(relabelled);
                known[j]
            } else {
                edited.min(outside[b.first(j) - start] + known[j])
            };
        }
    }
}

/// P_tree: 1 - 2e / (|T1| + |T2| + e); 1 if neither has a move, none if a tree has more than [`MAX_EDIT_MOVES`].
pub(crate) fn tree_edit_similarity(a: &GamePosition, b: &GamePosition, depth: u32, labels: Labels) -> Option<f64> {
    let moves = |position: &GamePosition| (1..=depth).map(|d| shakmaty::perft(&position.chess, d)).sum::<u64>();
    if moves(a).max(moves(b)) > MAX_EDIT_MOVES {
        return None;
    }
    Some(similarity_of_trees(&Postorder::of(a, depth, labels), &Postorder::of(b, depth, labels)))
}

/// The same of two trees, 0 to 1.
pub fn similarity_of_trees(a: &Postorder, b: &Postorder) -> f64 {
    let distance = f64::from(edit_distance(a, b));
    let all = (a.edges() + b.edges()) as f64 + distance;
    if all == 0.0 { 1.0 } else { 1.0 - 2.0 * distance / all }
}
