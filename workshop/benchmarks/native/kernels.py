"""Fingerprints compared with many at once, by each kind of inner loop; against usearch's exact search.

The rows are positions of real games. usearch compares whole rows of 256 bytes, with 32 questions a call; ours and
theirs find the same. Times are of the processor.
"""

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import numpy.typing as npt

from trapcore import _native
from trapcore.io.streams import open_bytes
from workshop.benchmarks.material import DATA
from workshop.benchmarks.table import Row, cpu_seconds

GAMES = DATA / "pgn" / "masters_pgnmentor_open.pgn.zst"
ROWS = 1_000_000
QUESTIONS = 64
APART = 500
"""Positions from one question to the next."""
THRESHOLD = 0.6
WORDS = 32
"""64-bit words of a row. The last one is always empty."""
USEARCH_AT_ONCE = 32
TARGETS = {"avx512": 40, "avx2": 12, "popcnt": 8}
"""Least ratio to usearch."""

Rows = npt.NDArray[np.uint64]
Found = list[list[tuple[int, float]]]


def fingerprints(path: Path, count: int) -> list[bytes]:
    """Those of the first positions of real games, each position once."""
    splitter, found = _native.PgnSplitter(), dict[bytes, bytes]()
    for data in open_bytes(path):
        for batch in splitter.feed(data):
            found.update(_native.read_records(batch).positions)
        if len(found) >= count:
            return list(found.values())[:count]
    raise RuntimeError(f"{path} holds {len(found)} positions, and {count} are needed")


def unpacked(packed: Iterable[bytes], count: int) -> Rows:
    """Rows of bits, decoded as the documentation of the fingerprint says."""
    rows = list(packed)
    data = np.frombuffer(b"".join(rows), dtype=np.uint8)
    ends = np.flatnonzero(data < 0x80)  # the last byte of each number
    starts = np.concatenate(([0], ends[:-1] + 1))
    shifts = 7 * (np.arange(len(data)) - np.repeat(starts, ends - starts + 1))
    steps = np.add.reduceat((data & 0x7F).astype(np.int64) << shifts, starts)
    owners = np.searchsorted(np.cumsum([len(row) for row in rows]), ends, side="right")
    sums = np.cumsum(steps)
    first = np.concatenate(([True], owners[1:] != owners[:-1]))
    labels = sums - np.repeat((sums - steps)[first], np.diff(np.append(np.flatnonzero(first), len(owners))))
    bits = np.zeros((count, WORDS * 8), dtype=np.uint8)
    np.bitwise_or.at(bits, (owners, labels // 8), (1 << (labels % 8)).astype(np.uint8))
    return bits.view(np.uint64)


def usearch_top(rows: Rows, questions: Rows) -> npt.NDArray[np.float64] | None:
    """The ten greatest similarities of each question by usearch; None if it is not installed."""
    try:
        from usearch.index import MetricKind, search
    except ImportError:
        return None
    data, queries = rows.view(np.uint8), questions.view(np.uint8)
    tops = []
    for start in range(0, len(queries), USEARCH_AT_ONCE):
        part = queries[start : start + USEARCH_AT_ONCE]
        tops.append(search(data, part, 10, MetricKind.Tanimoto, exact=True, threads=1).distances)
    return 1 - np.concatenate(tops).astype(np.float64)


def is_same(found: Found, tops: npt.NDArray[np.float64]) -> bool:
    """Whether the best ten are those, as far as they reach the threshold."""
    for answer, top in zip(found, tops, strict=True):
        ours = sorted((similarity for _, similarity in answer), reverse=True)[:10]
        theirs = np.sort(top)[::-1][: len(ours)]
        if len(ours) < 10 and (np.sort(top)[::-1][len(ours) :] >= THRESHOLD + 1e-6).any():
            return False
        if not np.allclose(ours, theirs, atol=1e-6):
            return False
    return True


def rows() -> list[Row]:
    """Every kernel."""
    packed = fingerprints(GAMES, ROWS + APART * QUESTIONS)
    # Questions from many games, after those of the rows.
    queries, packed = packed[ROWS::APART], packed[:ROWS]
    bits, questions = unpacked(packed, len(packed)), unpacked(queries, len(queries))
    tops = usearch_top(bits, questions)
    if tops is None:
        return [Row("fingerprints compared", "", "usearch is not installed")]
    few = questions[:USEARCH_AT_ONCE]
    theirs = cpu_seconds(lambda: usearch_top(bits, few), 1) / len(few)
    pair = ROWS * 1e-9  # what makes seconds a question nanoseconds a pair
    table = []
    for kernel in _native.Fingerprints.kernels():
        ours = _native.Fingerprints(packed, kernel=kernel)
        found = ours.similar(queries, THRESHOLD)
        if not is_same(found, tops):
            raise AssertionError(f"{kernel} finds something else")
        if sum(map(len, found)) < len(queries):
            raise AssertionError("too few hits to tell a right answer from a wrong one")
        seconds = cpu_seconds(lambda: ours.similar(queries, THRESHOLD)) / len(queries)  # noqa: B023 - called at once
        figures = f"{seconds / pair:.2f} ns/pair", f"usearch {theirs / pair:.1f} ns"
        table.append(Row(f"{kernel}, {ROWS:,} rows", *figures, theirs / seconds, TARGETS.get(kernel)))
    return table
