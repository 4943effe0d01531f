"""Rows of the moves in indexed games that were proved to lose, and the games that were searched for them."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Self

from sqlalchemy import Connection, delete, select, update

from db.storage.bulk import BulkInsert, BulkLookup, Value, parts
from db.storage.tables import GameRow, LosingMoveRow, MistakeRow
from db.traps.position_value import PositionValue

_COLUMNS = (
    "game_id",
    "ply",
    "kind",
    "mate_in",
    "killer_line",
    "answer",
    "clock",
    "settled",
    "probability",
    "causes",
    "mechanism",
    "place",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class LosingMove:
    """A move that was played and proved to lose. What it cost is not stored with it: see `priced`."""

    ply: int
    """From 1 at the game's first move."""
    kind: str
    """What refutes it, of `db.traps.terms.KINDS`."""
    mate_in: int | None
    """Moves to the mate that it allows."""
    killer_line: tuple[str, ...]
    """UCI, from the answer on."""
    answer: str | None
    """``sprung`` or ``missed``; None if the game ended."""
    clock: int | None
    """Seconds that its player had left after it; None if the game does not say."""
    settled: bool
    """The win chances may be reported, and what follows from them alone: there are not too few pieces."""
    probability: float | None
    """That it costs .3 or more, 0..1, where only our own search says so."""
    causes: tuple[str, ...] = ()
    """Why it loses, the first cause first, each with the squares that it rests on: ``leaves:c3,b1``."""
    mechanism: str | None = None
    """Key of what the killer line does; None where nobody has looked. See `trapcore.proof.causes`."""
    place: str | None = None
    """Key of where it does that; None likewise."""
    tokens: bytes = b""
    """What it is compared by, see `db.patterns.keys.token_sets`; empty where that is not known, or was not read."""
    before: float | None = None
    """Win chance of the player who played it, -1..1, with the best move; None if the position has no value."""
    after: float | None = None
    """The same after the move."""
    best: str | None = None
    """The best move, UCI; None where it is not known."""

    @property
    def cause(self) -> str:
        """The cause that explains most, of `trapcore.proof.causes.CAUSES`; empty where none is known."""
        return self.causes[0].partition(":")[0] if self.causes else ""

    def priced(self, value: PositionValue | None, reached: PositionValue | None) -> Self:
        """The move with what it cost by the values of the positions before it and after it."""
        return replace(
            self,
            before=None if value is None else value.chance,
            after=None if reached is None else -reached.chance,
            best=None if value is None else value.best,
        )


def judged_games(connection: Connection, digests: Collection[bytes]) -> dict[bytes, tuple[int, str | None]]:
    """Of the games with these digests that are stored, the number and the analysis that searched each."""
    columns = [GameRow.digest, GameRow.id, GameRow.judged_by]
    found = BulkLookup(connection, columns, GameRow.digest).find(sorted(digests))
    return {digest: (game, by) for digest, game, by in found}


def replace_losing_moves(connection: Connection, by: str, moves: dict[int, Sequence[LosingMove]]) -> None:
    """Store the losing moves of whole games, by number, in place of those that were stored of them before."""
    for part in parts(moves):
        # Their token sets go with them.
        connection.execute(delete(LosingMoveRow).where(LosingMoveRow.game_id.in_(part)))
        connection.execute(update(GameRow).where(GameRow.id.in_(part)).values(judged_by=by))
    rows: list[tuple[Value, ...]] = []
    for game, found in sorted(moves.items()):
        for move in found:
            line = " ".join(move.killer_line)
            figures = (move.mate_in, line, move.answer, move.clock, move.settled, move.probability)
            causes = None if move.mechanism is None else " ".join(move.causes)
            rows.append((game, move.ply, move.kind, *figures, causes, move.mechanism, move.place))
    BulkInsert(connection, LosingMoveRow, _COLUMNS).insert(rows)
    sets = [(game, move.ply, move.tokens) for game, found in sorted(moves.items()) for move in found if move.tokens]
    BulkInsert(connection, MistakeRow, ("game_id", "ply", "tokens")).insert(sets)


def losing_moves_of(connection: Connection, games: Collection[int]) -> Iterator[tuple[int, LosingMove]]:
    """The losing moves that are stored of these games, by game and ply, without what they cost."""
    wanted = select(*(getattr(LosingMoveRow, name) for name in _COLUMNS))
    for part in parts(games):
        here = wanted.where(LosingMoveRow.game_id.in_(part)).order_by(LosingMoveRow.game_id, LosingMoveRow.ply)
        for row in connection.execute(here):
            game, ply, kind, mate_in, line, answer, clock, settled, probability, causes, mechanism, place = row
            yield (
                game,
                LosingMove(
                    ply=ply,
                    kind=kind,
                    mate_in=mate_in,
                    killer_line=tuple(line.split()),
                    answer=answer,
                    clock=clock,
                    settled=settled,
                    probability=probability,
                    causes=tuple((causes or "").split()),
                    mechanism=mechanism,
                    place=place,
                ),
            )
