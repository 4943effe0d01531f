"""Journal of an interrupted run, on disk: what ``--resume`` continues from.

The journal lies beside the output and is replaced in one step, after the bytes that it lists have reached the disk. It
is true at any moment: a run killed between two entries loses only what came after the last one.
"""

import dataclasses
import json
import os
from dataclasses import dataclass, field
from pathlib import Path

from trapcore.errors import OutputError, UsageError

Option = str | int | float | bool | None | list[str]
"""The value of an option, as JSON has it."""


@dataclass(slots=True)
class InputState:
    """How much of one input has been dealt with."""

    path: str
    consumed: int = 0
    """Bytes, decompressed."""
    digest: str = ""
    """BLAKE2b-256 of those bytes, in hexadecimal."""
    finished: bool = False
    failed: bool = False
    """Nothing of it could be read."""


@dataclass(slots=True)
class OutputState:
    """How much of one output is worth keeping."""

    path: str
    length: int = 0
    """Bytes of the partial file, as they lie on disk."""
    begun: bool = False
    finished: bool = False
    """Its partial file is whole, and may have its name already."""
    line_open: bool = False
    """The last byte is not a line end."""


@dataclass(slots=True)
class Journal:
    """The state of one run; ``options`` are all that its output depends on besides the inputs."""

    options: dict[str, Option]
    inputs: list[InputState]
    outputs: list[OutputState]
    report: OutputState | None = None
    counts: dict[str, object] = field(default_factory=dict)

    def save(self, path: Path) -> None:
        """Replace the journal on disk by this one; raises ``OutputError`` and then leaves the old one."""
        beside = path.with_name(path.name + ".new")
        try:
            with beside.open("w", encoding="utf-8") as file:
                json.dump(dataclasses.asdict(self), file, indent=1)
                file.flush()
                os.fsync(file.fileno())
            beside.replace(path)
        except OSError as error:
            raise OutputError(f"{path}: cannot be written: {error.strerror}") from error

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


def load(path: Path) -> Journal | None:
    """The journal at ``path``, or None if there is none; raises ``UsageError`` for a file that is no journal."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        report = content["report"]
        return Journal(
            options=dict(content["options"]),
            inputs=[InputState(**state) for state in content["inputs"]],
            outputs=[OutputState(**state) for state in content["outputs"]],
            report=None if report is None else OutputState(**report),
            counts=dict(content["counts"]),
        )
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise not_a_journal(path, error) from error


def not_a_journal(path: Path, why: Exception) -> UsageError:
    """The error for a file in the journal's place that is none."""
    return UsageError(f"{path} is no journal of an interrupted run ({why}); run without --resume to start over")


def _paths(*states: InputState | OutputState | None) -> list[str]:
    return [state.path for state in states if state is not None]


def _format(value: object) -> str:
    if value is None or value == []:
        return "not given"
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)
