"""What is said of a losing move is what the board shows, in words that a player uses."""

from dataclasses import replace

import pytest

from db.wording.evidence import Evidence
from db.wording.languages.english import ENGLISH
from db.wording.languages.german import GERMAN
from db.wording.names import trap_name
from db.wording.sentences import Narrator
from trapcore.proof.themes import line_themes

CHANCES = {"before": 0.1, "after": -0.3}


def sentences_of(
    fen: str, line: str, before: float = CHANCES["before"], after: float = CHANCES["after"]
) -> tuple[str, str]:
    """In English and German; ``line`` is UCI and begins with the losing move."""
    bait, *killer = line.split()
    half_move = 3 if " b " in fen else 2
    evidence = Evidence(
        fen=fen, half_move=half_move, bait=bait, killer_line=tuple(killer), before=before, after=after
    )  # fmt: skip
    english, german = (Narrator(language).fell(evidence) for language in (ENGLISH, GERMAN))
    return english, german


@pytest.mark.parametrize(
    ("fen", "line", "english", "german"),
    [
        pytest.param(
            "8/8/4k3/3p4/8/4P3/8/4K3 w - - 0 1", "e3e4 d5e4", "1.e4?? loses a pawn: 1...dxe4.",
            "1.e4?? verliert einen Bauern: 1...dxe4.", id="nobody asks which pawn",
        ),
        pytest.param(
            "6k1/8/4p3/3b4/8/2N5/8/3RK3 w - - 0 1", "d1d5 e6d5 c3d5",
            "1.Rxd5?? loses the exchange for a pawn: 1...exd5 2.Nxd5.",
            "1.Rxd5?? verliert die Qualität für einen Bauern: 1...exd5 2.Nxd5.", id="what is got for the exchange",
        ),
        pytest.param(
            "4k3/p7/8/2p5/8/1N6/6K1/7R w - - 0 1", "b3d4 c5d4 h1a1 e8d8 a1a7", "1.Nd4?? loses the knight: 1...cxd4.",
            "1.Nd4?? verliert den Springer: 1...cxd4.", id="a pawn that falls later is not the reason",
        ),
        pytest.param(
            "4k3/8/8/2p5/8/1N4P1/8/3RK3 w - - 0 1", "b3d4 c5d4 d1d4",
            "1.Nd4?? loses a knight for a pawn: 1...cxd4 2.Rxd4.",
            "1.Nd4?? verliert einen Springer für einen Bauern: 1...cxd4 2.Rxd4.",
            id="but what is taken for it counts",
        ),
        pytest.param(
            "4k3/8/2n5/8/3P2b1/5N2/6PP/4K3 w - - 0 1", "e1f1 g4f3 g2f3 c6d4",
            "1.Kf1?? loses a pawn: 1...Bxf3 2.gxf3 Nxd4.", "1.Kf1?? verliert einen Bauern: 1...Bxf3 2.gxf3 Nxd4.",
            id="which pawn was guarded, the line tells",
        ),
        pytest.param(
            "4r1k1/8/8/8/4n3/5P2/3P4/4K3 w - - 0 1", "f3f4 e4d2 e1d2",
            "1.f4?? gives Black the advantage: 1...Nxd2+ is a discovered check.",
            "1.f4?? überlässt Schwarz den Vorteil: 1...Nxd2+ gibt Abzugsschach.", id="a discovered check",
        ),
        pytest.param(
            "4r1k1/8/8/4n3/8/5P2/8/4K3 w - - 0 1", "e1d1 e5f3 d1c2", "1.Kd1?? loses a pawn: 1...Nxf3.",
            "1.Kd1?? verliert einen Bauern: 1...Nxf3.", id="a pawn without a check",
        ),
        pytest.param(
            "4r1k1/8/8/4n3/8/5P2/8/1B2K3 w - - 0 1", "b1h7 g8h7", "1.Bh7+?? loses the bishop: 1...Kxh7.",
            "1.Bh7+?? verliert den Läufer: 1...Kxh7.", id="a piece",
        ),
        pytest.param(
            "4r1k1/8/8/4n3/8/5P2/8/4K3 w - - 0 1", "f3f4 e5d3 e1d2 d3f4", "1.f4?? loses a pawn: 1...Nd3+ 2.Kd2 Nxf4.",
            "1.f4?? verliert einen Bauern: 1...Nd3+ 2.Kd2 Nxf4.", id="a check does not win a pawn, the line does",
        ),
    ],
)  # fmt: skip
def test_what_is_lost(fen: str, line: str, english: str, german: str) -> None:
    assert [each.partition(" It costs")[0].partition(" Das kostet")[0] for each in sentences_of(fen, line)] == [
        english,
        german,
    ]


@pytest.mark.parametrize(
    ("before", "after", "better"),
    [
        (0.18, -0.14, "1.Kf1 is better (59 % → 43 %)."),
        (0.18, -0.24, "1.Kf1 keeps the balance (59 % → 38 %)."),
        (-0.04, -0.6, "1.Kf1 keeps the balance (48 % → 20 %)."),
        (-0.08, -0.6, "1.Kf1 is better (46 % → 20 %)."),
        (0.26, -0.1, "1.Kf1 is better (63 % → 45 %)."),
        (0.32, -0.1, "1.Kf1 keeps the advantage (66 % → 45 %)."),
        (-0.18, -0.6, "1.Kf1 is better (41 % → 20 %)."),
        (0.6, 0.22, "1.Kf1 is better (80 % → 61 %)."),
        (0.6, -0.1, "1.Kf1 keeps the advantage (80 % → 45 %)."),
        (0.9, 0.3, "1.Kf1 is winning (95 % → 65 %)."),
        (-0.4, -0.9, "1.Kf1 is the better defence (30 % → 5 %)."),
    ],
)
def test_what_the_losing_move_kept_as_well_is_not_said_of_the_best_one(
    before: float, after: float, better: str
) -> None:
    evidence = Evidence(
        fen="4r1k1/8/8/8/4n3/5P2/3P4/4K3 w - - 0 1", half_move=2, bait="f3f4", killer_line=("e4d2", "e1d2"),
        before=before, after=after, best="e1f1",
    )  # fmt: skip
    assert Narrator(ENGLISH).fell(evidence).endswith(f". {better}")


def test_what_is_taken_at_once_is_not_put_down_to_a_motif() -> None:
    # The queen takes the rook, and uncovers the attack of her own rook on another piece.
    fen = "4r1k1/pp1q1pbp/2p3p1/2P1n3/1P2Q2N/P5P1/3r1P1P/R1B1R1K1 b - - 5 22"
    line = "d2c2 e4c2 e5d3 e1e8 d7e8 h4f3 g7a1"
    assert any(theme.name == "discoveredAttack" and theme.ply == 1 for theme in line_themes(fen, line.split()))
    assert sentences_of(fen, line, after=-0.6)[0].startswith("1...Rc2?? loses the rook: 2.Qxc2. ")


def test_a_piece_that_every_move_loses_is_not_what_the_move_loses() -> None:
    # The knight falls to the rook as well; only the pawns that White gets for it differ.
    knight = Evidence(
        fen="8/p2Nr1k1/3p2pR/5p2/P1p3P1/2P5/1P3K2/8 w - - 2 38",
        half_move=76,
        bait="d7f6",
        killer_line=("g7f6", "g4f5", "f6f5", "f2f3", "e7b7", "h6h2", "d6d5", "f3e3", "f5e5"),
        before=0.0753,
        after=-0.3048,
        best="h6h4",
        best_line=("Rh4", "Rxd7", "gxf5", "g5", "Rxc4"),
        probability=0.8087,
    )
    assert "knight" not in Narrator(ENGLISH).fell(knight)
    assert "knight" in Narrator(ENGLISH).fell(replace(knight, best_line=()))


def test_of_light_pieces_the_one_that_falls_first_is_lost() -> None:
    # The knight is taken; that the bishop goes for another knight later changes nothing.
    fen = "rnbR1bkr/6p1/p6p/1p6/2p1PB2/5N2/PPB2PPP/4R1K1 b - - 2 18"
    english, german = sentences_of(fen, "c8b7 f4b8 h6h5 e4e5 h5h4 e5e6 b7f3 g2f3 h8h5", after=-0.6)
    assert english.startswith("1...Bb7?? loses the knight: 2.Bxb8. ")
    assert german.startswith("1...Bb7?? verliert den Springer: 2.Bxb8. ")


def test_a_piece_that_falls_at_once_is_what_is_lost() -> None:
    # That a rook falls too, ten plies on, says nothing to who left his queen.
    fen = "4rrk1/p5pp/1q6/2p5/1P2pp2/B1PnQ3/P2N2PP/R4RK1 w - - 0 27"
    english, german = sentences_of(fen, "e3d4 c5d4 c3c4 f4f3 d2e4 b6g6 f1f3 f8f3 e4d6 d3f4", -0.2, -0.95)
    assert english.startswith("1.Qd4?? loses the queen: 1...cxd4. ")
    assert german.startswith("1.Qd4?? verliert die Dame: 1...cxd4. ")


def test_the_line_shows_why_what_takes_is_not_retaken() -> None:
    # The pawn that could retake is pinned to the queen.
    fen = "r1bqr1k1/pp2bppp/3p1n2/2p1n3/4P3/1BN2N2/PPP1QPPP/R1BR2K1 b - - 1 11"
    english, _ = sentences_of(fen, "b7b6 f3e5 c8e6 b3e6 f7e6 e5f3 b6b5 c3b5", -0.02, -0.8)
    assert english.startswith("1...b6?? loses a knight: 2.Nxe5 dxe5 3.Rxd8 Rxd8. ")
    # Whoever retakes here loses more; no capture shows that, but a search.
    fen = "rnbqk2r/pp3pp1/2pbpn1p/8/3P4/2NBBQ2/PPP3PP/2KR2NR b kq - 1 9"
    english, _ = sentences_of(fen, "b8a6 d3a6 e8g8 a6d3 b7b5 a2a3 b5b4 a3b4 d6b4", 0.0, -0.53)
    assert english.startswith("1...Na6?? loses the knight: 2.Bxa6 bxa6 3.Qxc6+ Qd7 4.Qxa8. ")


def test_material_counts_also_where_the_line_goes_on_with_checks() -> None:
    # Nothing is quiet before the end, but after the king's move Black may leave it at the queen.
    fen = "2kr1b1r/Bpp3pp/8/3npp2/q3P3/8/PPPQ2PP/2KR2NR w - - 0 14"
    line = "c1b1 d5c3 b1c1 d8d2 d1d2 a4a2 d2d8 c8d8 b2c3 a2a1 c1d2 a1a7"
    english, german = sentences_of(fen, line, -0.36, -0.85)
    assert english.startswith("1.Kb1?? loses the queen for a rook: 1...Nc3+ ")
    assert german.startswith("1.Kb1?? verliert die Dame für einen Turm: 1...Nc3+ ")


def test_what_is_told_is_what_lasts() -> None:
    # Whoever takes back gets the rook for the queen, which is what the move loses.
    fen = "2krr3/pppn1ppb/7p/1N1p1P2/6P1/bPPP1N1P/qBK2Q2/1R5R b - - 5 22"
    english, _ = sentences_of(fen, "a2b2 b1b2 a3b2 b5a7 c8b8 c2b2", 0.12, -0.76)
    assert english.startswith("1...Qxb2+?? loses the queen and a pawn for a rook: 2.Rxb2 Bxb2 3.Nxa7+ Kb8 4.Kxb2. ")
    # The line takes the rook; what a reader sees is that the bishop takes the queen.
    fen = "kr3q2/p2R4/1p2Q1p1/2b2p2/8/4PP2/PPP3P1/1K3N2 w - - 2 29"
    english, _ = sentences_of(fen, "e6d6 f8d6 d7d6 c5d6 f1d2 b8h8", 0.99, -0.8)
    assert english.startswith("1.Qd6?? turns a won position into a lost one: ")


def test_a_queen_that_is_not_to_be_taken_hides_nothing() -> None:
    # The knight is lost; the queen can be taken as well, but that is Légal's mate.
    fen = "r2qkbnr/ppp2pp1/2np3p/4p3/2B1P1b1/2N2N2/PPPP1PPP/R1BQ1RK1 w kq - 2 6"
    english, _ = sentences_of(fen, "f3e5 c6e5 f2f3 e5c4 f3g4 f8e7", 0.16, -0.46)
    assert english.startswith("1.Nxe5?? loses a knight for a pawn: 1...Nxe5")


def test_who_takes_back_wins_nothing_by_it() -> None:
    # The rook takes back what was taken on d2; the knight that could have done so now stands alone.
    evidence = Evidence(
        fen="r3k2r/pp3ppp/1np1pn2/5b2/4N3/1B3NqP/PPPbQ1P1/2KR3R w kq - 0 15", half_move=30, bait="d1d2",
        killer_line=("f5e4", "c1b1", "b6d5", "h3h4", "e4f3", "g2f3"), before=-0.39, after=-0.82, best="e4d2",
        best_line=("Nexd2", "O-O", "Rhe1", "Nbd5", "a4"),
    )  # fmt: skip
    assert Narrator(ENGLISH).fell(evidence).startswith("15.Rxd2?? loses a knight: 15...Bxe4. ")


def test_what_the_better_move_takes_or_wins_is_told_where_nothing_else_is_lost() -> None:
    left = Evidence(
        fen="r3kbnr/3qpppp/p2p4/8/3n4/1Q2P3/PPP2PPP/RNB1K1NR w KQkq - 0 10", half_move=20, bait="b3d3",
        killer_line=("d4e6", "g1f3", "g7g6", "e3e4", "f8g7"), before=0.79, after=0.12, best="e3d4",
        best_line=("exd4", "g6", "c3", "Bg7", "Nf3"),
    )  # fmt: skip
    words = "10.Qd3?? does not take the knight on d4: 10.exd4 (90 % → 56 %)."
    assert Narrator(ENGLISH).fell(left) == words
    assert Narrator(GERMAN).fell(left) == "10.Qd3?? schlägt den Springer auf d4 nicht: 10.exd4 (90 % → 56 %)."
    won = Evidence(
        fen="6k1/2pqbppp/p1n5/3N4/r7/4B2P/2P2PP1/3Q1RK1 w - - 0 22", half_move=44, bait="d1f3",
        killer_line=("e7d6", "f1d1", "c6e5", "f3e2", "d7b5", "e2h5"), before=0.89, after=-0.22, best="d5f6",
        best_line=("Nf6+", "Bxf6", "Qxd7", "h6", "Qxc6"),
    )  # fmt: skip
    assert Narrator(ENGLISH).fell(won).endswith(" 22.Nf6+ wins the queen for a knight (94 % → 39 %).")
    assert Narrator(GERMAN).fell(won).endswith(" 22.Nf6+ gewinnt die Dame für einen Springer (94 % → 39 %).")


def test_a_fork_that_wins_nothing_is_no_reason() -> None:
    # The knight goes back with tempo.
    fen = "2kr1b1r/ppp1p1pp/3q1n2/3pNbB1/3P4/2N5/PPP2PPP/R2QK2R w KQ - 0 10"
    line = "e5f7 d6e6 f7e5 f6g4 e1g1 g4e5 d4e5 c7c5 f1e1"
    assert any(theme.name == "fork" and theme.ply == 1 for theme in line_themes(fen, line.split()))
    assert "forks" not in sentences_of(fen, line, 0.28, -0.13)[0]


def test_what_can_be_retaken_is_not_called_lost() -> None:
    # The rook takes another pawn.
    fen = "4R3/ppp2p2/2n1k1p1/8/4p3/Pr2P3/4KP2/3R4 b - - 5 31"
    assert "loses a pawn" not in sentences_of(fen, "e6f6 e8e4 b3b2 d1d2 b2d2 e2d2 c6e7 f2f4", 0.3, -0.12)[0]


def test_forms_of_a_sentence_take_turns() -> None:
    def of(half_move: int) -> set[str]:
        evidence = Evidence(
            fen=QUIET[0], half_move=half_move, bait="e1d1", killer_line=("e8d7", "d1d2"), before=0.16, after=-0.3
        )
        return {
            Narrator(language).fell(evidence).partition(": ")[0].partition(" ")[2] for language in (ENGLISH, GERMAN)
        }

    first, second, third = map(of, (2, 4, 6))
    assert len(first | second) == 4
    assert first == third


QUIET = ("4k3/4p3/8/8/8/8/4P3/4K3 w - - 0 1", "e1d1 e8d7 d1d2")


@pytest.mark.parametrize(
    ("before", "after", "english"),
    [
        (0.8, -0.5, "1.Kd1?? turns a won position into a bad one: 1...Kd7 2.Kd2."),
        (0.8, -0.8, "1.Kd1?? turns a won position into a lost one: 1...Kd7 2.Kd2."),
        (0.8, 0.0, "1.Kd1?? throws the win away: 1...Kd7 2.Kd2."),
        (0.16, -0.16, "1.Kd1?? makes the position worse: 1...Kd7 2.Kd2."),
        (0.12, -0.16, "1.Kd1? makes the position worse: 1...Kd7 2.Kd2."),
        (0.16, -0.3, "1.Kd1?? gives Black the advantage: 1...Kd7 2.Kd2."),
    ],
)
def test_what_became_of_the_position(before: float, after: float, english: str) -> None:
    assert sentences_of(*QUIET, before, after)[0].startswith(english)


TWO_PAWNS = ("4k3/7p/8/3p4/rP1P4/8/7P/4K3 w - - 0 1", "e1d1 a4b4 d1d2 b4d4")
A_ROOK = ("4k3/4p3/3r4/8/8/8/4P3/3RK3 w - - 0 1", "e1f1 d6d1 f1g2 e8d7")


@pytest.mark.parametrize(
    ("game", "before", "after", "english"),
    [
        pytest.param(TWO_PAWNS, 0.3, -0.3, "1.Kd1?? loses two pawns: 1...Rxb4 2.Kd2 Rxd4+.", id="what they are worth"),
        pytest.param(
            TWO_PAWNS,
            0.4,
            -0.75,
            "1.Kd1?? does not meet 1...Rxb4, which takes the pawn on b4.",
            id="nobody loses so much for two pawns",
        ),
        pytest.param(A_ROOK, 0.3, -0.5, "1.Kf1?? loses the rook: 1...Rxd1+.", id="a rook"),
        pytest.param(
            A_ROOK,
            0.19,
            -0.15,
            "1.Kf1?? makes the position worse: 1...Rxd1+ 2.Kg2 Kd7.",
            id="there is something for the rook",
        ),
        pytest.param(A_ROOK, 0.9, 0.6, "1.Kf1?? loses the rook: 1...Rxd1+.", id="in a game that is won anyway"),
    ],
)
def test_material_is_told_where_it_accounts_for_the_cost(
    game: tuple[str, str], before: float, after: float, english: str
) -> None:
    assert sentences_of(*game, before, after)[0].partition(" It costs")[0] == english


def test_a_queen_that_is_given_away_comes_before_the_mate_that_is_missed() -> None:
    evidence = Evidence(
        fen="rnb1kb1r/ppp3p1/5np1/4qp2/1NB1p3/4P3/PPPP1PPP/R1B1QRK1 b kq - 0 1", half_move=39, bait="e5d4",
        killer_line=("e3d4", "f8b4", "c2c3"), best="e5h2", best_line=("Qxh2#",), cause="win_missed",
        before=1.0, after=-0.7,
    )  # fmt: skip
    told = Narrator(ENGLISH).fell(evidence)
    assert told == "19...Qd4?? loses the queen for a knight: 20.exd4 Bxb4. 19...Qxh2# is mate (100 % → 15 %)."


def test_a_piece_that_hung_before_and_falls_is_the_reason() -> None:
    evidence = Evidence(
        fen="r2B1rk1/1p3ppp/p2b4/2pP4/2P5/2N5/PPB3PP/R2b1RK1 b - - 0 1", half_move=33, bait="a8d8",
        killer_line=("a1d1", "d6e5", "g1h1", "f8e8", "c3e4"), best="d1c2", best_line=("Bxc2", "Bb6", "Be5"),
        before=-0.02, after=-0.74,
    )  # fmt: skip
    told = Narrator(ENGLISH).fell(evidence)
    assert told.startswith("16...Raxd8?? does not save the bishop on d1: 17.Raxd1.")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Fool's mate with f4", "Fool's mate with f4"),
        ("Fool's mate by White, Barnes Defence", "Fool's mate by White"),
        ("Traxler, 7.Ke1", "a known trap (Traxler)"),
        ("From's gambit, 4.Nf3 g5 5.h3", "a known trap (From's gambit)"),
        ("Ruy Lopez, exchange", "a known trap (Ruy Lopez, exchange)"),
        ("Blackmar-Diemer, Nxa2 and Bb4 mate", "a known trap (Blackmar-Diemer)"),
        ("London System, Qxh7 mate", "a known trap (London System)"),
        ("Danish Gambit, Bxf7+ and Qxd8", "a known trap (Danish Gambit)"),
        ("Modern Defence, Bxf7 and Ne6", "a known trap (Modern Defence)"),
        ("Petroff, Three Knights Qxh7 mate", "a known trap (Petroff, Three Knights)"),
        ("Accelerated Dragon, Fischer's Ne6", "a known trap (Accelerated Dragon, Fischer's Ne6)"),
        ("Scotch Gambit, Bh6 mate hunt", "a known trap (Scotch Gambit, Bh6 mate hunt)"),
        ("Monticelli trap, 9...Nxc3", "the Monticelli trap"),
    ],
)
def test_a_name_does_not_repeat_the_moves_that_are_told(name: str, expected: str) -> None:
    assert trap_name(name, ENGLISH) == expected


@pytest.mark.parametrize(
    ("fen", "line", "after", "english"),
    [
        pytest.param(
            "8/8/8/6K1/5pP1/5k2/8/8 w - - 0 62", "g5f5 f3g3 g4g5 f4f3 g5g6 f3f2 g6g7 f2f1q f5g6 f1c4", -0.9,
            "1.Kf5?? does not meet 1...Kg3, which brings the pawn on f4 to promotion.",
            id="a pawn promotes",
        ),
        pytest.param(
            "r2q2k1/ppp2ppp/2n2b2/8/8/2N2N2/PPP2PPP/R2QR1K1 w - - 0 1",
            "a2a3 d8d1 a1d1 f6c3 b2c3 h7h6 e1e8", -0.6,
            "1.a3?? gives Black the advantage: 1...Qxd1 2.Raxd1 Bxc3 doubles the pawns on the c-file.",
            id="until it does something",
        ),
    ],
)  # fmt: skip
def test_a_line_is_told_to_its_end(fen: str, line: str, after: float, english: str) -> None:
    assert sentences_of(fen, line, after=after)[0].partition(" It costs")[0] == english


PERPETUAL = "6k1/p5n1/p4R2/B1Pp2p1/3Pb1Pp/5NKP/P4P2/1r6 w - - 0 35"


def test_a_perpetual_check_is_called_so() -> None:
    english, german = sentences_of(PERPETUAL, "f3h4 b1g1 g3h2 g1h1 h2g3 h1g1", before=0.38, after=0.0)
    assert english == "1.Nxh4?? allows perpetual check: 1...Rg1+ 2.Kh2 Rh1+ 3.Kg3. It costs 19 percentage points."
    assert german.startswith("1.Nxh4?? erlaubt Dauerschach: 1...Rg1+ 2.Kh2 Rh1+ 3.Kg3. ")


@pytest.mark.parametrize(
    ("line", "after"),
    [("f3h4 b1g1 g3h2 g1h1 h2g3 h1b1 g3h2 b1h1 h2g3", 0.0), ("f3h4 b1g1 g3h2 g1h1 h2g3 h1g1", -0.5)],
    ids=["with a move between that is no check", "of who wins"],
)
def test_other_repetitions_are_not(line: str, after: float) -> None:
    assert "perpetual" not in sentences_of(PERPETUAL, line, before=0.38, after=after)[0]


def test_a_line_that_the_reply_opens_as_well_is_no_attack_that_the_move_uncovers() -> None:
    # The queen is shut off by the pawn on d4 until that takes back.
    fen = "2kr1b1r/pppqpppp/2np1n2/5b2/2PP4/P1N1P2P/1P2BPP1/R1BQK1NR w KQ - 1 8"
    line = "c4c5 d6c5 d4c5 d7d1 e2d1 g7g6"
    assert any(theme.name == "discoveredAttack" and theme.ply == 1 for theme in line_themes(fen, line.split()))
    assert sentences_of(fen, line, before=0.26, after=-0.18)[0].startswith(
        "1.c5?? gives the advantage away: 1...dxc5 2.dxc5 Qxd1+ 3.Bxd1 g6. "
    )
