"""A library that is asked: every way to ask finds what it should, pages fit together, and bad questions are refused."""

import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import chess
import pytest
from hypothesis import strategies as st

from db.formats.bundled import bundled_non_traps, bundled_traps
from db.games.index_games import index_files
from db.library.library import Library
from db.library.open import open_library
from db.query.answer import Hit, Match, Page
from db.query.engine import QueryEngine
from db.query.query import Query, Sort
from db.traps.temptation import Frequency
from db.traps.trap import Trap
from tests.support.db_traps import (
    AVOIDED,
    ELEPHANT_FELL,
    FELL,
    LEGAL_FEN,
    LEGAL_MOVES,
    MIRRORED,
    MIRRORED_LEGAL_FEN,
    write,
)
from trapcore import _native
from trapcore.errors import InputError, PositionError, UsageError
from trapcore.measures.options import IndexedMeasure

LEGAL = "legal-mate"


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    """The bundled traps, some with gains, and four games."""
    folder = tmp_path_factory.mktemp("query")
    draw = random.Random(7)
    traps = [
        replace(trap, gain=draw.choice([None, 0.25, 0.5, 1.5])) for trap in [*bundled_traps(), *bundled_non_traps()]
    ]
    with open_library(folder / "library.sqlite", create=True) as opened:
        opened.add_all(traps)
        rated = FELL.replace("\n\n1.", '\n[BlackElo "1300"]\n\n1.', 1)
        index_files(opened, [write(folder / "games.pgn", rated, AVOIDED, MIRRORED, ELEPHANT_FELL)])
        yield opened


@pytest.fixture(scope="module")
def query_engine(library: Library) -> Iterator[QueryEngine]:
    made = QueryEngine(library, measure=IndexedMeasure.ABSTRACTED)
    yield made
    made.close()


def slugs(page: Page) -> list[str]:
    return [hit.trap.slug for hit in page.hits]


def only(page: Page) -> Hit:
    (hit,) = page.hits
    assert (page.total, page.next) == (1, None)
    return hit


def every(query_engine: QueryEngine, query: Query) -> list[str]:
    """The slugs of all pages."""
    found: list[str] = []
    while True:
        page = query_engine.ask(query)
        assert len(page.hits) <= query.limit
        assert (page.next is None) or len(page.hits) == query.limit
        found += slugs(page)
        if page.next is None:
            return found
        query = replace(query, after=page.next)


# By position --------------------------------------------------------------------------------------------------------


def test_a_position_finds_the_trap_in_either_colour_and_by_any_order_of_moves(query_engine: QueryEngine) -> None:
    hit = only(query_engine.ask(Query(fen=LEGAL_FEN)))
    assert (hit.trap.slug, hit.match, hit.similarity, hit.shared) == (LEGAL, Match.EXACT, None, None)
    assert hit.bait_here is not None
    assert hit.killer_here is not None
    assert (hit.bait_here.uci, hit.bait_here.san) == (("g4d1",), ("Bxd1",))
    assert hit.killer_here.san == ("Bxf7+", "Ke7", "Nd5#")
    assert only(query_engine.ask(Query(moves=LEGAL_MOVES))).match is (
        Match.EXACT if hit.trap.moves == LEGAL_MOVES else Match.TRANSPOSED
    )
    assert only(query_engine.ask(Query(moves=str(hit.trap.moves)))).match is Match.EXACT
    other = only(query_engine.ask(Query(moves="e4 e5 Nf3 Nc6 Nc3 d6 Bc4 Bg4 Nxe5")))
    assert (other.trap.slug, other.match) == (LEGAL, Match.TRANSPOSED)
    turned = only(query_engine.ask(Query(fen=MIRRORED_LEGAL_FEN)))
    assert (turned.trap.slug, turned.match) == (LEGAL, Match.MIRRORED)
    assert turned.bait_here is not None
    assert turned.killer_here is not None
    assert (turned.bait_here.uci, turned.killer_here.san) == (("g5d8",), ("Bxf2+", "Ke2", "Nd4#"))
    assert query_engine.ask(Query(fen=chess.STARTING_FEN)).hits == ()


def test_every_trap_is_found_by_its_own_position_and_the_turned_one(
    query_engine: QueryEngine, library: Library
) -> None:
    for trap in library.traps():
        for fen, match in ((trap.epd, Match.EXACT), (trap.board().mirror().fen(), Match.MIRRORED)):
            hits = {hit.trap.slug: hit for hit in query_engine.ask(Query(fen=fen)).hits}
            assert hits[trap.slug].match is match
            killer = hits[trap.slug].killer_here
            assert killer is not None
            assert len(killer.uci) == len(trap.killer_line)


def test_what_is_like_a_position_comes_with_the_lines_that_coincide(query_engine: QueryEngine) -> None:
    # Two pawns moved on: no trap of the library.
    board = chess.Board(LEGAL_FEN)
    board.set_piece_at(chess.A6, board.remove_piece_at(chess.A7))
    board.set_piece_at(chess.H3, board.remove_piece_at(chess.H2))
    page = query_engine.ask(Query(fen=board.fen(), similar=8, unproved=True))
    assert [hit.match for hit in page.hits] == [Match.SIMILAR] * 8
    first = page.hits[0]
    assert {hit.trap.family for hit in page.hits[:4]} == {"legal"}
    assert first.similarity is not None
    assert first.similarity > 0.9
    assert first.bait_here is not None
    assert first.killer_here is not None
    assert first.shared is not None
    assert (first.bait_here.san, first.killer_here.san, first.mate_here) == (("Bxd1",), ("Bxf7+", "Ke7", "Nd5#"), 2)
    assert (first.shared.here, first.shared.there) == (("Bxf7+", "Ke7", "Nd5#"), ("Bxf7+", "Ke7", "Nd5#"))
    assert len(first.shared.shared) == 5
    values = [hit.similarity or 0 for hit in page.hits]
    assert values == sorted(values, reverse=True)
    # Colours exchanged, it is like the same traps.
    turned = query_engine.ask(Query(fen=board.mirror().fen(), similar=8, unproved=True))
    assert [(hit.trap.slug, hit.similarity) for hit in turned.hits] == [
        (hit.trap.slug, hit.similarity) for hit in page.hits
    ]
    least = values[2]
    found = query_engine.ask(Query(fen=board.fen(), similar=8, unproved=True, min_similarity=least)).hits
    assert len(found) == sum(v >= least for v in values)


def test_a_trap_is_similar_only_if_its_killer_works_in_the_position(query_engine: QueryEngine) -> None:
    italian = Query(moves="e4 e5 Nf3 Nc6 Bc4", similar=8)
    likened = [hit.similarity or 2 for hit in query_engine.ask(replace(italian, unproved=True)).hits]
    assert 0 < max(likened) <= _native.GREATEST_SIMILARITY < 1
    assert query_engine.ask(italian).hits == ()  # 4.Bxf7+ Kxf7 only gives up a bishop
    shifted = LEGAL_FEN.replace("ppp2ppp", "1pp2ppp", 1)
    # The shape of a tree alone is the same of too many traps.
    for measure in set(IndexedMeasure) - {IndexedMeasure.STRUCTURAL}:
        (hit, *_) = query_engine.ask(Query(fen=shifted, similar=5, measure=measure)).hits
        moves = [line.san for line in (hit.bait_here, hit.killer_here) if line is not None]
        assert (moves, hit.mate_here) == ([("Bxd1",), ("Bxf7+", "Ke7", "Nd5#")], 2)
        assert (hit.loss_here or 0) >= 0.3


@pytest.mark.parametrize("measure", [m for m in IndexedMeasure if m is not IndexedMeasure.ABSTRACTED])
def test_the_measures_of_the_paper_give_what_comparing_all_gives(
    query_engine: QueryEngine, library: Library, measure: IndexedMeasure
) -> None:
    from trapcore.trees.position_key import mirror

    compare: dict[str, Any] = {
        "sequences": lambda a, b: _native.sequences(a, b, 2, "uci", False, False),
        "continuations": lambda a, b: _native.continuations(a, b, 2, "uci", False),
        "structural": lambda a, b: _native.structural(a, b, "continuations", 1, "uci", False, "formula", None),
    }
    fen = "r2qkbnr/1pp2ppp/p1np4/4N3/2B1P1b1/2N5/PPPP1PPP/R1BQK2R b KQkq -"
    examples = [trap for trap in library.traps() if not trap.reason]
    expected = {trap.slug: max(compare[measure](asked, trap.epd) for asked in (fen, mirror(fen))) for trap in examples}
    hits = query_engine.ask(Query(fen=fen, similar=12, measure=measure, unproved=True)).hits
    best = sorted(expected.items(), key=lambda item: (-item[1], item[0]))[:12]
    assert [hit.trap.slug for hit in hits] == [slug for slug, _ in best]
    assert [hit.similarity for hit in hits] == pytest.approx(
        [min(value, _native.GREATEST_SIMILARITY) for _, value in best], abs=1e-9
    )


def test_conditions_hold_for_similar_traps_too_and_as_many_are_found(
    query_engine: QueryEngine, library: Library
) -> None:
    whites = sum(1 for trap in library.traps() if trap.victim == "white" and not trap.reason)
    page = query_engine.ask(Query(fen=LEGAL_FEN, similar=20, unproved=True, victim="white"))
    assert len(page.hits) == min(20, whites)
    assert {hit.trap.victim for hit in page.hits} == {"white"}
    named = query_engine.ask(Query(fen=LEGAL_FEN, similar=5, unproved=True, name="scholars mate"))
    assert {hit.trap.family for hit in named.hits} == {"scholars"}


# By fields ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "meets"),
    [
        (Query(family="legal"), lambda t: t.family == "legal"),
        (Query(eco="c41"), lambda t: t.eco == "C41"),
        (Query(eco="B1"), lambda t: t.eco.startswith("B1")),
        (Query(eco="B10-C20"), lambda t: "B10" <= t.eco[:3] <= "C20"),
        (Query(opening="caro-KANN"), lambda t: "caro-kann" in t.opening.lower()),
        (Query(opening="grunfeld"), lambda t: "nfeld" in t.opening),
        (Query(victim="white", outcome="mate"), lambda t: t.victim == "white" and t.outcome == "mate"),
        (Query(verdict="undecided"), lambda t: t.verdict == "undecided"),
        (Query(source="bund"), lambda t: t.source == "bundled"),
        (Query(bait="Bxd1"), lambda t: t.sans()[0].rstrip("+#") == "Bxd1"),
        (Query(bait="G4D1"), lambda t: t.bait == "g4d1"),
        (Query(killer="Bxf7+"), lambda t: t.sans()[1].rstrip("+#") == "Bxf7"),
        (Query(killer="c4f7"), lambda t: t.killer_line[0] == "c4f7"),
        (Query(bait="0-0"), lambda t: t.sans()[0].rstrip("+#") == "O-O"),
        (Query(min_length=2, max_length=3), lambda t: 3 <= len(t.killer_line) <= 6),
    ],
)
def test_fields_find_the_traps_that_have_them(
    query_engine: QueryEngine, library: Library, query: Query, meets: Any
) -> None:
    expected = [trap.slug for trap in library.traps() if meets(trap)]
    page = query_engine.ask(replace(query, limit=200))
    assert every(query_engine, replace(query, limit=200)) == expected
    assert page.total == len(expected)
    assert {hit.match for hit in page.hits} <= {Match.FOUND}


def test_games_tell_of_players_events_frequencies_and_ratings(query_engine: QueryEngine) -> None:
    assert slugs(query_engine.ask(Query(player="m"))) == ["elephant-trap"]
    assert slugs(query_engine.ask(Query(player="C", event="avoided"))) == [LEGAL]
    assert slugs(query_engine.ask(Query(player="C", event="fell"))) == []
    assert slugs(query_engine.ask(Query(event="fell"))) == ["elephant-trap", LEGAL]
    hit = only(query_engine.ask(Query(family="legal", min_frequency=0.5)))
    assert (hit.frequency.decisions, hit.frequency.played, dict(hit.events)) == (3, 2, {"avoided": 1, "fell": 2})
    assert slugs(query_engine.ask(Query(min_frequency=0.5))) == ["elephant-trap", LEGAL]
    assert slugs(query_engine.ask(Query(min_frequency=0.9))) == ["elephant-trap"]
    banded = only(query_engine.ask(Query(fen=LEGAL_FEN, min_rating=1200, max_rating=1400)))
    assert (banded.frequency.decisions, banded.frequency.played, dict(banded.events)) == (1, 1, {"fell": 1})
    assert only(query_engine.ask(Query(fen=LEGAL_FEN, min_rating=1500))).frequency.decisions == 0
    assert slugs(query_engine.ask(Query(min_frequency=0.5, max_rating=1400))) == [LEGAL]
    assert slugs(query_engine.ask(Query(player="100%"))) == slugs(query_engine.ask(Query(player="_"))) == []


SORTS: dict[Sort, Callable[[Trap, Mapping[str, Frequency]], tuple[Any, ...]]] = {
    Sort.SLUG: lambda t, often: (t.slug,),
    Sort.NAME: lambda t, often: (t.name, t.slug),
    Sort.LENGTH: lambda t, often: (t.length, t.slug),
    Sort.GAIN: lambda t, often: (t.gain is None, -(t.gain or 0), t.slug),
    Sort.FREQUENCY: lambda t, often: (-(often[t.slug].share if t.slug in often else 0), t.slug),
}


@pytest.mark.parametrize("sort", SORTS)
@pytest.mark.parametrize("limit", [23, 200])
def test_each_order_is_the_same_in_pages_of_any_size(
    query_engine: QueryEngine, library: Library, sort: Sort, limit: int
) -> None:
    often = library.frequencies()
    query = Query(sort=sort, limit=limit, victim="black" if limit < 200 else None)
    traps = [trap for trap in library.traps() if query.victim in (None, trap.victim)]
    assert every(query_engine, query) == [trap.slug for trap in sorted(traps, key=lambda t: SORTS[sort](t, often))]


questions = st.fixed_dictionaries(
    {},
    optional={
        "sort": st.sampled_from(list(SORTS)),
        "outcome": st.sampled_from(["mate", "material"]),
        "victim": st.sampled_from(["white", "black"]),
        "eco": st.sampled_from(["C", "B1", "A00-C99"]),
        "name": st.sampled_from(["mate", "trap", "caro", "gambit mate", "legl"]),
        "min_frequency": st.sampled_from([0.0, 0.1]),
        "max_length": st.integers(1, 6),
    },
)


def test_what_is_stored_meanwhile_is_seen(tmp_path: Path) -> None:
    traps = [trap for trap in bundled_traps() if not trap.reason]
    with open_library(tmp_path / "l.sqlite", create=True) as opened:
        opened.add_all(traps[:20])
        query_engine = QueryEngine(opened, measure=IndexedMeasure.ABSTRACTED)
        new: Trap = next(trap for trap in traps[20:] if trap.slug == LEGAL)
        question = Query(fen=MIRRORED_LEGAL_FEN.replace("PPP2PPP", "PP3PPP"), similar=1)
        assert slugs(query_engine.ask(question)) != [LEGAL]
        page = query_engine.ask(Query(limit=5))
        with open_library(tmp_path / "l.sqlite") as other:
            other.add(new)
        assert slugs(query_engine.ask(Query(fen=LEGAL_FEN))) == [LEGAL]
        assert slugs(query_engine.ask(question)) == [LEGAL]
        for measure in (IndexedMeasure.CONTINUATIONS, IndexedMeasure.SEQUENCES):
            assert slugs(query_engine.ask(replace(question, measure=measure))) == [LEGAL]
        assert LEGAL in every(query_engine, Query(limit=5, after=page.next))
        renamed = replace(new, name="Seacadet smash")
        opened.add(renamed, replace=True)
        assert slugs(query_engine.ask(Query(name="smash"))) == [LEGAL]
        query_engine.close()


# Bad questions ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"fen": LEGAL_FEN, "moves": "e4"}, "not both"),
        ({"similar": 3}, "similar needs a position"),
        ({"fen": LEGAL_FEN, "unproved": True}, "unproved needs similar and a position"),
        ({"fen": LEGAL_FEN, "min_similarity": 0.5}, "min_similarity needs similar and a position"),
        ({"fen": LEGAL_FEN, "measure": IndexedMeasure.SEQUENCES}, "measure needs similar"),
        ({"fen": LEGAL_FEN, "similar": 0}, "similar must be 1 to 100, not 0"),
        ({"fen": LEGAL_FEN, "similar": 3, "min_similarity": float("nan")}, "min_similarity must be 0 to 1, not nan"),
        ({"limit": 201}, "limit must be 1 to 200, not 201"),
        ({"min_frequency": 1.5}, "min_frequency must be 0 to 1"),
        ({"min_length": 4, "max_length": 2}, "min_length is 4, more than max_length, 2"),
        ({"victim": "whit"}, "unknown victim 'whit': did you mean 'white'"),
        ({"measure": "sequence"}, "unknown measure 'sequence': did you mean 'sequences'"),
        ({"eco": "F10"}, "eco must be like C41, B1, B10-B19, not 'F10'"),
        ({"sort": Sort.MATCH}, "sort by match needs a position or a name"),
        ({"name": "  "}, "name is empty"),
        ({"name": "x" * 201}, "more than 200"),
        ({"family": "a\0b"}, "characters that cannot be printed"),
    ],
)
def test_what_cannot_be_asked_is_refused_with_a_helping_sentence(given: dict[str, Any], says: str) -> None:
    with pytest.raises(UsageError, match=says):
        Query(**given)


def test_what_this_library_cannot_answer_is_refused(query_engine: QueryEngine) -> None:
    with pytest.raises(UsageError, match="unknown family 'legl': did you mean 'legal'"):
        query_engine.ask(Query(family="legl"))
    for move in ("xyz", "Bxd1; --", "e9"):
        with pytest.raises(UsageError, match="bait must be a move in SAN such as Nxd5"):
            query_engine.ask(Query(bait=move))
    with pytest.raises(UsageError, match="text must have letters"):
        query_engine.ask(Query(name="!?"))
    with pytest.raises(PositionError):
        query_engine.ask(Query(fen="rubbish"))
    with pytest.raises(PositionError):
        query_engine.ask(Query(fen="8/8/8/8/8/8/8/K7 w - -"))
    with pytest.raises(InputError, match="the moves: 'Ke3' is no legal move"):
        query_engine.ask(Query(moves="1. e4 e5 2. Ke3"))
    with pytest.raises(UsageError, match="unknown trap 'legal-mates': did you mean 'legal-mate'"):
        query_engine.trap("legal-mates")


@pytest.mark.parametrize(
    "evil", ["'; DROP TABLE traps; --", "<script>alert(1)</script>", "%", "_", "\\", "a' OR '1'='1"]
)
def test_what_looks_like_sql_or_html_is_a_text_like_any_other(
    query_engine: QueryEngine, library: Library, evil: str
) -> None:
    before = library.counts()
    for field in ("opening", "source", "player"):
        assert query_engine.ask(Query(**{field: evil})).hits == ()  # type: ignore[arg-type]
    for field in ("family", "bait", "name"):
        try:
            assert query_engine.ask(Query(**{field: evil})).hits == ()  # type: ignore[arg-type]
        except UsageError:
            continue  # no such family, no move, nothing to look for
    assert library.counts() == before


def test_a_cursor_serves_its_own_question_only(query_engine: QueryEngine, tmp_path: Path) -> None:
    query = Query(limit=3, outcome="mate")
    cursor = query_engine.ask(query).next
    assert cursor is not None
    after = replace(query, after=cursor)
    assert slugs(query_engine.ask(replace(after, limit=9)))[:3] == slugs(query_engine.ask(after))
    assert slugs(query_engine.ask(replace(after, sort=Sort.SLUG))) == slugs(query_engine.ask(after))
    swapped = cursor[:-3] + ("A" if cursor[-3] != "A" else "B") + cursor[-2:]
    for other in (
        replace(after, outcome="material"),
        replace(after, sort=Sort.NAME),
        replace(after, after=swapped),
        replace(after, after=cursor[:8]),
        replace(after, after="no cursor"),
        replace(after, after="é" * 40),
    ):
        with pytest.raises(UsageError, match="no place to go on from"):
            query_engine.ask(other)
    with open_library(tmp_path / "other.sqlite", create=True) as another:
        another.add_all([trap for trap in bundled_traps()[:30] if not trap.reason])
        with pytest.raises(UsageError, match="no place to go on from"):
            QueryEngine(another, measure=IndexedMeasure.ABSTRACTED).ask(after)
