//! The mate prover: an AND/OR search with iterative deepening and a transposition table.
//!
//! Up to three moves the search is exhaustive, so that it proves or refutes. Beyond, lines of checks only are searched
//! first, since most deep mates are such lines; then the exhaustive search goes on as far as the budget lets it, to
//! find a shorter mate or to refute. A verdict never rests on anything but a searched tree: `Refuted` means that every
//! attacking move up to the stated distance has a reply that survives.
//!
//! Draws: stalemate and dead positions end a line by themselves; a line that needs the fiftieth move without capture or
//! pawn move to pass before the mate does not count, since the defender would claim the draw. Repetition cannot matter:
//! a shortest mate never repeats a position.

use std::cmp::Reverse;

use shakmaty::{Chess, EnPassantMode, Move, MoveList, Position, Role, zobrist::Zobrist64};

use crate::checks::CheckFinder;
use crate::tree::after;
use crate::verdict::Verdict;

/// Name of these rules, stored with each proof.
pub const PROVER_VERSION: &str = "trapline-mate-1";
/// Mates longer than this are not tried (a budget would not get there).
pub const MAX_MATE: u32 = 30;
/// Up to here the search is exhaustive from the start.
pub const EXHAUSTIVE: u32 = 3;

/// What the search found for the side to move.
#[derive(Clone, Debug)]
pub struct MateProof {
    pub verdict: Verdict,
    /// Moves of the attacker to mate, if proved; the shortest mate when `refuted_to` is one less.
    pub mate_in: Option<u32>,
    /// Attacker's and defender's moves in turn; the defender holds out as long as it can. Ends in mate.
    pub line: Vec<Move>,
    /// Moves made on a board.
    pub nodes: u64,
    /// No mate in so many moves or fewer exists.
    pub refuted_to: u32,
}

struct OutOfNodes;
type Searched<T> = Result<T, OutOfNodes>;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Breadth {
    Checks,
    All,
}

#[derive(Clone, Copy, Default)]
struct Entry {
    key: u64,
    generation: u16,
    best: u16,
    /// Mate in so many moves is proved (0: nothing known), by any moves and by checks alone.
    proved: u8,
    proved_by_checks: u8,
    /// No mate in so many moves or fewer.
    refuted: u8,
    refuted_by_checks: u8,
}

/// A reusable search; one for each thread. Results do not depend on what was searched before.
pub struct Prover {
    table: Vec<Entry>,
    generation: u16,
    nodes: u64,
    budget: u64,
    /// The reply that refuted last, by moves left: the next attacking move is often refuted by the same.
    refuters: [Option<Move>; MAX_MATE as usize + 1],
    count_halfmoves: bool,
}

impl Prover {
    /// `bits`: binary logarithm of the number of table entries, 16 bytes each.
    pub fn new(bits: u32) -> Prover {
        Prover {
            table: vec![Entry::default(); 1 << bits],
            generation: 0,
            nodes: 0,
            budget: 0,
            refuters: [None; MAX_MATE as usize + 1],
            count_halfmoves: false,
        }
    }

    /// Looks for a mate in at most `mate` moves by the side to move, spending at most `budget` nodes on the verdict.
    /// `first` is tried before the other moves.
    pub fn prove(&mut self, root: &Chess, mate: u32, budget: u64, first: Option<Move>) -> MateProof {
        let mate = mate.min(MAX_MATE);
        self.begin(root, mate, budget);
        let mut refuted_to = 0;
        let mut found = None;
        for distance in 1..=mate.min(EXHAUSTIVE) {
            // Whoever is to move in the root may always mate at once, however long the game has been quiet.
            let searched =
                if distance == 1 { self.mates_at_once(root) } else { self.attack(root, distance, Breadth::All, first) };
            match searched {
                Ok(true) => {
                    found = Some((distance, Breadth::All));
                    break;
                }
                Ok(false) => refuted_to = distance,
                Err(OutOfNodes) => break,
            }
        }
        if found.is_none() && refuted_to == EXHAUSTIVE && mate > EXHAUSTIVE {
            // Half of what is left for lines of checks; the rest for all moves.
            let whole = self.budget;
            self.budget = self.nodes + (whole - self.nodes.min(whole)) / 2;
            for distance in EXHAUSTIVE + 1..=mate {
                match self.attack(root, distance, Breadth::Checks, first) {
                    Ok(true) => {
                        found = Some((distance, Breadth::Checks));
                        break;
                    }
                    Ok(false) => {}
                    Err(OutOfNodes) => break,
                }
            }
            self.budget = whole;
            let last = found.map_or(mate, |(distance, _)| distance - 1);
            for distance in EXHAUSTIVE + 1..=last {
                match self.attack(root, distance, Breadth::All, first) {
                    Ok(true) => {
                        found = Some((distance, Breadth::All));
                        break;
                    }
                    Ok(false) => refuted_to = distance,
                    Err(OutOfNodes) => break,
                }
            }
        }
        let nodes = self.nodes;
        let verdict = match found {
            Some(_) => Verdict::Proved,
            None if refuted_to == mate => Verdict::Refuted,
            None => Verdict::Undecided,
        };
        let line = found.map_or_else(Vec::new, |(distance, breadth)| self.line(root, distance, breadth, first));
        MateProof { verdict, mate_in: found.map(|(distance, _)| distance), line, nodes, refuted_to }
    }

    /// Whether the side to move is mated in at most `mate` moves of its opponent whatever it plays (all moves
    /// searched). `None` when `budget` ran out.
    pub fn is_mated_in(&mut self, position: &Chess, mate: u32, budget: u64) -> Option<bool> {
        self.begin(position, mate, budget);
        (0..=mate.min(MAX_MATE))
            .try_fold(
                false,
                |lost, distance| {
                    if lost { Ok(true) } else { self.defend(position, distance, Breadth::All) }
                },
            )
            .ok()
    }

    fn begin(&mut self, root: &Chess, mate: u32, budget: u64) {
        self.generation = self.generation.wrapping_add(1);
        if self.generation == 0 {
            self.table.fill(Entry::default());
            self.generation = 1;
        }
        self.nodes = 0;
        self.budget = budget;
        self.refuters = [None; MAX_MATE as usize + 1];
        self.count_halfmoves = root.halfmoves() + 2 * mate >= 100;
    }

    fn make(&mut self, position: &Chess, m: Move) -> Searched<Chess> {
        if self.nodes >= self.budget {
            return Err(OutOfNodes);
        }
        self.nodes += 1;
        Ok(after(position, m))
    }

    /// Can the side to move force mate in at most `distance` moves?
    fn attack(&mut self, position: &Chess, distance: u32, breadth: Breadth, first: Option<Move>) -> Searched<bool> {
        if position.halfmoves() >= 100 {
            return Ok(false);
        }
        if distance == 1 {
            return self.mates_at_once(position);
        }
        let key = self.key(position);
        let known = self.probe(key);
        if let Some(entry) = known {
            let all = breadth == Breadth::All;
            let reached = |proved: u8| proved != 0 && u32::from(proved) <= distance;
            if reached(entry.proved_by_checks) || all && reached(entry.proved) {
                return Ok(true);
            }
            if u32::from(entry.refuted) >= distance || !all && u32::from(entry.refuted_by_checks) >= distance {
                return Ok(false);
            }
        }
        let best = known.map_or(0, |entry| entry.best);
        for (m, next) in self.candidates(position, breadth, best, first)? {
            if self.defend(&next, distance - 1, breadth)? {
                self.store(key, distance, breadth, Some(m));
                return Ok(true);
            }
        }
        self.store(key, distance, breadth, None);
        Ok(false)
    }

    /// The attacker's moves in the order in which to try them: the proposed one, the table's, checks with few replies,
    /// then the rest.
    fn candidates(
        &mut self,
        position: &Chess,
        breadth: Breadth,
        best: u16,
        first: Option<Move>,
    ) -> Searched<Vec<(Move, Chess)>> {
        let gives_check = CheckFinder::new(position);
        let mut out = Vec::with_capacity(48);
        for &m in &position.legal_moves() {
            let may_check = gives_check.may_check(m);
            if breadth == Breadth::Checks && !may_check {
                continue;
            }
            let next = self.make(position, m)?;
            let check = may_check && next.is_check();
            if breadth == Breadth::Checks && !check {
                continue;
            }
            let rank = if Some(m) == first {
                0
            } else if short(m) == best && best != 0 {
                1
            } else if check {
                2 + next.legal_moves().len()
            } else {
                // Captures before quiet moves; a table of mates rewards neither much.
                300 + usize::from(!m.is_capture())
            };
            out.push((rank, m, next));
        }
        out.sort_by_key(|&(rank, _, _)| rank);
        Ok(out.into_iter().map(|(_, m, next)| (m, next)).collect())
    }

    fn mates_at_once(&mut self, position: &Chess) -> Searched<bool> {
        let gives_check = CheckFinder::new(position);
        for &m in &position.legal_moves() {
            if gives_check.may_check(m) && self.make(position, m)?.is_checkmate() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Is the side to move mated in at most `distance` further moves of the attacker, whatever it plays?
    fn defend(&mut self, position: &Chess, distance: u32, breadth: Breadth) -> Searched<bool> {
        let mut replies = position.legal_moves();
        if replies.is_empty() {
            return Ok(position.is_check());
        }
        if distance == 0 || position.halfmoves() >= 100 {
            return Ok(false);
        }
        self.order_replies(&mut replies, distance);
        for &reply in &replies {
            let next = self.make(position, reply)?;
            if !self.attack(&next, distance, breadth, None)? {
                self.refuters[distance as usize] = Some(reply);
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn order_replies(&self, replies: &mut MoveList, distance: u32) {
        replies.sort_by_key(|m| Reverse((m.is_capture(), m.role() == Role::King)));
        if let Some(at) = self.refuters[distance as usize].and_then(|r| replies.iter().position(|&m| m == r)) {
            replies[..=at].rotate_right(1);
        }
    }

    /// The main line of a mate that was just proved at its shortest distance for this breadth.
    fn line(&mut self, root: &Chess, distance: u32, breadth: Breadth, first: Option<Move>) -> Vec<Move> {
        self.budget = u64::MAX;
        let mut line = Vec::with_capacity(2 * distance as usize);
        let (mut position, mut left, mut first) = (root.clone(), distance, first);
        while left > 0 {
            let Some((m, next)) = self.winning_move(&position, left, breadth, first.take()) else { break };
            line.push(m);
            let stubborn = next.legal_moves().into_iter().map(|reply| {
                let reached = after(&next, reply);
                let moves = (1..left).find(|&n| self.attack(&reached, n, breadth, None).unwrap_or(false));
                (moves.unwrap_or(0), reply, reached)
            });
            // `max_by_key` would take the last of equals; the first is the generator's order and easier to explain.
            match stubborn.reduce(|a, b| if b.0 > a.0 { b } else { a }) {
                Some((moves, reply, reached)) => {
                    line.push(reply);
                    position = reached;
                    left = moves;
                }
                None => break,
            }
        }
        line
    }

    fn winning_move(
        &mut self,
        position: &Chess,
        distance: u32,
        breadth: Breadth,
        first: Option<Move>,
    ) -> Option<(Move, Chess)> {
        let best = self.probe(self.key(position)).map_or(0, |entry| entry.best);
        let moves = self.candidates(position, breadth, best, first).ok()?;
        moves.into_iter().find(|(_, next)| self.defend(next, distance - 1, breadth).unwrap_or(false))
    }

    fn key(&self, position: &Chess) -> u64 {
        let key = position.zobrist_hash::<Zobrist64>(EnPassantMode::Legal).0;
        // Near the fifty-move limit positions with another count are other positions.
        if self.count_halfmoves {
            key ^ u64::from(position.halfmoves()).wrapping_mul(0x9e37_79b9_7f4a_7c15)
        } else {
            key
        }
    }

    fn slot(&self, key: u64) -> usize {
        key as usize & (self.table.len() - 1)
    }

    fn probe(&self, key: u64) -> Option<Entry> {
        let entry = self.table[self.slot(key)];
        (entry.key == key && entry.generation == self.generation).then_some(entry)
    }

    fn store(&mut self, key: u64, distance: u32, breadth: Breadth, mating: Option<Move>) {
        let slot = self.slot(key);
        let generation = self.generation;
        let entry = &mut self.table[slot];
        if entry.key != key || entry.generation != generation {
            *entry = Entry { key, generation, ..Entry::default() };
        }
        let distance = distance as u8;
        match (mating, breadth) {
            (Some(m), Breadth::All) => {
                entry.proved = distance;
                entry.best = short(m);
            }
            (Some(m), Breadth::Checks) => {
                entry.proved_by_checks = distance;
                entry.best = short(m);
            }
            (None, Breadth::All) => entry.refuted = entry.refuted.max(distance),
            (None, Breadth::Checks) => entry.refuted_by_checks = entry.refuted_by_checks.max(distance),
        }
    }
}

/// A move in 15 bits, never 0; only compared with moves of the same position.
fn short(m: Move) -> u16 {
    let from = m.from().map_or(0, u16::from);
    from | u16::from(m.to()) << 6 | m.promotion().map_or(0, |role| role as u16) << 12
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::parse;

    fn prove(fen: &str, mate: u32) -> MateProof {
        Prover::new(16).prove(&parse(fen).unwrap().chess, mate, 2_000_000, None)
    }

    fn line(fen: &str, proof: &MateProof) -> Vec<String> {
        let s = parse(fen).unwrap();
        let mut position = s.chess;
        let mut out = Vec::new();
        for &m in &proof.line {
            assert!(position.is_legal(m));
            out.push(m.to_uci(s.mode).to_string());
            position.play_unchecked(m);
        }
        assert!(position.is_checkmate());
        out
    }

    #[test]
    fn legal_mate_after_the_bait() {
        let fen = "r2qkbnr/ppp2ppp/2np4/4N3/2B1P3/2N5/PPPP1PPP/R1BbK2R w KQkq - 0 6";
        let proof = prove(fen, 3);
        assert_eq!((proof.verdict, proof.mate_in, proof.refuted_to), (Verdict::Proved, Some(2), 1));
        assert_eq!(line(fen, &proof), ["c4f7", "e8e7", "c3d5"]);
    }

    #[test]
    fn no_mate_is_refuted_and_a_small_budget_is_undecided() {
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        let proof = prove(start, 3);
        assert_eq!((proof.verdict, proof.refuted_to), (Verdict::Refuted, 3));
        let proof = Prover::new(10).prove(&Chess::default(), 3, 50, None);
        assert_eq!(proof.verdict, Verdict::Undecided);
        assert!(proof.nodes <= 50);
    }

    #[test]
    fn stalemate_is_no_mate() {
        let proof = prove("7k/8/5KQ1/8/8/8/8/8 w - - 0 1", 1);
        assert_eq!((proof.verdict, proof.mate_in), (Verdict::Proved, Some(1)));
        let proof = prove("k7/2Q5/8/8/8/8/8/K7 b - - 0 1", 3);
        assert_eq!(proof.verdict, Verdict::Refuted, "the side to move is stalemated");
    }

    #[test]
    fn quiet_first_moves_are_found() {
        // Sam Loyd's "Excelsior" is too long here; a rook ladder with a waiting move is enough.
        let fen = "8/8/8/8/8/1K6/7R/k7 w - - 0 1";
        let proof = prove(fen, 2);
        assert_eq!(proof.mate_in, Some(1));
        let fen = "8/8/8/8/8/2K5/7R/k7 w - - 0 1";
        let proof = prove(fen, 3);
        assert_eq!((proof.verdict, proof.mate_in), (Verdict::Proved, Some(2)));
        line(fen, &proof);
    }

    #[test]
    fn the_fifty_move_rule_saves_the_defender() {
        assert_eq!(prove("8/8/8/8/8/2K5/7R/k7 w - - 97 90", 2).verdict, Verdict::Proved);
        assert_eq!(prove("8/8/8/8/8/2K5/7R/k7 w - - 98 90", 2).verdict, Verdict::Refuted);
    }

    #[test]
    fn is_mated_in_counts_the_attackers_moves() {
        let s = parse("r2qkbnr/ppp2Bpp/2np4/4N3/4P3/2N5/PPPP1PPP/R1BbK2R b KQkq - 0 6").unwrap();
        let mut prover = Prover::new(12);
        assert_eq!(prover.is_mated_in(&s.chess, 1, 100_000), Some(true));
        assert_eq!(prover.is_mated_in(&s.chess, 0, 100_000), Some(false));
        assert_eq!(prover.is_mated_in(&Chess::default(), 2, 1_000_000), Some(false));
        assert_eq!(prover.is_mated_in(&Chess::default(), 2, 10), None);
    }
}
