"""Journal of an interrupted run, on disk: what ``--resume`` continues from.

The journal lies in the work folder of the run and is replaced in one step, after the bytes that it lists have reached
the disk. It is true at any moment: a run killed between two entries loses only what came after the last one. It
holds digests of inputs and parts, and one of itself, so that every change in the meantime is noticed.
"""

import dataclasses
import json
import os
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Annotated, ClassVar

from annotated_types import Ge, Le
from pydantic import ConfigDict, TypeAdapter, ValidationError

from annotator.files.output import DIGEST_BYTES
from trapcore.errors import OutputError, UsageError
from trapcore.io.work_folder import JOURNAL

Option = str | int | float | bool | None | list[str]
"""The value of an option, as JSON has it."""

Size = Annotated[int, Ge(0), Le(2**63 - 1)]
"""Number of bytes."""

_MOST_BYTES = 256 << 20
_FORBID = ConfigDict(extra="forbid")


@dataclass(slots=True)
class InputState:
    """How much of one input has been dealt with."""

    __pydantic_config__: ClassVar = _FORBID

    path: str
    consumed: Size = 0
    """Bytes, decompressed."""
    digest: str = ""
    """BLAKE2b-256 of those bytes, in hexadecimal."""
    file: list[int] | None = None
    """Number of the file on its device, its size and when it was changed; None for a pipe, or where that is allowed to
    change: of an input that could not be read to its end."""
    finished: bool = False
    games: Size = 0
    """Games in it so far, those included that could not be read."""
    failed: bool = False
    """Nothing of it could be read."""
    told: list[str] = field(default_factory=list)
    """Slugs of the known traps that were reported in it so far: they are not reported as news again."""


@dataclass(slots=True)
class OutputState:
    """How much of one output is worth keeping."""

    __pydantic_config__: ClassVar = _FORBID

    path: str
    part: str = ""
    """Where it is written: the work folder and the name in it."""
    length: Size = 0
    """Bytes of the part, as they lie on disk."""
    digest: str = ""
    """BLAKE2b-256 of those bytes, in hexadecimal."""
    begun: bool = False
    finished: bool = False
    """Its part is whole, and may have its name already."""
    line_open: bool = False
    """The last byte is not a line end."""


@dataclass(slots=True)
class Journal:
    """The state of one run; ``options`` are all that its output depends on besides the inputs."""

    __pydantic_config__: ClassVar = _FORBID

    options: dict[str, Option]
    inputs: list[InputState]
    outputs: list[OutputState]
    report: OutputState | None = None
    counts: dict[str, object] = field(default_factory=dict)

    def save(self, folder: Path) -> None:
        """Replace the journal in a work folder by this one; raises ``OutputError`` and then leaves the old one."""
        path = folder / JOURNAL
        beside = folder / f"{JOURNAL}.new"
        content = json.dumps(dataclasses.asdict(self), indent=1)
        try:
            # A file that lies there is not opened: a pipe would be waited for, and a second name of a file overwritten.
            beside.unlink(missing_ok=True)
            with os.fdopen(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                file.write(f"{_digest(content)}\n{content}".encode())
                file.flush()
                os.fsync(file.fileno())
            beside.replace(path)
        except OSError as error:
            raise OutputError(f"{path}: cannot be written: {error.strerror}") from error

    def has_outputs_of(self, now: "Journal") -> bool:
        """Whether ``now`` is a run onto the same outputs."""
        return _paths(*self.outputs) == _paths(*now.outputs)

    def check_same(self, now: "Journal", path: Path) -> None:
        """Raise ``UsageError`` that names what changed, unless ``now`` is a run of the same inputs and options."""
        changed = [
            (name.replace("_", "-"), self.options.get(name), now.options.get(name))
            for name in [*now.options, *self.options]
            if self.options.get(name) != now.options.get(name)
        ]
        for kind, before, after in (
            ("inputs", _paths(*self.inputs), _paths(*now.inputs)),
            ("outputs", _paths(*self.outputs), _paths(*now.outputs)),
            ("report", _paths(self.report), _paths(now.report)),
        ):
            if before != after:
                changed.append((kind, before, after))
        if changed:
            what, before_value, after_value = changed[0]
            raise UsageError(
                f"{path} cannot be continued: {what} was {_format(before_value)} and is {_format(after_value)} now; "
                "run without --resume to start over"
            )


def load(folder: Path) -> Journal | None:
    """The journal of a work folder, or None if there is none; raises ``UsageError`` for a file that is no journal."""
    path = folder / JOURNAL
    try:
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as file:
            digest, _, text = file.read(_MOST_BYTES).decode().partition("\n")
        if digest != _digest(text):
            raise ValueError("it is damaged or was changed")
        return _JOURNAL.validate_json(text)
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise not_a_journal(path, error) from error


_JOURNAL = TypeAdapter(Journal)


def _digest(content: str) -> str:
    return blake2b(content.encode(), digest_size=DIGEST_BYTES).hexdigest()


def not_a_journal(path: Path, why: Exception) -> UsageError:
    """The error for a file in the journal's place that is no journal."""
    reason = str(why)
    if isinstance(why, ValidationError):
        first = why.errors()[0]
        reason = f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
    return UsageError(f"{path} is no journal of an interrupted run ({reason}); run without --resume to start over")


def _paths(*states: InputState | OutputState | None) -> list[str]:
    return [state.path for state in states if state is not None]


def _format(value: object) -> str:
    if value is None or value == []:
        return "not given"
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)
