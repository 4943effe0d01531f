"""The traps that come with the program."""

from collections import Counter
from pathlib import Path

import pytest

from db.formats.bundled import add_bundled, bundled_non_traps, bundled_traps, open_or_bundle
from db.library.open import open_library
from db.proof.prover import SEARCH_NODES, TrapProver, prove_all
from db.proof.uci_engine import UciEngine
from db.traps.terms import Outcome
from research.benchmarks.stockfish import STOCKFISH
from trapcore.errors import LibraryError
from trapcore.proof.trap_test import LOSS
from trapcore.proof.verdict import Verdict

QUICK = TrapProver(escape_nodes=200_000)


def test_every_bundled_trap_is_one() -> None:
    traps = bundled_traps()
    assert len(traps) > 90
    for field in ("slug", "name"):
        assert [value for value, count in Counter(getattr(trap, field) for trap in traps).items() if count > 1] == []
    assert [place for place, count in Counter((trap.epd, trap.bait) for trap in traps).items() if count > 1] == []
    assert all(trap.source == "bundled" and trap.moves is not None for trap in traps)


def test_no_bundled_mate_is_refuted_and_every_line_is_the_shortest(tmp_path: Path) -> None:
    with open_library(tmp_path / "x.sqlite", create=True) as library:
        add_bundled(library, QUICK, jobs=2)
        stored = {trap.slug: trap for trap in library.traps()}
        assert library.counts().proved > 50
        before = library.digest()
        add_bundled(library, QUICK, jobs=2)
        assert library.digest() == before
    for trap in bundled_non_traps():
        assert stored[trap.slug].reason == trap.reason
        assert stored[trap.slug].verdict is not Verdict.PROVED
    for trap in bundled_traps():
        found = stored[trap.slug]
        if trap.outcome is Outcome.MATE:
            assert found.verdict is not Verdict.REFUTED, trap.slug
            assert found.killer_line == trap.killer_line, trap.slug
        else:
            assert found == trap


def test_famous_lines_that_are_no_traps_have_a_reason_and_a_place_of_their_own() -> None:
    lines = bundled_non_traps()
    assert len(lines) >= 15
    assert all(trap.reason and trap.source not in ("", "bundled") for trap in lines)
    assert {trap.slug for trap in lines} & {trap.slug for trap in bundled_traps()} == set()
    assert {(trap.epd, trap.bait) for trap in lines} & {(trap.epd, trap.bait) for trap in bundled_traps()} == set()


@pytest.mark.slow
def test_no_famous_line_that_is_no_trap_is_proved() -> None:
    for trap, found in prove_all(TrapProver(search_nodes=SEARCH_NODES), bundled_non_traps(), jobs=2):
        assert not isinstance(found, Exception)
        assert found.verdict is not Verdict.PROVED, trap.slug
        assert found.line == trap.line, trap.slug
        # Where our means do not confirm the reason, nothing is refuted.
        assert found.verdict in (found.opinions[0].verdict, Verdict.UNDECIDED)


@pytest.mark.skipif(STOCKFISH is None, reason="there is no Stockfish here")
@pytest.mark.parametrize(
    "slug", ["fried-liver-5-nxd5", "monticelli-trap-9-nxc3", "englund-gambit-4-bf4", "petrov-3-nxe4"]
)
def test_stockfish_sees_no_trap_either(slug: str) -> None:
    (trap,) = (trap for trap in bundled_non_traps() if trap.slug == slug)
    before, after = trap.board(), trap.board()
    after.push_uci(trap.bait)
    assert STOCKFISH is not None
    with UciEngine(STOCKFISH) as engine:
        loss = engine.evaluate(before, 100_000).chance + engine.evaluate(after, 100_000).chance
    assert loss < LOSS


def test_only_the_default_library_is_made_by_reading(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    with pytest.raises(LibraryError, match="there is no trap library"):
        open_or_bundle(tmp_path / "named.sqlite", tmp_path / "default.sqlite", read_only=True, log=said.append)
    default = tmp_path / "folder" / "default.sqlite"
    monkeypatch.setattr(
        "db.formats.bundled.bundled_traps", lambda: bundled_traps()[:4]
    )  # all of them take half a minute
    monkeypatch.setattr("db.formats.bundled.bundled_non_traps", lambda: bundled_non_traps()[:1])
    with open_or_bundle(None, default, read_only=True, log=said.append) as library:
        assert library.counts().traps == 5
    assert len(said) == 2
    with open_or_bundle(None, default, read_only=True, log=said.append) as library:
        assert library.counts().traps == 5
    assert len(said) == 2
    (tmp_path / "file").touch()
    with pytest.raises(LibraryError, match="cannot be made"):
        open_or_bundle(None, tmp_path / "file" / "default.sqlite", read_only=True, log=said.append)
