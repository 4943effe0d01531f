"""Running broadcasts, a stream for each tournament, reopened whenever it ends; finished games are written to files.

Without a token lichess lets two such streams be open at a time. A stream that is refused is asked for again later and
less and less often; it holds up no other request.
"""

import logging
import re
import threading
from collections.abc import Iterator, Mapping, Set

from lichess.api import Refused
from lichess.rate_limits import LIMITED_SECONDS, Backoff
from lichess.streams import StreamCallbacks, StreamReader
from trapcore.errors import OutputError
from trapline.service.games.game_files import GameFiles
from trapline.service.games.lichess_games import LichessGames
from trapline.service.state.clock import Clock, StopFlag, Stopped

log = logging.getLogger(__name__)

KIND = "broadcasts"
JOIN_SECONDS = 2.0

_TAG = re.compile(r'^\[(\w+) "([^"]*)"\]', re.MULTILINE)


class LiveRounds:
    """Broadcasts with running rounds, followed at present."""

    def __init__(self, lichess: LichessGames, game_files: GameFiles, clock: Clock) -> None:
        self._lichess, self._game_files, self._clock = lichess, game_files, clock
        self._broadcasts: dict[str, _LiveBroadcast] = {}
        self._lock = threading.Lock()

    @property
    def open_streams(self) -> int:
        """Number of broadcasts whose stream is open now."""
        with self._lock:
            return sum(one.is_open for one in self._broadcasts.values())

    @property
    def wanted_streams(self) -> int:
        """Number of broadcasts that are to be followed."""
        with self._lock:
            return len(self._broadcasts)

    def follow(self, running: Mapping[str, Set[str]]) -> None:
        """Follow exactly these broadcasts; the values are the ids of their running rounds."""
        with self._lock:
            for ident in self._broadcasts.keys() - running.keys():
                self._broadcasts.pop(ident).stop()
            for ident, rounds in running.items():
                if ident not in self._broadcasts:
                    self._broadcasts[ident] = _LiveBroadcast(ident, self._lichess, self._game_files, self._clock)
                self._broadcasts[ident].rounds = frozenset(rounds)

    def stop(self) -> None:
        """Follow no broadcast any more."""
        self.follow({})


class _LiveBroadcast:
    """One broadcast: the finished games of its running rounds, by address."""

    def __init__(self, ident: str, lichess: LichessGames, game_files: GameFiles, clock: Clock) -> None:
        self.rounds: frozenset[str] = frozenset()
        self.is_open = False
        self._ident, self._lichess, self._game_files = ident, lichess, game_files
        self._stop_flag = StopFlag(clock)
        self._over: dict[str, dict[str, str]] = {}
        """Finished games by round and address."""
        self._reader: StreamReader[str] = StreamReader(
            f"broadcast {ident}",
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
            for pgn in self._lichess.broadcast_stream(self._ident, self._stop_flag):
                self.is_open = True
                yield pgn
        except Stopped:
            return
        finally:
            self.is_open = False

    def _deliver(self, pgn: str, began: float) -> None:
        tags = dict(_TAG.findall(pgn))
        address = tags.get("GameURL") or tags.get("Site") or ""
        # Recently finished rounds are in the stream as well; they are fetched whole.
        ident = next((part for part in address.split("/") if part in self.rounds), None)
        if ident is None or tags.get("Result", "*") == "*":
            return
        over = self._over.setdefault(ident, {})
        if over.get(address) == pgn:
            return
        over[address] = pgn
        try:
            self._game_files.put(KIND, ident, over.values())
        except OutputError as error:
            # The whole round is fetched when it is over.
            log.warning("%s", error)

    def _refused(self, error: Refused) -> None:
        log.warning("broadcast %s is not followed: %s", self._ident, error)
