//! What mining needs of thousands of positions at a time.

use pyo3::prelude::*;
use shakmaty::Move;

use super::calls::spare::Spare;
use super::calls::{Cancellation, detached};
use crate::chess::position::{self, BadPosition, GamePosition};
use crate::pgn::records::{Stored, replayed};
use crate::trap_test::Tester;

/// Binary logarithm of the table of a shallow search: it is emptied before each.
const SHALLOW_TABLE_BITS: u32 = 12;

static SHALLOW_TESTERS: Spare<Tester> = Spare::new();

/// Start (or None), moves as stored, and plies.
type Game = (Option<String>, Vec<u8>, Vec<usize>);

/// Positions and moves of stored games.
#[pyfunction]
fn replay(py: Python<'_>, games: Vec<Game>) -> PyResult<Vec<Vec<(String, String)>>> {
    let all = py.detach(|| {
        games
            .iter()
            .map(|(start, moves, plies)| replayed(&Stored { start_fen: start.as_deref(), moves, plies }))
            .collect::<Result<_, BadPosition>>()
    })?;
    Ok(all)
}

/// Win chance that each move costs, and the answer to it.
type Losses = Vec<(f64, Option<String>)>;

/// What moves of positions cost, as a shallow search of so many nodes sees it; shorter than the cases if it was
/// stopped.
#[pyfunction]
fn losses(
    py: Python<'_>,
    cases: Vec<(String, Vec<String>)>,
    nodes: u64,
    stop: Option<&Cancellation>,
) -> PyResult<Vec<Losses>> {
    let cases = cases
        .iter()
        .map(|(fen, moves)| {
            let position = position::parse(fen)?;
            let moves =
                moves.iter().map(|uci| position::parse_move(&position, uci)).collect::<Result<Vec<Move>, _>>()?;
            Ok((position, moves))
        })
        .collect::<Result<Vec<(GamePosition, Vec<Move>)>, BadPosition>>()?;
    detached(py, None, stop, |stop_flag| {
        SHALLOW_TESTERS.lend(
            || Tester::new(1, SHALLOW_TABLE_BITS),
            |tester| {
                tester.set_stop_flag(stop_flag);
                let mut out = Vec::with_capacity(cases.len());
                for (position, moves) in &cases {
                    let uci = |m: Move| m.to_uci(position.mode).to_string();
                    let seen = tester.losses(&position.chess, moves, nodes);
                    if tester.is_stopped() {
                        break;
                    }
                    out.push(seen.into_iter().map(|(loss, answer)| (loss, answer.map(uci))).collect());
                }
                out
            },
        )
    })
}

/// Adds the functions of this file to the module.
pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(replay, module)?)?;
    module.add_function(wrap_pyfunction!(losses, module)?)?;
    Ok(())
}
