"""``trapline service``, ``jobs`` and ``follow`` as people use them."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from io import StringIO
from pathlib import Path

import chess.pgn
import pytest
from typer.testing import CliRunner, Result

from db.library.open import open_library
from tests.fake_lichess.archive.stored import Study
from tests.fake_lichess.faults import Fault
from tests.fake_lichess.http.server import Server
from tests.fake_lichess.site import Site
from tests.support.db_traps import AVOIDED, FELL, elephant, legal
from tests.support.polling import PATIENCE_SECONDS
from tests.support.service_site import LEGAL, ServerClock, begun, finished, play, service_for
from trapcore.errors import TraplineError, UsageError
from trapline.program import app
from trapline.service.following import Follower
from trapline.service.jobs import JOBS, run_job
from trapline.service.maintenance_jobs import backups_in
from trapline.service.state.locks import ProcessLocks

ROOT = Path(__file__).parents[3]


@pytest.fixture
def server() -> Iterator[Server]:
    with Server(speed=0.0, keep_alive=0.1) as running:
        yield running


@pytest.fixture(autouse=True)
def configured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, server: Server, by_sequences: None) -> None:
    """A library with two traps, a folder with two games, a user on the server."""
    games = tmp_path / "games"
    games.mkdir()
    (games / "two.pgn").write_text(FELL + AVOIDED)
    os.utime(games / "two.pgn", (1e9, 1e9))
    with open_library(tmp_path / "library.sqlite", create=True) as library:
        library.add_all([legal(), elephant()])
    (tmp_path / "trapline.toml").write_text(
        f'db = "{tmp_path / "library.sqlite"}"\n[service]\nurl = "{server.url}"\nfolder = "{tmp_path / "service"}"\n'
        f'folders = ["{games}"]\nusers = ["alice", "nobody"]\nannotate_hours = 24\nbackups = 2\n'
    )
    monkeypatch.setenv("TRAPLINE_CONFIG", str(tmp_path / "trapline.toml"))
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    server.do(lambda site: finished(site, "legal000", "Alice", "Bob", LEGAL))


def run(*arguments: str, code: int = 0) -> Result:
    result = CliRunner().invoke(app, list(arguments), catch_exceptions=False)
    assert result.exit_code == code, result.output
    return result


def refusal(*arguments: str) -> TraplineError:
    with pytest.raises(TraplineError) as caught:
        CliRunner().invoke(app, list(arguments), catch_exceptions=False)
    return caught.value


def test_a_job_by_hand_and_what_the_log_says(tmp_path: Path) -> None:
    done = run("jobs", "run", "users", code=1)
    assert "new 1" in done.stdout
    assert "user nobody: there is no such user" in done.stderr
    found = json.loads(run("jobs", "run", "folders", "--json").stdout)
    assert (found["counts"]["new"], found["counts"]["sightings"], found["error"]) == (2, 2, None)
    log = json.loads(run("jobs", "log", "--json").stdout)
    assert [one["job"] for one in log] == ["folders", "users"]
    assert log[1]["counts"]["failed"] == 1
    assert len(log[1]["counts"]["problems"]) == 1
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", log[0]["ended"])
    assert run("jobs", "log", "users").stdout.startswith("users\t")
    listed = {line.split("\t")[0]: line.split("\t")[1] for line in run("jobs", "list").stdout.splitlines()}
    assert set(listed) == set(JOBS)
    assert set(listed.values()) == {"off"}


def test_a_job_that_runs_elsewhere_is_not_run(tmp_path: Path) -> None:
    with (
        open_library(tmp_path / "library.sqlite") as library,
        ProcessLocks(library.database, beat_seconds=0.1).hold("job folders") as mine,
    ):
        assert mine
        assert "folders runs in another process" in str(refusal("jobs", "run", "folders"))
        found = json.loads(run("jobs", "list", "--json").stdout)
        assert [one["name"] for one in found if one["state"] == "running"] == ["folders"]
    run("jobs", "run", "folders")


def test_annotated_copies_follow_the_games_and_the_traps(server: Server, tmp_path: Path) -> None:
    with service_for(server, tmp_path, users=("alice",)) as service:

        def ran(job: str) -> dict[str, object]:
            done = run_job(service, job)
            assert done is not None
            assert done.error is None
            return done.outcome.content()

        ran("users")
        assert ran("annotate") == {"files": 1, "games": 1, "games with traps": 1}
        (copy,) = (service.mine.folder / "annotated").rglob("*.pgn")
        assert "Sets Legal's mate: the queen on d1" in copy.read_text()
        assert ran("annotate") == {"unchanged": 1}
        service.library.add(legal(name="Another name"), replace=True)
        ran("annotate")
        assert "Another name" in copy.read_text()


def test_mining_verifying_tidying_and_the_newest_backups(server: Server, tmp_path: Path) -> None:
    with service_for(server, tmp_path, backups=2) as service:
        for job in ("mine", "verify", "vacuum"):
            done = run_job(service, job)
            assert done is not None
            assert (done.error, done.outcome.problems) == (None, [])
            if job == "vacuum":
                assert done.outcome.counts["bytes"] > 0
        counted = 0
        for _ in range(4):
            made = run_job(service, "backup")
            assert made is not None
            assert made.error is None
            counted = made.outcome.counts["kept"]
            server.advance(86400)
            time.sleep(0.01)
        left_over = backups_in(service.backups)
        assert len(left_over) == counted == 2
        newest = max(left_over)
        # A clock that is years behind does not make the new one the oldest.
        assert isinstance(service.clock, ServerClock)
        service.clock.astray = -10 * 365 * 86400.0
        assert run_job(service, "backup") is not None
        left = backups_in(service.backups)
        assert newest in left
        wrongly_named = min(left)
        service.clock.astray = 0.0
        assert run_job(service, "backup") is not None
        # It is not the name that tells which was made first.
        assert wrongly_named in backups_in(service.backups)
        assert newest not in backups_in(service.backups)
        left = backups_in(service.backups)
        assert min(left) < min(left_over)
        with open_library(min(left), read_only=True) as copy:
            assert copy.digest() == service.library.digest()


@pytest.mark.fault
def test_the_service_runs_pauses_resumes_and_stops(server: Server, tmp_path: Path) -> None:
    env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "PYTHONPATH": str(ROOT), "TRAPLINE_MEASURE": "sequences",
           "TRAPLINE_TELL": "similar",
           "TRAPLINE_CONFIG": str(tmp_path / "trapline.toml"), "TRAPLINE_SERVICE_TOKEN": "lip_secret"}  # fmt: skip
    server.do(lambda site: site.token(site.account("Bob"), "lip_secret", ("study:read",)))

    def states() -> dict[str, str]:
        found = json.loads(run("jobs", "list", "--json").stdout)
        return {one["name"]: one["state"] for one in found}

    def until_done() -> None:
        end = time.monotonic() + PATIENCE_SECONDS
        while not {"users", "folders"} <= {one["job"] for one in json.loads(run("jobs", "log", "--json").stdout)
                                           if one["ended"]}:  # fmt: skip
            assert time.monotonic() < end
            assert process.poll() is None
            time.sleep(0.2)

    command = [sys.executable, "-m", "trapline", "service", "run"]
    with subprocess.Popen(command, env=env, stderr=subprocess.PIPE, text=True) as process:
        try:
            until_done()
            assert states()["users"] == "waiting"
            run("jobs", "pause", "users")
            assert states()["users"] == "paused"
            process.send_signal(signal.SIGTERM)
            _, output = process.communicate(timeout=PATIENCE_SECONDS)
        finally:
            process.kill()
    assert process.returncode == 0, output
    assert "the service has stopped" in output
    assert "there is no such user" in output
    assert "lip_secret" not in output
    assert states()["users"] == "paused"
    run("jobs", "resume", "users")
    assert states()["users"] == "waiting"
    # At rest: one file, which can be copied.
    assert [p.name for p in tmp_path.glob("library.sqlite*")] == ["library.sqlite"]


# Following ------------------------------------------------------------------------------------------------------------


def test_traps_are_told_once_as_games_end(server: Server, tmp_path: Path) -> None:
    assert run("follow", "alice", "--once").stdout == ""
    game = server.do(lambda site: begun(site, "follow00", "Bob", "Alice", " ".join(LEGAL.split()[:9])))
    server.advance(60)
    assert run("follow", "alice", "--once").stdout == ""
    server.do(lambda _: play(game, " ".join(LEGAL.split()[9:])))
    lines = run("follow", "alice", "--once").stdout.splitlines()
    fell = next(line for line in lines if "Falls into" in line)
    assert fell.startswith(
        f"{server.url}/follow00#10\tAlice\t5... Bxd1\tfell\tFalls into Légal's mate: 6.Bxf7+ Ke7 7.Nd5#."
    )
    assert run("follow", "alice", "--once").stdout == ""
    server.do(lambda site: finished(site, "follow01", "Alice", "Bob", LEGAL))
    found = [json.loads(line) for line in run("follow", "Alice", "--once", "--json").stdout.splitlines()]
    assert {one["game"] for one in found} == {"follow01"}
    assert {one["event"] for one in found} == {"set", "fell", "sprung"}
    assert {one["by"] for one in found} != {""}


def test_games_with_traps_become_chapters_once(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def prepare(site: Site) -> str:
        site.archive.studies["study001"] = Study("study001", "bob", "", 0)
        return site.token(site.accounts["bob"], scopes=("study:read", "study:write")).secret

    monkeypatch.setenv("TRAPLINE_SERVICE_TOKEN", server.do(prepare))

    def study() -> str:
        return server.do(lambda site: site.archive.studies["study001"].pgn)

    follow = ("follow", "bob", "--once", "--study", f"{server.url}/study/study001")
    run(*follow)
    server.do(lambda site: finished(site, "follow01", "Alice", "Bob", LEGAL))
    server.do(lambda site: finished(site, "follow02", "Alice", "Bob", "e2e4 e7e5"))
    # The chapter arrives, but not the answer.
    server.order(Fault("lost", where="import-pgn"))
    run(*follow, code=1)
    run(*follow)
    text = StringIO(study())
    games = [chess.pgn.read_game(text) for _ in range(3)]
    assert games[2] is None
    game, lesson = games[0], games[1]
    assert game is not None
    assert lesson is not None
    assert game.headers["Event"] == "study001: Alice – Bob (follow01)"
    assert "Falls into" in study()
    assert "[%cal" in study()
    assert lesson.headers["Event"].endswith("(follow01-10)")
    assert lesson.headers["ChapterMode"] == "gamebook"
    assert lesson.variations
    before = study()
    run(*follow)
    assert study() == before
    with pytest.raises(UsageError, match="'nothing' is no study"):
        run("follow", "bob", "--study", "nothing")


def test_a_game_is_told_again_if_its_telling_was_cut_short(server: Server, tmp_path: Path) -> None:
    with (
        service_for(server, tmp_path) as service,
        service.stop_flag() as stop_flag,
        closing(Follower(service)) as follower,
    ):
        server.advance(60)
        assert list(follower.look("alice", stop_flag)) == []
        server.do(lambda site: finished(site, "follow01", "Alice", "Bob", LEGAL))
        looking = follower.look("alice", stop_flag)
        first = next(looking)
        looking.close()  # type: ignore[attr-defined]
        again = list(follower.look("alice", stop_flag))
        assert again[0].content() == first.content()
        assert len(again) > 1


def test_the_second_signal_ends_what_does_not_stop(tmp_path: Path) -> None:
    """Where a server says a byte of its answer's head now and then, nothing hears that it is to stop."""
    code = (
        "import time\n"
        "from trapline.commands.service import _stop_by_signals\n"
        "_stop_by_signals(lambda: print('stops', flush=True))\n"
        "print('works', flush=True)\n"
        "while True: time.sleep(0.05)\n"
    )
    for number in (signal.SIGINT, signal.SIGTERM):
        with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == "works\n"
            process.send_signal(number)
            assert process.stdout.readline() == "stops\n"
            process.send_signal(number)
            assert process.wait(PATIENCE_SECONDS) == -number
