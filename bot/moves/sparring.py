"""The move to play below full strength: the bot is a sparring partner, see `coach.sparring.partner`."""

import random
from collections.abc import Sequence
from typing import Self

import chess

from bot.moves.move_choice import Choice, MoveSources
from bot.moves.search_pool import SearchPool
from bot.moves.set_traps import SetTraps
from bot.moves.trap_book import TrapBook
from coach.repertoire.live_traps import LiveTrap
from coach.sparring.partner import FellBefore, Mate, Partner, PartnerMove
from coach.sparring.strength import Style
from lichess.api import Person
from trapcore.parallel.budget import Cancellation


class Sparring:
    """Choice of the moves of one game."""

    def __init__(self, partner: Partner, person: Person, search_pool: SearchPool) -> None:
        self._partner, self._person, self._search_pool = partner, person, search_pool

    @classmethod
    def of(cls, sources: MoveSources, person: Person, search_pool: SearchPool, fell_before: FellBefore) -> Self | None:
        """The sparring partner of a game against this person, with the sources for it; None at full strength."""
        if sources.rating is None:
            return None
        style = sources.style if sources.trap_loss > 0 else Style.SOLID
        partner = Partner(sources.rating, style, random.Random(), person.rating, sources.trap_loss, fell_before)
        return cls(partner, person, search_pool)

    def choose(
        self, board: chess.Board, milliseconds: int, book: TrapBook | None, own: SetTraps, stop: Cancellation
    ) -> Choice:
        """Move within about ``milliseconds``; ``own`` are the traps that were set in this game."""
        killer = None if book is None else book.killer(board, own)
        # Whether the level sees a killer that only wins something is left to its model and its search.
        mate = None if killer is None or killer.mate_in is None else Mate(killer.uci, killer.mate_in)

        def known() -> Sequence[LiveTrap]:
            return [] if book is None else book.set_by(board, board.legal_moves, 0, self._person.rating)

        def work(left: int) -> PartnerMove:
            return self._partner.move(board, left, stop, mate, known)

        found = self._search_pool.run(milliseconds, work)
        is_killer = killer is not None and found.uci == killer.uci
        why = "trap" if found.is_on_purpose else "killer" if is_killer else "level"
        return Choice(found.uci, why, found.value, found.trap)
