"""Odd files: one bad token costs that token, one bad move what follows it, and nothing costs the game."""

import io
import random
import zipfile
from dataclasses import dataclass
from pathlib import Path

import chess.pgn
import pytest

from annotator.annotation import Annotator
from tests.annotator.test_preservation import is_contained, rewritten
from tests.support.command_line import run_program
from tests.support.public_data import DATA, needs
from tests.support.trap_games import FELL, game, make_library, records
from trapcore.errors import InputError
from trapcore.io.streams import open_bytes
from trapline.commands import annotate as command

MOVES = "1. e4 e5 2. Nf3 Nc6 3. Bc4 h6 4. Nc3 d6 5. O-O Bg4 6. Nxe5 Bxd1 7. Bxf7+ Ke7 8. Nd5#"
WHOLE = 15
TRIALS = DATA / "trials"
TRIAL_FILES = sorted(TRIALS.glob("*.pgn"))


@dataclass(frozen=True)
class Odd:
    """A movetext, the half-moves of it that are legal, and the reasons of the notes on it."""

    text: str
    plies: int = WHOLE
    notes: tuple[str, ...] = ("ignored-text",)


def behind(token: str) -> str:
    """The game with a word of its own after White's sixth move."""
    return MOVES.replace("Nxe5 ", f"Nxe5 {token} ") + " 1-0"


def glued(sign: str) -> str:
    return MOVES.replace("Nxe5 ", f"Nxe5{sign} ") + " 1-0"


def ends(result: str, *, noted: bool) -> Odd:
    return Odd(f"{MOVES} {result}", notes=("ignored-text",) if noted else ())


WORDS = [Odd(behind(token)) for token in ("N", "D", "RR", "N!", "zugzwang", "C", "□", "±", "+-", "mate", "=", "∞")]
SIGNS = [Odd(glued(sign)) for sign in ("‼", "□", "±", "+-", "D", "⁈", "N", "ch", "†", "∓", "!D")]
RESULTS = [ends(text, noted=False) for text in ("1:0", "½-½", "½–½", "0.5-0.5", "1−0", "1–0", "0-1", "0-0", "*")]
RESULTS += [
    ends(text, noted=True)
    for text in ("1-0 ff", "Remis", "draw", "White resigns", "1-0 (time) flag", "mate 1-0", "1 - 0")
]
CHARACTERS = [
    Odd(MOVES.replace(" ", space) + " 1-0", notes=())
    for space in ("\u00a0", "\u2003", "\u202f", " \u200b", "\u200b ", " \ufeff", "\u3000", "\u2009")
] + [
    Odd(MOVES.replace("O-O", castling) + " 1-0", notes=())
    for castling in ("O–O", "O—O", "O\u2011O", "O\u2212O", "0–0", "0-0", "o-o", "O\u200b-O")
]
MOVE_SPELLINGS = [
    Odd(MOVES.replace("Nxe5", "N×e5") + " 1-0", notes=()),
    Odd(MOVES.replace("Nxe5", "N:e5") + " 1-0", notes=()),
    Odd(MOVES.replace("Nxe5", "♘xe5").replace("Nc6", "♞c6") + " 1-0", notes=()),
    Odd("1.e4,e5 2.Nf3,Nc6 3.Bc4,h6 4.Nc3,d6 5.O-O,Bg4 6.Nxe5,Bxd1 7.Bxf7+,Ke7 8.Nd5# 1-0", notes=()),
    Odd("1. e4 d5 2. e5 f5 3. exf6e.p. Nxf6 *", 6, ()),
    Odd("1. e4 d5 2. e5 f5 3. exf6 e.p. Nxf6 *", 6, ()),
    Odd("1. e4 d5 2. e5 f5 3. exf6ep Nxf6 *", 6, ()),
]
COMMENTS = [
    Odd(MOVES.replace("e4 e5", "e4 {best {by test} they say} e5") + " 1-0", notes=()),
    Odd(MOVES.replace("e4 e5", "e4 {a {b {c} d} d4} e5") + " 1-0", notes=()),
    Odd(MOVES.replace("Nxe5 ", "{the pin Nxe5 "), 10, ("unclosed",)),
    Odd(MOVES.replace("Nxe5 ", "(6. d3 Nxe5 "), 10, ("unclosed",)),
]
BAD_MOVES = [
    Odd("1. e4 e5 2. Ke4 Kd5 1-0", 2, ("illegal-move",)),
    Odd("1. d4 d5 2. Nf3 Nf6 Kd4 Ke5 *", 4, ("illegal-move",)),
    Odd(MOVES.replace("Nd5#", "Nd6"), 14, ("illegal-move",)),
    Odd("1. e4 e5 2. -- Nc6 3. Nf3 *", 2, ("null-move",)),
    Odd("1. e4 e5 2. Z0 Nc6 *", 2, ("null-move",)),
    Odd("1. e4 e5 2. Sf3 Nc6 *", 2, ("unreadable",)),
    Odd("1. Nf3 d6 2. d3 d5 3. Nd2 e5 *", 4, ("ambiguous-move",)),
    Odd(MOVES.replace("Nd5#", "N"), 14, ("ignored-text",)),
    Odd(MOVES.replace("Nd5#", "Nd"), 14, ("ignored-text",)),
    Odd(MOVES[:-6], 14, ()),
    # The number shows that the word stood for a move.
    Odd("1. e4 Xx 2. Nf3 Nf6 3. e5 *", 1, ("unreadable", "ignored-text")),
]
TABLE = WORDS + SIGNS + RESULTS + CHARACTERS + MOVE_SPELLINGS + COMMENTS + BAD_MOVES
SECOND = game(FELL, white="Dorn, Emil")


@pytest.mark.parametrize("odd", TABLE, ids=lambda odd: odd.text[-40:])
def test_the_legal_moves_of_an_odd_game_are_read(odd: Odd) -> None:
    read = records((game(odd.text) + "\n" + SECOND).encode())
    assert [record.plies for record in read.records][:2] == [odd.plies, 13]
    assert sorted(note.reason for note in read.notes if note.game == 1) == sorted(odd.notes)


CLOSED = [odd for odd in TABLE if "unclosed" not in odd.notes]


@pytest.mark.parametrize("table", [CLOSED, *([odd] for odd in TABLE if odd not in CLOSED)], ids=len)
def test_odd_games_are_judged_and_their_bytes_kept(table: list[Odd]) -> None:
    data = "\n".join([*(game(odd.text) for odd in table), SECOND]).encode()
    after, counts = rewritten(data)
    assert (counts.games, counts.skipped) == (len(table) + 1, {})
    # Of each game the position before its first move is judged too.
    assert counts.positions - counts.games == sum(odd.plies for odd in table) + 13
    assert is_contained(data, after)
    assert rewritten(after)[0] == after
    assert [record.plies for record in records(after).records] == [record.plies for record in records(data).records]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_utf_16_is_written_as_it_was_read(tmp_path: Path, encoding: str) -> None:
    for mark in ("", "\ufeff"):
        text = mark + game(FELL, white="Zoë").replace("\n", "\r\n")
        (tmp_path / "in.pgn").write_bytes(text.encode(encoding) + b"\n")
        annotate(tmp_path, "in.pgn", 0)
        after = (tmp_path / "out" / "in.pgn").read_bytes()
        assert after.endswith(b"\n")
        wide = after[:-1].decode(encoding)
        assert is_contained(text.encode(), wide.encode())
        assert "Sets Légal's Mate" in wide


def annotate(folder: Path, name: str, code: int, *options: str) -> str:
    """What the command says of a file in the folder, whose result lies in the folder ``out``."""
    library = make_library(folder / "library.sqlite")
    done = run_program(("annotate", name, "-o", "out/", "--db", str(library), "--tell", "known", *options), folder, {})
    assert done.returncode == code, done.stderr
    return " ".join(done.stderr.split())


def test_a_zip_archive_is_read(tmp_path: Path) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("readme.txt", "These are my games.")
        archive.writestr("a.pgn", game(FELL).rstrip())
        archive.writestr("b/b.PGN", SECOND)
    (tmp_path / "games.zip").write_bytes(packed.getvalue())
    with open_bytes(tmp_path / "games.zip") as reader:
        assert b"".join(reader) == (game(FELL).rstrip() + "\n" + SECOND).encode()
    annotate(tmp_path, "games.zip", 0)
    assert b"Sets L" in (tmp_path / "out" / "games.pgn").read_bytes()


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_damaged_zip_archive_is_named_however_it_is_packed(tmp_path: Path, method: int) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", method) as archive:
        archive.writestr("a.pgn", random.Random(1).randbytes(60_000))
    data = packed.getvalue()
    path = tmp_path / "games.zip"
    path.write_bytes(data[:2000] + b"\xff" * 400 + data[2400:])
    with pytest.raises(InputError, match=r"games\.zip: the zip archive cannot be read"), open_bytes(path) as reader:
        b"".join(reader)


def test_a_comment_left_open_is_not_closed_by_a_brace_of_ours() -> None:
    before = game(MOVES.replace("Nxe5 ", "{the pin Nxe5 ") + " 1-0") + "\n" + game(FELL)
    after, _ = rewritten(before.encode())
    assert after.count(b"}") == 0
    closed = before + "\n" + game(FELL.replace("e4 ", "e4 {closes it} ")) + "\n" + game(FELL)
    after, _ = rewritten(closed.encode())
    assert after.count(b"}") > 1


def test_a_game_is_read_to_its_two_thousandth_half_move() -> None:
    read = records(game("Nf3 Nf6 Ng1 Ng8 " * 5000 + "*").encode())
    assert ([record.plies for record in read.records], [note.reason for note in read.notes]) == ([2000], ["too-long"])


def test_composed_and_decomposed_names_are_one_player() -> None:
    read = records((game(MOVES, white="Zoe\u0308") + "\n" + game(FELL, white="Zoë")).encode())
    assert {record.tags["White"] for record in read.records} == {"Zoë"}


def legal_moves(text: str) -> list[int]:
    """The legal half-moves that python-chess reads of each game that has any."""
    file = io.StringIO(text.removeprefix("\ufeff"))
    games = iter(lambda: chess.pgn.read_game(file), None)
    return [plies for found in games if (plies := sum(1 for _ in found.mainline_moves()))]


@needs(TRIALS)
@pytest.mark.parametrize("path", TRIAL_FILES, ids=lambda path: path.name)
def test_every_legal_move_of_the_trials_is_judged(path: Path) -> None:
    with open_bytes(path) as reader:
        data = b"".join(reader)
    right = legal_moves(data.decode())
    if path.name == "33d-unclosed-brace.pgn":
        # python-chess reads the second game as part of the comment that the first one left open.
        assert right == [10]
        right = [10, 15]
    read = records(data)
    assert read.skipped == []
    assert [record.plies for record in read.records if record.plies] == right
    _, counts = rewritten(data)
    # Of each game the position before its first move is judged too.
    assert counts.positions - counts.games == sum(right)


STALEMATE = "67. Kc7 1/2-1/2\n"
"""White had won, and nothing answers the move: a loss without a killer."""


@pytest.mark.parametrize("tell", ["losses", "all"])
def test_a_stalemate_costs_neither_its_game_nor_the_next(tmp_path: Path, tell: str) -> None:
    source, out = tmp_path / "in.pgn", tmp_path / "out.pgn"
    source.write_text(game(STALEMATE, SetUp="1", FEN="k7/P7/1PK5/8/8/8/8/8 w - - 1 67") + "\n" + game(FELL))
    command.annotate([str(source)], output=str(out), tell=tell, engine="off", quiet=True)
    assert "67. Kc7" in out.read_text()
    assert "Bxd1 $4" in out.read_text()


def test_a_fault_of_ours_is_no_end_of_the_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source, out = tmp_path / "in.pgn", tmp_path / "out.pgn"
    source.write_text(game(FELL))

    def fail(*_: object) -> None:
        raise InputError("a line has no moves")

    monkeypatch.setattr(Annotator, "annotate", fail)
    with pytest.raises(RuntimeError, match="a game that was read could not be annotated: a line has no moves"):
        command.annotate([str(source)], output=str(out), engine="off", quiet=True)
    assert not out.exists()
