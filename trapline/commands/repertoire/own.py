"""The commands ``trapline repertoire check`` and ``trapline repertoire from-games``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from trapline.commands.options import AllNamesOption, DbOption, JsonOption, LanguageOption, SheetOption, SiteOption
from trapline.commands.resources import check_outputs, chosen_language, open_existing

PlayerOption = Annotated[str, typer.Option(metavar="NAME", help="Your name in the games, or a part of it.")]


def check(
    file: Annotated[str, typer.Argument(metavar="FILE", help="Your repertoire, PGN with variations.")],
    player: PlayerOption,
    color: Annotated[
        str | None,
        typer.Option(
            "--color", "--colour", metavar="white|black", help="Your colour in it. Default: as each chapter says."
        ),
    ] = None,
    site: SiteOption = None,
    every: AllNamesOption = False,
    output: SheetOption = None,
    language: LanguageOption = None,
    db: DbOption = None,
    as_json: JsonOption = False,
) -> None:
    """Compare your opening repertoire with your games: where you left it, its gaps, and the traps beside it.

    FILE is PGN with variations, such as an exported lichess study. Transpositions count. The games are those of the
    library. Gaps are replies that people play in it and that you have no answer to.
    """
    from coach.preparation.check import check as checked
    from coach.preparation.check_sheet import check_sheet
    from coach.preparation.games import games_named, sites_of
    from coach.preparation.lines import read_lines
    from db.traps.terms import SIDES
    from trapcore.errors import UsageError, unknown_name
    from trapline.commands.terminal import hand_out

    colour = next((side for side in SIDES if side == color), None)
    if color is not None and colour is None:
        raise unknown_name("color", color, SIDES)
    if file.startswith(("http://", "https://")):
        raise UsageError(f"{file} is an address: export the study as PGN and give that file")
    check_outputs([output], db, [file])
    grammar = chosen_language(language)
    with open_existing(db) as library:
        games = games_named(library, player, every=every, site=site)
        found = checked(library, games, read_lines(Path(file), colour=colour, player=games.names))
        library_name = library.name
    sites = dict(sites_of(games).most_common())
    sheet = check_sheet(found, " / ".join(sorted(games.names)), sites, grammar)
    figures = {
        "players": sorted(games.names),
        "sites": sites,
        "repertoires": [each.to_dict() for each in found],
    }
    hand_out(sheet, output, grammar, library_name, figures if as_json else None)


def from_games(
    player: PlayerOption,
    output: Annotated[str, typer.Option("--output", "-o", metavar="FILE", help="Write the PGN here. - is stdout.")],
    min_games: Annotated[int, typer.Option(metavar="N", min=1, help="Only moves of at least N games.")] = 2,
    depth: Annotated[int, typer.Option(metavar="PLIES", min=1, max=40, help="Depth, 1 to 40.")] = 24,
    site: SiteOption = None,
    every: AllNamesOption = False,
    db: DbOption = None,
) -> None:
    """Write the repertoire that you play: your most played move in each position, and what you met.

    The PGN has a chapter for each colour. The comments say how many games have a move, and what you scored with it.
    """
    from coach.preparation.derive import as_text, derived
    from coach.preparation.games import games_named, opening_games
    from db.formats.export_file import write_text
    from trapcore.errors import UsageError
    from trapline.commands.terminal import say

    check_outputs([output], db)
    with open_existing(db) as library:
        games = games_named(library, player, every=every, site=site)
        library_name = library.name
    name = " / ".join(sorted(games.names))
    chapters = derived(opening_games(games), name, least=min_games, plies=depth)
    if not chapters:
        raise UsageError(f"no move of {name} was played in {min_games:,} games or more; give a lower --min-games")
    write_text(as_text(chapters), output, library=library_name)
    colours = " and ".join(chapter.headers["Orientation"] for chapter in chapters)
    say(f"the repertoire for {colours} of {len(games.rows):,} games is written to {output}")
