//! A batch of games in, findings out: each event with what is needed to write it into the game.

use std::collections::BTreeMap;

use shakmaty::san::SanPlus;
use shakmaty::{Chess, Color, Move, Position};

use crate::chess::moves::after;
use crate::chess::position::sans;
use crate::judge::game_analyzer::{GameAnalyzer, mover};
use crate::judge::judgements::{JudgedPosition, PROOF};
use crate::judge::model::{Event, JudgedGame};
use crate::judge::pass::{Look, looks_at};
use crate::judge::workspace::Workspace;
use crate::pgn::anchors::{Anchor, Layout, anchors, layout};
use crate::pgn::reader::Game;
use crate::pgn::records::{Noted, Unread, games};
use crate::pgn::splitter::Batch;

/// Plies of the better line that are shown.
const BEST_LINE: usize = 9;

/// One event with its words.
pub(crate) struct Finding {
    pub event: Event,
    pub mover: Color,
    /// Full-move number of the move.
    pub number: u32,
    pub played: String,
    pub bait_san: String,
    pub line_san: Vec<String>,
    /// The line that begins with the best other move; empty where that is not known.
    pub best_line_san: Vec<String>,
    pub kind: &'static str,
    pub anchor: Anchor,
}

/// What a move of the game leads to.
pub(crate) struct MoveValue {
    /// Index of the move, the first one being 0.
    pub at: usize,
    /// Twice its full-move number, plus one if it is Black's.
    pub half_move: u32,
    pub anchor: Anchor,
    /// The move, UCI.
    pub played: String,
    /// The position before it.
    pub origin: Chess,
    /// The position after it.
    pub judged: JudgedPosition,
    /// Moves to the mate of the side to move, or of the other one if negative; `None` if none is proved.
    pub mate_in: Option<i32>,
}

/// A game with findings, or with values that are wanted.
pub(crate) struct GameFindings {
    pub number: u64,
    pub offset: u64,
    /// Within the batch.
    pub start: usize,
    pub size: usize,
    pub game: Game,
    pub layout: Layout,
    /// Other programs read it as part of a comment that was never closed: no brace may be put into it.
    pub commented: bool,
    pub findings: Vec<Finding>,
    /// The positions that they are about, each once; with values, all positions of the game.
    pub judged: Vec<JudgedPosition>,
    /// Of the moves whose value is known, if values are wanted. A game that is over has none.
    pub values: Vec<MoveValue>,
}

#[derive(Default)]
pub(crate) struct BatchFindings {
    pub games: u64,
    pub positions: u64,
    pub unread: Vec<Unread>,
    pub notes: Vec<Noted>,
    pub found: Vec<GameFindings>,
    pub candidates: u64,
    pub suspected: u64,
    pub proof_nodes: u64,
}

/// What an engine saw of the positions of games, by their numbers.
pub(crate) type Looks = BTreeMap<u64, Vec<Look>>;

/// The looks of this game do not fit it, or are missing where an engine decides.
#[derive(Debug)]
pub(crate) struct NoLooks(pub u64);

/// Analyzes every game of a batch; nothing of it counts if the work was stopped meanwhile.
pub(crate) fn analyze_batch(
    analyzer: &GameAnalyzer,
    batch: &Batch,
    looks: &Looks,
    work: &mut Workspace,
) -> Result<BatchFindings, NoLooks> {
    let mut out = BatchFindings::default();
    (work.candidates, work.suspected, work.proof_nodes) = (0, 0, 0);
    for (piece, game) in games(batch) {
        if work.is_stopped() {
            break;
        }
        out.games += 1;
        let game = match game {
            Ok(game) => game,
            Err(skip) => {
                out.unread.push(Unread::new(&piece, &skip));
                continue;
            }
        };
        out.notes.extend(Noted::all(&piece, &game));
        let number = piece.number;
        let looks = looks.get(&number).map(|given| looks_at(&game, given).ok_or(NoLooks(number))).transpose()?;
        if looks.is_none() && analyzer.needs_looks() {
            return Err(NoLooks(number));
        }
        let JudgedGame { events, judged, values, positions } = analyzer.events(&game, looks, work);
        out.positions += positions;
        if events.is_empty() && values.is_empty() {
            continue;
        }
        let mut places = anchors(piece.bytes, &game.text, game.initial.turn() == Color::Black);
        let values = move_values(&game, values, &places);
        let findings = events.into_iter().map(|event| finding(&game, event, &mut places)).collect();
        out.found.push(GameFindings {
            number: piece.number,
            offset: piece.offset,
            start: piece.start,
            size: piece.bytes.len(),
            layout: layout(piece.bytes),
            commented: piece.commented,
            game,
            findings,
            judged,
            values,
        });
    }
    (out.candidates, out.suspected, out.proof_nodes) = (work.candidates, work.suspected, work.proof_nodes);
    Ok(out)
}

fn move_values(game: &Game, values: Vec<(usize, Chess, Option<JudgedPosition>)>, places: &[Anchor]) -> Vec<MoveValue> {
    let first = 2 * u32::from(game.initial.fullmoves()) + u32::from(game.initial.turn().is_black());
    let known = values.into_iter().filter_map(|(at, origin, judged)| Some((at, origin, judged?)));
    known
        .filter(|(_, _, judged)| !judged.position.is_game_over() || judged.position.is_stalemate())
        .map(|(at, origin, judged)| MoveValue {
            at,
            half_move: first + at as u32,
            anchor: places[at].clone(),
            played: game.moves[at].to_uci(game.mode).to_string(),
            origin,
            mate_in: mate_in(&judged),
            judged,
        })
        .collect()
}

/// Moves to a mate that is proved to its end.
fn mate_in(JudgedPosition { position, judgement }: &JudgedPosition) -> Option<i32> {
    let mut end = position.clone();
    for &m in &judgement.line {
        end.play_unchecked(m);
    }
    let moves = judgement.line.len().div_ceil(2) as i32;
    let sign = if judgement.chance > 0.0 { 1 } else { -1 };
    (judgement.nodes >= PROOF && end.is_checkmate()).then_some(sign * moves)
}

fn finding(game: &Game, event: Event, places: &mut [Anchor]) -> Finding {
    let first_ply = u32::from(game.initial.turn() == Color::Black);
    Finding {
        mover: mover(game, event.at),
        number: u32::from(game.initial.fullmoves()) + (first_ply + event.at as u32) / 2,
        played: played(game, event.at),
        bait_san: SanPlus::from_move(event.position.clone(), event.case.bait).to_string(),
        line_san: sans(&event.baited, &event.case.line),
        best_line_san: event.case.figures.as_ref().map_or_else(Vec::new, |figures| {
            sans(&event.position, &figures.best_line[..figures.best_line.len().min(BEST_LINE)])
        }),
        kind: killer_kind(&event.baited, event.case.line.first().copied(), event.case.mate_in.is_some()),
        anchor: places[event.at].clone(),
        event,
    }
}

/// What a killer is: a mate (which is known), a capture (or promotion), a check, or a quiet move.
pub(crate) fn killer_kind(baited: &Chess, killer: Option<Move>, mates: bool) -> &'static str {
    if mates {
        "mate"
    } else if killer.is_some_and(|m| m.is_capture() || m.is_promotion()) {
        "capture"
    } else if killer.is_some_and(|m| after(baited, m).is_check()) {
        "check"
    } else {
        "quiet"
    }
}

fn played(game: &Game, at: usize) -> String {
    let mut position = game.initial.clone();
    for &m in &game.moves[..at] {
        position.play_unchecked(m);
    }
    SanPlus::from_move(position, game.moves[at]).to_string()
}
