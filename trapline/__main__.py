"""The command ``trapline``: its list of commands, its version, and its exit codes."""

import sys
from importlib.metadata import version as installed_version

import typer

from trapcore.errors import TraplineError, UsageError
from trapline.lazy_group import lazy_group

COMMANDS = {
    "annotate": "trapline.commands.annotate:annotate",
    "library": "trapline.commands.library:library",
    "index": "trapline.commands.games.index:index",
    "mine": "trapline.commands.games.mine:mine",
    "query": "trapline.commands.query:query",
    "explore": "trapline.commands.games.explore:explore",
    "report": "trapline.commands.games.report:report",
    "practise": "trapline.commands.practise:practise",
    "bot": "trapline.commands.bot:bot",
    "service": "trapline.commands.service:service",
    "jobs": "trapline.commands.service:jobs",
    "follow": "trapline.commands.service:follow",
    "serve": "trapline.commands.serve:serve",
    "similarity": "trapline.commands.similarity:similarity",
    "match": "trapline.commands.similarity:match",
    "tree": "trapline.commands.tree:tree",
    "propose": "trapline.commands.propose:propose",
    "prove": "trapline.commands.prove:prove",
    "research": "trapline.commands.research:research",
}
"""Name of each command, in the order of the help, and where it is; see `trapline.lazy_group`."""


app = typer.Typer(
    cls=lazy_group(COMMANDS),
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Trap analysis for chess: annotates PGN with traps that are proved.",
)


def show_version(value: bool) -> None:
    """Prints the version and stops."""
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
    """Entry point: an error of ours becomes one line and its exit code, a bug a traceback."""
    try:
        if any(map(has_stray_bytes, sys.argv)):
            raise UsageError("an argument holds bytes that are no text in this terminal's encoding")
        app(prog_name="trapline")
    except TraplineError as error:
        print(f"trapline: {error}", file=sys.stderr)
        sys.exit(error.exit_code)


if __name__ == "__main__":
    main()
