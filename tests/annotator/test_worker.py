"""How baits are proposed and proved: what is known, what is asked once, and under which trap's name it is told."""

import io
from dataclasses import replace

import chess.pgn
import pytest

from db.traps.trap import Trap, make_trap
from tests.support.trap_games import ELEPHANT, ELEPHANT_FELL, FELL, LEGAL, RESEMBLES, game
from trapcore import _native
from trapcore.proof.verdict import Verdict

#: Légal's Mate with other pawns moved than g6: likenesses of each other with the same bait and killer.
COUSINS = [
    make_trap(
        name=f"Légal's Mate, {pawn}",
        moves=f"e4 e5 Nf3 d6 Bc4 Bg4 Nc3 {pawn} Nxe5",
        bait="Bxd1",
        killer_line="Bxf7+ Ke7 Nd5#",
    )
    for pawn in ("h6", "h5", "b6", "a5")
]
#: The knight on f6 takes on d5 at the end: no mate.
SAFE = "1. e4 e5 2. Nf3 d6 3. Bc4 Bg4 4. Nc3 Nf6 5. Nxe5 1/2-1/2\n"
#: The Elephant Trap with two moves of rook pawns inserted, which change nothing.
RESEMBLES_ELEPHANT = "1. d4 d5 2. c4 e6 3. Nc3 Nf6 4. Bg5 Nbd7 5. cxd5 exd5 6. h3 a6 7. Nxd5 Nxd5 8. Bxd8 Bb4+ 0-1\n"


#: The rook leaves its first rank for a pawn, and is mated there.
BACK_RANK = replace(
    make_trap(name="Back rank", fen="r5k1/5ppp/8/8/8/8/P4PPP/3R2K1 b - - 0 1", bait="Rxa2", killer_line="Rd8#"),
    verdict=Verdict.PROVED,
    mate_in=1,
)
#: The same on other squares: no move of it is a move of the trap.
BACK_RANK_SHIFTED = "1r4k1/5ppp/8/8/8/8/1P3PPP/4R1K1 b - - 0 1"


def judged(traps: list[Trap], moves: str, **options: object) -> _native.BatchFindings:
    """What the analyzer finds in one game."""
    return judged_text(traps, game(moves), **options)


def judged_text(traps: list[Trap], text: str, **options: object) -> _native.BatchFindings:
    """What the analyzer finds in a game with its tags."""
    chosen: dict[str, object] = {
        "measure": "sequences", "min_similarity": 0.8, "nodes": 200_000, "unproved": False,
    }  # fmt: skip
    parts = [(trap.epd, trap.bait, trap.killer_line, str(trap.verdict), trap.mate_in or 0) for trap in traps]
    judge = _native.GameAnalyzer(parts, **(chosen | options))  # type: ignore[arg-type]
    splitter = _native.PgnSplitter()
    (batch,) = [*splitter.feed(text.encode()), *splitter.finish()]
    return judge.judge(batch)


def after_plies(moves: str, plies: int) -> str:
    """The game from the position after so many half-moves on."""
    read = chess.pgn.read_game(io.StringIO(moves))
    assert read is not None
    line, board = list(read.mainline_moves()), read.board()
    for move in line[:plies]:
        board.push(move)
    return f'[SetUp "1"]\n[FEN "{board.fen()}"]\n\n{board.variation_san(line[plies:])} *\n'


def findings(found: _native.BatchFindings) -> list[_native.Finding]:
    return [finding for one in found.found for finding in one.findings]


def mates(*traps: Trap) -> list[Trap]:
    return [replace(trap, verdict=Verdict.PROVED, mate_in=2) for trap in traps]


def summary(found: _native.BatchFindings) -> list[tuple[object, ...]]:
    """The findings without the nodes that they took."""
    return [
        (f.event, f.trap, f.known, f.similarity, f.bait, f.killer_line, f.verdict, f.mate_in) for f in findings(found)
    ]


@pytest.mark.parametrize(
    ("trap", "moves", "prover"),
    [(ELEPHANT, ELEPHANT_FELL, _native.TESTER_VERSION), (replace(LEGAL, mate_in=None), FELL, _native.TESTER_VERSION),
     (LEGAL, FELL, _native.PROVER_VERSION)],
)  # fmt: skip
def test_the_position_of_an_undecided_trap_is_known_whoever_proves_it(trap: Trap, moves: str, prover: str) -> None:
    found = findings(judged([replace(trap, verdict=Verdict.UNDECIDED)], moves))
    own = [f for f in found if _native.epd(f.fen) == trap.epd]
    assert [f.event for f in own] == ["set", "fell", "sprung"]
    for f in own:
        assert (f.known, f.similarity, f.verdict, f.prover) == (True, 1.0, "proved", prover)
        assert f.nodes > 0
    proved = findings(judged([replace(trap, verdict=Verdict.PROVED)], moves))
    assert {(f.known, f.prover, f.nodes) for f in proved if _native.epd(f.fen) == trap.epd} == {(True, "library", 0)}


def test_a_bait_that_several_traps_propose_is_proved_once() -> None:
    # Black's last decision.
    last = after_plies(SAFE, 8)
    alone = judged_text(mates(LEGAL), last, min_similarity=0.5)
    assert (alone.candidates, findings(alone)) == (1, [])
    together = judged_text(mates(LEGAL, *COUSINS), last, min_similarity=0.5)
    assert (together.candidates, findings(together)) == (1, [])
    assert together.proof_nodes == alone.proof_nodes > 0


def test_the_most_similar_trap_gives_the_name() -> None:
    traps = mates(*COUSINS, LEGAL)
    for order in (traps, traps[::-1]):
        found = findings(judged(order, RESEMBLES, min_similarity=0.5))
        scores = [
            max(f.similarity for one in [judged([trap], RESEMBLES, min_similarity=0.5)] for f in findings(one))
            for trap in order
        ]
        assert found[0].similarity == max(scores)
        assert found[0].trap is not None
        assert scores[found[0].trap] == max(scores)


@pytest.mark.parametrize("mate_first", [True, False])
def test_a_mate_that_fails_does_not_hide_a_gain(mate_first: bool) -> None:
    gain, mate = ELEPHANT, mates(ELEPHANT)[0]
    both = [mate, gain] if mate_first else [gain, mate]
    alone, together = (judged_text(traps, after_plies(RESEMBLES_ELEPHANT, 11)) for traps in ([gain], both))
    near = [f for f in findings(together) if not f.known]
    assert {(f.trap, f.verdict, f.mate_in, f.prover) for f in near} == {
        (both.index(gain), "proved", None, _native.TESTER_VERSION)
    }
    assert [f.loss for f in near] == [f.loss for f in findings(alone)]
    assert (together.proof_nodes > alone.proof_nodes) == mate_first  # what is answered is not asked again


def test_a_gain_that_fails_does_not_hide_a_mate() -> None:
    # So few nodes that the trap test decides nothing; the prover may spend eight times as many.
    both = [replace(LEGAL, mate_in=None), *mates(LEGAL)]
    found = findings(judged(both, RESEMBLES, nodes=200))
    assert {(f.trap, f.mate_in, f.prover) for f in found if not f.known} == {(1, 2, _native.PROVER_VERSION)}


@pytest.mark.parametrize("moves", [FELL, RESEMBLES, RESEMBLES_ELEPHANT])
def test_the_order_of_the_proof_changes_no_finding(moves: str) -> None:
    traps = [*mates(*COUSINS, LEGAL), ELEPHANT]
    first, default = (judged(traps, moves, proposals_first=order) for order in (True, False))
    assert summary(first)
    assert [line[:5] for line in summary(first)] == [line[:5] for line in summary(default)]


def test_what_the_library_refutes_is_not_proved_by_a_likeness() -> None:
    cousin = make_trap(
        name="Elephant Trap with rook pawns",
        moves="d4 d5 c4 e6 Nc3 Nf6 Bg5 Nbd7 cxd5 exd5 h3 a6",
        bait="Nxd5",
        killer_line="Nxd5 Bxd8 Bb4+",
    )
    proved, refuted = replace(cousin, verdict=Verdict.PROVED), replace(ELEPHANT, verdict=Verdict.REFUTED)
    assert findings(judged([proved], ELEPHANT_FELL))
    assert not findings(judged([proved, refuted], ELEPHANT_FELL))


def test_a_bait_on_other_squares_is_found_by_matching() -> None:
    shifted = game("1... Rxb2 2. Re8# 1-0", FEN=BACK_RANK_SHIFTED)
    found = findings(judged_text([BACK_RANK], shifted, min_similarity=0.1))
    assert [(f.event, f.bait, f.killer_line, f.known, f.verdict, f.mate_in) for f in found] == [
        (event, "b8b2", ["e1e8"], False, "proved", 1) for event in ("fell", "sprung")
    ]


def test_what_only_resembles_is_not_known() -> None:
    found = findings(judged([LEGAL], RESEMBLES))
    assert {(f.known, f.prover) for f in found} == {(False, _native.PROVER_VERSION)}


def test_the_line_of_a_bait_that_was_matched_but_not_proved_is_legal() -> None:
    # A gain is asked for, with fewer nodes than any search takes.
    gain, shifted = replace(BACK_RANK, mate_in=None), game("1... Rxb2 *", FEN=BACK_RANK_SHIFTED)
    found = findings(judged_text([gain], shifted, min_similarity=0.1, nodes=8, unproved=True))
    fell = [(f.bait, f.killer_line, f.verdict) for f in found if f.event == "fell"]
    assert fell == [("b8b2", ["e1e8"], "undecided")]
    assert not findings(judged_text([gain], shifted, min_similarity=0.1, nodes=8))
