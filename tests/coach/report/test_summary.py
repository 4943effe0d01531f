"""What a report begins with: reasons in a player's words, and only what the games show."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from coach.report.reasons import REASONS, reason_of
from coach.report.report import report
from coach.report.sentences import sentences
from coach.report.summary import Summary, summary_of
from db.games.clocks import Clocks
from db.games.index_games import index_files
from db.games.losing_moves import LostMove, lost_moves
from db.games.sightings import SeenGame
from db.games.trap_occurrences import Games, games_of
from db.library.open import open_library
from db.wording.languages.german import GERMAN
from tests.conftest import NewLibrary
from tests.db.patterns.samples import game as played
from tests.db.patterns.samples import mistake, store

FEN = "r2qkbnr/ppp2ppp/2np4/4N3/2B1P1b1/2N5/PPPP1PPP/R1BQK2R b KQkq -"
MOVES = b"\x00\x00" * 40
"""Forty plies; nothing replays them."""


def row(number: int, *, clocks: Clocks | None = None, elo: int = 1500, date: str = "2020.01.01") -> SimpleNamespace:
    """A game that Zed played with Black, as the library has it."""
    stored = None
    if clocks is not None:
        stored = b"".join(each.to_bytes(2, "little") for each in (clocks.increment or 0, *clocks.left))
    tags = {"white": "Ann", "black": "Zed", "white_elo": elo, "black_elo": 1500, "result": "1-0", "event": ""}
    more = {"site": "", "utc_time": "", "start_fen": None, "moves": MOVES, "judged_by": "a test"}
    return SimpleNamespace(id=number, date=date, clocks=stored, **tags, **more)


def lost(number: int, mechanism: str, *, ply: int = 10, is_players: bool = True, cost: float = 1.0) -> LostMove:
    """A losing move in a game of that number."""
    move = replace(mistake("legal"), ply=ply, mechanism=mechanism, mate_in=None, before=cost, after=0.0)
    return LostMove(
        game=SeenGame.of(row(number)),
        move=move,
        colour="black" if is_players else "white",
        is_players=is_players,
        number=ply // 2,
        epd=FEN,
        uci="g4d1",
        san="Bxd1",
        epd_after=FEN,
        killer_line_san=("Bxf7+",),
        best_san=None,
        opening="Philidor Defense",
        phase="opening",
    )


def first_sentences(games: int, moves: list[LostMove], **fields: object) -> list[str]:
    rows = {number: row(number, **fields) for number in range(games)}  # type: ignore[arg-type]
    return sentences(summary_of(Games(rows, frozenset({"Zed"})), moves))


@pytest.mark.parametrize(
    ("mechanism", "mate_in", "reason"),
    [
        ("taken::N", None, "hung a piece"),
        ("captured:Q:P", None, "hung a pawn"),
        ("won:R:Q", None, "lost a piece by force"),
        ("fork:N:KR", None, "walked into a fork"),
        ("fork:N:KR", 3, "walked into a mate"),
        ("smotheredMate:N:K", None, "walked into a mate"),
        ("missed-fork:N:KR", None, "missed a fork"),
        ("missed-captured:B:N", None, "missed winning material"),
        ("missed-backRankMate:R:K", None, "missed a mate"),
        ("quiet:Q:", None, "let the position slip"),
        ("xyzzy:Q:", None, "walked into a combination"),
    ],
)
def test_a_losing_move_has_a_reason_in_a_players_words(mechanism: str, mate_in: int | None, reason: str) -> None:
    move = lost(1, mechanism)
    assert REASONS[reason_of(replace(move, move=replace(move.move, mate_in=mate_in)))] == reason


def test_only_what_costs_most_beyond_doubt_is_said_to_cost_most() -> None:
    hung = [lost(number, "taken::N") for number in range(40)]
    clear = first_sentences(50, [*hung, lost(41, "fork:N:KR")])
    assert clear[0] == (
        "What costs you most in 50 games: you hung a piece (40 times). That is 0.40 of the 0.41 points a game that "
        "your losing moves cost."
    )
    both = first_sentences(50, [*hung, *(lost(number, "fork:N:KR") for number in range(38)), lost(41, "pin:B:N")])
    assert "you hung a piece (40 times) and walked into a fork (38 times)." in both[0]
    even = [lost(number, key) for number in range(8) for key in ("taken::N", "fork:N:K", "pin:B:N", "promotion:P:")]
    assert not any("costs you most" in each for each in first_sentences(50, even))
    slips = [lost(number, "quiet:Q:") for number in range(40)]
    assert not any("costs you most" in each for each in first_sentences(50, slips))
    assert first_sentences(9, hung) == []


def test_a_player_is_compared_with_opponents_rated_like_him() -> None:
    own = [lost(number, "taken::N") for number in range(60)]
    theirs = [lost(number, "taken::N", is_players=False) for number in range(10)]
    alike = (
        "Against opponents rated within 100 points of you, you hung a piece in 60 of 100 games, they in 10 (100 games)."
    )
    assert alike in first_sentences(100, own + theirs)
    assert not any("rated within" in each for each in first_sentences(100, own + theirs, elo=1700))
    assert not any("rated within" in each for each in first_sentences(100, own[:15] + theirs))


def test_the_clock_counts_the_moves_made_and_names_the_hastiest_loss() -> None:
    # Black's last five moves of each game are made with 20 seconds left.
    left = tuple(900 - 2 * ply if ply < 30 else 20 for ply in range(40))
    hurried = [lost(number, "taken::N", ply=36) for number in range(30)]
    early = [lost(number, "taken::N", ply=12, cost=1.5) for number in range(30)]
    said = first_sentences(30, hurried + early, clocks=Clocks(0, left))
    clock = next(each for each in said if each.startswith("With less than"))
    assert "one of 5 moves loses; with more time, one of 15 (30 of 150; 30 of 450)." in clock
    assert "chance" not in clock
    assert "30 of 60 losing moves within 3 seconds, with 5 minutes or more left" not in clock  # they took 4 seconds
    quick = tuple(900 - ply for ply in range(40))
    (single,) = [each for each in first_sentences(30, early, clocks=Clocks(0, quick)) if "within 3 seconds" in each]
    assert "You played 30 of 30 losing moves within 3 seconds" in single
    assert "6...Bxd1 in Ann – Zed, 2020-01-01, played in 2 s with 14 minutes left" in single
    assert not any("seconds" in each for each in first_sentences(30, early))


def test_a_trend_is_told_if_the_halves_of_the_games_differ_beyond_doubt() -> None:
    rows = {number: row(number, date=f"2020.{1 + number // 20:02}.01") for number in range(200)}
    games = Games(rows, frozenset({"Zed"}))
    worse = [lost(number, "quiet:Q:") for number in range(100, 200)]
    assert "Since 2020-06-01, one of 20 moves loses; before" in sentences(summary_of(games, worse))[-1]
    steady = [lost(number, "quiet:Q:") for number in range(0, 200, 2)]
    assert not any("Since" in each for each in sentences(summary_of(games, steady)))


def test_openings_are_named_with_the_games_in_which_they_were_played(new_library: NewLibrary, tmp_path: Path) -> None:
    with open_library(new_library(), create=True) as library:
        games = [played("legal", f"White {number}", "Éva") for number in range(20)]
        store(library, tmp_path / "g.pgn", [*games, *(played("fork", "Éva", f"Black {number}") for number in range(3))])
        found = report(library, ["Éva"])
    opening = next(each for each in sentences(found.summary) if "opening" in each or "first ten moves" in each)
    assert "with Black 20 of 20" in opening
    assert found.to_dict()["summary"] == sentences(found.summary)
    assert any("ersten zehn Zügen" in each for each in sentences(found.summary, GERMAN))
    assert sentences(Summary()) == []


def test_index_keeps_clocks_of_games_that_have_one_at_each_move(new_library: NewLibrary, tmp_path: Path) -> None:
    moves = "1. e4 {[%clk 0:03:00]} e5 {[%clk 0:03:00.9]} 2. Nf3 {[%clk 0:02:58]} Nc6 {[%clk 0:02:51.2]} *\n\n"
    head = '[White "{}"]\n[Black "Zed"]\n[TimeControl "{}"]\n\n'
    lacking = moves.replace("{[%clk 0:02:58]} ", "")
    text = head.format("A", "180+2") + moves + head.format("B", "180+2") + lacking + head.format("C", "-") + moves
    path = tmp_path / "clocks.pgn"
    path.write_text(text)
    with open_library(new_library(), create=True) as library:
        index_files(library, [path])
        games = games_of(library, ["Zed"])
        assert lost_moves(library, games) == ([], 0)
    found = {each.white: Clocks.of(each.clocks) for each in games.rows.values()}
    assert found["A"] == Clocks(2, (180, 180, 178, 171))
    assert [found["A"].spent(ply) for ply in (1, 3, 4, 5)] == [None, 4, 11, None]
    assert found["B"] is None
    assert found["C"] is not None
    assert (found["C"].increment, found["C"].spent(4), found["C"].after(4)) == (None, None, 171)
