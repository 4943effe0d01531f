"""Reading the settings again while the bot runs. Running games keep the settings that they began with."""

import logging
import threading
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass

from bot.bot import Bot
from bot.moves.move_choice import MoveSources
from bot.moves.variants import without_unplayable
from bot.settings import BotOptions, check_coach
from lichess.token import read_token
from trapcore.errors import InputError, TraplineError

log = logging.getLogger(__name__)

APPLY_SECONDS = 10.0

NEED_RESTART = (
    "url",
    "token",
    "token_file",
    "folder",
    "repertoire_minutes",
    "studies",
    "health_port",
    "log_file",
    "log_json",
)
"""Settings of the table ``[bot]`` that a running bot keeps; so it does all settings of other tables."""


@dataclass(frozen=True, slots=True)
class Reloaded:
    """Names of the settings that have changed."""

    changed: tuple[str, ...]
    """Those that the next game is played by."""
    need_restart: tuple[str, ...]
    """Those that stay as they were until the next start."""

    def __str__(self) -> str:
        """What happened, for the log and the owner."""
        if not self.changed and not self.need_restart:
            return "the settings were read again; nothing has changed"
        parts = [f"changed: {', '.join(self.changed)}"] if self.changed else []
        parts += [f"these need a restart: {', '.join(self.need_restart)}"] if self.need_restart else []
        return f"the settings were read again; {'; '.join(parts)}"


class Reloader:
    """Reads the settings again, one time after the other; may be called in any thread but the bot's own."""

    def __init__(self, bot: Bot, settings: BotOptions, read: Callable[[], BotOptions]) -> None:
        """``settings`` are those that the bot began with; ``read`` reads them from all their sources."""
        self._bot, self._started, self._read = bot, settings, read
        self._lock = threading.Lock()

    def reload(self) -> Reloaded:
        """Read the settings and use what can be used now. Raises `TraplineError`, and the old settings stay."""
        with self._lock:
            try:
                return self._reload()
            except TraplineError as error:
                for line in str(error).splitlines():
                    log.error("the old settings stay: %s", line)
                raise

    def soon(self) -> None:
        """Reload in a thread, for a signal; the log says what came of it."""
        threading.Thread(target=self._quietly, name="reload", daemon=True).start()

    def _quietly(self) -> None:
        try:
            self.reload()
        except TraplineError:
            pass  # it is logged
        except Exception:
            log.exception("the settings could not be read again")

    def _reload(self) -> Reloaded:
        given = self._read()
        check_coach(given.bot)
        before = self._bot.settings
        kept = {name: getattr(before, name) for name in NEED_RESTART}
        after = without_unplayable(given.bot.model_copy(update=kept))
        changed = [name for name in type(before).model_fields if getattr(after, name) != getattr(before, name)]
        held = [f"bot.{name}" for name in NEED_RESTART if getattr(given.bot, name) != kept[name]]
        others = [name for name in BotOptions.model_fields if name != "bot"]
        held += [name for name in others if getattr(given, name) != getattr(self._started, name)]
        try:
            sources = MoveSources.of(after, self._started.syzygy, read_token(before))
        except OSError as error:
            raise InputError(f"{error.filename or 'a book'} cannot be opened: {error.strerror or error}") from error
        # Lists at addresses may take long, and a name that is blocked must not slip in meanwhile.
        self._bot.block_lists.use(after.block_lists)
        done: Future[None] = Future()

        def apply() -> None:
            try:
                self._bot.use(after, sources)
                done.set_result(None)
            except Exception as error:
                done.set_exception(error)

        self._bot.post(apply)
        done.result(APPLY_SECONDS)
        found = Reloaded(tuple(f"bot.{name}" for name in changed), tuple(held))
        log.info("%s", found)
        return found
