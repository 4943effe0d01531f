"""The addresses that are read, all of them by the kinds that are timed apart."""

import random
import threading
from dataclasses import dataclass
from urllib.parse import quote

from tests.soak.requests import Client

POSITIONS = (
    "r2qkbnr/ppp2ppp/2np4/4N3/2B1P1b1/2N5/PPPP1PPP/R1BQK2R b KQkq - 0 5",
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/8/PPPP1PPP/RNBQK1NR w KQkq - 0 3",
    "8/8/8/4k3/8/4K3/4P3/8 w - - 0 1",
)

ADDRESSES: dict[str, tuple[str, ...]] = {
    "page": (
        "/",
        "/?name=legal",
        "/traps",
        "/traps?family=legal",
        "/traps/{slug}",
        "/traps/{slug}?ply=1&side=black",
        "/traps/{slug}/embed",
        "/openings",
        "/openings/italian-game",
        "/about",
        "/annotate",
        "/report",
        "/report?player={player}",
        "/report/traps?player={player}",
        "/report/games?player={player}",
        "/play",
        "/play/new?level=1200&start=Italian+Game",
        "/play/game.pgn?level=1200&style=solid&side=white&line=e2e4,e7e5",
        "/practise",
        "/practise?go=1&player={player}",
        "/practise/progress?player={player}",
        "/groups",
        "/repertoire",
        "/repertoire?player={player}",
        "/prepare",
        "/position/setup?fen={fen}",
    ),
    "data": (
        "/api/v1/traps",
        "/api/v1/traps?name=mate&limit=5",
        "/api/v1/traps/{slug}",
        "/api/v1/traps/{slug}/sightings",
        "/api/v1/families",
        "/api/v1/explore?fen={fen}",
        "/traps/{slug}.pgn",
        "/traps/{slug}.svg",
        "/board.svg?fen={fen}",
        "/piece.svg?piece=P",
        "/static/page.css",
        "/openapi.json",
        "/health",
        "/metrics",
    ),
    "search": (
        "/position?fen={fen}",
        "/api/v1/traps?fen={fen}&similar=3",
        "/mistakes?like={fen}",
        "/mistakes?cause=threat&player={player}",
        "/api/v1/mistakes?like={fen}",
        "/api/v1/ahead?start={fen}",
        "/api/v1/search?q=knight+fork",
        "/api/v1/mistakes?cause=threat&player={player}",
        "/api/v1/propose?fen={fen}&nodes=2000",
        "/play/game?level=1400&style=trickster&side=black&line=e2e4,e7e5,g1f3,b8c6",
        "/games/{game}",
        "/games/{game}?best=1",
        "/prepare?against={player}",
        "/practise/exercises.pgn?player={player}",
        "/practise/exercises.apkg?player={player}",
    ),
}
"""By kind; `ONLY_OTHERS` are asked by those who upload, and `SIGNED_IN` are of public servers and of groups."""

ONLY_OTHERS = (
    "/annotate/{id}",
    "/annotate/{id}/games/{place}",
    "/report/jobs/{id}",
    "/api/v1/annotations/{id}",
    "/api/v1/annotations/{id}/result",
)
SIGNED_IN = ("/sign-in", "/sign-in/done", "/groups/{slug}", "/groups/join/{token}")
OF_REPERTOIRES = ("/repertoire/drill", "/repertoire/mine.pgn")
"""Of a repertoire that was given, which nobody does here."""


@dataclass(frozen=True)
class Known:
    """What the library has from the beginning, for addresses that name it."""

    slugs: tuple[str, ...]
    games: int
    players: tuple[str, ...]


def read(client: Client, known: Known, seed: int, pause: float, stopped: threading.Event) -> None:
    """Read addresses by chance, with a pause of ``pause`` seconds between two, until ``stopped``."""
    chance = random.Random(seed)
    while not stopped.wait(pause * chance.random() * 2):
        kind = chance.choices(tuple(ADDRESSES), (6, 6, 2))[0]
        values = {
            "slug": chance.choice(known.slugs),
            "fen": quote(chance.choice(POSITIONS)),
            "game": str(chance.randint(1, known.games)),
            "player": quote(chance.choice(known.players)),
        }
        path = chance.choice(ADDRESSES[kind]).format(**values)
        client.ask("GET", path, allowed=(200, 303), kind=kind, headers={"accept": "text/html,*/*"})
