"""The command ``trapline prepare``."""

from __future__ import annotations

from typing import Annotated

import typer

from trapline.commands.options import AllNamesOption, DbOption, JsonOption, LanguageOption, SheetOption, SiteOption
from trapline.commands.resources import check_outputs, chosen_language, open_existing


def prepare(
    against: Annotated[str, typer.Option(metavar="NAME", help="The opponent, by name or a part of it.")],
    site: SiteOption = None,
    every: AllNamesOption = False,
    output: SheetOption = None,
    language: LanguageOption = None,
    db: DbOption = None,
    as_json: JsonOption = False,
) -> None:
    """Prepare for an opponent: what he plays, where he leaves theory, what he loses to, and a trap for him.

    Everything comes from his games in the library, and each figure has its sample. The suggested line is a proved trap
    in his most played lines. If there is none, the sheet says so.
    """
    from coach.preparation.games import games_named
    from coach.preparation.opponent import prepare as prepared
    from coach.preparation.opponent_sheet import opponent_sheet
    from coach.report.sheet import page
    from db.formats.export_file import write_text
    from trapline.commands.terminal import print_json, print_sheet

    check_outputs([output], db)
    grammar = chosen_language(language)
    with open_existing(db) as library:
        found = prepared(library, games_named(library, against, every=every, site=site))
        library_name = library.name
    sheet = opponent_sheet(found, grammar)
    if output is not None:
        write_text(page(sheet, grammar), output, library=library_name)
    if as_json:
        print_json(found.to_dict())
    elif output != "-":
        print_sheet(sheet)
