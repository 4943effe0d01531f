"""What all games of the bot share."""

from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass

from bot.chat.worker import ChatWorker
from bot.health import LatencyStats
from bot.moves.move_choice import MoveSources
from bot.moves.repertoires import Repertoires
from bot.moves.search_pool import SearchPool
from bot.moves.time_management import Lag
from bot.moves.trap_book import TrapLibrary
from bot.saved_state import SavedState
from bot.settings import BotSettings
from lichess.api import GameInfo, GameState, Lichess
from lichess.rate_limits import Pauses


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
