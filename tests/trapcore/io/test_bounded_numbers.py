"""Numbers that other people wrote, of which some have thousands of figures."""

import math

import pytest

from trapcore.io.bounded_numbers import decimal_number, whole_number

NONE: tuple[object, ...] = (
    "",
    "-",
    "1.5",
    "1e3",
    "0x10",
    "1_000",
    "\u0663",
    "\u00b2",
    "nan",
    "1" * 20,
    "1" * 5000,
    None,
    True,
    1.0,
    [],
    {},
)
LONG = 10**5000
"""Cannot be written as a text."""


@pytest.mark.parametrize("text", NONE, ids=lambda text: repr(text)[:20])
def test_what_is_no_whole_number_is_refused_in_a_short_sentence(text: object) -> None:
    with pytest.raises(ValueError, match=r"^.{1,80} is no whole number from 0 to 9223372036854775807$"):
        whole_number(text)


def test_bounds_belong_to_the_numbers() -> None:
    assert [whole_number(text, 1, 9) for text in ("1", "9")] == [1, 9]
    for text in ("0", "10", LONG, -LONG):
        with pytest.raises(ValueError, match="is no whole number from 1 to 9"):
            whole_number(text, 1, 9)


@pytest.mark.parametrize(
    "text",
    ["", ".", "-", "e5", "nan", "inf", "1e999", "1" * 5000, math.nan, math.inf, LONG, None, True, "\u0663"],
    ids=lambda text: "long" if text is LONG else repr(text)[:20],
)
def test_what_is_no_decimal_is_refused(text: object) -> None:
    with pytest.raises(ValueError, match=r"^.{0,80}"):
        decimal_number(text, 0.0, 1e300)
