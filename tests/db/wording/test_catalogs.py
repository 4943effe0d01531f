"""The catalogs of the languages: each has every text, with the same gaps and tags, and nothing that nobody asks for."""

import re
from pathlib import Path

import pytest

from db.games.phases import PHASES
from db.games.players import find_players
from db.report.losses import clock_band, time_of_day
from db.wording.catalog import catalog
from db.wording.grammar import Grammar
from db.wording.languages import LANGUAGES
from tests.db.wording.catalog_texts import TEMPLATES, strings, wanted
from trapcore.errors import UsageError

OTHERS = [language for language in LANGUAGES.values() if language.catalog_file]
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
def test_a_message_of_a_catalog_is_one_that_the_program_makes(language: Grammar) -> None:
    made = "\n".join(strings())
    from_the_core = {
        "oversized",
        "binary",
        "unknown variant",
        "bad fen",
        "illegal move",
        "ambiguous move",
        "null move",
        "unreadable",
    }
    from_chess = {"no white king", "no black king", "too many kings", "opposite check", "pawns on backrank"}
    elsewhere = {*from_the_core, *from_chess, "too many checkers", "unknown theme ", "unknown trap "}
    for pattern, _ in catalog(language.catalog_file).messages:
        parts = [part for part in re.split(r"\(\.\*\)", pattern.pattern) if len(part) > 4]
        plain = [re.sub(r"\\(.)", r"\1", part) for part in parts]
        assert all(part.strip(" :;,'?()") in made for part in plain) or plain[0] in elsewhere, plain


@pytest.mark.parametrize("language", OTHERS, ids=lambda language: language.code)
def test_the_rows_of_a_report_have_words(language: Grammar) -> None:
    names = {*PHASES, *(clock_band(seconds) for seconds in (None, 5, 20, 60, 300, 900))}
    names |= {time_of_day(time) for time in ("", "03:00:00", "09:00:00", "15:00:00", "21:00:00")}
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


def test_a_message_is_told_with_what_is_in_its_gaps() -> None:
    _, german = LANGUAGES.values()
    told = german.message("not a legal position: no white king, no black king: '8/8 w'")
    assert told == "keine regelgerechte Stellung: kein weißer König, kein schwarzer König"
    for names, start in (({"Éva": 6}, "die meisten Partien sind von Éva"), ({"Xaver": 1}, "am ähnlichsten sind Xaver")):
        with pytest.raises(UsageError) as error:
            find_players(names, "Xavier")
        assert german.message(str(error.value)).startswith(f"keine Partie hat einen Spieler namens 'Xavier'; {start}")
    assert german.message("of this nobody knows") == "of this nobody knows"


#: What is the same in every language: the name, and what is typed or read by programs.
NAMES = {"trapline", "FEN", "HTML", "PGN", "JSON", "SVG", "Anki", "UTC", "Bxd1", "Bxf7+", "C41, B1, B10-B19"}


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.name)
def test_a_template_has_no_words_outside_the_catalogs(path: Path) -> None:
    source = re.sub(r"\{#.*?#\}|\{%-?\s*trans.*?endtrans\s*-?%\}", "", path.read_text("utf-8"), flags=re.DOTALL)
    source = re.sub(r"\{%.*?%\}|\{\{.*?\}\}|<style>.*?</style>", "¦", source, flags=re.DOTALL)
    attributes = re.findall(r'(?:aria-label|placeholder|alt|title)="([^"]*)"', source)
    texts = [*re.sub(r"<[^>]*>|&\w+;", "¦", source, flags=re.DOTALL).split("¦"), *attributes]
    assert [text for each in texts if re.search("[A-Za-z]{2}", text := each.strip(" \n·:")) and text not in NAMES] == []
