"""Tokens of abstracted trees in English, for chess players.

Everything is seen from the attacker, whose pawns go up the board, with the victim's king on its right half: "above"
and "below" are ranks, "left" and "right" files from that king. ``workshop.reference.words`` says what each field means.
"""

from collections.abc import Callable
from functools import lru_cache

from trapcore.ranking.token_fields import fields_of

Fields = dict[str, int]

PIECES = ("pawn", "knight", "bishop", "rook", "queen", "king")
CHECKS = ("", " with check", " with a discovered check", " with double check")
MATES = ("", " with mate", " with mate by a discovered check", " with mate by double check")
GAINS = (
    "a rook or more is lost",
    "a piece is lost",
    "a pawn is lost",
    "nothing is won or lost",
    "a pawn is won",
    "two pawns are won",
    "a piece is won",
    "a rook is won",
    "a queen is won",
)
LEADS = ("", "", "", "nothing", "a pawn", "two pawns", "a piece", "a rook", "a queen or more")
NETS = ("the attacker is mated", *GAINS[:4], "a trifle is won", *GAINS[4:], "there is mate")
REPLIES = ("no reply", "one reply", "2 replies", "3 replies", "4 or 5 replies", "6 to 9 replies", "10 to 15 replies")
MANY_REPLIES = (*REPLIES, "16 to 24 replies", "25 replies or more")
SHARES = ("after no reply", "after few replies", "after some replies", "after most replies", "after every reply")
ANSWERS = (
    "a king move",
    "a capture by the king",
    "a recapture",
    "another capture",
    "a check in return",
    "a quiet reply",
    "",
    "no reply",
)
MATERIAL = (
    "no pieces",
    "a minor piece",
    "a rook or two minor pieces",
    "up to a queen and a minor piece",
    "up to a queen, a rook and two minor pieces",
    "most of the pieces",
)
RANKS = ("first", "sharing the first place", "second", "third or fourth", "fifth to eighth", "far down")
NOVELTIES = (
    "",
    "possible before the bait, too",
    "sharper than before the bait",
    "guarded otherwise than before the bait",
    "possible only by the bait",
)
PLACES = ("", "onto or across the square that the bait left", "takes the bait's piece")


@lru_cache(maxsize=1 << 14)
def describe(token: int) -> str:
    """A token as one readable phrase; raises ``InputError`` for what is no token."""
    kind, fields = fields_of(token)
    return _PHRASES[kind](fields)


def _deed(f: Fields) -> str:
    """The move as most kinds begin: ``queen takes rook with check``."""
    piece = PIECES[f["piece"]]
    moves = f"pawn becomes a {piece}" if f["promotes"] else piece
    taken = f"{', taking' if f['promotes'] else ' takes'} {PIECES[f['captured'] - 1]}" if f["captured"] else ""
    return f"{moves}{taken}{(MATES if f['mates'] else CHECKS)[f['check']]}"


def _where(f: Fields) -> str:
    """``one file right and two ranks below the king``."""

    def way(value: int, unit: str, less: str, more: str) -> str:
        steps = abs(value - 4)
        count = ("", f"one {unit}", f"two {unit}s", f"three {unit}s", f"four {unit}s or more")[steps]
        return f"{count} {more if value > 4 else less}" if steps else ""

    ways = [way(f["files"], "file", "left", "right"), way(f["ranks"], "rank", "below", "above")]
    parts = " and ".join(one for one in ways if one)
    if not parts:
        return "on the king's square"
    return f"{parts} {'the king' if f['ranks'] != 4 else 'of the king'}"


def _pieces(bits: int, nothing: str) -> str:
    """``queen, rook and pawn``: the dearest first."""
    names = [name for i, name in reversed(list(enumerate(PIECES))) if bits >> i & 1]
    return " and ".join(part for part in (", ".join(names[:-1]), names[-1]) if part) if names else nothing


def _joined(*parts: str) -> str:
    return ", ".join(part for part in parts if part)


def _checking(f: Fields) -> str:
    return CHECKS[f["check"]].strip() or "without check"


def _guarded(f: Fields) -> str:
    attacked = f"attacked by a {PIECES[f['attacker'] - 1]}" if f["attacker"] else "not attacked"
    return f"{attacked} and {'defended' if f['defended'] else 'undefended'}"


def _edges(f: Fields) -> str:
    far, outer, near = f["edges"] >> 2 & 1, f["edges"] >> 1 & 1, f["edges"] & 1
    if outer and (far or near):
        return f"the king in the {'far' if far else 'near'} corner"
    return "the king " + (
        "on the far rank" if far else "on the near rank" if near else "on the edge" if outer else "in the open"
    )


def _room(f: Fields) -> str:
    king = ("none", "one", "two", "three", "four or more")[f["king_replies"]]
    back = f"a {PIECES[f['recapturer'] - 1]} can take back" if f["recapturer"] else "nothing can take back"
    return f"{_deed(f)} leaves {MANY_REPLIES[f['replies']]}, {king} by the king, and {back}"


def _exchange(f: Fields) -> str:
    move = f"{PIECES[f['piece']]}{CHECKS[f['check']]}"
    return _joined(f"{move} on a square {_guarded(f)}", GAINS[f["exchange"]], PLACES[f["place"]])


def _bait(f: Fields) -> str:
    return _joined(_deed(f), PLACES[f["place"]], NOVELTIES[f["novelty"]] or "of which nothing is known before the bait")


def _hanging(f: Fields) -> str:
    left = "nothing hangs after it" if f["hanging"] == 3 else f"{LEADS[f['hanging']]} can be taken after it"
    return f"a move {_checking(f)} by which {GAINS[f['exchange']]}, and {left}"


def _runner(f: Fields) -> str:
    against = f"against {MATERIAL[f['material']] if f['material'] < 3 else 'more than a rook'}"
    if not f["pawn"]:
        return f"a piece, {_guarded(f)}, {against}"
    kind = "passed pawn" if f["passed"] else "pawn"
    caught = "that the king cannot catch" if f["escapes"] else ""
    steps = f"{f['steps']} {'rank' if f['steps'] == 1 else 'ranks'} from promotion"
    return _joined(f"a {kind} {steps}", caught, "blocked" if f["blocked"] else "", _guarded(f), against)


def _profit(f: Fields) -> str:
    return (
        f"a move {_checking(f)} by which {GAINS[f['exchange']]}, {RANKS[f['rank']]} among all moves by what it takes "
        "less what it leaves"
    )


def _mean(f: Fields) -> str:
    pawns = f["mean"] - 9
    return f"on average {'mate' if pawns == 12 else f'{pawns:+d} pawns'}, and {NETS[f['worst']]} after the best reply"


def _shares(f: Fields) -> str:
    parts = (
        f"{what} {SHARES[f[name]]}"
        for name, what in (
            ("won_200", "two pawns won"),
            ("won_400", "a piece and more won"),
            ("won_800", "a queen won"),
            ("mated", "mate"),
        )
    )
    return f"{_joined(*parts)}, by a move {_checking(f)}"


def _follow_up(f: Fields) -> str:
    """``mate with the same rook``."""
    piece = f"{'the same' if f['same_piece'] else 'a'} {PIECES[f['then_piece']]}"
    if f["then"] == 0:
        return f"mate with {piece}"
    if f["then"] == 1:
        return (
            f"the win of a {PIECES[f['then_captured'] - 1]} with {piece}"
            if f["then_captured"]
            else (f"a promotion to a {PIECES[f['then_piece']]}")
        )
    return f"a check with {piece}" if f["then"] == 2 else "nothing forcing"


def _answer(f: Fields) -> str:
    where = f" {_where(f)}" if f["then"] == 0 else ""
    return f"{ANSWERS[f['reply']]} is met by {_follow_up(f)}{where}, {SHARES[f['share']]}"


def _line(f: Fields) -> str:
    return f"{_deed(f)}, {ANSWERS[f['reply']]} is met by {_follow_up(f)}"


def _forced(f: Fields) -> str:
    left = f"a move {_checking(f)} that leaves {MANY_REPLIES[f['replies']]}"
    return f"{left}, and a check that leaves one answer at most {SHARES[f['forced']]}"


def _mate_by_checks(f: Fields) -> str:
    if f["moves"] == 7:
        return f"a move {_checking(f)}, no mate by checks alone in sight"
    if f["moves"] == 0:
        return f"mate {_checking(f)}"
    return f"a move {_checking(f)}, then mate by checks alone in {f['moves']}"


def _standing(f: Fields) -> str:
    place = f"{RANKS[f['rank']]} on the shortlist once captures and checks are played out"
    if f["ahead"] == 9:
        return f"{place}, {LEADS[f['behind']]} behind the best"
    return f"{place}, {LEADS[f['ahead']]} ahead of the next"


def _king_square(f: Fields) -> str:
    by = f"taken by its own {PIECES[f['own'] - 1]}" if f["own"] else f"covered by {_pieces(f['covered'], 'nothing')}"
    return f"the square {_where(f)} is {by}"


_PHRASES: dict[str, Callable[[Fields], str]] = {
    "deed": lambda f: f"{_deed(f)}, lands {_where(f)}",
    "room": _room,
    "exchange": _exchange,
    "bait": _bait,
    "targets": lambda f: (
        f"{PIECES[f['piece']]}{CHECKS[f['check']]} attacks {_pieces(f['targets'], 'nothing of worth')}"
    ),
    "hanging": _hanging,
    "runner": _runner,
    "phase": lambda f: f"{_deed(f)} against {MATERIAL[f['material']]}",
    "profit": _profit,
    "worst": lambda f: f"{_deed(f)}: {NETS[f['worst']]} after the best reply",
    "mean": _mean,
    "shares": _shares,
    "answer": _answer,
    "line": _line,
    "forced": _forced,
    "mate_by_checks": _mate_by_checks,
    "standing": _standing,
    "mating_piece": lambda f: f"mated by a {PIECES[f['piece']]} {_where(f)}, {_edges(f)}",
    "king_square": _king_square,
    "hunters": lambda f: f"{_pieces(f['hunters'], 'nothing')} mate, {_edges(f)}",
}
