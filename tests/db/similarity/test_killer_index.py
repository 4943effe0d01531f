"""The nearest known traps of a killer: what their likeness is, and that the index is always that of the library."""

import math
import os
import random
import shutil
import stat
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from db.formats.bundled import bundled_traps
from db.library.library import Library
from db.library.open import open_library
from db.similarity.killer_index import NET_FACTOR, check_killer_index, open_killer_index
from db.traps.terms import Outcome
from db.traps.trap import Trap
from tests.conftest import NewLibrary
from tests.support.db_traps import LEGAL_FEN, MIRRORED_LEGAL_FEN, legal
from trapcore import _native
from trapcore.errors import UsageError
from trapcore.proof.verdict import Verdict
from trapcore.ranking.weights import Weights, shipped_weights

#: Légal's mate, after the bait.
LEGAL_LINE = ["c4f7", "e8e7", "c3d5"]


@pytest.fixture(scope="module")
def weights() -> Weights:
    return shipped_weights()


@pytest.fixture(scope="module")
def bundled() -> list[Trap]:
    """All bundled ones but Légal's mate, of which some end in mate."""
    return [trap for trap in bundled_traps() if not trap.reason and trap.epd != legal().epd]


@pytest.fixture(scope="module")
def traps(bundled: list[Trap]) -> list[Trap]:
    """Thirty of them."""
    return bundled[:30]


@pytest.fixture
def library(new_library: NewLibrary, traps: list[Trap]) -> Iterator[Library]:
    with open_library(new_library(), create=True) as opened:
        opened.add_all([*traps, legal()])
        yield opened


def bag_of(trap: Trap) -> list[int]:
    return _native.killer_tokens(trap.epd, trap.bait, list(trap.killer_line))


def slugs(library: Library, weights: Weights) -> set[str]:
    """All traps of the index."""
    with open_killer_index(library, weights) as killer_index:
        bags = [bag_of(trap) for trap in library.traps()]
        return {known.slug for hits in killer_index.nearest(bags, 1000) for known, _ in hits if hits}


def test_the_nearest_of_a_known_trap_is_itself_in_either_colour(library: Library, weights: Weights) -> None:
    mirrored = ["c5f2", "e1e2", "c6d4"]
    with open_killer_index(library, weights) as killer_index:
        assert len(killer_index) == len(library.traps())
        for fen, bait, line in ((LEGAL_FEN, "g4d1", LEGAL_LINE), (MIRRORED_LEGAL_FEN, "g5d8", mirrored)):
            ((known, similarity),) = killer_index.nearest([_native.killer_tokens(fen, bait, line)], 1)[0]
            assert (known.slug, similarity) == ("legals-mate", 1.0)
            assert (known.name, known.family, known.epd) == ("Légal's mate", "legal", legal().epd)
            assert (known.bait, known.killer_line) == ("g4d1", tuple(LEGAL_LINE))
        assert killer_index.nearest([], 3) == []
        assert killer_index.nearest([[]], 3) == [[]]
        with pytest.raises(UsageError, match="k must be at least 1"):
            killer_index.nearest([[1]], 0)


def test_the_likeness_is_that_of_the_definition(library: Library, weights: Weights) -> None:
    traps = library.traps()
    bags = {trap.slug: set(bag_of(trap)) for trap in traps}
    stages = [stage for _, stage, _ in _native.token_kinds()]
    nets = [{token for token in bag if stages[token >> 27] == "proved"} for bag in bags.values()]
    mates = sum(1 for net in nets if net)
    assert mates >= 3
    weight = weights.idf.as_dict()
    for token, count in Counter(token for net in nets for token in net).items():
        weight[token] = NET_FACTOR * math.log(mates / count)
    default = max(weight.values())

    def heavy(tokens: set[int]) -> float:
        return sum(weight.get(token, default) for token in tokens)

    with open_killer_index(library, weights) as killer_index:
        found = killer_index.nearest([sorted(bag) for bag in bags.values()], len(traps))
        for token in set().union(*bags.values()):
            assert killer_index.weight(token) == pytest.approx(weight.get(token, default), abs=1e-5)
    for one, hits in zip(bags.values(), found, strict=True):
        assert hits == sorted(hits, key=lambda hit: -hit[1])
        for known, similarity in hits:
            other = bags[known.slug]
            assert similarity == pytest.approx(heavy(one & other) / heavy(one | other), abs=1e-5)


def test_it_is_built_once_and_follows_the_library(
    library: Library, weights: Weights, bundled: list[Trap], traps: list[Trap]
) -> None:
    said: list[str] = []
    with open_killer_index(library, weights, said.append) as killer_index:
        first = killer_index.path
    root = first.parents[1]
    assert [path.name for path in root.iterdir()] == [first.parent.name]
    assert said.pop() == f"indexing the {len(traps) + 1} traps of {library.name}, once"
    with open_killer_index(library, weights, said.append) as killer_index:
        assert killer_index.path == first
    assert said == []

    # Another killer line of a known trap, then a refutation, then a new trap.
    changed = replace(legal(), killer_line=("c4f7",), outcome=Outcome.MATERIAL)
    library.add(changed, replace=True)
    before = _native.killer_tokens(LEGAL_FEN, "g4d1", LEGAL_LINE)
    with open_killer_index(library, weights, said.append) as killer_index:
        assert killer_index.path != first
        found = killer_index.nearest([before, bag_of(changed)], 100)
        mate, move = ({known.slug: similarity for known, similarity in hits}["legals-mate"] for hits in found)
        assert 0 < mate < move == 1.0  # no mate any more
    assert len([path for path in root.iterdir() if path.is_dir()]) == 1
    refuted = replace(traps[0], verdict=Verdict.REFUTED, proof_by="a test")
    library.add(refuted, replace=True)
    assert slugs(library, weights) == {trap.slug for trap in library.traps()} - {refuted.slug}
    library.add(bundled[30])
    assert slugs(library, weights) == {trap.slug for trap in library.traps()} - {refuted.slug}
    library.remove(bundled[30].slug)
    assert slugs(library, weights) == {trap.slug for trap in library.traps()} - {refuted.slug}
    assert check_killer_index(library, weights) == f"{len(traps)} traps, as the library has them"


@pytest.mark.parametrize("harm", ["manifest", "segment-1"])
def test_a_damaged_index_is_built_anew(library: Library, weights: Weights, harm: str) -> None:
    with open_killer_index(library, weights) as killer_index:
        path = killer_index.path
    data = bytearray((path / harm).read_bytes())
    data[len(data) // 2] ^= 1
    (path / harm).write_bytes(data)
    with open_killer_index(library, weights) as killer_index:
        assert killer_index.path == path
        assert len(killer_index) == len(library.traps())
        assert killer_index.nearest([bag_of(legal())], 1)[0][0][1] == 1.0


@pytest.mark.parametrize("seed", range(2))
def test_whatever_byte_of_it_is_changed_the_next_state_is_right(
    library: Library, weights: Weights, bundled: list[Trap], seed: int
) -> None:
    """A state is made of the one before it; if that is damaged in any of its files, of the library."""
    with open_killer_index(library, weights) as killer_index:
        folder = killer_index.path.parent
    dice = random.Random(seed)
    for path in sorted(path for path in folder.rglob("*") if path.is_file() and path.stat().st_size):
        data = bytearray(path.read_bytes())
        data[dice.randrange(len(data))] ^= 1 << dice.randrange(8)
        path.write_bytes(data)
    library.add(bundled[40 + seed])
    assert slugs(library, weights) == {trap.slug for trap in library.traps()}


def test_many_may_build_and_open_it_at_once(library: Library, weights: Weights) -> None:
    with open_killer_index(library, weights) as killer_index:
        root = killer_index.path.parents[1]

    def ask(_: int) -> str:
        with open_library(library.name, read_only=True) as own, open_killer_index(own, weights) as killer_index:
            return killer_index.nearest([bag_of(legal())], 1)[0][0][0].slug

    for _ in range(3):
        shutil.rmtree(root)
        with ThreadPoolExecutor(6) as pool:
            assert set(pool.map(ask, range(12))) == {"legals-mate"}
        (state,) = root.iterdir()
        assert not state.name.startswith(".")


def test_a_program_that_is_killed_while_it_builds_leaves_the_old_index(
    library: Library, weights: Weights, bundled: list[Trap]
) -> None:
    with open_killer_index(library, weights) as killer_index:
        old = killer_index.path
    library.add_all(bundled[30:60])  # so many that all is built anew
    code = (
        "import os, sys\n"
        "from db.library.open import open_library\n"
        "from db.similarity.killer_index import open_killer_index\n"
        "from trapcore import _native\n"
        "from trapcore.ranking.weights import shipped_weights\n"
        "built = _native.build_token_index\n"
        "def killed(*given, **named):\n"
        "    built(*given, **named)\n"
        "    os.kill(os.getpid(), 9)\n"
        "_native.build_token_index = killed\n"
        "with open_library(sys.argv[1], read_only=True) as library:\n"
        "    open_killer_index(library, shipped_weights())\n"
    )
    done = subprocess.run([sys.executable, "-c", code, library.name], check=False, capture_output=True)
    assert done.returncode == -9, done.stderr
    root = old.parents[1]
    assert sorted(path.name.startswith(".building-") for path in root.iterdir()) == [False, True]
    assert len(_native.TokenIndex(old, vocabulary=_native.VOCABULARY_VERSION)) == 31
    assert slugs(library, weights) == {trap.slug for trap in library.traps()}


@pytest.mark.parametrize("endless", ["device", "pipe"])
@pytest.mark.parametrize("name", ["built", "index/manifest", "index/segment-1"])
def test_what_has_no_end_in_the_place_of_a_file_is_not_read(
    library: Library, weights: Weights, bundled: list[Trap], name: str, endless: str
) -> None:
    """Neither of this state's index nor of the one before, of which the next is made."""
    for trap in (None, bundled[40]):
        with open_killer_index(library, weights) as killer_index:
            path = killer_index.path.parent / name
        path.unlink()
        if endless == "pipe":
            os.mkfifo(path)
        else:
            path.symlink_to("/dev/zero")
        if trap is not None:
            library.add(trap)
        assert slugs(library, weights) == {trap.slug for trap in library.traps()}


def test_a_link_in_an_index_is_not_written_through(
    library: Library, weights: Weights, bundled: list[Trap], tmp_path: Path
) -> None:
    others = tmp_path / "others"
    others.write_text("years of work")
    with open_killer_index(library, weights) as killer_index:
        for name in ("segment-2.part", "segment-2", "manifest.part", "segment-9"):
            (killer_index.path / name).symlink_to(others)
    library.add(bundled[40])
    assert slugs(library, weights) == {trap.slug for trap in library.traps()}
    assert others.read_text() == "years of work"


@pytest.mark.parametrize("new_library", ["sqlite"], indirect=True)
@pytest.mark.parametrize("umask", [0, 0o777])
@pytest.mark.parametrize(("mode", "wanted"), [(0o600, 0o700), (0o640, 0o750), (0o644, 0o755)])
def test_who_may_read_the_library_may_read_its_index_whatever_the_umask_is(
    library: Library, weights: Weights, mode: int, wanted: int, umask: int
) -> None:
    path = Path(library.name)
    path.chmod(mode)
    before = os.umask(umask)
    try:
        open_killer_index(library, weights).close()
    finally:
        os.umask(before)
    root = Path(f"{path}.bags")
    folders = [root, *root.iterdir()]
    assert [stat.S_IMODE(folder.stat().st_mode) for folder in folders] == [wanted] * 2
    path.chmod(0o600)
    open_killer_index(library, weights).close()
    assert stat.S_IMODE(root.stat().st_mode) == 0o700, "the library was closed to others"


@pytest.mark.parametrize("new_library", ["sqlite"], indirect=True)
def test_a_link_in_the_place_of_the_index_changes_no_permissions(
    library: Library, weights: Weights, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir(mode=0o700)
    Path(library.name).chmod(0o666)
    Path(f"{library.name}.bags").symlink_to(elsewhere)
    open_killer_index(library, weights).close()
    assert stat.S_IMODE(elsewhere.stat().st_mode) == 0o700
