"""Options that the commands of this floor take, declared once so that they read the same everywhere."""

from typing import Annotated

import typer

DbOption = Annotated[
    str | None,
    typer.Option("--db", metavar="PATH", help="The library: a file, or an SQLAlchemy URL. Default: the setting `db`."),
]
