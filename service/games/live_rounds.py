"""Running rounds of broadcasts, a stream each, reopened whenever it ends; finished games are written to files."""

import logging
import re
import threading
from collections.abc import Iterable, Iterator

from lichess.api import Refused
from lichess.rate_limits import LIMITED_SECONDS, Backoff
from lichess.streams import StreamCallbacks, StreamReader
from service.games.game_files import GameFiles
from service.games.lichess_games import LichessGames
from service.state.clock import Clock, StopFlag, Stopped
from trapcore.errors import OutputError

log = logging.getLogger(__name__)

KIND = "broadcasts"
JOIN_SECONDS = 2.0

_TAG = re.compile(r'^\[(\w+) "([^"]*)"\]', re.MULTILINE)


class LiveRounds:
    """Rounds that are followed at present."""

    def __init__(self, lichess: LichessGames, game_files: GameFiles, clock: Clock) -> None:
        self._lichess, self._game_files, self._clock = lichess, game_files, clock
        self._rounds: dict[str, _LiveRound] = {}
        self._lock = threading.Lock()

    def follow(self, rounds: Iterable[str]) -> None:
        """Follow exactly these rounds."""
        wanted = set(rounds)
        with self._lock:
            for ident in self._rounds.keys() - wanted:
                self._rounds.pop(ident).stop()
            for ident in wanted - self._rounds.keys():
                self._rounds[ident] = _LiveRound(ident, self._lichess, self._game_files, self._clock)

    def stop(self) -> None:
        """Follow no round any more."""
        self.follow([])


class _LiveRound:
    """One round: the latest state of its games, by address."""

    def __init__(self, ident: str, lichess: LichessGames, game_files: GameFiles, clock: Clock) -> None:
        self._ident, self._lichess, self._game_files = ident, lichess, game_files
        self._stop_flag = StopFlag(clock)
        self._over: dict[str, str] = {}
        self._reader: StreamReader[str] = StreamReader(
            f"round {ident}",
            self._open,
            StreamCallbacks(self._deliver, self._refused),
            backoff=Backoff(5.0, 300.0),
            limits=Backoff(LIMITED_SECONDS, 600.0),
        )
        self._reader.start()

    def stop(self) -> None:
        self._stop_flag.set()
        self._reader.stop()
        self._reader.join(JOIN_SECONDS)

    def _open(self) -> Iterator[str | None]:
        try:
            yield from self._lichess.round_stream(self._ident, self._stop_flag)
        except Stopped:
            return

    def _deliver(self, pgn: str, began: float) -> None:
        tags = dict(_TAG.findall(pgn))
        key = tags.get("GameURL") or tags.get("Site") or f"{tags.get('White')} {tags.get('Black')} {tags.get('Round')}"
        if tags.get("Result", "*") == "*" or self._over.get(key) == pgn:
            return
        self._over[key] = pgn
        try:
            self._game_files.put(KIND, self._ident, self._over.values())
        except OutputError as error:
            # The whole round is fetched when it is over.
            log.warning("%s", error)

    def _refused(self, error: Refused) -> None:
        log.warning("round %s is not followed: %s", self._ident, error)
