"""Absent opponents: what lichess tells of them, and when it takes a claim."""

import chess
import pytest

from tests.fake_lichess.game import Game
from tests.fake_lichess.terms import Terms
from tests.support.server_with_bot import ServerWithBot

AS_WHITE = Terms(limit=180, increment=2, color="white")


def left(setup: ServerWithBot, terms: Terms = AS_WHITE, moves: tuple[str, ...] = ("e2e4", "e7e5")) -> Game:
    """A game whose opponent leaves on his own turn."""
    game, _ = setup.game(terms)
    setup.play(game, *moves)
    setup.server.do(lambda site: site.leave(game, chess.WHITE))
    return game


def claim(setup: ServerWithBot, game: Game, what: str = "victory") -> int:
    return setup.client.post(f"/api/bot/game/{game.id}/claim-{what}").status


def test_whole_seconds_are_told_rounded_down_and_again_and_again(setup: ServerWithBot) -> None:
    game, _ = setup.game(AS_WHITE)
    setup.play(game, "e2e4", "e7e5")
    with setup.stream(game) as lines:
        lines.next()
        setup.server.do(lambda site: site.leave(game, chess.WHITE))
        told: list[int] = []
        for _ in range(40):
            setup.server.advance(1)
        while len(told) < 8:
            told.append(lines.next()["claimWinInSeconds"])
        setup.server.do(lambda _: game.come_back(chess.WHITE))
        assert lines.next() == {"type": "opponentGone", "gone": False}
    assert told == [29, 24, 19, 14, 9, 4, 0, 0]


def test_a_zero_may_come_before_its_time(setup: ServerWithBot) -> None:
    setup.server.do(lambda site: setattr(site.rules, "gone_phase", 4.5))
    game = left(setup)
    with setup.stream(game) as lines:
        lines.next()
        setup.server.advance(29.6)
        told = [lines.next()["claimWinInSeconds"] for _ in range(6)]
    assert told == [25, 20, 15, 10, 5, 0]
    assert claim(setup, game) == 400
    setup.server.advance(0.5)
    assert claim(setup, game) == 200
    assert (game.status, game.winner) == ("timeout", chess.BLACK)


@pytest.mark.parametrize(("what", "winner"), [("victory", chess.BLACK), ("draw", None)])
def test_a_claim_is_answered_after_half_a_second(setup: ServerWithBot, what: str, winner: chess.Color | None) -> None:
    game = left(setup)
    setup.server.advance(30)
    assert claim(setup, game, what) == 400
    setup.server.advance(0.1)
    assert claim(setup, game, what) == 200
    assert (game.status, game.winner) == ("timeout", winner)
    assert setup.violations() == (["drawn_win"] if what == "draw" else [])


def test_a_claim_on_the_own_turn_changes_nothing_and_is_no_error(setup: ServerWithBot) -> None:
    game = left(setup, moves=("e2e4", "e7e5", "g1f3"))
    setup.server.advance(31)
    assert claim(setup, game) == claim(setup, game, "draw") == 200
    assert not game.over


def test_who_cannot_mate_gets_a_draw_and_an_error(setup: ServerWithBot) -> None:
    fen = "4k3/8/8/8/8/8/8/R3K3 w Q - 0 1"
    terms = Terms(variant="fromPosition", fen=fen, color="white", limit=60)
    game = left(setup, terms, moves=("a1a2", "e8e7"))
    setup.server.advance(31)
    assert claim(setup, game) == 400
    assert (game.status, game.winner, setup.violations()) == ("timeout", None, [])


def test_where_the_rules_of_a_game_forbid_it_nothing_can_be_claimed(setup: ServerWithBot) -> None:
    game = left(setup, Terms(limit=60, color="white", rules=("noClaimWin",)))
    setup.server.advance(31)
    assert (claim(setup, game), game.over) == (200, False)
