"""Token index of something that a library has, kept in files beside it: for each state of it a folder of its own.

Beside ``library.sqlite`` lies a folder, in it one folder for each state, named by a digest of the weights of the tokens
and of what changes with every row: it is built under another name and is never changed afterwards, so any number of
programs may open it, and one of an older state cannot be taken for the present one. A new state is made of the one
before by what was added and removed, until a tenth of it is other than when the weights were counted; then everything
is built anew. The folder of a library on a server lies among the user's caches, by a digest of its URL. Where nothing
can be written there, the index is built in a temporary folder and goes when it is closed.
"""

import os
import shutil
import stat
import tempfile
import time
from array import array
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Protocol

from db.library.library import Library
from trapcore import _native
from trapcore.errors import IndexFileError, OutputError, UsageError
from trapcore.ranking.weights import VOCABULARY_VERSION
from trapcore.settings import cache_folder

LARGEST_CHANGE = 0.1
"""Share of the token sets that may come or go before the index is built anew."""

TokenSet = tuple[int, bytes]
"""A number in the database, and packed tokens."""

_DIGEST_BYTES = 16
_ABANDONED_SECONDS = 24 * 3600  # older than this, what is being built has been left by a program that died


class IndexState(Protocol):
    """What an index is made of, as one connection sees it."""

    @property
    def weights(self) -> bytes:
        """Digest of what the weights of tokens come from, 16 bytes."""

    @property
    def name(self) -> str:
        """Another for every change, and known without reading all."""

    @property
    def what(self) -> str:
        """What is indexed, in words: ``traps``."""

    def count(self) -> int:
        """Number of token sets."""

    def entries(self) -> "Entries":
        """Every number with a digest of what is indexed of it."""

    def token_sets(self, entries: "Entries | None" = None, only: Collection[int] | None = None) -> Iterator[TokenSet]:
        """By ascending number; of ``only`` these if given. Fills ``entries``."""

    def write(self, path: Path, token_sets: list[TokenSet]) -> None:
        """Write an index of these to a folder."""


@dataclass(frozen=True, slots=True)
class StoredIndex:
    """An open index."""

    index: _native.TokenIndex
    path: Path
    made: Path | None
    """A temporary folder, to be deleted afterwards."""


def open_index(library: Library, state: IndexState, suffix: str, log: Callable[[str], None]) -> StoredIndex:
    """The index of this state, which is built or brought up to date if need be.

    ``suffix`` is that of the folder beside the library. ``log`` is given a few words if something has to be built.
    Raises `LibraryError`.
    """
    root = _root(library, suffix)
    if root is not None:
        with suppress(OutputError):  # then nothing can be written there
            return StoredIndex(_stored_index(library, state, root, log), root / state.name / "index", None)
    made = Path(tempfile.mkdtemp(prefix=f"trapline-{suffix.strip('.')}-"))
    try:
        log(f"indexing the {state.count():,} {state.what} of {library.name}")
        _build(state, made)
        return StoredIndex(opened(made), made / "index", made)
    except BaseException:
        shutil.rmtree(made, ignore_errors=True)
        raise


def check_index(library: Library, state: IndexState, suffix: str) -> str:
    """Compare the stored index with what the library has; what was found, empty where there is none yet.

    Nothing is built. Raises `IndexFileError` for one that is not what it says.
    """
    root = _root_path(library, suffix)
    folder = root / state.name
    if not folder.is_dir():
        return ""
    index, built, now = opened(folder), _Built.read(folder / "built"), state.entries().as_dict()
    if built is None or built.entries != now or len(index) != len(now):
        raise IndexFileError(f"{folder} is not made of the {state.what} of the library; delete {root}")
    return f"{len(index):,} {state.what}, as the library has them"


class Entries:
    """What is indexed, by number, ascending, with a digest of each."""

    def __init__(self) -> None:
        """None yet."""
        self.numbers, self.digests = array("Q"), array("Q")

    def add(self, rows: Iterable[tuple[int, bytes]]) -> None:
        """Numbers, each with what is indexed of it."""
        for number, content in rows:
            self.numbers.append(number)
            self.digests.append(int.from_bytes(blake2b(content, digest_size=8).digest(), "big"))

    def as_dict(self) -> dict[int, int]:
        """Digest of each number."""
        return dict(zip(self.numbers, self.digests, strict=True))

    def write(self, path: Path, weights: bytes, counted: int, changed: int) -> None:
        """Write them to a file. ``counted``: the weights are those of so many, of which so many have changed since."""
        head = weights + b"".join(count.to_bytes(8, "big") for count in (counted, changed, len(self.numbers)))
        content = head + self.numbers.tobytes() + self.digests.tobytes()
        path.write_bytes(content + _content_digest(content))


@dataclass(frozen=True)
class _Built:
    """What an index was built from, as `Entries.write` wrote it."""

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
        """Numbers that are not the same in both."""
        return {number for number, _ in self.entries.items() ^ entries.items()}


def _content_digest(content: bytes) -> bytes:
    return blake2b(content, digest_size=_DIGEST_BYTES).digest()


def _root_path(library: Library, suffix: str) -> Path:
    """The folder beside the library, or in the cache for one on a server."""
    if "://" in library.name:
        return cache_folder() / f"{blake2b(library.name.encode(), digest_size=16).hexdigest()}{suffix}"
    return Path(f"{library.name}{suffix}")


def _root(library: Library, suffix: str) -> Path | None:
    """The folder beside the library, or in the cache for one on a server, made if need be; None where none can be."""
    path, mode = _root_path(library, suffix), 0o700
    with suppress(OSError):
        if "://" in library.name:
            path.parent.mkdir(parents=True, exist_ok=True)
        else:
            mode = _folder_mode(Path(library.name).stat().st_mode)
        path.mkdir(mode, exist_ok=True)
        _give_mode(path, mode)
    return path if path.is_dir() else None


def _give_mode(folder: Path, mode: int) -> None:
    """Permissions of a folder, for any umask and any change of the library's. Raises `OSError`, also for
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


def _stored_index(library: Library, state: IndexState, root: Path, log: Callable[[str], None]) -> _native.TokenIndex:
    """The index of this state in the folder beside the library. Raises `OutputError` if it cannot be written there."""
    folder = root / state.name
    with suppress(IndexFileError):
        return opened(folder)
    try:
        building = Path(tempfile.mkdtemp(prefix=".building-", dir=root))
        try:
            building.chmod(stat.S_IMODE(root.stat().st_mode))
            if not _changed(state, building, root):
                log(f"indexing the {state.count():,} {state.what} of {library.name}, once")
                _build(state, building)
            _publish(building, folder)
        finally:
            shutil.rmtree(building, ignore_errors=True)
    except OSError as error:
        raise OutputError(f"{root} cannot be written: {error.strerror}") from error
    index = opened(folder)
    _tidy(root, folder)
    return index


def opened(folder: Path) -> _native.TokenIndex:
    """The index of a state's folder. Raises `IndexFileError`."""
    return _native.TokenIndex(folder / "index", vocabulary=VOCABULARY_VERSION)


def _publish(building: Path, folder: Path) -> None:
    try:
        building.rename(folder)
    except OSError:
        # Another program was quicker, unless what is there is damaged.
        try:
            opened(folder)
        except IndexFileError:
            shutil.rmtree(folder, ignore_errors=True)
            building.rename(folder)


def _tidy(root: Path, current: Path) -> None:
    """Delete older states. A process that has one open keeps it."""
    for path in root.iterdir():
        with suppress(OSError):  # another program may be tidying, too
            fresh = path.name.startswith(".building-") and time.time() - path.stat().st_mtime < _ABANDONED_SECONDS
            if path != current and not fresh:
                shutil.rmtree(path)


def _changed(state: IndexState, folder: Path, root: Path) -> bool:
    """Make the index of an earlier one, if there is one with the same weights from which this state is not far."""
    entries: Entries | None = None
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


def _build(state: IndexState, folder: Path) -> None:
    entries = Entries()
    token_sets = list(state.token_sets(entries))
    state.write(folder / "index", token_sets)
    entries.write(folder / "built", state.weights, len(token_sets), 0)
