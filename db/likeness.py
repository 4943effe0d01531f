"""Which known traps a killer is like: their bags of tokens in an index, which is kept beside the library.

A killer is compared by the tokens of its abstracted tree and, where its line ends in mate, by those of the mating net.
The similarity of two bags is the weight of what they share over the weight of what either has. A token weighs what it
says: the logarithm of how many moves there are for one that has it, as the weights in use know it; tokens of mating
nets, which the weights do not know, are counted among the mating traps.

**Files.** Beside ``library.sqlite`` lies the folder ``library.sqlite.bags``, in it one folder for each state of the
library's traps, named by a digest of them and of the weights: it is built under another name and is never changed
afterwards, so any number of programs may open it, and one of an older state cannot be taken for the present one.
A new state is made of the one before by what was added and removed. The weights of mating nets stay meanwhile; once a
tenth of the traps is other than when they were counted, everything is built anew. Where nothing can be written beside
the library, or it is on a server, the index is built in a temporary folder and goes when it is closed.
"""

import math
import shutil
import tempfile
import time
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from types import TracebackType
from typing import Self

from sqlalchemy import select

from db.library import Library
from db.models import TrapRow
from db.trap_rows import is_example
from trapcore import _native
from trapcore.errors import IndexFileError, OutputError, UsageError
from trapcore.proposals import VOCABULARY_VERSION, Table, Weights

NET_FACTOR = 4.0
"""A token of a mating net weighs so many times what its rarity says: the net is what names a mate. Of 1, 2 and 4 this
found most traps of the same pattern, tried on one library with a part of itself."""
LARGEST_CHANGE = 0.1
"""Share of the traps that may come or go before the weights of mating nets are counted again."""
SUFFIX = ".bags"
"""Of the folder beside the library."""

_LAYOUT = b"likeness 1"
_ABANDONED_SECONDS = 24 * 3600  # older than this, what is being built has been left by a program that died
_FIRST_FIELD_BIT = 27  # below the number of a token's kind
_NET_KINDS = frozenset(kind for kind, (_, stage, _) in enumerate(_native.token_kinds()) if stage == "proved")


@dataclass(frozen=True, slots=True)
class Known:
    """What is told of a trap that something is like."""

    slug: str
    name: str
    family: str
    epd: str
    """Before the bait."""
    bait: str
    line: tuple[str, ...]
    """The killer line, UCI."""


class Likeness:
    """The index of one state of a library, see `open_likeness`; any thread may ask it, one at a time."""

    def __init__(self, library: Library, index: _native.BagIndex, path: Path, made: Path | None) -> None:
        """Take an open index; ``made`` is a temporary folder to delete afterwards."""
        self._library = library
        self.index = index
        """Its payloads are the traps' numbers in the database."""
        self._made = made
        self._known: dict[int, Known] = {}
        self.path = path
        """Folder of the index."""

    def __len__(self) -> int:
        """Number of traps."""
        return len(self.index)

    def weight(self, token: int) -> float:
        """What it says that two killers share the token; 0 or more."""
        return self.index.weight(token)

    def resemble(self, bags: Sequence[Sequence[int]], k: int, *, jobs: int = 1) -> list[list[tuple[Known, float]]]:
        """For each bag of tokens the ``k`` (1 or more) most similar traps, with the similarity, above 0 to 1.

        A bag is what `_native.killer_bag` gives. Raises `UsageError` for a ``k`` below 1, and `LibraryError`.
        """
        if k < 1:
            raise UsageError(f"k must be at least 1, not {k}")
        found = self.index.top(bags, k, jobs=jobs)
        self._read({number for hits in found for number, _ in hits} - self._known.keys())
        # A trap that has gone since the index was opened is passed over.
        return [[(self._known[number], s) for number, s in hits if number in self._known] for hits in found]

    def _read(self, numbers: Iterable[int]) -> None:
        columns = (TrapRow.slug, TrapRow.name, TrapRow.family, TrapRow.epd, TrapRow.bait, TrapRow.killer_line)
        wanted = sorted(numbers)
        with self._library.database.read() as connection:
            for at in range(0, len(wanted), 500):
                part = select(TrapRow.id, *columns).where(TrapRow.id.in_(wanted[at : at + 500]))
                for number, slug, name, family, epd, bait, line in connection.execute(part):
                    self._known[number] = Known(slug, name, family, epd, bait, tuple(line.split()))

    def close(self) -> None:
        """Delete the index if it was built for this use only."""
        if self._made is not None:
            shutil.rmtree(self._made, ignore_errors=True)

    def __enter__(self) -> Self:
        """Nothing to do: the index is open."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close."""
        self.close()


def open_likeness(library: Library, weights: Weights, say: Callable[[str], None] | None = None) -> Likeness:
    """The index of the library's traps as they are now, which is built or brought up to date if need be.

    Its traps are those that are not refuted, nor known as none and not proved. ``weights`` are those in use. ``say`` is
    given a few words if something has to be built. Raises `LibraryError`.
    """
    state = _State.of(library, weights)
    tell = say if say is not None else lambda told: None
    root = _root(library)
    if root is not None:
        with suppress(OutputError):  # then nothing can be written there
            return Likeness(library, _kept(library, state, root, tell), root / state.name / "index", None)
    made = Path(tempfile.mkdtemp(prefix="trapline-bags-"))
    try:
        tell(f"likening the {len(state.numbers):,} traps of {library.name}")
        _build(library, state, made)
        return Likeness(library, _opened(made), made / "index", made)
    except BaseException:
        shutil.rmtree(made, ignore_errors=True)
        raise


@dataclass(frozen=True)
class _State:
    """The traps of a library by number, ascending, with a digest of each; the weights; the name of it all."""

    numbers: "array[int]"
    digests: "array[int]"
    rarity: Table
    weights: bytes
    """Digest of what the weights of tokens come from."""

    @classmethod
    def of(cls, library: Library, weights: Weights) -> "_State":
        numbers, digests = array("Q"), array("Q")
        columns = (TrapRow.id, TrapRow.epd, TrapRow.bait, TrapRow.killer_line)
        with library.database.read() as connection:
            for number, *content in connection.execute(select(*columns).where(is_example()).order_by(TrapRow.id)):
                numbers.append(number)
                digests.append(int.from_bytes(blake2b("\t".join(content).encode(), digest_size=8).digest(), "big"))
        digest = blake2b(b"%s %d %f" % (_LAYOUT, VOCABULARY_VERSION, NET_FACTOR), digest_size=16)
        digest.update(weights.rarity.tokens + weights.rarity.weights)
        return cls(numbers, digests, weights.rarity, digest.digest())

    @property
    def name(self) -> str:
        digest = blake2b(self.weights, digest_size=16)
        digest.update(self.numbers.tobytes() + self.digests.tobytes())
        return digest.hexdigest()

    def entries(self) -> dict[int, int]:
        return dict(zip(self.numbers, self.digests, strict=True))

    def write(self, path: Path, counted: int, changed: int) -> None:
        """``counted``: the weights of mating nets are those of so many traps, of which so many have changed since."""
        head = self.weights + b"".join(count.to_bytes(8, "big") for count in (counted, changed, len(self.numbers)))
        path.write_bytes(head + self.numbers.tobytes() + self.digests.tobytes())


@dataclass(frozen=True)
class _Built:
    """What an index was built from, as `_State.write` wrote it."""

    weights: bytes
    counted: int
    changed: int
    entries: dict[int, int]

    @classmethod
    def read(cls, path: Path) -> "_Built | None":
        """None if it cannot be read."""
        try:
            data = path.read_bytes()
        except OSError:
            return None
        counted, changed, count = (int.from_bytes(data[at : at + 8], "big") for at in (16, 24, 32))
        if len(data) != 40 + 16 * count:
            return None
        numbers, digests = array("Q"), array("Q")
        numbers.frombytes(data[40 : 40 + 8 * count])
        digests.frombytes(data[40 + 8 * count :])
        return cls(data[:16], counted, changed, dict(zip(numbers, digests, strict=True)))

    def to(self, entries: dict[int, int]) -> set[int]:
        """Numbers of the traps that are not the same in both."""
        return {number for number, _ in self.entries.items() ^ entries.items()}


def _root(library: Library) -> Path | None:
    """The folder beside the library, made if need be; None where none can be."""
    if "://" in library.name:
        return None
    path = Path(f"{library.name}{SUFFIX}")
    with suppress(OSError):
        path.mkdir(exist_ok=True)
    return path if path.is_dir() else None


def _kept(library: Library, state: _State, root: Path, tell: Callable[[str], None]) -> _native.BagIndex:
    """The index of this state in the folder beside the library. Raises `OutputError` if it cannot be written there."""
    folder = root / state.name
    with suppress(IndexFileError):
        return _opened(folder)
    tell(f"likening the {len(state.numbers):,} traps of {library.name}, once")
    try:
        building = Path(tempfile.mkdtemp(prefix=".building-", dir=root))
        try:
            building.chmod(0o755)  # others may read the library, so they may read this
            _build(library, state, building, _previous(root, state))
            _publish(building, folder)
        finally:
            shutil.rmtree(building, ignore_errors=True)
    except OSError as error:
        raise OutputError(f"{root} cannot be written: {error.strerror}") from error
    index = _opened(folder)
    _tidy(root, folder)
    return index


def _opened(folder: Path) -> _native.BagIndex:
    return _native.BagIndex(folder / "index", vocabulary=VOCABULARY_VERSION)


def _publish(building: Path, folder: Path) -> None:
    try:
        building.rename(folder)
    except OSError:
        # Another program was quicker, unless what is there is damaged.
        try:
            _opened(folder)
        except IndexFileError:
            shutil.rmtree(folder, ignore_errors=True)
            building.rename(folder)


def _tidy(root: Path, current: Path) -> None:
    """Delete older states; whoever has one open keeps it."""
    for path in root.iterdir():
        with suppress(OSError):  # another program may be tidying, too
            fresh = path.name.startswith(".building-") and time.time() - path.stat().st_mtime < _ABANDONED_SECONDS
            if path != current and not fresh:
                shutil.rmtree(path)


def _previous(root: Path, state: _State) -> tuple[Path, _Built] | None:
    """A state with the same weights from which this one is not far."""
    for folder in sorted(root.iterdir()):
        if folder.name.startswith("."):
            continue
        built = _Built.read(folder / "built")
        if built is None or built.weights != state.weights:
            continue
        if built.changed + len(built.to(state.entries())) <= built.counted * LARGEST_CHANGE:
            return folder, built
    return None


def _build(library: Library, state: _State, folder: Path, previous: tuple[Path, _Built] | None = None) -> None:
    entries = state.entries()
    if previous is not None:
        before, built = previous
        with suppress(IndexFileError, OSError):  # it is damaged or gone: build anew
            shutil.copytree(before / "index", folder / "index")
            different = built.to(entries)
            add = _bags(library, different & entries.keys())
            remove = different & built.entries.keys()
            _native.change_bag_index(folder / "index", vocabulary=VOCABULARY_VERSION, add=add, remove=remove)
            state.write(folder / "built", built.counted, built.changed + len(different))
            return
        shutil.rmtree(folder / "index", ignore_errors=True)
    bags = list(_bags(library, entries.keys()))
    weights = token_weights(state.rarity, [bag for _, bag in bags])
    _native.build_bag_index(
        folder / "index",
        bags,
        weights=weights,
        default_weight=max(weights.values(), default=1.0),
        vocabulary=VOCABULARY_VERSION,
    )
    state.write(folder / "built", len(entries), 0)


def _bags(library: Library, numbers: "Iterable[int]") -> Iterator[tuple[int, list[int]]]:
    """Number and bag of tokens of these traps, ascending."""
    wanted = set(numbers)
    columns = (TrapRow.id, TrapRow.epd, TrapRow.bait, TrapRow.killer_line)
    with library.database.read() as connection:
        for number, epd, bait, line in connection.execute(select(*columns).where(is_example()).order_by(TrapRow.id)):
            if number in wanted:
                yield number, _native.killer_bag(epd, bait, line.split())


def token_weights(rarity: Table, bags: Sequence[Sequence[int]]) -> dict[int, float]:
    """What each token weighs in an index of these bags of known killers; all others weigh as much as the heaviest."""
    nets = [[token for token in bag if token >> _FIRST_FIELD_BIT in _NET_KINDS] for bag in bags]
    mates = sum(1 for net in nets if net)
    counts = Counter(token for net in nets for token in net)
    known = {token: max(0.0, weight) for token, weight in rarity.as_dict().items()}
    return known | {token: NET_FACTOR * math.log(mates / count) for token, count in counts.items()}
