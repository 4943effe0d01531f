use shakmaty::Square;

use super::line::{Evidence, Line};
use super::{THEMES, line_themes};
use crate::chess::position::{mirror, parse, parse_line};

fn line(fen: &str, moves: &str) -> Line {
    let position = parse(fen).unwrap();
    Line::new(&position.chess, &parse_line(&position, moves.split(' ')).unwrap())
}

fn flipped(evidence: &Evidence) -> (usize, Option<Square>, Vec<Square>) {
    let mut targets: Vec<Square> = evidence.targets.iter().map(|square| square.flip_vertical()).collect();
    targets.sort();
    (evidence.ply, evidence.by.map(Square::flip_vertical), targets)
}

#[test]
fn names_are_different() {
    let mut names: Vec<&str> = THEMES.iter().map(|&(name, _)| name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), THEMES.len());
}

#[test]
fn a_move_of_the_victim_at_the_end_changes_nothing() {
    let fen = "4k3/8/8/3q3N/8/8/8/4K2R b - - 0 1";
    let whole = line(fen, "d5d6 h5g7 e8d7");
    let shorter = line(fen, "d5d6 h5g7");
    assert_eq!(line_themes(&whole, None), line_themes(&shorter, None));
}

#[test]
fn colours_exchanged_are_the_same_themes() {
    for (fen, moves) in [
        ("1qr2rk1/pb2bppp/8/8/2p1N3/P1Bn2P1/2Q2PBP/1R3RK1 b - - 3 23", "b8c7 b1b7 c7b7 e4f6 e7f6 g2b7"),
        ("6Qk/p1p3pp/4N3/1p6/2q1r1n1/2B5/PP4PP/3R1R1K b - - 0 28", "h8g8 f1f8"),
        ("r1bqkbnr/pppp1ppp/2n5/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR b KQkq - 3 3", "g8f6 h5f7"),
    ] {
        let position = parse(fen).unwrap();
        let moves = parse_line(&position, moves.split(' ')).unwrap();
        let turned: Vec<_> = moves.iter().map(|&m| crate::chess::moves::mirror_move(m)).collect();
        let here = line_themes(&Line::new(&position.chess, &moves), None);
        let there = line_themes(&Line::new(&mirror(&position).chess, &turned), None);
        assert!(here.len() > 2);
        assert_eq!(here.len(), there.len());
        for ((name, evidence), (other, turned)) in here.iter().zip(&there) {
            let mut targets = turned.targets.clone();
            targets.sort();
            assert_eq!((*name, flipped(evidence)), (*other, (turned.ply, turned.by, targets)));
        }
    }
}
