"""Comments, NAGs and variations: the only module that writes them.

Only what is proved is claimed, a move gets one comment at most, nothing is written twice, and nothing of the game is
removed.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from annotator.comments import notation
from annotator.comments.encoding import folded
from annotator.comments.glyphs import JUDGEMENTS, glyph
from annotator.comments.pgn_insert import Layout, MoveText, insertions
from annotator.comments.sentences import sentence
from annotator.events import TrapEvent
from db.traps.terms import Event
from trapcore import _native
from trapcore.proof.search import BLUNDER

_ORDER = [Event.FELL, Event.MISSED, Event.SPRUNG, Event.AVOIDED, Event.SET]
"""Several events on one move are told in this order."""

# Two remarks that differ only in the score are one: a second run with another measure adds nothing.
_SCORE = re.compile(r"\(similarity [0-9.]+ by [\w-]+")
_SHAPES = re.compile(r"\[%(csl|cal)\s+([^\]]*)\]")
_NOT_MOVES = re.compile(r"\{[^}]*\}|;[^\r\n]*|\$\d+|\d+\s*\.+|[.!?+#]+")

_Place = tuple[int, str]
"""Ply of a victim's decision, and the bait."""


def annotations(events: Iterable[TrapEvent], data: bytes, layout: Layout) -> list[tuple[int, bytes]]:
    """All that is to be inserted into one game for its ``events``: offsets into ``data``, ascending, and bytes."""
    ordered = sorted(events, key=lambda event: (event.ply, _ORDER.index(event.event)))
    by_ply = {ply: list(here) for ply, here in groupby(ordered, key=lambda event: event.ply)}
    chosen = {ply: remarks(here) for ply, here in by_ply.items()}
    missed = {_place(event) for told in chosen.values() for event in told if event.event is Event.MISSED}
    fell = {_place(event) for event in ordered if event.event is Event.FELL and event.proved}
    told: set[tuple[Event, str, str]] = set()
    was_set: set[_Place] = set()
    found: list[tuple[int, bytes]] = []
    for ply, here in by_ply.items():
        text = _MoveComment(here, layout)
        for event in chosen[ply]:
            # The same slip in the same position is told once, and who falls has had the answer told.
            slip = event.event, _native.epd(event.fen), event.bait
            if slip in told or (event.event is Event.SPRUNG and _place(event) in fell):
                continue
            told.add(slip)
            if event.event is Event.SET:
                was_set.add(_place(event))
            text.add(event, line_follows=_place(event) in missed, was_set=_place(event) in was_set)
        found.extend(insertions(text.finished(), data, layout))
    return found


def remarks(events: Sequence[TrapEvent]) -> list[TrapEvent]:
    """Those of the ``events`` of one move that are told: of the moves that lose the one that says most.

    A move that both loses and misses the killer is one slip: the killer is told unless the move loses outright. Of each
    other event that of a known trap is told, else the one that costs most.
    """
    first: dict[Event, TrapEvent] = {}
    for event in sorted(events, key=lambda event: (not event.proved, not event.known, -(event.loss or 0.0))):
        if event.proved:
            first.setdefault(event.event, event)
    fell, missed = first.get(Event.FELL), first.get(Event.MISSED)
    if fell is not None:
        keeps_enough = missed is not None and fell.after is not None and fell.after > -BLUNDER
        told = [missed if keeps_enough and missed is not None and not fell.known else fell]
    elif missed is not None:
        told = [missed]
    else:
        told = [first[kind] for kind in _ORDER if kind in first]
    return [*told, *(event for event in events if not event.proved)]


def _place(event: TrapEvent) -> _Place:
    return event.trap_ply, event.bait


class _MoveComment:
    """What is added to one move."""

    def __init__(self, events: Sequence[TrapEvent], layout: Layout) -> None:
        """``events``: all of the move, those that are not told as well."""
        self._events = events
        anchor = events[0].anchor
        self._present = _comparable(" ".join(comment.decode(layout.encoding, "replace") for comment in anchor.comments))
        shapes = _SHAPES.findall(self._present)
        self._shapes = {f"{kind} {shape.strip()}" for kind, list_ in shapes for shape in list_.split(",")}
        self._lines = [_moves_in(variation.decode("latin-1")) for variation in anchor.variations]
        self._text = MoveText(anchor)
        self._drawn: list[str] = []
        self._words: list[str] = []

    def add(self, event: TrapEvent, *, line_follows: bool, was_set: bool) -> None:
        """Add the remark on one event, unless it stands there."""
        missed = [each for each in self._events if each.event is Event.MISSED and each.proved]
        instead = missed[0] if missed and event.event is Event.FELL else None
        lead, rest = sentence(event, line_follows=line_follows, was_set=was_set, instead=instead)
        if _comparable(lead) in self._present:
            return
        self._present += f" {_comparable(lead)}"
        self._words.append(f"{lead}{rest}")
        if event.proved:
            for shape in _shapes(event):
                if shape not in self._shapes:
                    self._shapes.add(shape)
                    self._drawn.append(shape)
            variation = _variation(event if instead is None or instead.proof.mate_in is None else instead)
            moves = _moves_in(" ".join(variation))
            if moves and not any(line[: len(moves)] == moves for line in self._lines):
                self._lines.append(moves)
                self._text.variations.append(["(", *variation, ")"])

    def finished(self) -> MoveText:
        """All that is added, with the glyph."""
        text, anchor = self._text, self._text.anchor
        if not any(nag in JUDGEMENTS for nag in anchor.nags):
            text.nag = glyph(self._events)
        if self._drawn:
            # Some viewers lose text that stands in one comment with shapes (python-chess issue 946).
            text.comments.append(["{", _commands(self._drawn), "}"])
        if self._words:
            text.comments.append(["{", *" ".join(self._words).split(), "}"])
        if anchor.number_next:
            event = self._events[0]
            text.next_number = notation.number(notation.half_moves(event, event.ply + 1), "")
        return text


def _comparable(text: str) -> str:
    return _SCORE.sub("(similarity", folded(text))


def _moves_in(variation: str) -> list[str]:
    """The moves of a variation without numbers, signs, comments and variations of its own."""
    flat = _NOT_MOVES.sub(" ", variation)
    depth = 0
    moves: list[str] = []
    for token in flat.replace("(", " ( ").replace(")", " ) ").split():
        if token in "()":
            depth += 1 if token == "(" else -1
        elif depth == 0:
            moves.append(token.replace("0-0-0", "O-O-O").replace("0-0", "O-O"))
    return moves


def _variation(event: TrapEvent) -> list[str]:
    """What stands in place of the move: the bait and its refutation, the killer line, or the better line."""
    match event.event:
        case Event.AVOIDED:
            sans, ply = (event.bait_san, *notation.shown_line(event)), event.trap_ply
        case Event.MISSED:
            sans, ply = notation.shown_line(event), event.trap_ply + 1
        case Event.FELL if len(event.best_line_san) > 1:
            sans, ply = event.best_line_san[: notation.LINE_PLIES], event.trap_ply
        case _:
            return []
    return notation.line(sans, notation.half_moves(event, ply), " ").split()


def _shapes(event: TrapEvent) -> Iterator[str]:
    """The bait in red and the killer in green, as far as they fit the position after the move."""
    if event.event in (Event.SET, Event.AVOIDED, Event.FELL):
        yield f"csl R{event.bait[2:4]}"
    if event.event in (Event.SET, Event.AVOIDED):
        yield f"cal R{event.bait[:4]}"
    if event.event is not Event.SPRUNG:
        yield f"cal G{event.killer_line[0][:4]}"


def _commands(shapes: Sequence[str]) -> str:
    """``[%csl Rd1][%cal Rg4d1,Gc4f7]``, squares before arrows."""
    commands = ""
    for kind in ("csl", "cal"):
        of_kind = [shape.removeprefix(f"{kind} ") for shape in shapes if shape.startswith(kind)]
        if of_kind:
            commands += f"[%{kind} {','.join(of_kind)}]"
    return commands
