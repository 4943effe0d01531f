"""The commands ``trapline service``, ``trapline jobs`` and ``trapline follow``."""

from __future__ import annotations

from contextlib import closing, suppress
from typing import TYPE_CHECKING, Annotated

import typer

from trapline.commands.options import DbOption, JsonOption
from trapline.echo import echo

if TYPE_CHECKING:
    from collections.abc import Callable

    from trapline.service.service import Service

service = typer.Typer(
    no_args_is_help=True, add_completion=False, help="Fetch games, find traps and make backups by a schedule."
)
jobs = typer.Typer(no_args_is_help=True, add_completion=False, help="Show, run or pause the jobs of the service.")

BUSY_SECONDS = 60.0
"""How long a statement waits: several jobs write to one database."""

FOLLOW_SECONDS = 300.0
"""Time between two looks of `trapline follow`."""

NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="As `trapline jobs list` gives it.")]


@service.callback(invoke_without_command=True)
def _service(
    check: Annotated[
        bool, typer.Option("--check", help="Check that everything is there, report what is wrong, and stop.")
    ] = False,
) -> None:
    """Fetch games, find traps and make backups by a schedule."""
    from trapline.settings import Settings

    if check:
        from trapline.commands.terminal import report_findings
        from trapline.service.self_check import check as check_service

        raise typer.Exit(report_findings(check_service(Settings())))


@service.command()
def run(
    db: DbOption = None,
) -> None:
    """Run the jobs of the table `service` of the settings until SIGTERM or Ctrl-C.

    Several processes may serve one library. Each job runs in one of them at a time.
    """
    import logging

    from lichess.token import read_token
    from trapcore.errors import UsageError
    from trapcore.io import logs
    from trapline.service.scheduler import serve
    from trapline.service.state.clock import StopFlag

    opened = _open(db)
    mine = opened.mine
    if not mine.model_fields_set:
        opened.close()
        raise UsageError(
            "nothing is configured: the table [service] of the settings says what is fetched, and how often; see "
            "deploy/trapline.example.toml, and give yours with `trapline --config FILE service run`"
        )
    end_log = logs.set_up(mine.log_file, as_json=mine.log_json, token=read_token(mine))
    try:
        stop_flag = StopFlag(opened.clock)
        _stop_by_signals(stop_flag.set)
        log = logging.getLogger(__name__)
        log.info("the service works for %s", opened.library.name)
        serve(opened, stop_flag)
        log.info("the service has stopped")
    finally:
        opened.close()
        end_log()


@jobs.command("list")
def list_(db: DbOption = None, as_json: JsonOption = False) -> None:
    """List the jobs. Without a terminal each is a line with tabs: name, state, task, next run, last run, result."""
    from trapline.commands.terminal import print_json, print_table
    from trapline.service.jobs import JOBS
    from trapline.service.schedule import Schedule
    from trapline.service.state.clock import stamp
    from trapline.service.state.job_log import summary

    found = []
    rows = []
    with closing(_open(db)) as opened:
        appointments = Schedule(opened).appointments()
        locked = opened.locks.holders()
        for job in JOBS.values():
            appointment = appointments.get(job.name)
            due = None if appointment is None or appointment.paused else stamp(appointment.due)
            last = next(iter(opened.job_log.log(job.name, 1)), None)
            if f"job {job.name}" in locked:
                state = "running"
            elif appointment is None:
                state = "off"
            else:
                state = "waiting" if due is not None else "paused"
            found.append(
                {
                    "name": job.name,
                    "does": job.does,
                    "state": state,
                    "seconds": job.seconds(opened.mine),
                    "next": due,
                    "last": None if last is None else last.content(),
                }
            )
            done = ("-", "-") if last is None else (last.started, summary(last.counts, last.error))
            rows.append((job.name, state, job.does, due or "-", *done))
    if as_json:
        print_json(found)
        return
    print_table("jobs", ("name", "state", "does", "next run", "last run", "what it did"), rows)


@jobs.command("run")
def run_(name: NameArgument, db: DbOption = None, as_json: JsonOption = False) -> None:
    """Run a job now, in this process. The exit code is 1 if the job or one of its sources failed."""
    from trapcore.errors import LibraryError
    from trapline.commands.terminal import print_json, say
    from trapline.service.jobs import job_named, run_job
    from trapline.service.state.clock import Stopped
    from trapline.service.state.job_log import summary

    job_named(name)
    with closing(_open(db)) as opened:
        _stop_by_signals(opened.stop)
        try:
            ran = run_job(opened, name)
        except Stopped:
            raise typer.Exit(130) from None
        if ran is None:
            raise LibraryError(f"{name} runs in another process at the moment")
    for problem in ran.outcome.problems:
        say(problem)
    if as_json:
        print_json({"job": name, "counts": ran.outcome.content(), "error": ran.error})
    else:
        echo(f"{name}: {summary(ran.outcome.content(), ran.error)}")
    if ran.error is not None or ran.outcome.counts["failed"]:
        raise typer.Exit(1)


@jobs.command()
def pause(name: NameArgument, db: DbOption = None) -> None:
    """Pause a job until it is resumed, also over restarts. A running job comes to its end."""
    _switch(name, db, on=False)


@jobs.command()
def resume(name: NameArgument, db: DbOption = None) -> None:
    """Resume a paused job."""
    _switch(name, db, on=True)


@jobs.command("log")
def log_(
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="Only this job.")] = None,
    limit: Annotated[int, typer.Option(metavar="N", min=1, help="Number of runs, the newest first.")] = 20,
    db: DbOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show the runs of the jobs: begin and end (UTC), figures, and problems."""
    from trapline.commands.terminal import print_json, print_table
    from trapline.service.jobs import job_named
    from trapline.service.state.job_log import summary

    if name is not None:
        job_named(name)
    with closing(_open(db)) as opened:
        runs = opened.job_log.log(name, limit)
    if as_json:
        print_json([one.content() for one in runs])
        return
    rows = [(one.job, one.started, one.ended or "-", summary(one.counts, one.error)) for one in runs]
    print_table("runs", ("job", "started", "ended", "what it did"), rows)


def follow(
    users: Annotated[list[str], typer.Argument(metavar="USER", help="Names of accounts at lichess.")],
    once: Annotated[bool, typer.Option("--once", help="Look once and stop.")] = False,
    studies: Annotated[
        list[str] | None,
        typer.Option(
            "--study",
            metavar="ID",
            help="Lichess study for the annotated games with traps, and for lessons on the traps that the users fell "
            "for. Needs a token with the scope study:write. Several studies are filled one after the other.",
        ),
    ] = None,
    db: DbOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="A JSON object a line.")] = False,
) -> None:
    """Print the traps in the games that these users finish from now on, a line each, until Ctrl-C.

    The next start continues where this one ended. Running games are skipped.
    """
    import json
    from contextlib import ExitStack

    from lichess.api import LichessError
    from lichess.studies import study_id
    from trapline.commands.terminal import say
    from trapline.service.following import Follower
    from trapline.service.sources.retry import passed_over
    from trapline.service.state.clock import Stopped

    failed = False
    with ExitStack() as stack:
        opened = stack.enter_context(closing(_open(db)))
        stop_flag = stack.enter_context(opened.stop_flag())
        writer = None
        if studies:
            writer = stack.enter_context(
                closing(opened.study_writer([study_id(study) for study in studies], stop_flag))
            )
        _stop_by_signals(stop_flag.set)
        with closing(Follower(opened, writer)) as follower, suppress(Stopped):
            while True:
                for user in users:
                    try:
                        for found in follower.look(user, stop_flag):
                            echo(json.dumps(found.content(), ensure_ascii=False) if as_json else found.line())
                    except LichessError as error:
                        failed = True
                        say(str(error))
                    if follower.bad:
                        say(passed_over(f"user {user}", follower.bad))
                if writer is not None:
                    try:
                        if written := writer.write():
                            say(f"{written} chapters were written")
                    except LichessError as error:
                        failed = True
                        say(f"chapters wait: {error}")
                if once:
                    break
                stop_flag.wait(FOLLOW_SECONDS)
            if failed:
                raise typer.Exit(1)


def _stop_by_signals(stop: Callable[[], None]) -> None:
    """Have SIGTERM and Ctrl-C call this; the second one ends the process, which nothing is lost by."""
    import signal

    def first(*_: object) -> None:
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, signal.SIG_DFL)
        stop()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, first)


def _open(db: str | None) -> Service:
    """The service of the library ``db``, or of the default one, which is made if need be."""
    from db.formats.bundled import open_or_bundle
    from db.library.open import open_library
    from trapline.commands.terminal import say
    from trapline.service.service import Service
    from trapline.settings import read_settings

    settings = read_settings()
    path = settings.db if db is None else db
    # Made of the bundled traps if it is the default one and missing; then opened with more patience.
    open_or_bundle(db, settings.db, read_only=True, log=say).close()
    library = open_library(path, busy_seconds=BUSY_SECONDS)
    try:
        return Service(settings, library)
    except BaseException:
        library.close()
        raise


def _switch(name: str, db: str | None, *, on: bool) -> None:
    from trapcore.errors import UsageError
    from trapline.commands.terminal import say
    from trapline.service.jobs import job_named
    from trapline.service.schedule import Schedule

    job_named(name)
    with closing(_open(db)) as opened:
        if not Schedule(opened).set_paused(name, not on):
            raise UsageError(
                f"{name} is not scheduled: `trapline service run` does that, if the settings in [service] give it "
                "something to do"
            )
    say(f"{name} is {'resumed' if on else 'paused'}")
