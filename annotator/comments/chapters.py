"""Chapters of a study: an annotated game, and a lesson out of each trap that somebody fell for.

A lesson is the position before the bait. Its main line is the best move, and the bait is a variation with what follows,
which lichess shows to a learner who plays it (https://lichess.org/study, interactive lessons).
"""

from collections.abc import Iterable, Mapping

import chess
import chess.pgn

from annotator.comments.evidence import evidence_of, half_move
from annotator.events import TrapEvent
from db.traps.terms import Event
from db.wording import moves
from db.wording.names import safe_name
from db.wording.sentences import Narrator
from lichess.api import Color
from lichess.studies import Chapter
from trapcore.trees.chess_game import parse_position

MOST_LESSONS = 3
"""Lessons out of one game, at most; the costliest falls count."""


def game_chapter(game: str, tags: Mapping[str, str], pgn: str, side: Color) -> Chapter:
    """The chapter of an annotated game with this id, seen from ``side``."""
    return Chapter(game, f"{tags.get('White', '?')} – {tags.get('Black', '?')}", pgn.strip() + "\n", side)


def lessons(game: str, events: Iterable[TrapEvent], narrator: Narrator, side: Color | None = None) -> list[Chapter]:
    """Lessons out of the traps of a game that were fallen for, by ``side`` if one is given."""
    fallen = [
        event
        for event in events
        if event.event is Event.FELL and event.proved and (side is None or event.mover == side)
    ]
    fallen.sort(key=lambda event: (event.proof.mate_in is None, -(event.loss or 0.0)))
    return [_lesson(game, event, narrator) for event in sorted(fallen[:MOST_LESSONS], key=lambda event: event.ply)]


def _lesson(game: str, event: TrapEvent, narrator: Narrator) -> Chapter:
    evidence, words = evidence_of(event), narrator.language.practice
    at = half_move(event, event.trap_ply)
    board = parse_position(event.fen)
    board.fullmove_number = at // 2
    made = chess.pgn.Game()
    side = narrator.language.sides[board.turn]
    orientation: Color = "white" if board.turn else "black"
    if event.best is None:
        # Nothing better is known: the learner finds what the bait loses to.
        bait = moves.line([event.bait_san], at)
        board.push_uci(event.bait)
        other = narrator.language.sides[board.turn]
        orientation = "white" if board.turn else "black"
        made.setup(board)
        made.comment = words["ask_killer_after"].format(side=other, last=bait)
        node: chess.pgn.GameNode = made
    else:
        made.setup(board)
        made.comment = words["ask_safe"].format(side=side)
        best = made.add_main_variation(board.parse_uci(event.best))
        best.comment = words["right"].format(move=moves.line([board.san(best.move)], at))
        node = made.add_variation(board.parse_uci(event.bait))
        node.nags.add(chess.pgn.NAG_BLUNDER)
        node.comment = narrator.fell(evidence)
    for uci in event.killer_line:
        node = node.add_variation(node.board().parse_uci(uci))
    made.headers["Event"] = f"{safe_name(evidence.name) or 'Lesson'}"
    made.headers["Result"] = "*"
    if board.chess960:
        made.headers["Variant"] = "Chess960"
    name = f"Lesson: {safe_name(evidence.name) or moves.line([event.bait_san], at)}"
    pgn = made.accept(chess.pgn.StringExporter(columns=80))
    return Chapter(f"{game}-{event.trap_ply}", name, f"{pgn}\n", orientation, is_lesson=True)
