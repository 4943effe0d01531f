"""Variants of other rules, and engines that speak the XBoard protocol: real engines, in processes of their own."""

import stat
import sys
from pathlib import Path

import chess
import chess.variant
import pytest

from bot.challenges.acceptance import decline_reason
from bot.moves.engines import Engine
from bot.moves.variants import refusals, without_unplayable
from bot.saved_state import SavedState
from bot.settings import BotSettings, EngineSettings, Variant
from lichess.api import Challenge, DeclineReason, Person
from tests.fake_lichess.http.server import Server
from tests.fake_lichess.players import Habits
from tests.support.playing_bot import challenged, ended, no_violations, playing
from tests.support.polling import until
from trapcore.parallel.budget import Cancellation
from trapline.settings import Settings

UCI = """#!{python}
import sys
import chess
import chess.variant
kind, board = chess.Board, chess.Board()
for line in sys.stdin:
    words = line.split()
    if words == ["uci"]:
        print("id name Fairy\\noption name UCI_Variant type combo default chess {variants}\\nuciok", flush=True)
    elif words == ["isready"]:
        print("readyok", flush=True)
    elif words == ["quit"]:
        break
    elif words[:4] == ["setoption", "name", "UCI_Variant", "value"]:
        kind = chess.variant.find_variant(words[4])
    elif words[:1] == ["position"]:
        moves = words[words.index("moves") + 1 :] if "moves" in words else []
        at = words.index("moves") if "moves" in words else len(words)
        board = kind() if words[1] == "startpos" else kind(" ".join(words[2:at]))
        for move in moves:
            board.push_uci(move)
    elif words[:1] == ["go"]:
        # The moves of a piece from the hand first.
        move = max(board.legal_moves, key=lambda move: move.drop is not None)
        print("info depth 1 score cp 20", flush=True)
        print(f"bestmove {{board.uci(move)}}", flush=True)
"""

XBOARD = """#!{python}
import sys
import chess
board, forced = chess.Board(), False
def think():
    move = next(iter(board.legal_moves))
    print("1 20 1 1 " + move.uci(), flush=True)
    board.push(move)
    print("move " + move.uci(), flush=True)
for line in sys.stdin:
    words = line.split()
    if words[:1] == ["protover"]:
        print('feature ping=1 setboard=1 usermove=1 san=0 sigint=0 sigterm=0 myname="Old" done=1', flush=True)
    elif words[:1] == ["ping"]:
        print("pong " + words[1], flush=True)
    elif words[:1] == ["new"]:
        board, forced = chess.Board(), False
    elif words[:1] == ["setboard"]:
        board = chess.Board(" ".join(words[1:]))
    elif words[:1] == ["force"]:
        forced = True
    elif words[:1] == ["usermove"]:
        board.push_uci(words[1])
        if not forced:
            think()
    elif words[:1] == ["go"]:
        forced = False
        think()
    elif words[:1] == ["quit"]:
        break
"""


def engine_of(folder: Path, name: str, text: str, **values: str) -> str:
    path = folder / name
    path.write_text(text.format(python=sys.executable, **values))
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


@pytest.fixture(scope="module")
def fairy(tmp_path_factory: pytest.TempPathFactory) -> str:
    return engine_of(
        tmp_path_factory.mktemp("fairy"), "fairy", UCI, variants="var chess var crazyhouse var racingkings"
    )


def with_variant(settings: Settings, variant: str, engine: str) -> Settings:
    changes = {"variants": (Variant.STANDARD, Variant(variant)), "variant_engine": EngineSettings(command=engine)}
    mine = settings.bot.model_copy(update=changes)
    return settings.model_copy(update={"bot": without_unplayable(mine)})


@pytest.mark.parametrize("variant", ["crazyhouse", "racingKings"])
def test_a_game_of_other_rules_is_played_by_its_engine_to_the_end(
    server: Server, settings: Settings, fairy: str, variant: str, caplog: pytest.LogCaptureFixture
) -> None:
    with playing(with_variant(settings, variant, fairy), ()):
        game = challenged(server, Habits(resign_at=14), variant=variant, limit=180)
        until(lambda: ended(server, game))
        until(lambda: SavedState(settings.bot.folder).unfinished() == [])
    no_violations(server)
    assert not [record for record in caplog.records if record.exc_info]
    # It waits in no queue: the library keeps no games of other rules.
    assert SavedState(settings.bot.folder).bot.unindexed == []
    assert server.do(lambda site: site.games[game].ply) >= 10
    (path,) = (settings.bot.folder / "games").glob(f"*/{game}.pgn")
    assert f'[Variant "{chess.variant.find_variant(variant).aliases[0]}"]' in path.read_text()


def test_a_variant_without_an_engine_is_declined(fairy: str, caplog: pytest.LogCaptureFixture) -> None:
    asked = {"variants": ["standard", "crazyhouse", "atomic"], "people": {"variants": ["atomic", "horde"]}}
    settings = BotSettings.model_validate({**asked, "variant_engine": fairy})
    usable = without_unplayable(settings)
    assert (usable.variants, usable.people.variants) == ((Variant.STANDARD, Variant.CRAZYHOUSE), ())
    assert [record.getMessage().partition(":")[0] for record in caplog.records] == [
        "challenges to atomic are declined",
        "challenges to horde are declined",
    ]
    assert "does not name it in its option UCI_Variant" in caplog.text
    machine = Person("engine", "Engine", "BOT")
    atomic = Challenge("aaaaaaaa", machine, "atomic", "blitz", True, 180, 2, None)
    assert decline_reason(atomic, usable) is DeclineReason.VARIANT
    without = BotSettings(variants=(Variant.ATOMIC,))
    assert refusals(without) == {Variant.ATOMIC: "no engine is set for it; bot.variant_engine names one"}
    gone = BotSettings.model_validate({"variants": ["atomic"], "variant_engine": "/no/such/engine"})
    assert "cannot be started" in refusals(gone)[Variant.ATOMIC]


def test_a_profile_gives_a_variant_its_engine(fairy: str) -> None:
    profile = {"variants": ["crazyhouse"], "engine": fairy}
    assert not refusals(BotSettings.model_validate({"variants": ["crazyhouse"], "profiles": [profile]}))
    # Of Black's games no engine is left.
    white = {**profile, "color": "white"}
    assert refusals(BotSettings.model_validate({"variants": ["crazyhouse"], "profiles": [white]}))
    other = [{"speeds": ["blitz"], "engine": "slow"}, profile]
    assert not refusals(BotSettings.model_validate({"variants": ["crazyhouse"], "profiles": other}))


def test_an_engine_of_the_xboard_protocol_plays(tmp_path: Path) -> None:
    settings = EngineSettings(command=engine_of(tmp_path, "old", XBOARD), protocol="xboard")
    engine = Engine(settings)
    try:
        board = chess.Board()
        for _ in range(3):
            found = engine.search(board, 3000, Cancellation())
            assert chess.Move.from_uci(found.uci) in board.legal_moves
            board.push_uci(found.uci)
            board.push(next(iter(board.legal_moves)))
    finally:
        engine.close()
    with pytest.raises(ValueError, match="has no limit of nodes"):
        EngineSettings(command="old", protocol="xboard", nodes=5)
