"""Games of python-chess keep all that they have, and get what the command writes."""

import io
from pathlib import Path

import chess
import chess.pgn
import pytest

import trapline
from tests.support.command_line import run_program
from tests.support.trap_games import FELL, QUIET, game

MARKED = """[Event "Club"]
[White "Müller, Zoë"]
[Black "Boris"]
[Result "1-0"]

{ Played on a Sunday. } 1. e4 e5 2. Nf3 ( 2. f4 exf4 ( 2... d5 $1 { better } ) 3. Nf3 ) 2... d6 3. Bc4 Bg4
{ [%clk 0:04:59] Too early. } 4. Nc3 g6 $6 5. Nxe5 { [%cal Gf3e5] } 5... Bxd1 { I saw only the queen. }
( { He looked at } 5... dxe5 6. Qxg4 ) 6. Bxf7+ Ke7 7. Nd5# 1-0
"""


def read(text: str) -> chess.pgn.Game:
    found = chess.pgn.read_game(io.StringIO(text))
    assert found is not None
    return found


def parts(game: chess.pgn.Game) -> dict[str, tuple[str, str, set[int]]]:
    """The comments and signs of each node of a game and its variations, by the moves that lead to it."""
    found = {}
    waiting: list[chess.pgn.GameNode] = [game]
    while waiting:
        node = waiting.pop()
        waiting += node.variations
        moves = " ".join(move.uci() for move in node.board().move_stack)
        found[moves] = node.starting_comment, node.comment, set(node.nags)
    return found


def test_annotate_keeps_comments_signs_clocks_and_variations() -> None:
    marked, annotated = read(MARKED), read(MARKED)
    assert trapline.annotate(annotated) is annotated
    assert annotated.headers == marked.headers
    before, after = parts(marked), parts(annotated)
    assert before.keys() < after.keys()
    for moves, (starting, comment, nags) in before.items():
        assert after[moves][0] == starting
        assert after[moves][1].startswith(comment)
        assert nags <= after[moves][2]
    lost = next(node for node in annotated.mainline() if node.san() == "Bxd1")
    assert lost.comment.startswith("I saw only the queen. ")
    assert "bait" in lost.comment or "Légal" in lost.comment
    assert chess.pgn.NAG_BLUNDER in lost.nags
    assert [arrow.pgn() for arrow in lost.arrows()] == ["Rd1", "Gc4f7"]
    for node in annotated.mainline():
        assert node.parent is not None
        assert all(variation.parent is node.parent for variation in node.parent.variations)
        assert node.game() is annotated


def test_annotate_replaces_its_own_comments_of_another_language() -> None:
    annotated = trapline.annotate(read(game(FELL)))
    comment = next(node.comment for node in annotated.mainline() if node.san() == "Nxe5")
    trapline.annotate(annotated, language="de")
    replaced = next(node.comment for node in annotated.mainline() if node.san() == "Nxe5")
    shapes = comment.partition("]")[0]
    assert replaced.startswith(shapes)
    assert "Sets" in comment
    assert "Sets" not in replaced


def test_annotate_tells_its_own_words_from_an_authors_in_one_comment() -> None:
    def comment(annotated: chess.pgn.Game) -> str:
        return next(node.comment for node in annotated.mainline() if node.san() == "Bxd1")

    english = trapline.annotate(read(MARKED))
    german = trapline.annotate(read(MARKED), language="de")
    assert comment(english).startswith("I saw only the queen. ")
    assert comment(english) != comment(german)
    assert comment(trapline.annotate(read(str(english)), language="de")) == comment(german)


def test_text_is_annotated_as_by_the_command(bundled: Path, tmp_path: Path) -> None:
    text = MARKED + "\n" + game(QUIET) + game(FELL)
    (tmp_path / "games.pgn").write_text(text, "utf-8")
    variables = {"TRAPLINE_CONFIG": "/dev/null", "TRAPLINE_DB": str(bundled)}
    done = run_program(("annotate", "games.pgn", "--quiet"), tmp_path, variables)
    assert trapline.annotate(text) == trapline.annotate(tmp_path / "games.pgn") == done.stdout


def test_mistakes_leave_the_game_as_it_is_and_point_into_it() -> None:
    found = read(MARKED)
    before = str(found)
    (mistake,) = trapline.mistakes(found)
    assert str(found) == before
    assert mistake.node in list(found.mainline())
    assert mistake.node.move == mistake.move == chess.Move.from_uci("g4d1")
    board = mistake.node.board()
    for move in mistake.line:
        board.push(move)
    assert board.is_checkmate()
    assert (mistake.killer, mistake.mate_in) == (chess.Move.from_uci("c4f7"), 2)
    assert mistake.best == chess.Move.from_uci("d6e5")
    assert mistake.cost is not None
    assert 0.15 <= mistake.cost <= 1
    assert mistake.trap is not None
    assert mistake.trap.slug == "legals-mate-philidor-with-4-g6"
    assert "Légal's mate" in mistake.sentence


@pytest.mark.parametrize(
    ("use", "error", "why"),
    [
        (lambda: trapline.mistakes("no game"), trapline.InputError, "no game"),
        (lambda: trapline.mistakes("missing.pgn"), trapline.InputError, "missing.pgn"),
        (lambda: trapline.annotate(read('[Variant "Atomic"]\n\n1. e4 *')), trapline.InputError, "variant"),
        (lambda: trapline.mistakes(game(FELL), side="red"), trapline.UsageError, "red"),
        (lambda: trapline.mistakes(game(FELL), verbosity="loud"), trapline.UsageError, "loud"),
        (lambda: trapline.mistakes(3), trapline.UsageError, "3"),  # type: ignore[arg-type]
        (lambda: trapline.annotate(chess.Board()), trapline.UsageError, "from_board"),  # type: ignore[call-overload]
        (lambda: trapline.check(chess.Board(), "Bxd1"), trapline.InputError, "Bxd1"),
        (lambda: trapline.check(chess.Board(), "e4 e5"), trapline.InputError, "one move"),
        (lambda: trapline.check("nothing", "e4"), trapline.PositionError, "FEN"),
        (lambda: trapline.check(chess.Board(), "e4", nodes=0), trapline.UsageError, "nodes"),
        (lambda: trapline.similarity(chess.Board(), chess.Board(), "sequence"), trapline.UsageError, "sequences"),
    ],
)
def test_an_error_says_what_is_wrong(use: object, error: type[Exception], why: str) -> None:
    with pytest.raises(error, match=why):
        use()  # type: ignore[operator]
