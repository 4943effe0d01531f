"""The ``trapline`` command: a group that imports the module of a command when the command is used."""

import sys
from importlib import import_module
from importlib.metadata import version as installed_version
from typing import Any

import typer
from typer.core import TyperGroup

from trapcore.errors import TraplineError, UsageError

#: Command -> "module:name" of a Typer application or of a command function, in the order of the help.
COMMANDS = {
    "annotate": "trapline.commands.annotate:annotate",
    "library": "trapline.commands.library:library",
    "index": "trapline.commands.library:index",
    "mine": "trapline.commands.mine:mine",
    "query": "trapline.commands.query:query",
    "explore": "trapline.commands.explore:explore",
    "report": "trapline.commands.report:report",
    "bot": "trapline.commands.bot:bot",
    "service": "trapline.commands.service:service",
    "jobs": "trapline.commands.service:jobs",
    "follow": "trapline.commands.service:follow",
    "serve": "trapline.commands.serve:serve",
    "similarity": "trapline.commands.similarity:similarity",
    "match": "trapline.commands.similarity:match",
    "propose": "trapline.commands.propose:propose",
    "prove": "trapline.commands.prove:prove",
    "dynamics": "trapline.commands.prove:dynamics",
    "evaluate": "trapline.commands.evaluate:evaluate",
    "experiment": "trapline.commands.experiment:experiment",
}


class LazyCommands(TyperGroup):
    """A command group that imports a command's module when the command is looked up."""

    def list_commands(self, ctx: Any) -> list[str]:
        """The commands in the order of a day's work."""
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command, or None for an unknown name."""
        if cmd_name not in COMMANDS:
            return super().get_command(ctx, cmd_name)
        module, name = COMMANDS[cmd_name].split(":")
        entry = getattr(import_module(module), name)
        if not isinstance(entry, typer.Typer):
            single = typer.Typer(add_completion=False)
            single.command(name=cmd_name)(entry)
            entry = single
        command = typer.main.get_command(entry)
        command.name = cmd_name
        return command


app = typer.Typer(
    cls=LazyCommands,
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
def root(version: bool = typer.Option(False, "--version", callback=show_version, is_eager=True)) -> None:
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
