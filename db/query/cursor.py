"""Cursors: where a page ended, as a text that only the library that made it accepts, and only for the same query.

A cursor holds the place of the last hit in the order of the hits, so that the next page is found without counting off
the hits before it, and none is left out or listed twice when traps are added in between.
"""

import base64
import binascii
import hmac
import json
from collections.abc import Sequence
from dataclasses import fields
from hashlib import blake2b

from db.query.query import Query
from trapcore.errors import UsageError

Place = tuple[float | str, ...]
"""The values by which hits are ordered, those of one hit; the last one is its slug."""

_SEAL_BYTES = 12
_NOT_SEALED = {"limit", "after", "sort"}  # what may differ from page to page; the order itself is sealed


def write_cursor(place: Sequence[float | str], query: Query, secret: bytes) -> str:
    """The cursor for the page after the hit at this place."""
    body = json.dumps(list(place), ensure_ascii=True, separators=(",", ":")).encode()
    return base64.urlsafe_b64encode(_seal(body, query, secret) + body).decode().rstrip("=")


def read_cursor(cursor: str, query: Query, secret: bytes) -> Place:
    """The place that a cursor holds. Raises `UsageError` for what `write_cursor` did not write for this question."""
    try:
        data = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        data = b""
    seal, body = data[:_SEAL_BYTES], data[_SEAL_BYTES:]
    if not body or not hmac.compare_digest(seal, _seal(body, query, secret)):
        raise UsageError(
            "this is no place to go on from (after): it must be what the page before gave as next, of the same "
            "question to the same library; leave it out to begin with the first page"
        )
    return tuple(json.loads(body))


def _seal(body: bytes, query: Query, secret: bytes) -> bytes:
    conditions = [(field.name, getattr(query, field.name)) for field in fields(query) if field.name not in _NOT_SEALED]
    # An order that was named and the same one by default are the same question.
    text = json.dumps([*conditions, query.order], ensure_ascii=True).encode()
    return blake2b(text + b"\n" + body, key=secret, digest_size=_SEAL_BYTES).digest()
