"""Repertoires: built, proved, the same again, written and read back."""

import io
from dataclasses import replace
from pathlib import Path
from typing import Any

import chess
import chess.pgn
import chess.polyglot
import pytest

from coach.repertoire import build
from coach.repertoire.build import RepertoireOptions, build_repertoire
from coach.repertoire.expectation import LEAST_PROBABILITY, ReplyValue, own_moves
from coach.repertoire.export import as_book, as_game, write_repertoire
from coach.repertoire.known_lines import KnownLines
from coach.repertoire.live_traps import may_be_bait
from coach.repertoire.stored import StoredRepertoire, made_of
from coach.repertoire.tree import Position, Repertoire, Reply, TrapAhead
from db.games.index_games import index_files
from db.library.library import Library
from db.library.open import open_library
from db.proof.prover import TrapProver
from db.traps.temptation import TEMPTING_SHARE, RatingBand
from db.traps.trap import Trap, make_trap
from tests.coach.repertoire.test_replies import game
from tests.support.db_traps import legal, write
from trapcore import _native
from trapcore.errors import InputError
from trapcore.parallel.budget import Budget
from trapcore.proof.trap_test import BaitTest, check_bait, check_baits
from trapcore.proof.verdict import Verdict

BAND = RatingBand(1200, 1599)
SMALL = RepertoireOptions(color="black", band=BAND, positions=6, depth=4, nodes=800, test_nodes=30_000)


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    """Games of players who give a bishop away after 1.e4 e5."""
    folder = tmp_path_factory.mktemp("repertoire")
    games = [game("1. e4 e5 2. Ba6 bxa6", 1400, 1400, "0-1").replace('"A"', f'"A{n}"') for n in range(30)]
    pgn = write(folder / "games.pgn", *games)
    opened = open_library(folder / "library.sqlite", create=True)
    index_files(opened, [pgn])
    return opened


@pytest.fixture(scope="module")
def built(library: Library) -> Repertoire:
    return build_repertoire(library, SMALL)


def test_the_bait_that_people_take_is_waited_for(built: Repertoire) -> None:
    first = built.traps()[0]
    assert (first.moves, first.bait_san) == (("e4", "e5"), "Ba6")
    assert first.killer_line_san[0] in ("bxa6", "Nxa6")
    assert first.falls > 0.7
    assert first.reach > 0.7
    assert (first.decisions, first.fell) == (30, 30)
    assert built.points > 0.6
    content = built.to_dict()
    assert content["traps_set"] >= first.reach - 1e-4
    assert content["fallen_for"] <= content["traps_set"]


def test_every_trap_is_proved_and_every_move_within_the_cost(built: Repertoire) -> None:
    assert built.traps()
    for trap in built.traps():
        board = chess.Board()
        for san in trap.moves:
            board.push_san(san)
        assert board.epd() == trap.epd
        test = check_bait(board.fen(), trap.bait, budget=Budget(nodes=30_000))
        assert test.verdict is Verdict.PROVED
        for uci in (trap.bait, *trap.killer_line):
            board.push(board.parse_uci(uci))
    assert all(0 <= position.cost <= SMALL.max_cost for position in built.positions())


def test_the_same_comes_out_again_with_more_threads(library: Library, built: Repertoire) -> None:
    assert build_repertoire(library, SMALL, jobs=3) == built


def test_it_is_read_back_from_pgn_and_from_a_book(built: Repertoire, tmp_path: Path) -> None:
    (pgn,) = write_repertoire(built, tmp_path / "black.pgn")
    read = chess.pgn.read_game(io.StringIO(pgn.read_text()))
    assert read is not None
    assert read.errors == []
    assert pgn.read_text() == as_game(built)
    assert "30 of 30 in the games" in pgn.read_text()
    (book,) = write_repertoire(built, tmp_path / "black.bin")
    with chess.polyglot.open_reader(book) as reader:
        for position in built.positions():
            board = chess.Board(f"{position.epd} 0 1")
            assert reader.find(board).move == board.parse_uci(position.uci)
    chapters = write_repertoire(built, tmp_path / "chapters")
    text = io.StringIO(chapters[0].read_text())
    games = list(iter(lambda: chess.pgn.read_game(text), None))
    assert len(games) == 1 + len(built.traps())
    assert all(found is not None and not found.errors for found in games)


def test_a_repertoire_is_played_from_a_file(library: Library, built: Repertoire, tmp_path: Path) -> None:
    stored = StoredRepertoire.of(built, made_of(library, 0.08))
    stored.write(tmp_path / "black.json")
    read = StoredRepertoire.read(tmp_path / "black.json")
    assert read == stored
    board = chess.Board()
    board.push_san("e4")
    found = read.move(board)
    assert found is not None
    uci, trap = found
    assert uci == "e7e5"
    assert trap is not None
    assert (trap.baits[0].uci, trap.baits[0].killer_line[0] in ("b7a6", "b8a6")) == ("f1a6", True)
    assert trap.taken > 0.7
    rare = {key: tuple(replace(bait, taken=0.01) for bait in baits) for key, baits in read.baits.items()}
    assert replace(read, baits=rare).move(board) == (uci, None)
    assert read.move(chess.Board("8/8/8/8/8/4k3/8/R3K3 w - - 0 1")) is None
    (tmp_path / "bad.json").write_text('{"format": 0}')
    with pytest.raises(InputError, match=r"bad\.json is no repertoire of this program"):
        StoredRepertoire.read(tmp_path / "bad.json")


def test_a_repertoire_is_old_when_the_library_has_changed(library: Library) -> None:
    now = made_of(library, 0.08)
    assert now.games == 30
    assert not now.is_old(now)
    assert now.is_old(replace(now, traps="other"))
    assert now.is_old(replace(now, max_cost=0.05))
    assert not now.is_old(replace(now, games=129))
    assert now.is_old(replace(now, games=130))
    assert not replace(now, games=1_000).is_old(replace(now, games=1_150))


def test_known_lines_lead_to_the_traps_that_the_other_side_falls_for() -> None:
    trap = TrapProver().prove(legal())
    white, black = KnownLines([trap], "white"), KnownLines([trap], "black")
    board = chess.Board()
    for san in ("e4", "e5", "Nf3", "Nc6", "Bc4", "d6", "Nc3", "Bg4", "Nxe5"):
        move = board.parse_san(san)
        assert white.moves(board) == [move.uci()]
        assert black.moves(board) == []
        board.push(move)
    assert white.moves(board) == ["g4d1"]
    assert KnownLines([legal()], "white").moves(chess.Board()) == [], "only what is proved is waited for"


@pytest.fixture
def looked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """EPD of the positions that were examined, in their order."""
    found: list[str] = []

    def recorded(fen: str, *given: Any) -> list[tuple[str, float, float]]:
        found.append(chess.Board(fen).epd())
        return own_moves(fen, *given)

    monkeypatch.setattr(build, "own_moves", recorded)
    return found


QUICK = RepertoireOptions(
    color="white", band=BAND, max_cost=0.5, positions=12, depth=6, nodes=200, test_nodes=1_000, width=1
)


def build_with(path: Path, options: RepertoireOptions, *lines: Trap) -> Repertoire:
    """A repertoire out of a library of these traps, which count as proved."""
    with open_library(path, create=True) as library:
        library.add_all([replace(trap, verdict=Verdict.PROVED, proof_by="a test") for trap in lines])
        return build_repertoire(library, options, compare=False)


def line(moves: str, bait: str, killer_line: str) -> Trap:
    return make_trap(name=moves, family="way", moves=moves, bait=bait, killer_line=killer_line)


def after(*moves: str) -> chess.Board:
    board = chess.Board()
    for san in moves:
        board.push_san(san)
    return board


def test_a_known_line_is_gone_down_also_where_another_move_is_better(tmp_path: Path, looked: list[str]) -> None:
    wanted = after("a4", "e5").epd()
    # Nobody begins like that by himself.
    way = line("1. a4 e5 2. Nc3 d5 3. Nb5", "Bg4", "f3")
    for traps in ((), (way,)):
        looked.clear()
        build_with(tmp_path / f"{len(traps)}.sqlite", QUICK, *traps)
        assert (wanted in looked) is bool(traps)
    replies = {after("a4", reply).epd() for reply in ("e5", "d5", "e6", "d6", "c5", "Nf6", "Nc6")}
    assert replies.intersection(looked) == {wanted}, "only the way to the trap is examined"


def test_a_known_line_is_left_where_its_trap_cannot_pay(tmp_path: Path, looked: list[str]) -> None:
    # So few answer 1.a4 with 1...g5 that not even a mate makes up for 1.a4.
    everything = replace(QUICK, positions=60, depth=3)
    for reply in ("g5", "e5"):
        build_with(tmp_path / f"{reply}.sqlite", everything, line(f"1. a4 {reply} 2. Nc3 d5 3. Nb5", "Bg4", "f3"))
    assert after("a4", "e5").epd() in looked
    assert after("a4", "g5").epd() not in looked


def test_a_position_that_two_orders_of_moves_reach_is_examined_once(tmp_path: Path, looked: list[str]) -> None:
    traps = [
        line("1. d4 Nf6 2. c4 e5 3. dxe5 Ng4", "e3", "Nxe5"),
        line("1. c4 Nf6 2. d4 e5 3. dxe5 Ng4", "f4", "Bc5"),
    ]
    build_with(tmp_path / "library.sqlite", replace(QUICK, color="black", positions=40), *traps)
    assert {after("d4").epd(), after("c4").epd()} <= set(looked)
    assert looked.count(after("d4", "Nf6", "c4").epd()) == 1
    assert len(set(looked)) == len(looked)


def test_replies_that_are_not_tested_could_be_no_traps(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    tested: list[tuple[str, str]] = []
    left_out: list[ReplyValue] = []

    def recorded(fen: str, baits: list[str], *given: Any) -> list[BaitTest]:
        tested.extend((fen, bait) for bait in baits)
        return check_baits(fen, baits, *given)

    def noted(reply: ReplyValue, tempting: set[str]) -> bool:
        found = may_be_bait(reply, tempting)
        if not found:
            left_out.append(reply)
        return found

    monkeypatch.setattr(build, "check_baits", recorded)
    monkeypatch.setattr(build, "may_be_bait", noted)
    built = build_repertoire(library, SMALL, compare=False)
    assert tested
    assert left_out
    for fen, bait in tested:
        assert bait in _native.tempting_moves(fen) or bait == "f1a6"
    assert all(reply.probability < TEMPTING_SHARE for reply in left_out)
    traps = {(trap.epd, trap.bait) for trap in built.traps()}
    assert traps <= {(chess.Board(fen).epd(), bait) for fen, bait in tested}


def test_a_reply_that_few_play_has_an_answer_if_games_get_there(library: Library) -> None:
    first_moves = build_repertoire(library, replace(QUICK, color="black", positions=40), compare=False).beginning
    rare = [reply for reply in first_moves if reply.probability < LEAST_PROBABILITY]
    assert rare
    assert all(reply.then is not None for reply in rare), "others are not worth a line"


def test_a_trap_of_two_orders_of_moves_is_listed_once() -> None:
    epd = after("d4", "Nf6", "c4", "e5").epd()

    def trap(reach: float, *moves: str) -> Reply:
        ahead = TrapAhead(moves, epd, "d4e5", "dxe5", ("f6g4",), ("Ng4",), None, reach, 0.5, 0.3, 0.01, 0, 0)
        return Reply("d4e5", 0.5, ahead, None)

    def start(first: str, reach: float, *moves: str) -> Reply:
        return Reply(first, 0.5, None, Position(epd, "e7e5", 0.01, 0.0, (trap(reach, *moves),)))

    orders = (start("c2c4", 0.1, "c4", "Nf6", "d4", "e5"), start("d2d4", 0.3, "d4", "Nf6", "c4", "e5"))
    repertoire = Repertoire("black", BAND, orders, 0.5, None)
    (found,) = repertoire.traps()
    assert found.moves[0] == "d4"
    assert found.reach == pytest.approx(0.4)
    content = repertoire.to_dict()
    assert content["positions"] == 1
    assert content["traps_set"] == pytest.approx(0.4)


def test_castling_in_a_book_is_the_king_taking_its_rook(tmp_path: Path) -> None:
    board = chess.Board("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1")
    position = Position(board.epd(), "e1c1", 0.0, 0.0, ())
    book = tmp_path / "book.bin"
    book.write_bytes(as_book(Repertoire("white", BAND, (Reply("", 1.0, None, position),), 0.5, 0.5)))
    with chess.polyglot.open_reader(book) as reader:
        assert reader.find(board).move == chess.Move.from_uci("e1c1")
