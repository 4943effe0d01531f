"""Findings of a run of the annotator, read from its report."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from db.traps.terms import Event
from trapcore.errors import InputError
from trapcore.proof.verdict import Verdict
from workshop.coverage.games import Game


@dataclass(frozen=True, slots=True)
class Told:
    """One line of the report that speaks of a move."""

    ply: int
    """Of the move that carries the event, from 1."""
    event: Event
    bait: str
    """UCI."""
    bait_san: str
    killers: tuple[str, ...]
    """The line that punishes the bait, UCI."""
    killers_san: tuple[str, ...]
    proved: bool
    mate_in: int | None
    loss: float | None
    """Win chance that the bait costs, 0..2, if that was measured."""
    kind: str | None
    """What the killer is; None where the report does not say."""
    probability: float | None
    """Stated probability that the bait loses; None where none is stated."""
    best: str | None = None
    """The better move, UCI; None without one."""

    @classmethod
    def of(cls, line: Mapping[str, Any]) -> Self:
        """From a line of the report; raises ``KeyError`` or ``ValueError`` for one of another kind."""
        proof = line["proof"]
        return cls(
            ply=line["ply"],
            event=Event(line["event"]),
            bait=line["bait"],
            bait_san=line["bait_san"],
            killers=tuple(line["killer_line"]),
            killers_san=tuple(line["killer_line_san"]),
            proved=proof["verdict"] == Verdict.PROVED,
            mate_in=proof["mate_in"],
            loss=proof.get("loss"),
            kind=line.get("kind"),
            probability=line.get("probability"),
            best=line.get("best"),
        )

    @property
    def is_claim(self) -> bool:
        """It says that the move played loses, and that this is proved."""
        return self.event is Event.FELL and self.proved


Numbered = Mapping[tuple[str, int], Game]
"""Games by name of the file and number within it, as a report has them."""


def numbered(games: Iterable[Game]) -> dict[tuple[str, int], Game]:
    """Games by file and number, for a report on the files that they were read from."""
    return {(game.file, game.number): game for game in games}


def told_of(lines: Iterable[str | bytes], games: Numbered) -> dict[str, list[Told]]:
    """The findings of a report on each of ``games``, by `Game.key`, in the order of the moves; nothing of other games
    and of slips.

    Raises ``InputError`` for a line that is not of a report, or has moves that the game does not have.
    """
    found: dict[str, list[Told]] = {game.key: [] for game in games.values()}
    for number, text in enumerate(lines, 1):
        try:
            line = json.loads(text)
            game = games.get((Path(line["file"]).name, line["game"]))
            if game is None or line["event"] in ("skipped", "slip"):
                continue
            told = Told.of(line)
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(f"line {number} of the report is none of a report: {error!r}") from error
        if told.event is Event.FELL and told.ply <= len(game.moves) and game.moves[told.ply - 1] != told.bait:
            raise InputError(f"line {number} of the report is of another game than {game.file}, {game.number}")
        found[game.key].append(told)
    return found
