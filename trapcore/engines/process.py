"""Process of a UCI engine: its start, options, restarts and time limits, and the errors that say what is wrong."""

import logging
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal, Self

import chess
import chess.engine

from trapcore.errors import EngineError

START_SECONDS = 15.0
"""How long an engine may take to start."""

USUAL_OPTIONS: Mapping[str, int] = {"Threads": 1, "Hash": 64}
"""Options of engines that know them, unless something else is asked for."""

# It writes each line of an engine that it cannot read, however long; what is wrong then is an error here.
logging.getLogger(chess.engine.__name__).setLevel(logging.CRITICAL)
# It warns where an engine outlives the loop that started it, as one does that has to be ended by force.
logging.getLogger("asyncio").setLevel(logging.ERROR)


class EngineDied(EngineError):
    """The process has ended during a question. The next question starts it again."""


class EngineProcess:
    """One engine. It is ended if it fails, and started again for the next question."""

    def __init__(
        self,
        command: str,
        options: Mapping[str, object] | None = None,
        arguments: Sequence[str] = (),
        folder: Path | None = None,
        *,
        protocol: Literal["uci", "xboard"] = "uci",
        starts: int = 2,
        grace_seconds: float = 0.0,
    ) -> None:
        """Engine ``command``, a path or a name in the search path, which works in a folder.

        It is started at most ``starts`` times, first by `start` or the first question. An answer may come
        ``grace_seconds`` after its time, or `START_SECONDS` if that is 0.
        """
        self.command = self.name = command
        """The name is as the engine gives it, with its version, once it has started."""
        self._options = dict(options or {})
        self._arguments, self._folder, self._protocol = arguments, folder, protocol
        self._starts, self._most, self._grace_seconds = 0, starts, grace_seconds
        self._engine: chess.engine.SimpleEngine | None = None

    def start(self) -> chess.engine.SimpleEngine:
        """Start the process unless it runs. Raises `EngineError`."""
        if self._engine is not None:
            return self._engine
        if self._starts == self._most:
            raise EngineError(f"the engine {self.command} failed {self._most} times and is not started again")
        self._starts += 1
        try:
            is_xboard = self._protocol == "xboard"
            opened = chess.engine.SimpleEngine.popen_xboard if is_xboard else chess.engine.SimpleEngine.popen_uci
            engine = opened([self.command, *self._arguments], timeout=START_SECONDS, cwd=self._folder)
        except (OSError, chess.engine.EngineError, TimeoutError) as error:
            reason = (
                getattr(error, "strerror", None) or str(error) or f"it does not answer as a {self._protocol} engine"
            )
            raise EngineError(f"the engine {self.command} cannot be started: {reason}") from error
        self._engine, self.name = engine, engine.id.get("name", self.command)
        usual = {name: value for name, value in USUAL_OPTIONS.items() if name in engine.options}
        self.configure({**usual, **self._options})
        engine.timeout = self._grace_seconds or START_SECONDS
        return engine

    def configure(self, options: Mapping[str, object]) -> None:
        """Set options, now and at each start. Raises `EngineError` if it does not take them."""
        self._options.update(options)
        try:
            self.start().configure(dict(options))  # type: ignore[arg-type]
        except (chess.engine.EngineError, TimeoutError) as error:
            self._end()
            raise EngineError(f"the engine {self.command} does not take its options: {error}") from error

    def play(
        self, board: chess.Board, limit: chess.engine.Limit, **how: Any
    ) -> tuple[chess.Move, chess.engine.InfoDict]:
        """The move of a search and what the engine says of it; ``how`` as `chess.engine.SimpleEngine.play` takes it.

        Raises `EngineDied`, and `EngineError` if it cannot be started, gives no legal move, or takes too long.
        """
        engine = self.start()
        try:
            result = engine.play(board, limit, **how)
        except (chess.engine.EngineError, TimeoutError) as error:
            self._end()
            if isinstance(error, TimeoutError):
                raise self.too_slow(limit.time) from error
            if isinstance(error, chess.engine.EngineTerminatedError):
                raise EngineDied(f"the engine {self.command} died at {board.fen()}") from error
            raise EngineError(f"the engine {self.command} answered wrongly at {board.fen()}: {error}") from error
        # python-chess takes the move 0000 for one that passes.
        if result.move is None or result.move not in board.legal_moves:
            self._end()
            raise EngineError(f"the engine {self.command} gave no legal move for {board.fen()}")
        return result.move, result.info

    def too_slow(self, seconds: float | None) -> EngineError:
        """The error of an answer that took longer."""
        return EngineError(f"the engine {self.command} took more than {seconds:g} s; give it more time or fewer nodes")

    def close(self) -> None:
        """End the process; by force if it does not go by itself."""
        self._starts = self._most
        with suppress(chess.engine.EngineError, TimeoutError):
            if self._engine is not None:
                self._engine.quit()
        self._end()

    def __enter__(self) -> Self:
        """The engine."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close."""
        self.close()

    def _end(self) -> None:
        if self._engine is not None:
            self._engine.close()
            self._engine = None
