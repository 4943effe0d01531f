"""Games with losing moves for the tests of patterns: few lines, played again and again by people of many names."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import chess
from sqlalchemy import select

from db.games.index_games import index_files
from db.library.library import Library
from db.patterns.keys import patterns_of, token_sets
from db.storage.losing_rows import LosingMove, replace_losing_moves
from db.storage.tables import GameRow
from tests.support.db_traps import write
from trapcore.proof.causes import Mistake, explain

LEGAL = ("e4 e5 Nf3 Nc6 Bc4 d6 Nc3 Bg4 Nxe5", "Bxd1 Bxf7+ Ke7 Nd5#")
NOAH = ("e4 e5 Nf3 Nc6 Bb5 a6 Ba4 d6 d4 b5 Bb3 Nxd4 Nxd4 exd4", "Qxd4 c5 Qd5 Be6 Qc6+ Bd7 Qd5 c4")
FORK = ("e4 e5 Nf3 Nc6 Bc4 Nd4", "Nxe5 Qg5 Nxf7 Qxg2 Rf1 Qxe4+ Be2 Nf3#")
LINES = {"legal": LEGAL, "noah": NOAH, "fork": FORK}
"""Moves to a position, and the mistake there with the line that punishes it."""


def game(line: str, white: str, black: str, date: str = "2020.01.01", **tags: object) -> str:
    """A game in which one of `LINES` was played to its end."""
    moves = " ".join(LINES[line])
    head = {"White": white, "Black": black, "Date": date, "Result": "*", **tags}
    return "\n".join(f'[{name} "{value}"]' for name, value in head.items()) + f"\n\n{moves} *\n\n"


@cache
def mistake(line: str) -> LosingMove:
    """The losing move of a line, with its patterns and its token set."""
    board = chess.Board()
    for san in LINES[line][0].split():
        board.push_san(san)
    fen, ply, after = board.fen(), board.ply() + 1, board.copy(stack=False)
    moves = [after.push_san(san).uci() for san in LINES[line][1].split()]
    (reason,) = explain([Mistake(fen, moves[0], tuple(moves[1:]))])
    found = LosingMove(
        ply=ply,
        kind="capture",
        mate_in=None,
        killer_line=tuple(moves[1:]),
        answer="sprung",
        clock=None,
        settled=True,
        probability=None,
        causes=tuple(f"{cause.name}:{','.join(cause.squares)}" for cause in reason.causes),
        mechanism=reason.mechanism,
        place=reason.place,
    )
    (tokens,) = token_sets([(fen, moves, patterns_of(found))])
    return replace(found, tokens=tokens)


def store(library: Library, path: Path, games: Sequence[str]) -> None:
    """Index games and store their losing moves as an analysis would."""
    index_files(library, [write(path, *games)])
    judge(library)


def judge(library: Library) -> None:
    """Store the losing move of every game, which its length tells: each line of `LINES` has another."""
    lengths = {len(" ".join(parts).split()): line for line, parts in LINES.items()}
    with library.database.write() as connection:
        rows = connection.execute(select(GameRow.id, GameRow.plies)).all()
        moves: dict[int, Sequence[LosingMove]] = {
            number: [mistake(lengths[plies])] if plies in lengths else [] for number, plies in rows
        }
        replace_losing_moves(connection, "a test", moves)
