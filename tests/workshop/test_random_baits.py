"""Proved baits of random positions, held against a reference engine."""

from trapcore.parallel.budget import Budget
from trapcore.proof.trap_test import check_bait
from workshop.experiments.random_baits import Proved, report
from workshop.report import markdown

LEGAL = "r2qkbnr/ppp2ppp/2np4/4N3/2B1P1b1/2N5/PPPP1PPP/R1BQK2R b KQkq - 0 5"


def test_what_the_reference_denies_is_listed_and_no_part_of_the_share() -> None:
    test = check_bait(LEGAL, "g4d1", (), Budget(nodes=20_000))
    assert test.is_trap
    text = markdown(
        report([Proved(LEGAL, test, 1.2), Proved(LEGAL, test, 0.25), Proved(LEGAL, test, 0.1)], 9, "engine")
    )
    assert "9 positions of games; the reference is engine." in text
    row = next(line for line in text.splitlines() if line.startswith("| all"))
    assert "(2 of 3;" in row
    assert "(1 of 3;" in row
    assert text.count(f"`{LEGAL}` g4d1") == 1
    assert "c4f7 e8e7" in text
