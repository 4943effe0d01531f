"""The commands ``trapline group ...``: a coach's group of players."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from trapline.commands.options import DbOption, JsonOption, LanguageOption, SheetOption
from trapline.commands.resources import check_outputs, chosen_language, open_existing
from trapline.lazy_group import lazy_application

if TYPE_CHECKING:
    from coach.group.group import Group

GroupArgument = Annotated[str, typer.Argument(metavar="NAME", help="The group.")]
PlayersArgument = Annotated[
    list[str],
    typer.Argument(
        metavar="PLAYER...",
        help="Names as in the games, or parts of them; or addresses of accounts, https://lichess.org/@/NAME.",
    ),
]

group = lazy_application(
    "Coach a group of players: assign exercises, see who solved what, and what several lose to.",
    {
        "create": "trapline.commands.games.group:create",
        "add": "trapline.commands.games.group:add",
        "remove": "trapline.commands.games.group:remove",
        "delete": "trapline.commands.games.group:delete",
        "list": "trapline.commands.games.group:show",
        "assign": "trapline.commands.games.group:assign",
        "report": "trapline.commands.games.group:report",
    },
)


def create(
    name: Annotated[str, typer.Argument(metavar="NAME", help="What the group is called.")], db: DbOption = None
) -> None:
    """Make a group, without pupils yet."""
    from coach.group.group import create_group
    from trapline.commands.terminal import say

    with open_existing(db, read_only=False) as library:
        made = create_group(library, name)
    say(f"made the group {made.name} ({made.slug}); `trapline group add {made.slug} PLAYER` adds pupils")


def add(name: GroupArgument, players: PlayersArgument, db: DbOption = None) -> None:
    """Add players to a group."""
    from coach.group.group import add_pupils, find_group, named_players
    from trapline.commands.terminal import say

    with open_existing(db, read_only=False) as library:
        found = find_group(library, name)
        add_pupils(library, found, named_players(library, players))
        say(_members(find_group(library, found.slug)))


def remove(name: GroupArgument, players: PlayersArgument, db: DbOption = None) -> None:
    """Remove players from a group. Their answers stay in their practice."""
    from coach.group.group import find_group, remove_pupil
    from trapline.commands.terminal import say

    with open_existing(db, read_only=False) as library:
        found = find_group(library, name)
        for member in [found.pupil(player) for player in players]:
            remove_pupil(library, found, member)
        say(_members(find_group(library, found.slug)))


def delete(name: GroupArgument, db: DbOption = None) -> None:
    """Delete a group with its assignment. The answers of its pupils stay in their practice."""
    from coach.group.group import delete_group, find_group
    from trapline.commands.terminal import say

    with open_existing(db, read_only=False) as library:
        found = find_group(library, name)
        delete_group(library, found)
    say(f"deleted the group {found.name}")


def show(language: LanguageOption = None, db: DbOption = None) -> None:
    """List the groups with their pupils and what is assigned to them."""
    from coach.group.assignment import assigned_exercises
    from coach.group.group import groups
    from coach.group.report_sheet import assignment_words
    from trapline.commands.terminal import print_table

    grammar = chosen_language(language)
    text = grammar.text
    with open_existing(db) as library:
        rows = [
            (
                each.name,
                each.slug,
                "; ".join(pupil.name for pupil in each.pupils) or "–",
                assignment_words(each, len(assigned_exercises(library, each)), grammar),
            )
            for each in groups(library)
        ]
    print_table(text("Groups"), [text("group"), "slug", text("pupils"), text("assigned")], rows)


def assign(
    name: GroupArgument,
    pattern: Annotated[
        str, typer.Option(metavar="KEY", help="Only this pattern, as the report names it: threat or fork:N:KR.")
    ] = "",
    theme: Annotated[
        str, typer.Option(metavar="THEME", help="Only this theme, such as fork, pin or back-rank mate.")
    ] = "",
    opening: Annotated[str, typer.Option(metavar="TEXT", help="Only openings with this text in their name.")] = "",
    own: Annotated[
        bool, typer.Option("--own", help="With --pattern: without the losing moves that come with trapline.")
    ] = False,
    count: Annotated[int, typer.Option(metavar="N", min=1, max=100, help="Number of exercises, 1 to 100.")] = 10,
    language: LanguageOption = None,
    db: DbOption = None,
) -> None:
    """Assign exercises to a group, in place of those before: from the pupils' own losing moves, or of one pattern.

    Each pupil's costliest losing moves come in turn. Every pupil gets all of them, as `trapline practise --group NAME`
    and on the page. An exercise does not say whose game it is from. The search confirms each, which takes up to a
    second.
    """
    from coach.group.assignment import assign as stored
    from coach.group.assignment import choose_exercises
    from coach.group.group import find_group
    from coach.group.report_sheet import exercise_words
    from coach.practice.collect import Filter
    from coach.practice.schedule import now_utc
    from coach.practice.wording import theme_key
    from db.library.open import open_library
    from db.wording.languages.english import ENGLISH
    from trapline.commands.terminal import say
    from trapline.echo import echo

    grammar = chosen_language(language)
    wanted = Filter(theme=theme_key(theme, grammar), pattern=pattern, opening=opening)
    with open_existing(db, read_only=False) as library:
        found = find_group(library, name)
        exercises = choose_exercises(
            library, found, wanted, lambda: open_library(library.name), count=count, own_only=own
        )
        stored(library, found, exercises, now_utc(), about=pattern)
    for number, exercise in enumerate(exercises, start=1):
        echo(f"{number}. {exercise_words(exercise, grammar)}")
    fewer = f", and not {count}: no other losing move makes an exercise" if len(exercises) < count else ""
    say(f"assigned {ENGLISH.counted(len(exercises), 'exercise')} to {found.name}{fewer}")


def report(
    name: GroupArgument,
    output: SheetOption = None,
    language: LanguageOption = None,
    db: DbOption = None,
    as_json: JsonOption = False,
) -> None:
    """Say who solved what of the assignment and when, what each pupil loses to, and what several of them lose to.

    Each common weakness has its sample: how many losing moves, games and pupils. --json prints the same figures.
    """
    from coach.group.group import find_group
    from coach.group.report import group_report
    from coach.group.report_sheet import group_sheet
    from coach.report.sheet import page
    from db.formats.export_file import write_text
    from trapline.commands.terminal import print_json, print_sheet

    check_outputs([output], db)
    grammar = chosen_language(language)
    with open_existing(db) as library:
        found = group_report(library, find_group(library, name))
        library_name = library.name
    sheet = group_sheet(found, grammar)
    if output is not None:
        write_text(page(sheet, grammar), output, library=library_name)
    if as_json:
        print_json(found.to_dict())
    elif output != "-":
        print_sheet(sheet)


def _members(found: Group) -> str:
    names = "; ".join(each.name for each in found.pupils)
    return f"in the group {found.name}: {names}" if names else f"nobody is in the group {found.name}"
