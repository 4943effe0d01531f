"""Routes of the published API."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from email.utils import formatdate

from aiohttp import web

from tests.fake_lichess.archive.export import as_json, as_pgn
from tests.fake_lichess.archive.routes import ArchiveRoutes
from tests.fake_lichess.challenges import Challenge
from tests.fake_lichess.http import answers
from tests.fake_lichess.http.stream import Json
from tests.fake_lichess.http.wire import Wire
from tests.fake_lichess.oauth import OAuthRoutes
from tests.fake_lichess.people import Account, Refused, Token
from tests.fake_lichess.site import Site
from tests.fake_lichess.terms import Terms

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
#: Makes the wire of a stream that answers a request.
WireMaker = Callable[[web.Request], Wire]

TRUE = ("1", "true", "yes")
OK = {"ok": True}
#: Seconds after which a claim is answered.
CLAIM_SECONDS = 0.5
#: The scope an address needs, longest prefix first; the others need none.
SCOPES = (
    ("/api/stream/event", ("bot:play", "board:play", "challenge:read")),
    ("/api/bot/account/upgrade", ("bot:play",)),
    ("/api/bot/game/", ("bot:play",)),
    ("/api/challenge", ("bot:play", "board:play", "challenge:write", "challenge:read")),
)


def answer(body: object, status: int = 200) -> web.Response:
    return web.Response(text=json.dumps(body), content_type="application/json", status=status)


class Routes:
    """Request handlers of the API, which answer JSON."""

    def __init__(self, site: Site, wire: WireMaker) -> None:
        self.site = site
        self.wire = wire

    def table(self) -> list[web.RouteDef]:
        game = "/api/bot/game/{game}"
        return [
            web.get("/api/account", self.account),
            web.get("/api/account/playing", self.playing),
            web.post("/api/token/test", self.test_tokens),
            web.post("/api/bot/account/upgrade", self.upgrade),
            web.get("/api/bot/online", self.online),
            web.get("/api/stream/event", self.events),
            web.get("/api/challenge", self.challenges),
            web.get("/api/challenge/{challenge}/show", self.show_challenge),
            web.post("/api/challenge/{challenge}/accept", self.accept),
            web.post("/api/challenge/{challenge}/decline", self.decline),
            web.post("/api/challenge/{challenge}/cancel", self.cancel),
            web.post("/api/challenge/{name}", self.create_challenge),
            web.get("/api/bot/game/stream/{game}", self.game_stream),
            web.post(game + "/move/{move}", self.move),
            web.post(game + "/chat", self.chat),
            web.get(game + "/chat", self.read_chat),
            web.post(game + "/abort", self.abort),
            web.post(game + "/resign", self.resign),
            web.post(game + "/draw/{accept}", self.draw),
            web.post(game + "/takeback/{accept}", self.takeback),
            web.post(game + "/claim-victory", self.claim_victory),
            web.post(game + "/claim-draw", self.claim_draw),
            web.get("/game/export/{game}", self.export),
            *ArchiveRoutes(self.site, self.wire, answer).table(),
            *OAuthRoutes(self.site, answer).table(),
        ]

    def _token(self, request: web.Request) -> Token:
        kind, _, secret = request.headers.get("Authorization", "").partition(" ")
        token = self.site.tokens.get(secret) if kind == "Bearer" else None
        if token is None:
            raise Refused("No such token", 401)
        for prefix, scopes in SCOPES:
            if request.path.startswith(prefix) and not token.scopes & set(scopes):
                raise Refused(f"Missing scope: {scopes[0]}", 403)
        return token

    def _me(self, request: web.Request) -> Account:
        return self._token(request).account

    async def account(self, request: web.Request) -> web.StreamResponse:
        return answer(answers.account(self._me(request), self.site.base))

    async def playing(self, request: web.Request) -> web.StreamResponse:
        me = self._me(request)
        most = int(request.query.get("nb", 9))
        return answer(answers.playing(self.site.running(me), me, most))

    async def test_tokens(self, request: web.Request) -> web.StreamResponse:
        secrets = [part.strip() for part in (await request.text()).split(",")]
        return answer({secret: answers.token(self.site.tokens.get(secret)) for secret in secrets if secret})

    async def upgrade(self, request: web.Request) -> web.StreamResponse:
        self.site.upgrade(self._me(request))
        return answer(OK)

    async def online(self, request: web.Request) -> web.StreamResponse:
        most = int(request.query.get("nb", 100))
        bots = [who for who in self.site.accounts.values() if who.is_bot and who.online][:most]
        lines = [json.dumps(answers.account(who, self.site.base)) + "\n" for who in bots]
        return web.Response(text="".join(lines), content_type="application/x-ndjson")

    async def events(self, request: web.Request) -> web.StreamResponse:
        token = self._token(request)
        stream = self.site.open_events(token)
        try:
            return await self.wire(request).pour(stream)
        finally:
            self.site.close_events(token, stream)

    async def challenges(self, request: web.Request) -> web.StreamResponse:
        me = self._me(request)
        incoming, own = self.site.challenges_of(me)

        def listed(made: list[Challenge]) -> list[Json]:
            return [answers.challenge(one, self.site.base, me) for one in made]

        return answer({"in": listed(incoming), "out": listed(own)})

    async def show_challenge(self, request: web.Request) -> web.StreamResponse:
        me = self._me(request)
        made = self.site.challenges.get(request.match_info["challenge"])
        if made is None or me not in (made.challenger, made.dest):
            raise Refused("Not found", 404)
        return answer(answers.challenge(made, self.site.base, me))

    async def create_challenge(self, request: web.Request) -> web.StreamResponse:
        me = self._me(request)
        dest = self.site.account(request.match_info["name"])
        form = await request.post()

        def text(name: str) -> str | None:
            value = form.get(name)
            return value if isinstance(value, str) and value else None

        def number(name: str) -> int | None:
            value = text(name)
            try:
                return None if value is None else int(value)
            except ValueError:
                raise Refused(f"{name}: Numeric value expected") from None

        terms = Terms(
            variant=text("variant") or "standard",
            rated=(text("rated") or "").lower() in TRUE,
            limit=number("clock.limit"),
            increment=number("clock.increment"),
            days=number("days"),
            color=text("color") or "random",
            fen=text("fen"),
            rules=tuple(filter(None, (text("rules") or "").split(","))),
        )
        made = self.site.challenge(me, dest, terms)
        return answer(answers.challenge(made, self.site.base, me))

    async def accept(self, request: web.Request) -> web.StreamResponse:
        self.site.accept(self._me(request), request.match_info["challenge"])
        return answer(OK)

    async def decline(self, request: web.Request) -> web.StreamResponse:
        me = self._me(request)
        reason = (await request.post()).get("reason", "generic")
        self.site.decline(me, request.match_info["challenge"], str(reason))
        return answer(OK)

    async def cancel(self, request: web.Request) -> web.StreamResponse:
        self.site.cancel(self._me(request), request.match_info["challenge"])
        return answer(OK)

    async def game_stream(self, request: web.Request) -> web.StreamResponse:
        me = self._me(request)
        game, stream = self.site.open_game(me, request.match_info["game"])
        try:
            return await self.wire(request).pour(stream)
        finally:
            self.site.close_game(me, game, stream)

    async def move(self, request: web.Request) -> web.StreamResponse:
        offers = request.query.get("offeringDraw", "").lower() in TRUE
        self.site.move(self._me(request), request.match_info["game"], request.match_info["move"], offers)
        return answer(OK)

    async def chat(self, request: web.Request) -> web.StreamResponse:
        me = self._me(request)
        form = await request.post()
        self.site.chat(me, request.match_info["game"], str(form.get("room", "")), str(form.get("text", "")))
        return answer(OK)

    async def read_chat(self, request: web.Request) -> web.StreamResponse:
        game = self.site.game_for(self._me(request), request.match_info["game"])
        return answer([{"text": line.text, "user": line.user} for line in game.chat.rooms["player"]])

    async def abort(self, request: web.Request) -> web.StreamResponse:
        me = self._me(request)
        game = self.site.game_for(me, request.match_info["game"])
        game.abort(game.color_of(me))
        return answer(OK)

    async def resign(self, request: web.Request) -> web.StreamResponse:
        me = self._me(request)
        game = self.site.game_for(me, request.match_info["game"])
        game.resign(game.color_of(me))
        return answer(OK)

    async def draw(self, request: web.Request) -> web.StreamResponse:
        me = self._me(request)
        game = self.site.game_for(me, request.match_info["game"])
        game.answer_draw(game.color_of(me), request.match_info["accept"].lower() in TRUE)
        return answer(OK)

    async def takeback(self, request: web.Request) -> web.StreamResponse:
        me = self._me(request)
        game = self.site.game_for(me, request.match_info["game"])
        game.answer_takeback(game.color_of(me), request.match_info["accept"].lower() in TRUE)
        return answer(OK)

    async def claim_victory(self, request: web.Request) -> web.StreamResponse:
        return await self._claim(request, win=True)

    async def claim_draw(self, request: web.Request) -> web.StreamResponse:
        return await self._claim(request, win=False)

    async def _claim(self, request: web.Request, win: bool) -> web.Response:
        """A claim takes effect at once and is answered, or refused, when lichess has looked at what became of it."""
        try:
            self.site.claim(self._me(request), request.match_info["game"], win)
        finally:
            await asyncio.sleep(CLAIM_SECONDS / (self.site.clock.speed or 1.0))
        return answer(OK)

    async def export(self, request: web.Request) -> web.StreamResponse:
        game = self.site.games.get(request.match_info["game"])
        if game is None:
            raise Refused("Not found", 404)
        params = {name: request.query.get(name, "true") == "true" for name in ("moves", "tags", "clocks")}
        if "application/json" in request.headers.get("Accept", ""):
            return answer(as_json(game, self.site.clock.wall_ms()))
        return web.Response(text=as_pgn(game, self.site.base, **params), content_type="application/x-chess-pgn")


def date_header(wall_ms: int) -> str:
    """The Date header for the server's date, which may be skewed."""
    return formatdate(wall_ms / 1000, usegmt=True)
