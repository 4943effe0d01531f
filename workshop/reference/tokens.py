"""The vocabulary: each kind of token puts a few facts about a move into one number.

`trapcore.ranking.token_fields` says how; `workshop.reference.words` says what the fields mean.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

import chess

from trapcore import _native
from trapcore.piece_values import POINTS
from trapcore.ranking.token_fields import FIELD_BITS, KINDS, fields_of
from workshop.reference.attacker_view import CENTIPAWNS, NOTHING, AttackerView, Offset, after, attacker_view
from workshop.reference.mating_net import MatingNet, mating_net
from workshop.reference.replies import MATED, ReplySummary, Then, summarize_replies
from workshop.reference.visible_features import MoveFeatures, visible_features

STAGES: dict[str, str] = {name: stage for name, stage, _ in _native.token_kinds()}
"""From which part of the tree each kind reads: ``seen``, ``answered`` or ``proved``."""
NOT_NAMING = {"hanging", "runner", "phase", "profit", "worst", "mean", "standing"}
"""Kinds that serve to order moves, but not to compare a killer with known killers."""


def token(kind: str, **values: int) -> int:
    """The token of a kind; raises ``ValueError`` for a missing, unknown or too large field."""
    fields = KINDS[kind]
    if [name for name, _ in fields] != list(values):
        raise ValueError(f"{kind} has the fields {', '.join(name for name, _ in fields)}, not {', '.join(values)}")
    packed = 0
    for name, bits in fields:
        if not 0 <= values[name] < 1 << bits:
            raise ValueError(f"{name} of {kind} is {values[name]}, and has {bits} bits")
        packed = packed << bits | values[name]
    return list(KINDS).index(kind) << FIELD_BITS | packed


def tokens_of(fen: str, bait: str | None = None, *, only: Collection[str] | None = None) -> dict[str, set[int]]:
    """All tokens of each legal move (UCI) of the attacker, or of those in ``only``, with every move on the shortlist.

    ``fen`` and ``bait`` are read as by `attacker_view`, which says what is raised.
    """
    position = attacker_view(fen, bait)
    moves = visible_features(position)
    standing = _quiescence_ranks(qsearch_values(position, moves))
    by_sight = of_seen(position, moves)
    out = {}
    for one, tokens, place in zip(moves, by_sight, standing, strict=True):
        uci = position.uci(one.move)
        if only is None or uci in only:
            out[uci] = {*tokens, *of_answered(one, summarize_replies(position, one)), place}
    return out


def seen_tokens(fen: str, bait: str | None = None) -> dict[str, set[int]]:
    """The tokens of each legal move (UCI) of the attacker that need no look at its replies."""
    position = attacker_view(fen, bait)
    moves = visible_features(position)
    return {position.uci(one.move): set(tokens) for one, tokens in zip(moves, of_seen(position, moves), strict=True)}


def killer_tokens(fen: str, bait: str | None, line: Sequence[str]) -> set[int]:
    """The tokens by which a killer is compared with others; ``line`` (UCI) is the killer and what follows it.

    Where the line ends in mate the mating net is among them. Raises as `tokens_of`, and ``ValueError`` for a line that
    cannot be played.
    """
    position = attacker_view(fen, bait)
    moves = visible_features(position)
    board = position.board
    played = []
    for uci in line:
        played.append(board.parse_uci(uci))
        board = after(board, played[-1])
    (killer,) = (i for i, one in enumerate(moves) if one.move == played[0])
    tokens = {
        *of_seen(position, moves)[killer],
        *of_answered(moves[killer], summarize_replies(position, moves[killer])),
    }
    net = mating_net(board)
    return {one for one in tokens if fields_of(one)[0] not in NOT_NAMING} | (of_mating_net(net) if net else set())


def qsearch_values(position: AttackerView, moves: Iterable[MoveFeatures]) -> list[int]:
    """Centipawns for the attacker after each move once captures and checks are played out.

    The one thing that the definition takes from the core: quiescence and evaluation have a definition of their own (the
    tests of the search), and get the turned board so that colour and wing make no difference.
    """
    return [-_native.qsearch(position.orientation.turned(one.next).fen(en_passant="legal")) for one in moves]


@dataclass(frozen=True)
class _MoveType:
    """Piece, what it takes, how it checks, whether it promotes or mates: what many kinds begin with."""

    piece: int
    captured: int
    check: int
    promotes: int
    mates: int

    @classmethod
    def of(cls, features: MoveFeatures) -> "_MoveType":
        return cls(features.piece - 1, features.captured, features.check, int(features.promotes), int(features.mates))


def of_seen(position: AttackerView, moves: Sequence[MoveFeatures]) -> list[list[int]]:
    """Tokens of each move by itself; ``moves`` are all moves of the position."""
    profit = ranks([_gain(one) - one.hanging for one in moves])
    victim = not position.board.turn
    counted = (chess.KNIGHT, chess.BISHOP, chess.ROOK, chess.QUEEN)
    material = material_class(sum(POINTS[kind] * len(position.board.pieces(kind, victim)) for kind in counted))
    return [_of_one(one, rank, material) for one, rank in zip(moves, profit, strict=True)]


def _gain(features: MoveFeatures) -> int:
    added = CENTIPAWNS[features.piece] - CENTIPAWNS[chess.PAWN] if features.promotes else 0
    return (CENTIPAWNS[features.captured] if features.captured else 0) + added


def _of_one(s: MoveFeatures, rank: int, material: int) -> list[int]:
    coarse = vars(_MoveType.of(s))
    piece, check = s.piece - 1, int(s.check)
    gained, defended = gain_class(s.exchange), int(s.defended)
    run = s.runner
    return [
        token("deed", **coarse, **clamped(s.offset)),
        token(
            "room",
            **coarse,
            king_replies=min(s.king_replies, 4),
            recapturer=s.recapturer,
            replies=reply_class(len(s.replies)),
        ),
        token(
            "exchange",
            exchange=gained,
            attacker=s.attacker,
            defended=defended,
            check=check,
            piece=piece,
            place=s.place,
        ),
        token("bait", **coarse, novelty=s.novelty, place=s.place),
        token("targets", piece=piece, check=check, targets=bits(s.targets)),
        token("hanging", hanging=gain_class(s.hanging), exchange=gained, check=check),
        token(
            "runner",
            pawn=int(run is not None),
            steps=run.steps if run else 0,
            passed=int(run is not None and run.passed),
            escapes=int(run is not None and run.escapes),
            blocked=int(run is not None and run.blocked),
            material=min(material, 3),
            attacker=s.attacker,
            defended=defended,
        ),
        token("phase", **coarse, material=material),
        token("profit", rank=rank, check=check, exchange=gained),
    ]


def of_answered(s: MoveFeatures, answered: ReplySummary) -> set[int]:
    """Tokens of a move's replies."""
    coarse = vars(_MoveType.of(s))
    worst, check = net_class(answered.worst), int(s.check)

    def share(count: int) -> int:
        return share_class(count, max(answered.replies, 1))

    won_200, won_400, won_800 = map(share, answered.won)
    out = {
        token("worst", **coarse, worst=worst),
        token("mean", mean=(answered.mean + 900) // 100, worst=worst),
        token("shares", won_200=won_200, won_400=won_400, won_800=won_800, mated=share(answered.mated), check=check),
        token("forced", forced=share(answered.forced), check=check, replies=reply_class(answered.replies)),
        token("mate_by_checks", moves=7 if answered.mate_by_checks is None else answered.mate_by_checks, check=check),
    }
    for (reply, follow_up), count in answered.pairs.items():
        then = {
            "reply": int(reply),
            "then": int(follow_up.then),
            "then_piece": max(follow_up.piece - 1, 0),
            "same_piece": int(follow_up.same),
        }
        offset = clamped(follow_up.offset) if follow_up.then == Then.MATE else {"files": 0, "ranks": 0}
        out.add(token("answer", **then, **offset, then_captured=follow_up.captured, share=share(count)))
        if share(count) >= 2 or answered.replies <= 4:
            out.add(token("line", **coarse, **then, then_captured=follow_up.captured))
    return out


def _quiescence_ranks(values: Sequence[int]) -> list[int]:
    """Tokens of each shortlisted move's place by its value after quiescence."""
    top = max(values, default=0)
    places = ranks(values)

    def ahead(i: int) -> int:
        """By how much it is ahead of the next one; 9 for a move that is not at the top."""
        others = [value for j, value in enumerate(values) if j != i]
        return gain_class(top - max(others, default=top)) if values[i] == top else 9

    return [
        token("standing", rank=places[i], behind=gain_class(top - value), ahead=ahead(i))
        for i, value in enumerate(values)
    ]


def of_mating_net(net: MatingNet) -> set[int]:
    """Tokens of the end of a proved line."""
    far, outer, near = net.edges
    edges = far << 2 | outer << 1 | int(near)
    mating = {token("mating_piece", piece=p - 1, **clamped(offset), edges=edges) for p, offset in net.checkers}
    squares = {token("king_square", **clamped(k.offset), own=k.own, covered=bits(k.covered)) for k in net.squares}
    return mating | squares | {token("hunters", hunters=bits(net.mating_attackers), edges=edges)}


def bits(pieces: Iterable[chess.PieceType]) -> int:
    """A set of pieces: bit 0 for a pawn to bit 5 for the king."""
    return sum(1 << piece - 1 for piece in pieces if piece != NOTHING)


def clamped(offset: Offset) -> dict[str, int]:
    """Files and ranks from -4 to 4, farther ones as these, as 0 to 8."""
    files, up = (max(-4, min(way, 4)) + 4 for way in offset)
    return {"files": files, "ranks": up}


def reply_class(replies: int) -> int:
    """0 to 3 replies, 4 or 5, 6 to 9, 10 to 15, 16 to 24, more: 0 to 8."""
    return replies if replies <= 3 else 4 + sum(replies >= least for least in (6, 10, 16, 25))


def share_class(count: int, all: int) -> int:
    """None, less than a quarter, less than two thirds, less than all, all: 0 to 4."""
    if count == 0:
        return 0
    if count == all:
        return 4
    return 1 if count * 4 < all else 2 if count * 3 < all * 2 else 3


def gain_class(centipawns: int) -> int:
    """An exchange, from the loss of a rook or more (0) over nothing (3) to the gain of a queen (8)."""
    return sum(centipawns >= least for least in (-450, -150, 0, 1, 150, 280, 450, 800))


def net_class(centipawns: int) -> int:
    """What is left after a reply, from being mated (0) over nothing (4) to a mate (11)."""
    return sum(centipawns >= least for least in (-5000, -449, -149, 0, 1, 50, 150, 280, 450, 800, MATED))


def material_class(points: int) -> int:
    """The victim's pieces without its pawns: none, a minor piece, up to 6 points, up to 12, up to 20, more: 0 to 5."""
    return sum(points >= least for least in (1, 4, 7, 13, 21))


def ranks(values: Sequence[int]) -> list[int]:
    """Place of each value, highest first: alone at the top (0), sharing the top, second, third or fourth, up to eighth,
    later (5)."""

    def place(value: int) -> int:
        higher = sum(other > value for other in values)
        if higher == 0:
            return 0 if values.count(value) == 1 else 1
        return 2 + sum(higher >= least for least in (2, 4, 8))

    values = list(values)
    return [place(value) for value in values]
