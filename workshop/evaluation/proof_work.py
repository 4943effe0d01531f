"""What the order of the first moves saves a prover."""

import math
import random
from functools import partial
from statistics import fmean

from trapcore.proof.mate import prove_bait
from trapcore.proof.verdict import Verdict
from workshop.evaluation.orders import PLAIN, Scores
from workshop.evaluation.run import Finding, Run
from workshop.evaluation.sample import Puzzle
from workshop.native import _core
from workshop.report import Report, Table

MATES = (2, 3, 4)
MOST = {2: 200_000, 3: 3_000_000, 4: 20_000_000}
"""Moves that the plain prover may make for a mate in so many moves; a proof that takes more counts as so many."""
MOST_QUERIES = {2: 300, 3: 200, 4: 40}
SEED = 11

BASELINE = "checks, then captures MVV-LVA"
OURS = "abstracted trees"
LAZY = "abstracted trees, short list"
ORACLE = "the killer first"
RATIOS = ("ratio", "ratio, short list", "ratio, killer first", "typical ratio")


def proof_work(run: Run) -> Finding:
    """Moves that a plain prover makes by the order at its root; and the nodes of our own prover."""
    rows: list[tuple[str, ...]] = []
    own_rows: list[tuple[str, ...]] = []
    brief = []
    for mate in MATES:
        chosen = [i for i, proof in enumerate(run.proofs) if proof is not None and proof.mate_in == mate]
        chosen = chosen[: MOST_QUERIES[mate]]
        if not chosen:
            continue
        run.say(f"proofs: {len(chosen)} mates in {mate}")
        names = ("random", BASELINE, "fewest replies", LAZY, OURS, ORACLE)
        work = {name: run.each(partial(_plain_work, run, name, mate), chosen) for name in names}
        capped = {name: sum(w >= MOST[mate] for w in found) for name, found in work.items()}
        base = fmean(work[BASELINE])
        means = {name: fmean(found) for name, found in work.items()}
        rows.append(
            (
                str(mate),
                f"{len(chosen):,}",
                *(_mean(mean, capped[name]) for name, mean in means.items()),
                f"{base / means[OURS]:.1f}",
                f"{base / means[LAZY]:.1f}",
                f"{base / means[ORACLE]:.1f}",
                f"{_typical(work[BASELINE], work[OURS]):.1f}",
            )
        )
        brief.append((f"plain proof of mate in {mate}, against {BASELINE}", f"{base / means[OURS]:.1f} times less"))
        own = {name: run.each(partial(_own_work, run, name, mate), chosen) for name in ("", OURS, ORACLE)}
        own_rows.append((str(mate), f"{len(chosen):,}", *(f"{fmean(found):,.0f}" for found in own.values())))
    blocks: tuple[str | Table, ...] = (
        "Moves made on a board until a forced mate of known length is proved. The prover is plain and depth-first, "
        "remembers nothing and tries checks first below the root. Only the order at the root differs. The table leaves "
        f"out the cost of the order itself (see *Cost*): about {fmean(p.makes for p in run.full):,.0f} moves for the "
        f"full order, {fmean(p.makes for p in run.lazy):,.0f} for the one with a short list. A mate that is cut off "
        f"counts as the most that is allowed ({', '.join(f'{MOST[m]:,}' for m in MATES)}). Ratios are of the means: "
        f"{BASELINE} over ours, and over the killer first, which nothing can beat. A few hard mates decide "
        "them. The *typical ratio* is the geometric mean over the puzzles.",
        Table(
            ("mate in", "n", "random", BASELINE, "fewest replies", LAZY, OURS, ORACLE, *RATIOS),
            tuple(rows),
        ),
        "Our own prover (proof numbers, checks before other moves) finds its way by itself. The order saves it next to "
        "nothing. Its nodes:",
        Table(("mate in", "n", "without an order", "in our order", "the killer first"), tuple(own_rows)),
    )
    return Finding(Report("Work of a prover", blocks), brief)


def _typical(those: list[int], ours: list[int]) -> float:
    """Geometric mean of the ratios of each puzzle."""
    return math.exp(fmean(math.log(a / b) for a, b in zip(those, ours, strict=True)))


def _mean(mean: float, cut_off: int) -> str:
    return f"{mean:,.0f} ({cut_off} cut off)" if cut_off else f"{mean:,.0f}"


def _order(run: Run, at: int, name: str) -> list[str]:
    query = run.queries[at]
    if name == OURS:
        return list(run.full[at].moves)
    if name == LAZY:
        return list(run.lazy[at].moves)
    if name == ORACLE:
        return sorted(query.moves, key=lambda move: move != query.killer)
    return _falling(query, {} if name == "random" else PLAIN[name](query))


def _falling(query: Puzzle, scores: Scores) -> list[str]:
    """By score; equal ones by a draw of their own."""
    draw = random.Random(f"{SEED} {query.number}")
    moves = sorted(query.moves)
    draw.shuffle(moves)
    return sorted(moves, key=lambda move: -scores.get(move, 0.0))


def _plain_work(run: Run, name: str, mate: int, at: int) -> int:
    fen = run.queries[at].board.fen()
    work = _core.moves_until_proof(fen, _order(run, at, name), mate, MOST[mate])
    return MOST[mate] if work is None else work


def _own_work(run: Run, name: str, mate: int, at: int) -> int:
    query = run.queries[at]
    killers = [] if not name else [query.killer] if name == ORACLE else _order(run, at, name)
    proof = prove_bait(query.before, query.trap.bait, killers, mate)
    assert proof.verdict is Verdict.PROVED
    return proof.nodes
