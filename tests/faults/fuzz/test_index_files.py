"""Files of an index with changes: it is refused, or it answers as before."""

import random
import shutil
from pathlib import Path

from tests.faults.fuzz.mutations import changed_bytes
from tests.faults.fuzz.running import tries
from trapcore import _native
from trapcore.errors import IndexFileError

VOCABULARY = 1


def build(path: Path) -> list[list[int]]:
    chance = random.Random(5)
    sets = [sorted(chance.sample(range(1, 500), 12)) for _ in range(60)]
    weights = {token: 0.5 + token % 7 for token in range(1, 500)}
    entries = list(enumerate(sets, start=1))
    _native.build_token_index(path, entries, weights=weights, default_weight=1.0, vocabulary=VOCABULARY)
    more = [(100 + number, tokens) for number, tokens in enumerate(sets[:5])]
    _native.change_token_index(path, vocabulary=VOCABULARY, add=more, remove=[1])
    return sets


def test_any_byte_of_any_file(tmp_path: Path) -> None:
    sets = build(tmp_path / "index")
    before = _native.TokenIndex(tmp_path / "index", vocabulary=VOCABULARY).top(sets, 3)
    for chance in tries():
        index = tmp_path / "changed"
        shutil.copytree(tmp_path / "index", index)
        files = sorted(path for path in index.rglob("*") if path.is_file())
        changed = chance.choice(files)
        data = changed.read_bytes()
        changed.write_bytes(changed_bytes(chance, data, [path.read_bytes() for path in files]))
        try:
            found = _native.TokenIndex(index, vocabulary=VOCABULARY)
        except IndexFileError:
            pass
        else:
            assert found.top(sets, 3) == before, changed.name
        shutil.rmtree(index)
