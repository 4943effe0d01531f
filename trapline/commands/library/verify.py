"""The command ``trapline library verify``."""

from __future__ import annotations

from typing import Annotated

import typer

from trapline.commands.options import DbOption, EngineOption, JobsOption, JsonOption, SlugsArgument
from trapline.commands.resources import jobs_or_default, open_existing, prover_with
from trapline.echo import echo


def verify(
    slugs: SlugsArgument = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Exit with 1 if a trap is disputed, or refuted without a known reason.")
    ] = False,
    engine: EngineOption = None,
    jobs: JobsOption = None,
    db: DbOption = None,
    as_json: JsonOption = False,
) -> None:
    """Read the whole library, prove its traps again, and store what changed.

    The opinion of an engine is stored beside our own. If two opinions contradict each other, nothing is claimed unless
    a mate is proved. An interrupted run over all traps continues where it was.
    """
    from db.proof.reverify import Verified, verify_traps
    from db.wording.claims import claim, contradiction
    from trapcore.proof.verdict import Verdict
    from trapline.commands.terminal import Status, counted, print_json, say, trap_count

    status = Status()

    def progress(now: Verified) -> None:
        status.show(f"{now.done:,} of {trap_count(now.wanted)}: {_verdicts(now)}")

    def _verdicts(now: Verified) -> str:
        figures = [(str(verdict), now.verdicts[verdict]) for verdict in Verdict]
        one = "contradiction" if len(now.disputed) == 1 else "contradictions"
        return counted([*figures, (one, len(now.disputed))])

    with prover_with(engine) as prover, open_existing(db, read_only=False) as opened:
        opened.check_file()
        chosen = [opened.trap(slug) for slug in slugs] if slugs else None
        try:
            report = verify_traps(opened, prover, chosen, jobs=jobs_or_default(jobs), progress=progress)
        except KeyboardInterrupt:
            status.clear()
            say("what was verified is stored" + ("" if chosen else "; the same command goes on from there"))
            raise
        status.clear()
    if report.resumed:
        say(f"{trap_count(report.resumed)} had been verified before the last run was interrupted")
    if as_json:
        print_json(report.to_dict())
    else:
        for before, after in report.changes:
            echo(f"{after.slug}: was {claim(before)}, is {claim(after)}")
        for trap in report.disputed:
            echo(f"{trap.slug}: {contradiction(trap)}")
        echo(_verdicts(report))
    if strict and (report.refuted or report.disputed):
        raise typer.Exit(1)
