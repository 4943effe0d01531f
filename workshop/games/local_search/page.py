"""The page of what was measured of local search, with a plot."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from trapcore.statistics import wilson
from workshop.games.local_search.blunders import Blunders
from workshop.games.local_search.claims import Claim
from workshop.games.local_search.positions import LONG, NEAR
from workshop.games.local_search.radius import Radius
from workshop.games.monte_carlo.page import Match
from workshop.games.search.local_search import Finding, Locality
from workshop.report import Panel, Plot, Report, Series, Table


@dataclass(frozen=True, slots=True)
class Found:
    """Everything of a run."""

    command: str
    machine: str
    """Cores and load, as far as the system reports them."""
    seconds: float
    """For a position."""
    localities: dict[str, Locality]
    claims: Sequence[Claim]
    """Of positions of games."""
    quick: Sequence[Claim]
    """Of many positions with few nodes, for false claims."""
    matches: Sequence[Match]
    blunders: Sequence[Blunders]
    radii: Sequence[Radius]


def _games(found: Found) -> list[str]:
    return list(dict.fromkeys(one.game for one in found.claims))


def _depths(found: Found) -> Table:
    rows = []
    for game in _games(found):
        ours = [one for one in found.claims if one.game == game]
        lengths = [one.moves for one in ours if one.finding is not Finding.NONE]
        depths = [one.depth for one in ours if one.finding is Finding.NONE]
        rows.append(
            (
                game,
                str(len(ours)),
                *(str(sum(one.finding is finding for one in ours)) for finding in Finding),
                str(max(lengths, default=0)),
                f"{min(depths)} to {max(depths)}" if depths else "–",
            )
        )
    header = ("game", "positions", "wins", "losses", "none", "longest win, moves", "complete to, where none")
    return Table(header, tuple(rows))


def _nodes(found: Found) -> Table:
    rows = []
    for game in _games(found):
        wins = [one for one in found.claims if one.game == game and one.finding is Finding.WIN]
        for name, rivals in (
            ("alpha-beta", [(one, one.alpha_beta) for one in wins]),
            ("proof-number", [(one, one.proof_number) for one in wins]),
        ):
            known = [(one.nodes, rival.nodes) for one, rival in rivals if rival is not None and rival.won]
            unfinished = sum(rival is not None and rival.won is None for _, rival in rivals)
            ratios = [ours / theirs for ours, theirs in known]
            both = f"{sum(ours for ours, _ in known):,} / {sum(theirs for _, theirs in known):,}"
            middle = f"1/{1 / statistics.median(ratios):.0f}" if ratios else "–"
            rows.append((game, name, str(len(known)), both, middle, str(unfinished)))
    return Table(("game", "against", "wins of both", "nodes, ours / its", "median", "it did not end"), tuple(rows))


def _false(found: Found) -> Table:
    rows = []
    for game in dict.fromkeys(one.game for one in (*found.claims, *found.quick)):
        ours = [one for one in (*found.claims, *found.quick) if one.game == game and one.finding is not Finding.NONE]
        checked = [one for one in ours if one.is_false is not None]
        wrong = sum(bool(one.is_false) for one in checked)
        share = f"{wilson(wrong, len(checked))[1]:.1%}" if checked else "–"
        rows.append((game, str(len(ours)), str(len(checked)), str(wrong), share))
    return Table(("game", "claims", "checked", "false", "95 %: at most"), tuple(rows))


def _matches(found: Found) -> Table:
    rows = []
    for one in found.matches:
        low, high = one.result.interval
        counts = f"{one.result.won}–{one.result.drawn}–{one.result.lost}"
        rows.append(
            (one.game, one.first, one.second, one.budget, counts, f"{one.result.score:.0%} ({low:.0%}–{high:.0%})")
        )
    return Table(("game", "search", "against", "for a move", "won–drawn–lost", "score"), tuple(rows))


def report(found: Found) -> Report:
    """Tables and a plot."""
    localities = Table(
        ("game", "mean distance, turns", "pays"),
        tuple(
            (name, f"{one.mean_distance:.2f}", "yes" if one.pays else "no") for name, one in found.localities.items()
        ),
    )
    blocks: list[str | Table] = [
        f"Made by `{found.command}` on {found.machine}. Each position had {found.seconds:g} s of one thread. Intervals "
        "are Wilson's, of 95 %. Moves are the winner's. Positions are of games that the Monte Carlo search plays "
        f"against itself, at most {LONG} plies before the end. If only the claim is checked, it is at most {NEAR}.",
        "How far moves are from each other:",
        localities,
        "What is found:",
        _depths(found),
        "Nodes for the same win of the player to move. Alpha-beta is plain: iterative, all moves, no table. It and the "
        "local search stop at the first win. Proof-number search proves a win in any number of moves:",
        _nodes(found),
        "Claims checked by a complete proof-number search. Claims for which it did not end are not counted:",
        _false(found),
    ]
    if found.matches:
        blocks += ["Games with hints against games without, openings of four random moves:", _matches(found)]
    if found.blunders:
        rows = tuple(
            (one.game, one.search, str(one.positions), str(one.thrown_away), str(one.not_known))
            for one in found.blunders
        )
        header = ("game", "search", "won positions", "thrown away", "not known")
        blocks += [
            "Positions that local search claims won, and after whose move the opponent wins:",
            Table(header, rows),
        ]
    if found.radii:
        radius_rows = tuple(
            (str(one.steps), f"{one.kept / one.traps:.0%}", f"{one.saved / one.moves:.0%}") for one in found.radii
        )
        blocks += [
            f"Chess: the killer lines of {found.radii[0].traps} bundled traps. The radius is in steps of a king around "
            "the squares of the bait. It keeps a line if all moves of the attacker lie inside, and saves the legal "
            "moves outside:",
            Table(("radius", "lines inside", "attacker's moves saved"), radius_rows),
        ]
    return Report("Local search", tuple(blocks), _plots(found))


def _plots(found: Found) -> tuple[Plot, ...]:
    series = []
    for game in _games(found):
        wins = [one for one in found.claims if one.game == game and one.finding is not Finding.NONE]
        if wins:
            lengths = sorted({one.moves for one in wins})
            middle = [float(statistics.median(one.nodes for one in wins if one.moves == length)) for length in lengths]
            series.append(Series(game, tuple(map(float, lengths)), tuple(middle)))
    if not series:
        return ()
    axes = ("moves of the winner", "nodes, median")
    panel = Panel("Nodes by length", *axes, tuple(series), logarithmic=True, marked=True)
    return (Plot("local-search", "Nodes of local search by the length of the win", (panel,)),)
