"""Traps that the bot set by searching: chat, archive and lessons read them from one record."""

import json
from dataclasses import replace

import chess
import pytest

from annotator.comments.chapters import lessons
from annotator.events import TrapEvent
from bot.chat import replies as chat
from bot.game_archive import movetext
from bot.moves.search_pool import SearchPool
from bot.moves.set_traps import SetTraps
from bot.moves.trap_book import TrapBook
from coach.repertoire.live_traps import LiveBait, LiveTrap, tempts_after_capture
from db.traps.terms import Event
from db.wording.languages.english import ENGLISH
from db.wording.sentences import Narrator
from lichess.api import ChatLine
from tests.bot.test_chat import facts
from tests.support.bot_games import INFO
from tests.support.db_traps import elephant, legal
from trapcore.proof.verdict import Verdict
from trapline.settings import Settings

MOVES = ("d2d4", "d7d5", "g1f3", "b8c6", "c1f4", "d8d6", "f4d6", "e7d6")
"""The bot is White and sets a trap with 3.Bf4; Black's queen goes where it is taken."""

AFTER = "r1bqkbnr/ppp1pppp/2n5/3p4/3P1B2/5N2/PPP1PPPP/RN1QKB1R b KQkq - 3 3"
LIVE = LiveTrap("c1f4", AFTER, (LiveBait("d8d6", ("f4d6",), None, 0.9, 0.1),), 0.05)


LEGAL = replace(legal(), verdict=Verdict.PROVED, mate_in=2)


@pytest.fixture(scope="module")
def book() -> TrapBook:
    return TrapBook([LEGAL, elephant()], {}, Settings(measure="sequences"), SearchPool(1))


@pytest.fixture
def own() -> SetTraps:
    """As they come back from the disk."""
    found = SetTraps()
    found.add(LIVE)
    return SetTraps.from_json(json.loads(json.dumps(found.to_json())))


def kinds(events: list[TrapEvent]) -> list[Event]:
    return [event.event for event in events]


def test_a_trap_is_the_same_after_a_restart(own: SetTraps) -> None:
    (trap,) = own.traps()
    trap.check()
    assert (trap.epd, trap.bait, trap.killer_line) == (AFTER[: -len(" 3 3")], "d8d6", ("f4d6",))
    assert trap.name == "queen taken on d6 trap"


def test_a_trap_that_was_set_and_fallen_for_is_told_to_everybody(book: TrapBook, own: SetTraps) -> None:
    events = book.events(movetext(INFO, MOVES), own)
    assert kinds(events) == [Event.SET, Event.FELL, Event.SPRUNG]
    assert book.events(movetext(INFO, MOVES), SetTraps()) == []
    spectators = [message.text for message in chat.remarks(events, INFO)]
    assert any("Sets the queen taken on d6 trap" in text for text in spectators)
    first, second = [message.text for message in chat.summary(events, INFO)]
    assert first == "Thanks for the game! Traps: my queen taken on d6 trap (you fell for it)."
    assert "3... Qd6" in second
    asked = facts(book, MOVES, is_over=True)
    asked = chat.Facts(**{**{name: getattr(asked, name) for name in asked.__slots__}, "events": events})
    for question in ("!trap", "!why"):
        (answer,) = chat.answer(ChatLine("somebody", question, "player"), asked)
        assert "d6" in answer.text


def test_the_archive_and_the_lessons_have_it(book: TrapBook, own: SetTraps) -> None:
    text, events = book.annotated(movetext(INFO, MOVES), own)
    assert b"queen taken on d6 trap" in text
    assert Event.FELL in kinds(events)
    assert list(lessons("abc", events, Narrator(ENGLISH)))


def test_a_trap_of_the_library_is_told_once_and_by_its_name(book: TrapBook) -> None:
    trap = LEGAL
    found = SetTraps()
    line = LiveBait(trap.bait, trap.killer_line, trap.mate_in, 1.0, 0.2)
    found.add(LiveTrap("f3e5", f"{trap.epd} 0 5", (line,), 0.0))
    assert book.knows(LiveTrap("f3e5", f"{trap.epd} 0 5", (line,), 0.0))
    assert not book.knows(LIVE)
    moves = ("e2e4", "e7e5", "g1f3", "d7d6", "f1c4", "c8g4", "b1c3", "b8c6", "f3e5", "g4d1")
    events = [event for event in book.events(movetext(INFO, moves), found) if event.event is Event.FELL]
    assert [event.slug for event in events] == [trap.slug]


@pytest.mark.parametrize(
    ("fen", "bait", "expected"),
    [
        ("4k3/3p4/8/8/8/8/3R4/4K3 b - - 0 1", "e8f8", False),  # only leaves the pawn
        ("4k3/8/2p5/3B4/8/8/8/4K3 b - - 0 1", "c6d5", True),
        ("4k3/8/8/3B4/7q/8/8/4K3 b - - 0 1", "h4h1", True),  # a check
        ("4k3/2n5/8/3B4/8/8/8/4K3 b - - 0 1", "c7e6", False),  # nothing was to be saved, and now it hangs
        ("4k3/8/2n5/3B4/8/8/8/4K3 b - - 0 1", "c6e7", True),  # the knight goes away
        ("4k3/8/2n5/3B4/8/8/8/4K3 b - - 0 1", "e8e7", False),
    ],
)
def test_what_tempts_after_a_move_that_took_something(fen: str, bait: str, expected: bool) -> None:
    assert tempts_after_capture(chess.Board(fen), bait) == expected
