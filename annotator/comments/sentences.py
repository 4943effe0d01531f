"""What is said of an event: what happened and why, what it cost, what was better, in this order.

Win chances are told to people as percent. Only what is proved is claimed; what else is told says that it is not.
"""

import math
from functools import lru_cache

import chess

from annotator.comments import notation
from annotator.comments.glyphs import sign
from annotator.comments.threats import is_threat
from annotator.events import TrapEvent
from db.formats.puzzles import is_numbered
from db.traps.terms import Event
from db.traps.trap import Trap
from db.traps.wording import percent_of_chance
from trapcore.piece_values import POINTS
from trapcore.proof.search import BLUNDER, INACCURACY

NAMED_FROM = 0.8
"""A trap that a position resembles is named from this similarity on; below, fewer than six in seven show the same
pattern (docs/research/accuracy.md)."""


def sentence(
    event: TrapEvent, *, line_follows: bool = False, was_set: bool = False, instead: TrapEvent | None = None
) -> tuple[str, str]:
    """The comment for one event, in two parts: the lead, which tells it from every other remark, and the rest.

    ``line_follows``: the killer line is shown later in the game, where the killer was missed. ``was_set``: the move
    before was said to set what is avoided here. ``instead`` is the event of the killer that the same move missed.
    """
    if not event.proved:
        return _unproved(event), ""
    match event.event:
        case Event.SET:
            return _set(event)
        case Event.FELL:
            return _fell(event, line_follows, instead)
        case Event.AVOIDED:
            return _avoided(event, was_set)
        case Event.SPRUNG:
            return _sprung(event)
        case Event.MISSED:
            return _missed(event)


def name(trap: Trap | None) -> str:
    """What people call a trap, as it may stand in a comment; empty for a puzzle, which has a number only."""
    return "" if trap is None or is_numbered(trap) else _safe(trap.name).removeprefix("The ")


# The five events ----------------------------------------------------------------------------------------------------


def _set(event: TrapEvent) -> tuple[str, str]:
    risk = _risk(event)
    if is_threat(event):
        mate_in = event.proof.mate_in
        mate = f", mate in {mate_in}" if mate_in is not None and mate_in > 1 else ""
        return f"Threatens {notation.killer(event)}{mate}.", risk
    own, like = _known_name(event), _likeness(event)
    lead = f"Sets {own}:" if own else f"Sets a trap like {like}:" if like else "Sets a trap:"
    return lead, f" {_signed_bait(event)} {_consequence(event)}{_cost_aside(event)}.{risk}"


def _fell(event: TrapEvent, line_follows: bool, instead: TrapEvent | None) -> tuple[str, str]:
    shown = notation.killer(event) if line_follows else notation.killer_line(event)
    cost, own = _cost(event), _known_name(event)
    if own:
        how = _mate(event)
        what = f"{how} by {shown}" if how else f"{shown} {_gain(event)}".rstrip()
        return f"Falls into {own}:", f" {what}{', ' if cost else ''}{cost}.{_better(event, instead)}"
    like = f"Like {_likeness(event)}: " if _likeness(event) else ""
    verb = "loses" if _is_lost(event) and not _mate(event) else "allows"
    how = f"{_mate(event)} by " if _mate(event) else "by " if verb == "loses" else ""
    lead = f"{like}{_signed_bait(event)} {verb}"
    return lead, f" {how}{shown}{': ' if cost else ''}{cost}.{_better(event, instead)}"


def _avoided(event: TrapEvent, was_set: bool) -> tuple[str, str]:
    own, bait = _known_name(event), _signed_bait(event)
    lead = f"Avoids {own or bait}"
    if was_set:
        return lead, "."
    return lead, f"{f': {bait}' if own else ', which'} {_consequence(event)}{_cost_aside(event)}."


def _sprung(event: TrapEvent) -> tuple[str, str]:
    own, mate = _known_name(event), _mate(event)
    lead = f"Springs {own}:" if own else f"Punishes {notation.bait(event)}:"
    if not is_killer(event):
        return lead, f" {event.played} mates as well as {notation.killer(event)}."
    how = f"{mate} by " if mate else ""
    return lead, f" {how}{notation.killer_line(event)}."


def _missed(event: TrapEvent) -> tuple[str, str]:
    own, mate = _known_name(event), _mate(event)
    lead = f"Misses {notation.killer(event)}{f', {mate}' if mate else ''}{f' ({own})' if own else ''}"
    before = None if event.after is None else -event.after
    if before is None or event.played_loss is None or event.played_loss < INACCURACY:
        return lead, "."
    return lead, f": from {percent_of_chance(before)} to {percent_of_chance(before - event.played_loss)}."


def _unproved(event: TrapEvent) -> str:
    """A sentence that claims nothing but the similarity, or the probability, itself."""
    score = math.floor(event.similarity * 100) / 100
    colours = ", colours reversed" if event.mirrored else ""
    bait, killer = notation.bait(event), notation.killer(event)
    if event.trap is None:
        chance = "" if event.probability is None else f" (probability {100 * event.probability:.0f} %)"
        return f"Unproved: {bait} may be answered by {killer}{chance}; not proved."
    trap = _safe(event.trap.name).removeprefix("The ")
    if event.known:
        head = f"Unproved: the position of {trap}{' (colours reversed)' if event.mirrored else ''};"
    else:
        head = f"Unproved: resembles {trap} (similarity {score:.2f} by {event.measure}{colours});"
    match event.event:
        case Event.SET:
            return f"{head} {bait} may be tempting; not proved."
        case Event.FELL:
            return f"{head} {bait} corresponds to its bait; not proved."
        case Event.AVOIDED:
            return f"{head} {bait} may have been tempting; not proved."
        case Event.SPRUNG:
            return f"{head} {killer} corresponds to its killer; not proved."
        case Event.MISSED:
            return f"{head} {killer} would correspond to its killer; not proved."


# Parts --------------------------------------------------------------------------------------------------------------


def is_killer(event: TrapEvent) -> bool:
    """Whether the killer was played; the analyzer also counts another move as springing, if it is proved to mate."""
    return event.played.rstrip("+#") == event.killer_line_san[0].rstrip("+#")


def _known_name(event: TrapEvent) -> str:
    own = name(event.trap) if event.known else ""
    return f"{own} (colours reversed)" if own and event.mirrored else own


def _likeness(event: TrapEvent) -> str:
    return "" if event.known or event.similarity < NAMED_FROM else name(event.trap)


def _signed_bait(event: TrapEvent) -> str:
    return notation.bait(event) + sign(event.loss)


def _mate(event: TrapEvent) -> str:
    mate_in = event.proof.mate_in
    return "" if mate_in is None else "mate" if mate_in == 1 else f"mate in {mate_in}"


def _is_lost(event: TrapEvent) -> bool:
    """Whether the attacker stands clearly better after the bait, and not only better than before.

    What the library proved without a figure counts as well: its attacker has won material, or more.
    """
    return event.after is None or event.after <= -BLUNDER


def _consequence(event: TrapEvent) -> str:
    """What the bait does: ``loses to 6.Qd4``, ``allows mate in 2 by 6.Bxf7+``."""
    killer, mate = notation.killer(event), _mate(event)
    if mate:
        return f"allows {mate} by {killer}"
    return f"loses to {killer}" if _is_lost(event) else f"allows {killer}"


def _cost(event: TrapEvent) -> str:
    """``from 62 % to 18 %``; empty where nothing was measured."""
    if event.before is not None and event.after is not None:
        return f"from {percent_of_chance(event.before)} to {percent_of_chance(event.after)}"
    loss = event.loss
    if loss is None and event.known and event.proof.mate_in is None and event.trap is not None:
        loss = event.trap.gain
    return "" if loss is None else f"at a cost of {50 * loss:.0f} percentage points"


def _cost_aside(event: TrapEvent) -> str:
    """The same in parentheses: `` (62 % to 18 %)``."""
    cost = _cost(event)
    return f" ({cost.removeprefix('from ')})" if cost else ""


def _gain(event: TrapEvent) -> str:
    """That material is won, where the library's line ends with it in hand and no figure says more."""
    return "wins material" if not _cost(event) and event.trap and _is_material_in_hand(event.trap) else ""


def _better(event: TrapEvent, instead: TrapEvent | None) -> str:
    """`` Better 5...dxe5.``; the killer that was missed, if there was one, with its mate."""
    if instead is not None and _mate(instead):
        return f" Better {notation.killer(instead)}, {_mate(instead)}."
    best = notation.best(event)
    return f" Better {best}." if best else ""


def _risk(event: TrapEvent) -> str:
    """What the setting move itself costs, and the answer that shows it; empty if that is little, or not known."""
    if event.played_loss is None or event.played_loss < INACCURACY or event.before is None or event.best_san is None:
        return ""
    left = -event.before
    was = min(1.0, left + event.played_loss)
    return f" But {notation.best(event)} is the answer: from {percent_of_chance(was)} to {percent_of_chance(left)}."


@lru_cache(maxsize=4096)
def _safe(text: str) -> str:
    """A name as it may stand in a comment: one line, no braces, no commands, straight quotes."""
    straight = text.translate(str.maketrans("‘’“”{}", "''\"\"  ")).replace("[%", "[")
    return " ".join("".join(letter if letter.isprintable() else " " for letter in straight).split())


@lru_cache(maxsize=4096)
def _is_material_in_hand(trap: Trap) -> bool:
    """Whether the attacker has won material at the end of the killer line."""
    board = trap.board()
    attacker = not board.turn
    before = _material(board, attacker)
    for move in trap.line:
        board.push_uci(move)
    return _material(board, attacker) > before


def _material(board: chess.Board, side: chess.Color) -> int:
    """How much more ``side`` has, in pawns."""
    return sum((1 if piece.color == side else -1) * POINTS[piece.piece_type] for piece in board.piece_map().values())
