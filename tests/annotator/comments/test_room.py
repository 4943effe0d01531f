"""Sentences of a game are written once, and where words run short the reason of a move is the last to go."""

import io
import json
import re
from pathlib import Path

import chess.pgn
import pytest

from annotator.comments.encoding import encode_for
from annotator.comments.telling import Said
from db.wording.evidence import Evidence
from db.wording.languages.english import ENGLISH
from db.wording.sentences import Narrator
from tests.annotator.test_length import GAME, game_of
from trapcore.win_chance import MISTAKE
from trapline.commands.annotate import annotate


def test_a_sentence_of_an_earlier_move_has_its_short_form() -> None:
    said = Said()
    assert said.once(3, lambda: "Black misses 18...c5, which attacks the knight on d4 (71 % → 44 %).") == (
        "Black misses 18...c5, which attacks the knight on d4 (71 % → 44 %)."
    )
    longer = "Black misses 20...c5, which attacks the knight on d4 (70 % → 50 %). 20...Qe7 is better."
    short = "Black misses 20...c5 again."
    assert said.once(7, lambda: longer, ("e5", lambda: "Still allows 21.e5."), ("c5", lambda: short)) == short
    assert said.once(9, lambda: longer) == "20...Qe7 is better."


def test_a_move_without_words_repeats_none() -> None:
    said = Said()
    for ply in (3, 5):
        assert said.once(ply, str, ("", lambda: "Still allows 21.e5.")) == ""


def test_a_short_comment_keeps_the_reason_and_leaves_out_the_better_move() -> None:
    said = Evidence(
        fen="rn1qkb1r/pp3ppp/4pnb1/3p4/3P2P1/2N1BN1P/PPP1BP2/R2QK2R b KQkq - 0 9", half_move=19, bait="g6c2",
        killer_line=("d1c2",), before=0.1, after=-0.6, best="f8b4", best_line=("Bb4", "Ne5", "Nc6"),
    )  # fmt: skip
    full, short = (Narrator(ENGLISH, beside_move=True, short=short).fell(said) for short in (False, True))
    assert full.startswith(short)
    assert short.startswith("Loses a bishop for a pawn: 10.Qxc2")
    assert " 9...Bb4 " in full
    assert "Bb4" not in short


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_an_arrow_is_the_same_in_every_encoding(encoding: str) -> None:
    assert encode_for(encoding, "Bird’s é (55 % → 24 %)").endswith(b"(55 % -> 24 %)")


def test_a_long_game_keeps_the_reasons_of_its_dearest_moves(tmp_path: Path) -> None:
    source, out, report = (tmp_path / name for name in ("game.pgn", "out.pgn", "report.jsonl"))
    source.write_text(game_of(GAME), encoding="utf-8")
    annotate([str(source)], output=str(out), report=str(report), db=None, quiet=True, tell="all", engine="off")
    game = chess.pgn.read_game(io.StringIO(out.read_text(encoding="utf-8")))
    assert game is not None
    words = {node.ply(): re.sub(r"\[%[^\]]*\]", "", node.comment).strip() for node in game.mainline()}
    lines = [json.loads(line) for line in report.read_text(encoding="utf-8").splitlines()]
    costs = {line["ply"]: line["played_loss"] or 0.0 for line in lines if line["event"] in ("fell", "slip", "missed")}
    dear = [ply for ply, cost in costs.items() if cost >= MISTAKE]
    assert len(dear) > 1
    assert all(words[ply] for ply in dear)
    cheap = [ply for ply, cost in costs.items() if cost < MISTAKE]
    assert not all(words[ply] for ply in cheap)
