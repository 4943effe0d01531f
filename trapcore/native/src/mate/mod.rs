//! The mate prover: exhaustive up to three moves, depth-first proof-number search beyond.
//!
//! A verdict never rests on anything but a searched tree: `Refuted` means that every attacking move up to the stated
//! distance has a reply that survives, and a mate is reported only after its whole tree was walked again, reply by
//! reply, to take the main line from it.
//!
//! | module | what it holds |
//! |---|---|
//! | `number_table` | proof and disproof numbers, and the table that holds them |
//! | `proofnumber` | the search for mates beyond three moves |
//! | `mainline` | the walk through a proved tree |
//!
//! Draws: stalemate and dead positions end a line by themselves. A line that needs the fiftieth move without capture or
//! pawn move to pass before the mate does not count: the defender would claim the draw. Repetition cannot matter:
//! every search has a bound on the moves left, and a shortest mate never repeats a position.

mod mainline;
mod number_table;
mod proofnumber;

use shakmaty::{Chess, EnPassantMode, Move, Position, Role, zobrist::Zobrist64};

use self::number_table::NumberTable;
use crate::chess::checks::{CheckFinder, is_mate};
use crate::chess::moves::{after, move_code};
use crate::search::stop::StopFlag;
use crate::search::verdict::Verdict;

/// Name of these rules, stored with each proof.
pub(crate) const PROVER_VERSION: &str = "trapline-mate-3";
/// Mates longer than this are not tried (a budget would not get there).
pub(crate) const MAX_MATE: u32 = 30;
/// Up to here the search is exhaustive from the start.
pub(crate) const EXHAUSTIVE: u32 = 3;

/// What the search found for the side to move.
#[derive(Clone, Debug)]
pub(crate) struct MateProof {
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

#[derive(Clone, Copy, Default)]
struct Entry {
    key: u64,
    generation: u16,
    best: u16,
    /// Mate in so many moves is proved (0: nothing known).
    proved: u8,
    /// No mate in so many moves or fewer.
    refuted: u8,
}

/// A reusable search; one for each thread. Results do not depend on what was searched before.
pub(crate) struct Prover {
    table: Vec<Entry>,
    generation: u16,
    nodes: u64,
    budget: u64,
    /// The reply that refuted last, by moves left: the next attacking move is often refuted by the same.
    refuters: [Option<Move>; MAX_MATE as usize + 1],
    count_halfmoves: bool,
    number_table: NumberTable,
    /// What ends a proof before its budget is spent.
    pub stop_flag: StopFlag,
}

impl Prover {
    /// `bits`: binary logarithm of the number of table entries, 16 bytes each.
    pub(crate) fn new(bits: u32) -> Prover {
        Prover {
            table: vec![Entry::default(); 1 << bits],
            generation: 0,
            nodes: 0,
            budget: 0,
            refuters: [None; MAX_MATE as usize + 1],
            count_halfmoves: false,
            number_table: NumberTable::default(),
            stop_flag: StopFlag::default(),
        }
    }

    /// Searches for a mate in at most `mate` moves by the side to move, spending at most `budget` nodes on the verdict.
    /// `first` are legal moves to try before the others, in this order.
    pub(crate) fn prove(&mut self, root: &Chess, mate: u32, budget: u64, first: &[Move]) -> MateProof {
        let mate = mate.min(MAX_MATE);
        self.begin(root, mate, budget);
        let mut refuted_to = 0;
        let mut found = None;
        for distance in 1..=mate.min(EXHAUSTIVE) {
            // The side to move in the root may always mate at once, however long the game has been quiet.
            let searched = if distance == 1 { self.mates_at_once(root) } else { self.attack(root, distance, first) };
            match searched {
                Ok(true) => {
                    found = Some(distance);
                    break;
                }
                Ok(false) => refuted_to = distance,
                Err(OutOfNodes) => break,
            }
        }
        if found.is_none() && refuted_to == EXHAUSTIVE && mate > EXHAUSTIVE {
            (found, refuted_to) = self.deepen(root, mate, first);
        }
        let nodes = self.nodes;
        let (mate_in, line) = found.and_then(|bound| self.main_line(root, bound)).unzip();
        let verdict = match mate_in {
            Some(_) => Verdict::Proved,
            None if refuted_to == mate => Verdict::Refuted,
            None => Verdict::Undecided,
        };
        MateProof { verdict, mate_in, line: line.unwrap_or_default(), nodes, refuted_to }
    }

    /// Mates beyond the exhaustive search: a bound within which there is mate, if one was found, and how far mates are
    /// refuted. First all moves up to `mate` at once, then bound by bound to find the shortest or to refute.
    fn deepen(&mut self, root: &Chess, mate: u32, first: &[Move]) -> (Option<u32>, u32) {
        let (mut found, mut refuted_to) = (None, EXHAUSTIVE);
        if mate > EXHAUSTIVE + 1 {
            let whole = self.budget;
            self.budget = self.nodes + (whole - self.nodes) / 3 * 2;
            match self.prove_within(root, mate, first) {
                Ok(true) => found = Some(mate),
                Ok(false) => return (None, mate),
                Err(OutOfNodes) => {}
            }
            self.budget = whole;
        }
        while refuted_to + 1 < found.unwrap_or(mate + 1) {
            match self.prove_within(root, refuted_to + 1, first) {
                Ok(true) => found = Some(refuted_to + 1),
                Ok(false) => refuted_to += 1,
                Err(OutOfNodes) => break,
            }
        }
        (found, refuted_to)
    }

    /// Whether the side to move is mated in at most `mate` moves of its opponent against every defence (all moves
    /// searched). `None` when `budget` ran out.
    pub(crate) fn is_mated_in(&mut self, position: &Chess, mate: u32, budget: u64) -> Option<bool> {
        self.begin(position, mate, budget);
        (0..=mate.min(MAX_MATE))
            .try_fold(false, |lost, distance| if lost { Ok(true) } else { self.defend(position, distance) })
            .ok()
    }

    /// Nodes of the last question.
    pub(crate) fn nodes(&self) -> u64 {
        self.nodes
    }

    fn begin(&mut self, root: &Chess, mate: u32, budget: u64) {
        self.generation = self.generation.wrapping_add(1);
        if self.generation == 0 {
            self.table.fill(Entry::default());
            self.number_table.clear();
            self.generation = 1;
        }
        self.nodes = 0;
        self.budget = budget;
        self.stop_flag.begin();
        self.refuters = [None; MAX_MATE as usize + 1];
        self.count_halfmoves = root.halfmoves().saturating_add(2 * mate) >= 100;
    }

    fn make(&mut self, position: &Chess, m: Move) -> Searched<Chess> {
        if self.nodes >= self.budget || self.stop_flag.is_due(self.nodes) {
            return Err(OutOfNodes);
        }
        self.nodes += 1;
        Ok(after(position, m))
    }

    /// Can the side to move force mate in at most `distance` moves?
    fn attack(&mut self, position: &Chess, distance: u32, first: &[Move]) -> Searched<bool> {
        if position.halfmoves() >= 100 {
            return Ok(false);
        }
        if distance == 1 {
            return self.mates_at_once(position);
        }
        let key = self.key(position);
        let known = self.probe(key);
        if let Some(entry) = known {
            if entry.proved != 0 && u32::from(entry.proved) <= distance {
                return Ok(true);
            }
            if u32::from(entry.refuted) >= distance {
                return Ok(false);
            }
        }
        let best = known.map_or(0, |entry| entry.best);
        let proved = self.attacking_move(position, distance, best, first)?;
        match proved {
            Some(m) => self.store_proved(key, distance, m),
            None => self.store_refuted(key, distance),
        }
        Ok(proved.is_some())
    }

    /// A move that forces mate in at most `distance` moves. Tried in this order: the proposed ones, the table's,
    /// checks with few replies, captures, the rest; none is made before its turn, for the first may be enough.
    fn attacking_move(&mut self, position: &Chess, distance: u32, best: u16, first: &[Move]) -> Searched<Option<Move>> {
        let moves = position.legal_moves();
        let mut early: Vec<Move> = first.iter().copied().filter(|m| moves.contains(m)).collect();
        early.extend(moves.iter().filter(|&&m| move_code(m) == best && !first.contains(&m)));
        for &m in &early {
            let next = self.make(position, m)?;
            if self.defend(&next, distance - 1)? {
                return Ok(Some(m));
            }
        }
        let gives_check = CheckFinder::new(position);
        let mut checks: Vec<(usize, Move, Chess)> = Vec::new();
        for &m in &moves {
            if gives_check.may_check(m) && !early.contains(&m) {
                let next = self.make(position, m)?;
                if next.is_check() {
                    let replies = next.legal_moves().len();
                    checks.insert(checks.partition_point(|&(others, _, _)| others <= replies), (replies, m, next));
                }
            }
        }
        for (_, m, next) in &checks {
            if self.defend(next, distance - 1)? {
                return Ok(Some(*m));
            }
        }
        for captures in [true, false] {
            for &m in moves.iter().filter(|m| m.is_capture() == captures) {
                let tried = early.contains(&m) || checks.iter().any(|&(_, check, _)| check == m);
                if !tried {
                    let next = self.make(position, m)?;
                    if self.defend(&next, distance - 1)? {
                        return Ok(Some(m));
                    }
                }
            }
        }
        Ok(None)
    }

    /// Is there a mate in one? Without generating all moves, unless one of the rarer kinds could give check.
    fn mates_at_once(&mut self, position: &Chess) -> Searched<bool> {
        let gives_check = CheckFinder::new(position);
        let Some(checks) = gives_check.pieces_only() else { return Ok(self.mating_move(position)?.is_some()) };
        for (role, from, to) in checks {
            let capture = position.board().role_at(to);
            let next = self.make(position, Move::Normal { role, from, capture, to, promotion: None })?;
            if !gives_check.exposes_own_king(&next) && is_mate(&next) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The first mating move in the generator's order.
    fn mating_move(&mut self, position: &Chess) -> Searched<Option<Move>> {
        let gives_check = CheckFinder::new(position);
        for &m in &position.legal_moves() {
            if gives_check.may_check(m) && is_mate(&self.make(position, m)?) {
                return Ok(Some(m));
            }
        }
        Ok(None)
    }

    /// Is the side to move mated in at most `distance` further moves of the attacker, against every defence?
    fn defend(&mut self, position: &Chess, distance: u32) -> Searched<bool> {
        if distance == 0 || position.halfmoves() >= 100 {
            return Ok(position.is_checkmate());
        }
        let refuter = self.refuters[distance as usize].filter(|&m| position.is_legal(m));
        if let Some(reply) = refuter {
            let next = self.make(position, reply)?;
            if !self.attack(&next, distance, &[])? {
                return Ok(false);
            }
        }
        let replies = position.legal_moves();
        if replies.is_empty() {
            return Ok(position.is_check());
        }
        // Captures before quiet moves, among each those of the king first.
        for kind in [(true, true), (true, false), (false, true), (false, false)] {
            for &reply in replies.iter().filter(|m| (m.is_capture(), m.role() == Role::King) == kind) {
                if Some(reply) == refuter {
                    continue;
                }
                let next = self.make(position, reply)?;
                if !self.attack(&next, distance, &[])? {
                    self.refuters[distance as usize] = Some(reply);
                    return Ok(false);
                }
            }
        }
        Ok(true)
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

    fn entry(&mut self, key: u64) -> &mut Entry {
        let (slot, generation) = (self.slot(key), self.generation);
        let entry = &mut self.table[slot];
        if entry.key != key || entry.generation != generation {
            *entry = Entry { key, generation, ..Entry::default() };
        }
        entry
    }

    fn store_proved(&mut self, key: u64, distance: u32, best: Move) {
        let entry = self.entry(key);
        entry.proved = distance as u8;
        entry.best = move_code(best);
    }

    fn store_refuted(&mut self, key: u64, distance: u32) {
        let entry = self.entry(key);
        entry.refuted = entry.refuted.max(distance as u8);
    }
}

#[cfg(test)]
mod tests;
