"""The Rust of the workshop: training of the network, tables of endgames, baselines, features of the evaluation, and
searches of small games."""

from collections.abc import Callable, Sequence
from typing import Self, final

from trapcore.parallel.budget import Cancellation

@final
class NetworkTrainer:
    """The network in floating point, with the games that it learns from and the network that it learns."""

    def __new__(
        cls,
        games: Sequence[tuple[int, str | None, bytes]],
        left_out: Sequence[tuple[int, str | None, bytes]],
        teacher: bytes,
        seed: int,
        start: bytes | None = None,
    ) -> Self:
        """A game is its number, start (None for the usual one) and moves as in `trapcore._native.GameRecord`.
        ``teacher``: a file of Stockfish 15.1's network. ``start``: weights to begin with, in the place of random ones.
        Raises ``ValueError`` where there are no games, and for bytes that are no such network or no weights."""

    def train(self, steps: int, batch: int, rate: float, threads: int) -> float:
        """Mean squared error of the win chance (0..1) over so many steps of Adam, of ``batch`` new positions each."""

    def loss(self, positions: int, threads: int) -> float:
        """The same error on positions of the games left out, the same ones each time, without a step."""

    def network(self) -> bytes:
        """The rounded weights as the core reads them."""

    def taught(self, fen: str) -> int:
        """What the teacher says of a position, in centipawns for the side to move. Raises ``ValueError`` for a bad
        FEN."""

def make_endgames(each: Callable[[str, bytes], object]) -> None:
    """Makes every table of endgames by retrograde analysis, in the order of the file of tables.

    ``each`` gets the name (``KQvKR``) and the outcomes of a table: two bits a placement, 0 lost, 1 drawn, 2 won. The
    tables take about two minutes on one core.
    """

def three_plies(fen: str) -> tuple[list[tuple[str, int, int]], int]:
    """Each move (UCI) with its centipawns after the best reply, by mates and exchanges at the third ply, and with their
    mean over all replies (-900 to 1200 each); and the moves made on a board."""

def moves_until_proof(fen: str, order: Sequence[str], mate: int, most: int) -> int | None:
    """Moves made on a board until a mate in ``mate`` moves (1 or more) or fewer is proved by a plain search, which
    tries ``order`` (UCI) at the root and checks first below; None without a proof by ``most``."""

def evaluation_features(fen: str) -> tuple[int, int, int, bytes]:
    """Phase (0..24; 24 is the middlegame), how much an endgame counts in 64ths if White or Black has the better of it,
    and the count of each feature for White less that for Black, as 16-bit integers in the machine's byte order."""

def evaluation_rows() -> list[tuple[str, int]]:
    """Name and length of each row of features, in the order of the counts."""

@final
class MonteCarlo:
    """A Monte Carlo tree search of one game, see `workshop.games.search.monte_carlo`; positions and labels as in
    `workshop.games.rules`. Raises ``ValueError`` for an unknown game or a bad position."""

    def __new__(
        cls,
        game: str,
        position: str,
        seed: int,
        memory: int,
        *,
        exploration: float,
        solver: bool,
        decisive: bool,
        mast: float | None,
        history: float,
        all_moves: bool,
        grave: int | None,
        only_decisive: bool,
        bias: float,
        minimax: float,
        sharing: tuple[str, float, int, bool, bool, bool] | None,
        local: bool,
    ) -> Self: ...
    def run(
        self, playouts: int, milliseconds: int | None, stop: Cancellation | None
    ) -> tuple[
        list[tuple[str, int, float, int | None, int]],
        list[str],
        int,
        int,
        int,
        list[tuple[str | None, str, int, list[str], list[str], int | None]],
        bool,
        bool,
    ]:
        """Moves with playouts, value, proof and hint, the best first; line, playouts, nodes, fingerprints, what local
        search saw (move to the position, finding, moves, line, losing moves, moves after a tenuki), whether it was
        cancelled, whether the tree is full."""

    def play(self, label: str) -> bool:
        """Whether there is such a move."""

    def question(self, width: int) -> tuple[str | None, int] | None:
        """A position that a local search elsewhere should examine, of which ``width`` run at the same time: the move to
        it (None: none) and the nodes to spend. None if there is nothing to ask."""

    def forget_questions(self) -> None:
        """Nobody examines what was asked any more."""

    def hint(
        self,
        after: str | None,
        nodes: int,
        answer: tuple[str, int, str | None, list[str], list[tuple[str, int]], int | None, int, int, bool],
    ) -> None:
        """The answer to such a question, as `LocalSearch.run` gives it. Raises ``ValueError`` for one that was not
        asked, and for moves that are not legal."""

    def labels(self) -> list[str]: ...
    def result(self) -> float | None:
        """At the end of the game, for the player to move."""

    def random_playouts(self, count: int) -> float:
        """So many playouts from the position, without a tree: their mean value for the player to move."""

MOST_MOVES: int
LOCALITY_PAYS: float

@final
class LocalSearch:
    """A local search of one game, see `workshop.games.search.local_search`. Raises ``ValueError`` for a game or
    position that is none, and for games without goals on squares."""

    def __new__(cls, game: str, position: str, memory: int) -> Self: ...
    def play(self, label: str) -> bool:
        """Whether there is such a move; the search keeps to its surroundings then."""

    def run(
        self, moves: int, nodes: int, milliseconds: int | None, stop: Cancellation | None
    ) -> tuple[str, int, str | None, list[str], list[tuple[str, int]], int | None, int, int, bool]:
        """Finding, its moves, best move, line, losing moves with their moves, moves after a tenuki, depth, nodes,
        whether it was cancelled."""

    def alpha_beta(self, moves: int, nodes: int, milliseconds: int | None) -> tuple[bool | None, int, int]:
        """Whether the player to move wins in so many moves, in how many, and the nodes of a plain search."""

    def proof_number(self, nodes: int, positions: int, milliseconds: int | None) -> tuple[bool | None, int, int]:
        """Whether the player to move wins; 0; and the nodes of a proof-number search."""

def locality(game: str, position: str) -> tuple[float, int | None, bool] | None:
    """Mean distance of moves in turns, files of the focus, whether local search pays; None of games without goals."""

def has_evaluation(game: str, position: str) -> bool:
    """Whether the search can value a position of the game without playing it out."""

def node_similarity(game: str, first: str, second: str, by: str) -> float:
    """The similarity by which nodes are linked, of two positions; see `NodeMeasure` of
    `workshop.games.search.monte_carlo`."""
