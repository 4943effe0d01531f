//! Candidates from similar trees: the bait and the killer of similar traps as moves of the position.
//!
//! A move of the trap is a move of the position where it has the same label; where none has, its counterpart by move
//! matching takes its place. Nothing of this is a claim: what is proposed is only where the proof begins.

use std::sync::OnceLock;

use shakmaty::{CastlingMode, Chess, Move, MoveList, Position};

use crate::chess::moves::after;
use crate::chess::position::GamePosition;
use crate::judge::model::{Candidate, Case, Decision, SimilarTrap, Trap};
use crate::judge::trap_list::TrapList;
use crate::judge::workspace::Workspace;
use crate::measures::move_matching::Pattern;
use crate::measures::trap_positions::{Hit, Index, Measure, Member};
use crate::search::verdict::Verdict;
use crate::trees::labels::uci_label;

/// Moves are matched for so many of the most similar traps of a position: in three files of amateurs' games, from a
/// similarity of 0.6 on, the most similar one alone found four baits more than labels do and three found five; a
/// measure that does not look at labels can bring a hundred of them near.
const MATCHED: usize = 3;

/// What a trap's bait and killer are matched by.
struct MatchPattern {
    bait: Pattern,
    killer: Option<Pattern>,
}

impl MatchPattern {
    fn of(trap: &Trap) -> MatchPattern {
        let baited = baited(&trap.position, trap.bait);
        MatchPattern {
            bait: Pattern::of(&trap.position, trap.bait),
            killer: trap.line.first().map(|&killer| Pattern::of(&baited, killer)),
        }
    }
}

/// The positions of a library of traps, to compare whole trees with.
pub(super) struct LabelCandidates {
    index: Index,
    /// Made when the trap first comes near a position, because most traps of a large library never do.
    patterns: Vec<[OnceLock<MatchPattern>; 2]>,
}

impl LabelCandidates {
    pub(super) fn new(traps: &TrapList, measure: Measure, min_similarity: f64) -> LabelCandidates {
        LabelCandidates {
            index: Index::new(&traps.positions(), measure, min_similarity),
            patterns: std::iter::repeat_with(Default::default).take(traps.len()).collect(),
        }
    }

    fn pattern(&self, member: Member, trap: &Trap) -> &MatchPattern {
        self.patterns[member.trap as usize][usize::from(member.mirrored)].get_or_init(|| MatchPattern::of(trap))
    }

    /// The similar traps, the most similar first; to be given back to the workspace, whose memory it is.
    pub(super) fn similar_traps(&self, decision: &Decision, work: &mut Workspace) -> Vec<Hit> {
        let mut hits = std::mem::take(&mut work.hits);
        self.index.hits(decision.position, &mut work.scratch, &mut hits);
        // Other positions can be as similar as the trap's own.
        hits.sort_by(|a, b| {
            let stranger = |hit: &Hit| !decision.known.contains(&hit.member);
            b.similarity
                .total_cmp(&a.similarity)
                .then_with(|| stranger(a).cmp(&stranger(b)))
                .then(a.member.trap.cmp(&b.member.trap))
        });
        hits
    }

    /// The baits of the similar traps as moves of this position that have no case yet and are not known to lose nothing
    /// here. `hits`: the most similar first.
    pub(super) fn find<'a>(
        &self,
        traps: &'a TrapList,
        decision: &Decision,
        hits: &[Hit],
        cases: &[Case],
    ) -> Vec<Candidate<'a>> {
        let mut candidates: Vec<Candidate> = Vec::new();
        if hits.is_empty() {
            return candidates;
        }
        let position = decision.position;
        let refuted = traps.refuted_baits(decision.known);
        let moves = position.chess.legal_moves();
        let trusted = hits.iter().filter(|hit| traps.get(hit.member).verdict != Verdict::Refuted);
        for (rank, hit) in trusted.enumerate() {
            let trap = traps.get(hit.member);
            let pattern = (rank < MATCHED).then(|| self.pattern(hit.member, trap));
            let Some(bait) = bait_here(trap, pattern, position, &moves) else { continue };
            if cases.iter().any(|case| case.bait == bait) || refuted.contains(&bait) {
                continue;
            }
            let similar = similar_trap(hit, trap, pattern, &baited(position, bait));
            match candidates.iter_mut().find(|candidate| candidate.bait == bait) {
                Some(candidate) => candidate.traps.push(similar),
                None => candidates.push(Candidate { bait, traps: vec![similar] }),
            }
        }
        candidates
    }
}

/// `baited`: the position after what stands for the bait.
fn similar_trap<'a>(
    hit: &Hit,
    trap: &'a Trap,
    pattern: Option<&MatchPattern>,
    baited: &GamePosition,
) -> SimilarTrap<'a> {
    let mut line = legal_beginning(&baited.chess, &trap.line);
    let killer = pattern.and_then(|pattern| pattern.killer.as_ref());
    let counterpart = killer.and_then(|killer| killer.counterpart(baited));
    // The counterpart comes first: it does the killer's work here, with any pieces on the killer's squares.
    let killers = counterpart.into_iter().chain(line.first().copied()).collect();
    if line.is_empty() {
        line.extend(counterpart);
    }
    SimilarTrap { member: hit.member, similarity: hit.similarity, trap, killers, line }
}

/// The trap's bait as one of the legal `moves` of a position.
///
/// The same squares come first. What made the positions similar is that their moves have the same labels, and then the
/// bait nearly always has it too; matching does not look at labels, and of the baits of 298 mates it named every third
/// two plies later.
fn bait_here(trap: &Trap, patterns: Option<&MatchPattern>, position: &GamePosition, moves: &MoveList) -> Option<Move> {
    let wanted = uci_label(trap.bait, trap.position.mode);
    let same = moves.iter().copied().find(|&m| uci_label(m, position.mode) == wanted);
    same.or_else(|| patterns.and_then(|pattern| pattern.bait.counterpart(position)))
}

fn baited(position: &GamePosition, bait: Move) -> GamePosition {
    GamePosition { chess: after(&position.chess, bait), mode: position.mode }
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

    /// The rook leaves its first rank for a pawn, and is mated there.
    const BACK_RANK: (&str, &str, &[&str]) = ("r5k1/5ppp/8/8/8/8/P4PPP/3R2K1 b - -", "a8a2", &["d1d8"]);

    fn library(traps: &[(&str, &str, &[&str])], min_similarity: f64) -> (TrapList, LabelCandidates) {
        let traps = traps.iter().map(|&(fen, bait, line)| {
            let position = parse(fen).unwrap();
            let bait = parse_move(&position, bait).unwrap();
            let mut reached = baited(&position, bait);
            let line = line.iter().map(|uci| {
                let m = parse_move(&reached, uci).unwrap();
                reached.chess.play_unchecked(m);
                m
            });
            Trap { line: line.collect(), position, bait, verdict: Verdict::Proved, mate_in: Some(1) }
        });
        let traps = TrapList::new(traps.collect());
        let candidates = LabelCandidates::new(&traps, Measure::Sequences, min_similarity);
        (traps, candidates)
    }

    /// Bait, killers in order, and line of every proposal in a position, as UCI.
    fn proposed(
        (traps, candidates): &(TrapList, LabelCandidates),
        fen: &str,
    ) -> Vec<(String, Vec<String>, Vec<String>)> {
        let position = parse(fen).unwrap();
        let decision = Decision { position: &position, played: None, known: &[] };
        let hits = candidates.similar_traps(&decision, &mut Workspace::default());
        let text = |moves: &[Move]| moves.iter().map(|m| m.to_uci(position.mode).to_string()).collect::<Vec<_>>();
        let found = candidates.find(traps, &decision, &hits, &[]);
        found.iter().map(|c| (text(&[c.bait]).remove(0), text(&c.killers()), text(&c.traps[0].line))).collect()
    }

    fn expected(bait: &str, killers: &[&str], line: &[&str]) -> Vec<(String, Vec<String>, Vec<String>)> {
        let texts = |moves: &[&str]| moves.iter().map(|m| (*m).to_owned()).collect();
        vec![(bait.to_owned(), texts(killers), texts(line))]
    }

    #[test]
    fn the_same_squares_are_proposed_where_they_can_be_played() {
        let library = library(&[BACK_RANK], 0.5);
        assert_eq!(proposed(&library, BACK_RANK.0), expected("a8a2", &["d1d8"], &["d1d8"]));
        // The knight guards d8 but not e8, where the other rook mates.
        let guarded = "r5k1/5ppp/2n5/8/8/8/P4PPP/3RR1K1 b - -";
        assert_eq!(proposed(&library, guarded), expected("a8a2", &["e1e8", "d1d8"], &["d1d8"]));
    }

    #[test]
    fn the_counterpart_stands_in_for_a_move_that_is_none_here() {
        let library = library(&[BACK_RANK], 0.1);
        let shifted = "1r4k1/5ppp/8/8/8/8/1P3PPP/4R1K1 b - -";
        assert_eq!(proposed(&library, shifted), expected("b8b2", &["e1e8"], &["e1e8"]));
        let another_piece = "1r4k1/5ppp/8/8/8/8/1P3PPP/4Q1K1 b - -";
        assert_eq!(proposed(&library, another_piece), expected("b8b2", &["e1e8"], &["e1e8"]));
        let exchanged = "4r1k1/1p3ppp/8/8/8/8/5PPP/1R4K1 w - -";
        assert_eq!(proposed(&library, exchanged), expected("b1b7", &["e8e1"], &["e8e1"]));
    }

    #[test]
    fn only_the_most_similar_traps_are_matched() {
        let near = ("r5k1/4pppp/8/8/8/8/P4PPP/3R2K1 b - -", "e7e6", &["d1d8"][..]);
        let shifted = "r5k1/5ppp/8/8/8/8/P4PPP/4R1K1 b - -";
        let far = ("r5k1/5ppp/8/8/8/7P/P4PP1/2R3K1 b - -", "a8a2", &["c1c8"][..]);
        let index = |traps: &[(&str, &str, &[&str])]| proposed(&library(traps, 0.1), shifted);
        let alone = index(&[far]);
        assert_eq!(alone, expected("a8a2", &["e1e8"], &["e1e8"]));
        // After three that are more similar its bait is still found by its label, but its killer is not matched.
        let last = index(&[near, near, near, far]).into_iter().find(|p| p.0 == "a8a2");
        assert_eq!(last, expected("a8a2", &[], &[]).pop());
    }
}
