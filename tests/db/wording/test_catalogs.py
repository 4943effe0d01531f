"""The catalogs of the languages: each has every text, with the same gaps and tags, and nothing that nobody asks for."""

import pickle
import re
from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path
from string import Formatter

import pytest

from coach.report.losses import clock_band, time_of_day
from db.games.phases import PHASES
from db.games.players import find_players
from db.games.trap_occurrences import UNNAMED
from db.traps.temptation import rating_band
from db.wording.languages.available import LANGUAGES, OWN_WORDS
from db.wording.languages.english import ENGLISH
from db.wording.languages.grammar import Grammar, catalog
from db.wording.names import theme_name
from tests.db.wording.catalog_texts import ROOT, TEMPLATES, raised, wanted
from trapcore.errors import Message, PositionError, UsageError
from trapcore.trees import chess_game
from trapcore.trees.chess_game import parse_position
from trapline.web.pages.start import FIELDS
from trapline.web.problems import NotFound

OTHERS = [language for language in OWN_WORDS.values() if language.catalog_file]
_WEB = ("jobs", "problems", "profile", "report_jobs", "service", "sign_ins", "upload_jobs")
PAGE_ERRORS = {
    *(ROOT / "trapline" / "web" / "pages").rglob("*.py"),
    *(ROOT / "trapline" / "web" / f"{name}.py" for name in _WEB),
    ROOT / "coach" / "group" / "assignment.py",
    ROOT / "coach" / "group" / "group.py",
    ROOT / "coach" / "practice" / "exercise.py",
    ROOT / "coach" / "practice" / "session.py",
    ROOT / "db" / "games" / "players.py",
    ROOT / "db" / "patterns" / "like.py",
    ROOT / "db" / "query" / "ahead.py",
    ROOT / "db" / "query" / "condition.py",
    ROOT / "db" / "query" / "mistakes.py",
    ROOT / "db" / "query" / "query.py",
    ROOT / "db" / "query" / "where.py",
    ROOT / "trapcore" / "trees" / "chess_game.py",
}
"""Files whose errors a page shows."""

CLOCKS = {clock_band(seconds) for seconds in (None, 5, 20, 60, 300, 900)}
TIMES = {time_of_day(time) for time in ("", "03:00:00", "09:00:00", "15:00:00", "21:00:00")}
NAMES_OF_ROWS = {*PHASES, *CLOCKS, *TIMES, UNNAMED, str(rating_band(None)), "white", "black"}
READER = ROOT / "trapcore" / "native" / "src" / "pgn" / "reader.rs"
REASONS = {
    *(reason.replace("-", " ") for reason in re.findall(r'Skip::\w+ .*=> "([a-z-]+)"', READER.read_text("utf-8"))),
    "binary",
    *(flag.name.lower().replace("_", " ") for flag in chess_game.REFUSED if flag.name),
}
"""Why a game was not read, and why a position is none, as the names of values."""

CHOICES = [name for name, each in FIELDS.items() if each.choices]

OF_SETS = {
    *(
        f"unknown {what} {{given!r}}: {rest}"
        for what in ("cause", "theme", "trap", "family", *CHOICES)
        for rest in ("did you mean {nearest!r}?", "known are {known}")
    ),
    *(name for name, each in FIELDS.items() if each.least is not None),
    "the moves",
    "a position (fen or moves)",
    "similar and a position",
    "bait",
    "killer",
    "White",
    "Black",
}
"""Templates and names that are made from a value."""
GAP_OR_TAG = re.compile(r"%\(\w+\)s|%%|</?\w+[^>]*>")


@pytest.mark.parametrize("language", OTHERS, ids=lambda language: language.code)
def test_a_catalog_has_every_text_and_no_other(language: Grammar) -> None:
    texts, plurals = wanted()
    found = catalog(language.catalog_file)
    assert len(texts) > 300
    assert sorted(texts - set(found.texts)) == []
    assert sorted(set(found.texts) - texts) == []
    assert set(found.plurals) == plurals


@pytest.mark.parametrize("language", OTHERS, ids=lambda language: language.code)
def test_a_text_has_the_same_gaps_and_tags_in_each_language(language: Grammar) -> None:
    found = catalog(language.catalog_file)
    pairs = [*found.texts.items(), *((one, each) for one, forms in found.plurals.items() for each in forms)]
    different = [
        english for english, words in pairs if sorted(GAP_OR_TAG.findall(english)) != sorted(GAP_OR_TAG.findall(words))
    ]
    assert different == []


@pytest.mark.parametrize("language", OTHERS, ids=lambda language: language.code)
def test_each_message_that_pages_show_has_words_and_no_other(language: Grammar) -> None:
    found, wanted = catalog(language.catalog_file).messages, set(NAMES_OF_ROWS) | set(REASONS) | set(OF_SETS)
    for path, template, has_values in raised():
        # Made from the name of a set, see `OF_SETS`; shown to programs alone.
        if path.name == "errors.py" or path.parent.name == "interface":
            continue
        if path in PAGE_ERRORS or has_values:
            assert template is not None, f"{path}: an error that pages show is a constant with named values"
            wanted.add(template)
    assert sorted(wanted - set(found)) == []
    elsewhere = {template for _, template, _ in raised()}
    assert sorted(set(found) - wanted - elsewhere) == []


@pytest.mark.parametrize("language", OTHERS, ids=lambda language: language.code)
def test_a_message_has_the_same_gaps_in_each_language(language: Grammar) -> None:
    def gaps(template: str) -> set[tuple[str, str, str]]:
        parts = Formatter().parse(template)
        return {(name, spec or "", conversion or "") for _, name, spec, conversion in parts if name is not None}

    messages = catalog(language.catalog_file).messages
    assert [english for english, words in messages.items() if gaps(english) != gaps(words)] == []


@pytest.mark.parametrize("language", OTHERS, ids=lambda language: language.code)
def test_a_language_has_every_table_of_the_english_words(language: Grammar) -> None:
    for field in fields(Grammar):
        english, own = getattr(ENGLISH, field.name), getattr(language, field.name)
        if isinstance(english, Mapping) and field.name != "transliterated":
            assert own.keys() == english.keys(), field.name


@pytest.mark.parametrize("language", OTHERS, ids=lambda language: language.code)
def test_a_word_that_a_language_lacks_is_english(language: Grammar) -> None:
    assert language.text("%(count)s words of tomorrow", count=2) == "2 words of tomorrow"
    assert language.format("%(num)s word of tomorrow", "%(num)s words of tomorrow", 2) == "%(num)s words of tomorrow"
    assert language.counted(2, "word of tomorrow") == "2 word of tomorrows"
    assert language.message(Message("no words for {this}", {"this": "it"})) == "no words for it"
    assert theme_name("themeOfTomorrow", language) == "themeOfTomorrow"
    lacking = replace(language, sides={}, practice={}).completed_by(ENGLISH)
    assert lacking.sides == ENGLISH.sides
    assert lacking.practice == ENGLISH.practice
    assert lacking.pieces == language.pieces


@pytest.mark.parametrize("language", OTHERS, ids=lambda language: language.code)
def test_the_rows_of_a_report_have_words(language: Grammar) -> None:
    names = {*PHASES, *CLOCKS, *TIMES}
    assert len(names) == 13
    assert [name for name in names if language.message(name) == name] == []


def test_numbers_and_dates_are_as_a_language_writes_them() -> None:
    english, german = LANGUAGES.values()
    assert (english.number(1234567), german.number(1234567)) == ("1,234,567", "1.234.567")
    assert (english.decimal(0.5, 2), german.decimal(0.5, 2)) == ("0.50", "0,50")
    assert (english.day("2021.10.05"), german.day("2021.10.05")) == ("2021-10-05", "05.10.2021")
    assert [german.day(date) for date in ("1900.??.??", "2021.10.??", "????.??.??", "")] == ["1900", "10/2021", "", ""]
    assert (english.counted(1, "game"), english.counted(2000, "game")) == ("1 game", "2,000 games")
    assert (german.counted(1, "game"), german.counted(2000, "game")) == ("1 Partie", "2.000 Partien")


def test_a_message_has_its_values_in_the_language_of_the_reader() -> None:
    _, german = LANGUAGES.values()
    with pytest.raises(PositionError) as no_kings:
        parse_position("8/8/8/8/8/8/8/8 w - - 0 1")
    assert str(no_kings.value).startswith("not a legal position: no white king, no black king, empty: '8/8")
    told = german.message(no_kings.value.message)
    assert (
        told
        == "keine regelgerechte Stellung: kein weißer König, kein schwarzer König, leer: '8/8/8/8/8/8/8/8 w - - 0 1'"
    )
    for names, start in (({"Éva": 6}, "die meisten Partien sind von Éva"), ({"Xaver": 1}, "am ähnlichsten sind Xaver")):
        with pytest.raises(UsageError) as error:
            find_players(names, "Xavier")
        words = german.message(error.value.message)
        assert words.startswith(f"keine Partie hat einen Spieler namens 'Xavier'; {start}")
    for every, end in ((None, "geben Sie den ganzen Namen"), (False, "oder --all, wenn alle einer sind")):
        with pytest.raises(UsageError) as several:
            find_players({"Eva Kiss": 2, "Tom Kiss": 1}, "kiss", every=every)
        words = german.message(several.value.message)
        assert words.startswith("2 Spieler haben 'kiss' im Namen: Eva Kiss")
        assert words.endswith(end)
    none = "none of the {count:,} exercises is of this kind; leave out a condition, such as the opening or the rating"
    many = UsageError(none, count=2000)
    assert str(many).startswith("none of the 2,000 exercises")
    assert german.message(many.message).startswith("keine der 2.000 Aufgaben")
    unstored = Message("the answer was not stored, give it again: {reason}", {"reason": no_kings.value})
    assert german.message(unstored).startswith("die Antwort wurde nicht gespeichert, geben Sie sie noch einmal: keine")


def test_a_value_may_have_braces_and_an_error_survives_a_process() -> None:
    error = PositionError("not a FEN: {fault}", "{fen}", fault="{0} and {name}")
    assert str(error) == "not a FEN: {0} and {name}"
    assert str(UsageError("{plain} words without values")) == "{plain} words without values"
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again), again.fen, again.message) == (PositionError, str(error), "{fen}", error.message)
    refused = pickle.loads(pickle.dumps(NotFound("there is nothing at {path}", {"Allow": "GET"}, path="/x")))
    assert (str(refused), refused.headers) == ("there is nothing at /x", {"Allow": "GET"})


#: What is the same in every language: the name, and what is typed or read by programs.
NAMES = {"trapline", "FEN", "HTML", "PGN", "JSON", "SVG", "Anki", "UTC", "Bxd1", "Bxf7+", "C41, B1, B10-B19"}


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.name)
def test_a_template_has_no_words_outside_the_catalogs(path: Path) -> None:
    source = re.sub(r"\{#.*?#\}|\{%-?\s*trans.*?endtrans\s*-?%\}", "", path.read_text("utf-8"), flags=re.DOTALL)
    source = re.sub(r"\{%.*?%\}|\{\{.*?\}\}|<style>.*?</style>", "¦", source, flags=re.DOTALL)
    attributes = re.findall(r'(?:aria-label|placeholder|alt|title)="([^"]*)"', source)
    texts = [*re.sub(r"<[^>]*>|&\w+;", "¦", source, flags=re.DOTALL).split("¦"), *attributes]
    assert [text for each in texts if re.search("[A-Za-z]{2}", text := each.strip(" \n·:")) and text not in NAMES] == []
