"""How good the traps are that were set: whether a bait is likely, and whether Stockfish agrees that it loses."""

from collections.abc import Sequence
from dataclasses import dataclass

import chess

from coach.repertoire.live_traps import LiveTrap
from coach.repertoire.replies import ReplyModel
from trapcore.engines.process import EngineProcess
from trapcore.statistics import wilson
from trapcore.win_chance import MISTAKE
from workshop.benchmarks.stockfish import opinion_of
from workshop.report import Report, Table, number

LIKELY_PLACE = 3
"""A bait is likely if it is among so many likeliest replies."""
ENGINE_NODES = 400_000
"""Stockfish's, for the bait and for the best other move."""
AGREED_LOSS = MISTAKE
"""Win chance that the bait costs at least by Stockfish, if it agrees: less than the .3 of the trap test, so that values
close to it are no disagreement."""


@dataclass(frozen=True)
class SetTrap:
    """A trap that a move of ours set in a game."""

    trap: LiveTrap
    is_on_purpose: bool
    """Without traps our side would have played another move."""
    place: int
    """Of the likeliest bait among all replies, from 1, by the model of people's moves."""

    @classmethod
    def of(cls, trap: LiveTrap, is_on_purpose: bool, after: chess.Board, model: ReplyModel) -> "SetTrap":
        """The trap that the last move on the board ``after`` it has set."""
        baits = {bait.uci for bait in trap.baits}
        places = (place for place, reply in enumerate(model.replies(after), 1) if reply.uci in baits)
        return cls(trap, is_on_purpose, next(places))

    @property
    def is_likely(self) -> bool:
        """Whether a bait is among the likeliest replies."""
        return self.place <= LIKELY_PLACE

    def losses(self, engine: EngineProcess) -> list[float]:
        """Win chance that each bait costs by the engine, -2..2."""
        return [opinion_of(engine, self.trap.fen, bait.uci, ENGINE_NODES).loss for bait in self.trap.baits]


def quality(traps: Sequence[SetTrap], engine: EngineProcess | None) -> Report:
    """How many of the traps have a likely bait and, if there is an engine, how many of their baits it finds to lose."""
    on_purpose = [one for one in traps if one.is_on_purpose]
    anyway = [one for one in traps if not one.is_on_purpose]
    rows = [
        _share(f"traps set with a bait among the {LIKELY_PLACE} likeliest replies", [one.is_likely for one in traps]),
        _share("of those on purpose", [one.is_likely for one in on_purpose]),
        _share("of those of the best move", [one.is_likely for one in anyway]),
    ]
    if engine is not None:
        losses = [one.losses(engine) for one in traps]
        says = f"by Stockfish ({ENGINE_NODES:,} nodes) loses {number(AGREED_LOSS, 1)} or more"
        rows += [
            _share(f"traps with a bait that {says}", [max(each) >= AGREED_LOSS for each in losses]),
            _share(f"baits: the bait {says}", [loss >= AGREED_LOSS for each in losses for loss in each]),
        ]
    return Report("The traps", (Table(("", "how many", "of", "share", "95 %"), tuple(rows)),))


def _share(name: str, are: Sequence[bool]) -> tuple[str, ...]:
    if not are:
        return name, "0", "0", "", ""
    least, most = wilson(sum(are), len(are))
    return (
        name,
        str(sum(are)),
        str(len(are)),
        number(sum(are) / len(are), 2),
        f"{number(least, 2)} to {number(most, 2)}",
    )
