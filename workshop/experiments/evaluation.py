"""Fits the weights of the evaluation to the judgement of a strong engine.

    python -m workshop.experiments.evaluation sample positions.tsv
    python -m workshop.experiments.evaluation label positions.tsv labels.tsv --engine stockfish
    python -m workshop.experiments.evaluation fit labels.tsv --write

Positions are drawn from real games, puzzles and opening lines; nearly half of them get a random move or two, so that
the fit sees what blunders look like. The engine says what each is worth; the features are counted where a short search
of our own comes to rest, because that is where the evaluation is asked. The weights minimise the squared difference of
win chances, with a pull to the usual values of the pieces.
"""

import argparse
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import chess
import chess.engine
import chess.pgn
import numpy as np
import numpy.typing as npt
import scipy.optimize  # type: ignore[import-untyped]
import scipy.sparse  # type: ignore[import-untyped]

from trapcore.engines.process import EngineProcess
from trapcore.parallel.budget import Budget
from trapcore.proof.search import search
from trapcore.win_chance import WIN_CHANCE_SCALE
from workshop.benchmarks.material import DATA, puzzle_rows
from workshop.benchmarks.stockfish import STOCKFISH
from workshop.native import _core

Array = npt.NDArray[Any]

WEIGHTS = Path(__file__).parents[2] / "trapcore/native/src/search/evaluation/weights.rs"
PIECES = (90, 330, 340, 500, 1000)
"""Centipawns of pawn, knight, bishop, rook, queen, from which the fit sets out."""
PULL = 1e-9
"""Cost of a centipawn's squared distance from there."""
MOST = 2500
"""Positions worth more centipawns are left out, as are mates: no static evaluation tells them apart."""


def main(arguments: list[str]) -> None:
    """Run one of the three steps."""
    parser = argparse.ArgumentParser(description="Fit the weights of the evaluation.")
    steps = parser.add_subparsers(dest="step", required=True)
    step = steps.add_parser("sample", help="draw positions")
    step.add_argument("positions", type=Path)
    step = steps.add_parser("label", help="ask an engine")
    step.add_argument("positions", type=Path)
    step.add_argument("labels", type=Path)
    step.add_argument("--engine", default=STOCKFISH or "stockfish")
    step.add_argument("--nodes", type=int, default=5000)
    step = steps.add_parser("fit", help="find the weights")
    step.add_argument("labels", type=Path, nargs="+")
    step.add_argument("--write", action="store_true", help="put the weights into the source")
    options = parser.parse_args(arguments)
    if options.step == "sample":
        options.positions.write_text("".join(f"{fen}\n" for fen in sampled()))
    elif options.step == "label":
        label(options.positions, options.labels, options.engine, options.nodes)
    else:
        fit(options.labels, write=options.write)


def sampled(seed: int = 20261121) -> list[str]:
    """About 250,000 positions without check, each once, in random order."""
    draw = random.Random(seed)
    found: dict[str, str] = {}

    def add(board: chess.Board) -> None:
        if not board.is_check() and not board.is_game_over():
            found.setdefault(board.epd(), board.fen())

    for name, games, each in (
        ("amateur_lichess_2021_10_kdave.pgn", 468, 30),
        ("amateur_chesscom_cancer0707.pgn", 881, 25),
        ("bench_masters_10k.pgn", 6000, 10),
    ):
        for line in _lines(DATA / "pgn" / name, games):
            for board in draw.sample(line[3:], min(each, max(0, len(line) - 3))):
                add(board if draw.random() < 0.55 else _disturbed(board, draw.choice((1, 2)), draw))
    for fen, moves in _puzzles():
        board = chess.Board(fen)
        for move in moves[: draw.randint(0, len(moves))]:
            board.push_uci(move)
        add(board)
    openings = [line[-1] for path in sorted((DATA / "openings").glob("*.tsv")) for line in _openings(path)]
    for board in openings:
        add(board)
        for count in (1, 1, 2, 2, 3, 3, 4, 5):
            add(_disturbed(board, count, draw))
    while len(found) < 250_000:
        for board in _played_on(draw.choice(openings), draw):
            add(board)
    fens = list(found.values())
    draw.shuffle(fens)
    return fens


def _lines(path: Path, games: int) -> Iterator[list[chess.Board]]:
    with path.open(encoding="latin-1") as stream:
        for _ in range(games):
            game = chess.pgn.read_game(stream)
            if game is None:
                return
            if game.headers.get("Variant", "Standard") == "Standard":
                yield [node.board() for node in game.mainline()]


def _openings(path: Path) -> Iterator[list[chess.Board]]:
    for row in path.read_text(encoding="utf-8").splitlines()[1:]:
        board, line = chess.Board(), []
        for word in row.split("\t")[2].split():
            if not word[0].isdigit():
                board.push_san(word)
                line.append(board.copy(stack=False))
        yield line


def _puzzles() -> Iterator[tuple[str, list[str]]]:
    """Every third, without the first 2,000, on which the search is tried."""
    for number, row in enumerate(puzzle_rows()):
        if number >= 2000 and number % 3 == 0:
            yield row["FEN"], row["Moves"].split()


def _disturbed(board: chess.Board, moves: int, draw: random.Random) -> chess.Board:
    board = board.copy(stack=False)
    for _ in range(moves):
        if legal := list(board.legal_moves):
            board.push(draw.choice(legal))
    return board


def _played_on(board: chess.Board, draw: random.Random) -> Iterator[chess.Board]:
    """An opening played on by a weak player who blunders three moves of ten."""
    board = board.copy(stack=False)
    for _ in range(draw.randint(4, 22)):
        if board.is_game_over():
            return
        if draw.random() < 0.3:
            board.push(draw.choice(list(board.legal_moves)))
        else:
            line = search(board.fen(), Budget(depth=6, nodes=draw.choice((60, 200, 600)))).line
            board.push_uci(line[0] if line else next(iter(board.legal_moves)).uci())
        if draw.random() < 0.25:
            yield board.copy(stack=False)


def label(positions: Path, labels: Path, command: str, nodes: int) -> None:
    """Write ``FEN<tab>centipawns for the side to move`` for each position that is no mate; goes on where it stopped."""
    done = sum(1 for _ in labels.open()) if labels.exists() else 0
    limit, info = chess.engine.Limit(nodes=nodes), chess.engine.INFO_SCORE
    with EngineProcess(command) as engine, labels.open("a") as out:
        for fen in positions.read_text().splitlines()[done:]:
            score, board = "mate 0", chess.Board(fen)
            if any(board.legal_moves):
                found = engine.play(board, limit, info=info)[1]["score"].relative
                score = f"mate {found.mate()}" if found.is_mate() else f"cp {found.score()}"
            out.write(f"{fen}\t{score}\n")


class _Rows:
    """Positions as sparse rows of features."""

    def __init__(self) -> None:
        self.indices: list[Array] = []
        self.counts: list[Array] = []
        self.starts = [0]
        self.values: list[int] = []
        self.phases: list[float] = []
        self.scales: list[float] = []

    def add(self, fen: str, value: int) -> None:
        """The position, worth so many centipawns to its mover, as it is when a short search comes to rest."""
        board = chess.Board(fen)
        white = value if board.turn else -value
        found = search(fen, Budget(depth=3, nodes=30_000))
        for move in found.line:
            board.push_uci(move)
        if found.mate_in is not None or board.is_check():
            return
        phase, for_white, for_black, raw = _core.evaluation_features(board.fen())
        counts = np.frombuffer(raw, dtype=np.int16)
        at = np.nonzero(counts)[0]
        self.indices.append(at.astype(np.int32))
        self.counts.append(counts[at].astype(np.float32))
        self.starts.append(self.starts[-1] + len(at))
        self.values.append(white)
        self.phases.append(phase / 24)
        self.scales.append((for_white if white > 0 else for_black) / 64)


def fit(paths: list[Path], *, write: bool) -> None:
    """Print how well the weights fit one position in ten that they were not fitted to, and write them if wanted."""
    rows = _Rows()
    for path in paths:
        for line in path.read_text().splitlines():
            fen, score = line.split("\t")
            kind, number = score.split()
            if kind == "cp" and abs(int(number)) <= MOST:
                rows.add(fen, int(number))
    names = _core.evaluation_rows()
    features = sum(length for _, length in names)
    matrix = scipy.sparse.csr_matrix(
        (np.concatenate(rows.counts), np.concatenate(rows.indices), np.array(rows.starts)),
        shape=(len(rows.values), features),
    )
    middle = np.array(rows.phases)
    end = (1 - middle) * np.array(rows.scales)
    both = scipy.sparse.hstack([scipy.sparse.diags(middle) @ matrix, scipy.sparse.diags(end) @ matrix]).tocsr()
    wanted = _chance(np.array(rows.values, float))
    unseen = np.random.default_rng(0).random(len(wanted)) < 0.1
    weights = _fitted(both[~unseen], wanted[~unseen], features)
    for name, chosen in (("fitted", ~unseen), ("unseen", unseen)):
        error = _chance(both[chosen] @ weights) - wanted[chosen]
        print(f"{name}: {chosen.sum():,} positions, mean error {np.abs(error).mean():.4f} of win chance")
    if write:
        WEIGHTS.write_text(_source(np.round(weights).astype(int), names, features))


def _fitted(rows: scipy.sparse.csr_matrix, wanted: Array, features: int) -> Array:
    start = np.zeros(2 * features)
    start[: len(PIECES)] = start[features : features + len(PIECES)] = PIECES
    turned = rows.T.tocsr()

    def loss(weights: Array) -> tuple[float, Array]:
        chance = _chance(rows @ weights)
        error, off = chance - wanted, weights - start
        slope = turned @ (error * (1 - chance**2)) * WIN_CHANCE_SCALE / len(wanted)
        return float(error @ error / len(wanted) + PULL * off @ off), slope + 2 * PULL * off

    found = scipy.optimize.minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 600, "maxcor": 20})
    return np.asarray(found.x)


def _chance(centipawns: Array) -> Array:
    return 2 / (1 + np.exp(-WIN_CHANCE_SCALE * centipawns)) - 1


def _source(weights: Array, names: list[tuple[str, int]], features: int) -> str:
    lines = [
        "//! The weights of the features, middlegame and endgame, in centipawns, written by",
        "//! `workshop/experiments/evaluation.py`.",
        "",
        "use super::features::FEATURES;",
        "",
        "#[rustfmt::skip]",
        "pub static WEIGHTS: [[i16; 2]; FEATURES] = [",
    ]
    start = 0
    for name, length in names:
        cells = [f"[{weights[at]}, {weights[features + at]}]" for at in range(start, start + length)]
        lines.append(f"    // {name}")
        lines += ["    " + ", ".join(cells[at : at + 8]) + "," for at in range(0, length, 8)]
        start += length
    return "\n".join([*lines, "];", ""])


if __name__ == "__main__":
    main(sys.argv[1:])
