"""The indexes of an open library: opened once for each state of its traps and weights, and for nobody twice."""

from db.library.open import open_library
from db.similarity.index_cache import IndexCache
from tests.conftest import NewLibrary
from tests.support.db_traps import elephant, legal
from trapcore.ranking.weights import shipped_weights


def test_one_cache_opens_the_index_once_for_each_state(new_library: NewLibrary) -> None:
    with open_library(new_library(), create=True) as library:
        library.add(legal())
        cache = IndexCache(library)
        first = cache.killers()
        assert cache.killers() is first
        traps, screen = cache.annotator()
        assert cache.annotator()[1] is screen
        assert screen.index is first.killers.index
        assert traps == library.traps()
        library.add(elephant())
        second = cache.killers()
        assert (len(first.killers), len(second.killers), len(cache.annotator()[0])) == (1, 2, 2)
        library.set_weights(shipped_weights())
        assert (second.source, cache.killers().source) == ("shipped", "library")
        cache.close()
