"""Causes of losing moves, what their killer lines do, and where, in words.

`trapcore.proof.causes` finds them; their keys are data, from which every name is made here.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

import chess

from db.traps.terms import Side
from db.wording.evidence import Evidence, is_worth_a_pawn
from db.wording.facts import CAPTURES, Facts
from db.wording.languages.english import ENGLISH
from db.wording.languages.grammar import Grammar
from db.wording.material import answered_best, best_moves, is_paid_for, lost_points, takes_with_profit
from db.wording.reasons import hung_before, is_threat, line_effect, parries_mate, was_there
from db.wording.stands import Target, after_line, searched, taken_by
from trapcore.trees.chess_game import parse_position

CAUSE_NAMES: Mapping[str, str] = {
    "retaken": "takes and is retaken",
    "taken": "puts a piece where it is taken",
    "uncovers": "moves a pinned piece",
    "overloaded": "moves an overloaded piece",
    "leaves": "leaves a piece that it guarded",
    "cuts_off": "cuts a piece off from its guard",
    "blocks_retreat": "blocks a retreat",
    "back_rank": "opens the back rank",
    "mating_net": "walks into a mating net",
    "takes_flight": "takes a square from its king",
    "cover": "weakens the king's cover",
    "square": "gives up control of a square",
    "line": "opens a line",
    "vacates": "leaves a square to the opponent",
    "pawn_through": "lets a pawn through",
    "threat": "ignores a threat",
    "fork": "walks into a fork",
    "skewer": "walks into a skewer",
    "discovery": "walks into a discovered attack",
    "trap": "lets a piece be trapped",
    "no_squares": "runs out of safe squares",
    "pin": "walks into a pin",
    "astray": "puts a piece where it gets lost",
    "attacked": "walks into an attack",
    "mate_missed": "lets a mate go",
    "promotion_missed": "lets a promotion go",
    "capture_missed": "lets a capture go",
    "win_missed": "lets a win go",
    "ending": "trades into a lost ending",
    "zugzwang": "runs into zugzwang",
}
"""What each cause is called, see `trapcore.proof.causes.CAUSES`."""

MECHANISM_NAMES: Mapping[str, str] = {
    "fork": "%(one)s forks %(targets)s",
    "skewer": "%(one)s skewers %(targets)s",
    "pin": "%(one)s pins %(the)s to the king",
    "doubleCheck": "a double check",
    "discoveredAttack": "a discovered attack wins %(the)s",
    "trappedPiece": "%(subject)s is trapped",
    "overloading": "the guard of %(the)s is overloaded",
    "capturingDefender": "the guard of %(the)s is taken",
    "deflection": "the guard of %(the)s is drawn away",
    "interference": "the guard of %(the)s is cut off",
    "attraction": "%(subject)s is drawn to a worse square",
    "xRayAttack": "an x-ray attack wins %(the)s",
    "intermezzo": "an in-between move wins %(the)s",
    "promotion": "a pawn promotes",
    "taken": "%(subject)s moves and is taken",
    "captured": "%(one)s takes %(the)s",
    "won": "%(one)s wins %(the)s later",
    "mateIn1": "%(one)s mates at once",
    "mate": "%(one)s mates later",
    "check": "%(one)s gives check",
    "capture": "%(one)s takes %(the)s for an attack",
    "quiet": "%(one)s makes a quiet move",
}
"""What a killer line does, by the first part of the key of a mechanism; named mates are called as the theme is."""

_THREAT = "Before each move, ask what your opponent would play if you passed."
_GUARD = "Before you move a piece, look at what it guards."
_SQUARE = "Before you let go of the piece, see who attacks its new square and who guards it."
_KING = "Before you move, count the checks against your king and its flight squares."
_CHANCE = "Before each move, look at every check and every capture that you have."
_LINE = "Before you move, look along the files, ranks and diagonals that the move opens."
_ROOM = "Before you settle a piece, see that it has a way back."
_TACTIC = "Look for two of your pieces, or king and piece, on one knight's jump or on one line."
_ENDING = "Before you trade, or let a pawn go, count the ending to its end."

ADVICE: Mapping[str, str] = {
    "retaken": _SQUARE,
    "astray": _SQUARE,
    "taken": _SQUARE,
    "uncovers": _LINE,
    "overloaded": _GUARD,
    "leaves": _GUARD,
    "cuts_off": _GUARD,
    "blocks_retreat": _ROOM,
    "back_rank": _KING,
    "mating_net": _KING,
    "takes_flight": _KING,
    "cover": _KING,
    "square": _GUARD,
    "line": _LINE,
    "vacates": _GUARD,
    "threat": _THREAT,
    "attacked": _THREAT,
    "fork": _TACTIC,
    "skewer": _TACTIC,
    "discovery": _LINE,
    "trap": _ROOM,
    "no_squares": _ROOM,
    "pin": _LINE,
    "mate_missed": _CHANCE,
    "win_missed": _CHANCE,
    "promotion_missed": _CHANCE,
    "pawn_through": _ENDING,
    "capture_missed": _CHANCE,
    "ending": _ENDING,
    "zugzwang": _ENDING,
}
"""What to do before the next move, for each cause."""

MISSED = "missed-"
"""How the key of a mechanism or a place begins if the line is one that the player who lost could have played."""

TAKEN_PLACES: Mapping[str, str] = {
    "taken": "%(victim)s taken on %(square)s",
    "captured": "%(piece)s takes %(victim)s on %(square)s",
    "won": "%(piece)s wins %(victim)s on %(square)s",
}
"""Mechanisms that are no themes, and what their places are called."""
_ROLES = dict(zip("PNBRQK", chess.PIECE_TYPES, strict=True))


class _Key(NamedTuple):
    """A key of a mechanism in its parts."""

    name: str
    actor: chess.PieceType | None
    victims: tuple[chess.PieceType, ...]


def cause_name(cause: str, language: Grammar = ENGLISH) -> str:
    """What a cause is called: ``ignores a threat``."""
    return language.text(CAUSE_NAMES[cause])


def advice(cause: str, language: Grammar = ENGLISH) -> str:
    """One sentence of advice for a cause; empty for none."""
    return language.text(ADVICE[cause]) if cause in ADVICE else ""


def mechanism_name(key: str, language: Grammar = ENGLISH) -> str:
    """What a killer line does, by the key of its mechanism: ``a knight forks king and rook``."""
    if key.startswith(MISSED):
        return _chance(mechanism_name(key.removeprefix(MISSED), language), language)
    name, actor, victims = _parts(key)
    if name not in MECHANISM_NAMES:
        return language.theme_names[name][1]
    bare = [bare_piece(kind, language) for kind in victims]
    first = victims[0] if victims else chess.PAWN
    return language.text(
        MECHANISM_NAMES[name],
        one="" if actor is None else language.one_piece[actor],
        targets=f"{', '.join(bare[:-1])} {language.joined} {bare[-1]}" if len(bare) > 1 else "".join(bare),
        the=language.the_piece[first],
        subject=language.subject[first],
    )


def place_name(key: str, language: Grammar = ENGLISH, colour: Side = "white", *, short: bool = False) -> str:
    """Where a killer line strikes, by the key of its place: ``knight fork on c7, king on e8``.

    ``colour`` is the side that made the mistake: keys have their squares turned as if that were White. A ``short`` name
    does not say what is hit, nor by what something is taken: ``knight fork on c7``, ``pawn taken on d4``.
    """
    if key.startswith(MISSED):
        return _chance(place_name(key.removeprefix(MISSED), language, colour, short=short), language)
    what, _, where = key.partition("@")
    square, _, victim = where.partition(",")
    name, actor, _ = _parts(f"{what}:")
    square, at = _turned(square, colour), _turned(victim[1:], colour)
    bare = bare_piece(_ROLES[victim[0]], language) if victim else ""
    piece = "" if actor is None else bare_piece(actor, language)
    if name in TAKEN_PLACES:
        return language.text(TAKEN_PLACES["taken" if short else name], piece=piece, victim=bare, square=at)
    theme = language.text("mate at once") if name == "mateIn1" else language.theme_names[name][0]
    words = language.text("%(piece)s %(theme)s on %(square)s", piece=piece, theme=theme, square=square)
    if short or not victim or at == square:
        return words.strip()
    behind = language.text("%(victim)s on %(square)s", victim=bare, square=at)
    return f"{words.strip()}, {behind}"


def is_theme(key: str) -> bool:
    """Whether a mechanism or a place has a theme, so that it says more than what is taken."""
    return key.removeprefix(MISSED).partition(":")[0] not in TAKEN_PLACES


def cause_words(evidence: Evidence, facts: Facts, language: Grammar) -> tuple[str, dict[str, str]] | None:
    """The sentence that says why a move loses, and its gaps; None if it has no cause that says more than the line."""
    if not evidence.cause:
        return None
    before = parse_position(evidence.fen)
    baited = before.copy(stack=False)
    bait = baited.push_uci(evidence.bait)
    if evidence.mate_in is not None:
        # A king that moves goes to where it is mated.
        cause = "mating_net" if baited.piece_type_at(bait.to_square) == chess.KING else evidence.cause
        key = "" if cause == "threat" and parries_mate(evidence) else f"cause_{cause}_mate"
        return (key, _gaps(evidence, baited, language)) if key in language.sentences else None
    if evidence.cause.endswith("_missed"):
        return _missed_words(evidence, facts, before, language)
    if evidence.cause in ("astray", "attacked") and baited.piece_type_at(bait.to_square) == chess.PAWN:
        return None  # what is lost says more
    if evidence.cause in ("astray", "no_squares", "trap") and facts.material is None:
        return None  # another reply saves it
    if evidence.cause == "cover" and not (baited.pieces(chess.QUEEN, baited.turn) and _checks(baited, evidence)):
        return None
    if evidence.cause == "back_rank" and (left := _unguarded(before, baited, evidence)) is not None:
        return "cause_leaves", {"piece": language.the_piece[left[0]], "bare": "", "square": chess.square_name(left[1])}
    gaps = _gaps(evidence, baited, language)
    falls = chess.parse_square(gaps["square"]) if evidence.cause in _LOSES and gaps["piece"] else None
    is_taken = falls is not None and _is_taken(baited, evidence.killer_line[:_SOON], falls)
    if falls is None or not is_taken or not _is_lost(facts, baited.piece_type_at(falls)):
        falls = _falls_first(baited, evidence.killer_line)
        if evidence.cause in _LOSES - {"threat"}:
            return None
        gaps = {}
    if falls is not None and (_falls_as_well(evidence, falls) or is_paid_for(evidence)):
        return None
    shows = facts.motif is not None and facts.motif.ply == 1
    if evidence.cause == "attacked":
        return ("walks_into_theme", {}) if shows else None  # what the answer does says more
    motif = facts.motif if evidence.cause in _TACTICS else None
    if motif is not None and was_there(evidence, motif.ply, motif.squares):
        return None
    if motif is None and evidence.cause in ("fork", "skewer", "pin"):
        return None  # the line does not show it
    if evidence.cause != "threat":
        square = _gaps(evidence, baited, language)["square"]
        if evidence.cause == "square" and not _still_covers(evidence, chess.parse_square(square)):
            return None
        is_king = baited.piece_type_at(bait.to_square) == chess.KING
        used = any(uci[:2] == square for uci in evidence.killer_line[:_SOON:2])
        if evidence.cause == "line" and (is_king or not used):
            return None  # nothing comes along the line, or what it attacked goes away
        guards = evidence.cause == "square" and baited.color_at(chess.parse_square(square)) == before.turn
        key = "cause_leaves" if guards and square == evidence.killer_line[0][2:4] else f"cause_{evidence.cause}"
        if key in _GUARDS and square == evidence.killer_line[0][2:4] and hung_before(evidence):
            key = "cause_threat"
        return (key, gaps or _gaps(evidence, baited, language)) if key in language.sentences else None
    if gaps and falls is not None and before.is_attacked_by(not before.turn, falls):
        return "cause_threat", gaps
    if facts.motif is None and facts.material is not None:
        return None  # what is lost says more
    if falls != bait.to_square and not (shows and _hits(baited, evidence.killer_line[0], bait.to_square)):
        says_why = facts.motif is not None or facts.material is not None or line_effect(evidence) is not None
        return ("cause_threat_line", {}) if says_why and is_threat(evidence) else None
    # The piece moves to where it falls or is hit: nothing threatened it before.
    return ("walks_into_theme" if shows else "walks_into"), {}


def _checks(baited: chess.Board, evidence: Evidence) -> bool:
    """Whether one of the first moves of the killer line is a check."""
    plies = range(1, min(_NEAR, len(evidence.killer_line)) + 1, 2)
    return any(after_line(baited, evidence.killer_line[:ply]).is_check() for ply in plies)


def _still_covers(evidence: Evidence, square: chess.Square) -> bool:
    """Whether the piece that the losing move takes off the square still covers it after the best move."""
    if evidence.best is None:
        return True
    best, bait = (chess.Move.from_uci(uci) for uci in (evidence.best, evidence.bait))
    after = after_line(parse_position(evidence.fen), (evidence.best,))
    return square in after.attacks(best.to_square if best.from_square == bait.from_square else bait.from_square)


def _unguarded(before: chess.Board, baited: chess.Board, evidence: Evidence) -> Target | None:
    """The piece that the answer takes, if the piece that moved guarded it and does so no more; else None."""
    bait, killer = (chess.Move.from_uci(uci) for uci in (evidence.bait, evidence.killer_line[0]))
    square = killer.to_square
    left = square in before.attacks(bait.from_square) and square not in baited.attacks(bait.to_square)
    return taken_by(baited, killer) if left else None


def _hits(baited: chess.Board, killer: str, square: chess.Square) -> bool:
    """Whether the piece that makes this move attacks the square then."""
    board = baited.copy(stack=False)
    return square in board.attacks(board.push_uci(killer).to_square)


def _missed_words(
    evidence: Evidence, facts: Facts, before: chess.Board, language: Grammar
) -> tuple[str, dict[str, str]] | None:
    """The same of a cause in what was not played; None if that is a capture which is not made at once."""
    gaps = _gaps(evidence, before, language)
    if evidence.cause == "win_missed":
        return None  # what is better says it
    if evidence.cause == "promotion_missed" and any(len(uci) > len("e7e8") for uci in evidence.killer_line[1:2]):
        return None  # it promotes at the next move
    if evidence.cause != "capture_missed":
        return f"cause_{evidence.cause}", gaps
    takes = evidence.best is not None and evidence.best[2:4] == gaps["square"]
    baited = after_line(before, (evidence.bait,))
    lost = taken_by(baited, baited.parse_uci(evidence.killer_line[0]))
    is_traded = any(uci[2:4] == evidence.killer_line[0][2:4] for uci in evidence.killer_line[1:2])
    if lost is not None and lost[0] != chess.PAWN and not is_traded:
        return None  # what the answer takes is the reason
    if not takes or facts.point is None or facts.point.does not in CAPTURES:
        return None
    if facts.point.does == "pawn" and not is_worth_a_pawn(evidence):
        return None
    return "leaves_free" if facts.free else "leaves_capture", gaps


def _gaps(evidence: Evidence, board: chess.Board, language: Grammar) -> dict[str, str]:
    """The first square of the cause, and what stands there on this board."""
    square = evidence.cause_squares[0] if evidence.cause_squares else ""
    kind = board.piece_type_at(chess.parse_square(square)) if square else None
    if kind is None:
        return {"piece": "", "bare": "", "square": square}
    return {"piece": language.the_piece[kind], "bare": language.pieces[kind], "square": square}


def _falls_first(baited: chess.Board, line: Sequence[str]) -> chess.Square | None:
    """Where the first piece that the line takes stands after the losing move; without one, the first pawn."""
    board, came_from = baited.copy(stack=False), dict[chess.Square, chess.Square]()
    pawn = None
    for uci in line[:_SOON]:
        move = board.parse_uci(uci)
        if board.turn != baited.turn:
            came_from[move.to_square] = came_from.pop(move.from_square, move.from_square)
        elif board.is_capture(move) and not board.is_en_passant(move):
            square = came_from.get(move.to_square, move.to_square)
            if board.piece_type_at(move.to_square) != chess.PAWN:
                return square
            pawn = square if pawn is None else pawn
        board.push(move)
    return pawn


@lru_cache(maxsize=4096)
def _falls_as_well(evidence: Evidence, square: chess.Square) -> bool:
    """Whether what stands on the square after the losing move falls to the same answer after the best one: that it
    falls is no reason then."""
    before, baited, after = parse_position(evidence.fen), parse_position(evidence.fen), answered_best(evidence)
    baited.push_uci(evidence.bait)
    if evidence.best is None or after is None or after.piece_at(square) != baited.piece_at(square):
        return False
    killer = baited.parse_uci(evidence.killer_line[0])
    if killer.to_square == square and takes_with_profit(after, killer.uci()):
        return True
    expected = best_moves(evidence)[1:]
    if expected[:1] == [killer.uci()] and _is_taken(after, expected, square):
        return True
    line = searched(after, only=(killer.uci(),)).line
    # Where what takes it costs the other side more, it does not fall.
    return _is_taken(after, line[:_SOON], square) and lost_points(before, (evidence.best, *line[:_SHOWN])) >= 0


def _is_taken(board: chess.Board, line: Sequence[str], square: chess.Square) -> bool:
    """Whether the line takes the piece that stands on the square."""
    board = board.copy(stack=False)
    for uci in line:
        move = board.parse_uci(uci)
        if move.to_square == square:
            return True
        square = move.to_square if move.from_square == square else square
        board.push(move)
    return False


_SHOWN = 6  # plies after which is counted what it loses
_NEAR = 3  # plies of a line in which a check shows that the king lacks cover
_SOON = 5  # plies of a line in which a piece falls that its cause is about
_LOSES = frozenset({"taken", "uncovers", "overloaded", "leaves", "cuts_off", "blocks_retreat", "threat", "no_squares",
                    "astray"})  # fmt: skip
"""Causes that name the piece that is lost."""


_GUARDS = frozenset({"cause_leaves", "cause_overloaded", "cause_cuts_off"})
"""Causes by which a piece loses its guard."""


_TACTICS = frozenset({"fork", "skewer", "discovery", "trap", "pin"})
"""Causes that are tactics, which must not have been there before the move."""


def _is_lost(facts: Facts, kind: chess.PieceType | None) -> bool:
    """Whether a piece of this kind is what the line is found to lose; one whose line is not certain may be any."""
    return kind not in (None, chess.KING) and (facts.material is None or facts.material.lost[0] == kind)


def _chance(name: str, language: Grammar) -> str:
    return language.text("missed chance (%(chance)s)", chance=name)


def _parts(key: str) -> _Key:
    name, actor, victims = key.split(":")[:3]
    return _Key(name, _ROLES.get(actor), tuple(_ROLES[letter] for letter in victims))


def bare_piece(kind: chess.PieceType, language: Grammar) -> str:
    """``knight``, as what is spoken of."""
    return language.subject[kind].split()[-1]


def _turned(square: str, colour: Side) -> str:
    if not square or colour == "white":
        return square
    return chess.square_name(chess.square_mirror(chess.parse_square(square)))
