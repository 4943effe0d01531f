"""Messages that are written once: for each key, until it is reset, and never without end."""

import logging

import pytest

from trapcore.io.log_once import OnceLogger

LOG = logging.getLogger("tests.log_once")


def test_a_message_is_written_once_for_its_key(caplog: pytest.LogCaptureFixture) -> None:
    once = OnceLogger(LOG)
    with caplog.at_level(logging.INFO):
        for number in range(3):
            once.write(logging.WARNING, "a", "a %d", number)
        once.write(logging.INFO, "b", "b")
        once.reset("a")
        once.reset("never written")
        once.write(logging.WARNING, "a", "a %d", 7)
    assert caplog.messages == ["a 0", "b", "a 7"]
    assert [record.levelname for record in caplog.records] == ["WARNING", "INFO", "WARNING"]
