"""The digest: once a day the traps in the new games of the followed accounts, sent by message, mail or webhook.

What was found is stored before a game counts as read, and forgotten when it was sent. Before each sending it is noted;
one that was interrupted, so that nobody knows whether it arrived, is not repeated: twice is worse than not at all.
"""

from collections.abc import Callable, Mapping
from contextlib import closing
from functools import partial
from typing import Any

from lichess.api import LichessError
from trapline.service.digest_senders import Undelivered, senders
from trapline.service.following import Follower
from trapline.service.service import Service
from trapline.service.sources.retry import note_bad, record_errors, until_stopped
from trapline.service.state.clock import StopFlag, stamp
from trapline.service.state.job_log import Outcome
from trapline.service.state.source_state import State

STATE = "digest"
MOST_EVENTS = 6
"""Lines about one game."""


def send(service: Service, stop_flag: StopFlag, outcome: Outcome) -> None:
    """Look at the new games of all users of the settings, and send what was found by all ways that are set."""
    with closing(Follower(service, feed="digest")) as follower:
        for user in until_stopped(service.mine.users, stop_flag):
            with record_errors(outcome, f"user {user}"):
                for found in follower.look(user, stop_flag):
                    game = {"user": user, "address": found.address, "result": found.result, "lines": []}
                    state = service.source_state.get(STATE)
                    kept = state.setdefault("games", {}).setdefault(found.game.id, game)
                    line = f"{found.move} ({found.player}): {found.words}"
                    if line not in kept["lines"] and len(kept["lines"]) < MOST_EVENTS:
                        kept["lines"].append(line)
                    service.source_state.set(STATE, state)
            note_bad(outcome, f"user {user}", follower.bad)
    state = service.source_state.get(STATE)
    if not state.get("games"):
        return
    text = digest(state["games"], stamp(service.clock.now())[:10])
    outcome.counts["games"] += len(state["games"])
    ways = senders(service, stop_flag)
    for way, send_text in ways.items():
        _send_once(service, state, way, partial(send_text, text), outcome)
    if ways.keys() <= set(state.get("sent", [])):
        service.source_state.set(STATE, {})


def digest(games: Mapping[str, Mapping[str, Any]], day: str) -> str:
    """The text about these games, by their ids."""
    count = "1 game" if len(games) == 1 else f"{len(games):,} games"
    told = ("\n".join([f"{one['address']} ({one['user']}, {one['result']})", *one["lines"]]) for one in games.values())
    return "\n\n".join([f"trapline, {day}: traps in {count}", *told])


def _send_once(service: Service, state: State, way: str, send_text: Callable[[], None], outcome: Outcome) -> None:
    sent: list[str] = state.setdefault("sent", [])
    if way in sent:
        return
    outcome.counts["sources"] += 1
    sent.append(way)
    service.source_state.set(STATE, state)
    try:
        send_text()
    except Undelivered as error:
        # It certainly did not arrive: the next run tries again.
        sent.remove(way)
        service.source_state.set(STATE, state)
        outcome.counts["failed"] += 1
        outcome.problems.append(f"digest by {way}: {error}")
    except LichessError as error:
        outcome.counts["failed"] += 1
        outcome.problems.append(f"digest by {way} may be lost: {error}")
    else:
        outcome.counts["sent"] += 1
