"""Reasons of losing moves in a player's words: ``hung a piece``, ``missed a fork``."""

from collections.abc import Mapping

from db.games.losing_moves import LostMove
from db.wording.causes import MISSED
from db.wording.languages.grammar import Grammar

NO_REASON = "slip"
"""Of a move that loses without a reason that the board shows."""

REASONS: Mapping[str, str] = {
    "piece": "hung a piece",
    "pawn": "hung a pawn",
    "piece_later": "lost a piece by force",
    "pawn_later": "lost a pawn by force",
    "mate": "walked into a mate",
    "fork": "walked into a fork",
    "pin": "walked into a pin or a skewer",
    "discovery": "walked into a discovered attack",
    "trapped": "had a piece trapped",
    "guard": "lost the guard of a piece",
    "combination": "walked into a combination",
    "promotion": "let a pawn through",
    "missed_mate": "missed a mate",
    "missed_fork": "missed a fork",
    "missed_material": "missed winning material",
    "missed_tactic": "missed a combination",
    NO_REASON: "let the position slip",
}
"""What each reason is called, after *you have* and by itself."""

_BY_MECHANISM: Mapping[str, str] = {
    "fork": "fork",
    "pin": "pin",
    "skewer": "pin",
    "xRayAttack": "pin",
    "discoveredAttack": "discovery",
    "doubleCheck": "discovery",
    "trappedPiece": "trapped",
    "overloading": "guard",
    "capturingDefender": "guard",
    "deflection": "guard",
    "interference": "guard",
    "attraction": "combination",
    "intermezzo": "combination",
    "promotion": "promotion",
}
_MISSED: Mapping[str, str] = {"fork": "missed_fork", "captured": "missed_material", "won": "missed_material"}
_NOTHING_SHOWN = {"", "check", "capture", "quiet"}
_OF_MEN: Mapping[str, tuple[str, str]] = {
    "taken": ("pawn", "piece"),
    "captured": ("pawn", "piece"),
    "won": ("pawn_later", "piece_later"),
}


def reason_of(lost: LostMove) -> str:
    """The key of `REASONS` that explains a losing move, by what was missed or by what its killer line does."""
    key = lost.move.mechanism or ""
    name, _, victims = key.removeprefix(MISSED).partition(":")
    if key.startswith(MISSED):
        is_mate = name.startswith("mate") or name.endswith("Mate")
        return "missed_mate" if is_mate else _MISSED.get(name, "missed_tactic")
    if lost.move.mate_in is not None or name.startswith("mate") or name.endswith("Mate"):
        return "mate"
    if name in _OF_MEN:
        return _OF_MEN[name][victims.rpartition(":")[2][:1] not in ("P", "")]
    return NO_REASON if name in _NOTHING_SHOWN else _BY_MECHANISM.get(name, "combination")


def reason_name(reason: str, language: Grammar) -> str:
    """``hung a piece``."""
    return language.text(REASONS[reason])
