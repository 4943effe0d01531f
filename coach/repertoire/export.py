"""A repertoire as a file: PGN with variations, a polyglot book, or chapters of a study.

A polyglot book (http://hgm.nubati.net/book_format.html) holds entries of 16 bytes, big-endian and ascending by key: key
of the position, move, weight, learning data.
"""

import struct
from collections.abc import Iterator
from pathlib import Path

import chess
import chess.pgn
import chess.polyglot
import chess.svg

from coach.repertoire.tree import Position, Repertoire, Reply, TrapAhead
from coach.study_files import write_chapters
from db.formats.export_file import write_file
from trapcore.errors import UsageError

WEIGHT = 1000
"""Weight of a move in a polyglot book, where each position has one move."""

KINDS = (".pgn", ".bin", "")


def check_kind(path: Path) -> None:
    """Raise `UsageError` for a name outside `KINDS`; no suffix is a folder of study chapters."""
    kind = path.suffix.lower()
    if kind not in KINDS or (kind and path.is_dir()):
        raise UsageError(f"{path}: a repertoire is written to FILE.pgn, FILE.bin or a FOLDER for a study's chapters")


def write_repertoire(repertoire: Repertoire, path: Path) -> list[Path]:
    """Write it as the suffix says; the files that were written. Each appears under its name when it is complete.

    Raises `UsageError` for another suffix, and `OutputError`.
    """
    check_kind(path)
    match path.suffix.lower():
        case ".pgn":
            write_file(path, as_game(repertoire).encode())
            return [path]
        case ".bin":
            write_file(path, as_book(repertoire))
            return [path]
    return write_chapters(list(_chapters(repertoire)), path, "repertoire")


def as_game(repertoire: Repertoire) -> str:
    """The repertoire as one game with variations, ending in a line end; the likeliest replies are the main line."""
    game = chess.pgn.Game()
    game.headers["Event"] = _title(repertoire)
    game.headers["Orientation"] = repertoire.color
    game.comment = f"Expected score {repertoire.points:.3f} a game against players rated {repertoire.band}"
    game.comment += "." if (main := repertoire.main_points) is None else f"; with the best move each time {main:.3f}."
    for reply in repertoire.beginning:
        _add(game, reply)
    return f"{game.accept(chess.pgn.StringExporter(columns=79))}\n"


def as_book(repertoire: Repertoire) -> bytes:
    """The repertoire as a polyglot book, with the killers of its traps."""
    entries: dict[int, int] = {}
    for position in repertoire.positions():
        board = chess.Board(f"{position.epd} 0 1")
        entries.setdefault(chess.polyglot.zobrist_hash(board), _book_move(board, position.uci))
    for trap in repertoire.traps():
        board = chess.Board(f"{trap.epd} 0 1")
        board.push_uci(trap.bait)
        for ply, uci in enumerate(trap.killer_line):
            if ply % 2 == 0:
                entries.setdefault(chess.polyglot.zobrist_hash(board), _book_move(board, uci))
            board.push_uci(uci)
    return b"".join(struct.pack(">QHHI", key, move, WEIGHT, 0) for key, move in sorted(entries.items()))


def _book_move(board: chess.Board, uci: str) -> int:
    move = chess.Move.from_uci(uci)
    target = move.to_square
    if board.is_castling(move):
        # The book writes castling as the king taking its rook.
        target = chess.square(7 if chess.square_file(target) > 4 else 0, chess.square_rank(target))
    promotion = 0 if move.promotion is None else move.promotion - 1
    return target | move.from_square << 6 | promotion << 12


def _add(node: chess.pgn.GameNode, reply: Reply) -> None:
    if reply.uci:
        node = node.add_variation(chess.Move.from_uci(reply.uci))
        node.comment = f"{reply.probability:.0%}"
    if reply.trap is not None:
        _add_trap(node, reply.trap)
    elif reply.then is not None:
        _add_position(node, reply.then)


def _add_position(node: chess.pgn.GameNode, position: Position) -> None:
    node = node.add_variation(chess.Move.from_uci(position.uci))
    for reply in position.replies:
        _add(node, reply)


def _add_trap(node: chess.pgn.GameNode, trap: TrapAhead) -> None:
    node.nags = {chess.pgn.NAG_BLUNDER}
    node.comment = what_it_says(trap)
    for uci in trap.killer_line:
        node = node.add_variation(chess.Move.from_uci(uci))


def what_it_says(trap: TrapAhead) -> str:
    """The figures of a trap as a sentence."""
    wins = f"a mate in {trap.mate_in}" if trap.mate_in is not None else f"{trap.wins / 2:.2f} points"
    games = f" ({trap.fell:,} of {trap.decisions:,} in the games)" if trap.decisions else ""
    return (
        f"A trap: {trap.reach:.1%} of games get here, {trap.falls:.0%} take the bait{games}. It wins {wins}; to set it "
        f"costs {trap.costs / 2:.2f} points against those who know it."
    )


def _chapters(repertoire: Repertoire) -> Iterator[str]:
    """The whole tree, then a chapter a trap."""
    yield as_game(repertoire)
    for number, trap in enumerate(repertoire.traps(), start=1):
        game = chess.pgn.Game()
        game.headers["Event"] = f"{number}. {trap.bait_san}"
        game.headers["ChapterName"] = f"{number}. {' '.join(trap.moves[-2:])} {trap.bait_san}"[:80]
        game.headers["Orientation"] = repertoire.color
        node: chess.pgn.GameNode = game
        board = chess.Board()
        for san in trap.moves:
            node = node.add_variation(board.push_san(san))
        bait, killer = chess.Move.from_uci(trap.bait), chess.Move.from_uci(trap.killer_line[0])
        node.comment = what_it_says(trap)
        node.set_arrows([chess.svg.Arrow(bait.from_square, bait.to_square, color="red")])
        node = node.add_variation(bait, nags=[chess.pgn.NAG_BLUNDER])
        node.set_arrows([chess.svg.Arrow(killer.from_square, killer.to_square, color="green")])
        for uci in trap.killer_line:
            node = node.add_variation(chess.Move.from_uci(uci))
        yield f"{game.accept(chess.pgn.StringExporter(columns=None))}\n"


def _title(repertoire: Repertoire) -> str:
    return f"Repertoire for {repertoire.color.capitalize()} against {repertoire.band}"
