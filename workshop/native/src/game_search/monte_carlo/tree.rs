//! Nodes of a search tree, in one array of bounded length.

use rustc_hash::FxHashMap;

/// No node, no record, no table.
pub(crate) const NONE: u32 = u32::MAX;

/// Sum and weight of values.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Mean {
    pub(crate) sum: f32,
    pub(crate) weight: f32,
}

impl Mean {
    pub(crate) fn add(&mut self, value: f32, weight: f32) {
        self.sum += value * weight;
        self.weight += weight;
    }

    pub(crate) fn value(&self) -> f32 {
        if self.weight > 0.0 { self.sum / self.weight } else { 0.0 }
    }
}

/// A move and the position after it. Values, except the proof, are for the player who made the move.
#[derive(Clone, Debug)]
pub(crate) struct Node<M> {
    /// None at the root.
    pub(crate) played: Option<M>,
    pub(crate) code: u16,
    /// What is proved, for the player to move here: 1, 0 or -1.
    pub(crate) proof: Option<i8>,
    /// It won in a similar position and is tried before others.
    pub(crate) is_killer: bool,
    /// What local search says of the move: 1 it wins, -1 it loses.
    pub(crate) hint: i8,
    pub(crate) visits: u32,
    pub(crate) sum: f64,
    /// All moves as first: playouts of the parent and of similar nodes in which the move was played later.
    pub(crate) shared: Mean,
    /// Minimax of the evaluation of the tree below.
    pub(crate) minimax: f32,
    pub(crate) first: u32,
    pub(crate) children: u16,
    /// Its fingerprint.
    pub(crate) record: u32,
    /// Its table of all moves as first, for GRAVE.
    pub(crate) table: u32,
}

impl<M> Node<M> {
    pub(crate) fn new(played: Option<M>, code: u16) -> Node<M> {
        Node {
            played,
            code,
            proof: None,
            is_killer: false,
            hint: 0,
            visits: 0,
            sum: 0.0,
            shared: Mean::default(),
            minimax: 0.0,
            first: NONE,
            children: 0,
            record: NONE,
            table: NONE,
        }
    }

    pub(crate) fn is_expanded(&self) -> bool {
        self.first != NONE
    }

    /// Mean value of its playouts.
    pub(crate) fn value(&self) -> f32 {
        if self.visits == 0 { 0.0 } else { (self.sum / f64::from(self.visits)) as f32 }
    }

    pub(crate) fn range(&self) -> std::ops::Range<usize> {
        if self.is_expanded() { self.first as usize..self.first as usize + usize::from(self.children) } else { 0..0 }
    }
}

/// Values by player and move code.
pub(crate) type Table = FxHashMap<u32, Mean>;

/// The key of a player's move in a [`Table`].
pub(crate) fn table_key(player: usize, code: u16) -> u32 {
    (player as u32) << 16 | u32::from(code)
}

pub(crate) struct Tree<M> {
    pub(crate) nodes: Vec<Node<M>>,
    pub(crate) tables: Vec<Table>,
    /// Most nodes.
    pub(crate) most: usize,
}

impl<M: Copy> Tree<M> {
    /// A tree of a root alone that grows to `memory` bytes at most, and to at least one node's children.
    pub(crate) fn new(memory: usize) -> Tree<M> {
        let most = (memory / size_of::<Node<M>>()).clamp(1, NONE as usize - 1);
        Tree { nodes: vec![Node::new(None, 0)], tables: Vec::new(), most }
    }

    /// Adds the children of a node, if there is room.
    pub(crate) fn expand(&mut self, node: usize, children: impl ExactSizeIterator<Item = Node<M>>) -> bool {
        let count = children.len();
        // The root's children are always there: without them there is no answer.
        if node != 0 && self.nodes.len() + count > self.most {
            return false;
        }
        if self.nodes.len() + count > self.nodes.capacity() {
            // Doubling could go beyond the limit by half of it.
            let wanted = (2 * self.nodes.capacity()).min(self.most).max(self.nodes.len() + count);
            self.nodes.reserve_exact(wanted - self.nodes.len());
        }
        self.nodes[node].first = self.nodes.len() as u32;
        self.nodes[node].children = count as u16;
        self.nodes.extend(children);
        true
    }

    /// The tree below one child of the root, which becomes the root.
    pub(crate) fn descend(&mut self, child: usize) {
        let mut tables = Vec::new();
        let mut nodes = Vec::with_capacity(self.nodes.len() / 4);
        let mut root = self.nodes[child].clone();
        root.played = None;
        nodes.push(root);
        let mut next = 0;
        while next < nodes.len() {
            let (range, table) = (nodes[next].range(), nodes[next].table);
            nodes[next].record = NONE;
            if table != NONE {
                nodes[next].table = tables.len() as u32;
                tables.push(std::mem::take(&mut self.tables[table as usize]));
            }
            if !range.is_empty() {
                nodes[next].first = nodes.len() as u32;
                nodes.extend_from_slice(&self.nodes[range]);
            }
            next += 1;
        }
        self.nodes = nodes;
        self.tables = tables;
    }
}
