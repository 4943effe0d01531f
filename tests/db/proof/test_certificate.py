"""Certificates: what they show is what proving shows, and one that was changed anywhere shows nothing."""

import json
from collections.abc import Callable
from dataclasses import replace

import pytest

from db.proof.certificate import Certificate, certify, check_certificate
from db.proof.prover import TrapProver
from db.traps.trap import Trap
from tests.support.db_traps import elephant, legal
from trapcore.errors import InputError
from trapcore.proof.verdict import Verdict

PROVER = TrapProver(search_nodes=20_000, profile_nodes=5_000)


def certificate_of(trap: Trap) -> Certificate:
    made = certify(trap, PROVER)
    assert made is not None
    return made


@pytest.fixture(scope="module")
def of_legal() -> Certificate:
    return certificate_of(legal())


@pytest.fixture(scope="module")
def of_elephant() -> Certificate:
    return certificate_of(elephant())


def test_a_mate_and_a_gain_are_what_proving_makes_of_them(of_legal: Certificate, of_elephant: Certificate) -> None:
    for trap, certificate in ((legal(), of_legal), (elephant(), of_elephant)):
        assert check_certificate(trap, certificate, PROVER) == PROVER.prove(trap)
        assert check_certificate(trap, certificate, PROVER).verdict is Verdict.PROVED
        assert Certificate.from_dict(json.loads(json.dumps(certificate.to_dict()))) == certificate


@pytest.mark.parametrize(
    "change",
    [
        {"bait": "d8d1"},
        {"tree": "c4f7"},
        {"tree": "c4f7 c3b5"},
        {"tree": ""},
        {"found": "c4f7"},
        {"found": "c4f7 e8e7 c3b5"},
        {"safe": "g4d1"},
        {"safe": "e8e6"},
        {"rank": 2},
        {"gain": 645},
    ],
    ids=str,
)
def test_a_mate_with_another_figure_or_move_is_refused(of_legal: Certificate, change: dict[str, object]) -> None:
    with pytest.raises(InputError):
        check_certificate(legal(), replace(of_legal, **change), PROVER)  # type: ignore[arg-type]


def _at(depth: int, places: tuple[int, int]) -> Callable[[Certificate], Certificate]:
    def change(certificate: Certificate) -> Certificate:
        rows = tuple(
            (row[0], row[1] + places[0], row[2] + places[1]) if row[0] == depth else row for row in certificate.depths
        )
        return replace(certificate, depths=rows)

    return change


@pytest.mark.parametrize(
    "change",
    [
        lambda certificate: replace(certificate, found="d8d1 " + certificate.found),
        lambda certificate: replace(certificate, best="c3d5"),
        lambda certificate: replace(certificate, best="a1a5"),
        lambda certificate: replace(certificate, line="h7h6"),
        lambda certificate: replace(certificate, is_known_as_none=True),
        lambda certificate: replace(certificate, tree="f6d5"),
        lambda certificate: replace(certificate, rank=certificate.rank + 1),
        _at(4, (1, 0)),
        _at(4, (0, -1)),
    ],
)
def test_a_gain_with_another_figure_or_move_is_refused(
    of_elephant: Certificate, change: Callable[[Certificate], Certificate]
) -> None:
    assert 4 in [depth for depth, _, _ in of_elephant.depths]
    with pytest.raises(InputError):
        check_certificate(elephant(), change(of_elephant), PROVER)


def test_the_verdict_of_a_gain_is_what_its_figures_say(of_elephant: Certificate) -> None:
    last = of_elephant.depths[-1][0]
    assert last > 4
    without_loss = _at(last, (1000, 0))(of_elephant)
    assert check_certificate(elephant(), without_loss, PROVER).verdict is Verdict.UNDECIDED


def test_any_changed_byte_is_noticed(of_elephant: Certificate) -> None:
    text = json.dumps(of_elephant.to_dict())
    for place in range(0, len(text), 11):
        other = text[:place] + chr(ord(text[place]) ^ 1) + text[place + 1 :]
        try:
            fields = json.loads(other)
        except ValueError:
            continue
        with pytest.raises(InputError):
            Certificate.from_dict(fields)
    with pytest.raises(InputError, match="no certificate"):
        Certificate.from_dict({"digest": of_elephant.digest})
