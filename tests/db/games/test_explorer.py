"""What was played in a position: counted as python-chess counts it, in either colour, by rating and year."""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import chess
import chess.pgn
import pytest
import typer
from typer.testing import CliRunner

from db.games.explorer import Explored, explore
from db.games.index_games import index_files
from db.library.library import Library
from db.library.open import open_library
from tests.conftest import NewLibrary
from tests.support.command_line import CommandLine
from tests.support.db_traps import AVOIDED, ENDED, FELL, LEGAL_FEN, MIRRORED, OTHER, legal, write
from tests.support.public_data import AMATEURS, needs
from trapcore import _native
from trapcore.errors import InputError, PositionError, UsageError
from trapcore.proof.verdict import Verdict
from trapline.commands.games.explore import explore as command

SITE = "https://lichess.org/abcdefgh"


def tagged(game: str, **tags: object) -> str:
    return "".join(f'[{name} "{value}"]\n' for name, value in tags.items()) + game


GAMES = (
    tagged(FELL, WhiteElo=1700, BlackElo=1500, Date="2001.02.03", Result="1-0", Site=SITE),
    tagged(FELL.replace('"B"', '"Z"'), BlackElo=2100, Date="1999.??.??", Result="1-0", Site="London ENG"),
    tagged(AVOIDED, WhiteElo=1600, BlackElo=1900, Date="????.??.??", Result="1/2-1/2"),
    tagged(ENDED, BlackElo=1400, Result="1-0"),
    tagged(MIRRORED, WhiteElo=1300, BlackElo=2500, Date="2010.01.01", Result="0-1"),
    OTHER,
)


@pytest.fixture
def library(new_library: NewLibrary, tmp_path: Path) -> Iterator[Library]:
    with open_library(new_library(), create=True) as opened:
        opened.add(replace(legal(), verdict=Verdict.PROVED, mate_in=2, gain=1.5, proof_by="a test"))
        index_files(opened, [write(tmp_path / "g.pgn", *GAMES)])
        yield opened


def counts(found: Explored) -> dict[str, int]:
    return {move.san: move.count for move in found.moves}


def test_moves_results_baits_and_who_fell(library: Library) -> None:
    found = explore(library, fen=LEGAL_FEN)
    assert found.epd == _native.epd(LEGAL_FEN)
    assert (found.games, found.white, found.draws, found.black) == (4, 3, 1, 0)
    bait, other = found.moves
    assert (bait.san, bait.uci, bait.count, bait.white, bait.draws, bait.black) == ("Bxd1", "g4d1", 2, 2, 0, 0)
    assert (bait.mean_rating, bait.last_year, bait.trap, bait.cost) == (1800, 2001, "legals-mate", 1.5)
    assert (other.san, other.count, other.draws, other.trap, other.fallers) == ("Nxe5", 1, 1, None, ())
    assert (other.mean_rating, other.last_year) == (1900, None)
    # The strongest first.
    assert [(game.black, game.black_elo, game.ply, game.mirrored) for game in bait.fallers] == [
        ("Z", 2100, 10, False),
        ("B", 1500, 10, False),
    ]
    assert [game.address for game in bait.fallers] == [None, SITE]
    (trap,) = found.traps
    assert (trap.slug, trap.mirrored, trap.bait_san, trap.mate_in) == ("legals-mate", False, "Bxd1", 2)
    assert json.loads(json.dumps(found.to_dict()))["moves"][0]["fallers"][1]["address"] == SITE


@pytest.mark.parametrize(
    ("bounds", "expected"),
    [
        ({"min_rating": 1500}, {"Bxd1": 2, "Nxe5": 1}),
        ({"min_rating": 1501}, {"Bxd1": 1, "Nxe5": 1}),
        ({"max_rating": 1900}, {"Bxd1": 1, "Nxe5": 1}),
        ({"min_rating": 1901, "max_rating": 2100}, {"Bxd1": 1}),
        ({"since": 2000}, {"Bxd1": 1}),
        ({"until": 2000}, {"Bxd1": 1}),
        ({"since": 1990, "until": 2001}, {"Bxd1": 2}),
        ({"since": 2002}, {}),
    ],
)
def test_ratings_of_who_decides_and_years_narrow(
    library: Library, bounds: dict[str, int], expected: dict[str, int]
) -> None:
    assert counts(explore(library, fen=LEGAL_FEN, **bounds)) == expected  # type: ignore[arg-type]


def test_a_game_that_comes_back_counts_once_but_its_moves_do_not(library: Library, tmp_path: Path) -> None:
    index_files(library, [write(tmp_path / "r.pgn", "1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8 5. Nf3 1-0\n\n")])
    found = explore(library, moves="")
    assert (found.games, counts(found)["Nf3"]) == (6, 3)


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({}, UsageError),
        ({"fen": LEGAL_FEN, "moves": "e4"}, UsageError),
        ({"fen": "nonsense"}, PositionError),
        ({"moves": "e4 e4"}, InputError),
        ({"moves": "", "min_rating": 2000, "max_rating": 1000}, UsageError),
        ({"moves": "", "min_rating": 0}, UsageError),
        ({"moves": "", "since": 2001, "until": 2000}, UsageError),
    ],
)
def test_what_cannot_be_is_refused(library: Library, arguments: dict[str, object], error: type[Exception]) -> None:
    with pytest.raises(error):
        explore(library, **arguments)  # type: ignore[arg-type]


@needs(AMATEURS)
def test_real_games_are_counted_as_python_chess_counts_them(new_library: NewLibrary, tmp_path: Path) -> None:
    path = tmp_path / "some.pgn"
    path.write_bytes(b"\n\n[Event".join(AMATEURS.read_bytes().replace(b"\r", b"").split(b"\n\n[Event")[:150]) + b"\n\n")
    played: dict[str, Counter[tuple[str, str]]] = {}
    ratings: dict[str, list[int]] = {}
    with path.open(encoding="utf-8") as file:
        while (game := chess.pgn.read_game(file)) is not None:
            board = game.board()
            for move in game.mainline_moves():
                fen = _native.epd(board.fen())
                played.setdefault(fen, Counter())[board.san(move), game.headers["Result"]] += 1
                elo = game.headers["WhiteElo" if board.turn else "BlackElo"]
                if elo.isdigit():
                    ratings.setdefault(fen, []).append(int(elo))
                board.push(move)
    often = sorted(played, key=lambda fen: -played[fen].total())[:40]
    assert played[often[-1]].total() > 2
    with open_library(new_library(), create=True) as library:
        index_files(library, [path])
        for fen in often:
            found: Counter[tuple[str, str]] = Counter()
            for at in explore(library, fen=fen).moves:
                results = {"1-0": at.white, "1/2-1/2": at.draws, "0-1": at.black}
                found += Counter({(at.san, result): count for result, count in results.items()})
            assert found == played[fen], fen
            middle = sorted(ratings[fen])[len(ratings[fen]) // 2]
            banded = sum(counts(explore(library, fen=fen, min_rating=middle)).values())
            assert banded == sum(rating >= middle for rating in ratings[fen])


def test_the_command(library: Library, by_sequences: None) -> None:
    app = typer.Typer()
    app.command()(command)
    line = CommandLine(app)
    assert line.run("--moves", "d4 d5", "--db", library.name) == "c4\t1\t0\t0\t0\t\t\t\n"
    answer = line.answer("--fen", LEGAL_FEN, "--rating", "1501-", "--until", "2000", "--db", library.name)
    assert [(move["san"], move["count"]) for move in answer["moves"]] == [("Bxd1", 1)]
    for wrong in ("1500", "-", "a-b", "2000-1000", "1-99999"):
        assert isinstance(line.refusal("--moves", "", f"--rating={wrong}", "--db", library.name), UsageError)
    backwards = ("--since", "2000", "--until", "1000")
    assert isinstance(line.refusal("--moves", "", *backwards, "--db", library.name), UsageError)
    for year in ("0", "99999", "a"):
        assert CliRunner().invoke(app, ["--moves", "", "--until", year, "--db", library.name]).exit_code == 2
