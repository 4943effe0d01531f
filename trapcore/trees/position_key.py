"""The position key: the name of a position in every library and index on disk, 16 bytes.

It is FROZEN. A change would make every stored library and index unreadable, so it needs a new
``_native.POSITION_KEY_VERSION``; ``tests/golden/position_keys.toml`` holds it in place.
A hash of the EPD and no Zobrist key, because anyone can recompute it in one line of any language and it depends on no
library's tables. Two positions by chance share a key once in 2**64 positions or so.
"""

import hashlib

import chess

from trapcore.trees.chess_game import parse_position


def position_key(position: chess.Board | str) -> bytes:
    """16 bytes: BLAKE2b-128 of the position's canonical EPD in ASCII, from a board or a FEN.

    The EPD has pieces, side to move, castling rights in X-FEN and the en passant square if such a capture is legal;
    move counters do not belong to the key. The definition of ``_native.position_key``. Raises ``PositionError``.
    """
    return hashlib.blake2b(canonical_epd(position).encode("ascii"), digest_size=16).digest()


def canonical_epd(position: chess.Board | str) -> str:
    """The EPD that stands for the position; the same for every FEN of it. Raises ``PositionError``."""
    return _normal(position).epd(en_passant="legal")


def mirror(position: chess.Board | str) -> str:
    """The canonical EPD of the position with colours exchanged and ranks turned over, the other side to move."""
    return _normal(position).mirror().epd(en_passant="legal")


def mirror_move(move: str) -> str:
    """A move, in UCI or SAN, with the ranks turned over: the same move in the position that `mirror` gives."""
    return "".join(str(9 - int(letter)) if letter.isdigit() else letter for letter in move)


def _normal(position: chess.Board | str) -> chess.Board:
    # Boards go through their FEN too, so that a Chess960 flag or stale castling rights make no difference.
    return parse_position(position if isinstance(position, str) else position.fen())
