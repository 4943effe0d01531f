"""Comments, signs and variations carried from annotated text to the nodes of a game."""

import io

import chess.pgn


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
