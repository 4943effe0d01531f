"""``trapline bot``: what it checks and refuses, how it stops, and that the token is shown nowhere."""

import functools
import json
import logging
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

import pytest
from pydantic import SecretStr
from typer.testing import CliRunner

from bot.control.local_socket import NAME, ask
from bot.self_check import check
from bot.settings import BotSettings, Mode, check_coach
from lichess.api import Account, LichessError, Limited, Unauthorized, Unreachable
from lichess.token import is_exposed, read_token
from tests.fake_lichess.http.server import Server
from tests.fake_lichess.players import Habits, Player
from tests.fake_lichess.terms import Terms
from tests.support.bot_games import small_library
from tests.support.polling import PATIENCE_SECONDS, until
from tests.support.uci_engines import REFUTING, engine_of
from trapcore.errors import InputError, OutputError, TraplineError, UsageError
from trapcore.io import logs
from trapline.commands.bot.play import _with_retries
from trapline.program import app as APP
from trapline.settings import CONFIG_VARIABLE, Settings

ROOT = Path(__file__).parents[3]
EXAMPLE = str(ROOT / "examples" / "bot.toml")
SECRET = "lip_verysecret"


@pytest.fixture(autouse=True)
def _bare_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for variable in list(os.environ):
        if variable.startswith(("TRAPLINE_", "XDG_")):
            monkeypatch.delenv(variable)
    # Set once, so that what the command sets is taken back.
    monkeypatch.setenv(CONFIG_VARIABLE, "")
    monkeypatch.setenv("HOME", str(tmp_path))


@pytest.fixture
def server() -> Iterator[Server]:
    with Server(keep_alive=0.3) as running:
        running.bot("TrapBot", SECRET)
        yield running


def configured(folder: Path, text: str = "") -> str:
    path = folder / "mine.toml"
    path.write_text(f'db = "{folder / "library.sqlite"}"\n[bot]\nfolder = "{folder / "bot"}"\n{text}\n')
    return str(path)


def test_without_a_token_the_check_fails_and_looks_at_the_rest() -> None:
    done = CliRunner().invoke(APP, ["--config", str(ROOT / "deploy" / "trapline.example.toml"), "bot", "--check"])
    assert done.exit_code != 0, done.output
    lines = done.stdout.splitlines()
    assert lines[0].startswith("ok         configuration: plays on https://lichess.org")
    assert lines[1].startswith("WRONG      token: there is none, and the bot cannot play without one; put it into ")
    assert any(line.startswith("unchecked  library: ") and "made at the first start" in line for line in lines)
    assert not (Path.home() / ".local").exists(), "a check changes nothing"


@pytest.mark.parametrize("arguments", [("--config", EXAMPLE, "bot"), ("bot", "--config", EXAMPLE)])
def test_the_example_settings_pass_the_check(
    server: Server, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]
) -> None:
    monkeypatch.setenv("TRAPLINE_BOT_TOKEN", SECRET)
    done = CliRunner().invoke(APP, [*arguments, "--check", "--url", server.url])
    assert done.exit_code == 0, done.output
    assert f"ok         configuration: plays on {server.url}, 2 games at a time" in done.stdout
    assert [line for line in done.stdout.splitlines() if line.startswith("unchecked")] == [
        f"unchecked  library: {Path.home() / '.local/share/trapline/library.sqlite'} does not exist yet; "
        "it is made at the first start"
    ]


def test_the_example_settings_are_what_their_remarks_say(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(CONFIG_VARIABLE, EXAMPLE)
    mine = Settings().bot
    assert len(Path(EXAMPLE).read_text("utf-8").splitlines()) < 40
    assert (mine.people.offer_draws, mine.bots.offer_draws) == (False, True)
    assert (mine.people.modes, mine.bots.modes) == ((Mode.CASUAL, Mode.RATED), (Mode.CASUAL,))
    (profile,) = mine.profiles
    assert (profile.opponent, profile.strength, profile.style) == ("people", "opponent", "trickster")


def test_everything_that_is_there_is_told(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small_library(tmp_path / "library.sqlite")
    (tmp_path / "book.bin").write_bytes(bytes(16))
    engine = engine_of(tmp_path, REFUTING)
    token = tmp_path / "token"
    token.write_text(f"{SECRET}\n")
    token.chmod(0o600)
    text = f'engine = "{engine}"\nbooks = ["{tmp_path / "book.bin"}"]\ntoken_file = "{token}"'
    config = configured(tmp_path, text)
    done = CliRunner().invoke(APP, ["--config", config, "bot", "--check", "--url", server.url])
    assert done.exit_code == 0, done.output
    assert SECRET not in done.output
    for output in (
        "token: may play for TrapBot",
        "account: TrapBot is a bot",
        "1 of them proved",
        "book.bin, 1 entries",
    ):
        assert output in done.stdout
    assert "unchecked" not in done.stdout


def test_everything_that_is_wrong_is_told(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRAPLINE_SYZYGY", json.dumps([str(tmp_path)]))
    (tmp_path / "library.sqlite").write_bytes(b"broken")
    (tmp_path / "empty.bin").write_bytes(b"")
    (tmp_path / "damaged.bin").write_bytes(b"words of a book: no entries here")
    token = tmp_path / "token"
    token.write_text(SECRET)
    token.chmod(0o640)
    server.do(lambda site: site.tokens.clear())
    text = (
        f'url = "{server.url}"\nengine = "{tmp_path}/no-engine"\n'
        f'books = ["{tmp_path}/empty.bin", "{tmp_path}/none.bin", "{tmp_path}/damaged.bin"]\n'
        f'token_file = "{token}"'
    )
    done = CliRunner().invoke(APP, ["--config", configured(tmp_path, text), "bot", "--check"])
    assert done.exit_code == 1
    failed = [line.split(None, 1)[1].split(":")[0] for line in done.stdout.splitlines() if line.startswith("WRONG")]
    assert failed == ["token", "token", "library", "engine", "book", "book", "book", "tables"]
    assert SECRET not in done.output


def test_scopes_that_settings_need_are_told(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRAPLINE_BOT_TOKEN", SECRET)
    mine = {"url": server.url, "folder": tmp_path, "studies": ["abcd1234"], "tournaments": ["abcd1234"]}
    wrong = [one.message for one in check(Settings(bot=mine)) if one.outcome == "bad"]
    assert wrong == [
        "it lacks the scope study:write, which bot.studies needs",
        "it lacks the scope tournament:write, which bot.tournaments needs",
    ]


def refusal(*arguments: str) -> TraplineError:
    with pytest.raises(TraplineError) as caught:
        CliRunner().invoke(APP, list(arguments), catch_exceptions=False)
    return caught.value


def test_what_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "TRAPLINE_BOT_TOKEN" in str(refusal("--config", configured(tmp_path), "bot"))
    assert "--check changes nothing" in str(refusal("--config", configured(tmp_path), "bot", "--check", "--upgrade"))
    monkeypatch.setenv("TRAPLINE_BOT_TOKEN", "two words")
    error = refusal("--config", configured(tmp_path), "bot")
    assert "holds no token" in str(error)
    assert "two words" not in str(error)
    assert "which lichess forbids" in str(refusal("--config", configured(tmp_path, "coach = true"), "bot"))
    done = CliRunner().invoke(APP, ["--config", configured(tmp_path, "coach = true"), "bot", "--check"])
    assert (done.exit_code, "WRONG      coach" in done.stdout) == (1, True)


@pytest.mark.parametrize(
    ("url", "forbidden"),
    [
        ("https://lichess.org", True),
        ("https://LICHESS.org", True),
        ("https://www.lichess.org", True),
        ("https://lichess.dev", True),
        ("http://127.0.0.1:9663", False),
        ("https://notlichess.org", False),
    ],
)
def test_coaching_is_for_private_servers(url: str, forbidden: bool) -> None:
    settings = BotSettings(url=url, coach=True)
    if forbidden:
        with pytest.raises(UsageError, match="advice"):
            check_coach(settings)
    else:
        check_coach(settings)
    check_coach(BotSettings(url=url))


def test_the_token_file(tmp_path: Path) -> None:
    path = tmp_path / "token"
    path.write_text(f"  {SECRET}\n")
    path.chmod(0o600)
    settings = BotSettings(token_file=path)
    token = read_token(settings)
    assert token is not None
    assert token.get_secret_value() == SECRET
    path.chmod(0o640)
    assert is_exposed(settings)
    path.chmod(0o600)
    assert not is_exposed(settings)
    given = BotSettings(token=SecretStr("lip_other"), token_file=path)
    assert (read_token(given) or SecretStr("")).get_secret_value() == "lip_other"
    # A file of variables for a container keeps the quotation marks.
    for wrong in ("", f'"{SECRET}"'):
        path.write_text(wrong)
        with pytest.raises(InputError, match="holds no token"):
            read_token(settings)
    path.unlink()
    with pytest.raises(InputError, match="cannot be read"):
        read_token(settings)
    assert read_token(BotSettings()) is None


def test_upgrading_asks_first(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    server.do(lambda site: site.token(site.join("Human"), "lip_human"))
    monkeypatch.setenv("TRAPLINE_BOT_TOKEN", "lip_human")
    arguments = ["--config", configured(tmp_path), "bot", "--upgrade", "--url", server.url]
    no = CliRunner().invoke(APP, arguments, input="n\n")
    assert "This cannot be undone" in no.stdout
    assert server.do(lambda site: site.account("Human").is_bot) is False
    yes = CliRunner().invoke(APP, arguments, input="y\n")
    assert yes.exit_code == 0
    assert server.do(lambda site: site.account("Human").is_bot) is True
    assert "is a bot account already" in CliRunner().invoke(APP, arguments).stdout


def test_the_log_is_json_without_the_token_and_begins_anew_at_midnight(tmp_path: Path) -> None:
    before = logging.getLogger().handlers
    end = logs.set_up(tmp_path / "logs" / "bot.log", as_json=True, token=SecretStr(SECRET))
    try:
        log = logging.getLogger("bot.test")
        log.info("the token is %s", SECRET)
        try:
            raise RuntimeError(f"it is {SECRET}")
        except RuntimeError:
            log.exception("oops")
    finally:
        end()
        logging.getLogger().handlers = before
    text = (tmp_path / "logs" / "bot.log").read_text()
    assert SECRET not in text
    first, second = (json.loads(line) for line in text.splitlines())
    assert (first["level"], first["room"], first["message"]) == ("info", "bot.test", "the token is ***")
    assert "RuntimeError: it is ***" in second["error"]
    with pytest.raises(OutputError, match="this is a directory"):
        logs.set_up(tmp_path, as_json=False, token=None)


@pytest.mark.fault
def test_sigterm_hands_a_game_over_sighup_reads_settings_and_nothing_shows_the_token(
    server: Server, tmp_path: Path
) -> None:
    env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "TRAPLINE_BOT_TOKEN": SECRET, "PYTHONPATH": str(ROOT)}
    small_library(tmp_path / "library.sqlite")
    config = configured(tmp_path, "move_seconds = 0.05")
    command = [sys.executable, "-m", "trapline", "--config", config, "bot", "--url", server.url]
    with subprocess.Popen(command, env=env, stderr=subprocess.PIPE, text=True) as process:
        try:

            def challenge(site: object) -> str:
                player = Player(server.site, server.site.join("Slow"), Habits(think=(0.2, 0.2), resign_at=14), 1)
                return str(player.challenge(server.site.account("TrapBot"), Terms(color="black")).id)

            game = server.do(challenge)
            begun = functools.partial(server.do, lambda site: game in site.games and site.games[game].ply >= 3)
            until(lambda: process.poll() is not None or begun())
            assert process.poll() is None, process.stderr.read() if process.stderr else ""
            process.send_signal(signal.SIGHUP)
            shown = ask(tmp_path / "bot", {"command": "status"})
            assert [one["id"] for one in shown["games"]] == [game]
            process.send_signal(signal.SIGTERM)
            _, output = process.communicate(timeout=PATIENCE_SECONDS)
        finally:
            process.kill()
    assert process.returncode == 0
    assert SECRET not in output
    assert "TrapBot has stopped" in output
    assert "the settings were read again; nothing has changed" in output
    assert not (tmp_path / "bot" / NAME).exists()
    # The game was short enough to be played to its end.
    assert server.do(lambda site: site.games[game].over)
    assert server.do(lambda site: list(site.record.violations)) == []


def test_a_limit_at_the_start_is_told_while_it_is_waited_for(caplog: pytest.LogCaptureFixture) -> None:
    answers: Iterator[Account | LichessError]
    answers = iter([Limited("lichess answered 429", 0.0, ""), Unreachable("gone"), Account("me", "Me", True, 0)])

    def ask() -> Account:
        answer = next(answers)
        if isinstance(answer, LichessError):
            raise answer
        return answer

    assert _with_retries(ask, lambda: True).id == "me"
    assert caplog.records[0].getMessage() == "lichess answered 429; again in 0 s"
    assert len(caplog.records) == 2


@pytest.mark.parametrize("is_good", [True, False])
def test_a_refused_token_at_the_start_is_believed_if_a_test_says_the_same(
    monkeypatch: pytest.MonkeyPatch, is_good: bool
) -> None:
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    answers: Iterator[Account | LichessError]
    answers = iter([Unauthorized("lichess answered 401", 401), Account("me", "Me", True, 0)])

    def ask() -> Account:
        answer = next(answers)
        if isinstance(answer, LichessError):
            raise answer
        return answer

    with nullcontext() if is_good else pytest.raises(Unauthorized):
        assert _with_retries(ask, lambda: is_good).id == "me"
