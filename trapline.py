"""The front door: the ``trapline`` command, which mounts each room's commands and imports a room when it is used."""

import sys
from importlib import import_module
from importlib.metadata import version as installed_version
from typing import Any

import typer
from typer.core import TyperGroup

from trapcore.errors import TraplineError, UsageError

#: Command -> "module:name" of a Typer application or of a command function, in the order of the help.
ROOMS = {
    "annotate": "annotator.commands:annotate",
    "library": "db.commands:library",
    "index": "db.commands:index",
    "mine": "db.mining_commands:mine",
    "query": "db.query_commands:query",
    "explore": "db.exploring_commands:explore",
    "report": "db.report_commands:report",
    "bot": "bot.commands:bot",
    "service": "service.commands:service",
    "jobs": "service.commands:jobs",
    "follow": "service.commands:follow",
    "serve": "web.commands:serve",
    "similarity": "trapcore.comparison_commands:similarity",
    "match": "trapcore.comparison_commands:match",
    "propose": "db.proposing_commands:propose",
    "prove": "trapcore.commands:prove",
    "dynamics": "trapcore.commands:dynamics",
    "evaluate": "db.evaluation.commands:evaluate",
    "experiment": "trapcore.experiments.commands:experiment",
}


class Rooms(TyperGroup):
    """A command group that imports a room when one of its commands is asked for."""

    def list_commands(self, ctx: Any) -> list[str]:
        """The commands in the order of a day's work."""
        return list(ROOMS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command, or None for an unknown name."""
        if cmd_name not in ROOMS:
            return super().get_command(ctx, cmd_name)
        module, name = ROOMS[cmd_name].split(":")
        entry = getattr(import_module(module), name)
        if not isinstance(entry, typer.Typer):
            single = typer.Typer(add_completion=False)
            single.command(name=cmd_name)(entry)
            entry = single
        command = typer.main.get_command(entry)
        command.name = cmd_name
        return command


app = typer.Typer(
    cls=Rooms,
    add_completion=False,
    no_args_is_help=True,
    help="Trap analysis for chess: annotates PGN with traps that are proved.",
)


def show_version(value: bool) -> None:
    """Print the version and stop."""
    if value:
        typer.echo(f"trapline {installed_version('trapline')}")
        raise typer.Exit


@app.callback()
def door(version: bool = typer.Option(False, "--version", callback=show_version, is_eager=True)) -> None:
    """Trap analysis for chess: annotates PGN with traps that are proved."""


def has_stray_bytes(text: str) -> bool:
    """Whether the terminal's encoding could not read the text (Python then keeps the bytes as lone surrogates)."""
    return any("\ud800" <= letter <= "\udfff" for letter in text)


def main() -> None:
    """Run the command line; our own errors become one line and their exit code, bugs a traceback."""
    try:
        if any(map(has_stray_bytes, sys.argv)):
            raise UsageError("an argument holds bytes that are no text in this terminal's encoding")
        app()
    except TraplineError as error:
        print(f"trapline: {error}", file=sys.stderr)
        sys.exit(error.exit_code)


if __name__ == "__main__":
    main()
