"""One rule for an engine's opinion: library and annotator come to the same verdict from the same measurements."""

from pathlib import Path

import pytest

from annotator.engine_check import EngineVerifier
from annotator.events import EventProof, TrapEvent
from db.proof.engine_rule import DEEPER
from db.proof.prover import TrapProver
from db.proof.uci_engine import UciEngine
from db.traps.terms import Event
from db.traps.trap import Trap
from tests.support.db_traps import elephant
from tests.support.uci_engines import PROVING, engine_of
from trapcore import _native
from trapcore.proof.verdict import Verdict

NODES = 10
NO_ANCHOR = _native.PgnSplitter  # stands for the place in a text, which no engine is asked about


def event_of(trap: Trap) -> TrapEvent:
    """The bait of ``trap`` as an event whose proof is open."""
    return TrapEvent(
        event=Event.FELL,
        trap=trap,
        known=False,
        mirrored=False,
        similarity=0.9,
        measure="sequences",
        ply=1,
        trap_ply=1,
        number=1,
        mover="white",
        played=trap.bait,
        fen=trap.epd,
        bait=trap.bait,
        bait_san=trap.bait,
        killer_line=trap.killer_line,
        killer_line_san=trap.killer_line,
        proof=EventProof(Verdict.UNDECIDED, None, 8, ""),
        anchor=NO_ANCHOR,  # type: ignore[arg-type]
    )


@pytest.mark.parametrize(
    ("when", "verdict"),
    [
        ("True", Verdict.PROVED),
        ("False", Verdict.REFUTED),
        (f"nodes == {NODES}", Verdict.UNDECIDED),
        (f"nodes == {DEEPER * NODES}", Verdict.UNDECIDED),
    ],
    ids=["both searches", "neither", "only the shorter", "only the deeper"],
)
def test_the_library_and_the_annotator_judge_alike(tmp_path: Path, when: str, verdict: Verdict) -> None:
    command = engine_of(tmp_path, f"({PROVING}) if {when} else 0")
    trap = elephant()
    with UciEngine(command) as engine:
        _, opinion = TrapProver(engine=engine, engine_nodes=NODES).ask_engine(trap)
    with EngineVerifier(command, NODES) as verifier:
        event = verifier.verify(event_of(trap))
    assert opinion.verdict is event.proof.verdict is verdict
    assert event.proof.loss is not None
    assert (opinion.gain, opinion.nodes, opinion.by) == (round(event.proof.loss, 4), event.proof.nodes, event.proof.by)
    assert event.killer_line == trap.killer_line


def test_a_line_that_gives_the_win_back_is_cut_to_its_killer(tmp_path: Path) -> None:
    trap = elephant()
    whole = 1 + len(trap.killer_line)
    command = engine_of(tmp_path, f"0 if played == {whole} else {PROVING}")
    with UciEngine(command) as engine:
        _, opinion = TrapProver(engine=engine, engine_nodes=NODES).ask_engine(trap)
    with EngineVerifier(command, NODES) as verifier:
        event = verifier.verify(event_of(trap))
    # The library claims the line as a whole, the annotator what is left of it.
    assert opinion.verdict is Verdict.REFUTED
    assert event.proved
    assert event.killer_line == trap.killer_line[:1]
