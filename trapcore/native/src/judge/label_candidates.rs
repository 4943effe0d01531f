//! What similar traps propose in a position: their bait and their killer as moves of it.
//!
//! A move of the trap is a move of the position where it has the same label; where none has, its counterpart by move
//! matching takes its place. Nothing of this is a claim: what is proposed is only where the proof begins.

use std::sync::OnceLock;

use shakmaty::{CastlingMode, Chess, Move, MoveList, Position};

use crate::chess::moves::after;
use crate::chess::position::Setting;
use crate::judge::game_analyzer::{Judge, Trap};
use crate::judge::verify::Case;
use crate::measures::move_matching::Pattern;
use crate::measures::trap_positions::{Hit, Member};
use crate::search::verdict::Verdict;
use crate::trees::labels::uci_label;

/// Moves are matched for so many of the most similar traps of a position: in three files of amateurs' games, from a
/// similarity of 0.6 on, the most similar one alone found four baits more than labels do and three found five; a measure
/// that does not look at labels can bring a hundred of them near.
const MATCHED: usize = 3;

/// What a trap says about its bait. Neither question holds the other: the trap test looks for mates as well, but with
/// fewer nodes and fewer moves, and asks by other rules whether the bait was avoidable.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Question {
    Mate,
    Gain,
}

/// A trap that proposes a bait.
pub(crate) struct Proposer<'a> {
    pub member: Member,
    pub similarity: f64,
    pub trap: &'a Trap,
    /// What may be its killer here, in the order in which it is tried.
    pub killers: Vec<Move>,
    /// What can be played here of its killer line, or else the counterpart of its killer.
    pub line: Vec<Move>,
}

impl<'a> Proposer<'a> {
    /// `baited`: the position after what stands for the bait.
    fn new(hit: &Hit, trap: &'a Trap, patterns: Option<&Pair>, baited: &Setting) -> Proposer<'a> {
        let mut line = legal_beginning(&baited.chess, &trap.line);
        let killer = patterns.and_then(|pair| pair.killer.as_ref());
        let counterpart = killer.and_then(|killer| killer.counterpart(baited));
        // The counterpart comes first: it does the killer's work here, whatever now stands on the killer's squares.
        let killers = counterpart.into_iter().chain(line.first().copied()).collect();
        if line.is_empty() {
            line.extend(counterpart);
        }
        Proposer { member: hit.member, similarity: hit.similarity, trap, killers, line }
    }

    pub fn asks(&self) -> Question {
        if self.trap.mate_in.is_some() { Question::Mate } else { Question::Gain }
    }
}

/// A move that stands for the bait of similar traps; the most similar first.
pub(crate) struct Proposal<'a> {
    pub bait: Move,
    pub proposers: Vec<Proposer<'a>>,
}

impl<'a> Proposal<'a> {
    pub fn asking(&self, question: Question) -> impl Iterator<Item = &Proposer<'a>> {
        self.proposers.iter().filter(move |proposer| proposer.asks() == question)
    }

    /// The killers of all its traps, each once, the most similar trap's before the others'.
    pub fn killers(&self) -> Vec<Move> {
        let mut out = Vec::new();
        for &killer in self.proposers.iter().flat_map(|proposer| &proposer.killers) {
            if !out.contains(&killer) {
                out.push(killer);
            }
        }
        out
    }
}

/// What a trap's bait and killer are found again by.
struct Pair {
    bait: Pattern,
    killer: Option<Pattern>,
}

/// The same, made when the trap first comes near a position, since most traps of a large library never do.
#[derive(Default)]
pub(crate) struct Patterns(OnceLock<Pair>);

impl Patterns {
    fn of(&self, trap: &Trap) -> &Pair {
        self.0.get_or_init(|| {
            let baited = baited(&trap.setting, trap.bait);
            Pair {
                bait: Pattern::of(&trap.setting, trap.bait),
                killer: trap.line.first().map(|&killer| Pattern::of(&baited, killer)),
            }
        })
    }
}

impl Judge {
    /// Baits that are known to lose nothing in a position.
    pub(crate) fn refuted(&self, known: &[Member]) -> Vec<Move> {
        known.iter().map(|&m| self.trap(m)).filter(|t| t.verdict == Verdict::Refuted).map(|t| t.bait).collect()
    }

    /// The baits of the similar traps as moves of this position that have no case yet and are not known to lose nothing
    /// here. `hits`: the most similar first.
    pub(crate) fn proposals<'a>(
        &'a self,
        position: &Setting,
        known: &[Member],
        hits: &[Hit],
        cases: &[Case],
    ) -> Vec<Proposal<'a>> {
        let refuted = self.refuted(known);
        let mut proposals: Vec<Proposal> = Vec::new();
        if hits.is_empty() {
            return proposals;
        }
        let moves = position.chess.legal_moves();
        let trusted = hits.iter().filter(|hit| self.trap(hit.member).verdict != Verdict::Refuted);
        for (rank, hit) in trusted.enumerate() {
            let trap = self.trap(hit.member);
            let patterns = (rank < MATCHED).then(|| self.patterns(hit.member).of(trap));
            let Some(bait) = bait_here(trap, patterns, position, &moves) else { continue };
            if cases.iter().any(|case| case.bait == bait) || refuted.contains(&bait) {
                continue;
            }
            let proposer = Proposer::new(hit, trap, patterns, &baited(position, bait));
            match proposals.iter_mut().find(|proposal| proposal.bait == bait) {
                Some(proposal) => proposal.proposers.push(proposer),
                None => proposals.push(Proposal { bait, proposers: vec![proposer] }),
            }
        }
        proposals
    }
}

/// The trap's bait as one of the legal `moves` of a position.
///
/// The same squares come first. What made the positions similar is that their moves have the same labels, and then the
/// bait nearly always has it too; matching does not look at labels, and of the baits of 298 mates it named every third
/// two plies later.
fn bait_here(trap: &Trap, patterns: Option<&Pair>, position: &Setting, moves: &MoveList) -> Option<Move> {
    let wanted = uci_label(trap.bait, trap.setting.mode);
    let same = moves.iter().copied().find(|&m| uci_label(m, position.mode) == wanted);
    same.or_else(|| patterns.and_then(|pair| pair.bait.counterpart(position)))
}

fn baited(setting: &Setting, bait: Move) -> Setting {
    Setting { chess: after(&setting.chess, bait), mode: setting.mode }
}

fn legal_beginning(position: &Chess, line: &[Move]) -> Vec<Move> {
    let mut position = position.clone();
    let mut out = Vec::new();
    for &m in line {
        // The piece that moves and what it takes may differ from the trap's; the squares must agree.
        let wanted = uci_label(m, CastlingMode::Standard);
        match position.legal_moves().iter().find(|&&l| uci_label(l, CastlingMode::Standard) == wanted) {
            Some(&legal) => {
                out.push(legal);
                position.play_unchecked(legal);
            }
            None => break,
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::position::{parse, parse_move};
    use crate::judge::game_analyzer::Options;
    use crate::measures::trap_positions::{Measure, Yardstick};
    use crate::trees::labels::{Labels, Naming};

    const UCI: Labels = Labels { naming: Naming::Uci, captures: false };
    /// The rook leaves its first rank for a pawn, and is mated there.
    const BACK_RANK: (&str, &str, &[&str]) = ("r5k1/5ppp/8/8/8/8/P4PPP/3R2K1 b - -", "a8a2", &["d1d8"]);

    fn judge(traps: &[(&str, &str, &[&str])], min_similarity: f64) -> Judge {
        let traps = traps.iter().map(|&(fen, bait, line)| {
            let setting = parse(fen).unwrap();
            let bait = parse_move(&setting, bait).unwrap();
            let mut reached = baited(&setting, bait);
            let line = line.iter().map(|uci| {
                let m = parse_move(&reached, uci).unwrap();
                reached.chess.play_unchecked(m);
                m
            });
            Trap { line: line.collect(), setting, bait, verdict: Verdict::Proved, mate_in: Some(1) }
        });
        let options = Options {
            yardstick: Some(Yardstick { measure: Measure::Sequences, depth: 2, labels: UCI }),
            min_similarity,
            nodes: 100_000,
            proposals_first: true,
            unproved: false,
            skip_plies: 0,
        };
        Judge::new(traps.collect(), options, None)
    }

    /// Bait, killers in order, and line of every proposal in a position, as UCI.
    fn proposed(judge: &Judge, fen: &str) -> Vec<(String, Vec<String>, Vec<String>)> {
        let position = parse(fen).unwrap();
        let mut hits = Vec::new();
        judge.index.as_ref().unwrap().hits(&position, &mut Default::default(), &mut hits);
        hits.sort_by(|a, b| b.similarity.total_cmp(&a.similarity));
        let text = |moves: &[Move]| moves.iter().map(|m| m.to_uci(position.mode).to_string()).collect::<Vec<_>>();
        let proposals = judge.proposals(&position, &[], &hits, &[]);
        proposals.iter().map(|p| (text(&[p.bait]).remove(0), text(&p.killers()), text(&p.proposers[0].line))).collect()
    }

    fn told(bait: &str, killers: &[&str], line: &[&str]) -> Vec<(String, Vec<String>, Vec<String>)> {
        let texts = |moves: &[&str]| moves.iter().map(|m| (*m).to_owned()).collect();
        vec![(bait.to_owned(), texts(killers), texts(line))]
    }

    #[test]
    fn the_same_squares_are_proposed_where_they_can_be_played() {
        let judge = judge(&[BACK_RANK], 0.5);
        assert_eq!(proposed(&judge, BACK_RANK.0), told("a8a2", &["d1d8"], &["d1d8"]));
        // The knight guards d8 but not e8, where the other rook mates.
        let guarded = "r5k1/5ppp/2n5/8/8/8/P4PPP/3RR1K1 b - -";
        assert_eq!(proposed(&judge, guarded), told("a8a2", &["e1e8", "d1d8"], &["d1d8"]));
    }

    #[test]
    fn the_counterpart_stands_in_for_a_move_that_is_none_here() {
        let judge = judge(&[BACK_RANK], 0.1);
        let shifted = "1r4k1/5ppp/8/8/8/8/1P3PPP/4R1K1 b - -";
        assert_eq!(proposed(&judge, shifted), told("b8b2", &["e1e8"], &["e1e8"]));
        let another_piece = "1r4k1/5ppp/8/8/8/8/1P3PPP/4Q1K1 b - -";
        assert_eq!(proposed(&judge, another_piece), told("b8b2", &["e1e8"], &["e1e8"]));
        let exchanged = "4r1k1/1p3ppp/8/8/8/8/5PPP/1R4K1 w - -";
        assert_eq!(proposed(&judge, exchanged), told("b1b7", &["e8e1"], &["e8e1"]));
    }

    #[test]
    fn only_the_most_similar_traps_are_matched() {
        let near = ("r5k1/4pppp/8/8/8/8/P4PPP/3R2K1 b - -", "e7e6", &["d1d8"][..]);
        let shifted = "r5k1/5ppp/8/8/8/8/P4PPP/4R1K1 b - -";
        let far = ("r5k1/5ppp/8/8/8/7P/P4PP1/2R3K1 b - -", "a8a2", &["c1c8"][..]);
        let index = |traps: &[(&str, &str, &[&str])]| proposed(&judge(traps, 0.1), shifted);
        let alone = index(&[far]);
        assert_eq!(alone, told("a8a2", &["e1e8"], &["e1e8"]));
        // After three that are more similar its bait is still found by its label, but its killer is not matched.
        let last = index(&[near, near, near, far]).into_iter().find(|p| p.0 == "a8a2");
        assert_eq!(last, told("a8a2", &[], &[]).pop());
    }
}
