"""The list of commands, the version, and the exit codes; `trapline.__main__` starts it."""

import errno
import json
import os
import re
import sys
from importlib.metadata import version as installed_version
from pathlib import Path
from typing import Annotated, TextIO

import typer

from trapcore.errors import OutputError, TraplineError, UsageError
from trapline.echo import echo, say
from trapline.lazy_group import lazy_group

PANELS = {
    "Commands": {
        "annotate": "trapline.commands.annotate:annotate",
        "index": "trapline.commands.games.index:index",
        "report": "trapline.commands.games.report:report",
        "practise": "trapline.commands.practise:practise",
        "group": "trapline.commands.games.group:group",
        "repertoire": "trapline.commands.repertoire:repertoire",
        "prepare": "trapline.commands.games.prepare:prepare",
        "serve": "trapline.commands.serve:serve",
        "query": "trapline.commands.query:query",
    },
    "Library": {
        "library": "trapline.commands.library:library",
        "mine": "trapline.commands.games.mine:mine",
        "explore": "trapline.commands.games.explore:explore",
        "doctor": "trapline.commands.doctor:doctor",
        "settings": "trapline.commands.doctor:settings",
    },
    "Bot and service": {
        "bot": "trapline.commands.bot:bot",
        "service": "trapline.commands.service:service",
        "jobs": "trapline.commands.service:jobs",
        "follow": "trapline.commands.service:follow",
    },
    "Measures and proofs": {
        "similarity": "trapline.commands.similarity:similarity",
        "match": "trapline.commands.similarity:match",
        "tree": "trapline.commands.tree:tree",
        "propose": "trapline.commands.propose:propose",
        "prove": "trapline.commands.prove:prove",
    },
}
"""The commands by the panels of the help, a player's first: the name of each and where it is, see
`trapline.lazy_group`."""

COMMANDS = [name for commands in PANELS.values() for name in commands]
"""Names of the commands, in the order of the help."""

_GAMES = re.compile(r"-|.+\.pgn(\.(gz|bz2|zst))?", re.IGNORECASE)


def short_form(arguments: list[str]) -> list[str]:
    """``games.pgn …`` as ``annotate games.pgn …``; other arguments stay as they are."""
    first = arguments[0] if arguments else ""
    is_file = _GAMES.fullmatch(first) is not None or (first not in COMMANDS and Path(first).is_file())
    return ["annotate", *arguments] if is_file else arguments


_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EIO, errno.EBADF)

app = typer.Typer(
    cls=lazy_group(PANELS, short_form, entry_group="trapline.commands"),
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Trap analysis for chess. `trapline games.pgn` annotates games.",
)


def show_version(value: bool) -> None:
    """Prints the version and stops."""
    if value:
        echo(f"trapline {installed_version('trapline')}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", callback=show_version, is_eager=True, help="Print the version and stop.")
    ] = False,
    config: Annotated[
        str | None, typer.Option(metavar="FILE", help="Settings file, see deploy/trapline.example.toml.")
    ] = None,
    syzygy: Annotated[
        list[str] | None, typer.Option(metavar="DIR", help="Folder with Syzygy tables. Default: the setting `syzygy`.")
    ] = None,
) -> None:
    """Trap analysis for chess. `trapline games.pgn` annotates games."""
    if config is not None:
        os.environ["TRAPLINE_CONFIG"] = config
    if syzygy:
        os.environ["TRAPLINE_SYZYGY"] = json.dumps(syzygy)


def has_stray_bytes(text: str) -> bool:
    """Whether the terminal's encoding could not read the text (Python then keeps the bytes as lone surrogates)."""
    return any("\ud800" <= letter <= "\udfff" for letter in text)


def main() -> int:
    """Runs the command and returns its exit code: an error of ours or of the system becomes one line, a bug a
    traceback.
    """
    _fill_closed_streams()
    os.umask(os.umask(0o077) | 0o002)  # nothing that is made here may be written to by everybody
    code = _run()
    try:
        sys.stdout.flush()
    except OSError as error:
        gone = isinstance(error, BrokenPipeError)  # the reader (`| head`): no error to speak of
        if not gone and not code:
            say(_sentence(error))
        code = code or (TraplineError.exit_code if gone else OutputError.exit_code)
        _drop(sys.stdout)
    try:
        sys.stderr.flush()
    except OSError:
        _drop(sys.stderr)  # talk that nobody can hear is no error
    return code


def _run() -> int:
    try:
        if any(map(has_stray_bytes, sys.argv)):
            raise UsageError("an argument holds bytes that are no text in this terminal's encoding")
        app(prog_name="trapline")
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except TraplineError as error:
        for sentence in error.sentences:
            say(sentence)
        return error.exit_code
    except OverflowError as error:
        say(f"a number that was given is too large ({error})")
        return UsageError.exit_code
    except MemoryError:
        say("there is too little memory for this; do it with less at once, or where there is more")
        return TraplineError.exit_code
    except OSError as error:
        say(_sentence(error))
        return OutputError.exit_code if error.errno in _FULL or error.filename is None else TraplineError.exit_code
    return 0


def _fill_closed_streams() -> None:
    """Put something in the place of standard streams that are closed, or the next files would get their numbers.

    To write to a standard output that is closed is an error; what goes to a closed standard error is lost.
    """
    for number, flags in enumerate((os.O_RDONLY, os.O_RDONLY, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, flags)  # the lowest number that is free
    sys.stdin = sys.stdin or os.fdopen(0, closefd=False)
    sys.stdout = sys.stdout or os.fdopen(1, "w", closefd=False)
    sys.stderr = sys.stderr or os.fdopen(2, "w", closefd=False)


def _sentence(error: OSError) -> str:
    try:
        Path.cwd()
    except FileNotFoundError:
        return "the working folder is not there any more; change to another one"
    return f"{error.filename or 'standard output'}: {error.strerror or error}"


def _drop(stream: TextIO) -> None:
    """Send what could not be written to nowhere, so that it is not tried once more at the end."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)
