"""Bundled traps, famous lines that are no traps, and the default library made of both.

Both are in ``traps.toml``; the certificates of their verdicts are in ``certificates.json``, which
``python -m db.formats.bundled`` (or ``make certificates``) makes anew.
"""

import os
import sys
import tomllib
from collections.abc import Callable
from dataclasses import replace as with_fields
from functools import cache
from importlib import resources
from pathlib import Path

from db.formats.bundled_certificates import check_certificates, read_certificates, write_certificates
from db.library.library import Library
from db.library.open import create_library, open_library
from db.patterns.bundled import add_patterns
from db.proof.prover import DEEPER_NODES, SEARCH_NODES, TrapProver, prove_all
from db.traps.terms import Outcome
from db.traps.trap import Trap, make_trap
from trapcore.errors import InputError, LibraryError

SOURCE = "bundled"
"""The source of these traps."""

SEARCHED = 4
"""One certificate in so many is compared with a new search when a library is made."""

_FIELDS = {"slug", "name", "family", "moves", "bait", "killer_line", "outcome", "eco", "opening"}


def bundled_traps() -> list[Trap]:
    """The traps of ``traps.toml``, checked and undecided, in the order of the file.

    Raises `InputError` for a trap that does not hold what the file says.
    """
    return [_trap(table, _FIELDS) for table in _tables()["trap"]]


def bundled_non_traps() -> list[Trap]:
    """The famous lines of ``traps.toml`` that are no traps, each with its reason, checked and undecided; else as above.

    In such a trap the bait is the move that is said to lose, the killer line what is said to refute it.
    """
    return [_trap(table, _FIELDS | {"reason", "source"}) for table in _tables()["non_trap"]]


def add_bundled(
    library: Library,
    prover: TrapProver,
    *,
    jobs: int = 1,
    log: Callable[[str], None] = lambda _: None,
) -> None:
    """Store the bundled traps, non-traps and patterns in place of older versions, with any verdict.

    Their certificates are checked. A trap without one that stands is proved as any other; ``log`` hears if these are
    many. What an engine has said of an older version stays, unless the killer line is another.
    """
    stored = {(trap.epd, trap.line): trap.opinions for trap in library.traps()}
    given = [*bundled_traps(), *bundled_non_traps()]
    known = [with_fields(trap, opinions=stored.get((trap.epd, trap.line), ())) for trap in given]
    certificates = read_certificates(prover)
    found = check_certificates(known, certificates, prover, jobs=jobs, search_each=SEARCHED)
    rest = [trap for trap, each in zip(known, found, strict=True) if each is None]
    if not certificates or any(trap.slug in certificates for trap in rest):
        log(f"{len(rest)} of the bundled traps have no certificate that fits this program; proving them takes a while")
    proved = [trap for trap in found if trap is not None]
    for trap, result in prove_all(prover, rest, jobs, checked=True):
        if isinstance(result, InputError):
            raise InputError(f"the bundled trap {trap.slug} does not hold: {result}") from result
        proved.append(result)
    library.add_all(proved, replace=True, checked=True)
    add_patterns(library)


def bundled_prover() -> TrapProver:
    """What the certificates of the bundled traps are made by."""
    return TrapProver(search_nodes=SEARCH_NODES, deeper_nodes=DEEPER_NODES)


def with_folder(path: Path) -> Path:
    """The path itself, whose folder is made. Raises `LibraryError` if it cannot be."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise LibraryError(f"the folder {path.parent} cannot be made: {error.strerror}") from error
    return path


def open_or_bundle(db: Path | str | None, default: Path, *, read_only: bool, log: Callable[[str], None]) -> Library:
    """Open the library ``db``, or without one ``default``, which is made of the bundled traps if it does not exist yet.

    ``log`` is given a sentence before and after a library is made. Raises `LibraryError` as
    `db.library.open.open_library` does.
    """
    if db is not None:
        return open_library(db, read_only=read_only)
    path = with_folder(default)
    if not path.exists():
        make_bundled(path, log)
    return open_library(path, read_only=read_only)


def make_bundled(path: Path, log: Callable[[str], None]) -> None:
    """Make a library file of the bundled traps, judged without an engine; ``log`` as above. Raises `LibraryError`."""
    log(f"making the library {path} of the bundled traps, once")
    threads = os.cpu_count() or 1
    create_library(path, lambda made: add_bundled(made, bundled_prover(), jobs=threads, log=log))
    with open_library(path, read_only=True) as library:
        counts = library.counts()
    log(f"{path} has {counts.traps} traps, {counts.proved} of them proved")


@cache  # reading the file takes a tenth of a second
def _tables() -> dict[str, list[dict[str, str]]]:
    return tomllib.loads(resources.files("db.formats").joinpath("traps.toml").read_text(encoding="utf-8"))


def _trap(table: dict[str, str], fields: set[str]) -> Trap:
    slug = table.get("slug", "?")
    if table.keys() != fields or not table.get("reason", "given"):
        odd = ", ".join(sorted(table.keys() ^ fields)) or "reason"
        raise InputError(f"traps.toml: the trap {slug} has too many or too few fields: {odd}")
    try:
        trap = make_trap(
            slug=slug,
            name=table["name"],
            family=table["family"],
            moves=table["moves"],
            bait=table["bait"],
            killer_line=table["killer_line"],
            eco=table["eco"],
            opening=table["opening"],
            source=table.get("source", SOURCE),
            reason=table.get("reason", ""),
        )
    except InputError as error:
        raise InputError(f"traps.toml: {error}") from error
    if trap.outcome is not Outcome(table["outcome"]):
        raise InputError(f"traps.toml: the trap {slug} is said to end in {table['outcome']}, not in {trap.outcome}")
    return trap


if __name__ == "__main__":
    write_certificates(
        [*bundled_traps(), *bundled_non_traps()],
        bundled_prover(),
        jobs=os.cpu_count() or 1,
        log=lambda message: print(message, file=sys.stderr),
    )
