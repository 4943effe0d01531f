"""Facts of a line of moves, read off the board: what is lost at its end, by which motif, and how a mate looks.

Nothing here is an opinion: material is counted where nothing is left to be taken, and motifs are those that the core's
predicates find in the line.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import chess

from db.wording.evidence import Evidence
from trapcore import _native
from trapcore.piece_values import POINTS
from trapcore.proof.themes import LineTheme, line_themes
from trapcore.trees.chess_game import parse_position

LATEST_PLY = 7
"""Material that falls later than so many plies into the line is not called lost by the move: too much lies between."""

AT_ONCE = 3
"""Until this ply of the line a piece falls at once."""

MUCH_LATER = 4
"""So many plies later falls what has little to do with that."""

LATEST_MOTIF = 3
"""A motif that comes later than so many plies into the line is not told."""

BETTER = 0.2
"""Win chance (-1..1) from which a side is said to have the advantage, 60 %."""

_PAWN = 100  # centipawns that an exchange wins at least to count
_MINOR = 50  # centipawns by which bishop and knight differ at most, as exchanges count them
_RETAKEN = 60  # centipawns for each point of a loss that an exchange takes back at least where the loss is not plain
_DECIDED = 0.6  # win chance beyond which material changes little
_A_POINT = 0.1  # win chance that a point of material costs at least in a game that is not decided
_DRAWN = 0.02  # win chance of a game that ends in a perpetual check, as a search sees it
_MUCH = {1: 0.45, 2: 0.7}  # win chance that nobody loses for the sake of so many pawns


MATES = (
    "backRankMate", "smotheredMate", "arabianMate", "anastasiaMate", "bodenMate", "doubleBishopMate", "hookMate",
    "dovetailMate",
)  # fmt: skip
"""Themes that name a mate."""

MOTIFS = ("fork", "skewer", "doubleCheck", "discoveredCheck", "discoveredAttack", "trappedPiece", "capturingDefender",
          "deflection", "pin")  # fmt: skip
"""Themes that say why something is lost, the one that says most first."""


@dataclass(frozen=True, slots=True)
class Motif:
    """What a move of the killer line does, by lichess's name of the theme."""

    name: str
    """One of `MOTIFS`."""
    ply: int
    """Of the killer line, from 1."""
    targets: tuple[chess.PieceType, ...]
    """Pieces that it acts on."""


@dataclass(frozen=True, slots=True)
class Material:
    """What the side that made the losing move gives up, and what it gets for it, when nothing is left to be taken."""

    lost: tuple[chess.PieceType, ...]
    """The most valuable first; what both sides gave up is left out."""
    gained: tuple[chess.PieceType, ...]
    ply: int
    """Of the killer line, from 1: with this move it is so."""
    line: tuple[str, ...]
    """The moves, SAN, that show it: the killer line until then, and why what takes it is not to be taken."""
    only: bool
    """What is lost is a single piece that can be no other: the one that moved, or the only one of its kind."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What the board says about a losing move."""

    bait: str
    """SAN."""
    line: tuple[str, ...]
    """The killer line, SAN."""
    best: str | None
    """The best other move, SAN."""
    material: Material | None
    """None if no material is lost for certain, or the best other move loses as much."""
    mate: str | None
    """One of `MATES`, if the line shows it."""
    motif: Motif | None
    """Why it loses, if the line shows one of `MOTIFS` at once."""
    taken: tuple[chess.PieceType, chess.Square] | None
    """What the losing move takes, and where."""
    best_takes: chess.Square | None
    """Where the best other move takes something."""
    perpetual: int | None
    """Plies of the killer line until a perpetual check comes round, if it ends in one."""


@lru_cache(maxsize=4096)
def facts_of(evidence: Evidence) -> Facts:
    """The facts about a losing move. Raises `PositionError` for moves that are not legal."""
    before = parse_position(evidence.fen)
    bait, *line = _native.sans(_native.epd(evidence.fen), (evidence.bait, *evidence.killer_line))
    move = before.parse_uci(evidence.bait)
    best = None if evidence.best is None else before.parse_uci(evidence.best)
    themes = line_themes(evidence.fen, (evidence.bait, *evidence.killer_line))
    perpetual = None if evidence.mate_in is not None else _perpetual(evidence, before)
    wins = evidence.mate_in is None and perpetual is None
    material = _material(evidence, before) if wins else None
    return Facts(
        bait=bait,
        line=tuple(line),
        best=None if best is None else before.san(best),
        material=material,
        mate=next((theme.name for name in MATES for theme in themes if theme.name == name), None),
        motif=_motif(evidence, before, material, themes) if wins else None,
        taken=_taken(before, move),
        best_takes=best.to_square if best is not None and before.is_capture(best) else None,
        perpetual=perpetual,
    )


def _taken(board: chess.Board, move: chess.Move) -> tuple[chess.PieceType, chess.Square] | None:
    if not board.is_capture(move) or board.is_en_passant(move):
        return None
    piece = board.piece_type_at(move.to_square)
    return None if piece is None else (piece, move.to_square)


def _perpetual(evidence: Evidence, board: chess.Board) -> int | None:
    """Plies of the killer line until a position comes back, if every move of the attacker in between is a check, and
    the game is worth a draw then."""
    if evidence.after is None or abs(evidence.after) > _DRAWN:
        return None
    board = board.copy(stack=False)
    board.push_uci(evidence.bait)
    seen: dict[str, int] = {}
    checked_since = 0
    for ply, uci in enumerate(evidence.killer_line, 1):
        board.push_uci(uci)
        if ply % 2 == 0:
            continue
        if not board.is_check():
            checked_since = ply
        elif seen.get(board.epd(), 0) > checked_since:
            return ply - 1
        seen[board.epd()] = ply
    return None


# Material -------------------------------------------------------------------------------------------------------------

_Counts = Counter[chess.PieceType]


def _material(evidence: Evidence, before: chess.Board) -> Material | None:
    victim = before.turn
    settled = _settled(before, (evidence.bait, *evidence.killer_line))
    # The bait itself settles nothing: the answer to it decides.
    settled = [(ply - 1, board) for ply, board in settled if ply > 1]
    if not settled:
        return None
    start = _counts(before)
    changes = [(ply, _change(start, board, victim)) for ply, board in settled]
    last = changes[-1][1]
    settled_ply, (lost, gained) = _at_once(changes) or next(
        (ply, change)
        for ply, change in changes
        if change == last or _pieces(change) == _pieces(last) != (Counter(), Counter())
    )
    worth = min(_points(lost) - _points(gained) for lost, gained in ((lost, gained), last))
    if worth < 1 or settled_ply > LATEST_PLY:
        return None
    if _is_beside_the_point(worth, lost, evidence.cost) or _is_made_up_for(worth, evidence):
        return None
    if worth - _loses_anyway(evidence, before, start) < max(1.0, worth / 2):
        return None
    ply = _last_capture(before, (evidence.bait, *evidence.killer_line), settled_ply)
    line = _shown(before, (evidence.bait, *evidence.killer_line), ply, worth)
    if line is None:
        return None
    return Material(_sorted(lost), _sorted(gained), ply, line, _is_only(evidence, before, ply, lost))


def _at_once(changes: Sequence[tuple[int, tuple[_Counts, _Counts]]]) -> tuple[int, tuple[_Counts, _Counts]] | None:
    """The first of the changes, if a piece falls with it that is most of what is lost in the end, and the rest falls
    much later: what the line goes on with says nothing more then."""
    (ply, first), (_, last) = changes[0], changes[-1]
    worth, in_the_end = (_points(lost) - _points(gained) for lost, gained in (first, last))
    if ply > AT_ONCE or worth < POINTS[chess.KNIGHT] or not worth / 2 <= in_the_end <= 2 * worth:
        return None
    rest = next(later for later, change in changes if _pieces(change) == _pieces(last))
    return changes[0] if rest - ply >= MUCH_LATER else None


def _shown(board: chess.Board, line: Sequence[str], ply: int, worth: float) -> tuple[str, ...] | None:
    """The moves of the killer line, SAN, that show a loss worth so many points; ``line`` has the bait too.

    To ``ply``, with which the last of it falls. Where much of it could be taken back, with what takes it back and is
    taken for it; None if nothing is, since what the line wins is another thing then than what falls in it.
    """
    board = board.copy(stack=False)
    board.push_uci(line[0])
    sans = _native.sans(_native.epd(board.fen()), line[1:])
    for uci in line[1 : ply + 1]:
        board.push_uci(uci)
    back, gain = max(_native.exchanges(board.fen()), key=lambda move: move[1], default=("", 0))
    if board.is_check() or gain <= _RETAKEN * worth:
        return tuple(sans[:ply])
    retaken = board.copy(stack=False)
    retaken.push_uci(back)
    answer, more = max(_native.exchanges(retaken.fen()), key=lambda move: move[1], default=("", 0))
    if more < gain - _MINOR:
        return None
    return (*sans[:ply], *_native.sans(_native.epd(board.fen()), (back, answer)))


def _is_beside_the_point(worth: float, lost: _Counts, cost: float | None) -> bool:
    """Whether a pawn, or two of them alone, are not what the move loses by: it costs more than they are worth."""
    if worth > 1 and set(lost) != {chess.PAWN}:
        return False
    return cost is not None and cost >= _MUCH.get(int(worth), 2.0)


def _is_made_up_for(worth: float, evidence: Evidence) -> bool:
    """Whether the move costs far less than the material, in a game that is not decided: there is more to the line."""
    if evidence.before is None or evidence.after is None or max(evidence.before, -evidence.after) >= _DECIDED:
        return False
    return evidence.before - evidence.after < _A_POINT * worth


def _last_capture(board: chess.Board, line: Sequence[str], ply: int) -> int:
    """Ply of the killer line, at most ``ply``, with which the last of the material falls; ``line`` has the bait too."""
    board = board.copy(stack=False)
    found = 1
    for count, uci in enumerate(line[: ply + 1]):
        move = board.parse_uci(uci)
        if count and board.is_capture(move):
            found = count
        board.push(move)
    return found


def _settled(board: chess.Board, line: Sequence[str]) -> list[tuple[int, chess.Board]]:
    """Plies of a line, from 1, after which the side to move has nothing to take with profit, and is not in check.

    A promotion ends the counting: what becomes of the new piece is seldom in the line.
    """
    board = board.copy(stack=False)
    found = []
    for ply, uci in enumerate(line, 1):
        if board.push_uci(uci).promotion is not None:
            break
        if any(board.legal_moves) and is_quiet(board):
            found.append((ply, board.copy(stack=False)))
    return found


def is_quiet(board: chess.Board) -> bool:
    """Whether the side to move is not in check and has nothing to take with profit."""
    return not board.is_check() and max((gain for _, gain in _native.exchanges(board.fen())), default=0) < _PAWN


def _counts(board: chess.Board) -> dict[chess.Color, _Counts]:
    return {side: Counter({kind: len(board.pieces(kind, side)) for kind in chess.PIECE_TYPES}) for side in chess.COLORS}


def _change(start: dict[chess.Color, _Counts], board: chess.Board, victim: chess.Color) -> tuple[_Counts, _Counts]:
    """What the victim has lost since ``start``, and what the attacker has, without what both have."""
    now = _counts(board)
    lost, gained = (start[side] - now[side] for side in (victim, not victim))
    lost, gained = lost - gained, gained - lost
    minor = min(lost[chess.KNIGHT] + lost[chess.BISHOP], gained[chess.KNIGHT] + gained[chess.BISHOP])
    return _without_minor(lost, minor), _without_minor(gained, minor)


def _pieces(change: tuple[_Counts, _Counts]) -> tuple[_Counts, _Counts]:
    """What both sides have lost, without pawns: those that fall after the pieces are hardly the reason. Bishops count
    as knights: which of them falls first is what is lost, whatever is exchanged later.
    """
    lost, gained = (Counter(kind for kind in each.elements() if kind != chess.PAWN) for each in change)
    for counts in (lost, gained):
        counts[chess.KNIGHT] += counts.pop(chess.BISHOP, 0)
    return +lost, +gained


def _without_minor(counts: _Counts, minor: int) -> _Counts:
    """The counts without so many knights or bishops, which are worth the same."""
    counts = Counter(counts)
    for kind in (chess.KNIGHT, chess.BISHOP):
        gone = min(minor, counts[kind])
        counts[kind] -= gone
        minor -= gone
    return +counts


def _points(counts: _Counts) -> float:
    return sum(POINTS[kind] * count for kind, count in counts.items())


def _loses_anyway(evidence: Evidence, before: chess.Board, start: dict[chess.Color, _Counts]) -> float:
    """Points that are lost by the best other move as well; negative if it wins some, 0 where that is not known."""
    board, line = before.copy(stack=False), []
    for san in evidence.best_line:
        move = board.parse_san(san)
        line.append(board.uci(move))
        board.push(move)
    settled = _settled(before, line)
    if not settled:
        return 0.0
    lost, gained = _change(start, settled[-1][1], before.turn)
    return max(0.0, _points(lost) - _points(gained))


def _sorted(counts: _Counts) -> tuple[chess.PieceType, ...]:
    return tuple(sorted(counts.elements(), key=lambda kind: (-POINTS[kind], -kind)))


def _is_only(evidence: Evidence, before: chess.Board, ply: int, lost: _Counts) -> bool:
    """Whether the one piece that is lost is the one that moved, or the only one of its kind."""
    if lost.total() != 1:
        return False
    (kind,) = lost.elements()
    if len(before.pieces(kind, before.turn)) == 1:
        return True
    board = before.copy(stack=False)
    board.push_uci(evidence.bait)
    square = chess.Move.from_uci(evidence.bait).to_square
    if board.piece_type_at(square) != kind:
        return False
    for uci in evidence.killer_line[:ply]:
        move = board.parse_uci(uci)
        if move.to_square == square and board.turn != before.turn:
            return True
        if move.from_square == square:
            square = move.to_square
        board.push(move)
    return False


# Motifs ---------------------------------------------------------------------------------------------------------------


def _motif(
    evidence: Evidence, before: chess.Board, material: Material | None, themes: Sequence[LineTheme]
) -> Motif | None:
    """The theme of the line that says why it wins; of lost material one that acts on what is lost."""
    boards = [before.copy(stack=False)]
    for uci in (evidence.bait, *evidence.killer_line[:LATEST_MOTIF]):
        boards.append(boards[-1].copy(stack=False))
        boards[-1].push_uci(uci)
    for name in MOTIFS:
        for theme in themes:
            if theme.name != name or theme.ply > LATEST_MOTIF or (material is not None and theme.ply > material.ply):
                continue
            moved = chess.Move.from_uci(evidence.killer_line[theme.ply - 1]).to_square
            if name not in _BY_ANOTHER and theme.by != chess.square_name(moved):
                continue
            if name == "discoveredAttack" and not _attacks(boards[theme.ply + 1], theme):
                continue
            motif = Motif(name, theme.ply, _targets(boards[theme.ply], boards[theme.ply + 1], theme))
            move = chess.Move.from_uci(evidence.killer_line[theme.ply - 1])
            if _explains(motif, material) and not _takes_as_much(boards[theme.ply], move, motif, material):
                return motif
    return None


_BY_ANOTHER = ("discoveredCheck", "discoveredAttack")  # whose piece is not the one that moves


def _attacks(board: chess.Board, theme: LineTheme) -> bool:
    """Whether the piece that acts attacks its targets at once; the theme also counts a line that the reply opens."""
    attacked = board.attacks(chess.parse_square(theme.by)) if theme.by is not None else chess.SquareSet()
    return all(chess.parse_square(target) in attacked for target in theme.targets)


def _targets(before: chess.Board, after: chess.Board, theme: LineTheme) -> tuple[chess.PieceType, ...]:
    found = []
    for name in theme.targets:
        square = chess.parse_square(name)
        # What the move took is looked for on the board before it.
        piece = before.piece_at(square) if after.color_at(square) == before.turn else after.piece_at(square)
        if piece is not None:
            found.append(piece.piece_type)
    return tuple(found)


def _takes_as_much(board: chess.Board, move: chess.Move, motif: Motif, material: Material | None) -> bool:
    """Whether the move with the motif takes at once as much as the motif wins, so that this is hardly the reason."""
    taken = board.piece_type_at(move.to_square)
    if taken is None or motif.name in ("capturingDefender", "deflection"):
        return False
    won = material.lost[:1] if material is not None else motif.targets
    return POINTS[taken] >= max((POINTS[kind] for kind in won if kind != chess.KING), default=POINTS[chess.KNIGHT])


def _explains(motif: Motif, material: Material | None) -> bool:
    """Whether the motif is why the material is lost: it acts on what is lost, or is a check that costs a tempo."""
    if motif.name in ("fork", "skewer") and len(motif.targets) < 2:
        return False
    if not motif.targets:
        return False
    if set(motif.targets) == {chess.PAWN}:
        return False  # which of the pawns, only the line tells
    guarded = motif.name in ("capturingDefender", "deflection")
    if motif.name == "deflection" and len(set(motif.targets)) < 2:
        return False  # nobody understands "draws the knight away from the knight"
    if material is None:
        return motif.name != "pin" and not (guarded and motif.targets[-1] == chess.PAWN)
    if guarded:
        return material.lost[0] == motif.targets[-1] != chess.PAWN
    if motif.name in ("doubleCheck", "discoveredCheck"):
        return material.lost[0] != chess.PAWN  # a check wins no pawn that the line does not show
    return material.lost[0] in motif.targets
