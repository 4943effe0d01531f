"""What all tests share: where the real data is, and that CI skips nothing."""

import os
from pathlib import Path

import pytest

#: Real games, puzzles and positions beside the checkout; absent on most machines.
DATA = Path(__file__).parents[2] / "shared" / "data"


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """In CI a skipped test is a failed run: what was not tested is not known to work."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if os.environ.get("CI") == "true" and reporter is not None and reporter.stats.get("skipped") and exitstatus == 0:
        reporter.write_line(f"CI: {len(reporter.stats['skipped'])} tests were skipped, which counts as a failure")
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.fixture
def by_sequences(monkeypatch: pytest.MonkeyPatch) -> None:
    """For tests to which it does not matter how positions are compared: this way needs no index beside the library."""
    monkeypatch.setenv("TRAPLINE_MEASURE", "sequences")
