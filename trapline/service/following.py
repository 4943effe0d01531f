"""Traps in the new games of some users, as the games end; on request the games become chapters of studies."""

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass

from annotator.annotation import AnnotatedBatch, AnnotatedGame, Annotator
from annotator.comments.chapters import game_chapter, lessons
from annotator.comments.commentary import Commentator
from annotator.comments.telling import words
from annotator.counts import Counts
from annotator.events import TrapEvent
from annotator.known_traps import KnownTraps
from annotator.request import AnalysisRequest, BatchAnalyzer
from db.patterns.recall import recall_of
from lichess.api import Color
from lichess.studies import StudyWriter
from trapcore import _native
from trapcore.parallel.budget import Cancellation
from trapcore.parallel.pools import threads
from trapline.service.games.lichess_games import FinishedGame
from trapline.service.service import Service
from trapline.service.sources.users import UserCursor, explain_refusal, new_games
from trapline.service.state.clock import StopFlag


@dataclass(frozen=True, slots=True)
class FollowedEvent:
    """Trap event in a new game of a followed user."""

    user: str
    game: FinishedGame
    address: str
    result: str
    """Of the game, as in PGN."""
    player: str
    """Name of the player whose move the event is about."""
    event: TrapEvent
    words: str
    """The event as a sentence."""

    def line(self) -> str:
        """Line of text for people: address, player, move, event and what is to be said of it, separated by tabs."""
        event = self.event
        return f"{self.address}#{event.ply}\t{self.player}\t{self.move}\t{event.event}\t{self.words}"

    @property
    def move(self) -> str:
        """The move that the event is about, with its number."""
        dots = "." if self.event.mover == "white" else "..."
        return f"{self.event.number}{dots} {self.event.played}"

    def content(self) -> dict[str, object]:
        """JSON object of it."""
        event = self.event
        return {
            "user": self.user,
            "game": self.game.id,
            "address": self.address,
            "created": self.game.created,
            "player": self.player,
            "ply": event.ply,
            "played": event.played,
            "event": event.event.value,
            "trap": event.slug,
            "name": None if event.trap is None else event.trap.name,
            "known": event.known,
            "similarity": None if event.trap is None else event.similarity,
            "kind": event.kind,
            "before": event.before,
            "after": event.after,
            "best": event.best_san,
            "fen": event.fen,
            "bait": event.bait_san,
            "killer_line": list(event.killer_line_san),
            "mate_in": event.proof.mate_in,
            "by": event.proof.by,
        }


class Follower:
    """Finds the traps in the new games of users. To be closed."""

    def __init__(self, service: Service, writer: StudyWriter | None = None, *, feed: str = "follow") -> None:
        """The traps are those that are in the library now. ``writer`` gets the games with traps, annotated, and a
        lesson out of each trap that the followed user fell for. ``feed``: name under which it is stored how far the
        games were read.
        """
        self._service, self._writer, self._feed = service, writer, feed
        self.bad: list[str] = []
        """Why games of the user that was examined last cannot be read, a reason each."""
        self._stack = ExitStack()
        library, settings = service.library, service.settings
        request = AnalysisRequest.from_settings(settings)
        known = KnownTraps.of(library, request.measure)
        self._analyzer = BatchAnalyzer(request, known)
        verifier = self._stack.enter_context(request.verifier())
        self._look = request.look(verifier)
        self._annotator = Annotator(
            known.traps,
            request.measure,
            request.selection,
            unproved=False,
            reporting=False,
            verifier=verifier,
            recall=recall_of(library),
        )
        self._style = request.style
        self._narrator = request.style.narrator
        self._pool = self._stack.enter_context(threads(settings.jobs, "judge"))

    def close(self) -> None:
        """End the engine and the threads."""
        self._stack.close()

    def look(self, user: str, stop_flag: StopFlag) -> Iterator[FollowedEvent]:
        """Trap events in the games that a user has finished since the last call; the first call finds none.

        A game counts as seen once its events have been yielded; the reasons for skipped games are in `bad` afterwards.
        Raises `LichessError` and `Stopped`.
        """
        feed = f"{self._feed} {user.lower()}"
        source_state = self._service.source_state
        state = source_state.get(feed)
        lichess = self._service.lichess_games
        now = int(self._service.clock.now() * 1000)
        cursor = UserCursor.of(state, now, now)
        self.bad = cursor.bad
        with explain_refusal(lichess, user, stop_flag):
            for games in new_games(lichess, user, cursor, stop_flag):
                for game in games:
                    if state or game.created >= now:
                        yield from self._traps(user, game, stop_flag)
                source_state.set(feed, cursor.state())

    def _judged(self, batch: _native.Batch, stop: Cancellation) -> _native.BatchFindings:
        return self._analyzer(batch if self._look is None else self._look(batch, stop), stop)

    def _traps(self, user: str, game: FinishedGame, stop_flag: StopFlag) -> Iterator[FollowedEvent]:
        text = f"{game.pgn}\n\n".encode()
        stop_flag.check()
        splitter = _native.PgnSplitter()
        for batch in splitter.feed(text) + splitter.finish():
            try:
                # In another thread, so that a signal is heard in this one.
                with stop_flag.cancellation() as stop:
                    found = self._pool.submit(self._judged, batch, stop).result()
            except RuntimeError:
                stop_flag.check()  # the core ends like this when it is asked to stop
                raise
            annotated = self._annotator.annotate(batch, found, "", Counts(), Commentator.of(self._style))
            for one in annotated.games:
                if self._writer is not None:
                    self._add_chapters(user, game, annotated, one)
                for event in one.events:
                    player = one.tags.get(event.mover.capitalize(), "?")
                    address = f"{self._service.mine.url}/{game.id}"
                    result, told = one.tags.get("Result", "*"), words(event, self._narrator)
                    yield FollowedEvent(user, game, address, result, player, event, told)

    def _add_chapters(self, user: str, game: FinishedGame, annotated: AnnotatedBatch, one: AnnotatedGame) -> None:
        assert self._writer is not None
        side: Color = "black" if one.tags.get("Black", "").lower() == user.lower() else "white"
        pgn = annotated.text[one.at : one.at + one.size].decode(one.encoding)
        self._writer.add(game_chapter(game.id, one.tags, pgn, side))
        for lesson in lessons(game.id, one.events, self._narrator, side):
            self._writer.add(lesson)
