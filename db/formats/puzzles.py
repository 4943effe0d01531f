"""A row of the lichess puzzle file (https://database.lichess.org/#puzzles) as a trap.

A puzzle has the shape of a trap: its position is the one before the losing move, its first move is the bait, the rest
the killer line.
"""

import re
from collections.abc import Iterable, Mapping

from db.formats.puzzle_file import NEEDED
from db.traps.terms import Outcome
from db.traps.trap import Trap, slugify
from trapcore import _native
from trapcore.errors import InputError
from trapcore.trees.chess_game import parse_position

PATTERNS = (
    # The mates by their shape, then the tactics, then what both are made of; the first that a puzzle has is its family.
    "smotheredMate",
    "anastasiaMate",
    "arabianMate",
    "balestraMate",
    "blindSwineMate",
    "bodenMate",
    "cornerMate",
    "doubleBishopMate",
    "dovetailMate",
    "epauletteMate",
    "hookMate",
    "killBoxMate",
    "morphysMate",
    "operaMate",
    "pillsburysMate",
    "swallowstailMate",
    "triangleMate",
    "vukovicMate",
    "backRankMate",
    "attackingF2F7",
    "trappedPiece",
    "hangingPiece",
    "fork",
    "skewer",
    "pin",
    "doubleCheck",
    "discoveredCheck",
    "discoveredAttack",
    "xRayAttack",
    "deflection",
    "attraction",
    "interference",
    "intermezzo",
    "clearance",
    "capturingDefender",
    "enPassant",
    "underPromotion",
    "promotion",
    "zugzwang",
    "sacrifice",
    "exposedKing",
)


_NUMBERED = "Lichess puzzle "


def is_numbered(trap: Trap) -> bool:
    """Whether the trap is a puzzle, which nobody knows by a name."""
    return trap.name.startswith(_NUMBERED)


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
    opening = (row.get("OpeningTags") or "").split()
    trap = Trap(
        slug=slugify(f"lichess-{number}"),
        name=f"{_NUMBERED}{number}",
        family=_family(themes, mate),
        epd=epd,
        bait=line[0],
        killer_line=tuple(line[1:]),
        outcome=Outcome.MATE if mate else Outcome.MATERIAL,
        opening=opening[-1].replace("_", " ") if opening else "",
        source=row.get("GameUrl") or f"lichess puzzle {number}",
    )
    trap.check_names()
    return trap


def _family(themes: Iterable[str], mate: bool) -> str:
    named = set(themes)
    pattern = next((pattern for pattern in PATTERNS if pattern in named), "mate" if mate else "tactics")
    # smotheredMate -> smothered-mate
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[a-zA-Z])(?=F2F7)", "-", pattern).lower()
