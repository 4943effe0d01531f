"""Which inputs go to which output: decided, and refused, before anything is written."""

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from trapcore.errors import InputError, OutputError, UsageError
from trapcore.io.output_check import check_outputs, is_stream

STDIN = "-"


@dataclass(frozen=True, slots=True)
class Target:
    """One output and the inputs that are concatenated into it."""

    path: Path | None
    """Without links; None is standard output."""
    sources: tuple[str, ...]
    """Paths as given; ``-`` is standard input."""

    @property
    def streams(self) -> bool:
        """Whether the bytes leave at once (standard output, a device, a pipe)."""
        return self.path is None or is_stream(self.path)


@dataclass(frozen=True, slots=True)
class Plan:
    """All outputs of a run."""

    targets: tuple[Target, ...]
    report: Path | None
    unreadable: dict[str, InputError]
    """Inputs that were left out because they cannot be opened."""

    @property
    def directory(self) -> Path | None:
        """Where the outputs lie, and the journal while they are written; None if nothing can be continued."""
        first = self.targets[0]
        return None if first.path is None or first.streams else first.path.parent


def plan_run(
    files: Sequence[str],
    out: str | None,
    report: str | None,
    *,
    strict: bool,
    used: Iterable[tuple[Path | str, str]] = (),
) -> Plan:
    """Assign outputs to inputs.

    ``used`` are the files that the run reads besides, each with what it is. Raises ``UsageError`` for outputs that
    would overwrite one of them, an input, a database or each other, ``OutputError`` if the directory of an output is
    not there, and ``InputError`` if no input (with ``strict``: if any of them not) can be opened.
    """
    for file in {file for file in files if list(files).count(file) > 1}:
        raise UsageError(f"{'standard input' if file == STDIN else file} is named twice")
    unreadable = {file: error for file in files if (error := _unreadable(file)) is not None}
    if unreadable and (strict or len(unreadable) == len(files)):
        raise next(iter(unreadable.values()))
    readable = [file for file in files if file not in unreadable]
    directory = None if out is None else _directory(out)
    if out is None or out == STDIN:
        targets = [Target(None, tuple(readable))]
    elif directory is None:
        targets = [Target(_resolved(out), tuple(readable))]
    else:
        targets = [Target(_resolved(str(directory / _base_name(file))), (file,)) for file in readable]
        if any(target.path is not None and target.path.parent != directory for target in targets):
            raise UsageError(f"{out}: an output in it is a link that leads elsewhere; remove it, or name the file")
    report_path = None if report is None else _report_path(report)
    outputs = [target.path for target in targets if target.path is not None]
    inputs = [(file, "an input") for file in readable if file != STDIN]
    check_outputs([*outputs, *([] if report_path is None else [report_path])], [*inputs, *used])
    return Plan(tuple(targets), report_path, unreadable)


def _unreadable(file: str) -> InputError | None:
    # By name only: opening a pipe to look into it would swallow its beginning.
    if file == STDIN:
        return None
    try:
        Path(file).stat()
    except FileNotFoundError:
        return InputError(f"{file}: there is no such file")
    except OSError as error:
        return InputError(f"{file}: cannot be opened: {error.strerror}")
    if Path(file).is_dir():
        return InputError(f"{file}: this is a directory; name the files in it")
    if not os.access(file, os.R_OK):
        return InputError(f"{file}: cannot be opened: permission denied")
    return None


def _directory(out: str) -> Path | None:
    path = Path(out)
    try:
        if not (path.is_dir() or out.endswith(("/", os.sep))):
            return None
        path.mkdir(parents=True, exist_ok=True)
        return Path(os.path.realpath(path))
    except OSError as error:
        raise OutputError(f"{out}: cannot be made: {error.strerror}") from error


def _resolved(out: str) -> Path:
    # Through symbolic links: the file that the name leads to is replaced, not the link.
    try:
        is_stream(out)
        return Path(os.path.realpath(out))
    except OSError as error:
        raise OutputError(f"{out}: cannot be written: {error.strerror}") from error


def _report_path(report: str) -> Path:
    path = _resolved(report)
    if report == STDIN or is_stream(path):
        raise UsageError(f"the report must be a file, not {report}")
    return path


def _base_name(file: str) -> str:
    # An archive is read, and never written.
    return "stdin.pgn" if file == STDIN else re.sub(r"(\.pgn)?\.zip$", ".pgn", Path(file).name, flags=re.IGNORECASE)
