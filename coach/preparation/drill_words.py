"""Words of the drill: where a line stands, and what is said of an answer, with the reason if there is one."""

from collections.abc import Iterator

from coach.preparation.check import TrapBeside, beside
from coach.preparation.drill import Drill, DrillLine
from db.traps.openings import opening_of
from db.wording import moves
from db.wording.claims import claim
from db.wording.languages.english import ENGLISH
from db.wording.languages.grammar import Grammar
from trapcore import _native

TRAPS = 2
"""Most traps that are told with an answer."""


def question(drill: Drill, line: DrillLine, language: Grammar = ENGLISH) -> str:
    """What is asked at the end of a line: ``White, Italian Game: 1.e4 e5 2.Nf3 Nc6``."""
    side = language.sides[line.colour == "white"]
    named = opening_of(line.epds)
    opening = side if named is None else f"{side}, {language.message(named.name)}"
    return language.text(
        "%(opening)s: %(line)s", opening=opening, line=moves_of(drill, line) or language.text("the start")
    )


def moves_of(drill: Drill, line: DrillLine, after: int = 0) -> str:
    """The moves of a line with their numbers, from those on after so many."""
    board = line.board(after)
    sans = []
    for uci in line.moves[after:]:
        move = board.parse_uci(uci)
        sans.append(board.san_and_push(move))
    return moves.line(sans, _half_move(drill, line) + after)


def verdict(drill: Drill, line: DrillLine, uci: str, language: Grammar = ENGLISH, *, is_first: bool) -> list[str]:
    """The sentences about an answer (UCI, or empty if the move was to be shown) at the end of a line.

    Two moves in one position are told where the position is asked for the first time.
    """
    text, lines = language.text, drill.lines[line.colour]
    known = lines.moves[line.epd]
    is_right = uci in known
    shown = uci if is_right else next(iter(known))
    half_move = _half_move(drill, line) + len(line.moves)
    own = [moves.line([san], half_move) for san in known.values()]
    told = []
    if is_right:
        told.append(text("Right."))
        if len(known) > 1 and is_first:
            told.append(text("Your repertoire has %(moves)s here: either counts.", moves=", ".join(own)))
    else:
        told.append(text("Your repertoire has %(moves)s.", moves=", ".join(own)))
        told += _dangers(drill, line, uci, language)
    comment = lines.comments.get((line.epd, shown), "")
    if comment:
        told.append(comment)
    told += _beside(drill, line, shown, language)
    return told


def _dangers(drill: Drill, line: DrillLine, uci: str, language: Grammar) -> Iterator[str]:
    """The traps that a wrong move falls into, or in which the next own move may be the bait."""
    if not uci:
        return
    (san,) = _native.sans(line.epd, [uci])
    for one in drill.traps[line.colour].get(line.epd, ()):
        if one.trap.victim != line.colour:
            continue
        found = beside(drill.lines[line.colour], one)
        if not one.moves and one.trap.bait == uci:
            yield language.text(
                "%(bait)s falls into a trap, %(trap)s: %(line)s.",
                bait=found.bait,
                trap=_named(found, language),
                line=_punished(found),
            )
        elif one.moves[:1] == (san,) and len(one.moves) == _TO_BAIT:
            yield language.text(
                "%(move)s leads to a trap for you, %(trap)s: %(moves)s?",
                move=moves.line([san], _half_move(drill, line) + len(line.moves)),
                trap=_named(found, language),
                moves=_way(found),
            )


def _beside(drill: Drill, line: DrillLine, uci: str, language: Grammar) -> list[str]:
    """The traps beside the line that the repertoire's move avoids, or that lie after it."""
    lines, traps = drill.lines[line.colour], drill.traps[line.colour]
    told = []
    for one in traps.get(line.epd, ()):
        if not one.moves and one.trap.victim == line.colour and one.trap.bait not in lines.moves[line.epd]:
            found = beside(lines, one)
            told.append(
                language.text("It avoids the bait %(bait)s: %(trap)s.", bait=found.bait, trap=_named(found, language))
            )
    for one in traps.get(lines.after[line.epd][uci], ()):
        found = beside(lines, one)
        gaps = {"trap": _named(found, language), "moves": _way(found)}
        if found.is_own:
            told.append(language.text("A trap for you lies beside it, %(trap)s: %(moves)s?", **gaps))
        else:
            told.append(language.text("A trap for your opponent lies beside it, %(trap)s: %(moves)s?", **gaps))
    return told[:TRAPS]


_TO_BAIT = 2
"""Moves from a wrong one to the next own one: itself and the reply."""


def _way(found: TrapBeside) -> str:
    """The moves to a trap with its bait, whose number is left out behind White's move."""
    number, dots, san = found.bait.partition("...")
    return f"{found.moves} {san if dots else number}" if found.moves else found.bait


def _punished(found: TrapBeside) -> str:
    """The line that refutes a bait, with its numbers."""
    _, *line = found.trap.sans()
    digits = int(found.bait.partition(".")[0])
    return moves.line(line, 2 * digits + (2 if "..." in found.bait else 1))


def _named(found: TrapBeside, language: Grammar) -> str:
    return f"{found.trap.name} ({claim(found.trap, language)})"


def _half_move(drill: Drill, line: DrillLine) -> int:
    """Of the first move."""
    return drill.lines[line.colour].ways[line.start].half_move
