//! The interface to Python: converts values, releases the GIL, and raises the errors of `trapcore.errors`.
//!
//! | module | what it holds |
//! |---|---|
//! | `arguments` | arguments that many functions take, and the errors that they raise |
//! | `pickle` | classes that are made of their fields and can be pickled |
//! | `calls` | how long calls are made: they end early, at a lower priority, with tables that are kept |
//! | `positions` | EPD, keys, fingerprints, trees, lines and exchanges of a position |
//! | `search` | mate proofs, the search, the trap test |
//! | `evaluation` | quiescence, the kinds of endings, and the tables of endings |
//! | `measures` | similarities of two positions, and the pairs of their moves |
//! | `label_sets` | fingerprints of many positions, compared with one at once |
//! | `ranking` | tokens of moves, and killers ranked by learned weights |
//! | `token_index` | the index of token sets |
//! | `move_model` | the move model, and values of moves by short searches |
//! | `games` | batches of games, and games as rows for the library, which are replayed |
//! | `anchors` | where text can be added to the moves of a game, and what they are worth |
//! | `judge` | the events of games |
//! | `themes` | themes of a line, and why losing moves lose |

#![allow(clippy::too_many_arguments)] // Python names them

mod anchors;
mod arguments;
mod calls;
mod evaluation;
mod games;
mod judge;
mod label_sets;
mod measures;
mod move_model;
mod pickle;
mod positions;
mod ranking;
mod search;
mod themes;
mod token_index;

use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::judge::losses::suspicion;
use crate::{
    abstract_tree, chess, move_model as model, ranking as ranker, themes as ideas, trap_test, trees, win_chance,
};

#[pymodule]
mod _native {
    use super::*;

    #[pymodule_export]
    use super::anchors::{PyAnchor, PyMoveValue};
    #[pymodule_export]
    use super::calls::{Cancellation, background::give_way};
    #[pymodule_export]
    use super::evaluation::{ending_kind, ending_shares, known_outcome, open_syzygy, qsearch};
    #[pymodule_export]
    use super::games::{
        PyBatch, PyBatchRecords, PyGameRecord, PyJudgedPosition, PyNote, PySkipped, PySplitter, read_records, replay,
    };
    #[pymodule_export]
    use super::judge::{
        PyBatchFindings, PyFinding, PyGameAnalyzer, PyGameFindings, PySetTrap, killer_kind, loss_evidence,
    };
    #[pymodule_export]
    use super::label_sets::PyFingerprints;
    #[pymodule_export]
    use super::measures::{
        board_similarity, continuations, match_moves, move_count_ratio, reply_names, sampled_structural, sequence_ids,
        sequences, structural, tanimoto, tree_edit,
    };
    #[pymodule_export]
    use super::move_model::{losses, move_features, move_probabilities, move_values, tempting_moves};
    #[pymodule_export]
    use super::positions::{epd, exchanges, fingerprint, perft, plain_fen, position_key, sans};
    #[pymodule_export]
    use super::ranking::{
        MoveRanker, added_token, difference_token_sets, killer_token_sets, killer_tokens, seen_token_sets, token_kinds,
    };
    #[pymodule_export]
    use super::search::{
        PyBaitTest, bait_profile, find_baits, first_sight, judge_depths, lengthened, prove_mate, search,
        static_ranking, test_bait, test_baits,
    };
    #[pymodule_export]
    use super::themes::causes::{PyCause, PyExplanation, explain_mistakes};
    #[pymodule_export]
    use super::themes::{LineTheme, line_themes};
    #[pymodule_export]
    use super::token_index::{Payloads, PyTokenIndex, build_token_index, change_token_index};

    #[pymodule_init]
    fn constants(module: &Bound<'_, PyModule>) -> PyResult<()> {
        let names = |list: &[&'static str], last| PyTuple::new(module.py(), [list, &[last]].concat());
        let themes: Vec<_> = ideas::THEMES.iter().map(|&(name, _)| name).collect();
        let causes: Vec<_> = ideas::causes::CAUSES.iter().map(|&(name, _)| name).collect();
        module.add("THEMES", names(&themes, ideas::ZUGZWANG)?)?;
        module.add("CAUSES", names(&causes, ideas::causes::ZUGZWANG)?)?;
        module.add("PROVER_VERSION", crate::mate::PROVER_VERSION)?;
        module.add("TESTER_VERSION", trap_test::TESTER_VERSION)?;
        module.add("POSITION_KEY_VERSION", chess::position::POSITION_KEY_VERSION)?;
        module.add("FINGERPRINT_VERSION", trees::tree::FINGERPRINT_VERSION)?;
        module.add("VOCABULARY_VERSION", abstract_tree::tokens::VOCABULARY_VERSION)?;
        module.add("INACCURACY", win_chance::INACCURACY)?;
        module.add("BLUNDER", win_chance::BLUNDER)?;
        module.add("MISTAKE", win_chance::MISTAKE)?;
        module.add("TOLD", trap_test::TOLD)?;
        module.add("TEMPTING_RANK", trap_test::TEMPTING_RANK)?;
        module.add("TEMPTING_GAIN", trap_test::TEMPTING_GAIN)?;
        module.add("WIN_CHANCE_SCALE", win_chance::WIN_CHANCE_SCALE)?;
        module.add("MATE", crate::search::score::MATE)?;
        module.add("MATE_BOUND", crate::search::score::MATE_BOUND)?;
        module.add("PROOF", crate::judge::judgements::PROOF)?;
        module.add("ENGINE", crate::judge::judgements::ENGINE)?;
        module.add("PASS_NODES", crate::judge::pass::PASS_NODES)?;
        module.add("LOOK_NODES", crate::judge::pass::LOOK_NODES)?;
        module.add("TOLD_PLIES", crate::judge::pass::TOLD_PLIES)?;
        module.add("GREATEST_SIMILARITY", crate::judge::model::GREATEST_SIMILARITY)?;
        module.add("LOSS_FEATURES", suspicion::FEATURES.to_vec())?;
        module.add("LOSS_STAGES", suspicion::STAGES)?;
        module.add("MOVE_FEATURES", model::features::NAMES.to_vec())?;
        module.add("MIDDLE_RATING", model::MIDDLE_RATING)?;
        module.add("RATING_UNIT", model::RATING_UNIT)?;
        module.add("MOST_RATING_UNITS", model::MOST_UNITS)?;
        module.add("FIELD_BITS", abstract_tree::tokens::FIELD_BITS)?;
        module.add("TAKEN_KIND", ideas::differences::TAKEN)?;
        module.add("LAZY_SHORTLIST", ranker::ranker::LAZY_SHORTLIST)?;
        module.add("WEIGHT_UNIT", crate::token_index::UNIT)?;
        module.add("MAX_WEIGHT", crate::token_index::MAX_WEIGHT)
    }
}
