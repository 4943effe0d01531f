"""Which inputs go to which output: decided, and refused, before anything is written."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from annotator.files.output import is_stream, partial_of
from trapcore.errors import InputError, OutputError, UsageError

STDIN = "-"
_DIRECTORY_JOURNAL = "annotate.partial.json"


@dataclass(frozen=True, slots=True)
class Target:
    """One output and the inputs that are concatenated into it."""

    path: Path | None
    """None is standard output."""
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
    journal: Path | None
    """Path of the journal; None if it cannot be continued."""
    unreadable: dict[str, InputError]
    """Inputs that were left out because they cannot be opened."""


def plan_run(files: Sequence[str], out: str | None, report: str | None, *, strict: bool) -> Plan:
    """Assign outputs to inputs.

    Raises ``UsageError`` for outputs that would overwrite an input or each other, ``OutputError`` if the directory of
    an output is not there, and ``InputError`` if no input (with ``strict``: if any of them not) can be opened.
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
        targets = [Target(directory / (_base_name(file)), (file,)) for file in readable]
    report_path = None if report is None else _report_path(report)
    _check_apart([file for file in readable if file != STDIN], targets, report_path)
    return Plan(tuple(targets), report_path, _journal_path(targets, directory), unreadable)


def _unreadable(file: str) -> InputError | None:
    # By name only: opening a pipe to look into it would swallow its beginning.
    path = Path(file)
    if file == STDIN:
        return None
    if path.is_dir():
        return InputError(f"{file}: this is a directory; name the files in it")
    if not path.exists():
        return InputError(f"{file}: there is no such file")
    if not os.access(path, os.R_OK):
        return InputError(f"{file}: cannot be opened: permission denied")
    return None


def _directory(out: str) -> Path | None:
    path = Path(out)
    if not (path.is_dir() or out.endswith(("/", os.sep))):
        return None
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{out}: cannot be made: {error.strerror}") from error
    return path.resolve()


def _resolved(out: str) -> Path:
    # Through symbolic links: the file that the name leads to is replaced, not the link.
    path = Path(out).resolve()
    if not path.parent.is_dir():
        raise OutputError(f"{out}: there is no directory {Path(out).parent}")
    return path


def _report_path(report: str) -> Path:
    path = _resolved(report)
    if report == STDIN or is_stream(path):
        raise UsageError(f"the report must be a file, not {report}")
    return path


def _base_name(file: str) -> str:
    return "stdin.pgn" if file == STDIN else Path(file).name


def _journal_path(targets: Sequence[Target], directory: Path | None) -> Path | None:
    if directory is not None:
        return directory / _DIRECTORY_JOURNAL
    path = targets[0].path
    return None if path is None or targets[0].streams else path.with_name(f"{partial_of(path).name}.json")


def _check_apart(files: Sequence[str], targets: Sequence[Target], report: Path | None) -> None:
    inputs = {Path(file).resolve(): file for file in files}
    written: dict[Path, str] = {}
    outputs = [target.path for target in targets if target.path is not None and not target.streams]
    for path in [*outputs, *([] if report is None else [report])]:
        for place in (path, partial_of(path)):
            same = inputs.get(place) or _same_file(place, files)
            if same:
                raise UsageError(f"{same} is an input and cannot be an output as well")
        if path in written:
            raise UsageError(f"{path} would be written twice; give inputs of the same name separate runs")
        written[path] = str(path)


def _same_file(place: Path, files: Sequence[str]) -> str | None:
    if not place.exists():
        return None
    return next((file for file in files if Path(file).exists() and place.samefile(file)), None)
