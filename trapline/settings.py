"""Settings of all packages in one table: each package declares its section, here they are put together and read.

Sources, and the first one counts: arguments, the environment (``TRAPLINE_<NAME>``), the TOML file
(``$TRAPLINE_CONFIG``, else ``~/.config/trapline/trapline.toml``), the default. ``trapline settings`` prints the
commented example file ``deploy/trapline.example.toml``, with ``--all`` one of all settings; so does
``python -m trapline.settings``.
"""

import json
import os
import re
import sys
import textwrap
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import get_origin

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    SettingsError,
    TomlConfigSettingsSource,
)

from bot.settings import BotOptions, BotSettings
from trapcore.errors import InputError, UsageError, unknown_name
from trapcore.io.regular_file import open_regular
from trapcore.proof.syzygy import use_syzygy
from trapcore.settings import at_home
from trapline.service.settings import ServiceOptions, ServiceSettings
from trapline.settings_errors import BrokenSettings, Problem, line_of
from trapline.web.settings import WebOptions, WebSettings

PREFIX = "TRAPLINE_"
CONFIG_VARIABLE = "TRAPLINE_CONFIG"
"""Variable that names another TOML file; it is no setting itself."""

SECTIONS: Mapping[str, type[BaseModel]] = {"bot": BotSettings, "service": ServiceSettings, "web": WebSettings}
"""Settings that are tables of their own, with the class of each."""

SECRETS = ("bot.token", "service.token", "web.token")
"""Settings that are in no file and no message."""

COMMON = (
    *("db", "tell", "language", "engine", "syzygy", "jobs"),
    *("bot.token_file", "bot.max_games", "bot.speeds", "bot.modes", "bot.engine", "bot.people", "bot.books"),
    "bot.strength",
    *("bot.greeting", "bot.seek_minutes", "bot.health_port", "bot.log_file"),
    *("service.users", "service.chesscom_users", "service.folders", "service.backups", "service.log_file"),
    *("web.port", "web.public", "web.address"),
)
"""Settings that most people change, for the short example."""

_MOST_BYTES = 1 << 20  # of the TOML file


def config_file() -> Path:
    """Path of the TOML file that settings are read from; it need not exist unless ``$TRAPLINE_CONFIG`` names it.

    Raises `UsageError` where there is no home to look in.
    """
    if named := os.environ.get(CONFIG_VARIABLE):
        return at_home(Path(named))
    return (_absolute("XDG_CONFIG_HOME") or at_home(Path("~/.config"))) / "trapline" / "trapline.toml"


class Settings(BotOptions, ServiceOptions, WebOptions, BaseSettings):
    """All settings, read from their sources when an object is made.

    Raises ``BrokenSettings`` for unknown names and values out of range, with all of them, and ``InputError`` for a
    file that cannot be read.
    """

    model_config = SettingsConfigDict(
        env_prefix=PREFIX,
        env_ignore_empty=True,
        # Only the tables have names inside: TRAPLINE_BOT_MAX_GAMES.
        env_nested_delimiter="_",
        env_nested_max_split=1,
        extra="forbid",
        frozen=True,
    )

    def __init__(self, **arguments: object) -> None:
        """Settings from all sources; ``arguments`` come before the environment and the file."""
        file = _File(config_file())
        problems = [
            *(Problem(str(error)) for _, error in _unknown(arguments, lambda _: "setting")),
            *file.unknown(),
            *file.tokens(),
            *_unknown_variables(),
        ]
        try:
            super().__init__(**arguments)  # type: ignore[arg-type]
        except ValidationError as error:
            problems += _invalid(error, arguments, file)
        except (SettingsError, RecursionError):  # a variable that pydantic reads as JSON
            problems.append(_not_json())
        if problems:
            raise BrokenSettings(problems)

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Arguments, then the environment, then the TOML file."""
        return init_settings, env_settings, TomlConfigSettingsSource(settings_cls, toml_file=config_file())


def read_settings(**arguments: object) -> Settings:
    """Settings from all sources; opens the Syzygy tables that they name. Raises as `Settings`, and `InputError`."""
    settings = Settings(**arguments)
    use_syzygy(settings.syzygy)
    return settings


def example(*, everything: bool = False) -> str:
    """Example TOML file with the most used settings as comments, or with all of them and all that is said of them."""
    fields = _fields() if everything else {name: _fields()[name] for name in COMMON}
    lines = [
        "# Settings of trapline. Copy to ~/.config/trapline/trapline.toml, or anywhere and name it in TRAPLINE_CONFIG.",
        "# A line that stays a comment leaves the default. Options of a command come before the environment, the",
        '# environment before this file. In the environment a list is written as here: ["blitz", "rapid"].',
        *_HEADS[everything],
    ]
    table = ""
    for name, field in fields.items():
        if name.rpartition(".")[0] != table:
            table = name.rpartition(".")[0]
            lines += ["", f"[{table}]"]
        if everything:
            lines.append("")
            about = f"{field.description} Environment: {_variable(name)}."
        else:
            about = re.split(r"(?<=[a-z)]\.) (?=[A-Z])", str(field.description))[0]
        lines += textwrap.wrap(about, 118, initial_indent="# ", subsequent_indent="# ")
        if name not in SECRETS:
            value = field.examples[0] if field.examples else field.default
            lines.append(f"# {name.rpartition('.')[2]} = {_toml(value)}")
    return "\n".join(lines) + "\n"


_HEADS = {
    False: (
        "# These are the settings that most people change. `trapline settings --all` prints all of them. In the",
        "# environment max_games of the table [bot] is TRAPLINE_BOT_MAX_GAMES, and so are the others.",
        "# Made by `trapline settings`; change the table in trapline/settings.py, not this file.",
        "",
    ),
    True: ("# Made by `trapline settings --all`.",),
}


def _toml(value: object) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key} = {_toml(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_toml, value)) + "]"
    # A JSON string, number or truth value is a TOML one.
    return json.dumps(value)


def _absolute(variable: str) -> Path | None:
    # The XDG base directory specification: a relative path in its variables is to be ignored.
    path = Path(os.environ.get(variable, ""))
    return path if path.is_absolute() else None


class _File:
    """The settings file."""

    def __init__(self, path: Path) -> None:
        """Raises `InputError` for a file that cannot be read."""
        self.path, self._text = path, _text_of(path)
        try:
            self.values: Mapping[str, object] = tomllib.loads(self._text)
        except RecursionError:
            raise InputError(f"cannot read the settings in {path}: its values lie too deep in one another") from None
        except ValueError as error:  # also of a number with thousands of digits
            raise InputError(f"cannot read the settings in {path}: {error}") from error

    def line(self, place: Sequence[str | int]) -> int | None:
        """Line where a setting stands."""
        return line_of(self._text, place)

    def at(self, place: Sequence[str | int]) -> str:
        """Words for the place of a setting."""
        line = self.line(place)
        return f"{self.path}" if line is None else f"{self.path} (line {line})"

    def unknown(self) -> Iterator[Problem]:
        """Errors for names that are no settings."""
        for place, error in _unknown(self.values, lambda place: f"setting in {self.at(place)}:"):
            yield Problem(str(error), self.line(place))

    def tokens(self) -> Iterator[Problem]:
        """Errors for tokens, which do not belong into the file."""
        for name in SECTIONS:
            if _contains(self.values, f"{name}.token"):
                yield Problem(
                    f"{name}.token in {self.at((name, 'token'))}: a token does not belong into a configuration file, "
                    f"which gets copied and shown; put it into the variable {_variable(f'{name}.token')} or into a "
                    f"file of its own, named by {name}.token_file",
                    self.line((name, "token")),
                )


def _text_of(path: Path) -> str:
    try:
        if str(path) == os.devnull:
            return ""
        with open_regular(path) as file:
            content = file.read(_MOST_BYTES + 1)
        if len(content) > _MOST_BYTES:
            raise InputError(f"cannot read the settings in {path}: it has more than {_MOST_BYTES >> 20} MiB")
        return content.decode()
    except FileNotFoundError:
        if os.environ.get(CONFIG_VARIABLE):
            raise InputError(f"{CONFIG_VARIABLE} names {path}, which does not exist") from None
        return ""
    except (OSError, ValueError) as error:  # of its letters
        raise InputError(f"cannot read the settings in {path}: {getattr(error, 'strerror', None) or error}") from error


def _fields() -> dict[str, FieldInfo]:
    """Fields of all settings by name, ``nodes`` or ``bot.max_games``, sections last."""
    plain = {name: field for name, field in Settings.model_fields.items() if name not in SECTIONS}
    inside = {
        f"{name}.{key}": field
        for name, section in SECTIONS.items()
        # Those of the section itself first, then those that it inherits.
        for key, field in sorted(section.model_fields.items(), key=lambda each: each[0] not in section.__annotations__)
    }
    return plain | inside


def _variable(name: str) -> str:
    return PREFIX + name.replace(".", "_").upper()


def _unknown(
    values: Mapping[str, object], what: Callable[[tuple[str, ...]], str]
) -> Iterator[tuple[tuple[str, ...], UsageError]]:
    """Names in a table that are no settings, each with its error; ``what`` words what it should be at its place."""
    for key, value in values.items():
        if key not in Settings.model_fields:
            yield (key,), unknown_name(what((key,)), key, Settings.model_fields)
        elif key in SECTIONS and isinstance(value, Mapping):
            known = [f"{key}.{name}" for name in SECTIONS[key].model_fields]
            for inner in value:
                if inner not in SECTIONS[key].model_fields:
                    yield (key, inner), unknown_name(what((key, inner)), f"{key}.{inner}", known)


def _unknown_variables() -> Iterator[Problem]:
    known = [CONFIG_VARIABLE, *map(_variable, _fields())]
    for variable in os.environ:
        # Names of variables are read in any case, as pydantic does.
        if variable.upper().startswith(PREFIX) and variable.upper() not in known:
            yield Problem(str(unknown_name("environment variable", variable, known)))


def _not_json() -> Problem:
    """Error of one sentence for the first variable that has to be JSON and is none."""
    for name, field in _fields().items():
        for variable in os.environ:
            if variable.upper() == _variable(name) and get_origin(field.annotation) in (tuple, dict):
                try:
                    json.loads(os.environ[variable])
                except (ValueError, RecursionError):
                    return Problem(
                        f"{variable} cannot be {os.environ[variable][:100]!r}: a list is written as "
                        f"{_toml(field.examples[0] if field.examples else ['blitz', 'rapid'])} there"
                    )
    return Problem("a variable of the environment that is a list or a table cannot be read as JSON")


def _invalid(error: ValidationError, arguments: Mapping[str, object], file: _File) -> Iterator[Problem]:
    """Errors of one sentence for each problem of a validation; they name the source of the value."""
    unknown = {".".join(place).lower() for place, _ in _unknown(file.values, str)}
    # A value that may be of several types has an error for each.
    found: dict[tuple[str, int | None], list[str]] = {}
    for each in error.errors():
        place = tuple(each["loc"])
        name = ".".join(map(str, place[: 2 if place[0] in SECTIONS else 1]))
        if name.lower() in unknown:
            continue  # it is told with the nearest name
        variables = [variable for variable in os.environ if variable.upper() == _variable(name)]
        source, line = name, None
        if variables and not _contains(arguments, name):
            source = variables[0]
        elif _contains(file.values, name) and not _contains(arguments, name):
            whole = ".".join(map(str, place))
            is_named = each["type"] != "extra_forbidden" and _contains(file.values, whole)
            source, line = f"{whole if is_named else name} in {file.at(place)}", file.line(place)
        if each["type"] == "extra_forbidden":
            found[f"{source} has no {place[-1]!r}: `trapline settings --all` lists what it may have", line] = []
            continue
        problem = each["msg"].removeprefix("Value error, ")
        # A table may hold a secret.
        value = "" if name in SECRETS or isinstance(each["input"], Mapping) else f" {each['input']!r}"
        problems = found.setdefault((f"{source} cannot be{value}", line), [])
        problems.append(f"{problem[0].lower()}{problem[1:]}")
    for (text, line), problems in found.items():
        yield Problem(": ".join([text, *([", or ".join(dict.fromkeys(problems))] if problems else [])]), line)


def _contains(values: object, name: str) -> bool:
    """Whether nested mappings have a value under a name with dots."""
    for part in name.split("."):
        if not isinstance(values, Mapping) or part not in values:
            return False
        values = values[part]
    return True


if __name__ == "__main__":
    sys.stdout.write(example(everything="--all" in sys.argv[1:]))
