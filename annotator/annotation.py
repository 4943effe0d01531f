"""One batch: from the findings in it to its annotated bytes and its lines of the report."""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import accumulate, groupby
from typing import NamedTuple

from annotator.comments.closing import Course, closing_comment, costliest_of, costly_moves
from annotator.comments.commentary import Commentator, ValuedMoves
from annotator.comments.game_end import closing_edits
from annotator.comments.own_comments import own_words
from annotator.comments.pgn_insert import Edit, Layout, in_order, spliced
from annotator.comments.telling import Told
from annotator.counts import Counts
from annotator.engine_check import EngineVerifier
from annotator.events import TrapEvent, explained, valued, values_of
from annotator.files.report import finding_line, note_line, skipped_line, slip_line
from annotator.selection import Selection, hangs_on
from annotator.slips import SEEMS, Slip, slips_of
from annotator.slips import explained as explained_slips
from db.games.accuracy import GameAccuracy, accuracy_of
from db.games.game_address import with_address
from db.patterns.keys import Pattern
from db.patterns.recall import Again, Occasion, Recall, no_recall
from db.traps.openings import Opening, opening_of, tagged_opening
from db.traps.position_value import StoredValues, Values, deepest, no_values
from db.traps.terms import Event
from db.traps.trap import Trap
from trapcore import _native
from trapcore.io.text_encoding import PLAIN
from trapcore.trees.chess_game import epd_after
from trapcore.win_chance import BLUNDER, INACCURACY

OPENING_PLIES = 60
"""Half-moves of a game in which the name of its opening is searched for."""


class _Played(NamedTuple):
    """The moves of a game."""

    epds: tuple[str, ...]
    """The positions before its moves, and the last one."""
    result: str
    opening: Opening | None


@dataclass(frozen=True, slots=True)
class AnnotatedGame:
    """Game with at least one reported event."""

    number: int
    """From 1 within the input."""
    at: int
    """Where it begins in the annotated batch, in bytes."""
    size: int
    """Its length there, in bytes."""
    encoding: str
    """``ascii``, ``utf-8`` or ``latin-1``."""
    tags: Mapping[str, str]
    events: tuple[TrapEvent, ...]
    """Ascending by ply."""
    values: Values
    """Of the positions that they are about."""
    told: tuple[Told, ...]
    """What was written of them, ascending by ply."""


@dataclass(frozen=True, slots=True)
class AnnotatedBatch:
    """Result of annotating a batch."""

    original: bytes
    text: bytes
    """The original with comments inserted; the same bytes if there were none."""
    report: bytes
    """Lines of the report, in the order of the games; empty if none is wanted."""
    games: tuple[AnnotatedGame, ...]
    """Those with reported events, in their order."""


@dataclass(frozen=True, slots=True)
class Annotator:
    """Selects the findings that are reported, and makes comments of them."""

    traps: Sequence[Trap]
    """Those that the analyzer was given, in its order."""
    measure: str
    selection: Selection
    unproved: bool
    reporting: bool
    """Lines of a report are wanted."""
    verifier: EngineVerifier | None
    recall: Recall = no_recall
    """Earlier games in which a player made the same mistake."""
    slips: bool = False
    """Moves that cost something and are not proved to lose are told as well."""
    stored: StoredValues = no_values
    """Values that a library has of positions. A deeper one replaces what was measured here."""

    def annotate(
        self,
        batch: _native.Batch,
        found: _native.BatchFindings,
        file: str,
        counts: Counts,
        commentator: Commentator,
        encoding: str = PLAIN,
    ) -> AnnotatedBatch:
        """The annotated batch of the input ``file``, which ``commentator`` has written until there; adds to ``counts``
        what there was in it. ``encoding`` is that of the input, see `trapcore.io.streams.ByteReader.encoding`: the text
        is UTF-8 if that is UTF-16."""
        counts.add_batch(found, file)
        asked_before = 0 if self.verifier is None else self.verifier.asked
        data = batch.data()
        is_utf16 = encoding != PLAIN
        lines: list[tuple[int, bytes]] = []
        if self.reporting:
            lines.extend((skipped.game, skipped_line(file, skipped)) for skipped in found.skipped)
            lines.extend((note.game, note_line(file, note)) for note in found.notes)
        # Of a game that was not read to its end nobody knows the costliest move.
        noted = {note.game for note in found.notes}
        played = cache(partial(_played, batch))
        # What we wrote in an earlier run goes, unless it is said again.
        stale = set(own_words(data))
        edits: list[Edit] = []
        games: list[AnnotatedGame] = []
        for game, (events, values) in zip(found.found, self.all_reported(found.found), strict=True):
            if not events and not game.values:
                continue
            written = "utf-8" if is_utf16 else game.encoding
            layout = Layout(game.wrapped, game.newline, written)
            end = game.start + game.size
            here = {own for own in stale if game.start <= own.place < end}
            stale -= here
            slips = explained_slips(self._slips(game, events, values))
            worth = ValuedMoves(game.values, values, slips)
            comments, told, chances = commentator.comment(events, data, layout, here, worth)
            if game.commented:
                # A brace of ours would close the comment that somebody left open, for programs that read on in it.
                comments = [edit for edit in comments if edit[2].startswith(b" $")]
            else:
                words = ""
                if commentator.style.closing and game.game not in noted:
                    accuracy = _accuracy(game, played, chances, values)
                    words = self._closing(game, told, worth, accuracy, played, commentator)
                words = commentator.written(words, written)
                since = (events[-1] if events else game.values[-1]).anchor.nag_at
                comments = closing_edits(comments, data, (game.start, end), since, words, layout, here)
            edits.extend(comments)
            if self.reporting:
                lines.extend((game.game, slip_line(file, game, slip)) for slip in slips)
            counts.slips += len(slips)
            if not events and not slips:
                continue
            games.append(
                AnnotatedGame(
                    number=game.game,
                    at=game.start,
                    size=game.size + _growth(comments),
                    encoding=written,
                    tags=game.tags,
                    events=tuple(events),
                    values=values,
                    told=tuple(told),
                )
            )
            counts.add_game(events, annotated=bool(comments))
            if self.reporting:
                lines.extend((game.game, finding_line(file, game, event)) for event in events)
        if self.verifier is not None:
            counts.engine = self.verifier.name
            counts.asked += self.verifier.asked - asked_before
        lines.sort(key=lambda line: line[0])
        edits = in_order([*edits, *(own.removal for own in stale)])
        places = [edit[0] for edit in edits]
        grown = [0, *accumulate(_growth([edit]) for edit in edits)]
        shifted = tuple(replace(game, at=game.at + grown[bisect_left(places, game.at)]) for game in games)
        text = spliced(data, edits) if edits else data
        return AnnotatedBatch(data, text, b"".join(line for _, line in lines), shifted)

    def _slips(
        self, game: _native.GameFindings, events: Sequence[TrapEvent], values: Values, least: float = INACCURACY
    ) -> list[Slip]:
        """The moves that cost something, ``least`` of win chance, beside those that events are about. If slips are not
        told, that is a stalemate that costs what a blunder does: no answer to it makes an event."""
        least = least if self.slips else BLUNDER
        judged = {event.ply for event in events if event.event in (Event.FELL, Event.MISSED)}
        found = slips_of(game, values, self.selection, judged, least)
        return [slip for slip in found if self.slips or not slip.line]

    def _closing(
        self,
        game: _native.GameFindings,
        told: Sequence[Told],
        worth: ValuedMoves,
        accuracy: GameAccuracy | None,
        played: Callable[[], Mapping[int, _Played]],
        commentator: Commentator,
    ) -> str:
        """The comment at the end of a game; empty if no move is told to cost anything and the accuracy is not known."""
        moves = played().get(game.game)
        course = (
            None
            if moves is None
            else Course.of(moves.result, game.tags.get("Termination", ""), moves.epds, worth.known)
        )
        found = costly_moves(told, worth.slips)
        course = None if course is None else course.with_end(each for _, each in found)
        costliest = costliest_of(found, course if self.selection.is_whole else None)
        if costliest is not None:
            costliest = replace(costliest, again=self._again(costliest.event, with_address(game.tags)))
        return closing_comment(
            costliest,
            commentator.style.narrator.language,
            whole=self.selection.is_whole,
            opening=tagged_opening(game.tags) or (None if moves is None else moves.opening),
            accuracy=accuracy,
            course=course,
            is_clean=self.slips and self.selection.is_whole and costliest is None,
        )

    def _again(self, event: TrapEvent | None, tags: Mapping[str, str]) -> Again | None:
        """Earlier games in which who made this move fell into the same pattern."""
        if event is None or event.event is not Event.FELL or event.explanation is None:
            return None
        keys = (event.explanation.place, event.explanation.mechanism)
        return self.recall(
            Occasion(
                player=tags.get(event.mover.capitalize(), ""),
                site=tags.get("Site", ""),
                date=tags.get("Date", ""),
                colour="white" if event.mover == "white" else "black",
                patterns=tuple(Pattern(key) for key in keys if key),
            )
        )

    def reported(self, game: _native.GameFindings) -> tuple[list[TrapEvent], Values]:
        """Events of a game that are reported, in the order of its moves, and the values of their positions."""
        return self.all_reported([game])[0]

    def all_reported(self, games: Sequence[_native.GameFindings]) -> list[tuple[list[TrapEvent], Values]]:
        """The same of each game; with an engine several games are judged at a time."""
        chosen: list[list[TrapEvent]] = []
        for game in games:
            events = map(self._event, game.findings)
            # The engine is slow: it judges only what would be reported.
            chosen.append([event for event in events if self.selection.includes(event.mover, game.tags)])
        engine = "" if self.verifier is None else self.verifier.name
        values: list[Values] = [values_of(game, engine) for game in games]
        if self.verifier is not None:
            asked = [self._slips(*game, SEEMS) for game in zip(games, chosen, values, strict=True)]
            others = [[(slip.value.origin, slip.value.played) for slip in slips] for slips in asked]
            verified = self.verifier.verified(chosen, others)
            chosen = [events for events, _ in verified]
            values = [deepest((engine, own)) for (_, engine), own in zip(verified, values, strict=True)]
        values = [deepest((self.stored(own), own)) for own in values]
        return [
            (explained(self._chosen(valued(events, known))), known)
            for events, known in zip(chosen, values, strict=True)
        ]

    def _event(self, finding: _native.Finding) -> TrapEvent:
        return TrapEvent.of(finding, self.traps, self.measure)

    def _chosen(self, events: Sequence[TrapEvent]) -> list[TrapEvent]:
        # An unproved finding is reported only if it resembles a trap.
        told = [
            event
            for event in events
            if (event.proved or self._is_resemblance(event))
            and (hangs_on(event) or not (event.proved or event.event is Event.AVOIDED))
        ]
        # A player of the killer has not avoided other things that he could have taken.
        sprung = {event.ply for event in told if event.event is Event.SPRUNG}
        return _once([event for event in told if event.event is not Event.AVOIDED or event.ply not in sprung])

    def _is_resemblance(self, event: TrapEvent) -> bool:
        return self.unproved and not event.proved and event.trap is not None


def _growth(edits: Iterable[Edit]) -> int:
    """Bytes by which a text grows."""
    return sum(len(text) - (end - start) for start, end, text in edits)


def _played(batch: _native.Batch) -> dict[int, _Played]:
    """The moves of the games of a batch, by number."""
    records = _native.read_records(batch).records
    lines = _native.replay([(each.start_fen, each.moves, list(range(each.plies))) for each in records])
    return {
        each.game: _Played(
            (*(epd for epd, _ in line), epd_after(*line[-1])),
            each.result,
            None if each.start_fen else opening_of(epd for epd, _ in line[:OPENING_PLIES]),
        )
        for each, line in zip(records, lines, strict=True)
        if line
    }


def _accuracy(
    game: _native.GameFindings,
    played: Callable[[], Mapping[int, _Played]],
    chances: Mapping[int, float | None],
    values: Values,
) -> GameAccuracy | None:
    """How both sides played by White's win chances after each half-move; None if one is not known.

    Only the position after the last move may have none: then the game is over there.
    """
    if not chances:
        return None
    start, last = played().get(game.game), max(chances)
    value = None if start is None else values.get(start.epds[0])
    if start is None or value is None or last < len(start.epds) - 2:
        return None
    black_begins = start.epds[0].split()[1] == "b"
    first = -value.chance if black_begins else value.chance
    return accuracy_of([first, *(chances.get(ply) for ply in range(1, last + 1))], black_begins=black_begins)


def _once(events: list[TrapEvent]) -> list[TrapEvent]:
    """Events without repetitions: a trap that stands on the board for several moves is set and avoided once.

    The analyzer sees to that for what it proves itself. What an engine refutes is no trap, though, and must not hide
    what comes two plies later.
    """
    reported: list[TrapEvent] = []
    stood: dict[tuple[str | None, str], tuple[int, bool]] = {}
    by_position = sorted(events, key=lambda event: event.trap_ply)
    for trap_ply, here in groupby(by_position, key=lambda event: event.trap_ply):
        now = {}
        for event in here:
            trap = (event.slug, event.bait)
            since, was_proved = stood.get(trap, (0, False))
            still_there = since == trap_ply - 2 and was_proved >= event.proved
            if not (still_there and event.event in (Event.SET, Event.AVOIDED)):
                reported.append(event)
            now[trap] = (trap_ply, event.proved)
        stood.update(now)
    return sorted(reported, key=lambda event: event.ply)
