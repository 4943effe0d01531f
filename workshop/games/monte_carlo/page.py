"""The page of what was measured of Monte Carlo tree search."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from workshop.coverage.shares import Share
from workshop.games.monte_carlo.baits import ALPHA_BETA, Choice, Depth, share
from workshop.games.monte_carlo.dynamics import PLAIN, SHARING, Gain, gains, rank_correlation
from workshop.games.monte_carlo.matches import Result
from workshop.games.monte_carlo.speed import Speed
from workshop.report import Report, Table


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


def _percent(found: Share) -> str:
    if found.value is None:
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
    """The tables."""
    positions = len({choice.puzzle.number for choice in found.choices})
    blocks: list[str | Table] = [f"Made by `{found.command}`. Intervals are Wilson's, of 95 %."]
    if positions:
        blocks += [
            f"How often the search chooses the bait, in {positions} positions of puzzles or traps. Columns are numbers "
            f"of playouts, and {found.seconds:g} s of one thread:",
            _bait_table(found),
            f"By the depth of the trap, after {found.numbers[-1]:,} playouts:",
            _depth_table(found),
        ]
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
    return Report("Monte Carlo searches and traps", tuple(blocks))
