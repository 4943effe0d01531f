"""What an opponent fell for in earlier games against the bot: as a message after the game, and to choose traps by."""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence

from annotator.events import TrapEvent, explained
from bot.game_archive import address_of
from coach.repertoire.live_traps import LiveTrap
from db.patterns.keys import Pattern
from db.patterns.recall import Again, Occasion
from db.traps.terms import Event
from db.wording.causes import is_theme, mechanism_name, place_name
from db.wording.languages.english import ENGLISH
from db.wording.names import safe_name
from lichess.api import GameInfo
from trapcore.proof.causes import Explanation, Mistake, explain
from trapcore.win_chance import BLUNDER


def occasions(events: Sequence[TrapEvent], info: GameInfo, url: str) -> Iterator[Occasion]:
    """The losing moves of the opponent in a game at the lichess of this address, the costliest first; each asks for
    earlier games of these two players."""
    fell = [event for event in events if event.event is Event.FELL and event.proved and event.mover != info.color]
    for event in sorted(explained(fell), key=lambda event: -(BLUNDER if event.loss is None else event.loss)):
        if event.explanation is not None:
            yield _occasion(event.explanation, info, url)


def _occasion(explanation: Explanation, info: GameInfo, url: str) -> Occasion:
    began = time.gmtime(info.created / 1000)
    keys = (explanation.place, explanation.mechanism)
    return Occasion(
        player=info.opponent.name,
        against=info.me.name,
        site=address_of(info, url),
        date=time.strftime("%Y.%m.%d", began),
        utc_time=time.strftime("%H:%M:%S", began),
        colour="black" if info.color == "white" else "white",
        patterns=tuple(pattern for pattern in map(Pattern, keys) if not pattern.is_missed),
    )


class FellBefore:
    """Whether the opponent of a game fell for the pattern of a trap in an earlier game against the bot."""

    def __init__(self, again: Callable[[Iterable[Occasion]], Again | None], info: GameInfo, url: str) -> None:
        """``again`` asks the library, see `bot.moves.trap_book.TrapLibrary.again`."""
        self._again, self._info, self._url = again, info, url
        self._known: dict[tuple[Pattern, ...], bool] = {}

    def __call__(self, trap: LiveTrap) -> bool:
        """The library is asked once for each pattern."""
        mistakes = [Mistake(trap.fen, bait.uci, bait.killer_line, mate_in=bait.mate_in) for bait in trap.baits]
        return any(self._fell(_occasion(one, self._info, self._url)) for one in explain(mistakes))

    def _fell(self, occasion: Occasion) -> bool:
        if occasion.patterns not in self._known:
            self._known[occasion.patterns] = self._again([occasion]) is not None
        return self._known[occasion.patterns]


def words(again: Again) -> str:
    """``You fell for the same knight fork on c7 as in our game of 2026-05-03, for the third time.``"""
    day, before = ENGLISH.day(again.date), again.games
    times = ""
    if before > 1:
        known = before - 2 < len(ENGLISH.ordinals)
        times = f", for the {ENGLISH.ordinals[before - 2]} time" if known else f", as {before} times before"
    if "@" in again.key and is_theme(again.key):
        place = safe_name(place_name(again.key, ENGLISH, again.colour, short=True))
        return f"You fell for the same {place} as in our game of {day}{times}."
    name = place_name(again.key, ENGLISH, again.colour) if "@" in again.key else mechanism_name(again.key)
    return f"You fell for the same as in our game of {day}{times}: {safe_name(name)}."
