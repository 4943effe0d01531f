"""Fingerprints compared with many at once, by each kind of inner loop; against numpy and usearch's exact search.

The rows are positions of real games. All references compare whole rows of 248 (numpy) or 256 bytes: numpy by parts that
stay in the cache, usearch with 32 questions a call; ours and theirs find the same. Times are of the processor.
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
SIZES = (100_000, 1_000_000)
QUESTIONS = 64
APART = 500
"""Positions from one question to the next."""
THRESHOLD = 0.6
WORDS = 32
"""64-bit words of a row. The last one is always empty."""
PART = 16_384
"""Rows that numpy takes at a time."""
USEARCH_AT_ONCE = 32
TARGETS = {"avx512": (100, 40), "avx2": (30, 12), "popcnt": (20, 8)}
"""Least ratio to numpy and to usearch at a million rows."""

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


class Numpy:
    """Population counts by numpy."""

    def __init__(self, rows: Rows) -> None:
        self.rows = np.ascontiguousarray(rows[:, : WORDS - 1])
        self.sizes = np.bitwise_count(self.rows).sum(axis=1, dtype=np.int64)

    def similar(self, questions: Rows) -> Found:
        """Rows that are similar enough, for each question."""
        found: Found = [[] for _ in questions]
        for start in range(0, len(self.rows), PART):
            part, sizes = self.rows[start : start + PART], self.sizes[start : start + PART]
            for answer, question in zip(found, questions[:, : WORDS - 1], strict=True):
                shared = np.bitwise_count(part & question).sum(axis=1, dtype=np.int64)
                values = shared / (sizes + int(np.bitwise_count(question).sum()) - shared)
                near = np.flatnonzero(values >= THRESHOLD)
                answer += zip((near + start).tolist(), values[near].tolist(), strict=True)
        return found


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
    """Every kernel at both sizes."""
    packed = fingerprints(GAMES, SIZES[-1] + APART * QUESTIONS)
    # Questions from many games, after those of the rows.
    queries, packed = packed[SIZES[-1] :: APART], packed[: SIZES[-1]]
    bits, questions = unpacked(packed, len(packed)), unpacked(queries, len(queries))
    table = []
    for size in SIZES:
        some = questions[:8]
        reference = Numpy(bits[:size])
        pair = size * 1e-9  # what makes seconds a question nanoseconds a pair
        slow = cpu_seconds(lambda: reference.similar(some), 1) / len(some)  # noqa: B023 - called at once
        expected = reference.similar(questions)
        other = USEARCH_AT_ONCE
        tops = usearch_top(bits[:size], questions)
        usearch = cpu_seconds(lambda: usearch_top(bits[:size], questions[:other]), 1) / other  # noqa: B023
        for kernel in _native.Fingerprints.kernels():
            ours = _native.Fingerprints(packed[:size], kernel=kernel)
            found = ours.similar(queries, THRESHOLD)
            if found != expected or (tops is not None and not is_same(found, tops)):
                raise AssertionError(f"{kernel} finds something else in {size:,} rows")
            seconds = cpu_seconds(lambda: ours.similar(queries, THRESHOLD)) / len(queries)  # noqa: B023
            single = cpu_seconds(lambda: [ours.similar([one], THRESHOLD) for one in queries]) / len(queries)  # noqa: B023
            figures = f"{seconds / pair:.2f} ns/pair, one at a time {single / pair:.2f}"
            least = TARGETS.get(kernel, (None, None)) if size == SIZES[-1] else (None, None)
            table.append(
                Row(f"{kernel}, {size:,} rows", figures, f"numpy {slow / pair:.0f} ns", slow / seconds, least[0])
            )
            if tops is None:
                table.append(Row("", figures, "usearch is not installed"))
            else:
                figures = f"usearch {usearch / pair:.1f} ns"
                table.append(Row("", f"{seconds * 1e3:.2f} ms", figures, usearch / seconds, least[1]))
    hits = sum(map(len, expected)) / len(queries)
    if hits < 1:
        raise AssertionError("too few hits to tell a right answer from a wrong one")
    table.append(Row(f"same answers, threshold {THRESHOLD:.1f}", f"{hits:.1f} hits a question", "all of them"))
    return table
