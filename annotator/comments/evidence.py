"""Evidence of an event of a game, as the grammar of the sentences takes it."""

import chess

from annotator.comments.glyphs import JUDGEMENTS
from annotator.events import TrapEvent
from db.formats.puzzles import is_puzzle
from db.traps.terms import Event
from db.wording.evidence import Evidence
from db.wording.moves import nag
from trapcore.trees.chess_game import parse_position

ALIKE_FROM = 0.8
"""The idea of a trap is named from this similarity on; below, fewer than six in seven show the same pattern
(docs/research/accuracy.md)."""

_OPENING_HALF_MOVES = 24  # until move 12 a queen that mates on f7 is the scholar's mate


def evidence_of(event: TrapEvent) -> Evidence:
    """What may be said of an event."""
    is_named = event.known and event.trap is not None and not is_puzzle(event.trap)
    cause = next(iter(event.explanation.causes), None) if event.explanation is not None else None
    return Evidence(
        fen=event.fen,
        half_move=half_move(event, event.trap_ply),
        bait=event.bait,
        killer_line=event.killer_line,
        mate_in=event.proof.mate_in,
        before=event.before,
        after=event.after,
        best=event.best,
        best_line=event.best_line_san,
        name=event.trap.name if is_named and event.trap is not None else "",
        mirrored=event.mirrored,
        like=_idea(event),
        signed=_is_signed(event),
        loss=_loss(event),
        settled=event.settled,
        probability=event.own_probability,
        cause=cause.name if cause is not None else "",
        cause_squares=tuple(cause.squares) if cause is not None else (),
    )


def half_move(event: TrapEvent, ply: int) -> int:
    """Twice the full-move number of the move at ``ply``, plus one if it is Black's."""
    return 2 * event.number + (event.mover == "black") + ply - event.ply


def _is_signed(event: TrapEvent) -> bool:
    """Whether the bait has the sign that its cost gives it: where it was played, the game may have another."""
    played = next((each for each in event.anchor.nags if each in JUDGEMENTS), None)
    return event.event is not Event.FELL or played is None or played == nag(event.loss, event.own_probability)


def _loss(event: TrapEvent) -> float | None:
    """What the bait costs, as it was measured here, or for the library's trap."""
    if event.loss is None and event.known and event.proof.mate_in is None and event.trap is not None:
        return event.trap.gain
    return event.loss


def _idea(event: TrapEvent) -> str:
    """Family of a similar trap whose idea the line really shows; else empty."""
    if event.trap is None or event.known or event.similarity < ALIKE_FROM:
        return ""
    board = parse_position(event.fen)
    bait, killer = (chess.Move.from_uci(move) for move in (event.bait, event.killer_line[0]))
    match event.trap.family:
        case "legal":
            # The queen is taken, and the light pieces mate.
            takes_queen = board.piece_type_at(bait.to_square) == chess.QUEEN
            shows = takes_queen and event.proof.mate_in is not None
        case "scholars":
            board.push(bait)
            queen = board.piece_type_at(killer.from_square) == chess.QUEEN
            at_home = chess.square_name(killer.to_square) in ("f2", "f7")
            early = half_move(event, event.trap_ply) <= _OPENING_HALF_MOVES
            shows = event.proof.mate_in == 1 and queen and at_home and early
        case _:
            shows = False
    return event.trap.family if shows else ""
