"""What an interrupted run left is continued only as it was left; and no two runs write the same output."""

import os
import random
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from annotator import pipeline
from annotator.counts import Counts
from annotator.files.plan import plan_run
from annotator.files.progress import Progress
from annotator.known_traps import KnownTraps
from annotator.pipeline import Run
from annotator.request import AnalysisOptions, AnalysisRequest
from annotator.settings import AnalysisSettings, Tell
from db.library.open import open_library
from tests.support.trap_games import FELL, QUIET, game, make_library
from trapcore.errors import InputError, OutputError, UsageError
from trapcore.measures.options import IndexedMeasure

GAMES = 14


class Stopping(Progress):
    """Shows nothing; does something when so many batches are done."""

    def __init__(self, plan: object, batches: int, then: Callable[[], object]) -> None:
        super().__init__(plan, quiet=True)  # type: ignore[arg-type]
        self._left, self._then = batches, then

    def advance(self, counts: Counts) -> None:
        self._left -= 1
        if self._left == 0:
            self._then()


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> KnownTraps:
    with open_library(make_library(tmp_path_factory.mktemp("library") / "l.sqlite"), read_only=True) as library:
        return KnownTraps.of(library, IndexedMeasure.SEQUENCES)


@pytest.fixture(autouse=True)
def always_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    """The journal is written behind every batch."""
    monkeypatch.setattr(pipeline, "CHECKPOINT_SECONDS", 0.0)
    monkeypatch.setattr(pipeline, "GROUP_BATCHES", 1)


def text(seed: int, comment_bytes: int = 2500) -> str:
    dice = random.Random(seed)
    return "".join(
        game(
            dice.choice((QUIET, QUIET, FELL)).replace(" 2.", f" {{{dice.randbytes(comment_bytes).hex()}}} 2."),
            Round=str(n),
        )
        for n in range(GAMES)
    )


class Runs:
    """Runs over the files of a folder."""

    def __init__(self, folder: Path, known: KnownTraps) -> None:
        self.folder, self._known = folder, known
        self.inputs = [folder / "a.pgn", folder / "b.pgn"]
        for number, path in enumerate(self.inputs):
            path.write_text(text(number))
        self.out, self.report = folder / "out.pgn.zst", folder / "reports" / "out.jsonl"
        self.report.parent.mkdir()

    def run(
        self,
        *,
        resume: bool = False,
        stop: int = 0,
        then: Callable[[], object] | None = None,
        out: str | None = None,
        report: Path | None = None,
        strict: bool = False,
    ) -> Counts:
        request = AnalysisRequest.from_settings(
            AnalysisSettings(measure=IndexedMeasure.SEQUENCES, tell=Tell.KNOWN), AnalysisOptions()
        )
        request = replace(request, batch_bytes=1 << 14, strict=strict)
        plan = plan_run(list(map(str, self.inputs)), out or str(self.out), str(report or self.report), strict=strict)
        with Stopping(plan, stop, then or _interrupt) as progress:
            return Run(request, plan, self._known, progress, resume=resume).execute()

    def interrupted(self, stop: int, out: str | None = None) -> tuple[Path, Path]:
        """Begin a run and interrupt it; its two work folders, that of the journal first."""
        with pytest.raises(KeyboardInterrupt):
            self.run(stop=stop, out=out)
        (main,) = Path(out or self.folder).glob(".trapline-*")
        (beside,) = self.report.parent.glob(".trapline-*")
        return main, beside

    def left_over(self) -> list[Path]:
        return [*self.folder.rglob(".trapline-*")]


def _interrupt() -> None:
    raise KeyboardInterrupt


@pytest.fixture
def runs(tmp_path: Path, known: KnownTraps) -> Runs:
    return Runs(tmp_path, known)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory, known: KnownTraps) -> tuple[bytes, int]:
    """The output of a run that nobody disturbed, and how many batches it takes."""
    batches = 0

    def count() -> None:
        nonlocal batches
        batches += 1

    made = Runs(tmp_path_factory.mktemp("whole"), known)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pipeline, "CHECKPOINT_SECONDS", 0.0)
        patch.setattr(pipeline, "GROUP_BATCHES", 1)
        patch.setattr(Stopping, "advance", lambda self, counts: count())
        made.run()
    return made.out.read_bytes(), batches


def test_a_run_may_stop_behind_any_batch(runs: Runs, whole: tuple[bytes, int]) -> None:
    wanted, batches = whole
    assert batches >= 8
    for stop in range(1, batches + 1):
        runs.interrupted(stop)
        runs.run(resume=True)
        assert runs.out.read_bytes() == wanted
        assert not runs.left_over()
        runs.out.unlink()
        runs.report.unlink()


def _flip(path: Path, at: int) -> None:
    times, data = path.stat(), bytearray(path.read_bytes())
    data[at] ^= 1
    path.write_bytes(data)
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


def _cut(path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(data[:-1])


def _link(path: Path) -> None:
    path.rename(path.with_name("content"))
    path.symlink_to("content")


def _fifo(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def _folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def _new_file(path: Path) -> None:
    copy = path.with_suffix(".copy")
    shutil.copy2(path, copy)
    copy.replace(path)


def _grown(path: Path) -> None:
    with path.open("a") as file:
        file.write(game(QUIET))


FILE_HARMS: dict[str, Callable[[Path], object]] = {
    "first byte": lambda path: _flip(path, 0),
    "middle byte": lambda path: _flip(path, path.stat().st_size // 3),
    "last byte": lambda path: _flip(path, -1),
    "cut": _cut,
    "emptied": lambda path: path.write_bytes(b""),
    "deleted": Path.unlink,
    "a link": _link,
    "a pipe": _fifo,
    "a folder": _folder,
}
JOURNAL_HARMS = FILE_HARMS | {
    "brackets": lambda path: path.write_text("[" * 100_000),
    "digits": lambda path: path.write_text("9" * 5000),
    "no text": lambda path: path.write_bytes(b"\xff\xfe\0"),
}


def refused(runs: Runs, out: str | None = None) -> None:
    before = {path: path.read_bytes() for path in runs.folder.rglob("*.pgn*") if path.is_file()}
    with pytest.raises(UsageError, match="run without --resume to start over") as caught:
        runs.run(resume=True, out=out)
    assert "\n" not in str(caught.value)
    assert {path: path.read_bytes() for path in runs.folder.rglob("*.pgn*") if path.is_file()} == before


@pytest.mark.parametrize("harm", FILE_HARMS)
@pytest.mark.parametrize("which", ["output", "report"])
def test_a_part_that_is_not_what_was_written_is_refused(
    which: str, harm: str, runs: Runs, whole: tuple[bytes, int]
) -> None:
    main, beside = runs.interrupted(5)
    FILE_HARMS[harm]((main if which == "output" else beside) / "part-0")
    refused(runs)
    runs.run()
    assert runs.out.read_bytes() == whole[0]


def test_any_changed_byte_of_a_part_is_noticed(runs: Runs) -> None:
    main, _ = runs.interrupted(5)
    part, dice = main / "part-0", random.Random(3)
    for at in dice.sample(range(part.stat().st_size), 12):
        _flip(part, at)
        refused(runs)
        _flip(part, at)


@pytest.mark.parametrize("harm", [name for name in JOURNAL_HARMS if name != "deleted"])
def test_a_journal_that_is_not_what_was_written_is_refused(harm: str, runs: Runs, whole: tuple[bytes, int]) -> None:
    main, _ = runs.interrupted(5)
    JOURNAL_HARMS[harm](main / "journal")
    refused(runs)
    shutil.rmtree(main, ignore_errors=True)
    runs.run()
    assert runs.out.read_bytes() == whole[0]


@pytest.mark.parametrize("what", ["file", "link", "second name", "pipe"])
def test_nothing_in_the_place_of_the_next_journal_is_written_to(
    what: str, runs: Runs, whole: tuple[bytes, int], tmp_path: Path
) -> None:
    main, _ = runs.interrupted(5)
    own, beside = tmp_path / "own.txt", main / "journal.new"
    own.write_text("own")
    if what == "pipe":
        os.mkfifo(beside)
    else:
        make: dict[str, Callable[[Path, Path], object]] = {
            "file": shutil.copy,
            "link": os.symlink,
            "second name": os.link,
        }
        make[what](own, beside)
    runs.run(resume=True)
    assert (own.read_text(), runs.out.read_bytes()) == ("own", whole[0])
    assert not runs.left_over()


def test_without_its_journal_a_run_begins_anew(runs: Runs, whole: tuple[bytes, int]) -> None:
    main, _ = runs.interrupted(5)
    (main / "journal").unlink()
    runs.run(resume=True)
    assert runs.out.read_bytes() == whole[0]
    assert not runs.left_over()


@pytest.mark.parametrize("harm", ["first byte", "middle byte", "cut", "emptied", "another file", "grown"])
@pytest.mark.parametrize("which", [0, 1])
def test_an_input_that_is_not_what_was_read_is_refused(
    which: int, harm: str, runs: Runs, whole: tuple[bytes, int]
) -> None:
    runs.interrupted(whole[1] - 1)  # in the second input; the first one is finished
    if (which, harm) == (0, "another file"):
        return  # of a finished input every byte is compared
    ({"another file": _new_file, "grown": _grown} | FILE_HARMS)[harm](runs.inputs[which])
    refused(runs)


@pytest.mark.parametrize("harm", ["first byte", "middle byte", "last byte", "cut", "emptied", "deleted", "a link"])
def test_a_finished_output_that_was_changed_is_refused(harm: str, runs: Runs, whole: tuple[bytes, int]) -> None:
    out = runs.folder / "out"
    out.mkdir()
    runs.interrupted(whole[1] - 1, str(out))
    FILE_HARMS[harm](out / "a.pgn")
    refused(runs, str(out))


@pytest.mark.parametrize(
    ("harm", "strict"),
    [("cut", False), ("cut", True), ("grown", False), ("replaced", False), ("deleted", False), ("renamed", False)],
)
def test_an_input_that_changes_while_it_is_read_is_told(harm: str, strict: bool, runs: Runs) -> None:
    path = runs.inputs[0]
    harms: dict[str, Callable[[], object]] = {
        "cut": lambda: _cut(path),
        "grown": lambda: _grown(path),
        "replaced": lambda: _new_file(path),
        "deleted": path.unlink,
        "renamed": lambda: path.rename(path.with_name("gone.pgn")),
    }
    path.write_text(text(0, 30_000) * 4)  # more than is read ahead
    if strict:
        with pytest.raises(InputError, match="while it was read"):
            runs.run(stop=1, then=harms[harm], strict=True)
        return
    counts = runs.run(stop=1, then=harms[harm])
    (problem,) = counts.problems
    assert str(path) in problem
    assert "while it was read" in problem


@pytest.mark.parametrize("resume", [False, True])
@pytest.mark.parametrize("how", ["same name", "link", "only the report"])
def test_a_second_run_onto_an_output_is_refused(how: str, resume: bool, runs: Runs, whole: tuple[bytes, int]) -> None:
    link = runs.folder / "link"
    link.symlink_to(runs.out)
    errors: list[str] = []

    out = {"same name": runs.out, "link": link, "only the report": runs.folder / "else.pgn"}[how]
    report = runs.report if how == "only the report" else runs.folder / "r"

    def second() -> None:
        with pytest.raises(OutputError) as caught:
            runs.run(out=str(out), report=report, resume=resume)
        errors.append(str(caught.value))

    if resume and how != "only the report":
        # There is a journal by now, of another report.
        return
    runs.run(stop=3, then=second)
    (said,) = errors
    assert "is being written by another run" in said
    assert str(os.getpid()) in said
    assert runs.out.read_bytes() == whole[0]
    assert not runs.left_over()


def test_a_run_that_is_continued_is_locked_as_well(runs: Runs, whole: tuple[bytes, int]) -> None:
    runs.interrupted(3)
    errors: list[str] = []

    def second() -> None:
        for resume in (False, True):
            with pytest.raises(OutputError) as caught:
                runs.run(resume=resume)
            errors.append(str(caught.value))

    runs.run(resume=True, stop=2, then=second)
    assert all("is being written by another run" in said for said in errors)
    assert len(errors) == 2
    assert runs.out.read_bytes() == whole[0]


def test_files_of_the_user_survive_whatever_their_names(runs: Runs, whole: tuple[bytes, int]) -> None:
    mine = {
        name: runs.folder / name
        for name in ("out.pgn.zst.partial", "out.pgn.zst.partial.json", "annotate.partial.json", ".trapline-0", "lock")
    }
    mine[".trapline-file"] = runs.folder / ".trapline-00000000000000aa"
    mine["inside"] = runs.folder / ".trapline-00000000000000bb" / "thesis.txt"
    mine["inside"].parent.mkdir()
    for path in mine.values():
        path.write_text("years of work")
    elsewhere = runs.folder / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "content").write_text("years of work")
    (runs.folder / ".trapline-00000000000000cc").symlink_to(elsewhere)
    runs.inputs.append(runs.folder / "c.pgn.partial")
    runs.inputs[-1].write_text(game(FELL))
    runs.run(out=str(runs.folder / "c.pgn"))
    runs.inputs.pop()
    assert runs.inputs[-1].exists()
    assert (runs.folder / "c.pgn.partial").read_text() == game(FELL)
    runs.run()
    assert runs.out.read_bytes() == whole[0]
    assert all(path.read_text() == "years of work" for path in mine.values())
    assert (elsewhere / "content").read_text() == "years of work"
