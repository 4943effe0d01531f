"""The command ``trapline doctor``. What it needs is imported when it runs."""

from __future__ import annotations

from typing import Annotated

import typer

from trapline.commands.options import DbOption, JsonOption


def doctor(
    config: Annotated[
        str | None, typer.Option(metavar="FILE", help="The settings to look at, as TRAPLINE_CONFIG names them.")
    ] = None,
    proofs: Annotated[
        int, typer.Option(metavar="N", min=0, help="Prove so many of the library's traps again, chosen by chance.")
    ] = 20,
    db: DbOption = None,
    as_json: JsonOption = False,
) -> None:
    """Look whether all is in order: library, settings, tokens, disk, clock, versions. Nothing is changed.

    Each finding says what to do. The exit code is 1 if something is wrong, else 0.
    """
    import os
    import random
    from dataclasses import asdict

    from trapline.commands.terminal import print_json, report_findings
    from trapline.doctor import examine
    from trapline.settings import CONFIG_VARIABLE

    if config is not None:
        os.environ[CONFIG_VARIABLE] = config
    findings = examine(db, proofs=proofs, seed=random.randrange(1 << 32))
    if not as_json:
        raise typer.Exit(report_findings(findings))
    found = list(findings)
    print_json([asdict(finding) for finding in found])
    raise typer.Exit(int(any(finding.outcome == "bad" for finding in found)))
