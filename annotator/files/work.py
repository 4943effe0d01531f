"""Work folders of a run: where its parts and its journal lie, and what an earlier run left there."""

import re
from contextlib import suppress
from pathlib import Path
from typing import Self

from annotator.files.journal import Journal, OutputState, load
from annotator.files.output import Output, finish
from annotator.files.plan import STDIN, Plan
from trapcore.errors import OutputError, UsageError
from trapcore.io.work_folder import JOURNAL, WorkFolder, work_folders

_PART = re.compile(r"(\.trapline-[0-9a-f]{16})/(part-\d{1,9})")


class RunFiles:
    """Work folders that a run has locked: one beside its outputs, and one beside its report if that lies elsewhere."""

    def __init__(self, folders: dict[Path, WorkFolder], main: WorkFolder | None) -> None:
        """``main`` has the journal; None if the run cannot be continued. ``folders`` are all, by where they lie."""
        self._folders = folders
        self._main = main

    @classmethod
    def begin(cls, plan: Plan, journal: Journal) -> Self:
        """Lock the outputs of a new run, and delete what an interrupted one of the same outputs left.

        Fills in where each output of ``journal`` is written. Raises ``OutputError``, also if another run writes one of
        the outputs.
        """
        directory = plan.directory
        places: dict[Path, list[OutputState]] = {}
        for state in [*journal.outputs, *([] if journal.report is None else [journal.report])]:
            if plan.report is not None and state is journal.report:
                places.setdefault(plan.report.parent, []).append(state)
            elif directory is not None:
                places.setdefault(directory, []).append(state)
        folders: dict[Path, WorkFolder] = {}
        made = cls(folders, None)
        try:
            for place, states in places.items():
                names = [Path(state.path).name for state in states]
                kept_for = None if directory is None else JOURNAL if place == directory else made._journal_path()
                folder = folders[place] = WorkFolder.make(place, names, kept_for=kept_for)
                if place == directory:
                    made._main = folder
                    _delete_left(plan, folder)
                for number, state in enumerate(states):
                    state.part = f"{folder.path.name}/{folder.begin(f'part-{number}').name}"
        except OSError as error:
            made.remove()
            raise OutputError(f"{error.filename or place}: cannot be written: {error.strerror}") from error
        except BaseException:
            made.remove()
            raise
        return made

    @classmethod
    def adopt(cls, plan: Plan, now: Journal) -> "tuple[RunFiles, Journal] | None":
        """What an interrupted run of the same plan left, locked, with its journal; None if there is nothing.

        Raises ``UsageError`` if it cannot be continued because something changed, and ``OutputError`` if it is at work.
        """
        directory = plan.directory
        if directory is None:
            raise UsageError("--resume needs an output file, named with -o: what went to a pipe cannot be continued")
        left = _left(plan)
        if not left:
            return None
        journals = [(path, load(path)) for path in left]
        path, before = max(journals, key=lambda pair: pair[1] is not None and pair[1].has_outputs_of(now))
        if before is None:
            return None
        before.check_same(now, path / JOURNAL)
        places = {directory: path}
        for state in [*before.outputs, *([] if before.report is None else [before.report])]:
            if state.path != STDIN:
                part = _part(state, path)
                places.setdefault(part.parent.parent, part.parent)
        folders: dict[Path, WorkFolder] = {}
        try:
            for place, folder in places.items():
                folders[place] = WorkFolder.resume(folder)
        except OSError as error:
            raise UsageError(
                f"{folder} has gone since the run was interrupted; run without --resume to start over"
            ) from error
        finally:
            if len(folders) < len(places):
                for taken in folders.values():
                    taken.leave()
        return cls(folders, folders[directory]), before

    def open(self, state: OutputState) -> Output:
        """The part of an output, new or continued. Raises as `Output.partial`."""
        at = state.length if state.begun else None
        return Output.partial(self._part(state), Path(state.path), at=at, digest=state.digest)

    def finish(self, state: OutputState) -> None:
        """Give a part that was finished its name. Raises as `annotator.files.output.finish`."""
        part, path = self._part(state), Path(state.path)
        mode = self._folders[path.parent].default_mode
        finish(part, path, length=state.length, digest=state.digest, default_mode=mode)

    def save(self, journal: Journal) -> bool:
        """Write the journal, if there is one; whether there is. Raises ``OutputError``."""
        if self._main is None:
            return False
        journal.save(self._main.path)
        return True

    def leave(self) -> None:
        """Unlock the outputs and leave all for a run that goes on."""
        for folder in self._folders.values():
            folder.leave()

    def remove(self) -> None:
        """Unlock the outputs and delete what is not needed any more, the journal first."""
        if self._main is not None:
            (self._main.path / JOURNAL).unlink(missing_ok=True)
        for folder in self._folders.values():
            folder.remove()

    def _part(self, state: OutputState) -> Path:
        return Path(state.path).parent / state.part

    def _journal_path(self) -> str | None:
        return None if self._main is None else str(self._main.path.absolute() / JOURNAL)


def _left(plan: Plan) -> list[Path]:
    """Work folders with a journal of the plan's outputs."""
    names = {target.path.name for target in plan.targets if target.path is not None}
    directory = plan.directory
    if directory is None:
        return []
    return [path for path, outputs in work_folders(directory) if names & {*outputs} and (path / JOURNAL).exists()]


def _delete_left(plan: Plan, own: WorkFolder) -> None:
    """Delete what interrupted runs of the same outputs left. Raises ``OutputError`` if one of them is at work again."""
    for path in _left(plan):
        with suppress(FileNotFoundError):
            folder = WorkFolder.resume(path, own=own)
            with suppress(UsageError):
                journal = load(path)
                if journal is not None and journal.report is not None:
                    part = _part(journal.report, path)
                    if part.parent != path and (beside := WorkFolder.adopt(part.parent)) is not None:
                        beside.remove()
            folder.remove()


def _part(state: OutputState, journal: Path) -> Path:
    """Where an output of a journal is written; raises ``UsageError`` for what is no part of a work folder."""
    if _PART.fullmatch(state.part) is None:
        raise UsageError(
            f"{journal} names {state.part!r} as a part of {state.path}; run without --resume to start over"
        )
    return Path(state.path).parent / state.part
