"""The five events: one rule in Python, and the core goes by it as well."""

import chess
import pytest

from annotator.known_traps import KnownTraps
from annotator.request import AnalysisRequest
from annotator.settings import Tell
from db.traps.events import decision_ply, events_of, springs
from db.traps.terms import Outcome
from db.traps.trap import Trap
from tests.support.trap_games import (
    AVOIDED,
    BUDAPEST,
    BUDAPEST_FELL,
    ELEPHANT,
    ELEPHANT_FELL,
    FELL,
    LEGAL,
    MISSED,
    RESIGNED,
    SMOTHERED,
    game,
)
from trapcore import _native

ANALYZER = AnalysisRequest(tell=Tell.KNOWN, measure="sequences", min_similarity=1.0, nodes=200_000).analyzer(
    KnownTraps([LEGAL, BUDAPEST, SMOTHERED, ELEPHANT])
)

TRAPS = {"legal": LEGAL, "budapest": BUDAPEST, "elephant": ELEPHANT}


def by_core(pgn: str) -> list[tuple[str, int]]:
    """Events and plies in a game as the core finds them."""
    splitter = _native.PgnSplitter()
    (batch,) = splitter.feed(game(pgn).encode()) + splitter.finish()
    return [(found.event, found.ply) for one in ANALYZER.judge(batch).found for found in one.findings if found.known]


def by_rule(trap: Trap, pgn: str) -> list[tuple[str, int]]:
    """The same by the rule in Python."""
    board, positions, ucis = chess.Board(), [], []
    for word in pgn.split():
        positions.append(board.epd(en_passant="legal"))
        if not word[0].isdigit() and word != "*":
            ucis.append(board.push_san(word).uci())
    at = list(dict.fromkeys(positions)).index(trap.epd)
    played, answer = (ucis[ply] if ply < len(ucis) else None for ply in (at, at + 1))
    took = None if played is None else played == trap.bait
    sprung = springs(trap, answer) if took and answer is not None else None
    found = events_of(follows_a_move=at > 0, took_bait=took, is_sprung=sprung)
    return [(str(event), ply) for event in found for ply in range(len(ucis) + 1) if decision_ply(event, ply) == at + 1]


@pytest.mark.parametrize(
    ("trap", "pgn", "events"),
    [
        ("legal", FELL, ["set", "fell", "sprung"]),
        ("legal", AVOIDED, ["set", "avoided"]),
        ("legal", MISSED, ["set", "fell", "missed"]),
        ("legal", RESIGNED, ["set", "fell"]),
        ("legal", "1. e4 e5 2. Nf3 d6 3. Bc4 Bg4 4. Nc3 g6 5. Nxe5 1-0", ["set"]),
        ("budapest", BUDAPEST_FELL, ["set", "fell", "sprung"]),
        ("elephant", ELEPHANT_FELL, ["set", "fell", "sprung"]),
    ],
)
def test_the_core_and_the_rule_find_the_same_events(trap: str, pgn: str, events: list[str]) -> None:
    assert by_rule(TRAPS[trap], pgn) == by_core(pgn)
    assert [event for event, _ in by_core(pgn)] == events


def test_every_answer_springs_by_the_core_and_the_rule_alike() -> None:
    before = "1. e4 e5 2. Nf3 d6 3. Bc4 Bg4 4. Nc3 g6 5. Nxe5 Bxd1"
    board = LEGAL.board()
    board.push_uci(LEGAL.bait)
    for move in list(board.legal_moves):
        found = by_core(f"{before} 6. {board.san(move)} *")
        assert ("sprung" in dict(found)) == springs(LEGAL, move.uci()), move


def test_another_move_that_mates_springs_the_trap() -> None:
    # Two rooks: either may mate on the back rank.
    epd = "6k1/5ppp/8/8/8/q7/8/RR4K1 b - -"
    trap = Trap(
        slug="two-rooks",
        name="Two rooks",
        family="back-rank-mate",
        epd=epd,
        bait="a3c3",
        killer_line=("a1a8",),
        outcome=Outcome.MATE,
        mate_in=1,
    )
    assert springs(trap, "a1a8")
    assert springs(trap, "b1b8")
    assert not springs(trap, "g1g2")
