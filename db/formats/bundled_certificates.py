"""File of the certificates of the bundled traps, ``certificates.json``; `db.proof.certificate` says what one is.

The certificates hold for the provers, versions and budgets that the file names under ``means``, and are not used with
others. ``python -m db.formats.bundled`` makes the file anew.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from db.proof.certificate import Certificate, certify, check_certificate
from db.proof.prover import TrapProver
from db.traps.trap import Trap
from trapcore.errors import InputError
from trapcore.io.atomic_write import replacing

CERTIFICATES = Path(__file__).with_name("certificates.json")
"""In the installed package."""

_T = TypeVar("_T")


def read_certificates(prover: TrapProver, path: Path = CERTIFICATES) -> Mapping[str, Certificate | None]:
    """The certificates by the slug of their trap; none if they were made by other provers, versions or budgets.

    None for one that was changed since. Raises `InputError` if the file is not there or is no such file.
    """
    try:
        told = json.loads(path.read_text("utf-8"))
        means, entries = told["means"], told["certificates"].items()
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(f"{path} is no file of certificates: {error!r}") from error
    found: dict[str, Certificate | None] = {}
    if means != _means(prover):
        return found
    for slug, fields in entries:
        try:
            found[slug] = Certificate.from_dict(fields)
        except InputError:
            found[slug] = None
    return found


def write_certificates(
    traps: Iterable[Trap],
    prover: TrapProver,
    path: Path = CERTIFICATES,
    *,
    jobs: int = 1,
    log: Callable[[str], None] = lambda _: None,
) -> None:
    """Prove the traps and write a certificate of each whose verdict has one, ``jobs`` (1 or more) at the same time.

    The same traps and means give the same bytes. ``log`` is given a sentence for each certificate and for each trap
    without one. Raises `OSError`.
    """
    entries: dict[str, object] = {}
    for trap, certificate in _each(lambda trap: certify(trap, prover), list(traps), jobs):
        if certificate is None:
            log(f"{trap.slug}: no certificate, it is proved anew each time")
            continue
        check_certificate(trap, certificate, prover)
        entries[trap.slug] = certificate.to_dict()
        log(f"{trap.slug}: certificate of {certificate.nodes:,} nodes")
    # One certificate a line, so that a comparison of two files shows which are others.
    lines = ",\n".join(f"{json.dumps(slug)}: {json.dumps(entries[slug])}" for slug in sorted(entries))
    with replacing(path) as building:
        building.write_text(
            f'{{"means": {json.dumps(_means(prover))}, "certificates": {{\n{lines}\n}}}}\n', encoding="utf-8"
        )


def check_certificates(
    traps: Sequence[Trap],
    certificates: Mapping[str, Certificate | None],
    prover: TrapProver,
    *,
    jobs: int = 1,
    search_each: int = 1,
) -> list[Trap | None]:
    """Each trap as its certificate shows it, in order; None where there is no certificate, or none that stands.

    The traps have passed `Trap.check`. ``jobs`` (1 or more) are checked at the same time. One certificate in
    ``search_each`` is compared with a new search: another search than that of the certificates shows in a part of them.
    Raises `EngineError`.
    """
    searched = {trap.slug for trap in traps[::search_each]}

    def checked(trap: Trap) -> Trap | None:
        certificate = certificates.get(trap.slug)
        try:
            if certificate is None:
                return None
            return check_certificate(trap, certificate, prover, search_again=trap.slug in searched)
        except InputError:
            return None

    return [found for _, found in _each(checked, traps, jobs)]


def _means(prover: TrapProver) -> str:
    return replace(prover, engine=None).means


def _each(work: Callable[[Trap], _T], traps: Sequence[Trap], jobs: int) -> Iterable[tuple[Trap, _T]]:
    if jobs == 1:
        return ((trap, work(trap)) for trap in traps)
    with ThreadPoolExecutor(jobs, thread_name_prefix="certify") as pool:
        return zip(traps, list(pool.map(work, traps)), strict=True)
