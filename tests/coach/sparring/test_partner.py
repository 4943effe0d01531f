"""The sparring partner: legal and repeatable moves, levels in their order, mates seen by rating, traps on purpose."""

import random
from dataclasses import astuple
from statistics import fmean

import chess
import pytest

from coach.repertoire.live_traps import LiveBait, LiveTrap
from coach.repertoire.replies import ReplyModel
from coach.sparring.level import LEVELS, MATE_PUZZLES, LevelPlayer, level_of, sees_mate
from coach.sparring.partner import TRICKSTER_BELOW, FellBefore, Mate, Partner, PartnerMove, mate_after, nobody
from coach.sparring.strength import Strength, Style, playing_rating
from db.traps.temptation import RatingBand
from trapcore import _native
from trapcore.parallel.budget import Cancellation
from trapcore.proof.search import MATE_BOUND

POSITIONS = (
    "r1bq1rk1/ppp2ppp/2np1n2/2b1p3/2B1P3/2PP1N2/PP3PPP/RNBQ1RK1 w - - 0 7",
    "r2qkb1r/ppp2ppp/2np1n2/4p3/2B1P1b1/2N2N2/PPPP1PPP/R1BQ1RK1 w kq - 0 6",
    "rnbqkb1r/pp3ppp/4pn2/2pp4/2PP4/2N1PN2/PP3PPP/R1BQKB1R b KQkq - 0 5",
    "r1b2rk1/pp1nqppp/2p1pn2/3p4/2PP4/2NBPN2/PPQ2PPP/R3K2R w KQ - 0 10",
    "2rq1rk1/pb2bppp/1pn1pn2/3p4/3P4/1PN1PN2/PB2BPPP/2RQ1RK1 b - - 0 12",
    "8/pp3pk1/2p3p1/4P2p/1P1r1P1P/6P1/P4K2/3R4 b - - 0 33",
    "r4rk1/1bq1bppp/p2ppn2/1p6/3NPP2/2N1B3/PPP1B1PP/R2Q1RK1 w - - 0 13",
    "r1bqkbnr/pp1npppp/2p5/6N1/3P4/8/PPP2PPP/R1BQKBNR b KQkq - 2 6",
)
BEFORE_ELEPHANT = "d2d4 d7d5 c2c4 e7e6 b1c3 g8f6 c1g5 b8d7 c4d5"


def partner(rating: float, style: Style, seed: int, allowed: float = 0.1, fell_before: FellBefore = nobody) -> Partner:
    return Partner(rating, style, random.Random(seed), 1600, allowed, fell_before)


def elephant() -> chess.Board:
    board = chess.Board()
    for uci in BEFORE_ELEPHANT.split():
        board.push_uci(uci)
    return board


def played(board: chess.Board, one: Partner, plies: int) -> list[PartnerMove]:
    found: list[PartnerMove] = []
    while len(found) < plies and not board.is_game_over():
        found.append(one.move(board))
        board.push(board.parse_uci(found[-1].uci))
    return found


@pytest.mark.parametrize("style", Style)
def test_the_same_seed_gives_the_same_legal_moves_again(style: Style) -> None:
    first, second = (played(elephant(), partner(1300, style, 3), 12) for _ in range(2))
    assert first == second
    assert len(first) == 12
    assert played(elephant(), partner(1300, style, 4), 12) != first


def test_moves_are_legal_in_chess960_with_the_castling_of_the_board() -> None:
    board = chess.Board("bqr1k1rn/pppppppp/8/8/8/8/PPPPPPPP/BQR1K1RN w GCgc - 0 1", chess960=True)
    assert len(played(board, partner(1800, Style.TRICKSTER, 1), 10)) == 10
    castling = chess.Board("4k3/8/8/8/8/8/PPPPPPPP/4K2R w K - 0 1")
    assert {move.uci for move in LevelPlayer(level_of(1600)).moves(castling)[1]} <= {
        castling.uci(move) for move in castling.legal_moves
    }


def test_stronger_levels_give_away_less_on_average() -> None:
    reference = {}
    for fen in POSITIONS:
        board = chess.Board(fen)
        moves = [board.uci(move) for move in board.legal_moves]
        ((_, _, values),) = _native.move_values([(fen, moves)], 8_000)
        best = max(value for value, _ in values)
        reference[fen] = {uci: best - value for uci, (value, _) in zip(moves, values, strict=True)}

    def lost(rating: int) -> float:
        player = LevelPlayer(level_of(rating))
        given = [
            sum(move.probability * reference[fen][move.uci] for move in player.moves(chess.Board(fen))[1])
            for fen in POSITIONS
        ]
        return fmean(given)

    losses = [lost(rating) for rating in (1200, 1500, 1800, 2100)]
    assert losses == sorted(losses, reverse=True)
    assert losses[0] > 1.5 * losses[-1]


def test_every_move_of_a_level_is_one_that_its_people_play_or_the_best_one() -> None:
    board = chess.Board(POSITIONS[0])
    for rating in (1200, 1600):
        typical = round(level_of(rating).rating)
        people = ReplyModel(None, RatingBand(typical, typical))
        likely = {one.uci for one in people.replies(board) if one.probability >= 0.005}
        _, moves = LevelPlayer(level_of(rating)).moves(board)
        assert sum(move.probability for move in moves) == pytest.approx(1)
        assert {move.uci for move in moves if move.gift > 0} <= likely


def test_a_level_between_two_others_is_between_them_and_the_ends_are_kept() -> None:
    low, middle, high = level_of(1400), level_of(1500), level_of(1600)
    assert low.nodes < middle.nodes < high.nodes
    assert low.rating < middle.rating < high.rating
    assert level_of(900) == level_of(1200) == LEVELS[1200]
    assert astuple(level_of(3000)) == pytest.approx(astuple(LEVELS[2400]))


def test_without_time_the_model_alone_answers() -> None:
    stop = Cancellation()
    stop.cancel()
    value, moves = LevelPlayer(level_of(1600)).moves(chess.Board(), stop=stop)
    assert (value, len(moves)) == (0.0, 20)


# Mates --------------------------------------------------------------------------------------------------------------


def test_longer_mates_are_seen_less_often_and_by_stronger_players_more_often() -> None:
    assert sees_mate(MATE_PUZZLES[1], 2) == 0.5
    shares = [sees_mate(1500, moves) for moves in range(1, 8)]
    assert shares == sorted(shares, reverse=True)
    assert shares[4] == shares[6]
    assert sees_mate(1200, 2) < sees_mate(1600, 2) < sees_mate(2400, 2)


def test_a_mate_is_played_as_often_as_the_level_sees_it() -> None:
    board = chess.Board("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1")
    one = partner(1200, Style.SOLID, 1)
    tries = 60
    mates = sum(one.move(board).uci == "a1a8" for _ in range(tries))
    assert mates / tries == pytest.approx(sees_mate(1200, 1), abs=0.17)
    assert mates < tries
    known = Mate("a1a8", 5)
    assert sum(one.move(board, mate=known).uci == "a1a8" for _ in range(tries)) < mates
    found = next(move for move in (one.move(board) for _ in range(tries)) if move.uci == "a1a8")
    assert found.value > MATE_BOUND


# Traps --------------------------------------------------------------------------------------------------------------


def known_trap(board: chess.Board, move: str, gain: float) -> LiveTrap:
    after = board.copy()
    after.push_uci(move)
    return LiveTrap(move, after.fen(), (LiveBait("a1a1", ("a2a2",), None, gain, 0.5),), 0.0)


def test_a_trickster_departs_from_the_move_of_the_level_only_to_set_a_trap() -> None:
    board, departed = chess.Board(), 0
    trap = known_trap(board, "e2e4", 1.9)
    for seed in range(6):
        solid = partner(1500, Style.SOLID, seed).move(board, known=lambda: [trap])
        tricky = partner(1500 + TRICKSTER_BELOW, Style.TRICKSTER, seed, 0.2).move(board, known=lambda: [trap])
        assert solid.trap is None
        assert not solid.is_on_purpose
        assert tricky.is_on_purpose == (tricky.uci != solid.uci)
        if tricky.is_on_purpose:
            assert (tricky.trap, tricky.uci) == (trap, "e2e4")
        departed += tricky.is_on_purpose
    assert departed > 0


def test_a_trickster_finds_the_trap_of_a_natural_move_and_proves_it() -> None:
    found = [partner(1800, Style.TRICKSTER, seed, 0.2).move(elephant()) for seed in range(4)]
    traps = [one.trap for one in found if one.trap is not None]
    assert "c3d5" in {bait.uci for trap in traps for bait in trap.baits}


def test_an_error_of_the_level_is_played_although_a_trap_could_be_set() -> None:
    board = chess.Board(POSITIONS[0])
    _, moves = LevelPlayer(level_of(1300)).moves(board)
    good = next(move for move in moves if move.gift == 0)
    trap = known_trap(board, good.uci, 1.9)
    gifts = {move.uci: move.gift for move in moves}
    allowed, errors = 0.02, 0
    for seed in range(8):
        drawn = partner(1300, Style.SOLID, seed).move(board).uci
        if gifts[drawn] > allowed:
            errors += 1
            tricky = partner(1300 + TRICKSTER_BELOW, Style.TRICKSTER, seed, allowed)
            assert tricky.move(board, known=lambda: [trap]).uci == drawn
    assert errors > 0


def test_a_trap_whose_pattern_the_opponent_fell_for_comes_first() -> None:
    board = chess.Board()
    traps = [known_trap(board, "e2e4", 1.9), known_trap(board, "d2d4", 1.8)]

    def setting(fell_before: FellBefore) -> list[str]:
        players = (partner(1500, Style.TRICKSTER, seed, 0.2, fell_before) for seed in range(4))
        return [one.move(board, known=lambda: traps).uci for one in players]

    assert set(setting(nobody)) == {"e2e4"}
    assert set(setting(lambda trap: trap.move == "d2d4")) == {"d2d4"}


def test_the_mate_after_a_bait_is_that_of_the_trap() -> None:
    mate, gain = LiveBait("g4d1", ("c4f7", "e8e7", "c3d5"), 2, 1.2, 0.4), LiveBait("c6e5", ("d1g4",), None, 0.4, 0.2)
    trap = LiveTrap("f3e5", "", (gain, mate), 0.0)
    assert mate_after(trap, "g4d1") == Mate("c4f7", 2)
    assert mate_after(trap, "c6e5") is None
    assert mate_after(trap, "a7a6") is None


def test_no_traps_are_set_in_a_hurry() -> None:
    traps = [known_trap(chess.Board(), "e2e4", 1.9)]
    hurried = partner(1500, Style.TRICKSTER, 1, 0.2).move(chess.Board(), 50, known=lambda: traps)
    assert hurried.trap is None


def test_the_rating_that_is_played_at() -> None:
    assert playing_rating(Strength.FULL, 1500) is None
    assert playing_rating(1700, 1500) == 1700
    assert [playing_rating(Strength.OPPONENT, rating) for rating in (900, 1650, 2900, None)] == [1200, 1650, 2400, 1500]
