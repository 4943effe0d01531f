"""What a library learns from its traps: kept with it, the same whatever the order, and never of another vocabulary."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from sqlalchemy import update

from db.formats.bundled import bundled_traps
from db.library.library import Library
from db.library.open import open_library
from db.similarity.annotator_index import weights_in_use
from db.similarity.train import HITS, fit_library
from db.storage.models import TrapRow, WeightsRow
from db.traps.trap import Trap
from tests.conftest import NewLibrary
from tests.support.command_line import CommandLine
from trapcore.errors import LibraryError
from trapcore.proof.verdict import Verdict
from trapcore.ranking.weights import VOCABULARY_VERSION, shipped_weights
from trapline.commands.library import library as commands

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


def test_traps_that_are_none_teach_nothing(make: Make, traps: list[Trap]) -> None:
    refuted, known, *rest = traps[:12]
    path = make([refuted, replace(known, reason="it is known as none"), *rest])
    with open_library(path) as library, library.database.write() as connection:
        wrong = {"verdict": Verdict.REFUTED.value, "proof_by": "a test"}
        connection.execute(update(TrapRow).where(TrapRow.slug == refuted.slug).values(wrong))
    with open_library(path) as library:
        assert fit_library(library).weights.traps == len(rest)


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


def test_a_library_without_traps_teaches_nothing(make: Make) -> None:
    path = make([])
    with open_library(path) as library, pytest.raises(LibraryError, match=r"no traps to learn from.*library import"):
        fit_library(library)


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


def test_the_command_tells_what_was_learned(make: Make, traps: list[Trap]) -> None:
    line = CommandLine(commands)
    path = make(traps[:12])
    answer = line.answer("train", "--db", str(path))
    assert answer["traps"] == 12
    assert answer["vocabulary"] == VOCABULARY_VERSION
    assert answer["held_out"] is None
    assert answer["ordinary_moves"] > 1000
    with open_library(path, read_only=True) as library:
        stored = library.weights()
    assert stored is not None
    assert answer["tokens"] == {"seen": stored.seen.size, "answered": stored.answered.size}
    assert "learned from 12 traps" in line.run("train", "--db", str(path))
    assert "no traps to learn from" in str(line.refusal("train", "--db", str(make([]))))


def test_a_library_can_learn_what_it_is_asked(make: Make, traps: list[Trap]) -> None:
    def hits(library: Library) -> int:
        weights, _ = weights_in_use(library)
        found = [weights.rank_moves(trap.epd, trap.bait, top=1)[0].uci == trap.killer_line[0] for trap in traps]
        return sum(found)

    with open_library(make(traps)) as library:
        fit_library(library)
        assert hits(library) >= 0.9 * len(traps)
