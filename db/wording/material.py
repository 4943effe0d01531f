"""Material that a line wins, counted where nobody can take it back.

A position counts where the side to move is not in check and has nothing to take with profit, and where the side that
wins may leave it at that because it is to move.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import chess

from db.wording.evidence import BETTER, Evidence
from db.wording.stands import (
    AS_GOOD,
    LAST_PLY,
    POINT,
    Counts,
    Stand,
    after_line,
    after_pass,
    best_exchange,
    change,
    continued,
    counts_of,
    exchanged,
    exchanges_of,
    is_quiet,
    is_repaid,
    last_capture,
    lasts,
    points_of,
    searched,
    searched_without,
    stands_of,
    taken_by,
    until_a_gift,
)
from trapcore import _native
from trapcore.piece_values import POINTS
from trapcore.trees.chess_game import parse_position
from trapcore.win_chance import win_chance

_LATEST_PLY = 7  # of the line with which material may fall that is called lost: later too much lies between
_AT_ONCE = 3  # until this ply of the line a piece falls at once
_MUCH_LATER = 4  # so many plies later falls what has little to do with that
_HELD_PLIES = 4  # after so many plies more what is lost still holds
_KEPT_NODES = 40_000  # of the search for another reply that keeps what is said to be lost
_COMPARED = 5  # plies of the better line in which something falls, or is allowed, as well
_ROUNDING = 0.5  # points by which exchanges count pieces in another way
_NAMED = 3  # pieces that are named where the line goes on to what happens to one that takes back
_LISTED = 4  # pieces that a sentence lists at most
_MORE = 250  # centipawns: a capture that wins this much more than the line is what a reader sees
_MATES = 0.98  # win chance of a move that mates
_DECIDED = 0.6  # win chance beyond which material changes little
_A_POINT = 0.1  # win chance that a point of material costs at least in a game that is not decided
_MUCH = {1: 0.45, 2: 0.7}  # win chance that nobody gives up for this many pawns


@dataclass(frozen=True, slots=True)
class Material:
    """What one side gives up, and what it gets for it, when nothing is left to be taken."""

    lost: tuple[chess.PieceType, ...]
    """The most valuable first; what both sides gave up is left out."""
    gained: tuple[chess.PieceType, ...]
    ply: int
    """Of the line, from 1: with this move it is so."""
    line: tuple[str, ...]
    """The moves, SAN, that show it: the line until then, and why what takes it is not to be taken."""
    only: bool
    """What is lost is a single piece that can be no other: the one that moved, or the only one of its kind."""
    least: bool = False
    """It is what the line wins against the next best reply; the line itself wins something worth more."""

    @property
    def worth(self) -> float:
        """Points that are given up, less what is got for it."""
        return sum(POINTS[kind] for kind in self.lost) - sum(POINTS[kind] for kind in self.gained)


def material_lost(evidence: Evidence, before: chess.Board) -> Material | None:
    """What a losing move loses by its line; None if that is nothing certain, or not what the move loses by."""
    victim = before.turn
    start = _start(evidence, before)
    after = after_line(before, (evidence.bait,))
    line = continued(after, evidence.killer_line)
    stand = _found(start, after, line, victim, len(evidence.killer_line))
    if stand is None or (set(stand.lost) == {chess.PAWN} and stand.ply > until_a_gift(after, line)):
        return None
    taken = points_of(counts_of(before)[not victim]) - points_of(counts_of(after)[not victim])
    if _is_beside_the_point(stand, evidence.cost) or is_made_up_for(stand.worth, evidence):
        return None
    if stand.worth < 1 or _is_lost_anyway(stand, _lost_anyway(evidence, before, start)):
        return None
    if _could_take_more(after, evidence, POINT * (stand.worth + taken) + _MORE):
        return None
    ply = exchanged(after, line, last_capture(after, line, stand.ply))
    better = best_moves(evidence)
    if list(line[:ply]) == better[1 : ply + 1] and lost_points(before, better) >= 1:
        return None
    shown = _shown(start, after, line[:ply], stand, victim)
    if shown is None:
        return None
    stand, sans = shown
    if _could_keep(start, after, line[:ply], stand, evidence):
        return None
    only = _is_only(before, evidence.bait, line[:ply], stand.lost)
    return Material(in_order(stand.lost), in_order(stand.gained), ply, sans, only)


def material_shown(evidence: Evidence, before: chess.Board, shown: int) -> Material | None:
    """What the first ``shown`` plies of the killer line win, where another reply would keep it at another price; None
    if that is nothing that lasts, or not what the move loses by, and if it makes nobody better."""
    if evidence.after is None or evidence.after > -BETTER:
        return None
    victim, start = before.turn, _start(evidence, before)
    after = after_line(before, (evidence.bait,))
    line = continued(after, evidence.killer_line)
    stands, known = stands_of(start, after, line, victim), until_a_gift(after, evidence.killer_line)
    # Where the other side is to move, it could still take something back.
    quiet = [each for each in stands if each.is_quiet and each.ply % 2 == 1 and each.ply <= min(shown, known)]
    lasting = [each for each in quiet if min(each.worth, _lasting_worth(stands, each)) >= 1]
    if not lasting:
        return None
    named = [each for each in lasting if each.lost.total() + each.gained.total() <= _LISTED]
    stand = (named or lasting)[-1]
    if _is_beside_the_point(stand, evidence.cost) or is_made_up_for(stand.worth, evidence):
        return None
    taken = points_of(counts_of(before)[not victim]) - points_of(counts_of(after)[not victim])
    if _could_take_more(after, evidence, POINT * (stand.worth + taken) + _MORE):
        return None
    if _is_lost_anyway(stand, _lost_anyway(evidence, before, start)):
        return None
    ply = last_capture(after, line, stand.ply)
    if ply % 2 == 0 and ply < len(line) and line[ply][2:4] != line[ply - 1][2:4]:
        ply += 1  # it ends with a move of the side that wins
    sans = _native.sans(_native.epd(after.fen()), line[:ply])
    return Material(in_order(stand.lost), in_order(stand.gained), ply, tuple(sans), only=False)


def _could_keep(
    start: dict[chess.Color, Counts], after: chess.Board, line: Sequence[str], stand: Stand, evidence: Evidence
) -> bool:
    """Whether another reply on the way loses less, and is as good by a search as what the losing move leaves."""
    board, victim = after.copy(stack=False), not after.turn
    for ply, uci in enumerate(line):
        if board.turn == victim:
            found = searched_without(board, (uci,), _KEPT_NODES)
            if found is not None and (evidence.after is None or win_chance(found.value) >= evidence.after - AS_GOOD):
                whole = continued(after, (*line[:ply], *found.line))
                least = _found(start, after, whole, victim, len(whole))
                if least is None or least.worth < stand.worth:
                    return True
        board.push_uci(uci)
    return False


def _could_take_more(after: chess.Board, evidence: Evidence, least: float) -> bool:
    """Whether another answer to the losing move takes more than so many centipawns, and is as good as the killer."""
    move, gain = best_exchange(after)
    if gain <= least or move == evidence.killer_line[0] or evidence.after is None:
        return False
    found = searched(after, only=(move,))
    return win_chance(found.value) >= -evidence.after - AS_GOOD


def material_won(evidence: Evidence, before: chess.Board) -> Material | None:
    """What the best move wins by its line, a piece, or pawns for nothing.

    None if that is nothing certain, or the losing move wins as much. Of what it wins by its line, and against the next
    best reply, it is the least.
    """
    line, victim = best_moves(evidence, whole=True), not before.turn
    start = counts_of(before)
    # What falls to the first move may be taken back by it: the line does not show it.
    stand = _won(start, before, line, victim)
    if stand is None or stand.ply == 1 or not _is_missed(evidence, before, start, stand.worth):
        return None
    if set(stand.lost) == {chess.PAWN} and not _is_won_for_certain(start, before, line, stand):
        return None
    other, shown = _against_another(before, line), stand
    if other is not None:
        against = _won(start, before, other, victim)
        if against is None:
            return None
        stand = min(stand, against, key=lambda each: each.worth)
    is_least = max(stand.lost) != max(shown.lost)
    are_pawns = set(stand.lost) == {chess.PAWN} and not stand.gained
    if stand.worth < (1 if are_pawns else POINTS[chess.KNIGHT]):
        return None
    lost, gained = in_order(stand.lost), in_order(stand.gained)
    return Material(lost, gained, stand.ply, evidence.best_line, only=False, least=is_least)


def _is_won_for_certain(
    start: dict[chess.Color, Counts], before: chess.Board, line: Sequence[str], stand: Stand
) -> bool:
    """Whether a pawn that a line wins is not given away, not simply taken back, and not won back later."""
    takes = before.is_capture(before.parse_uci(line[0]))
    if stand.ply > until_a_gift(before, line) or (takes and not takes_with_profit(before, line[0])):
        return False
    return lasts(start, before, line[: stand.ply], _KEPT_NODES)


def keeps_what_it_takes(evidence: Evidence, before: chess.Board) -> bool:
    """Whether the best move takes something with profit, for which nothing of as much worth is taken elsewhere, and is
    ahead by a pawn at least all along its line, while the losing move takes less than half as much."""
    gains = exchanges_of(before)
    gain = gains.get(evidence.best or "", 0)
    if evidence.best is None or gain < POINT or gains.get(evidence.bait, 0) > gain / 2:
        return False
    known = best_moves(evidence) or [evidence.best]
    if is_repaid(before, known):
        return False
    stands = stands_of(counts_of(before), before, continued(before, known), not before.turn)
    worth = [each.worth for each in stands if each.is_quiet]
    return bool(worth) and min(worth) >= 1


def takes_with_profit(board: chess.Board, uci: str) -> bool:
    """Whether this move takes something, and exchanges on its square win a pawn at least."""
    return exchanges_of(board).get(uci, 0) >= POINT


def lost_points(board: chess.Board, line: Sequence[str]) -> float:
    """Points that the side to move has lost at the end of a line (UCI), less what it has won."""
    start, end = counts_of(board), counts_of(after_line(board, line))
    own, other = board.turn, not board.turn
    return points_of(start[own]) - points_of(end[own]) - points_of(start[other]) + points_of(end[other])


def answered_best(evidence: Evidence) -> chess.Board | None:
    """The position after the best move, if the same piece can make the same answer there; else None."""
    if evidence.best is None:
        return None
    baited, after = parse_position(evidence.fen), parse_position(evidence.fen)
    baited.push_uci(evidence.bait)
    after.push_uci(evidence.best)
    killer = baited.parse_uci(evidence.killer_line[0])
    same = after.piece_at(killer.from_square) == baited.piece_at(killer.from_square)
    return after if same and after.is_legal(killer) else None


def board_at(evidence: Evidence, ply: int) -> chess.Board:
    """The position before the move of the killer line at this ply, from 1."""
    return after_line(parse_position(evidence.fen), (evidence.bait, *evidence.killer_line[: ply - 1]))


def passed(evidence: Evidence) -> chess.Board | None:
    """The position with the other side to move, as if the player had passed; None if he was in check."""
    return after_pass(parse_position(evidence.fen))


def best_moves(evidence: Evidence, *, whole: bool = False) -> list[str]:
    """The line with the best move, UCI; unless the ``whole`` one, as much of it as is compared with other lines."""
    board = parse_position(evidence.fen)
    return [board.push_san(san).uci() for san in evidence.best_line[: None if whole else _COMPARED]]


def _won(
    start: dict[chess.Color, Counts], before: chess.Board, line: Sequence[str], victim: chess.Color
) -> Stand | None:
    """Where the line has won least, of the quiet places from that on where it has won something; None if it has not."""
    line, length = continued(before, line), len(line)
    stand = _found(start, before, line, victim, length)
    if stand is None or not stand.is_quiet:
        return None
    later = [each for each in stands_of(start, before, line, victim) if each.ply >= stand.ply and each.is_quiet]
    least = min(later, key=lambda each: each.worth)
    end = after_line(before, line[:length])
    if end.turn == victim and not end.is_check():
        # What can be taken where the known line ends, the reader sees.
        left = -lost_points(before, line[:length]) - best_exchange(end)[1] / POINT
        if left < least.worth - _ROUNDING:
            return None
    return replace(least, ply=stand.ply) if least.worth >= 1 else None


def _against_another(before: chess.Board, line: Sequence[str]) -> Sequence[str] | None:
    """The line against another reply than that of ``line``; None if there is no other, or if it is mated."""
    after = after_line(before, line[:1])
    found = searched_without(after, line[1:2])
    return None if found is None or (found.mate_in is not None and found.value < 0) else (line[0], *found.line)


def _is_missed(evidence: Evidence, before: chess.Board, start: dict[chess.Color, Counts], worth: float) -> bool:
    """Whether the losing move wins less than half as much by its line."""
    after = after_line(before, (evidence.bait,))
    line = continued(after, evidence.killer_line)
    played = [each.worth for each in stands_of(start, after, line, not before.turn) if each.is_quiet]
    return bool(played) and min(played) <= worth / 2


def _start(evidence: Evidence, before: chess.Board) -> dict[chess.Color, Counts]:
    """The pieces from which is counted: those before the move, or after the best one where both take back."""
    return counts_of(after_line(before, (evidence.best or "",)) if both_take_back(evidence) else before)


def both_take_back(evidence: Evidence) -> bool:
    """Whether the losing move and the best one take the same piece for nothing: to take back wins nothing."""
    if evidence.best is None or evidence.best[2:4] != evidence.bait[2:4]:
        return False
    before = parse_position(evidence.fen)
    return _takes_piece(before, evidence.best) and is_quiet(after_line(before, (evidence.best,)))


def _takes_piece(board: chess.Board, uci: str) -> bool:
    taken = board.piece_type_at(chess.parse_square(uci[2:4]))
    return taken is not None and taken != chess.PAWN


def _found(
    start: dict[chess.Color, Counts], board: chess.Board, line: Sequence[str], victim: chess.Color, length: int
) -> Stand | None:
    """The first stand of a line (UCI) from which on as much is lost as ever for certain; its worth is 1 at least.

    Of two that differ by pawns beside pieces the earlier one, if it is quiet: pawns that fall after the pieces are
    hardly the reason. So it is where a piece falls at once that is most of what is lost, and the rest much later.
    After ``length`` plies begins what a search has found behind the line: it only shows what of the rest lasts.
    """
    stands = stands_of(start, board, line, victim)
    sure = {each.ply: min(each.worth, _lasting_worth(stands, each)) for each in stands}
    latest = min(_LATEST_PLY, length)
    early = [each for each in stands if sure[each.ply] >= 1 and last_capture(board, line, each.ply) <= latest]
    if not early:
        return None
    most = max(early, key=lambda each: sure[each.ply])

    def is_enough(stand: Stand) -> bool:
        least = sure[most.ply]
        if stand.is_quiet and set(stand.lost) != {chess.PAWN}:
            is_at_once = stand.ply <= _AT_ONCE and stand.worth >= POINTS[chess.KNIGHT]
            least = least / 2 if is_at_once and most.ply - stand.ply >= _MUCH_LATER else least - 1
        return sure[stand.ply] >= max(least, stand.worth / 2)

    return next(filter(is_enough, early), None)


def _lasting_worth(stands: Sequence[Stand], stand: Stand) -> float:
    """Points that are still lost later; where nothing is left to be taken, if there is such a place."""
    end = max(_LATEST_PLY, stand.ply + _HELD_PLIES)
    later = [each for each in stands if stand.ply <= each.ply <= end]
    return min(each.worth for each in ([each for each in later if each.is_quiet] or later[-1:]))


def _shown(
    start: dict[chess.Color, Counts], board: chess.Board, line: Sequence[str], stand: Stand, victim: chess.Color
) -> tuple[Stand, tuple[str, ...]] | None:
    """The moves, SAN, that show what is lost, and what that is if the piece is taken back that took the last of it.

    ``line`` (UCI) ends with that. What happens to a piece that takes back, a search finds; None if that wins less than
    half as much again, or by a quiet move: what the line wins is another thing then than what falls in it.
    """
    sans = _native.sans(_native.epd(board.fen()), line)
    board = after_line(board, line)
    back, gain = best_exchange(board)
    if board.is_check() or board.turn != victim or gain < POINT:
        return stand, tuple(sans)
    shown = [back]
    taken = after_line(board, (back,))
    found = searched(taken)
    for uci in found.line[: LAST_PLY - len(line) - 1]:
        move = taken.parse_uci(uci)
        if taken.turn != victim and not (taken.is_capture(move) or taken.gives_check(move)):
            break
        taken.push(move)
        shown.append(uci)
        if is_quiet(taken):
            break
    settled = Stand(stand.ply, *change(start, taken, victim), is_quiet(taken))
    if not settled.is_quiet:
        # There is more to take, but as much is lost already.
        is_least = taken.turn != victim and not taken.is_check()
        return (stand, tuple(sans)) if is_least and settled.worth >= stand.worth else None
    if settled.worth < max(1.0, stand.worth / 2) or settled.lost.total() + settled.gained.total() > _NAMED:
        return None
    # That it loses more to take back is why nobody does.
    if settled.worth > stand.worth < POINTS[chess.KNIGHT]:
        return stand, tuple(sans)
    lost = stand if settled.worth > stand.worth else settled
    end = last_capture(board, shown, len(shown))
    return lost, (*sans, *_native.sans(_native.epd(board.fen()), shown[:end]))


def _is_beside_the_point(stand: Stand, cost: float | None) -> bool:
    """Whether a pawn, or two of them, are not what the move loses by: it costs more than they are worth."""
    if set(stand.lost) != {chess.PAWN}:
        return False
    return cost is not None and cost >= _MUCH.get(int(stand.worth), 2.0)


def is_made_up_for(worth: float, evidence: Evidence) -> bool:
    """Whether the move costs far less than the material, in a game that is not decided: there is more to the line."""
    if evidence.before is None or evidence.after is None or max(evidence.before, -evidence.after) >= _DECIDED:
        return False
    return evidence.before - evidence.after < _A_POINT * worth


def is_paid_for(evidence: Evidence) -> bool:
    """Whether the answer takes a piece, and the reply takes at least as much elsewhere."""
    board = board_at(evidence, 1)
    taken = taken_by(board, chess.Move.from_uci(evidence.killer_line[0]))
    return taken is not None and taken[0] != chess.PAWN and is_repaid(board, evidence.killer_line)


def _lost_anyway(evidence: Evidence, before: chess.Board, start: dict[chess.Color, Counts]) -> Stand | None:
    """What is lost by the best other move as well, as far as that is examined; None where it is not known, and where
    that is of no account because it mates."""
    line = best_moves(evidence)
    if not line or (evidence.before is not None and evidence.before >= _MATES):
        return None
    stands = stands_of(start, before, continued(before, line), before.turn)
    return next((each for each in reversed(stands) if each.is_quiet), stands[-1] if stands else None)


def _is_lost_anyway(stand: Stand, anyway: Stand | None) -> bool:
    """Whether the best other move loses a piece of those as well, or half as much."""
    if anyway is None:
        return False
    same = stand.lost & anyway.lost
    return any(kind != chess.PAWN for kind in same) or stand.worth - max(0.0, anyway.worth) < max(1.0, stand.worth / 2)


def in_order(counts: Counts) -> tuple[chess.PieceType, ...]:
    """The pieces, the most valuable first."""
    return tuple(sorted(counts.elements(), key=lambda kind: (-POINTS[kind], -kind)))


def _is_only(before: chess.Board, bait: str, line: Sequence[str], lost: Counts) -> bool:
    """Whether the one piece that is lost is the one that moved, or the only one of its kind."""
    if lost.total() != 1:
        return False
    (kind,) = lost.elements()
    if len(before.pieces(kind, before.turn)) == 1:
        return True
    board = after_line(before, (bait,))
    square = chess.Move.from_uci(bait).to_square
    if board.piece_type_at(square) != kind:
        return False
    for uci in line:
        move = board.parse_uci(uci)
        if move.to_square == square and board.turn != before.turn:
            return True
        if move.from_square == square:
            square = move.to_square
        board.push(move)
    return False
