"""Themes of lines: for each a line that has it, with what it rests on, and one that just misses it."""

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.chess_positions import STANDARD
from tests.trapcore.proof.theme_lines import HAS, LACKS, OF_THE_LINE
from trapcore import _native
from trapcore.proof.themes import THEMES, LineTheme, line_themes

NODES = 20_000


def found(fen: str, moves: str, nodes: int = 0) -> dict[str, LineTheme]:
    """The themes of the line by their names."""
    return {theme.name: theme for theme in _native.line_themes(fen, moves.split(), nodes)}


@pytest.mark.parametrize("name", HAS)
def test_a_line_has_the_theme(name: str) -> None:
    line = HAS[name]
    theme = found(line.fen, line.moves, NODES)[name]
    assert (theme.ply, theme.by, theme.targets) == (line.ply, line.by, line.targets)


@pytest.mark.parametrize("name", LACKS)
def test_a_line_that_nearly_has_it_has_it_not(name: str) -> None:
    line = LACKS[name]
    assert name not in found(line.fen, line.moves, NODES), line.reason


@pytest.mark.parametrize("name", OF_THE_LINE)
def test_pieces_tell_phase_and_endgame(name: str) -> None:
    fen = OF_THE_LINE[name]
    named = found(fen, "a7a6 a2a3").keys() & OF_THE_LINE.keys()
    assert named == ({name, "endgame"} if name.endswith("Endgame") else {name})


def test_each_theme_has_its_lines() -> None:
    rest = {"oneMove", "short", "long", "veryLong", "mateIn3", "mateIn4", "mateIn5"}
    assert HAS.keys() | OF_THE_LINE.keys() | rest == set(THEMES)
    assert HAS.keys() == LACKS.keys()


@given(st.sampled_from(STANDARD), st.lists(st.integers(0, 200), min_size=2, max_size=9))
def test_colours_exchanged_are_the_same_themes_on_mirrored_squares(fen: str, choices: list[int]) -> None:
    board = chess.Board(fen)
    mirrored, moves = board.mirror(), []
    for choice in choices:
        legal = sorted(board.legal_moves, key=chess.Move.uci)
        if not legal:
            break
        moves.append(legal[choice % len(legal)])
        board.push(moves[-1])
    if len(moves) < 2:
        return
    turned = [_mirrored(move).uci() for move in moves]
    here = line_themes(fen, [move.uci() for move in moves])
    there = line_themes(mirrored.fen(), turned)
    assert [(t.name, t.ply, t.by and _flipped(t.by), sorted(map(_flipped, t.targets))) for t in here] == [
        (t.name, t.ply, t.by, sorted(t.targets)) for t in there
    ]


def _flipped(square: str) -> str:
    return chess.square_name(chess.square_mirror(chess.parse_square(square)))


def _mirrored(move: chess.Move) -> chess.Move:
    return chess.Move(chess.square_mirror(move.from_square), chess.square_mirror(move.to_square), move.promotion)


def test_zugzwang_is_looked_for_only_with_nodes() -> None:
    line = HAS["zugzwang"]
    assert "zugzwang" not in {theme.name for theme in line_themes(line.fen, line.moves.split())}
    assert "zugzwang" in {theme.name for theme in line_themes(line.fen, line.moves.split(), zugzwang_nodes=NODES)}
