"""A player's report: what happened, counted beside python-chess; who is meant; the page and its figures."""

import io
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from html import escape, unescape
from html.parser import HTMLParser
from pathlib import Path
from shlex import quote

import chess
import chess.pgn
import pytest
import typer

from coach.report.html import page
from coach.report.report import PRACTICE, Report, report
from db.formats.bundled import bundled_traps
from db.games.index_games import index_files
from db.games.trap_occurrences import exchanged
from db.library.library import Library
from db.library.open import open_library
from db.storage.sighting_rows import Sighting
from db.traps.trap import Trap, make_trap
from tests.conftest import NewLibrary
from tests.db.patterns.samples import game as played
from tests.db.patterns.samples import mistake, store
from tests.support.command_line import CommandLine
from tests.support.db_traps import AVOIDED, ELEPHANT_FELL, ENDED, FELL, MIRRORED, OTHER, elephant, legal, write
from trapcore.errors import UsageError
from trapcore.proof.verdict import Verdict
from trapcore.statistics import wilson
from trapline.commands.games.report import report as command

EXAMPLES = Path(__file__).parents[3] / "examples" / "games.pgn"
EVIL = "<script>alert('x')</script> & \\\"Co\\\""
SITE = "https://lichess.org/abcdefgh"
MISSED = FELL.replace("6. Bxf7+ Ke7 7. Nd5# 1-0", "6. Kxd1 dxe5 0-1")
MANY_MATES = "7k/8/p5K1/8/8/8/8/2Q5 b - - 0 40"


def game(text: str, white: str, black: str, **tags: object) -> str:
    """A game of those of the tests with other players and tags."""
    head, _, moves = text.partition("\n\n")
    kept = [line for line in head.splitlines() if not line.startswith(("[White ", "[Black "))]
    said = {"White": white, "Black": black, **tags}
    return "\n".join([*(f'[{name} "{value}"]' for name, value in said.items()), *kept]) + f"\n\n{moves}"


def proved(trap: Trap, **fields: object) -> Trap:
    return replace(trap, verdict=Verdict.PROVED, proof_by="a test", **fields)  # type: ignore[arg-type]


GAMES = (
    game(FELL, "Ann", "Éva Kiss", BlackElo=1500, Date="2020.05.01", Result="1-0", Site=SITE),
    game(MISSED, "Bob", "Éva Kiss", BlackElo=1510, Date="2020.06.??", Result="0-1", Site="Budapest"),
    game(AVOIDED, "Cec", "Éva Kiss", BlackElo=1520, Date="2021.01.01", Result="1/2-1/2"),
    game(ENDED, "Dan", "Éva Kiss", BlackElo=1530, Date="2021.02.02", Result="1-0"),
    game(MIRRORED, "Éva Kiss", EVIL, WhiteElo=1540, Date="2022.01.01", Result="0-1"),
    game(FELL, "Éva Kiss", "Fay", BlackElo=1700, Date="????.??.??", Result="1-0"),
    game(AVOIDED, "Gus", "Hal", BlackElo=1550, Result="1/2-1/2"),
    game(FELL, "Ivy", "Jon", BlackElo=1599, Result="1-0"),
    game(AVOIDED, "Kim", "Lou", BlackElo=1650, Result="1/2-1/2"),
    game(ELEPHANT_FELL, "Éva Kissinger", "Mia", Result="0-1"),
    game(OTHER, "Ned", "Ola"),
)


@pytest.fixture
def library(new_library: NewLibrary, tmp_path: Path) -> Iterator[Library]:
    with open_library(new_library(), create=True) as opened:
        opened.add(proved(legal(), mate_in=2, gain=1.5))
        opened.add(elephant())  # not proved
        index_files(opened, [write(tmp_path / "g.pgn", *GAMES)])
        yield opened


@pytest.fixture
def eva(library: Library) -> Report:
    return report(library, ["Éva Kiss"])


def test_what_happened_follows_from_the_moves_before_and_after(eva: Report) -> None:
    (history,) = eva.traps
    told = {each.game.white: (each.is_victim, each.events, each.played, each.answer) for each in history.occurrences}
    assert told == {
        "Ann": (True, ("set", "fell", "sprung"), "Bxd1", "Bxf7+"),
        "Bob": (True, ("set", "fell", "missed"), "Bxd1", "Kxd1"),
        "Cec": (True, ("set", "avoided"), "Nxe5", ""),
        "Dan": (True, ("set",), "", ""),
        "Éva Kiss": told["Éva Kiss"],
    }
    mine = [each for each in history.occurrences if each.game.white == "Éva Kiss"]
    by_role = {each.is_victim: (each.colour, each.events, each.exchanged, each.number) for each in mine}
    # Her game that begins in the position: nobody's move led there.
    assert by_role == {
        True: ("white", ("fell", "sprung"), True, 5),
        False: ("white", ("set", "fell", "sprung"), False, 5),
    }
    assert (eva.games, eva.unproved, history.repeated) == (6, 0, "trap")
    assert eva.in_all.victim.events == {"set": 4, "fell": 3, "avoided": 1, "sprung": 2, "missed": 1}
    assert eva.in_all.attacker.events == {"set": 1, "fell": 1, "avoided": 0, "sprung": 1, "missed": 0}


def test_others_are_those_of_the_same_rating_without_the_player(eva: Report) -> None:
    (history,) = eva.traps
    rate = history.victim.rate
    # Hal and Jon are rated as she is, Lou and Fay are not.
    assert (rate.decisions, rate.fell, rate.others, rate.compared) == (4, 3, 0.5, 4)
    assert (rate.low, rate.high, rate.compared_fell) == (*wilson(3, 4), 3)
    assert history.score == pytest.approx(wilson(3, 4)[0] * 0.75)
    # Of Fay's rating there is Lou, who avoided it.
    assert (history.attacker.rate.others, history.attacker.rate.compared) == (0.0, 1)
    assert {str(band): (counts.decisions, counts.played) for band, counts in history.others.items()} == {
        "1200-1599": (2, 1),
        "1600-1999": (1, 0),
    }


def test_by_colour_opening_and_time(eva: Report) -> None:
    def falls(name: str) -> dict[str, tuple[int, int]]:
        return {g.name: (g.victim.rate.fell, g.victim.rate.decisions) for g in getattr(eva, name)}

    assert falls("by_colour") == {"white": (1, 1), "black": (2, 3)}
    assert falls("by_year") == {"2020": (2, 2), "2021": (0, 1), "2022": (1, 1)}
    assert falls("by_month") == {
        "2020-05": (1, 1),
        "2020-06": (1, 1),
        "2021-01": (0, 1),
        "2021-02": (0, 0),
        "2022-01": (1, 1),
    }
    assert sum(decisions for _, decisions in falls("by_opening").values()) == 4
    assert falls("over_time") == falls("by_month")


def test_years_and_colours_choose_games(library: Library) -> None:
    def figures(**given: object) -> tuple[int, int, float | None]:
        found = report(library, ["Éva Kiss"], **given)  # type: ignore[arg-type]
        return found.games, found.in_all.victim.rate.decisions, found.in_all.victim.rate.others

    assert figures(since=2021) == (3, 2, 0.5)
    assert figures(until=2020) == (2, 2, 0.5)
    assert figures(since=2021, until=2021) == (2, 1, 0.5)
    assert figures(colour="white") == (2, 1, 0.5)
    assert figures(since=1990, until=1991) == (0, 0, None)
    with pytest.raises(UsageError, match="first year, 2022"):
        report(library, ["Éva Kiss"], since=2022, until=2021)


def test_a_trap_that_is_not_proved_is_left_out_and_counted(library: Library) -> None:
    found = report(library, ["Éva Kissinger"])
    assert (found.traps, found.unproved, found.games) == ((), 1, 1)
    assert "No proved trap" in page(found)
    assert "1 meeting with traps that are not proved" in page(found)


def test_another_mate_than_the_killer_is_no_miss(new_library: NewLibrary, tmp_path: Path) -> None:
    trap = proved(make_trap(name="Back rank", fen=MANY_MATES, bait="a5", killer_line="Qc8#"), mate_in=1)
    start = f'[SetUp "1"]\n[FEN "{MANY_MATES}"]\n\n40... '
    games = [
        game(f"{start}{moves}\n\n", "A", "B", Round=moves) for moves in ("a5 41. Qc3+ Kg8 42. Qg7# 1-0", "a5 41. Kf5 *")
    ]
    with open_library(new_library(), create=True) as library:
        library.add(trap)
        index_files(library, [write(tmp_path / "g.pgn", *games)])
        assert report(library, ["A"]).in_all.attacker.events["sprung"] == 1
        (history,) = report(library, ["B"]).traps
    assert [(each.answer, each.events) for each in history.occurrences] == [
        ("Kf5", ("fell", "missed")),
        ("Qc3+", ("fell", "sprung")),
    ]
    assert {each.number for each in history.occurrences} == {40}


def test_what_was_recorded_of_positions_like_a_trap_is_told(library: Library) -> None:
    known = next(each for each in library.sightings("legals-mate"))
    like = {"trap": "legals-mate", "file": known.file, "byte_offset": 0, "measure": "abstracted", "score": 0.875}
    for ply, event, verdict in ((5, "fell", "proved"), (6, "sprung", "proved"), (3, "fell", "undecided")):
        library.add_sightings(
            [Sighting(**like, game_number=11, ply=ply, event=event, verdict=Verdict(verdict))]  # type: ignore[arg-type]
        )
    found = report(library, ["Ned"])
    (each,) = found.traps[0].occurrences
    assert (each.is_victim, each.ply, each.events, each.measure) == (True, 5, ("fell", "sprung"), "abstracted")
    assert (each.played, each.answer) == ("Nc3", "Nf6")
    rate = found.in_all.victim.rate
    # Others did not stand in the very position of a trap there.
    assert (rate.decisions, rate.fell, rate.others, rate.compared, rate.compared_fell) == (1, 1, None, 0, 0)
    assert "a position like it, 0.88" in page(found)


def test_the_examples_are_counted_as_python_chess_counts_them(tmp_path: Path) -> None:
    traps = [proved(trap, mate_in=None if trap.outcome == "material" else trap.length) for trap in _provable()]
    counted: Counter[str] = Counter()
    positions = {trap.epd: {each.bait for each in traps if each.epd == trap.epd} for trap in traps}
    positions |= {trap.epd: {trap.bait} for trap in map(exchanged, traps)}
    names = set()
    games = io.StringIO(EXAMPLES.read_text("utf-8"))
    while (parsed := chess.pgn.read_game(games)) is not None:
        names |= {parsed.headers["White"], parsed.headers["Black"]}
        board = parsed.board()
        for move in parsed.mainline_moves():
            baits = positions.get(board.epd(en_passant="legal"))
            if baits is not None:
                counted["fell" if board.uci(move) in baits else "avoided"] += 1
            board.push(move)
    with open_library(tmp_path / "l.sqlite", create=True) as library:
        library.add_all(traps)
        index_files(library, [EXAMPLES])
        found = report(library, names)
    assert counted["fell"] > 20
    for role in (found.in_all.victim, found.in_all.attacker):
        assert (role.events["fell"], role.events["avoided"]) == (counted["fell"], counted["avoided"])
        # All are the player, so there are no others.
        assert role.rate.others is None
    falls = [history.victim.rate.fell for history in found.traps if history.repeated == "trap"]
    assert min(falls) > 1
    order = [("trap", "family", "").index(history.repeated) for history in found.traps]
    assert order == sorted(order)
    assert len(found.practise) == len(found.best_traps) == PRACTICE
    assert [history.score for history in found.practise] == sorted(
        (history.score for history in found.traps), reverse=True
    )[:PRACTICE]
    check_page(page(found))


def _provable() -> list[Trap]:
    """The bundled traps; which of them are proved does not matter here."""
    return [trap for trap in bundled_traps() if not trap.reason]


class Checker(HTMLParser):
    """What a browser would load, and whether elements are closed as they were opened."""

    VOID = frozenset({"meta", "img", "br"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.headings: list[int] = []
        self.tags: Counter[str] = Counter()
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.tags[tag] += 1
        if tag not in self.VOID:
            self.open.append(tag)
        if "id" in given:
            self.ids.append(given["id"] or "")
        if tag in ("h1", "h2", "h3"):
            self.headings.append(int(tag[1]))
        if tag == "img":
            assert (given["src"] or "").startswith("data:image/svg+xml;base64,")
            assert "red arrow for the bait from" in (given["alt"] or "")
        if tag == "a":
            self.links.append(given["href"] or "")
        if tag == "svg":
            assert given["role"] == "img"
            assert given["aria-label"]

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def check_page(text: str) -> Checker:
    checker = Checker()
    checker.feed(text)
    checker.close()
    assert checker.open == []
    assert len(set(checker.ids)) == len(checker.ids)
    assert checker.tags.keys() & {"script", "link", "iframe", "object"} == set()
    assert "@import" not in text
    assert "url(" not in text
    assert {link.removeprefix("#") for link in checker.links if link.startswith("#")} <= set(checker.ids)
    assert all(below - above <= 1 for above, below in zip(checker.headings, checker.headings[1:], strict=False))
    assert checker.headings.count(1) == 1
    return checker


def test_the_page_is_whole_in_itself_and_escapes_names(eva: Report) -> None:
    text = page(eva)
    checker = check_page(text)
    assert "&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt; &amp; &#34;Co&#34;" in text
    assert [link for link in checker.links if not link.startswith("#")] == [SITE]
    assert checker.tags["img"] == 1
    assert checker.tags["svg"] == 2
    assert "Others rated 1200-1599, 1600-1999: 1 of 3" in text
    assert "the opponent missed it with Kxd1" in text


def test_the_command_writes_the_page_and_the_same_figures(library: Library, tmp_path: Path) -> None:
    app = typer.Typer()
    app.command()(command)
    line = CommandLine(app)
    address = library.database.engine.url.render_as_string(hide_password=False)
    db = ("--db", address if "postgresql" in address else library.name)
    out = tmp_path / "r.html"
    figures = line.answer("eva kiss", "-o", str(out), *db)
    assert figures == json.loads(json.dumps(report(library, ["Éva Kiss"]).to_dict()))
    assert out.read_text("utf-8") == page(report(library, ["Éva Kiss"]))
    assert line.run("eva kiss", *db) == out.read_text("utf-8")
    assert line.answer("eva kiss", "--color", "white", "--since", "2022", *db)["games"] == 1
    assert "give the name in full, or --all" in str(line.refusal("kiss", *db))
    assert line.answer("kiss", "--all", *db)["players"] == ["Éva Kiss", "Éva Kissinger"]
    assert "did you mean 'white'" in str(line.refusal("eva kiss", "--color", "whit", *db))
    assert "nearest" in str(line.refusal("Evva Kis", *db))


def test_report_prints_the_first_sentences_on_a_terminal(
    new_library: NewLibrary, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with open_library(new_library(), create=True) as library:
        games = [played("legal", f"White {number}", "Éva", BlackElo=1500) for number in range(12)]
        store(library, tmp_path / "g.pgn", games)
        address = library.database.engine.url.render_as_string(hide_password=False)
        db = address if "postgresql" in address else library.name
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    command("Éva", db=db)
    printed = capsys.readouterr()
    assert printed.out.startswith("What costs you most in 12 games: you walked into a mate (12 times).")
    assert "-o report.html" in printed.err
    command("Éva", output=str(tmp_path / "r.html"), db=db)
    assert capsys.readouterr().out == printed.out
    told = [escape(each, quote=False) for each in printed.out.splitlines()]
    assert all(each in (tmp_path / "r.html").read_text("utf-8") for each in told)


def test_a_table_without_data_is_left_out(new_library: NewLibrary, tmp_path: Path) -> None:
    with open_library(new_library(), create=True) as library:
        library.add(proved(legal(), mate_in=2, gain=1.5))
        index_files(library, [write(tmp_path / "g.pgn", game(AVOIDED, "Cec", "Éva Kiss"))])
        text = page(report(library, ["Éva Kiss"]))
    assert "What to practise" not in text
    assert "Over time" not in text
    assert "fell for none" not in text


# What a player loses to ---------------------------------------------------------------------------------------------


def test_report_begins_with_what_the_player_loses_to(new_library: NewLibrary, tmp_path: Path) -> None:
    dates = [f"2020.01.{day:02}" for day in range(1, 13)]
    with open_library(new_library(), create=True) as opened:
        games = [played("legal", f"White {day}", "Éva", date, BlackElo=1500) for day, date in enumerate(dates)]
        store(opened, tmp_path / "patterns.pgn", games)
        found = report(opened, ["Éva"])
        few = report(opened, ["White 3"])
    (pattern,) = found.patterns
    move = mistake("legal")
    assert move.place
    assert (pattern.pattern.key, pattern.rate.fell, pattern.rate.games) == (move.place, 12, 12)
    assert found.to_dict()["patterns"] == [pattern.to_dict()]
    text = page(found)
    assert text.index("What you lose to") < text.index('id="losing"')
    name = pattern.pattern.name(colour="black")
    assert f"{name[:1].upper()}{name[1:]}</h3>" in text
    assert "12 losing moves, 12 of them punished" in text
    assert "From 2020-01-01 to 2020-01-12" in text
    assert text.count("<figure><img") == 3
    assert f"trapline practise --player 'Éva' --pattern {quote(move.place)}" in unescape(text)
    assert few.patterns == ()
    assert "1 game looked through. A pattern needs 10 or more" in page(few)
