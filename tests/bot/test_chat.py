"""What the bot writes: to whom, how long, and what it keeps to itself while a game runs."""

import ast
import re
import threading
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.events import TrapEvent
from bot.chat import memory
from bot.chat import replies as chat
from bot.chat.replies import LONGEST, Facts, Message
from bot.chat.worker import ChatWorker
from bot.game_archive import movetext
from bot.moves.search_pool import SearchPool
from bot.moves.set_traps import SetTraps
from bot.moves.trap_book import TrapBook, TrapLibrary
from bot.saved_state import TRAPS_CHOSEN, TRAPS_TAKEN, SavedState
from bot.settings import BotSettings
from db.library.open import open_library
from db.patterns.recall import Again
from db.proof.prover import TrapProver
from db.query.answer import Page
from db.query.words import Reading
from db.traps.trap import Trap
from lichess.api import ChatLine
from lichess.rate_limits import Pauses
from tests.support.bot_games import INFO
from tests.support.db_traps import elephant, legal
from tests.support.trap_games import without_figures
from trapline.settings import Settings

FELL = ("e2e4", "e7e5", "g1f3", "b8c6", "f1c4", "d7d6", "b1c3", "c8g4", "f3e5", "g4d1", "c4f7", "e8e7", "c3d5")
MISSED = (*FELL[:10], "e5d7")
AVOIDED = (*FELL[:9], "c6e5")


@pytest.fixture(scope="module")
def traps() -> list[Trap]:
    return [TrapProver().prove(legal()), TrapProver(search_nodes=200_000).prove(elephant())]


@pytest.fixture(scope="module")
def book(traps: list[Trap]) -> TrapBook:
    return TrapBook(traps, {}, Settings(measure="sequences"), SearchPool(1))


def events(book: TrapBook, moves: tuple[str, ...]) -> list[TrapEvent]:
    return book.events(movetext(INFO, moves), SetTraps())


@pytest.fixture(autouse=True)
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, traps: list[Trap]) -> None:
    """The library of the settings has these traps."""
    monkeypatch.setenv("TRAPLINE_DB", str(tmp_path / "library.sqlite"))
    with open_library(tmp_path / "library.sqlite", create=True) as opened:
        opened.add_all(traps)


def found(name: str) -> Page | None:
    """What a bot with this library finds."""
    library = TrapLibrary(Settings(measure="sequences"), SearchPool(1))
    library.load()
    return library.find(name)


def searched(words: str) -> tuple[Reading, Page] | None:
    """What a bot with this library finds by words."""
    library = TrapLibrary(Settings(measure="sequences"), SearchPool(1))
    library.load()
    return library.search(words)


def facts(book: TrapBook, moves: tuple[str, ...] = FELL, *, is_over: bool = False, may_coach: bool = False) -> Facts:
    stats = {"games": 7, TRAPS_CHOSEN: 3, TRAPS_TAKEN: 1}
    mine = "a search of its own"
    of_game = events(book, moves)
    return Facts(
        INFO,
        is_over,
        of_game,
        book.traps,
        stats,
        "1.2.3",
        mine,
        found,
        lambda who, name: f"{who}, {name}",
        may_coach=may_coach,
        search=searched,
    )


def ask(text: str, known: Facts, room: str = "player", who: str | None = None) -> list[str]:
    """Answers to the opponent, or to a spectator in the other room, unless somebody else asks."""
    who = who or ("You" if room == "player" else "Somebody")
    found = chat.answer(ChatLine(who, text, room), known)  # type: ignore[arg-type]
    assert all(message.room == room for message in found)
    return [message.text for message in found]


@given(st.text(max_size=400))
def test_whatever_is_written_is_short_one_line_and_without_links(text: str) -> None:
    found = chat.fitting(text + " see https://lichess.org/abc or www.example.org x")
    assert len(found) <= LONGEST
    assert "\n" not in found
    assert "://" not in found
    assert "www." not in found
    assert not re.search(r"[^\s.]\.[A-Za-z]", found), "lichess takes that for an address"


def test_remarks_for_spectators(book: TrapBook) -> None:
    is_set, fell = (without_figures(message.text) for message in chat.remarks(events(book, FELL), INFO))
    assert is_set.startswith("Me: Sets Légal's mate: the queen on d1 can be taken, but 5... Bxd1 6. Bxf7+ Ke7 7. Nd5#.")
    assert fell == "You: Takes the bait."
    last = without_figures(chat.remarks(events(book, MISSED), INFO)[-1].text)
    assert last == "Me: White misses the mate, 6. Bxf7+."
    assert {message.room for message in chat.remarks(events(book, MISSED), INFO)} == {"spectator"}
    assert len(chat.remarks(events(book, AVOIDED), INFO)) == 1


def test_a_long_remark_loses_its_advice_before_it_is_cut(book: TrapBook) -> None:
    (made, *_) = events(book, FELL)
    assert made.trap is not None
    long = replace(made, trap=replace(made.trap, name="Quite a long name trap"))
    (remark,) = chat.remarks([long], INFO)
    assert len(remark.text) <= LONGEST
    assert without_figures(remark.text).endswith("7. Nd5#.")


LINE = "The trap: 5... Bxd1 allows mate in 2: 6. Bxf7+ Ke7 7. Nd5#."


@pytest.mark.parametrize(
    ("moves", "color", "expected"),
    [
        (FELL, "white", ["Thanks for the game! Traps: my Légal's mate (you fell for it).", LINE]),
        (AVOIDED, "white", ["Thanks for the game! Traps: my Légal's mate (you avoided it).", LINE]),
        (
            MISSED,
            "white",
            ["Thanks for the game! Traps: my Légal's mate (you fell for it, I missed the answer).", LINE],
        ),
        (FELL[:9], "white", ["Thanks for the game! Traps: my Légal's mate (left on the board).", LINE]),
        (FELL, "black", ["Thanks for the game! Traps: your Légal's mate (I fell for it)."]),
        (FELL[:4], "white", ["Thanks for the game! No trap that I know came up in it."]),
    ],
)
def test_the_summary(book: TrapBook, moves: tuple[str, ...], color: str, expected: list[str]) -> None:
    info = replace(INFO, color=color)  # type: ignore[arg-type]
    found = chat.summary(book.events(movetext(info, moves), SetTraps()), info)
    assert {message.room for message in found} == {"player"}
    assert [without_figures(message.text) for message in found] == expected


@pytest.mark.parametrize(
    ("key", "games", "said"),
    [
        ("fork:N@c2,Ke1", 1, "the same knight fork on c7 as in our game of 2026-05-03."),
        ("fork:N@c2,Ke1", 2, "the same knight fork on c7 as in our game of 2026-05-03, for the third time."),
        ("fork:N@c2,Ke1", 30, "the same knight fork on c7 as in our game of 2026-05-03, as 30 times before."),
        ("fork:N:KR", 1, "the same as in our game of 2026-05-03: a knight forks king and rook."),
    ],
)
def test_pattern_of_an_earlier_game_is_said_in_one_message(key: str, games: int, said: str) -> None:
    again = Again(key=key, colour="black", games=games, opponent="Me", date="2026.05.03")
    assert memory.words(again) == chat.fitting(memory.words(again)) == f"You fell for {said}"


def test_spectators_hear_of_a_trap_when_its_bait_is_answered(book: TrapBook) -> None:
    set_, fell, sprung = events(book, FELL)
    assert [chat.is_answered(set_, plies) for plies in (9, 10)] == [False, True]
    assert [chat.is_answered(fell, plies) for plies in (10, 11)] == [False, True]
    assert chat.is_answered(sprung, 11)


def test_commands_in_any_case_go_back_to_their_room(book: TrapBook) -> None:
    known = facts(book)
    assert ask("!HeLp", known) == ["You can ask: !help !trap !why !library NAME !traps WORDS !train NAME !stats !name"]
    assert ask("!stats", known, "spectator") == [
        "In 7 games I set 3 traps (0 on purpose, 0 known by name); 1 was fallen for. I know 2 by name."
    ]
    assert ask(" !\xa0name ", known) == ["I am Me, trapline 1.2.3; my moves come from a search of its own."]
    assert ask("!unknown", known) == []
    assert ask("hello", known) == []
    assert ask("!help", known, who="Me") == []
    assert ask("!help", known, who="lichess") == []


@pytest.mark.parametrize("command", ["!trap", "!TRAP 1", "!why", "!library legal", "!train Légal"])
def test_advice_goes_to_spectators_only_while_the_game_runs(book: TrapBook, command: str) -> None:
    running, over = facts(book), facts(book, is_over=True)
    word = command.split()[0].lower()
    refused = [f"While we play I answer {word} to spectators only. Ask me again afterwards."]
    assert ask(command, running, who="Somebody") == ask(command, running, who="You") == refused
    # The opponent can write in the spectators' room.
    assert ask(command, running, "spectator", who="You") == refused
    assert ask(command, running, "spectator", who="Somebody") == ask(command, over, who="Somebody")
    assert "Légal" in ask(command, over)[0]


@pytest.mark.parametrize("room", ["player", "spectator"])
def test_traps_are_listed_after_the_game_only(book: TrapBook, room: str) -> None:
    running, over = facts(book), facts(book, is_over=True)
    assert ask("!traps italian", running, room) == ["I answer !traps after the game only."]
    assert ask("!traps legal xyzzy", over, room) == ["Légal's mate. Not understood: xyzzy."]
    assert ask("!traps mate in 7", over, room) == ["I know no such trap."]
    assert ask("!traps", over, room)[0].startswith("Ask !traps and an opening")


def test_trap_why_and_library(book: TrapBook) -> None:
    known = facts(book, MISSED)
    (told,) = ask("!trap", known, "spectator")
    assert without_figures(told) == "White does not spring Légal's mate: 6. Bxf7+ is mate in 2."
    assert ask("!trap 2", known, "spectator") == ["There was 1 trap in this game."]
    (why,) = ask("!why", known, "spectator")
    assert without_figures(why).startswith("It is the position of Légal's mate. ")
    assert re.search(r"[Aa]llows mate in 2: 6. Bxf7\+ Ke7 7. Nd5#\.", why)
    assert ask("!library LÉGAL", known, "spectator")[0].startswith("Légal's mate, C50: Bxd1 Bxf7+ Ke7 Nd5# (mate in 2)")
    assert ask("!library elephant", known, "spectator")[0].startswith("Elephant trap")
    for typed, name in (("legall", "Légal's mate"), ("Legals maet", "Légal's mate"), ("elefant", "Elephant trap")):
        assert ask(f"!library {typed}", known, "spectator")[0].startswith(name)
    assert ask("!library '; DROP TABLE traps; --", known, "spectator") == ["I know no trap of that name."]
    assert ask("!library ???", known, "spectator") == ["I know no trap of that name."]
    assert ask("!library", known, "spectator") == ["I know 2 traps. Ask !library and a name."]
    assert ask("!library qqq", known, "spectator") == ["I know no trap of that name."]
    none = facts(book, FELL[:4])
    assert ask("!trap", none, "spectator") == ask("!why", none, "spectator")


@pytest.mark.parametrize("text", ["what is my best move?", "am I losing?", "Is this a TRAP?", "what should I play"])
def test_a_question_about_the_position_is_refused_politely(book: TrapBook, text: str) -> None:
    assert ask(text, facts(book)) == [
        "Sorry, I do not speak about the position while we play. Afterwards I will tell you of the traps."
    ]
    assert ask(text, facts(book, is_over=True)) == ask("!trap", facts(book, is_over=True))
    assert ask(text, facts(book), "spectator") == []


def test_coaching_is_for_who_asks_where_it_may_be(book: TrapBook) -> None:
    assert ask("!coach on", facts(book)) == []
    assert ask("!coach on", facts(book, may_coach=True)) == [
        "I will warn you of traps in this game; !coach off ends it."
    ]
    assert ask("!coach on", facts(book, may_coach=True), who="Somebody") == []
    assert chat.wants_coach(ChatLine("You", "!COACH  on", "player"), INFO) is True
    assert chat.wants_coach(ChatLine("You", "!coach off", "player"), INFO) is False
    assert chat.wants_coach(ChatLine("You", "!coach on", "spectator"), INFO) is None
    assert chat.wants_coach(ChatLine("Somebody", "!coach on", "player"), INFO) is None
    (first, *_) = events(book, FELL)
    assert chat.warning(first) == Message("player", "Careful, a trap: Bxd1? is answered by Bxf7+.")


def test_no_message_is_sent_twice_not_even_after_a_restart(tmp_path: Path) -> None:
    saved_state = SavedState(tmp_path)
    assert saved_state.record_message(saved_state.game("abcdefgh"), "player: hello")
    assert not saved_state.record_message(saved_state.game("abcdefgh"), "player: hello")
    assert saved_state.record_message(saved_state.game("abcdefgh"), "spectator: hello")
    restarted = SavedState(tmp_path)
    assert restarted.unfinished() == ["abcdefgh"]
    assert not restarted.record_message(restarted.game("abcdefgh"), "player: hello")
    assert restarted.record_message(restarted.game("other123"), "player: hello")
    restarted.forget("abcdefgh")
    assert SavedState(tmp_path).unfinished() == ["other123"]


def test_saved_state_is_read_without_parsing_source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """CPython 3.11 fails if two threads parse at once, and each game reads its state in a thread of its own."""
    SavedState(tmp_path).record_message(SavedState(tmp_path).game("abcdefgh"), "player: hello")
    saved = SavedState(tmp_path)
    saved.save(saved.game("abcdefgh"))

    def parse(*_: object, **__: object) -> ast.AST:
        raise SystemError("AST constructor recursion depth mismatch")

    with monkeypatch.context() as patch:
        patch.setattr(ast, "parse", parse)
        game = SavedState(tmp_path).game("abcdefgh")
    assert game.id == "abcdefgh"


def test_nothing_is_composed_after_the_end_of_the_bot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    nothing = cast(Any, None)
    begun, may_end, later = threading.Event(), threading.Event(), list[str]()
    worker = ChatWorker(nothing, Pauses(), SavedState(tmp_path), nothing, BotSettings(), "1", lambda: False)

    def long_search(*_: object) -> None:
        begun.set()
        may_end.wait(5)
        raise RuntimeError("cannot schedule new futures after shutdown")

    monkeypatch.setattr(worker, "_changed", long_search)
    monkeypatch.setattr(worker, "_left", later.append)
    worker.changed(cast(Any, SimpleNamespace(id="abcdefgh")), nothing)
    worker.left("abcdefgh")
    assert begun.wait(5)
    worker.close(0.05)
    may_end.set()
    worker.threads[0].join(5)
    assert not worker.threads[0].is_alive()
    assert (later, caplog.messages) == ([], [])


def test_of_several_changes_that_wait_the_last_one_is_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nothing = cast(Any, None)
    begun, may_go_on, seen = threading.Event(), threading.Event(), list[tuple[str, int]]()
    worker = ChatWorker(nothing, Pauses(), SavedState(tmp_path), nothing, BotSettings(), "1", lambda: False)

    def look(info: Any, state: Any) -> None:
        seen.append((info.id, state))
        begun.set()
        may_go_on.wait(5)

    monkeypatch.setattr(worker, "_changed", look)
    game, other = (cast(Any, SimpleNamespace(id=name)) for name in ("game", "other"))
    worker.changed(game, cast(Any, 1))
    assert begun.wait(5)
    for state in (2, 3, 4):
        worker.changed(game, cast(Any, state))
        worker.changed(other, cast(Any, state))
    may_go_on.set()
    worker.close(5.0)
    assert seen == [("game", 1), ("game", 4), ("other", 4)]


def test_a_broken_file_of_saved_state_is_replaced(tmp_path: Path) -> None:
    SavedState(tmp_path).count(["games"])
    (tmp_path / "bot.json").write_text("{")
    (tmp_path / "running" / "abcdefgh.json").write_text('["no", "object"]')
    saved_state = SavedState(tmp_path)
    assert saved_state.bot.stats == {}
    assert saved_state.game("abcdefgh").said == []
    with pytest.raises(ValueError, match="no id of a game"):
        saved_state.game("../evil")
