"""Fields of a token: the number of its kind in the highest five of 32 bits and the fields of that kind below, the first
one highest. Names and widths are the core's (``_native.token_kinds``).
"""

from trapcore import _native
from trapcore.errors import InputError

KINDS: dict[str, tuple[tuple[str, int], ...]] = {name: tuple(fields) for name, _, fields in _native.token_kinds()}
"""Name and width in bits of each kind's fields, in the order of the kinds' numbers."""
FIELD_BITS = _native.FIELD_BITS
"""Bits of a token below the number of its kind."""


def fields_of(token: int) -> tuple[str, dict[str, int]]:
    """The name of a token's kind, and the values of its fields; raises ``InputError`` for what is no token."""
    kinds = list(KINDS)
    if not 0 <= token >> FIELD_BITS < len(kinds):
        raise InputError(f"{token} is no token of version {_native.VOCABULARY_VERSION} of the vocabulary")
    kind, values, rest = kinds[token >> FIELD_BITS], {}, token & (1 << FIELD_BITS) - 1
    for name, bits in reversed(KINDS[kind]):
        values[name] = rest & (1 << bits) - 1
        rest >>= bits
    if rest:
        raise InputError(f"{token} is no token of version {_native.VOCABULARY_VERSION} of the vocabulary")
    return kind, dict(reversed(values.items()))
