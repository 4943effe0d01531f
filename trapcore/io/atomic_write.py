"""Files that are written under another name beside their own and then renamed: whole, or not at all."""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """The path to write at; it gets the name ``path``, in the place of what was there, when the block ends.

    A block that raises leaves what was there. Any number of programs and threads may do this at once: the last one to
    end counts. Raises `OSError` if the file cannot be renamed.
    """
    building = path.with_name(f".{path.name}.{os.getpid()}.{threading.get_ident()}.new")
    try:
        yield building
        building.replace(path)
    finally:
        building.unlink(missing_ok=True)
