"""The soak of the server: it finds broken promises."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from db.formats.bundled import bundled_traps
from tests.soak.report import SoakReport
from tests.soak.samples import Sample
from tests.soak.server import checks
from tests.soak.server.command import main
from tests.soak.server.process import ServerProcess
from tests.soak.server.readers import ADDRESSES, ONLY_OTHERS, SIGNED_IN
from tests.soak.server.requests import Record
from tests.soak.server.writers import Acknowledged
from tests.support.web_server import all_routes, make_library

SLUG = next(trap.slug for trap in bundled_traps() if trap.family == "legal")
"""A trap of the library."""


def test_every_address_is_read() -> None:
    read = {path.partition("?")[0] for paths in ADDRESSES.values() for path in paths} | {*ONLY_OTHERS, *SIGNED_IN}
    routes = [route for route in all_routes() if "GET" in (route.methods or ())]
    assert len(routes) > 20
    for route in routes:
        assert any(route.path_regex.match(re.sub(r"\{(\w+)\}", "1", path)) for path in read), route.path


@pytest.fixture
def server(tmp_path: Path) -> ServerProcess:
    found = ServerProcess(tmp_path, 0)
    make_library(found.library)
    found.work.mkdir()
    found.log.write_text("serving\n")
    found.samples += [Sample(float(n), 1, 0, 10, 3, 30, 150.0) for n in range(40)]
    return found


def report_on(
    server: ServerProcess, spoil: Callable[[ServerProcess, Record, Acknowledged], None], code: int = 0
) -> SoakReport:
    record = Record(times={"page": [20.0] * 200})
    acknowledged = Acknowledged(there={SLUG}, gone={"gone"}, players=set(), reviews=set(), results=3)
    spoil(server, record, acknowledged)
    return checks.report(server, record, acknowledged, code, 60.0, 1)


def broken(report: SoakReport) -> set[str]:
    """What was broken, besides that nobody had a report, an answer or an upload back in so short a time."""
    nothing = {
        "  acknowledged: reports",
        "  acknowledged: answers of the practice",
        "  uploads that came back whole",
    }
    return {row.what for row in report.rows if row.passed is False} - nothing


def test_a_good_soak_keeps_every_promise(server: ServerProcess) -> None:
    assert broken(report_on(server, lambda *_: None)) == set()


def loses_a_trap(server: ServerProcess, record: Record, acknowledged: Acknowledged) -> None:
    acknowledged.there.add("never-stored")


def brings_back(server: ServerProcess, record: Record, acknowledged: Acknowledged) -> None:
    acknowledged.gone.add(SLUG)


def loses_games(server: ServerProcess, record: Record, acknowledged: Acknowledged) -> None:
    acknowledged.players.add("Nobody")


def loses_answers(server: ServerProcess, record: Record, acknowledged: Acknowledged) -> None:
    acknowledged.reviews.add(17)


def fails(server: ServerProcess, record: Record, acknowledged: Acknowledged) -> None:
    record.blame("GET /: 500")


def dies(server: ServerProcess, record: Record, acknowledged: Acknowledged) -> None:
    server.died.append(-11)


def complains(server: ServerProcess, record: Record, acknowledged: Acknowledged) -> None:
    server.log.write_text("ERROR GET /\nTraceback (most recent call last):\n")


def leaves(server: ServerProcess, record: Record, acknowledged: Acknowledged) -> None:
    (server.work / "games.pgn").write_text("*")


def dawdles(server: ServerProcess, record: Record, acknowledged: Acknowledged) -> None:
    record.times["page"] += [900.0] * 10


def grows(server: ServerProcess, record: Record, acknowledged: Acknowledged) -> None:
    server.samples[:] = [Sample(float(n), 1, 0, 10 + n, 3 + n, 30 + 3 * n, 150.0 + 5 * n, 2 * n) for n in range(40)]


@pytest.mark.parametrize(
    ("spoil", "what"),
    [
        (loses_a_trap, "acknowledged traps that are not there"),
        (brings_back, "acknowledged removals that were undone"),
        (loses_games, "players of finished reports without all their games"),
        (loses_answers, "acknowledged answers of the practice that are not there"),
        (fails, "answers that may not be"),
        (dies, "ends nobody asked for"),
        (complains, "tracebacks in the log"),
        (leaves, "files left behind"),
        (dawdles, "210 times of the kind page, ms: median, p99, most"),
    ],
)
def test_every_broken_promise_is_found(
    server: ServerProcess, spoil: Callable[[ServerProcess, Record, Acknowledged], None], what: str
) -> None:
    assert broken(report_on(server, spoil)) == {what}


def test_growth_and_an_end_in_disorder_are_found(server: ServerProcess) -> None:
    found = broken(report_on(server, grows, code=-9))
    assert {what.partition(":")[0] for what in found} == {
        "exit code at the end",
        "threads",
        "open files with a name, and sockets",
        "most files without a name",
        "memory, MiB",
    }


def test_options_that_make_no_sense_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--minutes", "0"])
    assert "--minutes is above 0" in capsys.readouterr().err
