"""What a bait and its killer look like at first sight: whether they win something, and whether a set is a threat."""

from functools import lru_cache

import chess

from annotator.events import TrapEvent
from trapcore import _native
from trapcore.trees.chess_game import parse_position

_SOME = 100
"""Centipawns that an exchange wins at least to count as a win: a pawn."""

_CHOICE = 3
"""Legal moves from which on there is a choice."""


def tempts(event: TrapEvent) -> bool:
    """Whether the bait wins material at first sight, by exchanges on its square, or is that of a known trap."""
    return event.known or is_lure(event)


def is_lure(event: TrapEvent) -> bool:
    """Whether the bait takes something, and wins it at first sight."""
    return event.bait in _winning(event.fen)


def is_threat(event: TrapEvent) -> bool:
    """Whether what is set is a plain threat and no trap: the killer would come after any idle move of the victim.

    A player who ignores a threat to win something has taken a bait, and a known trap is one by its own proof.
    """
    return event.threat and not tempts(event)


def is_plain(event: TrapEvent) -> bool:
    """Whether the killer is seen at first sight: it mates at once, or takes back or something that is hanging."""
    killer = event.killer_line[0]
    if event.proof.mate_in is not None or killer[2:4] == event.bait[2:4]:
        return event.proof.mate_in in (None, 1)
    board = parse_position(event.fen)
    board.push_uci(event.bait)
    return killer in _winning(board.fen())


def has_choice(event: TrapEvent) -> bool:
    """Whether three moves or more were legal where the move of the event was made."""
    return _decision(event).legal_moves.count() >= _CHOICE


def takes_with_profit(event: TrapEvent) -> bool:
    """Whether the move of the event takes back, or something that is hanging."""
    board = _decision(event)
    return board.parse_san(event.played).uci() in _winning(board.fen())


def _decision(event: TrapEvent) -> chess.Board:
    """The position in which the move of the event was made: before the bait, or after it."""
    board = parse_position(event.fen)
    if event.ply != event.trap_ply:
        board.push_uci(event.bait)
    return board


@lru_cache(maxsize=4096)
def _winning(fen: str) -> frozenset[str]:
    """Moves that win something by exchanges."""
    return frozenset(move for move, gain in _native.exchanges(fen) if gain >= _SOME)
