"""The socket in the bot's folder: one JSON line asks, one JSON line answers. Only the account of the bot may connect.

Each client has a thread of its own and little time, so that a slow or broken one disturbs neither the bot nor others.
"""

import errno
import json
import logging
import os
import socket
import stat
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

from trapcore.errors import InputError, OutputError, TraplineError

log = logging.getLogger(__name__)

NAME = "control.sock"

CLIENT_SECONDS = 5.0
"""Time that a client has for its request, and again for taking the answer."""

ANSWER_SECONDS = 60.0
"""Longest wait of a client for the answer: a challenge asks lichess."""

MOST_CLIENTS = 8
"""Clients at the same time; the next one is told so."""

MOST_REQUEST_BYTES = 1 << 14
MOST_ANSWER_BYTES = 1 << 22


class AnotherBotError(OutputError):
    """Another bot runs in the same folder: both would write its files, and say everything twice."""


class RefusedByBot(InputError):
    """A request that failed; the bot may have several reasons."""

    @property
    def sentences(self) -> tuple[str, ...]:
        """The reasons, a line each."""
        return tuple(str(self).splitlines())


Answer = Callable[[Mapping[str, Any]], Mapping[str, object]]


class ControlSocket:
    """The bot's end of the socket."""

    def __init__(self, folder: Path, answer: Answer) -> None:
        """Open the socket; a dead bot's one is replaced.

        ``answer`` answers each request, in a thread of the client's. Raises `OutputError` if there cannot be a socket,
        `InputError` if something else has its name or another account owns it, and `AnotherBotError` if another bot
        answers at it.
        """
        self._folder, self._answer = folder, answer
        self._places = threading.BoundedSemaphore(MOST_CLIENTS)
        self._closed = False
        try:
            self._socket = self._open()
        except OSError as error:
            raise OutputError(f"the control socket in {folder} cannot be opened: {error.strerror or error}") from error
        threading.Thread(target=self._run, name="control", daemon=True).start()

    def _open(self) -> socket.socket:
        with _address(self._folder) as address:
            if os.path.lexists(address):
                found = address.lstat()
                _check_owner(found, self._folder / NAME)
                if not stat.S_ISSOCK(found.st_mode):
                    raise InputError(f"{self._folder / NAME} is no socket; move it away, or set another bot.folder")
                if _answers(address):
                    raise AnotherBotError(f"another bot runs in {self._folder}; stop it, or set another bot.folder")
                address.unlink()
            opened = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            try:
                opened.bind(str(address))
                # Nobody can connect before `listen`.
                address.chmod(0o600)
                opened.listen(MOST_CLIENTS)
            except OSError:
                opened.close()
                raise
            self._inode = address.stat().st_ino
            return opened

    def close(self) -> None:
        """Answer nobody any more, and remove the socket."""
        self._closed = True
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        path = self._folder / NAME
        with suppress(OSError):
            if path.lstat().st_ino == self._inode:
                path.unlink()

    def _run(self) -> None:
        while not self._closed:
            try:
                client, _ = self._socket.accept()
            except OSError:
                if not self._closed:
                    # Such as too many open files.
                    time.sleep(1.0)
                continue
            has_place = self._places.acquire(blocking=False)
            threading.Thread(target=self._serve, args=(client, has_place), name="control-client", daemon=True).start()

    def _serve(self, client: socket.socket, has_place: bool) -> None:
        try:
            with closing(client):
                answer = (
                    self._answer_to(client) if has_place else _failure("the bot answers others just now; try again")
                )
                client.settimeout(CLIENT_SECONDS)
                client.sendall(json.dumps(answer).encode() + b"\n")
        except OSError as error:
            log.debug("a client of the control socket has gone: %s", error)
        finally:
            if has_place:
                self._places.release()

    def _answer_to(self, client: socket.socket) -> Mapping[str, object]:
        try:
            request = json.loads(_line(client, CLIENT_SECONDS, MOST_REQUEST_BYTES))
            if not isinstance(request, dict):
                raise ValueError("it is no table")
        except (ValueError, RecursionError) as error:
            return _failure(f"the request cannot be read: {error}")
        try:
            return {"ok": True, **self._answer(request)}
        except TraplineError as error:
            return _failure(str(error))
        except Exception:
            log.exception("a request of the owner could not be answered")
            return _failure("the bot made an error; its log has more")


def ask(folder: Path, request: Mapping[str, object]) -> dict[str, Any]:
    """The answer of the bot that runs in ``folder``.

    Raises `InputError` if no bot answers, or if the socket is somebody else's, and for a request that failed.
    """
    try:
        with _address(folder) as address, closing(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)) as bot:
            _check_owner(address.lstat(), folder / NAME)
            bot.settimeout(CLIENT_SECONDS)
            bot.connect(str(address))
            # A bot with too much to do answers without reading.
            with suppress(BrokenPipeError):
                bot.sendall(json.dumps(request).encode() + b"\n")
            answer = json.loads(_line(bot, ANSWER_SECONDS, MOST_ANSWER_BYTES))
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.ECONNREFUSED):
            raise InputError(
                f"no bot runs in {folder}; `trapline bot` starts one, and the setting bot.folder names another folder"
            ) from None
        raise InputError(f"the bot in {folder} cannot be asked: {error.strerror or error}") from None
    except ValueError as error:
        raise InputError(f"the bot in {folder} gives no answer: {error}") from None
    if not isinstance(answer, dict) or answer.pop("ok", None) is not True:
        raise RefusedByBot(str(answer.get("error")) if isinstance(answer, dict) else "the bot gives no answer")
    return answer


@contextmanager
def _address(folder: Path) -> Iterator[Path]:
    """Address of the socket, by a descriptor of its folder if possible: an address has about 100 bytes at most."""
    if not hasattr(socket, "AF_UNIX"):
        raise InputError("this system has no local sockets, so that a running bot cannot be asked")
    number = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        _check_owner(os.fstat(number), folder)
        short = Path(f"/proc/self/fd/{number}")
        yield (short if short.is_dir() else folder) / NAME
    finally:
        os.close(number)


def _check_owner(found: os.stat_result, shown: Path) -> None:
    if found.st_uid != os.geteuid():
        raise InputError(f"{shown} belongs to another account; run this as the account that runs the bot")


def _answers(address: Path) -> bool:
    """Whether a bot listens there."""
    with closing(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)) as other:
        other.settimeout(CLIENT_SECONDS)
        try:
            other.connect(str(address))
        except TimeoutError:
            return True
        except OSError:
            return False
        return True


def _line(peer: socket.socket, seconds: float, most: int) -> bytes:
    """One line of the other end. Raises `ValueError` if it is too long, breaks off, or does not come in time."""
    until, got = time.monotonic() + seconds, bytearray()
    while not got.endswith(b"\n"):
        left = until - time.monotonic()
        if left <= 0:
            raise ValueError("it takes too long")
        peer.settimeout(left)
        try:
            part = peer.recv(1 << 16)
        except TimeoutError:
            continue
        if not part:
            raise ValueError("it breaks off")
        got += part
        if len(got) > most:
            raise ValueError("it is too long")
    return bytes(got)


def _failure(error: str) -> Mapping[str, object]:
    return {"ok": False, "error": error}
