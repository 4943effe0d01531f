"""Which engine is used: none unless one was chosen."""

from pathlib import Path

import pytest

from annotator.settings import AnalysisSettings
from db.proof.engine_choice import AUTO, OFF, engine_command, installed_stockfish


def test_none_is_used_unless_one_was_chosen(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    stockfish = tmp_path / "stockfish"
    stockfish.write_text("#!/bin/sh\n")
    stockfish.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert installed_stockfish() == str(stockfish)
    assert AnalysisSettings(engine="off").engine_command is None
    assert engine_command(OFF) is None
    assert engine_command("none") is None
    assert AnalysisSettings().engine_command == engine_command(AUTO) == str(stockfish)
    assert engine_command("another-engine") == "another-engine"


def test_auto_is_none_where_no_stockfish_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda _: None)
    assert engine_command(AUTO) is None
