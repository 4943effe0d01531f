"""The index of bags of tokens, from Python: held against the definition, and what it says of bad input."""

import shutil
import threading
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trapcore._native import WEIGHT_UNIT, TokenIndex, build_token_index, change_token_index
from trapcore.errors import IndexFileError, LibraryError

Bags = dict[int, frozenset[int]]
DEFAULT = 3.25

#: Few frequent tokens, many rare ones, some that no index has a weight for.
TOKENS = st.one_of(st.integers(0, 5), st.integers(0, 40), st.integers(0, 2000), st.integers(0, 2**32 - 1))
BAG = st.frozensets(TOKENS, max_size=25)
WEIGHT = st.floats(0.0, 12.0) | st.sampled_from([0.0, 0.5, 1.0, WEIGHT_UNIT])
WEIGHTS = st.dictionaries(st.integers(0, 60), WEIGHT, max_size=60)


@st.composite
def libraries(draw: st.DrawFn) -> Bags:
    """Payloads with bags of which many are nearly or exactly alike."""
    patterns = draw(st.lists(BAG, min_size=1, max_size=8))
    payloads = draw(st.sets(st.integers(0, 300) | st.integers(0, 2**64 - 1), max_size=60))
    change = st.frozensets(TOKENS, max_size=3)
    return {payload: draw(st.sampled_from(patterns)) ^ draw(change) for payload in sorted(payloads)}


def similar(a: frozenset[int], b: frozenset[int], weights: dict[int, float]) -> float:
    """The definition, with weights in whole units."""

    def units(tokens: Iterable[int]) -> int:
        return sum(round(weights.get(token, DEFAULT) / WEIGHT_UNIT) for token in tokens)

    return units(a & b) / units(a | b) if units(a | b) else 1.0


def ranked(bags: Bags, question: frozenset[int], weights: dict[int, float]) -> list[tuple[int, float]]:
    """Every payload that resembles the question, in the order of the answers."""
    pairs = [(payload, similar(bag, question, weights)) for payload, bag in bags.items()]
    return sorted((pair for pair in pairs if pair[1] > 0), key=lambda pair: (-pair[1], pair[0]))


def check(path: Path, bags: Bags, questions: list[frozenset[int]], weights: dict[int, float]) -> None:
    index = TokenIndex(path, vocabulary=1)
    assert len(index) == len(bags)
    expected = [ranked(bags, question, weights) for question in questions]
    for k in (1, 4, len(bags) + 1):
        assert index.top(questions, k, jobs=2) == [pairs[:k] for pairs in expected]
    for threshold in (1e-9, 0.4, 1.0):
        above = [[pair for pair in pairs if pair[1] >= threshold] for pairs in expected]
        assert index.above(questions, threshold) == above


@settings(deadline=None, max_examples=80)
@given(bags=libraries(), weights=WEIGHTS, questions=st.lists(BAG, max_size=3), steps=st.integers(1, 12), data=st.data())
def test_answers_are_those_of_the_definition_however_the_index_came_about(
    tmp_path_factory: pytest.TempPathFactory,
    bags: Bags,
    weights: dict[int, float],
    questions: list[frozenset[int]],
    steps: int,
    data: st.DataObject,
) -> None:
    folder = tmp_path_factory.mktemp("bags")
    questions += list(bags.values())[:4]
    build_token_index(folder / "whole", bags.items(), weights=weights, default_weight=DEFAULT, vocabulary=1)
    check(folder / "whole", bags, questions, weights)

    grown: Bags = {}
    build_token_index(folder / "grown", [], weights=weights, default_weight=DEFAULT, vocabulary=1)
    for step in range(steps):
        new = dict(list(bags.items())[step::steps])
        gone = data.draw(st.sets(st.sampled_from(sorted(grown)))) if grown else set()
        again = {payload: data.draw(BAG) for payload in sorted(gone)[:2]}
        added = {**new, **again}
        assert change_token_index(folder / "grown", vocabulary=1, add=added.items(), remove=gone) == (
            len(added),
            len(gone),
        )
        grown = {**{payload: bag for payload, bag in grown.items() if payload not in gone}, **added}
    check(folder / "grown", grown, questions, weights)
    shutil.rmtree(folder)


def small(path: Path) -> Path:
    """An index of three bags."""
    bags = [(7, [1, 2, 3]), (5, [3, 2, 1, 1]), (9, [3, 4])]
    assert build_token_index(path, bags, weights={1: 1.0, 2: 2.0, 3: 0.5}, default_weight=1.5, vocabulary=1) == 3
    return path


def test_an_index_that_cannot_be_used_says_what_to_do(tmp_path: Path) -> None:
    path = small(tmp_path / "bags")
    with pytest.raises(IndexFileError, match=r"bags: .*vocabulary 1.*vocabulary 2; build the index anew"):
        TokenIndex(path, vocabulary=2)
    with pytest.raises(IndexFileError, match="there is no such file; build"):
        TokenIndex(tmp_path / "none", vocabulary=1)
    with pytest.raises(IndexFileError, match="there is no index here; build"):
        change_token_index(tmp_path / "none", vocabulary=1)
    for name in ("manifest", "segment-1"):
        whole = (path / name).read_bytes()
        for broken, why in [
            (b"SQLite format 3\0" * 20, "no index of trapline"),
            (whole[:8] + b"\2\0\0\0" + whole[12:], "written in format 2, and this version reads format 1"),
            (whole[:-1], "damaged"),
            (whole[:-1] + b"\xff", "damaged"),
        ]:
            (path / name).unlink()
            (path / name).write_bytes(broken)
            with pytest.raises(IndexFileError, match=f"{name}: .*{why}.*; build the index anew"):
                TokenIndex(path, vocabulary=1)
        (path / name).unlink()
        (path / name).write_bytes(whole)
    (path / "segment-1").unlink()
    with pytest.raises(IndexFileError, match="segment-1: there is no such file"):
        TokenIndex(path, vocabulary=1)
    small(path)  # and so it is done
    assert len(TokenIndex(path, vocabulary=1)) == 3


def test_bags_that_fail_to_come_leave_the_old_index_and_one_writer_shuts_out_others(tmp_path: Path) -> None:
    path = small(tmp_path / "bags")
    index = TokenIndex(path, vocabulary=1)
    before = sorted(path.iterdir())

    def failing() -> Iterator[tuple[int, list[int]]]:
        yield from ((n, [n]) for n in range(10, 10_000))
        with pytest.raises(LibraryError, match="another process is changing this index"):
            change_token_index(path, vocabulary=1, remove=[5])
        raise RuntimeError("the source of bags has gone")

    with pytest.raises(RuntimeError, match="has gone"):
        build_token_index(path, failing(), weights={}, default_weight=1.0, vocabulary=1)
    with pytest.raises(RuntimeError, match="has gone"):
        change_token_index(path, vocabulary=1, remove=[7], add=failing())
    assert index.is_current
    assert sorted(path.iterdir()) == before
    assert len(TokenIndex(path, vocabulary=1)) == 3


def test_readers_see_a_whole_index_while_it_is_changed_again_and_again(tmp_path: Path) -> None:
    path = tmp_path / "bags"
    build_token_index(path, [(0, [0, 1])], weights={}, default_weight=1.0, vocabulary=1)
    done = threading.Event()

    def read() -> set[int]:
        sizes = set()
        while not done.is_set():
            index = TokenIndex(path, vocabulary=1)
            assert [payload for payload, _ in index.top([[0]], 1000)[0]] == list(range(len(index)))
            sizes.add(len(index))
        return sizes

    with ThreadPoolExecutor(2) as pool:
        readers = [pool.submit(read) for _ in range(2)]
        try:
            for payload in range(1, 60):
                change_token_index(path, vocabulary=1, add=[(payload, [0, 1])])
        finally:
            done.set()
        assert all(len(reader.result()) > 1 for reader in readers)
    assert TokenIndex(path, vocabulary=1).segments <= 8
