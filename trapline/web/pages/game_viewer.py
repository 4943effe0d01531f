"""Steps of the viewers: those of a trap's line, and an annotated game: comments, variations, arrows and values."""

import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import chess
import chess.pgn
import chess.svg

from annotator.comments.evaluations import stated_chance
from db.games.phases import phase_of
from db.traps.openings import Opening, opening_of
from db.traps.trap import Trap
from db.wording.languages.grammar import Grammar
from trapcore import _native
from trapcore.errors import InputError
from trapcore.io.plain_text import harmless_line
from trapline.web.pages.boards import Picture
from trapline.web.pages.rendering import address, start_number

MOST_PLIES = 1000
"""Half-moves of a game that are shown; the rules end a game between people long before."""
LONGEST_VARIATION = 60
"""Half-moves of a variation that are shown; each is a link that holds all moves before it."""
MOST_VARIATIONS = 1000
"""Variations of a game that are shown."""
MOST_BYTES = 1 << 18
"""Longest text of a game that is shown; it is read at some hundred kilobytes a second, and nobody can stop that."""

# Without `[` inside: each of many that are not closed would be searched for to the end of the comment.
_COMMENT_COMMANDS = re.compile(r"\[%[^\][]*\]")
_NAG_SYMBOLS = {1: "!", 2: "?", 3: "!!", 4: "??", 5: "!?", 6: "?!"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """Step of a viewer: a position of the line."""

    ply: int
    """Half-moves made since the beginning of the line."""
    number: str
    """``5...`` or ``6.`` where one is written before the move, else empty."""
    san: str
    """The move that led here; empty at the beginning."""
    kind: str
    """``bait``, ``killer`` or empty."""
    picture: Picture
    caption: str
    url: str


def trap_steps(trap: Trap, language: Grammar, *, flipped: bool, path: str = "") -> list[Step]:
    """Steps of a trap: its position, then each move of its bait and killer line; ``path`` of the page, by default the
    trap's own."""
    board = start_number(trap)
    path = path or f"/traps/{trap.slug}"
    killer = trap.killer_line[0]
    victim, attacker = language.sides[board.turn], language.sides[not board.turn]
    sans = trap.sans()
    steps = []
    for ply in range(len(trap.line) + 1):
        last = trap.line[ply - 1] if ply else ""
        number = move_number(board, ply == 1) if ply else ""
        if ply:
            board.push(chess.Move.from_uci(last))
        picture = Picture(
            fen=board.fen(),
            last=last,
            bait=trap.bait if ply == 0 else "",
            killer=killer if ply < 2 else "",
            flipped=flipped,
        )
        if ply == 0:
            caption = language.text(
                "%(side)s is to move. The bait is %(bait)s, the red arrow; the killer %(killer)s, the green one.",
                side=victim,
                bait=sans[0],
                killer=sans[1],
            )
        elif ply == 1:
            caption = language.text(
                "%(victim)s has taken the bait. %(attacker)s answers %(killer)s, the green arrow.",
                victim=victim,
                attacker=attacker,
                killer=sans[1],
            )
        else:
            side = attacker if ply % 2 == 0 else victim
            caption = language.text("%(side)s has played %(move)s.", side=side, move=sans[ply - 1])
            if board.is_checkmate():
                caption += f" {language.text('That is mate.')}"
        steps.append(
            Step(
                ply=ply,
                number=number,
                san=sans[ply - 1] if ply else "",
                kind={1: "bait", 2: "killer"}.get(ply, ""),
                picture=picture,
                caption=caption,
                url=address(path, ply=ply or None, side="black" if flipped else None),
            )
        )
    return steps


def move_number(board: chess.Board, first: bool) -> str:
    """Number before the next move: ``6.`` for White, ``5...`` for Black where a line begins, else empty."""
    if board.turn:
        return f"{board.fullmove_number}."
    return f"{board.fullmove_number}..." if first else ""


def around(urls: list[str], at: int) -> tuple[str | None, str | None, str | None, str | None]:
    """URLs of the first, previous, next and last step, seen from that at the index ``at``; None where there is none."""
    back, on = at > 0, at < len(urls) - 1
    return (
        urls[0] if back else None,
        urls[at - 1] if back else None,
        urls[at + 1] if on else None,
        urls[-1] if on else None,
    )


@dataclass(frozen=True, slots=True)
class Word:
    """Part of a comment or of a variation: text, or a move."""

    text: str
    url: str = ""
    """Page of the position after the move; empty for text."""


@dataclass(frozen=True)
class Ply:
    """Move of the main line, or the beginning of the game."""

    ply: int
    """Half-moves played; 0 at the beginning."""
    number: str
    """``5.`` where it is White's move or the line begins with Black's, else empty."""
    san: str
    """With its sign: ``Bxd1??``; empty at the beginning."""
    words: tuple[tuple[Word, ...], ...]
    """Comment and variations after the move, each a line."""
    picture: Picture
    chance: float | None
    """White's win chance as the file gives it, -1..1; None if it gives none."""
    phase: str
    """Of the game after this half-move, of `db.games.phases.PHASES`."""

    @cached_property
    def epd(self) -> str:
        """Canonical EPD of the position."""
        return _native.epd(self.picture.fen)

    @property
    def comments(self) -> tuple[str, ...]:
        """The same words as texts."""
        return tuple(" ".join(word.text for word in line) for line in self.words)


@dataclass(frozen=True, slots=True)
class GameView:
    """Game to step through."""

    tags: dict[str, str]
    plies: tuple[Ply, ...]
    is_cut: bool
    """Whether the game goes on after the last of them."""

    def opening(self, ply: int) -> Opening | None:
        """Opening of the game as far as this half-move; None if it has no name."""
        return opening_of(each.epd for each in self.plies[: ply + 1])


def view_game(text: bytes, encoding: str, *, flipped: bool) -> GameView:
    """First game of a PGN text, its first `MOST_PLIES`. Raises `InputError` if there is none that can be shown."""
    if len(text) > MOST_BYTES:
        raise InputError(
            "this game has {length:,} bytes of text, and its page shows games of at most {most:,}; the annotated file "
            "has it",
            length=len(text),
            most=MOST_BYTES,
        )
    try:
        game = chess.pgn.read_game(io.StringIO(text.decode(encoding, "replace")))
    except ValueError as error:  # a number with thousands of digits
        raise InputError("this game cannot be shown: there is a number in it that is too long") from error
    if game is None:
        raise InputError("there is no game in this text")
    try:
        return view_of(game, flipped=flipped)
    except ValueError as error:  # of its tags Variant and FEN
        reason = harmless_line(str(error))[:100]
        raise InputError(
            "this game cannot be shown: its position or variant cannot be read ({reason})", reason=reason
        ) from error


def view_of(game: chess.pgn.Game, *, flipped: bool) -> GameView:
    """View of a game, of its first `MOST_PLIES`, Black below if ``flipped``."""
    # One board for the whole game: a node's own would be played up to from the beginning, for each node again.
    board = game.board()
    usual_start = board == chess.Board()
    plies: list[Ply] = []
    left = MOST_VARIATIONS
    node: chess.pgn.GameNode | None = game
    while node is not None and len(plies) <= MOST_PLIES:
        plies.append(_ply(node, board, len(plies), flipped, left, usual_start))
        if node.parent is not None:
            left = max(0, left + 1 - len(node.parent.variations))
        node = node.next()
    return GameView(dict(game.headers), tuple(plies), is_cut=node is not None)


def _ply(node: chess.pgn.GameNode, board: chess.Board, ply: int, flipped: bool, most: int, usual_start: bool) -> Ply:
    """The half-move that led to the node, which is played on ``board``, with at most so many variations."""
    before = node.parent
    number = san = ""
    words = [_comment(node.comment)]
    if before is not None:
        assert node.move is not None
        number = move_number(board, before.parent is None)
        san = board.san(node.move) + next((sign for nag, sign in _NAG_SYMBOLS.items() if nag in node.nags), "")
        # PGN writes other moves in this place after the move of the main line.
        words += [tuple(_variation(board, other)) for other in before.variations[1 : 1 + most]]
        board.push(node.move)
    red = [arrow for arrow in node.arrows() if arrow.tail != arrow.head and arrow.color == "red"]
    green = [arrow for arrow in node.arrows() if arrow.tail != arrow.head and arrow.color == "green"]
    picture = Picture(
        fen=board.fen(),
        last="" if node.move is None else node.move.uci(),
        bait=_arrows(red),
        killer=_arrows(green),
        flipped=flipped,
    )
    phase = phase_of(board, ply + 1, usual_start=usual_start)
    return Ply(ply, number, san, tuple(filter(None, words)), picture, stated_chance(node), phase)


def _arrows(arrows: Sequence[chess.svg.Arrow]) -> str:
    named = (f"{chess.square_name(arrow.tail)}{chess.square_name(arrow.head)}" for arrow in arrows)
    return ",".join(dict.fromkeys(named))


def _comment(comment: str) -> tuple[Word, ...]:
    """A comment without the commands for arrows and clocks; nothing if it has no text."""
    text = " ".join(_COMMENT_COMMANDS.sub(" ", comment).split())
    return (Word(text),) if text else ()


def _variation(before: chess.Board, first: chess.pgn.ChildNode) -> Iterator[Word]:
    """The main line of a variation with its comments, each move a link: ``(6.Bxf7+ Ke7 7.Nd5#)``."""
    board = before.copy(stack=False)
    start, line = board.fen(), [first.move.uci()]
    opened, is_first = "(", True
    node: chess.pgn.ChildNode | None = first
    while node is not None:
        if len(line) > LONGEST_VARIATION:
            yield Word("…)")
            return
        number = move_number(board, is_first)
        san = board.san_and_push(node.move)
        comment = _comment(node.comment)
        following = node.next()
        closed = ")" if following is None and not comment else ""
        yield Word(f"{opened}{number}{san}{closed}", address("/position", fen=start, line=",".join(line)))
        opened, is_first = "", bool(comment)
        for word in comment:
            yield Word(f"[{word.text}]{')' if following is None else ''}")
        node = following
        if node is not None:
            line.append(node.move.uci())
