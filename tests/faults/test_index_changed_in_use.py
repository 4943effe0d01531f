"""The index of killers is cut short, replaced, damaged or deleted while a server uses it."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.web_server import LEGAL, make_library, serving


def _cut(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def _empty(path: Path) -> None:
    os.truncate(path, 0)


def _flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def _replace(path: Path) -> None:
    other = path.with_name("other")
    other.write_bytes(b"something else")
    other.rename(path)


HARMS: list[Callable[[Path], None]] = [_cut, _empty, _flip, _replace, Path.unlink]


@pytest.mark.fault
def test_a_server_outlives_whatever_happens_to_its_index(tmp_path: Path) -> None:
    library = tmp_path / "library.sqlite"
    make_library(library)
    with serving(library, tmp_path) as server, server.client() as client:

        def similar() -> object:
            answer = client.get("/api/v1/similar", params={"fen": LEGAL})
            assert answer.status_code == 200, answer.text
            return answer.json()["hits"]

        expected = similar()
        assert expected
        for harm in HARMS:
            for name in ("manifest", "segment-*", "built"):
                found = [path for path in tmp_path.glob("library.sqlite*/**/*") if path.match(name)]
                assert found, name
                for path in found:
                    harm(path)
                assert similar() == expected, (harm.__name__, name)
                assert server.process.poll() is None
        for folder in tmp_path.glob("library.sqlite*"):
            if folder.is_dir():
                shutil.rmtree(folder)
        assert similar() == expected
