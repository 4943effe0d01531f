"""A row of the lichess puzzle file (https://database.lichess.org/#puzzles) as a trap.

A puzzle has the shape of a trap: its position is the one before the losing move, its first move is the bait, the rest
the killer line. It is named by what the line does: ``Fork with the knight on f7``.
"""

from collections.abc import Mapping

from db.formats.puzzle_file import NEEDED
from db.traps.terms import Outcome
from db.traps.trap import Trap, slugify
from db.wording.patterns import pattern_of
from trapcore import _native
from trapcore.errors import InputError
from trapcore.trees.chess_game import parse_position

_SLUG = "lichess-"
_OLD_NAME = "Lichess puzzle "  # before 2026-11-23


def is_puzzle(trap: Trap) -> bool:
    """Whether the trap is a puzzle: its name says what it is, and nobody knows it by that."""
    return trap.slug.startswith(_SLUG) or trap.name.startswith(_OLD_NAME)


def puzzle_trap(row: Mapping[str, str | None]) -> Trap:
    """The checked trap of a row, undecided. Raises `InputError` for a row that is no puzzle."""
    missing = [column for column in NEEDED if not row.get(column)]
    if missing and missing != ["Themes"]:
        raise InputError(f"the row has no {' and no '.join(missing)}")
    number, fen, moves = (str(row[column]) for column in NEEDED[:3])
    themes = (row.get("Themes") or "").split()
    board = parse_position(fen)
    epd = _native.epd(fen)
    line = []
    for text in moves.split():
        try:
            move = board.parse_uci(text)
        except ValueError:
            raise InputError(f"the move {text} is not legal in {board.fen()}") from None
        if not move:
            raise InputError(f"the move {text} is no move")
        line.append(board.uci(move))
        board.push(move)
    if len(line) < 2:
        raise InputError("the row has no move after the bait")
    if len(line) % 2:
        raise InputError("the line ends with a move of the victim")
    mate = board.is_checkmate()
    family, name = pattern_of(epd, line, themes)
    opening = (row.get("OpeningTags") or "").split()
    trap = Trap(
        slug=slugify(f"{_SLUG}{number}"),
        name=name,
        family=family,
        epd=epd,
        bait=line[0],
        killer_line=tuple(line[1:]),
        outcome=Outcome.MATE if mate else Outcome.MATERIAL,
        opening=opening[-1].replace("_", " ") if opening else "",
        source=row.get("GameUrl") or f"lichess puzzle {number}",
    )
    trap.check_names()
    return trap
