"""``open`` and ``Library``: traps found, added and compared."""

import atexit
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from functools import cache
from pathlib import Path
from typing import Any

from annotator.known_traps import KnownTraps
from annotator.record import record_losing_moves
from coach.preparation.check import Check, check
from coach.preparation.games import games_named
from coach.preparation.lines import read_lines
from coach.preparation.opponent import Preparation, prepare
from coach.report.report import Report
from coach.report.report import report as report_of
from db.formats.bundled import make_bundled, open_or_bundle
from db.games.index_games import Progress, index_files
from db.games.players import find_players, players
from db.library.library import Library as TrapLibrary
from db.library.open import open_library
from db.patterns.recall import recall_of
from db.proof.prover import open_prover
from db.query.ahead import TrapAhead, traps_ahead
from db.query.answer import Hit
from db.query.engine import QueryEngine
from db.query.query import AheadQuery, Query
from db.similarity.propose import MoveSuggester, Proposals, Question
from db.storage.value_rows import values_of
from db.traps.terms import Side
from db.traps.trap import Trap, make_trap
from trapcore.errors import UsageError
from trapcore.measures.options import IndexedMeasure
from trapcore.parallel.pools import threads
from trapline.interface.arguments import Games, Position, board_of, games_of, is_path
from trapline.settings import read_settings

_SOURCE = "games from Python"
"""Where indexed games are from that were no files."""


class Library(AbstractContextManager["Library"]):
    """An open trap library. `trapline.open` makes one.

    It has a length, gives its traps in the order of their names for commands, and finds one by such a name:
    ``library["legal-mate"]``. Every method raises `LibraryError` if the library cannot be read.
    """

    def __init__(self, opened: TrapLibrary) -> None:
        self._opened = opened
        self._engine = QueryEngine(opened, measure=IndexedMeasure.ABSTRACTED)

    def __len__(self) -> int:
        """Number of traps."""
        return self._opened.counts().traps

    def __iter__(self) -> Iterator[Trap]:
        """All traps, ascending by slug."""
        return iter(self._opened.traps())

    def __contains__(self, slug: object) -> bool:
        """Whether there is a trap of that slug."""
        return isinstance(slug, str) and self._opened.find(slug) is not None

    def __getitem__(self, slug: str) -> Trap:
        """The trap of that slug, such as ``legal-mate``.

        Raises:
            KeyError: There is no such trap. The message names the nearest one.
        """
        try:
            return self._opened.trap(slug)
        except UsageError as error:
            raise KeyError(str(error)) from error

    def query(self, text: str | None = None, /, **conditions: Any) -> list[Hit]:
        """Finds traps by name, position and fields; all conditions must hold.

        Args:
            text: Name, family or slug of the trap, in any spelling that is near.
            **conditions: Fields of `Query`, such as ``victim="white"``, ``eco="C4"``, ``limit=50`` or ``fen=board``.

        Raises:
            UsageError: A condition cannot be, such as an unknown family.
            InputError: A position or a move cannot be read.

        Examples:
            >>> import trapline
            >>> with trapline.open() as library:
            ...     [hit.trap.slug for hit in library.query("legal mate", limit=1)]
            ['legal-mate']
        """
        if conditions.get("fen") is not None:
            conditions["fen"] = board_of(conditions["fen"]).fen()
        try:
            return list(self._engine.ask(Query(name=text, **conditions)).hits)
        except TypeError as error:
            raise UsageError("{error}", error=str(error).replace("Query.__init__()", "query()")) from error

    def similar(self, position: Position, most: int = 5, **conditions: Any) -> list[Hit]:
        """Finds the traps that have the position, and those that are most like it and work in it.

        Args:
            position: A board, a node of a game, or a FEN or EPD. The victim is to move.
            most: Similar traps, 1 to 100.
            **conditions: Fields of `Query` that the traps must meet. ``unproved=True`` adds traps that are like the
                position and are not proved to work in it.

        Raises:
            InputError: The position cannot be read.
            UsageError: A number or a condition is out of range.

        Examples:
            >>> import trapline
            >>> with trapline.open() as library:
            ...     board = library["legal-mate"].board()
            ...     [(hit.trap.slug, str(hit.match)) for hit in library.similar(board, most=1)][0]
            ('legal-mate', 'exact')
        """
        return self.query(fen=position, similar=most, **conditions)

    def ahead(self, start: Position, most: int = 20, **conditions: Any) -> list[TrapAhead]:
        """Finds the proved traps that can still arise, those that most people fell for first.

        Args:
            start: The name or ECO code of an opening, moves from the usual start, a FEN, a board or a node of a game.
            most: Traps, 1 to 200.
            **conditions: Fields of `AheadQuery`, such as ``victim="white"`` or ``plies=10``.

        Raises:
            UsageError: No opening has this name, or a condition cannot be.
            InputError: The position cannot be read.

        Examples:
            >>> import trapline
            >>> with trapline.open() as library:
            ...     found = library.ahead("Italian Game", victim="black")
            >>> [each.moves for each in found if each.trap.slug == "legal-mate"]
            [('d6', 'Nc3', 'Bg4', 'Nxe5')]
        """
        text = start if isinstance(start, str) else board_of(start).fen()
        try:
            query = AheadQuery(start=text, limit=most, **conditions)
        except TypeError as error:
            raise UsageError("{error}", error=str(error).replace("AheadQuery.__init__()", "ahead()")) from error
        return list(traps_ahead(self._opened, query).traps)

    def add(self, position: Position, bait: str, line: str, *, name: str, **labels: Any) -> Trap:
        """Adds a trap, proved as far as that can be done, and returns it.

        Args:
            position: The position before the bait: a board, a node of a game, or a FEN or EPD.
            bait: The losing move, SAN or UCI.
            line: The moves that punish it, SAN or UCI.
            name: What people call the trap.
            **labels: ``family``, ``slug``, ``eco``, ``opening`` and ``source``, see `make_trap`.

        Raises:
            InputError: The position or a move cannot be read.
            UsageError: Another trap has the same position and bait.
        """
        trap = make_trap(name=name, bait=bait, killer_line=line, fen=board_of(position).fen(), **labels)
        with open_prover(None, None) as prover:
            proved = prover.prove(trap)
        self._opened.add(proved)
        self._opened.record_occurrences()
        return self._opened.trap(proved.slug)

    def index(self, games: Games | Iterable[Games], *, losses: bool = True) -> int:
        """Stores games, finds the traps of the library in them, and returns how many of the games are new.

        Args:
            games: Games, PGN text or paths, one or several.
            losses: Also finds the moves that lose by force, which takes far longer.

        Raises:
            InputError: A text has no game, or a file cannot be read. All other games are stored.
        """
        given = [games] if isinstance(games, Games) else list(games)
        with tempfile.TemporaryDirectory(prefix="trapline-games-") as folder:
            written = Path(folder) / "games.pgn"
            written.write_text("\n\n".join(_pgn(each) for each in given if not is_path(each)), "utf-8")
            files = [Path(str(each)) for each in given if is_path(each)]
            parts = [(files, ""), ([written] if len(files) < len(given) else [], _SOURCE)]
            done = [self._index(paths, source, losses=losses) for paths, source in parts if paths]
        failures = [failure for each in done for failure in each.failures]
        if failures:
            raise failures[0]
        return sum(each.new_games for each in done)

    def _index(self, paths: Sequence[Path], source: str, *, losses: bool) -> Progress:
        settings = read_settings()
        with threads(settings.jobs, "work") as pool:
            done = index_files(self._opened, paths, pool=pool, source=source)
            if losses:
                record_losing_moves(self._opened, paths, settings, pool)
        return done

    def report(self, player: str) -> Report:
        """Reports what a player lost to in the indexed games.

        Args:
            player: The name, or a part of it.

        Raises:
            UsageError: Nobody, or more than one player, has such a name.
        """
        return report_of(self._opened, find_players(players(self._opened), player))

    def repertoire(
        self, file: str | Path, player: str, *, colour: Side | None = None, site: str | None = None
    ) -> list[Check]:
        """Compares a player's own repertoire with the player's indexed games, for each colour that it has.

        Args:
            file: PGN with variations, such as an exported lichess study.
            player: The name, or a part of it.
            colour: ``white`` or ``black``. Without it each chapter says so.
            site: Only games of ``chess.com``, ``lichess.org`` or ``elsewhere``.

        Raises:
            UsageError: Nobody, or more than one player, has such a name.
            InputError: The file cannot be read, or does not tell whose repertoire it is.
        """
        games = games_named(self._opened, player, site=site)
        return check(self._opened, games, read_lines(Path(file), colour=colour, player=games.names))

    def prepare(self, player: str, *, site: str | None = None) -> Preparation:
        """Tells what an opponent plays, where he leaves theory, what he loses to, and which traps lie in his lines.

        Args:
            player: The name, or a part of it.
            site: Only games of ``chess.com``, ``lichess.org`` or ``elsewhere``.

        Raises:
            UsageError: Nobody, or more than one player, has such a name.
        """
        return prepare(self._opened, games_named(self._opened, player, site=site))

    def close(self) -> None:
        """Closes the library."""
        self._engine.close()
        self._opened.close()

    def __exit__(self, *_: object) -> None:
        """Closes the library."""
        self.close()


def open(path: str | Path | None = None, *, create: bool = False, read_only: bool = False) -> Library:
    """Opens a trap library. Close it, or use it in a ``with`` statement.

    Args:
        path: A file, or an SQLAlchemy URL. Without it the default library, which is made of the bundled traps if it
            does not exist.
        create: Makes a missing file of the bundled traps.
        read_only: Needs no right to write.

    Raises:
        LibraryError: The library is missing, damaged, locked, or is none.

    Examples:
        >>> import trapline
        >>> with trapline.open() as library:
        ...     len(library) > 100, library["legal-mate"].name
        (True, "Légal's mate")
    """
    if path is None:
        return Library(open_or_bundle(None, read_settings().db, read_only=read_only, log=_silent))
    if create and "://" not in str(path) and not Path(path).exists():
        make_bundled(Path(path), _silent)
    return Library(open_library(path, read_only=read_only))


def proposals(library: Library, fen: str, nodes: int) -> Proposals:
    """What wins and what loses in a position, see `trapline.propose`."""
    index = library._engine.indexes.killers()
    return MoveSuggester((index.weights, index.source), index.killers, nodes=nodes).answer(Question(fen))


def known_traps(library: Library, measure: IndexedMeasure) -> KnownTraps:
    """The traps as the annotator needs them."""
    opened = library._opened
    is_indexed = measure is IndexedMeasure.ABSTRACTED
    traps, screen = library._engine.indexes.annotator() if is_indexed else (opened.traps(), None)
    return KnownTraps(traps, screen, stored=values_of(opened.database), recall=recall_of(opened))


def usual_library() -> Library:
    """The default library, opened once for all calls that name no other."""
    return _opened(read_settings().db)


@cache
def _opened(path: Path) -> Library:
    library = Library(open_or_bundle(None, path, read_only=True, log=_silent))
    atexit.register(library.close)
    return library


def _silent(_: str) -> None:
    pass


def _pgn(games: Games) -> str:
    return games if isinstance(games, str) else "\n\n".join(map(str, games_of(games)))
