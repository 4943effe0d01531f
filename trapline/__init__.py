"""Trap analysis for chess, with the types of python-chess.

>>> import io, chess.pgn, trapline
>>> game = chess.pgn.read_game(io.StringIO("1. e4 e5 2. Nf3 d6 3. Bc4 Bg4 4. Nc3 g6 5. Nxe5 Bxd1 6. Bxf7+ Ke7 7. Nd5#"))
>>> for m in trapline.mistakes(game):
...     print(m.node.ply(), m.move, m.killer, m.mate_in, m.theme, m.sentence.partition(":")[0])
10 g4d1 c4f7 2 attackingF2F7 Falls into Légal's mate

Games
    `annotate` writes comments, signs and variations into a game. `mistakes` lists the moves that lose by force.
Positions
    `check` tests whether a move loses, and to what. `propose` finds the moves that win and those that tempt and lose.
    `similarity` compares two positions, and `tree` returns the lines of one.
Libraries
    `open` opens a trap library. Its traps are found by name, by fields and by likeness, and games are indexed into it.

A position is a `chess.Board`, a node of a game, or a FEN. A move is a `chess.Move`, or its text in SAN or UCI. A game
is a `chess.pgn.Game`, PGN text, or the path of a PGN file. An option that is not given is as the settings of trapline
say. Every error of trapline is a `TraplineError`. Modules below this one may change in any version.

==================  ===========================================================================
interface/          what this module offers
commands/           the commands
web/                the library over HTTP: pages, an interface for programs, uploads
service/            fetches games and runs the jobs that let a library grow
__main__.py         the start of the command, and its end by Ctrl-C
program.py          the list of the commands, the version, exit codes
lazy_group.py       command groups that import a command when it is used
examples.py         example of each command, as its help shows it
echo.py             what is printed, made harmless for a terminal
doctor.py           condition of an installation: library, settings, tokens, disk, clock
settings_errors.py  all that is wrong with the settings, each with its line in the file
settings.py         the settings of all packages in one table; the example file of it
==================  ===========================================================================
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from db.query.answer import Hit as Hit
    from db.query.query import Query as Query
    from db.traps.trap import Trap as Trap
    from trapcore.errors import EngineError as EngineError
    from trapcore.errors import InputError as InputError
    from trapcore.errors import LibraryError as LibraryError
    from trapcore.errors import PositionError as PositionError
    from trapcore.errors import TraplineError as TraplineError
    from trapcore.errors import UsageError as UsageError
    from trapcore.trees.tree import Tree as Tree
    from trapline.interface.games import Mistake as Mistake
    from trapline.interface.games import Options as Options
    from trapline.interface.games import annotate as annotate
    from trapline.interface.games import mistakes as mistakes
    from trapline.interface.library import Library as Library
    from trapline.interface.library import open as open
    from trapline.interface.measures import similarity as similarity
    from trapline.interface.measures import tree as tree
    from trapline.interface.moves import Check as Check
    from trapline.interface.moves import Proposal as Proposal
    from trapline.interface.moves import Proposals as Proposals
    from trapline.interface.moves import check as check
    from trapline.interface.moves import propose as propose

_NAMES = {
    "trapline.interface.games": "annotate mistakes Mistake Options",
    "trapline.interface.moves": "check propose Check Proposal Proposals",
    "trapline.interface.measures": "similarity tree",
    "trapline.interface.library": "open Library",
    "db.traps.trap": "Trap",
    "db.query.query": "Query",
    "db.query.answer": "Hit",
    "trapcore.trees.tree": "Tree",
    "trapcore.errors": "TraplineError UsageError InputError PositionError LibraryError EngineError",
}

_MODULE_OF = {name: module for module, names in _NAMES.items() for name in names.split()}
"""Each public name, and the module that is imported when it is first used."""

__all__ = [*_MODULE_OF]


if not TYPE_CHECKING:  # or a type checker would take any name for a public one

    def __getattr__(name: str) -> object:
        """Imports a public name when it is first used."""
        from importlib import import_module

        if name not in _MODULE_OF:
            raise AttributeError(f"module 'trapline' has no attribute {name!r}")
        value = globals()[name] = getattr(import_module(_MODULE_OF[name]), name)
        return value


def __dir__() -> list[str]:
    """Names for `dir` and `help`."""
    return sorted({*globals(), *__all__})
