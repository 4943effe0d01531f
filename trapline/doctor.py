"""Condition of an installation, for ``trapline doctor``: library, settings, tokens, disk, clock, versions.

Nothing is changed. What bot and service need is looked at by their own self-checks.
"""

import platform
import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from bot.self_check import check as check_bot
from db.library.health import broken, dangling_references, sample, wrong_keys
from db.library.library import Library
from db.library.open import open_library
from db.library.schema import SCHEMA
from db.proof.prover import SEARCH_NODES, TrapProver, prove_all
from db.similarity.killer_index import check_killer_index
from lichess.self_check import Finding, attempt
from trapcore import _native
from trapcore.errors import InputError, LibraryError, TraplineError
from trapcore.proof.syzygy import use_syzygy
from trapcore.proof.verdict import Verdict
from trapcore.ranking.weights import shipped_weights
from trapcore.version import installed_version
from trapline.service.self_check import check as check_service
from trapline.service.self_check import check_folder
from trapline.settings import Settings, config_file

PROOFS = 20
"""Proofs of the library, chosen by chance, that are made again unless something else is said."""

_EARLIEST = datetime(2026, 1, 1, tzinfo=UTC)  # before this program existed no clock that is right can stand


def examine(library: Path | str | None, *, proofs: int = PROOFS, seed: int = 0) -> Iterator[Finding]:
    """All checks; ``library`` instead of that of the settings, ``proofs`` (0 or more) of its traps proved again."""
    yield Finding("versions", "good", _versions())
    yield from attempt("clock", _clock)
    try:
        settings = Settings() if library is None else Settings(db=str(library))
    except TraplineError as error:
        yield Finding("settings", "bad", str(error))
        return
    if settings.syzygy:
        yield from attempt("tables", lambda: use_syzygy(settings.syzygy))
    path = config_file()
    there = path if path.exists() else f"none at {path}, so the defaults and the environment"
    yield Finding("settings", "good", str(there))
    name = settings.db if library is None else library
    if "://" not in str(name):
        yield from attempt("disk", lambda: check_folder(Path(name).absolute().parent))
    yield from _library(name, proofs, seed)
    for section, check in (("bot", check_bot), ("service", check_service)):
        if not getattr(settings, section).model_fields_set:
            yield Finding(section, "unchecked", f"the table [{section}] of the settings is empty")
            continue
        for finding in check(settings):
            yield replace(finding, what=f"{section}: {finding.what}")


def _versions() -> str:
    return (
        f"trapline {installed_version() or '(not installed)'}, {_native.PROVER_VERSION}, schema {SCHEMA}, "
        f"Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}"
    )


def _clock() -> str:
    now = datetime.now(UTC)
    if now < _EARLIEST:
        raise InputError(f"the clock says {now:%Y-%m-%d}, which is past; set it, or new games are not found")
    return f"{now:%Y-%m-%d %H:%M:%S} UTC"


def _library(name: Path | str, proofs: int, seed: int) -> Iterator[Finding]:
    try:
        library = open_library(name, read_only=True)
    except TraplineError as error:
        yield Finding("library", "bad", str(error))
        return
    with library:
        yield from attempt("library file", lambda: _file(library))
        yield from attempt("writing", lambda: _writing(name))
        yield from attempt("references", lambda: _references(library))
        yield from attempt("keys", lambda: _keys(library))
        yield from attempt("rows", lambda: _rows(library))
        yield from attempt("index", lambda: check_killer_index(library, library.weights() or shipped_weights()))
        yield from attempt("proofs", lambda: _proofs(library, proofs, seed))


def _file(library: Library) -> str:
    library.check_file()
    return f"{library.name} is whole"


def _writing(name: Path | str) -> str:
    """Begins and ends a transaction that writes nothing. Raises `LibraryError` if that is refused."""
    with open_library(name) as library, library.database.write():
        return f"{library.name} can be written"


def _references(library: Library) -> str:
    found = dangling_references(library)
    if found:
        raise LibraryError(f"rows refer to what is not there: {', '.join(found)}; put back a backup")
    return "all rows refer to rows that are there"


def _keys(library: Library) -> str:
    wrong = wrong_keys(library)
    if wrong:
        raise LibraryError(
            f"traps are not found by their positions, such as {', '.join(wrong)}; export the traps, make a new library "
            "and import them"
        )
    return "all traps are found by their positions"


def _rows(library: Library) -> str:
    traps = library.traps()
    if library.bad_rows:
        name, fault = next(iter(library.bad_rows.items()))
        raise LibraryError(
            f"{len(library.bad_rows):,} rows cannot be read and are left out everywhere, such as the {name} ({fault}); "
            "put back a backup, or export the others with `trapline library export` into a new library"
        )
    return f"{len(traps):,} traps can be read"


def _proofs(library: Library, most: int, seed: int) -> str:
    chosen = sample(library.traps(), most, seed)
    if not chosen:
        return ""
    wrong = broken(chosen)
    undecided = 0
    for trap, proved in prove_all(TrapProver(search_nodes=SEARCH_NODES), chosen):
        if isinstance(proved, InputError):
            wrong.append(f"{trap.slug}: {proved}")
        elif proved.verdict is Verdict.REFUTED:
            wrong.append(f"{trap.slug} is refuted")
        undecided += not isinstance(proved, InputError) and proved.verdict is Verdict.UNDECIDED
    if wrong:
        raise LibraryError(
            f"{len(wrong)} of {len(chosen)} proved traps do not hold: {wrong[0]}; `trapline library verify` proves all"
        )
    rest = f", {undecided} took more than the usual budget" if undecided else ""
    return f"{len(chosen) - undecided} of {len(chosen)} proofs hold again{rest}"
