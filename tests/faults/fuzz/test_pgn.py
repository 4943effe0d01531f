"""Games with changes: nothing of them is lost, whatever is told of them, and a second run changes nothing."""

from pathlib import Path

import pytest

from tests.annotator.test_preservation import GAMES, is_contained, rewritten
from tests.faults.fuzz.mutations import changed_bytes
from tests.faults.fuzz.running import corpus, tries
from tests.support.trap_games import game

VARIED = (
    '[FEN "r2qkbnr/ppp2ppp/2np4/4N3/2B1P1b1/2N5/PPPP1PPP/R1BQK2R b KQkq - 0 5"]\n[SetUp "1"]\n\n'
    "5... Bxd1 $4 {takes [%clk 0:01:02]} (5... dxe5 6. Qxg4 (6. d4 $1) 6... Nf6 ; a line\n) 6. Bxf7+ Ke7 7. Nd5# 1-0\n"
)
SAMPLES = [game(moves).encode() for moves in GAMES] + [
    VARIED.encode(),
    game(GAMES[0], white="Légal, Sire de").encode("latin-1"),
    b"\xef\xbb\xbf" + game(GAMES[0]).replace("\n", "\r\n").encode(),
    b"% escaped {\n" + game(GAMES[4], FEN="8/8/8/8/8/8/8/8 w - - 0 1", Variant="Chess960").encode(),
    ('\ufeff[White "A"]\n\n1. e4 *\n').encode("utf-16"),
]


def annotate(data: bytes) -> None:
    after, counts = rewritten(data)
    assert is_contained(data, after)
    if not counts.annotated:
        assert after == data
    again, _ = rewritten(after)
    assert again == after


@pytest.mark.parametrize("found", corpus("pgn"), ids=lambda path: path.stem)
def test_what_was_found_once(found: Path) -> None:
    annotate(found.read_bytes())


def test_any_bytes() -> None:
    for chance in tries():
        annotate(changed_bytes(chance, b"\n".join(chance.sample(SAMPLES, chance.randint(1, 4))), SAMPLES))
