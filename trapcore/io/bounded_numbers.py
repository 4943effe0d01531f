"""Numbers that other people wrote, read within bounds: thousands of figures are no number that a program can use."""

import re

MOST_STORED = 2**63 - 1
"""Largest whole number that a library stores."""

_SHOWN = 40


def whole_number(text: object, least: int = 0, most: int = MOST_STORED) -> int:
    """The whole number of a text or of a JSON value, ``least`` to ``most``.

    Raises `ValueError` for anything else: figures that are not ASCII, a fraction, a truth value.
    """
    if isinstance(text, str) and re.fullmatch(r"-?[0-9]{1,19}", text.strip()):
        text = int(text)
    if isinstance(text, int) and not isinstance(text, bool) and least <= text <= most:
        return text
    raise ValueError(f"{_shown(text)} is no whole number from {least} to {most}")


def decimal_number(text: object, least: float, most: float) -> float:
    """The number of a text or of a JSON value, ``least`` to ``most``. Raises `ValueError` for anything else."""
    if isinstance(text, str) and re.fullmatch(r"-?[0-9]{0,19}\.?[0-9]{0,40}(e[+-]?[0-9]{1,3})?", text.strip().lower()):
        text = float(text)
    if isinstance(text, int | float) and not isinstance(text, bool) and least <= text <= most:
        return float(text)
    raise ValueError(f"{_shown(text)} is no number from {least:g} to {most:g}")


def _shown(value: object) -> str:
    if isinstance(value, str):
        return repr(value[:_SHOWN])
    # Thousands of figures cannot even be written.
    is_short = value is None or isinstance(value, bool | float) or (isinstance(value, int) and abs(value) < 10**_SHOWN)
    return repr(value) if is_short else f"a value of the type {type(value).__name__}"
