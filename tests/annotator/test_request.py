"""One analysis request: command, service, bot and web server look for the same traps in the same game."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from annotator.request import AnalysisRequest
from annotator.worker import LOSSES_BATCH_BYTES
from bot.moves.search_pool import SearchPool
from bot.moves.trap_book import TrapBook
from db.library.open import open_library
from tests.support.trap_games import (
    AVOIDED,
    BUDAPEST_FELL,
    ELEPHANT_FELL,
    FELL,
    RESEMBLES,
    REVERSED,
    game,
    make_library,
)
from trapline.commands.annotate import annotate
from trapline.service import maintenance_jobs
from trapline.service.following import Follower
from trapline.service.maintenance_jobs import annotate as annotate_fetched
from trapline.service.service import Service
from trapline.service.state.clock import Clock, StopFlag
from trapline.service.state.job_log import Outcome
from trapline.settings import Settings
from trapline.web.api.uploads import BATCH_BYTES, AnnotateParams

ROOT = Path(__file__).parents[2]
GAMES = "".join(map(game, (FELL, AVOIDED, BUDAPEST_FELL, REVERSED, ELEPHANT_FELL, RESEMBLES)))
PAPER_MEASURES = ("sequences", "continuations", "structural")


class Captured(Exception):
    """Carries the request that reached the analyzer."""

    def __init__(self, request: AnalysisRequest) -> None:
        super().__init__()
        self.request = request


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_library(tmp_path_factory.mktemp("library") / "library.sqlite")


@contextmanager
def service_of(settings: Settings) -> Iterator[Service]:
    """A service that is never asked to fetch anything, with one file of games in its folder."""
    (settings.service.folder / "games").mkdir(parents=True)
    (settings.service.folder / "games" / "mine.pgn").write_text(GAMES)
    with closing(Service(settings, open_library(settings.db))) as service:
        yield service


def settings_for(monkeypatch: pytest.MonkeyPatch, library: Path, folder: Path, **changes: object) -> Settings:
    """Settings that the commands read from the environment, and the same as a value."""
    values = {"db": library, **changes}
    for name, value in values.items():
        monkeypatch.setenv(f"TRAPLINE_{name.upper()}", str(value))
    monkeypatch.setenv("TRAPLINE_SERVICE_FOLDER", str(folder / "service"))
    return Settings()


@pytest.mark.parametrize("measure", PAPER_MEASURES)
@pytest.mark.parametrize(
    "changes", [{}, {"min_similarity": 0.7, "nodes": 1234, "engine": "an-engine", "engine_nodes": 77, "jobs": 3}]
)
def test_all_ways_of_use_ask_for_the_same(
    library: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, measure: str, changes: dict[str, object]
) -> None:
    settings = settings_for(monkeypatch, library, tmp_path, measure=measure, **changes)
    expected = AnalysisRequest.from_settings(settings)
    (tmp_path / "in.pgn").write_text(GAMES)
    with open_library(library) as opened:
        traps = opened.traps()

    def capture(self: AnalysisRequest, *_: object) -> None:
        raise Captured(self)

    monkeypatch.setattr(AnalysisRequest, "analyzer", capture)
    # Before it annotates, the service records losing moves, whatever they are compared by.
    monkeypatch.setattr(maintenance_jobs, "record_losing_moves", lambda *_, **__: None)
    with pytest.raises(Captured) as by_command:
        annotate([str(tmp_path / "in.pgn")], output=str(tmp_path / "out.pgn"), quiet=True)
    with service_of(settings) as service:
        with pytest.raises(Captured) as by_service:
            annotate_fetched(service, StopFlag(Clock()), Outcome())
        with pytest.raises(Captured) as by_follower:
            Follower(service)
    with closing(SearchPool(1)) as search_pool, pytest.raises(Captured) as by_bot:
        TrapBook(traps, {}, settings, search_pool)
    assert by_command.value.request == expected
    assert by_service.value.request == expected
    assert by_follower.value.request == expected
    # The bot has no engine at hand beside its own search, and the server judges in smaller batches.
    assert by_bot.value.request == replace(expected, engine=None)
    assert AnnotateParams().request(settings) == replace(expected, batch_bytes=min(BATCH_BYTES, LOSSES_BATCH_BYTES))


@pytest.mark.parametrize("measure", ["sequences", "structural"])  # one that tells the labels apart, one that does not
def test_service_and_command_find_the_same_traps(
    library: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, measure: str
) -> None:
    # So low that games are compared by their labels: by SAN and by UCI they resemble other traps.
    settings = settings_for(monkeypatch, library, tmp_path, measure=measure, min_similarity=0.3)
    with service_of(settings) as service:
        outcome = Outcome()
        annotate_fetched(service, StopFlag(Clock()), outcome)
        by_service = (settings.service.folder / "annotated" / "mine.pgn").read_bytes()
    assert outcome.counts["files"] == 1
    source, out = tmp_path / "in.pgn", tmp_path / "out.pgn"
    source.write_text(GAMES)
    annotate([str(source)], output=str(out), quiet=True)
    assert b"Legal's Mate" in by_service
    assert out.read_bytes() == by_service
