"""Studies: a whole one is read, and chapters are written by lichess's import, each once, also after an interruption.

A chapter waits as a file until it is in a study. Its name ends with a mark, and lichess shows the names of all
chapters, so that a chapter whose import was not answered, or whose file a killed process left, is known again and not
imported twice.
"""

import json
import logging
import re
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from berserk.formats import JSON, PGN
from berserk.session import Requestor
from pydantic import SecretStr

from lichess.api import Color, LichessError, Refused, Unauthorized
from lichess.http import Session, translate_errors, user_agent
from trapcore.errors import InputError, Message, OutputError, UsageError
from trapcore.io.atomic_write import replacing

log = logging.getLogger(__name__)

LONGEST_NAME = 100
"""Characters of the name of a chapter, at most."""

TIMEOUT_SECONDS = 30.0

_EVENT = re.compile(r'^\[Event "', re.MULTILINE)


_STUDY = re.compile(r"(?:https?://[^/]+/study/)?([A-Za-z0-9]{8})(?:[/?#].*)?")

_PRIVATE = Message("it is private or was deleted; a private one needs the token of a member, with the scope study:read")
MEANINGS = {401: _PRIVATE, 403: _PRIVATE, 404: Message("there is no such study, or it is private")}
"""What it means that a study is refused, by the status of the answer."""


def study_id(text: str) -> str:
    """The id of a study by its address or by the id itself. Raises `UsageError`."""
    found = _STUDY.fullmatch(text.strip())
    if found is None:
        raise UsageError(
            "{text!r} is no study: give the eight letters and digits at the end of lichess.org/study/…", text=text[:100]
        )
    return found[1]


def study_pgn(url: str, token: SecretStr | None, study: str) -> str:
    """All chapters of a study of the server at ``url`` as PGN; ``token`` is for a private one.

    Raises `InputError` for a study that is private or missing, and `LichessError`.
    """
    session = Session(token, TIMEOUT_SECONDS)
    session.headers["User-Agent"] = user_agent("")
    with closing(session):
        try:
            with translate_errors():
                return str(Requestor(session, url, JSON).get(f"/api/study/{study}.pgn", fmt=PGN))
        except Refused as error:
            if error.status not in MEANINGS:
                raise
            raise InputError("study {study}: {reason}", study=study, reason=MEANINGS[error.status]) from error


class StudiesFull(LichessError):
    """No study has room for another chapter."""


@dataclass(frozen=True, slots=True)
class Chapter:
    """A chapter to be written."""

    mark: str
    """What it is known by, letters, digits, _ and -, such as the id of its game."""
    name: str
    pgn: str
    """One game."""
    orientation: Color
    is_lesson: bool = False
    """It is an interactive lesson (``gamebook``)."""

    @property
    def title(self) -> str:
        """The name with the mark behind it, as lichess gets it."""
        end = f" ({self.mark})"
        plain = " ".join(self.name.replace('"', "'").replace("\\", " ").split())
        return plain[: LONGEST_NAME - len(end)].rstrip() + end


class StudyWriter:
    """Writes chapters into studies of one account; for one thread."""

    def __init__(
        self,
        url: str,
        token: SecretStr | None,
        studies: Sequence[str],
        folder: Path,
        most: int,
        hold: Callable[[], AbstractContextManager[None]] = nullcontext,
    ) -> None:
        """``token`` has the scope study:write, and study:read for a private study. ``studies`` are filled one after the
        other. ``folder`` keeps what waits. ``most``: chapters that a study may have. ``hold`` is entered for each
        request.
        """
        self._studies, self._folder, self._most, self._hold = tuple(studies), folder, most, hold
        self._session = Session(token, TIMEOUT_SECONDS)
        self._session.headers["User-Agent"] = user_agent("")
        self._ask: Requestor[Any] = Requestor(self._session, url, JSON)

    def close(self) -> None:
        """Close the idle connections."""
        self._session.close()

    def add(self, chapter: Chapter) -> None:
        """Let a chapter wait, safe from a restart. Raises `OutputError`."""
        if not re.fullmatch(r"[\w-]{1,40}", chapter.mark, re.ASCII):
            raise OutputError(f"{chapter.mark[:60]!r} is no mark of a chapter")
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            with replacing(self._folder / f"{chapter.mark}.json") as building:
                building.write_text(json.dumps(asdict(chapter)), encoding="utf-8")
        except OSError as error:
            raise OutputError(f"{self._folder} cannot be written: {error.strerror}") from error

    def waiting(self) -> list[Path]:
        """The files of the chapters that wait, the oldest first."""
        found = [(path.stat().st_mtime_ns, path) for path in self._folder.glob("*.json")]
        return [path for _, path in sorted(found)]

    def write(self) -> int:
        """Write what waits; returns how many chapters were written.

        A chapter that lichess refuses is put aside with a warning. Raises `LichessError` and `StudiesFull`; what is not
        written by then waits on.
        """
        waiting = self.waiting()
        if not waiting:
            return 0
        there = {study: self._text(study) for study in self._studies}
        written = 0
        for path in waiting:
            try:
                chapter = Chapter(**json.loads(path.read_bytes()))
            except (OSError, ValueError, TypeError) as error:
                log.warning("%s is no chapter and is put aside: %s", path, error)
                path.rename(path.with_suffix(".refused"))
                continue
            if not any(f"({chapter.mark})" in text for text in there.values()):
                study = next((one for one, text in there.items() if len(_EVENT.findall(text)) < self._most), None)
                if study is None:
                    raise StudiesFull(
                        f"{', '.join(self._studies)} have {self._most} chapters each, and lichess takes no more: name "
                        f"another study; {len(waiting) - written} chapters wait"
                    )
                try:
                    self._import(study, chapter)
                except Unauthorized:
                    raise
                except Refused as error:
                    if error.status != 400:
                        raise
                    log.warning("chapter %s is put aside: %s", chapter.title, error)
                    path.rename(path.with_suffix(".refused"))
                    continue
                there[study] += f'\n[Event "{chapter.title}"]\n'
                written += 1
            path.unlink(missing_ok=True)
        return written

    def _text(self, study: str) -> str:
        """A study as PGN, with nothing but names and moves."""
        wanted = dict.fromkeys(("clocks", "comments", "variations"), "false")
        with self._hold(), translate_errors():
            return str(self._ask.get(f"/api/study/{study}.pgn", params=wanted, fmt=PGN))

    def _import(self, study: str, chapter: Chapter) -> None:
        content = {"pgn": chapter.pgn, "name": chapter.title, "orientation": chapter.orientation}
        if chapter.is_lesson:
            content["mode"] = "gamebook"
        with self._hold(), translate_errors():
            self._ask.post(f"/api/study/{study}/import-pgn", data=content)
        log.info("study %s has the chapter %s", study, chapter.title)
