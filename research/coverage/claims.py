"""Claims that a report makes of moves, each held against an engine, with the comments that tell them.

    trapline annotate GAMES.pgn -o annotated.pgn --report report.jsonl
    python -m research.coverage.claims report.jsonl --games GAMES.pgn --pgn annotated.pgn --answers ANSWERS.jsonl

A claim is a move that is told to lose, with a proof. The engine searches the position before the move, after it, after
the killer, at the end of the killer line, and after the better move. A claim is *false* if the move costs less than
`AGREES`. It *misleads* if the killer gives back `NEAR` or more, the better move is not better by `AGREES`, or the end
of the line does not show half the loss. Every comment is printed, so that somebody can read them.
"""

import argparse
import io
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import chess
import chess.pgn

from db.wording.lines import MOST_PLIES
from research.benchmarks.stockfish import STOCKFISH
from research.coverage.games import Game, read_games
from research.coverage.judged import AGREES
from research.coverage.killers import NEAR, Answers
from research.coverage.told import Told, numbered, told_of
from research.report import Report, Table, markdown

NODES = 600_000
"""Nodes of the engine for a position."""

SHOWN = 0.5
"""Share of the loss that the end of the killer line has to show."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim and what an engine says. Win chances are those of the player of the move, -1..1."""

    game: Game
    told: Told
    before: float
    after: float
    killed: float
    """After the killer."""
    end: float
    """At the end of the killer line, `MOST_PLIES` at most."""
    better: float | None
    """After the better move; None if none is told."""

    @property
    def cost(self) -> float:
        """Win chance that the move costs, -2..2."""
        return self.before - self.after

    def faults(self) -> Iterator[str]:
        """What is wrong with it, the worst first; nothing of a right claim."""
        if self.cost < AGREES:
            yield "costs little"
        if self.killed - self.after >= NEAR:
            yield "killer"
        if self.better is not None and self.better - self.after < AGREES:
            yield "better move"
        if self.before - self.end < SHOWN * self.cost:
            yield "end of line"


def check(game: Game, told: Told, answers: Answers) -> Claim:
    """Ask the engine about a claim. Raises ``EngineError``."""
    board = game.positions()[told.ply - 1]
    mover = board.turn

    def chance(*line: str) -> float:
        there = board.copy(stack=False)
        for uci in line:
            there.push_uci(uci)
        found = answers.chance(there)
        return found if there.turn == mover else -found

    line = told.killers[:MOST_PLIES]
    killed, end = chance(told.bait, *line[:1]), chance(told.bait, *line)
    better = None if told.best is None else chance(told.best)
    return Claim(game, told, chance(), chance(told.bait), killed, end, better)


def comments(path: Path) -> dict[tuple[int, int], str]:
    """The text comments of an annotated PGN, by the number of the game and the ply. Raises ``OSError``."""
    found = {}
    file = io.StringIO(path.read_text(encoding="utf-8", errors="replace"))
    number = 0
    while (game := chess.pgn.read_game(file)) is not None:
        number += 1
        for node in game.mainline():
            if text := node.comment.strip():
                found[number, node.ply()] = text
    return found


def report(claims: list[Claim], texts: dict[tuple[int, int], str]) -> Report:
    """Every claim with what the engine says, the faulty ones first."""
    faulty = sorted(claims, key=lambda claim: (not any(claim.faults()), claim.game.number, claim.told.ply))
    rows = []
    for claim in faulty:
        place = claim.game.number, claim.told.ply
        chances = (claim.before, claim.after, claim.killed, claim.end)
        better = "–" if claim.better is None else f"{claim.better:.2f}"
        figures = (*(f"{each:.2f}" for each in chances), better)
        rows.append((str(place[0]), claim.told.bait_san, ", ".join(claim.faults()), *figures, texts.get(place, "")))
    false = sum(claim.cost < AGREES for claim in claims)
    wrong = sum(any(claim.faults()) for claim in claims)
    summary = f"{len(claims)} claims: {false} false, {wrong - false} that mislead."
    header = ("game", "move", "fault", "before", "after", "killer", "end", "better", "comment")
    return Report("Claims held against an engine", (summary, Table(header, tuple(rows))))


def main() -> None:
    """Print the claims of a report."""
    parser = argparse.ArgumentParser(prog="python -m research.coverage.claims", description=__doc__.partition("\n")[0])
    parser.add_argument("report", type=Path)
    parser.add_argument("--games", nargs="+", required=True, metavar="GAMES.pgn", type=Path, help="as they were given")
    parser.add_argument("--pgn", required=True, metavar="ANNOTATED.pgn", type=Path)
    parser.add_argument("--answers", required=True, metavar="ANSWERS.jsonl", type=Path, help="kept, and added to")
    parser.add_argument("--engine", metavar="PATH", default=STOCKFISH or "stockfish")
    parser.add_argument("--nodes", metavar="N", type=int, default=NODES)
    given = parser.parse_args()
    games = list(read_games(given.games))
    told = told_of(given.report.read_bytes().splitlines(), numbered(games))
    answers = Answers(given.answers, given.engine, given.nodes)
    try:
        claims = [check(game, each, answers) for game in games for each in told[game.key] if each.is_claim]
    finally:
        answers.close()
    print(markdown(report(claims, comments(given.pgn))), end="")


if __name__ == "__main__":
    main()
