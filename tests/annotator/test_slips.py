"""Moves that cost something and are not proved to lose: what `--tell all` adds."""

import io
import json
import re
from pathlib import Path

import chess.pgn
import pytest

from tests.annotator.test_length import game_of
from trapcore._native import TOLD_PLIES
from trapcore.win_chance import INACCURACY
from trapline.commands.annotate import annotate

GAME = """[White "Anna"]
[Black "Boris"]

1. e4 c5 2. Nf3 d6 3. b3 Nc6 4. Bb2 Nf6 5. Bb5 Bd7 6. O-O a6 7. Bxc6 Bxc6 8. Re1 g6 9. h3 Bg7 *
"""
"""Black may take on e4 from move 5 on, and does not."""


def review(folder: Path, **options: object) -> tuple[chess.pgn.Game, list[dict[str, object]]]:
    """The game with the comments of a whole review, and its report."""
    source, out, report = folder / "game.pgn", folder / "out.pgn", folder / "report.jsonl"
    source.write_text(GAME, encoding="utf-8")
    given = {"tell": "all", "engine": "off", **options}
    annotate([str(source)], output=str(out), report=str(report), db=None, quiet=True, **given)  # type: ignore[arg-type]
    game = chess.pgn.read_game(io.StringIO(out.read_text(encoding="utf-8")))
    assert game is not None
    return game, [json.loads(line) for line in report.read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def slips(tmp_path_factory: pytest.TempPathFactory) -> tuple[chess.pgn.Game, list[dict[str, object]]]:
    game, lines = review(tmp_path_factory.mktemp("all"))
    return game, [line for line in lines if line["event"] == "slip"]


def test_a_slip_has_its_sign_the_better_move_and_its_words_what_it_cost(
    slips: tuple[chess.pgn.Game, list[dict[str, object]]],
) -> None:
    game, lines = slips
    nodes = {node.ply(): node for node in game.mainline()}
    assert lines
    for line in lines:
        ply, before, after = int(str(line["ply"])), float(str(line["before"])), float(str(line["after"]))
        node = nodes[ply]
        assert node.parent is not None
        assert node.move.uci() == line["bait"]
        assert line["played_loss"] == pytest.approx(before - after, abs=1e-3)
        assert before - after >= INACCURACY
        assert node.nags & {2, 4, 6}
        cost = f"{50 + 50 * before:.0f} % -> {50 + 50 * after:.0f} %"
        assert cost in node.comment.replace("→", "->") or (not node.comment and 6 in node.nags)
        other = node.parent.variations[1].move
        assert other.uci() == line["best"] != line["bait"]


def test_the_lines_of_a_slip_are_long_enough_to_say_something(
    slips: tuple[chess.pgn.Game, list[dict[str, object]]],
) -> None:
    _, lines = slips
    for line in lines:
        assert min(len(line["killer_line"]), len(line["best_line_san"])) >= TOLD_PLIES  # type: ignore[arg-type]


def test_a_pawn_that_is_left_alone_is_told(slips: tuple[chess.pgn.Game, list[dict[str, object]]]) -> None:
    game, lines = slips
    assert ("g7g6", "f6e4") in [(line["bait"], line["best"]) for line in lines]
    words = " ".join(" ".join(node.comment for node in game.mainline()).split())
    assert re.search(r"Nxe4 takes the pawn on e4|misses \d+\.\.\.Nxe4, winning a pawn", words), words


def test_an_inaccuracy_says_something_of_the_board_or_nothing(
    slips: tuple[chess.pgn.Game, list[dict[str, object]]],
) -> None:
    game, _ = slips
    said = [node.comment for node in game.mainline() if 6 in node.nags]
    assert said
    assert not any(re.match(r"\d+\.+\S+ (is better|keeps|is winning|is the better defence)", each) for each in said)


def test_without_all_there_is_no_slip_and_a_side_has_its_own(tmp_path: Path) -> None:
    assert not [line for line in review(tmp_path, tell="losses")[1] if line["event"] == "slip"]
    assert {line["mover"] for line in review(tmp_path, side="black")[1] if line["event"] == "slip"} == {"black"}


def test_values_alone_add_no_slip(tmp_path: Path) -> None:
    # The capture on f7 costs a piece by the search, and is not proved to.
    source, report = tmp_path / "game.pgn", tmp_path / "report.jsonl"
    source.write_text(game_of(5), encoding="utf-8")
    given = {"db": None, "quiet": True, "engine": "off", "evaluations": True}
    for tell, slips in (("losses", False), ("all", True)):
        annotate([str(source)], output=str(tmp_path / f"{tell}.pgn"), report=str(report), tell=tell, **given)  # type: ignore[arg-type]
        lines = [json.loads(line) for line in report.read_text(encoding="utf-8").splitlines()]
        assert any(line["event"] == "slip" for line in lines) == slips
        report.unlink()


@pytest.mark.parametrize("tell", ["losses", "all"])
@pytest.mark.parametrize(
    ("game", "said"),
    [
        ("7k/8/8/5Q2/8/6P1/6PK/8 w - - 0 1] 1. Kg1 Kg7 2. g4 Kh8 3. Qf7 1/2-1/2", "3. Qf7 $4 { Is stalemate. 3."),
        ("2k5/2p2p2/p1K5/r1p5/7q/8/8/8 b - - 5 52] 52... c4 1/2-1/2", "Is stalemate. 52...Qh1# is mate (100 %"),
        ("7k/8/8/8/8/8/5K2/6Q1 w - - 0 1] 1. Ke3 Kh7 2. Kd4 Kh8 3. Qg6 1/2-1/2", "Is stalemate. White misses 3.Ke5"),
        ("7K/8/8/8/8/6Q1/8/1k6 w - - 0 1] 1. Kg7 Ka1 2. Qb3 1/2-1/2", "Is stalemate. 2.Q"),
        ("4k3/4P3/3K4/8/8/8/8/8 b - - 0 1] 1... Kf7 2. Kd7 Kf6 3. e8=Q *", ""),
        ("4k3/4P3/2K5/8/8/8/8/8 w - - 0 1] 1. Kd6 *", ""),
    ],
)
def test_stalemate_is_said(tmp_path: Path, game: str, said: str, tell: str) -> None:
    source, out = tmp_path / "game.pgn", tmp_path / "out.pgn"
    fen, _, text = game.partition("] ")
    source.write_text(f'[SetUp "1"]\n[FEN "{fen}"]\n\n{text}\n', encoding="utf-8")
    annotate([str(source)], output=str(out), db=None, quiet=True, tell=tell, engine="off")
    words = " ".join(out.read_text(encoding="utf-8").split())
    assert ("talemate" in words) == bool(said)
    assert said in words


def test_a_check_that_was_reported_as_the_answer_is_missed(tmp_path: Path) -> None:
    source, out = tmp_path / "game.pgn", tmp_path / "out.pgn"
    fen = "r3r1k1/1p3ppp/1pn1pn2/1B3b2/3PP3/2b5/PP1N2PP/R1B2RK1 w - - 0 15"
    source.write_text(f'[SetUp "1"]\n[FEN "{fen}"]\n\n15. exf5 Bxd2 16. Bxd2 Nxd4 *\n', encoding="utf-8")
    annotate([str(source)], output=str(out), db=None, quiet=True, tell="all", engine="off")
    words = " ".join(out.read_text(encoding="utf-8").split())
    assert "Does not save the pawn on d4: 15...Bxd4+." in words
    assert "Black misses 15...Bxd4+" in words
