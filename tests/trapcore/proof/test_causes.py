"""Causes of losing moves, as Python asks for them."""

from trapcore.proof.causes import CAUSES, Explanation, Mistake, explain

LEAVES = Mistake("1r5k/p1p3pp/3p2n1/3B4/1q2NP2/7b/PPPQ1P2/2KR4 w - - 5 25", "d5b3", ("b4e4", "d2c3"))
FORK = Mistake("5b1r/pQpkpppp/n7/1N6/4nq2/4B3/P1PK2PP/6NR w - - 4 16", "d2d3", ("e4c5", "d3d2", "f4b4", "b5c3", "c5b7"))


def fields(found: Explanation) -> list[object]:
    causes = [(cause.name, cause.squares) for cause in found.causes]
    return [causes, found.mechanism, found.place]


def test_causes_have_squares_and_the_killer_line_has_a_mechanism_and_a_place() -> None:
    leaves, fork = explain([LEAVES, FORK])
    assert fields(leaves)[0] == [("leaves", ["e4", "d5"]), ("square", ["e4", "d5"])]
    assert fields(fork) == [
        [("fork", ["c5", "d3", "b7"])], "fork:N:KQ", "fork:N@c5,Kd3",
    ]  # fmt: skip
    assert {cause.name for found in (leaves, fork) for cause in found.causes} <= set(CAUSES)


def test_answers_come_in_order_and_do_not_depend_on_each_other() -> None:
    alone = [fields(explain([each])[0]) for each in (LEAVES, FORK)]
    assert [fields(each) for each in explain([LEAVES, FORK, LEAVES])] == [*alone, alone[0]]
    assert explain([]) == []
