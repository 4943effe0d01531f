//! The memory that one thread reuses from position to position.

use rustc_hash::FxHashMap;
use shakmaty::Move;

use crate::judge::model::{Cases, ProofLimits};
use crate::measures::trap_positions::{Hit, Scratch};
use crate::search::Searcher;
use crate::search::stop::StopFlag;
use crate::themes::causes::threats::Passes;
use crate::token_index;
use crate::trap_test::Tester;

/// The positions of the openings come again and again, so their cases are cached; the table is emptied when it has
/// grown to about two megabytes, after some hundred games.
const CACHE_SIZE: usize = 1 << 14;

/// Binary logarithm of the entries of the tables of the prover and of the search.
const TABLE_BITS: u32 = 16;

/// The same for the search of whole games: 6 MiB.
const GAME_TABLE_BITS: u32 = 18;

/// What the cases of a position depend on, for one library.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct CaseKey {
    /// See [`live_key`](crate::chess::position::live_key).
    pub position: u128,
    /// Where the move that was played is examined beside others.
    pub played: Option<Move>,
    pub limits: ProofLimits,
}

/// What one thread needs to analyze games; can be used again and again, with one library.
pub(crate) struct Workspace {
    pub(super) scratch: Scratch,
    pub(super) hits: Vec<Hit>,
    pub(super) tester: Tester,
    cases: FxHashMap<CaseKey, Cases>,
    /// For the moves of a game, whose table is kept from one to the next and emptied when a game begins.
    pub(super) searcher: Searcher,
    /// For the quiescence of shortlisted moves, apart from the proofs so that these do not depend on it.
    pub(super) quiescence: Searcher,
    /// For why moves lose, with tables of their own, so that this depends on nothing else.
    pub(super) passes: Passes,
    pub(super) token_scratch: token_index::Scratch,
    /// Positions that were known or similar, before proof.
    pub candidates: u64,
    /// Moves that may have lost by what the pass over their games saw.
    pub suspected: u64,
    /// Nodes of all proofs, also of those that failed.
    pub proof_nodes: u64,
}

impl Default for Workspace {
    fn default() -> Workspace {
        Workspace {
            scratch: Scratch::default(),
            hits: Vec::new(),
            tester: Tester::new(TABLE_BITS, TABLE_BITS),
            cases: FxHashMap::default(),
            searcher: Searcher::new(GAME_TABLE_BITS),
            quiescence: Searcher::for_quiescence(&StopFlag::default()),
            passes: Passes::default(),
            token_scratch: token_index::Scratch::default(),
            candidates: 0,
            suspected: 0,
            proof_nodes: 0,
        }
    }
}

impl Workspace {
    /// Sets what ends the work early. What was found after that may be wrong, and so may what is cached of it here.
    pub(crate) fn set_stop_flag(&mut self, stop_flag: &StopFlag) {
        self.tester.set_stop_flag(stop_flag);
        self.searcher.stop_flag = stop_flag.clone();
        self.quiescence.stop_flag = stop_flag.clone();
        self.passes.set_stop_flag(stop_flag);
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.tester.is_stopped()
    }

    pub(super) fn cached(&self, key: &CaseKey) -> Option<Cases> {
        self.cases.get(key).cloned()
    }

    pub(super) fn cache(&mut self, key: CaseKey, cases: Cases) {
        if self.cases.len() >= CACHE_SIZE {
            self.cases.clear();
        }
        self.cases.insert(key, cases);
    }
}
