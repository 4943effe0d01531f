"""``check`` and ``propose``: which moves of a position lose, and which win."""

from collections.abc import Sequence
from dataclasses import dataclass

import chess

from db.similarity.propose import LosingMove, WinningMove
from trapcore.parallel.budget import Budget
from trapcore.proof.trap_test import check_bait
from trapcore.proof.verdict import Verdict
from trapcore.proof.wording import sentence
from trapline.interface.arguments import Move, Position, board_of, move_on
from trapline.interface.library import Library, proposals, usual_library


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """Whether a move loses, and to what."""

    move: chess.Move
    verdict: Verdict
    """``proved``: it loses. ``refuted``: a search as deep saw that it does not. ``undecided``: neither."""
    killer: chess.Move | None
    """The answer that punishes it; None unless it loses."""
    line: tuple[chess.Move, ...]
    """The answer and what follows by force; empty unless it loses."""
    mate_in: int | None
    """Moves from the killer to mate; None if no mate is proved."""
    best: chess.Move | None
    """The best other move; None if there is no other."""
    cost: float
    """Expected points of the game that the move gives away against the best other move, -1 to 1."""
    tempts: bool
    """It is among the best moves at first sight."""
    is_trap: bool
    """It loses, tempts, and another move does not lose."""
    sentence: str
    """The same in words."""

    @property
    def loses(self) -> bool:
        """Whether it is proved that the move loses."""
        return self.verdict is Verdict.PROVED


def check(position: Position, move: Move, *, nodes: int = 400_000) -> Check:
    """Tests whether a move loses, and to what.

    Args:
        position: A board, a node of a game, or a FEN or EPD.
        move: A move of that position, or its text in SAN or UCI.
        nodes: Positions that each of the searches may visit, 1 or more.

    Raises:
        InputError: The position cannot be read, or the move is not legal in it.
        UsageError: The number of nodes is out of range.

    Examples:
        >>> import chess, trapline
        >>> board = chess.Board("rn1qkbnr/ppp2p1p/3p2p1/4N3/2B1P1b1/2N5/PPPP1PPP/R1BQK2R b KQkq - 0 5")
        >>> found = trapline.check(board, "Bxd1")
        >>> found.loses, found.killer, found.mate_in, found.is_trap
        (True, Move.from_uci('c4f7'), 2, True)
        >>> trapline.check(board, "dxe5").loses
        False
    """
    board = board_of(position)
    asked = move_on(board, move)
    fen = board.fen()
    test = check_bait(fen, board.uci(asked), budget=Budget(nodes=nodes))
    line = _moves(test.killer_line) if test.verdict is Verdict.PROVED else ()
    return Check(
        move=asked,
        verdict=test.verdict,
        killer=line[0] if line else None,
        line=line,
        mate_in=test.mate_in,
        best=None if test.best is None else chess.Move.from_uci(test.best),
        cost=test.loss / 2,
        tempts=test.tempts,
        is_trap=test.is_trap,
        sentence=sentence(fen, test),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A move that wins or loses, and the known trap that it is most like."""

    move: chess.Move
    san: str
    line: tuple[chess.Move, ...]
    """The move and what follows."""
    mate_in: int | None
    """Moves of the winning side to mate; None if no mate is proved."""
    points: float | None
    """Expected points, 0 to 1, by which the move is better than the best other one, or worse if it loses; None if a
    mate is proved."""
    trap: str | None
    """Slug of the trap of the library that it is most like; None if none is like it."""
    similarity: float
    """To that trap, 0 to 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposals:
    """What wins and what loses in a position, the surest first."""

    wins: tuple[Proposal, ...]
    loses: tuple[Proposal, ...]
    """Moves that tempt and lose."""


def propose(position: Position, *, library: Library | None = None, nodes: int = 30_000) -> Proposals:
    """Finds the moves that win in a position, and the tempting moves that lose.

    Args:
        position: A board, a node of a game, or a FEN or EPD.
        library: The traps that the moves are compared with. Without it those of the default library.
        nodes: Positions that the proofs may visit, 1 or more.

    Raises:
        InputError: The position cannot be read.
        UsageError: The number of nodes is out of range.
        LibraryError: The library cannot be read.

    Examples:
        >>> import chess, trapline
        >>> board = chess.Board("rn1qkbnr/ppp2p1p/3p2p1/4N3/2B1P3/2N5/PPPP1PPP/R1BbK2R w KQkq - 0 6")
        >>> [(found.san, found.mate_in) for found in trapline.propose(board).wins]
        [('Bxf7+', 2)]
    """
    fen = board_of(position).fen()
    found = proposals(usual_library() if library is None else library, fen, nodes)
    return Proposals(
        wins=tuple(_proposal(move, move.line, move.lead) for move in found.wins),
        loses=tuple(_proposal(move, (move.uci, *move.line), move.loss) for move in found.loses),
    )


def _proposal(move: WinningMove | LosingMove, line: Sequence[str], lead: float | None) -> Proposal:
    return Proposal(
        move=chess.Move.from_uci(move.uci),
        san=move.san,
        line=_moves(line),
        mate_in=move.mate_in,
        points=None if lead is None or move.mate_in is not None else lead / 2,
        trap=move.trap,
        similarity=move.similarity,
    )


def _moves(line: Sequence[str]) -> tuple[chess.Move, ...]:
    return tuple(map(chess.Move.from_uci, line))
