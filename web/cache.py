"""Cache of what the pages show, valid as long as the library does not change."""

import threading
from collections.abc import Callable, Hashable
from typing import TypeVar, cast

from cachetools import LRUCache

T = TypeVar("T")

MAX_ENTRIES = 512


class LibraryCache:
    """LRU cache of values computed from the library; any number of threads may use it."""

    def __init__(self, max_entries: int = MAX_ENTRIES) -> None:
        """Empty cache of at most ``max_entries``, 1 or more."""
        self._state: str | None = None
        self._entries: LRUCache[Hashable, object] = LRUCache(max_entries)
        self._lock = threading.Lock()

    def get(self, state: str | None, key: Hashable, compute: Callable[[], T]) -> T:
        """Value of ``key``, from the cache or by ``compute``; a key always has a value of the same type.

        ``state`` identifies the state of the library, read before ``compute`` is called; another state empties the
        cache. With None the state is unknown and nothing is cached.
        """
        if state is None:
            return compute()
        with self._lock:
            if state != self._state:
                self._entries.clear()
                self._state = state
            if key in self._entries:
                return cast(T, self._entries[key])
        value = compute()
        with self._lock:
            if state == self._state:
                self._entries[key] = value
        return value
