"""Moves with both opinions: what the reference says of each, and what was reported."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import chess

from db.games.phases import phase_of
from db.traps.terms import Event
from trapcore.win_chance import BLUNDER
from workshop.coverage.games import Game
from workshop.coverage.labels import Label
from workshop.coverage.told import Told

AGREES = 0.2
"""A claim agrees with the reference if that says so great a loss."""
NEAR_MATE = 5
"""A mate in up to this many moves should be reported in any case."""
RATINGS = ("below 1200", "1200 to 1599", "1600 to 1999", "2000 and more", "not known")


@dataclass(frozen=True, slots=True)
class Judged:
    """One move of a game."""

    game: Game
    label: Label
    ply: int
    """From 1."""
    board: chess.Board
    """Before the move."""
    told: tuple[Told, ...] = ()
    """What is reported of it."""

    @property
    def move(self) -> chess.Move:
        """The move that was played."""
        return chess.Move.from_uci(self.game.moves[self.ply - 1])

    @property
    def claim(self) -> Told | None:
        """That it loses, reported with a proof; None if that is not reported."""
        return next((line for line in self.told if line.is_claim), None)

    @property
    def misses_mate(self) -> bool:
        """A mate in up to `NEAR_MATE` moves stood on the board, and after the move there is none any more."""
        if self.ply == 1:
            return False
        stood, left = self.label.mate[self.ply - 2], self.label.mate[self.ply - 1]
        return stood is not None and 0 < stood <= NEAR_MATE and (left is None or left > 0)

    @property
    def told_as_missed(self) -> bool:
        """It is reported, with a proof, that the move missed something."""
        return any(line.event is Event.MISSED and line.proved for line in self.told)

    @property
    def loss(self) -> float:
        """What the reference says that it lost, -2..2."""
        return self.label.loss[self.ply - 1]

    @property
    def points(self) -> float:
        """The same in points of win chance, -100..100."""
        return 50 * self.loss

    @property
    def before(self) -> float:
        """Win chance of the mover before the move, by the reference."""
        return self.label.before[self.ply - 1]

    @property
    def loses(self) -> bool:
        """By the reference."""
        return self.loss >= BLUNDER

    @property
    def agrees(self) -> bool:
        """The reference bears out a claim that the move loses."""
        return self.loss >= AGREES

    @property
    def mate_in(self) -> int | None:
        """Moves in which the opponent mates after the move; None if the reference sees no such mate."""
        mate = self.label.mate[self.ply - 1]
        return mate if mate is not None and mate > 0 else None

    @property
    def is_near_mate(self) -> bool:
        """The move loses by walking into a mate in `NEAR_MATE` or fewer moves that could be avoided."""
        return self.loses and self.mate_in is not None and self.mate_in <= NEAR_MATE

    @property
    def kind(self) -> str:
        """What punishes the move by the reference, of `db.traps.terms.KINDS`."""
        if self.mate_in is not None:
            return "mate"
        line = self.label.line[self.ply - 1]
        return kind_of(self.after(), chess.Move.from_uci(line[0])) if line else "quiet"

    @property
    def claimed_kind(self) -> str:
        """The kind by what is reported of the move, of `db.traps.terms.KINDS`; without a claim, by the reference."""
        if self.claim is None:
            return self.kind
        if self.claim.kind is not None:
            return self.claim.kind
        if self.claim.mate_in is not None or not self.claim.killers:
            return "mate"
        return kind_of(self.after(), chess.Move.from_uci(self.claim.killers[0]))

    @property
    def phase(self) -> str:
        """Of `db.games.phases.PHASES`."""
        return phase_of(self.board, self.ply, usual_start=self.game.start is None)

    @property
    def rating(self) -> str:
        """The mover's, as one of `RATINGS`."""
        rating = self.game.rating(self.board.turn)
        if rating is None:
            return RATINGS[-1]
        return RATINGS[sum(rating >= least for least in (1200, 1600, 2000))]

    @property
    def colour(self) -> str:
        """The mover's."""
        return "white" if self.board.turn else "black"

    def after(self) -> chess.Board:
        """The position after the move."""
        board = self.board.copy(stack=False)
        board.push(self.move)
        return board

    def named(self) -> str:
        """The move with its number, as ``12.Nf3`` or ``12...Nf6``."""
        dots = "." if self.board.turn else "..."
        return f"{self.board.fullmove_number}{dots}{self.board.san(self.move)}"


def kind_of(board: chess.Board, move: chess.Move) -> str:
    """Kind of a move that does not mate by force, of `db.traps.terms.KINDS`."""
    if board.is_capture(move) or move.promotion is not None:
        return "capture"
    return "check" if board.gives_check(move) else "quiet"


def judged(games: Iterable[Game], labels: Mapping[str, Label], told: Mapping[str, Sequence[Told]]) -> list[Judged]:
    """Every move of the games that have a label, in their order."""
    found = []
    for game in games:
        label = labels.get(game.key)
        if label is None:
            continue
        here: dict[int, list[Told]] = {}
        for line in told.get(game.key, ()):
            here.setdefault(line.ply, []).append(line)
        boards = game.positions()[:-1]
        found += [Judged(game, label, ply, board, tuple(here.get(ply, ()))) for ply, board in enumerate(boards, 1)]
    return found
