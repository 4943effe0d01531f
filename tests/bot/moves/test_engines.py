"""How a UCI engine is used, and which engine and which books a game gets."""

from dataclasses import replace
from pathlib import Path

import chess
import pytest

from bot.moves.engines import Engine
from bot.moves.move_choice import MoveSources
from bot.settings import BotSettings, EngineSettings
from lichess.api import Color, Person
from tests.support.bot_games import INFO
from tests.support.polling import until
from trapcore.errors import EngineError
from trapcore.parallel.budget import Cancellation

STOCKFISH = "/usr/games/stockfish"


@pytest.mark.skipif(not Path(STOCKFISH).exists(), reason="needs Stockfish")
def test_an_engine_gets_its_options_limits_arguments_and_folder(tmp_path: Path) -> None:
    script = tmp_path / "engine.sh"
    script.write_text(f'#!/bin/sh\npwd > "$1"\ntee "$2" | {STOCKFISH}\n')
    script.chmod(0o755)
    told = tmp_path / "told"
    settings = EngineSettings(
        command=str(script),
        arguments=(str(tmp_path / "where"), str(told)),
        working_dir=tmp_path,
        uci_options={"Hash": 32, "Skill Level": 5},
        nodes=5000,
        depth=4,
        ponder=True,
    )
    engine = Engine(settings)
    try:
        first = engine.search(chess.Board(), 5000, Cancellation())
        assert chess.Move.from_uci(first.uci) in chess.Board().legal_moves
        until(lambda: "go ponder" in told.read_text())
        lines = told.read_text().splitlines()
    finally:
        engine.close()
    assert (tmp_path / "where").read_text().strip() == str(tmp_path)
    assert {"setoption name Hash value 32", "setoption name Skill Level value 5"} <= set(lines)
    (go,) = [line for line in lines if line.startswith("go ") and "ponder" not in line]
    assert "depth 4" in go
    assert "nodes 5000" in go
    wrong = settings.model_copy(update={"uci_options": {"Hasch": 1}})
    with pytest.raises(EngineError, match="does not take its options"):
        Engine(wrong).search(chess.Board(), 5000, Cancellation())


def test_books_and_engines_by_kind_of_game(tmp_path: Path) -> None:
    settings = BotSettings(
        engine="slow",  # type: ignore[arg-type]
        profiles=(
            {"speeds": ["bullet"], "color": "white", "engine": {"command": "fast"}},
            {"variants": ["chess960"], "books": []},
            {"opponent": "bots", "speeds": ["rapid"], "engine": "strong"},
        ),  # type: ignore[arg-type]
    )

    def command(variant: str, speed: str, color: Color, opponent: Person = INFO.opponent) -> str:
        info = replace(INFO, variant=variant, speed=speed, color=color, opponent=opponent)
        engine = settings.engine_for(info)
        assert engine is not None
        return engine.command

    assert command("standard", "bullet", "white") == command("chess960", "bullet", "white") == "fast"
    assert command("standard", "bullet", "black") == command("chess960", "blitz", "white") == "slow"
    assert command("standard", "rapid", "white") == "slow"
    assert command("standard", "rapid", "white", Person("robot", "Robot", "BOT")) == "strong"
    sources = MoveSources.of(settings)
    plain = replace(INFO, speed="blitz")
    assert sources.for_game(plain).openings is sources.openings
    assert sources.for_game(replace(plain, variant="chess960")).openings is sources.profiles[1][1]
