"""Comments, signs and variations carried from annotated text to the nodes of a game.

python-chess has one comment a node. It joins the comments of a PGN file with spaces, so that nobody sees afterwards
where one ended. Both directions are here: `pgn_of` writes the commands of a comment, such as arrows, as a comment of
their own, and `carry_over` reads comments one by one.
"""

import io
import re
from collections.abc import Sequence

import chess.pgn

_COMMANDS = re.compile(r"\s*((?:\[%[^\]]*\]\s*)+)(.*)", re.DOTALL)


def _parts(comment: str) -> list[str]:
    """The commands that a comment begins with, such as ``[%csl Rd1][%cal Gc4f7]``, and its words."""
    comment = comment.replace("}", "")  # as python-chess writes it
    found = _COMMANDS.fullmatch(comment)
    parts = [comment] if found is None else list(found.groups())
    return [part.strip() for part in parts if part.strip()]


class _Exporter(chess.pgn.StringExporter):
    """Writes a game on one line of moves, and the commands and the words of a comment one after the other."""

    def __init__(self) -> None:
        super().__init__(columns=None)

    def visit_comment(self, comment: str) -> None:
        for part in _parts(comment):
            super().visit_comment(part)


class _Builder(chess.pgn.GameBuilder[chess.pgn.Game]):
    """Reads a game and keeps the comments after each move apart."""

    def begin_game(self) -> None:
        super().begin_game()
        self.comments: dict[chess.pgn.GameNode, list[str]] = {}

    def visit_comment(self, comment: str) -> None:
        if self.in_variation:
            self.comments.setdefault(self.variation_stack[-1], []).append(comment)
        super().visit_comment(comment)

    def main_line(self) -> list[tuple[chess.pgn.ChildNode, list[str]]]:
        """Each move of the main line with its comments."""
        return [(node, self.comments.get(node, [])) for node in self.game.mainline()]


def pgn_of(game: chess.pgn.Game) -> str:
    """The game as PGN, its comments and variations too."""
    return f"{game.accept(_Exporter())}\n\n"


def carry_over(game: chess.pgn.Game, before: str, after: str) -> None:
    """Adds to the nodes of ``game`` what the annotated text ``after`` has more than ``before``, which is `pgn_of` it.

    A comment that was replaced in the text is replaced in its node. Everything else of the game stays as it is.
    """
    was, now = _read(before), _read(after)
    for node, (old, old_comments), (new, comments) in zip(game.mainline(), was, now, strict=True):
        node.nags |= new.nags
        node.comment = _merged(node.comment, old_comments, comments)
        assert node.parent is not None
        assert old.parent is not None
        assert new.parent is not None
        # The annotator writes its variations behind those that are there.
        for variation in new.parent.variations[len(old.parent.variations) :]:
            variation.parent = node.parent
            node.parent.variations.append(variation)


def _read(text: str) -> list[tuple[chess.pgn.ChildNode, list[str]]]:
    builder = _Builder()
    chess.pgn.read_game(io.StringIO(text), Visitor=lambda: builder)
    return builder.main_line()


def _merged(comment: str, before: Sequence[str], after: Sequence[str]) -> str:
    """The comment of a node without what was taken out, and with what was added; the same text if nothing was."""
    # An author's words and ours, once joined, cannot be told apart by the annotator, which then adds ours again.
    added = [part for part in after if part not in before and part not in comment]
    if any(part not in after for part in before):
        kept = [own for own, part in zip(_parts(comment), before, strict=True) if part in after]
        return " ".join([*kept, *added])
    return " ".join(filter(None, [comment, *added]))
