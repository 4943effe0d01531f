//! Zugzwang: the victim would be better off if it could pass. The only theme that needs a search.

use shakmaty::{Chess, Position};

use crate::search::{Limits, MAX_DEPTH, Pruning, SearchRequest, Searcher};
use crate::themes::line::{Evidence, Line};
use crate::win_chance::win_chance;

/// Moves at most that the victim has: with more there is nearly always one that changes nothing.
const MOVES: usize = 15;
/// Win chance that passing would save, at least.
const SAVED: f64 = 0.15;
/// The same in a search of a tenth of the nodes, without which no longer one is made.
const SUSPECTED: f64 = 0.03;

/// Searches positions as they are and as if the side to move had passed.
pub(crate) struct Passing<'a> {
    pub searcher: &'a mut Searcher,
    /// Nodes of each search.
    pub nodes: u64,
}

impl Passing<'_> {
    fn value(&mut self, chess: &Chess, nodes: u64) -> f64 {
        self.searcher.clear();
        let limits = Limits { depth: MAX_DEPTH, nodes };
        win_chance(self.searcher.search(chess, SearchRequest::default(), limits, Pruning::Selective, |_| true).value)
    }

    /// Win chance, -2 to 2, that passing would save the side to move.
    fn saves(&mut self, chess: &Chess, passed: &Chess, nodes: u64) -> f64 {
        -self.value(passed, nodes) - self.value(chess, nodes)
    }
}

/// The victim, not in check and with few moves, would lose less if it could pass.
pub(crate) fn zugzwang(line: &Line, passing: &mut Passing<'_>) -> Option<Evidence> {
    line.plies().find_map(|ply| {
        let chess = line.after(ply);
        if chess.is_check() || !(1..=MOVES).contains(&chess.legal_moves().len()) {
            return None;
        }
        let passed = chess.clone().swap_turn().ok()?;
        let holds = passing.saves(chess, &passed, passing.nodes / 10) >= SUSPECTED
            && passing.saves(chess, &passed, passing.nodes) >= SAVED;
        holds.then(|| Evidence::new(ply, line.step(ply).to, [line.king(chess)]))
    })
}
