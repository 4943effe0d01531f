"""A PGN game as a trap.

What is read of a game, variations and comments aside:

==============================  =====================================================================================
the moves, from the start or    up to the bait: how the trap arises; from it on: bait and killer line, to the end of
from the tag FEN                the main line
the bait                        the move of the tag ``Bait``, a ply counted from 1 or a SAN; else the last main-line
                                move marked ``??`` or ``?`` (``$4``, ``$2``) that another move follows
name                            tag ``Event``; if that is empty or ``?``, White and Black
slug, family, opening, source   tags ``TrapSlug``, ``Family`` (else ``other``), ``Opening``, ``Source`` (else the file)
ECO                             tag ``ECO``
why it is no trap               tag ``Reason``
==============================  =====================================================================================

The proof that the tags of an exported trap state is not read: the trap is proved again.
"""

import re
from io import StringIO

import chess
import chess.pgn

from db.formats.pgn_export import TEXT_TAGS
from db.traps.trap import Trap, TrapLabels, make_trap
from trapcore.errors import InputError
from trapcore.io.bounded_numbers import whole_number

# Without a group that is repeated, which would take 64 bytes of memory for each of millions of blank lines.
_BLANK_LINES = re.compile(r"\n[ \t\n]*\n")

_LOSING = {chess.pgn.NAG_BLUNDER, chess.pgn.NAG_MISTAKE}


def game_trap(text: str, *, source: str) -> Trap:
    """The checked trap of one game; ``source`` is where it comes from, unless a tag says so.

    It is undecided. Raises `InputError` for a game that is no trap.
    """
    # Two blank lines after the tags would end the game for python-chess.
    try:
        game = chess.pgn.read_game(StringIO(_BLANK_LINES.sub("\n\n", text)), Visitor=_Quiet)
    except ValueError as error:
        raise InputError("there is a number in it that is too long") from error
    if game is None:
        raise InputError("it has neither tags nor moves")
    if game.errors:
        raise InputError(str(game.errors[0]))
    start = game.board()
    if start.uci_variant != "chess":
        raise InputError(f"it is no chess but {start.uci_variant}")
    nodes = list(game.mainline())
    bait = _bait(nodes, _tag(game, "Bait"))
    before = nodes[bait].parent
    labels: TrapLabels = {
        "slug": _tag(game, "TrapSlug") or None,
        "family": _tag(game, "Family") or "other",
        "source": _tag(game, "Source") if "Source" in game.headers else source,
    }
    for tag, field in TEXT_TAGS.items():
        labels[field] = _tag(game, tag)
    labels["eco"] = labels["eco"].removesuffix("?")
    return make_trap(
        name=_name(game),
        fen=before.board().fen() if "FEN" in game.headers else None,
        moves=None if "FEN" in game.headers else chess.Board().variation_san([node.move for node in nodes[:bait]]),
        bait=nodes[bait].uci(),
        killer_line=[node.uci() for node in nodes[bait + 1 :]],
        **labels,
    )


class _Quiet(chess.pgn.GameBuilder[chess.pgn.Game]):
    """Reads the main line and keeps the errors to itself; python-chess would log them."""

    def begin_variation(self) -> chess.pgn.SkipType:  # type: ignore[override] # GameBuilder narrows what a visitor may
        return chess.pgn.SKIP

    def end_variation(self) -> None:
        """Nothing was begun, though python-chess ends it."""

    def handle_error(self, error: Exception) -> None:
        self.game.errors.append(error)


def _tag(game: chess.pgn.Game, name: str) -> str:
    """Value of a tag as it was meant: without the backslashes that protect quotes, and empty for ``?``."""
    value = re.sub(r'\\(["\\])', r"\1", game.headers.get(name, "")).strip()
    return "" if value == "?" else value


def _name(game: chess.pgn.Game) -> str:
    if event := _tag(game, "Event"):
        return event
    white, black = _tag(game, "White"), _tag(game, "Black")
    if not white and not black:
        raise InputError("it has no name: give the tag Event")
    return f"{white or '?'} - {black or '?'}"


def _bait(nodes: list[chess.pgn.ChildNode], tag: str) -> int:
    """Index of the bait in the main line."""
    if not tag:
        marked = [number for number, node in enumerate(nodes[:-1]) if node.nags & _LOSING]
        if not marked:
            raise InputError("no move that another one follows is marked ? or ??, and there is no tag Bait")
        return marked[-1]
    if tag.isdecimal():
        try:
            return whole_number(tag, 1, len(nodes) - 1) - 1
        except ValueError as error:
            raise InputError(f"the bait is said to be ply {tag[:20]}, but it must be 1 to {len(nodes) - 1}") from error
    wanted = tag.rstrip("!?+#")
    found = [number for number, node in enumerate(nodes[:-1]) if node.san().rstrip("+#") == wanted]
    if len(found) != 1:
        raise InputError(f"the bait {tag} occurs {len(found)} times before the last move; give its ply instead")
    return found[0]
