"""Nothing of the input is lost or changed, whatever it looks like; and a second run changes nothing at all."""

import io
import re
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path

import chess.pgn
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotator.annotation import Annotator
from annotator.comments.commentary import Commentator
from annotator.comments.style import Style
from annotator.counts import Counts
from annotator.known_traps import KnownTraps
from annotator.request import AnalysisRequest
from annotator.selection import Selection
from annotator.settings import Tell
from annotator.worker import Workers, analyzed
from db.formats.bundled import bundled_traps
from db.traps.trap import Trap
from tests.support.public_data import DATA, needs
from tests.support.trap_games import (
    AVOIDED,
    BUDAPEST_FELL,
    ELEPHANT_FELL,
    FELL,
    MISSED,
    QUIET,
    RESEMBLES,
    RESIGNED,
    REVERSED,
    TRAPS,
    game,
    make_library,
)
from trapcore.errors import UsageError
from trapcore.parallel.pools import threads
from trapline.commands.annotate import annotate

REQUEST = AnalysisRequest(tell=Tell.SIMILAR, measure="sequences", min_similarity=0.8, nodes=200_000)
JUDGE = REQUEST.analyzer(KnownTraps(TRAPS))
TALKATIVE = replace(REQUEST, min_similarity=0.3, unproved=True, nodes=200)
TALKATIVE_JUDGE = TALKATIVE.analyzer(KnownTraps(TRAPS))
GAMES = (FELL, AVOIDED, MISSED, RESIGNED, BUDAPEST_FELL, REVERSED, ELEPHANT_FELL, RESEMBLES, QUIET)
HOSTILE = DATA / "hostile"
WITHOUT_GAMES = {"python-chess-fuzz-epd", "python-chess-fuzz-fen"}
"""Folders of positions alone."""


def rewritten(
    data: bytes, batch_bytes: int = 1 << 20, *, unproved: bool = False, traps: Sequence[Trap] = TRAPS
) -> tuple[bytes, Counts]:
    """What the annotator makes of these bytes; ``unproved`` tells all that resembles a trap in the least."""
    if traps is not TRAPS:
        judge = replace(TALKATIVE, min_similarity=0.5, tell=Tell.SIMILAR).analyzer(KnownTraps(traps))
    else:
        judge = TALKATIVE_JUDGE if unproved else JUDGE
    annotator = Annotator(traps, "sequences", Selection(), unproved=unproved, reporting=False, verifier=None)
    counts, commentator = Counts(), Commentator.of(Style())
    with threads(1, "judge") as pool:
        out = [
            annotator.annotate(batch, found, "test", counts, commentator).text
            for batch, found in analyzed([data], Workers(judge.judge, pool), batch_bytes=batch_bytes)
            if found is not None
        ]
    return b"".join(out), counts


def is_contained(inner: bytes, outer: bytes) -> bool:
    """Whether ``inner`` is ``outer`` with something left out."""
    rest = iter(outer)
    return all(byte in rest for byte in inner)


def games_of(data: bytes) -> Iterator[chess.pgn.Game]:
    text = io.StringIO(data.decode("utf-8-sig", "surrogateescape"))
    while (found := chess.pgn.read_game(text)) is not None:
        yield found


def check_kept(before: bytes, after: bytes) -> None:
    """All that python-chess reads in ``before`` is in ``after`` as well."""
    assert is_contained(before, after)
    old_games, new_games = list(games_of(before)), list(games_of(after))
    assert len(old_games) == len(new_games)
    for old, new in zip(old_games, new_games, strict=True):
        assert old.errors == new.errors == []
        check_game(old, new)


def check_game(old: chess.pgn.Game, new: chess.pgn.Game) -> None:
    assert old.headers == new.headers
    assert [node.move for node in old.mainline()] == [node.move for node in new.mainline()]
    check_node(old, new)


def check_node(old: chess.pgn.GameNode, new: chess.pgn.GameNode) -> None:
    assert is_contained(old.comment.encode("utf-8", "surrogateescape"), new.comment.encode("utf-8", "surrogateescape"))
    assert old.nags <= new.nags
    for attribute in ("eval", "clock"):
        assert getattr(old, attribute)() == getattr(new, attribute)()
    candidates = iter(new.variations)  # in order, for two variations may begin with the same move
    for child in old.variations:
        check_node(child, next(other for other in candidates if other.move == child.move))


words = st.sampled_from(
    ["good", "0.35", "[%clk 0:09:58]", "[%eval -1.2]", "Légal", "(or 7.Nd5)", "1-0", "5...", "$3", "%"]
)
comments = st.lists(words, max_size=4).map(lambda found: "{" + " ".join(found) + "}")
additions = st.lists(st.one_of(comments, st.sampled_from(["$1", "$14", "$4", "!?", "\n% hidden { (\n"])), max_size=2)


@st.composite
def files(draw: st.DrawFn) -> bytes:
    """Some games, each laid out and filled up in its own way."""
    out = b"\xef\xbb\xbf" if draw(st.booleans()) else b""
    for moves in draw(st.lists(st.sampled_from(GAMES), min_size=1, max_size=3)):
        newline, space = draw(st.sampled_from(["\n", "\r\n"])), draw(st.sampled_from([" ", "\n", "  ", "\t"]))
        numbers = draw(st.booleans())
        tokens = []
        for token in moves.split():
            if token[0].isdigit() and token.endswith("."):
                tokens += [token] if numbers else []
                continue
            tokens.append(token)
            if not token[0].isdigit() and token != "*" and draw(st.integers(0, 4)) == 0:
                tokens += draw(additions)
            if token == "Nxe5" and draw(st.booleans()):
                tokens.append("( 5. h3 {a bishop} ( 5. d3 ) 5... Bh5 )")
        # A blank line would end the game for python-chess.
        text = re.sub(r"\s*\n\s*", "\n", space.join(tokens)) + "\n"
        if draw(st.booleans()):
            text = text.replace(" Bxd1 ", " Bxd1 ; a comment to the end of the line {\n", 1)
        encoding = "utf-8" if out.startswith(b"\xef") else draw(st.sampled_from(["utf-8", "latin-1"]))
        tagged = game(text, black=draw(st.sampled_from(["Boris", "Légal, Sire de"])))
        out += tagged.replace("\n", newline).encode(encoding)
    return out if draw(st.booleans()) else out.rstrip()


@settings(max_examples=30, deadline=None)
@given(files(), st.booleans())
def test_nothing_is_lost_and_nothing_said_twice(before: bytes, unproved: bool) -> None:
    after, counts = rewritten(before, unproved=unproved)
    assert counts.skipped == {}
    check_kept(before, after)
    again, second = rewritten(after, unproved=unproved)
    assert again == after
    assert second.events == counts.events
    assert second.annotated == 0
    assert (counts.with_traps == 0) == (after == before)


@settings(max_examples=20, deadline=None)
@given(files(), st.integers(40, 2000))
def test_batches_do_not_show_in_the_result(before: bytes, batch_bytes: int) -> None:
    assert rewritten(before, batch_bytes)[0] == rewritten(before)[0]


@settings(max_examples=200, deadline=None)
@given(
    st.binary(max_size=300)
    | st.lists(st.sampled_from(["[Event", '"]', "{", "}", "(", ")", ";", "\n", "1. e4", "%"])).map(
        lambda parts: " ".join(parts).encode()
    )
)
def test_garbage_passes_byte_for_byte(data: bytes) -> None:
    assert rewritten(data)[0] == data


def test_line_ends_and_columns_of_a_wrapped_game() -> None:
    before = game(AVOIDED.replace(" 4. Nc3", "\n4. Nc3")).replace("\n", "\r\n").encode()
    after, _ = rewritten(before)
    assert after.count(b"\n") == after.count(b"\r\n")
    assert b"\r\n\r\n" not in after.rstrip().split(b"\r\n\r\n", 1)[1]  # a blank line would end the game
    assert max(len(line) for line in after.split(b"\r\n")) <= 80
    assert re.search(rb"\r\n\{ Sets Legal's Mate: [^{}]* \}\r\n5\.\.\. dxe5", after)
    wrapped, _ = rewritten(game(FELL.replace(" 4. Nc3", "\n4. Nc3")).replace("\n", "\r\n").encode())
    assert re.search(rb"\r\n\( 5\.\.\. dxe5 [^()]* \)\r\n6\. Bxf7\+", wrapped)
    check_kept(before, after)


@pytest.mark.parametrize(
    ("encoding", "name"), [("ascii", b"Legal's"), ("latin-1", b"L\xe9gal's"), ("utf-8", b"L\xc3\xa9gal's")]
)
def test_words_are_written_in_the_encoding_of_the_game(encoding: str, name: bytes) -> None:
    black = "Boris" if encoding == "ascii" else "Müller"
    after, _ = rewritten(game(FELL, black=black).encode(encoding))
    assert b"Sets " + name + b" Mate" in after
    after.decode(encoding)


def test_a_line_comment_is_not_written_into() -> None:
    before = game(FELL.replace("Nxe5 ", "Nxe5 ; to the end {\n"))
    after, _ = rewritten(before.encode())
    assert b"; to the end {\n{ [%csl Rd1]" in after
    check_kept(before.encode(), after)


def test_percent_lines_stay_lines_of_their_own() -> None:
    before = game(FELL.replace("Nxe5 ", "Nxe5\n% escaped {\n").replace("Bxd1 ", "Bxd1 % ")).encode()
    after, _ = rewritten(before)
    assert b"\n% escaped {\n" in after
    assert b"\n% 6." not in after
    assert is_contained(before, after)
    assert b"Takes the bait" in after


@pytest.mark.usefixtures("by_sequences")
@needs(HOSTILE)
def test_hostile_files_run_clean(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    library = make_library(tmp_path / "library.sqlite")
    folders = [HOSTILE, *(path for path in HOSTILE.rglob("*") if path.is_dir())]
    seen = 0
    for number, folder in enumerate(folders):
        files_here = sorted(path for path in folder.iterdir() if path.is_file())
        out = tmp_path / str(number)
        # It is an error if no file has a game; the outputs are written all the same.
        expected: AbstractContextManager[pytest.ExceptionInfo[UsageError] | None] = nullcontext()
        if folder.name in WITHOUT_GAMES:
            expected = pytest.raises(UsageError, match="there is no game in this file")
        if files_here:
            with expected as raised:
                annotate([str(path) for path in files_here], output=f"{out}/", db=str(library), quiet=True)
            assert raised is None or raised.value.exit_code == 2
            assert "there is no game" not in capsys.readouterr().err
        for path in files_here:
            data, after = path.read_bytes(), (out / path.name).read_bytes()
            assert is_contained(data, after), path
            told, counts = rewritten(data)
            assert told == after, path
            if counts.annotated == 0:
                assert after == data, path
            seen += 1
    assert seen > 40


@pytest.mark.slow
@needs(DATA / "pgn")
@pytest.mark.parametrize(
    "name",
    [
        "annotated_classics_scoutfish.pgn",
        "amateur_chesscom_cancer0707.pgn",
        "amateur_lichess_2021_10_kdave.pgn",
        "lichess_broadcast_club_luna.pgn",
    ],
)
def test_real_files_keep_everything(name: str) -> None:
    """Real layouts with real oddities: told with the many bundled traps, so that much is inserted."""
    traps = [*TRAPS, *bundled_traps()]
    whole = (DATA / "pgn" / name).read_bytes()
    # The first games: what is said of each is searched for, which takes its time.
    starts = [found.start() for found in re.finditer(rb"^\[Event ", whole, re.MULTILINE)]
    before = whole[: starts[6]]
    after, counts = rewritten(before, unproved=True, traps=traps)
    assert counts.annotated > 2
    again, second = rewritten(after, unproved=True, traps=traps)
    assert again == after
    assert second.annotated == 0
    kept = 0
    for old, new in zip(games_of(before), games_of(after), strict=True):
        kept += not old.errors
        if not old.errors:
            assert new.errors == []
            check_game(old, new)
    assert kept > 3
