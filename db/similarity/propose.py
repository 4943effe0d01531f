"""What wins and what loses in a position: two lists of moves, each with the known trap that it is most like.

What wins are killers: the moves that the learned weights rank, put to proof and search. What loses are baits: the moves
that tempt, put to the trap test. A move of one list is never in the other.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import chess

from db.similarity.annotator_index import WeightsSource
from db.similarity.common_features import shared_with
from db.similarity.explanation import Shared
from db.similarity.killer_index import KillerIndex, KnownTrap
from db.traps.json_form import JSON_FORM, Rounded, to_dict
from trapcore import _native
from trapcore.errors import InputError, PositionError, UsageError
from trapcore.io.epd import MAX_LINE_BYTES, numbered_lines
from trapcore.measures.options import LEAST_SIMILARITY, IndexedMeasure
from trapcore.parallel.budget import Budget, Cancellation
from trapcore.proof.trap_test import TOLD, BaitTest, check_baits, find_baits
from trapcore.proof.wording import read_move
from trapcore.ranking.verification import NODES, Finding, VerifiedMove, verify_moves
from trapcore.ranking.weights import Weights
from trapcore.trees.chess_game import parse_position
from trapcore.trees.position_key import mirror
from trapcore.win_chance import BLUNDER

TOP = 5
"""Moves of each list unless more or fewer are asked for."""
_ALL = 1000  # more than a position has legal moves
_LEAST = LEAST_SIMILARITY[IndexedMeasure.ABSTRACTED]
_BAIT_SHARE = 6
"""Each question about a bait gets this share of the budget, about ten questions a position,"""
_LEAST_BAIT_NODES = 5_000
"""but no fewer nodes than this: with a third of them the test leaves half of its questions open."""


@dataclass(frozen=True, slots=True)
class Question:
    """A position to propose moves for."""

    fen: str
    """Before the bait if the bait is legal there, else after it."""
    bait: str | None = None
    """SAN or UCI, after it UCI; None if nobody knows."""
    id: object = None
    """The caller's name for the question."""


@dataclass(frozen=True, kw_only=True)
class _LikeATrap:
    """A move and the known trap that its killer is most like."""

    # Not `JSON_FORM` as it is: the explanation is in the form only if it was asked for.
    __pydantic_config__ = JSON_FORM | {"json_schema_serialization_defaults_required": False}

    uci: str
    san: str
    mate_in: int | None
    """Moves of the winning side, if mate is proved."""
    line: tuple[str, ...]
    """UCI. What wins: from the move on, to the mate or as far as the search sees. What loses: from the answer on."""
    trap: str | None
    """Slug of the trap; None if the library has none that is similar enough to be named."""
    name: str | None
    family: str | None
    similarity: Rounded
    """To that trap, 0 to 1; 1 only in the position of the trap itself."""
    explanation: Shared | None = None
    """What it shares with the trap; None unless asked for."""

    def to_dict(self) -> dict[str, Any]:
        """JSON form."""
        found = to_dict(self)
        if self.explanation is None:
            del found["explanation"]
        return found


@dataclass(frozen=True, kw_only=True)
class WinningMove(_LikeATrap):
    """A proposed killer and the result of its proof."""

    rank: int
    """Place in the order of the learned weights, from 1."""
    confidence: Rounded
    """That of the proposal, see `trapcore.ranking.weights.RankedMove`; 1 if mate is proved."""
    score: Rounded
    verdict: Finding
    win_chance: Rounded | None
    """After the move, for the side that plays it, -1 to 1, as the search sees it; None unless it is the best move."""
    lead: Rounded | None
    """How much more that is than after the best other move; None unless it is the best move."""

    @property
    def wins(self) -> bool:
        """Whether mate is proved, or the search sees an advantage that no other move comes near."""
        if self.verdict is Finding.PROVED:
            return True
        return self.verdict is Finding.BEST and self.win_chance is not None and self.win_chance >= BLUNDER


@dataclass(frozen=True, kw_only=True)
class LosingMove(_LikeATrap):
    """A bait: a move that tempts and passed the trap test (`trapcore.proof.trap_test`)."""

    loss: Rounded
    """Win chance that it costs against the best other move, 0 to 2."""
    best: str | None
    """That move, UCI."""


@dataclass(frozen=True, slots=True)
class Proposals:
    """What wins and what loses in one position, the surest first; nothing if it has no legal move."""

    __pydantic_config__ = JSON_FORM

    fen: str
    """As it was asked."""
    bait: str | None
    """As it was asked."""
    after: str
    """FEN of the position that the moves belong to."""
    weights: WeightsSource
    nodes: int
    """Cost of all proofs together."""
    wins: tuple[WinningMove, ...]
    """The best winning move, if one wins. With ``unproved`` other proposals follow that nothing proves or refutes."""
    loses: tuple[LosingMove, ...]
    """Moves that tempt and lose."""

    def to_dict(self) -> dict[str, Any]:
        """JSON form."""
        lists = {"wins": self.wins, "loses": self.loses}
        return to_dict(self) | {name: [move.to_dict() for move in moves] for name, moves in lists.items()}


class MoveSuggester:
    """Proposes moves by these weights and these traps."""

    def __init__(
        self,
        weights: tuple[Weights, WeightsSource],
        killer_index: KillerIndex,
        *,
        top: int = TOP,
        nodes: int = NODES,
        unproved: bool = False,
        explain: bool = False,
    ) -> None:
        """``weights`` with their source; ``top`` moves of each list, 1 or more; ``nodes`` for the proof, 0 for none.

        ``unproved`` adds proposals without a proof. Raises `UsageError` for numbers out of range.
        """
        if top < 1:
            raise UsageError(f"top must be at least 1, not {top}")
        if nodes < 0:
            raise UsageError(f"nodes must be at least 0, not {nodes}")
        self._weights, self._source = weights
        self._killer_index = killer_index
        self._top = top
        self._nodes = nodes
        self._unproved = unproved
        self._explain = explain

    def answer(self, question: Question, stop: Cancellation | None = None) -> Proposals:
        """The moves that win and the moves that lose in a position.

        If another thread cancels ``stop``, the proofs end as if their budget had run out.

        Raises `InputError` for a text that is no position, and for a bait that fits it neither way.
        """
        board, bait = _after(question)
        fen = board.fen()
        proposed = self._weights.rank_moves(question.fen, bait, top=_ALL)
        verified, spent = verify_moves(fen, proposed, self._nodes, stop)
        budget = Budget(nodes=max(_LEAST_BAIT_NODES, self._nodes // _BAIT_SHARE))
        tests = find_baits(fen, budget, stop) if self._nodes else []
        spent += sum(test.nodes for test in tests)
        baits = sorted((test for test in tests if test.is_trap), key=_surest_first)
        losing = {test.bait for test in baits}
        verified = [move for move in verified if move.uci not in losing]
        if self._unproved and self._nodes:
            verified, tested = _not_refuted(fen, verified, self._top, budget, stop)
            spent += tested
        wins = self._winning(question.fen, board, bait, verified[: self._top])
        return Proposals(
            question.fen,
            question.bait,
            fen,
            self._source,
            spent,
            tuple(move for move in wins if self._unproved or move.wins),
            tuple(self._losing(board, baits[: self._top])),
        )

    def _winning(
        self, asked: str, board: chess.Board, bait: str | None, moves: Sequence[VerifiedMove]
    ) -> Iterator[WinningMove]:
        # The line of a search is no proof: only its first move is compared.
        lines = [move.line if move.mate_in is not None else (move.uci,) for move in moves]
        killers = [_Killer(board, asked, bait, line) for line in lines]
        for move, likeness in zip(moves, self._nearest(killers), strict=True):
            yield WinningMove(
                uci=move.uci,
                san=board.san(board.parse_uci(move.uci)),
                mate_in=move.mate_in,
                line=move.line,
                rank=move.rank,
                confidence=move.confidence,
                score=move.score,
                verdict=move.verdict,
                win_chance=move.win_chance,
                lead=move.lead,
                **likeness,
            )

    def _losing(self, board: chess.Board, baits: Sequence[BaitTest]) -> Iterator[LosingMove]:
        killers = []
        for test in baits:
            after = board.copy(stack=False)
            after.push_uci(test.bait)
            line = test.killer_line if test.mate_in is not None else test.killer_line[:1]
            killers.append(_Killer(after, board.fen(), test.bait, line))
        for test, likeness in zip(baits, self._nearest(killers), strict=True):
            yield LosingMove(
                uci=test.bait,
                san=board.san(board.parse_uci(test.bait)),
                mate_in=test.mate_in,
                line=test.killer_line,
                loss=test.loss,
                best=test.best,
                **likeness,
            )

    def _nearest(self, killers: Sequence["_Killer"]) -> Iterator[dict[str, Any]]:
        """The fields of `_LikeATrap` that name the trap most like each killer."""
        token_sets = [_native.killer_tokens(killer.asked, killer.bait, list(killer.line)) for killer in killers]
        found = self._killer_index.nearest(token_sets, 1)
        for killer, tokens, hits in zip(killers, token_sets, found, strict=True):
            trap, similarity = hits[0] if hits and hits[0][1] >= _LEAST else (None, 0.0)
            shared = None
            if self._explain and trap is not None:
                shared = shared_with(self._killer_index, trap, _native.sans(killer.after.fen(), killer.line), tokens)
            yield {
                "trap": None if trap is None else trap.slug,
                "name": None if trap is None else trap.name,
                "family": None if trap is None else trap.family,
                "similarity": min(similarity, 1.0 if trap and _is_of(killer, trap) else _native.GREATEST_SIMILARITY),
                "explanation": shared,
            }


@dataclass(frozen=True, slots=True)
class _Killer:
    """A line after a bait."""

    after: chess.Board
    """The position in which it begins."""
    asked: str
    """FEN before the bait, or after it if only that is known."""
    bait: str | None
    line: tuple[str, ...]


def _is_of(killer: _Killer, trap: KnownTrap) -> bool:
    """Whether the killer begins in the position of the trap after its bait, in either colour."""
    after = parse_position(trap.epd)
    after.push_uci(trap.bait)
    epd = _native.epd(after.fen())
    return _native.epd(killer.after.fen()) in (epd, mirror(epd))


def _surest_first(test: BaitTest) -> tuple[bool, float]:
    return test.mate_in is None, -test.loss


def _not_refuted(
    fen: str, moves: Sequence[VerifiedMove], top: int, budget: Budget, stop: Cancellation | None
) -> tuple[list[VerifiedMove], int]:
    """The first ``top`` moves without those that the trap test sees lose, and the nodes that it took."""
    open_moves = [move.uci for move in moves[: 2 * top] if move.verdict is Finding.UNDECIDED]
    tests = check_baits(fen, open_moves, budget, stop) if open_moves else []
    refuted = {test.bait for test in tests if test.loss >= TOLD and not test.forced}
    return [move for move in moves if move.uci not in refuted][:top], sum(test.nodes for test in tests)


def parse_question(line: str) -> Question:
    """The question of one line, ``{"id": ..., "fen": FEN, "bait": MOVE}``, of which only ``fen`` is needed.

    Raises `InputError` if it holds none.
    """
    if len(line) >= MAX_LINE_BYTES:
        raise InputError(f"the line is longer than {MAX_LINE_BYTES:,} bytes")
    read = _json(line)
    if not isinstance(read, dict):
        raise InputError(f'not a question: {{"id": ..., "fen": FEN, "bait": MOVE}} is needed: {line!r}')
    fen, bait = read.get("fen"), read.get("bait")
    if not isinstance(fen, str) or not fen.strip():
        raise InputError("the field fen is missing or no text; it must be a FEN")
    if bait is not None and (not isinstance(bait, str) or not bait.strip()):
        raise InputError("the field bait is no text; it must be a move, or be left out")
    return Question(fen.strip(), None if bait is None else bait.strip(), read.get("id"))


@dataclass(frozen=True, slots=True)
class LineAnswer:
    """The answer to one line of questions."""

    number: int
    """Of the line, from 1."""
    id: object
    """The caller's name for the question; None without one."""
    proposals: Proposals | None
    """None if the line could not be answered."""
    error: str = ""
    """Why it could not."""

    def to_dict(self) -> dict[str, Any]:
        """JSON form: the proposals, or ``line_number`` and ``error``; before them the ``id`` if there is one."""
        named = {} if self.id is None else {"id": self.id}
        if self.proposals is None:
            return named | {"line_number": self.number, "error": self.error}
        return named | self.proposals.to_dict()


def answers(suggester: MoveSuggester, chunks: Iterable[bytes]) -> Iterator[LineAnswer]:
    """The answer to each line of questions, in order; blank lines and comments (``#``) are skipped."""
    for number, line in numbered_lines(chunks):
        try:
            question = parse_question(line)
            yield LineAnswer(number, question.id, suggester.answer(question))
        except InputError as error:
            yield LineAnswer(number, _id(line), None, str(error))


def _after(question: Question) -> tuple[chess.Board, str | None]:
    """The position after the bait, and the bait as UCI."""
    board = parse_position(question.fen)
    if question.bait is None:
        return board, None
    try:
        bait = read_move(question.fen, question.bait)
    except PositionError:
        # Not a move to come, so it must be the one just made.
        return board, _made(board, question)
    board.push_uci(bait)
    return board, bait


def _made(board: chess.Board, question: Question) -> str:
    """The bait of a position after it: a UCI move that could have led there."""
    text = str(question.bait)
    try:
        move = chess.Move.from_uci(text)
    except ValueError:
        move = chess.Move.null()
    if not move or not _can_have_led_to(board, move):
        raise PositionError(
            f"{text} is no legal move in {question.fen}, and no move in UCI that can have led there", question.fen
        )
    return text


def _can_have_led_to(board: chess.Board, move: chess.Move) -> bool:
    """Whether the side that is not to move can have made the move, with any capture."""
    moved = board.piece_at(move.to_square)
    if moved is None or moved.color == board.turn or board.piece_at(move.from_square) is not None:
        return False
    before = board.copy(stack=False)
    before.remove_piece_at(move.to_square)
    kind = moved.piece_type if move.promotion is None else chess.PAWN
    before.set_piece_at(move.from_square, chess.Piece(kind, moved.color))
    files = chess.square_file(move.to_square) - chess.square_file(move.from_square)
    ranks = chess.square_rank(move.to_square) - chess.square_rank(move.from_square)
    between = chess.SquareSet(chess.between(move.from_square, move.to_square))
    if kind == chess.KING and ranks == 0 and abs(files) == 2:
        # Castling: the rook has come to stand between.
        return any(before.piece_at(square) == chess.Piece(chess.ROOK, moved.color) for square in between)
    if kind == chess.PAWN:
        promotes = chess.square_rank(move.to_square) in (0, 7)
        if move.promotion != (moved.piece_type if promotes else None):
            return False
        if files == 0:
            forward, home = (1, 1) if moved.color else (-1, 6)
            first = chess.square_rank(move.from_square) == home
            clear = all(before.piece_at(square) is None for square in between)
            return ranks == forward or (ranks == 2 * forward and first and clear)
    return move.to_square in before.attacks(move.from_square)


def _id(line: str) -> object:
    try:
        read = _json(line[:MAX_LINE_BYTES])
    except InputError:
        return None
    return read.get("id") if isinstance(read, dict) else None


def _json(line: str) -> object:
    try:
        return json.loads(line)
    # A line of ten thousand brackets is too deep for the reader.
    except (ValueError, RecursionError) as error:
        raise InputError(f"not JSON: {error}: {line!r}") from error
