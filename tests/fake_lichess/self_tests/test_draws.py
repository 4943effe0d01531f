"""Draws on the server: offers, agreements, and what lichess ends by itself."""

import chess

from tests.fake_lichess.terms import Terms
from tests.support.server_with_bot import ServerWithBot

BLITZ = Terms(limit=180, increment=2, color="white")


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
