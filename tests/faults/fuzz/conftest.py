"""The time limit of a fuzz target, which may be asked to search for an hour."""

import pytest

from tests.faults.fuzz.running import CORPUS, SECONDS


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give each target what it takes beside the time that it searches."""
    for item in items:
        if CORPUS.parent in item.path.parents:
            item.add_marker(pytest.mark.timeout(SECONDS + 600))
