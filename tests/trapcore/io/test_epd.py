"""Lines of EPD files, as collections really write them."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trapcore.errors import InputError
from trapcore.io.epd import MAX_LINE_BYTES, EpdRecord, numbered_lines, parse_epd

FEN = "8/2N3p1/5b2/k1B2P2/pP4R1/8/K1nn4/8 b - b3"


@pytest.mark.parametrize(
    ("rest", "name"),
    [
        ("", None),
        ("bm #1;", None),
        ("bm #1; ep; 00:00;", None),
        ("bm #-1; PV: a4b3;", None),
        ("dm 1; pv_uci \"g4f2\"; id \"lichess.iJSGU\";", "lichess.iJSGU"),
        ("bm Qg6; id \"WAC.001\"", "WAC.001"),
        ("bm Qg6; id \"one; two\"; dm 3;", "one; two"),
        ("id plain; bm e4;", "plain"),
        ("0 1", None),
        ("12 34 id \"with counters\";", "with counters"),
        ("id \"\";", None),
        ("id \"never closed; dm 1;", None),
    ],
)  # fmt: skip
def test_a_line(rest: str, name: str | None) -> None:
    assert parse_epd(f"{FEN} {rest}") == EpdRecord(FEN, name)


@pytest.mark.parametrize("line", ["8/8/8/8/8/8/8/8 w -", "x", "x" * MAX_LINE_BYTES])
def test_a_line_that_is_none(line: str) -> None:
    with pytest.raises(InputError):
        parse_epd(line)


def test_blank_lines_and_comments_are_counted_and_left_out() -> None:
    text = "\ufeffone w - -\r\n\r\n# comment\n   \ntwo\n\tthree \nfour".encode()
    assert list(numbered_lines([text])) == [(1, "one w - -"), (5, "two"), (6, "three"), (7, "four")]


def test_a_file_that_is_no_text_does_not_fill_the_memory() -> None:
    ((number, line),) = numbered_lines(b"x" * 1000 for _ in range(1000))
    assert (number, len(line)) == (1, MAX_LINE_BYTES)


@given(lines=st.lists(st.text("ab# \r", max_size=8), max_size=12), cuts=st.lists(st.integers(0, 100), max_size=12))
def test_lines_do_not_depend_on_how_the_stream_was_cut(lines: list[str], cuts: list[int]) -> None:
    data = "\n".join(lines).encode()
    ends = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    chunks = [data[a:b] for a, b in itertools.pairwise(ends)]
    whole = [(n, t) for n, line in enumerate(lines, 1) if (t := line.strip()) and not t.startswith("#")]
    assert list(numbered_lines(chunks)) == whole
