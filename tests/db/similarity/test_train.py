"""What a library learns from its traps: kept with it, the same whatever the order, and never of another vocabulary."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from sqlalchemy import update

from db.formats.bundled import bundled_traps
from db.library.open import open_library
from db.similarity.annotator_index import weights_in_use
from db.similarity.train import HITS, fit_library
from db.storage.tables import WeightsRow
from db.traps.trap import Trap
from tests.conftest import NewLibrary
from trapcore.errors import LibraryError
from trapcore.ranking.weights import VOCABULARY_VERSION, shipped_weights

Make = Callable[..., str]


@pytest.fixture(scope="module")
def traps() -> list[Trap]:
    """Bundled ones, as if each were from a game of its own."""
    return [
        replace(trap, source=f"https://lichess.org/game{number}#20")
        for number, trap in enumerate(bundled_traps()[:40])
        if not trap.reason
    ]


@pytest.fixture
def make(new_library: NewLibrary) -> Make:
    """A library with these traps."""

    def made(traps: list[Trap]) -> str:
        path = new_library()
        with open_library(path, create=True) as library:
            library.add_all(traps)
        return path

    return made


def test_the_order_in_which_traps_came_changes_nothing(make: Make, traps: list[Trap]) -> None:
    found = []
    for order in (traps, traps[::-1]):
        with open_library(make(order)) as library:
            fitted = fit_library(library)
            found.append((fitted.weights.to_bytes(), fitted.held_out))
            stored = library.weights()
            assert stored is not None
            assert stored.to_bytes() == fitted.weights.to_bytes()
            assert weights_in_use(library) == (stored, "library")
    assert found[0] == found[1]
    assert fitted.weights.traps == len(traps)
    assert fitted.held_out is None  # of so few nothing is told


def test_what_is_held_out_is_told_as_such_and_one_game_stays_together(make: Make, traps: list[Trap]) -> None:
    one = [replace(trap, source=f"https://lichess.org/abc#{number}") for number, trap in enumerate(traps)]
    with open_library(make(one)) as library:
        assert fit_library(library).held_out is None  # nothing would be left to learn from
    two = [
        replace(trap, source=f"https://lichess.org/{number % 2}/black#{number}") for number, trap in enumerate(traps)
    ]
    with open_library(make(two)) as library:
        fitted = fit_library(library)
    assert fitted.weights.traps == len(traps)
    held = fitted.held_out
    assert held is not None
    assert held.traps in (len(traps) // 2, -(-len(traps) // 2))
    first, third, fifth = held.hits
    assert 0 < first <= third <= fifth <= 1
    told = fitted.to_dict()["held_out"]
    assert told == {
        "learned_from": len(traps) - held.traps,
        "traps": held.traps,
        **{f"hit@{k}": round(hit, 4) for k, hit in zip(HITS, held.hits, strict=True)},
    }


def test_without_weights_the_shipped_ones_are_used(make: Make) -> None:
    with open_library(make([]), read_only=True) as library:
        assert library.weights() is None
        assert weights_in_use(library) == (shipped_weights(), "shipped")


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"vocabulary": VOCABULARY_VERSION + 1}, f"version {VOCABULARY_VERSION + 1} of the vocabulary"),
        ({"data": b"no weights"}, "are damaged"),
    ],
)
def test_weights_that_cannot_be_used_name_the_command_that_learns_them_again(
    make: Make, change: dict[str, object], says: str
) -> None:
    path = make([])
    with open_library(path) as library:
        library.set_weights(shipped_weights())
        library.set_weights(shipped_weights())  # in place of the first ones
        assert library.weights() == shipped_weights()
        with library.database.write() as connection:
            assert connection.execute(update(WeightsRow).values(change)).rowcount == 1
    with open_library(path, read_only=True) as library:
        for ask in (library.weights, lambda: weights_in_use(library)):
            with pytest.raises(LibraryError, match=says) as caught:
                ask()
            assert f"`trapline library train --db {path}`" in str(caught.value)
