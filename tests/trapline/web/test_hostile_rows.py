"""A library whose games hold numbers without end and characters that a terminal obeys: shown, and nothing breaks."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import update

from coach.group.group import add_pupils, create_group
from db.library.open import open_library
from db.storage.tables import GameRow, GroupRow
from tests.support.practice_library import PLAYER, copy_practice_library
from tests.support.web_server import served
from trapcore.errors import InputError
from trapline.web.pages.game_viewer import view_game

ESCAPES = "\x1b[31mred\x9b\x07\x00"
LONG = "1" * 5000


@pytest.fixture
def library(tmp_path: Path) -> Path:
    path = copy_practice_library(tmp_path / "library.sqlite")
    hostile = {"event": ESCAPES, "round": ESCAPES, "result": ESCAPES, "variant": ESCAPES, "plies": 10**12}
    with open_library(path) as opened, opened.database.write() as connection:
        connection.execute(update(GameRow).values(**hostile, site=f"https://lichess.org/{LONG}"))
        for number, time in enumerate((f"12:{LONG}", f"{LONG}:00", "\u0663\u0663:\u0662\u0662"), start=1):
            connection.execute(update(GameRow).where(GameRow.id == number).values(utc_time=time, date=f"{LONG}.{LONG}"))
        for column in (GameRow.white, GameRow.black):
            connection.execute(update(GameRow).where(column == PLAYER).values({column: f"Eva{ESCAPES}"}))
    with open_library(path) as opened:
        add_pupils(opened, create_group(opened, "Evas"), [(f"Eva{ESCAPES}", ESCAPES)])
        with opened.database.write() as connection:
            connection.execute(update(GroupRow).values(name=ESCAPES, assigned=LONG, about=ESCAPES))
    # Not by our own way to write, which minds the references.
    with closing(sqlite3.connect(path)) as raw, raw:
        raw.execute("UPDATE losing_moves SET ply = ply + 1000000000000 WHERE game_id = 1")
    return path


def test_every_view_of_hostile_games_is_whole_and_harmless(library: Path) -> None:
    with served(library, library.parent) as running, running.client() as client:
        for path in (
            "/report?player=Eva",
            "/report?player=Eva&zone=5.5",
            "/report/traps?player=Eva",
            "/report/games?player=Eva",
            "/games/1",
            "/games/2",
            "/games/3",
            "/practise",
            "/practise?go=1&player=Eva",
            "/practise/progress?player=Eva",
            "/groups",
            "/groups/evas",
            "/practise/exercises.pgn?player=Eva",
            "/traps/legals-mate",
            "/api/v1/traps/legals-mate/sightings",
            "/position?moves=e4",
            "/api/v1/explore?moves=e4",
            "/report?player=%1b[31m",
            "/traps/%1b[31m",
            "/api/v1/traps/%1b[31m",
            "/%1b%9b",
        ):
            answer = client.get(path, headers={"accept": "text/html" if "api" not in path else "*/*"})
            assert answer.status_code in (200, 400, 404), (path, answer.text[:500])
            assert not [sign for sign in "\x1b\x9b\x07\x00" if sign in answer.text], path
            assert answer.status_code == 200 or "%1b" in path, path


@pytest.mark.parametrize(
    "tags",
    [
        f'[Variant "{ESCAPES}"]',
        '[Variant "no chess"]',
        '[FEN "x"]',
        f'[FEN "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - {LONG} {LONG}"]',
    ],
    ids=["escapes", "variant", "position", "counters"],
)
def test_a_game_that_cannot_be_shown_says_so(tags: str) -> None:
    with pytest.raises(InputError, match=r"^this game cannot be shown: .{1,200}$"):
        view_game(f"{tags}\n\n1. e4 e5 *\n".encode(), "utf-8", flipped=False)
