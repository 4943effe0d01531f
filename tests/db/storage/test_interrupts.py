"""Ctrl-C while a library is read or written ends the program as an interrupt, whatever becomes of the connection."""

import pytest

from db.library.library import Library
from db.library.open import open_library
from tests.conftest import NewLibrary
from tests.support.db_traps import elephant, legal


@pytest.mark.parametrize("writes", [False, True])
def test_an_interrupt_that_takes_the_connection_with_it_stays_one(new_library: NewLibrary, writes: bool) -> None:
    with open_library(new_library(), create=True) as library:
        library.add(legal())
        with pytest.raises(KeyboardInterrupt):
            _interrupted(library, writes=writes)
        # Others go on.
        library.add(elephant())
        assert len(library.traps()) == 2


def _interrupted(library: Library, *, writes: bool) -> None:
    with library.database.write() if writes else library.database.read() as connection:
        held = connection.connection.dbapi_connection
        assert held is not None
        try:
            raise KeyboardInterrupt
        finally:
            # As the driver closes it where it cannot end a statement.
            held.close()
            connection.exec_driver_sql("SELECT 1")
