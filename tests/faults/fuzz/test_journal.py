"""Journals and parts of an interrupted run with changes: refused in words, or continued to the very same output."""

import json
import random
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

from tests.annotator.test_resume import journals, many_games
from tests.faults.fuzz.mutations import changed_bytes
from tests.faults.fuzz.running import tries
from tests.support.trap_games import make_library
from trapcore.errors import InputError, TraplineError
from trapline.commands.annotate import annotate

pytestmark = pytest.mark.usefixtures("by_sequences")


@pytest.fixture
def run(tmp_path: Path) -> Callable[[Callable[[Path], None]], None]:
    """Continues a run after what it is given has changed the work folder."""
    library = make_library(tmp_path / "library.sqlite")
    packed = zstandard.compress(many_games(700, 3).encode())
    source, folder = tmp_path / "in.pgn.zst", tmp_path / "out"
    folder.mkdir()
    options = {"output": str(folder / "out.pgn"), "db": str(library), "quiet": True, "jobs": 1}
    source.write_bytes(packed)
    annotate([str(source)], **{**options, "output": str(tmp_path / "whole.pgn")})  # type: ignore[arg-type]
    source.write_bytes(packed[: len(packed) * 3 // 4])
    with pytest.raises(InputError, match="too early"):
        annotate([str(source)], strict=True, **options)  # type: ignore[arg-type]
    source.write_bytes(packed)
    (journal,) = journals(folder)
    assert json.loads(journal.read_text().partition("\n")[2])["inputs"][0]["consumed"] > 0
    left = tmp_path / "left"
    folder.rename(left)

    def change(harm: Callable[[Path], None]) -> None:
        shutil.copytree(left, folder)
        (found,) = journals(folder)
        harm(found)
        try:
            annotate([str(source)], resume=True, **options)  # type: ignore[arg-type]
        except TraplineError:
            assert not (folder / "out.pgn").exists()
        else:
            assert (folder / "out.pgn").read_bytes() == (tmp_path / "whole.pgn").read_bytes()
        shutil.rmtree(folder)

    return change


def change_bytes(chance: random.Random, journal: Path) -> None:
    """Change a file of the work folder."""
    changed = chance.choice([path for path in journal.parent.iterdir() if path.is_file()])
    data = changed.read_bytes()
    changed.write_bytes(changed_bytes(chance, data, [data[:1000]]))


def test_any_change(run: Callable[[Callable[[Path], None]], None]) -> None:
    run(lambda journal: None)
    for chance in tries():
        run(lambda journal, chance=chance: change_bytes(chance, journal))  # type: ignore[misc]
