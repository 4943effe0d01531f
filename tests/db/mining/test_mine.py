"""Traps out of games: what people play often and what loses is found, proved, named and counted; nothing else is."""

import json
import re
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import chess.pgn
import pytest

from coach.study_files import CHAPTERS, write_study
from db.games.index_games import index_files
from db.games.trap_stats import stats_of
from db.library.library import Library
from db.library.open import create_library, open_library
from db.mining.candidates import candidates
from db.mining.mine import MiningOptions, mine
from db.mining.to_trap import with_family
from db.proof.prover import TrapProver
from db.traps.terms import Outcome
from db.traps.trap import Trap
from tests.support.command_line import run_program
from tests.support.db_traps import MIRRORED_LEGAL_FEN, legal
from tests.support.uci_engines import REFUTING, engine_of
from trapcore import _native
from trapcore.engines.uci_engine import UciEngine
from trapcore.parallel.budget import Cancellation
from trapcore.proof.verdict import Verdict

LEGAL = "1. e4 e5 2. Nf3 Nc6 3. Bc4 d6 4. Nc3 Bg4 5. Nxe5"
ELEPHANT = "1. d4 d5 2. c4 e6 3. Nc3 Nf6 4. Bg5 Nbd7 5. cxd5 exd5 6. Nxd5"
ROOT = Path(__file__).parents[3]
NODES = 60_000


def written(path: Path) -> Path:
    """Five games of Légal's mate, one of them not finished, two in which Black saw that 5.Nxe5 loses a piece here, five
    of the Elephant trap."""
    lines = [
        *[(f"{LEGAL} Bxd1 6. Bxf7+ Ke7 7. Nd5# 1-0", "1-0", 1400, 1300 + n) for n in range(4)],
        (f"{LEGAL} Bxd1 6. Nxd1 dxe5 0-1", "0-1", 1800, 1500),
        *[(f"{LEGAL} Nxe5 1/2-1/2", "1/2-1/2", 2000, 2100)] * 2,
        *[(f"{ELEPHANT} Nxd5 7. Bxd8 Bb4+ 8. Qd2 Bxd2+ 9. Kxd2 Kxd8 0-1", "0-1", 1700, 1800)] * 5,
        *[("1. e4 c5 2. Nf3 d6 3. d4 cxd4 4. Nxd4 Nf6 5. Nc3 a6 *", "*", 2400, 2500)] * 3,
    ]
    games = []
    for number, (moves, result, white, black) in enumerate(lines):
        tags = {"White": f"W{number}", "Black": f"B{number}", "Result": result, "Round": str(number)}
        tags |= {"WhiteElo": str(white), "BlackElo": str(black), "Date": f"2024.01.{number + 1:02}"}
        games.append("".join(f'[{name} "{value}"]\n' for name, value in tags.items()) + f"\n{moves}\n\n")
    path.write_text("".join(games))
    return path


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(tmp_path_factory.mktemp("games") / "games.pgn")


@pytest.fixture
def library(tmp_path: Path, games: Path) -> Iterator[Library]:
    with open_library(tmp_path / "library.sqlite", create=True) as opened:
        index_files(opened, [games])
        yield opened


def run(*arguments: str) -> str:
    """Standard output of the program."""
    done = run_program(arguments, ROOT, {})
    assert done.returncode == 0, done.stderr
    return done.stdout


def results_exchanged(text: str) -> Iterator[str]:
    other = {"1-0": "0-1", "0-1": "1-0"}
    for part in re.split(r"\b(1-0|0-1)\b", text):
        yield other.get(part, part)


def identities(traps: list[Trap]) -> set[tuple[str, str]]:
    return {(trap.epd, trap.bait) for trap in traps}


def test_what_people_fall_for_is_found_proved_and_named(library: Library) -> None:
    found = mine(library, MiningOptions(nodes=NODES))
    by_bait = {trap.bait: trap for trap in found.traps}
    assert set(by_bait) == {"g4d1", "c3d5"}
    mate, piece = by_bait["g4d1"], by_bait["c3d5"]
    assert (mate.outcome, mate.mate_in, mate.verdict, mate.family) == (Outcome.MATE, 2, Verdict.PROVED, "mate")
    assert mate.killer_line[0] == "c4f7"
    assert mate.name == "Italian Game: Paris Defense: mate after 5...Bxd1"
    assert (mate.eco, mate.source) == ("C50", "mined")
    assert mate.moves == LEGAL
    assert piece.outcome is Outcome.MATERIAL
    assert piece.verdict is Verdict.PROVED
    assert piece.killer_line[0] == "f6d5"
    assert piece.opening.startswith("Queen's Gambit Declined")
    assert identities(library.traps()) == identities(found.traps)
    assert found.candidates == sum(found.findings.values())
    assert found.findings["proved"] == 2
    # Légal's sacrifice is none with a knight on c6: the search proves it, but White scored well with it all the same.
    assert found.findings["undecided"] == 1


def test_practice_is_a_witness_of_gains_and_none_is_needed_for_mates(tmp_path: Path, games: Path) -> None:
    lost = tmp_path / "lost.pgn"  # the same games, but whoever sprang the trap lost
    lost.write_text("".join(results_exchanged(games.read_text())))
    with open_library(tmp_path / "lost.sqlite", create=True) as library:
        index_files(library, [lost])
        found = mine(library, MiningOptions(nodes=NODES))
    # That 5.Nxe5 loses a piece is believed now, that 6.Nxd5 does not.
    assert {trap.bait for trap in found.traps} == {"g4d1", "f3e5"}
    assert found.findings["undecided"] == 1


def test_what_the_engine_refutes_is_no_trap_unless_it_mates(library: Library, tmp_path: Path) -> None:
    with UciEngine(engine_of(tmp_path, REFUTING)) as engine:
        found = mine(library, MiningOptions(nodes=NODES), prover=TrapProver(engine=engine))
    (mate,) = found.traps
    assert (mate.bait, mate.mate_in, [said.is_ours for said in mate.opinions]) == ("g4d1", 2, [True])
    assert (found.findings["proved"], found.findings["undecided"]) == (1, 0)


def test_a_second_run_looks_at_nothing_again(library: Library) -> None:
    first = mine(library, MiningOptions(nodes=NODES))
    again = mine(library, MiningOptions(nodes=NODES))
    assert (again.done, again.traps) == (0, [])
    assert again.known == 2
    assert again.resumed + again.known == first.candidates
    # Another budget is another question.
    assert mine(library, MiningOptions(nodes=NODES // 2)).done == first.candidates - 2


def test_a_run_that_was_stopped_goes_on(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("db.mining.mine._AT_A_TIME", 4)
    stop = Cancellation()
    stopped = mine(
        library, MiningOptions(nodes=NODES), stop=stop, progress=lambda now: stop.cancel() if now.done else None
    )
    rest = mine(library, MiningOptions(nodes=NODES))
    assert 0 < stopped.done < rest.candidates
    assert (stopped.done, rest.done) == (rest.resumed + rest.known, rest.candidates - stopped.done)
    assert {trap.bait for trap in library.traps()} == {"g4d1", "c3d5"}


def test_only_moves_played_often_enough_by_such_players_are_looked_at(library: Library) -> None:
    assert mine(library, MiningOptions(min_games=6, nodes=NODES)).traps == []


def test_a_game_counts_once_however_often_it_repeats_a_position(tmp_path: Path) -> None:
    shuffle = "1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8 5. Nf3 Nf6 1/2-1/2"
    others = ["1. e4 e5 *", "1. d4 d5 *", "1. Nf3 d5 *"]
    path = tmp_path / "games.pgn"
    path.write_text("".join(f'[Round "{n}"]\n\n{moves}\n\n' for n, moves in enumerate([shuffle, *others])))
    with open_library(tmp_path / "other.sqlite", create=True) as library:
        index_files(library, [path])
        assert [found.played for found in candidates(library, 2, None, None)] == [2]


def test_a_near_duplicate_joins_the_family_of_the_trap_that_is_known(library: Library) -> None:
    library.add(legal(family="legal"))
    (found,) = [trap for trap in mine(library, MiningOptions(nodes=NODES)).traps if trap.bait == "c3d5"]
    assert found.family != "legal"
    # The same trick with a pawn on a6, and with colours exchanged.
    near = legal(epd="r2qkbnr/1pp2ppp/p1np4/4N3/2B1P1b1/2N5/PPPP1PPP/R1BQK2R b KQkq -", family="mate")
    assert with_family(library, near).family == "legal"
    turned = legal(
        epd="r1bqk2r/pppp1ppp/2n5/2b1p1B1/4n3/P1NP4/1PP2PPP/R2QKBNR w KQkq -",
        bait="g5d8",
        killer_line=("c5f2", "e1e2", "c6d4"),
        family="mate",
    )
    assert with_family(library, turned).family == "legal"
    with library.database.read() as connection:
        if connection.dialect.name == "sqlite":
            plan = connection.exec_driver_sql("EXPLAIN QUERY PLAN SELECT epd FROM traps WHERE bait = 'c3d5'").all()
            assert "ix_traps_bait " in str(plan), "each new trap would read all traps"


def test_traps_of_the_library_are_not_mined_again_in_either_colour(library: Library) -> None:
    library.add(
        legal(epd=_native.epd(MIRRORED_LEGAL_FEN), bait="g5d8", killer_line=("c5f2", "e1e2", "c6d4"), moves=None)
    )
    found = mine(library, MiningOptions(nodes=NODES))
    assert found.known == 1
    assert {trap.bait for trap in found.traps} == {"c3d5"}


def test_a_study_holds_the_line_and_the_figures(library: Library, tmp_path: Path) -> None:
    traps = mine(library, MiningOptions(nodes=NODES)).traps
    all_stats = [(trap, stats_of(library, trap)) for trap in traps]
    paths = write_study(all_stats * CHAPTERS, tmp_path / "study")
    assert [path.name for path in paths] == ["traps-1.pgn", "traps-2.pgn"]
    chapters = 0
    for path in paths:
        with path.open() as file:
            while (game := chess.pgn.read_game(file)) is not None:
                chapters += 1
                assert not game.errors
                trap = next(trap for trap in traps if trap.name == game.headers["Event"])
                line = [move.uci() for move in game.mainline_moves()]
                assert tuple(line[-len(trap.line) :]) == trap.line
                text = " ".join(node.comment for node in game.mainline())
                assert "fell for it" in text
                assert "%cal" in text
    assert chapters == 2 * CHAPTERS


def test_the_command_indexes_mines_and_tells(tmp_path: Path, games: Path) -> None:
    db, out = tmp_path / "made.sqlite", tmp_path / "traps.pgn"
    create_library(db)  # empty: the bundled traps have some of these
    done = run("mine", str(games), "--db", str(db), "--nodes", str(NODES), "-o", str(out), "--json")
    told = json.loads(done)
    assert (told["proved"], told["undecided"]) == (2, 1)
    scores = [trap["toll"]["score"] for trap in told["traps"]]
    assert scores == sorted(scores, reverse=True)
    assert scores[-1] > 0
    assert out.read_text().count("[TrapSlug ") == 2
    again = json.loads(run("mine", "--db", str(db), "--nodes", str(NODES), "--json"))
    assert (again["traps"], again["known"]) == ([], 2)


@pytest.mark.fault
def test_killed_at_any_moment_the_next_run_completes_to_the_same(tmp_path: Path, games: Path) -> None:
    whole = tmp_path / "whole.sqlite"
    arguments = ["--nodes", str(NODES), "--min-games", "2"]
    run("mine", str(games), "--db", str(whole), *arguments)
    killed = tmp_path / "killed.sqlite"
    for wait in (0.0, 0.1, 0.3, 0.6):
        process = subprocess.Popen(
            [sys.executable, "-m", "trapline", "mine", str(games), "--db", str(killed), *arguments],
            cwd=ROOT,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        # From when it has opened the library, which takes longer on a slow machine.
        while not Path(f"{killed}-wal").exists() and process.poll() is None:
            time.sleep(0.005)
        time.sleep(wait)
        process.send_signal(signal.SIGKILL)
        process.wait()
        if killed.exists():
            with closing(sqlite3.connect(killed)) as connection:
                assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    run("mine", str(games), "--db", str(killed), *arguments)
    contents = []
    for path in (whole, killed):
        with open_library(path, read_only=True) as library:
            rows = sorted((trap.epd, trap.line, trap.name, trap.family) for trap in library.traps())
            contents.append((rows, len(library.sightings())))
    assert contents[0] == contents[1]
