"""Themes of lines: for each theme a line that has it, with what it rests on, and one that just misses it."""

import pickle

import pytest

from trapcore.errors import InputError, PositionError
from trapcore.proof.themes import THEMES, LineTheme, line_themes

SCHOLAR = "r1bqkbnr/pppp1ppp/2n5/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR b KQkq - 3 3"


def found(fen: str, moves: str) -> dict[str, tuple[int, str | None, tuple[str, ...]]]:
    """Each theme of the line with what it rests on."""
    return {theme.name: (theme.ply, theme.by, theme.targets) for theme in line_themes(fen, moves.split())}


HAS = {
    "fork": ("4k3/8/8/7N/8/3q4/8/4K3 b - - 0 1", "d3d5 h5f6 e8e7 f6d5", (1, "f6", ("d5", "e8"))),
    "hangingPiece": ("4k3/8/8/7N/8/3q4/8/4K2Q b - - 0 1", "d3d5 h1d5", (1, "d5", ("d5",))),
    "promotion": ("8/4P1k1/8/8/8/8/8/4K3 b - - 0 1", "g7g6 e7e8q", (1, "e8", ())),
    "backRankMate": ("7k/5ppp/8/8/8/8/8/R5K1 b - - 0 1", "h8g8 a1a8", (1, "a8", ("g8",))),
    "smotheredMate": ("6rk/5ppp/8/6N1/8/8/8/6K1 b - - 0 1", "f7f6 g5f7", (1, "f7", ("h8",))),
    "attackingF2F7": (SCHOLAR, "g8f6 h5f7", (1, "f7", ("f7",))),
    "mateIn1": (SCHOLAR, "g8f6 h5f7", (1, "f7", ("e8",))),
}

LACKS = {
    "fork": ("4k3/8/4p3/7N/8/3q4/8/4K3 b - - 0 1", "d3a3 h5f6 e8e7 f6d5", "the check attacks the king alone"),
    "hangingPiece": ("3rk3/8/8/7N/8/3q4/8/4K2Q b - - 0 1", "d3d5 h1d5", "the rook guards the queen"),
    "promotion": ("8/8/4P1k1/8/8/8/8/4K3 b - - 0 1", "g6g7 e6e7", "the pawn only comes to the seventh rank"),
    "backRankMate": ("7k/5pp1/8/8/8/8/8/R5KR b - - 0 1", "h8g8 a1a8", "no mate on h7, which is attacked"),
    "smotheredMate": ("6rk/5pp1/8/6N1/8/8/2B5/6K1 b - - 0 1", "f7f6 g5f7", "h7 is no piece's"),
    "attackingF2F7": (SCHOLAR, "g7g6 h5e5", "the capture is on e5"),
    "mateIn1": (SCHOLAR, "g7g6 h5e5", "it is no mate"),
}


@pytest.mark.parametrize("name", HAS)
def test_a_line_has_the_theme(name: str) -> None:
    fen, moves, evidence = HAS[name]
    assert found(fen, moves)[name] == evidence


@pytest.mark.parametrize("name", LACKS)
def test_a_line_that_is_nearly_so_has_it_not(name: str) -> None:
    fen, moves, reason = LACKS[name]
    assert name not in found(fen, moves), reason


def test_a_theme_is_a_value() -> None:
    (theme, *_) = line_themes(SCHOLAR, ["g8f6", "h5f7"])
    assert theme == LineTheme("attackingF2F7", 1, "f7", ["f7"]) == pickle.loads(pickle.dumps(theme))
    assert len({theme, *line_themes(SCHOLAR, ["g8f6", "h5f7"])}) == len(line_themes(SCHOLAR, ["g8f6", "h5f7"]))
    assert repr(theme) == "LineTheme('attackingF2F7', 1, 'f7', ['f7'])"
    assert theme.name in THEMES


def test_bad_input_is_named() -> None:
    with pytest.raises(PositionError, match="not a board"):
        line_themes("not a board", ["e2e4", "e7e5"])
    with pytest.raises(PositionError, match=r"h5h8 is not a legal move in .* w KQkq"):
        line_themes(SCHOLAR, ["g8f6", "h5h8"])
    with pytest.raises(PositionError, match="nonsense"):
        line_themes(SCHOLAR, ["nonsense", "h5h8"])
    with pytest.raises(InputError, match="not 1 moves"):
        line_themes(SCHOLAR, ["g8f6"])
