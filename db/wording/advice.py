"""One sentence of advice for each cause of losing moves: what to do before the next move."""

from collections.abc import Mapping

from db.wording.english import ENGLISH
from db.wording.grammar import Grammar

_THREAT = "Before each move, ask what your opponent would play if you passed."
_GUARD = "Before you move a piece, look at what it guards."
_SQUARE = "Before you let go of the piece, see who attacks its new square and who guards it."
_KING = "Before you move, count the checks against your king and its flight squares."
_CHANCE = "Before each move, look at every check and every capture that you have."
_LINE = "Before you move, look along the files, ranks and diagonals that the move opens."
_ROOM = "Before you settle a piece, see that it has a way back."
_TACTIC = "Look for two of your pieces, or king and piece, on one knight's jump or on one line."
_ENDING = "Before you trade, or let a pawn go, count the ending to its end."

ADVICE: Mapping[str, str] = {
    "retaken": _SQUARE,
    "astray": _SQUARE,
    "taken": _SQUARE,
    "uncovers": _LINE,
    "overloaded": _GUARD,
    "leaves": _GUARD,
    "cuts_off": _GUARD,
    "blocks_retreat": _ROOM,
    "back_rank": _KING,
    "mating_net": _KING,
    "takes_flight": _KING,
    "cover": _KING,
    "square": _GUARD,
    "line": _LINE,
    "vacates": _GUARD,
    "threat": _THREAT,
    "attacked": _THREAT,
    "fork": _TACTIC,
    "skewer": _TACTIC,
    "discovery": _LINE,
    "trap": _ROOM,
    "no_squares": _ROOM,
    "pin": _LINE,
    "mate_missed": _CHANCE,
    "win_missed": _CHANCE,
    "promotion_missed": _CHANCE,
    "pawn_through": _ENDING,
    "capture_missed": _CHANCE,
    "ending": _ENDING,
    "zugzwang": _ENDING,
}


def advice(cause: str, language: Grammar = ENGLISH) -> str:
    """The sentence for a cause; empty for none."""
    return language.text(ADVICE[cause]) if cause in ADVICE else ""
