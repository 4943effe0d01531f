"""Judgement of an answer: right, wrong, or neither.

What is known is not searched again: the bait of the exercise is wrong, its killer right. Any other move, also the one
that seemed best when the games were searched, is put to the trap test (`trapcore.proof.trap_test`) with `NODES`
nodes for each of its questions. The product's border between them is `BLUNDER` of win chance, and an answer is judged
only where it is clear on which side it is: wrong costs `MARGIN` more than that and leaves no advantage, right costs
`CLOSE` less. Where the search sees a mate at once there are no depths to compare, and the answer is searched against
that.
Where a mate is known, only a move that is proved to mate as well is right. Another winning move is named as such.

Of a decoy it is known that no move wins: only `NOTHING` is right, and every other answer is wrong.

An answer that wins is never wrong, not even the bait: before an answer is called wrong or unclear, the position after
it is searched with `WINS_NODES` nodes. What is not clear then is neither right nor wrong.
"""

from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from hashlib import blake2b

from coach.practice.exercise import NOTHING, Exercise, Task
from db.storage.practice_rows import MoveTest
from db.traps.events import mates
from trapcore import _native
from trapcore.parallel.budget import Budget, Cancellation
from trapcore.proof.search import search
from trapcore.proof.trap_test import TESTER_VERSION, BaitTest, check_bait
from trapcore.proof.verdict import Verdict
from trapcore.trees.chess_game import parse_position
from trapcore.win_chance import BLUNDER, win_chance

NODES = 100_000
"""Nodes for each question of the test: about half a second in all."""

MARGIN, CLOSE = 0.1, 0.2
"""Win chance above and below `BLUNDER` within which the search claims nothing."""

LEVEL = 0.1
"""Win chance, -1..1, up to which a side has no advantage. Searches differ on what a move costs that goes from a won
position to one that is still better, or from a bad one to a worse."""

WINS_NODES = 4 * NODES
"""Nodes that show whether an answer wins: so many see a mate in six that `NODES` do not see."""

WINS = 0.7
"""Win chance, -1..1, from which an answer wins."""

ALONE = 0.2
"""Win chance, 10 points, that every move but one lets slip at least if a question has one answer."""

OBVIOUS = 0.95
"""Share of players rated `_native.MIDDLE_RATING` who play a move, by the move model, that needs no practice."""

LINE = 7
"""Most plies of a line that does not end in mate; what a search sees farther off is no longer forced."""


class Mark(StrEnum):
    """What an answer is."""

    RIGHT = "right"
    WRONG = "wrong"
    SLOW = "slow"
    """It gives nothing away, but does not mate where there is a mate."""
    OPEN = "open"
    """The search does not settle it."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """What is seen of an answer."""

    mark: Mark
    line: tuple[str, ...]
    """UCI: how it goes on after the answer, the refutation of a wrong one; may be empty. Of a decoy the killer that
    fails and its refutation, whatever was answered."""
    cost: float
    """Win chance that it costs against the best move, -2..2; 0 where that was not measured."""
    mate_in: int | None = None
    """Moves to the mate that a wrong answer allows."""


def check_move(epd: str, move: str) -> MoveTest:
    """What the search of `NODES` nodes says of a move (UCI): whether it is as clear a loss as it has to see any other,
    in a position that exactly one other move would have held, no obvious one; and the best other move."""
    test = check_bait(epd, move, budget=Budget(nodes=NODES))
    held = bool(test.depths) and win_chance(test.depths[-1].best) >= -LEVEL
    is_clear = _is_loss(test) and held and test.best is not None
    return MoveTest(is_clear and _if_alone(epd, test.best or "") is not None, test.best)


def check_killer(epd: str, killer: str) -> MoveTest:
    """Whether a killer (UCI) gives an advantage that no other move gives, and is not obvious."""
    chance = _if_alone(epd, killer)
    return MoveTest(chance is not None and chance >= BLUNDER, None)


def _if_alone(epd: str, move: str) -> float | None:
    """Win chance after a move, -1..1, if every other move lets slip `ALONE` of it or more, and the move is not
    `OBVIOUS`; else None."""
    if dict(_native.move_probabilities(epd, None, _native.MIDDLE_RATING))[move] >= OBVIOUS:
        return None
    board = parse_position(epd)
    others = [uci for uci in map(board.uci, board.legal_moves) if uci != move]
    mine, rest = (search(epd, Budget(nodes=NODES), only=moves) for moves in ([move], others))
    chance = win_chance(mine.value)
    return chance if chance - win_chance(rest.value) >= ALONE else None


@lru_cache(maxsize=1024)
def refuted_shot(epd: str, shot: str) -> BaitTest | None:
    """The test of a move (UCI) that loses clearly where no move gives an advantage, with the line that refutes it; None
    for any other."""
    test = check_bait(epd, shot, budget=Budget(nodes=NODES))
    is_level = bool(test.depths) and win_chance(test.depths[-1].best) <= LEVEL
    return test if is_level and _is_loss(test) else None


def check_decoy(epd: str, killer: str) -> MoveTest:
    """Whether a killer fails clearly in a position where nothing wins; and the best other move."""
    test = refuted_shot(epd, killer)
    return MoveTest(test is not None, None if test is None else test.best)


def failing_line(decoy: Exercise) -> tuple[str, ...]:
    """The killer of a decoy and what refutes it (UCI)."""
    if len(decoy.line) > 1:
        return decoy.line
    test = refuted_shot(decoy.epd, decoy.line[0])
    return decoy.line if test is None else (*decoy.line, *_shown(test.killer_line, test.mate_in))


TEST = blake2b(
    repr((TESTER_VERSION, NODES, BLUNDER, MARGIN, LEVEL, ALONE, OBVIOUS)).encode(), digest_size=16
).hexdigest()
"""Digest of everything that an answer of `check_move` depends on."""
DECOY_TEST = f"{TEST[:26]}-decoy"
"""The same for `check_decoy`,"""
KILLER_TEST = f"{TEST[:25]}-killer"
"""and for `check_killer`."""


def _is_loss(test: BaitTest) -> bool:
    """Whether the test claims a loss that is clear: it leaves no advantage, and costs `MARGIN` more than the border."""
    if test.verdict is not Verdict.PROVED or test.mate_in is not None:
        return test.verdict is Verdict.PROVED
    return test.loss >= BLUNDER + MARGIN and win_chance(test.depths[-1].bait) <= LEVEL


def judge(exercise: Exercise, answer: str, stop: Cancellation | None = None) -> Judgement:
    """Judge a legal move (UCI), or `SOMETHING` or `NOTHING`.

    `SOMETHING` is judged in a decoy only: elsewhere it is right, and the move is still to come. Raises `PositionError`
    for a move that is not legal.
    """
    if exercise.is_decoy:
        mark = Mark.RIGHT if answer == NOTHING else Mark.WRONG
        return Judgement(mark, failing_line(exercise), exercise.cost)
    if answer == NOTHING:
        return Judgement(Mark.WRONG, (), exercise.cost)
    judgement = _first_judgement(exercise, answer, Budget(nodes=NODES), stop)
    if judgement.mark not in (Mark.WRONG, Mark.OPEN) or judgement.mate_in is not None:
        return judgement
    after = search(exercise.epd, Budget(nodes=WINS_NODES), stop, moves=[answer])
    wins = after.mate_in == 0 or win_chance(after.value) <= -WINS
    return Judgement(_sound(exercise), _shown(after.line, None), 0.0) if wins else judgement


def _first_judgement(exercise: Exercise, answer: str, budget: Budget, stop: Cancellation | None) -> Judgement:
    """What is known of the answer, or what the trap test says of it."""
    if answer == exercise.bait:
        line = _shown(exercise.killer_line, exercise.mate_in)
        return Judgement(Mark.WRONG, line, exercise.cost, exercise.mate_in)
    if exercise.task is Task.KILLER:
        if answer == exercise.line[0]:
            return Judgement(Mark.RIGHT, _shown(exercise.line[1:], exercise.mate_in), 0.0)
        if exercise.mate_in is not None and mates(exercise.board(), answer, exercise.mate_in):
            return Judgement(Mark.RIGHT, (), 0.0)
    test = check_bait(exercise.epd, answer, budget=budget, stop=stop)
    if test.verdict is Verdict.UNDECIDED:
        return _against_a_mate(exercise, answer, budget, stop)
    if _is_loss(test):
        return Judgement(Mark.WRONG, _shown(test.killer_line, test.mate_in), test.loss, test.mate_in)
    if test.verdict is not Verdict.REFUTED or test.loss > BLUNDER - CLOSE:
        return Judgement(Mark.OPEN, (), test.loss)
    return Judgement(_sound(exercise), _shown(test.killer_line, None), test.loss)


def _against_a_mate(exercise: Exercise, answer: str, budget: Budget, stop: Cancellation | None) -> Judgement:
    """Judgement of a move that does not mate where another does; open where the search sees no mate."""
    best = search(exercise.epd, budget, stop)
    if best.mate_in is None or best.mate_in <= 0:
        return Judgement(Mark.OPEN, (), 0.0)
    after = search(exercise.epd, budget, stop, moves=[answer])
    cost = 1.0 + win_chance(after.value)
    if cost >= 1.0 - LEVEL:
        return Judgement(Mark.WRONG, _shown(after.line, None), cost)
    return Judgement(_sound(exercise) if cost <= BLUNDER - CLOSE else Mark.OPEN, _shown(after.line, None), cost)


def _sound(exercise: Exercise) -> Mark:
    return Mark.SLOW if exercise.task is Task.KILLER and exercise.mate_in is not None else Mark.RIGHT


def _shown(line: tuple[str, ...], mate_in: int | None) -> tuple[str, ...]:
    return line if mate_in is not None else line[:LINE]
