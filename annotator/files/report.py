"""The report: one JSON object a line, for findings, for games that could not be read, and for what was left out."""

import json

from annotator.events import TrapEvent
from annotator.slips import Slip
from db.storage.sighting_rows import BY_KEY
from db.traps.trap import Trap
from trapcore import _native
from trapcore.trees.position_key import mirror


def finding_line(file: str, game: _native.GameFindings, event: TrapEvent) -> bytes:
    """One finding; ``byte_offset`` is the game's first byte in the decompressed input, ``ply`` counts from 1.

    Win chances are the victim's, -1..1, before the bait and after it. ``trap``, ``name``, ``measure`` and ``score`` are
    null where no trap is like it. ``causes`` are those of a move that was played and loses, the first one first, each
    with the squares that it rests on; ``mechanism`` and ``place`` are keys, see `trapcore.proof.causes`. ``bundled``
    counts the patterns that come with trapline and have the first cause and the mechanism.
    """
    trap = event.trap
    line: dict[str, object] = {
        "file": file,
        "game": game.game,
        "byte_offset": game.offset,
        "ply": event.ply,
        "event": event.event.value,
        "trap": event.slug,
        "name": None if trap is None else trap.name,
        "known": event.known,
        "mirrored": event.mirrored,
        "measure": None if trap is None else BY_KEY if event.known else event.measure,
        "score": None if trap is None else event.similarity,
        "fen": event.fen,
        "bait": event.bait,
        "bait_san": event.bait_san,
        "killer_line": event.killer_line,
        "killer_line_san": event.killer_line_san,
        "kind": event.kind,
        "before": _rounded(event.before),
        "after": _rounded(event.after),
        "best": event.best,
        "best_san": event.best_san,
        "best_line_san": event.best_line_san,
        "probability": _rounded(event.probability),
        "causes": event.cause_keys,
        "mechanism": None if event.explanation is None else event.explanation.mechanism,
        "place": None if event.explanation is None else event.explanation.place,
        "bundled": event.bundled,
        "proof": {
            "verdict": event.proof.verdict.value,
            "mate_in": event.proof.mate_in,
            "nodes": event.proof.nodes,
            "by": event.proof.by,
        },
        "white": game.tags.get("White"),
        "black": game.tags.get("Black"),
        "played": event.played,
        "mover": event.mover,
        "played_loss": _rounded(event.played_loss),
        "only_move": event.only_move,
    }
    if event.proof.loss is not None:
        line["proof"] = {**line["proof"], "loss": round(event.proof.loss, 4)}  # type: ignore[dict-item]
    if trap is not None and not event.known:
        line["baselines"] = _baselines(event, trap)
    return _encoded(line)


def slip_line(file: str, game: _native.GameFindings, slip: Slip) -> bytes:
    """One move that costs something and is not proved to lose. Win chances are of who makes it, -1..1, with the best
    move and with this one; lines begin with the best move and with the answer.
    """
    value = slip.value
    return _encoded(
        {
            "file": file,
            "game": game.game,
            "byte_offset": game.offset,
            "ply": value.ply,
            "event": "slip",
            "fen": value.origin,
            "bait": value.played,
            "bait_san": _native.sans(value.origin, (value.played,))[0],
            "killer_line": slip.line,
            "before": _rounded(slip.before),
            "after": _rounded(slip.after),
            "best": slip.best,
            "best_line_san": slip.best_line,
            "white": game.tags.get("White"),
            "black": game.tags.get("Black"),
            "mover": "black" if value.half_move % 2 else "white",
            "played_loss": _rounded(slip.loss),
        }
    )


def skipped_line(file: str, skipped: _native.Skipped) -> bytes:
    """One game that passed through unread, and why."""
    return _encoded(
        {
            "file": file,
            "game": skipped.game,
            "byte_offset": skipped.offset,
            "event": "skipped",
            "reason": skipped.reason,
            "detail": skipped.detail,
        }
    )


def note_line(file: str, note: _native.Note) -> bytes:
    """Something that was left out of a game which was read: at which move, and why."""
    return _encoded(
        {
            "file": file,
            "game": note.game,
            "byte_offset": note.offset,
            "event": "note",
            "ply": note.ply + 1,
            "move": note.number,
            "reason": note.reason,
            "detail": note.detail,
        }
    )


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)


def _baselines(event: TrapEvent, trap: Trap) -> dict[str, float]:
    """The paper's two controls, so that a score can be read against what needs no tree at all."""
    position = mirror(trap.epd) if event.mirrored else trap.epd
    return {
        "move_count_ratio": _native.move_count_ratio(event.fen, position),
        "board": _native.board_similarity(event.fen, position),
    }


def _encoded(line: dict[str, object]) -> bytes:
    return json.dumps(line, ensure_ascii=False).encode("utf-8", "replace") + b"\n"
