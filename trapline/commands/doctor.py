"""The commands ``trapline doctor`` and ``trapline settings``."""

from __future__ import annotations

from typing import Annotated

import typer

from trapline.commands.options import DbOption, JsonOption
from trapline.echo import echo


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


def settings(
    everything: Annotated[bool, typer.Option("--all", help="Every setting, with all that is said of it.")] = False,
) -> None:
    """Print a settings file with the most used settings as comments. `--all` prints every setting.

    Copy it to ~/.config/trapline/trapline.toml and remove the signs before the lines that you change.
    """
    from trapline.settings import example

    echo(example(everything=everything), nl=False)
