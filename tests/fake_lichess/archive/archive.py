"""Exports: games by user, studies, tournaments, TV and broadcasts, as answers to requests."""

import json
from collections.abc import Iterator
from email.utils import formatdate
from io import StringIO
from itertools import islice

import chess.pgn
from aiohttp import web

from tests.fake_lichess.archive.export import as_json, as_pgn
from tests.fake_lichess.archive.stored import BroadcastRound, Study, Tournament
from tests.fake_lichess.game import Game
from tests.fake_lichess.http import answers
from tests.fake_lichess.http.stream import Json
from tests.fake_lichess.people import Refused
from tests.fake_lichess.site import Site

#: Most ids in one request.
MOST_IDS = 300
#: Most chapters of a study.
MOST_CHAPTERS = 64


def _flag(request: web.Request, name: str, default: bool) -> bool:
    return request.query.get(name, str(default)).lower() == "true"


def _milliseconds(request: web.Request, name: str) -> int | None:
    text = request.query.get(name)
    return None if text is None else int(text)


def chosen(site: Site, user: str, request: web.Request) -> Iterator[Game]:
    """Requested games of a user, in the requested order."""
    since, until = _milliseconds(request, "since"), _milliseconds(request, "until")
    most = _milliseconds(request, "max")
    order = request.query.get("sort", "dateDesc")
    games = [g for g in site.games.values() if any(s.account.id == user for s in g.sides.values())]
    games.sort(key=lambda game: game.created_at, reverse=order == "dateDesc")
    for game in games:
        if most == 0:
            return
        if not (_flag(request, "finished", True) if game.over else _flag(request, "ongoing", False)):
            continue
        if (since is not None and game.created_at < since) or (until is not None and game.created_at > until):
            continue
        yield game
        most = None if most is None else most - 1


def game_line(site: Site, game: Game, request: web.Request) -> Json:
    """One line of an export."""
    body = as_json(game, site.clock.wall_ms())
    if not _flag(request, "moves", True):
        del body["moves"]
    if not _flag(request, "clocks", False):
        body.pop("clocks", None)
    if _flag(request, "pgnInJson", False):
        params = {"moves": _flag(request, "moves", True), "clocks": _flag(request, "clocks", False)}
        body["pgn"] = as_pgn(game, site.base, **params)
    return body


def export(site: Site, games: Iterator[Game], request: web.Request) -> tuple[str, list[bytes]]:
    """Media type and games, as lines of JSON or as PGN, as the request prefers."""
    if "application/x-ndjson" in request.headers.get("Accept", ""):
        return "application/x-ndjson", [json.dumps(game_line(site, g, request)).encode() + b"\n" for g in games]
    params = {name: _flag(request, name, name != "clocks") for name in ("moves", "tags", "clocks")}
    return "application/x-chess-pgn", [as_pgn(game, site.base, **params).encode() for game in games]


def on_air(site: Site, channel: str, most: int) -> Iterator[Game]:
    """Running games of a TV channel."""
    if channel not in site.archive.channels:
        raise Refused("Not found", 404)
    running = (site.games[ident] for ident in site.archive.channels[channel])
    return islice((game for game in running if not game.over), most)


def user(site: Site, name: str) -> Json:
    """``/api/user/{name}``."""
    who = site.account(name)
    if who.id in site.archive.closed:
        return {"id": who.id, "username": who.name, "disabled": True, "url": f"{site.base}/@/{who.name}"}
    return answers.account(who, site.base)


def open_account(site: Site, name: str) -> str:
    """The id of an account whose games may be had; Refused like one that is not there if it was closed."""
    who = site.account(name)
    if who.id in site.archive.closed:
        raise Refused("Not found", 404)
    return who.id


def study(site: Site, ident: str, reader: str | None) -> Study:
    """Study that this reader may see."""
    found = site.archive.studies.get(ident)
    if found is None:
        raise Refused("Not found", 404)
    if found.private and reader not in {found.owner, *found.members}:
        raise Refused("This study is now private", 403)
    return found


def imported(found: Study, pgn: str, name: str, mode: str, now_ms: int) -> list[Json]:
    """The chapters that are made of the games of a PGN; refused beyond `MOST_CHAPTERS`."""
    games: list[chess.pgn.Game] = []
    text = StringIO(pgn)
    while (game := chess.pgn.read_game(text)) is not None:
        if game.errors:
            raise Refused(f"Invalid PGN: {game.errors[0]}", 400)
        games.append(game)
    if not games:
        raise Refused("pgn: This field is required", 400)
    if found.pgn.count('[Event "') + len(games) > MOST_CHAPTERS:
        raise Refused(f"A study can have at most {MOST_CHAPTERS} chapters", 400)
    made: list[Json] = []
    for game in games:
        number = found.pgn.count('[Event "') + 1
        title = name if name and len(games) == 1 else f"Chapter {number}"
        players = [{"name": game.headers.get(color)} for color in ("White", "Black")]
        made.append({"id": f"chap{number:04}", "name": title, "players": players, "status": game.headers["Result"]})
        game.headers["Event"] = f"{found.id}: {title}"
        if mode:
            game.headers["ChapterMode"] = mode
        found.pgn += f"{game}\n\n\n"
    found.changed_ms = now_ms
    return made


def last_modified(found: Study) -> str:
    return formatdate(found.changed_ms / 1000, usegmt=True)


def study_line(found: Study) -> Json:
    return {"id": found.id, "name": found.id, "createdAt": found.changed_ms, "updatedAt": found.changed_ms}


def arena(site: Site, ident: str) -> Json:
    """``/api/tournament/{id}``."""
    found = _tournament(site, ident, "tournament")
    body: Json = {
        "id": found.id,
        "fullName": f"{found.id} Arena",
        "clock": {"limit": 180, "increment": 0},
        "nbPlayers": 2,
    }
    if found.bots_allowed:
        body["botsAllowed"] = True
    if found.seconds_to_start:
        body["secondsToStart"] = found.seconds_to_start
    if found.over:
        counts = dict.fromkeys(("moves", "whiteWins", "blackWins", "draws", "berserks", "averageRating"), 0)
        body |= {"isFinished": True, "stats": {"games": len(found.games), **counts}}
    return body


def join(site: Site, ident: str, who: str, *, leaves: bool = False) -> None:
    """Join or leave an arena; a bot is refused where none is allowed."""
    found = _tournament(site, ident, "tournament")
    if leaves:
        found.players.discard(who)
        return
    if found.over or (site.accounts[who].is_bot and not found.bots_allowed):
        raise Refused("This tournament cannot be joined", 400)
    found.players.add(who)
    found.joins += 1


def swiss(site: Site, ident: str) -> Json:
    """``/api/swiss/{id}``."""
    found = _tournament(site, ident, "swiss")
    names = ("whiteWins", "blackWins", "draws", "byes", "absences", "averageRating")
    return {
        "id": found.id,
        "createdBy": "human",
        "startsAt": "2026-11-22T00:00:00Z",
        "name": found.id,
        "clock": {"limit": 180, "increment": 0},
        "variant": "standard",
        "round": 1,
        "nbRounds": 1,
        "nbPlayers": 2,
        "nbOngoing": 0 if found.over else 1,
        "status": "finished" if found.over else "started",
        "stats": {"games": len(found.games), **dict.fromkeys(names, 0)},
        "rated": False,
        "verdicts": {"accepted": True, "list": []},
    }


def _tournament(site: Site, ident: str, kind: str) -> Tournament:
    found = site.archive.tournaments.get(ident)
    if found is None or found.kind != kind:
        raise Refused("Not found", 404)
    return found


def tournament_games(site: Site, kind: str, ident: str) -> Iterator[Game]:
    return (site.games[game] for game in _tournament(site, ident, kind).games)


def broadcast(site: Site, ident: str) -> Json:
    """``/api/broadcast/{id}``."""
    rounds = [one for one in site.archive.rounds.values() if one.broadcast == ident]
    if not rounds:
        raise Refused("Not found", 404)
    address = f"{site.base}/broadcast/open/{ident}"
    return {
        "tour": {"id": ident, "name": "Open", "slug": "open", "createdAt": 1, "url": address},
        "rounds": [
            {
                "id": one.id,
                "name": one.id,
                "slug": one.id.lower(),
                "createdAt": 1,
                "url": f"{address}/{one.id}",
                **({"ongoing": True} if one.running else {}),
                **({"finishedAt": 2, "finished": True} if one.over else {}),
            }
            for one in rounds
        ],
    }


def broadcast_round(site: Site, ident: str) -> BroadcastRound:
    found = site.archive.rounds.get(ident)
    if found is None:
        raise Refused("Not found", 404)
    return found


def streamed_rounds(site: Site, ident: str) -> list[BroadcastRound]:
    """Rounds that the stream of a broadcast has: the running and the recently finished ones."""
    rounds = [one for one in site.archive.rounds.values() if one.broadcast == ident]
    if not rounds:
        raise Refused("Not found", 404)
    return [one for one in rounds if one.running or one.over]
