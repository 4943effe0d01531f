//! Whether the killer was a threat: it works as well if the mover passes.

use shakmaty::{Chess, Move, Position, Square};

use crate::chess::moves::after;
use crate::mate::Prover;
use crate::search::stop::StopFlag;
use crate::search::verdict::Verdict;
use crate::search::{Limits, MAX_DEPTH, Pruning, SearchRequest, Searcher};
use crate::themes::causes::exchange::{SOMETHING, taking, wins};
use crate::themes::causes::mistake::Mistake;
use crate::themes::causes::prize::{Kind, Played};
use crate::win_chance::{BLUNDER, win_chance};

/// Nodes of the search after a pass.
pub(crate) const PASS_NODES: u64 = 6_000;
/// Plies of a line that show what a tactic wins.
const SHOWS: usize = 4;
/// Nodes of the proof that the killer mates after a pass.
const MATE_NODES: u64 = 20_000;
/// Share of what the killer wins that it has to win after a pass too.
const SAME: f64 = 0.7;
/// Win chance above which a pass gives away more than the killer takes.
const WINNING: f64 = 0.7;

/// Binary logarithm of the entries of the tables of the search and of the prover, which are short.
const TABLE_BITS: u32 = 14;

/// Searches positions as if the mover had passed; one for each thread. Its answers do not depend on earlier ones.
pub(crate) struct Passes {
    pub searcher: Searcher,
    prover: Prover,
    /// Nodes of all searches that were made.
    pub spent: u64,
}

impl Default for Passes {
    fn default() -> Passes {
        Passes { searcher: Searcher::new(TABLE_BITS), prover: Prover::new(TABLE_BITS), spent: 0 }
    }
}

impl Passes {
    pub(crate) fn set_stop_flag(&mut self, stop_flag: &StopFlag) {
        self.searcher.stop_flag = stop_flag.clone();
        self.prover.stop_flag = stop_flag.clone();
    }
}

/// Whether the killer works after a pass: by exchanges, if that is enough, or else by a search. `None` if the mover is
/// in check, and if the killer is another move without the bait.
pub(crate) fn is_threat(mistake: &Mistake, passes: &mut Passes) -> Option<bool> {
    if takes_as_before(mistake) {
        return Some(true);
    }
    let passed = mistake.passed.as_ref()?;
    let killer = mistake.killer().chess_move;
    if !passed.is_legal(killer) {
        return Some(false);
    }
    if after(passed, killer).is_checkmate() {
        return Some(true);
    }
    if let Some(mate) = mistake.question.mate_in {
        let proof = passes.prover.prove(passed, mate, MATE_NODES, &[killer]);
        passes.spent += proof.nodes;
        return Some(proof.verdict == Verdict::Proved);
    }
    passes.searcher.clear();
    let limits = Limits { depth: MAX_DEPTH, nodes: PASS_NODES };
    let request = SearchRequest { only: &[killer], ..SearchRequest::default() };
    let found = passes.searcher.search(passed, request, limits, Pruning::Selective, |_| true);
    passes.spent += found.nodes;
    let line = continued(passed, found.line, passes);
    Some(works(mistake, win_chance(found.value), &line))
}

/// The line of a search. A search that was stopped may leave a line too short to show what it wins: a second search goes
/// on from its end.
fn continued(start: &Chess, mut line: Vec<Move>, passes: &mut Passes) -> Vec<Move> {
    if line.len() < SHOWS {
        let end = line.iter().fold(start.clone(), |position, &m| after(&position, m));
        let limits = Limits { depth: MAX_DEPTH, nodes: PASS_NODES / 4 };
        let found = passes.searcher.search(&end, SearchRequest::default(), limits, Pruning::Selective, |_| true);
        passes.spent += found.nodes;
        line.extend(found.line);
    }
    line
}

/// What the killer takes, another piece than the moved one, is taken with as much profit before the bait.
fn takes_as_before(mistake: &Mistake) -> bool {
    let Some(square) = mistake.lost_bystander() else { return false };
    let killer = mistake.killer();
    let gain = |board| taking(board, mistake.attacker(), square);
    killer.to == square
        && mistake.board().piece_at(square) == mistake.baited().piece_at(square)
        && mistake.board().attacks_from(killer.from).contains(square)
        && mistake.board().piece_at(killer.from) == mistake.baited().piece_at(killer.from)
        && gain(mistake.board()) >= SOMETHING
        && f64::from(gain(mistake.board())) >= SAME * f64::from(gain(mistake.baited()))
}

/// Whether a search after the pass, worth `chance` to the attacker, shows the same as after the bait.
fn works(mistake: &Mistake, chance: f64, line: &[Move]) -> bool {
    let Some(passed) = &mistake.passed else { return false };
    let played = Played::new(passed, line);
    let won = played.prize(0);
    match mistake.prize.map(|prize| prize.kind) {
        Some(_) => {
            let same = won
                .is_some_and(|won| won.kind == Kind::Mate || f64::from(won.gain) >= SAME * f64::from(mistake.gain()));
            same && mistake.question.before.is_none_or(|before| before + chance >= BLUNDER / 2.0)
        }
        None => {
            let (Some(before), Some(after)) = (mistake.question.before, mistake.question.after) else { return false };
            // What wins nothing that the board shows threatens only if it takes with profit or checks.
            let killer = mistake.killer();
            let takes = killer.captured.is_some() && wins(mistake.board(), mistake.attacker(), killer.to);
            let loud = takes || mistake.line.after(1).is_check();
            loud && mistake.chance.is_none()
                && before < WINNING
                && before + chance >= BLUNDER
                && chance >= -after - BLUNDER / 3.0
                && chance > 0.0
        }
    }
}

/// The killer was a threat, which the bait does not meet: the piece, or the king, that it is aimed at, if that
/// is one.
pub(crate) fn ignores_threat(mistake: &Mistake) -> Option<Vec<Square>> {
    if mistake.threatened != Some(true) {
        return None;
    }
    let target = match mistake.prize.map(|prize| prize.kind) {
        // A piece that nothing attacks after the killer falls for another reason.
        Some(Kind::Piece(_)) => mistake.lost_bystander().filter(|&square| {
            mistake.prize.is_some_and(|prize| prize.ply == 1)
                || wins(mistake.line.after(1).board(), mistake.attacker(), square)
        }),
        Some(Kind::Promotion) => mistake.prize.map(|prize| prize.square),
        Some(Kind::Mate) => Some(mistake.king()),
        None => None,
    };
    Some(target.into_iter().collect())
}
