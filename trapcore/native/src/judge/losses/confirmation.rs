//! What is claimed of a move, held against more nodes and against the ends of the lines that are shown.
//!
//! A search of few nodes sees a loss by the horizon, or by a line that goes wrong near its end. A reader plays the lines
//! to their ends: there the position must still say what is claimed. Each question is on which side of a border a value
//! is, which a search answers some plies deeper than what the value is.

use shakmaty::{Chess, Move, Position};

use crate::chess::moves::after;
use crate::chess::piece_values::piece_points;
use crate::judge::model::WON;
use crate::judge::pass::{Deepening, deepen};
use crate::mate::Prover;
use crate::search::score::mate_distance;
use crate::search::verdict::Verdict;
use crate::search::{Limits, MAX_DEPTH, Pruning, SearchRequest, Searcher};
use crate::win_chance::{MISTAKE, value_of_chance, win_chance};

/// A loss still has to stand so many plies beyond the depth at which it was seen. That is more than ten times the nodes
/// would add to a search for the value.
const MORE_PLIES: u32 = 8;
/// Nodes for each of the two searches that go so far. Of 367 such searches with 64,000 nodes, for claims in 40 games, none
/// changed its answer after these.
const MORE_NODES: u64 = 32_000;
/// If a player who had [`WON`] had won by an attack, a search with an empty table has to see the loss. It asks for the
/// value: a search of a border prunes the quiet moves of an attack.
const WON_NODES: u64 = 160_000;
/// Longest mate of such a player after the answer that is searched for, and the nodes for it.
const MATE: u32 = 9;
const MATE_NODES: u64 = 10_000;
/// Share of a claimed loss that is left at the end of a line.
const LEFT: f64 = 0.5;
/// A shown line ends between these plies.
const LEAST_PLIES: usize = 5;
const MOST_PLIES: usize = 9;
/// Nodes for the end of a line, and plies beyond the depth at which the loss was seen.
const END_NODES: u64 = 16_000;
const END_PLIES: u32 = 4;

/// A loss that is to be claimed. Win chances are the mover's, -1 to 1.
pub(super) struct Claim<'a> {
    pub position: &'a Chess,
    /// All moves but this one.
    pub others: &'a [Move],
    pub baited: &'a Chess,
    /// The searches of the other moves, and of the answers to the move.
    pub kept: &'a Deepening,
    pub left: &'a Deepening,
    pub before: f64,
    pub after: f64,
    /// That the move loses to a mate is proved.
    pub mated: bool,
}

/// What confirms claims.
pub(super) struct Confirmation<'a> {
    pub searcher: &'a mut Searcher,
    pub prover: &'a mut Prover,
}

impl Confirmation<'_> {
    /// Whether the claim stands, and the nodes that this took.
    pub(super) fn bears_out(&mut self, claim: &Claim) -> (bool, u64) {
        let &Claim { position, others, baited, kept, left, before, after, mated } = claim;
        let mut spent = 0;
        let least = MISTAKE.max(LEFT * (before - after));
        let stands = self.holds(position, kept, after + least, &[LEAST_PLIES], &mut spent)
            && self.stands_longer(position, others, kept, after + least, &mut spent)
            && (mated
                || self.holds(baited, left, least - before, &[LEAST_PLIES, MOST_PLIES], &mut spent)
                    && self.stands_longer(baited, &[], left, least - before, &mut spent)
                    && (!is_attack(claim) || self.stands_afresh(baited, left, least - before, &mut spent)));
        (stands, spent)
    }

    /// Whether the side to move has so great a win chance some plies deeper than it was searched; `only` by these moves,
    /// all if empty.
    fn stands_longer(
        &mut self,
        position: &Chess,
        only: &[Move],
        searched: &Deepening,
        chance: f64,
        spent: &mut u64,
    ) -> bool {
        let depth = (searched.depth() + MORE_PLIES).min(MAX_DEPTH);
        let limits = Limits { depth, nodes: MORE_NODES };
        let first = &searched.line[..searched.line.len().min(1)];
        self.is_at_least(position, SearchRequest { only, first, ..SearchRequest::default() }, chance, limits, spent)
    }

    /// Whether a search that knows nothing gives the opponent so great a win chance after a move from a won position, and
    /// the player of that move does not mate after the answer.
    fn stands_afresh(&mut self, baited: &Chess, left: &Deepening, chance: f64, spent: &mut u64) -> bool {
        let Some(&answer) = left.line.first() else { return false };
        let answered = after(baited, answer);
        let proof = self.prover.prove(&answered, MATE, MATE_NODES, &left.line[1..left.line.len().min(2)]);
        *spent += proof.nodes;
        if proof.verdict == Verdict::Proved {
            return false;
        }
        // What made the loss look so would be found in the table again.
        self.searcher.clear();
        let limits = Limits { depth: MAX_DEPTH, nodes: WON_NODES };
        let found = deepen(self.searcher, baited, &[], &[], limits);
        *spent += found.nodes;
        win_chance(found.value()) >= chance
    }

    /// Whether at each end of a line the side that begins it has so great a win chance. A line that is shorter ends
    /// where it does.
    fn holds(&mut self, start: &Chess, searched: &Deepening, chance: f64, ends: &[usize], spent: &mut u64) -> bool {
        let mut position = start.clone();
        let limits = Limits { depth: (searched.depth() + END_PLIES).min(MAX_DEPTH), nodes: END_NODES };
        let line = &searched.line;
        for (plies, &m) in (1..).zip(&line[..line.len().min(ends[ends.len() - 1])]) {
            position.play_unchecked(m);
            if !ends.contains(&plies) && plies < line.len() {
                continue;
            }
            let is_theirs = position.turn() == start.turn();
            let all = SearchRequest::default();
            let stands = if is_theirs {
                self.is_at_least(&position, all, chance, limits, spent)
            } else {
                !self.is_at_least(&position, all, -chance, limits, spent)
            };
            if !stands {
                return false;
            }
        }
        true
    }

    /// Whether the side to move has so great a win chance.
    fn is_at_least(
        &mut self,
        position: &Chess,
        request: SearchRequest<'_>,
        chance: f64,
        limits: Limits,
        spent: &mut u64,
    ) -> bool {
        if position.legal_moves().is_empty() {
            return if position.is_check() { chance <= -1.0 } else { chance <= 0.0 };
        }
        let border = value_of_chance(chance);
        let request = SearchRequest { window: Some((border - 1, border)), ..request };
        let found = self.searcher.search(position, request, limits, Pruning::Selective, |_| true);
        *spent += found.nodes;
        found.value >= border
    }
}

/// Whether a player who had won had not won by material: a mate was seen, or the opponent has as much material.
fn is_attack(claim: &Claim) -> bool {
    let (board, mover) = (claim.position.board(), claim.position.turn());
    let material = |side| piece_points(board, side) + (board.pawns() & board.by_color(side)).count();
    let mates = mate_distance(claim.kept.value()).is_some();
    claim.before >= WON && (mates || material(mover) <= material(!mover))
}
