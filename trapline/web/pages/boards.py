"""Pictures of `db.traps.board_svg` with their URLs, and boards as the script of the board takes them.

That board is chessground, which `deploy/fetch_board.py` puts beside the pages. Without it, and without scripts, the
pages have a picture with links over it.
"""

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

import chess

from db.traps import board_svg as pictures
from db.wording.boards import square_words
from db.wording.languages.grammar import Grammar
from trapcore.errors import InputError


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture(pictures.Picture):
    """Picture of a board, with its URL."""

    @property
    def url(self) -> str:
        """URL of the picture."""
        texts = {"fen": self.fen, "bait": self.bait, "killer": self.killer, "last": self.last}
        flags = {"flipped": self.flipped, "plain": self.plain}
        params = {name: text for name, text in texts.items() if text}
        params |= {name: "1" for name, is_set in flags.items() if is_set}
        return f"/board.svg?{urlencode(params)}"


def ground(picture: Picture, *, circle: str = "", **more: object) -> str:
    """The board of a picture as JSON for ``static/board.js``, with what may be done on it:

    - ``dests``: where each piece may go, see `dests`;
    - ``play``: address that a move leads to, ``{uci}`` in it for the move, which has what a pawn becomes;
    - ``next``: a move (UCI) and the address that it leads to;
    - ``answer``: a move is the answer to an exercise;
    - ``circle``: a square that is marked;
    - ``setup``: pieces are put anywhere; the address that has the pieces in place of ``{pieces}``.
    """
    board = chess.Board(picture.fen) if len(picture.fen.split()) > 4 else chess.Board(f"{picture.fen} 0 1")
    shapes = [
        {"orig": move[:2], "dest": move[2:4], "brush": brush}
        for brush, moves in (("red", picture.bait), ("green", picture.killer))
        for move in moves.split(",")
        if move
    ]
    if circle:
        shapes.append({"orig": circle, "brush": "blue"})
    described = {
        "fen": board.board_fen(),
        "turn": "white" if board.turn else "black",
        "side": "black" if picture.flipped else "white",
        "last": [picture.last[:2], picture.last[2:4]] if picture.last else [],
        "check": board.king(board.turn) is not None and board.is_check(),
        "shapes": shapes,
    }
    return json.dumps(described | {name: value for name, value in more.items() if value}, separators=(",", ":"))


def dests(moves: Iterable[chess.Move]) -> dict[str, str]:
    """Squares to which the piece on each square may go, one after the other: ``{"e2": "e3e4"}``."""
    found: dict[str, list[str]] = defaultdict(list)
    for move in moves:
        target = chess.square_name(move.to_square)
        if target not in found[chess.square_name(move.from_square)]:
            found[chess.square_name(move.from_square)].append(target)
    return {origin: "".join(targets) for origin, targets in found.items()}


@dataclass(frozen=True, slots=True)
class Square:
    """Square of the board without scripts, which may be a link or a button."""

    name: str
    label: str
    url: str = ""
    kind: str = ""


def square_order(flipped: bool) -> list[chess.Square]:
    """Squares from the upper left corner to the lower right one."""
    order = [chess.square(file, rank) for rank in range(7, -1, -1) for file in range(8)]
    return order[::-1] if flipped else order


def squares(
    board: chess.Board,
    selected: str,
    language: Grammar,
    *,
    flipped: bool,
    choose: Callable[[str], str],
    play: Callable[[Sequence[chess.Move]], str],
) -> list[Square]:
    """Squares in their order on the page: ``choose`` is the URL of one whose piece can move, ``play`` that of the moves
    of the ``selected`` piece to a square, which are several for a pawn that becomes something."""
    origins = {chess.square_name(move.from_square) for move in board.legal_moves}
    targets: dict[str, list[chess.Move]] = defaultdict(list)
    for move in board.legal_moves:
        if chess.square_name(move.from_square) == selected:
            targets[chess.square_name(move.to_square)].append(move)
    found = []
    for square in square_order(flipped):
        name, label = chess.square_name(square), square_words(board, square, language)
        if name in targets:
            kind = "to takes" if board.piece_at(square) else "to"
            found.append(Square(name, language.text("%(square)s: move here", square=label), play(targets[name]), kind))
        elif name == selected and name in origins:
            found.append(Square(name, language.text("%(square)s, chosen", square=label), choose(name), "from"))
        else:
            found.append(Square(name, label, choose(name) if name in origins else ""))
    return found


def with_gaps(url: str) -> str:
    """Address with its gaps, such as ``{uci}``, as a script looks for them."""
    return url.replace("%7B", "{").replace("%7D", "}")


def push(board: chess.Board, uci: str) -> None:
    """Play a move (UCI) that an address gives. Raises `InputError`, also for the null move ``0000``."""
    try:
        move = board.parse_uci(uci)
    except ValueError:
        move = chess.Move.null()
    if not move:
        raise InputError("{move!r} is no legal move in {fen}", move=uci[:20], fen=board.fen())
    board.push(move)
