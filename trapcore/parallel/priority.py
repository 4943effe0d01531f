"""Priority of threads: work that nobody waits for at once gives way to what answers somebody."""

import os
import sys
import threading
from contextlib import suppress

BACKGROUND = 5
"""Nice value of a thread in the background: a busy processor gives it a third of what it gives to another. It may hold
what another one waits for, so that it has to come on."""


def give_way() -> None:
    """Lower the priority of this thread, and of the threads and processes that it starts, for good.

    Only Linux has priorities of threads; elsewhere, and where the system refuses, nothing changes.
    """
    if sys.platform == "linux":
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), BACKGROUND)
