"""The command ``trapline research patterns``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from trapline.commands.options import DbOption
from trapline.commands.resources import open_existing


def patterns(
    out: Annotated[Path, typer.Option(metavar="FOLDER", help="The report and its figures are written there.")],
    db: DbOption = None,
) -> None:
    """See whether players repeat themselves more than they repeat others of their rating.

    The games are those of the library, which `trapline index` has searched for losing moves. Every player with
    100 games or more is reported, whatever comes out. So is the share of the losing moves of all these games that have
    the cause and the mechanism of a bundled pattern.
    """
    import json

    from trapline.commands.terminal import Status, print_json
    from workshop.evaluation.recurrence import measure
    from workshop.write_report import make_folder, write_report, write_text

    make_folder(out)
    status = Status()
    with open_existing(db, read_only=True) as library:
        report, data = measure(library, status.show)
    status.clear()
    write_report(report, "patterns", out)
    write_text(out / "patterns.json", json.dumps(data, indent=1) + "\n")
    print_json(data)
