"""Traps from PGN and from the lichess puzzle file, and back out again."""

import gzip
import io
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from os import urandom
from pathlib import Path

import chess
import chess.pgn
import pytest
import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from db.formats.export_file import write_traps
from db.formats.import_file import Bad, import_file
from db.formats.pgn_export import trap_game
from db.formats.pgn_import import game_trap
from db.library.library import Added, Library
from db.library.open import open_library
from db.proof.prover import TrapProver
from db.traps.opinion import Opinion
from db.traps.temptation import Profile
from db.traps.terms import Outcome
from db.traps.trap import Trap, make_trap
from tests.conftest import NewLibrary
from tests.support.db_traps import FELL, elephant, fishing_pole, legal, write
from tests.support.public_data import PUZZLES, needs
from trapcore import _native
from trapcore.errors import InputError, OutputError, UsageError
from trapcore.proof.verdict import DepthValue, Verdict

HEADER = "PuzzleId,FEN,Moves,Rating,RatingDeviation,Popularity,NbPlays,Themes,GameUrl,OpeningTags\n"
SMOTHERED = (
    "Ab3d5,r1b1kb1r/pppp1ppp/8/4N3/1nP1n3/8/PP1NQPPP/R1B1KB1R b KQkq - 0 1,"
    "b4c6 e5c6,600,80,90,100,fork opening short,https://lichess.org/abc#1,Kings_Pawn Kings_Pawn_Game\n"
)
BACK_RANK = (
    "Mate1,6k1/5ppp/8/8/8/8/r4PPP/3QR1K1 b - - 0 1,a2b2 e1e8,500,,,,backRankMate endgame mate mateIn1 oneMove,,\n"
)


@pytest.fixture
def library(new_library: NewLibrary) -> Iterator[Library]:
    with open_library(new_library(), create=True) as opened:
        yield opened


def pgn(tags: str, moves: str) -> str:
    return f"{tags}\n\n{moves}\n\n"


LINE = "1. e4 e5 2. Nf3 Nc6 3. Bc4 d6 4. Nc3 Bg4 5. Nxe5 Bxd1{}6. Bxf7+ Ke7 7. Nd5# 1-0"


@pytest.mark.parametrize(
    "text",
    [
        pgn('[Event "Légal\'s mate"]', LINE.format(" $4 ")),
        pgn('[Event "Légal\'s mate"]', LINE.format("?? ")),
        pgn('[Event "Légal\'s mate"]', LINE.format("? ").replace("Bg4", "Bg4?")),
        pgn('[Event "Légal\'s mate"]', LINE.format(" $2 {comment} (5... dxe5 6. Qxg4??) ")),
        pgn('[Event "Légal\'s mate"]\n[Bait "10"]', LINE.format(" ")),
        pgn('[Event "Légal\'s mate"]\n[Bait "Bxd1??"]', LINE.format(" ").replace("Ke7", "Ke7?")),
        pgn('[Event "?"]\n[White "Légal\'s mate"]\n[TrapSlug "legals-mate"]\n', "\n\n" + LINE.format("?? ")),
    ],
    ids=["nag", "blunder", "last-mistake", "variations", "ply", "san", "blank-lines"],
)
def test_a_marked_game_is_a_trap(text: str) -> None:
    trap = game_trap(text, source="a test")
    wanted = legal(family="other", eco="", opening="")
    assert replace(trap, name=wanted.name) == wanted
    assert trap.name in ("Légal's mate", "Légal's mate - ?")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (pgn('[Event "x"]', LINE.format(" ")), "no move that another one follows is marked"),
        (pgn('[Event "x"]', "1. e4 e5?? *"), "no move that another one follows is marked"),
        (pgn('[Event "x"]\n[Bait "14"]', LINE.format(" ")), "must be 1 to 12"),
        (pgn('[Event "x"]\n[Bait "0"]', LINE.format(" ")), "must be 1 to 12"),
        (pgn('[Event "x"]\n[Bait "Qh5"]', LINE.format(" ")), "occurs 0 times"),
        (pgn('[Event "x"]\n[Bait "Nf3"]', "1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 *"), "occurs 2 times"),
        (pgn('[Event "?"]', LINE.format("?? ")), "has no name"),
        (pgn('[Event "x"]', "1. e4 e5?? 2. Ke3 *"), "illegal san"),
        (pgn('[Event "x"]\n[FEN "nonsense"]', "1. e4 e5?? 2. Nf3 *"), "."),
        (pgn('[Event "x"]\n[Variant "Atomic"]', "1. e4 e5?? 2. Nf3 *"), "no chess but atomic"),
        ("", "neither tags nor moves"),
    ],
)
def test_a_game_that_is_no_trap_says_why(text: str, says: str, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(InputError, match=says):
        game_trap(text, source="s")
    assert capfd.readouterr() == ("", "")


def test_a_pgn_file_gives_its_traps_and_tells_of_the_rest(library: Library, tmp_path: Path) -> None:
    good = pgn('[Event "Légal\'s mate"]\n[Family "legal"]', LINE.format("?? "))
    file = write(tmp_path / "traps.pgn", good, FELL, trap_game(elephant()), "\ufeff")
    report = import_file(library, file)
    assert report.read == 3
    assert report.results == {Added.ADDED: 2}
    assert report.verdicts == {Verdict.PROVED: 2}  # the mate by the prover, the material by our own search
    assert [bad.where for bad in report.bad] == ["game 2"]
    assert library.trap("legals-mate").source == "traps.pgn"
    again = import_file(library, file)
    assert again.results == {Added.UNCHANGED: 2}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "latin-1"])
def test_pgn_is_read_in_its_encoding(library: Library, tmp_path: Path, encoding: str) -> None:
    text = pgn('[Event "Légal\'s mate"]', LINE.format("?? ")).replace("\n", "\r\n")
    (tmp_path / "t.pgn").write_bytes(text.encode(encoding))
    assert import_file(library, tmp_path / "t.pgn").results == {Added.ADDED: 1}
    assert library.trap("legals-mate").name == "Légal's mate"


def proved(trap: Trap) -> Trap:
    return TrapProver().prove(trap)


def facts(trap: Trap) -> tuple[object, ...]:
    """All of a trap but its proof."""
    return trap.slug, trap.name, trap.family, trap.epd, trap.line, trap.moves, trap.eco, trap.opening, trap.reason


def test_what_is_exported_is_read_back_and_proved_again(
    library: Library, tmp_path: Path, new_library: NewLibrary
) -> None:
    measured = replace(elephant(), verdict=Verdict.PROVED, gain=0.8125, proof_by="Stockfish 15.1", proof_nodes=7)
    said = Opinion(by="Stockfish 15.1", verdict=Verdict.PROVED, gain=0.8125, nodes=7, date="2025-03-01")
    unsure = Opinion(by='A 2; "x"', verdict=Verdict.UNDECIDED, depth=9)
    depths = (DepthValue(2, 310, 35), DepthValue(3, -29_997, 40))
    seen = Profile(rank=1, gain=0, depths=depths)
    measured = replace(measured, opinions=(unsure, said), profile=seen, reason="It is none.")
    chess960 = make_trap(name="960", fen="4k3/8/8/8/8/8/8/RK5R w KQ - 0 1", bait="O-O", killer_line="Ke7")
    library.add_all([proved(legal()), measured, replace(fishing_pole(), moves=None), chess960])
    write_traps(library.traps(), tmp_path / "out.pgn.gz", as_json=False, library=library.name)
    with open_library(new_library(), create=True) as copy:
        report = import_file(copy, tmp_path / "out.pgn.gz")
        assert report.bad == []
        assert [facts(trap) for trap in copy.traps()] == [facts(trap) for trap in library.traps()]
        assert copy.trap("legals-mate") == proved(legal())
        # What an engine said is not taken on trust; our own search has looked again.
        assert copy.trap("elephant-trap").proof_by == _native.TESTER_VERSION


words = st.text(st.characters(codec="utf-8", categories=["L", "N", "P", "S", "Zs"]), max_size=40)


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(
    name=words.filter(lambda text: text.strip() not in ("", "?")),
    opening=words,
    source=words.filter(lambda text: text.strip() not in ("", "?")),
    data=st.data(),
)
def test_any_line_and_any_words_survive_the_way_out_and_back(
    name: str, opening: str, source: str, data: st.DataObject
) -> None:
    board = chess.Board()
    moves: list[chess.Move] = []
    for _ in range(data.draw(st.integers(2, 30))):
        legal_moves = list(board.legal_moves)
        if not legal_moves:
            break
        moves.append(data.draw(st.sampled_from(legal_moves)))
        board.push(moves[-1])
    bait = data.draw(st.integers(0, len(moves) - 2))
    uci = [move.uci() for move in moves]
    fields = {"name": name.strip(), "opening": opening.strip().removeprefix("?"), "source": source.strip()}
    fields = {field: "".join(c for c in text if c.isprintable()).strip() or "x" for field, text in fields.items()}
    trap = make_trap(
        moves=chess.Board().variation_san(moves[:bait]), bait=uci[bait], killer_line=uci[bait + 1 :], **fields
    )
    if trap.opening == "?" or trap.name == "?" or trap.source == "?":
        return
    text = trap_game(trap)
    assert game_trap(text, source="elsewhere") == trap
    assert all(len(line) <= 79 for line in text.split("\n\n")[1].splitlines())
    other = chess.pgn.read_game(io.StringIO(text))  # and another program reads the same moves
    assert other is not None
    assert [move.uci() for move in other.mainline_moves()] == uci


def test_a_stated_proof_is_not_believed(library: Library, tmp_path: Path) -> None:
    text = trap_game(proved(legal())).replace('[MateIn "2"]', '[MateIn "1"]')
    import_file(library, write(tmp_path / "t.pgn", text))
    assert library.trap("legals-mate").mate_in == 2


@pytest.mark.parametrize("ply", ["0", "1" * 30, "1" * 5000, "\u0663"])
def test_the_ply_of_a_bait_has_a_bound(library: Library, tmp_path: Path, ply: str) -> None:
    text = re.sub(r'\[Bait "[^\n]*\n', "", trap_game(proved(legal())))
    report = import_file(library, write(tmp_path / "t.pgn", f'[Bait "{ply}"]\n{text}'))
    assert "but it must be 1 to 12" in report.bad[0].reason


def test_json_holds_every_field(library: Library, tmp_path: Path) -> None:
    write_traps([legal(), elephant()], tmp_path / "out.json", as_json=True, library=library.name)
    read = json.loads((tmp_path / "out.json").read_text("utf-8"))
    assert read == [legal().to_dict(), elephant().to_dict()]


@pytest.mark.parametrize("new_library", ["sqlite"], indirect=True)
def test_an_export_never_overwrites_the_library(library: Library, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is the library itself"):
        write_traps([], library.name, as_json=False, library=library.name)
    with pytest.raises(OutputError):
        write_traps([legal()], tmp_path / "no" / "out.pgn", as_json=False, library=library.name)
    assert {path.name for path in tmp_path.iterdir() if "sqlite" not in path.name} == set()


def puzzles(path: Path, *rows: str, header: str = HEADER) -> Path:
    path.write_text(header + "".join(rows), encoding="utf-8")
    return path


def test_a_puzzle_is_a_trap(library: Library, tmp_path: Path) -> None:
    report = import_file(library, puzzles(tmp_path / "p.csv", SMOTHERED, BACK_RANK))
    assert report.bad == []
    fork = library.trap("lichess-ab3d5")
    assert (fork.family, fork.outcome) == ("fork", Outcome.MATERIAL)
    assert fork.name.startswith("Fork")
    assert (fork.source, fork.opening, fork.victim) == ("https://lichess.org/abc#1", "Kings Pawn Game", "black")
    assert (fork.bait, fork.killer_line, fork.verdict) == ("b4c6", ("e5c6",), Verdict.UNDECIDED)
    mate = library.trap("lichess-mate1")
    assert (mate.family, mate.outcome, mate.mate_in) == ("back-rank-mate", Outcome.MATE, 1)
    assert (mate.verdict, mate.source) == (Verdict.PROVED, "lichess puzzle Mate1")


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("x1,nonsense,a2b2 e1e8,,,,,,,\n", "not a FEN"),
        ("x1,,a2b2 e1e8,,,,,,,\n", "no FEN"),
        ("x1,6k1/5ppp/8/8/8/8/r4PPP/3QR1K1 b - - 0 1\n", "no Moves"),
        ("x1,6k1/5ppp/8/8/8/8/r4PPP/3QR1K1 b - - 0 1,a2a9 e1e8,,,,,,,\n", "a2a9 is not legal"),
        ("x1,6k1/5ppp/8/8/8/8/r4PPP/3QR1K1 b - - 0 1,a2b2 e1e9,,,,,,,\n", "e1e9 is not legal"),
        ("x1,6k1/5ppp/8/8/8/8/r4PPP/3QR1K1 b - - 0 1,0000 e1e8,,,,,,,\n", "is no move"),
        ("x1,6k1/5ppp/8/8/8/8/r4PPP/3QR1K1 b - - 0 1,a2b2,,,,,,,\n", "no move after the bait"),
        ("x1,6k1/5ppp/8/8/8/8/r4PPP/3QR1K1 b - - 0 1,a2b2 h2h3 b2a2,,,,,,,\n", "move of the victim"),
        (",6k1/5ppp/8/8/8/8/r4PPP/3QR1K1 b - - 0 1,a2b2 e1e8,,,,,,,\n", "no PuzzleId"),
        ('x1,"unbalanced,a2b2 e1e8,,,,,,,\n', "no Moves"),
    ],
)
def test_a_bad_row_is_told_with_its_line_and_spoils_no_other(
    library: Library, tmp_path: Path, row: str, reason: str
) -> None:
    report = import_file(library, puzzles(tmp_path / "p.csv", SMOTHERED, row, "\n", BACK_RANK))
    assert [bad.where for bad in report.bad] == ["line 3"]
    assert reason in report.bad[0].reason
    assert (report.read, report.results) == (3, {Added.ADDED: 2})


@pytest.mark.slow
@pytest.mark.parametrize("suffix", [".gz", ".zst"])
def test_a_torn_file_gives_what_was_read(library: Library, tmp_path: Path, suffix: str) -> None:
    def cut(name: str, text: str) -> Path:
        packed = gzip.compress(text.encode(), 1) if suffix == ".gz" else zstandard.compress(text.encode(), 1)
        (tmp_path / name).write_bytes(packed[: len(packed) // 2])
        return tmp_path / name

    # With random words, so that there is something to be read before the cut.
    rows = "".join(
        BACK_RANK.replace("Mate1,", f"m{n:04},").replace(",,", f",{urandom(30).hex()},", 1) for n in range(9000)
    )
    report = import_file(library, cut(f"p{suffix}", HEADER + SMOTHERED + rows))
    assert "end too early" in str(report.failure)
    assert (report.results[Added.ADDED], report.bad) == (2, [])
    games = "".join(pgn(f'[Event "{urandom(30).hex()}"]', LINE.format("?? ")) for n in range(5000))
    report = import_file(library, cut(f"g{suffix}", games))
    assert "end too early" in str(report.failure)
    assert report.read > 1000
    assert report.bad == []  # the game that was cut off is not taken for a whole one
    assert import_file(library, cut("within-the-first-line", games[:40])).read == 0


@pytest.mark.slow
@needs(PUZZLES)
def test_real_puzzles_are_imported_truly(library: Library) -> None:
    report = import_file(library, PUZZLES, limit=1000)
    assert report.bad == [Bad(bad.where, bad.reason) for bad in report.bad]
    assert len(report.bad) <= 1
    assert sum(report.results.values()) + len(report.bad) == 1000
    assert report.verdicts[Verdict.PROVED] > 200
    for trap in library.traps():
        trap.check()
        assert (trap.verdict is Verdict.UNDECIDED) >= (trap.outcome is Outcome.MATERIAL)
