"""Lists of blocked accounts in files and at addresses: a name a line, ``#`` begins a remark (lichess-bot's form)."""

import logging
import re
import threading
from collections.abc import Sequence
from pathlib import Path

import requests
from urllib3.exceptions import HTTPError

from lichess.api import Unreachable
from lichess.http import user_agent, whole
from trapcore.errors import InputError
from trapcore.io.log_once import OnceLogger
from trapcore.io.regular_file import open_regular
from trapcore.settings import at_home

log = logging.getLogger(__name__)

AGAIN_SECONDS = 3600.0
"""Interval at which the lists are read again."""

TIMEOUT_SECONDS = 20.0
"""Of each piece of an answer, and of the whole."""

MOST_BYTES = 4 << 20


def read_list(source: str) -> frozenset[str]:
    """The names in a file or at an address, in small letters. Raises `InputError`."""
    if re.match(r"https?://", source):
        text = _fetched(source)
    else:
        try:
            with open_regular(at_home(Path(source))) as file:
                text = file.read(MOST_BYTES).decode()
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or "it is no text"
            raise InputError(f"the block list {source} cannot be read: {reason}") from None
    names = [line.partition("#")[0].strip().lower() for line in text.splitlines()]
    for number, name in enumerate(names, start=1):
        if name and not re.fullmatch(r"[\w-]{2,30}", name, re.ASCII):
            raise InputError(f"the block list {source}, line {number}: {name[:40]!r} is no name of an account")
    return frozenset(filter(None, names))


def _fetched(address: str) -> str:
    headers = {"User-Agent": user_agent("")}
    try:
        with requests.get(address, headers=headers, timeout=TIMEOUT_SECONDS, stream=True) as answer:
            answer.raise_for_status()
            return whole(answer.raw, MOST_BYTES, TIMEOUT_SECONDS).decode()
    except Unreachable as error:
        raise InputError(f"the block list {address} cannot be read: {error}") from None
    except (requests.RequestException, HTTPError, OSError, ValueError) as error:
        raise InputError(f"the block list {address} cannot be read: {type(error).__name__}") from None


class BlockLists:
    """The names of all lists; a list that cannot be read any more keeps its names."""

    def __init__(self, sources: Sequence[str]) -> None:
        """Nothing is read yet."""
        self._lists: dict[str, frozenset[str]] = dict.fromkeys(sources, frozenset())
        self._is_started = False
        self._reading = threading.Lock()
        self._once = OnceLogger(log)
        self._stopped = threading.Event()

    def __contains__(self, name: object) -> bool:
        """Whether an account is on one of the lists; ``name`` is in small letters."""
        return any(name in names for names in self._lists.values())

    def start(self) -> None:
        """Read the lists now, and again every hour in a thread."""
        self.use(list(self._lists))

    def use(self, sources: Sequence[str]) -> None:
        """Take these lists instead, and read them now."""
        with self._reading:
            before = self._lists
            self._lists = {source: self._read(source, before.get(source, frozenset())) for source in sources}
        if self._lists and not self._is_started:
            self._is_started = True
            threading.Thread(target=self._run, name="block-lists", daemon=True).start()

    def stop(self) -> None:
        """Read no more."""
        self._stopped.set()

    def read(self) -> None:
        """Read all lists; what cannot be read is logged once."""
        with self._reading:
            self._lists = {source: self._read(source, names) for source, names in self._lists.items()}

    def _read(self, source: str, before: frozenset[str]) -> frozenset[str]:
        try:
            names = read_list(source)
        except InputError as error:
            self._once.write(logging.WARNING, source, "%s", error)
            return before
        self._once.reset(source)
        return names

    def _run(self) -> None:
        while not self._stopped.wait(AGAIN_SECONDS):
            self.read()
