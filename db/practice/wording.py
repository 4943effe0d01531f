"""Words about exercises: what is asked, hints, and what is said of an answer."""

import re
from collections.abc import Sequence

import chess

from db.practice.exercise import Exercise, Origin, Task
from db.practice.judge import Judgement, Mark
from db.wording.claims import year

HINTS = 3
"""Hints of an exercise, each saying more."""

_KINDS = {"mate": "a forced mate", "capture": "a capture or a promotion", "quiet": "a quiet move"}
_WORDS = {
    "attackingF2F7": "attack on f2 or f7",
    "backRankMate": "back-rank mate",
    "capturingDefender": "capture of the defender",
    "defensiveMove": "defence",
    "enPassant": "capture en passant",
    "overloading": "overloaded piece",
    "xRayAttack": "x-ray attack",
}
"""Where the name that lichess writes, taken apart, is no good English."""


def theme_words(theme: str) -> str:
    """A theme in words: ``discovered attack``."""
    return _WORDS.get(theme) or re.sub(r"(?=[A-Z])", " ", theme).lower()


def numbered(board: chess.Board, line: Sequence[str]) -> str:
    """A line (UCI) in SAN with its move numbers: ``23...Qe3+ 24.Kh1 Rxf1#``."""
    return re.sub(r"(\d\.+) ", r"\1", board.variation_san([chess.Move.from_uci(move) for move in line]))


def question(exercise: Exercise) -> str:
    """What is asked, without a word too many about the answer."""
    side = "White" if exercise.board().turn else "Black"
    if exercise.task is Task.SAFE:
        return f"{side} to move: a natural move loses here. Find one that does not."
    after = f" after {_last(exercise)}" if exercise.played_before else ""
    return f"{side} to move{after}: find the killer."


def source(exercise: Exercise) -> str:
    """Where it is from, told after the answer."""
    game = exercise.game
    if game is None:
        return f"This is {exercise.name}." if exercise.name else ""
    what = "The move that loses was yours" if exercise.origin is Origin.LOST else "You missed it"
    played = f"{game.white} – {game.black}" + (f", {year(game.date)}" if year(game.date) else "")
    return f"{what} in {played}{f' ({game.address})' if game.address else ''}."


def hint(exercise: Exercise, number: int) -> str:
    """A hint, from 1 to `HINTS`: what it is about, which piece, and which square."""
    board = exercise.board()
    if exercise.task is Task.SAFE:
        bait = chess.Move.from_uci(exercise.line[0])
        if number == 1:
            return f"The move to avoid loses to {_about(exercise)}."
        if number == 2:
            return f"It is a move of the {_piece(board, bait)}."
        return f"It is {numbered(board, exercise.line[:2])}."
    killer = chess.Move.from_uci(exercise.line[0])
    if number == 1:
        return f"Look for {_about(exercise)}."
    if number == 2:
        return f"The {_piece(board, killer)} moves."
    return f"It goes to {chess.square_name(killer.to_square)}."


def hinted_move(exercise: Exercise) -> str:
    """The move (UCI) that the hints are about, for a board: the bait where a safe move is asked, else the killer."""
    return exercise.line[0]


def verdict(exercise: Exercise, answer: str, judgement: Judgement) -> str:
    """What is said of an answer (UCI)."""
    board = exercise.board()
    move = numbered(board, [answer])
    line = numbered_after(board, answer, judgement.line)
    if judgement.mark is Mark.OPEN:
        return f"The search does not settle {move}, so it does not count. Try another move."
    if judgement.mark is Mark.SLOW:
        return f"{move} wins too, but there is a mate in {exercise.mate_in}. Try again."
    if judgement.mark is Mark.RIGHT:
        goes_on = f" It goes on {line}." if line and exercise.task is Task.KILLER else ""
        return f"Right: {move}.{goes_on}"
    how = f"loses to a mate in {judgement.mate_in}" if judgement.mate_in is not None else _cost(exercise, judgement)
    return f"{move} {how}{f': {line}' if line else ''}."


def solution(exercise: Exercise, best: str | None) -> str:
    """The answer; ``best`` (UCI) is a right move where a safe one is asked, None if none is known."""
    board = exercise.board()
    if exercise.task is Task.KILLER:
        return f"The killer is {numbered(board, exercise.line)}."
    bait = f"{numbered(board, exercise.line[:1])} loses to {numbered_after(board, *_split(exercise))}"
    return f"{bait}; {numbered(board, [best])} does not." if best is not None else f"{bait}."


def numbered_after(board: chess.Board, answer: str, line: Sequence[str]) -> str:
    """What follows a move, with numbers."""
    after = board.copy(stack=False)
    after.push_uci(answer)
    return numbered(after, line)


def _split(exercise: Exercise) -> tuple[str, tuple[str, ...]]:
    return exercise.line[0], exercise.line[1:]


def _last(exercise: Exercise) -> str:
    before = chess.Board(exercise.before)
    board = exercise.board()
    # The move number that the position has, counted back for the move before it.
    before.fullmove_number = board.fullmove_number - (1 if board.turn else 0)
    if exercise.number is None:
        return before.san(before.parse_uci(exercise.played_before))
    return numbered(before, [exercise.played_before])


def _about(exercise: Exercise) -> str:
    if exercise.mate_in is not None:
        return f"a mate in {exercise.mate_in}"
    first = exercise.themes[0]
    return _KINDS.get(first) or f"{'an' if theme_words(first)[0] in 'aeiou' else 'a'} {theme_words(first)}"


def _piece(board: chess.Board, move: chess.Move) -> str:
    kind = board.piece_type_at(move.from_square)
    return f"{chess.piece_name(kind) if kind else 'piece'} on {chess.square_name(move.from_square)}"


def _cost(exercise: Exercise, judgement: Judgement) -> str:
    share = f"{50 * judgement.cost:.0f} % of win chance"
    if exercise.task is Task.KILLER:
        return f"lets it go and costs {share}" if judgement.cost else "lets it go"
    return f"costs {share}" if judgement.cost else "loses"
