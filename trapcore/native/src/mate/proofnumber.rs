//! Depth-first proof-number search (df-pn) within a bound on the attacker's moves.
//!
//! The proof number of a node says how many undecided positions at least must still be proved to prove the node, the
//! disproof number how many must be refuted to refute it. The search goes on where the number that the side to move
//! wants low is lowest, and comes back when a threshold is passed. A node is a position and the moves left, so the
//! tree has no cycles and a proof holds within the bound for any path to it.
//!
//! Measured in nodes on some 50 mates in 5 and 6 of matetrack: without the test for a threat a fifth more, without that
//! for mate at once a tenth; with the attacker's disproof numbers summed instead of their maximum a fifth; with equal
//! numbers for all attacking positions a fifth, and twice as many on mates from games. Exhaustive leaves of three moves
//! save a tenth against two. Tried without a difference and left: thresholds without slack, a table four times as
//! large. The maximum for the replies' proof numbers, too, cost a tenth. Lines of checks alone need no search of their
//! own: few replies mean low proof numbers.

use shakmaty::{Chess, EnPassantMode, Move, Position, zobrist::Zobrist64};

use super::number_table::{CLUSTER, INFINITE, Numbers, Slot};
use super::{Prover, Searched};

/// Attacking positions with so few moves left are searched exhaustively.
const LEAF: u32 = 3;

struct Child {
    m: Move,
    /// Of the position; not of the node.
    key: u64,
    numbers: Numbers,
    /// Made only when needed: the table often knows the numbers.
    position: Option<Chess>,
}

impl Prover {
    /// Can the side to move force mate in at most `bound` moves? `first` are grown first of the root's moves.
    pub(super) fn prove_within(&mut self, root: &Chess, bound: u32, first: &[Move]) -> Searched<bool> {
        if bound <= LEAF || root.halfmoves() >= 100 {
            return self.attack(root, bound, first);
        }
        if self.number_table.slots.is_empty() {
            self.number_table.slots = vec![Slot::default(); self.table.len().max(CLUSTER)];
        }
        for &m in first {
            let next = self.make(root, m)?;
            let key = self.key(&next);
            if self.known(key, bound - 1).is_none() && !next.legal_moves().is_empty() {
                self.set(key, bound - 1, Numbers { proof: 1, disproof: 1 });
            }
        }
        let thresholds = Numbers { proof: INFINITE, disproof: INFINITE };
        let numbers = self.grow(root, self.key(root), bound, true, thresholds)?;
        Ok(numbers.proof == 0)
    }

    /// Searches below a node until a number reaches its threshold. `left`: moves that the attacker may still make.
    fn grow(
        &mut self,
        position: &Chess,
        key: u64,
        left: u32,
        attacking: bool,
        thresholds: Numbers,
    ) -> Searched<Numbers> {
        if attacking && left <= LEAF {
            let numbers = Numbers::solved(self.attack(position, left, &[])?);
            self.set(key, left, numbers);
            return Ok(numbers);
        }
        let below = left - u32::from(attacking);
        let mut children = self.children(position, key, below, attacking)?;
        loop {
            let (numbers, chosen) = appraise(&children, attacking);
            if !numbers.within(thresholds) || numbers.is_solved() {
                self.set(key, left, numbers);
                match chosen {
                    Some(chosen) if numbers.proof == 0 => self.store_proved(key, left, children[chosen].m),
                    _ if numbers.disproof == 0 => self.store_refuted(key, left),
                    _ => {}
                }
                return Ok(numbers);
            }
            let Some(chosen) = chosen else { return Ok(numbers) };
            let below_thresholds = child_thresholds(&children, chosen, attacking, thresholds);
            let child = &mut children[chosen];
            let next = match child.position.take() {
                Some(next) => next,
                None => self.make(position, child.m)?,
            };
            child.numbers = self.grow(&next, child.key, below, !attacking, below_thresholds)?;
            child.position = Some(next);
        }
    }

    /// The moves with their numbers; only as far as the first that decides the node.
    fn children(&mut self, position: &Chess, key: u64, below: u32, attacking: bool) -> Searched<Vec<Child>> {
        let moves = position.legal_moves();
        let mut out = Vec::with_capacity(moves.len());
        for &m in &moves {
            let mut made = None;
            // The halfmove clock is no part of the incremental key.
            let quick = if self.count_halfmoves {
                None
            } else {
                position.update_zobrist_hash(Zobrist64(key), m, EnPassantMode::Legal)
            };
            let key = match quick {
                Some(Zobrist64(key)) => key,
                None => {
                    let next = self.make(position, m)?;
                    let key = self.key(&next);
                    made = Some(next);
                    key
                }
            };
            let numbers = match self.known(key, below) {
                Some(numbers) => numbers,
                None => {
                    let next = match made.take() {
                        Some(next) => next,
                        None => self.make(position, m)?,
                    };
                    debug_assert_eq!(self.key(&next), key);
                    let numbers = if attacking { self.appraise_defence(&next) } else { self.appraise_attack(&next) }?;
                    self.set(key, below, numbers);
                    made = Some(next);
                    numbers
                }
            };
            out.push(Child { m, key, numbers, position: made });
            if numbers.low(attacking) == 0 {
                break;
            }
        }
        Ok(out)
    }

    /// First numbers of a position with the defender to move: each reply must be answered, but a threat of mate leaves
    /// few of them.
    fn appraise_defence(&mut self, position: &Chess) -> Searched<Numbers> {
        let replies = position.legal_moves().len() as u32;
        if replies == 0 {
            return Ok(Numbers::solved(position.is_check()));
        }
        if position.halfmoves() >= 100 {
            return Ok(Numbers::solved(false));
        }
        let proof = if position.is_check() {
            replies
        } else if self.threatens(position)? {
            1 + replies / 4
        } else {
            4 + replies
        };
        Ok(Numbers { proof, disproof: 1 })
    }

    /// Could the attacker mate if the defender, who is not in check, passed? Says nothing for certain (zugzwang).
    fn threatens(&mut self, position: &Chess) -> Searched<bool> {
        match position.clone().swap_turn() {
            Ok(passed) => self.mates_at_once(&passed),
            Err(_) => Ok(false),
        }
    }

    /// First numbers of a position with the attacker to move: the more moves, the harder to refute.
    fn appraise_attack(&mut self, position: &Chess) -> Searched<Numbers> {
        if position.halfmoves() >= 100 {
            return Ok(Numbers::solved(false));
        }
        if self.mates_at_once(position)? {
            return Ok(Numbers::solved(true));
        }
        Ok(Numbers { proof: 1, disproof: 1 + position.legal_moves().len() as u32 / 4 })
    }

    fn known(&self, key: u64, left: u32) -> Option<Numbers> {
        if let Some(entry) = self.probe(key) {
            if entry.proved != 0 && u32::from(entry.proved) <= left {
                return Some(Numbers::solved(true));
            }
            if u32::from(entry.refuted) >= left {
                return Some(Numbers::solved(false));
            }
        }
        self.number_table.get(node(key, left), self.generation)
    }

    fn set(&mut self, key: u64, left: u32, numbers: Numbers) {
        self.number_table.set(node(key, left), self.generation, numbers);
    }
}

/// Key of a position with so many moves left.
fn node(key: u64, left: u32) -> u64 {
    key ^ u64::from(left).wrapping_mul(0xd6e8_feb8_6659_fd93)
}

/// Numbers of a node from those of its children, and the child to grow (none if there are no moves).
///
/// All replies must be answered, so their proof numbers are added. Refutations of the attacker's moves are mostly of
/// one kind, so the largest counts, and one for each further move: sums would count the same positions many times.
fn appraise(children: &[Child], attacking: bool) -> (Numbers, Option<usize>) {
    let low = |child: &Child| child.numbers.low(attacking);
    let Some(chosen) = (0..children.len()).min_by_key(|&i| low(&children[i])) else {
        return (Numbers::solved(!attacking), None);
    };
    let least = low(&children[chosen]);
    let high = match least {
        0 => INFINITE,
        INFINITE => 0,
        _ => total(children, attacking).min(u64::from(INFINITE) - 1) as u32,
    };
    (Numbers::of_side(attacking, least, high), Some(chosen))
}

fn total(children: &[Child], attacking: bool) -> u64 {
    let high = children.iter().map(|child| u64::from(child.numbers.high(attacking)));
    if attacking {
        let open = high.clone().filter(|&n| n > 0).count() as u64;
        high.max().unwrap_or(0) + open.saturating_sub(1)
    } else {
        high.sum()
    }
}

/// How far the chosen child may be grown: until a sibling is better by a quarter, or the node's own threshold is
/// reached. Always far enough that the search gets on.
fn child_thresholds(children: &[Child], chosen: usize, attacking: bool, thresholds: Numbers) -> Numbers {
    let child = children[chosen].numbers;
    let second = children.iter().enumerate().filter(|&(i, _)| i != chosen).map(|(_, c)| c.numbers.low(attacking)).min();
    let second = second.unwrap_or(INFINITE);
    let low = thresholds.low(attacking).min(second + second / 4 + 1).min(INFINITE).max(child.low(attacking) + 1);
    let high = match thresholds.high(attacking) {
        INFINITE => INFINITE,
        limit if attacking => {
            let open = children.iter().filter(|c| c.numbers.disproof > 0).count() as u32;
            limit.saturating_sub(open.saturating_sub(1)).max(child.disproof + 1)
        }
        limit => {
            let others = total(children, false) - u64::from(child.proof);
            u64::from(limit).saturating_sub(others).max(u64::from(child.proof) + 1) as u32
        }
    };
    Numbers::of_side(attacking, low, high)
}
