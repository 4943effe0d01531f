"""Reply model: how likely each move of a position is by players of a rating.

Three sources, each of which counts as much as it knows. The moves of the indexed games whose player was of the rating
are smoothed towards those of all indexed games, and these towards the move model
(`trapcore._native.move_probabilities`), which knows no games and sees what looks good at first sight. Smoothing is
Dirichlet's: the wider source counts as so many games of the narrower one.
"""

from dataclasses import dataclass

import chess

from db.library.library import Library
from db.repertoire.played import PlayedReply, played_in
from db.traps.temptation import RatingBand
from trapcore import _native

ALL_AS_GAMES = 10.0
"""Games of the rating that the shares of all ratings count as,"""

MODEL_AS_GAMES = 10.0
"""and games of all ratings that the move model counts as."""

ENGINE_BAIT_SHARE = 0.25
"""Share of the predicted falls that engines of limited strength take: the bot's games with them, see docs/bot.md."""

OPEN_END = 200
"""Points beyond the one end of a band that has no other end, where its typical player is."""


@dataclass(frozen=True, slots=True)
class LikelyReply:
    """A move with its probability."""

    uci: str
    probability: float
    played: PlayedReply | None
    """What the indexed games say of it, if it was played."""


class ReplyModel:
    """Replies of players of a rating; any number of threads may ask."""

    def __init__(self, library: Library | None, band: RatingBand, *, is_engine: bool = False) -> None:
        """Without a library the move model alone answers; that for engines of limited strength if it is one of them."""
        self._library, self.band = library, band
        self.rating, self._is_engine = typical_rating(band), is_engine
        self.bait_share = ENGINE_BAIT_SHARE if is_engine else 1.0
        """How often a reply that gives much away is chosen, as a part of how often the model says."""

    def replies(self, board: chess.Board) -> list[LikelyReply]:
        """Every legal move, the likeliest first; ``board`` has the move that led to it, if there was one."""
        last = chess.square_name(board.peek().to_square) if board.move_stack else None
        model = _native.move_probabilities(board.fen(), last, self.rating, self._is_engine)
        played: dict[str, PlayedReply] = {}
        if self._library is not None:
            with self._library.database.read() as connection:
                played = played_in(connection, board, self.band)
        return smoothed(model, played)


def smoothed(model: list[tuple[str, float]], played: dict[str, PlayedReply]) -> list[LikelyReply]:
    """The probabilities of the model with what was played, the likeliest first."""
    by_all = sum(one.by_all for one in played.values())
    by_band = sum(one.by_band for one in played.values())
    found = []
    for uci, modelled in model:
        here = played.get(uci)
        wide = ((here.by_all if here else 0) + MODEL_AS_GAMES * modelled) / (by_all + MODEL_AS_GAMES)
        probability = ((here.by_band if here else 0) + ALL_AS_GAMES * wide) / (by_band + ALL_AS_GAMES)
        found.append(LikelyReply(uci, probability, here))
    return sorted(found, key=lambda reply: (-reply.probability, reply.uci))


def typical_rating(band: RatingBand) -> float:
    """Rating of a typical player of the band; the middle one of the model if nothing is known."""
    if band.least is not None and band.most is not None:
        return (band.least + band.most) / 2
    if band.least is not None:
        return band.least + OPEN_END
    return _native.MIDDLE_RATING if band.most is None else max(1.0, band.most - OPEN_END)
