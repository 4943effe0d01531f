"""Words about exercises: what is asked, hints, and what is said of an answer, in the sentences of the grammar."""

import re
from collections.abc import Sequence

import chess

from coach.practice.collect import plain_theme
from coach.practice.exercise import NOTHING, Exercise, Origin, Task
from coach.practice.judge import Judgement, Mark, failing_line
from coach.practice.tested import right_move
from db.patterns.keys import Level, Pattern
from db.traps.terms import KINDS, Side
from db.wording.causes import cause_name
from db.wording.claims import points_of_cost, year
from db.wording.effects.finding import effects_of
from db.wording.languages.english import ENGLISH
from db.wording.languages.grammar import Grammar
from db.wording.names import theme_name

HINTS = 3
"""Hints of an exercise, each saying more."""

_REFUTATION = 3
"""Plies of the line that refutes a decoy's killer, in a sentence; the board shows all of it."""

_PLAIN = frozenset(KINDS) - {"mate"} | {"quietMove"}
"""Themes that say only what kind of move the killer is."""

PIECE_HINT = 2
"""The hint that names the piece and its square."""


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


def question(exercise: Exercise, language: Grammar = ENGLISH, *, sure: bool = False) -> str:
    """What is asked, without a word too many about the answer; ``sure`` if it was answered that something wins."""
    side = language.sides[exercise.board().turn]
    if exercise.task is Task.SAFE:
        return language.practice["ask_safe"].format(side=side)
    if sure:
        return language.practice["ask_which"].format(side=side)
    key = "ask_killer_after" if exercise.played_before else "ask_killer"
    return language.practice[key].format(side=side, last=_last(exercise) if exercise.played_before else "")


def source(exercise: Exercise, language: Grammar = ENGLISH) -> str:
    """Where it is from, shown after the answer."""
    words, game = language.practice, exercise.game
    told = []
    if exercise.origin in (Origin.PATTERN, Origin.DECOY):
        told.append(words[f"from_{exercise.origin}"].format(pattern=_pattern_name(exercise, language)))
    if game is None:
        told += [words["from_trap"].format(name=exercise.name)] if exercise.name else []
        return " ".join(told)
    played = f"{game.white} – {game.black}" + (f", {year(game.date)}" if year(game.date) else "")
    key = {Origin.LOST: "was_yours", Origin.MISSED: "was_missed"}.get(exercise.origin, "was_played")
    told.append(words[key].format(game=played, address=f" ({game.address})" if game.address else ""))
    return " ".join(told)


def _pattern_name(exercise: Exercise, language: Grammar) -> str:
    """What the closest pattern is called, with the squares of who is not to move: he made the mistake."""
    colour: Side = "black" if exercise.board().turn else "white"
    return Pattern(exercise.patterns[0]).name(language, colour)


def hint(exercise: Exercise, number: int, language: Grammar = ENGLISH) -> str:
    """A hint, from 1 to `HINTS`: the motif, the piece that moves, and the kind of move.

    No hint names the move. If a killer is asked, the hints are true of a decoy as well. If a safe move is asked, the
    first is about the move to avoid; the others need the right move, which may have to be searched.
    """
    board, words = exercise.board(), language.practice
    if number == 1:
        return _motif(exercise, language)
    if number == PIECE_HINT:
        square = hinted_square(exercise)
        if not square:
            is_kings = chess.square_file(chess.parse_square(_hinted(exercise)[:2])) >= chess.FILE_NAMES.index("e")
            return words["consider_kings_side" if is_kings else "consider_queens_side"]
        kind = board.piece_type_at(chess.parse_square(square))
        assert kind is not None
        return words["consider_piece"].format(piece=language.the_piece[kind], square=square)
    return words[_nature(board, _hinted(exercise))].format(subject=words["the_move"])


def hinted_square(exercise: Exercise) -> str:
    """The square of the piece that the second hint names; empty if it has a single move, which would be the answer."""
    square = _hinted(exercise)[:2]
    origin = chess.BB_SQUARES[chess.parse_square(square)]
    return square if len(list(exercise.board().generate_legal_moves(origin))) > 1 else ""


def _hinted(exercise: Exercise) -> str:
    """The move (UCI) that the hints are about: the killer, else the safe move, or the bait if none is known."""
    return exercise.line[0] if exercise.task is Task.KILLER else right_move(exercise) or exercise.line[0]


def _motif(exercise: Exercise, language: Grammar) -> str:
    """What loses, or what to think of: never only that something is taken, or that the move is quiet."""
    words = language.practice
    if exercise.task is Task.SAFE:
        cause = next((key for key in exercise.patterns if Pattern(key).level is Level.CAUSE), "")
        if cause and exercise.mate_in is None:
            return words["avoid_cause"].format(cause=cause_name(cause, language))
        return words["avoid_what"].format(theme=_about(exercise, language))
    kind = _target(exercise) if exercise.themes[0] in _PLAIN else None
    if kind is not None:
        return words["look_for_piece"].format(piece=language.the_piece[kind])
    return words["look_for"].format(theme=_about(exercise, language))


def _target(exercise: Exercise) -> chess.PieceType | None:
    """What the killer takes, checks or attacks; None if it is nothing."""
    board, move = exercise.board(), chess.Move.from_uci(exercise.line[0])
    taken = board.piece_type_at(move.to_square)
    if taken is not None or board.gives_check(move):
        return taken or chess.KING
    effects = effects_of(board, exercise.line[:1], 2 * board.fullmove_number)
    return next((each.targets[0][0] for each in effects if each.does in ("attack", "pin")), None)


def _nature(board: chess.Board, uci: str) -> str:
    """The key of the sentence that says whether a move captures and gives check."""
    move = chess.Move.from_uci(uci)
    takes, checks = board.is_capture(move), board.gives_check(move)
    return "takes_with_check" if takes and checks else "takes" if takes else "checks" if checks else "is_quiet"


def verdict(exercise: Exercise, answer: str, judgement: Judgement, language: Grammar = ENGLISH) -> str:
    """What is said of an answer (UCI, `SOMETHING` or `NOTHING`)."""
    board, words = exercise.board(), language.practice
    if exercise.is_decoy:
        return words["nothing" if judgement.mark is Mark.RIGHT else "nothing_wins"].format(
            **_failing(exercise, judgement.line)
        )
    if answer == NOTHING:
        return words["something_wins"]
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
    if exercise.is_decoy:
        told = words["nothing_wins"].format(**_failing(exercise, failing_line(exercise)))
        return f"{told} {words['better'].format(best=numbered(board, [best]))}" if best is not None else told
    if exercise.task is Task.KILLER:
        return words["killer_is"].format(line=numbered(board, exercise.line))
    gaps = {
        "move": numbered(board, exercise.line[:1]),
        "line": numbered_after(board, exercise.line[0], exercise.line[1:]),
    }
    if best is None:
        return words["loses_to"].format(**gaps)
    return words["loses_to_best"].format(**gaps, best=numbered(board, [best]))


def _failing(decoy: Exercise, line: Sequence[str]) -> dict[str, str]:
    """The killer of a decoy and its refutation, for the sentences that name both."""
    board = decoy.board()
    return {"move": numbered(board, line[:1]), "line": numbered_after(board, line[0], line[1 : 1 + _REFUTATION])}


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
    # In how many moves would say that there is one.
    if exercise.mate_in is not None and exercise.task is Task.SAFE:
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
