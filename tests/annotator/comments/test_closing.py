"""The comment at the end of a game: what it says, where it goes, and how one of an earlier run is replaced."""

import io
import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

import chess.pgn
import pytest

from annotator.comments.closing import MOST_WORDS, Costliest, Course, closing_comment, costliest_of, costly_moves
from annotator.comments.game_end import closing_edits
from annotator.comments.own_comments import own_words
from annotator.comments.pgn_insert import Layout, spliced
from annotator.comments.telling import Told
from db.games.accuracy import GameAccuracy, SideAccuracy, accuracy_of
from db.library.open import open_library
from db.patterns.keys import patterns_of
from db.patterns.recall import Again, Occasion, recall_of, recall_state
from db.traps.openings import Opening
from db.traps.position_value import PositionValue
from db.traps.terms import Event
from db.wording.languages.available import LANGUAGES, Language
from db.wording.languages.english import ENGLISH
from db.wording.languages.grammar import Grammar
from tests.annotator.comments.test_glyphs import THREAT
from tests.db.patterns.samples import game as sample
from tests.db.patterns.samples import mistake, store
from tests.support.told_events import anchor_of, gain
from tests.support.trap_games import FELL, QUIET, annotated, game, make_library
from trapcore.win_chance import win_chance

PLAIN = Layout(wrapped=False, newline="\n", encoding="utf-8")
PHILIDOR = Opening("C41", "Philidor Defense: Lion Variation")
PLAYED = GameAccuracy(SideAccuracy(87.6, (2.1,)), SideAccuracy(61.4, (5.8,)))
LONG = Opening("X", "Ruy Lopez: " + ", ".join(["Closed Variation"] * 12))


def losing_move(side: str, cost: float) -> Told:
    """A losing move of this side, that leaves it the worse."""
    proof = replace(gain(Event.FELL).proof, loss=cost)
    return Told(gain(Event.FELL, mover=side, before=-0.3, after=-0.3 - cost, probability=None, proof=proof), "")


def costliest(**values: object) -> Costliest:
    given: dict[str, object] = {
        "ply": 46, "half_move": 47, "san": "Nd7??", "side": "black", "before": 0.1, "after": -0.52, "mate_in": None,
        "turns": True,
    }  # fmt: skip
    return Costliest(event=THREAT, **{**given, **values})  # type: ignore[arg-type]


@pytest.mark.parametrize(("sign", "expected"), [("", "Nxd5??"), ("?", "Nxd5?"), ("?!", "Nxd5?!")])
def test_the_named_move_has_the_sign_that_stands_in_the_game(sign: str, expected: str) -> None:
    anchor = anchor_of(f"1. e4 e5 2. Nf3 d6 3. Bc4 Bg4 4. Nc3 g6 5. Nxe5{sign} *\n")
    moved = gain(Event.FELL, anchor=anchor)
    found = costliest_of(costly_moves([Told(moved, "")]))
    assert found is not None
    assert found.san == expected


def again(games: int, key: str = "fork:N@c7,Ke8") -> Again:
    return Again(key=key, colour="white", games=games, opponent="Rival99", date="2021.05.03")


@pytest.mark.parametrize(
    ("values", "whole", "said"),
    [
        ({}, True, "The turning point is 23...Nd7?? (55 % → 24 %)."),
        ({"before": -0.4, "after": -0.9, "turns": False}, True, "The costliest move is 23...Nd7?? (30 % → 5 %)."),
        ({"before": None, "after": None, "turns": False}, True, "The costliest move is 23...Nd7??."),
        ({"before": None, "turns": False, "is_sure": False}, True, "One of the costliest moves is 23...Nd7??."),
        ({"mate_in": 2}, True, "The turning point is 23...Nd7??, which allows mate in 2 (55 % → 24 %)."),
        ({"mate_in": 1, "before": None, "turns": False}, True, "The costliest move is 23...Nd7??, which allows mate."),
        ({"turns": False, "of_both": False}, True, "Black's costliest move is 23...Nd7?? (55 % → 24 %)."),
        ({}, False, "Black's costliest move is 23...Nd7?? (55 % → 24 %)."),
        ({"half_move": 46, "side": "white"}, False, "White's costliest move is 23.Nd7?? (55 % → 24 %)."),
    ],
)
def test_costliest_move_is_the_turning_point_only_if_it_turned_the_game(
    values: dict[str, object], whole: bool, said: str
) -> None:
    assert closing_comment(costliest(**values), LANGUAGES[Language.EN], whole=whole) == said


@pytest.mark.parametrize(
    ("games", "key", "said"),
    [
        (1, "fork:N@c7,Ke8", "The same knight fork on c7 as against Rival99 (2021-05-03)."),
        (2, "fork:N@c7,Ke8", "The same knight fork on c7 as against Rival99 (2021-05-03), the third time."),
        (9, "fork:N@c7,Ke8", "The same knight fork on c7 as against Rival99 (2021-05-03), the tenth time."),
        (12, "fork:N@c7,Ke8", "The same knight fork on c7 as in 12 earlier games, last against Rival99 (2021-05-03)."),
        (1, "fork:N:KR", "Again, as against Rival99 (2021-05-03): a knight forks king and rook."),
        (2, "taken:@c3,Nc3", "The third time, last against Rival99 (2021-05-03): knight taken on c3."),
    ],
)
def test_pattern_is_named_with_the_last_opponent_and_how_often(games: int, key: str, said: str) -> None:
    comment = closing_comment(costliest(again=again(games, key)), LANGUAGES[Language.EN], whole=True)
    assert comment == f"The turning point is 23...Nd7?? (55 % → 24 %). {said}"


@pytest.mark.parametrize("language", LANGUAGES.values(), ids=lambda language: language.code)
def test_every_closing_comment_is_short(language: Grammar) -> None:
    comments = [
        closing_comment(
            move and replace(move, again=pattern), language, whole=whole, opening=opening, accuracy=accuracy
        )
        for move in (costliest(), costliest(mate_in=2), costliest(before=None, mate_in=1), costliest(before=-0.4))
        for whole in (True, False)
        for opening in (None, PHILIDOR, LONG)
        for accuracy in (None, PLAYED)
        for pattern in (None, *(again(n, key) for n in (1, 2, 12) for key in ("fork:N@c7,Ke8", "fork:N:KR")))
    ]
    assert all(len(comment.split()) <= MOST_WORDS for comment in comments)
    assert any("Philidor Defense: Lion Variation. " in comment for comment in comments)
    assert any(comment.startswith("Ruy Lopez. ") for comment in comments)


def closed(game: bytes, words: str, layout: Layout = PLAIN) -> bytes:
    edits = closing_edits([], game, (0, len(game)), 5, words, layout, set(own_words(game)))
    return spliced(game, edits)


OURS, NEW = "{ ours [%tl 1] }", "{ new [%tl 1] }"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("1. e4 e5 1-0\n", f"1. e4 e5 {NEW} 1-0\n"),
        ("1. e4 e5 { his } (1... c5) 1-0\n", f"1. e4 e5 {{ his }} (1... c5) {NEW} 1-0\n"),
        (f"1. e4 e5 {OURS} 1-0\n", f"1. e4 e5 {NEW} 1-0\n"),
        (f"1. e4 e5 {OURS} {{ his }} {OURS} 1-0\n", f"1. e4 e5 {{ his }} {NEW} 1-0\n"),
        ("1. e4 e5 {1-0} ; 0-1 }\n*", f"1. e4 e5 {{1-0}} ; 0-1 }}\n{NEW} *"),
        (f"1. e4 e5 (1... c5 {OURS} 1-0) 1/2-1/2", f"1. e4 e5 (1... c5 1-0) {NEW} 1/2-1/2"),
        (f"1. e4 {OURS} e5 1-0", f"1. e4 e5 {NEW} 1-0"),
        (f"1. e4 e5 {{ his ours [%tl 1] words }} {NEW} 1-0", f"1. e4 e5 {{ his words }} {NEW} 1-0"),
        ("1. e4 e5 { new } 1-0", "1. e4 e5 { new } 1-0"),
        ("1. e4 e5", "1. e4 e5"),
        ("1. e4 e5 { open 1-0", "1. e4 e5 { open 1-0"),
    ],
)
def test_comment_goes_before_the_result_in_place_of_ours(before: str, after: str) -> None:
    assert closed(before.encode(), "new").decode() == after
    assert closed(after.encode(), "new").decode() == after


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three games in which Boris fell for Légal's mate, and one of a namesake elsewhere."""
    path = make_library(tmp_path_factory.mktemp("closing") / "library.sqlite")
    games = [sample("legal", f"Rival{year}", "Boris", f"{year}.05.03") for year in (2019, 2020, 2023)]
    games.append(sample("legal", "Zoe", "Boris", "2020.06.01", Site="https://lichess.org/abcdefgh"))
    with open_library(path) as opened:
        store(opened, path.with_name("games.pgn"), games)
    return path


def test_earlier_games_are_those_before_the_day_at_the_same_site(library: Path) -> None:
    patterns = patterns_of(mistake("legal"))
    with open_library(library) as opened:
        recall = recall_of(opened)

        def earlier(date: str, player: str = "Boris", site: str = "Berlin") -> tuple[int, str] | None:
            found = recall(Occasion(player=player, site=site, date=date, colour="black", patterns=patterns))
            return None if found is None else (found.games, found.opponent)

        assert earlier("2019.05.03") is None
        assert earlier("2019.12.01") == (1, "Rival2019")
        assert earlier("2021.01.01") == (2, "Rival2020")
        assert earlier("2021.01.01", site="https://lichess.org/qwertzui") == (1, "Zoe")
        assert earlier("2021.??.??") is None
        assert earlier("2021.01.01", "Rival2019") is None  # he had the other side
        assert earlier("2021.01.01", "?") is None
        state = recall_state(opened)
        store(opened, library.with_name("more.pgn"), [sample("noah", "Ann", "Cec", "2024.01.01")])
        assert recall_state(opened) != state


def test_earlier_games_may_be_of_the_same_day_or_against_one_player_only(tmp_path: Path) -> None:
    days = [("Anna", "2020.05.01", "10:00:00"), ("Bea", "2020.05.02", "09:00:00"), ("Anna", "2020.05.02", "11:00:00")]
    games = [sample("legal", white, "Boris", day, UTCTime=time) for white, day, time in days]
    occasion = Occasion(
        player="Boris", site="Berlin", date="2020.05.02", colour="black", patterns=patterns_of(mistake("legal"))
    )
    with open_library(make_library(tmp_path / "library.sqlite")) as opened:
        store(opened, tmp_path / "games.pgn", games)
        recall = recall_of(opened)

        def earlier(utc_time: str = "", against: str = "") -> tuple[int, str]:
            found = recall(replace(occasion, utc_time=utc_time, against=against))
            assert found is not None
            return found.games, found.opponent

        assert earlier() == (1, "Anna")
        assert earlier(utc_time="10:00:00") == (2, "Bea")
        assert earlier(utc_time="11:00:00") == (2, "Bea")  # and not the game itself
        assert earlier(utc_time="12:00:00") == (3, "Anna")
        assert earlier(utc_time="12:00:00", against="Anna") == (2, "Anna")
        assert recall(replace(occasion, utc_time="12:00:00", against="Cec")) is None


@pytest.fixture
def annotate(library: Path, tmp_path: Path) -> Callable[..., str]:
    def run(text: str, **options: object) -> str:
        given = {"tell": "losses", "measure": "sequences", **options}
        return annotated(text, tmp_path / "run", library, **given).decode()

    return run


CLOSING = re.compile(r"\{ ([^{}]*(?:turning point|costliest|Wendepunkt|teuerste)[^{}]*) \}")


def closings(text: str) -> list[str]:
    return [" ".join(re.sub(r"\s\[%tl \d+\]", "", found).split()) for found in CLOSING.findall(text)]


def test_game_ends_with_its_opening_its_turn_and_what_came_before(annotate: Callable[..., str]) -> None:
    moves = "1. e4 e5 2. Nf3 Nc6 3. Bc4 d6 4. Nc3 Bg4 5. Nxe5 Bxd1 6. Bxf7+ Ke7 7. Nd5# 1-0\n"
    lost = game(moves, black="Boris", Date="2022.01.01")
    text = annotate(lost + game(QUIET))
    (closing,) = closings(text)
    assert re.fullmatch(
        r"Italian Game\. The turning point is 5\.\.\.Bxd1\?\?, which allows mate in 2 \(\d+ % → 0 %\)\. "
        r"The same knight mate on d5 as against Rival2020 \(2020-05-03\), the third time\.",
        closing.replace("->", "→"),
    ), closing
    assert text.index("turning") < text.index("1-0\n")
    # The parser reads it as the last comment of the game.
    read = chess.pgn.read_game(io.StringIO(text))
    assert read is not None
    assert "turning point" in read.end().comment
    assert text.endswith(game(QUIET))
    assert annotate(text) == text
    german = annotate(text, language="de")
    assert german == annotate(lost + game(QUIET), language="de")
    assert "Zum dritten Mal, zuletzt gegen Rival2020 (03.05.2020)" in closings(german)[0]
    assert annotate(german) == text
    assert closings(annotate(text, verbosity="brief")) == []
    known = annotate(game(FELL), tell="known")
    assert ("Takes the bait" in known, closings(known)) == (True, [])
    assert closings(annotate(text, side="black")) == [closing.replace("The turning point", "Black's costliest move")]
    # With fewer words to say there is room for the variation.
    first = closing.partition(" The same")[0].replace("Italian Game.", "Italian Game: Paris Defense.")
    assert closings(annotate(lost.replace("2022.01.01", "2019.01.01"))) == [first]


QUIET_EVALS = (0.3, 0.3, 0.3, 1.4, 0.2, 0.3, 0.3, 0.3, -0.4, -0.4, -0.5, 0.9)


@pytest.mark.parametrize(
    ("tag", "name"),
    [("Italian Game: Anti-Fried Liver", "Italian Game: Anti-Fried Liver"), ("?", "Italian Game: Paris Defense")],
)
def test_opening_that_the_tags_name_is_not_contradicted(annotate: Callable[..., str], tag: str, name: str) -> None:
    moves = "1. e4 e5 2. Nf3 Nc6 3. Bc4 d6 4. Nc3 Bg4 5. Nxe5 Bxd1 6. Bxf7+ Ke7 7. Nd5# 1-0\n"
    (closing,) = closings(annotate(game(moves, Opening=tag)))
    assert closing.startswith(f"{name}. The turning point"), closing


def valued(said: Iterable[object]) -> str:
    """A quiet game with these evaluations behind its moves, as lichess exports it."""
    moves = [token for token in QUIET.split() if not token[0].isdigit() and token != "*"]
    return game(" ".join(f"{move} {{ [%eval {value}] }}" for move, value in zip(moves, said, strict=True)) + " *\n")


def test_eval_states_the_accuracy_of_the_values_behind_the_moves(annotate: Callable[..., str]) -> None:
    text = annotate(valued(QUIET_EVALS), evaluations=True)
    found = re.search(r"Accuracy: White (\d+) %, Black (\d+) %\.", " ".join(text.split()))
    assert found is not None, text
    # The file has no value of the beginning. Its own is near .2 pawns.
    drawn = accuracy_of([win_chance(round(100 * pawns)) for pawns in (0.2, *QUIET_EVALS)])
    assert drawn is not None
    assert drawn.black.accuracy < 95
    assert [float(each) for each in found.groups()] == pytest.approx(
        [drawn.white.accuracy, drawn.black.accuracy], abs=1.0
    )
    assert annotate(text, evaluations=True) == text
    assert "Genauigkeit: Weiss" in " ".join(annotate(text, evaluations=True, language="de").split())
    assert annotate(text) == valued(QUIET_EVALS)


@pytest.mark.parametrize("moves", [FELL, "1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7# 1-0\n"])
def test_accuracy_is_of_the_moves_before_the_mate(annotate: Callable[..., str], moves: str) -> None:
    text = " ".join(annotate(game(moves), evaluations=True).split())
    found = re.search(r"Accuracy: White (\d+) %, Black (\d+) %\.", text)
    assert found is not None, text
    assert int(found[1]) > 80 > int(found[2])


def test_foreign_words_at_the_end_stay(annotate: Callable[..., str]) -> None:
    words = "{ What a game. The turning point is 5...Bxd1?? (50 % -> 0 %). } { Great fun }"
    text = annotate(game(FELL.replace(" 1-0", f" {words} 1-0")))
    assert words in text
    assert len(closings(text)) == 2
    assert annotate(text) == text


@pytest.mark.parametrize(
    ("result", "termination", "loser", "on_time"),
    [
        ("1-0", "Time forfeit", "black", True),
        ("0-1", "RBSC won on time", "white", True),
        ("0-1", "Normal", "white", False),
        ("1-0", "Rival won by resignation", "black", False),
        ("1/2-1/2", "Time forfeit", None, False),
        ("*", "", None, False),
    ],
)
def test_who_lost_and_whether_on_time(result: str, termination: str, loser: str | None, on_time: bool) -> None:
    course = Course.of(result, termination, (), {})
    assert course is None or (course.loser, course.on_time) == (loser, on_time)
    assert (course is None) == (loser is None)


@pytest.mark.parametrize(
    ("later", "turned"),
    [({20: -0.4, 22: -0.3}, True), ({20: -0.4, 22: -0.1}, False), ({}, True), ({10: 0.5, 20: -0.9}, True)],
)
def test_a_turning_point_is_where_the_loser_fell_for_good(later: dict[int, float], turned: bool) -> None:
    course = Course("white", on_time=False, resigned=False, chances=later)
    assert course.is_turned_by(19, 0.1, -0.5) is turned
    assert not course.is_turned_by(19, -0.3, -0.9)
    assert not course.is_turned_by(19, -0.15, -0.25)
    assert not course.is_turned_by(19, None, None)
    assert course.is_turned_by(19, 0.1, -0.15) is turned
    gift = replace(course, chances={17: -0.1, **later})
    assert not gift.is_turned_by(19, 0.1, -0.15), "the other side's last move had given what this one gives back"
    assert gift.is_turned_by(19, 0.1, -0.5) is turned


def test_of_two_moves_that_turned_the_game_the_costlier_one_is_named() -> None:
    course = Course("white", on_time=False, resigned=True, chances={12: -0.28, 16: -0.12, 18: -0.6})
    moves = []
    for ply, before, cost in ((11, 0.22, 0.5), (17, -0.15, 0.45)):
        move = losing_move("white", cost)
        moves.append(replace(move, event=replace(move.event, ply=ply, before=before, after=before - cost)))
    found = costliest_of(costly_moves(moves), course)
    assert found is not None
    assert (found.ply, found.turns) == (11, True)


@pytest.mark.parametrize(
    ("epd", "said"),
    [
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -", "on_time_even"),
        # White has passed pawns that few nodes do not count enough.
        ("r1q3rk/1p3Rpp/p2QP1n1/3P4/7P/8/PPP3P1/1K1R4 b - -", "on_time"),
    ],
)
def test_that_an_end_was_even_is_borne_out_by_a_search(epd: str, said: str) -> None:
    start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -"
    even = PositionValue(0.0, 4_000, (), "")
    for epds, known in (([epd], {epd: even}), ([start, epd], {start: even})):
        course = Course.of("1-0", "Time forfeit", epds, known)
        assert course is not None
        assert course.ending() == said


def test_nothing_turned_a_game_whose_last_move_throws_the_win_away() -> None:
    course = Course("black", on_time=False, resigned=True, chances={20: -0.9})
    turn = losing_move("black", 1.0)
    turn = replace(turn, event=replace(turn.event, ply=12, before=0.7, after=-0.3))
    found = costliest_of(costly_moves([turn]), course)
    assert found is not None
    assert found.turns
    last = replace(turn, event=replace(turn.event, ply=21, mover="white", before=0.8, after=-0.8))
    moves = costly_moves([turn, last])
    found = costliest_of(moves, course.with_end(each for _, each in moves))
    assert found is not None
    assert (found.side, found.turns) == ("black", False)


@pytest.mark.parametrize("language", LANGUAGES.values(), ids=lambda language: language.code)
def test_a_game_lost_on_time_says_so(language: Grammar) -> None:
    move = costliest(turns=False)
    course = Course("white", on_time=True, resigned=False, chances={40: -0.6})
    comment = closing_comment(move, language, whole=True, opening=LONG, accuracy=PLAYED, course=course)
    assert language.closing["on_time"].format(side=language.sides[True]) in comment
    assert len(comment.split()) <= MOST_WORDS
    assert closing_comment(None, language, whole=True, course=course) == ""


@pytest.mark.parametrize(
    ("on_time", "resigned", "last", "expected"),
    [
        (True, False, 0.8, "Black lost on time in a won position."),
        (True, False, 0.3, "Black lost on time in a better position."),
        (True, False, 0.15, "Black lost on time."),
        (True, False, 0.1, "Black lost on time in an even position."),
        (True, False, -0.6, "Black lost on time."),
        (False, True, 0.6, "Black resigned in a won position."),
        (False, True, 0.3, "Black resigned in a better position."),
        (False, True, 0.0, "Black resigned in an even position."),
        (False, True, -0.6, ""),
        (False, False, 0.6, ""),
    ],
)
def test_how_a_game_ended_is_told_where_it_is_news(on_time: bool, resigned: bool, last: float, expected: str) -> None:
    course = Course("black", on_time, resigned, {30: -0.9, 41: last})
    said = closing_comment(costliest(turns=False), ENGLISH, whole=True, course=course)
    plain = closing_comment(costliest(turns=False), ENGLISH, whole=True)
    assert said == f"{plain} {expected}".strip()


@pytest.mark.parametrize(
    ("last", "resigned"),
    [
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -", True),
        ("rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq -", False),  # mate
    ],
)
def test_a_normal_end_without_mate_was_given_up(last: str, resigned: bool) -> None:
    course = Course.of("0-1", "Normal", [last], {})
    assert course is not None
    assert (course.resigned, course.ending()) == (resigned, "resigned_even" if resigned else "")


def test_a_game_without_a_serious_mistake_says_so() -> None:
    assert closing_comment(None, ENGLISH, whole=True, accuracy=PLAYED, is_clean=True).endswith("No serious mistake.")
    course = Course("white", on_time=False, resigned=False, chances={40: -0.9})
    comment = closing_comment(None, ENGLISH, whole=True, accuracy=PLAYED, course=course, is_clean=True)
    assert comment.endswith("No single mistake decided the game.")


@pytest.mark.parametrize(("other", "is_sure"), [(0.6, True), (0.9, False)])
def test_with_few_pieces_the_costliest_move_is_sure_only_if_no_other_cost_about_as_much(
    other: float, is_sure: bool
) -> None:
    vague = losing_move("black", 1.0)
    vague = replace(vague, event=replace(vague.event, settled=False))
    found = costliest_of(costly_moves((vague, losing_move("white", other))))
    assert found is not None
    assert (found.side, found.before, found.is_sure) == ("black", None, is_sure)


def test_of_a_lost_game_the_losers_mistake_is_named() -> None:
    course = Course("black", on_time=False, resigned=False, chances={})
    mine, other = losing_move("black", 0.3), losing_move("white", 0.6)
    found = costliest_of(costly_moves((mine, other)), course)
    assert found is not None
    assert (found.side, found.of_both) == ("black", False)
    both = costliest_of(costly_moves((mine, other)))
    assert both is not None
    assert (both.side, both.of_both) == ("white", True)
    assert costliest_of(costly_moves((losing_move("black", 0.12),)), course) is None
