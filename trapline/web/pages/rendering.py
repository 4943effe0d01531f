"""Templates of the pages, their filters, and their language.

The language is what the visitor chose, else the setting, else what his browser asks for, else English. A choice is the
parameter ``lang`` of any page's address; a cookie remembers it.
"""

import json
from collections.abc import Iterable
from dataclasses import asdict
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from urllib.parse import urlencode

import chess
from fastapi import Request
from fastapi.responses import Response
from fastapi.templating import Jinja2Templates
from jinja2 import ChoiceLoader, DictLoader, Environment, FileSystemLoader, StrictUndefined, select_autoescape

from coach.report.patterns import add_pattern_filters, shared_templates
from db.query.ahead import TrapAhead
from db.traps import board_svg
from db.traps.openings import names_by_slug, opening_slug
from db.traps.trap import Trap, read_moves
from db.wording.claims import numbered_line, pawns
from db.wording.languages.available import LANGUAGES, Language
from db.wording.languages.grammar import Grammar
from db.wording.names import family_name
from db.wording.template_language import add_language
from trapline.web.pages.boards import Picture
from trapline.web.problems import skip_reason
from trapline.web.profile import profile_of
from trapline.web.service import service_of

PACKAGE = Path(__file__).parent
STATIC = PACKAGE / "static"

IMMUTABLE = "public, max-age=31536000, immutable"
"""``Cache-Control`` of what never changes at its address."""

LANGUAGE_PARAM = "lang"
"""Parameter of an address that chooses a language by its code."""

COOKIE = "trapline-language"

COOKIE_SECONDS = 365 * 86_400
"""For which a choice is remembered."""


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


def picture_url(picture: board_svg.Picture) -> str:
    """Address of a board."""
    return Picture(**asdict(picture)).url


def capital(text: str) -> str:
    """Text with its first letter capitalised; the rest is unchanged."""
    return text[:1].upper() + text[1:]


def script_texts(language: Grammar) -> str:
    """What the scripts of the pages say, as JSON by the names that they know it by."""
    return json.dumps(
        {
            "chosen": language.format("Chosen: %(name)s"),
            "large": language.format("The file has %(size)s MiB; at most %(most)s are taken here. Send it in pieces."),
            "sending": language.format("Sending: %(percent)s %%"),
            "reading": language.text("Reading the games …"),
            "refused": language.format("The server refused the file (%(status)s)."),
            "unsent": language.text("The file could not be sent. Try again."),
            "promote": language.text("Promote to"),
            **{letter: language.text(name) for letter, name in PROMOTIONS.items()},
        }
    )


def engine_texts(language: Grammar) -> str:
    """What the script of the engine says, likewise."""
    return json.dumps(
        {
            "loading": language.text("Loading Stockfish …"),
            "failed": language.text("Stockfish cannot be loaded here. The values are trapline’s."),
            "refused": language.text("Stockfish cannot judge this position."),
            "ended": language.text("The game is over."),
            "value": language.format("Stockfish: %(value)s · White’s win chance: %(chance)s %%"),
            "depth": language.format("depth %(depth)s"),
            "mine": language.format("Your move %(move)s: %(value)s."),
            "answer": language.format("Stockfish answers %(answer)s."),
            "best": language.text("It is Stockfish’s first choice."),
            "better": language.format("Stockfish’s first choice was %(best)s: %(value)s."),
        }
    )


PROMOTIONS = {"q": "Queen", "r": "Rook", "b": "Bishop", "n": "Knight"}
"""What a pawn may become, by the letter of a move in UCI."""


@lru_cache(maxsize=1)
def templates() -> Jinja2Templates:
    """Templates with their filters; an unknown name in a template is an error."""
    environment = Environment(
        loader=ChoiceLoader([FileSystemLoader(PACKAGE / "templates"), DictLoader(shared_templates())]),
        autoescape=select_autoescape(["html"]),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    add_language(environment)
    add_pattern_filters(environment)
    filters = (pawns, numbered, thumbnail, capital, family_name, skip_reason, opening_slug)
    environment.filters |= {each.__name__: each for each in filters}
    environment.globals["static_version"] = _static_version()
    environment.globals |= {"address": address, "slugs": names_by_slug(), "picture_url": picture_url}
    for name in ("stockfish", "chessops"):
        found = next(STATIC.glob(f"engine/{name}-*"), None)
        environment.globals[name] = "" if found is None else f"/static/engine/{found.name}"
    environment.globals["engine_texts"] = engine_texts
    environment.globals["has_ground"] = (STATIC / "chessground" / "chessground.min.js").is_file()
    return Jinja2Templates(env=environment)


def page(request: Request, template: str, status: int = 200, *, is_stored: bool = True, **values: object) -> Response:
    """Response with the page that a template makes of these values, in the language of the visitor.

    Without ``is_stored`` no cache may keep it.
    """
    profile = profile_of(request)
    signed_in = None if profile is None else profile.name
    section = "/" + request.url.path.split("/")[1]
    language = language_of(request)
    headers = {
        # Without a referrer browsers would send no Origin with forms either, which `trapline.web.server.limits` checks.
        "Referrer-Policy": "same-origin",
        "Content-Language": language.code,
        "Vary": "Accept-Language, Cookie",
    }
    if not is_stored:
        headers["Cache-Control"] = "no-store"
    given = {
        "section": section,
        "signed_in": signed_in,
        "language": language,
        "languages": list(LANGUAGES.values()),
        "in_language": lambda code: _with_language(request, code),
        "script_texts": script_texts(language),
        **values,
    }
    answer = templates().TemplateResponse(request, template, given, status, headers)
    remember(request, answer)
    return answer


def _with_language(request: Request, code: str) -> str:
    params = [(name, value) for name, value in request.query_params.multi_items() if name != LANGUAGE_PARAM]
    return f"{request.url.path}?{urlencode([*params, (LANGUAGE_PARAM, code)])}"


def language_of(request: Request) -> Grammar:
    """Language in which a request is answered with pages."""
    settings = service_of(request).settings
    chosen = _known(request.query_params.get(LANGUAGE_PARAM, "")) or _known(request.cookies.get(COOKIE, ""))
    if chosen is None and "language" in settings.model_fields_set:
        chosen = settings.language
    return LANGUAGES[chosen or accepted(request.headers.get("accept-language", "")) or Language.EN]


def remember(request: Request, answer: Response) -> None:
    """Have the browser keep the language that an address chose."""
    chosen = _known(request.query_params.get(LANGUAGE_PARAM, ""))
    if chosen is None:
        return
    secure = service_of(request).settings.web.address.startswith("https://")
    answer.set_cookie(COOKIE, chosen.value, max_age=COOKIE_SECONDS, httponly=True, samesite="lax", secure=secure)


def accepted(header: str) -> Language | None:
    """First language of a header ``Accept-Language``, which browsers write in order, of those that there are."""
    codes = (part.strip()[:2].lower() for part in header.split(","))
    return next(filter(None, map(_known, codes)), None)


def _known(code: str) -> Language | None:
    return Language(code) if code in tuple(Language) else None


def _static_version() -> str:
    """Hash of the style sheet and the script, so that browsers may cache them."""
    content = b"".join(file.read_bytes() for file in sorted(STATIC.rglob("*")) if file.is_file())
    return blake2b(content, digest_size=6).hexdigest()


def ahead_rows(traps: Iterable[TrapAhead]) -> list[dict[str, object]]:
    """Rows of the table of traps ahead, with their links."""
    return [{"of": each, "url": address("/position", fen=each.trap.epd), "bait": each.trap.sans()[0]} for each in traps]
