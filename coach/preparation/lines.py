"""A player's own repertoire: PGN with variations, such as an exported study, as a graph of positions.

A position counts, not the moves that led to it. So lines that transpose into each other are one line from there on.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path

import chess
import chess.pgn

from db.storage.collation import plain
from db.traps.terms import SIDES, Side
from db.wording import moves
from trapcore import _native
from trapcore.errors import InputError, Message
from trapcore.io.streams import open_bytes


@dataclass(frozen=True, slots=True)
class Way:
    """How a position of the repertoire is reached."""

    text: str
    """Moves with their numbers, ``1.e4 e5 2.Nf3``; empty at the start."""
    half_move: int
    """Of the next move: twice its number, plus one if Black moves."""

    def then(self, *sans: str) -> str:
        """The way with more moves behind it."""
        return f"{self.text} {self.next(*sans)}".strip() if sans else self.text

    def next(self, *sans: str) -> str:
        """Only these moves, with their numbers, as they stand behind the way."""
        words = moves.line(sans, self.half_move)
        return words.partition("...")[2] if self.text and self.half_move % 2 else words


@dataclass(slots=True)
class Lines:
    """A repertoire for one colour."""

    colour: Side
    chapters: int = 0
    is_guessed: bool = False
    """Nothing says whose repertoire it is; this colour has fewer choices in it."""
    ways: dict[str, Way] = field(default_factory=dict)
    """Each position by its EPD, with the way that was read first."""
    moves: dict[str, dict[str, str]] = field(default_factory=dict)
    """SAN by EPD and UCI."""
    after: dict[str, dict[str, str]] = field(default_factory=dict)
    """EPD of the position that each move leads to, likewise."""
    comments: dict[tuple[str, str], str] = field(default_factory=dict)
    """What the file says of a move, by EPD and UCI, as it was read first."""
    parents: dict[str, dict[str, str]] = field(default_factory=dict)
    """For each position the positions before it, with the line to it over each."""

    def is_mine(self, epd: str) -> bool:
        """Whether the player whose repertoire it is moves in a position."""
        return epd.split()[1] == self.colour[0]

    def answers(self, epd: str) -> tuple[str, ...]:
        """SAN of the moves that the repertoire has in a position."""
        return tuple(self.moves.get(epd, {}).values())

    def starts(self) -> list[str]:
        """The positions in which lines begin."""
        return [epd for epd, way in self.ways.items() if not way.text]

    def mine(self) -> list[str]:
        """The positions that have a move of the player whose repertoire it is."""
        return [epd for epd in self.moves if self.is_mine(epd)]

    def add(self, game: chess.pgn.Game) -> None:
        """Add all variations of a chapter; what follows a null move is left out."""
        self.chapters += 1
        start = game.board()
        waiting: list[tuple[chess.pgn.GameNode, chess.Board, Way]] = [
            (game, start, Way("", 2 * start.fullmove_number + (not start.turn)))
        ]
        while waiting:
            node, board, way = waiting.pop()
            epd = _native.epd(board.fen())
            self.ways.setdefault(epd, way)
            later = []
            for child in node.variations:
                if child.move:
                    uci, after = board.uci(child.move), board.copy(stack=False)
                    san = after.san_and_push(child.move)
                    reached = _native.epd(after.fen())
                    self.moves.setdefault(epd, {})[uci] = san
                    self.after.setdefault(epd, {})[uci] = reached
                    self.parents.setdefault(reached, {}).setdefault(epd, way.then(san))
                    if said := plain_comment(child.comment):
                        self.comments.setdefault((epd, uci), said)
                    later.append((child, after, Way(way.then(san), way.half_move + 1)))
            waiting += reversed(later)


def plain_comment(comment: str) -> str:
    """A comment without the commands of programs in it, such as arrows and clocks."""
    return " ".join(_COMMAND.sub(" ", comment).split())


def read_lines(path: Path, *, colour: Side | None = None, player: Collection[str] = ()) -> list[Lines]:
    """As `lines_of`, of a file, which may be packed."""
    with open_bytes(path) as reader:
        return lines_of(b"".join(reader), str(path), colour=colour, player=player)


def lines_of(data: bytes, name: str, *, colour: Side | None = None, player: Collection[str] = ()) -> list[Lines]:
    """The repertoire for White, that for Black, or both, by what the chapters of some PGN say; errors call it ``name``.

    The colour of a chapter is ``colour``, or that of its tag Orientation, or that of the ``player`` among its tags. Of
    the other chapters together it is the side that has fewer choices. Raises `InputError`, with game and move, for a
    file that cannot be read, and for one that does not tell whose it is.
    """
    found: dict[Side, Lines] = {side: Lines(side) for side in SIDES}
    unsaid = []
    for number, game in enumerate(_chapters(data, name), start=1):
        side = colour or _side_named(game, player)
        if side is None:
            unsaid.append((number, game))
        else:
            found[side].add(game)
    if unsaid:
        together = Lines("white")
        for _, game in unsaid:
            together.add(game)
        side = _side_with_fewer_choices(together)
        if side is None:
            number, game = unsaid[0]
            event = game.headers.get("Event", "?")
            raise InputError(
                "{name}, game {game}: nothing says whose repertoire this is; choose the colour, in a shell "
                "by --color white or --color black",
                name=name,
                game=number if event == "?" else f"{number} ({event})",
            )
        found[side].is_guessed = True
        for _, game in unsaid:
            found[side].add(game)
    lines = [each for each in found.values() if each.moves]
    if not lines:
        raise InputError("{name}: there is no game with moves in it", name=name)
    return lines


def text_of(data: bytes, name: str) -> str:
    """The text of some PGN. Raises `InputError` if it is no text; errors call it ``name``."""
    if b"\0" in data:
        raise InputError("{name}: this is no text; give PGN", name=name)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def _chapters(data: bytes, name: str) -> Iterator[chess.pgn.Game]:
    source = StringIO(text_of(data, name))
    number = 1
    try:
        start = 0
        while (game := chess.pgn.read_game(source, Visitor=_Strict)) is not None:
            _check_words(source.getvalue()[start : source.tell()])
            start = source.tell()
            if (variant := game.board().uci_variant) != "chess":
                raise InputError("it is no chess but {variant}", variant=variant)
            yield game
            number += 1
    except (InputError, ValueError) as error:
        reason = error.message if isinstance(error, InputError) else str(error)
        raise InputError("{name}, game {number}: {reason}", name=name, number=number, reason=reason) from error


_COMMAND = re.compile(r"\[%[^\][]*\]")
_NO_MOVETEXT = re.compile(r"\{[^}]*\}|;[^\n]*|^[\[%][^\n]*", re.MULTILINE)
_SIGNS = {"e.p.", "ep", "N", "D"}
"""Words that some programs write behind a move: en passant, a novelty, a diagram."""


def _check_words(text: str) -> None:
    """Raise `InputError` for a word of a game that is no move, which python-chess would skip."""
    left = chess.pgn.MOVETEXT_REGEX.sub(" ", _NO_MOVETEXT.sub(" ", text))
    word = next((word for word in left.split() if word[0].isalpha() and word not in _SIGNS), None)
    if word is not None:
        raise InputError("{move} is no move", move=word)


class _Strict(chess.pgn.GameBuilder[chess.pgn.Game]):
    """Reads all variations and stops at the first error: what is left out of a repertoire would look like a gap."""

    def handle_error(self, error: Exception) -> None:
        """Raise the error with its place."""
        board = self.variation_stack[-1].board()
        move = re.search(r"(illegal|invalid|ambiguous) san: '(.*?)'", str(error))
        reason: Message | str = str(error)
        if move is not None:
            gaps = {"move": move[2]}
            reason = {
                "illegal": Message("{move} is not legal", gaps),
                "invalid": Message("{move} is no move", gaps),
                "ambiguous": Message("{move} can be more than one move", gaps),
            }[move[1]]
        start = self.game.board()
        half_move = 2 * start.fullmove_number + (not start.turn)
        before = moves.line((node.san() for node in _line_to(self.variation_stack[-1])), half_move)
        if before:
            raise InputError(
                "move {number}: {reason} after {line}", number=board.fullmove_number, reason=reason, line=before
            )
        raise InputError("move {number}: {reason}", number=board.fullmove_number, reason=reason)


def _line_to(node: chess.pgn.GameNode) -> list[chess.pgn.ChildNode]:
    line: list[chess.pgn.ChildNode] = []
    while isinstance(node, chess.pgn.ChildNode):
        line.append(node)
        node = node.parent
    return line[::-1]


def _side_named(game: chess.pgn.Game, player: Collection[str]) -> Side | None:
    """The side that the tags of a chapter name."""
    orientation = game.headers.get("Orientation", "").strip().lower()
    names = {plain(name) for name in player}
    for side in SIDES:
        if orientation == side:
            return side
    has = [side for side in SIDES if plain(game.headers.get(side.capitalize(), "")) in names]
    return has[0] if len(has) == 1 else None


def _side_with_fewer_choices(lines: Lines) -> Side | None:
    """A player has one answer where his opponents have many."""
    choices = Counter[str]()
    for epd, known in lines.moves.items():
        choices[epd.split()[1]] += len(known) - 1
    return None if choices["w"] == choices["b"] else "white" if choices["w"] < choices["b"] else "black"
