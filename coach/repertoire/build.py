"""The tree of moves of a repertoire, grown where games are likeliest to go.

In a position of ours the move with the greatest expected win chance is taken among those that cost no more than is
allowed; in a position of the opponent the mean over his replies by their probability. A position that is not examined
further has the win chance of a search, drawn to the results of the games of the rating that got there. What is looked
at next is always a position that the repertoire, as it stands, most probably gets to (AO*: Nilsson 1980, "Principles of
Artificial Intelligence", chapter 3). Baits are put to the trap test as soon as the repertoire sets them; what the test
does not prove counts as what it measured. A trap tempts by the rules of `db.traps.temptation`, with the predicted share
of players in place of that of the games; other replies that lose are blunders, which count all the same.

Positions on the way to proved traps of the library are examined as well, those that games get to most easily first, so
that a trap several moves away is found if it is worth it.

The same library and options give the same repertoire for any number of threads, unless the time is limited.
"""

import math
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace

import chess

from coach.repertoire.expectation import BAIT_GIFT, LEAST_GIFT, ReplyValue, WeighedMove, own_moves, reply_values, weigh
from coach.repertoire.live_traps import is_trap
from coach.repertoire.replies import ReplyModel
from coach.repertoire.tree import Position, Repertoire, Reply, TrapAhead
from db.library.library import Library
from db.traps.temptation import RatingBand
from db.traps.trap import Trap
from trapcore import _native
from trapcore.errors import UsageError
from trapcore.parallel.budget import Budget, Cancellation
from trapcore.parallel.pools import Pool, in_order, threads
from trapcore.proof.trap_test import BaitTest, check_bait
from trapcore.proof.verdict import Verdict
from trapcore.trees.chess_game import parse_position

RESULTS_AS = 30.0
"""Games whose results count as much as a search, where the repertoire ends."""

AT_A_TIME = 8
"""Positions that are examined before the repertoire is chosen anew."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RepertoireOptions:
    """What is built. Raises `UsageError`, which names the field."""

    color: str
    """``white`` or ``black``."""
    band: RatingBand
    """Ratings of the opponents."""
    max_cost: float = 0.08
    """Win chance (-1..1) that a move of ours may give away, 0..1."""
    depth: int = 20
    """Plies, 1..60."""
    positions: int = 200
    """Positions in which we are to move that are examined, 1..100,000."""
    width: int = 4
    """Own moves that are compared in each, 1..20."""
    nodes: int = 4_000
    """Of the search of a position, 100 or more."""
    test_nodes: int = 100_000
    """For each question of the trap test, 1,000 or more."""
    seconds: float | None = None
    """Processor time after which no further positions are examined but the first ones, 1 or more; None for no limit."""
    against_engines: bool = False
    """Whether the opponents are engines of limited strength, who answer by a model of their own and as in no games."""

    def __post_init__(self) -> None:
        """Check every field."""
        if self.color not in ("white", "black"):
            raise UsageError(f"color must be white or black, not {self.color!r}")
        bounds = {
            "max_cost": (0, 1),
            "depth": (1, 60),
            "positions": (1, 100_000),
            "width": (1, 20),
            "nodes": (100, 10**9),
            "test_nodes": (1_000, 10**9),
            "seconds": (1, 10**9),
        }
        for name, (least, most) in bounds.items():
            if getattr(self, name) is not None and not least <= getattr(self, name) <= most:  # which nan is not
                option = name.replace("_", "-")
                raise UsageError(f"{option} must be {least:,} to {most:,}, not {getattr(self, name)}")


class KnownLines:
    """Moves from the usual beginning to the baits of traps, by position; also where moves were transposed."""

    def __init__(self, traps: Iterable[Trap], color: str) -> None:
        """The proved ones of these that ``color`` sets and that were reached from the beginning."""
        self._moves: defaultdict[bytes, list[str]] = defaultdict(list)
        for trap in traps:
            if trap.verdict is Verdict.PROVED and trap.moves is not None and trap.victim != color:
                self._add(trap)

    def _add(self, trap: Trap) -> None:
        assert trap.moves is not None
        board = chess.Board()
        for word in trap.moves.split():
            if not word.rstrip(".").isdecimal():
                self._push(board, board.parse_san(word))
        self._push(board, parse_position(trap.epd).parse_uci(trap.bait))

    def _push(self, board: chess.Board, move: chess.Move) -> None:
        here = self._moves[_native.position_key(board.fen())]
        if move.uci() not in here:
            here.append(move.uci())
        board.push(move)

    def moves(self, board: chess.Board) -> list[str]:
        """UCI of the moves of these lines in a position; none of most."""
        return self._moves.get(_native.position_key(board.fen()), [])


@dataclass(slots=True)
class _Child:
    reply: ReplyValue
    value: float
    """Our win chance after it, as long as it is not examined further."""
    own: "_Own"
    trap: BaitTest | None = None
    is_tested: bool = False

    @property
    def expected(self) -> float:
        return self.value if self.trap is not None else self.own.expected


@dataclass(slots=True)
class _Option:
    """A move of ours with the replies to it, or the replies to none at the beginning."""

    weighed: WeighedMove
    board: chess.Board
    """After the move."""
    children: list[_Child]

    @property
    def expected(self) -> float:
        rest = 1 - sum(child.reply.probability for child in self.children)
        return rest * self.weighed.value + sum(child.reply.probability * child.expected for child in self.children)


@dataclass(slots=True)
class _Own:
    board: chess.Board
    ply: int
    expected: float
    options: list[_Option] = field(default_factory=list)
    is_expanded: bool = False

    @property
    def best(self) -> _Option:
        return max(self.options, key=lambda option: (option.expected, option.weighed.uci))


def build_repertoire(
    library: Library | None,
    options: RepertoireOptions,
    *,
    jobs: int = 1,
    progress: Callable[[int, int], None] | None = None,
    stop: Cancellation | None = None,
    compare: bool = True,
) -> Repertoire:
    """The repertoire against players as in the library's games, and as the move model knows them where there are none.

    ``jobs`` threads, 1 or more. ``progress`` gets the positions that are done, and how many there will be at most. If
    another thread cancels ``stop``, `UsageError` is raised; else `LibraryError`. Without ``compare`` the main lines are
    not examined, so that their expected points are unknown.
    """
    model = ReplyModel(None if options.against_engines else library, options.band, is_engine=options.against_engines)
    lines = KnownLines(() if library is None else library.traps(), options.color)
    halt = stop if stop is not None else Cancellation()
    total = (1 + compare) * options.positions
    with threads(jobs, "repertoire") as pool:
        told = progress or (lambda _done, _total: None)
        grown = _Tree(model, lines, options, pool, halt)
        grown.grow(lambda done: told(done, total))
        beginning = tuple(grown.replies(grown.root, [], 1.0))
        main_points = None
        if compare:
            main = _Tree(model, KnownLines((), options.color), _main_lines(options), pool, halt)
            main.grow(lambda done: told(options.positions + done, total))
            main_points = (1 + main.root.expected) / 2
    return Repertoire(options.color, options.band, beginning, (1 + grown.root.expected) / 2, main_points)


def _main_lines(options: RepertoireOptions) -> RepertoireOptions:
    return replace(options, max_cost=0.0, width=1)


class _Tree:
    def __init__(
        self, model: ReplyModel, lines: KnownLines, options: RepertoireOptions, pool: Pool, stop: Cancellation
    ) -> None:
        self._model, self._lines, self._options, self._pool, self._stop = model, lines, options, pool, stop
        self._until = math.inf if options.seconds is None else time.process_time() + options.seconds
        board = chess.Board()
        if options.color == "white":
            none = ReplyValue("", 1.0, 0.0, model.replies(board)[0])
            start = _Own(board, 0, 0.0)
            self.root = _Option(WeighedMove("", 0.0, 0.0, ()), board, [_Child(none, 0.0, start, is_tested=True)])
        else:
            value, replies = reply_values(board, model, options.nodes, wanted=lines.moves(board))
            self.root = self._option(WeighedMove("", value, 0.0, replies), board, 0)

    def grow(self, progress: Callable[[int], None]) -> None:
        """Look at positions until there are enough of them, or nothing is left."""
        done = 0
        self._prove()
        while done < self._options.positions and (not done or time.process_time() < self._until):
            room = min(AT_A_TIME, self._options.positions - done)
            chosen = sorted(self._ends(self.root, 1.0), key=lambda end: (-end[0], end[1].board.fen()))[:room]
            if not chosen:
                break
            ends = [own for _, own in chosen]
            for own, weighed in self._looked(ends):
                own.options = [self._option(one, _after(own.board, one.uci), own.ply + 1) for one in weighed]
                own.is_expanded = True
            done += len(ends)
            self._choose(self.root)
            self._prove()
            progress(done)

    def _looked(self, items: list[_Own]) -> list[tuple[_Own, list[WeighedMove]]]:
        # Each batch has a cancellation of its own, which the end of the batch cancels.
        found = list(in_order(self._pool, self._look, items, ahead=2, stop=Cancellation()))
        if self._stop.is_cancelled:
            raise UsageError("the repertoire was cancelled before it was whole")
        return found

    def _look(self, own: _Own, stop: Cancellation) -> list[WeighedMove]:
        options, lines = self._options, self._lines
        wanted = lines.moves(own.board)
        moves = own_moves(own.board.fen(), options.nodes, options.max_cost, options.width, stop, wanted)
        return [weigh(own.board, move, self._model, options.nodes, stop, lines.moves) for move in moves]

    def _option(self, weighed: WeighedMove, board: chess.Board, ply: int) -> _Option:
        children = []
        for reply in weighed.replies:
            value = weighed.value + (reply.gift if reply.gift >= LEAST_GIFT else 0.0)
            played = reply.reply.played
            if played is not None and played.ended:
                ours = 1 - 2 * played.points / played.ended
                value = (RESULTS_AS * value + played.ended * ours) / (RESULTS_AS + played.ended)
            own = _Own(_after(board, reply.uci), ply + 1, value)
            children.append(_Child(reply, value, own))
        return _Option(weighed, board, children)

    def _ends(self, option: _Option, reach: float) -> Iterator[tuple[float, _Own]]:
        """Positions that the repertoire or a known line leads to and that nobody has examined, with the share of games
        there."""
        for child in option.children:
            here = reach * child.reply.probability
            if child.trap is not None or child.own.ply >= self._options.depth:
                continue
            if not child.own.is_expanded:
                yield here, child.own
            else:
                known = self._lines.moves(child.own.board)
                for below in child.own.options:
                    if below is child.own.best or below.weighed.uci in known:
                        yield from self._ends(below, here)

    def _choose(self, option: _Option) -> None:
        """Expected values anew, from the ends to the beginning."""
        for child in option.children:
            for below in child.own.options:
                self._choose(below)
            if child.own.options:
                child.own.expected = child.own.best.expected

    def _baits(self, option: _Option) -> Iterator[tuple[_Option, _Child]]:
        """Baits of the repertoire that were not put to the test."""
        for child in option.children:
            if not child.is_tested and child.reply.gift >= BAIT_GIFT:
                yield option, child
            if child.own.options and child.trap is None:
                yield from self._baits(child.own.best)

    def _prove(self) -> None:
        """Put the baits of the repertoire to the test until all that it sets are proved."""
        budget = Budget(nodes=self._options.test_nodes)

        def test(bait: tuple[_Option, _Child], stop: Cancellation) -> BaitTest:
            option, child = bait
            return check_bait(option.board.fen(), child.reply.uci, budget=budget, stop=stop)

        while baits := list(self._baits(self.root)):
            for (option, child), found in list(in_order(self._pool, test, baits, ahead=2, stop=Cancellation())):
                child.is_tested = True
                proved = found.verdict is Verdict.PROVED
                given = found.loss if proved else max(0.0, min(found.loss, child.reply.gift))
                child.value = min(1.0, option.weighed.value + given)
                if is_trap(found, child.reply.probability):
                    child.trap = found
                elif not child.own.is_expanded:
                    child.own.expected = child.value
            if self._stop.is_cancelled:
                raise UsageError("the repertoire was cancelled before it was whole")
            self._choose(self.root)

    # The result -------------------------------------------------------------------------------------------------------

    def replies(self, option: _Option, moves: list[str], reach: float) -> Iterator[Reply]:
        """The replies to a move of the repertoire, after which ``moves`` (SAN) were played."""
        for child in option.children:
            here = reach * child.reply.probability
            trap = None if child.trap is None else _trap(option, child, child.trap, moves, reach)
            san = [] if not child.reply.uci else [option.board.san(chess.Move.from_uci(child.reply.uci))]
            then = None
            if trap is None and child.own.options:
                best = child.own.best
                ours = child.own.board.san(chess.Move.from_uci(best.weighed.uci))
                below = tuple(self.replies(best, [*moves, *san, ours], here))
                epd = _native.epd(child.own.board.fen())
                then = Position(epd, best.weighed.uci, best.weighed.cost, child.own.expected, below)
            yield Reply(child.reply.uci, child.reply.probability, trap, then)


def _trap(option: _Option, child: _Child, test: BaitTest, moves: list[str], reach: float) -> TrapAhead:
    fen = option.board.fen()
    line = [child.reply.uci, *test.killer_line]
    bait_san, *killers = _native.sans(fen, line)
    played_here = [one.reply.reply.played for one in option.children]
    decisions = [one.by_all for one in played_here if one is not None]
    played = child.reply.reply.played
    return TrapAhead(
        moves=tuple(moves),
        epd=_native.epd(fen),
        bait=child.reply.uci,
        bait_san=bait_san,
        killer_line=tuple(test.killer_line),
        killer_line_san=tuple(killers),
        mate_in=test.mate_in,
        reach=reach,
        falls=child.reply.probability,
        wins=test.loss,
        costs=option.weighed.cost,
        decisions=sum(decisions),
        fell=0 if played is None else played.by_all,
    )


def _after(board: chess.Board, uci: str) -> chess.Board:
    after = board.copy(stack=False)
    after.push_uci(uci)
    return after
