"""Words about exercises: what is asked, hints, and what is said of an answer, in the sentences of the grammar."""

import re
from collections.abc import Sequence

import chess

from db.practice.collect import plain_theme
from db.practice.exercise import Exercise, Origin, Task
from db.practice.judge import Judgement, Mark
from db.wording.claims import points_of_cost, year
from db.wording.english import ENGLISH
from db.wording.grammar import Grammar
from db.wording.names import theme_name

HINTS = 3
"""Hints of an exercise, each saying more."""


def theme_words(theme: str, language: Grammar = ENGLISH) -> str:
    """A theme in words: ``discovered attack``; empty for none."""
    return theme_name(theme, language) if theme else ""


def theme_key(text: str, language: Grammar) -> str:
    """The theme that is called so in a language, as lichess writes it; else the text as it is."""
    wanted = plain_theme(text)
    called = (key for key, (name, _) in language.theme_names.items() if plain_theme(name) == wanted)
    return next(called, text) if wanted else text


def numbered(board: chess.Board, line: Sequence[str]) -> str:
    """A line (UCI) in SAN with its move numbers: ``23...Qe3+ 24.Kh1 Rxf1#``."""
    return re.sub(r"(\d\.+) ", r"\1", board.variation_san([chess.Move.from_uci(move) for move in line]))


def question(exercise: Exercise, language: Grammar = ENGLISH) -> str:
    """What is asked, without a word too many about the answer."""
    side = language.sides[exercise.board().turn]
    if exercise.task is Task.SAFE:
        return language.practice["ask_safe"].format(side=side)
    key = "ask_killer_after" if exercise.played_before else "ask_killer"
    return language.practice[key].format(side=side, last=_last(exercise) if exercise.played_before else "")


def source(exercise: Exercise, language: Grammar = ENGLISH) -> str:
    """Where it is from, told after the answer."""
    game = exercise.game
    if game is None:
        return language.practice["from_trap"].format(name=exercise.name) if exercise.name else ""
    played = f"{game.white} – {game.black}" + (f", {year(game.date)}" if year(game.date) else "")
    key = "was_yours" if exercise.origin is Origin.LOST else "was_missed"
    return language.practice[key].format(game=played, address=f" ({game.address})" if game.address else "")


def hint(exercise: Exercise, number: int, language: Grammar = ENGLISH) -> str:
    """A hint, from 1 to `HINTS`: what it is about, which piece, and which square."""
    board, words = exercise.board(), language.practice
    move = chess.Move.from_uci(hinted_move(exercise))
    kind = board.piece_type_at(move.from_square)
    assert kind is not None
    origin, target = chess.square_name(move.from_square), chess.square_name(move.to_square)
    if exercise.task is Task.SAFE:
        if number == 1:
            return words["avoid_what"].format(theme=_about(exercise, language))
        if number == 2:
            return words["avoid_piece"].format(piece=language.the_piece[kind], square=origin)
        return words["avoid_move"].format(line=numbered(board, exercise.line[:2]))
    if number == 1:
        return words["look_for"].format(theme=_about(exercise, language))
    if number == 2:
        told = words["moves_piece"].format(subject=language.subject[kind], square=origin)
        return told[:1].upper() + told[1:]
    return words["goes_to"].format(square=target)


def hinted_move(exercise: Exercise) -> str:
    """The move (UCI) that the hints are about, for a board: the bait where a safe move is asked, else the killer."""
    return exercise.line[0]


def verdict(exercise: Exercise, answer: str, judgement: Judgement, language: Grammar = ENGLISH) -> str:
    """What is said of an answer (UCI)."""
    board, words = exercise.board(), language.practice
    move = numbered(board, [answer])
    line = numbered_after(board, answer, judgement.line)
    if judgement.mark is Mark.OPEN:
        return words["open"].format(move=move)
    if judgement.mark is Mark.SLOW:
        return words["slow"].format(move=move, count=exercise.mate_in)
    if judgement.mark is Mark.RIGHT:
        key = "right_line" if line and exercise.task is Task.KILLER else "right"
        return words[key].format(move=move, line=line)
    return words["wrong_line" if line else "wrong"].format(
        move=move, how=_how(exercise, judgement, language), line=line
    )


def solution(exercise: Exercise, best: str | None, language: Grammar = ENGLISH) -> str:
    """The answer; ``best`` (UCI) is a right move where a safe one is asked, None if none is known."""
    board, words = exercise.board(), language.practice
    if exercise.task is Task.KILLER:
        return words["killer_is"].format(line=numbered(board, exercise.line))
    gaps = {
        "move": numbered(board, exercise.line[:1]),
        "line": numbered_after(board, exercise.line[0], exercise.line[1:]),
    }
    if best is None:
        return words["loses_to"].format(**gaps)
    return words["loses_to_best"].format(**gaps, best=numbered(board, [best]))


def numbered_after(board: chess.Board, answer: str, line: Sequence[str]) -> str:
    """What follows a move, with numbers."""
    after = board.copy(stack=False)
    after.push_uci(answer)
    return numbered(after, line)


def _last(exercise: Exercise) -> str:
    before = chess.Board(exercise.before)
    board = exercise.board()
    # The move number that the position has, counted back for the move before it.
    before.fullmove_number = board.fullmove_number - (1 if board.turn else 0)
    if exercise.number is None:
        return before.san(before.parse_uci(exercise.played_before))
    return numbered(before, [exercise.played_before])


def _about(exercise: Exercise, language: Grammar) -> str:
    if exercise.mate_in is not None:
        return language.a_mate[None][1].format(count=exercise.mate_in)
    first = exercise.themes[0]
    return theme_name(first, language, in_sentence=True)


def _how(exercise: Exercise, judgement: Judgement, language: Grammar) -> str:
    if judgement.mate_in is not None:
        return language.practice["loses_to_mate"].format(count=judgement.mate_in)
    key = "lets_go" if exercise.task is Task.KILLER else "loses"
    if not judgement.cost:
        return language.practice[key]
    return language.practice[f"{key}_cost"].format(points=points_of_cost(judgement.cost))
