//! The vocabulary: each kind of token puts a few facts about a move into one number.
//!
//! A token is the number of its kind in the highest five bits and the fields of that kind below, the first highest.
//! [`KINDS`] names them all, so that a token can be taken apart and put into words.

use shakmaty::{Position, Role};

use super::attacker_view::AttackerView;
use super::mating_net::{EscapeSquare, MatingNet};
use super::replies::{Answered, FollowUp, MATED};
use super::seen::Seen;
use crate::chess::piece_values::{material_gain, piece_points};

/// Changes whenever a token changes its meaning; weights and indexes of another version are refused.
pub(crate) const VOCABULARY_VERSION: u32 = 2;

/// Bits of a token below the number of its kind.
pub(crate) const FIELD_BITS: u32 = 27;

/// A kind of token: its name, and name and width in bits of each field.
pub(crate) struct Kind {
    pub name: &'static str,
    pub stage: Stage,
    pub fields: &'static [(&'static str, u32)],
}

/// From which part of the tree a kind reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// The move alone: made for all moves.
    Seen,
    /// Its replies and what follows: made for the shortlist.
    Answered,
    /// The end of a proved line: only for naming.
    Proved,
}

const PIECE: (&str, u32) = ("piece", 3);
const CAPTURED: (&str, u32) = ("captured", 3);
const CHECK: (&str, u32) = ("check", 2);
const PROMOTES: (&str, u32) = ("promotes", 1);
const MATES: (&str, u32) = ("mates", 1);
const FILES: (&str, u32) = ("files", 4);
const RANKS: (&str, u32) = ("ranks", 4);
const EXCHANGE: (&str, u32) = ("exchange", 4);
const ATTACKER: (&str, u32) = ("attacker", 3);
const DEFENDED: (&str, u32) = ("defended", 1);
const PLACE: (&str, u32) = ("place", 2);
const REPLIES: (&str, u32) = ("replies", 4);
const WORST: (&str, u32) = ("worst", 4);
const REPLY: (&str, u32) = ("reply", 3);
const THEN: (&str, u32) = ("then", 2);
const THEN_PIECE: (&str, u32) = ("then_piece", 3);
const SAME_PIECE: (&str, u32) = ("same_piece", 1);
const MATERIAL: (&str, u32) = ("material", 3);

/// All kinds; the place in the list is the number of the kind.
pub(crate) static KINDS: [Kind; 20] = [
    // What the move is, and where it goes, from the victim's king.
    Kind { name: "deed", stage: Stage::Seen, fields: &[PIECE, CAPTURED, CHECK, PROMOTES, MATES, FILES, RANKS] },
    // What it leaves the victim to play.
    Kind {
        name: "room",
        stage: Stage::Seen,
        fields: &[PIECE, CAPTURED, CHECK, PROMOTES, MATES, ("king_replies", 3), ("recapturer", 3), REPLIES],
    },
    // What stands behind the square it goes to.
    Kind { name: "exchange", stage: Stage::Seen, fields: &[EXCHANGE, ATTACKER, DEFENDED, CHECK, PIECE, PLACE] },
    // What the bait has to do with it.
    Kind {
        name: "bait",
        stage: Stage::Seen,
        fields: &[PIECE, CAPTURED, CHECK, PROMOTES, MATES, ("novelty", 3), PLACE],
    },
    // What the moved piece attacks.
    Kind { name: "targets", stage: Stage::Seen, fields: &[PIECE, CHECK, ("targets", 6)] },
    // What it leaves to be taken.
    Kind { name: "hanging", stage: Stage::Seen, fields: &[("hanging", 4), EXCHANGE, CHECK] },
    // How far a pawn has to go.
    Kind {
        name: "runner",
        stage: Stage::Seen,
        fields: &[
            ("pawn", 1),
            ("steps", 3),
            ("passed", 1),
            ("escapes", 1),
            ("blocked", 1),
            MATERIAL,
            ATTACKER,
            DEFENDED,
        ],
    },
    // With how many pieces the victim defends.
    Kind { name: "phase", stage: Stage::Seen, fields: &[PIECE, CAPTURED, CHECK, PROMOTES, MATES, MATERIAL] },
    // Its place among all moves by what it takes less what it leaves to be taken.
    Kind { name: "profit", stage: Stage::Seen, fields: &[("rank", 3), CHECK, EXCHANGE] },
    // What is left after the best reply.
    Kind { name: "worst", stage: Stage::Answered, fields: &[PIECE, CAPTURED, CHECK, PROMOTES, MATES, WORST] },
    // What is left after a reply on average.
    Kind { name: "mean", stage: Stage::Answered, fields: &[("mean", 5), WORST] },
    // After how many replies two pawns, a piece, a queen is won, and after how many there is mate.
    Kind {
        name: "shares",
        stage: Stage::Answered,
        fields: &[("won_200", 3), ("won_400", 3), ("won_800", 3), ("mated", 3), CHECK],
    },
    // A kind of reply and what follows it, and after how many replies.
    Kind {
        name: "answer",
        stage: Stage::Answered,
        fields: &[REPLY, THEN, THEN_PIECE, SAME_PIECE, FILES, RANKS, ("then_captured", 3), ("share", 3)],
    },
    // The move, a common kind of reply, and what follows.
    Kind {
        name: "line",
        stage: Stage::Answered,
        fields: &[PIECE, CAPTURED, CHECK, PROMOTES, MATES, REPLY, THEN, THEN_PIECE, SAME_PIECE, ("then_captured", 3)],
    },
    // After how many replies a check leaves one answer at most.
    Kind { name: "forced", stage: Stage::Answered, fields: &[("forced", 3), CHECK, REPLIES] },
    // In how many moves checks alone mate.
    Kind { name: "mate_by_checks", stage: Stage::Answered, fields: &[("moves", 3), CHECK] },
    // Its place on the shortlist once captures and checks are played out.
    Kind { name: "standing", stage: Stage::Answered, fields: &[("rank", 3), ("behind", 4), ("ahead", 4)] },
    // What mates, and where the king stands.
    Kind { name: "mating_piece", stage: Stage::Proved, fields: &[PIECE, FILES, RANKS, ("edges", 3)] },
    // What keeps the mated king from a square.
    Kind { name: "king_square", stage: Stage::Proved, fields: &[FILES, RANKS, ("own", 3), ("covered", 6)] },
    // Which pieces mate together.
    Kind { name: "hunters", stage: Stage::Proved, fields: &[("hunters", 6), ("edges", 3)] },
];

const MOVE_TYPE: u32 = 0;
const MOBILITY: u32 = 1;
const EXCHANGED: u32 = 2;
const BAIT: u32 = 3;
const TARGETS: u32 = 4;
const HANGING: u32 = 5;
const PASSED_PAWN: u32 = 6;
const PHASE: u32 = 7;
const PROFIT: u32 = 8;
const WORST_REPLY: u32 = 9;
const MEAN: u32 = 10;
const SHARES: u32 = 11;
const ANSWER: u32 = 12;
const LINE: u32 = 13;
const FORCED: u32 = 14;
const MATE_BY_CHECKS: u32 = 15;
const QUIESCENCE_RANK: u32 = 16;
const MATING_PIECE: u32 = 17;
const KING_SQUARE: u32 = 18;
const MATING_ATTACKERS: u32 = 19;

/// The number of a token's kind.
pub(crate) fn kind_of(token: u32) -> u32 {
    token >> FIELD_BITS
}

/// Does the token serve to compare a killer with known killers? Those that place a move among its siblings do not.
pub(crate) fn names(token: u32) -> bool {
    !matches!(kind_of(token), HANGING | PASSED_PAWN | PHASE | PROFIT | WORST_REPLY | MEAN | QUIESCENCE_RANK)
}

fn token(kind: u32, values: &[u32]) -> u32 {
    let fields = KINDS[kind as usize].fields;
    debug_assert_eq!(fields.len(), values.len(), "{}", KINDS[kind as usize].name);
    fields.iter().zip(values).fold(0, |packed, (&(name, bits), &value)| {
        debug_assert!(value < 1 << bits, "{name} of {} is {value}", KINDS[kind as usize].name);
        packed << bits | value
    }) | kind << FIELD_BITS
}

/// What the tokens of a move need to know of the other moves.
pub(crate) struct Siblings {
    profit: Vec<u32>,
    material: u32,
}

impl Siblings {
    /// `seen`: all moves of the view.
    pub(crate) fn of(view: &AttackerView, seen: &[Seen]) -> Siblings {
        let profit: Vec<i32> = seen.iter().map(|seen| material_gain(seen.m) - seen.hanging).collect();
        let material = piece_points(view.chess.board(), !view.orientation.attacker);
        Siblings { profit: ranks(&profit), material: material_class(material) }
    }
}

/// Tokens of the move `seen[i]` by itself.
pub(crate) fn of_seen(seen: &[Seen], siblings: &Siblings, i: usize, out: &mut Vec<u32>) {
    let s = &seen[i];
    let [piece, captured, check, promotes, mates] = coarse(s);
    let (files, ranks) = clamped(s.offset);
    let (attacker, defended) = (role(s.attacker), u32::from(s.defended));
    let (exchange, place) = (gain_class(s.exchange), s.place as u32);
    out.push(token(MOVE_TYPE, &[piece, captured, check, promotes, mates, files, ranks]));
    let king_replies = s.king_replies.min(4) as u32;
    let mobility = [king_replies, role(s.recapturer), reply_class(s.replies.len())];
    out.push(token(MOBILITY, &[piece, captured, check, promotes, mates, mobility[0], mobility[1], mobility[2]]));
    out.push(token(EXCHANGED, &[exchange, attacker, defended, check, piece, place]));
    out.push(token(BAIT, &[piece, captured, check, promotes, mates, s.availability as u32, place]));
    out.push(token(TARGETS, &[piece, check, s.targets]));
    out.push(token(HANGING, &[gain_class(s.hanging), exchange, check]));
    let run = s
        .advance
        .map_or([0; 5], |run| [1, run.steps, u32::from(run.passed), u32::from(run.escapes), u32::from(run.blocked)]);
    out.push(token(
        PASSED_PAWN,
        &[run[0], run[1], run[2], run[3], run[4], siblings.material.min(3), attacker, defended],
    ));
    out.push(token(PHASE, &[piece, captured, check, promotes, mates, siblings.material]));
    out.push(token(PROFIT, &[siblings.profit[i], check, exchange]));
}

/// Tokens of a move's replies.
pub(crate) fn of_answered(s: &Seen, answered: &Answered, out: &mut Vec<u32>) {
    let [piece, captured, check, promotes, mates] = coarse(s);
    let worst = net_class(answered.worst);
    let all = answered.replies.max(1);
    let share = |count: usize| share_class(count, all);
    out.push(token(WORST_REPLY, &[piece, captured, check, promotes, mates, worst]));
    out.push(token(MEAN, &[((answered.mean + 900) / 100) as u32, worst]));
    let [won_200, won_400, won_800] = answered.won.map(share);
    out.push(token(SHARES, &[won_200, won_400, won_800, share(answered.mated), check]));
    for &((reply, then), count) in &answered.pairs {
        let reply = reply as u32;
        let (then, then_piece, same, offset, taken) = match then {
            FollowUp::Mate { piece, offset, same } => (0, piece as u32 - 1, same, clamped(offset), 0),
            FollowUp::Win { piece, captured, same } => (1, piece as u32 - 1, same, (0, 0), role(captured)),
            FollowUp::Check { piece, same } => (2, piece as u32 - 1, same, (0, 0), 0),
            FollowUp::None => (3, 0, false, (0, 0), 0),
        };
        let same = u32::from(same);
        out.push(token(ANSWER, &[reply, then, then_piece, same, offset.0, offset.1, taken, share(count)]));
        if share(count) >= 2 || all <= 4 {
            out.push(token(LINE, &[piece, captured, check, promotes, mates, reply, then, then_piece, same, taken]));
        }
    }
    out.push(token(FORCED, &[share(answered.forced), check, reply_class(answered.replies)]));
    out.push(token(MATE_BY_CHECKS, &[answered.mate_by_checks.unwrap_or(7), check]));
    // Mates of one kind that differ in the square alone make one line.
    out.sort_unstable();
    out.dedup();
}

/// Tokens of each shortlisted move's rank by its quiescence value, centipawns for the attacker.
pub(crate) fn of_quiescence_rank(values: &[i32]) -> Vec<u32> {
    let ranks = ranks(values);
    let top = values.iter().copied().max().unwrap_or(0);
    let place = |(i, &value): (usize, &i32)| {
        let others = values.iter().enumerate().filter(|&(j, _)| j != i).map(|(_, &other)| other);
        let ahead = if value == top { gain_class(top - others.max().unwrap_or(top)) } else { 9 };
        token(QUIESCENCE_RANK, &[ranks[i], gain_class(top - value), ahead])
    };
    values.iter().enumerate().map(place).collect()
}

/// Tokens of the end of a proved line.
pub(crate) fn of_mating_net(net: &MatingNet, out: &mut Vec<u32>) {
    let edges = net.edges.iter().fold(0, |bits, &edge| bits << 1 | u32::from(edge));
    for &(piece, offset) in &net.checkers {
        let (files, ranks) = clamped(offset);
        out.push(token(MATING_PIECE, &[piece as u32 - 1, files, ranks, edges]));
    }
    for &(offset, state) in &net.squares {
        let (files, ranks) = clamped(offset);
        let (own, covered) = match state {
            EscapeSquare::Own(role) => (role as u32, 0),
            EscapeSquare::Covered(by) => (0, by),
        };
        out.push(token(KING_SQUARE, &[files, ranks, own, covered]));
    }
    out.push(token(MATING_ATTACKERS, &[net.attackers(), edges]));
}

fn role(role: Option<Role>) -> u32 {
    role.map_or(0, |role| role as u32)
}

/// Piece, what it takes, how it checks, whether it promotes or mates.
fn coarse(s: &Seen) -> [u32; 5] {
    [s.piece as u32 - 1, role(s.captured), s.check as u32, u32::from(s.promotes), u32::from(s.mates())]
}

/// Offsets from -4 to 4 as 0 to 8.
fn clamped((files, ranks): (i32, i32)) -> (u32, u32) {
    ((files.clamp(-4, 4) + 4) as u32, (ranks.clamp(-4, 4) + 4) as u32)
}

fn reply_class(replies: usize) -> u32 {
    match replies {
        0..=3 => replies as u32,
        4..=5 => 4,
        6..=9 => 5,
        10..=15 => 6,
        16..=24 => 7,
        _ => 8,
    }
}

/// None, less than a quarter, less than two thirds, less than all, all.
fn share_class(count: usize, all: usize) -> u32 {
    match count {
        0 => 0,
        _ if count == all => 4,
        _ if count * 4 < all => 1,
        _ if count * 3 < all * 2 => 2,
        _ => 3,
    }
}

/// An exchange, from the loss of a rook or more (0) over nothing (3) to the gain of a queen (8).
fn gain_class(centipawns: i32) -> u32 {
    match centipawns {
        ..-450 => 0,
        -450..-150 => 1,
        -150..0 => 2,
        0 => 3,
        1..150 => 4,
        150..280 => 5,
        280..450 => 6,
        450..800 => 7,
        _ => 8,
    }
}

/// What is left after a reply, from being mated (0) over nothing (4) to a mate (11).
fn net_class(centipawns: i32) -> u32 {
    match centipawns {
        MATED.. => 11,
        800.. => 10,
        450.. => 9,
        280.. => 8,
        150.. => 7,
        50.. => 6,
        1.. => 5,
        0 => 4,
        -149.. => 3,
        -449.. => 2,
        -5000.. => 1,
        _ => 0,
    }
}

/// The victim's pieces, pawns counting nothing: none, a minor piece, two or a rook, up to twelve, up to twenty, more.
fn material_class(points: usize) -> u32 {
    match points {
        0 => 0,
        1..=3 => 1,
        4..=6 => 2,
        7..=12 => 3,
        13..=20 => 4,
        _ => 5,
    }
}

/// Place of each value, highest first: alone at the top, sharing the top, second, third or fourth, up to eighth, later.
fn ranks(values: &[i32]) -> Vec<u32> {
    let place = |&value: &i32| {
        let higher = values.iter().filter(|&&other| other > value).count();
        let equal = values.iter().filter(|&&other| other == value).count();
        match (higher, equal) {
            (0, 1) => 0,
            (0, _) => 1,
            (1, _) => 2,
            (2..=3, _) => 3,
            (4..=7, _) => 4,
            _ => 5,
        }
    };
    values.iter().map(place).collect()
}
