"""Holds each claim that a report makes of a move against an engine, and shows it beside its comment.

    trapline annotate GAMES.pgn -o annotated.pgn --report report.jsonl
    python -m workshop.coverage.claims report.jsonl --games GAMES.pgn --pgn annotated.pgn --answers ANSWERS.jsonl

A claim is a line of the report which says that a move loses, with a proof, and that has a comment. The engine searches
the position before the losing move, after it, after the killer, at the end of the killer line, and after the better
move. A claim is *false* if the move costs less than `AGREES`, or if the answer that missed the killer gives back less,
unless there is a mate. It *misleads* if the killer gives back `NEAR` or more, the better move is not better by
`AGREES`, or the end of the line does not show half the loss. Each claim is shown with its comment and the lines of the
engine, so that somebody can read both.
"""

import argparse
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import chess
import chess.pgn

from db.proof.engine_choice import installed_stockfish
from db.traps.terms import Event
from db.wording.moves import MOST_PLIES
from workshop.coverage.games import Game, read_games
from workshop.coverage.judged import AGREES
from workshop.coverage.killers import NEAR, Answers
from workshop.coverage.told import Told, numbered, told_of
from workshop.report import Report, markdown

NODES = 600_000
"""Nodes of the engine for a position."""

SHOWN = 0.5
"""Share of the loss that the end of the killer line has to show."""

LATER = {Event.SET: -1, Event.SPRUNG: 1, Event.MISSED: 1}
"""Plies after the losing move of the move that carries an event, unless it is that move."""

_COMMANDS = re.compile(r"\[%[^]]*\]")


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim and what an engine says. Win chances are those of the player of the losing move, -1..1."""

    game: Game
    told: Told
    before: float
    after: float
    killed: float
    """After the killer."""
    end: float
    """At the end of the killer line, `MOST_PLIES` at most."""
    better: float | None
    """After the better move; None without one."""
    answered: float | None = None
    """After the answer that was played, if the claim is that it misses the killer."""
    lines: tuple[str, ...] = ()
    """What the engine plays before the losing move, and after it."""

    @property
    def cost(self) -> float:
        """Win chance that the move costs, -2..2."""
        return self.before - self.after

    def faults(self) -> Iterator[str]:
        """What is wrong with it, the worst first; nothing of a right claim."""
        mates = self.told.mate_in is not None and self.after == self.killed == -1.0
        if not mates and self.cost < AGREES:
            yield "costs little"
        if not mates and self.answered is not None and self.answered - self.after < AGREES:
            yield "misses little"
        if self.killed - self.after >= NEAR:
            yield "killer"
        is_told = self.told.event is not Event.MISSED
        if is_told and self.better is not None and self.better - self.after < AGREES:
            yield "better move"
        if self.before - self.end < SHOWN * self.cost:
            yield "end of line"

    @property
    def is_false(self) -> bool:
        """Whether nothing of that size was lost, or missed."""
        return bool({"costs little", "misses little"}.intersection(self.faults()))


def check(game: Game, told: Told, answers: Answers) -> Claim:
    """Ask the engine about a claim. Raises ``EngineError``."""
    board = game.positions()[told.ply - 1 - LATER.get(told.event, 0)]
    mover = board.turn

    def chance(*line: str) -> float:
        there = _reached(board, *line)
        found = answers.chance(there)
        return found if there.turn == mover else -found

    baited = _reached(board, told.bait)
    first, answer = answers.of(board), answers.of(baited)
    before, after = chance(), chance(told.bait)
    line = told.killers[:MOST_PLIES]
    # What the engine plays itself it has just judged.
    killed = after if line[:1] == answer.line[:1] else chance(told.bait, *line[:1])
    better = None if told.best is None else before if first.line[:1] == (told.best,) else chance(told.best)
    answered = chance(told.bait, game.moves[told.ply - 1]) if told.event is Event.MISSED else None
    lines = _sans(board, first.line), _sans(baited, answer.line)
    return Claim(game, told, before, after, killed, chance(told.bait, *line), better, answered, lines)


def _reached(board: chess.Board, *line: str) -> chess.Board:
    board = board.copy(stack=False)
    for uci in line:
        board.push_uci(uci)
    return board


def _sans(board: chess.Board, line: tuple[str, ...]) -> str:
    return board.variation_san(chess.Move.from_uci(uci) for uci in line)


def comments(text: str) -> dict[tuple[int, int], str]:
    """The comments of the moves of a PGN, without commands, by the number of the game and the ply."""
    found = {}
    file = io.StringIO(text)
    number = 0
    while (game := chess.pgn.read_game(file)) is not None:
        number += 1
        for node in game.mainline():
            if comment := _COMMANDS.sub("", node.comment).strip():
                found[number, node.ply()] = comment
    return found


def written(games: list[Game], annotated: str) -> dict[tuple[int, int], str]:
    """The comments of an annotated PGN that its games did not have."""
    old = comments("\n\n".join(game.text.decode(errors="replace").strip() for game in games))
    new = comments(annotated)
    return {
        place: text.replace(old.get(place, ""), "").strip() for place, text in new.items() if text != old.get(place)
    }


def report(claims: list[Claim], texts: dict[tuple[int, int], str]) -> Report:
    """Every claim with what the engine says, the faulty ones first."""
    faulty = sorted(claims, key=lambda claim: (not any(claim.faults()), claim.game.number, claim.told.ply))
    false = sum(claim.is_false for claim in claims)
    wrong = sum(any(claim.faults()) for claim in claims)
    summary = f"{len(claims)} claims: {false} false, {wrong - false} that mislead."
    return Report("Claims held against an engine", (summary, *(_block(claim, texts) for claim in faulty)))


def _block(claim: Claim, texts: dict[tuple[int, int], str]) -> str:
    told, number = claim.told, claim.game.number
    chances = {
        "before": claim.before,
        "after": claim.after,
        "killer": claim.killed,
        "end": claim.end,
        "better": claim.better,
        "answer": claim.answered,
    }
    figures = ", ".join(f"{name} {50 + 50 * chance:.0f}" for name, chance in chances.items() if chance is not None)
    faults = ", ".join(claim.faults()) or "right"
    head = f"**{number}.{told.ply} {told.event} {told.bait_san}: {faults}** ({figures})"
    fen = claim.game.positions()[told.ply - 1 - LATER.get(told.event, 0)].fen()
    lines = (f"> {texts.get((number, told.ply), '')}", fen, *(f"engine: {line}" for line in claim.lines))
    return "\n\n".join((head, *lines))


def main() -> None:
    """Print the claims of a report."""
    parser = argparse.ArgumentParser(prog="python -m workshop.coverage.claims", description=__doc__.partition("\n")[0])
    parser.add_argument("report", type=Path)
    parser.add_argument("--games", nargs="+", required=True, metavar="GAMES.pgn", type=Path, help="as they were given")
    parser.add_argument("--pgn", required=True, metavar="ANNOTATED.pgn", type=Path)
    parser.add_argument("--answers", required=True, metavar="ANSWERS.jsonl", type=Path, help="kept, and added to")
    parser.add_argument("--engine", metavar="PATH", default=installed_stockfish() or "stockfish")
    parser.add_argument("--nodes", metavar="N", type=int, default=NODES)
    given = parser.parse_args()
    games = list(read_games(given.games))
    told = told_of(given.report.read_bytes().splitlines(), numbered(games))
    texts = written(games, given.pgn.read_text(encoding="utf-8", errors="replace"))
    answers = Answers(given.answers, given.engine, given.nodes)
    try:
        told_with_text = ((game, each) for game in games for each in told[game.key] if (game.number, each.ply) in texts)
        claims = [check(game, each, answers) for game, each in told_with_text if each.proved]
    finally:
        answers.close()
    print(markdown(report(claims, texts)), end="")


if __name__ == "__main__":
    main()
