"""Events of a trap in a game: which of the five happened, by one rule for everything in Python.

The core goes by the same rule while it reads games (``native/src/judge/events.rs``), and a test holds the two together.
"""

from collections.abc import Iterator

import chess

from db.traps.terms import Event
from db.traps.trap import Trap
from trapcore.proof.mate import prove_mate
from trapcore.proof.verdict import Verdict

_FROM_DECISION = {Event.SET: -1, Event.FELL: 0, Event.AVOIDED: 0, Event.SPRUNG: 1, Event.MISSED: 1}


def decision_ply(event: Event, ply: int) -> int:
    """Ply of the victim's decision, given that of the move which the event is about."""
    return ply - _FROM_DECISION[event]


def choice(took_bait: bool) -> Event:
    """Event of the victim's decision."""
    return Event.FELL if took_bait else Event.AVOIDED


def events_of(*, follows_a_move: bool, took_bait: bool | None, is_sprung: bool | None) -> Iterator[Event]:
    """Events of a trap that stood on the board, in the order of the moves.

    ``follows_a_move``: the game did not begin in this position, so that the attacker's move set the trap;
    ``took_bait``: None if the game ended there; ``is_sprung``: whether the answer to the bait springs the trap
    (`springs`), None if there is no answer.
    """
    if follows_a_move:
        yield Event.SET
    if took_bait is None:
        return
    yield choice(took_bait)
    if took_bait and is_sprung is not None:
        yield Event.SPRUNG if is_sprung else Event.MISSED


def springs(trap: Trap, answer: str) -> bool:
    """Whether an answer to the bait (UCI) springs the trap: the killer, or another move that is proved to mate.

    Such a mate may take as many moves as that of the trap, or two.
    """
    if answer == trap.killer_line[0]:
        return True
    if trap.mate_in is None:
        return False
    board = trap.board()
    board.push_uci(trap.bait)
    return mates(board, answer, trap.mate_in)


def mates(board: chess.Board, answer: str, mate_in: int) -> bool:
    """Whether a move (UCI) is proved to mate in ``mate_in`` moves or two, the move counted: as good as the killer."""
    board = board.copy(stack=False)
    board.push_uci(answer)
    if board.is_checkmate():
        return True
    for reply in list(board.legal_moves):
        board.push(reply)
        if prove_mate(board.fen(), max(mate_in, 2)).verdict is not Verdict.PROVED:
            return False
        board.pop()
    return any(board.legal_moves)
