"""What takes long to make, or must not be made in two threads at once, is made before the first request."""

import ast
import threading
import time
from pathlib import Path
from typing import Any
from urllib.parse import quote

import jinja2
import pydantic
import pytest
from pydantic import TypeAdapter

from db.formats.bundled import bundled_traps
from db.traps import json_form
from tests.soak.server.readers import ADDRESSES
from tests.support.web_server import GAMES, LEGAL, TOKEN, make_library, served
from trapline.web import app as application
from trapline.web.app import WRITTEN

TRAP = next(trap for trap in bundled_traps() if trap.family == "legal")
NEW = next(trap for trap in bundled_traps() if trap.slug == "vienna-4-nxc3")
"""Not in the library that is served."""


def test_no_request_parses_source_or_makes_what_does_not_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(json_form, "_ADAPTERS", {})
    library = tmp_path / "library.sqlite"
    make_library(library)
    made: list[str] = []
    parse, compiled = ast.parse, jinja2.Environment.compile

    def parsed(source: Any, *rest: Any, **named: Any) -> Any:
        if isinstance(source, str):  # bytes are a module that pytest rewrites when it is imported
            made.append(f"parsed: {source[:80]!r}")
        return parse(source, *rest, **named)

    def compile_template(environment: jinja2.Environment, source: Any, name: str | None = None, *rest: Any) -> Any:
        made.append(f"compiled: {name}")
        return compiled(environment, source, name, *rest)

    def describe(*_: object, **__: object) -> Any:
        made.append("described")

    values = {"slug": TRAP.slug, "fen": quote(LEGAL), "game": "1", "player": "Anand"}
    with served(library, tmp_path, web_token=TOKEN) as server, server.client() as client:
        monkeypatch.setattr(ast, "parse", parsed)
        monkeypatch.setattr(jinja2.Environment, "compile", compile_template)
        monkeypatch.setattr(application, "get_openapi", describe)
        monkeypatch.setattr(application, "encode_json", describe)
        headers = {"Accept": "text/html,*/*"}
        for paths in ADDRESSES.values():
            for path in paths:
                assert client.get("/" + path.format(**values).lstrip("/"), headers=headers).status_code < 500, path
        pgn = {"Content-Type": "application/x-chess-pgn"}
        assert client.post("api/v1/annotate?tell=known", content=GAMES.read_bytes(), headers=pgn).status_code == 200
        body = {"name": "New", "fen": NEW.epd, "bait": NEW.bait, "line": " ".join(NEW.killer_line)}
        stored = client.post("api/v1/traps", json=body, headers={"Authorization": f"Bearer {TOKEN}"})
        assert stored.status_code == 201
    assert made == []


def test_one_form_is_built_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    building: list[type] = []
    together: list[list[type]] = []

    def build(kind: type) -> TypeAdapter[Any]:
        building.append(kind)
        time.sleep(0.02)
        together.append(building.copy())
        building.remove(kind)
        return TypeAdapter(int)

    monkeypatch.setattr(json_form, "_ADAPTERS", {})
    monkeypatch.setattr(pydantic, "TypeAdapter", build)
    threads = [threading.Thread(target=json_form.prepare, args=(kind,)) for kind in (*WRITTEN, *WRITTEN)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(map(len, together)) == [1] * len(WRITTEN)
