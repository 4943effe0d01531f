"""The log: plain or JSON lines, to standard error or a file that begins anew each midnight; written by a thread of its
own, so that no game waits for a disk. The token is taken out of every entry.
"""

import json
import logging
import logging.handlers
import queue
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from pydantic import SecretStr

from trapcore.errors import OutputError
from trapcore.io.output_check import check_outputs, is_stream
from trapcore.io.plain_text import harmless, harmless_line

DAYS = 7
"""Number of old log files."""

MOST_WAITING = 10_000
"""Lines that wait to be written; what comes after that is lost rather than the memory filled."""


class _Plain(logging.Formatter):
    def __init__(self, token: SecretStr | None) -> None:
        super().__init__("%(asctime)s %(levelname)-7s %(name)s: %(message)s")
        self._token = token

    def format(self, record: logging.LogRecord) -> str:
        return harmless(_without(super().format(record), self._token))


class _Json(logging.Formatter):
    def __init__(self, token: SecretStr | None) -> None:
        super().__init__()
        self._token = token

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, object] = {
            "time": time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created)) + f".{int(record.msecs):03d}Z",
            "level": record.levelname.lower(),
            "room": record.name,
            "message": _without(record.getMessage(), self._token),
        }
        if record.exc_info:
            line["error"] = _without(self.formatException(record.exc_info), self._token)
        elif record.exc_text:
            line["error"] = _without(record.exc_text, self._token)
        return harmless_line(json.dumps(line, ensure_ascii=False))


class _Queue(logging.handlers.QueueHandler):
    """Hands lines on as they are; never waits."""

    def prepare(self, record: logging.LogRecord) -> logging.LogRecord:
        # The arguments may change before they are written.
        record.msg, record.args = record.getMessage(), None
        return record

    def enqueue(self, record: logging.LogRecord) -> None:
        with suppress(queue.Full):
            self.queue.put_nowait(record)


def set_up(file: Path | None, *, as_json: bool, token: SecretStr | None) -> Callable[[], None]:
    """Begin to log; what is given back writes the rest and ends it.

    Raises `OutputError`, and `UsageError` for a file that is a database.
    """
    target: logging.Handler
    if file is None:
        target = logging.StreamHandler(sys.stderr)
    else:
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            check_outputs([file])
            if is_stream(file):
                raise OutputError(f"the log {file} is a device or a pipe; name a file")
            target = logging.handlers.TimedRotatingFileHandler(
                file, when="midnight", backupCount=DAYS, encoding="utf-8", utc=True
            )
        except OSError as error:
            raise OutputError(f"the log {file} cannot be written: {error.strerror}") from error
    target.setFormatter((_Json if as_json else _Plain)(token))
    lines: queue.Queue[logging.LogRecord] = queue.Queue(MOST_WAITING)
    root = logging.getLogger()
    handler = _Queue(lines)
    root.handlers = [handler]
    root.setLevel(logging.WARNING)
    for package in ("trapline", "bot", "coach", "annotator", "lichess", "db"):
        logging.getLogger(package).setLevel(logging.INFO)
    listener = logging.handlers.QueueListener(lines, target)
    listener.start()

    def end() -> None:
        root.removeHandler(handler)
        listener.stop()
        target.close()

    return end


def _without(text: str, token: SecretStr | None) -> str:
    secret = "" if token is None else token.get_secret_value()
    return text.replace(secret, "***") if secret else text
