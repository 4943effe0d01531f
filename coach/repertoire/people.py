"""What people play in a position: the indexed games by rating, the model of their moves, and what each move costs.

The *practical score* is what the side to move may expect of players of a rating:

    practical = value - sum over moves of probability * (what the move gives away)

``value`` is the win chance with the best move, by the library, else by a search. The probabilities are the move
model's, as `coach.repertoire.replies.Foresight` corrects them; no games are mixed in. A search says what the likely
moves give away, and less than `LEAST_GIFT` counts as 0. An unlikely move counts as `Foresight.unsearched`.
"""

from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Self

import chess

from coach.repertoire.expectation import LEAST_GIFT, gifts_of, likely_replies
from coach.repertoire.replies import PEOPLE_FORESIGHT, LikelyReply, ReplyModel
from db.games.explorer import Explored, TrapHere
from db.library.library import Library
from db.storage.value_rows import stored_values
from db.traps.json_form import JSON_FORM
from db.traps.temptation import RatingBand
from trapcore import _native
from trapcore.parallel.budget import Cancellation
from trapcore.proof.verdict import Verdict
from trapcore.win_chance import MISTAKE

RATINGS = (1000, 1400, 1800, 2200)
"""Ratings that the model is asked about. It was fitted to players rated about 500 to 2500."""

NODES = 10_000
"""Nodes of the search of a position; each likely move has half as many."""

LEAST_SHARE = 0.01
"""Share at one of `RATINGS` from which a move that was not played is shown."""

POPULAR = 0.1
"""Share, in the games of a band or by the model, from which a move is popular."""

LEAST_SAMPLE = 10
"""Moves of a band from which its share makes a move popular."""


@dataclass(frozen=True, slots=True)
class PeopleMove:
    """A move with those who choose it."""

    __pydantic_config__ = JSON_FORM

    uci: str
    san: str
    played: dict[str, int]
    """Times that it was played, by the rating of those who played it (``1200-1599``, ``unknown``)."""
    model: dict[str, float]
    """Share, 0..1, that the model expects of players of each rating."""
    cost: float | None
    """Win chance that it gives away, 0..2, by a trap or by two values of the library that are deeper than the first
    look at a game; None if the library has not judged it."""
    is_popular: bool
    """A band of `LEAST_SAMPLE` moves or more, or the model at some rating, gives it a share of `POPULAR` or more."""

    @property
    def is_wrong(self) -> bool:
        """Whether it is judged to give much away."""
        return self.cost is not None and self.cost >= MISTAKE

    @property
    def is_trap(self) -> bool:
        """Whether it is popular and wrong."""
        return self.is_popular and self.is_wrong


@dataclass(frozen=True, slots=True)
class People:
    """What people play in a position."""

    __pydantic_config__ = JSON_FORM

    played: dict[str, int]
    """Moves that were played here, by the rating of those who played them: the samples of the shares."""
    value: float | None
    """Win chance of the side to move with the best move, -1..1; None if it has no move."""
    is_stored: bool
    """The value is the library's. Otherwise a search of `NODES` nodes gave it."""
    practical: dict[str, float]
    """Practical score for the side to move, -1..1, by the rating of both players; empty without a value."""
    moves: tuple[PeopleMove, ...]
    """Those that were played or that the model expects, the most played first, then the likeliest."""


@dataclass(frozen=True, slots=True)
class ExploredPeople(Explored):
    """What was played in a position, and what people play there."""

    __pydantic_config__ = JSON_FORM

    people: People | None = None
    """None if it was not asked for."""

    @classmethod
    def of(cls, explored: Explored, people: People | None) -> Self:
        """Both together."""
        return cls(**{field.name: getattr(explored, field.name) for field in fields(explored)}, people=people)


def people_of(library: Library, board: chess.Board, explored: Explored, stop: Cancellation | None = None) -> People:
    """What people play in an explored position; ``board`` has the move that led to it, if there was one. Raises
    `LibraryError`."""
    models = {rating: ReplyModel(None, RatingBand(rating, rating)) for rating in RATINGS}
    replies = {rating: model.replies(board) for rating, model in models.items()}
    searched = list(dict.fromkeys(one.uci for every in replies.values() for one in likely_replies(every)))
    best, gifts = gifts_of(board.fen(), searched, NODES, stop)
    given = dict(zip(searched, gifts, strict=False))
    tempting = _native.tempting_moves(board.fen())
    shares = {rating: models[rating].foreseen(replies[rating], given, tempting) for rating in RATINGS}
    stored, costs = _costs(library, board)
    value = stored if stored is not None else best if given else None
    costs |= {trap.bait: cost for trap in explored.traps if (cost := _trap_cost(trap, value)) is not None}
    lost = {rating: given_away(every, given) for rating, every in shares.items()}
    return People(
        played=_summed(move.by_rating for move in explored.moves),
        value=value,
        is_stored=stored is not None,
        practical={} if value is None else {str(rating): max(-1.0, value - lost[rating]) for rating in RATINGS},
        moves=tuple(_moves(board, explored, shares, costs)),
    )


def given_away(replies: Iterable[LikelyReply], given: dict[str, float]) -> float:
    """Win chance that players with these replies are expected to give away. ``given`` is what each searched move gives
    away, by UCI."""
    gifts = ((one.probability, given.get(one.uci, PEOPLE_FORESIGHT.unsearched)) for one in replies)
    return sum(probability * gift for probability, gift in gifts if gift >= LEAST_GIFT)


def _trap_cost(trap: TrapHere, value: float | None) -> float | None:
    """What a proved bait costs: all of the position's value if it allows a mate."""
    if trap.verdict is not Verdict.PROVED:
        return None
    return trap.cost if trap.mate_in is None or value is None else 1.0 + value


def _costs(library: Library, board: chess.Board) -> tuple[float | None, dict[str, float]]:
    """The library's value of the position, and by UCI what the moves cost that it has judged."""
    here, after = _native.epd(board.fen()), {}
    for move in board.legal_moves:
        board.push(move)
        after[move] = _native.epd(board.fen())
        board.pop()
    with library.database.read() as connection:
        values = stored_values(connection, {here, *after.values()})
    deep = {epd: value.chance for epd, value in values.items() if value.effort > _native.LOOK_NODES}
    costs = {}
    if here in deep:
        known = {board.uci(move): deep[epd] for move, epd in after.items() if epd in deep}
        costs = {uci: max(0.0, deep[here] + chance) for uci, chance in known.items()}
    return deep.get(here), costs


def _moves(
    board: chess.Board, explored: Explored, shares: dict[int, list[LikelyReply]], costs: dict[str, float]
) -> Iterable[PeopleMove]:
    played = {move.uci: move.by_rating for move in explored.moves}
    samples = _summed(played.values())
    model = {rating: {one.uci: one.probability for one in every} for rating, every in shares.items()}
    count = {move.uci: move.count for move in explored.moves}
    likely = {uci: max(model[rating][uci] for rating in RATINGS) for uci in model[RATINGS[0]]}
    for uci in sorted(likely, key=lambda uci: (-count.get(uci, 0), -likely[uci], uci)):
        if uci not in played and likely[uci] < LEAST_SHARE:
            continue
        bands = played.get(uci, {})
        seen = [count / samples[band] for band, count in bands.items() if samples[band] >= LEAST_SAMPLE]
        yield PeopleMove(
            uci=uci,
            san=board.san(board.parse_uci(uci)),
            played=bands,
            model={str(rating): model[rating][uci] for rating in RATINGS},
            cost=costs.get(uci),
            is_popular=max(likely[uci], *seen, 0.0) >= POPULAR,
        )


def _summed(counts: Iterable[dict[str, int]]) -> dict[str, int]:
    found: dict[str, int] = {}
    for each in counts:
        for band, count in each.items():
            found[band] = found.get(band, 0) + count
    return found
