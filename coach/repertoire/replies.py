"""Reply model: how likely each move of a position is by players of a rating.

Three sources. Each counts as much as it knows. The moves of the indexed games whose player was of the rating
are smoothed towards those of all indexed games, and these towards the move model
(`trapcore._native.move_probabilities`), which knows no games and sees what looks good at first sight. Smoothing is
Dirichlet's: the wider source counts as so many games of the narrower one.

Players see more than first sight and two plies. So where a search has found what moves give away, the model's
probability of each becomes `Foresight.weight`, before it is put together with the games. What gives much away is played
more often if it tempts by its looks (as the trap test means it), also among moves that the model finds equally likely.
"""

import math
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass

import chess

from coach.repertoire.played import PlayedReply, played_in
from db.library.library import Library
from db.traps.temptation import RatingBand
from trapcore import _native

ALL_AS_GAMES = 10.0
"""Games of the rating that the shares of all ratings count as,"""

MODEL_AS_GAMES = 10.0
"""and games of all ratings that the move model counts as."""

SMALL_GIFT, MOST_GIFT = 0.15, 0.6
"""Win chance up to which players avoid a move strongly for what it gives away, and up to which they do so at all."""

OPEN_END = 200
"""Points beyond the one end of a band that has no other end, where its typical player is."""


@dataclass(frozen=True, slots=True)
class Foresight:
    """How strongly players avoid what gives much away, beside what the move model knows; see
    `workshop.repertoire.foresight`."""

    strength: float
    """Of each unit of win chance up to `SMALL_GIFT`, for the model's middle rating,"""
    by_rating: float
    """and for each of its units above;"""
    beyond: float = 0.0
    """of each unit from there to `MOST_GIFT`."""
    unsearched: float = 0.1
    """Win chance that a move counts as giving away which was not searched, because it is unlikely."""
    trust: float = 1.0
    """Power of the move model's probability: a player who thinks ahead goes less by what seems good at first sight."""
    tempted: float = 1.0
    """Part of the strength that is left for a move that tempts by its looks, and"""
    tempted_beyond: float = 0.0
    """what takes the place of `beyond` for it."""

    def weight(self, modelled: float, gift: float | None, rating: float, *, is_tempting: bool) -> float:
        """What the probability of a move by the move model becomes, before all add up to 1 again, if the move gives
        ``gift`` of win chance away; None if it was not searched."""
        given = min(MOST_GIFT, max(0.0, self.unsearched if gift is None else gift))
        units = (rating - _native.MIDDLE_RATING) / _native.RATING_UNIT
        units = min(_native.MOST_RATING_UNITS, max(-_native.MOST_RATING_UNITS, units))
        strength = max(0.0, self.strength * (self.tempted if is_tempting else 1.0) + units * self.by_rating)
        beyond = self.tempted_beyond if is_tempting else self.beyond
        avoided = strength * min(SMALL_GIFT, given) + beyond * max(0.0, given - SMALL_GIFT)
        return float(modelled**self.trust * math.exp(-avoided))


PEOPLE_FORESIGHT = Foresight(11.1, 3.37, 2.26, 0.31, 0.7, 0.76, 0.74)
ENGINE_FORESIGHT = Foresight(8.0, 3.0, 4.7, 0.4, 0.63, 1.0, 4.7)


@dataclass(frozen=True, slots=True)
class LikelyReply:
    """A move with its probability."""

    uci: str
    probability: float
    modelled: float
    """Its probability by the move model alone."""
    played: PlayedReply | None
    """What the indexed games say of it, if it was played."""


class ReplyModel:
    """Replies of players of a rating; any number of threads may ask."""

    def __init__(self, library: Library | None, band: RatingBand, *, is_engine: bool = False) -> None:
        """Without a library the move model alone answers; that for engines of limited strength if it is one of them."""
        self._library, self.band = library, band
        self.rating, self._is_engine = typical_rating(band), is_engine
        self.foresight = ENGINE_FORESIGHT if is_engine else PEOPLE_FORESIGHT

    def replies(self, board: chess.Board) -> list[LikelyReply]:
        """Every legal move, the likeliest first; ``board`` has the move that led to it, if there was one."""
        last = chess.square_name(board.peek().to_square) if board.move_stack else None
        model = _native.move_probabilities(board.fen(), last, self.rating, self._is_engine)
        played: dict[str, PlayedReply] = {}
        if self._library is not None:
            with self._library.database.read() as connection:
                played = played_in(connection, board, self.band)
        return smoothed(model, played)

    def foreseen(
        self, replies: Sequence[LikelyReply], gifts: Mapping[str, float], tempting: Container[str]
    ) -> list[LikelyReply]:
        """The replies of a position with what a search found that they give away, by UCI, the likeliest first;
        ``tempting`` are those that tempt by their looks."""
        weights = [
            self.foresight.weight(one.modelled, gifts.get(one.uci), self.rating, is_tempting=one.uci in tempting)
            for one in replies
        ]
        total = sum(weights)
        model = [(one.uci, weight / total) for one, weight in zip(replies, weights, strict=True)]
        return smoothed(model, {one.uci: one.played for one in replies if one.played is not None})


def smoothed(model: list[tuple[str, float]], played: dict[str, PlayedReply]) -> list[LikelyReply]:
    """The probabilities of the model with what was played, the likeliest first."""
    by_all = sum(one.by_all for one in played.values())
    by_band = sum(one.by_band for one in played.values())
    found = []
    for uci, modelled in model:
        here = played.get(uci)
        wide = ((here.by_all if here else 0) + MODEL_AS_GAMES * modelled) / (by_all + MODEL_AS_GAMES)
        probability = ((here.by_band if here else 0) + ALL_AS_GAMES * wide) / (by_band + ALL_AS_GAMES)
        found.append(LikelyReply(uci, probability, modelled, here))
    return sorted(found, key=lambda reply: (-reply.probability, reply.uci))


def typical_rating(band: RatingBand) -> float:
    """Rating of a typical player of the band; the middle one of the model if nothing is known."""
    if band.least is not None and band.most is not None:
        return (band.least + band.most) / 2
    if band.least is not None:
        return band.least + OPEN_END
    return _native.MIDDLE_RATING if band.most is None else max(1.0, band.most - OPEN_END)
