"""Routes of the exports."""

import asyncio
import json
from collections.abc import Callable

from aiohttp import web

from tests.fake_lichess.archive import archive
from tests.fake_lichess.archive.stored import BroadcastRound, Study
from tests.fake_lichess.http.wire import Wire
from tests.fake_lichess.people import Refused
from tests.fake_lichess.site import Site

PGN = "application/x-chess-pgn"


class ArchiveRoutes:
    """Request handlers, which answer line by line so that a stream can break."""

    def __init__(self, site: Site, wire: Callable[[web.Request], Wire], answer: Callable[..., web.Response]) -> None:
        self.site = site
        self._wire = wire
        self._answer = answer

    def table(self) -> list[web.RouteDef]:
        return [
            web.get("/api/games/user/{user}", self.games),
            web.post("/api/games/export/_ids", self.by_ids),
            web.get("/api/user/{user}", self.user),
            web.get("/api/tv/{channel}", self.on_air),
            web.get("/api/study/by/{user}", self.studies_of),
            web.get("/api/study/by/{user}/export.pgn", self.all_studies),
            web.get("/api/study/{study}.pgn", self.study, allow_head=False),
            web.head("/api/study/{study}.pgn", self.study_head),
            web.post("/api/study/{study}/import-pgn", self.import_chapters),
            web.post("/inbox/{user}", self.message),
            web.get("/lichess", self.known_position),
            web.get("/masters", self.known_position),
            web.get("/standard", self.known_position),
            web.get("/api/cloud-eval", self.known_position),
            web.get("/api/tournament/{id}", self.arena),
            web.get("/api/tournament/{id}/games", self.arena_games),
            web.post("/api/tournament/{id}/join", self.join),
            web.post("/api/tournament/{id}/withdraw", self.withdraw),
            web.get("/api/swiss/{id}", self.swiss),
            web.get("/api/swiss/{id}/games", self.swiss_games),
            web.get("/api/broadcast/round/{id}.pgn", self.round),
            web.get("/api/broadcast/{id}", self.broadcast),
            web.get("/api/stream/broadcast/round/{id}.pgn", self.round_stream),
            web.get("/api/stream/broadcast/tour/{id}.pgn", self.tour_stream),
        ]

    def _reader(self, request: web.Request) -> str | None:
        kind, _, secret = request.headers.get("Authorization", "").partition(" ")
        if not kind:
            return None
        token = self.site.tokens.get(secret)
        if token is None:
            raise Refused("No such token", 401)
        return token.account.id if "study:read" in token.scopes else None

    def _owner(self, request: web.Request, scope: str) -> str:
        """The account of the token, which must have this scope."""
        token = self.site.tokens.get(request.headers.get("Authorization", "").partition(" ")[2])
        if token is None:
            raise Refused("No such token", 401)
        if scope not in token.scopes:
            raise Refused(f"Missing scope: {scope}", 403)
        return token.account.id

    async def _pour(self, request: web.Request, content_type: str, lines: list[bytes]) -> web.StreamResponse:
        self._reader(request)
        return await self._wire(request).pour_lines(content_type, lines)

    async def games(self, request: web.Request) -> web.StreamResponse:
        user = archive.open_account(self.site, request.match_info["user"])
        kind, lines = archive.export(self.site, archive.chosen(self.site, user, request), request)
        return await self._pour(request, kind, lines)

    async def by_ids(self, request: web.Request) -> web.StreamResponse:
        ids = (await request.text()).split(",")
        if len(ids) > archive.MOST_IDS:
            raise Refused("Too many ids", 400)
        games = (self.site.games[ident] for ident in ids if ident in self.site.games)
        return await self._pour(request, *archive.export(self.site, games, request))

    async def on_air(self, request: web.Request) -> web.StreamResponse:
        games = archive.on_air(self.site, request.match_info["channel"], int(request.query.get("nb", "10")))
        return await self._pour(request, *archive.export(self.site, games, request))

    async def user(self, request: web.Request) -> web.StreamResponse:
        return self._answer(archive.user(self.site, request.match_info["user"]))

    def _visible(self, request: web.Request) -> list[Study]:
        owner = self.site.account(request.match_info["user"]).id
        reader = self._reader(request)
        theirs = [one for one in self.site.archive.studies.values() if one.owner == owner]
        return [one for one in theirs if not one.private or reader in {owner, *one.members}]

    async def studies_of(self, request: web.Request) -> web.StreamResponse:
        lines = [json.dumps(archive.study_line(one)).encode() + b"\n" for one in self._visible(request)]
        return await self._pour(request, "application/x-ndjson", lines)

    async def all_studies(self, request: web.Request) -> web.StreamResponse:
        return await self._pour(request, PGN, [one.pgn.encode() for one in self._visible(request)])

    async def study(self, request: web.Request) -> web.StreamResponse:
        found = archive.study(self.site, request.match_info["study"], self._reader(request))
        return await self._pour(request, PGN, found.pgn.encode().splitlines(keepends=True))

    async def study_head(self, request: web.Request) -> web.StreamResponse:
        found = archive.study(self.site, request.match_info["study"], self._reader(request))
        return web.Response(status=204, headers={"Last-Modified": archive.last_modified(found)})

    async def import_chapters(self, request: web.Request) -> web.StreamResponse:
        writer = self._owner(request, "study:write")
        form = await request.post()
        found = archive.study(self.site, request.match_info["study"], writer)
        if writer not in {found.owner, *found.members}:
            raise Refused("You are not a contributor of this study", 403)
        name, mode = str(form.get("name", "")), str(form.get("mode", ""))
        made = archive.imported(found, str(form.get("pgn", "")), name, mode, self.site.clock.wall_ms())
        return self._answer({"chapters": made})

    async def known_position(self, request: web.Request) -> web.StreamResponse:
        if request.path in ("/lichess", "/masters"):
            token = self.site.tokens.get(request.headers.get("Authorization", "").partition(" ")[2])
            if token is None:
                raise Refused("No such token", 401)
        epd = " ".join(request.query["fen"].split()[:4])
        found = self.site.archive.known_positions.get(request.path, {}).get(epd)
        if found is None:
            raise Refused("Not found", 404)
        return self._answer(found)

    async def message(self, request: web.Request) -> web.StreamResponse:
        sender = self._owner(request, "msg:write")
        to = self.site.account(request.match_info["user"]).id
        text = str((await request.post()).get("text", ""))
        if not text:
            raise Refused("text: This field is required")
        self.site.archive.messages.append((sender, to, text))
        return self._answer({"ok": True})

    async def arena(self, request: web.Request) -> web.StreamResponse:
        return self._answer(archive.arena(self.site, request.match_info["id"]))

    async def join(self, request: web.Request) -> web.StreamResponse:
        archive.join(self.site, request.match_info["id"], self._owner(request, "tournament:write"))
        return self._answer({"ok": True})

    async def withdraw(self, request: web.Request) -> web.StreamResponse:
        archive.join(self.site, request.match_info["id"], self._owner(request, "tournament:write"), leaves=True)
        return self._answer({"ok": True})

    async def swiss(self, request: web.Request) -> web.StreamResponse:
        return self._answer(archive.swiss(self.site, request.match_info["id"]))

    async def arena_games(self, request: web.Request) -> web.StreamResponse:
        games = archive.tournament_games(self.site, "tournament", request.match_info["id"])
        return await self._pour(request, *archive.export(self.site, games, request))

    async def swiss_games(self, request: web.Request) -> web.StreamResponse:
        games = archive.tournament_games(self.site, "swiss", request.match_info["id"])
        return await self._pour(request, *archive.export(self.site, games, request))

    async def broadcast(self, request: web.Request) -> web.StreamResponse:
        return self._answer(archive.broadcast(self.site, request.match_info["id"]))

    async def round(self, request: web.Request) -> web.StreamResponse:
        found = archive.broadcast_round(self.site, request.match_info["id"])
        return await self._pour(request, PGN, [f"{pgn}\n\n\n".encode() for pgn in found.games.values()])

    async def round_stream(self, request: web.Request) -> web.StreamResponse:
        return await self._follow(request, [archive.broadcast_round(self.site, request.match_info["id"])])

    async def tour_stream(self, request: web.Request) -> web.StreamResponse:
        return await self._follow(request, archive.streamed_rounds(self.site, request.match_info["id"]))

    async def _follow(self, request: web.Request, rounds: list[BroadcastRound]) -> web.StreamResponse:
        queue: asyncio.Queue[str] = asyncio.Queue()
        with self.site.limits.broadcast_stream("Authorization" in request.headers):
            for one in rounds:
                for pgn in one.games.values():
                    queue.put_nowait(pgn)
                one.news.append(queue)
            try:
                return await self._wire(request).pour_queue(PGN, queue)
            finally:
                for one in rounds:
                    one.news.remove(queue)
