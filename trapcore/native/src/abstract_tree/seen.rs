//! Features of a move that do not need its replies one by one.

use shakmaty::{Bitboard, Chess, Color, Move, MoveList, Position, Rank, Role, Square, attacks};

use super::attacker_view::{AttackerView, cheapest_role};
use crate::chess::moves::{after, ends};
use crate::chess::orientation::Orientation;
use crate::chess::piece_values::piece_value;
use crate::chess::static_exchange::see_oriented;

/// How a move gives check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Check {
    None,
    Direct,
    /// By another piece than the one that moved; by the rook in castling, too.
    Discovered,
    Double,
}

/// Whether the move could have been played if the victim had passed instead of playing the bait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Availability {
    /// There is no bait, or passing was not possible.
    Unknown,
    /// It could, and to the same effect.
    Old,
    /// It could, but would have taken something else or not have given check.
    Sharper,
    /// It could, but another piece, or none, would have been the cheapest_role to guard the square.
    Unguarded,
    /// It could not.
    New,
}

/// Where the move goes, seen from the bait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Elsewhere,
    /// Onto the square that the bait's piece left, or across it.
    Left,
    /// Takes on the square that the bait's piece stands on.
    Bait,
}

/// A pawn's way to promotion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PawnAdvance {
    /// Ranks that are left.
    pub steps: u32,
    /// No enemy pawn stands in its way or beside it.
    pub passed: bool,
    /// The victim's king is too far away to catch it.
    pub escapes: bool,
    pub blocked: bool,
}

/// What is seen of one move of the attacker.
pub(crate) struct Seen {
    pub m: Move,
    pub next: Chess,
    /// A list of its own length: the usual one is two kilobytes, and hundreds of these are moved about.
    pub replies: Vec<Move>,
    /// The piece after the move: what a pawn was promoted to.
    pub piece: Role,
    pub captured: Option<Role>,
    pub promotes: bool,
    pub check: Check,
    /// Files and ranks from the victim's king to the target square.
    pub offset: (i32, i32),
    /// Cheapest piece of the victim that attacks the target square, pinned or not.
    pub attacker: Option<Role>,
    /// Does a piece of the attacker stand behind it?
    pub defended: bool,
    /// Cheapest piece that can legally take on the target square.
    pub recapturer: Option<Role>,
    /// Centipawns of the exchange on the target square.
    pub exchange: i32,
    /// Moves of the victim's king among the replies, castling included.
    pub king_replies: usize,
    pub availability: Availability,
    pub place: Place,
    /// Roles of the victim's pieces that the moved piece attacks and that are undefended or worth more than itself, or
    /// the king: bit 0 for a pawn to bit 5 for the king.
    pub targets: u32,
    /// Centipawns that the victim's best capture or promotion gains next, 0 or more.
    pub hanging: i32,
    /// For a pawn that does not promote at once.
    pub advance: Option<PawnAdvance>,
}

/// What is seen of all moves of a view, in the order of the move list.
pub(crate) fn look(view: &AttackerView) -> Vec<Seen> {
    let moves = view.chess.legal_moves();
    let passed = view.bait.as_ref().and_then(|bait| bait.passed.as_ref());
    let earlier = passed.map(|chess| (chess, chess.legal_moves()));
    moves.iter().map(|&m| Seen::new(view, m, earlier.as_ref())).collect()
}

/// What is seen of one legal move alone.
pub(crate) fn look_at(view: &AttackerView, m: Move) -> Seen {
    let passed = view.bait.as_ref().and_then(|bait| bait.passed.as_ref());
    Seen::new(view, m, passed.map(|chess| (chess, chess.legal_moves())).as_ref())
}

impl Seen {
    fn new(view: &AttackerView, m: Move, earlier: Option<&(&Chess, MoveList)>) -> Seen {
        let (chess, orientation) = (&view.chess, view.orientation);
        let next = after(chess, m);
        let replies = next.legal_moves();
        let (_, to) = ends(m);
        let board = next.board();
        let piece = m.promotion().unwrap_or(m.role());
        let check = check_kind(&next, to);
        let (mut recapturer, mut hanging, mut king_replies): (Option<Role>, i32, usize) = (None, 0, 0);
        for &reply in &replies {
            king_replies += usize::from(reply.role() == Role::King);
            if reply.is_capture() && reply.to() == to && recapturer.is_none_or(|role| reply.role() < role) {
                recapturer = Some(reply.role());
            }
            if reply.is_capture() || reply.is_promotion() {
                hanging = hanging.max(see_oriented(&next, reply, orientation));
            }
        }
        let (availability, place) = relation(view, m, &next, check, earlier);
        let advance = (piece == Role::Pawn).then(|| run(&next, to, orientation));
        Seen {
            m,
            piece,
            captured: m.capture(),
            promotes: m.is_promotion(),
            check,
            offset: orientation.offset(view.victim_king(), to),
            attacker: cheapest_role(&next, board.attacks_to(to, !orientation.attacker, board.occupied())),
            defended: board.attacks_to(to, orientation.attacker, board.occupied()).any(),
            recapturer,
            exchange: see_oriented(chess, m, orientation),
            king_replies,
            availability,
            place,
            targets: targets(&next, to, piece, orientation.attacker),
            hanging,
            advance,
            next,
            replies: replies.to_vec(),
        }
    }

    /// Does the move mate?
    pub(crate) fn mates(&self) -> bool {
        self.check != Check::None && self.replies.is_empty()
    }
}

fn check_kind(next: &Chess, to: Square) -> Check {
    let checkers = next.checkers();
    match (checkers.count(), checkers.contains(to)) {
        (0, _) => Check::None,
        (1, true) => Check::Direct,
        (1, false) => Check::Discovered,
        _ => Check::Double,
    }
}

fn targets(next: &Chess, to: Square, piece: Role, attacker: Color) -> u32 {
    let board = next.board();
    let reach = attacks::attacks(to, piece.of(attacker), board.occupied());
    let mut out = 0;
    for role in Role::ALL {
        let valuable = role == Role::King || piece_value(role) > piece_value(piece) + 50;
        let exposed = (reach & board.by_color(!attacker) & board.by_role(role))
            .into_iter()
            .any(|square| valuable || board.attacks_to(square, !attacker, board.occupied()).is_empty());
        out |= u32::from(exposed) << (role as u32 - 1);
    }
    out
}

fn run(next: &Chess, to: Square, orientation: Orientation) -> PawnAdvance {
    let board = next.board();
    let at = orientation.square(to);
    let steps = 7 - at.rank() as i32;
    let enemies = board.pawns() & board.by_color(!orientation.attacker);
    let passed = enemies
        .into_iter()
        .map(|square| orientation.square(square))
        .all(|enemy| (enemy.file() as i32 - at.file() as i32).abs() > 1 || enemy.rank() <= at.rank());
    let king = orientation.square(board.king_of(!orientation.attacker).expect("a legal position has both kings"));
    // The victim is to move: the rule of the square.
    let far = (king.file() as i32 - at.file() as i32).abs().max(Rank::Eighth as i32 - king.rank() as i32);
    let ahead = Square::from_coords(at.file(), Rank::new((at.rank() as u32 + 1).min(7)));
    PawnAdvance {
        steps: steps as u32,
        passed,
        escapes: far - 1 > steps,
        blocked: steps > 0 && board.occupied().contains(orientation.square(ahead)),
    }
}

fn relation(
    view: &AttackerView,
    m: Move,
    next: &Chess,
    check: Check,
    earlier: Option<&(&Chess, MoveList)>,
) -> (Availability, Place) {
    let Some(bait) = &view.bait else { return (Availability::Unknown, Place::Elsewhere) };
    let (from, to) = ends(m);
    let place = if m.is_capture() && m.to() == bait.to {
        Place::Bait
    } else if to == bait.from || (attacks::between(from, to) & Bitboard::from_square(bait.from)).any() {
        Place::Left
    } else {
        Place::Elsewhere
    };
    let Some((passed, moves)) = earlier else { return (Availability::Unknown, place) };
    let same = |old: &&Move| {
        old.from() == m.from() && old.to() == m.to() && old.promotion() == m.promotion() && old.role() == m.role()
    };
    let Some(&old) = moves.iter().find(same) else { return (Availability::New, place) };
    let before = after(passed, old);
    if old.capture() != m.capture() || before.is_check() != (check != Check::None) {
        return (Availability::Sharper, place);
    }
    let guard = |chess: &Chess| {
        let board = chess.board();
        cheapest_role(chess, board.attacks_to(to, !view.orientation.attacker, board.occupied()))
    };
    (if guard(&before) == guard(next) { Availability::Old } else { Availability::Unguarded }, place)
}
