"""Labels of games: what every move lost, by a reference engine that is asked once; kept in a file.

    python -m workshop.coverage.labels GAMES.pgn… --out LABELS.jsonl --games 100

A UCI engine with one thread searches every position of a game with `NODES` nodes, in the order of the game, its memory
cleared before each game only. The loss of a move is the win chance (lichess's, -1..1, a mate is 1) before it less that
after it, both for its player. Where that is `DEEP_FROM` or more, both positions are searched again with `DEEP_NODES`
nodes, and that counts. A move *loses* with a loss of
.3 or more.

The file has a line of JSON for each game, in their order. It is only ever added to: what is in it is not asked again,
and a last line that was cut off is.
"""

import argparse
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from queue import SimpleQueue
from typing import Self

from db.proof.engine_choice import installed_stockfish
from trapcore.engines.uci_engine import Evaluation, UciEngine
from trapcore.errors import InputError, OutputError, UsageError
from workshop.coverage.games import Game, read_games

NODES = 80_000
DEEP_NODES = 400_000
DEEP_FROM = 0.15
"""Loss from which both positions are searched again."""
LINE_PLIES = 8
"""Plies kept of the line that the engine expects after a move."""


@dataclass(frozen=True, slots=True)
class Label:
    """A game as the reference sees it; the lists have an entry for each move."""

    key: str
    """`Game.key`."""
    engine: str
    nodes: int
    deep_nodes: int
    white: str
    black: str
    white_elo: int | None
    black_elo: int | None
    fen: str | None
    """The first position; None for the usual one."""
    moves: list[str]
    """UCI."""
    loss: list[float]
    """-2..2; below 0 where the search after the move saw more than that before it."""
    before: list[float]
    """Win chance of the mover with the best move, -1..1."""
    best: list[str]
    """The best move, UCI."""
    line: list[list[str]]
    """What is expected after the move, UCI: after one that was searched again at most `LINE_PLIES` plies, after others
    the answer only; empty where the game is over."""
    mate: list[int | None]
    """Moves to mate for the side to move after the move: negative if that side is mated, 0 if it is mated already."""

    @classmethod
    def of(cls, content: dict[str, object]) -> Self:
        """From a line of the file; raises ``TypeError`` or ``ValueError`` for one of another kind."""
        label = cls(**content)  # type: ignore[arg-type]
        lists = (label.loss, label.before, label.best, label.line, label.mate)
        if any(len(values) != len(label.moves) for values in lists):
            raise ValueError("its lists are of different lengths")
        return label


@dataclass(frozen=True, slots=True)
class Reference:
    """The engine and the nodes that labels are made with."""

    command: str
    """Path or name of a UCI engine."""
    nodes: int = NODES
    deep_nodes: int = DEEP_NODES

    def label(self, engine: UciEngine, game: Game) -> Label:
        """Ask about a game. Raises ``EngineError``."""
        boards = game.positions()
        shallow = [engine.evaluate(board, self.nodes, game=game.key) for board in boards]
        doubtful = [i for i in range(len(game.moves)) if _loss(shallow, i) >= DEEP_FROM]
        again = sorted({j for i in doubtful for j in (i, i + 1)})
        deep = {j: engine.evaluate(boards[j], self.deep_nodes, game=game.key, line=True) for j in again}
        seen = [
            (deep[i], deep[i + 1]) if i in doubtful else (shallow[i], shallow[i + 1]) for i in range(len(boards) - 1)
        ]
        return Label(
            key=game.key,
            engine=engine.name,
            nodes=self.nodes,
            deep_nodes=self.deep_nodes,
            white=game.tags.get("White", ""),
            black=game.tags.get("Black", ""),
            white_elo=game.rating(True),
            black_elo=game.rating(False),
            fen=game.start,
            moves=list(game.moves),
            loss=[round(before.chance + after.chance, 4) for before, after in seen],
            before=[round(before.chance, 4) for before, _ in seen],
            best=["" if before.best is None else before.best.uci() for before, _ in seen],
            line=[_line(after) for _, after in seen],
            mate=[after.mate_in for _, after in seen],
        )


def _line(after: Evaluation) -> list[str]:
    answer = () if after.best is None else (after.best,)
    return [move.uci() for move in (after.line or answer)[:LINE_PLIES]]


def _loss(seen: Sequence[Evaluation], i: int) -> float:
    return seen[i].chance + seen[i + 1].chance


def read_labels(path: Path) -> dict[str, Label]:
    """Labels of a file by `Game.key`; a last line that was cut off is skipped. Raises ``InputError``."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot read {path}: {error}") from error
    found = {}
    for number, line in enumerate(text.splitlines(keepends=True), 1):
        if not line.endswith("\n"):
            break
        try:
            label = Label.of(json.loads(line))
        except (TypeError, ValueError) as error:
            raise InputError(f"{path}, line {number}: no label of a game: {error}") from error
        found[label.key] = label
    return found


def labels_of(
    games: Iterable[Game], path: Path, reference: Reference, jobs: int = 1, say: Callable[[str], None] = print
) -> dict[str, Label]:
    """Labels of these games by `Game.key`, from the file at ``path``; what is not in it is asked and added.

    ``jobs`` engines work at a time. Raises ``InputError`` for a file of another kind, ``UsageError`` if its labels of
    these games were made with other nodes, ``EngineError`` and ``OutputError``.
    """
    known = read_labels(path) if path.exists() else {}
    wanted = {game.key: game for game in games}
    for key in wanted.keys() & known.keys():
        made = known[key].nodes, known[key].deep_nodes
        if made != (reference.nodes, reference.deep_nodes):
            raise UsageError(f"labels in {path} were made with {made[0]} and {made[1]} nodes; give another file")
    missing = [game for key, game in wanted.items() if key not in known]
    for done, label in enumerate(_labels(missing, reference, jobs), 1):
        _append(path, json.dumps(asdict(label), ensure_ascii=False) + "\n")
        known[label.key] = label
        say(f"{done:,} of {len(missing):,} games labelled")
    return {key: known[key] for key in wanted}


def _labels(games: Sequence[Game], reference: Reference, jobs: int) -> Iterator[Label]:
    if not games:
        return
    with ExitStack() as stack:
        idle: SimpleQueue[UciEngine] = SimpleQueue()
        for _ in range(min(jobs, len(games))):
            idle.put(stack.enter_context(UciEngine(reference.command)))

        def ask(game: Game) -> Label:
            engine = idle.get()
            try:
                return reference.label(engine, game)
            finally:
                idle.put(engine)

        pool = stack.enter_context(ThreadPoolExecutor(jobs))
        # Before the engines are closed, what has not begun is given up: the file says what is done.
        stack.callback(pool.shutdown, wait=True, cancel_futures=True)
        yield from pool.map(ask, games)


def _append(path: Path, line: str) -> None:
    try:
        with path.open("ab+") as file:
            # A line that was cut off goes: nothing can be read from it, and the next must not be joined to it.
            file.seek(0)
            whole = file.read().rfind(b"\n") + 1
            file.truncate(whole)
            file.write(line.encode())
    except OSError as error:
        raise OutputError(f"cannot write {path}: {error.strerror}") from error


def main() -> None:
    """Label the games of files."""
    parser = argparse.ArgumentParser(prog="python -m workshop.coverage.labels", description=__doc__.partition("\n")[0])
    parser.add_argument("files", metavar="GAMES.pgn", nargs="+", type=Path)
    parser.add_argument("--out", required=True, metavar="LABELS.jsonl", type=Path)
    parser.add_argument("--games", metavar="N", type=int, help="the first N only")
    parser.add_argument("--every", metavar="N", type=int, default=1, help="each N-th game only")
    parser.add_argument("--engine", metavar="PATH", default=installed_stockfish() or "stockfish")
    parser.add_argument("--nodes", metavar="N", type=int, default=NODES)
    parser.add_argument("--deep-nodes", metavar="N", type=int, default=DEEP_NODES)
    parser.add_argument("--jobs", metavar="N", type=int, default=1, help="engines at a time")
    given = parser.parse_args()
    games = read_games(given.files, given.games, given.every)
    labels_of(games, given.out, Reference(given.engine, given.nodes, given.deep_nodes), given.jobs)


if __name__ == "__main__":
    main()
