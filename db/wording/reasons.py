"""Reasons: what only one of two moves does, or only the answer to one of them."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache, partial

import chess

from db.wording.effects.captures import takes_back
from db.wording.effects.finding import EFFECTS, SACRIFICES, effects_of
from db.wording.effects.guards import SOON, falls_only, guards_as_well, hangs
from db.wording.effects.played import Effect
from db.wording.evidence import Evidence
from db.wording.material import (
    answered_best,
    best_moves,
    board_at,
    is_made_up_for,
    is_paid_for,
    passed,
    takes_with_profit,
)
from db.wording.stands import (
    AS_GOOD,
    PIECE,
    Target,
    after_line,
    exchanges_of,
    is_natural,
    is_repaid,
    mate_threatened,
    mates_at_once,
    searched,
    searched_without,
    taken_by,
)
from trapcore.piece_values import POINTS
from trapcore.trees.chess_game import parse_position
from trapcore.win_chance import BLUNDER, MISTAKE, win_chance

_NODES = 8_000  # of such a search
_TRADED = 2  # plies of a trade

_MOST = 0.6  # share of what a move costs that every other move costs, where the best one is the only one

_OF_BETTER = frozenset({"guard", "escape", "trade", "exchange", "take", "development", "centre", "castles"})
"""Effects that nobody would call the fault of the move before."""

_SMALL = frozenset(
    {"no_castling", "doubled", "offer", "open_file", "half_open", "challenge", "outpost", "seventh", "advance"}
)
"""Effects that are no reason why a move costs `MISTAKE`."""

_LITTLE = _SMALL | _OF_BETTER - {"guard", "escape", "take"}
"""Effects of a better move that only find a better place, or trade."""

STRONG = SACRIFICES | {"mate_threat", "promotion", "trap", "attack", "uncover", "pin"}
"""Threats; of pieces more than of pawns."""

_WEAKER = frozenset({"attack", "uncover", "offer", "pin"})
"""Effects of a move that threatens mate in some moves which say less than that."""

_AT_ANY_TIME = frozenset({"attack", "uncover", "offer", "pin", "challenge"})
"""Effects that a move has later as well."""

_ON_TARGETS = frozenset({"win", "trap", "attack", "uncover", "offer", "pin", "guard", "escape", "challenge"})
"""Two of these effects are the same if their targets are of the same kinds."""


@lru_cache(maxsize=4096)
def answer_effect(evidence: Evidence) -> Effect | None:
    """What the answer to a losing move does that it does not do after the best move; None if that is nothing.

    If the answer is as good after the best move, only a threat counts; where it takes back, only mate and a
    promotion.
    """
    if _is_expected(evidence):
        return None
    baited = parse_position(evidence.fen)
    baited.push_uci(evidence.bait)
    hidden = _OF_BETTER | (_SMALL if evidence.cost is not None and evidence.cost >= MISTAKE else frozenset())
    if takes_back(evidence):
        hidden |= frozenset(EFFECTS) - {"mate_threat", "promotion", "promotes"}
    effects = [
        each for each in effects_of(baited, evidence.killer_line, evidence.half_move + 1) if each.does not in hidden
    ]
    if is_allowed_as_well(evidence):
        effects = [each for each in effects if each.does in STRONG]
    effects = [each for each in effects if each.does != "doubled" or _is_forced(baited, evidence)]
    found = _first_new(effects, _after_best(evidence))
    if found is not None and found.does in _WEAKER and threatens_mate(evidence):
        return Effect("mate_threat")
    if found is not None and found.does != "mate_threat" and any(each.does == "mate_threat" for each in effects):
        return None  # the mate is the threat, and the best move has an answer to it
    # What is lost for certain is said elsewhere: what only falls in the line would be too much.
    return None if found is None or found.does == "win" else found


def _is_forced(baited: chess.Board, evidence: Evidence) -> bool:
    """Whether no other reply to the answer is as good as that of the killer line."""
    return not has_another(after_line(baited, evidence.killer_line[:1]), evidence.killer_line[1], evidence.after)


def threatens_mate(evidence: Evidence) -> bool:
    """Whether the answer threatens a mate in three at most, and would not be as good after the best move."""
    return mate_threatened(board_at(evidence, 2)) and not is_allowed_as_well(evidence)


@lru_cache(maxsize=4096)
def answer_takes(evidence: Evidence, *, is_reason: bool = True) -> Effect | None:
    """That the answer to a losing move takes something with profit; None if the move itself went there, or if a small
    loss cannot be due to it. If it has to be the reason, a pawn is too little for a blunder."""
    baited = parse_position(evidence.fen)
    bait = baited.push_uci(evidence.bait)
    killer = baited.parse_uci(evidence.killer_line[0])
    taken = taken_by(baited, killer)
    if taken is None or killer.to_square == bait.to_square or not takes_with_profit(baited, killer.uci()):
        return None
    if is_made_up_for(POINTS[taken[0]], evidence) or is_paid_for(evidence):
        return None
    is_small = is_reason and taken[0] == chess.PAWN and evidence.cost is not None and evidence.cost >= BLUNDER
    return None if is_small or is_allowed_as_well(evidence) else Effect("take", (taken,))


@lru_cache(maxsize=4096)
def line_effect(
    evidence: Evidence, plies: int = 3, *, is_forced: bool = True, is_strong: bool = True
) -> tuple[int, Effect] | None:
    """The first move in so many plies of the killer line that threatens or wins something, by its ply from 1, and what
    it does; None without one, and if the line of the best move allows the same. Unless ``is_forced`` is false, no other
    reply on the way is as good. Unless ``is_strong`` is false, it is a threat or a win, and not only a better place."""
    if is_forced and is_allowed_as_well(evidence):
        return None
    board, before = parse_position(evidence.fen), parse_position(evidence.fen)
    board.push_uci(evidence.bait)
    allowed: list[Effect] = []
    better = best_moves(evidence)
    for ply, uci in enumerate(better):
        if ply % 2 == 1:
            allowed += effects_of(before, better[ply:], evidence.half_move + ply)
        before.push_uci(uci)
    allowed += _after_best(evidence)
    gone = ""
    for ply in range(1, min(plies, len(evidence.killer_line)) + 1):
        if ply % 2 == 1:
            effects = effects_of(board, evidence.killer_line[ply - 1 :], evidence.half_move + ply)
            counts = _is_strong if is_strong else partial(_is_small, evidence=evidence)
            found = (each for each in effects if counts(each))
            effect = _first_new((each for each in found if not _is_about(each, gone)), allowed)
            if effect is not None and (ply > 1 or not takes_back(evidence)):
                return ply, effect
        else:
            if is_forced and has_another(board, evidence.killer_line[ply - 1], evidence.after):
                return None
            if not is_natural(board, evidence.killer_line[ply - 1]):
                gone = evidence.killer_line[ply - 1][2:4]  # nothing forces a piece to go to where it is attacked
        board.push_uci(evidence.killer_line[ply - 1])
    return None


def attack_on(target: Target, evidence: Evidence) -> Effect:
    """The attack of the answer on this piece, with what else it attacks."""
    attacks = (each for each in _at_once(evidence) if each.does == "attack" and target in each.targets)
    return next(attacks, Effect("attack", (target,)))


def answer_attacks(evidence: Evidence) -> Effect | None:
    """The attack of the answer on pieces, however the line goes on; None without one."""
    found = next((each for each in _at_once(evidence) if each.does in ("attack", "uncover")), None)
    if found is None or evidence.mate_in is not None or found.targets[0][0] == chess.PAWN:
        return None
    return found


def answer_traps(evidence: Evidence) -> Effect | None:
    """That the answer leaves a piece without a safe square; None if it does not, and of a mate."""
    if evidence.mate_in is not None:
        return None
    return next((each for each in _at_once(evidence) if each.does == "trap"), None)


def answer_holds(evidence: Evidence) -> Effect | None:
    """The trade of pieces that the answer begins, or what it guards, and the best move or its line takes; None without
    either."""
    effects = list(effects_of(board_at(evidence, 1), evidence.killer_line, evidence.half_move + 1))
    taken = {uci[2:4] for uci in best_moves(evidence)[::2]}
    for each in effects:
        is_trade = each.does == "trade" and each.targets[0][0] != chess.PAWN
        holds = each.does in ("guard", "escape") and chess.square_name(each.targets[0][1]) in taken
        if is_trade or holds:
            return each
    return None


def ends_trade(evidence: Evidence) -> bool:
    """Whether no capture follows the trade with which the killer line begins."""
    board = board_at(evidence, min(_TRADED, len(evidence.killer_line)) + 1)
    return not any(board.is_capture(board.parse_uci(uci)) for uci in evidence.killer_line[_TRADED : _TRADED + 1])


def _at_once(evidence: Evidence) -> Iterator[Effect]:
    """What the answer does, whatever is replied."""
    return effects_of(board_at(evidence, 1), evidence.killer_line[:1], evidence.half_move + 1)


def stood_attacked(evidence: Evidence, taken: Effect) -> bool:
    """Whether the piece that the answer takes stood there before the move, and the other side attacked it."""
    before, (_, square) = parse_position(evidence.fen), taken.targets[0]
    return before.color_at(square) == before.turn and before.is_attacked_by(not before.turn, square)


def _is_expected(evidence: Evidence) -> bool:
    """Whether the line of the best move soon has the answer as well."""
    return evidence.killer_line[0] in best_moves(evidence)[1::2]


def _after_best(evidence: Evidence) -> list[Effect]:
    """What the answer does after the best move, if the same piece can make it there."""
    after = answered_best(evidence)
    return [] if after is None else list(effects_of(after, evidence.killer_line[:1], evidence.half_move + 1))


def was_there(evidence: Evidence, ply: int, squares: Sequence[chess.Square]) -> bool:
    """Whether a move of the killer line (by its ply from 1) was there before the losing move: the same piece could have
    made it after a pass, to the same square, and would have attacked or taken the same pieces on these squares.

    Of a move that is about no square, the answer alone was there, if it was the threat.
    """
    idle, line = passed(evidence), board_at(evidence, ply)
    move = line.parse_uci(evidence.killer_line[ply - 1])
    if idle is None or not idle.is_legal(move):
        return False
    if any(idle.piece_at(square) != line.piece_at(square) for square in (move.from_square, move.to_square, *squares)):
        return False
    if not squares:
        if ply > 1 or not is_threat(evidence):
            return False
        mates, mated = (mate_threatened(after_line(each, (move.uci(),))) for each in (line, idle))
        return mates == mated
    if takes_with_profit(line, move.uci()) and not takes_with_profit(idle, move.uci()):
        return False
    by = idle.turn
    idle.push(move)
    return all(square == move.to_square or idle.is_attacked_by(by, square) for square in squares)


def hung_before(evidence: Evidence) -> bool:
    """Whether the answer would win the piece that it takes after a pass as well, so that no guard counts."""
    idle = passed(evidence)
    return idle is not None and exchanges_of(idle).get(evidence.killer_line[0], 0) >= PIECE


def parries_mate(evidence: Evidence) -> bool:
    """Whether the other side would mate at once after a pass, and after the losing move only later."""
    idle = passed(evidence)
    return idle is not None and evidence.mate_in is not None and evidence.mate_in > 1 and mates_at_once(idle)


def was_threatened(evidence: Evidence, ply: int, squares: Sequence[chess.Square]) -> bool:
    """Whether `was_there` holds of this move, and it would have been as good as any after a pass."""
    idle = passed(evidence)
    there = idle is not None and was_there(evidence, ply, squares)
    return there and idle is not None and is_still_best(idle, evidence.killer_line[ply - 1])


@lru_cache(maxsize=4096)
def is_threat(evidence: Evidence) -> bool:
    """Whether the answer to the losing move was the threat before it: as good as any move after a pass. If the answer
    is as good after the best move, it threatened nothing that a move had to meet."""
    idle, killer = passed(evidence), evidence.killer_line[0]
    if idle is None or not idle.is_legal(chess.Move.from_uci(killer)) or is_allowed_as_well(evidence):
        return False
    return is_still_best(idle, killer)


def is_still_best(board: chess.Board, move: str) -> bool:
    """Whether a move (UCI) of the side to move is as good as any by a short search."""
    asked, best = (searched(board, _NODES, only).value for only in ((move,), ()))
    return win_chance(asked) >= win_chance(best) - AS_GOOD


@lru_cache(maxsize=4096)
def is_allowed_as_well(evidence: Evidence) -> bool:
    """Whether the answer is as good after the best move, or its line has it as well."""
    after = answered_best(evidence)
    return _is_expected(evidence) or (after is not None and is_still_best(after, evidence.killer_line[0]))


def is_only_move(evidence: Evidence) -> bool:
    """Whether the best move alone keeps what the losing one gives away: every other costs most of it as well."""
    if evidence.best is None or evidence.before is None or evidence.after is None:
        return False
    found = searched_without(parse_position(evidence.fen), (evidence.best, evidence.bait), _NODES)
    return found is None or win_chance(found.value) < evidence.before - _MOST * (evidence.before - evidence.after)


def has_another(board: chess.Board, reply: str, value: float | None) -> bool:
    """Whether another reply is as good as what the losing move leaves, so that nothing forces this one."""
    found = None if value is None else searched_without(board, (reply,), _NODES)
    return value is not None and found is not None and win_chance(found.value) >= value - AS_GOOD / 2


def only_attacks(evidence: Evidence) -> bool:
    """Whether all that the killer line does is that a quiet move attacks a single piece."""
    found, board = line_effect(evidence, is_forced=False), board_at(evidence, 1)
    if found is None or not found[1].is_single:
        return False
    if takes_with_profit(board, evidence.killer_line[0]):
        return False
    board = board_at(evidence, found[0])
    return not board.is_capture(board.parse_uci(evidence.killer_line[found[0] - 1]))


def is_likely(evidence: Evidence, ply: int) -> bool:
    """Whether each reply of the killer line before this ply is one that anybody would see."""
    board = board_at(evidence, 1)
    for count, uci in enumerate(evidence.killer_line[: ply - 1], 1):
        if count % 2 == 0 and not is_natural(board, uci):
            return False
        board.push_uci(uci)
    return True


def _is_about(effect: Effect, square: str) -> bool:
    return any(chess.square_name(target) == square for _, target in effect.targets)


def _is_strong(effect: Effect) -> bool:
    pieces = any(kind != chess.PAWN for kind, _ in effect.targets)
    return effect.does in SACRIFICES | {"mate_threat", "promotion"} or (effect.does in STRONG and pieces)


def _is_small(effect: Effect, evidence: Evidence) -> bool:
    """Whether it is a better place, or an attack; on pawns alone that explains no mistake."""
    is_cheap = evidence.cost is not None and evidence.cost < MISTAKE
    on_piece = any(kind != chess.PAWN for kind, _ in effect.targets)
    return effect.does in _SMALL or (effect.does == "attack" and (is_cheap or on_piece))


def gives_up_castling(evidence: Evidence) -> bool:
    """Whether only the losing move ends the right to castle of who makes it."""
    before = parse_position(evidence.fen)
    side = before.turn
    if not before.has_castling_rights(side) or before.is_castling(before.parse_uci(evidence.bait)):
        return False
    baited, better = (after_line(before, (uci,)) for uci in (evidence.bait, evidence.best or evidence.bait))
    castles = evidence.best is not None and before.is_castling(before.parse_uci(evidence.best))
    return not baited.has_castling_rights(side) and (castles or better.has_castling_rights(side))


@lru_cache(maxsize=4096)
def best_effect(evidence: Evidence) -> Effect | None:
    """What the best move does that the losing move does not do; None if that is nothing."""
    if evidence.best is None:
        return None
    before = parse_position(evidence.fen)
    line, whole = best_moves(evidence) or [evidence.best], best_moves(evidence, whole=True) or [evidence.best]
    played = list(effects_of(before, (evidence.bait, *evidence.killer_line), evidence.half_move))
    effects = effects_of(before, whole, evidence.half_move)
    if evidence.best in evidence.killer_line[1:2]:
        # It is played next, anyway.
        effects = (each for each in effects if each.does not in _AT_ANY_TIME)
    found = _first_new((each for each in effects if _explains(each, evidence, line)), played)
    if found is not None and found.does not in _WEAKER:
        return found
    best, baited = (after_line(before, (uci,)) for uci in (evidence.best, evidence.bait))
    mates = evidence.mate_in is None and mate_threatened(best) and not mate_threatened(baited)
    return Effect("mate_threat") if mates else found


def best_is_small(evidence: Evidence) -> bool:
    """Whether the best move only finds a better place, or trades."""
    effect = best_effect(evidence)
    return effect is not None and effect.does in _LITTLE


def is_little(effect: Effect, evidence: Evidence) -> bool:
    """Whether this is no reason why a move costs so much."""
    is_small = effect.does in _LITTLE
    return is_small and not _trades_queens(effect) and evidence.cost is not None and evidence.cost >= BLUNDER


def _trades_queens(effect: Effect) -> bool:
    return effect.does == "trade" and effect.targets[0][0] == chess.QUEEN


def _explains(effect: Effect, evidence: Evidence, line: Sequence[str]) -> bool:
    """Whether what the best move does has to do with the lines: what it guards or takes away falls after the losing
    move, and not after the best one; what it develops the other line does not develop."""
    if effect.does in ("guard", "escape"):
        square = chess.square_name(effect.targets[0][1])
        if effect.does == "guard" and square == evidence.bait[:2]:
            return evidence.killer_line[0][2:4] == evidence.bait[2:4]  # it falls where it goes to
        if effect.does == "guard" and guards_as_well(evidence, effect.targets[0][1]):
            return False
        return falls_only(evidence, square, line) and hangs(evidence, square)
    if effect.does in ("win", "trade", "take", "exchange"):
        if not _trades_queens(effect) and is_repaid(parse_position(evidence.fen), line):
            return False
        # The line of the move that was played takes there, or trades the same, as well.
        square = chess.square_name(effect.targets[-1][1])
        return all(uci[2:4] != square for uci in (evidence.bait, *evidence.killer_line[: SOON - 1]))
    if effect.does == "castles":
        return not any(_castles(evidence, ply) for ply in range(1, min(SOON, len(evidence.killer_line) + 1), 2))
    if effect.does == "development":
        return all(uci[:2] != line[0][:2] for uci in evidence.killer_line[1:SOON:2])
    return True


def _castles(evidence: Evidence, ply: int) -> bool:
    """Whether the move of the killer line behind ``ply`` is castling."""
    line = (evidence.bait, *evidence.killer_line)
    board = after_line(parse_position(evidence.fen), line[: ply + 1])
    return ply + 1 < len(line) and board.is_castling(board.parse_uci(line[ply + 1]))


def _first_new(effects: Iterable[Effect], others: Sequence[Effect]) -> Effect | None:
    """The first of these effects that the others lack. Squares make no difference."""
    known = set(map(_sort, others))
    attacked = Counter(kind for each in others if each.does == "attack" for kind, _ in each.targets)
    for each in effects:
        left = Counter(kind for kind, _ in each.targets) - attacked if each.does == "attack" else Counter()
        if left or (each.does != "attack" and _sort(each) not in known):
            return each
    return None


def _sort(effect: Effect) -> tuple[str, tuple[chess.PieceType, ...]]:
    kinds = tuple(kind for kind, _ in effect.targets) if effect.does in _ON_TARGETS else ()
    return effect.does, kinds
