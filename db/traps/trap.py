"""Trap as a value: the position before the bait, the bait, the killer line, and what is proved about it."""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypedDict, Unpack

import chess

from db.traps.json_form import JSON_FORM, to_dict
from db.traps.opinion import Opinion, contradict
from db.traps.temptation import Profile
from db.traps.terms import Outcome, Side
from trapcore import _native
from trapcore.errors import InputError, Message
from trapcore.proof.verdict import Verdict
from trapcore.trees.chess_game import parse_position
from trapcore.trees.position_key import mirror

_LONGEST_LINE = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Trap:
    """A position, the move that loses in it, the line that shows it, and the proof.

    Making one checks nothing, so that reading a library is quick; `check` does, and the library calls it before it
    stores a trap. `make_trap` builds one from moves as people write them.
    """

    __pydantic_config__ = JSON_FORM

    slug: str
    """Name for commands: lower-case letters, digits and single hyphens; unique in a library."""
    name: str
    family: str
    """What the trap is a case of, e.g. ``legal`` or ``smothered-mate``."""
    epd: str
    """Canonical EPD of the position before the bait; the victim is to move."""
    bait: str
    """UCI; castling is written as king takes rook only where the position needs Chess960."""
    killer_line: tuple[str, ...]
    """UCI, from the attacker's first move after the bait; at least one move."""
    outcome: Outcome
    verdict: Verdict = Verdict.UNDECIDED
    mate_in: int | None = None
    """Moves of the attacker from the killer to the mate, counting both; None unless a mate is proved."""
    gain: float | None = None
    """Win chance that the bait gives away, 0..2, as our search or an engine measured it; None unless one did."""
    proof_by: str = ""
    """Whose opinion the verdict rests upon, with the version; empty if nobody has tried."""
    proof_nodes: int = 0
    """Nodes that the verdict took: all that the prover spent, or the engine's limit for a position."""
    proof_depth: int | None = None
    """Depth in plies that the engine reached; None for the prover, which counts moves."""
    eco: str = ""
    opening: str = ""
    moves: str | None = None
    """SAN from the usual start to the position, e.g. ``1. e4 e5 2. Nf3``; None if no game led there."""
    source: str = ""
    """Where it was taken from: a file, an address."""
    reason: str = ""
    """Why it is no trap, for a refuted famous line and for a bait that was the only legal move; else empty."""
    profile: Profile | None = None
    """How the bait looks to a shallow and to a deeper search; None if nobody has looked."""
    opinions: tuple[Opinion, ...] = ()
    """What everybody says of it, ours first; `db.proof.prover` says how the verdict follows from them."""

    @property
    def victim(self) -> Side:
        """The side to move, which the bait tempts."""
        return "white" if self.epd.split()[1] == "w" else "black"

    @property
    def key(self) -> bytes:
        """Position key before the bait, 16 bytes."""
        return _native.position_key(self.epd)

    @property
    def mirror_key(self) -> bytes:
        """Key of the position with colours exchanged."""
        return _native.position_key(mirror(self.epd))

    @property
    def line(self) -> tuple[str, ...]:
        """Bait and killer line, UCI."""
        return (self.bait, *self.killer_line)

    @property
    def is_disputed(self) -> bool:
        """Whether two opinions contradict each other, or one of them the reason why it is no trap."""
        known = [Verdict.REFUTED] if self.reason else []
        return contradict([*known, *(opinion.verdict for opinion in self.opinions)])

    @property
    def is_doubted(self) -> bool:
        """Whether nothing may be claimed of it even where a search sees a gain: it is disputed, or known as no trap."""
        return self.verdict is not Verdict.PROVED and (self.reason != "" or self.is_disputed)

    @property
    def is_forced(self) -> bool:
        """Whether the bait is the only legal move: what it loses is lost without a choice, and it is no trap."""
        return self.board().legal_moves.count() == 1

    def board(self) -> chess.Board:
        """The position before the bait, a new board each time."""
        return parse_position(self.epd)

    @property
    def length(self) -> int:
        """Attacker's moves in the killer line."""
        return (len(self.killer_line) + 1) // 2

    def sans(self) -> tuple[str, ...]:
        """Bait and killer line in SAN."""
        return tuple(_native.sans(self.epd, self.line))

    def check(self) -> None:
        """Raise `InputError` unless every field is what it says: names, legal moves, outcome, and a proof that fits.

        Whether the bait really loses is not asked here but in `db.proof.prover`.
        """
        self.check_names()
        board = self.board()
        if _native.epd(self.epd) != self.epd:
            raise InputError(f"{self.slug}: the position is not written canonically: {self.epd}")
        if not self.killer_line:
            raise InputError(f"{self.slug}: the killer line is empty; give at least the move that punishes the bait")
        for move in self.line:
            try:
                board.push(_strict(board, move))
            except ValueError as error:
                raise InputError(f"{self.slug}: the line {' '.join(self.line)} cannot be played: {error}") from error
        if board.is_checkmate() != (self.outcome is Outcome.MATE):
            ends = "ends in mate" if board.is_checkmate() else "does not end in mate"
            raise InputError(f"{self.slug}: the outcome is said to be {self.outcome}, but the killer line {ends}")
        if self.moves is not None and _played(move_words(self.moves), self.name)[1] != self.epd:
            raise InputError(f"{self.slug}: the moves {self.moves} do not lead to the position {self.epd}")
        self._check_proof()

    def check_stored(self) -> None:
        """The part of `check` that costs little, for a trap out of a library: all but the moves that lead to it.

        Raises `InputError`.
        """
        self.check_names()
        if _native.epd(self.epd) != self.epd:
            raise InputError(f"{self.slug}: the position is not written canonically: {self.epd}")
        if not self.killer_line or len(self.killer_line) > _LONGEST_LINE:
            raise InputError(f"{self.slug}: the killer line must have 1 to {_LONGEST_LINE} moves")
        if self.sans()[-1].endswith("#") != (self.outcome is Outcome.MATE):
            raise InputError(f"{self.slug}: the outcome is said to be {self.outcome}, which the killer line is not")
        self._check_proof()

    def check_names(self) -> None:
        """The part of `check` that looks at the texts only."""
        if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", self.slug) or len(self.slug) > 80:
            raise InputError(
                f"the slug {self.slug!r} must be lower-case letters and digits with single hyphens, 80 at most"
            )
        for what, text, longest in (("name", self.name, 200), ("family", self.family, 80)):
            if text != text.strip() or not 1 <= len(text) <= longest or not text.isprintable():
                raise InputError(f"the {what} of {self.slug} must be one line of 1 to {longest} characters: {text!r}")
        for what, text, longest in (
            ("ECO code", self.eco, 8),
            ("opening", self.opening, 200),
            ("source", self.source, 500),
            ("reason", self.reason, 500),
        ):
            if text != text.strip() or len(text) > longest or not text.isprintable():
                raise InputError(
                    f"the {what} of {self.slug} must be one line of at most {longest} characters: {text!r}"
                )

    def _check_proof(self) -> None:
        mated = self.outcome is Outcome.MATE and self.verdict is Verdict.PROVED
        if (self.mate_in is not None) != mated or (mated and 2 * (self.mate_in or 0) - 1 != len(self.killer_line)):
            raise InputError(
                f"{self.slug}: a {self.verdict} trap of {len(self.killer_line)} plies to {self.outcome} "
                f"cannot be a mate in {self.mate_in}"
            )
        if self.gain is not None and not 0 <= self.gain <= 2:
            raise InputError(f"{self.slug}: the gain is a difference of win chances, 0 to 2, not {self.gain}")
        if (self.verdict is not Verdict.UNDECIDED and not self.proof_by) or self.proof_nodes < 0:
            raise InputError(f"{self.slug}: a {self.verdict} trap must say who found that, in 0 nodes or more")
        self._check_opinions()

    def _check_opinions(self) -> None:
        holders = [opinion.by for opinion in self.opinions]
        if len(set(holders)) != len(holders):
            raise InputError(f"{self.slug}: somebody has two opinions: {', '.join(sorted(holders))}")
        for opinion in self.opinions:
            by = opinion.by
            if by != by.strip() or not 1 <= len(by) <= 200 or not by.isprintable() or opinion.nodes < 0:
                raise InputError(f"{self.slug}: an opinion must say who holds it, in 0 nodes or more: {by!r}")
            if opinion.gain is not None and not 0 <= opinion.gain <= 2:
                raise InputError(f"{self.slug}: {by} says the gain is {opinion.gain}, but it must be 0 to 2")
            if not re.fullmatch(r"(\d{4}-\d\d-\d\d)?", opinion.date):
                raise InputError(f"{self.slug}: the day of {by}'s opinion must be written 2025-03-01: {opinion.date!r}")

    def to_dict(self) -> dict[str, Any]:
        """JSON form: the victim and all fields, in a fixed order."""
        return {"victim": self.victim} | to_dict(self)


class TrapLabels(TypedDict, total=False):
    """Fields of a trap that say what it is called and where it is from, as `Trap` has them."""

    family: str
    """Without it ``other``."""
    slug: str | None
    """Without it, or if None, made of the name."""
    eco: str
    opening: str
    source: str
    reason: str


def make_trap(
    *,
    name: str,
    bait: str,
    killer_line: str | Iterable[str],
    fen: str | None = None,
    moves: str | None = None,
    **labels: Unpack[TrapLabels],
) -> Trap:
    """A checked trap, undecided, from moves in SAN or UCI; move numbers and ``!?`` do not matter.

    Give ``moves`` from the usual start to the position, or its ``fen``, or both if they agree. The slug is made of the
    name unless given; the outcome is mate if the line ends in it. Raises `InputError`.
    """
    if fen is None and moves is None:
        raise InputError(f"{name}: neither a position nor the moves that lead to it were given")
    written, epd = (None, "") if moves is None else _played(move_words(moves), name)
    start = parse_position(epd if fen is None else fen)
    board = start.copy(stack=False)
    line = _play(board, move_words(bait), name)
    if len(line) != 1:
        raise InputError(f"{name}: the bait must be one move, not {bait!r}")
    line += _play(board, move_words(killer_line), name)
    slug = labels.get("slug")
    trap = Trap(
        slug=slug if slug is not None else slugify(name),
        name=name,
        family=labels.get("family", "other"),
        epd=epd if fen is None else _native.epd(fen),
        bait=line[0],
        killer_line=tuple(line[1:]),
        outcome=Outcome.MATE if board.is_checkmate() else Outcome.MATERIAL,
        eco=labels.get("eco", ""),
        opening=labels.get("opening", ""),
        moves=written,
        source=labels.get("source", ""),
        reason=labels.get("reason", ""),
    )
    trap.check()
    return trap


def read_moves(board: chess.Board, text: str | Iterable[str], what: str) -> list[chess.Move]:
    """The moves of a line that begins on ``board``, which is not changed, in SAN or UCI.

    Move numbers and suffixes such as ``!?`` are ignored. Raises `InputError`, beginning with ``what``.
    """
    board = board.copy()
    already = len(board.move_stack)
    _play(board, move_words(text), what)
    return board.move_stack[already:]


def first_sans(epd: str, bait: str, killer: str) -> tuple[str, str]:
    """Bait and killer (UCI) of a position in SAN, without the signs for check and mate."""
    first, second = _native.sans(epd, [bait, killer])
    return plain_san(first), plain_san(second)


def plain_san(san: str) -> str:
    """A move in SAN without the signs for check, mate and what somebody thinks of it."""
    return san.rstrip("+#!?")


def slugify(name: str, nothing: str = "trap") -> str:
    """A slug for a name: ``Légal's Mate`` gives ``legals-mate``. Without letters or digits it is ``nothing``."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode("ascii").lower()
    words = re.findall(r"[a-z0-9]+", plain.replace("'", ""))
    return "-".join(words)[:80].strip("-") or nothing


def _move(board: chess.Board, token: str) -> chess.Move | None:
    try:
        return board.parse_san(token)
    except ValueError:
        try:
            return board.parse_uci(token)
        except ValueError:
            return None


def _strict(board: chess.Board, move: str) -> chess.Move:
    parsed = board.parse_uci(move)
    if not parsed:
        raise ValueError(f"{move} is no move")
    if board.uci(parsed) != move:
        raise ValueError(f"{move} must be written {board.uci(parsed)}")
    return parsed


def move_words(text: str | Iterable[str]) -> tuple[str, ...]:
    """The moves of a text as they are written, without their numbers and what somebody thinks of them."""
    words = text.split() if isinstance(text, str) else text
    tokens = (re.sub(r"^\d+\.+", "", word).rstrip("!?") for word in words)
    return tuple(token for token in tokens if token and not re.fullmatch(r"[1-9]\d*|\.+", token))


def _play(board: chess.Board, words: Iterable[str], what: str) -> list[str]:
    """Play the moves of `read_moves` on the board; the moves in UCI."""
    line = []
    for word in words:
        move = _move(board, word)
        if not move:  # a null move, which python-chess reads from `--` and `0000`
            raise InputError(
                "{what}: {move!r} is no legal move in {fen}", what=Message(what), move=word, fen=board.fen()
            )
        line.append(board.uci(move))
        board.push(move)
    return line


@lru_cache(maxsize=1024)  # a trap that is made, judged and stored is checked each time
def _played(words: tuple[str, ...], what: str) -> tuple[str, str]:
    """Moves from the usual start in SAN with their numbers, and the canonical EPD after them."""
    board = chess.Board()
    sans = _native.sans(chess.STARTING_FEN, _play(board, words, what))
    numbered = (f"{1 + ply // 2}. {san}" if ply % 2 == 0 else san for ply, san in enumerate(sans))
    return " ".join(numbered), _native.epd(board.fen())
