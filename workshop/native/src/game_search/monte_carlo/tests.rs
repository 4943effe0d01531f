//! The search against complete solutions, and what it promises of seeds, memory and cancellation.

use std::time::Duration;

use native::workshop::{Random, StopFlag};
use rustc_hash::FxHashMap;

use super::open::open;
use super::options::{AllMovesAsFirst, Measure, Options, PlayoutPolicy, Sharing};
use super::search::Search;
use super::tree::Node;
use crate::game_search::games::breakthrough::Breakthrough;
use crate::game_search::games::chess::Chess;
use crate::game_search::games::connect_four::ConnectFour;
use crate::game_search::games::game::Game;
use crate::game_search::games::local::LocalGame;
use crate::game_search::games::tic_tac_toe::TicTacToe;

const PLAIN: Options = Options {
    exploration: 0.7,
    solver: false,
    decisive: false,
    playouts: PlayoutPolicy::Random,
    history: 0.0,
    all_moves: AllMovesAsFirst::Off,
    only_decisive: false,
    bias: 0.004,
    minimax: 0.0,
    sharing: None,
    local: false,
    memory: 64 << 20,
};
const SOLVER: Options = Options { solver: true, ..PLAIN };
const SHARING: Sharing =
    Sharing { measure: Measure::Sequences, least: 0.5, playouts: 4, moves: true, killers: true, counterparts: false };
const EMPTY_TIC_TAC_TOE: &str = ".../.../... x";
const BREAKTHROUGH: &str = "BBBBB/BBBBB/...../WWWWW/WWWWW w";

/// A key that differs between positions of a game.
type Key = ([u64; 2], usize);

/// Every variant, each over the solver and without it.
fn variants() -> Vec<Options> {
    let mut found = Vec::new();
    for base in [PLAIN, SOLVER, Options { decisive: true, ..SOLVER }] {
        let rave = Options { all_moves: AllMovesAsFirst::Rave, ..base };
        found.extend([
            base,
            rave,
            Options { playouts: PlayoutPolicy::Mast { random: 0.2 }, ..base },
            Options { history: 0.5, ..base },
            Options { all_moves: AllMovesAsFirst::Grave { playouts: 20 }, ..base },
            Options { minimax: 0.4, ..base },
            Options { sharing: Some(SHARING), ..rave },
            Options { sharing: Some(Sharing { measure: Measure::Continuations, ..SHARING }), ..base },
            Options { only_decisive: true, sharing: Some(SHARING), ..rave },
        ]);
    }
    found
}

fn moves_of<G: Game>(game: &G) -> Vec<G::Move> {
    let mut moves = Vec::new();
    game.moves(&mut moves);
    moves
}

/// The value for the player to move by looking at everything.
fn solved<G: Game>(game: &G, known: &mut FxHashMap<Key, i8>, key: &dyn Fn(&G) -> Key) -> i8 {
    if let Some(result) = game.result() {
        return result as i8;
    }
    let key_here = key(game);
    if let Some(&value) = known.get(&key_here) {
        return value;
    }
    let mut best = -1;
    for m in moves_of(game) {
        let mut next = game.clone();
        next.play(m);
        best = best.max(-solved(&next, known, key));
        if best == 1 {
            break;
        }
    }
    known.insert(key_here, best);
    best
}

fn perft<G: Game>(game: &G, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let play = |m| {
        let mut next = game.clone();
        next.play(m);
        perft(&next, depth - 1)
    };
    moves_of(game).into_iter().map(play).sum()
}

/// A random position of so many plies, or the last before the end.
fn random_position<G: Game>(start: &G, plies: usize, seed: u64) -> G {
    let (mut game, mut random) = (start.clone(), Random(seed));
    for _ in 0..plies {
        let moves = moves_of(&game);
        let mut next = game.clone();
        next.play(moves[random.below(moves.len())]);
        if next.result().is_some() {
            break;
        }
        game = next;
    }
    game
}

/// A position of 5x5 Breakthrough with three men each, so that everything can be examined; none if it is over.
fn few_men(seed: u64) -> Option<Breakthrough> {
    let mut random = Random(seed);
    let mut cells = [b'.'; 25];
    for (letter, first) in [(b'B', 5), (b'W', 10)] {
        for _ in 0..3 {
            cells[first + random.below(10)] = letter;
        }
    }
    let rows: Vec<_> = cells.chunks(5).map(|row| String::from_utf8_lossy(row)).collect();
    Breakthrough::parse(&format!("{} {}", rows.join("/"), ["w", "b"][random.below(2)]), 5)
        .filter(|game| game.result().is_none())
}

#[test]
fn the_numbers_of_lines_are_the_known_ones() {
    let game = TicTacToe::parse(EMPTY_TIC_TAC_TOE).unwrap();
    // 255,168 games end at all; so many are still under way, or end, after 9 plies and 5.
    assert_eq!((perft(&game, 5), perft(&game, 9)), (15_120, 127_872));
    let game = ConnectFour::parse("......./......./......./......./......./....... x").unwrap();
    // 7^n, less the seven lines that fill a file and would play there once more.
    assert_eq!((perft(&game, 6), perft(&game, 7)), (117_649, 823_536));
    let chess = Chess::parse("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1").unwrap();
    assert_eq!(perft(&chess, 4), 197_281);
}

#[test]
fn tic_tac_toe_is_a_draw_and_every_position_is_solved_as_it_is() {
    let start = TicTacToe::parse(EMPTY_TIC_TAC_TOE).unwrap();
    for (number, options) in variants().into_iter().filter(|options| options.solver).enumerate() {
        for plies in 0..6 {
            let game = random_position(&start, plies, number as u64);
            let value = solved(&game, &mut FxHashMap::default(), &|game| game.key());
            let answer = Search::new(game, options, 7).run(200_000, true, &StopFlag::default());
            assert_eq!(answer.moves[0].proof, Some(value), "{options:?}");
            assert!(plies > 0 || value == 0);
        }
    }
}

#[test]
fn proofs_of_small_breakthrough_are_those_of_a_complete_search() {
    let mut known = FxHashMap::default();
    let (mut wins, mut losses) = (0, 0);
    for (number, game) in (0..).filter_map(few_men).take(54).enumerate() {
        let value = solved(&game, &mut known, &|game| game.key());
        let all = variants();
        let options = Options { solver: true, ..all[number % all.len()] };
        let answer = Search::new(game, options, number as u64).run(20_000, true, &StopFlag::default());
        if let Some(proof) = answer.moves[0].proof {
            assert_eq!(proof, value, "position {number} {options:?}");
            (wins, losses) = (wins + u32::from(proof == 1), losses + u32::from(proof == -1));
        }
    }
    assert!(wins + losses >= 45 && wins > 0 && losses > 0, "{wins} {losses}");
}

#[test]
fn connect_four_is_proved_where_a_complete_search_is_possible() {
    let start = ConnectFour::parse("......./......./......./......./......./....... x").unwrap();
    let mut proved = 0;
    // Of random games few fill the board so far that everything can be examined.
    let late = (0..).map(|seed| random_position(&start, 32, seed)).filter(|game| game.discs() >= 31).take(8);
    for (number, game) in late.enumerate() {
        let value = solved(&game, &mut FxHashMap::default(), &|game| game.key());
        let options = if number % 2 == 0 { SOLVER } else { Options { decisive: true, ..SOLVER } };
        let answer = Search::new(game, options, number as u64).run(50_000, true, &StopFlag::default());
        if let Some(proof) = answer.moves[0].proof {
            assert_eq!(proof, value, "position {number}");
            proved += 1;
        }
    }
    assert!(proved >= 7, "{proved}");
    // Three in the bottom row with both ends free is won, whichever player was to move before.
    let open_three = ConnectFour::parse("......./......./......./......./......./O.XXX.O o").unwrap();
    let answer =
        Search::new(open_three, Options { decisive: true, ..SOLVER }, 1).run(1_000, true, &StopFlag::default());
    assert_eq!(answer.moves[0].proof, Some(-1));
}

#[test]
fn moves_that_win_at_once_and_those_that_prevent_it_are_found() {
    fn check<G: Game>(start: &G, plies: usize, seed: u64) -> [u32; 2] {
        let game = random_position(start, plies, seed);
        let wins = |game: &G| {
            let is_win = |m: &G::Move| {
                let mut next = game.clone();
                next.play(*m);
                next.result() == Some(-1.0)
            };
            moves_of(game).into_iter().filter(is_win).collect::<Vec<_>>()
        };
        let winning = wins(&game);
        if let Some(m) = game.decisive() {
            assert!(winning.contains(&m));
            return [1, 0];
        }
        let mut moves = Vec::new();
        game.anti_decisive(&mut moves);
        let holds = |m: &G::Move| {
            let mut next = game.clone();
            next.play(*m);
            wins(&next).is_empty()
        };
        let holding: Vec<_> = moves_of(&game).into_iter().filter(holds).collect();
        if !moves.is_empty() && winning.is_empty() {
            // All that do not prevent it lose at once; what is left out may be a second way to prevent it by no means.
            assert!(holding.iter().all(|m| moves.contains(m)), "seed {seed}");
        }
        [0, u32::from(!moves.is_empty())]
    }
    let breakthrough = Breakthrough::parse("BBBBBB/BBBBBB/....../....../WWWWWW/WWWWWW w", 6).unwrap();
    let four = ConnectFour::parse("......./......./......./......./......./....... x").unwrap();
    let tic_tac_toe = TicTacToe::parse(EMPTY_TIC_TAC_TOE).unwrap();
    let mut seen = [[0; 2]; 3];
    for seed in 0..400 {
        let found = [check(&breakthrough, 26, seed), check(&four, 20, seed), check(&tic_tac_toe, 5, seed)];
        for (all, one) in seen.iter_mut().flatten().zip(found.iter().flatten()) {
            *all += one;
        }
    }
    assert!(seen.iter().flatten().all(|&count| count >= 10), "{seen:?}");
}

#[test]
fn a_tree_keeps_to_its_memory_and_still_answers() {
    let game = Breakthrough::parse(BREAKTHROUGH, 5).unwrap();
    for options in variants() {
        let memory = 1 << 17;
        let mut search = Search::new(game.clone(), Options { memory, ..options }, 1);
        let answer = search.run(20_000, true, &StopFlag::default());
        let size = size_of::<Node<<Breakthrough as Game>::Move>>();
        assert!(search.tree.nodes.capacity() * size <= memory, "{}", search.tree.nodes.capacity());
        assert!(!answer.moves.is_empty());
        assert!(answer.is_full || answer.moves[0].proof.is_some(), "{options:?}");
    }
}

#[test]
fn a_tree_goes_on_after_a_move() {
    for options in variants() {
        let game = Breakthrough::parse("BBBBBB/BBBBBB/....../....../WWWWWW/WWWWWW w", 6).unwrap();
        let mut search = Search::new(game, options, 5);
        let before = search.run(3_000, true, &StopFlag::default());
        let m = moves_of(&search.game).into_iter().find(|&m| search.game.label(m) == before.moves[0].label).unwrap();
        search.play(m);
        assert_eq!(search.tree.nodes[0].visits, before.moves[0].playouts);
        let reply = &before.line[1];
        let after = search.run(1_000, true, &StopFlag::default());
        assert!(after.moves.iter().any(|m| m.label == *reply && m.playouts > 0));
        let kept: u32 = after.moves.iter().map(|m| m.playouts).sum();
        assert!(u64::from(kept) > 1_000, "{kept} {options:?}");
    }
}

#[test]
fn mates_are_proved_in_chess() {
    // Back-rank mate, and a smothered one in two.
    for (fen, best, playouts) in
        [("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1", "d1d8", 500), ("5r1k/6pp/7N/8/8/1Q6/8/K7 w - - 0 1", "b3g8", 10_000)]
    {
        let mut search = open("chess", fen, SOLVER, 2).unwrap();
        let answer = search.run(playouts, true, &StopFlag::default()).unwrap();
        assert_eq!((answer.moves[0].label.as_str(), answer.moves[0].proof), (best, Some(1)), "{fen}");
    }
}

#[test]
fn local_searches_give_hints_and_what_loses_everywhere_keeps_its_order() {
    let options = Options { local: true, ..PLAIN };
    let run = |position, by_playouts| {
        let flag = StopFlag::new(Some(Duration::from_secs(60)), None, None);
        // A thread needs a while to begin on a busy machine.
        let playouts = if by_playouts { 40_000 } else { 400_000 };
        open("breakthrough-6x6", position, options, 1).unwrap().run(playouts, by_playouts, &flag).unwrap()
    };
    // White's man on b3 cannot be stopped; it is no win of one move, which the plain search would see as well.
    let won = "B...BB/....BB/....../.W..../W....W/W....W w";
    let answer = run(won, true);
    assert_eq!(answer, run(won, true));
    assert_eq!((answer.moves[0].hint, answer.seen[0].after.is_none()), (1, true), "{:?}", answer.seen);
    let beside = run(won, false);
    assert_eq!(beside.moves[0].hint, 1, "{:?}", beside.seen);
    // Every move of Black loses: the order is that of the playouts.
    let lost = run("B...BB/....BB/.W..../....../W....W/W....W b", true);
    assert!(lost.moves.iter().all(|m| m.hint == -1), "{:?}", lost.seen);
    assert!(lost.moves.is_sorted_by(|a, b| a.playouts >= b.playouts));
    // A game without goals has no local search.
    assert!(open("go-5x5", "...../...../..B../...../..... w", options, 1).is_none());
}

#[test]
fn refutations_are_tried_first_in_similar_nodes() {
    let sharing = Sharing { moves: false, ..SHARING };
    let game = Chess::parse("r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR b KQkq - 3 3").unwrap();
    for base in [PLAIN, SOLVER] {
        let mut search = Search::new(game.clone(), Options { sharing: Some(sharing), ..base }, 1);
        search.run(3_000, true, &StopFlag::default());
        let (mut found, mut proved) = (0, 0);
        for record in &search.fingerprints.records {
            let Some(code) = record.killer else { continue };
            for link in &record.links {
                let node = &search.tree.nodes[link.node as usize];
                // What is solved already needs no killer.
                let children = if node.proof.is_some() { &[] } else { &search.tree.nodes[node.range()] };
                for child in children.iter().filter(|child| child.code == code) {
                    assert!(child.is_killer && child.shared.weight > 0.0);
                    found += 1;
                    proved += usize::from(record.is_proved);
                }
            }
        }
        // The mate on f7, and what takes the queen.
        assert!(found > proved && (proved > 0) == base.solver, "{found} {proved}");
    }
}
