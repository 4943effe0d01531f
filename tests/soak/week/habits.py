"""How the players of a week play: most of them end their games soon, each in a way of his own."""

import random
from collections.abc import Sequence
from dataclasses import dataclass

import chess

from tests.fake_lichess.players import Habits
from tests.fake_lichess.terms import Terms
from tests.soak.baits import BaitLine

CLOCKS = ((60, 0), (60, 1), (120, 1), (180, 0), (180, 2), (300, 0), (600, 5))
"""Seconds and increment: nobody whose bot was killed loses these in the seconds of its start."""

THINK = (0.0, 0.15)
"""Seconds for a move."""

NEVER = 1e6
BUILDS = {
    "resigns": 34.0,
    "loses": 22.0,
    "falls": 12.0,
    "aborts": 6.0,
    "draws": 6.0,
    "takes back": 6.0,
    "talks": 6.0,
    "goes away": 4.0,
    "floods": 1.5,
    "leaves": 1.2,
    "flags": 0.7,
    "never comes": 0.6,
}
"""Kinds of games and how often people play them."""

ARENA = Terms(limit=180, increment=0, rated=True)


@dataclass(frozen=True)
class Intention:
    """What somebody wants of the next game."""

    kind: str
    habits: Habits
    terms: Terms


def draw(chance: random.Random, lines: Sequence[BaitLine], *, is_bot: bool) -> Intention:
    """An intention by chance."""
    limit, increment = chance.choice(CLOCKS)
    rated = chance.random() < 0.6
    variant = "chess960" if chance.random() < 0.08 else "standard"
    terms = Terms(variant=variant, limit=limit, increment=increment, rated=rated)
    if is_bot:
        habits = Habits(think=THINK, sense=0.7, resign_at=chance.randint(16, 40), accept_draw=0.3, accept=0.7)
        return Intention("bot", habits, terms)
    kind = chance.choices(list(BUILDS), list(BUILDS.values()))[0]
    if kind == "falls" and lines:
        line = chance.choice(lines)
        color = "white" if line.victim == chess.WHITE else "black"
        terms = Terms(limit=limit, increment=increment, color=color, rated=rated)
        return Intention(kind, Habits(line=line.whole, think=THINK, sense=0.8, resign_at=50, rematch=0.2), terms)
    if kind == "takes back":
        terms = Terms(limit=limit, increment=increment, rated=False)
    if kind == "flags":
        # No claim ends the game before the flag falls.
        terms = Terms(limit=60, increment=0, rated=False, rules=("noClaimWin",))
    return Intention(kind, _habits(kind, chance), terms)


def _habits(kind: str, chance: random.Random) -> Habits:
    late = chance.randint(24, 60)
    match kind:
        case "loses":
            return Habits(think=THINK, greed=0.3, resign_at=120, rematch=0.1)
        case "aborts":
            return Habits(think=THINK, resign_at=0)
        case "draws":
            return Habits(think=THINK, sense=0.9, offer_draw=0.5, accept_draw=1.0, resign_at=70)
        case "takes back":
            return Habits(think=THINK, sense=0.5, ask_takeback=0.2, accept_takeback=0.5, resign_at=late)
        case "talks":
            return Habits(think=THINK, sense=0.5, talk=0.4, give_time=0.05, resign_at=late, rematch=0.3)
        case "goes away":
            return Habits(think=THINK, sense=0.5, leave=0.1, away=2.0, resign_at=late)
        case "leaves" | "flags":
            return Habits(think=THINK, sense=0.5, leave=0.2, away=None, resign_at=120)
        case "never comes":
            return Habits(think=(NEVER, NEVER))
        case _:
            return Habits(think=THINK, sense=0.5, resign_at=chance.randint(4, 30), rematch=0.15)
