"""Chapters of studies: each once, no more than a study takes, and nothing lost on the way."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from pydantic import SecretStr

from lichess.api import Limited, Refused, Unauthorized, Unreachable
from lichess.studies import Chapter, StudiesFull, StudyWriter
from tests.fake_lichess.archive.stored import Study
from tests.fake_lichess.faults import Fault
from tests.fake_lichess.http.server import Server
from tests.fake_lichess.site import Site

SECRET = "lip_writer"


@pytest.fixture
def server() -> Iterator[Server]:
    def prepare(site: Site) -> None:
        owner = site.join("Owner")
        site.token(owner, SECRET, ("study:read", "study:write"))
        site.token(owner, "lip_reader", ("study:read",))
        for ident in ("study001", "study002"):
            site.archive.studies[ident] = Study(ident, "owner", "", 0, private=True)

    with Server(keep_alive=0.3) as running:
        running.do(prepare)
        yield running


def writer(server: Server, folder: Path, most: int = 64, token: str = SECRET) -> StudyWriter:
    return StudyWriter(server.url, SecretStr(token), ("study001", "study002"), folder, most)


def chapter(mark: str, pgn: str = "1. e4 e5 *\n") -> Chapter:
    return Chapter(mark, "White – Black", pgn, "white")


def written(server: Server, study: str = "study001") -> list[str]:
    text: str = server.do(lambda site: site.archive.studies[study].pgn)
    return [line.rpartition("(")[2].rstrip(')"]') for line in text.splitlines() if line.startswith("[Event")]


@pytest.mark.parametrize("kind", ["lost", "500", "502", "429-retry", "429"])
def test_an_import_that_fails_is_done_later_and_once(server: Server, tmp_path: Path, kind: str) -> None:
    with closing(writer(server, tmp_path)) as studies:
        studies.add(chapter("game0001"))
        studies.add(chapter("game0002"))
        server.order(Fault(kind, where="import-pgn", seconds=1))
        with pytest.raises((Unreachable, Limited)):
            studies.write()
        assert studies.write() + (kind == "lost") == 2
        assert studies.write() == 0
    assert written(server) == ["game0001", "game0002"]


def test_what_a_killed_process_left_is_not_written_twice(server: Server, tmp_path: Path) -> None:
    with closing(writer(server, tmp_path)) as studies:
        studies.add(chapter("game0001"))
        (path,) = studies.waiting()
        kept = path.read_bytes()
        assert studies.write() == 1
        path.write_bytes(kept)
        assert studies.write() == 0
        assert studies.waiting() == []
    assert written(server) == ["game0001"]


def test_a_full_study_is_followed_by_the_next_one(server: Server, tmp_path: Path) -> None:
    with closing(writer(server, tmp_path, most=2)) as studies:
        for number in range(5):
            studies.add(chapter(f"game000{number}"))
        with pytest.raises(StudiesFull, match=r"have 2 chapters each.*1 chapters wait"):
            studies.write()
        assert len(studies.waiting()) == 1
    assert len(written(server)) == len(written(server, "study002")) == 2


def test_what_lichess_cannot_read_is_put_aside(server: Server, tmp_path: Path) -> None:
    with closing(writer(server, tmp_path)) as studies:
        studies.add(chapter("game0001", "1. e4 e4 *\n"))
        studies.add(chapter("game0002"))
        (tmp_path / "broken.json").write_text("[]")
        assert studies.write() == 1
        assert studies.waiting() == []
    assert sorted(path.name for path in tmp_path.glob("*.refused")) == ["broken.refused", "game0001.refused"]
    assert written(server) == ["game0002"]


def test_a_token_that_may_not_write_and_a_study_that_is_not_there_are_said(server: Server, tmp_path: Path) -> None:
    with closing(writer(server, tmp_path, token="lip_reader")) as studies:
        studies.add(chapter("game0001"))
        with pytest.raises(Unauthorized, match="study:write"):
            studies.write()
        assert len(studies.waiting()) == 1
    with closing(StudyWriter(server.url, SecretStr(SECRET), ("nostudy0",), tmp_path, 64)) as studies:
        with pytest.raises(Refused):
            studies.write()
        assert len(studies.waiting()) == 1
