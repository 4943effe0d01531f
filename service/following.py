"""The traps in the new games of some users, as they come."""

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass

from annotator.annotation import Annotator
from annotator.engine_check import EngineVerifier
from annotator.events import TrapEvent
from annotator.request import AnalysisRequest
from annotator.worker import judged
from db.similarity.annotator_index import open_screen
from service.clock import Halt
from service.lichess_games import FinishedGame
from service.service import Service
from service.sources.users import Seen, explained, new_games
from trapcore.measures.options import IndexedMeasure
from trapcore.parallel.pools import threads

_SAID = {
    "set": "sets",
    "fell": "falls into",
    "avoided": "avoids",
    "sprung": "springs",
    "missed": "misses",
}


@dataclass(frozen=True, slots=True)
class Sight:
    """A trap in a game of a user."""

    user: str
    game: FinishedGame
    address: str
    player: str
    """Who made the move that the event is about."""
    event: TrapEvent

    def line(self) -> str:
        """For a person: where, who, what, and what the proof says."""
        event = self.event
        dots = "." if event.mover == "white" else "..."
        move = f"{event.number}{dots} {event.played}"
        mate = "" if event.proof.mate_in is None else f", mate in {event.proof.mate_in}"
        killer = " ".join(event.killer_line_san)
        like = "" if event.known else "something like "
        return (
            f"{self.address}#{event.ply}\t{self.player}\t{move}\t{_SAID[event.event.value]} {like}{event.trap.name}\t"
            f"{event.bait_san} loses to {killer}{mate}"
        )

    def content(self) -> dict[str, object]:
        """As JSON has it."""
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
            "trap": event.trap.slug,
            "name": event.trap.name,
            "known": event.known,
            "similarity": event.similarity,
            "fen": event.fen,
            "bait": event.bait_san,
            "killer_line": list(event.killer_line_san),
            "mate_in": event.proof.mate_in,
            "by": event.proof.by,
        }


class Follower:
    """Looks for the new games of users and for the traps in them; a context manager."""

    def __init__(self, service: Service) -> None:
        """The traps are those that the library has now."""
        self._service = service
        self._stack = ExitStack()
        library, settings = service.library, service.settings
        traps = library.traps()
        request = AnalysisRequest.from_settings(settings)
        screen = open_screen(library, lambda _: None) if settings.measure is IndexedMeasure.ABSTRACTED else None
        self._judge = request.analyzer(traps, screen).judge
        verifier = None
        if settings.engine is not None:
            verifier = self._stack.enter_context(EngineVerifier(settings.engine, settings.engine_nodes))
        self._annotator = Annotator(
            traps, request.measure, request.selection, unproved=False, reporting=False, verifier=verifier
        )
        self._pool = self._stack.enter_context(threads(settings.jobs, "judge"))

    def close(self) -> None:
        """End the engine and the threads."""
        self._stack.close()

    def look(self, user: str, halt: Halt) -> Iterator[Sight]:
        """The traps in the games that a user has finished since the last look; at the first one, in none.

        A game is noted as seen when its traps have been given. Raises `LichessError`, and `Stopped`.
        """
        feed = f"follow {user.lower()}"
        feeds = self._service.source_state
        state = feeds.get(feed)
        archive = self._service.lichess_games
        now = int(self._service.clock.now() * 1000)
        seen = Seen.of(state, now)
        with explained(archive, user, halt):
            for games in new_games(archive, user, seen, halt):
                for game in games:
                    if state or game.created >= now:
                        yield from self._traps(user, game)
                feeds.set(feed, seen.state())

    def _traps(self, user: str, game: FinishedGame) -> Iterator[Sight]:
        text = f"{game.pgn}\n\n".encode()
        for _, found in judged([text], self._judge, self._pool):
            assert found is not None
            for one in found.found:
                for event in self._annotator.told(one):
                    player = one.tags.get(event.mover.capitalize(), "?")
                    yield Sight(user, game, f"{self._service.mine.url}/{game.id}", player, event)
