"""What an engine sees of the positions of games before they are judged."""

import pickle
from pathlib import Path

import pytest

from annotator.engine_check import EngineVerifier
from annotator.known_traps import KnownTraps
from annotator.request import AnalysisOptions, AnalysisRequest, BatchAnalyzer
from annotator.settings import AnalysisSettings, Tell
from tests.support.uci_engines import engine_of
from trapcore import _native
from trapcore.measures.options import IndexedMeasure
from trapcore.parallel.budget import Cancellation

GAMES = b"""[Event "a"]

1. e4 e5 2. Nf3 d6 3. Bc4 h6 *

[Event "b"]
[SetUp "1"]
[FEN "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w - - 2 9"]
[Variant "Chess960"]

9. e4 d5 *

[Event "unreadable"]

1. Ke5 *
"""


def batch_of(games: bytes) -> _native.Batch:
    splitter = _native.PgnSplitter()
    return [*splitter.feed(games), *splitter.finish()][0]


def analyzer(engine: str) -> BatchAnalyzer:
    options = AnalysisOptions(tell=Tell.LOSSES, measure=IndexedMeasure.SEQUENCES, evaluations=True)
    return BatchAnalyzer(AnalysisRequest.from_settings(AnalysisSettings(engine=engine), options), KnownTraps(()))


def test_every_position_of_a_game_has_its_look_and_the_values_are_the_engines(tmp_path: Path) -> None:
    command = engine_of(tmp_path, "40 if board.turn == chess.WHITE else -40")
    with EngineVerifier(command, 100_000) as verifier:
        seen = pickle.loads(pickle.dumps(verifier.looked(batch_of(GAMES))))
    found = analyzer(command)(seen, Cancellation())
    assert (found.games, found.proof_nodes < _native.PASS_NODES) == (3, True)
    values = [value for game in found.found for value in game.judged]
    assert len(values) == 7 + 3
    for value in values:
        assert value.nodes == _native.ENGINE + _native.LOOK_NODES
        assert (value.chance > 0) == (" w " in value.fen)


@pytest.mark.parametrize("looks", [None, {}, {1: [(0.0, None, None)]}])
def test_a_batch_without_the_looks_of_its_games_is_refused(
    looks: dict[int, list[tuple[float, int | None, str | None]]] | None,
) -> None:
    batch = batch_of(GAMES)
    with pytest.raises(ValueError, match="looks at game 1"):
        analyzer("an-engine")(batch if looks is None else batch.with_looks(looks), Cancellation())
