"""What a move does on the board: each effect in a position that has it, and beside it one that just lacks it."""

import chess
import pytest

from db.wording.effects.finding import EFFECTS, effects_of
from db.wording.evidence import Evidence
from db.wording.languages.english import ENGLISH
from db.wording.languages.german import GERMAN
from db.wording.reasons import answer_effect, best_effect, line_effect

CASES = [
    ("win", "4k3/8/8/3n4/8/8/8/3RK3 w - - 0 1", "d1d5", "4k3/8/4p3/3n4/8/8/8/3RK3 w - - 0 1", "d1d5"),
    ("mate_threat", "6k1/5ppp/8/8/8/8/5PPP/2R3K1 w - - 0 1", "c1c7", "6k1/5pp1/7p/8/8/8/5PPP/2R3K1 w - - 0 1", "c1c7"),
    (
        "draws_king",
        "r1bq1rk1/p4pp1/2p1pn2/2bpP2p/8/2N3P1/PPP2PBP/R1BQR1K1 b - - 0 11",
        "c5f2 g1f2 f6g4 f2g1",
        "r1bq1rk1/p4pp1/2p1pn2/2bpP2p/8/2N3P1/PPP2PBP/R1BQR1K1 b - - 0 11",
        "c5f2 g1f2 f6d7 f2g1",
    ),
    (
        "opens_king",
        "6k1/2q1bp2/1pb1p1p1/2pnP2p/3P3P/2PB1NQ1/3B1PP1/6K1 w - - 2 24",
        "d3g6 f7g6 g3g6 g8h8",
        "k7/2q1bp2/1pb1p1p1/2pnP2p/3P3P/2PB1NQ1/3B1PP1/6K1 w - - 2 24",
        "d3g6 f7g6 g3g6 a8b8",
    ),
    ("promotes", "8/P6k/8/8/8/8/8/4K3 w - - 0 1", "a7a8q", "8/8/P6k/8/8/8/8/4K3 w - - 0 1", "a6a7"),
    (
        "promotion",
        "8/8/P6k/8/8/8/8/4K3 w - - 0 1",
        "a6a7 h6g5 a7a8q g5f5",
        "8/8/P6k/8/8/8/8/4K3 w - - 0 1",
        "a6a7 h6g5",
    ),
    ("trade", "3rk3/8/8/8/8/8/8/3RK3 w - - 0 1", "d1d8 e8d8", "3r4/6k1/8/8/8/8/8/3RK3 w - - 0 1", "d1d8 g7g6"),
    (
        "exchange",
        "4k3/1p6/2n5/1B6/8/8/8/4K3 w - - 0 1",
        "b5c6 b7c6",
        "4k3/1p6/2n5/1B6/8/8/8/4K3 w - - 0 1",
        "b5c6 e8d8",
    ),
    (
        "doubled",
        "4k3/1pp5/2n5/1B6/8/8/8/4K3 w - - 0 1",
        "b5c6 b7c6",
        "4k3/1p6/2n5/1B6/8/8/8/4K3 w - - 0 1",
        "b5c6 b7c6",
    ),
    (
        "take",
        "4r1k1/pQ4pp/4q3/2q5/5p2/2B2B1P/PP3PP1/6K1 b - - 0 26",
        "c5c3 f3d5 e6d5",
        "4r1k1/pQ4pp/8/2q5/5p2/2B2B1P/PP3PP1/6K1 b - - 0 26",
        "c5c3 f3d5 g8h8 b2c3",
    ),
    ("take", "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", "e4d5", "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", "e4e5"),
    ("trap", "4k3/8/6p1/7b/8/7P/6P1/4K3 w - - 0 1", "g2g4", "4k3/8/8/7b/8/7P/6P1/4K3 w - - 0 1", "g2g4"),
    ("attack", "4k3/8/8/3n4/8/8/2P5/4K3 w - - 0 1", "c2c4", "4k3/8/8/3n4/8/8/2P5/4K3 w - - 0 1", "c2c3"),
    (
        "attack",
        "rnbqk2r/pp3ppp/2p5/4N3/2p1P1P1/3P4/PPP3P1/RNBQK2R b KQkq - 0 9",
        "d8a5 b1c3 a5e5",
        "rnbqk2r/pp3ppp/2p5/4N3/2pPP1P1/8/PPP3P1/RNBQK2R b KQkq - 0 9",
        "d8a5 b1c3 e8g8",
    ),
    ("uncover", "4k3/8/8/3n4/8/8/3B4/3RK3 w - - 0 1", "d2g5", "4k3/8/2p5/3n4/8/8/3B4/3RK3 w - - 0 1", "d2g5"),
    ("offer", "3qk3/8/8/8/8/8/8/2QBK3 w - - 0 1", "c1d2", "3qk3/8/8/8/8/8/8/2QBK3 w - - 0 1", "c1c2"),
    ("pin", "3k4/3n4/8/8/8/8/8/R3K3 w - - 0 1", "a1d1", "3k4/3n4/8/8/6b1/8/8/R3K3 w - - 0 1", "a1d1"),
    ("pin", "4k3/3n4/8/8/8/8/4B3/4K3 w - - 0 1", "e2b5", "4k3/3p4/8/8/8/8/4B3/4K3 w - - 0 1", "e2b5"),
    ("guard", "4k3/8/8/8/4N2r/8/8/4KB2 w - - 0 1", "f1d3", "4k3/8/8/8/4N2r/8/8/4KB2 w - - 0 1", "f1e2"),
    ("escape", "4k3/8/8/3p4/4N3/8/8/4K3 w - - 0 1", "e4c5", "4k3/8/8/8/4N3/8/8/4K3 w - - 0 1", "e4c5"),
    ("no_castling", "r3k3/8/8/8/8/8/8/R3K2R w KQq - 0 1", "h1h8", "r3k3/8/3b4/8/8/8/8/R3K2R w KQq - 0 1", "h1h8"),
    ("passed", "4k3/8/3p4/4P3/8/8/8/4K3 w - - 0 1", "e5d6", "4k3/2p5/3p4/4P3/8/8/8/4K3 w - - 0 1", "e5d6"),
    ("advance", "4k3/8/8/8/P7/8/8/4K3 w - - 0 1", "a4a5", "4k3/8/8/8/8/P7/8/4K3 w - - 0 1", "a3a4"),
    ("opposition", "8/8/8/3k4/8/8/3K4/8 w - - 0 1", "d2d3", "8/8/8/3k4/8/8/3K4/8 w - - 0 1", "d2e3"),
    ("seventh", "6k1/8/8/8/8/8/8/3RK3 w - - 0 1", "d1d7", "8/8/6k1/8/8/8/8/3RK3 w - - 0 1", "d1d7"),
    ("outpost", "4k3/8/8/8/4P3/2N5/8/4K3 w - - 0 1", "c3d5", "4k3/2p5/8/8/4P3/2N5/8/4K3 w - - 0 1", "c3d5"),
    ("open_file", "4k3/7p/8/8/8/8/P7/R3K3 w - - 0 1", "a1d1", "4k3/3p3p/8/8/8/8/P7/R3K3 w - - 0 1", "a1d1"),
    ("half_open", "4k3/3p3p/8/8/8/8/P7/R3K3 w - - 0 1", "a1d1", "4k3/3p3p/8/8/8/8/P2P4/R3K3 w - - 0 1", "a1d1"),
    ("challenge", "4k3/8/8/3pp3/8/2P5/8/4K3 w - - 0 1", "c3c4", "4k3/8/8/3p4/8/8/2P5/4K3 w - - 0 1", "c2c3"),
    ("development", "4k3/8/8/8/8/8/8/4KBN1 w - - 0 1", "g1f3", "4k3/8/8/8/8/8/4N3/4KB2 w - - 0 1", "e2d4"),
    ("castles", "4k3/8/8/8/8/8/8/4K2R w K - 0 1", "e1g1", "4k3/8/8/8/8/8/8/4K2R w K - 0 1", "e1f1"),
    ("centre", "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "e2e4", "4k3/8/8/8/8/8/5P2/4K3 w - - 0 1", "f2f4"),
]


def does(fen: str, line: str) -> set[str]:
    return {effect.does for effect in effects_of(chess.Board(fen), line.split(), 2)}


@pytest.mark.parametrize(("effect", "fen", "line", "other", "line_there"), CASES, ids=[case[0] for case in CASES])
def test_an_effect_is_seen_where_it_is_and_not_beside_it(
    effect: str, fen: str, line: str, other: str, line_there: str
) -> None:
    assert effect in does(fen, line)
    assert effect not in does(other, line_there)


def test_every_effect_is_tried_and_has_words_in_both_languages() -> None:
    assert list(dict.fromkeys(case[0] for case in CASES)) == list(EFFECTS)
    assert ENGLISH.effects.keys() == GERMAN.effects.keys() == set(EFFECTS)


def test_black_has_the_same_effects() -> None:
    for effect, fen, line, *_ in CASES:
        board = chess.Board(fen).mirror()
        turned = [chess.Move.from_uci(uci) for uci in line.split()]
        mirrored = [
            chess.Move(chess.square_mirror(move.from_square), chess.square_mirror(move.to_square), move.promotion).uci()
            for move in turned
        ]
        assert effect in {each.does for each in effects_of(board, mirrored, 3)}, effect


FORK = Evidence(
    fen="4k3/8/8/8/1pp5/8/1B1R4/4K3 b - - 0 1", half_move=3, bait="e8f8", killer_line=("d2d8",), best="c4c3",
    best_line=("c3", "Rd4"),
)  # fmt: skip


def test_what_both_moves_do_is_no_reason() -> None:
    same = Evidence(
        fen="4k3/8/8/3n4/8/8/2P1P3/4K3 w - - 0 1", half_move=2, bait="e2e4", killer_line=("d5f6",), best="c2c4",
        best_line=("c4", "Nf6"),
    )  # fmt: skip
    effect = best_effect(same)
    assert effect is None or effect.does != "attack"
    found = best_effect(FORK)
    assert found is not None
    assert found.does == "attack"


def test_an_answer_that_does_the_same_after_the_best_move_is_no_reason() -> None:
    fen = "4k3/2p5/8/4N3/8/8/7P/4K3 w - - 0 1"
    push = {"fen": fen, "half_move": 2, "bait": "h2h3", "killer_line": ("c7c6",)}
    assert answer_effect(Evidence(**push, best="h2h4", best_line=("h4",))) is None  # type: ignore[arg-type]


def test_the_first_threat_of_a_line_is_found_with_its_ply() -> None:
    line = ("h7h6", "e1e2", "d5d4")
    found = line_effect(
        Evidence(fen="4k3/7p/8/3p4/8/2N5/8/3K4 w - - 0 1", half_move=2, bait="d1e1", killer_line=line), 3
    )
    assert found is not None
    assert (found[0], found[1].does, found[1].targets) == (3, "attack", ((chess.KNIGHT, chess.C3),))
