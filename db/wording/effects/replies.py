"""How the better move meets the same answer."""

from functools import lru_cache

import chess

from db.wording.evidence import Evidence
from db.wording.material import answered_best, best_moves, passed, takes_with_profit
from db.wording.stands import AS_GOOD, after_line, after_pass, is_taken_at_once, searched
from trapcore.trees.chess_game import parse_position
from trapcore.win_chance import win_chance


@lru_cache(maxsize=4096)
def reply_to_answer(evidence: Evidence) -> str | None:
    """The move (SAN) that meets the answer after the best move, and that the losing move has made impossible or
    unprofitable; None without one."""
    baited, after, line = parse_position(evidence.fen), answered_best(evidence), best_moves(evidence)
    if after is None or evidence.before is None:
        return None
    baited.push_uci(evidence.bait)
    killer = baited.parse_uci(evidence.killer_line[0])
    if baited.piece_at(killer.to_square) != after.piece_at(killer.to_square):
        return None
    is_forcing = after.is_capture(killer) or after.gives_check(killer)
    for board in (baited, after):
        board.push(killer)
    if line[1:2] == [evidence.killer_line[0]]:
        reply = line[2:3]
    else:
        found = searched(after)
        reply = list(found.line[:1]) if win_chance(found.value) >= evidence.before - AS_GOOD else []
    if not reply:
        return None
    move = after.parse_uci(reply[0])
    if is_taken_at_once(line) and reply[0][:2] == line[0][2:4] and move.to_square == killer.to_square:
        return None  # what would take back is taken first
    idle = after_pass(after_line(parse_position(evidence.fen), line[:1]))
    is_threat = after.is_capture(move) and reply[0][:2] == (evidence.best or "")[2:4]
    is_threat = is_threat and (idle is None or takes_with_profit(idle, reply[0]))
    if is_threat and not is_forcing and move.to_square != killer.to_square:
        return None  # the answer would ignore what the better move attacks
    if not (is_forcing or after.is_capture(move) or after.gives_check(move)):
        return None  # what a quiet move does about a quiet one nobody sees
    if _is_there_anyway(evidence, move):
        return None
    takes, kind = takes_with_profit(after, reply[0]), after.piece_type_at(move.from_square)
    there = (each for each in baited.legal_moves if each.to_square == move.to_square)
    same = (each for each in there if baited.piece_type_at(each.from_square) == kind)
    return None if any(takes == takes_with_profit(baited, each.uci()) for each in same) else after.san(move)


def _is_there_anyway(evidence: Evidence, reply: chess.Move) -> bool:
    """Whether this reply to the answer takes with profit after a pass as well: then any move leaves it."""
    idle, killer = passed(evidence), chess.Move.from_uci(evidence.killer_line[0])
    if idle is None or not idle.is_legal(killer):
        return False
    idle.push(killer)
    return idle.is_legal(reply) and takes_with_profit(idle, reply.uci())
