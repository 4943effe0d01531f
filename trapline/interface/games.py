"""``annotate`` and ``mistakes``: games of python-chess, PGN text and files."""

import io
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict, Unpack, overload

import chess
import chess.pgn

from annotator.annotation import AnnotatedBatch
from annotator.comments.telling import words
from annotator.counts import Counts
from annotator.events import TrapEvent
from annotator.request import AnalysisOptions, AnalysisRequest
from annotator.selection import Selection, Side
from annotator.stream import annotate_stream
from db.games.losing_themes import themes_of_line
from db.traps.terms import Event
from db.traps.trap import Trap
from trapcore.errors import InputError, UsageError
from trapcore.measures.options import chosen
from trapcore.parallel.pools import threads
from trapline.interface.arguments import Games, games_of, text_of
from trapline.interface.library import Library, known_traps, usual_library
from trapline.settings import read_settings


class Options(TypedDict, total=False):
    """How games are analysed. What is not given is as the settings of trapline say."""

    side: str
    """``white``, ``black`` or ``both``: whose moves are reported."""
    player: str
    """Part of the name of the player whose moves are reported."""
    tell: str
    """``known``, ``similar``, ``losses`` or ``all``: how much is reported."""
    verbosity: str
    """``brief``, ``normal`` or ``full``: how much the comments say."""
    language: str
    """``en`` or ``de``."""
    engine: str
    """``off``, ``auto``, or the path of a UCI engine that decides which moves lost."""
    nodes: int
    """Nodes of the proof of one move, 1 or more."""
    jobs: int
    """Threads, 1 or more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mistake:
    """A move of a game that loses by force although another move would not have."""

    node: chess.pgn.ChildNode
    """The node of the game that the move leads to."""
    move: chess.Move
    killer: chess.Move
    """The answer that punishes the move."""
    line: tuple[chess.Move, ...]
    """The answer and what follows by force."""
    best: chess.Move | None
    """The best other move; None if it is not known."""
    mate_in: int | None
    """Moves from the killer to mate; None if no mate is proved."""
    cost: float | None
    """Expected points of the game that the move gives away, 0 to 1; None if they were not measured."""
    theme: str
    """What the move loses to, as lichess names its puzzles: ``fork``, ``hangingPiece``, ``mate``."""
    trap: Trap | None
    """The trap of the library that the move falls into; None if it is none."""
    sentence: str
    """What happened, in words."""


@overload
def annotate(
    games: chess.pgn.GameNode, *, library: Library | None = None, **options: Unpack[Options]
) -> chess.pgn.Game: ...
@overload
def annotate(games: str | Path, *, library: Library | None = None, **options: Unpack[Options]) -> str: ...
def annotate(
    games: chess.pgn.GameNode | str | Path, *, library: Library | None = None, **options: Unpack[Options]
) -> chess.pgn.Game | str:
    """Marks the moves that lose by force, and the traps that were set, avoided or fallen into.

    A game of python-chess is annotated in place and returned: comments, signs, arrows and variations are added to its
    nodes. PGN text, or the text of a file, is returned annotated. Nothing is taken away except comments of an earlier
    run, and to annotate the result once more adds nothing.

    Args:
        games: A game, or any node of it; PGN text; or the path of a PGN file, plain or compressed. A line that ends in
            ``.pgn``, ``.pgn.gz``, ``.pgn.bz2`` or ``.pgn.zst`` is a path.
        library: The traps that are searched for. Without it those of the default library.
        **options: See `Options`.

    Raises:
        InputError: The file cannot be read, or the game is of a chess variant.
        UsageError: An option is out of range, or the value holds no games.
        EngineError: The engine cannot be started, or died.
        LibraryError: The library cannot be read.

    Examples:
        >>> import io, chess.pgn, trapline
        >>> moves = "1. e4 e5 2. Nf3 d6 3. Bc4 Bg4 4. Nc3 g6 5. Nxe5 Bxd1 6. Bxf7+ Ke7 7. Nd5# 1-0"
        >>> game = trapline.annotate(chess.pgn.read_game(io.StringIO(moves)))
        >>> [node.san() for node in game.mainline() if chess.pgn.NAG_BLUNDER in node.nags]
        ['Bxd1']
        >>> trapline.annotate(moves).startswith("1. e4 e5 2. Nf3 d6")
        True
    """
    if isinstance(games, str | Path):
        return _annotated(_Analysis(library, options), text_of(games))
    if not isinstance(games, chess.pgn.GameNode):
        raise UsageError(
            "annotate takes a chess.pgn.Game (Game.from_board makes one), PGN text or a path, not {value!r}",
            value=games,
        )
    game, analysis = games.game(), _Analysis(library, options)
    before = pgn_of(game)
    after = _annotated(analysis, before)
    analysis.check_read()
    carry_over(game, before, after)
    return game


def mistakes(games: Games, *, library: Library | None = None, **options: Unpack[Options]) -> list[Mistake]:
    """Finds the moves that lose by force although another move would not have, in the order of the games.

    The games stay as they are.

    Args:
        games: A game of python-chess or any node of it; a board with the moves that led to it; PGN text; or the path of
            a PGN file, plain or compressed.
        library: The traps that are searched for. Without it those of the default library.
        **options: See `Options`.

    Raises:
        InputError: The games cannot be read, or are of a chess variant.
        UsageError: An option is out of range.
        EngineError: The engine cannot be started, or died.
        LibraryError: The library cannot be read.

    Examples:
        >>> import trapline
        >>> moves = "1. e4 e5 2. Nf3 d6 3. Bc4 Bg4 4. Nc3 g6 5. Nxe5 Bxd1 6. Bxf7+ Ke7 7. Nd5# 1-0"
        >>> for found in trapline.mistakes(moves):
        ...     print(found.node.ply(), found.move, found.killer, found.mate_in, found.theme)
        10 g4d1 c4f7 2 attackingF2F7
    """
    analysis = _Analysis(library, options)
    return [mistake for game in games_of(games) for mistake in _mistakes(game, analysis)]


class _Analysis:
    def __init__(self, library: Library | None, options: Options) -> None:
        settings = {name: value for name, value in options.items() if name not in ("side", "player")}
        self._settings = read_settings(**settings)
        selection = Selection(chosen(Side, options.get("side", Side.BOTH)), options.get("player"))
        self.request = AnalysisRequest.from_settings(self._settings, AnalysisOptions(selection=selection))
        self._known = known_traps(usual_library() if library is None else library, self._settings.measure)
        self.counts = Counts()

    def batches(self, text: str) -> list[AnnotatedBatch]:
        """The annotated text in parts."""
        with threads(self.request.jobs, "analyze") as pool:
            chunks = [text.encode()]
            return list(annotate_stream(chunks, "the game", self.request, self._known, self.counts, pool.executor))

    def check_read(self) -> None:
        """Raises `InputError` if a game was skipped."""
        if self.counts.games_skipped:
            raise InputError("the game cannot be analysed: {why}", why=next(iter(self.counts.unread), "it is empty"))


def _annotated(analysis: _Analysis, text: str) -> str:
    return b"".join(batch.text for batch in analysis.batches(text)).decode()


def _mistakes(game: chess.pgn.Game, analysis: _Analysis) -> Iterator[Mistake]:
    batches = analysis.batches(pgn_of(game))
    analysis.check_read()
    nodes = list(game.mainline())
    for found in (each for batch in batches for each in batch.games):
        lost = {event.ply: event for event in found.events if event.event is Event.FELL and event.proved}
        for ply, event in sorted(lost.items()):
            yield _mistake(nodes[ply - 1], event, words(event, analysis.request.style.narrator))


def _mistake(node: chess.pgn.ChildNode, event: TrapEvent, sentence: str) -> Mistake:
    line = tuple(map(chess.Move.from_uci, event.killer_line))
    theme, *_ = themes_of_line(event.fen, (event.bait, *event.killer_line), event.kind or "quiet")
    return Mistake(
        node=node,
        move=node.move,
        killer=line[0],
        line=line,
        best=None if event.best is None else chess.Move.from_uci(event.best),
        mate_in=event.proof.mate_in,
        cost=None if event.loss is None else max(0.0, event.loss) / 2,
        theme=theme,
        trap=event.trap if event.known else None,
        sentence=sentence,
    )


def pgn_of(game: chess.pgn.Game) -> str:
    """The game as PGN on one line of moves, its comments and variations too."""
    return f"{game.accept(chess.pgn.StringExporter(columns=None))}\n\n"


def carry_over(game: chess.pgn.Game, before: str, after: str) -> None:
    """Adds to the nodes of ``game`` what the annotated text ``after`` has more than ``before``, which is `pgn_of` it.

    Words that were replaced in the text are replaced in their node. Everything else of the game stays as it is.
    """
    for node, old, new in zip(game.mainline(), _moves(before), _moves(after), strict=True):
        node.nags |= new.nags
        if new.comment != old.comment:
            node.comment = new.comment
        assert node.parent is not None
        assert old.parent is not None
        assert new.parent is not None
        # The annotator writes its variations behind those that are there.
        for variation in new.parent.variations[len(old.parent.variations) :]:
            variation.parent = node.parent
            node.parent.variations.append(variation)


def _moves(text: str) -> list[chess.pgn.ChildNode]:
    game = chess.pgn.read_game(io.StringIO(text))
    assert game is not None
    return list(game.mainline())
