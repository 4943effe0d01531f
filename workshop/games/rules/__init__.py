"""The bundled games: what `trapcore.trees.tree` and the measures can be tried on, chess and others.

=================  =====================================================================
chess.py           chess, see `trapcore.trees.chess_game`
tic_tac_toe.py     tic-tac-toe, the paper's worked example (section 3.1)
breakthrough.py    Breakthrough, on 8x8 and 6x6: captures, no draws, always forward
connect_four.py    Connect Four: several moves lead to one goal
go.py              Go on 5x5 and 7x7: captures of whole areas, ko, passes
grid.py            the squares of their boards, and how positions are written
=================  =====================================================================

Positions are values: they are equal if nothing that the rules ask for differs, and are never changed. A new game is a
new file here, a line in this table and one in `GAMES`; the tests that every game must pass find it there.
"""

import re
from typing import Any, Final, Protocol, TypeVar

from trapcore.errors import UsageError, unknown_name
from trapcore.trees.tree import Game
from workshop.games.rules.breakthrough import Breakthrough
from workshop.games.rules.chess import Chess
from workshop.games.rules.connect_four import ConnectFour
from workshop.games.rules.go import Go
from workshop.games.rules.tic_tac_toe import TicTacToe

Position = TypeVar("Position")
Move = TypeVar("Move")


class BundledGame(Game[Position, Move], Protocol[Position, Move]):
    """A game that also knows its name, its first position and a notation for the others."""

    @property
    def name(self) -> str:
        """What the game is called, its board's size included if there are several."""
        ...

    @property
    def labelling(self) -> str:
        """What the labels speak of, such as ``from-to, 8x8``: games that say the same can be compared by label."""
        ...

    def start(self) -> Position:
        """The first position of a game."""
        ...

    def parse(self, text: str) -> Position:
        """The position written as ``text``; raises ``PositionError``, which names the game and the place."""
        ...

    def text(self, position: Position) -> str:
        """The position in the game's notation, which `parse` reads."""
        ...


_BUNDLED: tuple[BundledGame[Any, Any], ...] = (
    Chess(),
    TicTacToe(),
    ConnectFour(),
    Breakthrough(8),
    Breakthrough(6),
    Go(5),
    Go(7),
)
GAMES: Final[dict[str, BundledGame[Any, Any]]] = {game.name: game for game in _BUNDLED}
"""The bundled games by name, chess among them."""


_SIZES: Final[dict[str, type[Breakthrough] | type[Go]]] = {"breakthrough": Breakthrough, "go": Go}


def game_named(name: str) -> BundledGame[Any, Any]:
    """The bundled game called ``name``, or one of its games on a board of another size: ``breakthrough-7x7``.

    Raises ``UsageError``, which names the nearest game or says which sizes there are.
    """
    if name in GAMES:
        return GAMES[name]
    sized = re.fullmatch(r"([a-z]+)-(\d{1,3})x\2", name, re.ASCII)
    if sized is not None and sized[1] in _SIZES:
        return _SIZES[sized[1]](int(sized[2]))
    raise unknown_name("game", name, GAMES)


def comparable(game1: BundledGame[Any, Any], game2: BundledGame[Any, Any]) -> str:
    """The labelling that two games have in common; raises ``UsageError`` if there is none.

    Measures that compare labels (continuations, sequences, tree edit) need it: without it a shared label means
    nothing. The structural similarity does not (Evans & Turrini, section 3, "Generalisability"), because it compares
    each tree only with itself.
    """
    if game1.labelling != game2.labelling:
        raise UsageError(
            f"{game1.name} and {game2.name} have no common labelling ({game1.labelling}; {game2.labelling}): "
            "only the structural similarity compares their trees"
        )
    return game1.labelling
