"""Health and metrics on the loopback interface."""

import json
import socket
import urllib.error
import urllib.request

import pytest

from trapcore.errors import OutputError
from trapcore.io.status_server import Metric, exposition, serve

METRICS = [
    Metric("games_total", "games played", 3, is_counter=True),
    Metric("held_seconds", "wait", 1.5, {"requests": 'a "kind"'}),
    Metric("held_seconds", "wait", 2, {"requests": "chat"}),
]
TEXT = """\
# HELP games_total games played
# TYPE games_total counter
games_total 3
# HELP held_seconds wait
# TYPE held_seconds gauge
held_seconds{requests="a \\"kind\\""} 1.5
held_seconds{requests="chat"} 2
"""


def test_the_text_format_of_prometheus() -> None:
    assert exposition(METRICS) == TEXT


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port


def test_health_and_metrics_are_told_on_loopback() -> None:
    well: dict[str, object] = {"ok": True, "games": []}
    port = free_port()
    end = serve(port, lambda: well, lambda: METRICS)
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/health") as answer:
            assert json.load(answer) == well
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics") as answer:
            assert answer.read().decode() == TEXT
        well["ok"] = False
        for path, status in (("health", 503), ("nothing", 404)):
            with pytest.raises(urllib.error.HTTPError) as caught:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/{path}")
            assert caught.value.code == status
            caught.value.close()
        with pytest.raises(OutputError, match="port"):
            serve(port, lambda: well, lambda: METRICS)
    finally:
        end()
