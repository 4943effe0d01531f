"""The tree of moves of a repertoire, grown where games are likeliest to go.

In a position of ours the move with the greatest expected win chance is taken among those that cost no more than is
allowed; in a position of the opponent the mean over his replies by their probability. A position that is not examined
further has the win chance of a search, drawn to the results of the games of the rating that got there. The next
position to be examined is always one that the repertoire, as it stands, most probably gets to (AO*: Nilsson 1980,
"Principles of Artificial Intelligence", chapter 3). A position that several orders of moves reach is examined once.

Replies that may be baits are put to the trap test as soon as the repertoire sets them. A reply that the test does not
prove counts as what the test measured. A trap tempts by the rules of `db.traps.temptation`, with the predicted share of
players in place of that of the games. Other replies that lose are blunders: they count as what the search saw.

Positions on the way to proved traps of the library are examined as well, those that games get to most easily first, so
that a trap several moves away is found if it is worth it. A way is left where no trap could make up for its moves.

The same library and options give the same repertoire for any number of threads, unless the time is limited.
"""

import math
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace

import chess

from coach.repertoire.expectation import (
    BAIT_GIFT,
    LEAST_GIFT,
    LEAST_PROBABILITY,
    ReplyValue,
    WeighedMove,
    own_moves,
    reply_values,
    weigh,
)
from coach.repertoire.known_lines import KnownLines
from coach.repertoire.live_traps import is_trap, may_be_bait
from coach.repertoire.replies import ReplyModel
from coach.repertoire.tree import Position, Repertoire, Reply, TrapAhead
from db.library.library import Library
from db.traps.temptation import RatingBand
from trapcore import _native
from trapcore.errors import UsageError
from trapcore.parallel.budget import Budget, Cancellation
from trapcore.parallel.pools import Pool, in_order, threads
from trapcore.proof.trap_test import BaitTest, check_baits
from trapcore.proof.verdict import Verdict

RESULTS_AS = 30.0
"""Games whose results count as much as a search, where the repertoire ends."""

AT_A_TIME = 8
"""Positions that are examined before the repertoire is chosen anew."""


OWN_NODES = 8
"""Times that the searches of our own moves get the nodes: short ones overlook what a move of the repertoire loses."""


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
    """Of the search of a position of the opponent, 100 or more; `OWN_NODES` times as many of one of ours."""
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


@dataclass(slots=True, eq=False)
class _Child:
    reply: ReplyValue
    value: float
    """Our win chance after it, as long as it is not examined further."""
    own: "_Own | None" = None
    """Where we are to move then; None as long as nothing goes on there."""
    trap: BaitTest | None = None
    is_tested: bool = False

    @property
    def expected(self) -> float:
        best = None if self.own is None or self.trap is not None else self.own.best
        return self.value if best is None else best.expected


@dataclass(slots=True, eq=False)
class _Option:
    """A move of ours with the replies to it, or the replies to none at the beginning."""

    weighed: WeighedMove
    board: chess.Board
    """After the move."""
    own: "_Own | None"
    """The position before it."""
    children: list[_Child] = field(default_factory=list)
    expected: float = 0.0
    """Our win chance after it against these opponents."""
    goes_on: bool = False
    """Whether its replies have the positions after them."""

    def weigh_anew(self) -> None:
        rest = 1 - sum(child.reply.probability for child in self.children)
        likely = sum(child.reply.probability * child.expected for child in self.children)
        self.expected = rest * self.weighed.value + likely


@dataclass(slots=True, eq=False)
class _Own:
    """A position in which we are to move, whatever moves lead to it."""

    fen: str
    ply: int
    known: list[str]
    """Our moves (UCI) on the way to known traps."""
    reached_by: list[_Option] = field(default_factory=list)
    options: list[_Option] = field(default_factory=list)
    is_expanded: bool = False
    best: _Option | None = None
    """Of the options; None as long as there is none."""

    @property
    def board(self) -> chess.Board:
        # Most positions are never examined, and a board takes much more memory.
        return chess.Board(self.fen)


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
        self._owns: dict[tuple[bytes, int], _Own] = {}
        board = chess.Board()
        if options.color == "white":
            none = ReplyValue("", 1.0, 0.0, model.replies(board)[0])
            start = self._own(board, 0)
            self.root = _Option(WeighedMove("", 0.0, 0.0, ()), board, None, [_Child(none, 0.0, start, is_tested=True)])
            start.reached_by.append(self.root)
        else:
            value, replies = reply_values(board, model, options.nodes, wanted=lines.moves(board))
            self.root = self._option(WeighedMove("", value, 0.0, replies), board, None)
            self._go_on(self.root)

    def grow(self, progress: Callable[[int], None]) -> None:
        """Look at positions until there are enough of them, or nothing is left."""
        done = 0
        self._prove()
        while done < self._options.positions and (not done or time.process_time() < self._until):
            room = min(AT_A_TIME, self._options.positions - done)
            ends = self._likeliest_ends(room)
            if not ends:
                break
            for own, weighed in self._looked(ends):
                board = own.board
                own.options = [self._option(one, _after(board, one.uci), own) for one in weighed]
                own.is_expanded = True
                for option in own.options:
                    if option.weighed.uci in own.known:
                        self._go_on(option)
                self._choose_in(own)
                self._choose(own.reached_by)
            done += len(ends)
            self._prove()
            progress(done)

    def _looked(self, items: list[_Own]) -> list[tuple[_Own, list[WeighedMove]]]:
        # Each batch has a cancellation of its own, which the end of the batch cancels.
        found = list(in_order(self._pool, self._look, items, ahead=2, stop=Cancellation()))
        if self._stop.is_cancelled:
            raise UsageError("the repertoire was cancelled before it was whole")
        return found

    def _look(self, own: _Own, stop: Cancellation) -> list[WeighedMove]:
        options, lines, board = self._options, self._lines, own.board
        moves = own_moves(own.fen, OWN_NODES * options.nodes, options.max_cost, options.width, stop, own.known)
        return [weigh(board, move, self._model, options.nodes, stop, lines.moves) for move in moves]

    def _option(self, weighed: WeighedMove, board: chess.Board, own: _Own | None) -> _Option:
        option = _Option(weighed, board, own)
        for reply in weighed.replies:
            value = weighed.value + (reply.gift if reply.gift >= LEAST_GIFT else 0.0)
            played = reply.reply.played
            if played is not None and played.ended:
                ours = 1 - 2 * played.points / played.ended
                value = (RESULTS_AS * value + played.ended * ours) / (RESULTS_AS + played.ended)
            option.children.append(_Child(reply, value))
        option.weigh_anew()
        return option

    def _go_on(self, option: _Option) -> None:
        """Give the replies the positions after them."""
        ply = 1 if option.own is None else option.own.ply + 2
        for child in option.children:
            child.own = self._own(_after(option.board, child.reply.uci), ply)
            child.own.reached_by.append(option)
        option.goes_on = True
        option.weigh_anew()

    def _own(self, board: chess.Board, ply: int) -> _Own:
        """The one of the position. As it has its ply, no game comes back to it."""
        fen = board.fen()
        key = _native.position_key(fen)
        own = self._owns.get((key, ply))
        if own is None:
            own = self._owns[key, ply] = _Own(fen, ply, self._lines.moves_at(key))
        return own

    def _likeliest_ends(self, most: int) -> list[_Own]:
        reached: defaultdict[_Own, float] = defaultdict(float)
        for reach, own in self._ends(self.root, 1.0):
            reached[own] += reach
        return sorted(reached, key=lambda own: (-reached[own], own.fen))[:most]

    def _ends(self, option: _Option, reach: float) -> Iterator[tuple[float, _Own]]:
        """Positions that the repertoire leads to, or the way to a known trap, and that nobody has examined, with the
        share of games there."""
        for child, own in self._open(option):
            here = reach * child.reply.probability
            if not own.is_expanded:
                yield here, own
            elif own.best is not None:
                yield from self._ends(own.best, here)
                yield from self._ways(own, here, own.best.expected, own.best)

    def _ways(self, own: _Own, reach: float, least: float, best: _Option | None) -> Iterator[tuple[float, _Own]]:
        """The same on the way to known traps by other moves than the ``best`` one.

        A way ends where even mates in all positions on it would not raise the expectation to the ``least`` by which it
        would become the repertoire's.
        """
        for option in own.options:
            if option is best or option.weighed.uci not in own.known:
                continue
            on_way = [(child, then) for child, then in self._open(option) if then.known]
            most = option.expected + sum(child.reply.probability * (1 - child.expected) for child, _ in on_way)
            if most < least:
                continue
            for child, then in on_way:
                here = reach * child.reply.probability
                if not then.is_expanded:
                    yield here, then
                else:
                    needed = 1 - (most - least) / child.reply.probability
                    yield from self._ways(then, here, needed, None)

    def _open(self, option: _Option) -> Iterator[tuple[_Child, _Own]]:
        """The replies after which the game goes on within the depth, with the positions after them."""
        for child in option.children:
            if child.trap is None and child.own is not None and child.own.ply < self._options.depth:
                yield child, child.own

    def _choose(self, changed: Iterable[_Option]) -> None:
        """Weigh moves anew whose replies have changed, and choose anew from there to the beginning."""
        waiting = list(changed)
        while waiting:
            option = waiting.pop()
            before = option.expected
            option.weigh_anew()
            if option.own is not None and option.expected != before:
                self._choose_in(option.own)
                waiting += option.own.reached_by

    def _choose_in(self, own: _Own) -> None:
        """Choose the best option anew, whose replies then have positions after them."""
        while True:
            own.best = max(own.options, key=lambda option: (option.expected, option.weighed.uci), default=None)
            if own.best is None or own.best.goes_on:
                return
            self._go_on(own.best)

    def _baits(self, option: _Option) -> Iterator[tuple[_Option, list[_Child]]]:
        """Moves of the repertoire with the replies that may be baits and were not put to the test."""
        losing = [child for child in option.children if not child.is_tested and child.reply.gift >= BAIT_GIFT]
        if losing:
            tempting = set(_native.tempting_moves(option.board.fen()))
            for child in losing:
                child.is_tested = True
            if baits := [child for child in losing if may_be_bait(child.reply, tempting)]:
                yield option, baits
        for child in option.children:
            if child.own is not None and child.own.best is not None and child.trap is None:
                yield from self._baits(child.own.best)

    def _prove(self) -> None:
        """Put the baits of the repertoire to the test until all that it sets are proved."""
        budget = Budget(nodes=self._options.test_nodes)

        def test(baits: tuple[_Option, list[_Child]], stop: Cancellation) -> list[BaitTest]:
            option, children = baits
            return check_baits(option.board.fen(), [child.reply.uci for child in children], budget, stop)

        while baits := list(self._baits(self.root)):
            for (option, children), found in list(in_order(self._pool, test, baits, ahead=2, stop=Cancellation())):
                for child, one in zip(children, found, strict=True):
                    proved = one.verdict is Verdict.PROVED
                    given = one.loss if proved else max(0.0, min(one.loss, child.reply.gift))
                    child.value = min(1.0, option.weighed.value + given)
                    if is_trap(one, child.reply.probability):
                        child.trap = one
                self._choose([option])
            if self._stop.is_cancelled:
                raise UsageError("the repertoire was cancelled before it was whole")

    # The result -------------------------------------------------------------------------------------------------------

    def replies(self, option: _Option, moves: list[str], reach: float) -> Iterator[Reply]:
        """The replies to a move of the repertoire, after which ``moves`` (SAN) were played."""
        for child in option.children:
            here = reach * child.reply.probability
            trap = None if child.trap is None else _trap(option, child, child.trap, moves, reach)
            san = [] if not child.reply.uci else [option.board.san(chess.Move.from_uci(child.reply.uci))]
            then = None
            own, best = child.own, None if child.own is None else child.own.best
            if trap is None and own is not None and best is not None:
                ours = own.board.san(chess.Move.from_uci(best.weighed.uci))
                below = tuple(self.replies(best, [*moves, *san, ours], here))
                epd = _native.epd(own.fen)
                then = Position(epd, best.weighed.uci, best.weighed.cost, best.expected, below)
            if trap is not None or then is not None or child.reply.probability >= LEAST_PROBABILITY:
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
    after.push(chess.Move.from_uci(uci))
    return after
