"""What all games of the bot share."""

from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass

from bot.chat.worker import ChatWorker
from bot.health import LatencyStats
from bot.moves.board import GameBoard
from bot.moves.move_choice import MoveSources
from bot.moves.repertoires import Repertoires
from bot.moves.search_pool import SearchPool
from bot.moves.time_management import Lag
from bot.moves.trap_book import TrapBook, TrapLibrary
from bot.saved_state import SavedState
from bot.settings import BotSettings, has_other_rules
from lichess.api import GameInfo, GameState, Lichess
from lichess.rate_limits import Pauses
from trapcore.errors import InputError


@dataclass(frozen=True, slots=True)
class GameContext:
    """Services and settings that all games of the bot share."""

    lichess: Lichess
    me: str
    """Id of the account."""
    settings: BotSettings
    pauses: Pauses
    saved_state: SavedState
    traps: TrapLibrary
    sources: MoveSources
    repertoires: Repertoires
    lag: Lag
    chat: ChatWorker
    deciders: Executor
    """Threads that choose and send moves."""
    search_pool: SearchPool
    requests: Executor
    """Threads that send all other requests."""
    latency_stats: LatencyStats
    ended: Callable[[str, GameInfo | None, GameState | None], None]
    """Called once when a game is over, or turns out not to be ours, with its id."""

    def book_for(self, info: GameInfo) -> TrapBook | None:
        """The traps for a game; None while the library is not loaded, and for variants of other rules."""
        return None if has_other_rules(info.variant) else self.traps.book

    def board_for(self, info: GameInfo) -> GameBoard:
        """The board of a game. Raises `InputError` and `PositionError` for one that cannot be played."""
        if has_other_rules(info.variant) and self.settings.engine_for(info) is None:
            raise InputError(f"no engine plays {info.variant}")
        return GameBoard(info)
