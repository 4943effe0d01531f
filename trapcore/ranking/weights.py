"""Candidate generation: moves ranked by their abstracted trees (paper, section 5.2, extended), with learned weights.

`Weights` are what `trapcore.ranking.training` learns and what the native core orders moves by. A rank is no claim:
its confidence says how often such a move was the killer, and only a proof says that it is.
"""

import json
import math
import zlib
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from pathlib import Path
from struct import unpack

from trapcore import _native
from trapcore.errors import InputError

VOCABULARY_VERSION: int = _native.VOCABULARY_VERSION
"""Version of the tokens; weights of another version are refused."""

SHORTLIST = 16
"""Moves that are examined with all their replies, by default; more gain nothing that can be measured."""
LAZY_SHORTLIST = _native.LAZY_SHORTLIST
"""The same where a position has to be done with in a fraction of a millisecond."""


@dataclass(frozen=True)
class RankedMove:
    """A move that may be the killer."""

    uci: str
    score: float
    """Log odds against there being no killer; only those of shortlisted moves can be compared."""
    confidence: float
    """Probability, 0 to 1, that the move is a killer, for a position that is as likely a trap as not; 0 for a move that
    was not shortlisted."""
    tokens: tuple[int, ...]
    """What its abstracted tree has, ascending; empty for a move that was not shortlisted."""


@dataclass(frozen=True)
class Table:
    """Weights of tokens as packed 32-bit numbers in little-endian order: ``tokens`` unsigned and ascending, ``weights``
    floating."""

    tokens: bytes
    weights: bytes

    @property
    def size(self) -> int:
        """Number of tokens."""
        return len(self.tokens) // 4

    def as_dict(self) -> dict[int, float]:
        """Weight of each token."""
        count = self.size
        return dict(zip(unpack(f"<{count}I", self.tokens), unpack(f"<{count}f", self.weights), strict=True))


@dataclass(frozen=True)
class Weights:
    """Learned weights of both steps, with what they were learned from."""

    seen: Table
    """For the order of all moves."""
    answered: Table
    """For the shortlist, and for its confidence."""
    idf: Table
    """Inverse document frequency of each token: the logarithm of how many moves there are for one that has it."""
    null_score: float
    """Score of there being no killer (the intercept)."""
    traps: int
    """Learned from so many traps,"""
    background: int
    """and so many background moves, after which there is no killer."""

    def to_bytes(self) -> bytes:
        """Everything, compressed: a line of JSON, then the six arrays."""
        tables = (self.seen, self.answered, self.idf)
        arrays = [array for table in tables for array in (table.tokens, table.weights)]
        header = {
            "vocabulary": VOCABULARY_VERSION,
            "nothing": self.null_score,
            "traps": self.traps,
            "ordinary": self.background,
            "sizes": [len(array) for array in arrays],
        }
        return zlib.compress(json.dumps(header).encode() + b"\n" + b"".join(arrays), 9)

    @classmethod
    def from_bytes(cls, data: bytes, where: str) -> "Weights":
        """Read what `to_bytes` wrote.

        ``where`` names it in the ``InputError`` that damaged weights, or those of another vocabulary, raise.
        """
        try:
            line, _, rest = zlib.decompress(data).partition(b"\n")
            header = json.loads(line)
            version, sizes = int(header["vocabulary"]), [int(size) for size in header["sizes"]]
            null_score, traps, background = float(header["nothing"]), int(header["traps"]), int(header["ordinary"])
        except (zlib.error, ValueError, KeyError, TypeError, OverflowError) as error:
            raise InputError(f"the weights in {where} cannot be read ({error}); learn them again") from None
        if version != VOCABULARY_VERSION:
            raise InputError(
                f"the weights in {where} are for version {version} of the vocabulary, this is version "
                f"{VOCABULARY_VERSION}; learn them again with `trapline library train`"
            )
        pairs = len(sizes) == 6 and sizes[::2] == sizes[1::2] and all(size >= 0 and size % 4 == 0 for size in sizes)
        if not pairs or sum(sizes) != len(rest) or not math.isfinite(null_score):
            raise InputError(f"the weights in {where} are damaged; learn them again with `trapline library train`")
        ends = list(accumulate(sizes))
        arrays = [rest[end - size : end] for end, size in zip(ends, sizes, strict=True)]
        seen, answered, idf = (Table(*arrays[i : i + 2]) for i in (0, 2, 4))
        return cls(seen, answered, idf, null_score, traps, background)

    @cached_property
    def ranker(self) -> _native.MoveRanker:
        """The weights in the native core."""
        seen, answered = ((table.tokens, table.weights) for table in (self.seen, self.answered))
        return _native.MoveRanker(seen, answered, self.null_score)

    def rank_moves(
        self, fen: str, bait: str | None = None, *, top: int = 5, shortlist: int = SHORTLIST
    ) -> list[RankedMove]:
        """The ``top`` moves of the attacker, best first; the first ``shortlist`` are examined in full.

        ``fen`` is the position before the bait if ``bait`` (UCI) is legal there, else the one after it; without a bait
        the one in which the attacker is to move. An empty list if there is no legal move. Raises ``InputError`` for a
        position that is not legal and a bait that fits neither way.
        """
        moves, _ = self.ranker.propose(fen, bait, shortlist, top)
        return [RankedMove(uci, score, confidence, tuple(tokens)) for uci, score, confidence, tokens in moves]


SHIPPED = Path(__file__).with_name("weights.bin")
"""The weights that come with trapline; the README says what they were learned from."""


def shipped_weights() -> Weights:
    """The weights for libraries that have none of their own."""
    return Weights.from_bytes(SHIPPED.read_bytes(), str(SHIPPED))
