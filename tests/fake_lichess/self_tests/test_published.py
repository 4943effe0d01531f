"""Every kind of answer and stream line of the server is as lichess publishes it."""

from collections.abc import Callable

import chess
import pytest

from tests.fake_lichess.faults import Fault
from tests.fake_lichess.game import Game
from tests.fake_lichess.http.client import Client, Lines
from tests.fake_lichess.http.published import Published
from tests.fake_lichess.terms import Terms
from tests.support.server_with_bot import ServerWithBot, server_with_bot

AS_WHITE = Terms(limit=180, increment=2, color="white")


def kinds(lines: Lines, last: str) -> set[str]:
    """The kinds of events up to and with the first of kind ``last``."""
    seen: set[str] = set()
    while last not in seen:
        seen.add(lines.next()["type"])
    return seen


def test_a_description_that_is_not_met_is_noticed(published: Published) -> None:
    published.check("POST", "/api/bot/game/abcdefgh/resign", 200, {"ok": True})
    for body in ({"okay": True}, {"ok": "yes"}):
        with pytest.raises(AssertionError, match="resign"):
            published.check("POST", "/api/bot/game/abcdefgh/resign", 200, body)
    with pytest.raises(AssertionError, match="not published"):
        published.check("GET", "/api/bot/game/abcdefgh/resign", 200, {})
    with pytest.raises(AssertionError, match="never answers"):
        published.check("POST", "/api/bot/game/abcdefgh/resign", 418, {"error": "teapot"})


def test_account_token_upgrade_and_bots_online(checked: ServerWithBot) -> None:
    client, server = checked.client, checked.server
    assert client.get("/api/account").body["title"] == "BOT"
    tested = client.post("/api/token/test", f"{checked.token.secret},lip_unknown").body
    assert tested["lip_unknown"] is None
    assert "bot:play" in tested[checked.token.secret]["scopes"].split(",")
    person = server.do(lambda site: site.token(site.join("Person")))
    client_of_person = Client(server.port, person.secret, checked.client.check)
    assert client_of_person.post("/api/bot/account/upgrade").status == 200
    assert client_of_person.get("/api/account").body["title"] == "BOT"
    assert client_of_person.post("/api/bot/account/upgrade").status == 400
    with checked.client.lines("/api/stream/event"), client.lines("/api/bot/online") as online:
        assert [bot["username"] for bot in online.rest()] == ["TrapBot"]


def test_challenges(checked: ServerWithBot) -> None:
    client, server = checked.client, checked.server
    player = checked.opponent()
    with client.lines("/api/stream/event") as events:
        for terms in (
            AS_WHITE,
            Terms(limit=None, increment=None, days=3),
            Terms(limit=None, increment=None),
            Terms(variant="chess960", rated=True, rules=("noAbort",)),
            Terms(variant="fromPosition", fen="4k3/8/8/8/8/8/8/R3K3 w Q - 0 1"),
        ):
            made = checked.challenged(player, terms)
            assert events.next()["challenge"]["id"] == made.id
            assert client.get(f"/api/challenge/{made.id}/show").body["direction"] == "in"
            assert [one["id"] for one in client.get("/api/challenge").body["in"]] == [made.id]
            assert client.post(f"/api/challenge/{made.id}/decline", {"reason": "tooFast"}).status == 200
            assert events.next()["challenge"]["declineReasonKey"] == "toofast"
        for verb in ("accept", "decline", "cancel"):
            assert client.post(f"/api/challenge/{made.id}/{verb}").status == 404
        made = checked.challenged(player, AS_WHITE)
        server.do(lambda site: site.cancel(player.account, made.id))
        assert kinds(events, "challengeCanceled") == {"challenge", "challengeCanceled"}
        own = client.post("/api/challenge/Human", {"clock.limit": 60, "clock.increment": 1, "color": "black"})
        assert own.status == 200
        assert [one["id"] for one in client.get("/api/challenge").body["out"]] == [own.body["id"]]
        assert client.post(f"/api/challenge/{own.body['id']}/cancel").status == 200
        assert client.post("/api/challenge/Human", {"clock.limit": 61, "clock.increment": 1}).status == 400
        assert client.post("/api/challenge/TrapBot", {"clock.limit": 60, "clock.increment": 1}).status == 400


def test_a_game_from_its_first_line_to_its_last(checked: ServerWithBot) -> None:
    client, server = checked.client, checked.server
    with client.lines("/api/stream/event") as events:
        game, player = checked.game(AS_WHITE)
        base = f"/api/bot/game/{game.id}"
        with checked.stream(game) as lines:
            assert lines.next()["type"] == "gameFull"
            for form, status in (
                ({"room": "player", "text": "hello"}, 200),
                ({"room": "spectator", "text": "hello"}, 200),
                ({"room": "player", "text": "x" * 141}, 400),
                ({"room": "kitchen", "text": "hello"}, 400),
            ):
                assert client.post(base + "/chat", form).status == status
            server.do(lambda _: game.write(player.account, "player", "hi"))
            assert {"text": "hi", "user": "Human"} in client.get(base + "/chat").body
            checked.play(game, "e2e4", "e7e5", "g1f3")
            server.do(lambda site: site.leave(game, chess.WHITE))
            server.advance(1)
            server.do(lambda _: game.come_back(chess.WHITE))
            assert client.get("/api/account/playing").body["nbMyTurn"] == 1
            assert client.get(f"/game/export/{game.id}", Accept="application/json").body["moves"] == ""
            for wrong in ("/abort", "/move/e2e4"):
                assert client.post(base + wrong).status == 400
            # To refuse now refuses nothing; after the own offer it would take that one back.
            for answer in ("/draw/no", "/move/b8c6?offeringDraw=true", "/takeback/yes", "/takeback/no", "/draw/yes"):
                assert client.post(base + answer).status == 200
            server.do(lambda _: game.answer_draw(chess.WHITE, True))
            assert {event["type"] for event in lines.rest()} == {"gameState", "chatLine", "opponentGone"}
        assert kinds(events, "gameFinish") == {"challenge", "gameStart", "gameFinish"}
    assert client.post(base + "/resign").status == 400
    assert client.get(f"/game/export/{game.id}").body.count("[%clk") == 4
    assert client.get(f"/game/export/{game.id}", Accept="application/json").body["moves"] == "e4 e5 Nf3 Nc6"


def test_what_does_not_exist(checked: ServerWithBot) -> None:
    assert checked.client.post("/api/bot/game/nosuchid/move/e2e4").status == 404
    assert checked.client.get("/api/bot/game/stream/nosuchid").status == 404
    assert checked.client.post("/api/challenge/Nobody", {"clock.limit": 60, "clock.increment": 1}).status == 404
    stranger = Client(checked.server.port, "lip_stolen", checked.client.check)
    assert stranger.get("/api/account").status == 401
    reader = checked.server.do(lambda site: site.token(checked.bot, scopes=("challenge:read",)))
    assert (
        Client(checked.server.port, reader.secret, checked.client.check).get("/api/bot/game/stream/nosuchid").status
        == 403
    )


@pytest.mark.parametrize(
    ("status", "plies", "end"),
    [
        ("aborted", 1, lambda t, g: t.client.post(f"/api/bot/game/{g.id}/abort")),
        ("aborted", 1, lambda t, g: t.client.post(f"/api/bot/game/{g.id}/resign")),
        ("resign", 2, lambda t, g: t.client.post(f"/api/bot/game/{g.id}/resign")),
        ("outoftime", 2, lambda t, g: t.server.advance(181)),
        ("draw", 2, lambda t, g: t.server.do(lambda _: [g.answer_draw(c, True) for c in chess.COLORS])),
        ("mate", 2, lambda t, g: t.play(g, "f1c4", "b8c6", "d1h5", "g8f6", "h5f7")),
    ],
)
def test_every_end_is_told_as_published(
    checked: ServerWithBot, status: str, plies: int, end: Callable[[ServerWithBot, Game], object]
) -> None:
    with checked.client.lines("/api/stream/event") as events:
        game, _ = checked.game(AS_WHITE)
        with checked.stream(game) as lines:
            checked.play(game, *("e2e4", "e7e5")[:plies])
            end(checked, game)
            assert lines.rest()[-1]["status"] == status
        finish = events.until(lambda event: event["type"] == "gameFinish")
        assert finish["game"]["status"]["name"] == status
    again = checked.client.lines(f"/api/bot/game/stream/{game.id}")
    with again as lines:
        assert [line["state"]["status"] for line in lines.rest()] == [status]


def test_too_many_requests_is_told_as_published(checked: ServerWithBot) -> None:
    checked.server.order(Fault("429"), Fault("429-retry", seconds=3))
    assert "Retry-After" not in checked.client.get("/api/account").headers
    got = checked.client.get("/api/account")
    assert (got.status, got.headers["Retry-After"]) == (429, "3")


def test_all_published_addresses_of_a_bot_are_there(published: Published) -> None:
    """Fails when lichess publishes a bot address that this server does not know."""
    with server_with_bot() as setup:
        for path, verbs in published.spec["paths"].items():
            if not path.startswith("/api/bot/"):
                continue
            for verb in {"get", "post"} & set(verbs):
                real = path.replace("{gameId}", "nosuchid").replace("{move}", "e2e4").replace("{accept}", "yes")
                setup.client.ask(verb.upper(), real)
        assert "unknown_address" not in setup.violations()
