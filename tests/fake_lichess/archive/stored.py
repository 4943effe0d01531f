"""Content beside the games: studies, tournaments, TV, broadcasts, closed accounts."""

import asyncio
from dataclasses import dataclass, field


@dataclass
class Study:
    """``pgn`` is all chapters; ``members`` are ids of those who may read a private one."""

    id: str
    owner: str
    pgn: str
    changed_ms: int
    private: bool = False
    members: set[str] = field(default_factory=set)


@dataclass
class Tournament:
    """``kind`` is ``tournament`` (arena) or ``swiss``."""

    id: str
    kind: str
    games: list[str]
    over: bool = False
    bots_allowed: bool = False
    seconds_to_start: int = 0
    #: Ids of the accounts that have joined and not left, and how often somebody joined.
    players: set[str] = field(default_factory=set)
    joins: int = 0


@dataclass
class BroadcastRound:
    """``games`` by id: a PGN each; ``news`` wakes those who listen."""

    id: str
    broadcast: str
    games: dict[str, str]
    running: bool = True
    over: bool = False
    news: list[asyncio.Queue[str]] = field(default_factory=list)

    def play(self, game: str, pgn: str) -> None:
        """A game is as ``pgn`` has it now."""
        self.games[game] = pgn
        for queue in self.news:
            queue.put_nowait(pgn)


@dataclass
class Archive:
    """All content beside the games of the site."""

    studies: dict[str, Study] = field(default_factory=dict)
    tournaments: dict[str, Tournament] = field(default_factory=dict)
    rounds: dict[str, BroadcastRound] = field(default_factory=dict)
    #: Games that a channel of TV shows, over or not.
    channels: dict[str, list[str]] = field(default_factory=dict)
    #: What the explorer, the cloud and the table server know: address, then EPD, then the answer.
    known_positions: dict[str, dict[str, dict[str, object]]] = field(default_factory=dict)
    #: Private messages: from, to, text.
    messages: list[tuple[str, str, str]] = field(default_factory=list)
    #: Ids of accounts that were closed.
    closed: set[str] = field(default_factory=set)
