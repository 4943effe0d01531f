"""Groups: who is in them, what is assigned to them, and what is said of them."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import delete, select, update

from coach.group.assignment import assign, assigned_exercises, assigned_practice, choose_exercises
from coach.group.group import (
    MOST_GROUPS,
    Group,
    add_pupils,
    create_group,
    delete_group,
    find_group,
    groups,
    named_players,
    remove_pupil,
    renew_link,
)
from coach.group.report import group_report
from coach.group.report_sheet import answer_words, group_sheet, pupil_sheet
from coach.practice.collect import Filter
from coach.practice.exercise import Exercise, Origin, Task
from coach.practice.progress import answers_to
from coach.practice.session import open_practice
from db.games.accounts import SiteAccount
from db.library.library import Library
from db.library.open import open_library
from db.storage.practice_rows import Repertoire, store_repertoire
from db.storage.tables import GameRow, GroupExerciseRow, GroupMemberRow, LosingMoveRow, PracticeReviewRow
from db.wording.languages.available import LANGUAGES, Language
from db.wording.languages.english import ENGLISH
from tests.support.practice_library import BOB, CEC, LEA, PUPILS_SITE, copy_group_library
from trapcore.errors import UsageError

NOW = datetime(2026, 11, 27, 12, tzinfo=UTC)
NOBODY = SiteAccount(PUPILS_SITE, "dora")


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with open_library(copy_group_library(tmp_path / "library.sqlite")) as opened:
        yield opened


@pytest.fixture
def group(library: Library) -> Group:
    """A group of the three pupils and of an account without games."""
    made = create_group(library, "Wednesday")
    players = [*named_players(library, ["lea", BOB, CEC]), (NOBODY, "Dora")]
    add_pupils(library, made, players)
    return find_group(library, "wednesday")


def chosen(library: Library, group: Group, wanted: Filter | None = None, **options: int | bool) -> list[Exercise]:
    def again() -> Library:
        return open_library(library.name)

    return choose_exercises(library, group, wanted or Filter(), again, **options)  # type: ignore[arg-type]


def test_groups_are_found_by_name_and_slug_and_kept_apart_by_their_coach(library: Library) -> None:
    own = create_group(library, " Jugend   Mittwoch ")
    assert (own.name, own.slug, own.pupils) == ("Jugend Mittwoch", "jugend-mittwoch", ())
    with pytest.raises(UsageError, match="already"):
        create_group(library, "jugend MITTWOCH")
    other = create_group(library, "Jugend Mittwoch", NOBODY)
    assert other.slug == "jugend-mittwoch-2"
    assert other.token != own.token
    with pytest.raises(UsageError, match="jugend-mittwoch, jugend-mittwoch-2"):
        find_group(library, "Jugend Mittwoch")
    assert find_group(library, "jugend-mittwoch-2").coach == str(NOBODY)
    assert create_group(library, "Шахматы").slug == "group"
    for name in ("", "x" * 81, "a\x1bb"):
        with pytest.raises(UsageError, match="1 to 80 letters"):
            create_group(library, name)
    renew_link(library, own)
    assert find_group(library, own.slug).token != own.token
    delete_group(library, other)
    assert [group.name for group in groups(library)] == ["Jugend Mittwoch", "Шахматы"]
    for number in range(MOST_GROUPS):
        create_group(library, f"U{number}", NOBODY)
    with pytest.raises(UsageError, match="which is the most"):
        create_group(library, "One more", NOBODY)


def test_no_pupil_is_without_a_name(library: Library, group: Group) -> None:
    with library.database.write() as connection:  # answers of somebody who gave no name
        store_repertoire(connection, "", Repertoire(pgn="1. e4 *", colour="white", source="", at=NOW))
    for text in ("", " "):
        with pytest.raises(UsageError, match="give a player's name"):
            named_players(library, [text])


def test_a_pupil_who_leaves_is_named_and_may_come_back(library: Library, group: Group) -> None:
    assert [each.name for each in group.pupils] == [BOB, CEC, "Dora", LEA]
    assert group.pupil("lea").player == LEA
    assert group.pupil(str(NOBODY)).player == NOBODY
    for text in ("e", "nobody", ""):
        with pytest.raises(UsageError, match="its pupils are: Bob; Cec Poe; Dora; Lea Ann"):
            group.pupil(text)
    remove_pupil(library, group, group.pupil("cec"))
    left = find_group(library, "Wednesday")
    assert [each.name for each in left.gone] == [CEC]
    assert not left.has(CEC)
    pupils = group_sheet(group_report(library, left)).sections[1]
    assert f"{CEC} left the group on {left.gone[0].left[:10]}." in pupils.notes  # type: ignore[index]
    add_pupils(library, left, [(CEC, CEC)])
    assert find_group(library, "Wednesday").has(CEC)


def test_exercises_of_all_pupils_are_assigned_without_the_game_they_are_from(library: Library, group: Group) -> None:
    found = chosen(library, group, count=5)
    assert {each.task for each in found} == {Task.SAFE, Task.KILLER}
    assert {each.origin for each in found} <= {Origin.GROUP, Origin.DECOY}
    assign(library, group, found, NOW)
    kept = assigned_exercises(library, find_group(library, "Wednesday"))
    assert list(kept) == found
    assert [each.game for each in kept] == [None] * len(kept)
    # The pupil whose move it was has the same exercise in his own practice.
    own = open_practice(library, LEA, Filter())
    assert {each.id for each in own.exercises} & {each.id for each in kept}
    assert all(each.id in {e.id for e in assigned_practice(library, group, CEC).exercises} for each in kept)


def test_a_pattern_brings_the_bundled_losing_moves_unless_own_are_wanted(library: Library, group: Group) -> None:
    wanted = Filter(pattern="mate:N:K")
    every = chosen(library, group, wanted, count=6)
    assert Origin.PATTERN in {each.origin for each in every}
    own = chosen(library, group, wanted, count=6, own_only=True)
    assert Origin.PATTERN not in {each.origin for each in own}
    assign(library, group, every, NOW, about=wanted.pattern)
    again = find_group(library, "Wednesday")
    first = group_sheet(group_report(library, again), LANGUAGES[Language.DE]).sections[0]
    assert first.notes[0].startswith(f"{len(every)} Aufgaben seit 27.11.2026: ")
    with pytest.raises(UsageError, match="did you mean"):
        chosen(library, group, Filter(theme="mat"))
    with pytest.raises(UsageError, match="1 to 100"):
        chosen(library, group, count=101)


def test_a_group_without_losing_moves_has_nothing_to_assign(library: Library, group: Group) -> None:
    with library.database.write() as connection:
        connection.execute(delete(LosingMoveRow))
    with pytest.raises(UsageError, match="there is nothing to assign to Wednesday"):
        chosen(library, group)
    with pytest.raises(UsageError, match="nobody is in the group Empty yet"):
        chosen(library, create_group(library, "Empty"), Filter(pattern="mate:N:K"))
    with pytest.raises(UsageError, match="no exercises are assigned to Wednesday yet"):
        assigned_practice(library, group, LEA)


def test_answers_count_wherever_they_were_given(library: Library, group: Group) -> None:
    assign(library, group, chosen(library, group, count=3), NOW)
    safe = next(each for each in assigned_exercises(library, group) if each.task is Task.SAFE)
    # Lea gives them in her own practice, Bob in that of the group.
    own = open_practice(library, LEA, Filter())
    own.answer(library, safe, "g4d1", NOW)
    own.answer(library, safe, "c6e5", NOW)
    assigned_practice(library, group, BOB).answer(library, safe, "c6e5", NOW)
    assigned_practice(library, group, NOBODY).answer(library, safe, "c6e5", NOW, hints=1)
    assigned_practice(library, group, CEC).give_up(library, safe, NOW)
    words = {
        str(player): answer_words(answers_to(library, player, [safe], UTC)[0], ENGLISH)
        for player in (LEA, BOB, CEC, NOBODY, "Anna")
    }
    assert words == {
        LEA: "2026-11-27, try 2",
        BOB: "2026-11-27",
        CEC: "wrong 2026-11-27",
        str(NOBODY): "2026-11-27, with hints",
        "Anna": "–",
    }
    found = group_report(library, find_group(library, "Wednesday"))
    assert {each.member.name: each.solved for each in found.pupils} == {BOB: 1, CEC: 0, "Dora": 1, LEA: 1}
    told = found.to_dict()["pupils"]
    assert [each["solved"] for each in told] == [1, 0, 1, 1]
    # Deleting the group takes no answer away.
    delete_group(library, group)
    with library.database.read() as connection:
        assert len(connection.scalars(select(PracticeReviewRow.id)).all()) == 5
        assert connection.scalars(select(GroupExerciseRow.place)).all() == []
        assert connection.scalars(select(GroupMemberRow.player)).all() == []


def test_what_several_pupils_lose_to_has_its_sample(library: Library, group: Group) -> None:
    found = group_report(library, group)
    (weakness,) = found.weaknesses
    assert (len(weakness.moves), weakness.games, weakness.by_pupil) == (5, 5, ((LEA, 3), (BOB, 2)))
    assert found.judged == 10
    sheet = group_sheet(found)
    (section,) = [each for each in sheet.sections if each.title.startswith("Common weakness: ")]
    assert section.notes[0] == "5 losing moves in 5 games, by 2 of 4 pupils: Lea Ann 3; Bob 2."
    assert section.notes[-1] == "Assign it: trapline group assign wednesday --pattern mate:N@d4,Ke2"
    assert section.picture is not None
    (table,) = sheet.sections[1].tables
    assert table.rows[0] == (BOB, "3", "3", "2", "0.7", "walked into a mate 2")
    assert "Dora: no game is in the library, or none any more." in sheet.sections[1].notes
    # One pupil's habit is not the group's.
    remove_pupil(library, group, group.pupil(BOB))
    alone = group_report(library, find_group(library, "Wednesday"))
    assert alone.weaknesses == ()
    assert "A pattern needs 10 or more" in group_sheet(alone).sections[-1].notes[0]


def test_a_pupil_twice_in_a_group_is_counted_once(library: Library, group: Group) -> None:
    add_pupils(library, group, [(SiteAccount(PUPILS_SITE, "bob"), BOB)])
    (weakness,) = group_report(library, find_group(library, "Wednesday")).weaknesses
    assert (len(weakness.moves), weakness.games) == (5, 5)


def test_a_pupil_whose_games_are_gone_is_said_so(library: Library, group: Group) -> None:
    with library.database.write() as connection:
        connection.execute(update(GameRow).where(GameRow.black == LEA).values(black="Somebody"))
        connection.execute(update(GameRow).where(GameRow.white == LEA).values(white="Somebody"))
    notes = group_sheet(group_report(library, group)).sections[1].notes
    assert f"{LEA}: no game is in the library, or none any more." in notes


_ODD = ({"patterns": "zz:Q@x"}, {"patterns": "nonsense"}, {"best": "a1a8"})


def test_an_exercise_that_cannot_be_is_left_out(library: Library, group: Group) -> None:
    found = chosen(library, group, count=3)
    assign(library, group, found, NOW)
    for change in ({"line": "a1a8"}, {"line": ""}, {"themes": ""}, {"before": "x", "played_before": "e2e4"}, *_ODD):
        with library.database.write() as connection:
            connection.execute(update(GroupExerciseRow).where(GroupExerciseRow.place == 1).values(**change))
        assert list(assigned_exercises(library, group)) == found[1:]
        assign(library, group, found, NOW)


def test_a_pupil_sees_his_own_answers_alone(library: Library, group: Group) -> None:
    found = chosen(library, group, count=2)
    assign(library, group, found, NOW)
    group = find_group(library, "Wednesday")
    sheet = pupil_sheet(group, found, answers_to(library, CEC, found, UTC), LANGUAGES[Language.DE])
    assert sheet.lead == "Sie haben 0 von 2 gelöst."
    assert [row[2] for row in sheet.sections[0].tables[0].rows] == ["–", "–"]
    assert pupil_sheet(create_group(library, "Empty"), (), (), ENGLISH).sections[0].notes == (
        "No exercises are assigned yet.",
    )
