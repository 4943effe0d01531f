"""Whether a trap is one: mates by the prover, material by a real engine, and engines that misbehave."""

import logging
import stat
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import chess
import chess.engine
import pytest

from db.proof.prover import TrapProver, prove_all
from db.traps.terms import Outcome
from db.traps.trap import Trap, make_trap
from db.wording.claims import claim
from tests.support.chess_positions import FIGURE_2
from tests.support.db_traps import elephant, fishing_pole, legal
from trapcore import _native
from trapcore.engines.uci_engine import UciEngine, chance_of
from trapcore.errors import EngineError, InputError
from trapcore.proof.mate import Proof, replay
from trapcore.proof.verdict import Verdict
from workshop.benchmarks.stockfish import STOCKFISH

JUDGE = TrapProver(escape_nodes=2_000_000)


def trap(fen: str, bait: str, line: str) -> Trap:
    return make_trap(name="x", fen=fen, bait=bait, killer_line=line)


@pytest.mark.parametrize("name", FIGURE_2)
def test_the_paper_s_traps_are_proved(name: str) -> None:
    fen, bait, killer, mate = FIGURE_2[name]
    line = _native.prove_mate(fen, mate, 100_000, None, None, [killer], bait)[2]
    proved = JUDGE.prove(trap(fen, bait, " ".join(line)))
    assert (proved.verdict, proved.mate_in, proved.proof_by) == (Verdict.PROVED, mate, _native.PROVER_VERSION)
    assert proved.proof_nodes > 0
    assert proved.killer_line[0] == killer
    replay(Proof(proved.verdict, proved.mate_in, proved.killer_line, 0, 0), proved.epd, proved.bait)
    proved.check()


def test_a_line_in_which_the_defender_helps_is_refuted() -> None:
    helped = make_trap(name="x", moves="e4 e5 Qh5", bait="Nc6", killer_line="Bc4 d6 Qxf7#")
    refuted = JUDGE.prove(helped)
    assert (refuted.verdict, refuted.mate_in) == (Verdict.REFUTED, None)
    refuted.check()


@pytest.mark.parametrize(
    ("fen", "bait", "line", "reason"),
    [
        (
            "6Qk/p1p3pp/4N3/1p6/2q1r1n1/2B5/PP4PP/3R1R1K b - - 0 28",
            "Kxg8",
            "Rf8#",
            "a mate in 1 without a choice: the bait is the only legal move",
        ),
        (
            "k7/8/8/8/8/7q/8/7K w - - 0 1",
            "Kg1",
            "Qg3+ Kh1",
            "a win without a choice: the bait is the only legal move",
        ),
        ("7k/6Qp/8/8/8/8/8/K7 b - - 0 1", "Kxg7", "Kb2", "the bait is the only legal move"),
    ],
    ids=["mate", "win", "neither"],
)
def test_a_bait_without_a_choice_is_no_trap_and_not_refuted(fen: str, bait: str, line: str, reason: str) -> None:
    forced = replace(JUDGE, search_nodes=50_000).prove(trap(fen, bait, line))
    assert (forced.verdict, forced.reason, forced.mate_in) == (Verdict.UNDECIDED, reason, None)
    assert forced.is_forced
    assert forced.is_doubted
    assert claim(forced) == f"no trap: {reason}"
    forced.check()


def test_what_every_other_move_loses_too_is_refuted() -> None:
    refuted = JUDGE.prove(trap("7k/8/8/8/8/4ppq1/8/6K1 w - - 0 1", "Kf1", "Qf2#"))
    assert refuted.verdict is Verdict.REFUTED
    assert not refuted.is_forced
    refuted.check()


def test_a_shorter_mate_takes_the_place_of_the_given_line() -> None:
    slow = trap("6k1/5ppp/8/8/8/8/r4PPP/3QR1K1 b - - 0 1", "Rb2", "h3 Ra2 Re8#")
    proved = JUDGE.prove(slow)
    assert (proved.verdict, proved.mate_in, len(proved.killer_line)) == (Verdict.PROVED, 1, 1)
    proved.check()


def test_a_killer_that_needs_help_gives_way_to_one_that_forces() -> None:
    # Taking the bishop back mates only if Black blocks e7 himself.
    helped = make_trap(name="x", moves=legal().moves, bait="Bxd1", killer_line="Nxd1 Nge7 Bxf7#")
    proved = JUDGE.prove(helped)
    assert (proved.verdict, proved.killer_line) == (Verdict.PROVED, legal().killer_line)


def test_too_small_a_budget_leaves_it_undecided() -> None:
    fen, bait, killer, mate = FIGURE_2["Légal"]
    line = _native.prove_mate(fen, mate, 100_000, None, None, [killer], bait)[2]
    given = trap(fen, bait, " ".join(line))
    assert TrapProver(prover_nodes=1).prove(given).verdict is Verdict.UNDECIDED
    no_escape = TrapProver(escape_nodes=1).prove(given)
    assert no_escape.verdict is Verdict.UNDECIDED
    no_escape.check()


def test_what_is_no_trap_cannot_be_proved() -> None:
    with pytest.raises(InputError):
        JUDGE.prove(legal(bait="a1a8"))


def test_many_are_proved_in_their_order_and_alike() -> None:
    traps = [legal(), elephant(), legal(bait="a1a8"), legal(slug="again")]
    alone = list(prove_all(JUDGE, traps))
    assert [before for before, _ in alone] == traps
    assert [type(after) for _, after in alone] == [Trap, Trap, InputError, Trap]
    together = list(prove_all(JUDGE, traps, jobs=2))
    assert [str(after) for _, after in together] == [str(after) for _, after in alone]


@pytest.fixture(scope="module")
def engine() -> Iterator[UciEngine]:
    if STOCKFISH is None:
        pytest.skip("there is no Stockfish here")
    with UciEngine(STOCKFISH) as running:
        yield running


def test_material_is_proved_by_an_engine(engine: UciEngine) -> None:
    proved = TrapProver(engine=engine, engine_nodes=50_000).prove(elephant())
    assert proved.verdict is Verdict.PROVED
    assert proved.gain is not None
    assert 0.3 <= proved.gain <= 2
    assert proved.proof_by.startswith("Stockfish")
    assert proved.proof_nodes == 200_000
    assert proved.proof_depth is not None
    proved.check()
    assert TrapProver(engine=engine, engine_nodes=50_000).prove(elephant()) == proved  # and the same every time


def test_a_move_that_loses_nothing_is_refuted_by_an_engine(engine: UciEngine) -> None:
    good = make_trap(name="x", moves="d4 d5 c4 e6 Nc3 Nf6 Bg5 Nbd7 cxd5 exd5", bait="e3", killer_line="Be7")
    refuted = TrapProver(engine=engine, engine_nodes=50_000).prove(good)
    assert refuted.verdict is Verdict.REFUTED
    assert refuted.gain is not None
    assert refuted.gain < 0.3


def test_a_killer_line_that_gives_the_win_back_is_refuted(engine: UciEngine) -> None:
    spoilt = replace(elephant(), killer_line=("f6d5", "g5d8", "d5f4", "d8c7"))
    assert spoilt.outcome is Outcome.MATERIAL
    assert TrapProver(engine=engine, engine_nodes=50_000).prove(spoilt).verdict is Verdict.REFUTED


def test_without_an_engine_material_stays_undecided() -> None:
    assert JUDGE.prove(elephant()) == elephant()
    assert JUDGE.prove(fishing_pole()).verdict is Verdict.UNDECIDED


@pytest.mark.parametrize(
    ("score", "chance"),
    [
        (chess.engine.Cp(0), 0.0),
        (chess.engine.Cp(100), 0.18205),
        (chess.engine.Cp(-100), -0.18205),
        (chess.engine.Cp(1000), 0.95089),
        (chess.engine.Mate(5), 1.0),
        (chess.engine.Mate(-1), -1.0),
        (chess.engine.Mate(-0), -1.0),
        (chess.engine.MateGiven, 1.0),
    ],
)
def test_win_chance_is_lichess_s(score: chess.engine.Score, chance: float) -> None:
    assert chance_of(score) == pytest.approx(chance, abs=1e-5)


FAKE = """#!{python}
import os, sys, time
state = sys.argv[0] + ".count"
for line in sys.stdin:
    word = line.split()[0] if line.split() else ""
    if word == "uci":
        print("id name Fake 1\\nuciok", flush=True)
    elif word == "isready":
        print("readyok", flush=True)
    elif word == "quit":
        break
    elif word == "go":
        {go}
"""


def fake(folder: Path, go: str) -> str:
    """A UCI engine, a process of its own, that does ``go`` when it is asked to search."""
    path = folder / "fake-engine"
    path.write_text(FAKE.format(python=sys.executable, go=go))
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


ANSWER = 'print("info depth 3 score cp 40 nodes 9 time 1\\nbestmove e2e4", flush=True)'
DIE = "os._exit(1)"


def test_an_engine_that_dies_twice_is_given_up(tmp_path: Path) -> None:
    with UciEngine(fake(tmp_path, DIE)) as running, pytest.raises(EngineError, match="failed 2 times"):
        running.evaluate(chess.Board(), 10)


def test_an_engine_that_does_not_answer_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trapcore.engines.process.START_SECONDS", 3.0)
    began = time.monotonic()
    with (
        UciEngine(fake(tmp_path, "time.sleep(100)"), search_seconds=0.5) as running,
        pytest.raises(EngineError, match="took more than"),
    ):
        running.evaluate(chess.Board(), 10)
    assert time.monotonic() - began < 30


def test_an_engine_that_answers_nonsense_is_said_to(tmp_path: Path) -> None:
    illegal = 'print("bestmove e2e5", flush=True)'
    with UciEngine(fake(tmp_path, illegal)) as running, pytest.raises(EngineError, match="answered wrongly"):
        running.evaluate(chess.Board(), 10)
    for none in ("0000", "(none)", ""):
        passing = f'print("info score cp 1\\nbestmove {none}", flush=True)'
        with UciEngine(fake(tmp_path, passing)) as running, pytest.raises(EngineError, match=r"no legal move|wrongly"):
            running.evaluate(chess.Board(), 10)
    passed = 'print("info score cp 1 pv e2e4 0000 d2d4\\nbestmove e2e4", flush=True)'
    with UciEngine(fake(tmp_path, passed)) as running:
        assert running.evaluate(chess.Board(), 10, line=True).line == (chess.Move.from_uci("e2e4"),)
    silent = 'print("bestmove e2e4", flush=True)'
    with UciEngine(fake(tmp_path, silent)) as running, pytest.raises(EngineError, match="no score"):
        running.evaluate(chess.Board(), 10)


FLOODS = {
    "standard error": "print('x' * 500, file=sys.stderr)",
    "lines that mean nothing": "print('info score what depth ever')",
    "a line without end": "print('x' * 5000, end='')",
}


@pytest.mark.parametrize("flood", FLOODS.values(), ids=FLOODS)
def test_an_engine_that_writes_without_end_fills_nothing(
    flood: str, tmp_path: Path, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    engine = fake(tmp_path, f"[{flood} for _ in range(1000)]; {ANSWER}")
    with suppress(EngineError), UciEngine(engine) as running:
        assert running.evaluate(chess.Board(), 10).depth == 3
    assert len(caplog.text) < 1000
    assert "\n" not in capfd.readouterr().err.strip()


SEARCH = TrapProver(search_nodes=100_000)


def test_material_is_proved_by_our_own_search() -> None:
    proved = SEARCH.prove(elephant())
    assert (proved.verdict, proved.proof_by) == (Verdict.PROVED, _native.TESTER_VERSION)
    assert proved.killer_line == elephant().killer_line
    assert proved.gain is not None
    assert 0.3 <= proved.gain <= 2
    proved.check()


def test_our_own_search_refutes_nothing() -> None:
    harmless = make_trap(name="x", moves="e4 e5", bait="Nf3", killer_line="Nc6")
    assert SEARCH.prove(harmless).verdict is Verdict.UNDECIDED


def test_an_old_proof_counts_for_nothing() -> None:
    claimed = legal(verdict=Verdict.REFUTED, proof_by="somebody", proof_nodes=5)
    assert JUDGE.prove(claimed) == JUDGE.prove(legal())
    engine_less = replace(elephant(), verdict=Verdict.PROVED, proof_by="somebody", gain=0.5)
    assert JUDGE.prove(engine_less) == elephant()
