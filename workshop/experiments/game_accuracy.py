"""Whether the accuracy that `trapline annotate --eval` states of a game is near that of lichess's own evaluations.

    python -m workshop.experiments.game_accuracy [off|auto]

The argument is the engine of trapline, off if it is not given.
The games are those of two files of lichess in which every move has an evaluation by lichess. trapline annotates them
without these. Both accuracies are by lichess's formulas, so that they differ by the evaluations alone.
"""

import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean

import chess.pgn

from annotator.comments.evaluations import stated_chance
from db.games.accuracy import accuracy_of
from trapcore.win_chance import win_chance
from workshop.benchmarks.material import DATA

FILES = ("amateur_lichess_2021_10_kdave.pgn", "lichess_broadcast_club_luna.pgn")
LEAST_PLIES = 20
BEGINNING = win_chance(15)
"""Lichess's value of the position at the beginning."""

GAP = 5.0
"""Points of accuracy by which one side clearly played better."""

_SAID = re.compile(r"Accuracy: White (\d+) %, Black (\d+) %\.")

Both = tuple[float, float]


def main() -> None:
    """Annotate, compare, and print the figures."""
    games = evaluated_games()
    said = _annotated([game for game, _ in games])
    pairs = [(theirs, ours) for (_, theirs), ours in zip(games, said, strict=True) if ours is not None]
    off = [our - their for theirs, ours in pairs for their, our in zip(theirs, ours, strict=True)]
    clear = [(theirs, ours) for theirs, ours in pairs if abs(theirs[0] - theirs[1]) >= GAP]
    same = sum((theirs[0] > theirs[1]) is (ours[0] > ours[1]) for theirs, ours in clear)
    print(f"{len(games)} games, {len(pairs)} with an accuracy by trapline, {len(off)} players")
    print(f"mean by lichess {fmean(each for theirs, _ in pairs for each in theirs):.1f} %")
    print(f"trapline's are higher by {fmean(off):.1f} points, apart by {fmean(map(abs, off)):.1f}")
    print(f"within 5 points {sum(abs(each) <= 5 for each in off)}, within 10 {sum(abs(each) <= 10 for each in off)}")
    print(f"the same side is better in {same} of {len(clear)} games in which lichess's differ by {GAP:g} points")


def chosen_engine() -> str:
    """The argument of the experiment; off without one."""
    return sys.argv[1] if len(sys.argv) > 1 else "off"


def evaluated_games() -> list[tuple[chess.pgn.Game, Both]]:
    """The games in which lichess has evaluated every move, and the accuracies of both sides by its values."""
    return [(game, found) for game in _games() if (found := _lichess(game)) is not None]


def _games() -> Iterator[chess.pgn.Game]:
    for name in FILES:
        with (DATA / "pgn" / name).open(encoding="utf-8") as file:
            while (game := chess.pgn.read_game(file)) is not None:
                yield game


def _lichess(game: chess.pgn.Game) -> Both | None:
    """Both sides' accuracies by the evaluations in the file; None if a move has none, or there are few moves."""
    nodes = [node for node in game.mainline() if not node.board().is_game_over()]
    found = accuracy_of([BEGINNING, *map(stated_chance, nodes)])
    return None if found is None or len(nodes) < LEAST_PLIES else (found.white.accuracy, found.black.accuracy)


def _annotated(games: list[chess.pgn.Game]) -> list[Both | None]:
    """What trapline says of the same games without comments."""
    with tempfile.TemporaryDirectory() as name:
        source, out = Path(name) / "games.pgn", Path(name) / "out.pgn"
        source.write_text("\n\n".join(map(bare, games)) + "\n", encoding="utf-8")
        command = ["annotate", str(source), "-o", str(out), "--eval", "--language", "en", "--quiet"]
        command += ["--engine", chosen_engine()]
        subprocess.run([sys.executable, "-m", "trapline", *command], check=True)
        with out.open(encoding="utf-8") as file:
            ends = [chess.pgn.read_game(file) for _ in games]
    found = [_SAID.search(" ".join(game.end().comment.split())) for game in ends if game is not None]
    return [None if each is None else (float(each[1]), float(each[2])) for each in found]


def bare(game: chess.pgn.Game) -> str:
    """The PGN of a game without comments and variations."""
    return game.accept(chess.pgn.StringExporter(comments=False, variations=False))


if __name__ == "__main__":
    main()
