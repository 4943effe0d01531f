"""``trapline bot``: playing, and what is checked and done before."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Annotated

import typer

from trapline.echo import echo

if TYPE_CHECKING:
    from collections.abc import Callable

    from bot.bot import Bot
    from bot.control.local_socket import ControlSocket
    from bot.control.reload import Reloader
    from lichess.api import Account
    from lichess.client import Connection
    from trapline.settings import Settings

GRACE_SECONDS = 20.0
"""How long running games are played on after a request to stop; what is left is resumed with the next start."""


def play(
    context: typer.Context,
    url: Annotated[str | None, typer.Option(metavar="URL", help="The server. Default: the setting bot.url.")] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Check that everything is there, report what is wrong, and stop.")
    ] = False,
    upgrade: Annotated[
        bool, typer.Option("--upgrade", help="Make the account a bot account for ever. Asks first.")
    ] = False,
    finish: Annotated[
        bool, typer.Option("--finish", help="When stopped, play all running games to their end first.")
    ] = False,
    config: Annotated[
        str | None, typer.Option(metavar="FILE", help="Settings file, as `trapline --config FILE bot`.")
    ] = None,
) -> None:
    """Play on lichess as a bot: set traps, explain them to spectators, sum them up after the game.

    The token is read from the variable TRAPLINE_BOT_TOKEN or from the file that bot.token_file names. SIGTERM or Ctrl-C
    stops the bot: it accepts no more games, plays on for a while, and leaves what still runs to the next start. A
    second signal stops it at once. SIGHUP makes it read its settings again, and `trapline bot ctl` speaks to it.
    """
    if config is not None:
        import os

        os.environ["TRAPLINE_CONFIG"] = config
    if context.invoked_subcommand is not None:
        return
    from bot.settings import check_coach
    from trapcore.errors import UsageError
    from trapline.settings import Settings, read_settings

    given = {} if url is None else {"bot": {"url": url}}
    if check and upgrade:
        raise UsageError("--check changes nothing; say --upgrade without it")
    if check:
        raise typer.Exit(_check(Settings(**given)))
    settings = read_settings(**given)
    check_coach(settings.bot)
    read = functools.partial(Settings, **given)
    connection = _connect(settings)
    if upgrade:
        _upgrade(connection, connection.account())
        return
    _run(settings, connection, read, grace=float("inf") if finish else GRACE_SECONDS)


def _connect(settings: Settings) -> Connection:
    from lichess.client import Connection
    from lichess.token import read_token
    from trapcore.errors import UsageError

    token = read_token(settings.bot)
    if token is None:
        raise UsageError(
            "the bot needs a token: put it into the variable TRAPLINE_BOT_TOKEN or into a file named by bot.token_file"
        )
    return Connection(settings.bot.url, token)


def _check(settings: Settings) -> int:
    from bot.self_check import check
    from trapline.commands.terminal import report_findings

    return report_findings(check(settings))


def _upgrade(connection: Connection, account: Account) -> None:
    from trapcore.errors import UsageError

    if account.is_bot:
        echo(f"{account.name} is a bot account already")
        return
    if account.games:
        raise UsageError(
            f"{account.name} has played {account.games} games: only an account that never played can be a bot"
        )
    typer.confirm(f"Make {account.name} a bot account? This cannot be undone.", abort=True)
    connection.upgrade()
    echo(f"{account.name} is a bot account now")


def _run(settings: Settings, connection: Connection, read: Callable[[], Settings], *, grace: float) -> None:
    import logging
    import sys

    from bot.bot import Bot, check_account, may_play
    from bot.control.reload import Reloader
    from bot.moves.move_choice import MoveSources
    from bot.moves.variants import without_unplayable
    from bot.saved_state import SavedState
    from coach.study_files import CHAPTERS
    from lichess.studies import StudyWriter
    from lichess.token import read_token
    from trapcore.errors import InputError
    from trapcore.io import logs, status_server
    from trapcore.parallel.arenas import share_arenas

    share_arenas()
    mine = settings.bot
    saved_state = SavedState(mine.folder)
    try:
        sources = MoveSources.of(mine, settings.syzygy, read_token(mine))
    except OSError as error:
        raise InputError(f"{error.filename or 'a book'} cannot be opened: {error.strerror or error}") from error
    end_log = logs.set_up(mine.log_file, as_json=mine.log_json, token=read_token(mine))
    end_health = studies = control = None
    try:
        account = _with_retries(lambda: check_account(connection), lambda: may_play(connection))
        connection.name(account.name)
        # Searches run beside the interpreter; a thread that has an event to hand on should not wait long for it.
        sys.setswitchinterval(0.001)
        if mine.studies:
            studies = StudyWriter(mine.url, read_token(mine), mine.studies, mine.folder / "chapters", CHAPTERS)
        settings = settings.model_copy(update={"bot": without_unplayable(mine)})
        bot = Bot(connection, account, settings, saved_state, sources, studies)
        reloader = Reloader(bot, settings, read)
        _obey_signals(bot, reloader, grace)
        control = _control(bot, reloader)
        if mine.health_port:
            end_health = status_server.serve(mine.health_port, bot.health, bot.metrics)
        logging.getLogger(__name__).info("%s plays on %s", account.name, mine.url)
        bot.run()
        logging.getLogger(__name__).info("%s has stopped", account.name)
    finally:
        if control is not None:
            control.close()
        if end_health is not None:
            end_health()
        connection.close()
        if studies is not None:
            studies.close()
        end_log()


def _obey_signals(bot: Bot, reloader: Reloader, grace: float) -> None:
    """Stop the bot on SIGTERM and SIGINT, and read the settings again on SIGHUP, unless its terminal was closed."""
    import os
    import signal

    def stop(*_: object) -> None:
        bot.stop(0.0 if bot.is_stopping else grace)

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, stop)
    if hasattr(signal, "SIGHUP"):
        had_terminal = os.isatty(0)
        signal.signal(signal.SIGHUP, lambda *_: stop() if had_terminal and not os.isatty(0) else reloader.soon())


def _control(bot: Bot, reloader: Reloader) -> ControlSocket | None:
    """The socket for `trapline bot ctl`; None if there cannot be one, without which the bot plays all the same.

    Raises `AnotherBotError` if another bot runs in the folder.
    """
    import logging

    from bot.control.commands import Commands
    from bot.control.local_socket import AnotherBotError, ControlSocket
    from trapcore.errors import TraplineError

    try:
        return ControlSocket(bot.settings.folder, Commands(bot, reloader).answer)
    except AnotherBotError:
        raise
    except TraplineError as error:
        logging.getLogger(__name__).error("`trapline bot ctl` cannot reach this bot: %s", error)
        return None


def _with_retries(request: Callable[[], Account], is_token_good: Callable[[], bool]) -> Account:
    """Result of a request; if lichess cannot be reached at the start, the request is retried until it can.

    A refusal of the token is believed if a test of the token says the same.
    """
    import logging
    import time

    from lichess.api import LichessError, Limited, Unauthorized, Unreachable
    from lichess.rate_limits import LIMITED_SECONDS, Backoff

    backoff = Backoff(1.0, 60.0)
    why: LichessError
    while True:
        try:
            return request()
        except Limited as error:
            why, wait = error, error.seconds if error.seconds is not None else LIMITED_SECONDS
        except Unreachable as error:
            why, wait = error, backoff.failed()
        except Unauthorized as error:
            if not is_token_good():
                raise
            why, wait = error, backoff.failed()
        logging.getLogger(__name__).warning("%s; again in %.0f s", why, wait)
        time.sleep(wait)
