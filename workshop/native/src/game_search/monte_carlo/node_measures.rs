//! What two nodes are compared by: their local trees of depth 2, by the measures of `trapcore/measures/`.

use native::workshop::{Postorder, Unpaired, compare_children, jaccard, similarity_of_trees};
use rustc_hash::FxHasher;
use std::hash::Hasher;

use super::options::Measure;
use crate::game_search::games::game::Game;

/// Numbers by which a set is looked up.
const HASHES: u8 = 8;

/// What a measure reads of a local tree.
pub(crate) enum Fingerprint {
    /// Labels, lines of two moves in any order, or tokens, each with its number, ascending.
    Counts(Vec<(u32, u16)>),
    /// How similar each child is to its parent, ascending.
    Children(Vec<f64>),
    /// The tree; none if it is too large to be compared.
    Tree(Option<Postorder>),
}

impl Fingerprint {
    /// Bytes, about.
    pub(super) fn size(&self) -> usize {
        match self {
            Fingerprint::Counts(members) => size_of_val(members.as_slice()),
            Fingerprint::Children(children) => size_of_val(children.as_slice()),
            Fingerprint::Tree(tree) => tree.as_ref().map_or(0, Postorder::size),
        }
    }
}

/// A number under which a fingerprint is found, and which of its numbers it is.
pub(super) type Key = (u8, u32);

/// The fingerprint of a position, and its keys. Two similar positions share a key.
///
/// Sets are found by min-hashing (Broder 1997): two sets agree in the least of their hashed members with the probability
/// of their Jaccard similarity. Structural similarity reads no labels; it is never more than the ratio of the numbers of
/// moves, and so those that have as many, or one more or fewer, are compared.
pub(crate) fn fingerprint<G: Game>(game: &G, measure: Measure) -> (Fingerprint, Vec<Key>) {
    let tree = local_tree(game);
    match measure {
        Measure::Continuations => {
            let labels = labels_of(&tree).map(|label| (label, 1)).collect::<Vec<_>>();
            let keys = least_hashes(&labels);
            (Fingerprint::Counts(labels), keys)
        }
        Measure::Sequences | Measure::Tanimoto => {
            let lines = tree.iter().flat_map(|(m, replies)| replies.iter().map(|reply| line(*m, *reply)));
            let lines = counted(lines.collect());
            let keys = least_hashes(&lines);
            (Fingerprint::Counts(lines), keys)
        }
        Measure::Structural => {
            let own = sorted(tree.iter().map(|(m, _)| u32::from(*m)));
            let similarity =
                |(_, replies): &(u16, Vec<u16>)| jaccard(&own, &sorted(replies.iter().copied().map(u32::from)));
            let mut children: Vec<f64> = tree.iter().map(similarity).collect();
            children.sort_unstable_by(f64::total_cmp);
            let moves = children.len() as u32;
            (Fingerprint::Children(children), vec![(0, moves / 2), (1, moves.div_ceil(2))])
        }
        Measure::TreeEdit => {
            let labels = labels_of(&tree).map(|label| (label, 1)).collect::<Vec<_>>();
            (Fingerprint::Tree(postorder(game)), least_hashes(&labels))
        }
        Measure::Abstracted => {
            let mut moves = Vec::new();
            if game.result().is_none() {
                game.moves(&mut moves);
            }
            let tokens = game.abstracted(&moves).into_iter().flatten().collect();
            let words = counted(tokens).into_iter().map(|(token, _)| (token, 1)).collect::<Vec<_>>();
            let keys = least_hashes(&words);
            (Fingerprint::Counts(words), keys)
        }
    }
}

/// The similarity of two fingerprints by the measure that they are of, 0 to 1.
pub(crate) fn similarity(one: &Fingerprint, other: &Fingerprint, measure: Measure) -> f32 {
    match (one, other) {
        (Fingerprint::Counts(one), Fingerprint::Counts(other)) => of_counts(one, other, measure),
        (Fingerprint::Children(one), Fingerprint::Children(other)) => {
            compare_children(one, other, Unpaired::Formula) as f32
        }
        (Fingerprint::Tree(Some(one)), Fingerprint::Tree(Some(other))) => similarity_of_trees(one, other) as f32,
        _ => 0.0,
    }
}

fn of_counts(one: &[(u32, u16)], other: &[(u32, u16)], measure: Measure) -> f32 {
    let (mut i, mut j, mut shared, mut both, mut product) = (0, 0, 0u32, 0u32, 0u32);
    while i < one.len() && j < other.len() {
        match one[i].0.cmp(&other[j].0) {
            std::cmp::Ordering::Less => i += 1,
            std::cmp::Ordering::Greater => j += 1,
            std::cmp::Ordering::Equal => {
                let (first, second) = (u32::from(one[i].1), u32::from(other[j].1));
                shared += 1;
                both += first + second;
                product += first * second;
                (i, j) = (i + 1, j + 1);
            }
        }
    }
    let total = |counts: &[(u32, u16)]| counts.iter().map(|(_, count)| u32::from(*count)).sum::<u32>();
    let squares = |counts: &[(u32, u16)]| counts.iter().map(|(_, count)| u32::from(*count).pow(2)).sum::<u32>();
    let (part, whole) = match measure {
        Measure::Sequences => (both, total(one) + total(other)),
        Measure::Tanimoto => (product, squares(one) + squares(other) - product),
        _ => (shared, (one.len() + other.len()) as u32 - shared),
    };
    if whole == 0 { 1.0 } else { part as f32 / whole as f32 }
}

/// Codes of the moves, and of the replies to each; none if the game is over.
fn local_tree<G: Game>(game: &G) -> Vec<(u16, Vec<u16>)> {
    let (mut moves, mut replies) = (Vec::new(), Vec::new());
    if game.result().is_none() {
        game.moves(&mut moves);
    }
    let below = |&m: &G::Move| {
        let mut next = game.clone();
        next.play(m);
        next.moves(&mut replies);
        (game.code(m), replies.iter().map(|&reply| next.code(reply)).collect())
    };
    moves.iter().map(below).collect()
}

/// The labels of a tree, each once, ascending.
fn labels_of(tree: &[(u16, Vec<u16>)]) -> impl Iterator<Item = u32> {
    let all = tree.iter().flat_map(|(m, replies)| [*m].into_iter().chain(replies.iter().copied()));
    let mut labels = sorted(all.map(u32::from));
    labels.dedup();
    labels.into_iter()
}

fn sorted(values: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut found: Vec<u32> = values.collect();
    found.sort_unstable();
    found
}

fn line(m: u16, reply: u16) -> u32 {
    u32::from(m.min(reply)) << 16 | u32::from(m.max(reply))
}

/// Each of them once, with its number.
fn counted(mut members: Vec<u32>) -> Vec<(u32, u16)> {
    members.sort_unstable();
    let mut found: Vec<(u32, u16)> = Vec::with_capacity(members.len());
    for member in members {
        match found.last_mut() {
            Some((last, count)) if *last == member => *count += 1,
            _ => found.push((member, 1)),
        }
    }
    found
}

/// The local tree, children in the alphabetical order of their labels, as `trapcore.measures.tree_edit` has it.
fn postorder<G: Game>(game: &G) -> Option<Postorder> {
    let named = |game: &G| {
        let mut moves = Vec::new();
        if game.result().is_none() {
            game.moves(&mut moves);
        }
        let mut named: Vec<_> = moves.into_iter().map(|m| (game.label(m), m)).collect();
        named.sort_unstable_by(|one, other| one.0.cmp(&other.0));
        named.into_iter().map(|(_, m)| m).collect::<Vec<_>>()
    };
    let below = |m| {
        let mut next = game.clone();
        next.play(m);
        let replies = named(&next).into_iter().map(|reply| next.code(reply).into()).collect();
        (game.code(m).into(), replies)
    };
    Postorder::of_depth_2(&named(game).into_iter().map(below).collect::<Vec<_>>())
}

/// The least of the members under each of [`HASHES`] hashes.
fn least_hashes(members: &[(u32, u16)]) -> Vec<Key> {
    let mut least: Vec<Key> = (0..HASHES).map(|place| (place, u32::MAX)).collect();
    for (member, _) in members {
        for (place, least) in &mut least {
            let mut hasher = FxHasher::default();
            hasher.write_u64((u64::from(*member) << 8) + u64::from(*place) + 1);
            let hash = hasher.finish();
            *least = (*least).min(((hash ^ hash >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 32) as u32);
        }
    }
    least
}
