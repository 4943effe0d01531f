"""Libraries that are made once for a whole run of the tests, and copied by whoever needs one."""

import shutil
import time
from collections.abc import Callable
from pathlib import Path

from db.library.open import create_library

#: Where they lie: a folder that all processes of a run have in common. `tests/conftest.py` sets it.
folder: Path | None = None

PATIENCE_SECONDS = 300.0


def copy_of(name: str, make: Callable[[Path], None], path: Path) -> None:
    """Copy a file that ``make`` makes at the path it is given; it is called once in a run, whatever asks first."""
    assert folder is not None, "tests/conftest.py sets it at the start of a run"
    template, building, lock = folder / name, folder / f"new-{name}", folder / f"{name}.lock"
    end = time.monotonic() + PATIENCE_SECONDS
    while not template.exists():
        try:
            lock.touch(exist_ok=False)
        except FileExistsError:
            assert time.monotonic() < end, f"nobody made {template}"
            time.sleep(0.05)
            continue
        try:
            # It may have been made between the two looks.
            if not template.exists():
                make(building)
                building.rename(template)
        finally:
            lock.unlink()
    shutil.copyfile(template, path)


def copy_empty_library(path: Path) -> None:
    """A library without anything in it."""
    copy_of("empty.sqlite", create_library, path)
