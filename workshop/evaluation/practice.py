"""Judgements of answers in practice held against a strong engine: how often right and wrong agree.

Exercises are drawn from the losing moves of all players of a library's judged games and from its proved traps. Of each
exercise the answers are the bait or the killer, the move that is shown as right, and `OTHERS` of the moves that look
best at first sight. The product's judgement of each is compared with the engine's: an answer is wrong for it if it
costs `BLUNDER` of win chance or more against the best move, each searched with the same nodes. What the product leaves
open is no claim and counted apart.
"""

import json
import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from coach.practice.collect import from_games, from_traps, has_choice
from coach.practice.exercise import Exercise
from coach.practice.judge import Mark, judge
from coach.practice.tested import is_confirmed, right_move
from db.games.losing_moves import lost_moves
from db.games.players import players
from db.games.trap_occurrences import Games, games_of
from db.library.library import Library
from trapcore import _native
from trapcore.engines.uci_engine import UciEngine
from trapcore.errors import InputError, OutputError
from trapcore.statistics import wilson
from trapcore.win_chance import BLUNDER

SECONDS = 3600.0
"""Longest time for a position, so that a busy machine does not end the run."""

OTHERS = 2
"""Moves of an exercise that are judged beside the known ones."""


@dataclass(frozen=True, slots=True)
class Judged:
    """An answer with both judgements."""

    epd: str
    task: str
    origin: str
    answer: str
    known: bool
    """It is the bait or the killer, which no search judges again."""
    mark: str
    cost: float
    """As the product's search sees it; 0 where it was not measured."""
    engine_cost: float
    """Win chance that it costs by the engine, -2..2."""

    @property
    def agrees(self) -> bool | None:
        """Whether the engine draws the same line; None where the product claims nothing."""
        if self.mark == Mark.OPEN:
            return None
        return (self.mark == Mark.WRONG) == (self.engine_cost >= BLUNDER)


def draw_exercises(library: Library, count: int, seed: int) -> list[Exercise]:
    """So many exercises, or all there are: of either side of all games, and of the traps; those of them that are
    confirmed, as a player is given them. Raises `LibraryError`.
    """
    games = games_of(library, players(library))
    lost = from_games(lost_moves(library, games)[0])
    missed = from_games(lost_moves(library, Games(games.rows, frozenset()))[0])
    with library.database.read() as connection:
        traps = list(from_traps(connection))
    every = {(each.epd, each.task): each for each in (*lost, *missed, *traps) if has_choice(each)}
    found = sorted(every.values(), key=lambda each: (each.epd, each.task))
    return list(filter(is_confirmed, random.Random(seed).sample(found, min(count, len(found)))))


def judge_all(
    exercises: Sequence[Exercise], engine: UciEngine, nodes: int, path: Path, progress: Callable[[int], None]
) -> list[Judged]:
    """Both judgements of the answers of each exercise, which are added to the file ``path``, a line of JSON for each.

    What is there already is not judged again, so that an interrupted run goes on. ``progress``: exercises so far.
    Raises `EngineError`, and `OutputError` if the file cannot be written.
    """
    found = read_judged(path)
    done = {(each.epd, each.task) for each in found}
    for number, exercise in enumerate(exercises, start=1):
        if (exercise.epd, str(exercise.task)) in done:
            continue
        here: list[Judged] = []
        best = engine.evaluate(exercise.board(), nodes).chance
        for answer in answers_of(exercise):
            board = exercise.board()
            board.push_uci(answer)
            cost = best + engine.evaluate(board, nodes).chance
            mine = judge(exercise, answer)
            known = answer == exercise.line[0]
            about = (exercise.epd, str(exercise.task), str(exercise.origin), answer, known)
            here.append(Judged(*about, str(mine.mark), mine.cost, cost))
        _add(path, here)
        found += here
        progress(number)
    wanted = {(each.epd, str(each.task)) for each in exercises}
    return [each for each in found if (each.epd, each.task) in wanted]


def answers_of(exercise: Exercise) -> list[str]:
    """The bait or the killer (UCI), the move that is shown as right, and those that look best beside them."""
    known = [move for move in (exercise.line[0], right_move(exercise)) if move is not None]
    others = [move for move, _ in _native.static_ranking(exercise.epd) if move not in known]
    return [*dict.fromkeys(known), *others[:OTHERS]]


def summary(judged: Sequence[Judged]) -> dict[str, object]:
    """The figures: of answers, of whole exercises, and by mark."""
    claims = [each for each in judged if each.agrees is not None]
    searched = [each for each in claims if not each.known]
    by_exercise: dict[tuple[str, str], list[Judged]] = {}
    for each in claims:
        by_exercise.setdefault((each.epd, each.task), []).append(each)
    whole = [all(each.agrees for each in found) for found in by_exercise.values()]
    marks = Counter((each.mark, each.engine_cost >= BLUNDER) for each in judged)
    return {
        "exercises": len({(each.epd, each.task) for each in judged}),
        "answers": len(judged),
        "left_open": len(judged) - len(claims),
        "agreement": _share([bool(each.agrees) for each in claims]),
        "agreement_of_searched": _share([bool(each.agrees) for each in searched]),
        "exercises_without_disagreement": _share(whole),
        "by_mark": {
            mark: {"engine_says_wrong": marks[mark, True], "engine_says_right": marks[mark, False]}
            for mark in map(str, Mark)
        },
    }


def read_judged(path: Path) -> list[Judged]:
    """What an earlier run has written; nothing without a file. Raises `InputError` for another kind of file."""
    if not path.exists():
        return []
    try:
        return [Judged(**json.loads(line)) for line in path.read_text("utf-8").splitlines()]
    except (TypeError, ValueError) as error:
        raise InputError(f"{path} holds no judgements: {error}; move it away") from error


def _add(path: Path, judged: Sequence[Judged]) -> None:
    """All lines of an exercise at once, so that none is judged by half."""
    try:
        with path.open("a", encoding="utf-8") as file:
            file.write("".join(json.dumps(asdict(each)) + "\n" for each in judged))
    except OSError as error:
        raise OutputError(f"{path}: cannot be written: {error.strerror}") from error


def _share(hits: Sequence[bool]) -> dict[str, float]:
    low, high = wilson(sum(hits), len(hits))
    share = sum(hits) / len(hits) if hits else 0.0
    return {"n": len(hits), "hits": sum(hits), "share": round(share, 4), "low": round(low, 4), "high": round(high, 4)}
