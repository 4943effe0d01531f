"""Moves and lines with their numbers, in English SAN for every language, as PGN has it.

A line is shown to where nothing is left to be taken, or to what it is about.
"""

from collections.abc import Iterable, Sequence

import chess

from db.wording.evidence import BETTER, Evidence
from db.wording.facts import Facts, facts_of
from db.wording.material import lost_points
from db.wording.stands import after_line, is_quiet
from trapcore.trees.chess_game import parse_position
from trapcore.win_chance import BLUNDER, INACCURACY, MISTAKE

SIGNS = ((BLUNDER, "??"), (MISTAKE, "?"), (INACCURACY, "?!"))
"""The sign behind a move that costs this much win chance or more, on lichess's borders."""

CONFIDENT = 0.9
"""From this probability on that a move costs `BLUNDER` or more it has ``??`` where a search alone says so: of 443 such
moves, in games left out of its fit, 19 cost less than `MISTAKE` by a strong engine, and 2 of the 283 with this
probability."""

LINE_PLIES = 5
"""Plies shown of a line that a search found, and of a long mate, if it is quiet then."""

MOST_PLIES = 9
"""Most plies shown if the line is not quiet before."""

MATE_PLIES = 7
"""A mate is shown to its end if its line is no longer."""

_NAGS = {"??": 4, "?": 2, "?!": 6}


def number(half_move: int, space: str = "") -> str:
    """``5.`` or ``5...``, and ``space`` behind it; ``half_move`` is twice the move number, plus one if Black moves."""
    return f"{half_move // 2}{'...' if half_move % 2 else '.'}{space}"


def line(sans: Iterable[str], half_move: int, space: str = "") -> str:
    """Moves with their numbers: ``5...Bxd1 6.Bxf7+``, or ``5... Bxd1 6. Bxf7+`` with a space."""
    words = []
    for count, san in enumerate(sans):
        black = (half_move + count) % 2 == 1
        words.append(san if black and count else number(half_move + count, space) + san)
    return " ".join(words)


def sign(cost: float | None, probability: float | None = None) -> str:
    """``??``, ``?``, ``?!`` or nothing behind a move that costs this much (0..2; None if nothing was measured).

    ``probability`` (0..1) is that of a cost of `BLUNDER` or more where only a search says so, and it may be wrong.
    """
    found = "" if cost is None else next((text for least, text in SIGNS if cost >= least), "")
    return "?" if found == "??" and probability is not None and probability < CONFIDENT else found


def nag(cost: float | None, probability: float | None = None) -> int | None:
    """The `sign` of a move in PGN, 4, 2 or 6; None where it has none."""
    return _NAGS.get(sign(cost, probability))


def shown_line(evidence: Evidence, facts: Facts | None = None) -> tuple[str, ...]:
    """The killer line in SAN, as far as it says something: what a search found for material is partly guesswork."""
    facts = facts or facts_of(evidence)
    if evidence.mate_in is not None:
        return facts.line if len(facts.line) <= MATE_PLIES else facts.line[:LINE_PLIES]
    if facts.perpetual is not None:
        return facts.line[: min(facts.perpetual, MOST_PLIES)]
    board = parse_position(evidence.fen)
    board.push_uci(evidence.bait)
    # Where nobody has the advantage a line may show that moves are repeated.
    is_level = evidence.after is not None and abs(evidence.after) < BETTER
    return rounded(board, facts.line if is_level else _without_repetition(board, facts.line))


def told_plies(evidence: Evidence, facts: Facts) -> int | None:
    """Plies of the killer line to show if the player has won material at the end of the usual ones, which show nobody
    why he stands worse: some more, or only the answer; None if he has not."""
    before, usual = parse_position(evidence.fen), len(shown_line(evidence, facts))
    lines = {count: (evidence.bait, *evidence.killer_line[:count]) for count in range(usual, MOST_PLIES + 1)}
    if lost_points(before, lines[usual]) >= 0:
        return None
    later = (count for count, line in lines.items() if len(line) == count + 1 and lost_points(before, line) > 0)
    return next((count for count in later if is_quiet(after_line(before, lines[count]))), 1)


def rounded(board: chess.Board, line: Sequence[str]) -> tuple[str, ...]:
    """A line (SAN, from the position of ``board``) to where a reader can judge it: after `LINE_PLIES`, or the first
    quiet position behind, at most `MOST_PLIES` away; without one to the first that is no check. A line that is no
    longer than `LINE_PLIES` ends where its search had seen enough."""
    board, end = board.copy(stack=False), None
    for count, san in enumerate(line[:MOST_PLIES], 1):
        board.push_san(san)
        if count < LINE_PLIES or board.is_check():
            continue
        if is_quiet(board) and not _promotes_next(board):
            return tuple(line[:count])
        end = end or count
    return tuple(line[: end or LINE_PLIES])


def _promotes_next(board: chess.Board) -> bool:
    """Whether a pawn of the side that is not to move stands one free step before its last rank."""
    step, rank = (8, chess.BB_RANK_7) if not board.turn else (-8, chess.BB_RANK_2)
    pawns = chess.SquareSet(board.pieces_mask(chess.PAWN, not board.turn) & rank)
    return any(board.piece_type_at(pawn + step) is None for pawn in pawns)


def _without_repetition(board: chess.Board, line: tuple[str, ...]) -> tuple[str, ...]:
    """The line until a position comes back."""
    board = board.copy(stack=False)
    seen = {board.epd()}
    for count, san in enumerate(line):
        board.push_san(san)
        if board.epd() in seen:
            return line[:count]
        seen.add(board.epd())
    return line
