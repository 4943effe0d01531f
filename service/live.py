"""Running rounds of broadcasts: a stream each, opened again whatever ends it; games are filed when they are over."""

import logging
import re
import threading
from collections.abc import Iterable, Iterator

from lichess.api import Refused
from lichess.rate_limits import LIMITED_SECONDS, Backoff
from lichess.streams import StreamReader
from service.clock import Halt, Stopped, Times
from service.game_files import Depot
from service.lichess_games import Archive
from trapcore.errors import OutputError

log = logging.getLogger(__name__)

KIND = "broadcasts"
JOIN_SECONDS = 2.0

_TAG = re.compile(r'^\[(\w+) "([^"]*)"\]', re.MULTILINE)


class LiveRounds:
    """The rounds that are followed now."""

    def __init__(self, archive: Archive, depot: Depot, times: Times) -> None:
        """None is yet."""
        self._archive, self._depot, self._times = archive, depot, times
        self._rounds: dict[str, _LiveRound] = {}
        self._lock = threading.Lock()

    def follow(self, rounds: Iterable[str]) -> None:
        """These and no others."""
        wanted = set(rounds)
        with self._lock:
            for ident in self._rounds.keys() - wanted:
                self._rounds.pop(ident).stop()
            for ident in wanted - self._rounds.keys():
                self._rounds[ident] = _LiveRound(ident, self._archive, self._depot, self._times)

    def stop(self) -> None:
        """None any more."""
        self.follow([])


class _LiveRound:
    """One round: its games as they were last told, by address."""

    def __init__(self, ident: str, archive: Archive, depot: Depot, times: Times) -> None:
        self._ident, self._archive, self._depot = ident, archive, depot
        self._halt = Halt(times)
        self._over: dict[str, str] = {}
        self._reader: StreamReader[str] = StreamReader(
            f"round {ident}",
            self._open,
            self._deliver,
            self._refused,
            backoff=Backoff(5.0, 300.0),
            limits=Backoff(LIMITED_SECONDS, 600.0),
        )
        self._reader.start()

    def stop(self) -> None:
        self._halt.stop()
        self._reader.stop()
        self._reader.join(JOIN_SECONDS)

    def _open(self) -> Iterator[str | None]:
        try:
            yield from self._archive.round_stream(self._ident, self._halt)
        except Stopped:
            return

    def _deliver(self, pgn: str, began: float) -> None:
        tags = dict(_TAG.findall(pgn))
        key = tags.get("GameURL") or tags.get("Site") or f"{tags.get('White')} {tags.get('Black')} {tags.get('Round')}"
        if tags.get("Result", "*") == "*" or self._over.get(key) == pgn:
            return
        self._over[key] = pgn
        try:
            self._depot.put(KIND, self._ident, self._over.values())
        except OutputError as error:
            # The whole round is fetched when it is over.
            log.warning("%s", error)

    def _refused(self, error: Refused) -> None:
        log.warning("round %s is not followed: %s", self._ident, error)
