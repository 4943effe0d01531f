"""Page of losing moves: those most like a move, a position or a trap, and those of a pattern.

The moves of the player come first, then those of others. A public server shows a player's own games only.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Annotated

import chess
from fastapi import APIRouter, Query, Request
from fastapi.responses import Response
from pydantic import BaseModel, Field

from coach.practice.collect import from_games, has_choice
from coach.report.patterns import picture_of_loss, words_of_circumstances
from db.games.accounts import SiteAccount
from db.games.losing_moves import LostMove, lost_moves
from db.games.losing_themes import themes_of
from db.games.stored_game import evidence_of_loss
from db.games.trap_occurrences import games_of_player, numbered_games
from db.patterns.bundled import BundledPattern
from db.patterns.circumstances import Circumstances, circumstances_of
from db.patterns.index import Place
from db.patterns.keys import Level, Pattern
from db.patterns.like import mistakes_at, place_of
from db.query.condition import LONGEST_TEXT
from db.query.mistakes import Answer, answers, what_is_missing
from db.query.query import MOST_HITS, MistakeQuery
from db.wording.causes import advice
from db.wording.languages.grammar import Grammar
from db.wording.names import theme_name
from db.wording.sentences import Narrator
from trapcore import _native
from trapcore.trees.chess_game import parse_position
from trapline.web.pages.boards import Picture
from trapline.web.pages.rendering import address, capital, language_of, page, thumbnail
from trapline.web.problems import NotFound
from trapline.web.profile import Profile, ShownGames, name_of, player_of, required_profile, shown_games
from trapline.web.service import Service, service_of

router = APIRouter(include_in_schema=False)

ALIKE = 10
"""Nearest losing moves of the player, and as many of others."""

LEAST_ALIKE = 0.1
"""Similarity below which a losing move is not called alike: it shares next to nothing."""

MOVES_PER_PAGE = 12
"""Losing moves of a pattern on a page."""

SECONDS = 60.0
"""Longest time of an answer."""

Text = Annotated[str, Field(max_length=LONGEST_TEXT)]


@dataclass(frozen=True, slots=True)
class Told:
    """A losing move as a page shows it."""

    sentence: str
    picture: Picture
    game: str
    """Players and date."""
    themes: tuple[str, ...]
    board: str
    """URL of the game at the move."""
    exercise: str | None
    """URL of the exercise; None where the position is none."""
    address: str | None
    """Of the game where it was played."""
    like: str
    """URL of the losing moves most like it."""
    similarity: float | None = None
    """0..1, to what was asked for; None on other pages."""
    shared: tuple[str, ...] = ()
    """Names of the patterns that both have."""


class Wanted(BaseModel):
    """Parameters of the page: what the moves are like, or their pattern, and whose come first."""

    like: Text = ""
    """See `db.patterns.like.models_like`."""
    cause: Text = ""
    mechanism: Text = ""
    place: Text = ""
    player: Text = ""
    from_: Annotated[int, Field(ge=0, le=MOST_HITS - MOVES_PER_PAGE, alias="from")] = 0

    @property
    def keys(self) -> dict[Level, str]:
        """The patterns by their level, as they are given."""
        given = {Level.PLACE: self.place, Level.MECHANISM: self.mechanism, Level.CAUSE: self.cause}
        return {level: text.strip() for level, text in given.items() if text.strip()}

    def query(self) -> MistakeQuery:
        """Query of the library. Raises `UsageError`."""
        limit = ALIKE + 1 if self.like.strip() else min(MOST_HITS, self.from_ + MOVES_PER_PAGE + 1)
        keys = {str(level): text for level, text in self.keys.items()}
        return MistakeQuery(like=self.like.strip() or None, limit=limit, **keys)  # type: ignore[arg-type]

    def url(self, **params: object) -> str:
        """URL of the page with these parameters."""
        keys = {str(level): text for level, text in self.keys.items()}
        return address("/mistakes", like=self.like.strip(), **keys, player=self.player.strip(), **params)


def pattern_url(pattern: Pattern, player: str = "") -> str:
    """URL of the page of a pattern."""
    return address("/mistakes", **{str(pattern.level): pattern.key}, player=player)


def move_url(game: int, ply: int, player: str = "") -> str:
    """URL of the losing moves most like a move of a game of the library."""
    return address("/mistakes", like=f"{game}#{ply}", player=player)


@router.get("/mistakes")
async def mistakes(request: Request, wanted: Annotated[Wanted, Query()]) -> Response:
    """Page of the losing moves most like one, or of a pattern."""
    service, profile, language = service_of(request), required_profile(request), language_of(request)
    work = partial(_content, service, profile, wanted, language, shown_games(request))
    content = await service.search(request, lambda stop: work(), seconds=SECONDS)
    return page(request, "mistakes.html", is_stored=False, **content)  # type: ignore[arg-type]


def _content(
    service: Service, profile: Profile, wanted: Wanted, language: Grammar, only: ShownGames
) -> dict[str, object]:
    """What the page shows. Raises `UsageError` and `InputError` for what cannot be asked, and `NotFound`."""
    with service.library.database.read() as connection:
        missing = what_is_missing(connection)
    if missing is not None:
        return {"missing": capital(language.message(missing)), "title": language.text("Losing moves")}
    whose = player_of(service, profile, wanted.player) if wanted.player.strip() or profile.account else None
    name = "" if whose is None else name_of(whose)
    model = None if not wanted.like.strip() else _model(service, profile, wanted.like.strip(), name, language)
    own, others = answers(service.library, wanted.query(), only, whose)
    if model is not None:
        parts = [[each for each in part if _is_alike(each, model)][:ALIKE] for part in (own, others)]
        more = None
    else:
        end = wanted.from_ + MOVES_PER_PAGE
        parts = [own[wanted.from_ : end], others[max(0, wanted.from_ - len(own)) : max(0, end - len(own))]]
        is_more = len(own) + len(others) > end and end <= MOST_HITS - MOVES_PER_PAGE
        more = wanted.url(**{"from": end}) if is_more else None
    first = next(iter([*own, *others]), None)
    return {
        "missing": "",
        "title": language.text("More like this") if model is not None else _title(wanted, first, language),
        "model": model,
        "when": "" if model is not None or whose is None else _when(service, whose, wanted, language),
        "advice": advice(wanted.cause.strip(), language) if model is None else "",
        "name": name,
        "own": [told_of(each, language, name, own=True) for each in parts[0]],
        "others": [told_of(each, language, name, own=False) for each in parts[1]],
        "more": more,
        "practise": _practise(wanted, own, name),
        "report": address("/report", player=name) if name else None,
    }


@dataclass(frozen=True, slots=True)
class _Model:
    text: str
    picture: Picture
    url: str
    place: Place | None = None
    """Of the move, which is not told as one like itself."""


def _model(service: Service, profile: Profile, like: str, player: str, language: Grammar) -> _Model:
    """What the moves are to be like. Raises `UsageError`, `InputError`, and `NotFound` for a game of somebody else."""
    if "#" not in like:
        trap = None if "/" in like else service.library.find(like)
        if trap is not None:
            return _Model(trap.name, thumbnail(trap), f"/traps/{trap.slug}")
        fen = parse_position(like).fen()
        picture = _of_position(fen)
        return _Model(language.text("This position"), picture, address("/position", fen=fen))
    game, ply = place = place_of(service.library, like)
    row = numbered_games(service.library, [game]).rows[game]
    if not profile.may_see({"Site": row.site, "White": row.white, "Black": row.black}):
        raise NotFound("there is no such game in this library")
    lost = mistakes_at(service.library, [place]).get(place)
    if lost is not None:
        told = told_of(Answer(lost, None, ()), language, player, own=False)
        return _Model(f"{told.sentence} {told.game}", told.picture, told.board, place)
    ((epd, _),) = _native.replay([(row.start_fen, row.moves, [ply - 1])])[0]
    picture = _of_position(epd)
    return _Model(f"{row.white} – {row.black}", picture, address(f"/games/{game}", ply=ply - 1, player=player), place)


def _title(wanted: Wanted, first: Answer | None, language: Grammar) -> str:
    """What the pattern is called, with the squares of the first move; as it was asked for if that is no key."""
    names = []
    for level, text in wanted.keys.items():
        known = () if first is None else first.patterns
        pattern = next((each for each in known if each == Pattern(text) and each.level is level), None)
        is_cause = level is Level.CAUSE
        names.append(
            Pattern(text).name(language, "white" if first is None else first.lost.colour)
            if is_cause or pattern is not None
            else f"“{text}”"
        )
    return capital(", ".join(names))


def _practise(wanted: Wanted, own: Sequence[Answer], player: str) -> str | None:
    """URL of practice with the pattern; None where the moves of nobody, or more than one pattern, are shown."""
    keys = list(wanted.keys.values())
    if wanted.like.strip() or len(keys) != 1 or not any(Pattern(keys[0]) in each.patterns for each in own):
        return None
    return address("/practise", go=1, player=player, pattern=keys[0])


def _when(service: Service, whose: str | SiteAccount, wanted: Wanted, language: Grammar) -> str:
    """When the player falls into the pattern, in words; empty where more than one is wanted, or too little is known."""
    keys = list(wanted.keys.values())
    if len(keys) != 1:
        return ""
    pattern = Pattern(keys[0])

    def count() -> Circumstances:
        moves, _ = lost_moves(service.library, games_of_player(service.library, whose))
        own = [move for move in moves if move.is_players]
        inside = [move for move in own if pattern.has(move.move)]
        return circumstances_of(inside, [move for move in own if not pattern.has(move.move)])

    when = service.page_cache.get(service.state(), ("circumstances", whose, keys[0]), count)
    return words_of_circumstances(when, language)


def _is_alike(answer: Answer, model: _Model) -> bool:
    return (answer.place is None or answer.place != model.place) and (answer.similarity or 0.0) >= LEAST_ALIKE


def _told_of_bundled(lost: BundledPattern, answer: Answer, language: Grammar, player: str) -> Told:
    """The same of one that comes with trapline: what its line does, and the line."""
    board = chess.Board(f"{lost.epd} 0 1")
    line = board.variation_san([chess.Move.from_uci(move) for move in (lost.bait, *lost.killer_line)])
    return Told(
        sentence=f"{capital(lost.patterns[0].name(language, lost.colour))}: {line}",
        picture=_of_position(lost.epd),
        game=language.text("Comes with trapline"),
        themes=(),
        board=address("/position", fen=lost.epd),
        exercise=None,
        address=None,
        like=address("/mistakes", like=lost.epd, player=player),
        similarity=answer.similarity,
        shared=tuple(each.name(language, lost.colour) for each in answer.shared),
    )


def _of_position(fen: str) -> Picture:
    """Board of a position, the side to move below."""
    return Picture(fen=fen, plain=True, flipped=" b " in fen)


def small_board(lost: LostMove) -> Picture:
    """Board of a losing move, its player below."""
    return Picture(**{**asdict(picture_of_loss(lost)), "plain": True})


def told_of(answer: Answer, language: Grammar, player: str, *, own: bool) -> Told:
    """A losing move as a page shows it; ``own`` if it is the player's, so that practice has it as an exercise."""
    lost = answer.lost
    if isinstance(lost, BundledPattern):
        return _told_of_bundled(lost, answer, language, player)
    game, ply = lost.game, lost.move.ply
    exercise = next((each for each in from_games([lost]) if has_choice(each)), None) if own else None
    where = f"#{ply}" if game.address and "lichess" in game.address else ""
    names = f"{game.white} – {game.black}"
    day = language.day(game.date)
    shared = [each for each in answer.shared if each.level is not Level.MECHANISM or each is answer.shared[0]]
    return Told(
        sentence=Narrator(language).fell(evidence_of_loss(lost)),
        picture=small_board(lost),
        game=f"{names}, {day}" if day else names,
        themes=tuple(theme_name(theme, language) for theme in themes_of(lost)),
        board=address(f"/games/{game.id}", ply=ply, player=player, side="" if own else lost.colour),
        exercise=None if exercise is None else address("/practise", go=1, player=player, exercise=exercise.id),
        address=f"{game.address}{where}" if game.address else None,
        like=move_url(game.id, ply, player),
        similarity=answer.similarity,
        shared=tuple(each.name(language, lost.colour) for each in shared),
    )
