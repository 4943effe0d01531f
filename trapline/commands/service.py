"""The commands ``trapline service``, ``trapline jobs`` and ``trapline follow``.

Everything but typer is imported when a command runs.
"""

from __future__ import annotations

from contextlib import closing, suppress
from typing import TYPE_CHECKING, Annotated

import typer

from trapline.commands.options import DbOption, JsonOption
from trapline.echo import echo

if TYPE_CHECKING:
    from collections.abc import Callable

    from trapline.service.service import Service

service = typer.Typer(no_args_is_help=True, add_completion=False, help="Fetch games, find traps, make backups: all by itself.")
jobs = typer.Typer(no_args_is_help=True, add_completion=False, help="Look at the jobs of the service, and run or pause them.")

BUSY_SECONDS = 60.0
"""How long a statement waits: several jobs write to one database."""

ConfigOption = Annotated[
    str | None,
    typer.Option("--config", metavar="FILE", help="Configuration, see deploy/trapline.example.toml."),
]
NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="As `trapline jobs list` gives it.")]


@service.callback(invoke_without_command=True)
def _service(
    context: typer.Context,
    check: Annotated[
        bool, typer.Option("--check", help="Look whether everything is there, say what is wrong, and stop.")
    ] = False,
    config: ConfigOption = None,
) -> None:
    """Fetch games, find traps, make backups: all by itself."""
    import os

    from trapcore.errors import UsageError
    from trapline.settings import CONFIG_VARIABLE, Settings

    if config is not None:
        os.environ[CONFIG_VARIABLE] = config
    if check:
        from trapline.commands.terminal import report_findings
        from trapline.service.self_check import check as check_service

        raise typer.Exit(report_findings(check_service(Settings())))
    if context.invoked_subcommand is None:
        raise UsageError("say what the service is to do: `trapline service run`, or `trapline service --check`")


@service.command()
def run(
    config: ConfigOption = None,
    db: DbOption = None,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Log more.")] = False,
) -> None:
    """Run the jobs of the settings' table [service] until SIGTERM or Ctrl-C; what is begun then stops where it is.

    Any number of these may run on one library: a job is done by one of them at a time.
    """
    import logging

    from lichess.token import read_token
    from trapcore.errors import UsageError
    from trapcore.io import logs
    from trapline.service.scheduler import serve
    from trapline.service.state.clock import StopFlag

    opened = _open(config, db)
    mine = opened.mine
    if not mine.model_fields_set:
        opened.close()
        raise UsageError(
            "nothing is configured: the table [service] of the settings says what is fetched, and how often; see "
            "deploy/trapline.example.toml, and give yours with --config FILE"
        )
    end_log = logs.set_up(mine.log_file, as_json=mine.log_json, token=read_token(mine), verbose=verbose)
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
def list_(config: ConfigOption = None, db: DbOption = None, as_json: JsonOption = False) -> None:
    """List the jobs; without a terminal a line each: name, state, interval, next run, last run, what it did."""
    from trapline.commands.terminal import print_json, print_table
    from trapline.service.jobs import JOBS
    from trapline.service.schedule import Schedule
    from trapline.service.state.clock import stamp

    found = []
    rows = []
    with closing(_open(config, db)) as opened:
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
            done = ("-", "-") if last is None else (last.started, _brief(last.counts, last.error))
            rows.append((job.name, state, job.does, due or "-", *done))
    if as_json:
        print_json(found)
        return
    print_table("jobs", ("name", "state", "does", "next run", "last run", "what it did"), rows)


@jobs.command("run")
def run_(name: NameArgument, config: ConfigOption = None, db: DbOption = None, as_json: JsonOption = False) -> None:
    """Run a job now, in this process; the exit code is 1 if it did not come to its end, or a source failed."""
    from trapcore.errors import LibraryError
    from trapline.commands.terminal import print_json, say
    from trapline.service.jobs import job_named, run_job
    from trapline.service.state.clock import Stopped

    job_named(name)
    with closing(_open(config, db)) as opened:
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
        echo(f"{name}: {_brief(ran.outcome.content(), ran.error)}")
    if ran.error is not None or ran.outcome.counts["failed"]:
        raise typer.Exit(1)


@jobs.command()
def pause(name: NameArgument, config: ConfigOption = None, db: DbOption = None) -> None:
    """Let a job rest until it is resumed, also over restarts; a run that is under way comes to its end."""
    _switch(name, config, db, on=False)


@jobs.command()
def resume(name: NameArgument, config: ConfigOption = None, db: DbOption = None) -> None:
    """Let a job run again in its interval."""
    _switch(name, config, db, on=True)


@jobs.command("log")
def log_(
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="Only this job.")] = None,
    limit: Annotated[int, typer.Option(metavar="N", min=1, help="So many runs, the newest first.")] = 20,
    config: ConfigOption = None,
    db: DbOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show what the jobs did: when each run began and ended (UTC), its figures, and what went wrong."""
    from trapline.commands.terminal import print_json, print_table
    from trapline.service.jobs import job_named

    if name is not None:
        job_named(name)
    with closing(_open(config, db)) as opened:
        runs = opened.job_log.log(name, limit)
    if as_json:
        print_json([one.content() for one in runs])
        return
    rows = [(one.job, one.started, one.ended or "-", _brief(one.counts, one.error)) for one in runs]
    print_table("runs", ("job", "started", "ended", "what it did"), rows)


def follow(
    users: Annotated[list[str], typer.Argument(metavar="USER", help="Names of accounts at lichess.")],
    once: Annotated[bool, typer.Option("--once", help="Look once and stop.")] = False,
    minutes: Annotated[float, typer.Option(metavar="M", min=1.0, help="Minutes between two looks, 1 or more.")] = 5.0,
    studies: Annotated[
        list[str] | None,
        typer.Option(
            "--study",
            metavar="ID",
            help="Study that gets the games with traps, annotated, and lessons out of the traps that the users fell "
            "for; needs a token with the scope study:write. Several are filled one after the other.",
        ),
    ] = None,
    config: ConfigOption = None,
    db: DbOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="A JSON object a line.")] = False,
) -> None:
    """Print the traps in the games that these users finish from now on, a line each, until Ctrl-C.

    The next start goes on where this one ended. Running games are not looked at.
    """
    import json
    from contextlib import ExitStack

    from lichess.api import LichessError
    from trapline.commands.terminal import say
    from trapline.service.following import Follower
    from trapline.service.sources.retry import passed_over
    from trapline.service.state.clock import Stopped

    failed = False
    with ExitStack() as stack:
        opened = stack.enter_context(closing(_open(config, db)))
        stop_flag = stack.enter_context(opened.stop_flag())
        writer = None
        if studies:
            writer = stack.enter_context(closing(opened.study_writer(_study_ids(studies), stop_flag)))
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
                stop_flag.wait(minutes * 60.0)
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


def _study_ids(studies: list[str]) -> list[str]:
    """The ids of studies that are given by ids or addresses."""
    import re

    from trapcore.errors import UsageError

    found = [re.fullmatch(r"(?:https?://[^/]+/study/)?([A-Za-z0-9]{8})(?:/.*)?", study) for study in studies]
    for study, match in zip(studies, found, strict=True):
        if match is None:
            raise UsageError(
                f"{study!r} is no study: give the eight letters and digits at the end of lichess.org/study/…"
            )
    return [match[1] for match in found if match is not None]


def _open(config: str | None, db: str | None) -> Service:
    """The service of the library ``db``, or of the default one, which is made if need be."""
    import os

    from db.formats.bundled import open_or_bundle
    from db.library.open import open_library
    from trapline.commands.terminal import say
    from trapline.service.service import Service
    from trapline.settings import CONFIG_VARIABLE, read_settings

    if config is not None:
        os.environ[CONFIG_VARIABLE] = config
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


def _switch(name: str, config: str | None, db: str | None, *, on: bool) -> None:
    from trapcore.errors import UsageError
    from trapline.commands.terminal import say
    from trapline.service.jobs import job_named
    from trapline.service.schedule import Schedule

    job_named(name)
    with closing(_open(config, db)) as opened:
        if not Schedule(opened).set_paused(name, not on):
            raise UsageError(
                f"{name} is not scheduled: `trapline service run` does that, if the settings in [service] give it "
                "something to do"
            )
    say(f"{name} is {'resumed' if on else 'paused'}")


def _brief(counts: dict[str, object], error: str | None) -> str:
    problems = counts.get("problems")
    parts = [f"{what} {count:,}" for what, count in counts.items() if isinstance(count, int) and count]
    if isinstance(problems, list):
        parts.append(f"problems {len(problems)}")
    return (", ".join(parts) or "nothing to do") + (f"; {error}" if error else "")
