"""Draws on the server: offers, agreements, and what lichess ends by itself."""

from collections.abc import Iterator

import chess
import pytest

from tests.fake_lichess.terms import Terms
from tests.support.server_with_bot import ServerWithBot, server_with_bot

BLITZ = Terms(limit=180, increment=2, color="white")


@pytest.fixture
def setup() -> Iterator[ServerWithBot]:
    """Server whose time stands still."""
    with server_with_bot() as made:
        yield made


def test_draw_offers_are_made_declined_and_accepted(setup: ServerWithBot) -> None:
    game, _ = setup.game(BLITZ)
    setup.play(game, "e2e4", "e7e5")
    with setup.stream(game) as lines:
        lines.next()
        setup.server.do(lambda _: game.answer_draw(chess.WHITE, True))
        offer = lines.until(lambda event: event["type"] == "gameState")
        assert (offer["wdraw"], offer["moves"]) == (True, "e2e4 e7e5")
        setup.client.post(f"/api/bot/game/{game.id}/draw/no")
        assert "wdraw" not in lines.until(lambda event: event["type"] == "gameState")
        # Twenty plies until the next offer of the same player.
        setup.server.do(lambda _: game.answer_draw(chess.WHITE, True))
        assert not game.sides[chess.WHITE].offers_draw
        setup.play(game, "g1f3")
        assert setup.client.post(f"/api/bot/game/{game.id}/move/b8c6?offeringDraw=true").status == 200
        setup.server.do(lambda _: game.answer_draw(chess.WHITE, True))
        assert lines.rest()[-1]["status"] == "draw"


def test_a_move_declines_an_offer(setup: ServerWithBot) -> None:
    game, _ = setup.game(BLITZ)
    setup.play(game, "e2e4", "e7e5", "g1f3")
    setup.server.do(lambda _: game.answer_draw(chess.WHITE, True))
    setup.play(game, "b8c6")
    assert not game.sides[chess.WHITE].offers_draw


def test_the_third_repetition_is_a_draw_which_is_claimed_for_the_bot(setup: ServerWithBot) -> None:
    game, _ = setup.game(BLITZ)
    setup.play(game, *("g1f3 g8f6 f3g1 f6g8 " * 2).split()[:-1])
    with setup.stream(game) as lines:
        lines.next()
        setup.play(game, "f6g8")
        states = lines.rest()
    # The state with the move comes first, in a game that goes on.
    assert [(len(state["moves"].split()), state["status"]) for state in states] == [(8, "started"), (8, "draw")]
    assert "winner" not in states[-1]


def test_an_offer_comes_before_the_move_it_is_sent_with(setup: ServerWithBot) -> None:
    game, _ = setup.game(BLITZ)
    setup.play(game, "e2e4", "e7e5", "g1f3")
    with setup.stream(game) as lines:
        lines.next()
        assert setup.client.post(f"/api/bot/game/{game.id}/move/b8c6?offeringDraw=true").status == 200
        offered, moved = (lines.until(lambda event: event["type"] == "gameState") for _ in range(2))
    assert (offered["bdraw"], len(offered["moves"].split())) == (True, 3)
    assert (moved["bdraw"], len(moved["moves"].split())) == (True, 4)
    setup.play(game, "f1c4")
    assert not game.sides[chess.BLACK].offers_draw
    setup.play(game, "g8f6")
    setup.server.do(lambda _: game.answer_draw(chess.WHITE, True))
    setup.play(game, "d2d3")
    assert setup.client.post(f"/api/bot/game/{game.id}/draw/yes").status == 200
    assert (game.status, game.ply) == ("draw", 7)


def test_a_move_that_agrees_to_a_draw_is_not_played(setup: ServerWithBot) -> None:
    game, _ = setup.game(BLITZ)
    setup.play(game, "e2e4", "e7e5", "g1f3")
    setup.server.do(lambda _: game.answer_draw(chess.WHITE, True))
    assert setup.client.post(f"/api/bot/game/{game.id}/move/b8c6?offeringDraw=true").status == 200
    assert (game.status, game.ply) == ("draw", 3)
    assert setup.violations() == []


def test_an_offer_can_be_taken_back(setup: ServerWithBot) -> None:
    game, _ = setup.game(BLITZ)
    setup.play(game, "e2e4", "e7e5")
    assert setup.client.post(f"/api/bot/game/{game.id}/draw/yes").status == 200
    assert game.sides[chess.BLACK].offers_draw
    assert setup.client.post(f"/api/bot/game/{game.id}/draw/no").status == 200
    assert not game.sides[chess.BLACK].offers_draw
    setup.server.do(lambda _: game.answer_draw(chess.WHITE, True))
    assert not game.over


def test_to_offer_a_draw_to_a_bare_king_ends_the_game(setup: ServerWithBot) -> None:
    game, _ = setup.game(Terms(variant="fromPosition", fen="4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", color="black"))
    setup.play(game, "e1d2", "e8e7")
    setup.server.do(lambda _: game.answer_draw(chess.BLACK, True))
    assert not game.over
    with setup.stream(game) as lines:
        assert setup.client.post(f"/api/bot/game/{game.id}/draw/yes").status == 200
        assert lines.rest()[-1]["status"] == "draw"
    other, _ = setup.game(Terms(variant="fromPosition", fen="4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", color="black"), name="B")
    setup.play(other, "e1d2", "e8e7")
    with setup.stream(other) as lines:
        assert setup.client.post(f"/api/bot/game/{other.id}/draw/yes").status == 200
        assert lines.rest()[-1]["status"] == "insufficientMaterialClaim"


def test_in_some_games_no_draw_is_offered_early(setup: ServerWithBot) -> None:
    game, _ = setup.game(Terms(color="white", rules=("noEarlyDraw",)))
    setup.play(game, "e2e4", "e7e5")
    assert setup.client.post(f"/api/bot/game/{game.id}/draw/yes").status == 200
    assert not game.sides[chess.BLACK].offers_draw
