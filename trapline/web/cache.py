"""Cache of what the pages show, each valid as long as that of the library does not change which it was made of."""

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
        self._entries: LRUCache[Hashable, tuple[str, object]] = LRUCache(max_entries)
        self._lock = threading.Lock()

    def get(self, state: str | None, key: Hashable, compute: Callable[[], T]) -> T:
        """Value of ``key``, from the cache or by ``compute``; a key always has a value of the same type.

        ``state`` identifies the state of what the value is made of, read before ``compute`` is called; a value of
        another state is not used again. With None the state is unknown and nothing is cached.
        """
        if state is None:
            return compute()
        with self._lock:
            found = self._entries.get(key)
        if found is not None and found[0] == state:
            return cast(T, found[1])
        value = compute()
        with self._lock:
            self._entries[key] = (state, value)
        return value
