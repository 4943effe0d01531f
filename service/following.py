"""Traps in the new games of some users, as the games end."""

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass

from annotator.annotation import Annotator
from annotator.comments.telling import words
from annotator.engine_check import EngineVerifier
from annotator.events import TrapEvent
from annotator.known_traps import KnownTraps
from annotator.request import AnalysisRequest, BatchAnalyzer
from annotator.worker import analyzed
from service.games.lichess_games import FinishedGame
from service.service import Service
from service.sources.users import UserCursor, explain_refusal, new_games
from service.state.clock import StopFlag
from trapcore.parallel.pools import threads


@dataclass(frozen=True, slots=True)
class FollowedEvent:
    """Trap event in a new game of a followed user."""

    user: str
    game: FinishedGame
    address: str
    player: str
    """Name of the player whose move the event is about."""
    event: TrapEvent
    words: str
    """The event as a sentence."""

    def line(self) -> str:
        """Line of text for people: address, player, move, event and what is to be said of it, separated by tabs."""
        event = self.event
        dots = "." if event.mover == "white" else "..."
        move = f"{event.number}{dots} {event.played}"
        return f"{self.address}#{event.ply}\t{self.player}\t{move}\t{event.event}\t{self.words}"

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

    def __init__(self, service: Service) -> None:
        """The traps are those that are in the library now."""
        self._service = service
        self._stack = ExitStack()
        library, settings = service.library, service.settings
        request = AnalysisRequest.from_settings(settings)
        known = KnownTraps.of(library, request.measure)
        self._analyzer = BatchAnalyzer(request, known)
        verifier = None
        if request.engine is not None:
            verifier = self._stack.enter_context(EngineVerifier(request.engine, request.engine_nodes, request.jobs))
        self._annotator = Annotator(
            known.traps, request.measure, request.selection, unproved=False, reporting=False, verifier=verifier
        )
        self._narrator = request.style.narrator
        self._pool = self._stack.enter_context(threads(settings.jobs, "judge"))

    def close(self) -> None:
        """End the engine and the threads."""
        self._stack.close()

    def look(self, user: str, stop_flag: StopFlag) -> Iterator[FollowedEvent]:
        """Trap events in the games that a user has finished since the last call; the first call finds none.

        A game counts as seen once its events have been yielded. Raises `LichessError` and `Stopped`.
        """
        feed = f"follow {user.lower()}"
        source_state = self._service.source_state
        state = source_state.get(feed)
        lichess = self._service.lichess_games
        now = int(self._service.clock.now() * 1000)
        cursor = UserCursor.of(state, now, now)
        with explain_refusal(lichess, user, stop_flag):
            for games in new_games(lichess, user, cursor, stop_flag):
                for game in games:
                    if state or game.created >= now:
                        yield from self._traps(user, game, stop_flag)
                source_state.set(feed, cursor.state())

    def _traps(self, user: str, game: FinishedGame, stop_flag: StopFlag) -> Iterator[FollowedEvent]:
        text = f"{game.pgn}\n\n".encode()
        stop_flag.check()
        found_in = analyzed([text], self._analyzer, self._pool, stop=stop_flag.cancellation)
        while True:
            try:
                _, found = next(found_in)
            except StopIteration:
                return
            except RuntimeError:
                stop_flag.check()  # the core ends like this when it is told to stop
                raise
            assert found is not None
            for one in found.found:
                for event in self._annotator.reported(one):
                    player = one.tags.get(event.mover.capitalize(), "?")
                    address = f"{self._service.mine.url}/{game.id}"
                    yield FollowedEvent(user, game, address, player, event, words(event, self._narrator))
