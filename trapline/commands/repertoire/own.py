"""The commands ``trapline repertoire check`` and ``trapline repertoire from-games``, and what they read."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from trapline.commands.options import AllNamesOption, DbOption, JsonOption, LanguageOption, SheetOption, SiteOption
from trapline.commands.resources import check_outputs, chosen_language, open_existing

if TYPE_CHECKING:
    from coach.preparation.lines import Lines

FileArgument = Annotated[
    str, typer.Argument(metavar="FILE", help="Your repertoire, PGN with variations, or the address of a lichess study.")
]
ColourOption = Annotated[
    str | None,
    typer.Option(
        "--color", "--colour", metavar="white|black", help="Your colour in it. Default: as each chapter says."
    ),
]
PlayerOption = Annotated[str, typer.Option(metavar="NAME", help="Your name in the games, or a part of it.")]


def check(
    file: FileArgument,
    player: PlayerOption,
    color: ColourOption = None,
    site: SiteOption = None,
    every: AllNamesOption = False,
    output: SheetOption = None,
    language: LanguageOption = None,
    db: DbOption = None,
    as_json: JsonOption = False,
) -> None:
    """Compare your opening repertoire with your games: where you left it, its gaps, and the traps beside it.

    FILE is PGN with variations, or the address of a lichess study. Transpositions count. The games are those of the
    library. Gaps are replies that people play in it and that you have no answer to.
    """
    from coach.preparation.check import check as checked
    from coach.preparation.check_sheet import check_sheet
    from coach.preparation.games import games_named, sites_of
    from trapline.commands.terminal import hand_out

    check_outputs([output], db, [] if is_address(file) else [file])
    grammar = chosen_language(language)
    with open_existing(db) as library:
        games = games_named(library, player, every=every, site=site)
        found = checked(library, games, given_lines(file, color, games.names))
        library_name = library.name
    sites = dict(sites_of(games).most_common())
    sheet = check_sheet(found, " / ".join(sorted(games.names)), sites, grammar)
    figures = {
        "players": sorted(games.names),
        "sites": sites,
        "repertoires": [each.to_dict() for each in found],
    }
    hand_out(sheet, output, grammar, library_name, figures if as_json else None)


def is_address(file: str) -> bool:
    """Whether this is an address, and no file."""
    return file.startswith(("http://", "https://"))


def given_lines(file: str, color: str | None, names: Collection[str] = ()) -> list[Lines]:
    """The repertoire of a file or of a study, see `coach.preparation.lines.lines_of`; ``names`` are the player's.

    Raises `UsageError` for another colour and for an address that is no study, `InputError`, and `LichessError`.
    """
    from coach.preparation.lines import lines_of, read_lines
    from db.traps.terms import SIDES, side_named
    from lichess.studies import study_id, study_pgn
    from lichess.token import read_token
    from trapcore.errors import unknown_name
    from trapline.settings import read_settings

    colour = None if color is None else side_named(color)
    if color is not None and colour is None:
        raise unknown_name("color", color, SIDES)
    if not is_address(file):
        return read_lines(Path(file), colour=colour, player=names)
    study, mine = study_id(file), read_settings().service
    text = study_pgn(mine.url, read_token(mine), study)
    return lines_of(text.encode(), f"study {study}", colour=colour, player=names)


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
