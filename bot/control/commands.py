"""The commands that the owner gives to a running bot. Each is answered in a thread of its client."""

import logging
import re
from collections.abc import Mapping
from typing import Any, cast

from bot.bot import Bot
from bot.control.overview import overview
from bot.control.reload import Reloader
from bot.settings import parse_clock
from lichess.api import ULTRA_BULLET, Color, Limited, speed_of
from lichess.rate_limits import Kind
from trapcore.errors import InputError, UsageError, unknown_name

log = logging.getLogger(__name__)


class Commands:
    """What a running bot does for its owner. Answers are JSON objects; ``message`` is a text for people."""

    def __init__(self, bot: Bot, reloader: Reloader) -> None:
        self._bot, self._reloader = bot, reloader

    def answer(self, request: Mapping[str, Any]) -> Mapping[str, object]:
        """Do what is asked. Raises `TraplineError`."""
        command = str(request.get("command", ""))
        if command != "status":
            log.info("the owner asks: %s", " ".join(str(value)[:100] for value in request.values()))
        match command:
            case "status":
                return overview(self._bot)
            case "challenge":
                return self._challenge(request)
            case "join":
                self._running()
                ident = _ident(request)
                self._bot.arenas.add(ident)
                return {"message": f"the bot joins the arena {ident} five minutes before it begins"}
            case "leave":
                ident = _ident(request)
                self._bot.arenas.remove(ident)
                return {"message": f"the bot has left the arena {ident}"}
            case "stop":
                if not self._bot.is_stopping:
                    self._bot.stop(float("inf"))
                count = len(self._bot.games)
                return {"message": f"the bot accepts nothing more and ends after its games: {count} run"}
            case "reload":
                self._running()
                found = self._reloader.reload()
                return {"changed": found.changed, "need_restart": found.need_restart, "message": str(found)}
        raise unknown_name("command", command, ["status", "challenge", "join", "leave", "stop", "reload"])

    def _running(self) -> None:
        if self._bot.is_stopping:
            raise InputError("the bot is stopping")

    def _challenge(self, request: Mapping[str, Any]) -> Mapping[str, object]:
        self._running()
        name, color = str(request.get("name", "")), request.get("color")
        if not re.fullmatch(r"[\w-]{2,30}", name, re.ASCII):
            raise UsageError("{name!r} is no name of an account", name=name)
        if color not in ("white", "black", None):
            raise unknown_name("color", str(color), ["white", "black"])
        try:
            limit, increment = parse_clock(str(request.get("clock", "")))
        except ValueError as error:
            raise UsageError(f"the clock cannot be {request.get('clock')!r}: {error}") from None
        if speed_of(limit, increment) == ULTRA_BULLET:
            raise UsageError("bots may not play so fast")
        if (wait := self._bot.pauses.wait(Kind.ANSWER)) > 0:
            raise InputError(f"lichess wants no challenges for another {wait:.0f} s")
        rated = request.get("rated") is True
        try:
            made = self._bot.lichess.challenge(
                name, rated=rated, limit=limit, increment=increment, color=cast(Color | None, color)
            )
        except Limited as error:
            self._bot.pauses.limited(Kind.ANSWER, error)
            raise
        return {"challenge": made, "message": f"{name} is challenged ({self._bot.settings.url}/{made})"}


def _ident(request: Mapping[str, Any]) -> str:
    ident = str(request.get("arena", ""))
    if not re.fullmatch(r"[A-Za-z0-9]{8}", ident):
        raise UsageError("an arena is named by the 8 letters at the end of its address, not {ident!r}", ident=ident)
    return ident
