"""What an engine makes of the events of games: the same in any order and in any number of processes."""

from dataclasses import replace
from pathlib import Path

import pytest

from annotator.engine_check import STAGES, EngineProcess, EngineVerifier
from annotator.events import EventProof, TrapEvent
from db.traps.terms import Event
from db.traps.trap import Trap
from tests.support.db_traps import elephant, legal
from tests.support.uci_engines import PROVING, REFUTING, engine_of
from trapcore import _native
from trapcore.proof.trap_test import TOLD
from trapcore.proof.verdict import Verdict
from workshop.benchmarks.stockfish import STOCKFISH

NODES = 400_000
FIRST, *_, LAST = (round(stage.share * NODES) for stage in STAGES)
NO_ANCHOR = _native.PgnSplitter  # stands for the place in a text, which no engine is asked about


def event_of(trap: Trap, event: Event = Event.FELL, played: str = "") -> TrapEvent:
    """The bait of ``trap`` as an event whose proof is open."""
    return TrapEvent(
        event=event,
        trap=trap,
        known=False,
        mirrored=False,
        similarity=0.9,
        measure="sequences",
        ply=1,
        trap_ply=1,
        number=1,
        mover="white",
        played=played or trap.sans()[0],
        fen=trap.epd,
        bait=trap.bait,
        bait_san=trap.bait,
        killer_line=trap.killer_line,
        killer_line_san=trap.killer_line,
        proof=EventProof(Verdict.UNDECIDED, None, 8, ""),
        anchor=NO_ANCHOR,  # type: ignore[arg-type]
    )


@pytest.mark.parametrize(("score", "verdict"), [(PROVING, Verdict.PROVED), (REFUTING, Verdict.REFUTED)])
def test_the_engine_decides_of_few_nodes_what_is_clear(tmp_path: Path, score: str, verdict: Verdict) -> None:
    with EngineVerifier(engine_of(tmp_path, score), NODES) as verifier:
        [([event], values)] = verifier.verified([[event_of(elephant())]])
        assert verifier.asked == 1
    assert (event.proof.verdict, event.proof.by) == (verdict, "Opinionated 1")
    assert event.proof.nodes == FIRST
    assert event.played_loss == event.proof.loss
    assert event.before == 0
    assert event.after == pytest.approx(-0.7262 if verdict is Verdict.PROVED else 0, abs=1e-3)
    value = values[_native.epd(event.fen)]
    assert (value.chance, value.nodes, value.by) == (event.before, FIRST, "Opinionated 1")


@pytest.mark.parametrize(("last", "verdict"), [(150, Verdict.PROVED), (125, Verdict.REFUTED)])
def test_near_the_border_the_longest_search_has_the_last_word(tmp_path: Path, last: int, verdict: Verdict) -> None:
    # 139 centipawns are a win chance of .25.
    command = engine_of(tmp_path, f"(({last} if nodes == {LAST} else 139) if played else 0)")
    with EngineVerifier(command, NODES) as verifier:
        [([event], _)] = verifier.verified([[event_of(elephant())]])
    assert (event.proof.verdict, event.proof.nodes) == (verdict, LAST)


@pytest.mark.parametrize(
    ("score", "event"),
    [(PROVING, Event.MISSED), ("500 if board.turn == chess.BLACK else -500 if played else 0", Event.SPRUNG)],
)
def test_an_answer_that_gives_everything_back_has_missed_the_killer(tmp_path: Path, score: str, event: Event) -> None:
    trap = elephant()  # White takes the bait, Black answers
    given = event_of(trap, Event.SPRUNG, trap.sans()[1])
    with EngineVerifier(engine_of(tmp_path, score), NODES) as verifier:
        [([found], _)] = verifier.verified([[given]])
    assert (found.event, found.proved) == (event, True)
    assert found.played_loss is not None
    assert (found.played_loss >= TOLD) == (event is Event.MISSED)


def test_what_the_library_knows_and_a_mate_that_was_missed_stand(tmp_path: Path) -> None:
    trap = legal()
    proof = EventProof(Verdict.PROVED, 2, 8, "library")
    known = replace(event_of(trap), known=True, proof=proof)
    missed = replace(event_of(trap, Event.MISSED), proof=replace(proof, by=_native.PROVER_VERSION))
    with EngineVerifier(engine_of(tmp_path, REFUTING), NODES) as verifier:
        assert verifier.verified([[known, missed], []]) == [([known, missed], {}), ([], {})]
        assert verifier.asked == 0


@pytest.mark.skipif(STOCKFISH is None, reason="stockfish is not installed")
def test_the_same_game_has_the_same_answers_whatever_came_before() -> None:
    assert STOCKFISH is not None
    games = [[event_of(elephant()), event_of(elephant(), Event.SPRUNG, elephant().sans()[1])], [event_of(legal())]] * 2
    with EngineVerifier(STOCKFISH, 20_000) as one, EngineVerifier(STOCKFISH, 20_000, jobs=3) as several:
        found = one.verified(games)
        assert found == several.verified(games) == [*one.verified(games[2:]), *one.verified(games[:2])]
        assert one.asked == 2 * several.asked
    assert {event.proof.verdict for events, _ in found for event in events} == {Verdict.PROVED}
    (first, *_), (second, *_) = (events for events, _ in found[:2])
    assert second.proof.mate_in == 2
    assert (first.kind, second.kind) == ("capture", "mate")


@pytest.mark.skipif(STOCKFISH is None, reason="stockfish is not installed")
def test_an_answer_holds_what_the_engine_expects() -> None:
    assert STOCKFISH is not None
    trap = elephant()
    process = EngineProcess(STOCKFISH, 100_000)
    try:
        answer = process.ask(trap.epd, trap.bait)
    finally:
        process.close()
    assert answer.line[0] == trap.killer_line[0]
    assert answer.best_line[0] != trap.bait
    assert answer.verdict is Verdict.PROVED
    assert answer.loss == answer.before - answer.after
