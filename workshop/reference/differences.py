"""The difference that a mistake makes to the local trees of both sides, in plain Python: the definition of the core's.

Compared are the opponent's tree after the mistake, his tree after a pass in its place, and the squares of the killer
before the mistake and after it. The similarity of two mistakes is the weight of the tokens that they share over the
weight of those that either has (`db.patterns.index` has the weights).
"""

from collections.abc import Sequence

import chess

from trapcore import _native
from trapcore.proof.themes import line_themes
from trapcore.ranking.token_fields import FIELD_BITS, KINDS, fields_of
from trapcore.trees.chess_game import parse_position
from workshop.reference.attacker_view import after
from workshop.reference.tokens import NOT_NAMING, STAGES, killer_tokens

ADDED_KINDS = [kind for kind in KINDS if STAGES[kind] != "proved" and kind not in NOT_NAMING]
"""Kinds of the killer's tokens that a pass can change; in this order those of what was added follow the vocabulary."""
THEME_COPIES = 4
LABEL = _native.TAKEN_KIND + 1
NO_IDEA = {"mate", "advancedPawn", "opening", "middlegame", "endgame", "oneMove", "short", "long", "veryLong"}
"""Themes that are no labels: they say when something happens or how long it takes, as those of endgames do."""


def difference_tokens(fen: str, line: Sequence[str], labels: Sequence[tuple[str, int]] = ()) -> set[int]:
    """The token set of a mistake: ``line`` (UCI) is the mistake and the proved line, two moves at least.

    ``labels``: names and the tokens that each weighs. Raises what `killer_tokens` and `line_themes` do.
    """
    mistake, killer = line[:2]
    tokens = killer_tokens(fen, mistake, line[1:])
    board = parse_position(fen)
    passed = board.copy(stack=False)
    passed.turn, passed.ep_square = not board.turn, None
    could = passed.is_valid() and chess.Move.from_uci(killer) in passed.legal_moves
    earlier = killer_tokens(passed.fen(), None, [killer]) if could else set()
    added = {_added(one) for one in tokens - earlier if fields_of(one)[0] in ADDED_KINDS}
    named = [(theme.name, THEME_COPIES) for theme in line_themes(fen, line) if _is_idea(theme.name)]
    copies = {one for name, count in (*named, *labels) for one in _label(name, count)}
    return tokens | added | _taken(board, after(board, board.parse_uci(mistake)), killer) | copies


def _added(token: int) -> int:
    kind, fields = fields_of(token)[0], token & (1 << FIELD_BITS) - 1
    return len(KINDS) + ADDED_KINDS.index(kind) << FIELD_BITS | fields


def _taken(before: chess.Board, now: chess.Board, killer: str) -> set[int]:
    """Guards of the killer's target and origin that the mover lost, attackers of the target that the opponent won."""
    move = chess.Move.from_uci(killer)
    found = set()
    for place, square, color in ((0, move.to_square, before.turn), (1, move.from_square, before.turn)):
        found |= {(place, role) for role in _fewer(now, before, square, color)}
    found |= {(2, role) for role in _fewer(before, now, move.to_square, not before.turn)}
    return {_native.TAKEN_KIND << FIELD_BITS | place << 3 | role for place, role in found}


def _fewer(less: chess.Board, more: chess.Board, square: int, color: chess.Color) -> list[chess.PieceType]:
    """Pieces that attack the square in smaller numbers on the first board than on the second."""
    counts = [
        [int(board.attackers(color, square) & board.pieces(role, color)).bit_count() for board in (less, more)]
        for role in chess.PIECE_TYPES
    ]
    return [role for role, (few, many) in zip(chess.PIECE_TYPES, counts, strict=True) if few < many]


def _label(name: str, copies: int) -> list[int]:
    digest = 0x811C9DC5
    for byte in name.encode():
        digest = (digest ^ byte) * 0x01000193 & 0xFFFFFFFF
    return [LABEL << FIELD_BITS | copy << 24 | digest >> 8 for copy in range(min(copies, 8))]


def _is_idea(theme: str) -> bool:
    return theme not in NO_IDEA and not theme.startswith("mateIn") and not theme.endswith("Endgame")
