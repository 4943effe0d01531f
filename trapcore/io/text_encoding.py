"""UTF-16 at the door: decoded into UTF-8 when it is read, and encoded again when the result is written.

Everything between works on bytes that contain ASCII. A byte order mark stays the first character of the text, so that
the output has the one that the input had.
"""

import codecs
from collections.abc import Iterator

PLAIN = "bytes"
"""Not UTF-16: bytes are passed on as they are."""

_FIRST_BYTES = 8
_MARKS = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
_ANY = "surrogatepass"  # half of a pair is no character, and is kept all the same


def encoding_of(head: bytes) -> str:
    """``utf-16-le``, ``utf-16-be`` or `PLAIN`, by the first bytes of a text: its byte order mark, or ASCII in pairs."""
    if (marked := _MARKS.get(head[:2])) is not None:
        return marked
    first = head[:_FIRST_BYTES]
    if len(first) == _FIRST_BYTES:
        for encoding, letters, zeros in (
            ("utf-16-le", first[::2], first[1::2]),
            ("utf-16-be", first[1::2], first[::2]),
        ):
            if not any(zeros) and all(0 < letter < 0x80 for letter in letters):
                return encoding
    return PLAIN


class DecodedText:
    """The chunks of a text with UTF-16 as UTF-8; iterate over it once."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        """Read as many ``chunks`` as the encoding is recognised by."""
        self._chunks = chunks
        head = b""
        while len(head) < _FIRST_BYTES and (more := next(chunks, b"")):
            head += more
        self._head = head
        self.encoding = encoding_of(head)
        """See `encoding_of`."""
        self.rest = b""
        """At the end of the text: a last byte that is no whole unit of UTF-16."""

    def __iter__(self) -> Iterator[bytes]:
        """Chunks, none of them empty."""
        if self.encoding == PLAIN:
            if self._head:
                yield self._head
            yield from self._chunks
            return
        decoder = codecs.getincrementaldecoder(self.encoding)(_ANY)
        if text := decoder.decode(self._head):
            yield text.encode("utf-8", _ANY)
        for chunk in self._chunks:
            if text := decoder.decode(chunk):
                yield text.encode("utf-8", _ANY)
        left = bytes(decoder.getstate()[0])
        whole = len(left) // 2 * 2
        self.rest = left[whole:]
        if whole:
            yield left[:whole].decode(self.encoding, _ANY).encode("utf-8", _ANY)


def encoded(text: bytes, encoding: str) -> bytes:
    """Whole lines or games of UTF-8 in the encoding that their input had."""
    return text if encoding == PLAIN else text.decode("utf-8", _ANY).encode(encoding, _ANY)
