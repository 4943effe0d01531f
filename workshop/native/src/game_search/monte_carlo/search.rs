//! Monte Carlo tree search of one game: selection, expansion, and proofs.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;

use super::answer::{Answer, best_line, root_moves};
use super::fingerprints::Fingerprints;
use super::hints::{Hinter, LIKELY, PLAYOUTS, Question, Schedule};
use super::options::{AllMovesAsFirst, Options};
use super::playout::{Played, Playouts, for_first};
use super::tree::{Mean, NONE, Node, Table, Tree, table_key};
use crate::game_search::games::game::Game;
use native::workshop::{Random, StopFlag};

/// Score of a child without any playout: it comes before all others.
const UNTRIED: f32 = 1e4;
/// The same if it won in a similar position.
const KILLER: f32 = 2e4;
/// What a hint adds to a score, or takes from it; values are -1 to 1.
const HINT: f32 = 1.0;
/// The same of a child without any playout.
const UNTRIED_HINT: f32 = 1e3;

pub(crate) struct Search<G: Game> {
    pub(crate) game: G,
    pub(super) options: Options,
    pub(super) tree: Tree<G::Move>,
    pub(super) fingerprints: Fingerprints,
    pub(super) playouts: Playouts<G>,
    hinter: Option<Box<dyn Hinter<G>>>,
    pub(super) schedule: Schedule<G>,
    random: Random,
    /// The last playout in which a player made the move of a code, from the node on that is being updated.
    pub(super) stamps: [Vec<u32>; 2],
    pub(super) stamp: u32,
    is_full: bool,
    // Of the playout that is under way: the nodes, and all moves.
    pub(super) path: Vec<usize>,
    pub(super) played: Played,
    moves: Vec<G::Move>,
}

impl<G: Game> Search<G> {
    pub(crate) fn new(game: G, options: Options, seed: u64) -> Search<G> {
        Search::with_hints(game, options, seed, None)
    }

    /// With local searches, if there are any, whose answers are hints.
    pub(crate) fn with_hints(game: G, options: Options, seed: u64, hinter: Option<Box<dyn Hinter<G>>>) -> Search<G> {
        let codes = if options.keeps_moves() { G::CODES } else { 0 };
        Search {
            game,
            options,
            tree: Tree::new(options.memory / 4 * 3),
            fingerprints: Fingerprints::new(options.memory / 4),
            playouts: Playouts::new(&options),
            schedule: Schedule::new(None, hinter.as_deref().map(Hinter::numbers)),
            hinter,
            random: Random(seed),
            stamps: [vec![0; codes], vec![0; codes]],
            stamp: 0,
            is_full: false,
            path: Vec::new(),
            played: Vec::new(),
            moves: Vec::new(),
        }
    }

    /// Plays so many playouts, or until it is stopped or the position is solved; at least one. The game goes on. Local
    /// searches run beside, on a thread of their own, or `by_playouts` between the playouts: then the answer is always the
    /// same.
    pub(crate) fn run(&mut self, limit: u64, by_playouts: bool, stop_flag: &StopFlag) -> Answer {
        let mut stop_flag = stop_flag.clone();
        stop_flag.begin();
        let done = match self.hinter.take() {
            None => self.play_out(limit, &stop_flag, |_, _| ()),
            Some(mut hinter) => {
                let done = if by_playouts {
                    self.play_out(limit, &stop_flag, |search, done| {
                        if done.is_multiple_of(PLAYOUTS) {
                            search.look(hinter.as_mut(), &stop_flag);
                        }
                    })
                } else {
                    self.run_beside(limit, hinter.as_mut(), &stop_flag)
                };
                self.hinter = Some(hinter);
                done
            }
        };
        Answer {
            moves: root_moves(&self.tree, &self.game),
            line: best_line(&self.tree, &self.game),
            playouts: done,
            nodes: self.tree.nodes.len(),
            fingerprints: self.fingerprints.records.len(),
            seen: self.schedule.seen(),
            is_cancelled: done < limit && stop_flag.is_stopped(),
            is_full: self.is_full,
        }
    }

    /// The playouts of a run; returns how many there were. `between` is called after each.
    fn play_out(&mut self, limit: u64, stop_flag: &StopFlag, mut between: impl FnMut(&mut Search<G>, u64)) -> u64 {
        let mut done = 0;
        loop {
            self.playout();
            done += 1;
            let is_solved = self.options.solver && self.tree.nodes[0].proof.is_some();
            if done >= limit || is_solved || done.is_multiple_of(G::POLL) && stop_flag.is_due(0) {
                return done;
            }
            between(self, done);
        }
    }

    /// Asks a local search, and waits for the answer.
    fn look(&mut self, hinter: &mut dyn Hinter<G>, stop_flag: &StopFlag) {
        if let Some(question) = self.schedule.next(&self.tree, &self.game, LIKELY) {
            let answer = hinter.look(&question, stop_flag);
            self.schedule.apply(&mut self.tree, &self.game, &question, &answer);
        }
    }

    /// The playouts of a run, while another thread answers one question after the other.
    fn run_beside(&mut self, limit: u64, hinter: &mut dyn Hinter<G>, stop_flag: &StopFlag) -> u64 {
        let is_over = Arc::new(AtomicBool::new(false));
        let first = self.schedule.next(&self.tree, &self.game, LIKELY);
        let Some(first) = first else { return self.play_out(limit, stop_flag, |_, _| ()) };
        let (ask, asked) = mpsc::channel::<Question<G>>();
        let (tell, told) = mpsc::channel();
        thread::scope(|scope| {
            let flag = StopFlag::new(None, Some(Arc::clone(&is_over)), None);
            scope.spawn(move || {
                for question in asked {
                    let answer = hinter.look(&question, &flag);
                    if tell.send((question, answer)).is_err() {
                        break;
                    }
                }
            });
            // If the thread has ended there is nobody to ask, and the search goes on alone.
            let _ = ask.send(first);
            let done = self.play_out(limit, stop_flag, |search, done| {
                if done.is_multiple_of(G::POLL)
                    && let Ok((question, answer)) = told.try_recv()
                {
                    search.schedule.apply(&mut search.tree, &search.game, &question, &answer);
                    if let Some(question) = search.schedule.next(&search.tree, &search.game, LIKELY) {
                        let _ = ask.send(question);
                    }
                }
            });
            is_over.store(true, Ordering::Relaxed);
            drop(ask);
            done
        })
    }

    /// The move is played in the game, and what the tree knows of the position after it is kept.
    pub(crate) fn play(&mut self, m: G::Move) {
        let child = self.tree.nodes[0].range().find(|&child| self.tree.nodes[child].played == Some(m));
        let last = self.hinter.as_ref().map(|hinter| (hinter.numbers())(&self.game, m));
        self.schedule = Schedule::new(last, self.hinter.as_deref().map(Hinter::numbers));
        self.game.play(m);
        self.fingerprints.clear();
        match child {
            Some(child) => self.tree.descend(child),
            None => self.tree = Tree::new(self.options.memory / 4 * 3),
        }
        self.is_full = false;
    }

    /// Random playouts alone, for their speed: their mean value for the player to move.
    pub(crate) fn random_playouts(&mut self, count: u64) -> f64 {
        let (mut sum, mut played) = (0.0, Vec::new());
        for _ in 0..count {
            played.clear();
            sum += f64::from(self.playouts.run(self.game.clone(), &self.options, &mut self.random, &mut played).0);
        }
        let mean = sum / count.max(1) as f64;
        if self.game.mover() == 0 { mean } else { -mean }
    }

    fn playout(&mut self) {
        let mut game = self.game.clone();
        let (mut node, mut reference) = (0, NONE);
        self.path.clear();
        self.path.push(0);
        self.played.clear();
        let (value, is_decided) = loop {
            if let Some(proof) = self.tree.nodes[node].proof {
                break (for_first(proof.into(), game.mover()), true);
            }
            if !self.tree.nodes[node].is_expanded() {
                if let Some(result) = game.result() {
                    self.tree.nodes[node].proof = Some(result as i8);
                    continue;
                }
                let is_ripe = node == 0 || self.tree.nodes[node].visits > 0;
                if !(is_ripe && self.expand(node, &game)) {
                    break self.playouts.run(game, &self.options, &mut self.random, &mut self.played);
                }
                continue;
            }
            self.take_fingerprint(node, &game);
            if let AllMovesAsFirst::Grave { playouts } = self.options.all_moves
                && self.tree.nodes[node].visits >= playouts
                && self.tree.nodes[node].table != NONE
            {
                reference = self.tree.nodes[node].table;
            }
            let child = self.select(node, game.mover(), reference);
            let (m, code) =
                (self.tree.nodes[child].played.expect("only the root has none"), self.tree.nodes[child].code);
            self.played.push((game.mover() as u8, code));
            self.path.push(child);
            game.play(m);
            node = child;
        };
        if self.options.solver {
            self.prove();
        }
        self.learn(value, is_decided);
        if self.shares_killers() {
            self.share_refutations();
        }
    }

    /// Adds the children of a node; says whether there was room.
    fn expand(&mut self, node: usize, game: &G) -> bool {
        let decisive = if self.options.decisive { game.decisive() } else { None };
        self.moves.clear();
        if let Some(m) = decisive {
            self.moves.push(m);
        } else if self.options.decisive {
            game.anti_decisive(&mut self.moves);
        }
        if self.moves.is_empty() {
            game.moves(&mut self.moves);
        }
        for last in (1..self.moves.len()).rev() {
            self.moves.swap(last, self.random.below(last + 1));
        }
        let looks_ahead = self.options.solver || self.options.minimax > 0.0;
        let mut best = -1;
        let mut is_proved = true;
        let children: Vec<_> = self
            .moves
            .iter()
            .map(|&m| {
                let mut child = Node::new(Some(m), game.code(m));
                if looks_ahead {
                    let mut next = game.clone();
                    next.play(m);
                    child.proof = next.result().map(|result| result as i8);
                    child.minimax = match child.proof {
                        Some(proof) => f32::from(-proof),
                        None if self.options.minimax > 0.0 => -next.evaluate(&mut self.playouts.evaluator),
                        None => 0.0,
                    };
                }
                is_proved &= child.proof.is_some();
                best = best.max(child.proof.map_or(-1, |proof| -proof));
                child
            })
            .collect();
        if !self.tree.expand(node, children.into_iter()) {
            self.is_full = true;
            return false;
        }
        if self.options.solver && (best == 1 || is_proved) {
            self.tree.nodes[node].proof = Some(best);
        }
        true
    }

    /// The child that is examined next. `reference` is the table of GRAVE.
    fn select(&self, node: usize, player: usize, reference: u32) -> usize {
        let options = &self.options;
        let parent = &self.tree.nodes[node];
        let spread = options.exploration * (parent.visits.max(1) as f32).ln().sqrt();
        let range = parent.range();
        let is_even = parent.visits.is_multiple_of(2);
        let mut best = (f32::NEG_INFINITY, range.start);
        let mut open = (f32::NEG_INFINITY, range.start);
        for number in range {
            let child = &self.tree.nodes[number];
            // A move that is proved to lose is left, unless all are: then the node itself is proved.
            if options.solver && child.proof == Some(1) {
                continue;
            }
            let shared = match options.all_moves {
                AllMovesAsFirst::Grave { .. } if reference != NONE => {
                    let table: &Table = &self.tree.tables[reference as usize];
                    table.get(&table_key(player, child.code)).copied().unwrap_or_default()
                }
                AllMovesAsFirst::Grave { .. } => Mean::default(),
                _ => child.shared,
            };
            let score = self.score(child, shared, spread, player);
            if score > best.0 {
                best = (score, number);
            }
            if child.proof.is_none() && score > open.0 {
                open = (score, number);
            }
        }
        // Of a draw that is proved nothing can be learned: every other time the best of the rest is examined, so that
        // the proof goes on.
        let is_draw = options.solver && self.tree.nodes[best.1].proof == Some(0);
        if is_draw && is_even && open.0 > f32::NEG_INFINITY { open.1 } else { best.1 }
    }

    fn score(&self, child: &Node<G::Move>, shared: Mean, spread: f32, player: usize) -> f32 {
        let options = &self.options;
        let history = if options.history > 0.0 { self.playouts.history.value(player, child.code) } else { 0.0 };
        if child.visits == 0 && (shared.weight == 0.0 || child.is_killer) {
            let first = if child.is_killer { KILLER } else { UNTRIED };
            return first + child.minimax + history + UNTRIED_HINT * f32::from(child.hint);
        }
        let visits = child.visits as f32;
        let mut value = match child.proof {
            Some(proof) => f32::from(-proof),
            None => {
                let share = shared.weight / (visits + shared.weight + visits * shared.weight * options.bias);
                (1.0 - share) * child.value() + share * shared.value()
            }
        };
        if options.minimax > 0.0 {
            value = (1.0 - options.minimax) * value + options.minimax * child.minimax;
        }
        let failures = visits * (1.0 - child.value()) / 2.0;
        // Never a cut: all moves are examined, and if all lose, they are what they were to each other.
        value += HINT * f32::from(child.hint);
        value + spread / visits.max(1.0).sqrt() + options.history * (history + 1.0) / 2.0 / (failures + 1.0)
    }

    /// Carries a proof at the end of the path upwards as far as it goes.
    fn prove(&mut self) {
        for depth in (0..self.path.len()).rev() {
            let node = self.path[depth];
            if self.tree.nodes[node].proof.is_none() {
                let (mut best, mut is_proved) = (-1, true);
                for child in &self.tree.nodes[self.tree.nodes[node].range()] {
                    is_proved &= child.proof.is_some();
                    best = best.max(child.proof.map_or(-1, |proof| -proof));
                }
                if best < 1 && !(is_proved && self.tree.nodes[node].is_expanded()) {
                    return;
                }
                self.tree.nodes[node].proof = Some(best);
            }
            if self.shares_killers() {
                self.share_killer(depth);
            }
        }
    }
}
