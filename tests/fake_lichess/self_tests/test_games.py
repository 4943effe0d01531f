"""Games on the server: rules, clocks, offers, presence, and what is remembered of a bot's mistakes."""

import io
from collections.abc import Iterator

import chess
import chess.pgn
import pytest

from tests.fake_lichess.players import Habits, Player
from tests.fake_lichess.terms import Terms
from tests.support.polling import until
from tests.support.server_with_bot import ServerWithBot, server_with_bot

BLITZ = Terms(limit=180, increment=2, color="white")
AS_BLACK = Terms(limit=60, increment=0, color="black")


@pytest.fixture
def setup() -> Iterator[ServerWithBot]:
    """Server whose time stands still."""
    with server_with_bot() as made:
        yield made


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


def test_a_flag_against_a_bare_king_is_a_draw(setup: ServerWithBot) -> None:
    game, _ = setup.game(Terms(variant="fromPosition", fen="4k3/8/8/8/8/8/8/R3K3 w Q - 0 1", color="black", limit=60))
    setup.play(game, "a1a2", "e8e7")
    setup.server.advance(61)
    assert (game.status, game.winner) == ("outoftime", None)


def test_an_opponents_flag_is_no_fault_of_the_bot(setup: ServerWithBot) -> None:
    game, _ = setup.game(BLITZ)
    setup.play(game, "e2e4", "e7e5")
    setup.server.advance(181)
    assert (game.status, game.winner, setup.violations()) == ("outoftime", chess.BLACK, [])


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


def test_chess960_without_a_position_gets_one_of_the_960(setup: ServerWithBot) -> None:
    fens = set()
    for number in range(3):
        game, _ = setup.game(Terms(variant="chess960", color="white", limit=60), name=f"Human{number}")
        assert chess.Board(game.first_fen, chess960=True).chess960_pos() is not None
        fens.add(game.first_fen)
    assert len(fens) == 3


@pytest.mark.parametrize(
    ("moves", "status", "winner"),
    [
        ("f2f3 e7e5 g2g4 d8h4", "mate", chess.BLACK),
        (
            "e2e3 a7a5 d1h5 a8a6 h5a5 h7h5 h2h4 a6h6 a5c7 f7f6 c7d7 e8f7 d7b7 d8d3 b7b8 d3h7 b8c8 f7g6 c8e6",
            "stalemate",
            None,
        ),
        ("g1f3 g8f6 f3g1 f6g8 " * 2, "draw", None),
    ],
)
def test_games_end_by_the_rules(setup: ServerWithBot, moves: str, status: str, winner: bool | None) -> None:
    game, _ = setup.game(BLITZ)
    setup.play(game, *moves.split())
    assert (game.status, game.winner) == (status, winner)
    assert setup.server.do(lambda site: site.running(setup.bot)) == []


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


def test_a_stream_opened_in_between_is_not_told_of_the_return(setup: ServerWithBot) -> None:
    game, _ = setup.game(BLITZ)
    setup.play(game, "e2e4", "e7e5")
    setup.server.do(lambda site: site.leave(game, chess.WHITE))
    with setup.stream(game) as lines:
        lines.next()
        setup.server.do(lambda _: game.come_back(chess.WHITE))
        setup.play(game, "g1f3")
        assert lines.next()["type"] == "gameState"


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


def test_a_bot_that_comes_back_in_time_has_not(setup: ServerWithBot) -> None:
    game, _ = setup.game(BLITZ)
    setup.play(game, "e2e4", "e7e5", "g1f3")
    for _ in range(3):
        with setup.stream(game) as lines:
            lines.next()
        until(lambda: not game.streams)
        setup.server.advance(20)
    with setup.stream(game) as lines:
        lines.next()
        setup.server.advance(45)
        assert (game.over, setup.violations()) == (False, [])


def test_a_bot_that_never_begins_has_abandoned_the_game(setup: ServerWithBot) -> None:
    game, _ = setup.game(BLITZ)
    setup.play(game, "e2e4")
    setup.server.advance(45)
    assert (game.status, setup.violations()) == ("aborted", ["abandoned"])


def test_a_slow_reader_loses_the_oldest_events(setup: ServerWithBot) -> None:
    game, player = setup.game(BLITZ)
    stream = setup.server.do(lambda site: site.open_game(setup.bot, game.id)[1])
    for number in range(40):
        setup.server.do(lambda _, number=number: game.write(player.account, "player", f"line {number}"))  # type: ignore[misc]
    assert stream.dropped == 9
    assert setup.server.do(lambda _: stream._events[0]["text"]) == "line 8"


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


def test_the_answers_of_a_bot_are_timed(setup: ServerWithBot) -> None:
    game, _ = setup.game(BLITZ)
    setup.play(game, "e2e4", "e7e5", "g1f3", "b8c6")
    replies = setup.server.site.record.replies
    assert [(reply.ply, reply.move) for reply in replies] == [(1, "e7e5"), (3, "b8c6")]


@pytest.mark.parametrize("seed", range(4))
def test_players_of_the_server_play_whole_games_with_bad_habits(setup: ServerWithBot, seed: int) -> None:
    habits = Habits(
        think=(0.1, 2), talk=0.3, offer_draw=0.1, ask_takeback=0.1, leave=0.05, accept_draw=0.1, accept_takeback=0.8
    )

    def seat(site: object) -> Player:
        one, other = (
            Player(setup.server.site, setup.server.site.join(name), habits, seed + number)
            for number, name in enumerate(("White", "Black"))
        )
        one.challenge(other.account, Terms(limit=600, increment=5, color="white"))
        return one

    setup.server.do(seat)
    (made,) = setup.server.site.challenges
    setup.server.advance(4000)
    game = setup.server.site.games[made]
    assert game.over
    assert game.status in ("mate", "draw", "stalemate", "timeout", "insufficientMaterialClaim")
    assert setup.violations() == []


def test_a_player_follows_its_line_and_then_its_nose(setup: ServerWithBot) -> None:
    line = ("e4", "e5", "Nf3", "Nc6", "Bb5", "Nf6", "O-O")
    game, _ = setup.game(BLITZ, Habits(line=line))
    for reply in ("e7e5", "b8c6", "g8f6"):
        setup.server.advance(0.1)
        setup.play(game, reply)
    setup.server.advance(0.1)
    assert chess.Board().variation_san(game.board.move_stack).endswith("4. O-O")
    setup.play(game, "f6e4")
    setup.server.advance(0.1)
    assert game.ply == 9


def test_a_line_that_is_left_is_not_followed(setup: ServerWithBot) -> None:
    game, _ = setup.game(BLITZ, Habits(line=("e4", "e5", "Qh5", "Nc6", "Bc4")))
    setup.server.advance(0.1)
    setup.play(game, "c7c5")
    setup.server.advance(0.1)
    assert game.ply == 3


def test_a_player_asks_for_its_move_back_and_plays_on(setup: ServerWithBot) -> None:
    game, _ = setup.game(BLITZ, Habits(ask_takeback=1.0, accept_draw=None, accept_takeback=None))
    for _ in range(2):
        setup.server.advance(0.1)
        setup.play(game, next(iter(game.board.legal_moves)).uci())
    setup.server.advance(0.1)
    assert game.ply in (4, 5)
    assert "Takeback sent" in [line.text for line in game.chat.rooms["player"]]
    assert not game.over


@pytest.mark.parametrize(("sense", "mates"), [(1.0, True), (0.0, False)])
def test_a_player_with_sense_sees_a_mate(setup: ServerWithBot, sense: float, mates: bool) -> None:
    fen = "6k1/5ppp/8/8/8/8/1p6/R5K1 w - - 0 1"
    terms = Terms(variant="fromPosition", fen=fen, color="white", limit=60)
    game, _ = setup.game(terms, Habits(sense=sense, greed=0.0))
    setup.server.advance(0.1)
    assert (game.status == "mate") is mates
