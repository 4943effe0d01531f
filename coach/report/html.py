"""HTML form of a player's report: one file, with styles, plots and boards in it.

Jinja2 fills the template because it escapes what it is given: names of players and tags of games are anybody's text.
"""

from functools import cache
from importlib import resources
from importlib.metadata import version

from jinja2 import Environment, PackageLoader, StrictUndefined, pass_context, select_autoescape
from jinja2.runtime import Context
from markupsafe import Markup

from coach.report.losses import OPENINGS
from coach.report.patterns import PatternLinks, add_pattern_filters, embedded, shown_patterns
from coach.report.plots import falls_by_opening, falls_over_time
from coach.report.reasons import reason_name
from coach.report.report import Report, TrapHistory
from db.games.losing_moves import LostMove
from db.games.stored_game import evidence_of_loss
from db.games.trap_occurrences import TrapOccurrence
from db.traps.board_svg import Picture
from db.wording.claims import numbered_line, percent_of_chance
from db.wording.languages.english import ENGLISH
from db.wording.languages.grammar import Grammar, Verbosity
from db.wording.names import family_name
from db.wording.sentences import Narrator
from db.wording.template_language import add_language

GAMES = 12
"""Most games of a trap that the page lists; --json has all."""


def page(report: Report, language: Grammar = ENGLISH, links: PatternLinks | None = None) -> str:
    """The whole page; ``links`` say where its patterns lead."""
    whose, player = " / ".join(report.players[:3]), next(iter(report.players), "")
    if len(report.players) > 3:
        whose = language.text("%(names)s and others", names=whose)
    return (
        environment()
        .get_template("report.html")
        .render(
            report=report,
            language=language,
            whose=whose,
            over_time=Markup(falls_over_time(report.over_time, language)),
            openings=Markup(falls_by_opening(report.by_opening, language)),
            style=Markup(resources.files("coach.report").joinpath("templates/report.css").read_text("utf-8")),
            version=version("trapline"),
            most_games=GAMES,
            most_openings=OPENINGS,
            reason_name=lambda reason: reason_name(reason, language),
            **shown_patterns(report.patterns, report.summary, report.losses.games, player, links or PatternLinks()),
        )
    )


def board(history: TrapHistory) -> tuple[str, Picture]:
    """The board of a trap as it stood in the last game, the player below: an address that is the picture, and it."""
    shown = history.occurrences[0]
    trap = shown.trap
    picture = Picture(
        fen=trap.epd,
        bait=trap.bait,
        killer=trap.killer_line[0],
        flipped=shown.colour == "black",
        before=trap.name,
    )
    return embedded(picture), picture


def line(history: TrapHistory) -> tuple[str, str, str]:
    """Bait, killer and the rest, numbered as in the last game."""
    return numbered_line(history.occurrences[0].trap, history.occurrences[0].number)


@pass_context
def happened(context: Context, occurrence: TrapOccurrence) -> str:
    """What happened in a game, from the player's side."""
    text = context["language"].text
    if occurrence.is_victim:
        words = {
            "fell": text("you fell for it"),
            "avoided": text("you played %(move)s", move=occurrence.played),
            "sprung": text("the opponent sprang it"),
            "missed": text("the opponent missed it with %(move)s", move=occurrence.answer),
        }
    else:
        words = {
            "fell": text("the opponent fell for it"),
            "avoided": text("the opponent played %(move)s", move=occurrence.played),
            "sprung": text("you sprang it"),
            "missed": text("you missed it with %(move)s", move=occurrence.answer),
        }
    told = ", ".join(words[event] for event in occurrence.events if event in words)
    return told or str(text("the game ended there"))


@pass_context
def why(context: Context, lost: LostMove) -> str:
    """Why a move lost, in a sentence: ``Loses the bishop: 23...Qe3+ forks king and bishop.``"""
    return Narrator(context["language"], Verbosity.BRIEF).fell(evidence_of_loss(lost))


def chance(value: float | None) -> str:
    """A win chance of -1..1 as percent of 0 to 100; a dash where it was not measured."""
    return "–" if value is None else percent_of_chance(value)


@cache
def environment() -> Environment:
    """The templates of this package, with their filters."""
    made = Environment(
        loader=PackageLoader("coach.report"),
        autoescape=select_autoescape(["html"]),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    add_language(made)
    add_pattern_filters(made)
    filters = (board, chance, family_name, happened, line, why)
    made.filters |= {each.__name__: each for each in filters}
    return made
