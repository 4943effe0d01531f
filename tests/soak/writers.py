"""What is written to the server, and what of it was acknowledged: that much has to be there in the end."""

import html
import random
import re
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

import httpx

from db.traps.trap import Trap
from tests.soak.requests import Client
from tests.support.trap_games import AVOIDED, FELL, QUIET, game
from tests.support.web_server import TOKEN

_VALUES = re.compile(rb"\d+ %|\([^()]*\) ")
"""Percentages and variations."""

JOB_SECONDS = 120.0
"""After which a job that has not ended is given up."""

PGN = {"Content-Type": "application/x-chess-pgn"}
WRITER = {"Authorization": f"Bearer {TOKEN}"}


@dataclass
class Acknowledged:
    """What the server said it has done."""

    there: set[str] = field(default_factory=set)
    """Slugs of traps that were added and not removed afterwards."""
    gone: set[str] = field(default_factory=set)
    """Slugs of traps that were removed and not added again."""
    unknown: set[str] = field(default_factory=set)
    """Slugs of which the last request was not answered."""
    players: set[str] = field(default_factory=set)
    """Players whose games were read to the end."""
    reviews: set[int] = field(default_factory=set)
    """Numbers of answers of the practice."""
    results: int = 0
    """Annotations that were fetched whole."""


def write_traps(
    client: Client, traps: Sequence[Trap], acknowledged: Acknowledged, seed: int, stopped: threading.Event
) -> None:
    """Add these traps and remove them again."""
    chance = random.Random(seed)
    while not stopped.wait(0.3):
        trap = chance.choice(traps)
        if trap.slug in acknowledged.there:
            answer = client.ask("DELETE", f"/api/v1/traps/{trap.slug}", allowed=(204, 404), headers=WRITER)
        else:
            body = {"name": trap.name, "fen": trap.epd, "bait": trap.bait, "line": " ".join(trap.killer_line)}
            answer = client.ask(
                "POST", "/api/v1/traps", allowed=(200, 201), headers=WRITER, json={**body, "slug": trap.slug}
            )
        acknowledged.there.discard(trap.slug)
        acknowledged.gone.discard(trap.slug)
        acknowledged.unknown.discard(trap.slug)
        if answer is None or answer.status_code == 503:
            acknowledged.unknown.add(trap.slug)
        else:
            (acknowledged.gone if answer.request.method == "DELETE" else acknowledged.there).add(trap.slug)


def write_reports(client: Client, acknowledged: Acknowledged, stopped: threading.Event) -> None:
    """Paste the games of one new player after the other, and wait for the report."""
    number = 0
    while not stopped.wait(2.0):
        number += 1
        player = f"Soaked {number}"
        games = "".join(game(moves, black=player, Round=str(number)) for moves in (FELL, AVOIDED, QUIET))
        begun = client.ask("POST", "/report", allowed=(303,), data={"player": player, "pgn": games})
        if begun is None or begun.status_code != 303:
            continue
        end = time.monotonic() + JOB_SECONDS
        while time.monotonic() < end and not stopped.wait(0.5):
            # Killed, it has forgotten the job.
            answer = client.ask("GET", begun.headers["location"], allowed=(200, 303, 404))
            if answer is not None and answer.status_code == 303:
                acknowledged.players.add(player)
            if answer is None or answer.status_code in (303, 404) or "did not work" in answer.text:
                break


def practise(client: Client, player: str, acknowledged: Acknowledged, stopped: threading.Event) -> None:
    """Answer exercises, each by having its solution shown."""
    while not stopped.wait(1.0):
        asked = client.ask("GET", "/practise", allowed=(200,), params={"go": 1, "player": player})
        if asked is None or asked.status_code != 200:
            continue
        found = re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', asked.text)
        if not found:
            asked = client.ask("GET", "/practise", allowed=(200,), params={"go": 1, "player": ""})
            found = re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', asked.text) if asked else []
        if not found:
            continue
        fields = {name: html.unescape(value) for name, value in found} | {"show": "1"}
        answer = client.ask("POST", "/practise", allowed=(303, 404), data=fields)
        if answer is not None and (number := re.search(r"review=(\d+)", answer.headers.get("location", ""))):
            acknowledged.reviews.add(int(number[1]))


def upload(client: Client, games: bytes, expected: bytes, acknowledged: Acknowledged, stopped: threading.Event) -> None:
    """Upload games as a job and as a stream in turn; what comes back whole has to be what is expected.

    Percentages and best lines may differ: the library may know a deeper search of the position by then.
    """
    streams = False
    while not stopped.wait(1.0):
        streams = not streams
        params = {"tell": "known"}
        if streams:
            answer = client.ask(
                "POST", "/api/v1/annotate", allowed=(200, 422), params=params, content=games, headers=PGN
            )
        else:
            begun = client.ask("POST", "/api/v1/annotations", allowed=(202,), params=params, content=games, headers=PGN)
            if begun is None or begun.status_code != 202:
                continue
            answer = _result(client, begun.headers["location"], stopped)
        if answer is None:
            continue
        if answer.status_code == 200 and _VALUES.sub(b"", answer.content) != _VALUES.sub(b"", expected):
            client.record.blame(f"an upload came back otherwise: {len(answer.content)} bytes, not {len(expected)}")
        acknowledged.results += answer.status_code == 200


def _result(client: Client, where: str, stopped: threading.Event) -> httpx.Response | None:
    end = time.monotonic() + JOB_SECONDS
    while time.monotonic() < end and not stopped.wait(0.3):
        status = client.ask("GET", where, allowed=(200, 404))
        if status is None or status.status_code == 404 or status.json().get("state") in ("failed", "stopped"):
            return None
        if status.status_code == 200 and status.json()["state"] == "done":
            return client.ask("GET", f"{where}/result", allowed=(200, 404))
    return None
