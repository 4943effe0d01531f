"""A tested move of a game as a trap: its line as far as it shows the gain, its name, its family."""

from dataclasses import replace

import chess
from sqlalchemy import or_, select

from db.library.library import Library
from db.mining.candidates import Place
from db.storage.tables import TrapRow
from db.traps.openings import opening_of
from db.traps.terms import Outcome
from db.traps.trap import Trap, slugify
from db.wording.patterns import pattern_of
from trapcore import _native
from trapcore.proof.trap_test import BaitTest
from trapcore.trees.chess_game import parse_position
from trapcore.trees.position_key import mirror, mirror_move
from trapcore.win_chance import win_chance

SOURCE = "mined"
"""The source of mined traps."""

NEAR = 0.5
"""Least similarity of the local trees (sequences of two plies) at which traps with the same moves are of one family."""

_NEARLY = 0.1  # win chance; a line may end if it has shown all of the gain except this


def mined_trap(place: Place, test: BaitTest) -> Trap:
    """The trap of a move that the test proved to lose, without the proof."""
    board = parse_position(place.epd)
    line = _telling(board, place.bait, test.killer_line) if test.mate_in is None else test.killer_line[:1]
    opening = opening_of(place.epds)
    pattern = "mate" if test.mate_in is not None else pattern_of(place.epd, (place.bait, *line))[0]
    bait = chess.Move.from_uci(place.bait)
    moves = None
    if place.before is not None:
        start = chess.Board()
        moves = start.variation_san([chess.Move.from_uci(move) for move in place.before]) if place.before else ""
        number = f"{len(place.before) // 2 + 1}{'.' if board.turn else '...'}"
    else:
        number = "" if board.turn else "..."
    where = opening.name if opening is not None else "Unnamed opening"
    name = f"{where}: {pattern.replace('-', ' ')} after {number}{board.san(bait)}"
    return Trap(
        slug=slugify(name),
        name=name,
        family=pattern,
        epd=place.epd,
        bait=place.bait,
        killer_line=line,
        outcome=Outcome.MATERIAL,
        eco=opening.eco if opening is not None else "",
        opening=opening.name if opening is not None else "",
        moves=moves,
        source=SOURCE,
    )


def with_family(library: Library, trap: Trap) -> Trap:
    """The trap in the family of its nearest near duplicate, of either colour, if the library has one."""
    mirrored = mirror_move(trap.bait), mirror_move(trap.killer_line[0])
    same = [(trap.bait, trap.killer_line[0], trap.epd), (*mirrored, mirror(trap.epd))]
    nearest, family = NEAR, trap.family
    with library.database.read() as connection:
        for bait, killer, epd in same:
            starts = or_(TrapRow.killer_line == killer, TrapRow.killer_line.startswith(f"{killer} "))
            for other, name in connection.execute(
                select(TrapRow.epd, TrapRow.family).where(TrapRow.bait == bait, starts).order_by(TrapRow.id)
            ):
                similarity = _native.sequences(epd, other, 2, "uci", False, False)
                if similarity >= nearest:
                    nearest, family = similarity, name
    return replace(trap, family=family)


def _telling(board: chess.Board, bait: str, line: tuple[str, ...]) -> tuple[str, ...]:
    """The line until the attacker has what it wins, and keeps it to its end: the search's line goes on beyond that."""
    board = board.copy(stack=False)
    board.push_uci(bait)
    ends = []
    for number, move in enumerate(line):
        board.push_uci(move)
        if number % 2 == 0:
            # The victim is to move.
            ends.append(-win_chance(_native.qsearch(board.fen())) if not board.is_game_over() else 0.0)
    for number in range(len(ends)):
        if min(ends[number:]) >= ends[-1] - _NEARLY:
            return line[: 2 * number + 1]
    return line
