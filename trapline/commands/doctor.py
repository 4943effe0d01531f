"""The command ``trapline doctor``."""

from __future__ import annotations

import typer

from trapline.commands.options import DbOption, JsonOption


def doctor(db: DbOption = None, as_json: JsonOption = False) -> None:
    """Check the installation: library, settings, tokens, disk, clock, versions. Nothing is changed.

    Each finding says what to do. The exit code is 1 if something is wrong, else 0.
    """
    import random
    from dataclasses import asdict

    from trapline.commands.terminal import print_json, report_findings
    from trapline.doctor import examine

    findings = examine(db, seed=random.randrange(1 << 32))
    if not as_json:
        raise typer.Exit(report_findings(findings))
    found = list(findings)
    print_json([asdict(finding) for finding in found])
    raise typer.Exit(int(any(finding.outcome == "bad" for finding in found)))
