"""What the file of a report and its page have in common: their first sentences and patterns, in the same templates."""

import shlex
from base64 import b64encode
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import resources

from jinja2 import Environment, pass_context
from jinja2.runtime import Context

from coach.report.sentences import sentences
from coach.report.summary import Summary
from db.games.losing_moves import LostMove
from db.patterns.circumstances import LITTLE_SECONDS, Circumstances
from db.patterns.keys import Pattern
from db.patterns.recurring import IN_GAMES, LEAST_GAMES, Recurring
from db.traps.board_svg import Picture, draw
from db.wording.causes import advice
from db.wording.languages.grammar import Grammar


def embedded(picture: Picture) -> str:
    """An address that is the picture itself."""
    return f"data:image/svg+xml;base64,{b64encode(draw(picture)).decode()}"


def picture_of_loss(lost: LostMove) -> Picture:
    """The board of a losing move, its player below."""
    killer = lost.move.killer_line[0] if lost.move.killer_line else ""
    name = f"{lost.game.white} – {lost.game.black}"
    return Picture(fen=lost.epd, bait=lost.uci, killer=killer, flipped=lost.colour == "black", before=name)


def _embedded(lost: LostMove) -> tuple[str, Picture]:
    picture = picture_of_loss(lost)
    return embedded(picture), picture


@dataclass(frozen=True, slots=True)
class PatternLinks:
    """Where the boards of a pattern are, and where it leads."""

    picture: Callable[[LostMove], tuple[str, Picture]] = _embedded
    """Address of a board, and the board."""
    game: Callable[[LostMove], str | None] = lambda lost: lost.game.address
    """Address of a game at the losing move; None for none."""
    practise: Callable[[Pattern], str] | None = None
    """Address where a pattern is practised; without it the command is named."""
    page: Callable[[Pattern], str] | None = None
    """Address of the page of a pattern; without it there is no link."""


def shared_templates() -> dict[str, str]:
    """The texts of the templates by name, for an environment with templates of its own."""
    folder = resources.files("coach.report").joinpath("templates")
    return {
        name: folder.joinpath(name).read_text("utf-8") for name in ("summary.html", "patterns.html", "sections.html")
    }


def shown_patterns(
    patterns: Sequence[Recurring], summary: Summary, judged: int, player: str, links: PatternLinks
) -> dict[str, object]:
    """What the template needs besides the language: the summary and the patterns of a player, ``judged`` of whose games
    were looked through."""
    return {
        "patterns": patterns,
        "summary": summary,
        "judged": judged,
        "links": links,
        "least_games": LEAST_GAMES,
        "least_span": IN_GAMES,
        "practise_command": lambda pattern: (
            f"trapline practise --player {shlex.quote(player)} --pattern {shlex.quote(pattern.key)}"
        ),
    }


def add_pattern_filters(environment: Environment) -> None:
    """Add the filters of the template to an environment that has a language."""
    filters = (summary_words, pattern_advice, pattern_name, circumstances_words, numbered_move)
    environment.filters |= {each.__name__: each for each in filters}


@pass_context
def summary_words(context: Context, summary: Summary) -> list[str]:
    """The sentences of a summary in the language of the page."""
    return sentences(summary, context["language"])


@pass_context
def pattern_name(context: Context, recurring: Recurring) -> str:
    """What a pattern is called, with the squares of its costliest mistake."""
    name = recurring.pattern.name(context["language"], recurring.moves[0].colour)
    return name[:1].upper() + name[1:]


@pass_context
def pattern_advice(context: Context, recurring: Recurring) -> str:
    """The advice for the most frequent cause of its mistakes."""
    causes = Counter(move.move.cause for move in recurring.moves)
    return advice(max(causes, key=lambda cause: (causes[cause], cause)), context["language"])


@pass_context
def circumstances_words(context: Context, when: Circumstances) -> str:
    """`words_of_circumstances` in the language of the page."""
    return words_of_circumstances(when, context["language"])


def words_of_circumstances(when: Circumstances, language: Grammar) -> str:
    """``By opening: Italian Game 4, Sicilian Defense 2. With less than 30 seconds left: 3 of 9.``

    Empty if the sample is too small for either. A higher share than among the player's other losing moves is named
    only where it is beyond doubt.
    """
    text, parts = language.text, []
    claim = f" ({text('more often than the other losing moves')})"
    if when.openings:
        named = [
            f"{each.name} {language.number(each.part.count)}{claim if each.is_more else ''}" for each in when.openings
        ]
        parts.append(text("By opening: %(openings)s.", openings=", ".join(named)))
    if when.shows_clock:
        count, of = map(language.number, (when.hurried.count, when.hurried.of))
        told = text(
            "With less than %(seconds)s seconds left: %(count)s of %(of)s", seconds=LITTLE_SECONDS, count=count, of=of
        )
        parts.append(f"{told}{claim if when.is_hurried else ''}.")
    return " ".join(parts)


def numbered_move(lost: LostMove) -> str:
    """``5...Bxd1``."""
    return f"{lost.number}{'.' if lost.colour == 'white' else '...'}{lost.san}"
