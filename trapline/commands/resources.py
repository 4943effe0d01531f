"""What several commands open: the library, the workers, the prover."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from trapline.echo import say

if TYPE_CHECKING:
    from db.library.library import Library
    from db.proof.prover import TrapProver
    from db.wording.languages.grammar import Grammar
    from trapcore.errors import InputError
    from trapcore.parallel.pools import Pool
    from trapline.settings import Settings


def exists(path: str) -> bool:
    """Whether a library is there already; of a URL nobody knows before it is opened."""
    return "://" not in path and Path(path).exists()


def jobs_or_default(given: int | None) -> int:
    """The number of threads that was given, else that of the settings. Raises ``UsageError`` if it is below 1."""
    from trapcore.errors import UsageError
    from trapline.settings import read_settings

    if given is not None and given < 1:
        raise UsageError(f"jobs must be at least 1, not {given}")
    return given if given is not None else read_settings().jobs


@contextmanager
def pool_for(jobs: int | None, cluster: str | None) -> Iterator[Pool]:
    """The workers of a cluster if one is named, else so many threads. Raises ``UsageError`` for both."""
    from trapcore.errors import UsageError
    from trapcore.parallel.dask_cluster import cluster as connected
    from trapcore.parallel.pools import threads

    if cluster is None:
        with threads(jobs_or_default(jobs), "work") as pool:
            yield pool
    elif jobs is not None:
        raise UsageError("--jobs is for threads here, and --cluster does without them; give one of the two")
    else:
        with connected(cluster) as workers:
            yield workers


@contextmanager
def prover_with(engine: str | None) -> Iterator[TrapProver]:
    """The prover, with an engine that runs meanwhile if one is chosen.

    ``engine`` is ``off``, ``auto`` or a command. None takes the setting. Raises ``EngineError``.
    """
    from db.proof.engine_choice import engine_command
    from db.proof.prover import open_prover
    from trapline.settings import read_settings

    settings = read_settings()
    command = engine_command(settings.engine if engine is None else engine)
    with open_prover(command, None if command is None else settings.engine_nodes) as prover:
        yield prover


def say_engine(settings: Settings) -> None:
    """Say on standard error which engine decides about losing moves, or that none is found."""
    from db.proof.engine_choice import AUTO

    if settings.engine_command is not None:
        say(f"{settings.engine_command} decides which moves lost; the setting `engine` can be off")
    elif settings.engine == AUTO:
        say("no Stockfish is found on this machine: with one, trapline tells more of the moves that lost")


def default_library() -> Path:
    """Path of the default library: the setting ``db``. Its folder is made. Raises ``LibraryError``."""
    from db.formats.bundled import with_folder
    from trapline.settings import read_settings

    return with_folder(read_settings().db)


def chosen_language(code: str | None) -> Grammar:
    """Language of an option, else of the setting. Raises `UsageError` for a code that there is not."""
    from db.wording.languages.available import LANGUAGES, Language
    from trapcore.measures.options import chosen
    from trapline.settings import read_settings

    return LANGUAGES[read_settings().language if code is None else chosen(Language, code)]


@contextmanager
def open_existing(db: str | None, *, read_only: bool = True) -> Iterator[Library]:
    """An existing library, closed afterwards; the default one is made if need be.

    Parts of it that could not be read are reported at the end.
    """
    from db.formats.bundled import open_or_bundle
    from trapline.commands.terminal import say
    from trapline.settings import read_settings

    with open_or_bundle(db, read_settings().db, read_only=read_only, log=say) as library:
        yield library
        bad_rows = library.bad_rows
        if bad_rows:
            name, fault = next(iter(bad_rows.items()))
            others = f", and {len(bad_rows) - 1:,} more" if len(bad_rows) > 1 else ""
            say(
                f"{library.name} has rows that cannot be read and were left out: the {name} ({fault}){others}; "
                f"`trapline doctor --db {library.name}` says what to do"
            )


@contextmanager
def open_or_make(db: str | None) -> Iterator[Library]:
    """A library to fill, closed afterwards: one that is missing is made of the bundled traps."""
    from db.formats.bundled import make_bundled
    from trapline.commands.terminal import say

    if db is not None and "://" not in db and not exists(db):
        make_bundled(Path(db), say)
    with open_existing(db, read_only=False) as opened:
        yield opened


def check_outputs(
    outputs: Iterable[Path | str | None],
    db: str | None,
    inputs: Iterable[Path | str] = (),
    *,
    databases: bool = False,
) -> None:
    """Refuse outputs that the command reads or writes otherwise: its inputs, the library ``db``, the settings.

    None and ``-`` are no files and pass. With ``databases`` their writer checks whether a database may be
    replaced. Raises as `trapcore.io.output_check.check_outputs`.
    """
    from trapcore.io.output_check import check_outputs as check

    files = [output for output in outputs if output is not None and str(output) != "-"]
    check(
        files,
        [*((path, "an input") for path in inputs if str(path) != "-"), *used_files(db)],
        may_be_database=databases,
    )


def used_files(db: str | None) -> list[tuple[Path | str, str]]:
    """Files and folders that commands with the library ``db`` read or write, each with what it is."""
    import shutil

    from db.similarity.killer_index import SUFFIX
    from trapcore.io.output_check import COMPANIONS
    from trapline.settings import config_file, read_settings

    settings = read_settings()
    library = str(settings.db) if db is None else db.removeprefix("sqlite:///")
    used: list[tuple[Path | str, str]] = [(config_file(), "the settings file")]
    used += [(f"{library}{suffix}", "the library itself") for suffix in ("", *COMPANIONS)]
    used.append((f"{library}{SUFFIX}", "the index of the library"))
    if (engine := shutil.which(settings.engine)) is not None:
        used.append((engine, "the engine"))
    return used


def leave_if_failed(failures: list[InputError]) -> None:
    """Say all that went wrong and leave with its exit code."""
    from trapline.commands.terminal import say

    for failure in failures:
        say(str(failure))
    if failures:
        raise typer.Exit(failures[0].exit_code)
