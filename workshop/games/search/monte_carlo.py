"""Monte Carlo tree search of any bundled game, in the core: its variants by name, positions as the games write them.

A search plays *playouts* and remembers in a tree how they ended. With as many playouts and the same seed the answer is
the same everywhere; with seconds it depends on the machine. `SEARCHES` names the variants and their sources.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Final

from trapcore.errors import PositionError, UsageError, unknown_name
from trapcore.parallel.budget import Cancellation
from trapcore.parallel.pools import Pool
from workshop.games.rules import game_named
from workshop.games.search.hint_pool import HintPool, LocalQuestion
from workshop.games.search.local_search import PAYS, Finding, has_local_search, locality, without_goals
from workshop.native import _core

_MOST = 2**63 - 1
MOST_SECONDS: Final = 10**9
"""The longest time of a question: thirty years."""
USUAL_MEGABYTES: Final = 256
"""Memory of a tree with its fingerprints and tables."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayoutBudget:
    """Limits of one question. The first one reached ends it. Raises ``UsageError`` for none, and out of range."""

    playouts: int | None = None
    """1 or more."""
    seconds: float | None = None
    """Wall-clock time, at least a millisecond."""

    def __post_init__(self) -> None:
        """Check both fields."""
        if self.playouts is None and self.seconds is None:
            raise UsageError("a budget needs playouts or seconds")
        if self.playouts is not None and not 1 <= self.playouts <= _MOST:
            raise UsageError(f"playouts must be 1 or more, not {self.playouts}")
        # The comparison is false for what is no number at all.
        if self.seconds is not None and not 0.001 <= self.seconds <= MOST_SECONDS:
            raise UsageError(f"seconds must be at least 0.001 and at most {MOST_SECONDS:,}, not {self.seconds}")


class NodeMeasure(StrEnum):
    """What the local trees of two nodes, of depth 2, are compared by.

    Left out are `sampled`, because a tree of depth 2 is taken whole, and `terminal`, because a game that is over has
    nothing to share.
    """

    CONTINUATIONS = "continuations"
    SEQUENCES = "sequences"
    TANIMOTO = "tanimoto"
    STRUCTURAL = "structural"
    TREE_EDIT = "tree-edit"
    """Of nodes that agree in most labels only, because a comparison takes milliseconds."""
    ABSTRACTED = "abstracted"
    """Which words of the abstracted tree say what the moves do, shared over all; only of chess."""


@dataclass(frozen=True, slots=True)
class Sharing:
    """What nodes share whose local trees are similar: the proposal of Evans & Turrini, section 5.1."""

    measure: NodeMeasure = NodeMeasure.SEQUENCES
    least: float = 0.6
    """The least similarity, above 0 to 1."""
    playouts: int = 8
    """Playouts that a node has before its fingerprint is computed."""
    moves: bool = True
    """Moves played later in a playout count for similar nodes, weighted by the similarity."""
    killers: bool = False
    """Moves that refute, proved to win or much better than the others, are tried first in similar nodes."""
    counterparts: bool = False
    """Where a similar node has no move of that label, the most similar of its moves by move matching (section 3) takes
    its place; by the words of both with the abstracted measure."""


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """A variant of the search. Raises ``UsageError`` for values out of range."""

    exploration: float = 0.7
    """Weight of what was tried seldom, 0 or more; values of playouts are -1 to 1."""
    solver: bool = False
    """Prove wins, draws and losses: Winands, Björnsson and Saito, "Monte-Carlo Tree Search Solver", 2008."""
    decisive: bool = False
    """Play moves that win at once and prevent the opponent's, in tree and playouts: Teytaud and Teytaud, 2010."""
    mast: float | None = None
    """Playouts choose the move that did best anywhere, and any move in this share (0 to 1) of the cases: Finnsson and
    Björnsson, 2008. None: always any move."""
    history: float = 0.0
    """Weight of progressive history: Nijssen and Winands, 2010."""
    all_moves: bool = False
    """A move's playouts include those of its node in which it was played later (RAVE): Gelly and Silver, 2011."""
    grave: int | None = None
    """The same from the nearest ancestor with so many playouts: Cazenave, "Generalized Rapid Action Value Estimation",
    2015."""
    only_decisive: bool = False
    """Of these, only the winner's last move counts (killer RAVE): Lorentz, 2010."""
    bias: float = 0.004
    """A move's own playouts outweigh the shared ones from about 1 / bias on."""
    minimax: float = 0.0
    """Share of the minimax of the evaluation, 0 to 1: Lanctot, Winands, Pepels and Sturtevant, 2014."""
    sharing: Sharing | None = None
    local: bool = False
    """Local searches of this position and of likely next ones give hints, see `workshop.games.search.local_search`: on
    a thread beside, or between the playouts where playouts alone are the budget."""
    megabytes: int = USUAL_MEGABYTES
    """Most memory of tree, fingerprints and tables; 1 or more. A full tree learns on, but does not grow."""

    def __post_init__(self) -> None:
        """Check every field."""
        for name in ("exploration", "history", "bias"):
            if not 0.0 <= getattr(self, name) <= 1e6:
                raise UsageError(f"{name} must be 0 or more, not {getattr(self, name)}")
        if not 0.0 <= self.minimax <= 1.0 or not 0.0 <= (self.mast or 0.0) <= 1.0:
            raise UsageError("minimax and mast are shares, 0 to 1")
        if not 1 <= self.megabytes <= 2**20 or (self.grave is not None and not 1 <= self.grave < 2**31):
            raise UsageError("megabytes and grave must be 1 or more")
        shared = self.sharing
        if shared is not None and not (0.0 < shared.least <= 1.0 and 1 <= shared.playouts < 2**31):
            raise UsageError("sharing: the least similarity is above 0 to 1, playouts are 1 or more")


_SOLVER = SearchOptions(solver=True, decisive=True)
_MCTS = replace(_SOLVER, mast=0.3, minimax=0.4)
_RAVE = SearchOptions(all_moves=True)
_KILLERS = Sharing(playouts=4, moves=False, killers=True)

SEARCHES: Final[dict[str, SearchOptions]] = {
    "mcts": _MCTS,
    "mcts-local": replace(_MCTS, local=True),
    "uct": SearchOptions(),
    "solver": _SOLVER,
    "mast": replace(_SOLVER, mast=0.3),
    "history": replace(_SOLVER, history=0.5),
    "rave": _RAVE,
    "grave": SearchOptions(grave=50),
    "minimax": replace(_SOLVER, minimax=0.4),
    "similarity-rave": replace(_RAVE, sharing=Sharing()),
    "similarity-match": replace(_RAVE, sharing=Sharing(counterparts=True)),
    "killer-rave": replace(_RAVE, only_decisive=True, sharing=Sharing()),
    "similarity-mcts": replace(_MCTS, sharing=_KILLERS),
    "similarity-killer": replace(_SOLVER, sharing=_KILLERS),
}
"""The variants by the name that the command line knows; ``uct`` is the plain search (Kocsis and Szepesvári, 2006).

``mcts``, ``mcts-local`` and ``similarity-mcts`` do without minimax in games that have no evaluation, ``minimax`` is
refused there; ``mcts-local`` is refused in games where local search does not pay.
"""
_WITHOUT_MINIMAX: Final = ("mcts", "mcts-local", "similarity-mcts")


def search_named(name: str) -> SearchOptions:
    """The options of a variant, whose similar nodes another measure can find: ``similarity-rave:structural``.

    Raises ``UsageError`` that names the nearest, and for a measure of a search that shares nothing.
    """
    variant, colon, measure = name.partition(":")
    if variant not in SEARCHES:
        raise unknown_name("search", variant, SEARCHES)
    options = SEARCHES[variant]
    if not colon:
        return options
    if options.sharing is None:
        raise UsageError(f"{variant} shares nothing among similar nodes and has no measure")
    if measure not in set(NodeMeasure):
        raise unknown_name("measure", measure, list(NodeMeasure))
    return replace(options, sharing=replace(options.sharing, measure=NodeMeasure(measure)))


def _does_without_minimax(name: str) -> bool:
    return name.partition(":")[0] in _WITHOUT_MINIMAX


def _has_words(options: SearchOptions, game: str) -> bool:
    """Whether the game has what the measure of the search reads."""
    return options.sharing is None or options.sharing.measure is not NodeMeasure.ABSTRACTED or game == "chess"


def can_play(name: str, game: str) -> bool:
    """Whether the search of this name plays a game; raises ``UsageError`` if there is no such search or game."""
    played, options = game_named(game), search_named(name)
    start = played.text(played.start())
    has_evaluation = options.minimax == 0 or _does_without_minimax(name) or _core.has_evaluation(played.name, start)
    if not has_evaluation or not _has_words(options, played.name):
        return False
    return not options.local or (has_local_search(played.name) and locality(played.name).pays)


class Proved(StrEnum):
    """What is certain about a move: with the best play of both sides it wins, draws or loses."""

    WIN = "win"
    DRAW = "draw"
    LOSS = "loss"


@dataclass(frozen=True, slots=True)
class MoveOpinion:
    """What a search thinks of one move."""

    move: str
    """Its label."""
    playouts: int
    value: float
    """Mean value of its playouts for the player to move, -1 (lost) to 1 (won)."""
    proved: Proved | None
    hint: Finding
    """What local search says of the move."""


@dataclass(frozen=True, slots=True)
class LocalSight:
    """What local search saw of this position, or of one that comes next."""

    after: str | None
    """The move to that position; None: this one."""
    finding: Finding
    """For the player to move there."""
    moves: int
    """Moves of the winner to the end; 0 where nothing was found."""
    line: tuple[str, ...]
    losing: tuple[str, ...]
    """Moves that lose there."""
    tenuki: int | None
    """In how many moves the opponent wins, should the player do something elsewhere; None if in none found."""


@dataclass(frozen=True, slots=True)
class Opinion:
    """What a search found."""

    moves: tuple[MoveOpinion, ...]
    """The moves that were examined, the best first; never empty. Moves that lose at once may be left out."""
    line: tuple[str, ...]
    """Labels of the best play of both sides, as far as the tree goes."""
    playouts: int
    """Of this question."""
    nodes: int
    """Of the tree."""
    fingerprints: int
    """Nodes whose local tree was taken for comparison."""
    local: tuple[LocalSight, ...]
    """What local search saw, this position first."""
    cancelled: bool
    """Somebody ended the search: this is the best so far."""
    tree_full: bool
    """The memory was used up, and the tree did not grow any further."""

    @property
    def best(self) -> MoveOpinion:
        """The move to play."""
        return self.moves[0]

    @property
    def win_chance(self) -> float:
        """0 to 1 for the player to move; a draw counts half."""
        return (self.best.value + 1.0) / 2.0


class MonteCarloSearch:
    """A search of one game from a position on, which keeps its tree while moves are played.

    Raises ``UsageError`` for an unknown game or search, and ``PositionError`` for a position that is not of the game,
    for moves that are not legal, and where the game is over. With a ``pool`` its workers do the local searches, in
    place of a thread beside; then an answer depends on them, also with playouts as the budget.
    """

    def __init__(
        self,
        game: str,
        position: str | None = None,
        options: SearchOptions | str = "mcts",
        *,
        moves: Sequence[str] = (),
        seed: int = 0,
        pool: Pool | None = None,
    ) -> None:
        self._game = game_named(game)
        given = search_named(options) if isinstance(options, str) else options
        if not 0 <= seed < 2**64:
            raise UsageError(f"the seed must be 0..2**64-1, not {seed}")
        self.position: Any = self._game.start() if position is None else self._game.parse(position)
        """The position now, as the game has it."""
        start = self._game.text(self.position)
        if given.minimax > 0 and not _core.has_evaluation(self._game.name, start):
            if not isinstance(options, str) or not _does_without_minimax(options):
                raise UsageError(f"{self._game.name} has no evaluation, which minimax needs; take another search")
            given = replace(given, minimax=0.0)
        if given.local and not has_local_search(self._game.name):
            raise without_goals(self._game.name)
        if given.local and not (known := locality(self._game.name)).pays:
            raise UsageError(
                f"moves of {self._game.name} are {known.mean_distance:.1f} turns apart on the average, and local "
                f"search pays from {PAYS:g} on; take another search"
            )
        if not _has_words(given, self._game.name):
            raise UsageError(f"{self._game.name} has no abstracted trees; take another measure")
        if pool is not None and not given.local:
            raise UsageError("a pool is for local searches, and this search asks none: take mcts-local")
        sharing = given.sharing
        self._last: tuple[str, str] | None = None
        self._search = _core.MonteCarlo(
            self._game.name,
            start,
            seed,
            given.megabytes << 20,
            exploration=given.exploration,
            solver=given.solver,
            decisive=given.decisive,
            mast=given.mast,
            history=given.history,
            all_moves=given.all_moves,
            grave=given.grave,
            only_decisive=given.only_decisive,
            bias=given.bias,
            minimax=given.minimax,
            sharing=None
            if sharing is None
            else (
                str(sharing.measure),
                sharing.least,
                sharing.playouts,
                sharing.moves,
                sharing.killers,
                sharing.counterparts,
            ),
            local=given.local and pool is None,
        )
        self._hints = None if pool is None else HintPool(pool, self._search)
        for label in moves:
            self.play(label)

    @property
    def text(self) -> str:
        """The position now, in the notation of the game."""
        return self._game.text(self.position)

    @property
    def labels(self) -> list[str]:
        """Labels of the legal moves, in the order of the game; none if it is over."""
        if self.reward is not None:
            return []
        return [self._game.label(self.position, move) for move in self._game.moves(self.position)]

    @property
    def reward(self) -> float | None:
        """What the game paid the player who moved last: 1.0, 0.0 or -1.0; None while it goes on."""
        return self._game.reward(self.position)

    def play(self, label: str) -> None:
        """Play a move by its label, in any case. The tree keeps what it knows of the position after it."""
        if self.reward is not None:
            raise PositionError(f"{label!r} after the end of the game: {self.text!r}", self.text)
        for move in self._game.moves(self.position):
            known = self._game.label(self.position, move)
            if known.casefold() == label.casefold():
                if not self._search.play(known):
                    raise AssertionError(f"the core does not know the move {known} in {self.text}")
                self._last = (self.text, known)
                self.position = self._game.play(self.position, move)
                return
        legal = " ".join(self.labels)
        raise PositionError(f"{label!r} is no legal move in {self.text!r}: legal are {legal}", self.text)

    def search(self, budget: PlayoutBudget, stop: Cancellation | None = None) -> Opinion:
        """Search until ``budget`` is spent, ``stop`` is cancelled or the position is solved.

        Another thread can cancel: then the opinion is the best so far, and says so. Ctrl-C in the main thread raises
        ``KeyboardInterrupt``. Raises ``PositionError`` if the game is over.
        """
        if self.reward is not None:
            raise PositionError(f"the game is over, there is nothing to search: {self.text!r}", self.text)
        most = budget.playouts or _MOST
        if self._hints is not None:
            found = self._hints.run(self._question, most, budget.seconds, stop)
        else:
            milliseconds = None if budget.seconds is None else max(1, round(1000 * budget.seconds))
            found = self._search.run(most, milliseconds, stop)
        moves, line, playouts, nodes, fingerprints, seen, cancelled, full = found
        opinions = tuple(
            MoveOpinion(label, visits, value, None if proof is None else _PROVED[proof], _HINTS[hint])
            for label, visits, value, proof, hint in moves
        )
        sights = (
            LocalSight(after, Finding(finding), count, tuple(best), tuple(losing), tenuki)
            for after, finding, count, best, losing, tenuki in seen
        )
        local = tuple(sorted(sights, key=lambda sight: sight.after is not None))
        return Opinion(opinions, tuple(line), playouts, nodes, fingerprints, local, cancelled, full)

    def _question(self, after: str | None, nodes: int) -> LocalQuestion:
        """For a local search elsewhere: of this position, or of that after a move."""
        if after is not None:
            return LocalQuestion(self._game.name, self.text, (after,), nodes)
        start, moves = (self.text, ()) if self._last is None else (self._last[0], (self._last[1],))
        return LocalQuestion(self._game.name, start, moves, nodes)


_HINTS: Final = {1: Finding.WIN, 0: Finding.NONE, -1: Finding.LOSS}
_PROVED: Final = {1: Proved.WIN, 0: Proved.DRAW, -1: Proved.LOSS}
