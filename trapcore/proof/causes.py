"""Why losing moves lose: causes that the board shows, what the killer line does, and where.

`explain` answers for many losing moves at once:

>>> mistake = Mistake("r1b1k2r/pp2pp2/n5p1/q1p3N1/4N2p/2PP4/P4PPP/R2QK2R w KQkq - 0 15", "e4d6", ("e7d6",))
>>> found = explain([mistake])[0]
>>> [(cause.name, cause.squares) for cause in found.causes], found.mechanism, found.place
([('taken', ['d6'])], 'taken::N', 'taken:@d6,Nd6')

The predicates are in the Rust core (``native/src/themes/causes``), one for each of the names in `CAUSES`. What each
cause is and how often it is found, see ``docs/research/causes.md``; ``db.wording.causes`` has the words.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from trapcore import _native
from trapcore._native import CAUSES as CAUSES
from trapcore._native import Cause as Cause
from trapcore._native import Explanation as Explanation


@dataclass(frozen=True, slots=True)
class Mistake:
    """A losing move, its refutation, and what was better. Win chances are of the player who made it, -1..1."""

    fen: str
    """The position before the move; counters may be missing."""
    bait: str
    """The move, UCI."""
    killer_line: tuple[str, ...]
    """What follows by force, UCI; at least one move."""
    best_line: tuple[str, ...] = ()
    """The line that begins with the best other move, UCI; empty where that is not known."""
    before: float | None = None
    """Win chance with the best move; None where it was not measured."""
    after: float | None = None
    """The same with the bait."""
    mate_in: int | None = None
    """Moves from the killer to mate; None if no mate was proved."""


def explain(mistakes: Iterable[Mistake]) -> list[Explanation]:
    """Explains each of the losing moves, in their order.

    A search of at most 6,000 nodes a move asks whether the killer works after a pass as well, where exchanges do not
    answer that. The same move has the same answer in any company. Raises
    ``PositionError`` for a bad FEN or an illegal move, and ``InputError`` for an empty killer line.
    """
    parts = [
        (each.fen, each.bait, list(each.killer_line), list(each.best_line), each.before, each.after, each.mate_in)
        for each in mistakes
    ]
    return _native.explain_mistakes(parts, None)
