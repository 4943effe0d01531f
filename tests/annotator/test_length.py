"""Each verbosity has a limit of words a game, and what matters most keeps its words."""

import io
import json
import re
from pathlib import Path

import chess.pgn
import pytest

from annotator.comments.style import MOST_WORDS, word_count
from db.wording.languages.grammar import Verbosity
from trapline.commands.annotate import annotate

EXAMPLES = Path(__file__).parents[2] / "examples" / "games.pgn"
GAME = 22
"""A game among the examples in which much happens."""


def game_of(number: int) -> str:
    with EXAMPLES.open(encoding="utf-8") as file:
        for _ in range(number):
            chess.pgn.skip_game(file)
        return str(chess.pgn.read_game(file))


def review(folder: Path, verbosity: Verbosity) -> tuple[dict[int, str], set[int], dict[int, float]]:
    """The words behind each ply, the plies with a sign, and what each reported move costs."""
    source, out, report = folder / "game.pgn", folder / f"{verbosity}.pgn", folder / f"{verbosity}.jsonl"
    source.write_text(game_of(GAME), encoding="utf-8")
    given = {"tell": "all", "engine": "off", "db": None, "quiet": True, "verbosity": verbosity.value}
    annotate([str(source)], output=str(out), report=str(report), **given)  # type: ignore[arg-type]
    game = chess.pgn.read_game(io.StringIO(out.read_text(encoding="utf-8")))
    assert game is not None
    words = {node.ply(): re.sub(r"\[%[^\]]*\]", "", node.comment).strip() for node in game.mainline()}
    lines = [json.loads(line) for line in report.read_text(encoding="utf-8").splitlines()]
    costs = {line["ply"]: line["played_loss"] for line in lines if line["event"] in ("fell", "slip", "missed")}
    return words, {node.ply() for node in game.mainline() if node.nags & {2, 4, 6}}, costs


@pytest.fixture(scope="module")
def reviews(
    tmp_path_factory: pytest.TempPathFactory,
) -> dict[Verbosity, tuple[dict[int, str], set[int], dict[int, float]]]:
    folder = tmp_path_factory.mktemp("length")
    return {verbosity: review(folder, verbosity) for verbosity in Verbosity}


def test_no_game_has_more_words_than_its_verbosity_allows(
    reviews: dict[Verbosity, tuple[dict[int, str], set[int], dict[int, float]]],
) -> None:
    lengths = {each: sum(map(word_count, words.values())) for each, (words, _, _) in reviews.items()}
    for verbosity, length in lengths.items():
        assert 0 < length <= MOST_WORDS[verbosity]
    # There is more to say than the shorter ones say.
    assert lengths[Verbosity.FULL] > MOST_WORDS[Verbosity.NORMAL]


def test_what_costs_most_keeps_its_words_and_everything_its_sign(
    reviews: dict[Verbosity, tuple[dict[int, str], set[int], dict[int, float]]],
) -> None:
    _, signs, costs = reviews[Verbosity.FULL]
    most = max(costs, key=lambda ply: costs[ply] or 0.0)
    for words, others, _ in reviews.values():
        assert words[most]
        assert others == signs
