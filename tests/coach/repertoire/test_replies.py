"""Replies of people: games of the rating, of all ratings, and the move model, each as far as it knows."""

import math
from pathlib import Path

import chess
import pytest

from coach.repertoire.expectation import BAIT_GIFT, LEAST_GIFT, own_moves, reply_values, weigh
from coach.repertoire.played import PlayedReply, check_games, played_in
from coach.repertoire.replies import (
    MOST_GIFT,
    PEOPLE_FORESIGHT,
    Foresight,
    LikelyReply,
    ReplyModel,
    smoothed,
)
from db.games.index_games import index_files
from db.library.open import open_library
from db.traps.temptation import RatingBand
from tests.support.db_traps import write
from trapcore.errors import UsageError

BAND = RatingBand(1200, 1599)


def game(moves: str, white: int | None, black: int | None, result: str = "1-0") -> str:
    tags = [f'[{name} "{value}"]' for name, value in (("WhiteElo", white), ("BlackElo", black)) if value is not None]
    return "\n".join(['[White "A"]', '[Black "B"]', f'[Result "{result}"]', *tags, "", f"{moves} {result}", ""])


def test_smoothing_by_hand() -> None:
    played = {"a": PlayedReply(by_all=30, by_band=10, ended=10, points=5.0)}
    found = {reply.uci: reply.probability for reply in smoothed([("a", 0.2), ("b", 0.8)], played)}
    wide = (30 + 10 * 0.2) / 40
    assert found["a"] == pytest.approx((10 + 10 * wide) / 20)
    assert sum(found.values()) == pytest.approx(1)
    assert [reply.uci for reply in smoothed([("a", 0.2), ("b", 0.8)], {})] == ["b", "a"]


def test_what_was_played_is_counted_by_the_rating_of_who_moved(tmp_path: Path) -> None:
    games = [
        game("1. e4 e5", 2000, 1300, "0-1"),
        game("1. e4 e5 2. Nf3", 1000, 1400, "1/2-1/2"),
        game("1. e4 c5", 1300, 1800),
        game("1. e4 c5 2. d4", 1300, None),
    ]
    pgn = write(tmp_path / "games.pgn", *games)
    with open_library(tmp_path / "library.sqlite", create=True) as library:
        index_files(library, [pgn])
        board = chess.Board()
        board.push_san("e4")
        with library.database.read() as connection:
            found = played_in(connection, board, BAND)
            assert played_in(connection, chess.Board("8/8/8/8/8/4k3/8/R3K3 w - - 0 1"), BAND) == {}
        assert found == {"e7e5": PlayedReply(2, 2, 2, 1.5), "c7c5": PlayedReply(2, 0, 0, 0.0)}
        assert check_games(library, BAND) == 4
        with pytest.raises(UsageError, match=r"none of the 4 indexed games has a player rated 2200-2400"):
            check_games(library, RatingBand(2200, 2400))
        replies = ReplyModel(library, BAND).replies(board)
        assert sum(reply.probability for reply in replies) == pytest.approx(1)
        alone = {reply.uci: reply.probability for reply in ReplyModel(None, BAND).replies(board)}
        with_games = {reply.uci: reply.probability for reply in replies}
        assert with_games["e7e5"] > with_games["c7c5"]
        assert with_games["g7g6"] < alone["g7g6"]


def test_own_moves_keep_to_the_cost_and_baits_are_weighed() -> None:
    # Legal's trap, one move too early: White takes the pawn, and Black may take the queen or the knight.
    board = chess.Board("r2qkbnr/ppp2ppp/2np4/4p3/2B1P1b1/2N2N2/PPPP1PPP/R1BQK2R w KQkq - 0 5")
    free = own_moves(board.fen(), 4_000, 1.0, 40)
    cheap = own_moves(board.fen(), 4_000, 0.05, 40)
    assert 0 < len(cheap) < len(free)
    assert cheap[0][2] == 0
    assert all(cost <= 0.05 for _, _, cost in cheap)
    knight = next(move for move in own_moves(board.fen(), 8_000, 2.0, 40) if move[0] == "f3e5")
    weighed = weigh(board, knight, ReplyModel(None, BAND), 8_000)
    gifts = {reply.uci: reply for reply in weighed.replies}
    assert gifts["g4d1"].gift > 0.5  # the queen is taken, and Black is mated
    assert gifts["c6e5"].gift < LEAST_GIFT
    bait = gifts["g4d1"]
    assert weighed.hope >= bait.probability * bait.gift
    assert weighed.expected == pytest.approx(weighed.value + weighed.hope)
    assert own_moves("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", 1_000, 1.0, 5) == []


def test_better_players_avoid_more_of_what_gives_much_away() -> None:
    foresight = Foresight(6.0, 2.0, 1.5, 0.05, 0.5, 0.5, 1.0)

    def weight(gift: float | None, rating: float, *, is_tempting: bool = False) -> float:
        return foresight.weight(0.25, gift, rating, is_tempting=is_tempting)

    assert weight(0.1, 1500) == pytest.approx(0.5 * math.exp(-0.6))
    assert weight(0.1, 2000) == pytest.approx(0.5 * math.exp(-0.8))
    assert weight(0.1, 9000) == weight(0.1, 2500)
    assert weight(0.35, 1500) == pytest.approx(0.5 * math.exp(-0.9 - 0.3))
    assert weight(0.35, 2000, is_tempting=True) == pytest.approx(0.5 * math.exp(-0.15 * 5 - 0.2))
    assert weight(2.0, 1500) == weight(MOST_GIFT, 1500)
    assert weight(-0.1, 1500) == 0.5
    assert weight(None, 1500) == weight(0.05, 1500)
    assert Foresight(1.0, 2.0).weight(0.5, 0.5, 500, is_tempting=False) == 0.5  # nobody prefers what gives much away


def test_what_a_search_finds_changes_what_the_model_says_and_not_what_was_played() -> None:
    model = ReplyModel(None, RatingBand(1500, 1500))
    played = PlayedReply(by_all=40, by_band=10, ended=10, points=5.0)
    replies = [LikelyReply("good", 0.4, 0.5, None), LikelyReply("bait", 0.6, 0.5, played)]
    found = {reply.uci: reply for reply in model.foreseen(replies, {"good": 0.0, "bait": 0.4}, ["bait"])}
    good = PEOPLE_FORESIGHT.weight(0.5, 0.0, 1500, is_tempting=False)
    weight = PEOPLE_FORESIGHT.weight(0.5, 0.4, 1500, is_tempting=True)
    assert weight > PEOPLE_FORESIGHT.weight(0.5, 0.4, 1500, is_tempting=False)
    bait = weight / (good + weight)
    assert found["bait"].modelled == pytest.approx(bait)
    assert found["bait"].probability == pytest.approx((10 + 10 * (40 + 10 * bait) / 50) / 20)
    assert sum(reply.probability for reply in found.values()) == pytest.approx(1)


@pytest.mark.parametrize("is_engine", [False, True])
def test_what_gives_much_away_is_less_likely_than_its_looks_say(is_engine: bool) -> None:
    board = chess.Board("r1bqkb1r/pppp1ppp/2n2n2/4p1N1/2B1P3/8/PPPP1PPP/RNBQK2R b KQkq - 5 4")
    model = ReplyModel(None, BAND, is_engine=is_engine)
    raw = {reply.uci: reply.probability for reply in model.replies(board)}
    _, replies = reply_values(board, model, 4_000)
    baits = [reply for reply in replies if reply.gift >= BAIT_GIFT]
    assert baits
    assert sum(reply.probability for reply in baits) < sum(raw[reply.uci] for reply in baits)
    assert sum(reply.probability for reply in replies) <= 1 + 1e-9
