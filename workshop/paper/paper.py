"""What the paper prints, as data with its place, and the positions and trees it prints it of. Nothing here is ours."""

from dataclasses import dataclass

from trapcore.trees.tree import Tree

FIGURE_1 = (
    Tree.literal({"a": {"c": {}, "d": {}, "e": {}, "f": {}}, "b": {"c": {}, "d": {}}, "c": {"a": {}, "b": {}}}),
    Tree.literal({"a": {"d": {}, "e": {}, "g": {}}, "c": {"a": {}, "b": {}, "h": {}}, "d": {"b": {}}}),
)
"""T1 and T2 of Figure 1; 11 and 10 moves."""

FIGURE_1_VALUES = {"P_cont, depth 2": 0.625, "P_seq, depth 2": 0.800, "P_tree, depth 2": 0.556, "S on P_cont": 0.772}
"""Worked out on the trees of Figure 1 in sections 2.1, 2.2, 2.3 and 3.1."""

FIGURE_1_CHILDREN = ((1 / 6, 1 / 4, 2 / 3), (1 / 5, 1 / 5, 0.0))
"""P(T1, T1.i) and P(T2, T2.j), printed as fractions in section 3.1."""

TIC_TAC_TOE = "X.O/.X./X.O o"
"""The root of Figure 2, worked out from its labels and Table 1: the only position, apart from exchanging the players,
with just the squares B1, A2, C2 and B3 free, a win on C2, and the values of the table."""

TABLE_1 = {
    ("B1", "A2"): 5 / 6,
    ("B1", "C2"): 0.0,
    ("B1", "B3"): 1.0,
    ("A2", "C2"): 0.0,
    ("A2", "B3"): 5 / 6,
    ("C2", "B3"): 0.0,
}
"""Table 1; it is symmetric, with ones on the diagonal."""


@dataclass(frozen=True, slots=True)
class BenchmarkTrap:
    """One of the four traps of Figure 3 (Figure 2 of the preprint)."""

    name: str
    fen: str
    """The position before the bait."""
    line: tuple[str, ...]
    """Bait, killer and what follows, to mate; in UCI."""

    @property
    def mate_in(self) -> int:
        """Moves of the attacker from the killer to mate."""
        return len(self.line) // 2


TRAPS = (
    BenchmarkTrap("Budapest", "rnbqk2r/pppp1ppp/8/2bPp1B1/2P1n3/8/PP2PPPP/RN1QKBNR w KQkq - 3 5", ("g5d8", "c5f2")),
    BenchmarkTrap("Caro-Kann", "r2qkb1r/pp2pppp/nnp1P3/4N2b/2P5/7P/PP1N1PP1/R1BQKB1R b KQkq - 2 10", ("h5d1", "e6f7")),
    BenchmarkTrap("Kieninger", "r1b1k2r/ppppqppp/2n5/4n3/1bP2B2/P4N2/1P1NPPPP/R2QKB1R w KQkq - 0 8", ("a3b4", "e5d3")),
    BenchmarkTrap(
        "Légal", "r2qkbnr/ppp2ppp/2np4/4N3/2B1P1b1/2N5/PPPP1PPP/R1BQK2R b KQkq - 0 5", ("g4d1", "c4f7", "e8e7", "c3d5")
    ),
)
"""Figure 3, in the order of Table 2."""

TABLE_2 = {
    "continuations": ((0.252, 0.493), (0.324, 0.437), (0.185, 0.393), (0.332, 0.461)),
    "sequences": ((0.234, 0.480), (0.335, 0.397), (0.276, 0.424), (0.330, 0.457)),
    "correlation": ((0.195, 0.723), (0.029, 0.630), (0.865, 0.380), (0.207, 0.713)),
}
"""Table 2: shares of false negatives and false positives, in the order of `TRAPS`."""

RECALL = 0.85
"""Section 4: traps among 40 positions drawn from around the first two traps that are more like them than the mean."""
SAMPLES, SAMPLE_SIZE, SAMPLED_TRAPS = 5, 40, 2
"""Section 4: "5 smaller samples of 40 randomly selected child positions from the first two trap positions"."""

GAME = (
    "e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 f3 e5 Nb3 Be7 c4 a5 Be3 a4 Nc1 O-O Nc3 Qa5 Qd2 Na6 Be2 Nc5 O-O Bd7 Rb1 Rfc8 b4 axb3 "
    "axb3 Qd8 Nd3 Ne6 Nb4 Bc6 Rfd1 h5 Bf1 h4 Qf2 Nd7 g3 Ra3 Bh3 Rca8 Nc2 R3a6 Nb4 Ra5 Nc2 b6 Rd2 Qc7 Rbd1 Bf8 gxh4 Nf4 "
    "Bxf4 exf4 Bxd7 Qxd7 Nb4 Ra3 Nxc6 Qxc6 Nb5 Rxb3 Nd4 Qxc4 Nxb3 Qxb3 Qe2 Be7 Kg2 Qe6 h5 Ra3 Rd3 Ra2"
)
"""Carlsen - Karjakin, New York 2016, fourth rapid game of the tie-break, to move 40, in SAN.

Which game of the match the third sample of Table 3 is from, the paper does not say; of those that were tried the
printed moves fit this one best, if the 10, 20, 30 and 40 "plies" of the text are moves of both sides.
"""


@dataclass(frozen=True, slots=True)
class MatchedPair:
    """A row of Table 3."""

    first: tuple[str, tuple[str, ...]]
    """A position: a trap of `TRAPS` and moves played on it in SAN, or "Move" and the number of moves of `GAME`."""
    second: tuple[str, tuple[str, ...]]
    decisive: int
    """Of the five most frequent pairs, how many are of equally decisive moves."""
    top: tuple[str, str]
    """The most frequent pair as printed."""


TABLE_3 = (
    MatchedPair(("Légal", ()), ("Budapest", ()), 4, ("Bf7#", "Bf2#")),
    MatchedPair(("Légal", ()), ("Kieninger", ()), 5, ("Bf7#", "Nf3#")),
    MatchedPair(("Légal", ()), ("Caro-Kann", ()), 5, ("Bf7#", "ef7#")),
    MatchedPair(("Budapest", ()), ("Kieninger", ()), 5, ("Bf2#", "Nd3#")),
    MatchedPair(("Budapest", ()), ("Caro-Kann", ()), 5, ("Bf2#", "ef7#")),
    MatchedPair(("Caro-Kann", ()), ("Kieninger", ()), 5, ("ef7#", "Nf3+")),
    MatchedPair(("Budapest", ()), ("Budapest", ("b3", "a6")), 5, ("Bf2#", "Bf2#")),
    # The journal prints 5.f3 Nxe5, which is illegal, e5 being Black's own pawn; "the bishop that had threatened the
    # queen had been captured" makes it Nxg5.
    MatchedPair(("Budapest", ()), ("Budapest", ("f3", "Nxg5")), 3, ("Bf2#", "Nf3+")),
    MatchedPair(("Budapest", ()), ("Budapest", ("Bd2", "Qh4")), 5, ("Bf2#", "Bd2+")),
    MatchedPair(("Légal", ()), ("Légal", ("h6", "a3")), 5, ("Bf7#", "Bf7#")),
    MatchedPair(("Légal", ()), ("Légal", ("h6", "Nxg4")), 5, ("Bf7#", "Bf7+")),
    MatchedPair(("Légal", ()), ("Légal", ("Nxe5", "Be2")), 5, ("Bf7#", "Bb5+")),
    MatchedPair(("Move", ("10",)), ("Move", ("20",)), 5, ("Be6", "Qe8")),
    MatchedPair(("Move", ("10",)), ("Move", ("30",)), 5, ("Qc3+", "Rg5+")),
    MatchedPair(("Move", ("10",)), ("Move", ("40",)), 5, ("Qc3+", "Rg5+")),
    MatchedPair(("Move", ("20",)), ("Move", ("30",)), 4, ("Nd4", "Rg5+")),
    MatchedPair(("Move", ("20",)), ("Move", ("40",)), 3, ("Kf8", "Kh8")),
    MatchedPair(("Move", ("30",)), ("Move", ("40",)), 3, ("Rg5+", "Qg6+")),
)
"""Table 3, in its order."""
