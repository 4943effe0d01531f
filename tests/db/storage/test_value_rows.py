"""Values of positions in a library: the deepest one stays."""

from db.library.open import open_library
from db.storage.value_rows import store_values, stored_values
from db.traps.position_value import PositionValue
from tests.conftest import NewLibrary

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -"
OTHER = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -"


def test_a_deeper_value_replaces_a_shallower_one_and_not_the_other_way_round(new_library: NewLibrary) -> None:
    shallow = PositionValue(0.1, 4_000, ("e2e4",), "own")
    deep = PositionValue(0.2, 200_000, ("d2d4", "d7d5"), "own")
    engines = PositionValue.of_engine(0.05, 1_000, ("g1f3",), "Stockfish 16")
    with open_library(new_library(), create=True) as library:
        for given, expected in (
            (shallow, shallow),
            (deep, deep),
            (shallow, deep),
            (engines, engines),
            (deep, engines),
        ):
            with library.database.write() as connection:
                store_values(connection, {START: given, OTHER: shallow})
                assert stored_values(connection, [START, OTHER]) == {START: expected, OTHER: shallow}
        assert (engines.nodes, engines.best, engines.is_engines) == (1_000, "g1f3", True)
