"""Self-check for ``trapline bot --check``: whether everything is there that the bot needs. Nothing is changed."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import chess.polyglot

from bot.challenges.block_lists import read_list
from bot.moves.engines import Engine
from bot.moves.repertoires import repertoire_folder
from bot.moves.variants import refusals
from bot.settings import BotOptions, EngineSettings, check_coach
from coach.repertoire.folder import read_all
from db.library.open import open_library
from lichess.api import Lichess, LichessError
from lichess.client import Connection
from lichess.self_check import Finding, attempt, exposed
from lichess.token import read_token
from trapcore.errors import OutputError, TraplineError
from trapcore.parallel.budget import Cancellation
from trapcore.proof.syzygy import use_syzygy
from trapcore.proof.verdict import Verdict


def check(settings: BotOptions, connect: Callable[..., Lichess] = Connection) -> Iterator[Finding]:
    """Run all checks, in the order in which the bot needs things."""
    yield Finding("configuration", "good", f"plays on {settings.bot.url}, {settings.bot.max_games} games at a time")
    yield from attempt("coach", lambda: _coach(settings))
    yield from _account(settings, connect)
    yield from attempt("folder", lambda: _folder(settings))
    yield from _library(settings)
    yield from attempt("repertoires", lambda: _repertoires(settings))
    yield from attempt("engine", lambda: _engine(settings.bot.engine))
    for variant, reason in refusals(settings.bot).items():
        yield Finding("variant", "bad", f"challenges to {variant} are declined: {reason}")
    for profile in settings.bot.profiles:
        if profile.engine is not None:
            yield from attempt("engine", lambda profile=profile: _engine(profile.engine))  # type: ignore[misc]
        for path in profile.books or ():
            yield from attempt("book", lambda path=path: _book(path))  # type: ignore[misc]
    for source in settings.bot.block_lists:
        yield from attempt("block list", lambda source=source: f"{source}, {len(read_list(source))} names")  # type: ignore[misc]
    for path in settings.bot.books:
        yield from attempt("book", lambda path=path: _book(path))  # type: ignore[misc]
    if settings.syzygy:
        yield from attempt("tables", lambda: use_syzygy(settings.syzygy))


def _coach(settings: BotOptions) -> str:
    check_coach(settings.bot)
    return "opponents may ask for warnings" if settings.bot.coach else ""


def _account(settings: BotOptions, connect: Callable[..., Lichess]) -> Iterator[Finding]:
    try:
        token = read_token(settings.bot)
    except TraplineError as error:
        yield Finding("token", "bad", str(error))
        return
    if token is None:
        yield Finding(
            "token",
            "bad",
            "there is none, and the bot cannot play without one; put it into TRAPLINE_BOT_TOKEN or into a file "
            "named by bot.token_file",
        )
        return
    yield from exposed(settings.bot)
    lichess = connect(settings.bot.url, token)
    try:
        scopes = lichess.scopes()
        account = lichess.account() if "bot:play" in scopes else None
    except LichessError as error:
        yield Finding("token", "unchecked", str(error))
        return
    if account is None:
        has = ", ".join(sorted(scopes - {""})) or "none, or lichess does not know the token"
        yield Finding("token", "bad", f"it lacks the scope bot:play (scopes: {has})")
        return
    yield Finding("token", "good", f"may play for {account.name}")
    wanted = (
        ("studies", "study:write", settings.bot.studies),
        ("tournaments", "tournament:write", settings.bot.tournaments),
    )
    for name, scope, is_set in wanted:
        if is_set and scope not in scopes:
            yield Finding("token", "bad", f"it lacks the scope {scope}, which bot.{name} needs")
    if account.is_bot:
        yield Finding("account", "good", f"{account.name} is a bot")
    else:
        yield Finding(
            "account", "bad", f"{account.name} is no bot yet; `trapline bot --upgrade` makes it one, for ever"
        )


def _folder(settings: BotOptions) -> str:
    folder = settings.bot.folder
    there = next(parent for parent in (folder, *folder.absolute().parents) if parent.exists())
    if not there.is_dir() or not os.access(there, os.W_OK | os.X_OK):
        raise OutputError(f"{there} cannot be written")
    waiting = len(list((folder / "running").glob("*.json")))
    return f"{folder}" + (f", {waiting} games to be resumed" if waiting else "")


def _library(settings: BotOptions) -> Iterator[Finding]:
    if not settings.db.exists():
        yield Finding("library", "unchecked", f"{settings.db} does not exist yet; it is made at the first start")
        return
    try:
        with open_library(settings.db, read_only=True) as library:
            traps = library.traps()
    except TraplineError as error:
        yield Finding("library", "bad", f"{error} (the bot would play without traps)")
        return
    proved = sum(trap.verdict is Verdict.PROVED for trap in traps)
    yield Finding(
        "library", "good" if proved else "bad", f"{len(traps)} traps in {settings.db}, {proved} of them proved"
    )


def _repertoires(settings: BotOptions) -> str:
    if settings.bot.repertoire_minutes <= 0 or settings.bot.trap_loss <= 0:
        return "none are built or played"
    found = read_all(repertoire_folder(settings))
    traps = sum(len(one.baits) for one in found.values())
    return f"{len(found)} in {repertoire_folder(settings)} with {traps} traps, the others are built as the bot runs"


def _engine(settings: EngineSettings | None) -> str:
    if settings is None:
        return "trapline's own search"
    engine = Engine(settings)
    try:
        found = engine.search(chess.Board(), 3000, Cancellation())
    finally:
        engine.close()
    return f"{settings.command} plays {found.uci}"


def _book(path: Path) -> str:
    with chess.polyglot.open_reader(path) as book:
        keys = [entry.key for entry in book]
    if not keys:
        raise TraplineError(f"{path} has no entries: is it a polyglot book?")
    if keys != sorted(keys):
        raise TraplineError(f"the entries of {path} are not in order: it is damaged, or no polyglot book")
    return f"{path}, {len(keys)} entries"
