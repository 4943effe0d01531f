"""How a group stands in words, for the terminal, the page and paper; and how one pupil stands, for himself."""

import shlex
from collections import Counter
from collections.abc import Iterator, Sequence

from coach.group.group import Group
from coach.group.report import CommonWeakness, GroupReport, Pupil
from coach.practice.exercise import Exercise, Task
from coach.practice.progress import Answers
from coach.practice.wording import numbered, question, theme_words
from coach.preparation.check_sheet import part_of
from coach.report.patterns import numbered_move, picture_of_loss
from coach.report.reasons import reason_name
from coach.report.sheet import Section, Sheet, Table
from db.patterns.keys import Pattern
from db.patterns.recurring import LEAST_GAMES
from db.wording.causes import advice
from db.wording.languages.english import ENGLISH
from db.wording.languages.grammar import Grammar

BESIDE = 6
"""Pupils beside one another in a table, so that it fits on paper."""

NOTHING = "–"


def group_sheet(found: GroupReport, language: Grammar = ENGLISH, *, commands: bool = True) -> Sheet:
    """The sheet of the coach: who solved what, what each pupil loses to, and what several lose to. With ``commands`` it
    says how a common weakness is assigned."""
    text, group = language.text, found.group
    pupils = language.counted(len(group.pupils), "pupil")
    searched = language.counted(found.judged, "game")
    return Sheet(
        title=text("Group %(name)s", name=group.name),
        lead=text("%(pupils)s; searched for losing moves: %(games)s.", pupils=pupils, games=searched),
        sections=(
            _assigned(found, language),
            Section(text("Pupils"), tuple(_pupil_notes(found, language)), _pupil_tables(found, language)),
            *_weaknesses(found, language, commands=commands),
        ),
    )


def pupil_sheet(group: Group, exercises: Sequence[Exercise], answers: Sequence[Answers], language: Grammar) -> Sheet:
    """The sheet of a pupil: what is assigned to him, and what he has solved of it."""
    text = language.text
    rows = [
        (language.number(number), question(exercise, language), answer_words(each, language))
        for number, (exercise, each) in enumerate(zip(exercises, answers, strict=True), start=1)
    ]
    columns = (text("No."), text("Exercise"), text("Your answer"))
    tables = (Table(text("Assigned exercises"), columns, tuple(rows), (0,)),) if rows else ()
    solved = sum(each.solved is not None for each in answers)
    lead = text("You solved %(solved)s of %(count)s.", solved=solved, count=len(exercises)) if exercises else ""
    section = Section(text("Assigned exercises"), (assignment_words(group, len(exercises), language),), tables)
    return Sheet(text("Group %(name)s", name=group.name), lead, (section,))


def assignment_words(group: Group, count: int, language: Grammar) -> str:
    """``10 exercises since 2026-11-27: knight fork on c7.``"""
    text = language.text
    if not count or group.assigned is None:
        return text("No exercises are assigned yet.")
    gaps = {"exercises": language.counted(count, "exercise"), "day": language.day(group.assigned[:10])}
    pattern = Pattern(group.about)
    if pattern.has_name:
        return text("%(exercises)s since %(day)s: %(pattern)s.", **gaps, pattern=pattern.name(language))
    return text("%(exercises)s since %(day)s, from the pupils’ own games.", **gaps)


def answer_words(answers: Answers, language: Grammar) -> str:
    """``2026-11-27``, ``2026-11-27, try 3``, ``wrong 2026-11-27``, or a dash."""
    text = language.text
    if answers.last is None:
        return NOTHING
    if answers.solved is None:
        return text("wrong %(day)s", day=language.day(answers.last.isoformat()))
    day = language.day(answers.solved.isoformat())
    if answers.is_at_once:
        return day
    if answers.tries == 1:
        return text("%(day)s, with hints", day=day)
    return text("%(day)s, try %(number)s", day=day, number=answers.tries)


def exercise_words(exercise: Exercise, language: Grammar) -> str:
    """What an exercise is about, for the coach, with its answer: ``find 6.Bxf7+ (mate)``."""
    text, move = language.text, numbered(exercise.board(), exercise.line[:1])
    if exercise.is_decoy:
        told = text("nothing wins, not even %(move)s", move=move)
    elif exercise.task is Task.SAFE:
        told = text("avoid %(move)s", move=move)
    else:
        told = text("find %(move)s", move=move)
    return f"{told} ({theme_words(exercise.themes[0], language)})"


def _assigned(found: GroupReport, language: Grammar) -> Section:
    text, tables = language.text, list[Table]()
    notes = [assignment_words(found.group, len(found.exercises), language)]
    if found.exercises:
        notes.append(text("A day says when an exercise was solved. Answers count wherever the pupil practised it."))
    for first in range(0, len(found.pupils) if found.exercises else 0, BESIDE):
        some = found.pupils[first : first + BESIDE]
        rows = [
            (
                language.number(number + 1),
                exercise_words(exercise, language),
                *(answer_words(pupil.answers[number], language) for pupil in some),
            )
            for number, exercise in enumerate(found.exercises)
        ]
        sums = ["", text("solved"), *(part_of(each.solved, len(found.exercises), language) for each in some)]
        columns = (text("No."), text("Exercise"), *(each.member.name for each in some))
        tables.append(Table(text("Who solved what"), columns, (*rows, tuple(sums)), (0,)))
    return Section(text("Assigned exercises"), tuple(notes), tuple(tables))


def _pupil_notes(found: GroupReport, language: Grammar) -> Iterator[str]:
    text = language.text
    if not found.pupils:
        yield text("Nobody is in this group yet.")
    for each in found.pupils:
        if not each.games:
            yield text("%(name)s: no game is in the library, or none any more.", name=each.member.name)
        elif not each.judged:
            yield text("%(name)s: no game was searched for losing moves yet.", name=each.member.name)
    for gone in found.group.gone:
        day = language.day((gone.left or "")[:10])
        yield text("%(name)s left the group on %(day)s.", name=gone.name, day=day)


def _pupil_tables(found: GroupReport, language: Grammar) -> tuple[Table, ...]:
    text = language.text
    columns = (text("Pupil"), text("games"), text("searched"), text("losing moves"), text("a game"), text("mostly"))
    rows = tuple(_pupil_row(each, language) for each in found.pupils)
    return (Table(text("What each pupil loses to"), columns, rows, (1, 2, 3, 4)),) if rows else ()


def _pupil_row(pupil: Pupil, language: Grammar) -> tuple[str, ...]:
    rate = language.decimal(pupil.losing_moves / pupil.judged, 1) if pupil.judged else NOTHING
    reasons = [f"{reason_name(reason, language)} {language.number(count)}" for reason, count in pupil.reasons]
    counts = map(language.number, (pupil.games, pupil.judged, pupil.losing_moves))
    return (pupil.member.name, *counts, rate, ", ".join(reasons) or NOTHING)


def _weaknesses(found: GroupReport, language: Grammar, *, commands: bool) -> Iterator[Section]:
    text, title = language.text, language.text("Common weaknesses")
    if not found.weaknesses:
        searched = language.counted(found.judged, "game")
        if found.judged < LEAST_GAMES:
            note = text(
                "%(games)s looked through. A pattern needs %(least)s or more, so that chance does not look like a "
                "habit.",
                games=searched,
                least=LEAST_GAMES,
            )
        else:
            note = text("No pattern comes back with two pupils or more (%(games)s searched).", games=searched)
        yield Section(title, (note,))
    for each in found.weaknesses:
        yield _weakness(each, found, language, commands=commands)


def _weakness(weakness: CommonWeakness, found: GroupReport, language: Grammar, *, commands: bool) -> Section:
    text, sample = language.text, weakness.moves[0]
    name = weakness.pattern.name(language, sample.colour)
    causes = Counter(move.move.cause for move in weakness.moves)
    command = f"trapline group assign {shlex.quote(found.group.slug)} --pattern {shlex.quote(weakness.pattern.key)}"
    notes = (
        text(
            "%(moves)s in %(games)s, by %(part)s of %(pupils)s: %(names)s.",
            moves=language.counted(len(weakness.moves), "losing move"),
            games=language.counted(weakness.games, "game"),
            part=language.number(len(weakness.by_pupil)),
            pupils=language.counted(len(found.pupils), "pupil"),
            names="; ".join(f"{name} {language.number(count)}" for name, count in weakness.by_pupil),
        ),
        advice(max(causes, key=lambda cause: (causes[cause], cause)), language),
        text("The costliest: %(game)s.", game=_game(weakness, language)),
        *([text("Assign it: %(command)s", command=command)] if commands else []),
    )
    title = text("Common weakness: %(pattern)s", pattern=name)
    return Section(title, notes, picture=picture_of_loss(sample))


def _game(weakness: CommonWeakness, language: Grammar) -> str:
    sample = weakness.moves[0]
    day = language.day(sample.game.date)
    return f"{numbered_move(sample)}, {sample.game.white} – {sample.game.black}{f', {day}' if day else ''}"
