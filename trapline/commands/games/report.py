"""The command ``trapline report``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from trapline.commands.options import (
    AllNamesOption,
    DbOption,
    JsonOption,
    LanguageOption,
    SinceOption,
    UntilOption,
)
from trapline.commands.resources import check_outputs, chosen_language, open_existing

if TYPE_CHECKING:
    from coach.report.report import Report


def report(
    player: Annotated[str, typer.Argument(metavar="PLAYER", help="The name, or a part of it.")],
    output: Annotated[
        str | None, typer.Option("--output", "-o", metavar="FILE", help="The page, one HTML file. - is stdout.")
    ] = None,
    color: Annotated[str | None, typer.Option(metavar="white|black", help="Only games with this colour.")] = None,
    since: SinceOption = None,
    until: UntilOption = None,
    every: AllNamesOption = False,
    language: LanguageOption = None,
    db: DbOption = None,
    as_json: JsonOption = False,
) -> None:
    """Say what a player loses to, and write a page about it: what you keep losing to, and what to practise.

    On a terminal you see the sentences that the page begins with. The page compares you with players of the same rating
    in the same positions. It needs no network. --json prints the same figures. With --json and -o you get both.
    """
    import sys

    from coach.report.html import page
    from coach.report.report import report as made
    from coach.report.sentences import sentences
    from db.formats.export_file import write_text
    from db.games.players import find_players, players
    from trapcore.errors import unknown_name
    from trapline.commands.terminal import print_json, say
    from trapline.echo import echo

    if color is not None and color not in ("white", "black"):
        raise unknown_name("color", color, ("white", "black"))
    check_outputs([output], db)
    with open_existing(db) as library:
        names = find_players(players(library), player, every=every)
        found = made(
            library,
            names,
            since=since,
            until=until,
            colour=None if color is None else "white" if color == "white" else "black",
        )
        library_name = library.name
    words = chosen_language(language)
    on_terminal = not as_json and output != "-" and sys.stdout.isatty()
    if output is not None or not (as_json or on_terminal):
        write_text(page(found, words), output or "-", library=library_name)
    for told in sentences(found.summary, words) if on_terminal else ():
        echo(told)
    if on_terminal and output is None:
        say("the whole report is a page: name a file, -o report.html")
    if as_json:
        print_json(found.to_dict())
    elif not found.traps:
        say(_without_traps(found))


def _without_traps(found: Report) -> str:
    from db.wording.languages.english import ENGLISH

    games, losses = ENGLISH.counted(found.games, "game"), found.losses
    losing = ""
    if losses.games:
        searched = ENGLISH.counted(losses.games, "game")
        losing = f"{ENGLISH.counted(losses.in_all.own, 'losing move')} in the {searched} that were searched; "
    return f"{games} of {', '.join(found.players)}: {losing}no trap of the library occurred"
