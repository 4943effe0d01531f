"""What was measured of Monte Carlo tree search, as Markdown, as JSON and as a plot."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from workshop.games.monte_carlo.baits import ALPHA_BETA, Choice, Depth, Share, share
from workshop.games.monte_carlo.dynamics import PLAIN, SHARING, Gain, gains, rank_correlation
from workshop.games.monte_carlo.matches import Result
from workshop.games.monte_carlo.speed import Speed
from workshop.report import Panel, Plot, Report, Series, Table


@dataclass(frozen=True, slots=True)
class Match:
    """Games of one search against another."""

    game: str
    first: str
    second: str
    budget: str
    """What each had for a move."""
    result: Result
    is_timed: bool
    """Whether that was time."""


@dataclass(frozen=True, slots=True)
class Found:
    """Everything of a run."""

    command: str
    """What it was asked."""
    names: Sequence[str]
    numbers: Sequence[int]
    """Playouts at which choices were examined."""
    seconds: float
    """The equal time."""
    choices: Sequence[Choice]
    matches: Sequence[Match]
    speeds: Sequence[Speed]
    random_speeds: Mapping[str, float]
    """Random playouts a second by game."""


def _percent(found: Share | None) -> str:
    if found is None:
        return "–"
    low, high = found.interval
    return f"{found.value:.0%} ({low:.0%}–{high:.0%})"


def _elo(result: Result) -> str:
    def text(number: float) -> str:
        return f"{round(number):+d}" if math.isfinite(number) else "+∞" if number > 0 else "−∞"

    value, low, high = map(text, result.elo())
    return f"{value} ({low} to {high})"


def _bait_table(found: Found) -> Table:
    header = ("search", *(f"{number:,}" for number in found.numbers), f"{found.seconds:g} s")
    rows = [
        (name, *(_percent(share(found.choices, name, number)) for number in (*found.numbers, None)))
        for name in found.names
    ]
    rows.append((ALPHA_BETA, *("–" for _ in found.numbers), _percent(share(found.choices, ALPHA_BETA, None))))
    return Table(header, tuple(rows))


def _depth_table(found: Found) -> Table:
    number = found.numbers[-1]
    rows = [(name, *(_percent(share(found.choices, name, number, one)) for one in Depth)) for name in found.names]
    timed = (_percent(share(found.choices, ALPHA_BETA, None, depth)) for depth in Depth)
    rows.append((f"{ALPHA_BETA}, {found.seconds:g} s", *timed))
    return Table(("search", *map(str, Depth)), tuple(rows))


def _match_table(found: Found) -> Table:
    rows = []
    for one in found.matches:
        low, high = one.result.interval
        score = f"{one.result.score:.0%} ({low:.0%}–{high:.0%})"
        counts = f"{one.result.won}–{one.result.drawn}–{one.result.lost}"
        rows.append((one.game, one.first, one.second, one.budget, counts, score, _elo(one.result)))
    return Table(("game", "search", "against", "for a move", "won–drawn–lost", "score", "Elo"), tuple(rows))


def shared_gains(found: Found) -> list[Gain]:
    """Of the matches against the plain search at equal playouts."""
    plain = [one for one in found.matches if one.second == PLAIN and not one.is_timed]
    return gains([(one.game, one.first, one.result) for one in plain])


def _dynamics_table(shared: Sequence[Gain]) -> Table:
    scores = {(one.game, one.search): one.score for one in shared}
    variabilities = sorted({(one.variability, one.game) for one in shared})
    rows = [
        (
            game,
            f"{value:.3f}",
            *("–" if (score := scores.get((game, name))) is None else f"{score:.0%}" for name in SHARING),
        )
        for value, game in variabilities
    ]
    ranks = (rank_correlation(shared, name) for name in SHARING)
    rows.append(("rank correlation", "", *("–" if rank is None else f"{rank:+.2f}" for rank in ranks)))
    return Table(("game", "variability", *SHARING), tuple(rows))


def _speed_table(found: Found) -> Table:
    games = list(found.random_speeds)
    rows = [("random playouts, no tree", *(f"{found.random_speeds[game]:,.0f}" for game in games))]
    measured = {(one.game, one.search): one.playouts for one in found.speeds}
    for name in dict.fromkeys(one.search for one in found.speeds):
        values = (measured.get((game, name)) for game in games)
        rows.append((name, *("–" if value is None else f"{value:,.0f}" for value in values)))
    return Table(("search", *games), tuple(rows))


def report(found: Found) -> Report:
    """Tables and a plot."""
    positions = len({choice.puzzle.number for choice in found.choices})
    blocks: list[str | Table] = [f"Made by `{found.command}`. Intervals are Wilson's, of 95 %."]
    plots = []
    if positions:
        blocks += [
            f"How often the search chooses the bait, in {positions} positions of puzzles or traps. Columns are numbers "
            f"of playouts, and {found.seconds:g} s of one thread:",
            _bait_table(found),
            f"By the depth of the trap, after {found.numbers[-1]:,} playouts:",
            _depth_table(found),
        ]
        series = tuple(
            Series(name, tuple(map(float, found.numbers)), tuple(_value(found, name, n) for n in found.numbers))
            for name in found.names
        )
        panel = Panel("Baits chosen", "playouts", "share of positions", series, logarithmic_x=True, marked=True)
        plots.append(Plot("baits", "How often each search chooses the bait", (panel,)))
    if found.matches:
        blocks += ["Games, each opening of four random moves twice with colours changed:", _match_table(found)]
    shared = shared_gains(found)
    if shared:
        blocks += [
            f"The table has the gain of sharing values over {PLAIN} at equal playouts, beside the variability of the "
            "game (`trapline research dynamics`). If the paper is right, the score falls as the variability grows:",
            _dynamics_table(shared),
        ]
    if found.speeds:
        blocks += ["Playouts a second of processor time, from the first position:", _speed_table(found)]
    return Report("Monte Carlo searches and traps", tuple(blocks), tuple(plots))


def _value(found: Found, name: str, number: int) -> float:
    measured = share(found.choices, name, number)
    return math.nan if measured is None else measured.value


def content(found: Found) -> dict[str, Any]:
    """Every choice, match and speed."""
    return {
        "command": found.command,
        "seconds": found.seconds,
        "choices": [
            {
                "search": choice.search,
                "puzzle": choice.puzzle.number,
                "depth": str(choice.puzzle.depth),
                "playouts": choice.playouts,
                "move": choice.move,
                "is_bait": choice.is_bait,
            }
            for choice in found.choices
        ],
        "matches": [
            asdict(one) | {"score": one.result.score, "interval": one.result.interval} for one in found.matches
        ],
        "dynamics": [asdict(one) for one in shared_gains(found)],
        "speeds": [asdict(one) for one in found.speeds],
        "random_speeds": dict(found.random_speeds),
    }
