"""Whether the best proposal's score shows that a player has just fallen into a trap, on moves of real games."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import chess

from trapcore.piece_values import POINTS
from trapcore.proof.mate import prove_bait
from trapcore.proof.verdict import Verdict
from trapcore.ranking.weights import LAZY_SHORTLIST, SHORTLIST
from trapcore.trees.chess_game import parse_position
from workshop.evaluation.background_moves import BLUNDER, CLEAN, LOST, Judged
from workshop.evaluation.calibration import reliability_of
from workshop.evaluation.metrics import precision_at, rate_at_recall
from workshop.evaluation.run import Finding, Run, propose
from workshop.native import _core
from workshop.paper.retrieval import auc, roc
from workshop.report import Panel, Plot, Report, Series, Table, number

RECALLS = (0.8, 0.9)
PREVALENCES = (100, 1000)
MATE = 3
"""Moves of the mates that are searched for after a false alarm."""
FINE = 0.004
ROC = "detection"
"""Name of the plot."""

OURS = f"best proposal, shortlist of {SHORTLIST}"
LAZY = f"best proposal, shortlist of {LAZY_SHORTLIST}"

Score = Callable[[str, str], float]
"""Of a position before a move and the move."""


@dataclass(frozen=True)
class Scored:
    """Figures of one score over all queries."""

    mates: list[float]
    traps: list[float]
    clean: list[float]
    blunders: list[float]
    allowing: list[float]
    """Moves of the games after which the engine sees a mate."""


def number_of_checks(fen: str, move: str) -> float:
    """Checks that the attacker has."""
    board = _after(fen, move)
    return sum(board.gives_check(m) for m in board.legal_moves)


def replies_left(fen: str, move: str) -> float:
    """How few replies the attacker can leave; a stalemate leaves more than any."""
    board = _after(fen, move)
    fewest = 1000
    for attack in list(board.legal_moves):
        board.push(attack)
        fewest = min(fewest, 1000 if board.is_stalemate() else board.legal_moves.count())
        board.pop()
    return -fewest


def three_plies(fen: str, move: str) -> float:
    """What the attacker gains in three plies, less what the move took."""
    board = parse_position(fen)
    played = board.parse_uci(move)
    victim = board.piece_type_at(played.to_square) if board.is_capture(played) else None
    taken = 0 if victim is None else 100 * POINTS[victim]
    board.push(played)
    moves, _ = _core.three_plies(board.fen())
    return max((worst + mean / 1e5 for _, worst, mean in moves), default=0.0) - taken


def _after(fen: str, move: str) -> chess.Board:
    board = parse_position(fen)
    board.push(board.parse_uci(move))
    return board


def detection(run: Run, judged: Sequence[Judged]) -> Finding:
    """Held-out puzzles against clean moves of the games, and the games' own blunders against these."""
    learned = {(fen.split(" ")[0], move) for fen, move, _ in run.learned_background}
    fresh = [j for j in judged if (j.fen.split(" ")[0], j.move) not in learned]
    clean = [j for j in fresh if j.is_clean]
    blunders = [j for j in fresh if j.is_blunder]
    allowing = [j for j in fresh if j.allows_mate]
    weights = run.weights
    scores: dict[str, Score] = {
        "number of checks": number_of_checks,
        "fewest replies": replies_left,
        "search of 3 plies": three_plies,
        LAZY: lambda fen, move: propose(weights, fen, move, LAZY_SHORTLIST).score,
        OURS: lambda fen, move: propose(weights, fen, move, SHORTLIST).score,
    }
    found = {name: _scored(run, name, score, clean, blunders, allowing) for name, score in scores.items()}
    ours = found[OURS]
    alarms = [j for j, s in zip(clean, ours.clean, strict=True) if s >= rate_at_recall(ours.mates, ours.clean, 0.9)[1]]
    proofs = run.each(lambda j: prove_bait(j.fen, j.move, mate=MATE), alarms)
    proved = sum(p.verdict is Verdict.PROVED for p in proofs)
    traps = [(p.confidence, p.moves[0] == q.killer) for q, p in zip(run.queries, run.full, strict=True)]
    quiet = run.each(lambda j: propose(weights, j.fen, j.move, SHORTLIST).confidence, clean)
    confidence = reliability_of(traps, quiet)
    blocks = (
        f"Positives: {len(run.queries):,} held-out puzzles after the bait, {len(ours.mates):,} of them mates. "
        f"Negatives: {len(clean):,} clean moves of {len({j.file for j in judged})} files of games. An engine says that "
        f"they lose less than {CLEAN / 100:g} pawns in a position that was not lost (above {LOST / 100:g} pawns). "
        f"{len(judged) - len(fresh)} moves that weights were learned from are left out. The score of a position is "
        "that of the best proposal after the move that was played.",
        "**Mates** against clean moves:",
        _rates({name: s.mates for name, s in found.items()}, {name: s.clean for name, s in found.items()}),
        "**All puzzles** against clean moves:",
        _rates({name: s.traps for name, s in found.items()}, {name: s.clean for name, s in found.items()}),
        "Precision supposes one trap in 100 or in 1,000 moves. If no clean move was flagged, the rate counts as at "
        "most three over their number (95 % by the rule of three). The stated precision is then a lower bound.",
        f"At the score that finds nine mates in ten, {len(alarms)} clean moves are flagged. A mate in {MATE} is proved "
        f"after {proved} of them. trapline claims only what it proves, so the others would not warn of a mate.",
        f"**Blunders of real games** ({len(blunders):,} moves that lose {BLUNDER / 100:g} pawns or more; "
        f"{len(allowing):,} moves after which the engine sees a mate) against clean moves, area under the curve:",
        _blunders(found),
        "Blunders of ordinary games are mostly quiet and positional, and are not what this detects.",
        "**Confidence** of the first proposal. Clean moves of these games and puzzles count the same in sum. The Brier "
        f"score is {number(confidence.brier)}, and it is {number(confidence.error)} apart from the truth in the mean.",
        confidence.table,
    )
    curves = tuple(_curve(name, s.mates, s.clean) for name, s in found.items())
    all_curves = tuple(_curve(name, s.traps, s.clean) for name, s in found.items())
    plot = Plot(
        ROC,
        "Traps against clean moves",
        (
            Panel("mates", "share of clean moves flagged", "share of mates found", curves),
            Panel("all puzzles", "share of clean moves flagged", "share of puzzles found", all_curves),
        ),
    )
    flagged, _ = rate_at_recall(ours.mates, ours.clean, 0.9)
    brief = [
        ("detection of mates, area under the curve", number(auc(*_labelled(ours.mates, ours.clean)))),
        ("clean moves flagged at recall .9 of mates", f"{flagged} of {len(clean):,}"),
        ("real blunders against clean moves, area", number(auc(*_labelled(ours.blunders, ours.clean)))),
    ]
    return Finding(Report("Detection", blocks, (plot,)), brief)


def _scored(
    run: Run, name: str, score: Score, clean: Sequence[Judged], blunders: Sequence[Judged], allowing: Sequence[Judged]
) -> Scored:
    run.say(f"detection: {name}")
    traps = run.each(lambda q: score(q.before, q.trap.bait), run.queries)
    of_games = [run.each(lambda j: score(j.fen, j.move), part) for part in (clean, blunders, allowing)]
    return Scored([s for s, q in zip(traps, run.queries, strict=True) if q.mates], traps, *of_games)


def _labelled(wanted: Sequence[float], others: Sequence[float]) -> tuple[list[float], list[bool]]:
    return [*wanted, *others], [True] * len(wanted) + [False] * len(others)


def _curve(name: str, wanted: Sequence[float], others: Sequence[float]) -> Series:
    """The ROC curve without the points that a picture does not show."""
    points = [(0.0, 0.0)]
    for x, y in roc(*_labelled(wanted, others)):
        if x - points[-1][0] >= FINE or y - points[-1][1] >= FINE or (x, y) == (1.0, 1.0):
            points.append((x, y))
    return Series(name, tuple(x for x, _ in points), tuple(y for _, y in points))


def _rates(wanted: dict[str, list[float]], others: dict[str, list[float]]) -> Table:
    header = ["score", "area"]
    for recall in RECALLS:
        header += [f"flagged at recall {number(recall, 1)}", *(f"precision at 1 in {p:,}" for p in PREVALENCES)]
    rows = []
    for name, scores in wanted.items():
        cells = [name, number(auc(*_labelled(scores, others[name])))]
        for recall in RECALLS:
            flagged, _ = rate_at_recall(scores, others[name], recall)
            count = len(others[name])
            rate = (flagged or 3) / count  # the rule of three
            sign = "" if flagged else "≥ "
            cells.append(f"{flagged} ({100 * flagged / count:.2f} %)")
            cells += [sign + number(precision_at(1 / p, recall, rate), 2) for p in PREVALENCES]
        rows.append(tuple(cells))
    return Table(tuple(header), tuple(rows))


def _blunders(found: dict[str, Scored]) -> Table:
    rows = []
    for name, s in found.items():
        areas = [number(auc(*_labelled(part, s.clean))) if part else "" for part in (s.blunders, s.allowing)]
        rows.append((name, *areas))
    return Table(("score", "blunders", "moves that allow a mate"), tuple(rows))
