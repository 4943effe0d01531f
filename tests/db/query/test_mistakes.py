"""Losing moves by what they are like, by their patterns, and by who made them."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from db.games.accounts import NO_ACCOUNT, SiteAccount
from db.games.losing_moves import LostMove
from db.library.library import Library
from db.library.open import open_library
from db.patterns.bundled import add_patterns, bundled_patterns
from db.query.mistakes import Answer, MistakeHit, answers, find_mistakes
from db.query.query import MistakeQuery
from tests.db.patterns.samples import game, mistake, store
from tests.support.db_traps import legal
from trapcore.errors import UsageError

SITE = "https://lichess.org/abcdefgh"
GAMES = (
    game("legal", "Ann", "Bob", "2020.01.01", Site=SITE, ECO="C50", BlackElo=1500),
    game("legal", "Cec", "Dan", "2021.01.01", ECO="C41", BlackElo=1900),
    game("noah", "Ann", "Dan", "2022.01.01", ECO="C70", WhiteElo=1500),
    game("fork", "Eve", "Bob", "2023.01.01", ECO="C50", WhiteElo=1200),
)


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    folder = tmp_path_factory.mktemp("mistakes")
    with open_library(folder / "library.sqlite", create=True) as opened:
        store(opened, folder / "games.pgn", GAMES)
        yield opened


def found(library: Library, **conditions: object) -> list[tuple[str, str]]:
    page = find_mistakes(library, MistakeQuery(**conditions))  # type: ignore[arg-type]
    return [(hit.white, hit.played) for hit in page.mistakes]


def like(library: Library, text: str) -> list[MistakeHit]:
    return list(find_mistakes(library, MistakeQuery(like=text)).mistakes)


def test_pattern_is_found_by_the_beginning_of_its_key_and_by_words_of_its_name(library: Library) -> None:
    move = mistake("noah")
    assert move.mechanism is not None
    first = move.mechanism.partition(":")[0]
    assert ("Ann", "Qxd4") in found(library, mechanism=first)
    hit = like(library, "3#15")[0]
    assert hit.name
    assert ("Ann", "Qxd4") in found(library, place=hit.name[:-1].upper())


def test_mistake_like_a_move_of_a_game_is_itself_first(library: Library) -> None:
    for text in ("1#10", f"{SITE}#10", "1#5...", "1#5...Bxd1"):
        hits = like(library, text)
        assert [(hit.white, hit.similarity) for hit in hits[:2]] == [("Ann", 1.0), ("Cec", 1.0)]
        assert all(hit.similarity is not None and hit.similarity < 0.9 for hit in hits[2:])


def test_mistake_like_a_trap_shares_its_patterns(library: Library) -> None:
    library.add(legal())
    first, second, *others = like(library, legal().slug)
    assert [(hit.white, hit.similarity) for hit in (first, second)] == [("Ann", 1.0), ("Cec", 1.0)]
    move = mistake("legal")
    assert first.shared == (move.place, move.mechanism, move.cause)
    assert all(hit.shared != first.shared for hit in others)
    assert find_mistakes(library, MistakeQuery(place=move.place)).mistakes[0].shared == ()


def games_of(found: list[Answer]) -> list[LostMove]:
    return [each.lost for each in found if isinstance(each.lost, LostMove)]


def test_answers_are_the_players_own_and_those_of_others(library: Library) -> None:
    query = MistakeQuery(like="1#10")
    own, others = map(games_of, answers(library, query, whose="Dan"))
    assert {each.game.black for each in own} == {"Dan"}
    assert own[0].game.white == "Cec"
    assert others[0].game.white == "Ann"
    own, others = map(games_of, answers(library, query, whose=SiteAccount("https://lichess.org", "bob")))
    assert [each.game.white for each in own] == ["Ann"]
    assert "Ann" not in [each.game.white for each in others if each.move.ply == 10]


def test_account_sees_its_own_games_only(library: Library) -> None:
    query = MistakeQuery(place=mistake("legal").place)
    assert [hit.white for hit in find_mistakes(library, query, SiteAccount("https://lichess.org", "Bob")).mistakes] == [
        "Ann"
    ]
    assert find_mistakes(library, query, NO_ACCOUNT).mistakes == ()
    assert find_mistakes(library, MistakeQuery(like="2#10"), NO_ACCOUNT).mistakes == ()


@pytest.mark.parametrize(
    ("conditions", "told"),
    [
        ({}, "give one of like, cause, mechanism and place"),
        ({"cause": "thret"}, "unknown cause 'thret': did you mean 'threat'?"),
        ({"mechanism": "nothing such"}, "no losing move of this library has the mechanism 'nothing such'"),
        ({"like": "9#1"}, "the library has no game '9'"),
        ({"like": "1#99"}, "the game 1 has no move '99'"),
        ({"like": "1#Bxd1"}, "'Bxd1' is no move of a game"),
        ({"cause": "threat", "limit": 0}, "limit must be 1 to 200, not 0"),
        ({"cause": "threat", "eco": "X"}, "eco must be like C41"),
    ],
)
def test_question_that_cannot_be_answered_says_why(library: Library, conditions: dict[str, object], told: str) -> None:
    with pytest.raises(UsageError) as error:
        found(library, **conditions)
    assert told in str(error.value)


def test_bundled_patterns_come_after_games_and_are_marked(tmp_path: Path) -> None:
    with open_library(tmp_path / "library.sqlite", create=True) as opened:
        store(opened, tmp_path / "games.pgn", GAMES)
        add_patterns(opened)
        move = mistake("noah")
        hits = find_mistakes(opened, MistakeQuery(cause=move.cause, limit=50)).mistakes
        own = [hit for hit in hits if not hit.bundled]
        assert hits[: len(own)] == tuple(own) != ()
        for hit in hits[len(own) :]:
            assert (hit.game, hit.ply, hit.number, hit.address, hit.white, hit.black, hit.date) == (
                *(None,) * 4, "", "", "")  # fmt: skip
            assert (hit.cause, bool(hit.mechanism), bool(hit.place), bool(hit.name)) == (move.cause, True, True, True)
        for about in ({"player": "a"}, {"eco": "C"}, {"min_rating": 0}, {"max_rating": 3000}):
            found = find_mistakes(opened, MistakeQuery(cause=move.cause, **about))
            assert not any(hit.bundled for hit in found.mistakes)
        for victim in ("white", "black"):
            found = find_mistakes(opened, MistakeQuery(cause=move.cause, victim=victim))
            assert {hit.colour for hit in found.mistakes if hit.bundled} == {victim}


def test_bundled_pattern_is_found_by_mechanism_by_place_and_by_its_position(tmp_path: Path) -> None:
    wanted = bundled_patterns()[100]
    with open_library(tmp_path / "library.sqlite", create=True) as opened:
        add_patterns(opened)
        for query in (MistakeQuery(mechanism=wanted.mechanism, limit=200), MistakeQuery(place=wanted.place)):
            assert wanted.epd in {hit.epd for hit in find_mistakes(opened, query).mistakes}
        (hit, *_) = like(opened, wanted.epd)
        assert (hit.bundled, hit.epd, hit.similarity) == (True, wanted.epd, 1)
        of_place = MistakeQuery(like=wanted.epd, place=wanted.place)
        assert {hit.place for hit in find_mistakes(opened, of_place).mistakes} == {wanted.place}
        assert find_mistakes(opened, MistakeQuery(place=wanted.place), NO_ACCOUNT).mistakes != ()
