"""The answers do not depend on the database that a library is in."""

from dataclasses import replace
from pathlib import Path

from db.formats.bundled import bundled_non_traps, bundled_traps
from db.games.index_games import index_files
from db.library.open import open_library
from db.query.answer import Page
from db.query.engine import QueryEngine
from db.query.query import Query, Sort
from tests.conftest import NewLibrary
from tests.support.db_traps import AVOIDED, FELL, LEGAL_FEN, LEGAL_MOVES, MIRRORED_LEGAL_FEN, write
from trapcore.measures.options import IndexedMeasure

QUERIES = [
    Query(fen=LEGAL_FEN, similar=10),
    Query(moves=LEGAL_MOVES),
    Query(fen=MIRRORED_LEGAL_FEN, similar=5, outcome="mate", victim="white"),
    *(Query(name=text) for text in ("legall", "schilling kostic", "noahs ark", "smoterd mate", "mate", "caro")),
    Query(eco="B10-B19"),
    Query(eco="C4"),
    Query(opening="caro-kann"),
    Query(source="bund"),
    Query(bait="Bxd1"),
    Query(killer="c4f7"),
    Query(min_length=2, max_length=3),
    Query(player="c", event="avoided"),
    Query(min_frequency=0.4),
    *(Query(sort=sort, limit=9) for sort in Sort if sort is not Sort.MATCH),
]


def answers(library: str, games: Path) -> list[list[str]]:
    with open_library(library, create=True) as opened:
        opened.add_all([*bundled_traps(), *bundled_non_traps()])
        index_files(opened, [games])
        query_engine = QueryEngine(opened, measure=IndexedMeasure.ABSTRACTED)
        found = []
        for query in QUERIES:
            page: Page = query_engine.ask(query)
            # A second page shows whether the database takes the cursor as the other one does.
            pages = [page] if page.next is None else [page, query_engine.ask(replace(query, after=page.next))]
            slugs = [hit.trap.slug for one in pages for hit in one.hits]
            assert len(set(slugs)) == len(slugs)
            found.append(slugs)
        query_engine.close()
    return found


def test_every_database_gives_the_same_answers(new_library: NewLibrary, tmp_path: Path) -> None:
    games = write(tmp_path / "games.pgn", FELL, AVOIDED)
    expected = answers(str(tmp_path / "file.sqlite"), games)
    for query, ours, theirs in zip(QUERIES, expected, answers(new_library(), games), strict=True):
        # Names are sorted as the database sorts texts: a server may be set to do it as dictionaries do.
        assert query.sort is Sort.NAME or ours == theirs, query
