"""Templates of the pages, and their filters."""

from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from urllib.parse import urlencode

import chess
from fastapi import Request
from fastapi.responses import Response
from fastapi.templating import Jinja2Templates
from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape

from db.traps.trap import Trap, read_moves
from db.wording.claims import claim, contradiction, numbered_line, pawns, percent, year
from db.wording.names import family_name
from web.pages.boards import Picture
from web.profile import profile_of

PACKAGE = Path(__file__).parent
STATIC = PACKAGE / "static"


def address(path: str, **params: object) -> str:
    """Link on this site: the path with the query parameters that are not None, False or empty."""
    used = {name: "1" if value is True else value for name, value in params.items() if value not in (None, False, "")}
    return f"{path}?{urlencode(used)}" if used else path


def start_number(trap: Trap) -> chess.Board:
    """Board before the bait, with the move number of the line that leads to it, if one is known."""
    board = trap.board()
    if trap.moves is not None:
        board.fullmove_number = 1 + len(read_moves(chess.Board(), trap.moves, trap.slug)) // 2
    return board


@lru_cache(maxsize=4096)
def numbered(trap: Trap) -> tuple[str, str, str]:
    """Numbered moves of a trap: bait, killer, rest of the line, as ``5...Bxd1``, ``6.Bxf7+`` and ``Ke7 7.Nd5#``."""
    return numbered_line(trap, start_number(trap).fullmove_number)


def thumbnail(trap: Trap) -> Picture:
    """Small board of the trap with bait and killer."""
    killer = trap.killer_line[0]
    return Picture(fen=trap.epd, bait=trap.bait, killer=killer, plain=True, before=trap.name)


def counted(count: int, what: str) -> str:
    """Count with its noun: ``1 trap``, ``2,000 traps``."""
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def capital(text: str) -> str:
    """Text with its first letter capitalised; the rest is unchanged."""
    return text[:1].upper() + text[1:]


@lru_cache(maxsize=1)
def templates() -> Jinja2Templates:
    """Templates with their filters; an unknown name in a template is an error."""
    environment = Environment(
        loader=FileSystemLoader(PACKAGE / "templates"),
        autoescape=select_autoescape(["html"]),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    filters = (claim, contradiction, pawns, numbered, thumbnail, percent, counted, capital, year, family_name)
    environment.filters |= {each.__name__: each for each in filters}
    environment.globals["static_version"] = _static_version()
    environment.globals["address"] = address
    environment.globals["has_ground"] = (STATIC / "chessground" / "chessground.min.js").is_file()
    return Jinja2Templates(env=environment)


def page(request: Request, template: str, status: int = 200, **values: object) -> Response:
    """Response with the page that a template makes of these values."""
    profile = profile_of(request)
    signed_in = None if profile is None else profile.name
    section = "/" + request.url.path.split("/")[1]
    # Without a referrer browsers would send no Origin with forms either, which `web.limits` checks.
    headers = {"Referrer-Policy": "same-origin"}
    given = {"section": section, "signed_in": signed_in, **values}
    return templates().TemplateResponse(request, template, given, status, headers)


def _static_version() -> str:
    """Hash of the style sheet and the script, so that browsers may cache them."""
    content = b"".join(file.read_bytes() for file in sorted(STATIC.rglob("*")) if file.is_file())
    return blake2b(content, digest_size=6).hexdigest()
