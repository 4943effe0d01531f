"""Bundled patterns: what the file holds, that it is proved, and how a library gets and gives it."""

import random
from dataclasses import fields
from pathlib import Path

import pytest
from sqlalchemy import select, update

from db.games.players import players
from db.library.library import Library
from db.library.open import open_library
from db.patterns import bundled
from db.patterns.bundled import (
    MEANS,
    ProvedPattern,
    add_patterns,
    bundled_patterns,
    stored_patterns,
)
from db.patterns.index import open_mistakes
from db.patterns.keys import Pattern, token_sets
from db.patterns.peers import peer_rates
from db.storage.tables import BundledPatternRow
from db.traps.temptation import rating_band
from db.wording.languages.available import LANGUAGES, Language
from tests.db.patterns.samples import game, mistake, store
from trapcore.win_chance import MISTAKE
from workshop.experiments.bundled_patterns import chosen, file_of, judged

LEAST = 3_400
SAMPLE = 12
WITHIN = 0.0001
"""Figures of the file have four decimals."""

JUDGED_BY = bundled._content().partition("\n")[0]


def test_file_holds_many_small_lines_and_no_cause_twice_on_the_same_squares() -> None:
    patterns = bundled_patterns()
    assert len(patterns) >= LEAST
    assert len(file_of(patterns).encode()) < 3_000_000
    assert len({(each.epd, each.bait) for each in patterns}) == len(patterns)
    assert len({(each.causes[0], each.place) for each in patterns}) == len(patterns)
    assert list(chosen(patterns, len(patterns))) == list(patterns)
    assert bundled._content() == file_of(patterns).replace(MEANS, JUDGED_BY)


@pytest.mark.parametrize("language", list(Language))
def test_every_pattern_has_a_name_in_words(language: Language) -> None:
    for each in bundled_patterns():
        for pattern in each.patterns:
            assert pattern.name(LANGUAGES[language], each.colour), pattern.key


def test_sample_is_proved_again_with_the_same_figures() -> None:
    sample = random.Random(JUDGED_BY).sample(bundled_patterns(), SAMPLE)
    found = {(each.epd, each.bait): each for each in judged((each.epd, each.bait) for each in sample)}
    for each in sample:
        again = found.get((each.epd, each.bait))
        assert again is not None, "judge the patterns again: make patterns PATTERNS=--judge-again"
        if JUDGED_BY != MEANS:
            continue
        for field in fields(ProvedPattern):
            before, after = getattr(each, field.name), getattr(again, field.name)
            assert before == (pytest.approx(after, abs=WITHIN) if isinstance(after, float) else after), field.name


def test_every_proof_says_what_the_move_costs() -> None:
    for each in bundled_patterns():
        assert each.mate_in is not None or each.before - each.after >= MISTAKE
        assert 0 <= each.probability <= 1
        assert each.nodes > 0


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    opened = open_library(tmp_path_factory.mktemp("bundled") / "library.sqlite", create=True)
    add_patterns(opened)
    return opened


def test_patterns_are_added_once_and_replaced_by_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with open_library(tmp_path / "library.sqlite", create=True) as library:
        add_patterns(library)
        with library.database.write() as connection:
            connection.execute(update(BundledPatternRow).values(mechanism="changed"))
        add_patterns(library)  # these are there
        with library.database.read() as connection:
            assert set(connection.scalars(select(BundledPatternRow.mechanism))) == {"changed"}
        some = bundled_patterns()[:7]
        monkeypatch.setattr(bundled, "_content", lambda: file_of(some))
        monkeypatch.setattr(bundled, "bundled_patterns", lambda: some)
        add_patterns(library)
        with library.database.read() as connection:
            assert [each.epd for each in stored_patterns(connection).values()] == [each.epd for each in some]


def test_index_finds_a_bundled_pattern_and_grows_with_games(library: Library, tmp_path: Path) -> None:
    wanted = random.Random(1).sample(list(enumerate(bundled_patterns(), 1)), 20)
    sets = token_sets((each.epd, (each.bait, *each.killer_line), each.patterns) for _, each in wanted)

    def nearest(opened: Library) -> list[list[tuple[int, float]]]:
        with open_mistakes(opened) as index:
            return [[(ply, round(s, 9)) for (game, ply), s in hits if not game] for hits in index.nearest(sets, 5)]

    alone = nearest(library)
    assert [hits[0] for hits in alone] == [(number, 1.0) for number, _ in wanted]
    with open_library(tmp_path / "library.sqlite", create=True) as other:
        add_patterns(other)
        nearest(other)
        store(other, tmp_path / "games.pgn", [game("noah", "Ann", "Bob")])
        with open_mistakes(other) as index:
            assert len(index.index) == len(bundled_patterns()) + 1
            ((place, similarity), *_) = index.nearest([mistake("noah").tokens], 1)[0]
        assert (place[0], similarity) == (1, 1)


def test_no_count_of_games_or_players_has_bundled_patterns(library: Library) -> None:
    counts = library.counts()
    assert (counts.games, counts.positions, counts.sightings, counts.traps) == (0, 0, 0, 0)
    assert players(library) == {}
    every = [Pattern(key) for each in bundled_patterns()[:5] for key in (each.cause, each.mechanism, each.place)]
    with library.database.read() as connection:
        rates = peer_rates(connection, every, rating_band(None), ())
    assert {(rate.games, rate.fell) for rate in rates.values()} == {(0, 0)}
