"""Index of the killers of a library: their token sets in an inverted index, in files beside the library.

A killer is compared by the tokens of its abstracted tree and, where its line ends in mate, by those of the mating net.
The similarity of two token sets is the weight of what they share over the weight of what either has. A token weighs
what it says: the logarithm of how many moves there are for one that has it, as the weights in use know it; tokens of
mating nets, which the weights do not know, are counted among the mating traps.

**Files.** Beside ``library.sqlite`` lies the folder ``library.sqlite.bags``, in it one folder for each state of the
library's traps, named by a digest of the weights and of what changes with every trap that is stored: it is built under
another name and is never changed afterwards, so any number of programs may open it, and one of an older state cannot be
taken for the present one.
A new state is made of the one before by what was added and removed. The weights of mating nets stay meanwhile; once a
tenth of the traps is other than when they were counted, everything is built anew. The folder of a library on a server
lies among the user's caches, by a digest of its URL. Where nothing can be written there, the index is built in a
temporary folder and goes when it is closed.
"""

import math
import os
import shutil
import stat
import tempfile
import time
from array import array
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, func, select

from db.library.library import Library
from db.storage.bulk import BulkLookup
from db.storage.models import TrapRow
from db.storage.row_check import RowCheck
from db.storage.trap_rows import is_example, traps_state
from trapcore import _native
from trapcore.errors import IndexFileError, OutputError, UsageError
from trapcore.ranking.weights import VOCABULARY_VERSION, Table, Weights
from trapcore.settings import cache_folder

NET_FACTOR = 4.0
"""A token of a mating net weighs so many times what its inverse document frequency says: the net is what names a mate.
Of 1, 2 and 4 this found most traps of the same pattern, tried on one library with a part of itself."""
LARGEST_CHANGE = 0.1
"""Share of the traps that may come or go before the weights of mating nets are counted again."""
SUFFIX = ".bags"
"""Of the folder beside the library."""

_LAYOUT = b"likeness 3"
_DIGEST_BYTES = 16
_ABANDONED_SECONDS = 24 * 3600  # older than this, what is being built has been left by a program that died
_NET_KINDS = frozenset(kind for kind, (_, stage, _) in enumerate(_native.token_kinds()) if stage == "proved")
_BATCH = 8192  # traps whose token sets are made at a time
_TokenSet = tuple[int, bytes]
_Row = Sequence[Any]  # number, EPD, bait, killer line


@dataclass(frozen=True, slots=True)
class KnownTrap:
    """What is told of a trap that something is like."""

    slug: str
    name: str
    family: str
    epd: str
    """Before the bait."""
    bait: str
    killer_line: tuple[str, ...]
    """UCI."""


class KillerIndex(AbstractContextManager["KillerIndex"]):
    """The index of one state of a library, see `open_killer_index`; any thread may ask it, one at a time."""

    def __init__(self, library: Library, index: _native.TokenIndex, path: Path, made: Path | None) -> None:
        """Take an open index; ``made`` is a temporary folder to delete afterwards."""
        self._library = library
        self.index = index
        """Its payloads are the traps' numbers in the database."""
        self._made = made
        self.path = path
        """Folder of the index."""

    def __len__(self) -> int:
        """Number of traps."""
        return len(self.index)

    def weight(self, token: int) -> float:
        """What it says that two killers share the token; 0 or more."""
        return self.index.weight(token)

    def nearest(
        self, token_sets: Sequence[Sequence[int]], k: int, *, jobs: int = 1
    ) -> list[list[tuple[KnownTrap, float]]]:
        """For each token set the ``k`` (1 or more) most similar traps, with the similarity, above 0 to 1.

        A token set is what `_native.killer_tokens` gives. Raises `UsageError` for a ``k`` below 1, and `LibraryError`.
        """
        if k < 1:
            raise UsageError(f"k must be at least 1, not {k}")
        found = self.index.top(token_sets, k, jobs=jobs)
        known = self._read({number for hits in found for number, _ in hits})
        # A trap that has gone since the index was opened is passed over.
        return [[(known[number], s) for number, s in hits if number in known] for hits in found]

    def _read(self, numbers: Iterable[int]) -> dict[int, KnownTrap]:
        columns = (
            TrapRow.id,
            TrapRow.slug,
            TrapRow.name,
            TrapRow.family,
            TrapRow.epd,
            TrapRow.bait,
            TrapRow.killer_line,
        )
        with self._library.database.read() as connection:
            rows = BulkLookup(connection, columns, TrapRow.id).find(sorted(numbers))
            return {
                number: KnownTrap(slug, name, family, epd, bait, tuple(line.split()))
                for number, slug, name, family, epd, bait, line in RowCheck(columns).whole(connection, rows)
            }

    @property
    def is_in_place(self) -> bool:
        """Whether its files are those that were opened, unchanged and in their places."""
        return self.index.is_in_place

    def close(self) -> None:
        """Delete the index if it was built for this use only."""
        if self._made is not None:
            shutil.rmtree(self._made, ignore_errors=True)

    def __exit__(self, *_: object) -> None:
        """Close."""
        self.close()


def open_killer_index(
    library: Library, weights: Weights, log: Callable[[str], None] | None = None, *, jobs: int = 1
) -> KillerIndex:
    """The index of the library's traps as they are now, which is built or brought up to date if need be.

    Its traps are those that are not refuted, nor known as none and not proved. ``weights`` are those in use. ``log`` is
    given a few words if something has to be built, which ``jobs`` threads do. Raises `LibraryError`.
    """
    log = log if log is not None else _no_log
    with library.database.read() as connection:
        state = _State(connection, weights, jobs)
        root = _root(library)
        if root is not None:
            with suppress(OutputError):  # then nothing can be written there
                return KillerIndex(library, _stored_index(library, state, root, log), root / state.name / "index", None)
        made = Path(tempfile.mkdtemp(prefix="trapline-bags-"))
        try:
            log(f"indexing the {state.count():,} traps of {library.name}")
            _build(state, made)
            return KillerIndex(library, _opened(made), made / "index", made)
        except BaseException:
            shutil.rmtree(made, ignore_errors=True)
            raise


def check_killer_index(library: Library, weights: Weights) -> str:
    """Compare the stored index of the library's traps with the traps; what was found, empty where there is none yet.

    Nothing is built. Raises `IndexFileError` for one that is not what it says.
    """
    root = Path(f"{library.name}{SUFFIX}")
    with library.database.read() as connection:
        state = _State(connection, weights, 1)
        folder = root / state.name
        if not folder.is_dir():
            return ""
        index, built, now = _opened(folder), _Built.read(folder / "built"), state.entries().as_dict()
    if built is None or built.entries != now or len(index) != len(now):
        raise IndexFileError(f"{folder} is not made of the traps of the library; delete {root}, it is built anew")
    return f"{len(index):,} traps, as the library has them"


class _State:
    """The traps of a library as one connection sees them, the weights, and the name of it all.

    The name is made of what the library keeps about changes, so that no trap has to be read to know it.
    """

    def __init__(self, connection: Connection, weights: Weights, jobs: int) -> None:
        self._connection, self._jobs = connection, jobs
        self.idf = weights.idf
        digest = blake2b(b"%s %d %f" % (_LAYOUT, VOCABULARY_VERSION, NET_FACTOR), digest_size=16)
        digest.update(weights.idf.tokens + weights.idf.weights)
        self.weights = digest.digest()
        """Digest of what the weights of tokens come from."""
        self.name = blake2b(self.weights + traps_state(connection).encode(), digest_size=16).hexdigest()

    def count(self) -> int:
        """Number of traps that something can be likened to."""
        return self._connection.scalar(select(func.count()).select_from(TrapRow).where(is_example())) or 0

    def entries(self) -> "_Entries":
        """Every trap's number with a digest of what is indexed of it."""
        found = _Entries()
        for batch in self._rows():
            found.add(batch)
        return found

    def token_sets(self, entries: "_Entries | None" = None, only: Collection[int] | None = None) -> Iterator[_TokenSet]:
        """Number and packed tokens of each trap, ascending; of ``only`` these if given. Fills ``entries``."""
        for batch in self._rows():
            if entries is not None:
                entries.add(batch)
            rows = batch if only is None else [row for row in batch if row[0] in only]
            token_sets = _native.killer_token_sets([(epd, bait, line) for _, epd, bait, line in rows], jobs=self._jobs)
            yield from zip((row[0] for row in rows), token_sets, strict=True)

    def _rows(self) -> Iterator[Sequence[_Row]]:
        columns = (TrapRow.id, TrapRow.epd, TrapRow.bait, TrapRow.killer_line)
        rows = self._connection.execute(select(*columns).where(is_example()).order_by(TrapRow.id))
        check = RowCheck(columns)
        for batch in rows.partitions(_BATCH):
            yield list(check.whole(self._connection, batch))


class _Entries:
    """Traps by number, ascending, with a digest of each."""

    def __init__(self) -> None:
        self.numbers, self.digests = array("Q"), array("Q")

    def add(self, rows: Iterable[_Row]) -> None:
        for number, *content in rows:
            self.numbers.append(number)
            self.digests.append(int.from_bytes(blake2b("\t".join(content).encode(), digest_size=8).digest(), "big"))

    def as_dict(self) -> dict[int, int]:
        return dict(zip(self.numbers, self.digests, strict=True))

    def write(self, path: Path, weights: bytes, counted: int, changed: int) -> None:
        """``counted``: the weights of mating nets are those of so many traps, of which so many have changed since."""
        head = weights + b"".join(count.to_bytes(8, "big") for count in (counted, changed, len(self.numbers)))
        content = head + self.numbers.tobytes() + self.digests.tobytes()
        path.write_bytes(content + _content_digest(content))


@dataclass(frozen=True)
class _Built:
    """What an index was built from, as `_Entries.write` wrote it."""

    weights: bytes
    counted: int
    changed: int
    entries: dict[int, int]

    @classmethod
    def read(cls, path: Path) -> "_Built | None":
        """None if it cannot be read, or is not what was written."""
        try:
            # The folder may be from anybody: neither a pipe nor a device is waited for or read without end.
            with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as file:
                status = os.fstat(file.fileno())
                if not stat.S_ISREG(status.st_mode):
                    return None
                head = file.read(40)
                counted, changed, count = (int.from_bytes(head[at : at + 8], "big") for at in (16, 24, 32))
                size = 40 + 16 * count + _DIGEST_BYTES
                if status.st_size != size:
                    return None
                data = head + file.read(size - len(head))
        except OSError:
            return None
        data, digest = data[:-_DIGEST_BYTES], data[-_DIGEST_BYTES:]
        if digest != _content_digest(data):
            return None
        numbers, digests = array("Q"), array("Q")
        numbers.frombytes(data[40 : 40 + 8 * count])
        digests.frombytes(data[40 + 8 * count :])
        return cls(data[:16], counted, changed, dict(zip(numbers, digests, strict=True)))

    def to(self, entries: dict[int, int]) -> set[int]:
        """Numbers of the traps that are not the same in both."""
        return {number for number, _ in self.entries.items() ^ entries.items()}


def _content_digest(content: bytes) -> bytes:
    return blake2b(content, digest_size=_DIGEST_BYTES).digest()


def _root(library: Library) -> Path | None:
    """The folder beside the library, or in the cache for one on a server, made if need be; None where none can be."""
    path, mode = Path(f"{library.name}{SUFFIX}"), 0o700
    with suppress(OSError):
        if "://" in library.name:
            path = cache_folder() / f"{blake2b(library.name.encode(), digest_size=16).hexdigest()}{SUFFIX}"
            path.parent.mkdir(parents=True, exist_ok=True)
        else:
            mode = _folder_mode(Path(library.name).stat().st_mode)
        path.mkdir(mode, exist_ok=True)
        _give_mode(path, mode)
    return path if path.is_dir() else None


def _give_mode(folder: Path, mode: int) -> None:
    """Permissions of a folder, whatever the umask is and however the library's were changed. Raises `OSError`, also for
    a link, which may lead to a folder of something else."""
    opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        if stat.S_IMODE(os.fstat(opened).st_mode) != mode:
            os.fchmod(opened, mode)
    finally:
        os.close(opened)


def _folder_mode(mode: int) -> int:
    """Permissions of a folder that those may look into who may read a file, and those change who may write to it."""
    return 0o700 | mode & 0o066 | (mode & 0o044) >> 2


def _stored_index(library: Library, state: _State, root: Path, log: Callable[[str], None]) -> _native.TokenIndex:
    """The index of this state in the folder beside the library. Raises `OutputError` if it cannot be written there."""
    folder = root / state.name
    with suppress(IndexFileError):
        return _opened(folder)
    try:
        building = Path(tempfile.mkdtemp(prefix=".building-", dir=root))
        try:
            building.chmod(stat.S_IMODE(root.stat().st_mode))
            if not _changed(state, building, root):
                log(f"indexing the {state.count():,} traps of {library.name}, once")
                _build(state, building)
            _publish(building, folder)
        finally:
            shutil.rmtree(building, ignore_errors=True)
    except OSError as error:
        raise OutputError(f"{root} cannot be written: {error.strerror}") from error
    index = _opened(folder)
    _tidy(root, folder)
    return index


def _opened(folder: Path) -> _native.TokenIndex:
    return _native.TokenIndex(folder / "index", vocabulary=VOCABULARY_VERSION)


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


def _changed(state: _State, folder: Path, root: Path) -> bool:
    """Make the index of an earlier one, if there is one with the same weights from which this state is not far."""
    entries: _Entries | None = None
    for path in sorted(root.iterdir()):
        built = None if path.name.startswith(".") else _Built.read(path / "built")
        if built is None or built.weights != state.weights:
            continue
        if entries is None:
            entries = state.entries()
            now = entries.as_dict()
        different = built.to(now)
        if built.changed + len(different) > built.counted * LARGEST_CHANGE:
            continue
        # It is damaged or gone, or not what it says: go on as if there were none.
        with suppress(IndexFileError, UsageError, OSError):
            _link_index(path / "index", folder / "index")
            add = state.token_sets(only=different & now.keys()) if different else ()
            remove = different & built.entries.keys()
            _native.change_token_index(folder / "index", vocabulary=VOCABULARY_VERSION, add=add, remove=remove)
            entries.write(folder / "built", state.weights, built.counted, built.changed + len(different))
            return True
        shutil.rmtree(folder / "index", ignore_errors=True)
    return False


def _link_index(source: Path, target: Path) -> None:
    """Another name for each file of an index: those are replaced, never changed. Raises `OSError`, also where there are
    no links, and for what is no file: the folder may be from anybody."""
    target.mkdir()
    target.chmod(stat.S_IMODE(source.stat().st_mode))
    for path in source.iterdir():
        if path.name == "manifest" or (path.name.startswith("segment-") and not path.suffix):
            if not stat.S_ISREG(path.lstat().st_mode):
                raise OSError(f"{path} is no file")
            os.link(path, target / path.name)


def _build(state: _State, folder: Path) -> None:
    entries = _Entries()
    token_sets = list(state.token_sets(entries))
    build_index(folder / "index", token_sets, state.idf)
    entries.write(folder / "built", state.weights, len(token_sets), 0)


def build_index(path: Path, token_sets: Sequence[tuple[int, bytes | Sequence[int]]], idf: Table) -> None:
    """Write an index of known killers, each a payload and a token set; `_native.build_token_index` says what is raised.

    ``idf`` is that of the weights in use. A token that no known killer has weighs as much as the heaviest.
    """
    weights = _token_weights(idf, [tokens for _, tokens in token_sets])
    heaviest = max(weights.values(), default=1.0)
    _native.build_token_index(path, token_sets, weights=weights, default_weight=heaviest, vocabulary=VOCABULARY_VERSION)


def _token_weights(idf: Table, token_sets: Sequence[bytes | Sequence[int]]) -> dict[int, float]:
    mates, counts = 0, Counter[int]()
    for tokens in token_sets:
        net = [token for token in array("I", tokens) if token >> _native.FIELD_BITS in _NET_KINDS]
        if net:
            mates += 1
            counts.update(net)
    known = {token: max(0.0, weight) for token, weight in idf.as_dict().items()}
    return known | {token: NET_FACTOR * math.log(mates / count) for token, count in counts.items()}


def _no_log(_: str) -> None:
    """Log nothing."""
