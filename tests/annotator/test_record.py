"""Losing moves of indexed games: found once, stored beside the games, told in the report of a player."""

import json
from dataclasses import replace
from pathlib import Path

import chess.pgn
import pytest
from sqlalchemy import select, update

from annotator import record
from annotator.record import Recorded, record_losing_moves
from annotator.settings import AnalysisSettings
from coach.report.html import page
from coach.report.losses import costliest_first
from coach.report.report import report
from db.games.index_games import index_files
from db.games.stored_game import stored_game
from db.library.library import Library
from db.library.open import open_library
from db.storage.losing_rows import losing_moves_of
from db.storage.tables import GameRow, LosingMoveRow, PositionValueRow
from db.wording.languages.english import ENGLISH
from db.wording.sentences import Narrator
from tests.conftest import NewLibrary
from tests.support.command_line import run_program
from tests.support.trap_games import FELL, MISSED, QUIET, RESEMBLES, game
from trapcore import _native
from trapcore.parallel.budget import Cancellation
from trapcore.parallel.pools import threads
from trapcore.win_chance import BLUNDER

CLOCK = FELL.replace("5. Nxe5 Bxd1", "5. Nxe5 {[%clk 0:03:00]} Bxd1 {[%clk 0:00:08.5]}")
GAMES = (
    game(CLOCK, black="Éva Kiss", WhiteElo="1700", BlackElo="1500", Date="2020.05.01", Site="https://lichess.org/x"),
    game(MISSED, white="Éva Kiss", BlackElo="1300"),
    game(QUIET, white="Éva Kiss"),
    game(RESEMBLES),
)


BAIT_PLY = 10
"""Of 5...Bxd1 in the first game, from 1."""


def looked_through(library: Library, *paths: Path | str) -> Recorded:
    with threads(1, "judge") as pool:
        return record_losing_moves(library, paths, AnalysisSettings(engine="off"), pool)


@pytest.fixture
def games(tmp_path: Path) -> Path:
    path = tmp_path / "games.pgn"
    path.write_text("".join(GAMES), encoding="utf-8")
    return path


def test_losing_moves_are_found_once_and_told_in_the_report(
    new_library: NewLibrary, games: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_library(new_library(), create=True) as library:
        index_files(library, [games])
        assert report(library, ["Éva Kiss"]).losses.games == 0
        done = looked_through(library, games, "-")
        assert (done.games, done.done_before) == (4, 0)
        assert done.losing_moves >= 3
        with library.database.read() as connection:
            numbers = list(connection.scalars(select(GameRow.id).order_by(GameRow.id)))
            (first, *_), *_ = ([move for game, move in losing_moves_of(connection, [n]) if game == n] for n in numbers)
        assert (first.ply, first.kind, first.mate_in, first.answer, first.clock) == (10, "mate", 2, "sprung", 8)
        assert first.killer_line == ("c4f7", "e8e7", "c3d5")
        assert (first.causes, first.cause) == (("threat:e8",), "threat")
        assert (first.mechanism, first.place) == ("mate:N:K", "mate:N@d4,Ke2")

        monkeypatch.setattr(record, "_losing_moves", lambda events: pytest.fail("a game is looked through twice"))
        assert looked_through(library, games) == Recorded(0, 4, 0)

        losses = report(library, ["Éva Kiss"]).losses
        assert losses.games == 3
        assert {count.name for count in losses.by_phase} == {"opening"}
        assert {count.name: count.own for count in losses.by_clock}["under 10 seconds"] == 1
        by_rating = {count.name: count.own for count in losses.by_rating}
        assert by_rating["1600-1999"] == 1
        own, theirs = losses.in_all.own, losses.in_all.opponents
        for table in (losses.by_reason, losses.by_phase, losses.by_opening, losses.by_clock, losses.by_rating):
            assert (sum(count.own for count in table), sum(count.opponents for count in table)) == (own, theirs)
        assert theirs >= 1  # Boris took the queen as well
        assert losses.in_all.own_punished >= 1
        worst = next(lost for lost in losses.worst if lost.san == "Bxd1")
        assert (worst.san, worst.number, worst.colour, worst.is_players) == ("Bxd1", 5, "black", True)
        assert worst.killer_line_san == ("Bxf7+", "Ke7", "Nd5#")
        assert worst.move.before is not None
        assert worst.move.after == -1.0
        shown = page(report(library, ["Éva Kiss"]))
        assert "Your costliest losing moves" in shown
        assert "5...Bxd1" in shown
        assert "Ignores the threat of mate in 2: 6.Bxf7+ Ke7 7.Nd5#." in shown
        assert "https://lichess.org/x" in shown
        said = json.loads(json.dumps(report(library, ["Éva Kiss"]).to_dict()))["losing_moves"]
        assert 8 in [lost["clock"] for lost in said["worst"]]
        assert report(library, ["Éva Kiss"], colour="white").losses.games == 2


def test_what_a_game_of_the_library_says_of_a_loss_is_no_surer_than_the_search(
    new_library: NewLibrary, games: Path
) -> None:
    narrator = Narrator(ENGLISH)
    with open_library(new_library(), create=True) as library:
        index_files(library, [games])
        looked_through(library, games)
        (_, lost) = stored_game(library, 1, narrator) or ("", [])
        bait = next(each for each in lost if each.move.ply == BAIT_PLY)

        def comment_and_nags(**values: object) -> tuple[str, set[int]]:
            with library.database.write() as connection:
                here = update(LosingMoveRow).where(LosingMoveRow.ply == BAIT_PLY)
                connection.execute(here.values(mate_in=None, **values))
                for epd in (bait.epd, bait.epd_after):
                    value = update(PositionValueRow).where(PositionValueRow.key == _native.position_key(epd))
                    connection.execute(value.values(chance=0.2))
            found = stored_game(library, 1, narrator)
            assert found is not None
            node = list(found[0].mainline())[BAIT_PLY - 1]
            return node.comment, node.nags

        comment, nags = comment_and_nags(settled=True, probability=0.95)
        assert ("60 % → 40 %" in comment, "Bxd1??" in comment, nags) == (True, True, {chess.pgn.NAG_BLUNDER})
        comment, nags = comment_and_nags(settled=False, probability=0.7)
        assert (" %" in comment, "Bxd1? " in comment, nags) == (False, True, {chess.pgn.NAG_MISTAKE})
        worst = next(each for each in report(library, ["Éva Kiss"]).losses.worst if each.san == "Bxd1")
        assert (round(worst.cost, 2), worst.settled_cost, round(worst.expected_cost, 2)) == (0.4, 0, 0.28)
        assert replace(worst, move=replace(worst.move, probability=None)).expected_cost == worst.cost
        unmeasured = replace(worst, move=replace(worst.move, before=None, after=None))
        assert unmeasured.expected_cost == BLUNDER
        cheap = replace(worst, move=replace(worst.move, before=0.2, after=0.0, settled=True))
        assert costliest_first([cheap, unmeasured, worst]) == [unmeasured, worst, cheap]
        shown = page(report(library, ["Éva Kiss"]))
        assert 'dxe5</td><td class="num">–</td><td class="num">–</td>' in shown
        assert "A dash means that the cost is not certain" in shown
        assert "The losing moves above are outside the library" in shown
        assert "No proved trap" not in shown


def test_only_games_that_are_indexed_count_and_a_broken_file_stops_nobody(
    new_library: NewLibrary, games: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other.pgn"
    other.write_text(game(FELL, white="Nobody"), encoding="utf-8")
    with open_library(new_library(), create=True) as library:
        index_files(library, [games])
        done = looked_through(library, other, tmp_path / "absent.pgn", games)
    assert done.games == 4


def test_another_analysis_looks_again_and_replaces(new_library: NewLibrary, games: Path) -> None:
    with open_library(new_library(), create=True) as library:
        index_files(library, [games])
        first = looked_through(library, games)
        with threads(1, "judge") as pool:
            again = record_losing_moves(library, [games], AnalysisSettings(nodes=100_000), pool)
        assert (again.games, again.done_before) == (4, 0)
        with library.database.read() as connection:
            stored = list(losing_moves_of(connection, [1, 2, 3, 4]))
    assert len(stored) == again.losing_moves
    assert first.games == 4


def test_a_search_that_is_cancelled_raises_and_is_taken_up_again(new_library: NewLibrary, games: Path) -> None:
    stop = Cancellation()
    stop.cancel()
    with open_library(new_library(), create=True) as library:
        index_files(library, [games])
        with threads(1, "judge") as pool, pytest.raises(RuntimeError):
            record_losing_moves(library, [games], AnalysisSettings(engine="off"), pool, stop=stop)
        done = looked_through(library, games)
    assert (done.games, done.done_before) == (4, 0)


@pytest.mark.parametrize(
    ("comment", "seconds"),
    [
        (b"[%clk 0:00:08.5]", 8),
        (b"[%clk 100:00:00]", 360_000),
        (b"[%clk 1:2:345]", None),
        (b"[%clk 1" + b"1" * 5000 + b":00:00]", None),
        (b"[%clk 0:0:1" + b"1" * 5000 + b"]", None),
    ],
    ids=lambda value: repr(value)[:24],
)
def test_a_clock_has_few_figures(comment: bytes, seconds: int | None) -> None:
    assert record._clock([b"text", comment]) == seconds


HANGS_QUEEN = "1. e4 e5 2. Nf3 d6 3. Bc4 Qg5 4. Nxg5 Nf6 1-0\n"
QUEEN_PLY = 6
"""Of 3...Qg5."""


def test_comments_state_the_values_of_the_library_if_they_are_deeper(new_library: NewLibrary, tmp_path: Path) -> None:
    games, report_file, path = tmp_path / "games.pgn", tmp_path / "report.jsonl", new_library()
    games.write_text(game(HANGS_QUEEN), encoding="utf-8")
    arguments = (str(games), "-o", str(tmp_path / "out.pgn"), "--report", str(report_file), "--db", str(path))

    def reported(*, before: float | None = None, after: float | None = None) -> list[tuple[float, float]]:
        """What the report says of 3...Qg5, if the library has these values of an engine."""
        with open_library(path) as library:
            (_, lost) = stored_game(library, 1, Narrator(ENGLISH)) or ("", [])
            bait = next(each for each in lost if each.move.ply == QUEEN_PLY)
            with library.database.write() as connection:
                for epd, chance in ((bait.epd, before), (bait.epd_after, after)):
                    value = update(PositionValueRow).where(PositionValueRow.key == _native.position_key(epd))
                    if chance is not None:
                        connection.execute(value.values(chance=chance, effort=_native.ENGINE + 1000))
        run_program(("annotate", *arguments, "--quiet"), tmp_path, {})
        lines = map(json.loads, report_file.read_text().splitlines())
        return [
            (line["before"], line["after"]) for line in lines if line["event"] == "fell" and line["ply"] == QUEEN_PLY
        ]

    with open_library(path, create=True) as library:
        index_files(library, [games])
        looked_through(library, games)
    ((before, after),) = reported()
    assert before > -0.2
    assert after < -0.6
    assert reported(before=-0.125, after=0.875) == [(-0.125, -0.875)]
    assert reported(after=0.25) == []
