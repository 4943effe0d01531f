//! The tree below a move: each reply of the victim, and the attacker's best follow-up to it.

use shakmaty::{Chess, Move, MoveList, Position, Role, Square};

use super::attacker_view::AttackerView;
use super::seen::{Check, Seen};
use crate::chess::checks::CheckFinder;
use crate::chess::moves::{after, ends};
use crate::chess::orientation::Orientation;
use crate::chess::piece_values::material_gain;
use crate::chess::static_exchange::see_oriented;

/// Centipawns that stand for a mate.
pub(crate) const MATED: i32 = 20_000;

/// Longest mate by checks alone that is searched for, in moves after the first.
const LONGEST: u32 = 3;
/// Replies and checks that may be examined to find it, in the order of the oriented board.
const MOST_LOOKED_AT: usize = 600;

/// What the victim does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Reply {
    KingMoves,
    KingTakes,
    /// Takes on the square that was moved to.
    Retakes,
    /// Takes on another square; en passant, too.
    Takes,
    /// Gives check without taking.
    Checks,
    Other,
}

/// The attacker's best follow-up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum FollowUp {
    /// Mates: with which piece, where from the king.
    Mate {
        piece: Role,
        offset: (i32, i32),
        same: bool,
    },
    /// Wins material: with which piece, what.
    Win {
        piece: Role,
        captured: Option<Role>,
        same: bool,
    },
    /// Gives check: the one that leaves fewest replies.
    Check {
        piece: Role,
        same: bool,
    },
    None,
}

/// The replies to a move, summed up.
#[derive(Clone, Debug)]
pub(crate) struct Answered {
    pub replies: usize,
    /// Replies after which the attacker mates at once.
    pub mated: usize,
    /// Replies after which the attacker has a check that leaves one reply at most.
    pub forced: usize,
    /// Replies after which the attacker has won so many centipawns or more in all: 200, 400, 800.
    pub won: [usize; 3],
    /// Moves in which the attacker mates by checks alone after this one, against every defence: 0 if this mates.
    pub mate_by_checks: Option<u32>,
    /// Centipawns after the best reply; [`MATED`] if every reply is mated.
    pub worst: i32,
    /// Mean of the centipawns after each reply, from -900 to 1200.
    pub mean: i32,
    /// How often each kind of reply meets each kind of follow-up, ascending.
    pub pairs: Vec<((Reply, FollowUp), usize)>,
    /// Moves made on a board.
    pub moves_made: usize,
}

/// Examines all replies to a move.
pub(crate) fn answer(view: &AttackerView, seen: &Seen) -> Answered {
    let orientation = view.orientation;
    let own = material_gain(seen.m);
    let target = ends(seen.m).1;
    let mut out = Answered {
        replies: seen.replies.len(),
        mated: 0,
        forced: 0,
        won: [0; 3],
        mate_by_checks: None,
        worst: if seen.mates() { MATED } else { 0 },
        mean: if seen.mates() { 1200 } else { 0 },
        pairs: Vec::new(),
        moves_made: 0,
    };
    if seen.check != Check::None {
        let mut search = MateByChecks { orientation, left: MOST_LOOKED_AT, moves_made: 0 };
        out.mate_by_checks = (0..=LONGEST).find(|&n| search.is_mated(&seen.next, n));
        out.moves_made += search.moves_made;
    }
    if seen.replies.is_empty() {
        return out;
    }
    let mut sum = 0;
    out.worst = i32::MAX;
    for &reply in &seen.replies {
        let next = after(&seen.next, reply);
        out.moves_made += 1;
        let kind = reply_kind(&next, reply, target);
        let found = follow_up(&next, orientation, target, &mut out.moves_made);
        let net = match found.follow_up {
            _ if found.lost => -MATED,
            FollowUp::Mate { .. } => MATED,
            _ => own - material_gain(reply) + found.gain,
        };
        out.mated += usize::from(net == MATED);
        out.forced += usize::from(found.fewest <= 1);
        for (count, least) in out.won.iter_mut().zip([200, 400, 800]) {
            *count += usize::from(net >= least);
        }
        out.worst = out.worst.min(net);
        sum += net.clamp(-900, 1200);
        out.pairs.push(((kind, found.follow_up), 1));
    }
    out.mean = sum / out.replies as i32;
    out.pairs.sort_unstable_by_key(|pair| pair.0);
    out.pairs.dedup_by(|next, first| {
        let same = next.0 == first.0;
        first.1 += usize::from(same) * next.1;
        same
    });
    out
}

fn reply_kind(next: &Chess, reply: Move, target: Square) -> Reply {
    match (reply.role() == Role::King && !reply.is_castle(), reply.is_capture()) {
        (true, false) => Reply::KingMoves,
        (true, true) => Reply::KingTakes,
        (false, true) if reply.to() == target => Reply::Retakes,
        (false, true) => Reply::Takes,
        (false, false) if next.is_check() => Reply::Checks,
        _ => Reply::Other,
    }
}

struct Found {
    follow_up: FollowUp,
    /// Centipawns that the best exchange gains, 0 or more.
    gain: i32,
    /// Fewest replies that a check leaves; `usize::MAX` without a check.
    fewest: usize,
    /// The attacker is mated.
    lost: bool,
}

/// The best move of the side to move at first sight: a mate, else what gains most, else the check that leaves fewest
/// replies. `moved`: where the piece stands that moved before.
fn follow_up(chess: &Chess, orientation: Orientation, moved: Square, moves_made: &mut usize) -> Found {
    let moves = chess.legal_moves();
    if moves.is_empty() {
        return Found { follow_up: FollowUp::None, gain: 0, fewest: usize::MAX, lost: chess.is_check() };
    }
    let finder = CheckFinder::new(chess);
    let king = chess.board().king_of(!chess.turn()).expect("a legal position has both kings");
    let mut mate: Option<FollowUp> = None;
    let mut win: Option<(i32, FollowUp)> = None;
    let mut check: Option<(usize, FollowUp)> = None;
    for &m in &moves {
        let same = m.from() == Some(moved);
        let piece = m.promotion().unwrap_or(m.role());
        if finder.may_check(m) {
            let next = after(chess, m);
            *moves_made += 1;
            if next.is_check() {
                let replies = next.legal_moves().len();
                if replies == 0 {
                    let found = FollowUp::Mate { piece, offset: orientation.offset(king, ends(m).1), same };
                    mate = Some(mate.map_or(found, |old| old.min(found)));
                } else {
                    let found = (replies, FollowUp::Check { piece, same });
                    check = Some(check.map_or(found, |old| old.min(found)));
                }
            }
        }
        if m.is_capture() || m.is_promotion() {
            let most = material_gain(m);
            if mate.is_none() && win.is_none_or(|(value, _)| -most <= value) {
                let value = see_oriented(chess, m, orientation);
                if value > 0 {
                    let found = (-value, FollowUp::Win { piece, captured: m.capture(), same });
                    win = Some(win.map_or(found, |old| old.min(found)));
                }
            }
        }
    }
    let fewest = if mate.is_some() { 0 } else { check.map_or(usize::MAX, |(replies, _)| replies) };
    let gain = win.map_or(0, |(value, _)| -value);
    let follow_up = mate.or(win.map(|w| w.1)).or(check.map(|c| c.1)).unwrap_or(FollowUp::None);
    Found { follow_up, gain, fewest, lost: false }
}

/// The search for a mate by checks alone.
struct MateByChecks {
    orientation: Orientation,
    /// Replies and checks that may still be examined.
    left: usize,
    /// Moves made on a board.
    moves_made: usize,
}

impl MateByChecks {
    /// Is the side to move mated in `n` moves by checks alone, against every defence? No, if nothing is left.
    fn is_mated(&mut self, chess: &Chess, n: u32) -> bool {
        let mut replies = chess.legal_moves();
        if replies.is_empty() {
            return chess.is_check();
        }
        if n == 0 {
            return false;
        }
        self.sort(&mut replies);
        replies.iter().all(|&reply| {
            if !self.look_at_one() {
                return false;
            }
            let next = self.make(chess, reply);
            let finder = CheckFinder::new(&next);
            let mut checks = next.legal_moves();
            checks.retain(|m| finder.may_check(*m));
            self.sort(&mut checks);
            checks.iter().any(|&m| {
                if self.left == 0 {
                    return false;
                }
                let check = self.make(&next, m);
                check.is_check() && self.look_at_one() && self.is_mated(&check, n - 1)
            })
        })
    }

    /// Which lines are left out when there are too many must not depend on colour or wing.
    fn sort(&self, moves: &mut MoveList) {
        moves.sort_unstable_by_key(|&m| self.orientation.place(m));
    }

    fn look_at_one(&mut self) -> bool {
        let any = self.left > 0;
        self.left -= usize::from(any);
        any
    }

    fn make(&mut self, chess: &Chess, m: Move) -> Chess {
        self.moves_made += 1;
        after(chess, m)
    }
}
