"""Games beside the usual one: other opponents, other positions, given time, rematches, first moves that are due."""

import chess
import pytest

from tests.fake_lichess.people import Account
from tests.fake_lichess.site import Site
from tests.fake_lichess.terms import Terms
from tests.support.server_with_bot import ServerWithBot

BLITZ = Terms(limit=180, increment=2, color="white")
ROOKS_INSIDE = "1rqbkr2/pppppppp/2n2n2/8/8/2N2N2/PPPPPPPP/1RQBKR2 w KQkq - 0 1"
USUAL_ROOKS = "r3k2r/pppppppp/8/8/8/8/PPPPPPPP/R3K2R w KQkq - 0 1"


@pytest.mark.parametrize(("fen", "castles"), [(ROOKS_INSIDE, "e1f1"), (USUAL_ROOKS, "e1h1")])
def test_from_a_position_castling_is_told_as_king_takes_rook(setup: ServerWithBot, fen: str, castles: str) -> None:
    game, _ = setup.game(Terms(variant="fromPosition", fen=fen, color="black", limit=60))
    setup.play(game, castles)
    with setup.stream(game) as lines:
        full = lines.next()
    assert full["variant"]["key"] == "fromPosition"
    assert full["state"]["moves"] == castles
    assert game.board.king(chess.WHITE) == chess.G1


def test_the_kings_two_steps_are_taken_as_well(setup: ServerWithBot) -> None:
    game, _ = setup.game(Terms(variant="fromPosition", fen=USUAL_ROOKS, color="black", limit=60))
    setup.play(game, "e1c1")
    with setup.stream(game) as lines:
        assert lines.next()["state"]["moves"] == "e1a1"


def test_the_first_moves_are_due_in_a_time_that_is_told(setup: ServerWithBot) -> None:
    game, _ = setup.game(BLITZ)
    setup.server.advance(4)
    with setup.stream(game) as lines:
        assert lines.next()["state"]["expiration"] == {"idleMillis": 4000, "millisToMove": 30000}
        setup.play(game, "e2e4", "e7e5")
        assert lines.next()["expiration"] == {"idleMillis": 0, "millisToMove": 30000}
        assert "expiration" not in lines.next()


@pytest.mark.parametrize(
    ("stranger", "player", "opponent"),
    [
        (
            Account("Stockfish3", ai_level=3, rating=None),
            {"aiLevel": 3},
            {"id": None, "username": "Stockfish level 3", "ai": 3},
        ),
        (Account("Nobody", anonymous=True, rating=None), {}, {"id": None, "username": "Anonymous", "rating": None}),
        (
            Account("Fresh", rating=None),
            {"id": "fresh", "name": "Fresh", "title": None, "rating": None},
            {"id": "fresh", "username": "Fresh", "rating": None},
        ),
    ],
)
def test_opponents_of_whom_little_is_known(
    setup: ServerWithBot, stranger: Account, player: dict[str, object], opponent: dict[str, object]
) -> None:
    def begin(site: Site) -> None:
        site.accounts[stranger.id] = stranger
        site.begin("strange0", Terms(limit=60), stranger, setup.bot, "ai" if stranger.ai_level else "friend")

    with setup.client.lines("/api/stream/event") as events:
        setup.server.do(begin)
        started = events.next()["game"]
    assert started["opponent"] == opponent
    with setup.client.lines("/api/bot/game/stream/strange0") as lines:
        assert lines.next()["white"] == player


@pytest.mark.parametrize(("increment", "seconds"), [(1, 3), (10, 10)])
def test_a_clock_without_a_limit_begins_with_the_increment_or_three_seconds(
    setup: ServerWithBot, increment: int, seconds: int
) -> None:
    game, _ = setup.game(Terms(limit=0, increment=increment))
    with setup.stream(game) as lines:
        full = lines.next()
    assert (full["clock"]["initial"], full["state"]["wtime"]) == (0, 1000 * seconds)
