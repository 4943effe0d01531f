"""Comments, NAGs and variations: the only module that writes them.

A move gets one comment at most. The program's own words of an earlier run are replaced by the present ones; nothing
else of the game is touched.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import NamedTuple, Self

import chess.pgn

from annotator.comments.encoding import folded, transliterated
from annotator.comments.evaluations import evaluation, stated_chance
from annotator.comments.evidence import evidence_of, half_move
from annotator.comments.glyphs import GOOD, JUDGEMENTS, glyph
from annotator.comments.own_comments import OwnWords, own_block, unmarked
from annotator.comments.pgn_insert import Edit, Layout, MoveText, edits
from annotator.comments.style import Style, word_count
from annotator.comments.telling import Said, Teller, Told
from annotator.events import TrapEvent
from annotator.slips import Slip
from db.traps.position_value import Values
from db.traps.terms import Event
from db.wording import moves
from db.wording.evidence import Evidence
from db.wording.facts import facts_of
from db.wording.languages.grammar import Verbosity
from db.wording.moves import nag, rounded, shown_line
from db.wording.sentences import Narrator
from trapcore import _native
from trapcore.trees.chess_game import parse_position
from trapcore.win_chance import BLUNDER, MISTAKE

_EVAL = "[%eval"
_SHAPES = re.compile(r"\[%(csl|cal)\s+([^\]]*)\]")
_SAME = 3
"""Moves of a line that the comment before has shown: the reader has seen it."""
_KNOWN = 3.0
"""What a known trap weighs: more than any cost."""
_NOT_MOVES = re.compile(r"\{[^}]*\}|;[^\r\n]*|\$\d+|\d+\s*\.+|[.!?+#]+")


class Written(NamedTuple):
    """What is put into one game."""

    edits: list[Edit]
    told: list[Told]
    """What is reported in it."""
    chances: dict[int, float | None]
    """White's win chance, -1..1, by the evaluation that now stands behind a move, by half-move from 1; None where none
    can be read. A move that ends the game has none. Empty if no evaluations are wanted."""


@dataclass(frozen=True, slots=True)
class ValuedMoves:
    """What the moves of a game are worth; nothing where no values are wanted."""

    values: Sequence[_native.MoveValue] = ()
    known: Values = field(default_factory=dict)
    """Of the positions of the game."""
    slips: Sequence[Slip] = ()


@dataclass(frozen=True, slots=True)
class Commentator:
    """Writes comments in one style into the games of one file, in their order."""

    style: Style
    teller: Teller

    @classmethod
    def of(cls, style: Style, known: Iterable[str] = ()) -> Self:
        """For a new file, or for the rest of one in which the traps with the slugs ``known`` were reported already."""
        shows_lines = style.narrator.verbosity is not Verbosity.BRIEF
        return cls(style, Teller(style.narrator, style.evidence, shows_lines, set(known)))

    def comment(
        self,
        events: Sequence[TrapEvent],
        data: bytes,
        layout: Layout,
        stale: set[OwnWords],
        worth: ValuedMoves = ValuedMoves(),
    ) -> Written:
        """What is put into one game for its ``events``, as ascending offsets into ``data``.

        ``stale`` are our words of an earlier run in the game. Those that are said again stay, and leave the set.
        ``worth`` is what its moves are worth.
        """
        known, room = frozenset(self.teller.known), _Room()
        while True:
            texts, told = self._texts(events, layout, worth, room)
            if not self._makes_room(texts, room):
                break
            self.teller.known = set(known)
        found: list[Edit] = []
        chances: dict[int, float | None] = {}
        by_ply, valued = _by_ply(events), {value.ply: value for value in worth.values}
        for ply, text in texts.items():
            value = valued.get(ply)
            said = evaluation(by_ply.get(ply, []), value, worth.known) if self.style.evaluations else ""
            if self.style.evaluations and value is not None:
                chances[ply] = text.chance(said)
            found.extend(edits(text.finished(said, stale), data, layout))
        return Written(found, [each for ply in sorted(told) for each in told[ply]], chances)

    def _texts(
        self, events: Sequence[TrapEvent], layout: Layout, worth: ValuedMoves, room: "_Room"
    ) -> tuple[dict[int, "_MoveComment"], dict[int, list[Told]]]:
        """What is added to each move, by ply, as far as there is room for it; and what is reported."""
        said = Said()
        reported = self.teller.comments(events, room.quiet, room.short, said)
        told: dict[int, list[Told]] = {}
        texts: dict[int, _MoveComment] = {}
        by_ply, valued = _by_ply(events), {value.ply: value for value in worth.values}
        slips = {slip.value.ply: slip for slip in worth.slips}
        answered: dict[int, Evidence] = {}
        missed: dict[int, str] = {}
        good: set[str] = set()
        for ply in sorted(by_ply.keys() | slips.keys() | (valued.keys() if self.style.evaluations else set())):
            here, place = by_ply.get(ply, []), _place(by_ply.get(ply, []), valued.get(ply))
            if ply in by_ply:
                told[ply] = next(reported)[1]
            text = _MoveComment(place, layout, self.teller, texts[ply - 1].words if ply - 1 in texts else "")
            for each in told.get(ply, ()):
                if each.event.event is Event.AVOIDED and ply in slips:
                    continue  # a move that costs something is not praised
                text.add(each)
                if each.event.event is Event.FELL:
                    answered[ply] = evidence_of(each.event)
            costs = any(each.event.event in (Event.FELL, Event.MISSED) for each in told.get(ply, ()))
            slip = None if costs else slips.get(ply)
            if slip is not None:
                narrator = None
                if ply not in room.quiet:
                    before = said.words.get(ply - 1, "")
                    narrator = replace(self.style.narrator, short=ply in room.short, before=before)
                again = missed.get(ply - 2) == slip.best
                if text.add_slip(slip, narrator, answered.get(ply - 1), said, misses_again=again):
                    missed[ply] = slip.best
                answered[ply] = slip.evidence
            judged = nag(slip.loss) if slip is not None else glyph([each.event for each in told.get(ply, ())], here)
            played = {each.played for each in here}
            if judged == GOOD:
                judged = None if played & good else GOOD  # checks may go on and on
                good |= played
            signs = {each for each in place.anchor.nags if each in JUDGEMENTS}
            text.nag = None if signs else judged
            if judged == GOOD and signs <= {GOOD} and not text.words and ply not in room.quiet:
                text.praise(here, replace(self.style.narrator, before=said.words.get(ply - 1, "")))
            texts[ply] = text
        return texts, told

    def _makes_room(self, texts: Mapping[int, "_MoveComment"], room: "_Room") -> bool:
        """Takes words from the moves that matter least, if there are too many, and returns whether there were.

        Inaccuracies lose all their words, then other moves what was better, and then all as well. The move that matters
        most keeps its words.
        """
        if self.style.most_words is None:
            return False
        lengths = {ply: word_count(text.words) for ply, text in texts.items() if text.words}
        surplus: float = sum(lengths.values()) - self.style.most_words
        least = sorted(lengths, key=lambda ply: (texts[ply].weight, ply))[:-1]
        steps = (
            (room.quiet, [ply for ply in least if texts[ply].weight < MISTAKE], 1.0),
            (room.short, [ply for ply in least if ply not in room.short], _SAVED),
            (room.quiet, least, 1.0),
        )
        places, plies, saved = next(((each, plies, saved) for each, plies, saved in steps if plies), (set(), [], 0.0))
        for ply in plies:
            if surplus <= 0:
                break
            places.add(ply)
            surplus -= saved * lengths[ply]
        return bool(plies) and sum(lengths.values()) > self.style.most_words

    def written(self, text: str, encoding: str) -> str:
        """A text with the letters that the encoding of a game has."""
        return transliterated(text, self.style.narrator.language) if encoding == "ascii" else text


def _takes_nothing(slip: Slip) -> bool:
    """Whether the answer to the slip takes nothing."""
    board = parse_position(slip.value.fen)
    return not slip.line or not board.is_capture(board.parse_uci(slip.line[0]))


def _answer(slip: Slip) -> str:
    """The answer to the slip, SAN; empty after a stalemate."""
    return _native.sans(_native.epd(slip.value.fen), slip.line[:1])[0] if slip.line else ""


@dataclass(slots=True)
class _Room:
    """Plies on which something is left out, so that a game has no more words than it may."""

    quiet: set[int] = field(default_factory=set)
    """Without words."""
    short: set[int] = field(default_factory=set)
    """Without what was better."""


_SAVED = 0.4
"""Share of the words of a comment that say what was better."""


def _by_ply(events: Iterable[TrapEvent]) -> dict[int, list[TrapEvent]]:
    found: dict[int, list[TrapEvent]] = {}
    for event in events:
        found.setdefault(event.ply, []).append(event)
    return found


class _Place(NamedTuple):
    """Where a move stands in its game."""

    anchor: _native.Anchor
    half_move: int
    """Of the move after it."""


def _place(events: Sequence[TrapEvent], value: _native.MoveValue | None) -> _Place:
    """The place of a move that has an event or a value."""
    if value is not None:
        return _Place(value.anchor, value.half_move + 1)
    return _Place(events[0].anchor, half_move(events[0], events[0].ply + 1))


class _MoveComment:
    """What is added to one move."""

    def __init__(self, place: _Place, layout: Layout, teller: Teller, before: str) -> None:
        """``before``: what is reported of the move before it."""
        self._next = place.half_move
        self._before = before
        self._encoding = layout.encoding
        self.nag: int | None = None
        self._language = teller.narrator.language
        self._is_brief = teller.narrator.verbosity is Verbosity.BRIEF
        self.anchor = anchor = place.anchor
        self._present = " ".join(self._decoded(comment) for comment in anchor.comments)
        shapes = _SHAPES.findall(self._present)
        self._shapes = {f"{kind} {shape.strip()}" for kind, list_ in shapes for shape in list_.split(",")}
        self._lines = [_moves_in(variation.decode("latin-1")) for variation in anchor.variations]
        self._text = MoveText(anchor)
        self._drawn: list[str] = []
        self._words: list[str] = []
        self.weight = 0.0
        """How much it matters: win chance that the move costs; more for a trap of the library."""

    def add(self, told: Told) -> None:
        """Add the remark on one event."""
        if told.text:
            self._words.append(self._written(told.text))
        if not told.event.proved:
            return
        self.weight = max(self.weight, _weight(told.event))
        for shape in _shapes(told.event):
            if shape not in self._shapes:
                self._shapes.add(shape)
                self._drawn.append(shape)
        missed = told.instead
        shown = told.event if missed is None or missed.proof.mate_in is None else missed
        repeated = told.line_stands and shown.event is Event.MISSED
        self._vary([] if repeated else _variation(shown), told.text)

    def add_slip(
        self, slip: Slip, narrator: Narrator | None, before: Evidence | None, said: Said, *, misses_again: bool
    ) -> bool:
        """Add the remark on a move that costs something, without a narrator only the better line; ``before`` is the
        move before, if that cost something. Whether it says that the answer to that was missed, which the player's move
        before did as well if ``misses_again``."""
        self.weight = max(self.weight, slip.loss)
        answers = before is not None and before.killer_line[0] == slip.best
        is_told = answers and _tells(self._before, slip.best_line[:1])
        words = ""
        if narrator is not None:
            say = partial(narrator.slip, slip.evidence, answered=before if is_told else None)
            words = said.once(
                slip.value.ply,
                partial(say, misses_again=misses_again),
                (slip.best_line[0], partial(say, misses_again=True)),
                *([(_answer(slip), partial(say, again=True))] if _takes_nothing(slip) else []),
            )
        if words:
            self._words.append(self._written(words))
        self._vary(_better(slip.value.origin, slip.best_line, slip.value.half_move), words)
        return is_told and bool(words)

    def praise(self, events: Sequence[TrapEvent], narrator: Narrator) -> None:
        """Add what the only good answer does."""
        answers = (event for event in events if event.event is Event.SPRUNG and event.only_move)
        words = next((narrator.only_good(evidence_of(event)) for event in answers), "")
        if words and not self._is_brief:
            self._words.append(self._written(words))

    @property
    def words(self) -> str:
        """The remarks on the move."""
        return " ".join(self._words)

    def _vary(self, variation: list[str], told: str) -> None:
        """Add a variation, unless the game, or what is told, has it already."""
        if self._is_brief:
            return
        line = _moves_in(" ".join(variation))
        is_told = _tells(told, line) or _tells(self._before, line[:_SAME])
        if line and not is_told and not any(other[: len(line)] == line for other in self._lines):
            self._lines.append(line)
            self._text.variations.append(["(", *variation, ")"])

    def chance(self, evaluation: str) -> float | None:
        """White's win chance by the evaluation that the game has, else by this one."""
        node = chess.pgn.Game()
        node.comment = self._present if _EVAL in self._present else evaluation
        return stated_chance(node)

    def finished(self, evaluation: str, stale: set[OwnWords]) -> MoveText:
        """All that is added; ``evaluation`` is a command, or empty. Of ``stale``, words that are said again leave."""
        text, anchor = self._text, self.anchor
        text.nag = self.nag
        # Some viewers lose text that stands in one comment with shapes (python-chess issue 946).
        wanted = "" if _EVAL in self._present else evaluation
        text.comments += [["{", command, "}"] for command in (wanted, _commands(self._drawn)) if command]
        words = self.words
        here = [own for own in stale if anchor.nag_at <= own.place < anchor.variation_at]
        said = [own for own in here if folded(self._decoded(own.words)) == folded(words)]
        stale.difference_update(sorted(said, key=lambda own: own.removal)[:1])
        is_there = said or any(folded(self._decoded(unmarked(each))) == folded(words) for each in anchor.comments)
        if words and not is_there:
            text.comments.append(own_block(words))
        if anchor.number_next:
            text.next_number = moves.number(self._next)
        return text

    def _written(self, text: str) -> str:
        return transliterated(text, self._language) if self._encoding == "ascii" else text

    def _decoded(self, comment: bytes) -> str:
        return comment.decode(self._encoding, "replace")


def _weight(event: TrapEvent) -> float:
    """Win chance that the move costs as far as that is known, 0..2; a known trap weighs more."""
    if event.known:
        return _KNOWN
    if event.event not in (Event.FELL, Event.MISSED):
        return 0.0
    cost = event.played_loss if event.event is Event.MISSED else event.loss
    return BLUNDER if cost is None else cost


def _moves_in(variation: str) -> list[str]:
    """The moves of a variation without numbers, signs, comments and variations of its own."""
    flat = _NOT_MOVES.sub(" ", variation)
    depth = 0
    found: list[str] = []
    for token in flat.replace("(", " ( ").replace(")", " ) ").split():
        if token in "()":
            depth += 1 if token == "(" else -1
        elif depth == 0:
            found.append(token.replace("0-0-0", "O-O-O").replace("0-0", "O-O"))
    return found


def _tells(text: str, line: Sequence[str]) -> bool:
    """Whether the text has the moves of a line already, in their order."""
    words = iter(_moves_in(re.sub(r"[,:;]|\.(?=\s|$)", "", text)))
    return all(move in words for move in _moves_in(" ".join(line)))


def _variation(event: TrapEvent) -> list[str]:
    """What stands in place of the move: the bait and its refutation, the killer line, or the better line."""
    match event.event:
        case Event.AVOIDED if facts_of(evidence_of(event)).material is None:  # else the words have the line
            sans, ply = (event.bait_san, *shown_line(evidence_of(event))), event.trap_ply
        case Event.MISSED:
            sans, ply = shown_line(evidence_of(event)), event.trap_ply + 1
        case Event.FELL if len(event.best_line_san) > 1:
            return _better(event.fen, event.best_line_san, half_move(event, event.trap_ply))
        case _:
            return []
    return moves.line(sans, half_move(event, ply), " ").split()


def _better(fen: str, sans: Sequence[str], half: int) -> list[str]:
    """The line with the better move, from a position on."""
    return moves.line(rounded(parse_position(fen), sans), half, " ").split() if len(sans) > 1 else []


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
