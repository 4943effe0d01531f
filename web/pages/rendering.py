"""Pages out of templates: where these are, and how they say values."""

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
from db.traps.wording import claim, contradiction, numbered_line, pawns, percent, year
from web.pages.boards import Picture

ROOM = Path(__file__).parent
STATIC = ROOM / "static"


def address(path: str, **given: object) -> str:
    """A link on this site: the path with the arguments that say something (not None, False or empty)."""
    asked = {name: "1" if value is True else value for name, value in given.items() if value not in (None, False, "")}
    return f"{path}?{urlencode(asked)}" if asked else path


def start_number(trap: Trap) -> chess.Board:
    """The position before the bait, with the number of the move as in the game that leads to it, if one is known."""
    board = trap.board()
    if trap.moves is not None:
        board.fullmove_number = 1 + len(read_moves(chess.Board(), trap.moves, trap.slug)) // 2
    return board


@lru_cache(maxsize=4096)
def numbered(trap: Trap) -> tuple[str, str, str]:
    """Bait, killer, and the rest of the line, as ``5...Bxd1``, ``6.Bxf7+`` and ``Ke7 7.Nd5#``."""
    return numbered_line(trap, start_number(trap).fullmove_number)


def thumbnail(trap: Trap) -> Picture:
    """A small board of the trap with bait and killer."""
    killer = trap.killer_line[0]
    return Picture(fen=trap.epd, bait=trap.bait, killer=killer, plain=True, before=trap.name)


def counted(count: int, what: str) -> str:
    """``1 trap``, ``2,000 traps``."""
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def capital(text: str) -> str:
    """The text with a capital letter at its beginning; the rest stays."""
    return text[:1].upper() + text[1:]


@lru_cache(maxsize=1)
def templates() -> Jinja2Templates:
    """The templates with their filters; an unknown name in one is an error."""
    environment = Environment(
        loader=FileSystemLoader(ROOM / "templates"),
        autoescape=select_autoescape(["html"]),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    said = (claim, contradiction, pawns, numbered, thumbnail, percent, counted, capital, year)
    environment.filters |= {each.__name__: each for each in said}
    environment.globals["static_version"] = _static_version()
    environment.globals["address"] = address
    return Jinja2Templates(env=environment)


def page(request: Request, template: str, status: int = 200, **given: object) -> Response:
    """The page that a template makes of these values."""
    section = "/" + request.url.path.split("/")[1]
    # Without any referrer a browser would not say either that a form is sent from here.
    headers = {"Referrer-Policy": "same-origin"}
    return templates().TemplateResponse(request, template, {"section": section, **given}, status, headers)


def _static_version() -> str:
    """Changes with the style sheet and the script, so that browsers may keep them."""
    content = b"".join(file.read_bytes() for file in sorted(STATIC.iterdir()))
    return blake2b(content, digest_size=6).hexdigest()
