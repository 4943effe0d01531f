"""Table 3: which moves of two positions are matched most often, beside what the most frequent checks would say.

Source: Evans & Turrini, section 4, "Move Matching". Many replies are equally similar to their reference, so what the
most frequent pair is hangs on how ties are settled, which the paper does not say.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from importlib.util import find_spec

import chess

from trapcore.trees.chess_game import ChessGame, Labels
from workshop.paper.benchmark import Run
from workshop.paper.paper import GAME, TABLE_3, TRAPS, MatchedPair
from workshop.reference.measures import move_matching as matching
from workshop.report import Panel, Plot, Report, Series, Style, Table, number

TOP = 5
"""How many of the most frequent pairs the paper looks at."""

Pair = tuple[str, str]


def position(where: tuple[str, tuple[str, ...]], plies: int = 2) -> str:
    """The FEN of a position as `MatchedPair` names it; "moves" of the game are so many ``plies``."""
    name, played = where
    if name == "Move":
        board = chess.Board()
        played = tuple(GAME.split()[: plies * int(played[0])])
    else:
        board = chess.Board(next(trap.fen for trap in TRAPS if trap.name == name))
    for san in played:
        board.push_san(san)
    return board.fen()


def called(where: tuple[str, tuple[str, ...]]) -> str:
    """How the table calls it."""
    name, played = where
    return " ".join((name, *played)) if name == "Move" or not played else f"{name} + {' '.join(played)}"


def plain(label: str) -> str:
    """A printed move without capture, check and mate signs, as the labels of a match are."""
    return label.replace("x", "").rstrip("+#")


@dataclass(frozen=True, slots=True)
class Replies:
    """The moves at the second ply of one position, by label."""

    count: Counter[str]
    """In how many places each is legal."""
    checks: Counter[str]
    """In how many of them it gives check; counted in the order of move generation."""

    def decisive(self, label: str) -> bool:
        """Whether the move gives check in most places."""
        return 2 * self.checks[label] > self.count[label]


@cache
def replies(fen: str) -> Replies:
    """The replies of the position."""
    board, game = chess.Board(fen), ChessGame(Labels.SAN)
    found = Replies(Counter(), Counter())
    for move in list(board.legal_moves):
        board.push(move)
        for reply in board.legal_moves:
            label = game.label(board, reply)
            found.count[label] += 1
            found.checks[label] += board.gives_check(reply)
        board.pop()
    return found


def most_frequent_checks(fen1: str, fen2: str) -> list[Pair]:
    """The baseline: of each position the reply that is a check in most places, of several the first generated."""
    return [(replies(fen1).checks.most_common(1)[0][0], replies(fen2).checks.most_common(1)[0][0])]


def matched(fen1: str, fen2: str) -> list[Pair]:
    """`workshop.reference.measures.move_matching`: replies compared with their parent, ties settled as it says."""
    return [(pair.first, pair.second) for pair in matching.of_positions(fen1, fen2, top=TOP)]


def matched_to_root(fen1: str, fen2: str) -> list[Pair]:
    """The same, replies compared with the root."""
    return [(pair.first, pair.second) for pair in matching.of_positions(fen1, fen2, top=TOP, reference="root")]


Similarities = list[tuple[list[float], list[str]]]
"""For each first move, the similarities of the replies to it and their labels, in the order of move generation."""


@cache
def _generated(fen: str) -> Similarities:
    board, game = chess.Board(fen), ChessGame(Labels.SAN)

    def labels() -> list[str]:
        return [game.label(board, move) for move in board.legal_moves]

    found = []
    for move in list(board.legal_moves):
        board.push(move)
        names = labels()
        own, similarities = set(names), []
        for reply in list(board.legal_moves):
            board.push(reply)
            after = set(labels())
            similarities.append(len(own & after) / len(own | after))
            board.pop()
        found.append((similarities, names))
        board.pop()
    return found


def matched_by_scipy(fen1: str, fen2: str) -> list[Pair]:
    """Replies compared with their parent, in the order of move generation, ties settled by SciPy's assignment.

    Raises ``ImportError`` without SciPy.
    """
    import numpy as np
    from scipy.optimize import linear_sum_assignment  # type: ignore[import-untyped]

    counts: Counter[Pair] = Counter()
    for p, names in _generated(fen1):
        for q, others in _generated(fen2):
            chosen = linear_sum_assignment(np.abs(np.subtract.outer(p, q)))
            counts.update((names[i], others[j]) for i, j in zip(*chosen, strict=True))
    return [pair for pair, _ in counts.most_common(TOP)]


Convention = Callable[[str, str], list[Pair]]


def conventions() -> dict[str, Convention]:
    """What can be run here, by name; the baseline is the last."""
    found: dict[str, Convention] = {"trapline": matched, "compared with the root": matched_to_root}
    if find_spec("scipy") is not None:
        found["SciPy's ties"] = matched_by_scipy
    return found | {"most frequent checks": most_frequent_checks}


def reproduced(convention: Convention) -> list[bool]:
    """For each row of the table, whether the most frequent pair is the printed one, signs aside."""
    return [convention(position(row.first), position(row.second))[0] == printed_top(row) for row in TABLE_3]


def printed_top(row: MatchedPair) -> Pair:
    """The printed pair, signs aside."""
    return plain(row.top[0]), plain(row.top[1])


def impossible(row: MatchedPair) -> bool:
    """Whether a printed move is no reply in its position."""
    sides = zip((row.first, row.second), printed_top(row), strict=True)
    return any(label not in replies(position(where)).count for where, label in sides)


def legal_entries(plies: int) -> tuple[int, int]:
    """Of the printed moves of the game's positions, each once: how many are replies there, and how many there are.

    The positions are those after so many times ``plies`` plies as the table says moves.
    """
    entries = {
        (where, label)
        for row in TABLE_3
        for where, label in zip((row.first, row.second), printed_top(row), strict=True)
        if where[0] == "Move"
    }
    return sum(label in replies(position(where, plies)).count for where, label in entries), len(entries)


def equally_decisive(fen1: str, fen2: str, pairs: list[Pair]) -> int:
    """How many of the pairs are two moves that mostly give check, or two that mostly do not."""
    return sum(replies(fen1).decisive(one) == replies(fen2).decisive(two) for one, two in pairs)


def _applied(convention: Convention, fens: tuple[str, str]) -> list[Pair]:
    return convention(*fens)


def report(run: Run) -> Report:
    """Each row by all conventions."""
    known = conventions()
    places = [(position(row.first), position(row.second)) for row in TABLE_3]
    found = {name: run.each(partial(_applied, convention), places) for name, convention in known.items()}
    hits = {
        name: [pairs[0] == printed_top(row) for pairs, row in zip(all_pairs, TABLE_3, strict=True)]
        for name, all_pairs in found.items()
    }
    rows, decisive = [], []
    for index, row in enumerate(TABLE_3):
        cells = []
        for name in known:
            mark = "**" if hits[name][index] else ""
            cells.append(f"{mark}{', '.join(found[name][index][0])}{mark}")
        decisive.append(equally_decisive(*places[index], found["trapline"][index]))
        note = " (impossible)" if impossible(row) else ""
        pair = f"{called(row.first)}; {called(row.second)}"
        rows.append((pair, f"{', '.join(row.top)}{note}", *cells, f"{decisive[-1]} ({row.decisive})"))
    totals = [f"{sum(hits[name])} of {len(TABLE_3)}" for name in known]
    by_sample = [f"{'; '.join(str(sum(hits[name][i : i + 6])) for i in (0, 6, 12))}" for name in known]
    rows.append(("equal to the printed", "", *totals, ""))
    rows.append(("by sample, of 6 each", "", *by_sample, ""))
    unable = sum(map(impossible, TABLE_3))
    missing, ties = " SciPy is not installed, so the convention that settles ties by it is missing.", ""
    if "SciPy's ties" in known:
        apart = sum(a != b for a, b in zip(hits["trapline"], hits["SciPy's ties"], strict=True))
        missing = ""
        ties = f" The first and the third convention differ in nothing but ties, and disagree about {apart} rows."
    best = max((name for name in known if name != "most frequent checks"), key=lambda name: sum(hits[name]))
    baseline = sum(hits["most frequent checks"])
    (by_moves, entries), (by_plies, _) = legal_entries(2), legal_entries(1)
    equal_counts = sum(ours == row.decisive for ours, row in zip(decisive, TABLE_3, strict=True))
    return Report(
        "Table 3: move matching",
        (
            "The table has the most frequent pair by several conventions, bold if it is the printed one. The last "
            f"column says how many of our {TOP} most frequent pairs are equally decisive, with the printed number in "
            "brackets. A move counts as decisive if it gives check in most places. The game is Carlsen - Karjakin, New "
            "York 2016, fourth rapid game. Its positions are those after 10, 20, 30 and 40 moves of both sides. There "
            f"{by_moves} of the {entries} printed moves are legal at the second ply. After so many plies, as the paper "
            f"says, {by_plies} are.",
            Table(("positions", "printed", *known, "decisive"), tuple(rows)),
            "*trapline*: replies compared with their parent, ties settled by name. *Compared with the root*: the same, "
            "by the reference of Table 1. *SciPy's ties*: replies in the order of move generation, ties as SciPy's "
            "assignment leaves them. *Most frequent checks*: no matching at all, in each position the reply that is a "
            f"check in most places.{missing}",
            f"{unable} printed pairs hold a move that is not legal at the second ply of its position, so at most "
            f"{len(TABLE_3) - unable} can come out. The best convention, {best}, reproduces {sum(hits[best])}, the "
            f"baseline {baseline}.{ties} "
            f"Equally decisive pairs: ours {number(sum(decisive) / len(decisive), 1)} of {TOP} on average, printed "
            f"{number(sum(row.decisive for row in TABLE_3) / len(TABLE_3), 1)}; equal in {equal_counts} rows.",
        ),
        (
            Plot(
                "table-3",
                "Table 3: rows with the printed most frequent pair",
                (
                    Panel(
                        "",
                        "",
                        f"rows of {len(TABLE_3)}",
                        (Series("rows", tuple(range(len(known))), tuple(map(sum, hits.values())), Style.BARS),),
                        tuple(known),
                    ),
                ),
            ),
        ),
    )
