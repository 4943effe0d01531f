//! The tables against the search of all moves, and against known endings.

use shakmaty::{CastlingMode, Chess, FromSetup, Position, Setup};

use super::Outcome;
use super::material::{MATERIALS, Material, find};
use super::tables::outcome;
use crate::chess::position::parse;

fn position(material: &Material, index: usize) -> Option<Chess> {
    let placement = material.placement(index);
    let board = material.board(&placement);
    if board.occupied().count() < material.men.len() {
        return None; // two men on one square
    }
    let setup = Setup { board, turn: placement.turn, ..Setup::empty() };
    Chess::from_setup(setup, CastlingMode::Standard).ok()
}

#[test]
fn each_position_is_as_good_as_its_best_move() {
    for (place, material) in MATERIALS.iter().enumerate() {
        let mut seen = 0;
        for index in (0..material.size()).step_by((material.size() / 499) | 1) {
            let Some(chess) = position(material, index) else { continue };
            let Some(here) = outcome(&chess) else { continue };
            let moves = chess.legal_moves();
            let best = moves.iter().map(|&m| {
                let next = crate::chess::moves::after(&chess, m);
                match value(&next) {
                    Outcome::Lost => Outcome::Won,
                    Outcome::Drawn => Outcome::Drawn,
                    Outcome::Won => Outcome::Lost,
                }
            });
            let over = if chess.is_check() { Outcome::Lost } else { Outcome::Drawn };
            assert_eq!(here, best.max_by_key(|&one| one as u8).unwrap_or(over), "{place} {:?}", chess);
            assert_eq!(find(chess.board(), chess.turn()).map(|(found, _)| found), Some(place));
            seen += 1;
        }
        assert!(seen > 20, "{}: {seen}", material.name());
    }
}

/// The outcome of a position, also where a pawn can be taken en passant.
fn value(chess: &Chess) -> Outcome {
    if chess.is_insufficient_material() {
        return Outcome::Drawn;
    }
    outcome(chess).unwrap_or_else(|| {
        let moves = chess.legal_moves();
        let answers = moves.iter().map(|&m| match value(&crate::chess::moves::after(chess, m)) {
            Outcome::Lost => Outcome::Won,
            Outcome::Drawn => Outcome::Drawn,
            Outcome::Won => Outcome::Lost,
        });
        answers.max_by_key(|&one| one as u8).unwrap()
    })
}

#[test]
fn known_endings_are_known() {
    for (fen, expected) in [
        // A queen against a rook's or a bishop's pawn on the seventh rank, and against a knight's.
        ("8/8/8/8/8/1Q6/p6K/k7 b - - 0 1", Outcome::Drawn),
        ("8/8/8/Q7/3K4/8/2p5/1k6 w - - 0 29", Outcome::Drawn),
        ("8/8/8/Q7/3K4/8/1p6/1k6 w - - 0 29", Outcome::Won),
        // The bishop that does not command the square of promotion, and the one that does.
        ("k7/8/8/P7/8/8/4B3/K7 w - - 0 1", Outcome::Won),
        ("k7/8/8/P7/8/4B3/8/K7 w - - 0 1", Outcome::Drawn),
        // The opposition.
        ("4k3/8/4K3/4P3/8/8/8/8 w - - 0 1", Outcome::Won),
        ("8/4k3/8/4K3/4P3/8/8/8 w - - 0 1", Outcome::Drawn),
        ("8/4k3/8/4K3/4P3/8/8/8 b - - 0 1", Outcome::Lost),
        // Colours do not matter.
        ("8/8/8/4p3/4k3/8/4K3/8 b - - 0 1", Outcome::Drawn),
    ] {
        assert_eq!(outcome(&parse(fen).unwrap().chess), Some(expected), "{fen}");
    }
}

#[test]
fn nothing_is_said_of_castling_en_passant_and_more_men() {
    for fen in
        ["4k3/8/8/8/8/8/8/4K2R w K - 0 1", "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "4k3/8/8/3pP3/8/8/8/4KB2 w - - 0 1"]
    {
        assert_eq!(outcome(&parse(fen).unwrap().chess), None, "{fen}");
    }
    assert!(outcome(&parse("4k3/8/8/3pP3/8/8/8/4K3 w - - 0 1").unwrap().chess).is_some());
}
