"""Health and metrics of the bot, for `trapcore.io.status_server`."""

import shutil
import threading
from collections import deque
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bot.saved_state import TRAPS_CHOSEN, TRAPS_KNOWN, TRAPS_ON_PURPOSE, TRAPS_TAKEN
from lichess.rate_limits import Pause
from trapcore.io.status_server import Metric

SAMPLES = 1000
"""Latest values of each kind that are considered."""


def _samples() -> deque[float]:
    return deque(maxlen=SAMPLES)


@dataclass
class LatencyStats:
    """Latency of the latest moves."""

    overheads: deque[float] = field(default_factory=_samples)
    """From the position to the request that sends the move, without thinking."""
    late: deque[float] = field(default_factory=_samples)
    """Thinking beyond the planned time."""
    killers: deque[float] = field(default_factory=_samples)
    """From the position to the request, where a killer was known."""
    moves: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, overhead: float, late: float | None, *, killer: bool) -> None:
        """Count one move; ``late`` is None if there was no search."""
        with self._lock:
            self.moves += 1
            self.overheads.append(overhead)
            if killer:
                self.killers.append(overhead)
            if late is not None:
                self.late.append(late)


def spread(values: Collection[float]) -> dict[str, float]:
    """Mean, median, 95th and 99th percentile and maximum; empty without values."""
    found = sorted(values)
    if not found:
        return {}
    ranks = {"median": 50, "p95": 95, "p99": 99}
    percentiles = {name: found[len(found) * share // 100] for name, share in ranks.items()}
    summary = {"mean": sum(found) / len(found), **percentiles, "max": found[-1]}
    return {name: round(value, 2) for name, value in summary.items()}


SILENT_SECONDS = 60.0
"""Silence of the account's stream after which the bot is not well,"""

UNSENT_SECONDS = 20.0
"""or time for which a move that is ready could not be sent,"""

MOST_OPENINGS = 10
"""or openings of that stream within ten minutes from which on it is not well,"""

LEAST_FREE_MEGABYTES = 256
"""or space that is left on the disk of its folder below which it is not well."""


@dataclass(frozen=True, slots=True)
class Condition:
    """What the health of the bot depends on."""

    silent: float = 0.0
    """Seconds without a sign of the account's stream."""
    openings: int = 0
    """Openings of that stream within `lichess.rate_limits.WINDOW_SECONDS`."""
    silent_games: Mapping[str, float] = field(default_factory=dict)
    """The same of the streams of games, by game."""
    unsent: Mapping[str, float] = field(default_factory=dict)
    """Seconds for which a move that is ready could not be sent, by game."""
    held: Sequence[Pause] = ()
    """Kinds of requests that pause after a 429."""
    unrecorded: Mapping[str, str] = field(default_factory=dict)
    """Reasons why finished games could not be written, by game."""
    unindexed: int = 0
    """Games that are written and not in the library yet."""
    is_token_doubted: bool = False
    """Whether lichess has refused the token, so that it is tested."""
    free_megabytes: float | None = None
    """Space on the disk of the bot's folder; None if it is not known."""


def free_megabytes(folder: Path) -> float | None:
    """Space on the disk of a folder; None if the system does not say."""
    try:
        return shutil.disk_usage(folder).free / (1 << 20)
    except OSError:
        return None


def summary(now: Condition) -> dict[str, object]:
    """What is wrong or waits, as part of the answer."""
    silent = {"the account's stream": now.silent}
    silent |= {f"the stream of game {game}": seconds for game, seconds in now.silent_games.items()}
    problems = [
        f"{what} is silent for {seconds:.0f} s" for what, seconds in silent.items() if seconds >= SILENT_SECONDS
    ]
    problems += [
        f"a move in game {game} could not be sent for {seconds:.0f} s"
        for game, seconds in now.unsent.items()
        if seconds >= UNSENT_SECONDS
    ]
    problems += [f"game {game} could not be recorded: {reason}" for game, reason in now.unrecorded.items()]
    if now.openings >= MOST_OPENINGS:
        problems.append(
            f"the account's stream was opened {now.openings} times in ten minutes; the connection breaks, or another "
            "program has the same token: lichess ends the older stream"
        )
    if now.is_token_doubted:
        problems.append("lichess has refused the token; the bot tests it and sends nothing meanwhile")
    if now.free_megabytes is not None and now.free_megabytes < LEAST_FREE_MEGABYTES:
        problems.append(f"the disk of the bot's folder has {now.free_megabytes:.0f} MB left")
    return {
        "ok": not problems,
        "problems": problems,
        "silent_seconds": round(now.silent, 1),
        "unsent_seconds": round(max(now.unsent.values()), 1) if now.unsent else None,
        "unindexed_games": now.unindexed,
        "free_megabytes": None if now.free_megabytes is None else round(now.free_megabytes),
        "held": [
            {"requests": pause.kind.name.lower(), "seconds": round(pause.seconds, 1), "reason": pause.reason}
            for pause in now.held
        ],
    }


def metrics(health: Mapping[str, object], stats: Mapping[str, int]) -> list[Metric]:
    """Metrics from the answer of ``/health`` and the statistics of all games so far."""

    def number(key: str) -> float:
        value = health[key]
        return float(value) if isinstance(value, int | float) else 0.0

    games, spreads = health["games"], {"overhead": health["overhead_ms"], "killer": health["killer_ms"]}
    found = [
        Metric("trapline_bot_well", "1 if nothing is wrong, else 0", number("ok")),
        Metric("trapline_bot_running_games", "games that are played now", len(games) if isinstance(games, list) else 0),
        Metric("trapline_bot_moves_total", "moves sent since the start", number("moves"), is_counter=True),
        Metric("trapline_bot_stream_silent_seconds", "since the account's stream was heard", number("silent_seconds")),
        Metric("trapline_bot_unsent_seconds", "for which a ready move could not be sent", number("unsent_seconds")),
        Metric("trapline_bot_unindexed_games", "games that are not in the library yet", number("unindexed_games")),
        Metric("trapline_bot_free_megabytes", "left on the disk of the bot's folder", number("free_megabytes")),
        Metric("trapline_bot_repertoires_complete", "1 if all repertoires are built", number("repertoires_complete")),
        Metric("trapline_bot_games_total", "games played, of all starts", stats.get("games", 0), is_counter=True),
        Metric("trapline_bot_traps_chosen_total", "traps that moves set", stats.get(TRAPS_CHOSEN, 0), is_counter=True),
        Metric(
            "trapline_bot_traps_on_purpose_total",
            "of these, another move was valued higher",
            stats.get(TRAPS_ON_PURPOSE, 0),
            is_counter=True,
        ),
        Metric(
            "trapline_bot_traps_known_total", "of these, in the library", stats.get(TRAPS_KNOWN, 0), is_counter=True
        ),
        Metric("trapline_bot_traps_taken_total", "of these, taken", stats.get(TRAPS_TAKEN, 0), is_counter=True),
        Metric("trapline_bot_traps_set_total", "library traps set in them", stats.get("set", 0), is_counter=True),
        Metric(
            "trapline_bot_traps_fallen_total", "library traps somebody fell for", stats.get("fell", 0), is_counter=True
        ),
    ]
    for kind, spread in spreads.items():
        if isinstance(spread, Mapping):
            name, text = f"trapline_bot_{kind}_milliseconds", f"latency of the latest moves ({kind})"
            found += [Metric(name, text, value, {"of": of}) for of, value in spread.items()]
    held = health["held"]
    for one in held if isinstance(held, list) else []:
        found.append(
            Metric("trapline_bot_held_seconds", "that requests wait", one["seconds"], {"requests": one["requests"]})
        )
    return found
