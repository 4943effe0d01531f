"""Opinions side by side: what follows from them, what contradicts, and that verifying loses none."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import func, select

from db.formats.bundled import bundled_non_traps, bundled_traps
from db.library.library import Library
from db.library.open import open_library
from db.proof.prover import TrapProver
from db.proof.reverify import MEANS, Verified, verify_traps
from db.storage.tables import VerifiedRow
from db.traps.opinion import Opinion
from db.traps.terms import Outcome
from db.traps.trap import Trap, make_trap
from tests.conftest import NewLibrary
from tests.layout.modules import ROOT
from tests.support.db_traps import elephant, fishing_pole, legal
from tests.support.uci_engines import PROVING, REFUTING, engine_of
from tests.trapline.commands.test_library import Run, run
from trapcore import _native
from trapcore.engines.uci_engine import UciEngine
from trapcore.errors import InputError
from trapcore.proof.verdict import Verdict

__all__ = ["run"]

OURS = TrapProver(search_nodes=50_000)


@pytest.fixture
def library(new_library: NewLibrary) -> Iterator[Library]:
    with open_library(new_library(), create=True) as opened:
        yield opened


@pytest.fixture(params=[REFUTING, PROVING], ids=["refuting", "proving"])
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[UciEngine]:
    with UciEngine(engine_of(tmp_path, request.param)) as running:
        yield running


def with_engine(tmp_path: Path, score: str, trap: Trap, prover: TrapProver = OURS) -> Trap:
    with UciEngine(engine_of(tmp_path, score)) as running:
        return replace(prover, engine=running, engine_nodes=10).prove(trap)


def verdicts(trap: Trap) -> dict[str, str]:
    return {opinion.by: str(opinion.verdict) for opinion in trap.opinions}


def non_trap(slug: str) -> Trap:
    (found,) = (trap for trap in bundled_non_traps() if trap.slug == slug)
    return found


def test_material_that_an_engine_contradicts_is_undecided(tmp_path: Path) -> None:
    disputed = with_engine(tmp_path, REFUTING, elephant())
    assert verdicts(disputed) == {_native.TESTER_VERSION: "proved", "Opinionated 1": "refuted"}
    assert (disputed.verdict, disputed.is_disputed, disputed.is_doubted) == (Verdict.UNDECIDED, True, True)
    disputed.check()


def test_a_proved_mate_stands_whatever_an_engine_says(tmp_path: Path) -> None:
    disputed = with_engine(tmp_path, REFUTING, legal())
    assert verdicts(disputed) == {_native.PROVER_VERSION: "proved", "Opinionated 1": "refuted"}
    assert (disputed.verdict, disputed.mate_in) == (Verdict.PROVED, 2)
    assert (disputed.is_disputed, disputed.is_doubted) == (True, False)


def test_an_engine_decides_what_our_search_leaves_open(tmp_path: Path) -> None:
    quiet = make_trap(name="x", moves="e4 e5", bait="Nf3", killer_line="Nc6")
    assert OURS.prove(quiet).verdict is Verdict.UNDECIDED
    for score, verdict in ((PROVING, Verdict.PROVED), (REFUTING, Verdict.REFUTED)):
        decided = with_engine(tmp_path, score, quiet)
        assert (decided.verdict, decided.proof_by, decided.proof_depth) == (verdict, "Opinionated 1", 9)
        assert not decided.is_disputed


def test_a_mate_is_never_an_engine_s_word(tmp_path: Path) -> None:
    weak = TrapProver(prover_nodes=1)
    assert weak.prove(legal()).verdict is Verdict.UNDECIDED
    believed = with_engine(tmp_path, PROVING, legal(), weak)
    assert verdicts(believed) == {_native.PROVER_VERSION: "undecided", "Opinionated 1": "proved"}
    assert believed.verdict is Verdict.UNDECIDED
    assert with_engine(tmp_path, REFUTING, legal(), weak).verdict is Verdict.REFUTED


def test_what_is_known_as_no_trap_is_confirmed_or_left_open_but_not_proved_by_measuring(tmp_path: Path) -> None:
    petrov = non_trap("petrov-3-nxe4")
    refuted = OURS.prove(petrov)
    assert (refuted.verdict, refuted.proof_by) == (Verdict.REFUTED, _native.TESTER_VERSION)
    # Without its reason the same line is only not proved.
    assert OURS.prove(replace(petrov, reason="")).verdict is Verdict.UNDECIDED
    disputed = with_engine(tmp_path, PROVING, petrov)
    assert (disputed.verdict, disputed.is_disputed) == (Verdict.UNDECIDED, True)
    wrong = OURS.prove(replace(elephant(), reason="Somebody is mistaken."))
    assert verdicts(wrong) == {_native.TESTER_VERSION: "proved"}
    assert (wrong.verdict, wrong.is_disputed) == (Verdict.UNDECIDED, True)


def test_a_claimed_mate_that_is_none_is_refuted_by_the_prover() -> None:
    refuted = OURS.prove(non_trap("scholars-mate-2-nc6"))
    assert (refuted.verdict, refuted.proof_by) == (Verdict.REFUTED, _native.PROVER_VERSION)


def test_opinions_and_reasons_are_stored(library: Library, tmp_path: Path) -> None:
    traps = [with_engine(tmp_path, REFUTING, trap) for trap in (elephant(), legal(), non_trap("petrov-3-nxe4"))]
    library.add_all(traps)
    assert sorted(library.traps(), key=lambda trap: trap.slug) == sorted(traps, key=lambda trap: trap.slug)
    assert all(opinion.date for trap in library.traps() for opinion in trap.opinions)
    before = library.digest()
    unseconded = OURS.prove(elephant())
    library.add(unseconded, replace=True)
    assert library.trap("elephant-trap") == unseconded
    assert library.digest() != before


@pytest.mark.parametrize(
    "opinions",
    [
        [Opinion(by="", verdict=Verdict.PROVED)],
        [Opinion(by="x", verdict=Verdict.PROVED, nodes=-1)],
        [Opinion(by="x", verdict=Verdict.PROVED, gain=3.0)],
        [Opinion(by="x", verdict=Verdict.PROVED, date="yesterday")],
        [Opinion(by="x", verdict=Verdict.PROVED), Opinion(by="x", verdict=Verdict.REFUTED)],
    ],
)
def test_opinions_that_cannot_be_are_refused(library: Library, opinions: list[Opinion]) -> None:
    with pytest.raises(InputError):
        library.add(legal(opinions=tuple(opinions)))


def marks(library: Library) -> int:
    with library.database.read() as connection:
        return connection.scalar(select(func.count()).select_from(VerifiedRow)) or 0


def test_an_interrupted_verification_goes_on_and_loses_nothing(library: Library) -> None:
    library.add_all([legal(), fishing_pole(), replace(elephant(), verdict=Verdict.REFUTED, proof_by="an error")])

    def interrupt(now: Verified) -> None:
        if now.done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        verify_traps(library, OURS, progress=interrupt)
    assert (marks(library), MEANS in library.facts()) == (2, True)
    elephants = library.trap("elephant-trap")
    assert elephants.verdict is Verdict.PROVED
    # One that comes in between is verified too.
    library.add(non_trap("petrov-3-nxe4"))
    report = verify_traps(library, OURS)
    assert (report.wanted, report.done, report.resumed) == (4, 4, 2)
    # legal-mate was proved after the interruption, the elephant before.
    assert report.changed > len(report.changes)
    assert report.verdicts.total() == library.counts().traps
    assert report.verdicts[Verdict.PROVED] == library.counts().proved
    assert (marks(library), MEANS in library.facts()) == (0, False)
    again = verify_traps(library, OURS)
    assert (again.resumed, again.changed) == (0, 0)


def test_verify_tells_of_contradictions(run: Run, library: Library, tmp_path: Path) -> None:
    library.add_all([legal(), elephant()])
    library.close()
    engine = ["--engine", engine_of(tmp_path, REFUTING), "--db", library.name]
    told = run("library", "verify", *engine).stdout.splitlines()
    assert told[-1] == "1 proved, 1 undecided, 2 contradictions"
    assert sum("opinions contradict each other" in line for line in told) == 2
    report = json.loads(run("library", "verify", "--strict", "--json", *engine, code=1).stdout)
    figures = ("proved", "refuted", "undecided", "contradictions", "changed")
    assert [report[figure] for figure in figures] == [1, 0, 1, 2, 0]
    assert [trap["slug"] for trap in report["disputed"]] == ["elephant-trap", "legals-mate"]
    assert {said["verdict"] for said in report["disputed"][0]["opinions"]} == {"proved", "refuted"}
    shown = run("library", "show", "elephant-trap", "--db", library.name).stdout
    assert "disputed      opinions contradict each other" in shown
    assert "Opinionated 1" in shown


@pytest.mark.parametrize("fields", [{"reason": "A mistake."}, {"opinions": True}], ids=["known-as-none", "disputed"])
def test_nothing_is_said_of_a_doubted_trap(run: Run, tmp_path: Path, fields: dict[str, object]) -> None:
    """Though a search sees the gain and tells it as a losing move where those are told: it is the elephant trap."""
    doubted = OURS.prove(replace(elephant(), reason="A mistake.")) if "reason" in fields else None
    doubted = doubted or with_engine(tmp_path, REFUTING, elephant())
    with open_library(tmp_path / "x.sqlite", create=True) as opened:
        opened.add(doubted)
    game = f'[White "A"]\n[Black "B"]\n\n{elephant().moves} 6. Nxd5 Nxd5 7. Bxd8 Bb4+ 0-1\n\n'
    (tmp_path / "g.pgn").write_text(game)
    run("annotate", "g.pgn", "-o", "out.pgn", "--tell", "similar", "--db", "x.sqlite")
    assert (tmp_path / "out.pgn").read_text() == game
    run("annotate", "g.pgn", "-o", "told.pgn", "--unproved", "--tell", "similar", "--db", "x.sqlite")
    assert (tmp_path / "told.pgn").read_text() != game
    with open_library(tmp_path / "x.sqlite") as opened:
        opened.add(OURS.prove(elephant()), replace=True)
    run("annotate", "g.pgn", "-o", "proved.pgn", "--db", "x.sqlite")
    assert "Takes the bait" in (tmp_path / "proved.pgn").read_text()


@pytest.mark.fault
def test_verify_can_be_interrupted_and_started_again(run: Run, library: Library, tmp_path: Path) -> None:
    chosen = [trap for trap in bundled_traps() if trap.outcome is Outcome.MATE][:40]
    library.add_all(chosen)
    command = [sys.executable, "-m", "trapline", "library", "verify", "--db", library.name]
    env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "PYTHONPATH": str(ROOT), "TRAPLINE_ENGINE": "off"}
    with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        while marks(library) < 2:
            assert process.poll() is None
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=60)
    assert process.returncode == 130, told
    assert "the same command goes on from there" in told
    assert "Traceback" not in told
    done = marks(library)
    assert 2 <= done < len(chosen)
    library.close()
    report = json.loads(run("library", "verify", "--json", "--db", library.name).stdout)
    assert report["resumed"] == done
    # None was proved before, so that each proof is a change, whenever it was made; but for one that the interrupt left
    # stored and not marked, which is proved again.
    again = len(chosen) - report["changed"]
    assert report["proved"] == len(chosen)
    assert again in (0, 1)
    assert len(report["changes"]) == len(chosen) - done - again
