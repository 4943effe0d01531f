"""What ``status`` tells of a running bot, as a JSON object."""

import time
from collections.abc import Mapping
from typing import Any

from bot.bot import Bot
from bot.game_runner import Game
from bot.game_state import to_move
from lichess.api import Challenge, Person


def overview(bot: Bot) -> dict[str, object]:
    """Games with opponents and clocks, what waits in the queue, arenas, and health."""
    health = bot.health()
    return {
        "account": bot.account.name,
        "url": bot.settings.url,
        "is_stopping": bot.is_stopping,
        "is_well": health["ok"] or (bot.is_stopping and not health["problems"]),
        "problems": health["problems"],
        "held": health["held"],
        "max_games": bot.settings.max_games,
        "games": [_game(name, game) for name, game in sorted(bot.games.items())],
        "waiting": [_challenge(challenge, seconds) for challenge, seconds in bot.challenges.listed()],
        "arenas": bot.arenas.listed(),
        "repertoires": health["repertoires"],
        "repertoires_complete": health["repertoires_complete"],
        "free_megabytes": health["free_megabytes"],
        "unindexed_games": health["unindexed_games"],
        "traps": health["traps"],
    }


def _game(name: str, game: Game) -> Mapping[str, object]:
    session, now = game.session, time.monotonic()
    info, state = session.info, session.state
    if info is None or state is None:
        return {"id": name}
    clocks = None
    if info.initial is not None:
        left: dict[str, float] = {"white": state.wtime / 1000, "black": state.btime / 1000}
        if len(state.moves) >= 2 and not state.is_over:
            # Lichess's clocks run from the first move of each side.
            mover = to_move(info, len(state.moves))
            left[mover] = max(0.0, left[mover] - (now - session.since))
        clocks = {color: round(seconds, 1) for color, seconds in left.items()}
    return {
        "id": name,
        "color": info.color,
        "opponent": _person(info.opponent),
        "variant": info.variant,
        "speed": info.speed,
        "rated": info.rated,
        "plies": len(state.moves),
        "is_our_turn": session.our_turn,
        "clocks": clocks,
    }


def _challenge(challenge: Challenge, seconds: float) -> Mapping[str, object]:
    return {
        "id": challenge.id,
        "challenger": _person(challenge.challenger),
        "variant": challenge.variant,
        "speed": challenge.speed,
        "rated": challenge.rated,
        "seconds": round(seconds),
    }


def _person(person: Person) -> Mapping[str, Any]:
    return {"name": person.name, "title": person.title, "rating": person.rating}
