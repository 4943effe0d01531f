"""The command ``trapline``, which Ctrl-C ends without a traceback from its first moment to its last."""

import atexit
import os
import signal

INTERRUPTED = 130
"""Exit code of a command that was ended by Ctrl-C: 128 and the number of the signal."""


def main() -> None:
    """Entry point."""
    # Ignored, as behind `nohup`, it stays ignored.
    is_usual = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if is_usual:
        signal.signal(signal.SIGINT, _leave)  # the imports take longer than all that follows in a short command
    import sys

    code = INTERRUPTED
    atexit.register(lambda: _end(code))  # called last, because nothing was registered before
    try:
        from trapline.program import main as run

        if is_usual:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        code = run()
    except KeyboardInterrupt:
        code = INTERRUPTED
    finally:
        if is_usual:
            signal.signal(signal.SIGINT, _leave)
    sys.exit(code)


def _end(code: int) -> None:
    """Ends the process at once if threads are left; these are daemons.

    Python ends such a thread when it comes back from the core. This would abort the process, because Rust cannot be
    unwound so.
    """
    import threading

    if threading.active_count() > 1:
        os._exit(code)


def _leave(*_: object) -> None:
    os._exit(INTERRUPTED)


if __name__ == "__main__":
    main()
