"""What is told of real games is true on the board, plain, and told once."""

import io
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import chess
import chess.pgn
import pytest

from annotator.annotation import Annotator
from annotator.comments.commentary import Commentator
from annotator.comments.style import Style
from annotator.counts import Counts
from annotator.known_traps import KnownTraps
from annotator.request import AnalysisRequest
from annotator.selection import Selection
from annotator.settings import AnalysisSettings
from db.library.open import open_library
from db.wording.languages.available import Language
from db.wording.languages.grammar import Verbosity
from tests.support.public_data import DATA, needs
from tests.support.trap_games import make_library
from trapcore import _native
from trapcore.piece_values import POINTS

FILES = ("amateur_lichess_2021_10_kdave.pgn", "amateur_chesscom_cancer0707.pgn")
GAMES = 10
"""Of each file."""
GAMES_AGAIN = 1
"""Of each file, for what judges them four times."""

JARGON = re.compile(r"puzzle|similarity|abstracted|trapline|search-|mate-\d|library|probability|nodes|bait costs", re.I)
MOVE = re.compile(
    r"(?:(?P<number>\d+)(?P<dots>\.\.\.|\.))?(?<![\w-])(?P<san>O-O(?:-O)?[+#]?|[KQRBN][a-h]?[1-8]?x?[a-h][1-8][+#]?|"
    r"[a-h]x[a-h][1-8](?:=[QRBN])?[+#]?|(?<!on )(?<!eaves )(?<!covers )(?<!from )[a-h][1-8](?:=[QRBN])?[+#]?)"
)
LOST = re.compile(r"[Ll]oses (?P<lost>[a-z ]+?)(?: for (?P<gained>[a-z ]+?))?(?:: | after )")
NUMBERS = {"the": 1, "a": 1, "two": 2, "three": 3, "four": 4}
KINDS = {name: kind for kind, name in enumerate(chess.PIECE_NAMES) if name is not None}

pytestmark = [needs(DATA / "pgn" / FILES[0]), needs(DATA / "pgn" / FILES[1])]


@cache
def judged(
    folder: str, count: int = GAMES
) -> tuple[list[tuple[_native.Batch, _native.BatchFindings]], KnownTraps, str]:
    """The batches of the first games with their findings."""
    texts = []
    for name in FILES:
        games = re.split(rb"(?m)^(?=\[Event )", (DATA / "pgn" / name).read_bytes())
        texts.append(b"".join(games[1 : count + 1]))
    request = AnalysisRequest.from_settings(AnalysisSettings(engine="off"))
    with open_library(make_library(Path(folder) / "library.sqlite")) as library:
        known = KnownTraps.of(library, request.measure)
    analyzer = request.analyzer(known)
    splitter = _native.PgnSplitter(1 << 14)
    batches = [*splitter.feed(b"\n".join(texts)), *splitter.finish()]
    return [(batch, analyzer.judge(batch)) for batch in batches], known, request.measure


def annotated(folder: str, style: Style, count: int = GAMES) -> str:
    found, known, measure = judged(folder, count)
    annotator = Annotator(known.traps, measure, Selection(), unproved=False, reporting=False, verifier=None)
    commentator, counts = Commentator.of(style), Counts()
    return b"".join(annotator.annotate(batch, each, "x", counts, commentator).text for batch, each in found).decode()


def games_of(text: str) -> Iterator[chess.pgn.Game]:
    stream = io.StringIO(text)
    while (found := chess.pgn.read_game(stream)) is not None:
        assert found.errors == []
        yield found


def comment_of(node: chess.pgn.GameNode) -> str:
    return " ".join(re.sub(r"\[%[^\]]*\]", " ", node.comment).split())


def comments(text: str) -> Iterator[tuple[chess.pgn.Game, chess.pgn.ChildNode, str]]:
    for game in games_of(text):
        for node in game.mainline():
            if said := comment_of(node):
                yield game, node, said


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(tmp_path_factory.mktemp("real"))


def test_no_number_measure_or_prover_is_told(folder: str) -> None:
    for style in (Style(), Style(verbosity=Verbosity.FULL), Style(verbosity=Verbosity.BRIEF)):
        found = [said for *_, said in comments(annotated(folder, style))]
        assert len(found) > 10
        assert [said for said in found if JARGON.search(said)] == []


def test_no_sentence_is_told_twice_in_a_row(folder: str) -> None:
    for game in games_of(annotated(folder, Style())):
        last: list[str] = []
        for node in game.mainline():
            sentences = re.split(r"(?<=[a-z%)#+\d]\.) (?=[A-Z\d])", comment_of(node)) if node.comment else []
            sentences = [re.sub(r" \(\d+ % .*\)", "", sentence) for sentence in sentences]
            sentences = [sentence for sentence in sentences if sentence]
            assert len(set(sentences)) == len(sentences)
            assert not set(sentences) & set(last)
            last = sentences


def test_the_answer_that_was_just_told_is_not_told_as_the_better_move(folder: str) -> None:
    better = re.compile(
        r"(\d+\.(?:\.\.)?\S+) (?:keeps the|guards|prevents|blocks|takes|stops|is (?:winning|better|the better|mate))"
    )
    told_answers = 0
    for game in games_of(annotated(folder, Style())):
        last = ""
        for node in game.mainline():
            said = comment_of(node)
            answer = re.search(r": (\d+\.(?:\.\.)?[^\s.]+)", last)
            told_answers += answer is not None
            found = better.search(said)
            assert answer is None or found is None or answer[1] != found[1], (last, said)
            last = said
    assert told_answers > 5


def replayed(game: chess.pgn.Game, said: str) -> Iterator[tuple[re.Match[str], chess.Board]]:
    """Each move in a comment with the position after it; raises ``ValueError`` for one that is not legal there."""
    starts = {half_move(node.board()): node.board() for node in [game, *game.mainline()]}
    board = chess.Board()
    for token in MOVE.finditer(said):
        if token["number"]:
            ply = 2 * int(token["number"]) + (token["dots"] == "...")
            # What answers a move that was told of stands behind that one, and what it threatens behind a pass; else a
            # line begins in the game.
            threatening = board.copy(stack=False)
            threatening.push(chess.Move.null())
            if half_move(threatening) == ply and is_legal(threatening, token["san"]):
                board = threatening
            elif half_move(board) != ply or not is_legal(board, token["san"]):
                board = starts[ply].copy(stack=False)
        board.push_san(token["san"])
        yield token, board.copy(stack=False)


def is_legal(board: chess.Board, san: str) -> bool:
    return any(board.san(move) == san for move in board.legal_moves)


def half_move(board: chess.Board) -> int:
    return 2 * board.fullmove_number + (board.turn == chess.BLACK)


def test_every_move_that_is_told_is_legal_there(folder: str) -> None:
    checked = 0
    for verbosity in (Verbosity.NORMAL, Verbosity.FULL):
        for game, _, said in comments(annotated(folder, Style(verbosity=verbosity))):
            checked += len(list(replayed(game, said)))
    assert checked > 200


def test_what_is_told_to_be_lost_is_gone_on_the_board(folder: str) -> None:
    checked = 0
    for game, node, said in comments(annotated(folder, Style())):
        claim = LOST.search(said)
        if claim is None or claim["lost"] == "material" or " exchange" in claim["lost"]:
            continue
        before = node.parent.board() if claim.start() == 0 else None
        if before is None or re.search("forks|skewers|checks?|uncovers|traps|takes|draws|pins", said):
            continue
        sentence = said[: said.index(". ")] if ". " in said else said
        *_, (_, after) = replayed(game, sentence)
        takes_back = node.parent.move is not None and node.parent.move.to_square == node.move.to_square
        start = node.board() if takes_back else before  # who takes back wins nothing by it
        lost = count(start, before.turn) - count(after, before.turn)
        gained = count(start, not before.turn) - count(after, not before.turn)
        told_lost, told_gained = words_to_points(claim["lost"]), words_to_points(claim["gained"] or "")
        told_points, shown_points = told_lost - told_gained, points(lost) - points(gained)
        # A line that shows why a piece is not retaken may win more than the piece.
        assert shown_points == told_points or shown_points > told_points >= POINTS[chess.KNIGHT], said
        checked += 1
    assert checked, "most losses are told by their cause"


def number_of(node: chess.pgn.ChildNode) -> str:
    board = node.parent.board()
    return f"{board.fullmove_number}{'.' if board.turn else '...'}{board.san(node.move)}"


def count(board: chess.Board, side: chess.Color) -> Counter[chess.PieceType]:
    return Counter({kind: len(board.pieces(kind, side)) for kind in chess.PIECE_TYPES})


def points(pieces: Counter[chess.PieceType]) -> int:
    return sum(POINTS[kind] * number for kind, number in pieces.items())


def words_to_points(words: str) -> int:
    """``a rook and two pawns`` is 7."""
    found = re.findall(r"(the|a|two|three|four) (\w+?)s?\b", words)
    return sum(NUMBERS[number] * POINTS[KINDS[name]] for number, name in found)


def test_closing_comment_has_the_glyph_of_the_move(folder: str) -> None:
    signs = {"??": chess.pgn.NAG_BLUNDER, "?": chess.pgn.NAG_MISTAKE, "?!": chess.pgn.NAG_DUBIOUS_MOVE}
    checked = 0
    for game, _, said in comments(annotated(folder, Style(closing=True))):
        named = re.search(r"(?:turning point|costliest move) is (\d+\.(?:\.\.)?[^?! ]+?)([?!]*)[ ,.]", said)
        if named is not None and named[2]:
            (node,) = [each for each in game.mainline() if number_of(each).rstrip("+#") == named[1].rstrip("+#")]
            assert signs[named[2]] in node.nags, said
            checked += 1
    assert checked > 5


def test_annotating_again_in_any_style_gives_what_annotating_once_does(folder: str) -> None:
    once = annotated(folder, Style(), GAMES_AGAIN)
    for style in (
        Style(verbosity=Verbosity.FULL, language=Language.DE, evidence=True),
        Style(verbosity=Verbosity.BRIEF),
    ):
        texts = [said for *_, said in comments(again(annotated(folder, style, GAMES_AGAIN), Style(), folder))]
        assert texts == [said for *_, said in comments(once)]
    assert again(once, Style(), folder) == once


def again(text: str, style: Style, folder: str) -> str:
    """The annotated games annotated once more, by a run of their own."""
    request = AnalysisRequest.from_settings(AnalysisSettings(engine="off"))
    _, known, measure = judged(folder, GAMES_AGAIN)
    analyzer = request.analyzer(known)
    splitter = _native.PgnSplitter(1 << 14)
    annotator = Annotator(known.traps, measure, Selection(), unproved=False, reporting=False, verifier=None)
    commentator, counts = Commentator.of(style), Counts()
    batches = [*splitter.feed(text.encode()), *splitter.finish()]
    return b"".join(
        annotator.annotate(batch, analyzer.judge(batch), "x", counts, commentator).text for batch in batches
    ).decode()
