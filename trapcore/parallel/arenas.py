"""Memory of a process with many threads."""

import ctypes
import sys

_M_MMAP_THRESHOLD, _M_ARENA_MAX = -3, -8  # of mallopt(3)
_ARENAS = 2
_LARGE = 1 << 20


def share_arenas() -> None:
    """Have all threads take memory from the same few arenas of the C library; to be called before they are made.

    It gives threads arenas of their own, eight for each processor, and what is free in one is of no use to the others:
    a server that makes threads for its searches and uploads seems to grow for as long as it runs. For the same reason a
    megabyte or more, such as the tables of a search, is given back to the system at once: by itself the C library soon
    keeps it in an arena, between other things. Only glibc does so; elsewhere nothing changes.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform == "linux" else None
    if mallopt is not None:
        mallopt(_M_ARENA_MAX, _ARENAS)
        mallopt(_M_MMAP_THRESHOLD, _LARGE)
