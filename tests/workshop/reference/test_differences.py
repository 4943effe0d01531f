"""The token sets of mistakes: the core against the definition, and what they say of known positions."""

from array import array
from itertools import islice

import pytest

from tests.support.public_data import PUZZLES, needs
from trapcore import _native
from trapcore.errors import PositionError
from trapcore.ranking.token_fields import FIELD_BITS, KINDS
from workshop.benchmarks.material import puzzle_rows
from workshop.reference.differences import ADDED_KINDS, LABEL, difference_tokens
from workshop.reference.tokens import killer_tokens

FORK = "r3k3/8/8/1b1N4/8/8/8/4K3 b q - 0 1"
LINE = ["b5a4", "d5c7", "e8d7", "c7a8"]


def core(fen: str, line: list[str], labels: list[tuple[str, int]]) -> set[int]:
    (packed,) = _native.difference_token_sets([(fen, " ".join(line), labels)])
    tokens = array("I", packed)
    assert list(tokens) == sorted(set(tokens))
    return set(tokens)


@pytest.mark.parametrize(
    ("fen", "line"),
    [
        (FORK, LINE),
        ("r3k3/8/8/b2N4/8/8/8/7K b q - 0 1", ["a5e1", "d5c7", "e8d7", "c7a8"]),
        ("r2qkbnr/ppp2ppp/2np4/4p3/2B1P1b1/2N2N2/PPPP1PPP/R1BQK2R w KQkq - 0 5", ["h2h3", "g4f3", "d1f3"]),
        ("r1bqkbnr/pppp1ppp/2n5/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR b KQkq - 3 3", ["g8f6", "h5f7"]),
        ("8/7p/8/pPk2p2/5P2/3KP2P/8/8 w - - 0 36", ["b5b6", "c5b6", "e3e4", "f5e4"]),  # the moved piece is taken
    ],
)
def test_core_has_the_tokens_of_the_definition(fen: str, line: list[str]) -> None:
    labels = [("mechanism fork:N:KR", 8), ("cause threat", 4)]
    assert core(fen, line, labels) == difference_tokens(fen, line, labels)


@pytest.mark.slow
@needs(PUZZLES)
def test_core_has_the_tokens_of_the_definition_on_real_puzzles() -> None:
    for row in islice(puzzle_rows(), 0, 6_000, 150):
        line = row["Moves"].split()
        assert core(row["FEN"], line, []) == difference_tokens(row["FEN"], line), row["PuzzleId"]


def kinds(tokens: set[int]) -> list[int]:
    return sorted(token >> FIELD_BITS for token in tokens)


def test_threat_that_was_there_adds_only_what_the_move_changed() -> None:
    added = [kind for kind in kinds(core(FORK, LINE, [])) if len(KINDS) <= kind < _native.TAKEN_KIND]
    # The relation to the move, and that the bishop on b5 is no target any more.
    assert [ADDED_KINDS[kind - len(KINDS)] for kind in added] == ["bait", "targets"]


def test_guard_that_leaves_is_taken() -> None:
    found = core("r3k3/8/8/b2N4/8/8/8/7K b q - 0 1", ["a5e1", "d5c7", "e8d7", "c7a8"], [])
    taken = [token & 0xFF for token in found if token >> FIELD_BITS == _native.TAKEN_KIND]
    assert taken == [3]  # a bishop, of the killer's target


def test_labels_weigh_by_their_copies() -> None:
    without, labelled = core(FORK, LINE, []), core(FORK, LINE, [("place fork:N@c7,Ke8", 8)])
    assert len(labelled) == len(without) + 8
    assert {token >> FIELD_BITS for token in labelled - without} == {LABEL}


def test_added_tokens_are_of_kinds_of_their_own() -> None:
    tokens = killer_tokens(FORK, LINE[0], LINE[1:])
    added = [_native.added_token(token) for token in tokens]
    assert all(token is not None and len(KINDS) <= token >> FIELD_BITS < _native.TAKEN_KIND for token in added)
    assert len(set(added)) == len(tokens)


def test_line_that_cannot_be_played_is_refused() -> None:
    with pytest.raises(PositionError):
        _native.difference_token_sets([(FORK, "b5b1 d5c7", [])])
