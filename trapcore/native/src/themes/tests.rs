use super::line::Line;
use super::{THEMES, line_themes};
use crate::chess::position::{parse, parse_line};

fn line(fen: &str, moves: &str) -> Line {
    let position = parse(fen).unwrap();
    Line::new(&position.chess, &parse_line(&position, moves.split(' ')).unwrap())
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
