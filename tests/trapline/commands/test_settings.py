"""The settings table: sources and their order, unknown names, and the example file."""

import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from pydantic import BaseModel

from bot.settings import EngineSettings, Speed
from trapcore.errors import InputError, UsageError
from trapcore.measures.options import IndexedMeasure
from trapcore.settings import data_folder
from trapline.settings import COMMON, CONFIG_VARIABLE, SECTIONS, Settings, config_file, example

ROOT = Path(__file__).parents[3]


@pytest.fixture(autouse=True)
def _bare_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for variable in list(os.environ):
        if variable.startswith(("TRAPLINE_", "XDG_")):
            monkeypatch.delenv(variable)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))


def write(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, text: str) -> Path:
    path = tmp_path / "mine.toml"
    path.write_text(text, "utf-8")
    monkeypatch.setenv(CONFIG_VARIABLE, str(path))
    return path


def test_arguments_before_environment_before_file_before_default(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    write(monkeypatch, tmp_path, 'jobs = 2\nnodes = 2\nengine_nodes = 2\nmeasure = "structural"\ndb = "~/traps"\n')
    monkeypatch.setenv("TRAPLINE_JOBS", "3")
    monkeypatch.setenv("TRAPLINE_NODES", "3")
    monkeypatch.setenv("TRAPLINE_ENGINE", "")
    settings = Settings(jobs=4)
    assert (settings.jobs, settings.nodes, settings.engine_nodes, settings.min_similarity) == (4, 3, 2, None)
    assert settings.measure is IndexedMeasure.STRUCTURAL
    assert settings.engine == "auto", "an empty variable is none"
    assert settings.db == tmp_path / "home" / "traps"


def test_the_least_similarity_is_that_of_the_measure_unless_it_is_given() -> None:
    assert Settings().least_similarity == 0.5
    assert Settings(measure="sequences").least_similarity == 0.8
    assert Settings(measure="sequences", min_similarity=0.7).least_similarity == 0.7


def test_the_file_in_the_usual_place(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    usual = tmp_path / "home" / ".config" / "trapline" / "trapline.toml"
    assert config_file() == usual
    usual.parent.mkdir(parents=True)
    usual.write_text("jobs = 7\n")
    assert Settings().jobs == 7
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "elsewhere"))
    assert Settings().jobs == os.cpu_count()


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="XDG directories are for other systems")
def test_the_library_lies_where_user_data_does(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    usual = tmp_path / "home" / ".local" / "share" / "trapline" / "library.sqlite"
    assert Settings().db == usual
    monkeypatch.setenv("XDG_DATA_HOME", "relative/is/ignored")
    assert Settings().db == usual
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    assert Settings().db == tmp_path / "data" / "trapline" / "library.sqlite"


@pytest.mark.parametrize(("key", "nearest"), [("min_similarty", "min_similarity"), ("job", "jobs"), ("DB", "db")])
def test_an_unknown_key_names_file_key_and_nearest(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, key: str, nearest: str
) -> None:
    path = write(monkeypatch, tmp_path, f"{key} = 1\n")
    with pytest.raises(UsageError) as caught:
        Settings()
    assert str(caught.value) == f"unknown setting in {path} (line 1): {key!r}: did you mean {nearest!r}?"


def test_an_unknown_variable_names_the_nearest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRAPLINE_ENGINE_NODE", "5")
    with pytest.raises(UsageError, match=r"'TRAPLINE_ENGINE_NODE': did you mean 'TRAPLINE_ENGINE_NODES'\?"):
        Settings()


@pytest.mark.parametrize(
    ("name", "value"),
    [("jobs", "0"), ("nodes", "-1"), ("min_similarity", "1.01"), ("min_similarity", "nan"), ("measure", "sequence"),
     ("engine_nodes", "many")],
)  # fmt: skip
def test_a_value_out_of_range_names_where_it_stands(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str, value: str
) -> None:
    with pytest.raises(UsageError, match=f"^{name} cannot be '{value}': "):
        Settings(**{name: value})
    path = write(monkeypatch, tmp_path, f'{name} = "{value}"\n')
    with pytest.raises(UsageError) as caught:
        Settings()
    assert str(caught.value).startswith(f"{name} in {path} (line 1) cannot be '{value}': ")
    monkeypatch.setenv(f"TRAPLINE_{name.upper()}", value)
    with pytest.raises(UsageError, match=f"^TRAPLINE_{name.upper()} cannot be '{value}': "):
        Settings()


def test_a_file_that_cannot_be_read(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = write(monkeypatch, tmp_path, "jobs = = 3\n")
    with pytest.raises(InputError, match=re.escape(str(path))):
        Settings()
    path.write_bytes(b"# \xff\n")
    with pytest.raises(InputError, match=re.escape(str(path))):
        Settings()
    monkeypatch.setenv(CONFIG_VARIABLE, str(tmp_path / "missing.toml"))
    with pytest.raises(InputError, match=r"missing\.toml, which does not exist"):
        Settings()
    monkeypatch.setenv(CONFIG_VARIABLE, str(tmp_path))
    with pytest.raises(InputError, match="cannot read"):
        Settings()


def test_every_setting_says_what_it_is() -> None:
    kinds: list[type[BaseModel]] = [Settings, *SECTIONS.values()]
    for fields in kinds:
        for name, field in fields.model_fields.items():
            assert field.description, name


def test_the_example_file_has_the_most_used_settings_and_the_command_prints_all() -> None:
    assert (ROOT / "deploy" / "trapline.example.toml").read_text("utf-8") == example()
    assert len(example().splitlines()) < 70
    for command, everything in (["trapline.settings"], False), (["trapline", "settings", "--all"], True):
        printed = subprocess.run([sys.executable, "-m", *command], cwd=ROOT, capture_output=True, text=True, check=True)
        assert printed.stdout == example(everything=everything)


@pytest.mark.parametrize("everything", [False, True])
def test_an_example_file_is_valid_as_it_is_and_without_the_comment_signs(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, everything: bool
) -> None:
    text = example(everything=everything)
    write(monkeypatch, tmp_path, text)
    assert Settings() == Settings.model_construct(**{n: f.get_default(call_default_factory=True, validated_data={})
                                                     for n, f in Settings.model_fields.items()})  # fmt: skip
    lines = [line.removeprefix("# ") for line in text.splitlines() if re.match(r"# \w+ = |\[", line)]
    written = tomllib.loads("\n".join(lines))
    names = {name for name in written if name not in SECTIONS}
    names |= {f"{table}.{name}" for table in SECTIONS for name in written[table]}
    if everything:
        assert {name.partition(".")[0] for name in names} == set(Settings.model_fields)
        for table, kind in SECTIONS.items():
            assert set(written[table]) == kind.model_fields.keys() - {"token"}
    else:
        assert names == set(COMMON)
    write(monkeypatch, tmp_path, "\n".join(lines))
    settings = Settings()
    assert settings.engine == "off"
    assert settings.db == data_folder() / "library.sqlite"


# The table of the bot ---------------------------------------------------------------------------------------------


def test_the_bots_settings_come_from_the_same_sources(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    write(monkeypatch, tmp_path, '[bot]\nmax_games = 2\ngreeting = "hi"\nfolder = "~/bot"\n')
    monkeypatch.setenv("TRAPLINE_BOT_MAX_GAMES", "3")
    monkeypatch.setenv("TRAPLINE_BOT_SPEEDS", '["rapid"]')
    bot = Settings(bot={"url": "http://127.0.0.1:9663/"}).bot
    assert (bot.max_games, bot.greeting, bot.speeds) == (3, "hi", (Speed.RAPID,))
    assert bot.url == "http://127.0.0.1:9663"
    assert bot.folder == tmp_path / "home" / "bot"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[bot]\nmax_gams = 2", "unknown setting in {path} (line 2): 'bot.max_gams': did you mean 'bot.max_games'?"),
        (
            "[bot]\nmax_games = 0",
            "bot.max_games in {path} (line 2) cannot be 0: input should be greater than or equal to 1",
        ),
        (
            '[bot]\nurl = "lichess.org"',
            "bot.url in {path} (line 2) cannot be 'lichess.org': it must be like https://lichess.org",
        ),
        (
            '[bot]\nspeeds = ["blits"]',
            "bot.speeds in {path} (line 2) cannot be 'blits': input should be 'bullet', 'blitz',",
        ),
        ('[bot]\nseek_clocks = ["3"]', "bot.seek_clocks in {path} (line 2) cannot be ['3']: it must be like 3+2"),
        (
            '[service]\nusers = ["a b"]',
            "service.users in {path} (line 2) cannot be ['a b']: names of accounts have 2 to 30 letters",
        ),
        (
            '[service]\nstudies = ["short"]',
            "service.studies in {path} (line 2) cannot be ['short']: ids have 8 letters and digits",
        ),
        (
            '[service]\ntoken = "lip_x"',
            "service.token in {path} (line 2): a token does not belong into a configuration file",
        ),
    ],
)
def test_broken_setting_of_a_table_is_reported_with_file_and_key(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, text: str, message: str
) -> None:
    path = write(monkeypatch, tmp_path, f"{text}\n")
    with pytest.raises(UsageError) as caught:
        Settings()
    assert str(caught.value).startswith(message.format(path=path))


SEVERAL = """\
# Mine.
jobs = 0
measure = "structural"
nods = 5

[bot]
max_games = 2
speeds = [
    "bullet",  # max_games = 7 in a remark
    "blits",
]
greeting = '''
min_rating = 5000
'''
min_rating = 5000
token = "lip_secret"
engine.nodes = 0

[[bot.profiles]]
color = "white"

[[bot.profiles]]
color = "red"
books = []

[service]
"users" = ["a b"]
"""


def test_all_errors_of_a_file_are_told_at_once_each_with_its_line(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = write(monkeypatch, tmp_path, SEVERAL)
    monkeypatch.setenv("TRAPLINE_WEB_PORT", "x")
    with pytest.raises(UsageError) as caught:
        Settings()
    assert [sentence.replace(str(path), "FILE").partition(": ")[0] for sentence in caught.value.sentences] == [
        "10 settings are wrong:",
        "TRAPLINE_WEB_PORT cannot be 'x'",
        "jobs in FILE (line 2) cannot be 0",
        "unknown setting in FILE (line 4)",
        "bot.speeds in FILE (line 8) cannot be 'blits'",
        "bot.min_rating in FILE (line 15) cannot be 5000",
        "bot.token in FILE (line 16)",
        "bot.engine in FILE (line 17) cannot be",
        "bot.engine.nodes in FILE (line 17) cannot be 0",
        "bot.profiles in FILE (line 23) cannot be 'red'",
        "service.users in FILE (line 27) cannot be ['a b']",
    ]
    assert "lip_secret" not in str(caught.value)


def test_a_value_of_several_types_is_one_error_and_an_unknown_name_of_a_profile_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    text = '[bot]\nstrength = "1100"\n\n[[bot.profiles]]\nspeed = ["blitz"]\n\n[bot.people]\nmin_rating = -1\n'
    path = write(monkeypatch, tmp_path, text)
    with pytest.raises(UsageError) as caught:
        Settings()
    *told, last = (sentence.replace(str(path), "FILE") for sentence in caught.value.sentences)
    assert last.startswith("bot.people.min_rating in FILE (line 8) cannot be -1: ")
    assert told == [
        "3 settings are wrong:",
        "bot.strength in FILE (line 2) cannot be '1100': input should be 'full' or 'opponent', or input should be "
        "greater than or equal to 1200",
        "bot.profiles in FILE (line 5) has no 'speed': `trapline settings --all` lists what it may have",
    ]


def test_a_command_prints_each_error_in_a_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    write(monkeypatch, tmp_path, "jobs = 0\nnodes = 0\n")
    done = subprocess.run(
        [sys.executable, "-m", "trapline", "bot"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == UsageError.exit_code
    lines = done.stderr.splitlines()
    assert lines[0] == "trapline: 2 settings are wrong:"
    assert [line.partition(" in ")[0] for line in lines[1:]] == ["trapline: jobs", "trapline: nodes"]


def test_a_token_is_taken_from_the_environment_only_and_shown_nowhere(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("TRAPLINE_BOT_TOKEN", "lip_secret")
    settings = Settings()
    assert settings.bot.token is not None
    assert settings.bot.token.get_secret_value() == "lip_secret"
    shown = f"{settings!r} {settings} {settings.model_dump()} {settings.model_dump_json()} {settings.bot.token}"
    assert "lip_secret" not in shown
    write(monkeypatch, tmp_path, '[bot]\ntoken = "lip_secret"\n')
    with pytest.raises(UsageError, match=r"put it into the variable TRAPLINE_BOT_TOKEN") as caught:
        Settings()
    assert "lip_secret" not in str(caught.value)
    assert "lip_" not in example()


def test_an_engine_is_a_command_or_a_table(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    write(monkeypatch, tmp_path, '[bot]\nengine = "stockfish"\n')
    assert Settings().bot.engine == EngineSettings(command="stockfish")
    monkeypatch.setenv("TRAPLINE_BOT_ENGINE", "/opt/engine")
    assert Settings().bot.engine == EngineSettings(command="/opt/engine")
    monkeypatch.delenv("TRAPLINE_BOT_ENGINE")
    table = 'command = "e"\nnodes = 5\nuci_options = {Hash = 64, "Skill Level" = 3, Ponder = true, Style = "wild"}\n'
    profile = '[[bot.profiles]]\nspeeds = ["bullet"]\nengine = "fast"\nbooks = ["~/b.bin"]\n'
    write(monkeypatch, tmp_path, f"[bot.engine]\n{table}{profile}")
    bot = Settings().bot
    assert bot.engine is not None
    assert bot.engine.uci_options == {"Hash": 64, "Skill Level": 3, "Ponder": True, "Style": "wild"}
    assert bot.profiles[0].engine == EngineSettings(command="fast")
    assert bot.profiles[0].books == (tmp_path / "home" / "b.bin",)
    write(monkeypatch, tmp_path, '[bot.engine]\ncommand = "e"\nnode = 5\n')
    with pytest.raises(UsageError, match=r"bot\.engine"):
        Settings()


# The table of the service -------------------------------------------------------------------------------------------


def test_the_services_settings_come_from_the_same_sources(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    write(monkeypatch, tmp_path, '[service]\nusers = ["thibault", "thibault"]\nfolders = ["~/games"]\n')
    monkeypatch.setenv("TRAPLINE_SERVICE_BACKUPS", "3")
    monkeypatch.setenv("TRAPLINE_SERVICE_STUDIES", '["abcdEFGH"]')
    monkeypatch.setenv("TRAPLINE_SERVICE_TOKEN", "lip_secret")
    service = Settings().service
    assert (service.users, service.backups, service.studies) == (("thibault",), 3, ("abcdEFGH",))
    assert service.folders == (tmp_path / "home" / "games",)
    assert "lip_secret" not in f"{service!r} {service.model_dump_json()}"


@pytest.mark.parametrize(
    ("variable", "value", "says"),
    [
        (
            "TRAPLINE_WEB_HOSTS",
            "traps.example",
            r"TRAPLINE_WEB_HOSTS cannot be 'traps\.example': a list is written",
        ),
        ("TRAPLINE_SERVICE_USERS", "[" * 100_000, "TRAPLINE_SERVICE_USERS cannot be"),
        ("TRAPLINE_DB", "~nobody-has-this-name/x", "there is no home of that user"),
        ("TRAPLINE_SERVICE_FOLDERS", '["~nobody-has-this-name/x"]', "there is no home of that user"),
        (CONFIG_VARIABLE, "~nobody-has-this-name/x", "there is no home of that user"),
    ],
)
def test_a_variable_that_cannot_be_read_is_an_error_of_one_sentence(
    monkeypatch: pytest.MonkeyPatch, variable: str, value: str, says: str
) -> None:
    monkeypatch.setenv(variable, value)
    with pytest.raises(UsageError, match=says) as error:
        Settings()
    assert len(str(error.value)) < 400


@pytest.mark.parametrize(
    "text", ["x = " + "[" * 50_000, "nodes = " + "9" * 5000, "# " + "x" * (1 << 21)], ids=["deep", "number", "long"]
)
def test_a_settings_file_that_asks_for_too_much_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, text: str
) -> None:
    path = write(monkeypatch, tmp_path, text)
    with pytest.raises((InputError, UsageError), match=re.escape(str(path))):
        Settings()


@pytest.mark.parametrize("make", [os.mkfifo, lambda path: path.symlink_to("/dev/zero")], ids=["pipe", "endless"])
def test_settings_come_from_a_regular_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, make: Callable[[Path], None]
) -> None:
    make(tmp_path / "settings")
    monkeypatch.setenv(CONFIG_VARIABLE, str(tmp_path / "settings"))
    with pytest.raises(InputError, match="no regular file"):
        Settings()
