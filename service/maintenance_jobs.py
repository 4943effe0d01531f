"""The jobs that fetch nothing: mining, proofs, annotated copies, backups, tidying."""

import re
from datetime import UTC, datetime
from pathlib import Path

from annotator.pipeline import Run
from annotator.plan import plan_run
from annotator.progress import Progress
from annotator.request import AnalysisRequest
from db.library.backup import back_up, vacuum
from db.mining.mine import Mined, Ore
from db.mining.mine import mine as dig
from db.proof.prover import judging
from db.proof.reverify import Verified, verify_traps
from db.similarity.annotator_index import open_screen
from service.clock import Halt
from service.job_log import Outcome
from service.service import Service
from trapcore.errors import OutputError, TraplineError
from trapcore.measures.options import IndexedMeasure

_BACKUP = re.compile(r"library-\d{8}T\d{6}Z\.sqlite")
_LEFT_OVER = re.compile(r"\.library-\d{8}T\d{6}Z\.sqlite\.\d+\.\d+\.new(-wal|-shm|-journal)?")


def mine(service: Service, halt: Halt, outcome: Outcome) -> None:
    """Look for traps in what is new in the games, with the engine of the settings as witness if there is one."""

    def progress(now: Mined) -> None:
        outcome.counts.clear()
        outcome.counts.update({"candidates": now.candidates, "looked at": now.done, "new traps": len(now.traps)})
        outcome.counts.update(now.findings)

    jobs, stop = service.settings.jobs, halt.cancellation
    with judging(service.settings.engine, service.settings.engine_nodes) as judge:
        progress(dig(service.library, Ore(), judge=judge, jobs=jobs, progress=progress, stop=stop))
    halt.check()


def verify(service: Service, halt: Halt, outcome: Outcome) -> None:
    """Read the whole library, prove all its traps again, with the engine of the settings if there is one."""

    def progress(now: Verified) -> None:
        outcome.counts["traps"], outcome.counts["changed"] = now.done, now.changed
        outcome.counts["disputed"] = len(now.disputed)
        halt.check()

    service.library.check_file()
    with judging(service.settings.engine, service.settings.engine_nodes) as judge:
        report = verify_traps(service.library, judge, jobs=service.settings.jobs, progress=progress)
    outcome.problems += [f"the trap {trap.slug} turned out to be none" for trap in report.refuted]


def annotate(service: Service, halt: Halt, outcome: Outcome) -> None:
    """Annotated copies of the fetched games: of files that have none, and of all if the traps are others now."""
    library = service.library
    traps, digest = library.traps(), library.digest()
    screen = open_screen(library, lambda _: None) if service.settings.measure is IndexedMeasure.ABSTRACTED else None
    request = AnalysisRequest.from_settings(service.settings)
    known = service.source_state.all("annotated ")
    games = service.mine.folder / "games"
    for path in service.game_files.files():
        halt.check()
        status = path.stat()
        now = {"size": status.st_size, "mtime": status.st_mtime_ns, "traps": digest}
        copy = service.mine.folder / "annotated" / path.relative_to(games)
        feed = f"annotated {path}"
        if known.get(feed) == now and copy.exists():
            outcome.counts["unchanged"] += 1
            continue
        try:
            copy.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise OutputError(f"{copy.parent} cannot be made: {error.strerror}") from error
        plan = plan_run([str(path)], str(copy), None, strict=False)
        with Progress(plan, quiet=True) as progress:
            tally = Run(request, plan, traps, digest, progress, screen=screen, resume=False).execute()
        service.source_state.set(feed, now)
        outcome.counts["files"] += 1
        outcome.counts["games"] += tally.games
        outcome.counts["games with traps"] += tally.with_traps
        outcome.problems += tally.problems


def backup(service: Service, halt: Halt, outcome: Outcome) -> None:
    """A backup under today's name; the oldest beyond those that are kept are deleted when it is complete."""
    folder = service.backups
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for path in folder.iterdir():
            if _LEFT_OVER.fullmatch(path.name):
                path.unlink(missing_ok=True)
        now = datetime.fromtimestamp(service.clock.now(), UTC)
        made = folder / f"library-{now:%Y%m%dT%H%M%SZ}.sqlite"
        outcome.counts["bytes"] = back_up(service.library, made)
        # By when they were made, whatever the clock has been: the newest name is not always the newest file.
        others = sorted((p for p in backups_in(folder) if p != made), key=lambda p: (p.stat().st_mtime_ns, p.name))
        for path in others[: max(0, len(others) + 1 - service.mine.backups)]:
            path.unlink()
            outcome.counts["deleted"] += 1
        outcome.counts["kept"] = len(backups_in(folder))
    except OSError as error:
        raise OutputError(f"{folder}: {error.strerror}") from error


def backups_in(folder: Path) -> list[Path]:
    """The backups in a folder, by name."""
    return sorted(path for path in folder.iterdir() if _BACKUP.fullmatch(path.name))


def tidy(service: Service, halt: Halt, outcome: Outcome) -> None:
    """Write the database file anew without its gaps."""
    try:
        outcome.counts["bytes before"], outcome.counts["bytes"] = vacuum(service.library)
    except TraplineError as error:
        # Mostly somebody is at work; nothing was changed, and the next time is soon enough.
        outcome.problems.append(str(error))
