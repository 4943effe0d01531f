//! What similar nodes share beside values: fingerprints are taken here, and moves that refute are tried first.

use super::fingerprints::Link;
use super::search::Search;
use super::tree::NONE;
use crate::game_search::games::game::Game;

/// Playouts that a move is worth which won in a position of similarity 1.
const KILLER_WEIGHT: f32 = 5.0;
/// Playouts of a node before one of its moves can be a refutation.
const REFUTED: u32 = 16;
/// How much better than the node's mean a refutation has to be; values are -1 to 1.
const REFUTES: f32 = 0.2;

impl<G: Game> Search<G> {
    /// Computes the fingerprint of a node once it has had enough playouts.
    pub(super) fn take_fingerprint(&mut self, node: usize, game: &G) {
        let Some(sharing) = self.options.sharing else { return };
        let place = &self.tree.nodes[node];
        if place.record != NONE || place.visits < sharing.playouts || self.fingerprints.is_full() {
            return;
        }
        let record = self.fingerprints.add(node as u32, game, sharing);
        self.tree.nodes[node].record = record;
        if sharing.killers {
            // What won in those like it is tried first here as well.
            let links = self.fingerprints.records[record as usize].links.clone();
            for link in links {
                let known = self.tree.nodes[link.node as usize].record;
                let other = &self.fingerprints.records[known as usize];
                if let Some(killer) = other.killer {
                    // The other may have more similar nodes than this one.
                    let back = other.links.iter().find(|back| back.node == node as u32);
                    let own = back.map_or(killer, |back| counterpart(back, killer));
                    self.suggest(node, own, link.alike);
                }
            }
        }
    }

    /// Marks the child of a node that makes the move of a code, if it has one.
    fn suggest(&mut self, node: usize, code: u16, alike: f32) {
        for child in self.tree.nodes[node].range() {
            let child = &mut self.tree.nodes[child];
            if child.code == code {
                child.is_killer = true;
                child.shared.add(1.0, KILLER_WEIGHT * alike);
            }
        }
    }

    pub(super) fn shares_killers(&self) -> bool {
        self.options.sharing.is_some_and(|sharing| sharing.killers)
    }

    /// A node of the path is proved: if there is a move that wins, similar nodes try it first.
    pub(super) fn share_killer(&mut self, depth: usize) {
        let node = self.path[depth];
        let killer = self.tree.nodes[self.tree.nodes[node].range()].iter().find(|child| child.proof == Some(-1));
        let Some(code) = killer.map(|child| child.code) else { return };
        if self.tree.nodes[node].record == NONE {
            if self.fingerprints.is_full() {
                return;
            }
            let mut game = self.game.clone();
            for &passed in &self.path[1..=depth] {
                game.play(self.tree.nodes[passed].played.expect("only the root has none"));
            }
            let sharing = self.options.sharing.expect("killers are shared");
            self.tree.nodes[node].record = self.fingerprints.add(node as u32, &game, sharing);
        }
        self.keep_killer(node, code, true);
    }

    /// Nodes of the path whose playouts have doubled: a move that does much better than the others is tried first in the
    /// nodes like them.
    pub(super) fn share_refutations(&mut self) {
        for depth in 0..self.path.len() {
            let node = &self.tree.nodes[self.path[depth]];
            if node.record == NONE || node.visits < REFUTED || !node.visits.is_power_of_two() {
                continue;
            }
            let best = self.tree.nodes[node.range()].iter().max_by_key(|child| child.visits);
            // The node's value is for the player who moved into it.
            let found = best.filter(|best| best.value() + node.value() > REFUTES).map(|best| best.code);
            if let Some(code) = found {
                self.keep_killer(self.path[depth], code, false);
            }
        }
    }

    /// The killer of a node with a fingerprint, which nodes like it try first. One that is proved stays.
    fn keep_killer(&mut self, node: usize, code: u16, is_proved: bool) {
        let record = &mut self.fingerprints.records[self.tree.nodes[node].record as usize];
        if record.is_proved {
            return;
        }
        let is_new = record.killer != Some(code);
        record.killer = Some(code);
        record.is_proved = is_proved;
        if is_new {
            for link in record.links.clone() {
                self.suggest(link.node as usize, counterpart(&link, code), link.alike);
            }
        }
    }
}

/// The code of a move in a similar node: its own, or that of its counterpart.
fn counterpart(link: &Link, code: u16) -> u16 {
    link.counterparts.iter().find(|(own, _)| *own == code).map_or(code, |(_, theirs)| *theirs)
}
