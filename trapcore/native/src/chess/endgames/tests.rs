//! The tables against published numbers, against mates that are proved, and against the search of all moves.

use shakmaty::{CastlingMode, Chess, FromSetup, Position, Setup};

use super::material::{MATERIALS, Material, find};
use super::retrograde::{Distances, ILLEGAL, Outcome, is_loss, is_win};
use super::tables::{outcome, packed, table};
use crate::chess::position::parse;

fn place(name: &str) -> usize {
    MATERIALS.iter().position(|material| material.name() == name).unwrap()
}

/// Moves of the longest mate of White, to move, and of Black.
fn longest(distances: &[u8]) -> [u8; 2] {
    let (white, black) = distances.split_at(distances.len() / 2);
    [white, black].map(|half| half.iter().filter(|&&value| is_win(value)).max().map_or(0, |value| value / 2))
}

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
fn the_longest_mates_are_those_that_are_published() {
    let mut made = Distances::default();
    for (name, moves) in [("KQvK", 10), ("KRvK", 16), ("KPvK", 28), ("KBvK", 0), ("KNvK", 0)] {
        let distances = made.of(place(name));
        assert_eq!(longest(distances), [moves, 0], "{name}");
        assert_eq!(packed(distances), *table(place(name)), "{name}");
    }
}

/// Every table, which takes minutes: run with `cargo test --profile checked -- --ignored`.
#[test]
#[ignore = "makes every table anew, which takes minutes"]
fn every_table_is_made_anew_alike_with_the_published_mates() {
    let published = [
        ("KQvKR", [35, 19]),
        ("KQvKB", [17, 0]),
        ("KQvKN", [21, 0]),
        ("KQvKQ", [13, 13]),
        ("KRvKR", [19, 19]),
        ("KRvKB", [29, 0]),
        ("KRvKN", [40, 1]),
        ("KBBvK", [19, 0]),
        ("KBNvK", [33, 0]),
        ("KNNvK", [1, 0]),
        ("KQvKP", [28, 29]),
        ("KRvKP", [26, 43]),
        ("KPvKP", [33, 33]),
        ("KPPvK", [32, 0]),
        ("KBPvK", [31, 0]),
        ("KNPvK", [27, 0]),
    ];
    let mut made = Distances::default();
    for (place, material) in MATERIALS.iter().enumerate() {
        let distances = made.of(place);
        assert_eq!(packed(distances), *table(place), "{}", material.name());
        if let Some((name, moves)) = published.iter().find(|(name, _)| *name == material.name()) {
            assert_eq!(longest(distances), *moves, "{name}");
        }
    }
}

/// Three-man endings have published numbers of positions, counted without symmetric ones.
#[test]
fn the_lost_positions_of_king_and_pawn_are_as_many_as_are_published() {
    let mut made = Distances::default();
    let distances = made.of(place("KPvK"));
    let legal = |value: &&u8| **value != ILLEGAL;
    let (white, black) = distances.split_at(distances.len() / 2);
    assert_eq!(white.iter().filter(legal).count(), 81_664);
    assert_eq!(white.iter().filter(|&&value| is_win(value)).count(), 62_480);
    assert_eq!(black.iter().filter(legal).count(), 84_012);
    assert_eq!(black.iter().filter(|&&value| is_loss(value)).count(), 48_802);
}

#[test]
fn each_position_is_as_good_as_its_best_move() {
    for (place, material) in MATERIALS.iter().enumerate() {
        let mut seen = 0;
        for index in (0..material.len()).step_by((material.len() / 499) | 1) {
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
