"""Killers proposed for a position, each with the known trap that it is most like and with what the proof says of it."""

import json
from collections.abc import Iterable, Iterator
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
from trapcore.parallel.budget import Cancellation
from trapcore.proof.wording import read_move
from trapcore.ranking.verification import NODES, Finding, VerifiedMove, verify_moves
from trapcore.ranking.weights import Weights
from trapcore.trees.chess_game import parse_position

TOP = 5
"""Moves that are told unless more or fewer are asked for."""
_ALL = 1000  # more than a position has legal moves


@dataclass(frozen=True, slots=True)
class Question:
    """A position to propose killers for."""

    fen: str
    """Before the bait if the bait is legal there, else after it."""
    bait: str | None = None
    """SAN or UCI, after it UCI; None if nobody knows."""
    id: object = None
    """What whoever asks calls it."""


@dataclass(frozen=True, slots=True)
class ProposedMove:
    """A proposed killer and what the proof says of it."""

    # Not `JSON_FORM` as it is: the explanation is in the form only if it was asked for.
    __pydantic_config__ = JSON_FORM | {"json_schema_serialization_defaults_required": False}

    uci: str
    san: str
    rank: int
    """Place in the order of the proposals, from 1."""
    confidence: Rounded
    """That of the proposal, see `trapcore.ranking.weights.RankedMove`; 1 if mate is proved."""
    score: Rounded
    trap: str | None
    """Slug of the known trap that it is most similar to; None if the library has none that shares anything."""
    name: str | None
    family: str | None
    similarity: Rounded
    """To that trap, 0 to 1."""
    verdict: Finding
    mate_in: int | None
    """Moves of the attacker, if mate is proved."""
    win_chance: Rounded | None
    """After the move, for the attacker, -1 to 1, as the search sees it; None unless it is the best."""
    lead: Rounded | None
    """By how much that is more than after the best other move; None unless it is the best."""
    line: tuple[str, ...]
    """UCI, from the move on: to the mate, or what the search sees; empty if undecided."""
    explanation: Shared | None = None
    """What it shares with the trap; None unless asked for."""

    def to_dict(self) -> dict[str, Any]:
        """JSON form."""
        found = to_dict(self)
        if self.explanation is None:
            del found["explanation"]
        return found


@dataclass(frozen=True, slots=True)
class Proposals:
    """The proposed killers of one position, best first; none if it has no legal move."""

    __pydantic_config__ = JSON_FORM

    fen: str
    """As it was asked."""
    bait: str | None
    """As it was asked."""
    after: str
    """FEN of the position in which the killer is sought."""
    weights: WeightsSource
    nodes: int
    """What the proof took."""
    moves: tuple[ProposedMove, ...]

    def to_dict(self) -> dict[str, Any]:
        """JSON form."""
        return to_dict(self) | {"moves": [move.to_dict() for move in self.moves]}


class KillerSuggester:
    """Proposes killers by these weights and these traps."""

    def __init__(
        self,
        weights: tuple[Weights, WeightsSource],
        killer_index: KillerIndex,
        *,
        top: int = TOP,
        nodes: int = NODES,
        explain: bool = False,
    ) -> None:
        """``weights`` with their source; ``top`` moves are given, 1 or more; ``nodes`` for the proof, 0 for none.

        Raises `UsageError` for numbers out of range.
        """
        if top < 1:
            raise UsageError(f"top must be at least 1, not {top}")
        if nodes < 0:
            raise UsageError(f"nodes must be at least 0, not {nodes}")
        self._weights, self._whose = weights
        self._killer_index = killer_index
        self._top = top
        self._nodes = nodes
        self._explain = explain

    def answer(self, question: Question, stop: Cancellation | None = None) -> Proposals:
        """Killers proposed for a position.

        Raises `InputError` for a position that is none and for a bait that fits it neither way.

        If another thread cancels ``stop``, the proof ends as if its budget had run out.
        """
        board, bait = _after(question)
        proposed = self._weights.rank_moves(question.fen, bait, top=_ALL)
        found, spent = verify_moves(board.fen(), proposed, self._nodes, stop)
        found = found[: self._top]
        # What the search sees is no proof; the rest of its line names nothing.
        lines = [list(move.line) if move.mate_in is not None else [move.uci] for move in found]
        token_sets = [_native.killer_tokens(question.fen, bait, line) for line in lines]
        nearest = self._killer_index.nearest(token_sets, 1)
        moves = []
        for move, tokens, hits in zip(found, token_sets, nearest, strict=True):
            trap, similarity = hits[0] if hits else (None, 0.0)
            shared = None
            if self._explain and trap is not None:
                here = _native.sans(board.fen(), move.line or (move.uci,))
                shared = shared_with(self._killer_index, trap, here, tokens)
            moves.append(_proposed(board, move, trap, similarity, shared))
        return Proposals(question.fen, question.bait, board.fen(), self._whose, spent, tuple(moves))


def _proposed(
    board: chess.Board, move: VerifiedMove, trap: KnownTrap | None, similarity: float, shared: Shared | None
) -> ProposedMove:
    return ProposedMove(
        uci=move.uci,
        san=board.san(board.parse_uci(move.uci)),
        rank=move.rank,
        confidence=move.confidence,
        score=move.score,
        trap=None if trap is None else trap.slug,
        name=None if trap is None else trap.name,
        family=None if trap is None else trap.family,
        similarity=similarity,
        verdict=move.verdict,
        mate_in=move.mate_in,
        win_chance=move.win_chance,
        lead=move.lead,
        line=move.line,
        explanation=shared,
    )


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
    """What whoever asks calls the question; None without a name."""
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


def answers(suggester: KillerSuggester, chunks: Iterable[bytes]) -> Iterator[LineAnswer]:
    """The answer to each line of questions, in order; blank lines and comments (``#``) are passed over."""
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
    """Whether the side that is not to move can have made the move, whatever it took."""
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
