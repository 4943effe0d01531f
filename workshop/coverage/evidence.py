"""What the core's searches see of the moves of labelled games, stage by stage, and what probability they state."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from trapcore import _native
from trapcore.win_chance import BLUNDER
from workshop.coverage.games import Game, together
from workshop.coverage.labels import Label


@dataclass(frozen=True, slots=True)
class Seen:
    """What the searches saw of one move at one stage."""

    game: str
    """`Game.key`."""
    ply: int
    stage: int
    features: tuple[float, ...]
    stated: float
    """Probability that the core states after this stage, 0..1."""
    loss: float
    """By the reference."""

    @property
    def loses(self) -> bool:
        """By the reference."""
        return self.loss >= BLUNDER


def seen_of(games: Sequence[Game], labels: Mapping[str, Label]) -> list[Seen]:
    """What the core's pass and proof see of every move of the labelled games."""
    labelled = [game for game in games if game.key in labels]
    splitter = _native.PgnSplitter()
    batches = splitter.feed(together(labelled)) + splitter.finish()
    rows = dict(found for batch in batches for found in _native.loss_evidence(batch))
    return [
        Seen(game.key, ply, stage, tuple(features), stated, labels[game.key].loss[ply - 1])
        for number, game in enumerate(labelled, 1)
        for ply, stage, features, stated in rows[number]
    ]


def last_stages(seen: Iterable[Seen]) -> list[Seen]:
    """Each move at the last stage that it reached."""
    last: dict[tuple[str, int], Seen] = {}
    for one in seen:
        key = one.game, one.ply
        if key not in last or last[key].stage < one.stage:
            last[key] = one
    return list(last.values())
