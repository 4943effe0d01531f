"""Exercise as a value: a position of the game of chess, what is asked in it, and what is known about the answer."""

from dataclasses import dataclass
from enum import StrEnum
from hashlib import blake2b

import chess

from db.games.sightings import SeenGame
from trapcore.errors import InputError, Message
from trapcore.trees.chess_game import parse_position

SOMETHING, NOTHING = "yes", "no"
"""Answers to the first question of `Task.KILLER`, in place of a move: whether there is a winning move."""


class Task(StrEnum):
    """What is asked."""

    KILLER = "killer"
    """Whether a move wins, and which: the refutation of the move just played, or nothing."""
    SAFE = "safe"
    """A move that does not lose as the bait does."""


class Origin(StrEnum):
    """Where an exercise is from."""

    LOST = "lost"
    """A losing move of the player."""
    MISSED = "missed"
    """A losing move of his opponent, which he did not punish."""
    TRAP = "trap"
    """A trap of the library."""
    PATTERN = "pattern"
    """A losing move that comes with trapline."""
    GROUP = "group"
    """A losing move of some player of a group, assigned to all of them, see `coach.group`."""
    DECOY = "decoy"
    """A position in which nothing wins, see `coach.practice.decoys`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exercise:
    """A position with a task. Two with the same position and task are the same exercise."""

    task: Task
    origin: Origin
    epd: str
    """The player who answers is to move."""
    line: tuple[str, ...]
    """UCI: the killer and how it goes on; where a safe move is asked, the bait first. Of a decoy the killer that fails,
    and what refutes it if that is known."""
    mate_in: int | None
    """Moves to the mate that the killer begins; None without a proved mate."""
    cost: float
    """Win chance that the bait gives away, 0..2; 0 where it was not measured."""
    themes: tuple[str, ...]
    """What the bait loses to, as lichess names it; where that has no name what the killer is, of
    `db.traps.terms.KINDS`."""
    opening: str
    """Without its variation; empty if it has no name."""
    rating: int | None = None
    """Of the player's opponent in the game; None without a game or a rating."""
    number: int | None = None
    """Full-move number; None without a game."""
    played_before: str = ""
    """UCI of the move that led to the position; empty if it is not known."""
    before: str = ""
    """EPD before that move; empty likewise."""
    game: SeenGame | None = None
    patterns: tuple[str, ...] = ()
    """Keys of the patterns of the losing move, see `db.patterns.keys`, the closest first; none for a trap of the
    library. Of a decoy those of the losing move that it resembles."""
    slug: str = ""
    """Of the trap; empty for an exercise from a game."""
    name: str = ""
    """Of the trap."""
    best: str = ""
    """UCI of a sound move in a decoy; empty if it is not known."""

    @property
    def id(self) -> str:
        """12 hexadecimal digits, for addresses."""
        return blake2b(f"{self.task} {self.epd}".encode(), digest_size=6).hexdigest()

    @property
    def bait(self) -> str | None:
        """UCI of the move that loses here; None where the killer is asked."""
        return self.line[0] if self.task is Task.SAFE else None

    @property
    def is_decoy(self) -> bool:
        """Whether nothing wins here."""
        return self.origin is Origin.DECOY

    @property
    def is_turned(self) -> bool:
        """Whether the player's own losing move is to be punished from the other side."""
        return self.origin is Origin.LOST and self.task is Task.KILLER

    @property
    def killer_line(self) -> tuple[str, ...]:
        """UCI, from the killer on."""
        return self.line[1:] if self.task is Task.SAFE else self.line

    def board(self) -> chess.Board:
        """The position, a new board each time, with the move number of the game."""
        board = parse_position(self.epd)
        board.fullmove_number = self.number or 1
        return board


def read_answer(board: chess.Board, text: str) -> str:
    """A move as people write it, SAN or UCI, as UCI. Raises `AnswerError`, which says what is wrong."""
    word = text.strip().rstrip("!?+#").replace("0-0-0", "O-O-O").replace("0-0", "O-O").replace("o-o", "O-O")
    # A piece in a small letter; `b` may be the b-pawn, so that it is tried as it is written first.
    for tried in (word, word.replace("O-o", "O-O"), word[:1].upper() + word[1:]):
        for read in (board.parse_san, board.parse_uci):
            try:
                move = read(tried)
            except chess.AmbiguousMoveError:
                moves = ", ".join(board.san(each) for each in board.legal_moves if _could_be(board, each, tried))
                raise AnswerError("{text} could be {moves}; write which", text=text, moves=moves) from None
            except ValueError:
                continue
            if move:
                return board.uci(move)
    raise AnswerError(
        "{text!r} is no legal move here; write one like Nf3, exd5, O-O or g1f3 (king {king}, {count} legal moves)",
        text=text[:20],
        king=_king(board),
        count=board.legal_moves.count(),
    )


class AnswerError(InputError):
    """An answer that is no legal move in the position."""


def _could_be(board: chess.Board, move: chess.Move, text: str) -> bool:
    """Whether a short name such as ``Nd2`` means this move."""
    piece, target = text[:1], text.replace("x", "")[-2:]
    moved = board.piece_type_at(move.from_square)
    symbol = chess.piece_symbol(moved).upper() if moved else ""
    return symbol == piece.upper() and chess.square_name(move.to_square) == target


def _king(board: chess.Board) -> Message:
    square = board.king(board.turn)
    if board.is_check():
        return Message("in check")
    return Message("missing") if square is None else Message("on {square}", {"square": chess.square_name(square)})
