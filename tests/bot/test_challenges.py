"""Which challenges are accepted, and with which reason the others are declined."""

import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr, ValidationError

from bot.challenges.acceptance import decline_reason, has_place
from bot.challenges.block_lists import BlockLists, read_list
from bot.challenges.queue import MOST_WAITING, WAIT_SECONDS, ChallengeQueue
from bot.settings import BotSettings, Speed, parse_clock
from lichess.api import BOT_GAMES_A_DAY, Challenge, DeclineReason, Limited, Person
from lichess.client import Connection
from lichess.rate_limits import LIMITED_SECONDS, Kind, Pauses
from trapcore.errors import InputError

HUMAN = Person("anna", "Anna", "", 1500)
MACHINE = Person("engine", "Engine", "BOT", 2500)
OTHER_MACHINE = Person("robot", "Robot", "BOT", 2500)
LEVEL = "4k3/pppppppp/8/8/8/8/PPPPPPPP/4K3 w - - 0 1"
QUEENS = "4k3/qqqqqqqq/qqqq4/8/8/8/8/3RK2R w K - 0 1"
"""Lichess lets people begin from it; its search has no end."""

CHALLENGE = Challenge("aaaaaaaa", HUMAN, "standard", "blitz", True, 180, 2, None)


@pytest.mark.parametrize(
    ("change", "settings", "reason"),
    [
        ({}, {}, None),
        ({"challenger": MACHINE}, {}, None),
        ({"challenger": MACHINE}, {"bots": False}, DeclineReason.NO_BOT),
        ({"challenger": MACHINE}, {"bots": {"accept": False}}, DeclineReason.NO_BOT),
        ({}, {"bots": {"accept": False, "speeds": ["rapid"]}}, None),
        ({"challenger": MACHINE}, {"bots": {"speeds": ["bullet"]}}, DeclineReason.TOO_SLOW),
        ({}, {"bots": {"speeds": ["bullet"]}, "people": {"modes": ["rated"]}}, None),
        ({"rated": False}, {"people": {"modes": ["rated"]}}, DeclineReason.RATED),
        ({"rated": False, "challenger": MACHINE}, {"people": {"modes": ["rated"]}}, None),
        ({}, {"min_rating": 1600, "people": {"min_rating": 0}}, None),
        ({"challenger": MACHINE}, {"bots": {"max_base": 60}}, DeclineReason.TOO_SLOW),
        ({"variant": "chess960"}, {}, None),
        ({"variant": "chess960"}, {"variants": ["standard"]}, DeclineReason.STANDARD),
        ({"variant": "atomic"}, {}, DeclineReason.VARIANT),
        ({"variant": "fromPosition"}, {"variants": ["fromPosition"]}, None),
        ({"variant": "fromPosition", "initial_fen": LEVEL}, {"variants": ["fromPosition"]}, None),
        ({"variant": "fromPosition", "initial_fen": QUEENS}, {"variants": ["fromPosition"]}, DeclineReason.VARIANT),
        ({"speed": "ultraBullet"}, {}, DeclineReason.TOO_FAST),
        ({"speed": "bullet"}, {"speeds": ["rapid"]}, DeclineReason.TOO_FAST),
        ({"speed": "correspondence"}, {}, DeclineReason.TOO_SLOW),
        ({"speed": "blitz"}, {"speeds": ["bullet", "rapid"]}, DeclineReason.TIME_CONTROL),
        ({"rated": True}, {"modes": ["casual"]}, DeclineReason.CASUAL),
        ({"rated": False}, {"modes": ["rated"]}, DeclineReason.RATED),
        ({}, {"min_rating": 1600}, DeclineReason.GENERIC),
        ({}, {"max_rating": 1400}, DeclineReason.GENERIC),
        ({}, {"block": ["ANNA"]}, DeclineReason.GENERIC),
        ({}, {"allow": ["berta"]}, DeclineReason.GENERIC),
        ({}, {"allow": ["Anna"]}, None),
        ({"limit": 10_800, "increment": 60, "speed": "classical"}, {}, DeclineReason.TOO_SLOW),
        ({"limit": 3600, "increment": 30, "speed": "classical"}, {}, None),
        ({"limit": 3600, "increment": 0, "speed": "classical"}, {"max_game_minutes": 30}, DeclineReason.TOO_SLOW),
        ({"rules": ("noAbort",)}, {}, DeclineReason.GENERIC),
        ({"rules": ("noRematch",)}, {}, None),
        ({"challenger": replace(HUMAN, rating=None)}, {"min_rating": 1600}, None),
    ],
)
def test_reasons(change: dict[str, Any], settings: dict[str, Any], reason: DeclineReason | None) -> None:
    assert decline_reason(replace(CHALLENGE, **change), BotSettings(**settings)) is reason


@pytest.mark.parametrize(
    ("person", "opponents", "settings", "fits"),
    [
        (HUMAN, [], {}, True),
        (HUMAN, [HUMAN], {}, True),
        (HUMAN, [HUMAN, HUMAN], {}, False),
        (HUMAN, [HUMAN, HUMAN], {"games_per_person": 4}, True),
        (HUMAN, [MACHINE, MACHINE, None], {}, True),
        (HUMAN, [MACHINE, MACHINE, None, None], {}, False),
        (MACHINE, [OTHER_MACHINE, OTHER_MACHINE], {}, True),
        (MACHINE, [OTHER_MACHINE, OTHER_MACHINE, OTHER_MACHINE], {}, False),
        (MACHINE, [HUMAN, OTHER_MACHINE], {"human_places": 3}, False),
        (MACHINE, [HUMAN, HUMAN], {"human_places": 3}, True),
        (MACHINE, [], {"max_games": 1}, True),
    ],
)
def test_one_person_does_not_get_all_places_and_bots_leave_some_to_people(
    person: Person, opponents: list[Person | None], settings: dict[str, Any], fits: bool
) -> None:
    assert has_place(person, opponents, BotSettings(**settings)) is fits


@pytest.mark.parametrize(
    ("text", "clock"),
    [("3+2", (180, 2)), ("0+1", (0, 1)), ("0.5+0", (30, 0)), ("1.5+0", (90, 0)), ("180+60", (10_800, 60))],
)
def test_clocks_that_lichess_has(text: str, clock: tuple[int, int]) -> None:
    assert BotSettings(seek_clocks=(text,)).seek_clocks == (text,)
    assert parse_clock(text) == clock


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("2.5+0", "whole minutes up to 180"),
        ("181+0", "whole minutes up to 180"),
        ("3+61", "60 seconds at most"),
        ("0.25+0", "bots may not play so fast"),
        ("0+0", "bots may not play so fast"),
        ("3", "it must be like 3"),
        ("3+2.5", "it must be like 3"),
    ],
)
def test_clocks_that_lichess_refuses(text: str, message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        BotSettings(seek_clocks=(text,))


class Counted(Executor):
    """Counts what it is given to do, and does not do it."""

    def __init__(self) -> None:
        self.count = 0

    def submit(self, fn: Callable[..., Any], /, *args: Any, **more: Any) -> Future[Any]:
        self.count += 1
        return Future()


def test_challenges_wait_out_a_pause_until_lichess_cancels_them(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1000.0
    monkeypatch.setattr("bot.challenges.queue.time.monotonic", lambda: now)
    pauses, requests = Pauses(lambda: now), Counted()
    nowhere = Connection("http://127.0.0.1:9", SecretStr("lip_nobody"))
    settings = BotSettings(speeds=(Speed.BLITZ, Speed.CORRESPONDENCE))
    challenges = ChallengeQueue(nowhere, pauses, settings, requests, lambda done: done(), lambda game: None)
    pauses.limited(Kind.ANSWER, Limited("too many", None))
    challenges.challenged(CHALLENGE)
    challenges.challenged(replace(CHALLENGE, id="of days", limit=None, increment=0, days=2, speed="correspondence"))
    challenges.challenged(replace(CHALLENGE, id="cancelled"))
    challenges.turn({})
    assert (requests.count, challenges.waiting) == (0, 3)
    now += LIMITED_SECONDS - 1
    challenges.turn({})
    challenges.gone("cancelled")
    assert (requests.count, challenges.waiting) == (0, 2)
    now += 1
    challenges.turn({})
    assert (requests.count, challenges.expected, challenges.waiting) == (2, 2, 0)
    nowhere.close()


def test_a_person_waits_for_a_place_until_lichess_cancels_and_a_bot_is_declined(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = 1000.0
    monkeypatch.setattr("bot.challenges.queue.time.monotonic", lambda: now)
    pauses, requests = Pauses(lambda: now), Counted()
    nowhere = Connection("http://127.0.0.1:9", SecretStr("lip_nobody"))
    settings = BotSettings(max_games=1)
    challenges = ChallengeQueue(nowhere, pauses, settings, requests, lambda done: done(), lambda game: None)
    for name, person in ("machine", MACHINE), ("first", HUMAN), ("second", Person("berta", "Berta")):
        challenges.challenged(replace(CHALLENGE, id=name, challenger=person))
    challenges.turn({"game": OTHER_MACHINE})
    now += WAIT_SECONDS + 1
    challenges.turn({"game": OTHER_MACHINE})
    assert requests.count == 1, "the machine is declined"
    now += 3600
    challenges.turn({"game": OTHER_MACHINE})
    assert [(one.id, seconds) for one, seconds in challenges.listed()] == [("first", 3619), ("second", 3619)]
    challenges.gone("first")
    challenges.turn({})
    assert (requests.count, challenges.waiting, challenges.expected) == (2, 0, 1)
    nowhere.close()


def test_a_full_queue_drops_bots_before_people(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1000.0
    monkeypatch.setattr("bot.challenges.queue.time.monotonic", lambda: now)
    pauses = Pauses(lambda: now)
    nowhere = Connection("http://127.0.0.1:9", SecretStr("lip_nobody"))
    challenges = ChallengeQueue(nowhere, pauses, BotSettings(), Counted(), lambda done: done(), lambda game: None)
    pauses.limited(Kind.ANSWER, Limited("too many", None))
    for number in range(MOST_WAITING):
        person = MACHINE if number == 100 else HUMAN
        challenges.challenged(replace(CHALLENGE, id=f"old{number}", challenger=person))
    now += LIMITED_SECONDS
    challenges.challenged(replace(CHALLENGE, id="new"))
    assert "old100" not in challenges._waiting
    assert {"old0", "new"} <= challenges._waiting.keys()
    nowhere.close()


def test_who_was_accepted_into_a_429_waits_on(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1000.0
    monkeypatch.setattr("bot.challenges.queue.time.monotonic", lambda: now)
    pauses, accepted = Pauses(lambda: now), list[str]()
    answers: list[Exception] = [Limited("too many", None)]

    class Lichess(Connection):
        def accept(self, challenge: str) -> None:
            if answers:
                raise answers.pop()
            accepted.append(challenge)

    lichess = Lichess("http://127.0.0.1:9", SecretStr("lip_nobody"))
    with ThreadPoolExecutor(1) as threads:
        challenges = ChallengeQueue(lichess, pauses, BotSettings(), threads, lambda done: done(), lambda game: None)
        challenges.challenged(CHALLENGE)
        challenges.turn({})
        threads.submit(int).result()
        assert (challenges.waiting, challenges.expected) == (1, 0)
        now += LIMITED_SECONDS
        challenges.turn({})
    assert accepted == [CHALLENGE.id]
    lichess.close()


def test_a_full_queue_drops_what_lichess_has_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1000.0
    monkeypatch.setattr("bot.challenges.queue.time.monotonic", lambda: now)
    pauses = Pauses(lambda: now)
    nowhere = Connection("http://127.0.0.1:9", SecretStr("lip_nobody"))
    challenges = ChallengeQueue(nowhere, pauses, BotSettings(), Counted(), lambda done: done(), lambda game: None)
    pauses.limited(Kind.ANSWER, Limited("too many", None))
    for number in range(MOST_WAITING + 1):
        challenges.challenged(replace(CHALLENGE, id=f"old{number}"))
    assert challenges.waiting == MOST_WAITING
    now += LIMITED_SECONDS
    challenges.challenged(replace(CHALLENGE, id="new"))
    assert challenges.waiting == MOST_WAITING
    assert "new" in challenges._waiting
    nowhere.close()


def test_beyond_the_games_of_a_day_people_are_answered_and_bots_are_declined() -> None:
    pauses, requests = Pauses(lambda: 1000.0), Counted()
    nowhere = Connection("http://127.0.0.1:9", SecretStr("lip_nobody"))
    challenges = ChallengeQueue(nowhere, pauses, BotSettings(), requests, lambda done: done(), lambda game: None)
    pauses.limited(Kind.ANSWER, Limited("100 games", 27_000.0, BOT_GAMES_A_DAY))
    challenges.challenged(replace(CHALLENGE, id="machine", challenger=MACHINE))
    assert (requests.count, challenges.waiting) == (1, 0)
    challenges.challenged(CHALLENGE)
    challenges.turn({})
    assert (requests.count, challenges.expected) == (2, 1)
    nowhere.close()


def test_block_lists_are_read_from_files_and_addresses(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    pages = tmp_path / "pages"
    pages.mkdir()
    (pages / "bots.txt").write_text("# bots\nEngine  # too strong\n\nRobot\n")
    path = tmp_path / "mine.txt"
    path.write_text("Anna\n")
    handler = partial(SimpleHTTPRequestHandler, directory=str(pages))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        address = f"http://127.0.0.1:{server.server_port}/bots.txt"
        lists = BlockLists([str(path), address])
        lists.read()
        server.shutdown()
        thread.join()
    assert [name in lists for name in ("anna", "engine", "robot", "berta", "bots")] == [True, True, True, False, False]
    assert decline_reason(CHALLENGE, BotSettings(), lists) is DeclineReason.GENERIC
    assert decline_reason(replace(CHALLENGE, challenger=Person("berta", "Berta")), BotSettings(), lists) is None
    # What cannot be read any more keeps its names.
    path.write_text("no name!\n")
    lists.read()
    lists.read()
    assert "anna" in lists
    assert "engine" in lists
    assert len([one for one in caplog.messages if "line 1: 'no name!' is no name" in one]) == 1
    with pytest.raises(InputError, match="no-such-file cannot be read"):
        read_list(str(tmp_path / "no-such-file"))


def test_a_block_list_that_trickles_does_not_hold_the_bot(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.challenges.block_lists.TIMEOUT_SECONDS", 0.3)
    stopped = threading.Event()

    class Trickle(SimpleHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            with suppress(OSError):
                while not stopped.wait(0.05):
                    self.wfile.write(b"#")

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Trickle) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        with pytest.raises(InputError, match="not over after"):
            read_list(f"http://127.0.0.1:{server.server_port}/bots.txt")
        stopped.set()
        server.shutdown()
        thread.join()
