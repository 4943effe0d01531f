"""HTML form of a player's report: one file, with styles, plots and boards in it.

Jinja2 fills the template because it escapes what it is given: names of players and tags of games are anybody's text.
"""

import shlex
from base64 import b64encode
from collections import Counter
from collections.abc import Callable
from functools import cache
from importlib import resources
from importlib.metadata import version

from jinja2 import Environment, PackageLoader, StrictUndefined, pass_context, select_autoescape
from jinja2.runtime import Context
from markupsafe import Markup

from db.games.losing_moves import LostMove
from db.games.stored_game import evidence_of_loss
from db.games.trap_occurrences import TrapOccurrence
from db.patterns.recurring import IN_GAMES, LEAST_GAMES, Recurring
from db.report.losses import OPENINGS
from db.report.plots import falls_by_opening, falls_over_time
from db.report.report import Report, TrapHistory
from db.traps.board_svg import Picture, draw
from db.traps.terms import KINDS
from db.wording.causes import advice
from db.wording.claims import numbered_line, percent_of_chance
from db.wording.english import ENGLISH
from db.wording.grammar import Grammar, Verbosity
from db.wording.names import family_name
from db.wording.sentences import Narrator
from db.wording.template_language import add_language

GAMES = 12
"""Most games of a trap that the page lists; --json has all."""


def page(report: Report, language: Grammar = ENGLISH, practise: Callable[[str], str] | None = None) -> str:
    """The whole page. ``practise`` gives the address where a pattern is practised; else the command is named."""
    whose = " / ".join(report.players[:3])
    if len(report.players) > 3:
        whose = language.text("%(names)s and others", names=whose)
    return (
        _environment()
        .get_template("report.html")
        .render(
            report=report,
            language=language,
            whose=whose,
            over_time=Markup(falls_over_time(report.over_time, language)),
            openings=Markup(falls_by_opening(report.by_opening, language)),
            style=Markup(resources.files("db.report").joinpath("templates/report.css").read_text("utf-8")),
            version=version("trapline"),
            most_games=GAMES,
            practise=practise,
            least_games=LEAST_GAMES,
            in_games=IN_GAMES,
            most_openings=OPENINGS,
            kind_name=lambda kind: language.text(KINDS[kind]),
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
    return _address(picture), picture


def board_of_loss(lost: LostMove) -> tuple[str, Picture]:
    """The board of a losing move, its player below, likewise."""
    killer = lost.move.killer_line[0] if lost.move.killer_line else ""
    name = f"{lost.game.white} – {lost.game.black}"
    picture = Picture(fen=lost.epd, bait=lost.uci, killer=killer, flipped=lost.colour == "black", before=name)
    return _address(picture), picture


def _address(picture: Picture) -> str:
    return f"data:image/svg+xml;base64,{b64encode(draw(picture)).decode()}"


@pass_context
def pattern_name(context: Context, recurring: Recurring) -> str:
    """What a pattern is called, with the squares of its costliest mistake."""
    name = recurring.pattern.name(context["language"], recurring.moves[0].colour)
    return name[:1].upper() + name[1:]


@pass_context
def practise_command(context: Context, recurring: Recurring) -> str:
    """What practises a pattern in a terminal."""
    player = shlex.quote(context["report"].players[0])
    return f"trapline practise --player {player} --pattern {shlex.quote(recurring.pattern.key)}"


@pass_context
def pattern_advice(context: Context, recurring: Recurring) -> str:
    """The advice for the most frequent cause of its mistakes."""
    causes = Counter(move.move.cause for move in recurring.moves)
    return advice(max(causes, key=lambda cause: (causes[cause], cause)), context["language"])


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


def numbered(lost: LostMove) -> str:
    """``5...Bxd1``."""
    return f"{lost.number}{'.' if lost.colour == 'white' else '...'}{lost.san}"


@pass_context
def why(context: Context, lost: LostMove) -> str:
    """Why a move lost, in a sentence: ``Loses the bishop: 23...Qe3+ forks king and bishop.``"""
    return Narrator(context["language"], Verbosity.BRIEF).fell(evidence_of_loss(lost))


def chance(value: float | None) -> str:
    """A win chance of -1..1 as percent of 0 to 100; a dash where it was not measured."""
    return "–" if value is None else percent_of_chance(value)


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("db.report"),
        autoescape=select_autoescape(["html"]),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    add_language(environment)
    filters = (
        board,
        board_of_loss,
        chance,
        family_name,
        happened,
        line,
        numbered,
        pattern_advice,
        pattern_name,
        practise_command,
        why,
    )
    environment.filters |= {each.__name__: each for each in filters}
    return environment
