//! What a playout teaches: values of the nodes on its way, the history of moves, and all moves as first.

use super::options::AllMovesAsFirst;
use super::playout::for_first;
use super::search::Search;
use super::tree::{NONE, Table, table_key};
use crate::game_search::games::game::Game;

/// A playout that was cut off is decided beyond this value.
const DECIDED: f32 = 0.9;
/// Bytes of a table of GRAVE, about.
const TABLE_BYTES: usize = 1 << 14;

impl<G: Game> Search<G> {
    /// Adds the value of a playout, for player 0, to all that learns from it.
    pub(super) fn learn(&mut self, value: f32, is_decided: bool) {
        let first = self.game.mover();
        for (depth, &node) in self.path.iter().enumerate() {
            // Players take turns; the other one has moved into the root.
            let player = (first + depth + 1) % 2;
            let node = &mut self.tree.nodes[node];
            node.visits += 1;
            node.sum += f64::from(for_first(value, player));
        }
        if self.options.minimax > 0.0 {
            for &node in self.path.iter().rev() {
                let range = self.tree.nodes[node].range();
                if !range.is_empty() {
                    let best = self.tree.nodes[range].iter().map(|child| child.minimax).fold(-1.0, f32::max);
                    self.tree.nodes[node].minimax = -best;
                }
            }
        }
        if self.options.keeps_history() {
            for &(player, code) in &self.played {
                self.playouts.history.add(player.into(), code, for_first(value, player.into()));
            }
        }
        if self.options.keeps_moves() {
            self.share(value, is_decided || value.abs() > DECIDED);
        }
    }

    /// All moves as first: a move counts for the nodes before it, and for those like them.
    fn share(&mut self, value: f32, is_decided: bool) {
        if self.stamp == u32::MAX {
            self.stamps.iter_mut().for_each(|stamps| stamps.fill(0));
            self.stamp = 0;
        }
        self.stamp += 1;
        let (ends, first) = (self.path.len() - 1, self.game.mover());
        if self.options.only_decisive {
            if is_decided && value != 0.0 {
                let winner = u8::from(value < 0.0);
                if let Some(&(player, code)) = self.played[ends..].iter().rev().find(|(player, _)| *player == winner) {
                    self.stamps[usize::from(player)][usize::from(code)] = self.stamp;
                }
            }
        } else {
            for &(player, code) in &self.played[ends..] {
                self.stamps[usize::from(player)][usize::from(code)] = self.stamp;
            }
        }
        let shares_moves = self.options.sharing.is_some_and(|sharing| sharing.moves);
        for depth in (0..self.path.len()).rev() {
            let (node, player) = (self.path[depth], (first + depth) % 2);
            if depth < ends && !self.options.only_decisive {
                self.stamps[player][usize::from(self.played[depth].1)] = self.stamp;
            }
            let gain = for_first(value, player);
            match self.options.all_moves {
                AllMovesAsFirst::Off => {}
                AllMovesAsFirst::Rave => self.credit(node, player, gain, 1.0),
                AllMovesAsFirst::Grave { playouts } => self.fill_table(node, depth, value, playouts),
            }
            if shares_moves && self.tree.nodes[node].record != NONE {
                let record = self.tree.nodes[node].record as usize;
                for link in 0..self.fingerprints.records[record].links.len() {
                    let (other, alike) = {
                        let link = &self.fingerprints.records[record].links[link];
                        (link.node as usize, link.alike)
                    };
                    // A node of the path has its own share already.
                    if !self.path.contains(&other) {
                        self.credit(other, player, gain, alike);
                        self.credit_counterparts(record, link, player, gain);
                    }
                }
            }
        }
    }

    /// Adds a value to the children whose move the player made in this playout.
    fn credit(&mut self, node: usize, player: usize, value: f32, weight: f32) {
        let (stamps, stamp) = (&self.stamps[player], self.stamp);
        let range = self.tree.nodes[node].range();
        for child in &mut self.tree.nodes[range] {
            if stamps[usize::from(child.code)] == stamp {
                child.shared.add(value, weight);
            }
        }
    }

    /// The same for what plays the part of such a move in a similar node that has no move of its label.
    fn credit_counterparts(&mut self, record: usize, link: usize, player: usize, value: f32) {
        let (stamps, stamp) = (&self.stamps[player], self.stamp);
        let link = &self.fingerprints.records[record].links[link];
        let range = self.tree.nodes[link.node as usize].range();
        let children = &mut self.tree.nodes[range];
        for (own, theirs) in &link.counterparts {
            if stamps[usize::from(*own)] == stamp
                && let Some(child) = children.iter_mut().find(|child| child.code == *theirs)
            {
                child.shared.add(value, link.alike);
            }
        }
    }

    /// Adds the moves from this depth on to the node's table, which it gets halfway to where it is needed.
    fn fill_table(&mut self, node: usize, depth: usize, value: f32, playouts: u32) {
        let place = &mut self.tree.nodes[node];
        if place.table == NONE {
            if place.visits < playouts / 2 || self.tree.tables.len() >= self.options.memory / 4 / TABLE_BYTES {
                return;
            }
            place.table = self.tree.tables.len() as u32;
            self.tree.tables.push(Table::default());
        }
        let table = &mut self.tree.tables[place.table as usize];
        for &(player, code) in &self.played[depth..] {
            let player = usize::from(player);
            table.entry(table_key(player, code)).or_default().add(for_first(value, player), 1.0);
        }
    }
}
