"""Patterns: what they are called, who falls into them, and that an index that grew is one built anew."""

import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import delete, select

from coach.report.patterns import words_of_circumstances
from db.games.losing_moves import LostMove, lost_moves
from db.games.trap_occurrences import UNNAMED, games_of
from db.library.library import Library
from db.library.open import open_library
from db.patterns.circumstances import Part, circumstances_of
from db.patterns.index import open_mistakes
from db.patterns.keys import Level, Pattern, patterns_of
from db.patterns.peers import PatternRate, peer_rates
from db.patterns.recurring import recurring
from db.storage.tables import GameRow, LosingMoveRow, MistakeRow
from db.traps.temptation import rating_band
from db.wording.languages.english import ENGLISH
from tests.db.patterns.samples import LINES, game, judge, mistake, store

NAMES = ("Ann", "Bob", "Cec", "Dan", "Eve")


def games(count: int, seed: int = 0) -> list[str]:
    """Games of these lines by people of these names, no two alike."""
    draw = random.Random(seed)
    found = []
    for number in range(count):
        white, black = draw.sample(NAMES, 2)
        date = f"20{draw.randrange(10, 25)}.01.{1 + number % 28:02}"
        tags = {"Round": number, "WhiteElo": draw.choice([1100, 1300, 1500]), "BlackElo": draw.choice([1100, 1300])}
        found.append(game(draw.choice(sorted(LINES)), white, black, date, **tags))
    return found


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with open_library(tmp_path / "library.sqlite", create=True) as opened:
        store(opened, tmp_path / "games.pgn", games(60))
        yield opened


def test_pattern_has_the_level_of_its_key_and_a_name_in_words() -> None:
    keys = ("threat", "fork:N:KR", "fork:N@c7,Ke8")
    assert [Pattern(key).level for key in keys] == [Level.CAUSE, Level.MECHANISM, Level.PLACE]
    assert [Pattern(key).name() for key in keys] == [
        "ignores a threat",
        "a knight forks king and rook",
        "knight fork on c7, king on e8",
    ]
    assert Pattern(keys[2]).name(colour="black") == "knight fork on c2, king on e1"


def test_move_belongs_to_its_place_its_mechanism_and_its_cause() -> None:
    move = mistake("noah")
    assert [pattern.key for pattern in patterns_of(move)] == [
        key for key in (move.place, move.mechanism, move.cause) if key
    ]
    assert all(pattern.has(move) for pattern in patterns_of(move))
    assert not Pattern("fork:N:KR").has(move)
    ideas = {"quiet:B:": False, "fork:N:KR": True, "threat": True, "missed-fork:N:KR": True, "missed-won:N:P": False}
    assert {key: Pattern(key).is_idea for key in ideas} == ideas


def answers(library: Library) -> dict[str, list[tuple[bytes, int, float]]]:
    """All mistakes by similarity to each line, games by their digests."""
    with library.database.read() as connection:
        digests = dict(connection.execute(select(GameRow.id, GameRow.digest)).all())
    with open_mistakes(library) as index:
        found = index.nearest([mistake(line).tokens for line in LINES], 1000)
    return {
        line: sorted((digests[number], ply, round(similarity, 9)) for (number, ply), similarity in hits)
        for line, hits in zip(LINES, found, strict=True)
    }


def test_index_that_grew_and_lost_games_answers_as_one_built_anew(library: Library, tmp_path: Path) -> None:
    every = answers(library)
    assert [max(similarity for *_, similarity in hits) for hits in every.values()] == [1, 1, 1]
    with open_library(tmp_path / "other.sqlite", create=True) as grown:
        for end in (40, 41, 60):
            store(grown, tmp_path / f"{end}.pgn", games(end))
            answers(grown)
        assert answers(grown) == every
        judge(grown)  # looked through again: other rows, the same mistakes
        assert answers(grown) == every
        with grown.database.write() as connection:
            gone = connection.scalars(select(LosingMoveRow.game_id).limit(7)).all()
            connection.execute(delete(LosingMoveRow).where(LosingMoveRow.game_id.in_(gone)))
            assert len(connection.scalars(select(MistakeRow.id)).all()) == 53
        assert sum(len(hits) for hits in answers(grown).values()) < sum(map(len, every.values()))
        judge(grown)
        assert answers(grown) == every


def test_patterns_count_games_points_and_dates(library: Library) -> None:
    whose = games_of(library, ["Ann"])
    lost, judged = lost_moves(library, whose)
    found = recurring(library, whose, lost, judged)
    assert found
    for each in found:
        own = [move for move in lost if move.is_players and each.pattern.has(move.move)]
        assert each.rate == PatternRate(judged, len({move.game.id for move in own}))
        assert each.earlier.fell + each.later.fell == each.rate.fell
        assert each.dates == (min(move.game.date for move in own), max(move.game.date for move in own))
        assert each.punished == len(each.moves)
        assert len({move.game.id for move in each.boards}) == len(each.boards) == 3
    assert [each.points for each in found] == sorted((each.points for each in found), reverse=True)
    assert recurring(library, whose, lost, 5) == ()


def test_peers_are_others_of_the_same_rating(library: Library) -> None:
    pattern = Pattern(str(mistake("legal").place))
    with library.database.read() as connection:
        found = peer_rates(connection, [pattern], rating_band(1300), ["Ann"])[pattern]
        rows = connection.execute(
            select(GameRow.white, GameRow.black, GameRow.white_elo, GameRow.black_elo, GameRow.plies)
        )
        others = [row for row in rows if "Ann" not in (row.white, row.black)]
    length = len(" ".join(LINES["legal"]).split())
    sides = sum((row.white_elo in (1300, 1500)) + (row.black_elo == 1300) for row in others)
    fell = sum(row.plies == length and row.black_elo == 1300 for row in others)  # Black falls for it
    assert found == PatternRate(sides, fell)
    assert fell > 0


def test_circumstances_count_openings_and_clocks_and_claim_little(library: Library) -> None:
    moves, _ = lost_moves(library, games_of(library, ["Ann"]))
    one = next(move for move in moves if move.is_players)

    def made(opening: str, clock: int | None, count: int) -> list[LostMove]:
        return [replace(one, opening=opening, move=replace(one.move, clock=clock))] * count

    few = circumstances_of([*made("Italian Game", 5, 2), *made("Sicilian Defense", None, 1)], made("Caro-Kann", 200, 2))
    assert [(each.name, each.part, each.is_more) for each in few.openings] == [("Italian Game", Part(2, 3), False)]
    assert (few.hurried, few.shows_clock, few.is_hurried) == (Part(2, 2), False, False)
    assert words_of_circumstances(few, ENGLISH) == "By opening: Italian Game 2."
    others = [*made("Caro-Kann", 200, 40), *made("Italian Game", 5, 2)]
    many = circumstances_of([*made("Italian Game", 29, 20), *made(UNNAMED, 30, 4)], others)
    assert (many.hurried, many.is_hurried) == (Part(20, 24), True)
    assert words_of_circumstances(many, ENGLISH) == (
        "By opening: Italian Game 20 (more often than the other losing moves). "
        "With less than 30 seconds left: 20 of 24 (more often than the other losing moves)."
    )
    assert words_of_circumstances(circumstances_of([], []), ENGLISH) == ""
    assert not Part(0, 0).is_above(Part(0, 9))
