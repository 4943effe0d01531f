"""What people play in a position: shares by rating, judged costs, the practical score."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import chess
import pytest
import typer

from coach.repertoire.people import RATINGS, ExploredPeople, People, people_of
from db.games.explorer import explore
from db.games.index_games import index_files
from db.library.library import Library
from db.library.open import open_library
from db.storage.value_rows import store_values
from db.traps.position_value import PositionValue
from tests.conftest import NewLibrary
from tests.support.command_line import CommandLine
from tests.support.db_traps import AVOIDED, FELL, LEGAL_FEN, legal, write
from trapcore import _native
from trapcore.proof.verdict import Verdict
from trapline.commands.games.explore import explore as command

OTHER = AVOIDED.replace('"D"', '"Y"')
"""By a player without a rating."""


def rated(game: str, elo: int) -> str:
    return f'[BlackElo "{elo}"]\n{game}'


@pytest.fixture
def library(new_library: NewLibrary, tmp_path: Path) -> Iterator[Library]:
    games = [rated(FELL, 1100), rated(FELL.replace('"B"', '"Z"'), 1500), rated(AVOIDED, 1500), OTHER]
    with open_library(new_library(), create=True) as opened:
        index_files(opened, [write(tmp_path / "games.pgn", *games)])
        yield opened


def here(library: Library) -> People:
    return people_of(library, chess.Board(LEGAL_FEN), explore(library, fen=LEGAL_FEN))


def store(library: Library, value: float, bait: float, *, effort: int) -> None:
    board = chess.Board(LEGAL_FEN)
    board.push_uci("g4d1")
    values = {LEGAL_FEN: value, board.fen(): bait}
    with library.database.write() as connection:
        store_values(
            connection,
            {_native.epd(fen): PositionValue(chance, effort, (), "a test") for fen, chance in values.items()},
        )


def test_moves_are_counted_by_the_rating_of_the_player_who_chose(library: Library) -> None:
    found = here(library)
    assert found.played == {"<1200": 1, "1200-1599": 2, "unknown": 1}
    played = {move.san: move.played for move in found.moves if move.played}
    assert played == {"Bxd1": {"<1200": 1, "1200-1599": 1}, "Nxe5": {"1200-1599": 1, "unknown": 1}}


def test_model_expects_fewer_falls_and_a_better_score_of_better_players(library: Library) -> None:
    found = here(library)
    (bait,) = [move for move in found.moves if move.uci == "g4d1"]
    falls = [bait.model[str(rating)] for rating in RATINGS]
    assert falls == sorted(falls, reverse=True)
    assert falls[0] > 2 * falls[-1]
    scores = [found.practical[str(rating)] for rating in RATINGS]
    assert scores == sorted(scores)
    assert found.value is not None
    assert scores[-1] <= found.value
    for rating in map(str, RATINGS):
        assert 0.9 < sum(move.model[rating] for move in found.moves) <= 1.0 + 1e-9


def test_move_costs_nothing_until_the_library_has_judged_it(library: Library) -> None:
    assert {move.cost for move in here(library).moves} == {None}
    store(library, 0.2, 0.9, effort=_native.LOOK_NODES)
    shallow = here(library)
    assert {move.cost for move in shallow.moves} == {None}
    assert not shallow.is_stored
    store(library, 0.2, 0.9, effort=200_000)
    judged = here(library)
    costs = {move.san: move.cost for move in judged.moves if move.cost is not None}
    assert costs == {"Bxd1": pytest.approx(1.1)}
    assert (judged.value, judged.is_stored) == (0.2, True)
    assert [move.san for move in judged.moves if move.is_trap] == ["Bxd1"]


@pytest.mark.parametrize(("verdict", "cost"), [(Verdict.PROVED, 0.7), (Verdict.REFUTED, 0.0)])
def test_only_a_proved_trap_says_what_its_bait_costs(library: Library, verdict: Verdict, cost: float) -> None:
    library.add(replace(legal(), verdict=verdict, mate_in=2 if cost else None, gain=1.5, proof_by="a test"))
    store(library, -0.3, 0.0, effort=200_000)
    assert [move.cost for move in here(library).moves if move.uci == "g4d1"] == [
        # A mate leaves nothing of what the position was worth.
        pytest.approx(cost)
    ]


def test_finished_game_has_no_moves_and_no_score(library: Library) -> None:
    mated = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3"
    found = people_of(library, chess.Board(mated), explore(library, fen=mated))
    assert (found.moves, found.value, found.practical) == ((), None, {})


def test_json_has_what_was_played_and_who_plays_what(library: Library) -> None:
    explored = explore(library, fen=LEGAL_FEN)
    form = ExploredPeople.of(explored, here(library)).to_dict()
    assert form | {"people": None} == explored.to_dict() | {"people": None}
    assert list(form["people"]["practical"]) == [str(rating) for rating in RATINGS]


def test_command_prints_shares_by_rating(library: Library, by_sequences: None) -> None:
    library.add(replace(legal(), verdict=Verdict.PROVED, mate_in=2, gain=1.5, proof_by="a test"))
    app = typer.Typer()
    app.command()(command)
    line = CommandLine(app)
    rows = [row.split("\t") for row in line.run("--fen", LEGAL_FEN, "--people", "--db", library.name).splitlines()]
    (bait,) = [row for row in rows if row[0] == "Bxd1"]
    assert bait[1] == "<1200: 1 of 1, 1200-1599: 1 of 2"
    assert bait[-1] == "popular and wrong"
    assert rows[-1][0] == "practical score"
    assert [len(row) for row in rows] == [len(bait)] * len(rows)
    assert line.answer("--fen", LEGAL_FEN, "--people", "--db", library.name)["people"]["played"]["<1200"] == 1
    assert "people" not in line.answer("--fen", LEGAL_FEN, "--db", library.name)
