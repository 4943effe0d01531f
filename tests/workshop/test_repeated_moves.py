"""Moves that come back in a library, held against a reference engine."""

from pathlib import Path

import pytest

from db.games.index_games import index_files
from db.library.open import open_library
from trapcore.engines.uci_engine import UciEngine
from workshop.benchmarks.stockfish import STOCKFISH
from workshop.coverage.labels import Reference
from workshop.experiments.repeated_moves import evaluate_move, report, sample_moves
from workshop.report import markdown

LEGAL = "1. e4 e5 2. Nf3 Nc6 3. Bc4 d6 4. Nc3 Bg4 5. Nxe5 Bxd1 6. Bxf7+ Ke7 7. Nd5# 1-0"
OTHER = "1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. c3 Nf6 *"


@pytest.mark.skipif(STOCKFISH is None, reason="Stockfish is not installed")
def test_of_the_moves_that_come_back_those_that_lose_are_listed(tmp_path: Path) -> None:
    assert STOCKFISH is not None
    games = tmp_path / "games.pgn"
    games.write_text("".join(f'[White "{n}"]\n\n{text}\n\n' for n, text in enumerate([LEGAL, LEGAL, OTHER])))
    with open_library(tmp_path / "a.sqlite", create=True) as library:
        index_files(library, [games])
        # The 13 moves of Legal's game; what the third game has alone comes once.
        count, sample = sample_moves(library, 2, 100, 1)
        assert count == len(sample) == 13
        assert len(sample_moves(library, 2, 4, 1)[1]) == 4
    with UciEngine(STOCKFISH) as engine:
        reference = Reference(STOCKFISH, nodes=5_000, deep_nodes=20_000)
        found = {one.place.bait: one for one in (evaluate_move(engine, reference, place) for place in sample)}
    assert found["g4d1"].loss > 0.5
    assert found["e2e4"].loss < 0.1
    text = markdown(report(list(found.values()), 1300, "engine"))
    assert "1,300 moves came back, of which 13 were drawn. The reference is engine." in text
    (line,) = [line for line in text.splitlines() if " g4d1, " in line]
    assert "in 2 games" in line
