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
    from trapline.commands.terminal import hand_out

    check_outputs([output], db)
    grammar = chosen_language(language)
    with open_existing(db) as library:
        found = prepared(library, games_named(library, against, every=every, site=site))
        library_name = library.name
    hand_out(opponent_sheet(found, grammar), output, grammar, library_name, found.to_dict() if as_json else None)
