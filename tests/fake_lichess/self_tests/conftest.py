"""Servers of the tests of the stand-in."""

from collections.abc import Iterator

import pytest

from tests.fake_lichess.http import published as description
from tests.fake_lichess.http.published import FILE, Published
from tests.support.public_data import skip_without
from tests.support.server_with_bot import ServerWithBot, server_with_bot


@pytest.fixture
def setup() -> Iterator[ServerWithBot]:
    """Server whose time stands still."""
    with server_with_bot() as made:
        yield made


@pytest.fixture(scope="module")
def published() -> Published:
    skip_without(FILE)
    found = description.published()
    assert found is not None
    return found


@pytest.fixture
def checked(published: Published) -> Iterator[ServerWithBot]:
    """Server whose client checks every answer against the published description."""
    with server_with_bot(check=published.check) as made:
        yield made
