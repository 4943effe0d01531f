"""A position as people write it: whoever reads one, command, library, page, API or a game's tag, reads the same."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from db.library.open import open_library
from db.query.engine import QueryEngine
from db.query.query import Query
from tests.support.db_traps import LEGAL_FEN, MIRRORED_LEGAL_FEN, legal
from tests.support.trap_games import records
from tests.support.web_server import Served, make_library, served
from trapcore import _native
from trapcore.errors import PositionError
from trapcore.measures.options import IndexedMeasure
from trapcore.trees.position_key import canonical_epd

PIECES = "r2qkbnr/ppp2ppp/2np4/4N3/2B1P1b1/2N5/PPPP1PPP/R1BQK2R"
WITH, WITHOUT = f"{PIECES} b KQkq -", f"{PIECES} b - -"
READ = [
    (f"{PIECES} b KQkq - 0 5", WITH),
    (f"  {PIECES} b KQkq - 0 5\t", WITH),
    (f"{PIECES} b KQkq -", WITH),
    (f"{PIECES} b KQkq - 0", WITH),
    (f"{PIECES} b KQkq", WITH),
    (f"{PIECES}_b_KQkq_-_0_5", WITH),
    (f"https://lichess.org/analysis/{PIECES}_b_KQkq_-_0_5", WITH),
    (f"https://lichess.org/analysis/fromPosition/{PIECES}_b_KQkq_-_0_5?color=black", WITH),
    (f"https://lichess.org/editor/{PIECES}_b_KQkq_-_0_5", WITH),
    (f"lichess.org/editor/{PIECES}%20b%20KQkq%20-%200%205#5", WITH),
    (f"{PIECES} b - - 0 5", WITHOUT),
    (f"{PIECES} b - 0 5", WITHOUT),
    (f"{PIECES} b 0 5", WITHOUT),
    (f"{PIECES} b", WITHOUT),
    # A right without its rook, and a square where no pawn can be taken in passing.
    ("4k3/8/8/8/8/8/8/4K2R w KQkq - 0 1", "4k3/8/8/8/8/8/8/4K2R w K -"),
    ("4k3/8/8/8/4P3/8/8/4K3 b - e3 0 1", "4k3/8/8/8/4P3/8/8/4K3 b - -"),
    (
        "bqrnkrnb/pppppppp/8/8/8/8/PPPPPPPP/BQRNKRNB w FCfc - 0 1",
        "bqrnkrnb/pppppppp/8/8/8/8/PPPPPPPP/BQRNKRNB w KQkq -",
    ),
]
REFUSED = ["", "e4 e5", "8/8/8/8/8/8/8/8 w - - 0 1", "4k3/8/8/8/8/8/8/44K2 w - - 0 1", f"{PIECES} x KQkq - 0 5"]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    library = tmp_path_factory.mktemp("web") / "library.sqlite"
    make_library(library)
    with served(library, library.parent) as running:
        yield running


@pytest.fixture
def client(server: Served) -> Iterator[httpx.Client]:
    with server.client() as found:
        yield found


@pytest.mark.parametrize(("text", "epd"), READ)
def test_every_reader_of_a_position_reads_it(client: httpx.Client, text: str, epd: str) -> None:
    assert canonical_epd(text) == _native.epd(text) == epd
    (record,) = records(f'[Event "?"]\n[FEN "{text}"]\n\n*\n'.encode()).records
    assert record.start_fen is not None
    assert _native.epd(record.start_fen) == epd
    answer = client.get("/api/v1/traps", params={"fen": text}).json()
    assert bool(answer["hits"]) == (epd == WITH)
    assert bool(answer["other_castling"]) == (epd == WITHOUT)
    shown = client.get("/position", params={"fen": text})
    assert shown.status_code == 200
    assert epd.split(" ")[0] in shown.text


@pytest.mark.parametrize("text", REFUSED)
def test_every_reader_refuses_what_is_no_position(client: httpx.Client, text: str) -> None:
    with pytest.raises(PositionError):
        canonical_epd(text)
    with pytest.raises(PositionError):
        _native.epd(text)
    read = records(f'[Event "?"]\n[FEN "{text}"]\n\n*\n'.encode())
    assert (read.records, [skipped.reason for skipped in read.skipped]) == ([], ["bad-fen"]) or not text
    assert client.get("/api/v1/traps", params={"fen": text}).status_code == (422 if text else 400)
    assert client.get("/position", params={"fen": text}).status_code == (400 if text else 200)


def test_other_castling_rights_of_a_known_position_are_told(tmp_path: Path) -> None:
    with open_library(tmp_path / "library.sqlite", create=True) as library:
        library.add(legal())
        query_engine = QueryEngine(library, measure=IndexedMeasure.ABSTRACTED)
        for fen in (LEGAL_FEN, MIRRORED_LEGAL_FEN):
            pieces, side, rights, *_ = fen.split(" ")
            without = query_engine.ask(Query(fen=f"{pieces} {side} - - 0 1"))
            assert (without.hits, without.other_castling) == ((), (rights,))
            assert query_engine.ask(Query(fen=fen)).other_castling == ()
            other_side = "b" if side == "w" else "w"
            assert query_engine.ask(Query(fen=f"{pieces} {other_side} - - 0 1")).other_castling == ()
