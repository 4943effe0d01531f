"""Files that are whole or not there."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from trapcore.errors import OutputError, UsageError
from trapcore.io.atomic_write import replacing
from trapcore.io.work_folder import sweep


def test_the_file_appears_when_it_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "traps.pgn"
    path.write_text("before")
    with replacing(path) as building:
        building.write_text("after")
        assert path.read_text() == "before"
        assert building.parent.parent == tmp_path
    assert path.read_text() == "after"
    assert list(tmp_path.iterdir()) == [path]


def test_what_was_there_stays_if_writing_fails(tmp_path: Path) -> None:
    path = tmp_path / "traps.pgn"
    path.write_text("before")

    def half() -> None:
        with replacing(path) as building:
            building.write_text("half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        half()
    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("link", [False, True])
def test_of_two_writers_at_once_the_second_is_refused(tmp_path: Path, link: bool) -> None:
    path, other = tmp_path / "traps.pgn", tmp_path / "link"
    other.symlink_to(path)
    with replacing(path) as building:
        building.write_text("one whole")
        with pytest.raises(OutputError, match=f"traps.pgn is being written by another run .process {os.getpid()}"):
            write(other if link else path, "two whole")
        write(tmp_path / "neighbour", "three whole")
    assert path.read_text() == "one whole"
    assert other.is_symlink()
    assert {path.name for path in tmp_path.iterdir()} == {"traps.pgn", "link", "neighbour"}


def write(path: Path, text: str) -> None:
    with replacing(path) as building:
        building.write_text(text)


CHILD = """
import sys, time
from pathlib import Path
from trapcore.errors import OutputError, UsageError
from trapcore.io.atomic_write import replacing
from trapcore.io.work_folder import sweep
with replacing(Path(sys.argv[1])) as building:
    building.write_text("half")
    print("begun", flush=True)
    time.sleep(60)
"""


def test_what_a_killed_process_left_is_swept_and_locks_nothing(tmp_path: Path) -> None:
    path = tmp_path / "traps.pgn"
    with subprocess.Popen(
        [sys.executable, "-c", CHILD, str(path)], stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[3]
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "begun\n"
        with pytest.raises(OutputError, match=f"process {child.pid}"):
            write(path, "whole")
        sweep(tmp_path)
        (left,) = tmp_path.iterdir()  # it lives
        child.kill()
    (left / "thesis.txt").write_text("years of work")  # somebody put a file of his there
    write(path, "whole")
    assert path.read_text() == "whole"
    assert [file.name for file in left.iterdir()] == ["thesis.txt"]


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o644])
def test_a_file_that_is_replaced_leaves_its_mode_and_nobody_reads_it_before(mode: int, tmp_path: Path) -> None:
    path = tmp_path / "traps.pgn"
    path.write_text("before")
    path.chmod(mode)
    with replacing(path) as building:
        building.write_text("after")
        assert building.stat().st_mode & 0o777 == 0o600
    assert path.stat().st_mode & 0o777 == mode


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")
def test_a_file_that_is_replaced_leaves_its_owner(tmp_path: Path) -> None:
    path = tmp_path / "traps.pgn"
    path.write_text("before")
    os.chown(path, 65534, 65534)
    write(path, "after")
    assert (path.stat().st_uid, path.stat().st_gid) == (65534, 65534)


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    for name in ("there", "new"):
        link = tmp_path / f"link-{name}"
        link.symlink_to(Path("real") / name)
    (tmp_path / "real" / "there").write_text("before")
    for name in ("there", "new"):
        write(tmp_path / f"link-{name}", "after")
        assert (tmp_path / f"link-{name}").is_symlink()
        assert (tmp_path / "real" / name).read_text() == "after"
    assert {path.name for path in (tmp_path / "real").iterdir()} == {"there", "new"}


@pytest.mark.parametrize("kind", ["pipe", "folder", "loop", "database"])
def test_what_is_no_plain_file_is_not_replaced(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "out"
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    elif kind == "loop":
        path.symlink_to("out")
    else:
        path.write_bytes(b"SQLite format 3\0" * 9)
    before = os.lstat(path)
    with pytest.raises(UsageError if kind == "database" else OSError):
        write(path, "x")
    assert os.path.samestat(os.lstat(path), before)
    assert list(tmp_path.iterdir()) == [path]
