"""The report: one JSON object a line, for findings and for games that could not be read."""

import json

from annotator.events import TrapEvent
from db.storage.sighting_rows import BY_KEY
from trapcore import _native
from trapcore.trees.position_key import mirror


def finding_line(file: str, game: _native.GameFindings, event: TrapEvent) -> bytes:
    """One finding; ``byte_offset`` is the game's first byte in the decompressed input, ``ply`` counts from 1."""
    line: dict[str, object] = {
        "file": file,
        "game": game.game,
        "byte_offset": game.offset,
        "ply": event.ply,
        "event": event.event.value,
        "trap": event.trap.slug,
        "name": event.trap.name,
        "known": event.known,
        "mirrored": event.mirrored,
        "measure": BY_KEY if event.known else event.measure,
        "score": event.similarity,
        "fen": event.fen,
        "bait": event.bait,
        "bait_san": event.bait_san,
        "killer_line": event.killer_line,
        "killer_line_san": event.killer_line_san,
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
    }
    if event.proof.loss is not None:
        line["proof"] = {**line["proof"], "loss": round(event.proof.loss, 4)}  # type: ignore[dict-item]
    if not event.known:
        line["baselines"] = _baselines(event)
    return _encoded(line)


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


def _baselines(event: TrapEvent) -> dict[str, float]:
    """The paper's two controls, so that a score can be read against what needs no tree at all."""
    position = mirror(event.trap.epd) if event.mirrored else event.trap.epd
    return {
        "move_count_ratio": _native.move_count_ratio(event.fen, position),
        "board": _native.board_similarity(event.fen, position),
    }


def _encoded(line: dict[str, object]) -> bytes:
    return json.dumps(line, ensure_ascii=False).encode("utf-8", "replace") + b"\n"
