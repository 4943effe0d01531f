"""Priority of threads: work that nobody waits for at once gives way to what answers somebody."""

from trapcore import _native


def give_way() -> None:
    """Have the core do what this thread asks of it at a lower priority, for good.

    The thread itself keeps its priority: while it runs Python it holds what all others wait for. Only Linux has
    priorities of threads; elsewhere nothing changes.
    """
    _native.give_way()
