"""The soak's own parts: it would be worth nothing if it could not find a broken promise."""

import time
from collections.abc import Callable
from pathlib import Path

import chess
import chess.polyglot
import pytest

from tests.fake_lichess.people import Account
from tests.fake_lichess.record import ChatMessage, Reply
from tests.fake_lichess.site import Site
from tests.fake_lichess.terms import Terms
from tests.fake_lichess.virtual_clock import VirtualClock
from tests.soak import __main__ as soak_program
from tests.soak.baits import BaitLine, agreeing, bundled_lines, write_book
from tests.soak.bot_process import BotProcess
from tests.soak.matches import Match, Matches
from tests.soak.report import PromiseChecker, SoakReport, advice, quantile
from tests.soak.samples import Sample

LEGAL = BaitLine(
    "legals-mate",
    ("e4", "e5", "Nf3", "Nc6", "Bc4", "d6", "Nc3", "Bg4", "Nxe5"),
    "Bxd1",
    ("Bxf7+", "Ke7", "Nd5#"),
)


def moves(sans: str) -> list[chess.Move]:
    board = chess.Board()
    return [board.push_san(san) for san in sans.split()]


def test_a_line_knows_its_victim_its_bait_and_its_killer() -> None:
    assert LEGAL.victim == chess.BLACK
    assert LEGAL.killer().uci() == "c4f7"
    game = moves("e4 e5 Nf3 Nc6 Bc4 d6 Nc3 Bg4 Nxe5 Bxd1 Bxf7+")
    assert LEGAL.bait_taken(game)
    assert LEGAL.follows(game)
    assert not LEGAL.bait_taken(game[:9])
    assert not LEGAL.bait_taken(moves("e4 e5 Nf3 Nc6 Bc4 d6 Nc3 Bg4 Nxe5 dxe5"))


def test_the_bundled_lines_are_legal_and_their_book_follows_them(tmp_path: Path) -> None:
    slugs = ["berlin-trap", "alekhines-defence-7-bxd5", "alekhines-defence-7-kg8", "no-such-trap"]
    lines = agreeing(bundled_lines(slugs), seed=1)
    assert len(lines) == 3
    book = tmp_path / "baits.bin"
    write_book(lines, book)
    with chess.polyglot.open_reader(book) as reader:
        for line in lines:
            board = chess.Board()
            for san in line.moves:
                if board.turn != line.victim:
                    assert reader.find(board).move == board.parse_san(san)
                board.push_san(san)
            board.push_san(line.bait)
            # The killer is the bot's own affair.
            assert reader.get(board) is None


def test_lines_that_disagree_are_not_in_one_book() -> None:
    one = BaitLine("one", ("e4", "e5", "Nf3"), "f6", ("Nxe5",))
    other = BaitLine("other", ("e4", "e5", "Qh5"), "g6", ("Qxe5+",))
    assert len(agreeing([one, other], seed=1)) == 1
    assert len(agreeing([one, one], seed=1)) == 2


@pytest.mark.parametrize(
    ("text", "room", "over", "is_advice"),
    [
        ("Try Nf3 now", "player", False, True),
        ("cxd5 loses", "player", False, True),
        ("O-O was better", "player", False, True),
        ("I am at +1.3", "player", False, True),
        ("beware of e5", "player", False, True),
        ("Try Nf3 now", "spectator", False, False),
        ("Nf3 was the move", "player", True, False),
        ("Hello Human2, have fun! Ask me !help.", "player", False, False),
    ],
)
def test_advice_is_a_move_or_a_value_told_to_the_opponent(text: str, room: str, over: bool, is_advice: bool) -> None:
    assert bool(advice([ChatMessage("game", "TrapBot", room, text, 10, over, True)])) is is_advice


def test_quantiles() -> None:
    assert [quantile(range(100), part) for part in (0.5, 0.95, 0.99, 1.0)] == [50, 95, 99, 99]
    assert quantile([], 0.5) == 0


def report_on(
    tmp_path: Path, spoil: Callable[[Matches, BotProcess], None] = lambda *_: None, code: int = 0
) -> SoakReport:
    """Report on one won game, after ``spoil`` has done something to what was found."""
    site = Site(VirtualClock(0))
    bot = site.join("TrapBot", "BOT")
    matches = Matches(site, bot, [LEGAL], wanted=1, boards=1, think=0.0, seed=1)
    human: Account = site.accounts["human1"]
    made = site.challenge(human, bot, Terms(color="black"))
    game = site.accept(bot, made.id)
    for ply, san in enumerate(LEGAL.whole):
        move = game.board.parse_san(san)
        site.play(game, game.board.turn, move)
        if ply % 2 == 0:
            reply = Reply(game.id, "TrapBot", ply, move.uci(), 0.004, 60000, time.monotonic())
            site.record.replies.append(reply)
    matches.played[game.id] = Match(game, LEGAL)
    matches.finished = 1
    process = BotProcess(tmp_path, "", "", 0, [])
    written = tmp_path / "bot" / "games" / "2026-01"
    written.mkdir(parents=True)
    (written / f"{game.id}.pgn").write_text("1. e4 *\n")
    process.samples += [Sample(float(n), 1, 8, 20, 10, 20, 200.0) for n in range(20)]
    spoil(matches, process)
    health = [{"moves": 500, "overhead_ms": {"median": 1.0, "p99": 9.0, "max": 30.0}}]
    return PromiseChecker(site.record, [], matches, process, health, code, 60.0).report()


def broken(report: SoakReport) -> list[str]:
    return [row.what for row in report.rows if row.passed is False]


def test_a_good_soak_keeps_every_promise(tmp_path: Path) -> None:
    report = report_on(tmp_path)
    assert broken(report) == []
    assert report.passed


def wrong(kind: str) -> Callable[[Matches, BotProcess], None]:
    def spoil(matches: Matches, process: BotProcess) -> None:
        matches.site.record.add_violation(kind, "TrapBot", next(iter(matches.played)), "detail", 0.0)

    return spoil


def slow_killer(matches: Matches, process: BotProcess) -> None:
    replies = matches.site.record.replies
    replies[5] = Reply(replies[5].game, "TrapBot", 10, "c4f7", 0.2, 60000, time.monotonic())


def advises(matches: Matches, process: BotProcess) -> None:
    said = ChatMessage(next(iter(matches.played)), "TrapBot", "player", "play Nxe5", 3, False, True)
    matches.site.record.messages.append(said)


def grows(matches: Matches, process: BotProcess) -> None:
    process.samples[:] = [Sample(float(n), 1, 8, 20 + n, 10 + n, 20 + n, 200.0 + 10 * n) for n in range(20)]


def dies(matches: Matches, process: BotProcess) -> None:
    process.died.append(1)


def loses_a_record(matches: Matches, process: BotProcess) -> None:
    for path in process.folder.rglob("*.pgn"):
        path.unlink()


def leaves_games_open(matches: Matches, process: BotProcess) -> None:
    matches.wanted = 2


@pytest.mark.parametrize(
    ("spoil", "what"),
    [
        (wrong("lost_on_time"), ["lost on time"]),
        (wrong("abandoned"), ["abandoned"]),
        (wrong("illegal_move"), ["illegal moves"]),
        (wrong("repeated_move"), ["repeated moves"]),
        (wrong("out_of_turn"), ["moves out of turn"]),
        (wrong("repeated_message"), ["messages repeated"]),
        (wrong("long_message"), ["messages too long"]),
        (wrong("link"), ["messages with links"]),
        (wrong("stream_opens"), ["event streams refused"]),
        (wrong("unknown_address"), ["unknown addresses"]),
        (wrong("unpublished_request"), ["requests not as published"]),
        (wrong("drawn_win"), ["won games drawn"]),
        (slow_killer, ["killer after the bait, 1 undisturbed, ms: median, p95, most"]),
        (advises, ["advice to the opponent"]),
        (dies, ["ends nobody asked for"]),
        (loses_a_record, ["games on the disk"]),
        (leaves_games_open, ["games finished"]),
        (
            grows,
            [
                "threads: median of the first and the last quarter",
                "sockets: median of the first and the last quarter",
                "open files: median of the first and the last quarter",
                "memory, MiB: median of the first and the last quarter",
            ],
        ),
    ],
)
def test_every_broken_promise_is_found(
    tmp_path: Path, spoil: Callable[[Matches, BotProcess], None], what: list[str]
) -> None:
    report = report_on(tmp_path, spoil)
    assert broken(report) == what
    assert not report.passed


def test_an_end_in_disorder_is_found(tmp_path: Path) -> None:
    assert broken(report_on(tmp_path, code=-9)) == ["exit code at the end"]


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["--faults", "explode"], "no such fault: explode"),
        (["--games", "0"], "--games and --concurrency are 1 or more"),
    ],
)
def test_options_that_make_no_sense_are_refused(
    options: list[str], why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        soak_program.main(options)
    assert ended.value.code == 2
    assert why in capsys.readouterr().err
