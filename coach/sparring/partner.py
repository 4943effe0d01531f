"""The move of a sparring partner of about a given rating, and the trap that it sets.

    partner = Partner(1500, Style.TRICKSTER, random.Random(), opponent=1450)
    found = partner.move(board)      # found.uci, found.trap, found.value

First the move of the level is drawn (`coach.sparring.level`). A solid partner plays it. A trickster compares it with
the moves that set a proved trap, that such a player plays with a probability of `COULD_PLAY` or more, and that give
away no more than is allowed. It plays the one that is worth most: its win chance, and what the baits give away, each
as often as the opponent takes it. Traps whose pattern this opponent fell for before come first. A drawn move that gives
away more than is allowed is an error of the level, and is played: a trap would save the partner from it.

People of a rating by the model are weaker than the level of that rating, which was measured against Stockfish. A
trickster is to give such people an even game, so its level is `TRICKSTER_BELOW` points below its rating.
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import chess

from coach.repertoire.live_traps import LiveTrap, allowed_cost, prove_traps, weigh_baits
from coach.repertoire.replies import ReplyModel
from coach.repertoire.trap_choice import WON
from coach.sparring.level import LevelMove, LevelPlayer, level_of, sees_mate, without
from coach.sparring.strength import TRAP_LOSS, Style
from db.traps.temptation import UNKNOWN_RATING, RatingBand
from trapcore.parallel.budget import Budget, Cancellation
from trapcore.proof.search import MATE, search

TRICKSTER_BELOW = 200
"""Rating points by which the level of a trickster is below its rating, down to the weakest level. So it scores
about half against people of its rating by the model."""

COULD_PLAY = 0.02
"""Probability of a move, 0..1, from which a player of the level could play it."""

MOST_LOOKED = 10
"""Moves whose baits are searched for,"""
LOOK_NODES = 1_500
"""with so many nodes for a position,"""
TEST_NODES = 8_000
"""and so many for each question of the trap test."""
PROOF_MILLISECONDS = 5_000
"""Longest proof of the traps of a move; the nodes end it earlier, so that a seed gives the same game again."""

TRAP_MILLISECONDS = 500
"""With less time for a move no traps are searched for."""
NODES_A_MILLISECOND = 60
"""Of the level's search: with little time it sees less."""
VALUE_NODES = 10_000
"""Of the search that says what the game stands at, whatever the level sees."""


@dataclass(frozen=True, slots=True)
class Mate:
    """A mate that is proved."""

    uci: str
    """Its first move."""
    moves: int
    """Own moves to it, 1 or more."""


def mate_after(trap: LiveTrap, reply: str) -> Mate | None:
    """The mate that is proved after this reply (UCI) to a trap; None if there is none."""
    baits = (bait for bait in trap.baits if bait.uci == reply and bait.mate_in is not None)
    return next((Mate(bait.killer_line[0], bait.mate_in or 1) for bait in baits), None)


@dataclass(frozen=True, slots=True)
class PartnerMove:
    """The move that a partner plays."""

    uci: str
    value: int
    """Centipawns for the partner after it, by a search of `VALUE_NODES` whatever its level; beyond
    `trapcore.proof.search.MATE_BOUND` a mate."""
    trap: LiveTrap | None
    """The trap that it sets, with its baits and their killer lines."""
    is_on_purpose: bool
    """Whether the trap is the reason: a player of the level who sets no traps would have played another move."""


FellBefore = Callable[[LiveTrap], bool]
"""Whether the opponent fell for a trap of the same pattern in an earlier game."""


def nobody(_: LiveTrap) -> bool:
    """Nothing is known of the opponent."""
    return False


class Partner:
    """A sparring partner in one game or in several, against one opponent."""

    def __init__(
        self,
        rating: float,
        style: Style,
        numbers: random.Random,
        opponent: int | None = None,
        trap_loss: float = TRAP_LOSS,
        fell_before: FellBefore = nobody,
    ) -> None:
        """``opponent`` is the opponent's rating, None if it is unknown. With ``trap_loss`` it says what a trap may cost
        (`coach.repertoire.live_traps.allowed_cost`)."""
        self.rating, self.style = rating, style
        self._player = LevelPlayer(level_of(rating - TRICKSTER_BELOW * (style is Style.TRICKSTER)))
        self._model = ReplyModel(None, UNKNOWN_RATING if opponent is None else RatingBand(opponent, opponent))
        self._allowed = allowed_cost(trap_loss, opponent)
        self._numbers, self._fell_before = numbers, fell_before

    def move(
        self,
        board: chess.Board,
        milliseconds: int | None = None,
        stop: Cancellation | None = None,
        mate: Mate | None = None,
        known: Callable[[], Sequence[LiveTrap]] = tuple,
    ) -> PartnerMove:
        """The move to play; ``board`` has the moves of the game and is not over.

        ``milliseconds`` is about the most time for it, None for no limit. Then the same random numbers give the same
        moves again. A proved ``mate`` is played as often as `coach.sparring.level.sees_mate` says. So is one that the
        level's search finds; for one after a bait see `mate_after`. ``known`` gives traps that are known without
        searching, such as those of a library.
        """
        nodes = None if milliseconds is None else NODES_A_MILLISECOND * milliseconds
        value, moves = self._player.moves(board, nodes, stop)
        mate = mate if mate is not None else self._mate(board, value)
        if mate is not None:
            if self._numbers.random() < sees_mate(self.rating, mate.moves):
                return PartnerMove(_as_board_has_it(board, mate.uci), MATE - 2 * mate.moves + 1, None, False)
            moves = without(moves, mate.uci)
        (drawn,) = self._numbers.choices(moves, [move.probability for move in moves])
        trap, is_on_purpose = None, False
        has_time = milliseconds is None or milliseconds >= TRAP_MILLISECONDS
        if self.style is Style.TRICKSTER and has_time and abs(value) < WON and not board.chess960:
            trap, is_on_purpose = self._trap(board, drawn, moves, stop, known)
        uci = _as_board_has_it(board, drawn.uci if trap is None else trap.move)
        return PartnerMove(uci, _value_after(board, uci), trap, is_on_purpose)

    def _mate(self, board: chess.Board, value: float) -> Mate | None:
        """The mate that the level's search finds."""
        if value < WON:
            return None
        found = search(board.fen(), Budget(nodes=self._player.level.nodes))
        if found.mate_in is None or found.mate_in < 1 or not found.line:
            return None
        return Mate(found.line[0], found.mate_in)

    def _trap(
        self,
        board: chess.Board,
        drawn: LevelMove,
        moves: Sequence[LevelMove],
        stop: Cancellation | None,
        known: Callable[[], Sequence[LiveTrap]],
    ) -> tuple[LiveTrap | None, bool]:
        """The trap to set, and whether it is set on purpose."""
        looked = [drawn]
        if drawn.gift <= self._allowed:
            could = [one for one in moves if one.probability >= COULD_PLAY and one.gift <= self._allowed]
            looked += [one for one in could if one is not drawn][: MOST_LOOKED - 1]
        gifts = {one.uci: one.gift for one in looked}
        found = {trap.move: trap for trap in known() if trap.move in gifts}
        weighed = [weigh_baits(board, (one.uci, -one.gift, one.gift), self._model, LOOK_NODES, stop) for one in looked]
        for trap in prove_traps(board, weighed, PROOF_MILLISECONDS, stop, drawn.uci, nodes=TEST_NODES):
            found.setdefault(trap.move, trap)
        worth = {trap.move: trap.gain * trap.taken - gifts[trap.move] for trap in found.values()}
        worth.setdefault(drawn.uci, -drawn.gift)
        good = [trap for trap in found.values() if worth[trap.move] >= worth[drawn.uci]]
        if not good:
            return None, False
        trap = max(good, key=lambda trap: (len(good) > 1 and self._fell_before(trap), worth[trap.move], trap.move))
        return trap, trap.move != drawn.uci


def _as_board_has_it(board: chess.Board, uci: str) -> str:
    """The core writes castling as its FEN reader understood it; the board's way is lichess's."""
    return board.uci(board.parse_uci(uci))


def _value_after(board: chess.Board, uci: str) -> int:
    after = board.copy(stack=False)
    after.push_uci(uci)
    return -search(after.fen(), Budget(nodes=VALUE_NODES)).value
