"""Interrupted runs: killed at any moment and continued, the output is that of a run that nobody disturbed."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.support.trap_games import AVOIDED, FELL, QUIET, RESEMBLES, game, make_library
from trapcore.errors import InputError, UsageError
from trapline.commands.annotate import annotate

pytestmark = pytest.mark.usefixtures("by_sequences")

ROOT = Path(__file__).parents[2]
SEED = 20190223


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_library(tmp_path_factory.mktemp("library") / "library.sqlite")


def many_games(count: int, seed: int) -> str:
    """Different games, some with traps, some unreadable; ten kilobytes each.

    What a run writes, and how often it notes how far it came, goes by bytes; what it costs, by games.
    """
    dice = random.Random(seed)
    moves = [QUIET] * 12 + [FELL, AVOIDED, RESEMBLES, "1. e4 e5 2. Ke3 *\n"]
    return "".join(
        game(dice.choice(moves).replace(" 2.", f" {{{dice.randbytes(5000).hex()}}} 2."), Round=str(number))
        for number in range(count)
    )


def start(library: Path, *arguments: object) -> subprocess.Popen[bytes]:
    line = [sys.executable, "-m", "trapline", "annotate", *map(str, arguments), "--db", str(library), "--quiet"]
    return subprocess.Popen(line, cwd=ROOT, stderr=subprocess.PIPE)


def journals(folder: Path) -> list[Path]:
    """The journals of interrupted runs onto outputs in this folder."""
    return list(folder.glob(".trapline-*/journal"))


def consumed_in(journal: Path) -> list[int]:
    """How many bytes of each input a journal says to be done."""
    return [state["consumed"] for state in json.loads(journal.read_text().partition("\n")[2])["inputs"]]


def finish(process: subprocess.Popen[bytes]) -> None:
    _, told = process.communicate()
    assert process.returncode == 0, told.decode()


@pytest.mark.fault
@pytest.mark.parametrize("suffix", ["", ".zst"])
def test_killed_at_random_moments(suffix: str, library: Path, tmp_path: Path) -> None:
    for number, count in enumerate((800, 400)):
        (tmp_path / f"{number}.pgn").write_text(many_games(count, number))
    files = [tmp_path / "0.pgn", tmp_path / "1.pgn"]
    whole, whole_report = tmp_path / f"whole.pgn{suffix}", tmp_path / "whole.jsonl"
    before = time.monotonic()
    finish(start(library, *files, "-o", whole, "--report", whole_report))
    took = time.monotonic() - before
    out, report = tmp_path / f"out.pgn{suffix}", tmp_path / "out.jsonl"
    arguments = [*files, "-o", out, "--report", report]
    dice = random.Random(f"{SEED}{suffix}")
    consumed = [0]
    for attempt in range(4):
        process = start(library, *arguments, *(["--resume"] if attempt else []), "--jobs", 1 + attempt % 2)
        while not journals(tmp_path) and process.poll() is None:
            time.sleep(0.005)  # so that there is something to continue, on a slow machine too
        try:
            process.communicate(timeout=took * dice.uniform(0.0, 0.7 if attempt else 0.1))
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
        if process.returncode == 0:
            break
        assert process.returncode == -signal.SIGKILL
        # What has its final name is complete, at any moment.
        assert not out.exists() or out.read_bytes() == whole.read_bytes()
        assert not report.exists() or report.read_bytes() == whole_report.read_bytes()
        if not journals(tmp_path):
            break  # all was done, and it was killed on its way out
        consumed.append(sum(consumed_in(journals(tmp_path)[0])))
    else:
        finish(start(library, *arguments, "--resume"))
    assert consumed == sorted(consumed)
    assert consumed[-1] > 0  # at least one run was continued and not begun anew
    assert out.read_bytes() == whole.read_bytes()
    assert report.read_bytes() == whole_report.read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
        path.name for path in (*files, whole, whole_report, out, report)
    )


def interrupted(library: Path, source: Path, out: Path, *more: object) -> Path:
    """Begin a run, and kill it as soon as it has written its journal; returns the journal."""
    process = start(library, source, "-o", out, *more)
    while process.poll() is None and not journals(out.parent):
        time.sleep(0.005)
    process.kill()
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    (journal,) = journals(out.parent)
    return journal


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("games") / "in.pgn"
    path.write_text(many_games(1200, 7))
    return path


@pytest.mark.fault
def test_an_interrupt_says_how_to_go_on(library: Path, source: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.pgn"
    process = start(library, source, "-o", out)
    while not journals(tmp_path):
        time.sleep(0.005)
    process.send_signal(signal.SIGINT)
    _, told = process.communicate()
    assert process.returncode == 130
    assert told == b"trapline: interrupted; continue with --resume\n"
    assert not out.exists()
    finish(start(library, source, "-o", out, "--resume"))
    finish(start(library, source, "-o", tmp_path / "whole.pgn"))
    assert out.read_bytes() == (tmp_path / "whole.pgn").read_bytes()


@pytest.mark.fault
def test_what_changed_is_said(library: Path, source: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.pgn"
    journal = interrupted(library, source, out)

    def resume(saying: str, **options: object) -> None:
        arguments: dict[str, object] = {
            "output": str(out),
            "db": str(library),
            "resume": True,
            "quiet": True,
            **options,
        }
        with pytest.raises(UsageError, match=saying):
            annotate([str(source)], **arguments)  # type: ignore[arg-type]

    before = journal.read_bytes()
    resume("tell was .* and is known now", tell="known")
    resume("player was not given and is Anna now", player="Anna")
    resume("report was not given", report=str(tmp_path / "r"))
    assert journal.read_bytes() == before
    text, times = source.read_bytes(), source.stat()
    try:
        source.write_bytes(text.replace(b"[Round", b"[Runde", 1))
        resume("in.pgn is not the file that it was")
        source.write_bytes(text[: 1 << 20])
        resume("in.pgn is not the file that it was")
    finally:
        source.write_bytes(text)
        os.utime(source, ns=(times.st_atime_ns, times.st_mtime_ns))
    journal.write_text("{}")
    resume("no journal of an interrupted run")
    journal.write_bytes(before)
    (journal.parent / "part-0").unlink()
    with pytest.raises(UsageError, match="has gone since"):
        annotate([str(source)], output=str(out), db=str(library), resume=True, quiet=True)


@pytest.mark.fault
def test_without_resume_a_run_starts_over(library: Path, source: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.pgn"
    interrupted(library, source, out)
    small = tmp_path / "small.pgn"
    small.write_text(game(FELL))
    annotate([str(small)], output=str(out), db=str(library), quiet=True)
    assert out.read_bytes().startswith(game(FELL).split("5. Nxe5")[0].encode())
    assert len(out.read_bytes()) < 1000
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.pgn", "small.pgn"]


def test_resume_without_anything_to_continue_is_a_run(library: Path, tmp_path: Path) -> None:
    (tmp_path / "in.pgn").write_text(game(FELL))
    annotate([str(tmp_path / "in.pgn")], output=str(tmp_path / "out.pgn"), db=str(library), resume=True, quiet=True)
    assert b"Takes the bait" in (tmp_path / "out.pgn").read_bytes()


@pytest.mark.fault
def test_standard_input_is_continued_when_it_comes_again(library: Path, source: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.pgn"
    line = [sys.executable, "-m", "trapline", "annotate", "-", "-o", str(out), "--db", str(library), "--quiet"]
    text = source.read_bytes()
    process = subprocess.Popen(line, cwd=ROOT, stdin=subprocess.PIPE)
    assert process.stdin is not None
    process.stdin.write(text[: len(text) * 3 // 4])
    process.stdin.flush()
    while not journals(tmp_path):
        assert process.poll() is None
        time.sleep(0.005)
    process.kill()
    process.communicate()
    assert consumed_in(journals(tmp_path)[0])[0] > 0
    subprocess.run([*line, "--resume"], cwd=ROOT, input=text, check=True)
    finish(start(library, source, "-o", tmp_path / "whole.pgn"))
    assert out.read_bytes() == (tmp_path / "whole.pgn").read_bytes()


@pytest.mark.fault
def test_a_directory_is_continued(library: Path, source: Path, tmp_path: Path) -> None:
    small = tmp_path / "small.pgn"
    small.write_text(game(FELL))
    process = start(library, small, source, "-o", f"{tmp_path / 'out'}/")
    while not any(path.stat().st_size for path in (tmp_path / "out").glob(".trapline-*/part-1")):
        assert process.poll() is None
        time.sleep(0.005)
    process.kill()
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    assert (tmp_path / "out" / "small.pgn").exists()
    finish(start(library, small, source, "-o", f"{tmp_path / 'out'}/", "--resume"))
    finish(start(library, source, "-o", tmp_path / "whole.pgn"))
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["in.pgn", "small.pgn"]
    assert (tmp_path / "out" / "in.pgn").read_bytes() == (tmp_path / "whole.pgn").read_bytes()


def test_a_truncated_download_is_continued_when_it_is_whole(library: Path, tmp_path: Path) -> None:
    """With --strict the run stops where the file is cut; fetched again, it goes on behind what was read."""
    import zstandard

    text = many_games(1200, 3).encode()
    packed = zstandard.compress(text)
    source, out = tmp_path / "in.pgn.zst", tmp_path / "out.pgn"
    source.write_bytes(packed[: len(packed) * 3 // 4])
    options = {"output": str(out), "db": str(library), "quiet": True}
    with pytest.raises(InputError, match="too early"):
        annotate([str(source)], strict=True, **options)  # type: ignore[arg-type]
    assert consumed_in(journals(tmp_path)[0])[0] > 4 << 20
    source.write_bytes(packed)
    annotate([str(source)], resume=True, **options)  # type: ignore[arg-type]
    annotate([str(source)], **{**options, "output": str(tmp_path / "whole.pgn")})  # type: ignore[arg-type]
    assert out.read_bytes() == (tmp_path / "whole.pgn").read_bytes()
