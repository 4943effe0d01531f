"""The board of a hit as SVG: the position before the bait, the bait in red and the killer in green."""

import chess
import chess.svg

from db.query.answer import Hit

RED, GREEN = "#c0392bcc", "#27864ecc"


def hit_svg(hit: Hit, size: int = 400) -> str:
    """An SVG picture of so many pixels, seen by the attacker, whose trap it is.

    The words of the trap are in its title and description, for those who cannot see it.
    """
    trap = hit.trap
    board = trap.board()
    bait, killer, *_ = trap.sans()
    arrows = [
        chess.svg.Arrow(move.from_square, move.to_square, color=colour)
        for move, colour in ((chess.Move.from_uci(trap.bait), RED), (chess.Move.from_uci(trap.killer_line[0]), GREEN))
    ]
    picture = chess.svg.board(board, orientation=not board.turn, arrows=arrows, size=size)
    title = f"<title>{_escaped(trap.name)}</title><desc>{_escaped(f'{bait} is answered by {killer}')}</desc>"
    head, end, rest = picture.partition(">")
    return f"{head}{end}{title}{rest}\n"


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
