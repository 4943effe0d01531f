"""Trees of forced mates: a walk meets every defence, and nothing that is missing, wrong or too much is passed over."""

import pytest

from db.formats.bundled import bundled_traps
from tests.support.db_traps import LEGAL_FEN
from trapcore.errors import InputError
from trapcore.proof.mate_tree import mate_tree, replay_tree

LEGAL = ("c4f7", "e8e7", "c3d5")


def test_a_tree_has_a_move_for_each_position_and_is_replayed() -> None:
    tree = mate_tree(LEGAL_FEN, "g4d1", LEGAL)
    assert tree == ("c4f7", "c3d5")
    replay_tree(LEGAL_FEN, "g4d1", LEGAL, tree)


def test_every_defence_is_walked() -> None:
    (trap,) = (trap for trap in bundled_traps() if trap.slug == "fishing-pole-7-ne1")
    tree = mate_tree(trap.epd, trap.bait, trap.killer_line)
    assert len(tree) > 50
    replay_tree(trap.epd, trap.bait, trap.killer_line, tree)
    for left_out in range(0, len(tree), 7):
        with pytest.raises(InputError):
            replay_tree(trap.epd, trap.bait, trap.killer_line, tree[:left_out] + tree[left_out + 1 :])


@pytest.mark.parametrize(
    ("line", "tree", "told"),
    [
        (LEGAL, ("c4f7",), "ends before"),
        (LEGAL, ("c4f7", "c3d5", "c3d5"), "goes on with c3d5"),
        (LEGAL, ("c4f7", "c3b5"), "c3b5 in place of c3d5"),
        (LEGAL, ("c4f7", "c3d6"), "in place of"),
        (("c4f7", "e8e7", "c3b5"), ("c4f7", "c3b5"), "no mate in time"),
        (("c4f7",), ("c4f7",), "no mate in time"),
        (("d2d3", "d6e5", "c4f7"), ("d2d3", "c4f7", "c4f7"), "in place of|ends|no mate"),
        (("c4f7", "e8d8", "c3d5"), ("c4f7", "c3d5"), "no mate in time"),
        (("c4f7", "e8e7", "c3d6"), ("c4f7", "c3d6"), "no legal move"),
        (("c4f7", "e8e7", "0000"), ("c4f7", "0000"), "no legal move"),
        ((), (), "ends before"),
    ],
)
def test_what_does_not_mate_against_every_defence_is_refused(
    line: tuple[str, ...], tree: tuple[str, ...], told: str
) -> None:
    with pytest.raises(InputError, match=told):
        replay_tree(LEGAL_FEN, "g4d1", line, tree)


def test_no_tree_is_made_of_a_line_that_is_not_forced() -> None:
    # A line that a helpful defender plays: the mate at its end is no forced one.
    with pytest.raises(InputError, match="no mate in 1 is proved"):
        mate_tree("rnbqkbnr/pppp1ppp/8/4p2Q/4P3/8/PPPP1PPP/RNB1KBNR b KQkq - 1 2", "b8c6", ("f1c4", "a7a6", "h5f7"))
