"""Games on the server: rules, clocks, offers, presence, and what is remembered of a bot's mistakes."""

import io

import chess
import chess.pgn
import pytest

from tests.fake_lichess.terms import Terms
from tests.support.polling import until
from tests.support.server_with_bot import ServerWithBot

BLITZ = Terms(limit=180, increment=2, color="white")
AS_BLACK = Terms(limit=60, increment=0, color="black")


def test_the_stream_begins_with_the_game_and_tells_all_moves_every_time(setup: ServerWithBot) -> None:
    game, _ = setup.game(BLITZ)
    setup.play(game, "e2e4")
    with setup.stream(game) as lines:
        full = lines.next()
        assert (full["type"], full["initialFen"], full["state"]["moves"]) == ("gameFull", "startpos", "e2e4")
        assert full["clock"] == {"initial": 180000, "increment": 2000}
        setup.play(game, "e7e5", "g1f3")
        assert [lines.next()["moves"] for _ in range(2)] == ["e2e4 e7e5", "e2e4 e7e5 g1f3"]


def test_clocks_begin_after_both_have_moved_and_add_the_increment(setup: ServerWithBot) -> None:
    game, _ = setup.game(BLITZ)
    setup.server.advance(20)
    setup.play(game, "e2e4")
    setup.server.advance(20)
    setup.play(game, "e7e5")
    setup.server.advance(10)
    setup.play(game, "g1f3")
    setup.server.advance(5.5)
    with setup.stream(game) as lines:
        state = lines.next()["state"]
    assert (state["wtime"], state["btime"], state["winc"]) == (172000, 174500, 2000)
    setup.play(game, "b8c6")
    assert game.clocks == [180, 180, 172, 176.5]


def test_a_flag_falls_by_itself_and_is_remembered(setup: ServerWithBot) -> None:
    game, _ = setup.game(BLITZ)
    setup.play(game, "e2e4", "e7e5", "g1f3")
    with setup.stream(game) as lines:
        setup.server.advance(179.9)
        assert setup.violations() == []
        setup.server.advance(0.2)
        last = lines.rest()[-1]
    assert (last["status"], last["winner"], last["btime"]) == ("outoftime", "white", 0)
    assert setup.violations() == ["lost_on_time"]
    got = setup.client.post(f"/api/bot/game/{game.id}/move/b8c6")
    assert (got.status, setup.violations()[-1]) == (400, "late_move")


@pytest.mark.parametrize(
    ("move", "kind"),
    [("e7e4", "illegal_move"), ("e9e4", "illegal_move"), ("nonsense", "illegal_move"), ("0000", "illegal_move")],
)
def test_illegal_moves_are_refused_and_remembered(setup: ServerWithBot, move: str, kind: str) -> None:
    game, _ = setup.game(BLITZ)
    setup.play(game, "e2e4")
    got = setup.client.post(f"/api/bot/game/{game.id}/move/{move}")
    assert (got.status, setup.violations(), game.ply) == (400, [kind], 1)


def test_a_move_sent_twice_or_out_of_turn_is_refused_and_remembered(setup: ServerWithBot) -> None:
    game, _ = setup.game(BLITZ)
    setup.play(game, "e2e4", "e7e5")
    for move, kind in (("e7e5", "repeated_move"), ("b8c6", "out_of_turn")):
        got = setup.client.post(f"/api/bot/game/{game.id}/move/{move}")
        assert (got.status, got.body["error"]) == (400, "Not your turn, or game already over")
        assert setup.violations()[-1] == kind
    assert game.ply == 2


CASTLING = ["e2e4", "e7e5", "g1f3", "b8c6", "f1c4", "f8c5"]


@pytest.mark.parametrize("castles", ["e1g1", "e1h1"])
def test_standard_games_tell_castling_as_the_kings_two_steps(setup: ServerWithBot, castles: str) -> None:
    game, _ = setup.game(AS_BLACK)
    setup.play(game, *CASTLING, castles)
    with setup.stream(game) as lines:
        assert lines.next()["state"]["moves"].split()[-1] == "e1g1"


def test_a_queens_move_is_not_taken_for_castling_when_the_king_comes_by(setup: ServerWithBot) -> None:
    moves = (
        "e2e4 a7a6 d2d4 d7d6 b1c3 b8d7 g1f3 g7g5 c1g5 g8f6 e4e5 h7h6 g5h4 f6h7 e5e6 a8b8 e6d7 d8d7 f1d3 h7f6 h4f6 "
        "c7c6 f6h8 e8d8 e1g1 e7e6 c3e4 f8e7 d1d2 e7h4 f3h4 d7e8 e4d6 e8h8 d6f7 d8e7 f7h8 a6a5 d2f4 e7e8"
    )
    game, _ = setup.game(AS_BLACK)
    setup.play(game, *moves.split())
    with setup.stream(game) as lines:
        assert lines.next()["state"]["moves"] == moves


def test_chess960_tells_its_position_and_castling_as_king_takes_rook(setup: ServerWithBot) -> None:
    fen = "qbrknrbn/pppppppp/8/8/8/8/PPPPPPPP/QBRKNRBN w KQkq - 0 1"
    game, _ = setup.game(Terms(variant="chess960", fen=fen, color="black", limit=60))
    setup.play(game, "e1d3", "e8d6", "d1c1")
    with setup.stream(game) as lines:
        full = lines.next()
    assert (full["variant"]["key"], full["initialFen"]) == ("chess960", fen)
    assert full["state"]["moves"] == "e1d3 e8d6 d1c1"
    assert game.board.king(chess.WHITE) == chess.C1
    assert game.board.piece_type_at(chess.D1) == chess.ROOK


def test_abort_until_both_have_moved_and_resign_after(setup: ServerWithBot) -> None:
    game, _ = setup.game(BLITZ)
    setup.play(game, "e2e4", "e7e5")
    assert setup.client.post(f"/api/bot/game/{game.id}/abort").status == 400
    assert setup.client.post(f"/api/bot/game/{game.id}/resign").status == 200
    assert (game.status, game.winner) == ("resign", chess.WHITE)
    other, _ = setup.game(BLITZ, name="Other")
    assert setup.client.post(f"/api/bot/game/{other.id}/abort").status == 200
    bound, _ = setup.game(Terms(rules=("noAbort",)), name="Bound")
    assert setup.client.post(f"/api/bot/game/{bound.id}/abort").status == 400


@pytest.mark.parametrize(("plies", "left"), [(3, 2), (4, 2)])
def test_a_takeback_takes_the_proposers_last_move_back(setup: ServerWithBot, plies: int, left: int) -> None:
    game, _ = setup.game(BLITZ)
    setup.play(game, *["e2e4", "e7e5", "g1f3", "b8c6"][:plies])
    with setup.stream(game) as lines:
        lines.next()
        setup.server.do(lambda _: game.answer_takeback(chess.WHITE, True))
        message = lines.next()
        assert (message["type"], message["username"]) == ("chatLine", "lichess")
        assert lines.next()["wtakeback"] is True
        assert setup.client.post(f"/api/bot/game/{game.id}/takeback/yes").status == 200
        state = lines.until(lambda event: event["type"] == "gameState")
    assert len(state["moves"].split()) == left
    assert game.ply == left
    setup.play(game, "d2d4")


def test_a_bot_that_leaves_its_game_has_abandoned_it(setup: ServerWithBot) -> None:
    game, _ = setup.game(BLITZ)
    setup.play(game, "e2e4", "e7e5", "g1f3")
    with setup.stream(game) as lines:
        lines.next()
    until(lambda: not game.streams)
    setup.server.advance(1.1)
    assert game.sides[chess.BLACK].gone_since is not None
    # The opponent looks every few seconds and then claims.
    setup.server.advance(45)
    assert (game.status, setup.violations()) == ("timeout", ["abandoned"])


def test_a_bot_that_never_begins_has_abandoned_the_game(setup: ServerWithBot) -> None:
    game, _ = setup.game(BLITZ)
    setup.play(game, "e2e4")
    setup.server.advance(45)
    assert (game.status, setup.violations()) == ("aborted", ["abandoned"])


def test_an_opponent_who_aborts_at_once_was_not_left_alone(setup: ServerWithBot) -> None:
    game, _ = setup.game(BLITZ)
    setup.play(game, "e2e4")
    setup.server.do(lambda _: game.resign(chess.WHITE))
    assert (game.status, setup.violations()) == ("aborted", [])


def test_a_finished_game_is_exported_as_pgn(setup: ServerWithBot) -> None:
    game, _ = setup.game(BLITZ)
    setup.play(game, *["e2e4", "e7e5", "d1h5", "b8c6", "f1c4"])
    running = chess.pgn.read_game(io.StringIO(setup.client.get(f"/game/export/{game.id}").body))
    assert running is not None
    assert [move.uci() for move in running.mainline_moves()] == ["e2e4", "e7e5"]
    setup.play(game, "g8f6", "h5f7")
    pgn = chess.pgn.read_game(io.StringIO(setup.client.get(f"/game/export/{game.id}").body))
    assert pgn is not None
    assert not pgn.errors
    assert pgn.end().board().is_checkmate()
    assert (pgn.headers["Result"], pgn.headers["BlackTitle"], pgn.headers["TimeControl"]) == ("1-0", "BOT", "180+2")
    assert pgn.next() is not None
    assert pgn.next().clock() == 180  # type: ignore[union-attr]
    bare = setup.client.get(f"/game/export/{game.id}?clocks=false&tags=false").body
    assert bare.startswith("1. e4 e5 2. Qh5")
