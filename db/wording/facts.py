"""Facts of a line of moves, read off the board: what is lost, by which motif, and how a mate looks.

Nothing here is an opinion: material is counted where nobody can take it back, and motifs are those that the core's
predicates find in the line.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import chess

from db.wording.effects.captures import left_behind, takes_wrong
from db.wording.evidence import Evidence, is_worth_a_pawn
from db.wording.material import (
    Material,
    answered_best,
    best_moves,
    keeps_what_it_takes,
    material_lost,
    material_won,
    takes_with_profit,
)
from db.wording.reasons import has_another, is_still_best
from db.wording.stands import (
    AS_GOOD,
    PIECE,
    POINT,
    Target,
    after_line,
    after_pass,
    exchanges_of,
    gains_on,
    is_taken_at_once,
    searched,
    taken_by,
)
from trapcore import _native
from trapcore.parallel.budget import Budget
from trapcore.piece_values import POINTS
from trapcore.proof.mate import prove_mate
from trapcore.proof.themes import LineTheme, line_themes
from trapcore.trees.chess_game import parse_position
from trapcore.win_chance import win_chance

LATEST_MOTIF = 3
"""A motif that comes later than this many plies into the line is not reported."""

LONGEST_MATE = 5
"""Moves to a mate that are counted."""

_FORCED_MATE = 8  # moves to a mate that is called forced
_MATE_NODES = 200_000

_MATES = 0.95  # win chance of a move that may mate by force
_CHECKED = 5  # plies of a line of checks
_SOON = 5  # plies of the killer line in which a piece that was not taken at once may still be taken

DRAWN = 0.02
"""Win chance of a game that ends in a perpetual check, as a search sees it."""

MATES = (
    "backRankMate", "smotheredMate", "arabianMate", "anastasiaMate", "bodenMate", "doubleBishopMate", "hookMate",
    "dovetailMate",
)  # fmt: skip
"""Themes that name a mate."""

CHECKS = ("doubleCheck", "discoveredCheck")
"""Motifs of which only the line shows what they win."""

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
    squares: tuple[chess.Square, ...] = ()
    """Where those of them stand that it attacks."""


@dataclass(frozen=True, slots=True)
class Point:
    """What a move does about the killer."""

    does: str
    """``removes_guard``: takes the piece that guards the square of the losing move, ``captures`` a piece with profit,
    wins a ``pawn``, ``drives`` a piece away, or ``drives_to`` its only safe square, attacks a ``pinned`` one,
    ``stops_mate``, ``saves`` the piece that the killer takes with profit, ``keeps`` it from a trade for one that is
    worth as much or ``leaves`` its place otherwise, ``takes`` the piece that attacks it, ``guards`` it, ``blocks`` the
    attack on it, ``occupies`` the square of the killer, leaves it ``no_check``, ``checks`` for ever, or ``prevents``
    that the killer is played or does any good."""
    piece: chess.PieceType | None = None
    """The piece that it captures, or that the killer takes."""
    square: chess.Square | None = None
    """Where that stands, or the attacker that is taken."""
    attacker: chess.PieceType | None = None
    """What attacks the piece and is taken."""


CAPTURES = ("captures", "pawn")
"""What a better move does that wins what it takes."""


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
    left: tuple[chess.PieceType, chess.Square] | None
    """The piece that the best other move takes for nothing, and where, if the killer saves it: so the losing move lets
    it go, where it loses none itself."""
    best_wins: Material | None
    """What the best other move wins by its line, where the losing move loses none itself, and does not leave one."""
    best_mate: int | None
    """Moves to the mate that the best other move forces, if that is proved."""
    free: bool
    """The best other move takes something that nobody can take back."""
    point: Point | None
    """What the best other move takes, or does about the killer, if the board shows it."""
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
    material = material_lost(evidence, before) if wins else None
    best_san = None if best is None else before.san(best)
    is_mate = best_san is not None and best_san.endswith("#")
    left = left_behind(evidence, before, best) if wins and material is None and not is_mate else None
    return Facts(
        bait=bait,
        line=tuple(line),
        best=best_san,
        material=material,
        mate=next((theme.name for name in MATES for theme in themes if theme.name == name), None),
        motif=_motif(evidence, before, material, themes) if wins and left is None else None,
        taken=taken_by(before, move),
        best_takes=best.to_square if best is not None and before.is_capture(best) else None,
        left=left,
        best_wins=_best_wins(evidence, before) if wins and material is None and left is None else None,
        best_mate=_best_mate(evidence, before, best),
        free=best is not None and not _can_take_back(before, best),
        point=None if best is None or is_mate else _point(evidence, before, best),
        perpetual=perpetual,
    )


def left_by_point(evidence: Evidence, facts: Facts) -> Target | None:
    """What the better move takes with profit; a pawn only if the move costs no more."""
    point = facts.point
    if point is not None and point.does == "pawn" and not is_worth_a_pawn(evidence):
        return None
    if point is None or point.does not in CAPTURES or point.piece is None or point.square is None:
        return None
    return point.piece, point.square


def _best_wins(evidence: Evidence, before: chess.Board) -> Material | None:
    """What the best move wins; pawns only if the move costs no more, and takes none on the same square."""
    won = material_won(evidence, before)
    if won is None or won.lost[0] != chess.PAWN:
        return won
    return won if is_worth_a_pawn(evidence) and not takes_wrong(evidence) else None


def _best_mate(evidence: Evidence, before: chess.Board, best: chess.Move | None) -> int | None:
    """Moves to the mate that the best move forces; None if that is not proved."""
    if best is None or evidence.before is None or evidence.before < _MATES:
        return None
    if after_line(before, (best.uci(),)).is_checkmate():
        return 1
    proof = prove_mate(before.fen(), _FORCED_MATE, Budget(nodes=_MATE_NODES), first=(best.uci(),))
    return proof.mate_in if proof.line[:1] == (best.uci(),) else None


def _can_take_back(board: chess.Board, move: chess.Move) -> bool:
    return any(reply.to_square == move.to_square for reply in after_line(board, (move.uci(),)).legal_moves)


def _point(evidence: Evidence, before: chess.Board, best: chess.Move) -> Point | None:
    """What the best other move does; None if the board does not show it: a piece that is guarded can no longer be taken
    with profit, and a mate at once is no longer one. ``before`` is the position of both moves."""
    baited, after = before.copy(stack=False), before.copy(stack=False)
    bait = baited.push_uci(evidence.bait)
    killer = baited.parse_uci(evidence.killer_line[0])
    killer_way = (killer.from_square, killer.to_square)
    after.push(best)
    works = answered_best(evidence) is not None
    if evidence.mate_in is not None:
        mates = evidence.mate_in == 1 and after_line(baited, (killer.uci(),)).is_checkmate()
        stops = mates and not (works and after_line(after, (killer.uci(),)).is_checkmate())
        # After the best move the search sees no mate.
        stops = stops or (evidence.mate_in > 1 and evidence.before is not None and evidence.before > -_MATES)
        return Point("stops_mate") if stops else None
    if takes_wrong(evidence):
        return None
    if takes_with_profit(before, best.uci()):
        # Whatever it does besides, that is what a reader sees.
        taken = taken_by(before, best)
        if best.promotion is not None and taken is None:
            return None
        if not keeps_what_it_takes(evidence, before) or (taken and _is_taken_later(evidence, before, taken)):
            return None
        if taken is None or taken[0] == chess.PAWN:
            return Point("pawn", chess.PAWN, best.to_square)
        return Point("captures", *taken)
    if (guard := taken_by(before, best)) and before.is_capture(bait) and (guard[1], bait.to_square) == killer_way:
        return Point("removes_guard", guard[0], bait.to_square)
    square, is_taken = killer.to_square, is_taken_at_once(best_moves(evidence))
    if before.color_at(square) == before.turn and bait.from_square != square:
        # A line that ends with the capture does not say whether it is taken back.
        stays = any(uci[2:4] != chess.square_name(square) for uci in evidence.killer_line[1:2])
        wins = takes_with_profit(baited, killer.uci()) or stays
        point = _for_piece(before, after, best, killer, works=works, wins=wins)
        return None if is_taken and point is not None and point.does in ("guards", "blocks") else point
    if is_taken or baited.is_capture(killer) or after.is_check():
        return None
    if not _is_idea(evidence, before):
        return None  # only the losing move has made the answer good
    if best.to_square == square:
        return Point("occupies", before.piece_type_at(killer.from_square), square)
    if not works:
        stays = after.piece_at(killer.from_square) == baited.piece_at(killer.from_square)
        return Point("prevents") if stays and best.to_square != killer.from_square else None
    covers = square in after.attacks(best.to_square) - before.attacks(best.from_square)
    if not covers or square in baited.attacks(bait.to_square) or is_still_best(after, killer.uci()):
        return None
    return None if killer.uci() in best_moves(evidence, whole=True)[1::2] else Point("prevents")


def _is_idea(evidence: Evidence, before: chess.Board) -> bool:
    """Whether the answer would have done as much after a pass."""
    idle, killer = after_pass(before), chess.Move.from_uci(evidence.killer_line[0])
    if idle is None or evidence.after is None or not idle.is_legal(killer):
        return False
    return win_chance(searched(idle, only=evidence.killer_line[:1]).value) >= -evidence.after - AS_GOOD


def _is_taken_later(evidence: Evidence, before: chess.Board, piece: tuple[chess.PieceType, chess.Square]) -> bool:
    """Whether the line of the losing move takes this piece of the other side as well."""
    board, (_, square) = before.copy(stack=False), piece
    line = (evidence.bait, *evidence.killer_line[: _SOON + 1])
    for ply, uci in enumerate(line[:-1], 1):
        move = board.parse_uci(uci)
        if board.turn == before.turn and move.to_square == square:
            return line[ply][2:4] != uci[2:4]  # if it is taken back, it was traded
        if board.turn != before.turn and move.from_square == square:
            square = move.to_square
        board.push(move)
    return False


def _for_piece(
    before: chess.Board,
    after: chess.Board,
    best: chess.Move,
    killer: chess.Move,
    *,
    works: bool,
    wins: bool,
) -> Point | None:
    """The same if the killer takes a piece that stood there before, and that ``wins`` something."""
    square, gains = killer.to_square, gains_on(after)
    victim = before.piece_type_at(square)
    if best.from_square == square:
        if gains.get(best.to_square, 0) >= POINT:
            return None
        taker = before.piece_type_at(killer.from_square)
        is_trade = victim is not None and taker is not None and POINTS[victim] == POINTS[taker]
        return Point("saves" if wins else "keeps" if is_trade else "leaves", victim, square)
    if best.to_square == killer.from_square:
        attacker = before.piece_type_at(killer.from_square)
        # Of two of a kind it is a trade.
        return None if attacker == victim else Point("takes", victim, killer.from_square, attacker)
    if before.is_castling(best) and after.piece_at(square) != before.piece_at(square):
        return Point("saves", victim, square)
    if not works:
        blocks = best.to_square in chess.SquareSet.between(killer.from_square, square)
        return Point("blocks", victim) if blocks else None
    guards = square in after.attacks(best.to_square) and square not in before.attacks(best.from_square)
    return Point("guards", victim, square) if guards and gains.get(square, 0) < POINT else None


def keeps_checking(board: chess.Board, line: Sequence[str], chance: float | None) -> bool:
    """Whether the game is worth a draw by this win chance, and all moves of who begins the line (UCI) give check."""
    if chance is None or abs(chance) > DRAWN or len(line) < _CHECKED:
        return False
    return all(after_line(board, line[: ply + 1]).is_check() for ply in range(0, _CHECKED, 2))


def _perpetual(evidence: Evidence, board: chess.Board) -> int | None:
    """Plies of the killer line until a position comes back, if every move of the attacker in between is a check, and
    the game is worth a draw then."""
    if evidence.after is None or abs(evidence.after) > DRAWN:
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


# Motifs ---------------------------------------------------------------------------------------------------------------


def _motif(
    evidence: Evidence, before: chess.Board, material: Material | None, themes: Sequence[LineTheme]
) -> Motif | None:
    """The theme of the line that says why it wins; of lost material one that acts on what is lost."""
    boards = [before.copy(stack=False)]
    for uci in (evidence.bait, *evidence.killer_line[: LATEST_MOTIF + 1]):
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
            targets = _targets(boards[theme.ply], boards[theme.ply + 1], theme)
            attacked = targets[:1] if name in ("skewer", "pin") else targets
            squares = tuple(square for _, square in attacked)
            motif = Motif(name, theme.ply, tuple(kind for kind, _ in targets), squares)
            move = chess.Move.from_uci(evidence.killer_line[theme.ply - 1])
            if name == "trappedPiece" and material is None:
                continue  # another reply saves it
            wins = name not in _ON_TWO or _wins_target(boards[theme.ply + 2 :], theme)
            if material is None and not (wins and _is_forced(evidence, boards[theme.ply + 1], name, theme.ply)):
                continue
            if _explains(motif, material) and not _takes_as_much(boards[theme.ply], move, motif, material):
                return motif
    return None


def _is_forced(evidence: Evidence, board: chess.Board, name: str, ply: int) -> bool:
    """Whether a motif that draws a piece away leaves no other reply as good. ``board``: behind its move."""
    replies = evidence.killer_line[ply : ply + 1]
    return name != "deflection" or not any(has_another(board, reply, evidence.after) for reply in replies)


_ON_TWO = ("fork", "skewer", "discoveredAttack", "deflection")
"""Motifs that count only if one of their pieces falls: not if it goes away, or has another guard."""

_BY_ANOTHER = ("discoveredCheck", "discoveredAttack")  # whose piece is not the one that moves


def _attacks(board: chess.Board, theme: LineTheme) -> bool:
    """Whether the piece that acts attacks its targets at once; the theme also counts a line that the reply opens."""
    attacked = board.attacks(chess.parse_square(theme.by)) if theme.by is not None else chess.SquareSet()
    return all(chess.parse_square(target) in attacked for target in theme.targets)


def _wins_target(boards: Sequence[chess.Board], theme: LineTheme) -> bool:
    """Whether a piece among the targets can be taken with profit after the reply, the first of these boards."""
    if not boards:
        return False
    pawns = boards[0].pawns
    there = {name for name in theme.targets if not pawns & chess.BB_SQUARES[chess.parse_square(name)]}
    return any(gain >= PIECE and uci[2:4] in there for uci, gain in exchanges_of(boards[0]).items())


def _targets(before: chess.Board, after: chess.Board, theme: LineTheme) -> list[Target]:
    found = []
    for name in theme.targets:
        square = chess.parse_square(name)
        # What the move took is searched for on the board before it.
        piece = before.piece_at(square) if after.color_at(square) == before.turn else after.piece_at(square)
        if piece is not None:
            found.append((piece.piece_type, square))
    return found


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
        return False  # which of the pawns, only the line shows
    guarded = motif.name in ("capturingDefender", "deflection")
    if motif.name == "deflection" and len(set(motif.targets)) < 2:
        return False  # nobody understands "draws the knight away from the knight"
    if material is None:
        return motif.name != "pin" and not (guarded and motif.targets[-1] == chess.PAWN)
    if guarded:
        return material.lost[0] == motif.targets[-1] != chess.PAWN
    if motif.name in CHECKS:
        return material.lost[0] != chess.PAWN  # a check wins no pawn that the line does not show
    return material.lost[0] in motif.targets
