"""Jobs that fetch nothing: mining, proofs, annotated copies, backups, tidying."""

import re
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from annotator.counts import Counts
from annotator.files.plan import Plan, plan_run
from annotator.files.progress import Progress
from annotator.known_traps import KnownTraps
from annotator.pipeline import Run
from annotator.record import record_losing_moves
from annotator.request import AnalysisRequest
from db.library.backup import back_up, vacuum
from db.mining.mine import MiningOptions, MiningProgress
from db.mining.mine import mine as dig
from db.patterns.recall import recall_of, recall_state
from db.proof.prover import open_prover
from db.proof.reverify import Verified, verify_traps
from trapcore.errors import InputError, OutputError, TraplineError, UsageError
from trapcore.parallel.pools import threads
from trapline.service.games.game_files import state_of
from trapline.service.games.months import join_months
from trapline.service.service import Service
from trapline.service.state.clock import StopFlag
from trapline.service.state.job_log import Outcome

_BACKUP = re.compile(r"library-\d{8}T\d{6}Z\.sqlite")


def mine(service: Service, stop_flag: StopFlag, outcome: Outcome) -> None:
    """Mine the new games for traps, verified by the engine of the settings if there is one."""

    def progress(now: MiningProgress) -> None:
        outcome.counts.clear()
        outcome.counts.update({"candidates": now.candidates, "looked at": now.done, "new traps": len(now.traps)})
        outcome.counts.update(now.findings)

    jobs = service.settings.jobs
    with (
        open_prover(service.settings.engine_command, service.settings.engine_nodes) as prover,
        stop_flag.cancellation() as stop,
    ):
        progress(dig(service.library, MiningOptions(), prover=prover, jobs=jobs, progress=progress, stop=stop))
    stop_flag.check()


def verify(service: Service, stop_flag: StopFlag, outcome: Outcome) -> None:
    """Check the library file and prove all its traps again, with the engine of the settings if there is one."""

    def progress(now: Verified) -> None:
        outcome.counts["traps"], outcome.counts["changed"] = now.done, now.changed
        outcome.counts["disputed"] = len(now.disputed)
        stop_flag.check()

    service.library.check_file()
    with open_prover(service.settings.engine_command, service.settings.engine_nodes) as prover:
        report = verify_traps(service.library, prover, jobs=service.settings.jobs, progress=progress)
    outcome.problems += [f"the trap {trap.slug} turned out to be none" for trap in report.refuted]


def annotate(service: Service, stop_flag: StopFlag, outcome: Outcome) -> None:
    """Write annotated copies of the fetched games: of files without one, and of all if the traps have changed.

    Where losing moves are told, those of these games are recorded before, so that the closing comments name the earlier
    games with the same mistake.
    """
    library = service.library
    known_traps = replace(KnownTraps.of(library, service.settings.measure), recall=recall_of(library))
    request = AnalysisRequest.from_settings(service.settings)
    known = service.source_state.all("annotated ")
    games = service.mine.folder / "games"
    for path in service.game_files.files():
        stop_flag.check()
        copy = service.mine.folder / "annotated" / path.relative_to(games)
        feed = f"annotated {path}"
        try:
            now = {**state_of(path), "traps": known_traps.digest, "tell": request.tell}
            if known.get(feed) == now and copy.exists():
                outcome.counts["unchanged"] += 1
                continue
            copy.parent.mkdir(parents=True, exist_ok=True)
            if request.tell.judges_every_move:
                _record(service, path, stop_flag)
            known_traps = replace(known_traps, history=recall_state(library))
            plan = plan_run([str(path)], str(copy), None, strict=False)
            counts = _annotate_file(request, plan, known_traps, stop_flag)
        except (InputError, OutputError, UsageError, OSError) as error:
            reason = f"{error.filename or path}: {error.strerror}" if isinstance(error, OSError) else str(error)
            outcome.counts["failed"] += 1
            outcome.problems.append(reason)
            continue
        service.source_state.set(feed, now)
        if not path.exists():
            # It was joined with others meanwhile, which deletes what there is of its copy before this or after it.
            copy.unlink(missing_ok=True)
            service.source_state.remove([feed])
            continue
        outcome.counts["files"] += 1
        outcome.counts["games"] += counts.games
        outcome.counts["games with traps"] += counts.with_traps
        outcome.problems += counts.problems


def _record(service: Service, path: Path, stop_flag: StopFlag) -> None:
    """Record the losing moves of the indexed games of a file. Raises `Stopped` soon after the flag is set."""
    with threads(service.settings.jobs, "losses", background=True) as pool:
        record_losing_moves(service.library, [path], service.settings, pool, progress=lambda _: stop_flag.check())


def _annotate_file(request: AnalysisRequest, plan: Plan, known_traps: KnownTraps, stop_flag: StopFlag) -> Counts:
    """Annotate one file from where the last run was stopped, or from its beginning if something changed since.

    Raises `Stopped` soon after the flag is set; what is done by then is kept.
    """
    for resume in (True, False):
        try:
            with Progress(plan, quiet=True) as progress:
                run = Run(request, plan, known_traps, progress, cancellation=stop_flag.cancellation, resume=resume)
                return run.execute()
        except UsageError:
            if not resume:
                raise
        except RuntimeError:
            stop_flag.check()
            raise
    raise AssertionError("the second run returns or raises")


def backup(service: Service, stop_flag: StopFlag, outcome: Outcome) -> None:
    """Make a backup, then delete the oldest ones beyond the number of the settings."""
    folder = service.backups
    try:
        folder.mkdir(parents=True, exist_ok=True)
        now = datetime.fromtimestamp(service.clock.now(), UTC)
        made = folder / f"library-{now:%Y%m%dT%H%M%SZ}.sqlite"
        outcome.counts["bytes"] = back_up(service.library, made)
        # By the time of the file: after a change of the clock the newest name is not always the newest file.
        others = sorted((p for p in backups_in(folder) if p != made), key=lambda p: (p.stat().st_mtime_ns, p.name))
        for path in others[: max(0, len(others) + 1 - service.mine.backups)]:
            path.unlink()
            outcome.counts["deleted"] += 1
        outcome.counts["kept"] = len(backups_in(folder))
    except OSError as error:
        raise OutputError(f"{folder}: {error.strerror}") from error


def backups_in(folder: Path) -> list[Path]:
    """Backups in a folder, by name."""
    return sorted(path for path in folder.iterdir() if _BACKUP.fullmatch(path.name))


def compact(service: Service, stop_flag: StopFlag, outcome: Outcome) -> None:
    """Join the fetched games of each month, and rewrite the database file without its gaps (VACUUM)."""
    copies = service.mine.folder / "annotated"
    join_months(service.game_files, service.source_state, copies, service.clock.now(), stop_flag, outcome)
    try:
        outcome.counts["bytes before"], outcome.counts["bytes"] = vacuum(service.library)
    except TraplineError as error:
        # Usually the library is in use; nothing was changed, and the next run is soon enough.
        outcome.problems.append(str(error))
