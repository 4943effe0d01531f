"""A library with two traps and the games of Ann."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from db.games.index_games import index_files
from db.library.library import Library
from db.library.open import open_library
from tests.support.db_traps import elephant, legal, write
from tests.support.trap_games import game
from trapcore.proof.verdict import Verdict

Index = Callable[..., Library]


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with open_library(tmp_path / "library.sqlite", create=True) as opened:
        proved = {"verdict": Verdict.PROVED, "proof_by": "a test", "proof_nodes": 1}
        opened.add_all([replace(legal(), mate_in=2, **proved), replace(elephant(), **proved)])  # type: ignore[arg-type]
        yield opened


@pytest.fixture
def index(library: Library, tmp_path: Path) -> Index:
    """Indexes games, each given as (moves with the result, White, Black)."""

    def run(*games: tuple[str, str, str], **tags: str) -> Library:
        texts = [
            game(moves, white, black, Result=moves.split()[-1], Round=str(number), **tags)
            for number, (moves, white, black) in enumerate(games)
        ]
        index_files(library, [write(tmp_path / f"games{len(tags)}.pgn", *texts)])
        library.record_occurrences()
        return library

    return run
