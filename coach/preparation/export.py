"""A repertoire as PGN with variations: a chapter for each colour and each position in which its lines begin."""

from collections.abc import Iterable, Sequence
from hashlib import blake2b

import chess
import chess.pgn

from coach.preparation.derive import as_text
from coach.preparation.lines import Lines
from db.traps.terms import side_named
from lichess.studies import Chapter
from trapcore.trees.chess_game import parse_position


def exported(lines: Iterable[Lines]) -> list[chess.pgn.Game]:
    """The chapters of a repertoire, with the comments on its moves.

    A position that an earlier line of the chapter has already ends its line, with a comment that says so.
    """
    return [_chapter(each, start) for each in lines for start in each.starts() if each.moves.get(start)]


def study_chapters(chapters: Sequence[chess.pgn.Game]) -> list[Chapter]:
    """The same for a study. What is in the study already, move for move, has the same mark and is not written again."""
    found = []
    for chapter in chapters:
        pgn = as_text([chapter])
        mark = blake2b(pgn.encode(), digest_size=4).hexdigest()
        colour = side_named(chapter.headers["Orientation"]) or "white"
        found.append(Chapter(mark, chapter.headers["Event"], pgn, colour))
    return found


def _chapter(lines: Lines, start: str) -> chess.pgn.Game:
    chapter = chess.pgn.Game()
    way = lines.ways[start]
    board = parse_position(start)
    board.fullmove_number = way.half_move // 2
    if board != chess.Board():
        chapter.setup(board)
    chapter.headers["Event"] = f"Repertoire for {lines.colour.capitalize()}"
    chapter.headers["Orientation"] = lines.colour
    first: dict[str, str] = {}
    waiting: list[tuple[chess.pgn.GameNode, str, str]] = [(chapter, start, "")]
    while waiting:
        node, epd, line = waiting.pop()
        if epd in first:
            told = f"As after {first[epd] or 'the start'}."
            if lines.moves.get(epd) and told not in node.comment:
                node.comment = f"{node.comment} {told}".strip()
            continue
        first[epd] = line
        later = []
        for uci, reached in lines.after.get(epd, {}).items():
            child = node.add_variation(node.board().parse_uci(uci), comment=lines.comments.get((epd, uci), ""))
            later.append((child, reached, _line_to(chapter, child)))
        waiting += reversed(later)
    return chapter


def _line_to(chapter: chess.pgn.Game, node: chess.pgn.ChildNode) -> str:
    return chapter.board().variation_san(node.board().move_stack)
