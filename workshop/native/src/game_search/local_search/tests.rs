//! Local search against complete solutions, and what it promises of distances, budgets and cancellation.

use super::answer::{Finding, Limits, LocalAnswer};
use super::distance::Distances;
use super::rivals::{alpha_beta, proof_number};
use super::search::LocalSearch;
use crate::game_search::games::breakthrough::Breakthrough;
use crate::game_search::games::connect_four::ConnectFour;
use crate::game_search::games::game::Game;
use crate::game_search::games::local::LocalGame;
use crate::game_search::games::tic_tac_toe::TicTacToe;
use native::workshop::{Random, StopFlag};

const MEMORY: usize = 1 << 20;
const LIMITS: Limits = Limits { moves: 24, nodes: 20_000 };
const START: &str = "BBBBBB/BBBBBB/....../....../WWWWWW/WWWWWW w";

fn found<G: LocalGame>(game: &G, limits: Limits) -> LocalAnswer<G::Move> {
    LocalSearch::new(game, MEMORY).run(game, None, limits, &StopFlag::default())
}

fn solved<G: LocalGame>(game: &G) -> Option<bool> {
    proof_number(game, 3_000_000, 400_000, &StopFlag::default()).is_won
}

fn labelled<G: LocalGame>(game: &G, label: &str) -> G::Move {
    let mut moves = Vec::new();
    game.moves(&mut moves);
    moves.into_iter().find(|m| game.label(*m) == label).unwrap()
}

/// A position of random moves, of so many plies; none if the game ends before.
fn random_position<G: Game>(start: &G, plies: usize, seed: u64) -> Option<G> {
    let (mut game, mut random, mut moves) = (start.clone(), Random(seed), Vec::new());
    for _ in 0..plies {
        game.moves(&mut moves);
        game.play(moves[random.below(moves.len())]);
        if game.result().is_some() {
            return None;
        }
    }
    Some(game)
}

#[test]
fn distances_follow_from_the_rules() {
    let game = Breakthrough::parse(START, 6).unwrap();
    let distances = Distances::for_search(&game.statics());
    let number = |label| game.number(labelled(&game, label));
    // Two steps that touch one square are as near as can be; those of a and c meet on b4, one more each, and those of a
    // and f, five files apart, after three more each.
    assert_eq!(distances.between(number("a2a3"), number("b2a3")), 1);
    assert_eq!(distances.between(number("a2a3"), number("c2c3")), 3);
    assert_eq!(distances.between(number("a2a3"), number("f2f3")), 7);
    assert_eq!(distances.between(number("a2a3"), number("a2a3")), 0);
    // Three steps lead from the third rank to the sixth.
    assert_eq!(distances.to_goal(number("a2a3")), 3);
    let mut black = game.clone();
    black.pass();
    let reply = black.number(labelled(&black, "a5a4"));
    assert_eq!(distances.turns(number("a2a3"), reply), Some(2));
}

#[test]
fn claims_on_six_ranks_are_those_of_a_complete_search() {
    let start = Breakthrough::parse(START, 6).unwrap();
    let (mut wins, mut losses) = (0, 0);
    for game in (0..).filter_map(|seed| random_position(&start, 26, seed)).take(60) {
        let answer = found(&game, LIMITS);
        let is_claimed = answer.finding != Finding::Nothing;
        let Some(is_won) = (if is_claimed { solved(&game) } else { None }) else { continue };
        assert_eq!(is_won, answer.finding == Finding::Win, "{:?}", game.key());
        (wins, losses) = (wins + u32::from(is_won), losses + u32::from(!is_won));
    }
    assert!(wins > 20 && losses > 5, "{wins} {losses}");
}

#[test]
fn losing_moves_lose_and_a_win_is_no_shorter_than_alpha_beta_says() {
    let start = Breakthrough::parse(START, 6).unwrap();
    let mut compared = 0;
    for game in (0..).filter_map(|seed| random_position(&start, 22, seed)).take(40) {
        let answer = found(&game, Limits { moves: 3, ..LIMITS });
        for (m, _) in &answer.losing {
            let mut next = game.clone();
            next.play(*m);
            assert_ne!(solved(&next), Some(false), "{}", game.label(*m));
        }
        if answer.finding == Finding::Win {
            let claim = alpha_beta(&game, answer.moves, 5_000_000, &StopFlag::default());
            assert_eq!(claim.is_won, Some(true));
            assert!(claim.moves <= answer.moves);
            compared += 1;
        }
    }
    assert!(compared > 5, "{compared}");
}

#[test]
fn a_man_before_the_goal_wins_and_a_tenuki_loses_to_him() {
    let text = "....BB/.WBBBB/....../....../WWW.../WW....";
    let white = Breakthrough::parse(&format!("{text} w"), 6).unwrap();
    let answer = found(&white, LIMITS);
    assert_eq!((answer.finding, answer.moves, answer.line.len()), (Finding::Win, 1, 1));
    let black = Breakthrough::parse("B...BB/.WB.BB/....../....../WWW.../WW.... b", 6).unwrap();
    let answer = found(&black, Limits { moves: 1, ..LIMITS });
    assert_eq!((answer.finding, answer.tenuki), (Finding::Nothing, Some(1)));
    // All but the capture lose.
    let held = black.label(labelled(&black, "a6b5"));
    let losing: Vec<_> = answer.losing.iter().map(|(m, _)| black.label(*m)).collect();
    let mut moves = Vec::new();
    black.moves(&mut moves);
    assert!(!losing.contains(&held) && losing.len() == moves.len() - 1, "{losing:?}");
}

#[test]
fn connect_four_and_tic_tac_toe_are_won_where_they_are() {
    let start = ConnectFour::parse("......./......./......./......./......./....... x").unwrap();
    let mut claims = 0;
    for game in (0..).filter_map(|seed| random_position(&start, 24, seed)).take(30) {
        let answer = found(&game, LIMITS);
        if answer.finding != Finding::Nothing
            && let Some(is_won) = solved(&game)
        {
            assert_eq!(is_won, answer.finding == Finding::Win, "{:?}", game.key());
            claims += 1;
        }
    }
    assert!(claims > 8, "{claims}");
    let open_three = ConnectFour::parse("......./......./......./......./......./O.XXX.O o").unwrap();
    assert_eq!(found(&open_three, LIMITS).finding, Finding::Loss);
    let start = TicTacToe::parse(".../.../... x").unwrap();
    for game in (0..40).filter_map(|seed| random_position(&start, 3, seed)) {
        let answer = found(&game, LIMITS);
        if answer.finding == Finding::Win {
            assert_eq!(solved(&game), Some(true));
        }
    }
    assert_eq!(found(&start, LIMITS).finding, Finding::Nothing);
}

#[test]
fn lines_are_played_by_the_rules_and_end_the_game() {
    let start = Breakthrough::parse(START, 6).unwrap();
    let mut whole = 0;
    for game in (0..).filter_map(|seed| random_position(&start, 24, seed)).take(40) {
        let answer = found(&game, LIMITS);
        let mut at = game.clone();
        let mut legal = Vec::new();
        for m in &answer.line {
            at.moves(&mut legal);
            assert!(legal.contains(m));
            at.play(*m);
        }
        whole += u32::from(answer.finding == Finding::Win && at.result() == Some(-1.0));
        assert_eq!(answer.best, answer.line.first().copied());
    }
    assert!(whole > 10, "{whole}");
}

#[test]
fn a_search_around_a_move_finds_what_it_threatens() {
    let mut game = Breakthrough::parse("B...BB/..B.BB/.W..../....../WWW.../WW.... w", 6).unwrap();
    let m = labelled(&game, "b4b5");
    let number = game.number(m);
    game.play(m);
    let answer =
        LocalSearch::new(&game, MEMORY).run(&game, Some(number), Limits { moves: 2, ..LIMITS }, &StopFlag::default());
    assert_eq!(answer.tenuki, Some(1));
}
