"""What must not be made in two threads at once is made by one of them."""

import threading
import time
from typing import Any

import pydantic
import pytest
from pydantic import TypeAdapter

from db.traps import json_form
from trapline.web.app import WRITTEN


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
