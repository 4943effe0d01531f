"""Where the bytes come from and where they go: files, compression, pipes, errors, the report."""

import bz2
import gzip
import json
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest
import zstandard

from db.patterns.bundled import kinds
from tests.support.trap_games import AVOIDED, FELL, LEGAL, QUIET, RESEMBLES, annotated, game, make_library
from trapcore.errors import InputError, OutputError, TraplineError, UsageError
from trapcore.io.streams import open_bytes
from trapline.commands.annotate import annotate

pytestmark = pytest.mark.usefixtures("by_sequences")

ROOT = Path(__file__).parents[2]
ILLEGAL = game("1. e4 e5 2. Ke3 *\n")


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_library(tmp_path_factory.mktemp("library") / "library.sqlite")


def command(*arguments: object, stdin: bytes = b"", check: bool = True) -> subprocess.CompletedProcess[bytes]:
    """The command as a user runs it."""
    line = [sys.executable, "-m", "trapline", "annotate", *map(str, arguments)]
    done = subprocess.run(line, cwd=ROOT, input=stdin, capture_output=True, check=False)
    assert not check or done.returncode == 0, done.stderr.decode()
    assert b"Traceback" not in done.stderr, done.stderr.decode()
    return done


def run(library: Path, *files: Path, **options: object) -> None:
    annotate([str(file) for file in files], db=str(library), quiet=True, **options)  # type: ignore[arg-type]


def unpacked(path: Path) -> bytes:
    with open_bytes(path) as reader:
        return b"".join(reader)


def compressed(name: str, data: bytes) -> bytes:
    match Path(name).suffix:
        case ".gz":
            return gzip.compress(data)
        case ".bz2":
            return bz2.compress(data)
        case ".zst":
            return zstandard.compress(data)
    return data


@pytest.mark.parametrize("name", ["in.pgn.gz", "in.pgn.bz2"])
@pytest.mark.parametrize("out", ["out.pgn", "out.pgn.zst"])
def test_compressed_files_in_and_out(name: str, out: str, library: Path, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(compressed(name, game(FELL).encode()))
    run(library, tmp_path / name, output=str(tmp_path / out))
    assert unpacked(tmp_path / out) == annotated(game(FELL), tmp_path / "plain", library)
    assert (Path(out).suffix == ".pgn") == ((tmp_path / out).read_bytes()[:6] == b"[Event")
    assert list(tmp_path.glob(".trapline-*")) == []


@pytest.mark.slow
def test_pipes_carry_pgn_and_nothing_else(library: Path, tmp_path: Path) -> None:
    expected = annotated(game(FELL) + ILLEGAL, tmp_path, library)
    done = command("-", "--db", library, stdin=(game(FELL) + ILLEGAL).encode())
    assert done.stdout == expected
    assert "games with findings" in done.stderr.decode()
    assert "nodes of the proofs" in done.stderr.decode()
    assert "illegal-move" in done.stderr.decode()
    quiet = command("-", "--db", library, "--quiet", stdin=gzip.compress(game(FELL).encode()))
    assert quiet.stdout == annotated(game(FELL), tmp_path, library)
    assert quiet.stderr == b""


def test_a_reader_that_goes_away_is_no_error_to_speak_of(library: Path, tmp_path: Path) -> None:
    (tmp_path / "in.pgn").write_text(game(QUIET) * 20_000)
    line = [sys.executable, "-m", "trapline", "annotate", str(tmp_path / "in.pgn"), "--db", str(library)]
    with subprocess.Popen(line, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.read(6) == b"[Event"
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode != 0


@pytest.mark.slow
def test_the_number_of_threads_does_not_show(library: Path, tmp_path: Path) -> None:
    text = "".join(game(moves, Round=str(n)) for n in range(120) for moves in (FELL, QUIET, RESEMBLES)[n % 3 :])
    (tmp_path / "in.pgn").write_text(text)
    for jobs in (1, 2, 5):
        run(library, tmp_path / "in.pgn", output=str(tmp_path / f"{jobs}.pgn"), report=str(tmp_path / "r"), jobs=jobs)
        (tmp_path / "r").rename(tmp_path / f"{jobs}.jsonl")
    for suffix in ("pgn", "jsonl"):
        one = (tmp_path / f"1.{suffix}").read_bytes()
        assert one == (tmp_path / f"2.{suffix}").read_bytes() == (tmp_path / f"5.{suffix}").read_bytes()
        # Several batches of 16 KiB.
        assert len(one) > 3 << 14


def test_the_report(library: Path, tmp_path: Path) -> None:
    text = "\ufeff" + game(QUIET, white="Zoë") + game(FELL, white="Zoë") + ILLEGAL + game(RESEMBLES)
    annotated(text, tmp_path, library, report=str(tmp_path / "report.jsonl"))
    lines = [json.loads(line) for line in (tmp_path / "report.jsonl").read_text("utf-8").splitlines()]
    assert [(line["game"], line["event"]) for line in lines] == [
        *[(2, event) for event in ("set", "fell", "sprung")],
        (3, "note"),
        *[(4, event) for event in ("set", "fell", "sprung")],
    ]
    data = text.encode()
    for line in lines:
        assert data[line["byte_offset"] :].startswith(b"[Event")
        assert line["file"] == str(tmp_path / "in.pgn")
    fell, skipped, similar = lines[1], lines[3], lines[4]
    measured = ("before", "after", "best", "best_san", "best_line_san", "probability", "played_loss", "only_move")
    figures = {name: fell.pop(name) for name in measured}
    assert (figures["after"], figures["best_line_san"][0]) == (pytest.approx(-1, abs=0.01), figures["best_san"])
    assert figures["before"] - figures["after"] >= 0.3
    assert fell["proof"].pop("loss", figures["played_loss"]) == pytest.approx(figures["played_loss"], abs=0.01)
    assert fell == {
        "file": str(tmp_path / "in.pgn"),
        "game": 2,
        "byte_offset": len(("\ufeff" + game(QUIET, white="Zoë")).encode()),
        "ply": 10,
        "event": "fell",
        "trap": "legals-mate",
        "name": "Légal's Mate",
        "known": True,
        "mirrored": False,
        "measure": "key",
        "score": 1.0,
        "fen": f"{LEGAL.epd} 0 5",
        "bait": "g4d1",
        "bait_san": "Bxd1",
        "killer_line": ["c4f7", "e8e7", "c3d5"],
        "killer_line_san": ["Bxf7+", "Ke7", "Nd5#"],
        "proof": {"verdict": "proved", "mate_in": 2, "nodes": 0, "by": "library"},
        "white": "Zoë",
        "black": "Boris",
        "played": "Bxd1",
        "mover": "black",
        "kind": "mate",
        "causes": ["threat:e8"],
        "mechanism": "mate:N:K",
        "place": "mate:N@d4,Ke2",
        "bundled": kinds().get(("threat", "mate:N:K"), 0),
    }
    assert set(skipped) == {"file", "game", "byte_offset", "event", "ply", "move", "reason", "detail"}
    assert (skipped["reason"], "Ke3 is not legal" in skipped["detail"]) == ("illegal-move", True)
    assert similar["measure"] == "sequences"
    assert 0.8 <= similar["score"] < 1
    assert similar["proof"]["nodes"] > 0
    assert similar["baselines"] == {"move_count_ratio": pytest.approx(36 / 38), "board": 60 / 64}


def fails(error: type[TraplineError], saying: str, library: Path, *files: Path, **options: object) -> None:
    with pytest.raises(error, match=saying):
        run(library, *files, **options)


def test_an_output_never_replaces_an_input(library: Path, tmp_path: Path) -> None:
    one, link, hard = tmp_path / "one.pgn", tmp_path / "link.pgn", tmp_path / "hard.pgn"
    one.write_text(game(FELL))
    link.symlink_to(one)
    hard.hardlink_to(one)
    for out in (one, link, hard, tmp_path, tmp_path / "x" / ".." / "one.pgn"):
        fails(UsageError, "is an input", library, one, output=str(out))
    fails(UsageError, "is an input", library, one, output=str(tmp_path / "out.pgn"), report=str(link))
    fails(UsageError, "written twice", library, one, output=str(tmp_path / "o"), report=str(tmp_path / "o"))
    fails(UsageError, "named twice", library, one, one, output=str(tmp_path / "out.pgn"))
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "one.pgn").write_text(game(FELL))
    fails(UsageError, "written twice", library, one, tmp_path / "sub" / "one.pgn", output=str(tmp_path / "new") + "/")
    assert one.read_text() == game(FELL)
    assert {path.name for path in tmp_path.iterdir()} == {"one.pgn", "link.pgn", "hard.pgn", "sub", "new"}


def test_missing_files(library: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    there, missing, out = tmp_path / "there.pgn", tmp_path / "missing.pgn", tmp_path / "out.pgn"
    there.write_text(game(FELL))
    fails(InputError, "missing.pgn: there is no such file", library, missing, output=str(out))
    fails(InputError, "missing.pgn: there is no such file", library, there, missing, output=str(out), strict=True)
    fails(InputError, "directory", library, tmp_path, output=str(out))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["there.pgn"]
    run(library, missing, there, output=str(out))
    assert out.read_bytes() == annotated(game(FELL), tmp_path / "x", library)
    assert "missing.pgn: there is no such file" in capsys.readouterr().err
    done = command(missing, "-o", out, "--db", library, check=False)
    assert (done.returncode, done.stderr.count(b"\n")) == (3, 1)


def test_a_truncated_file_gives_what_could_be_read(
    library: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = "".join(game(FELL, Round=str(number), Note=os.urandom(3000).hex()) for number in range(80)).encode()
    whole, out = zstandard.compress(text), tmp_path / "out.pgn"
    (tmp_path / "in.pgn.zst").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "next.pgn").write_text(game(AVOIDED))
    run(library, tmp_path / "in.pgn.zst", tmp_path / "next.pgn", output=str(out))
    told = capsys.readouterr().err
    assert f"at byte {len(whole) // 2}" in told
    assert out.read_bytes().count(b"Takes the bait") > 20
    out.unlink()
    fails(
        InputError, "too early", library, tmp_path / "in.pgn.zst", tmp_path / "next.pgn", output=str(out), strict=True
    )
    assert not out.exists()
    (tmp_path / "in.pgn.zst").write_bytes(whole[:10])
    fails(InputError, "too early", library, tmp_path / "in.pgn.zst", output=str(out))
    assert not list(tmp_path.glob("out.*"))


def test_unreadable_games_pass_and_are_counted(
    library: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, out = tmp_path / "in.pgn", tmp_path / "out.pgn"
    source.write_text(ILLEGAL + game(FELL) + game("1. e4 *\n", Variant="Crazyhouse"))
    annotate([str(source)], output=str(out), db=str(library))
    told = capsys.readouterr().err
    for line in ("games read 2", "games skipped 1", "illegal-move 1", "unknown-variant 1"):
        assert line in " ".join(told.split())
    assert f"{source}, game 1, move 2: Ke3 is not legal (no king can go to e3)" in " ".join(told.split())
    assert f"not read: {source}, game 3, at byte {len(ILLEGAL + game(FELL))}: " in told
    assert out.read_text().startswith(ILLEGAL)
    with pytest.raises(InputError, match="1 illegal-move, 1 unknown-variant"):
        run(library, source, output=str(out), strict=True)
    assert out.exists()


def test_outputs_that_cannot_be_written(library: Path, tmp_path: Path) -> None:
    source = tmp_path / "in.pgn"
    source.write_text(game(FELL) * 10)
    fails(OutputError, "no directory", library, source, output=str(tmp_path / "none" / "out.pgn"))
    fails(OutputError, "no directory", library, source, report=str(tmp_path / "none" / "r"), output=str(tmp_path / "o"))
    fails(OutputError, "no space", library, source, output="/dev/full")
    fails(UsageError, "report must be a file", library, source, output=str(tmp_path / "o"), report="/dev/null")
    run(library, source, output="/dev/null")
    assert Path("/dev/null").is_char_device()
    with Path("/dev/full").open("wb") as full:
        line = [sys.executable, "-m", "trapline", "annotate", str(source), "--db", str(library)]
        done = subprocess.run(line, cwd=ROOT, stdout=full, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 4
    assert done.stderr == b"trapline: stdout: no space is left on the device; free some and run the command again\n"


@pytest.mark.fault
def test_a_full_disk_leaves_what_can_be_continued(library: Path, tmp_path: Path) -> None:
    source, out = tmp_path / "in.pgn", tmp_path / "out.pgn"
    source.write_text("".join(game(QUIET, Round=str(number)) for number in range(100_000)))
    arguments = ["annotate", str(source), "-o", str(out), "--db", str(library), "--quiet"]

    def small_disk() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (9 << 20, 9 << 20))

    line = [sys.executable, "-m", "trapline", *arguments]
    done = subprocess.run(line, cwd=ROOT, preexec_fn=small_disk, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 4
    assert b"go on with --resume" in done.stderr
    assert not out.exists()
    (journal,) = tmp_path.glob(".trapline-*/journal")
    assert json.loads(journal.read_text().partition("\n")[2])["inputs"][0]["consumed"] > 4 << 20
    command(*arguments[1:], "--resume")
    assert out.read_bytes() == source.read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.pgn", "out.pgn"]


def test_64_megabytes_of_one_line(library: Path, tmp_path: Path) -> None:
    source, out = tmp_path / "in.pgn", tmp_path / "out.pgn"
    with source.open("wb") as file:
        for _ in range(64):
            file.write(b"{ no end " * (1 << 20 >> 3))
    line = ["annotate", str(source), "-o", str(out), "--db", str(library), "--quiet"]
    # The process says itself what it took at most: the figure that the system keeps of a child begins with the size of
    # its parent.
    peak = "open('/proc/self/status').read().split('VmHWM:')[1].split()[0]"
    code = f"import atexit, trapline.__main__ as trapline; atexit.register(lambda: print({peak})); trapline.main()"
    done = subprocess.run([sys.executable, "-c", code, *line], cwd=ROOT, capture_output=True, text=True, check=True)
    assert int(done.stdout) < 300 << 10  # kB
    assert out.stat().st_size == source.stat().st_size
    assert out.read_bytes() == source.read_bytes()
