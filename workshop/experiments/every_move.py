"""Which of the moves that cost something by lichess's evaluations `trapline annotate --tell all` marks.

    python -m workshop.experiments.every_move [off|auto]

The argument is the engine of trapline, off if it is not given. The games are those of `game_accuracy`: lichess has an
evaluation of every move, and trapline does not see it.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import chess.pgn

from annotator.comments.evaluations import stated_chance
from workshop.coverage.glyphs import CLASSES as MARKED
from workshop.coverage.glyphs import LITTLE, LOSING
from workshop.experiments.game_accuracy import BEGINNING, bare, chosen_engine, evaluated_games

CLASSES = (*MARKED, (LOSING, 101))
"""Points of win chance that a move costs."""

Moves = dict[tuple[int, int], float]
"""Points that moves cost, by game and half-move from 1."""


def main() -> None:
    """Annotate, compare, and print the figures."""
    games = [game for game, _ in evaluated_games()]
    costs = {(number, ply): cost for number, game in enumerate(games, 1) for ply, cost in _costs(game)}
    slips, marked = _marked(games)
    print(f"{len(games)} games, {len(costs)} moves, {len(slips)} slips, {len(marked - slips.keys())} other moves told")
    for low, high in CLASSES:
        here = [move for move, cost in costs.items() if low <= cost < high]
        found = sum(move in marked for move in here)
        print(f"lichess: {low} to {high} points: {len(here)}, marked {found} ({found / max(1, len(here)):.2f})")
    for low, high in CLASSES:
        here = [move for move, cost in slips.items() if low <= cost < high and move in costs]
        half, little = (sum(costs[move] >= least for move in here) for least in (low / 2, LITTLE))
        print(f"slips of {low} to {high} points: {len(here)}, by lichess half as many {half}, 2.5 or more {little}")


def _costs(game: chess.pgn.Game) -> Iterator[tuple[int, float]]:
    """What the moves cost by the evaluations of the file."""
    before = BEGINNING
    for node in game.mainline():
        if node.board().is_game_over():
            return
        after = stated_chance(node)
        assert after is not None
        yield node.ply(), 50 * (before - after if not node.turn() else after - before)
        before = after


def _marked(games: list[chess.pgn.Game]) -> tuple[Moves, set[tuple[int, int]]]:
    """The slips with what they cost, and all moves that have a sign for a bad move."""
    with tempfile.TemporaryDirectory() as name:
        source, out, report = (Path(name) / file for file in ("games.pgn", "out.pgn", "report.jsonl"))
        source.write_text("\n\n".join(map(bare, games)) + "\n", encoding="utf-8")
        command = ["annotate", str(source), "-o", str(out), "--report", str(report), "--tell", "all", "--quiet"]
        command += ["--engine", chosen_engine()]
        subprocess.run([sys.executable, "-m", "trapline", *command], check=True)
        lines = map(json.loads, report.read_text(encoding="utf-8").splitlines())
        slips = {(line["game"], line["ply"]): 50 * line["played_loss"] for line in lines if line["event"] == "slip"}
        with out.open(encoding="utf-8") as file:
            annotated = [chess.pgn.read_game(file) for _ in games]
    marked = {
        (number, node.ply())
        for number, game in enumerate(annotated, 1)
        if game is not None
        for node in game.mainline()
        if node.nags & {chess.pgn.NAG_MISTAKE, chess.pgn.NAG_BLUNDER, chess.pgn.NAG_DUBIOUS_MOVE}
    }
    return slips, marked


if __name__ == "__main__":
    main()
