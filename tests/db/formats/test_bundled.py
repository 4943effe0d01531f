"""The traps that come with the program."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from db.formats import bundled
from db.formats.bundled import add_bundled, bundled_non_traps, bundled_prover, bundled_traps
from db.formats.bundled_certificates import CERTIFICATES, check_certificates, read_certificates
from db.library.open import open_library
from db.proof.prover import TrapProver, prove_all
from db.traps.terms import Outcome
from db.traps.trap import Trap
from trapcore.engines.uci_engine import UciEngine
from trapcore.errors import InputError
from trapcore.proof.verdict import Verdict
from trapcore.win_chance import BLUNDER
from workshop.benchmarks.stockfish import STOCKFISH

QUICK = TrapProver(escape_nodes=200_000)


def test_every_bundled_trap_is_one() -> None:
    traps = bundled_traps()
    assert len(traps) >= 400
    assert len({trap.family for trap in traps}) >= 150
    for field in ("slug", "name"):
        assert [value for value, count in Counter(getattr(trap, field) for trap in traps).items() if count > 1] == []
    assert [place for place, count in Counter((trap.epd, trap.bait) for trap in traps).items() if count > 1] == []
    assert all(trap.source == "bundled" and trap.moves is not None for trap in traps)


def test_no_bundled_mate_is_refuted_and_every_line_is_the_shortest(tmp_path: Path) -> None:
    with open_library(tmp_path / "x.sqlite", create=True) as library:
        add_bundled(library, QUICK, jobs=2)
        stored = {trap.slug: trap for trap in library.traps()}
        assert library.counts().proved > 100
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


@pytest.mark.slow
def test_no_famous_line_that_is_no_trap_is_proved() -> None:
    for trap, found in prove_all(bundled_prover(), bundled_non_traps(), jobs=2):
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
    assert loss < BLUNDER


REMADE = "make the certificates anew: python -m db.formats.bundled"


def test_the_certificates_are_current_and_stand() -> None:
    given = [*bundled_traps(), *bundled_non_traps()]
    certificates = read_certificates(bundled_prover())
    assert certificates, REMADE
    checked = check_certificates(given, certificates, bundled_prover())
    without = [trap for trap, found in zip(given, checked, strict=True) if found is None]
    assert [trap.slug for trap in without if trap.slug in certificates] == [], REMADE
    assert certificates.keys() <= {trap.slug for trap in given}, REMADE
    # A mate that is refuted has none.
    assert [trap.slug for trap in without if trap.outcome is not Outcome.MATE or not trap.reason] == [], REMADE
    assert sum(found is not None and found.verdict is Verdict.PROVED for found in checked) >= 400


def test_a_certificate_of_another_search_is_noticed_where_it_is_searched() -> None:
    traps = [trap for trap in bundled_traps() if trap.slug in ("elephant-trap", "berlin-trap")]
    certificates = read_certificates(bundled_prover())
    others = {}
    for trap in traps:
        certificate = certificates[trap.slug]
        assert certificate is not None
        others[trap.slug] = replace(certificate, gain=certificate.gain + 1)
    assert check_certificates(traps, others, bundled_prover(), jobs=2) == [None, None]
    first, second = check_certificates(traps, others, bundled_prover(), search_each=2)
    assert first is None
    assert second is not None
    assert second.verdict is Verdict.PROVED


def test_certificates_that_do_not_fit_lead_to_the_search(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    some = [trap for trap in bundled_traps() if trap.slug in ("legal-mate", "elephant-trap", "berlin-trap")]
    monkeypatch.setattr(bundled, "bundled_traps", lambda: some)
    monkeypatch.setattr(bundled, "bundled_non_traps", list)
    searched: list[str] = []
    prove = TrapProver.prove_checked

    def proving(self: TrapProver, trap: Trap) -> Trap:
        searched.append(trap.slug)
        return prove(self, trap)

    monkeypatch.setattr(TrapProver, "prove_checked", proving)
    text = CERTIFICATES.read_text("utf-8")

    def made(certificates: str) -> tuple[list[str], list[str], str]:
        searched.clear()
        path = tmp_path / "c.json"
        path.write_text(certificates, encoding="utf-8")
        monkeypatch.setattr(bundled, "read_certificates", lambda prover: read_certificates(prover, path))
        told: list[str] = []
        library = tmp_path / f"{len(list(tmp_path.iterdir()))}.sqlite"
        with open_library(library, create=True) as opened:
            add_bundled(opened, bundled_prover(), log=told.append)
            return sorted(searched), told, opened.digest()

    trusted, silent, expected = made(text)
    assert (trusted, silent) == ([], [])
    tree = text.index('"tree": "', text.index('"legal-mate"'))
    for changed, proved in (
        (text.replace("trapline-search-", "trapline-search-12"), ["berlin-trap", "elephant-trap", "legal-mate"]),
        (text[: tree + 9] + "d" + text[tree + 10 :], ["legal-mate"]),
        (text.replace('"elephant-trap": {', '"elephant-trap": {"more": 1, '), ["elephant-trap"]),
    ):
        assert changed != text
        assert made(changed)[0] == proved
        assert made(changed)[1] == [
            f"{len(proved)} of the bundled traps have no certificate that fits this program; proving them takes a while"
        ]
        assert made(changed)[2] == expected


@pytest.mark.parametrize("text", ["", "[]", '{"means": 1}', '{"means": "x", "certificates": 2}'])
def test_a_file_that_is_none_of_certificates_is_an_error(tmp_path: Path, text: str) -> None:
    (tmp_path / "c.json").write_text(text)
    with pytest.raises(InputError, match="no file of certificates"):
        read_certificates(bundled_prover(), tmp_path / "c.json")
