"""Material that a line wins, counted where nobody can take it back.

A position counts where the side to move is not in check and has nothing to take with profit, and where the side that
wins may leave it at that because it is to move.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import chess

from db.wording.evidence import Evidence
from trapcore import _native
from trapcore.parallel.budget import Budget
from trapcore.piece_values import POINTS
from trapcore.proof.search import search
from trapcore.trees.chess_game import parse_position
from trapcore.win_chance import win_chance

LATEST_PLY = 7
"""Material that falls later than so many plies into the line is not called lost by the move: too much lies between."""

LAST_PLY = 9
"""What the line does after so many plies is not examined: it is not shown, and little of it is forced."""

AT_ONCE = 3
"""Until this ply of the line a piece falls at once."""

MUCH_LATER = 4
"""So many plies later falls what has little to do with that."""

HELD_PLIES = 4
"""What is lost still holds after so many plies more."""

SEARCHED_NODES = 20_000
"""Nodes of the search for what comes behind the line, and for what happens to a piece that takes back."""

_POINT = 100  # centipawns, as exchanges count them; an exchange that wins less counts for nothing
_ROUNDING = 0.5  # points by which exchanges count pieces in another way
_NAMED = 3  # pieces that are named where the line goes on to what happens to one that takes back
_AS_GOOD = 0.1  # win chance by which the answers of two searches may differ
_MORE = 250  # centipawns: a capture that wins this much more than the line is what a reader sees
_DECIDED = 0.6  # win chance beyond which material changes little
_A_POINT = 0.1  # win chance that a point of material costs at least in a game that is not decided
_MUCH = {1: 0.45, 2: 0.7}  # win chance that nobody gives up for this many pawns

Counts = Counter[chess.PieceType]


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


@dataclass(frozen=True, slots=True)
class _Stand:
    """Material at one ply of a line."""

    ply: int
    lost: Counts
    gained: Counts
    is_quiet: bool

    @property
    def worth(self) -> float:
        """Points that are lost."""
        return _points(self.lost) - _points(self.gained)


def material_lost(evidence: Evidence, before: chess.Board) -> Material | None:
    """What a losing move loses by its line; None if that is nothing certain, or not what the move loses by."""
    victim = before.turn
    start = _start(evidence, before)
    after = _after(before, (evidence.bait,))
    line = _continued(after, evidence.killer_line)
    stand = _found(start, after, line, victim, len(evidence.killer_line))
    if stand is None:
        return None
    taken = _points(_counts_of(before)[not victim]) - _points(_counts_of(after)[not victim])
    if _is_beside_the_point(stand, evidence.cost) or _is_made_up_for(stand.worth, evidence):
        return None
    if stand.worth < 1 or _is_lost_anyway(stand, _lost_anyway(evidence, before, start)):
        return None
    if _could_take_more(after, evidence, _POINT * (stand.worth + taken) + _MORE):
        return None
    ply = _last_capture(after, line, stand.ply)
    better = best_moves(evidence)
    if list(line[:ply]) == better[1 : ply + 1] and lost_points(before, better) >= 1:
        return None
    shown = _shown(start, after, line[:ply], stand, victim)
    if shown is None:
        return None
    stand, sans = shown
    only = _is_only(before, evidence.bait, line[:ply], stand.lost)
    return Material(_sorted(stand.lost), _sorted(stand.gained), ply, sans, only)


def is_sure(evidence: Evidence, material: Material) -> bool:
    """Whether what is lost falls at once; or soon, and as much falls after the next best reply to the killer."""
    if material.ply > AT_ONCE + 2:
        return False
    before = parse_position(evidence.fen)
    after = _after(before, (evidence.bait,))
    other = None if material.ply <= AT_ONCE else _against_another(after, evidence.killer_line)
    if other is None:
        return True
    found = _found(_start(evidence, before), after, _continued(after, other), before.turn, len(other))
    return found is not None and found.worth >= _points(Counter(material.lost)) - _points(Counter(material.gained))


def _could_take_more(after: chess.Board, evidence: Evidence, least: float) -> bool:
    """Whether another answer to the losing move takes more than so many centipawns, and is as good as the killer."""
    move, gain = _best_exchange(after)
    if gain <= least or move == evidence.killer_line[0] or evidence.after is None:
        return False
    found = search(after.fen(), Budget(nodes=SEARCHED_NODES), only=(move,))
    return win_chance(found.value) >= -evidence.after - _AS_GOOD


def material_won(evidence: Evidence, before: chess.Board) -> Material | None:
    """What the best move wins by its line, a piece at least; None if that is nothing certain, or the losing move wins
    as much. Of what it wins by its line, and against the next best reply, it is the least."""
    line, victim = best_moves(evidence), not before.turn
    start = _counts_of(before)
    # What falls to the first move may be taken back by it: the line does not show it.
    stand = _won(start, before, line, victim)
    if stand is None or stand.ply == 1 or not _is_missed(evidence, before, start, stand.worth):
        return None
    other = _against_another(before, line)
    if other is not None:
        against = _won(start, before, other, victim)
        if against is None:
            return None
        stand = min(stand, against, key=lambda each: each.worth)
    if stand.worth < POINTS[chess.KNIGHT]:
        return None
    return Material(_sorted(stand.lost), _sorted(stand.gained), stand.ply, evidence.best_line, only=False)


def keeps_what_it_takes(evidence: Evidence, before: chess.Board) -> bool:
    """Whether the best move takes something with profit and is ahead by a pawn at least all along its line, while the
    losing move takes less than half as much."""
    gains = dict(_native.exchanges(before.fen()))
    gain = gains.get(evidence.best or "", 0)
    if evidence.best is None or gain < _POINT or gains.get(evidence.bait, 0) > gain / 2:
        return False
    start, line = _counts_of(before), _continued(before, best_moves(evidence) or [evidence.best])
    worth = [each.worth for each in _stands(start, before, line, not before.turn) if each.is_quiet]
    return bool(worth) and min(worth) >= 1


def takes_with_profit(board: chess.Board, uci: str) -> bool:
    """Whether this move takes something, and exchanges on its square win a pawn at least."""
    return dict(_native.exchanges(board.fen())).get(uci, 0) >= _POINT


def lost_points(board: chess.Board, line: Sequence[str]) -> float:
    """Points that the side to move has lost at the end of a line (UCI), less what it has won."""
    start, end = _counts_of(board), _counts_of(_after(board, line))
    own, other = board.turn, not board.turn
    return _points(start[own]) - _points(end[own]) - _points(start[other]) + _points(end[other])


def best_moves(evidence: Evidence) -> list[str]:
    """The line with the best move, UCI."""
    board = parse_position(evidence.fen)
    return [board.push_san(san).uci() for san in evidence.best_line]


def _won(
    start: dict[chess.Color, Counts], before: chess.Board, line: Sequence[str], victim: chess.Color
) -> _Stand | None:
    """Where the line has won least, of the quiet places from that on where it has won something; None if it has not."""
    line, length = _continued(before, line), len(line)
    stand = _found(start, before, line, victim, length)
    if stand is None or not stand.is_quiet:
        return None
    later = [each for each in _stands(start, before, line, victim) if each.ply >= stand.ply and each.is_quiet]
    least = min(later, key=lambda each: each.worth)
    end = _after(before, line[:length])
    if end.turn == victim and not end.is_check():
        # What can be taken where the known line ends, the reader sees.
        left = -lost_points(before, line[:length]) - _best_exchange(end)[1] / _POINT
        if left < least.worth - _ROUNDING:
            return None
    return replace(least, ply=stand.ply) if least.worth >= 1 else None


def _against_another(before: chess.Board, line: Sequence[str]) -> Sequence[str] | None:
    """The line against another reply than that of ``line``; None if there is no other, or if it is mated."""
    after = _after(before, line[:1])
    others = [move.uci() for move in after.legal_moves if move.uci() not in line[1:2]]
    if not others:
        return None
    found = search(after.fen(), Budget(nodes=SEARCHED_NODES), only=others)
    return None if found.mate_in is not None and found.value < 0 else (line[0], *found.line)


def _is_missed(evidence: Evidence, before: chess.Board, start: dict[chess.Color, Counts], worth: float) -> bool:
    """Whether the losing move wins less than half as much by its line."""
    after = _after(before, (evidence.bait,))
    played = [each.worth for each in _stands(start, after, evidence.killer_line, not before.turn) if each.is_quiet]
    return bool(played) and min(played) <= worth / 2


def is_quiet(board: chess.Board) -> bool:
    """Whether the side to move is not in check and has nothing to take with profit."""
    return not board.is_check() and _best_exchange(board)[1] < _POINT


def _best_exchange(board: chess.Board) -> tuple[str, int]:
    """The capture (UCI) by which the side to move wins most, and that in centipawns; empty and 0 without one."""
    return max(_native.exchanges(board.fen()), key=lambda exchange: exchange[1], default=("", 0))


def _after(board: chess.Board, line: Sequence[str]) -> chess.Board:
    """The position after a line (UCI)."""
    board = board.copy(stack=False)
    for uci in line:
        board.push_uci(uci)
    return board


def _points(counts: Counts) -> float:
    """Points of these pieces."""
    return sum(POINTS[kind] * count for kind, count in counts.items())


def _counts_of(board: chess.Board) -> dict[chess.Color, Counts]:
    """The pieces of both sides."""
    return {side: Counter({kind: len(board.pieces(kind, side)) for kind in chess.PIECE_TYPES}) for side in chess.COLORS}


def _start(evidence: Evidence, before: chess.Board) -> dict[chess.Color, Counts]:
    """The pieces from which is counted: those before the move, or after the best one where both take the same piece for
    nothing: to take back wins nothing."""
    if evidence.best is not None and evidence.best[2:4] == evidence.bait[2:4] and _takes_piece(before, evidence.best):
        board = _after(before, (evidence.best,))
        if is_quiet(board):
            return _counts_of(board)
    return _counts_of(before)


def _takes_piece(board: chess.Board, uci: str) -> bool:
    taken = board.piece_type_at(chess.parse_square(uci[2:4]))
    return taken is not None and taken != chess.PAWN


def _found(
    start: dict[chess.Color, Counts], board: chess.Board, line: Sequence[str], victim: chess.Color, length: int
) -> _Stand | None:
    """The first stand of a line (UCI) from which on as much is lost as ever for certain; its worth is 1 at least.

    Of two that differ by pawns beside pieces the earlier one, if it is quiet: pawns that fall after the pieces are
    hardly the reason. So it is where a piece falls at once that is most of what is lost, and the rest much later.
    After ``length`` plies begins what a search has found behind the line: it only shows what of the rest lasts.
    """
    stands = _stands(start, board, line, victim)
    sure = {each.ply: min(each.worth, _lasting_worth(stands, each)) for each in stands}
    latest = min(LATEST_PLY, length)
    early = [each for each in stands if sure[each.ply] >= 1 and _last_capture(board, line, each.ply) <= latest]
    if not early:
        return None
    most = max(early, key=lambda each: sure[each.ply])

    def is_enough(stand: _Stand) -> bool:
        least = sure[most.ply]
        if stand.is_quiet and set(stand.lost) != {chess.PAWN}:
            is_at_once = stand.ply <= AT_ONCE and stand.worth >= POINTS[chess.KNIGHT]
            least = least / 2 if is_at_once and most.ply - stand.ply >= MUCH_LATER else least - 1
        return sure[stand.ply] >= max(least, stand.worth / 2)

    return next(filter(is_enough, early), None)


def _lasting_worth(stands: Sequence[_Stand], stand: _Stand) -> float:
    """Points that are still lost later; where nothing is left to be taken, if there is such a place."""
    end = max(LATEST_PLY, stand.ply + HELD_PLIES)
    later = [each for each in stands if stand.ply <= each.ply <= end]
    return min(each.worth for each in ([each for each in later if each.is_quiet] or later[-1:]))


def _stands(
    start: dict[chess.Color, Counts], board: chess.Board, line: Sequence[str], victim: chess.Color
) -> list[_Stand]:
    """The plies of a line, from 1, after which the material counts, `LAST_PLY` at most.

    A promotion ends the counting, unless the new piece is taken at once: its later fate is seldom in the line.
    """
    board = board.copy(stack=False)
    found = []
    for ply, uci in enumerate(line[:LAST_PLY], 1):
        if board.push_uci(uci).promotion is not None:
            if line[ply : ply + 1] and line[ply][2:4] == uci[2:4]:
                continue
            break
        if not any(board.legal_moves):
            continue
        quiet = is_quiet(board)
        if quiet or (board.turn != victim and not board.is_check()):
            found.append(_Stand(ply, *_change(start, board, victim), quiet))
    return found


def _continued(board: chess.Board, line: Sequence[str]) -> Sequence[str]:
    """The line (UCI) as far as it is examined, with what a search finds behind it where it is shorter."""
    if len(line) >= LAST_PLY:
        return line[:LAST_PLY]
    board = _after(board, line)
    if not any(board.legal_moves):
        return line
    return (*line, *search(board.fen(), Budget(nodes=SEARCHED_NODES)).line)[:LAST_PLY]


def _shown(
    start: dict[chess.Color, Counts], board: chess.Board, line: Sequence[str], stand: _Stand, victim: chess.Color
) -> tuple[_Stand, tuple[str, ...]] | None:
    """The moves, SAN, that show what is lost, and what that is if the piece is taken back that took the last of it.

    ``line`` (UCI) ends with that. What happens to a piece that takes back, a search finds; None if that wins less than
    half as much again, or by a quiet move: what the line wins is another thing then than what falls in it.
    """
    sans = _native.sans(_native.epd(board.fen()), line)
    board = _after(board, line)
    back, gain = _best_exchange(board)
    if board.is_check() or board.turn != victim or gain < _POINT:
        return stand, tuple(sans)
    shown = [back]
    taken = _after(board, (back,))
    found = search(taken.fen(), Budget(nodes=SEARCHED_NODES))
    for uci in found.line[: LAST_PLY - len(line) - 1]:
        move = taken.parse_uci(uci)
        if taken.turn != victim and not (taken.is_capture(move) or taken.gives_check(move)):
            break
        taken.push(move)
        shown.append(uci)
        if is_quiet(taken):
            break
    settled = _Stand(stand.ply, *_change(start, taken, victim), is_quiet(taken))
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
    end = _last_capture(board, shown, len(shown))
    return lost, (*sans, *_native.sans(_native.epd(board.fen()), shown[:end]))


def _is_beside_the_point(stand: _Stand, cost: float | None) -> bool:
    """Whether a pawn, or two of them, are not what the move loses by: it costs more than they are worth."""
    if set(stand.lost) != {chess.PAWN}:
        return False
    return cost is not None and cost >= _MUCH.get(int(stand.worth), 2.0)


def _is_made_up_for(worth: float, evidence: Evidence) -> bool:
    """Whether the move costs far less than the material, in a game that is not decided: there is more to the line."""
    if evidence.before is None or evidence.after is None or max(evidence.before, -evidence.after) >= _DECIDED:
        return False
    return evidence.before - evidence.after < _A_POINT * worth


def _last_capture(board: chess.Board, line: Sequence[str], ply: int) -> int:
    """Ply of the line, at most ``ply``, with which the last of the material falls."""
    board = board.copy(stack=False)
    found = 1
    for count, uci in enumerate(line[:ply], 1):
        move = board.parse_uci(uci)
        if board.is_capture(move):
            found = count
        board.push(move)
    return found


def _change(start: dict[chess.Color, Counts], board: chess.Board, victim: chess.Color) -> tuple[Counts, Counts]:
    """What the victim has lost since ``start``, and what the other side has, without what both have."""
    now = _counts_of(board)
    lost, gained = (start[side] - now[side] for side in (victim, not victim))
    lost, gained = lost - gained, gained - lost
    minor = min(lost[chess.KNIGHT] + lost[chess.BISHOP], gained[chess.KNIGHT] + gained[chess.BISHOP])
    return _without_minor(lost, minor), _without_minor(gained, minor)


def _without_minor(counts: Counts, minor: int) -> Counts:
    """The counts without so many knights or bishops, which are worth the same."""
    counts = Counter(counts)
    for kind in (chess.KNIGHT, chess.BISHOP):
        gone = min(minor, counts[kind])
        counts[kind] -= gone
        minor -= gone
    return +counts


def _lost_anyway(evidence: Evidence, before: chess.Board, start: dict[chess.Color, Counts]) -> _Stand | None:
    """What is lost by the best other move as well, as far as that is examined; None where it is not known."""
    line = best_moves(evidence)
    if not line:
        return None
    stands = _stands(start, before, _continued(before, line), before.turn)
    return next((each for each in reversed(stands) if each.is_quiet), stands[-1] if stands else None)


def _is_lost_anyway(stand: _Stand, anyway: _Stand | None) -> bool:
    """Whether the best other move loses a piece of those as well, or half as much."""
    if anyway is None:
        return False
    same = stand.lost & anyway.lost
    return any(kind != chess.PAWN for kind in same) or stand.worth - max(0.0, anyway.worth) < max(1.0, stand.worth / 2)


def _sorted(counts: Counts) -> tuple[chess.PieceType, ...]:
    return tuple(sorted(counts.elements(), key=lambda kind: (-POINTS[kind], -kind)))


def _is_only(before: chess.Board, bait: str, line: Sequence[str], lost: Counts) -> bool:
    """Whether the one piece that is lost is the one that moved, or the only one of its kind."""
    if lost.total() != 1:
        return False
    (kind,) = lost.elements()
    if len(before.pieces(kind, before.turn)) == 1:
        return True
    board = _after(before, (bait,))
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
