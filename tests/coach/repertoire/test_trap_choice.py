"""Traps of a running game: found by searching, proved, and chosen for what they are worth."""

import chess
import pytest

from coach.repertoire import trap_choice
from coach.repertoire.expectation import WeighedMove
from coach.repertoire.live_traps import (
    COST_MARGIN,
    LiveBait,
    LiveTrap,
    baits_of,
    hope_ahead,
    is_trap,
    prove_traps,
    weigh_baits,
    weighed_moves,
)
from coach.repertoire.replies import ReplyModel
from coach.repertoire.trap_choice import TRAP_WEIGHT, Chosen, Opponent, choose_move, prefer_trap
from db.traps.temptation import RatingBand
from trapcore.parallel.budget import Budget, Cancellation
from trapcore.proof.search import search
from trapcore.proof.trap_test import check_bait
from trapcore.win_chance import win_chance

MODEL = ReplyModel(None, RatingBand(1400, 1400))
BEFORE_ELEPHANT = "d2d4 d7d5 c2c4 e7e6 b1c3 g8f6 c1g5 b8d7 c4d5"
PLENTY = 60_000


def trap(move: str, gain: float, taken: float) -> LiveTrap:
    """A trap without a position."""
    return LiveTrap(move, "", (LiveBait("", (), None, gain, taken),), 0.0)


def elephant() -> chess.Board:
    board = chess.Board()
    for uci in BEFORE_ELEPHANT.split():
        board.push_uci(uci)
    return board


def test_a_trap_is_found_by_searching_and_proved() -> None:
    board = elephant()
    weighed = weighed_moves(board, MODEL, 0.05, PLENTY)
    assert all(one.cost <= 0.05 + COST_MARGIN for one in weighed)
    retakes = next(one for one in weighed if one.uci == "e6d5")
    assert "c3d5" in [bait.uci for bait in baits_of(retakes)]
    found = {one.move: one for one in prove_traps(board, weighed, PLENTY)}["e6d5"]
    bait = found.baits[0]
    assert (bait.uci, bait.killer_line[0], bait.mate_in) == ("c3d5", "f6d5", None)
    assert all(each.gain >= 0.3 for each in found.baits)
    assert found.taken == pytest.approx(sum(each.taken for each in found.baits))
    assert found.gain * found.taken == pytest.approx(sum(each.gain * each.taken for each in found.baits))
    assert 0 < found.taken < 1
    after = chess.Board(found.fen)
    assert is_trap(check_bait(after.fen(), bait.uci, budget=Budget(nodes=50_000)), bait.taken)
    assert not is_trap(check_bait(after.fen(), "e2e3", budget=Budget(nodes=50_000)), 1.0)
    assert list(prove_traps(board, weighed, 0)) == []


def test_later_traps_promise_something_if_there_is_time_to_look() -> None:
    board = elephant()
    board.pop()
    board.pop()  # Nbd7 of Black leads to cxd5 exd5, which sets the trap
    knight = weigh_baits(board, ("b8d7", 0.0, 0.0), MODEL, 4_000)
    assert hope_ahead(board, knight, MODEL, 0.3, PLENTY) > 0
    assert hope_ahead(board, knight, MODEL, 0.3, 0) == 0


def test_the_best_move_is_left_for_a_trap_that_is_worth_more() -> None:
    best: Chosen = Chosen("a2a3", 30, None, True)
    top = win_chance(30)
    values = {"cheap": 20, "dear": -60, "better": 90}
    cheap, dear = trap("cheap", 0.5, 0.2), trap("dear", 1.0, 0.9)
    assert prefer_trap(best, [cheap, dear], values.__getitem__, 0.05) == Chosen("cheap", 20, cheap, False)
    assert top - win_chance(-60) > 0.1
    assert prefer_trap(best, [cheap, dear], values.__getitem__, 0.3) == Chosen("dear", -60, dear, False)
    # What it costs is more than what is to be hoped for.
    unlikely = trap("cheap", 0.5, 0.004)
    assert prefer_trap(best, [unlikely], values.__getitem__, 0.05) == best
    # What it is expected to win counts more than what it costs, see `TRAP_WEIGHT`.
    cost = top - win_chance(20)
    for taken, chosen in ((1.1 * cost / (0.5 * TRAP_WEIGHT), "cheap"), (0.9 * cost / (0.5 * TRAP_WEIGHT), "a2a3")):
        assert prefer_trap(best, [trap("cheap", 0.5, taken)], values.__getitem__, 0.05).uci == chosen
    # The trap that the best move sets itself counts for it.
    own = Chosen("a2a3", 30, trap("a2a3", 0.5, 0.5), True)
    assert prefer_trap(own, [cheap], values.__getitem__, 0.05) == own
    # A shorter search that thinks more of a trap does not make it better than the best move.
    assert prefer_trap(best, [trap("better", 0.0, 0.5)], values.__getitem__, 0.05) == best


@pytest.mark.parametrize("allowed", [0.0, 0.05])
def test_the_move_of_a_game_is_chosen_with_its_trap_if_traps_are_wanted(allowed: float) -> None:
    board, asked = elephant(), list[int]()

    def by_search(position: chess.Board, milliseconds: int) -> tuple[str, int]:
        asked.append(milliseconds)
        found = search(position.fen(), Budget(nodes=20_000))
        return found.line[0], found.value

    opponent = Opponent(MODEL, allowed)
    chosen = choose_move(board, 20_000, by_search, opponent, Cancellation())
    assert chosen.uci == "e6d5"
    assert chosen.is_best
    assert (None if chosen.trap is None else chosen.trap.baits[0].uci) == ("c3d5" if allowed else None)
    assert sum(asked) <= 20_000


def test_the_baits_of_the_best_move_are_proved_where_the_look_passed_it_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trap_choice, "weighed_moves", lambda *_: [WeighedMove("f6d5", 0.0, 0.05, ())])
    opponent = Opponent(MODEL, 0.05)

    def chosen(value: int) -> Chosen:
        return choose_move(elephant(), 5_000, lambda *_: ("e6d5", value), opponent, Cancellation())

    set_by_it = chosen(12).trap
    assert set_by_it is not None
    assert "c3d5" in [bait.uci for bait in set_by_it.baits]
    # Who has won sets no traps.
    assert chosen(900).trap is None
