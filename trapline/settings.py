"""Settings of all packages in one table: each package declares its section, here they are put together and read.

Sources, and the first one counts: arguments, the environment (``TRAPLINE_<NAME>``), the TOML file
(``$TRAPLINE_CONFIG``, else ``~/.config/trapline/trapline.toml``), the default. ``python -m trapline.settings`` prints
the commented example file ``deploy/trapline.example.toml``.
"""

import json
import os
import sys
import textwrap
import tomllib
from collections.abc import Mapping
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
from trapline.web.settings import WebOptions, WebSettings

PREFIX = "TRAPLINE_"
CONFIG_VARIABLE = "TRAPLINE_CONFIG"
"""Variable that names another TOML file; it is no setting itself."""

SECTIONS: Mapping[str, type[BaseModel]] = {"bot": BotSettings, "service": ServiceSettings, "web": WebSettings}
"""Settings that are tables of their own, with the class of each."""

SECRETS = ("bot.token", "service.token", "web.token")
"""Settings that are in no file and no message."""

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

    Raises ``UsageError`` for an unknown name or a value out of range, ``InputError`` for a file that cannot be read.
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
        path = config_file()
        file_values = _read(path)
        _check_known(arguments, "setting")
        _check_known(file_values, f"setting in {path}:")
        for name in SECTIONS:
            table = file_values.get(name)
            if isinstance(table, Mapping) and "token" in table:
                raise UsageError(
                    f"{name}.token in {path}: a token does not belong into a configuration file, which gets copied and "
                    f"shown; put it into the variable {_variable(f'{name}.token')} or into a file of its own, named by "
                    f"{name}.token_file"
                )
        _check_environment()
        try:
            super().__init__(**arguments)  # type: ignore[arg-type]
        except ValidationError as error:
            raise _usage_error(error, arguments, file_values, path) from error
        except (SettingsError, RecursionError) as error:  # a variable that pydantic reads as JSON
            raise _not_json() from error

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


def example() -> str:
    """Example TOML file with every setting as a comment: description, variable, and default or an example."""
    lines = [
        "# Settings of trapline. Copy to ~/.config/trapline/trapline.toml, or anywhere and name it in TRAPLINE_CONFIG.",
        "# A line that stays a comment leaves the default. Options of a command come before the environment, the",
        '# environment before this file. In the environment a list is written as here: ["blitz", "rapid"].',
        "# Made by `python -m trapline.settings`; change the table there, not this file.",
    ]
    table = ""
    for name, field in _fields().items():
        if name.rpartition(".")[0] != table:
            table = name.rpartition(".")[0]
            lines += ["", f"[{table}]"]
        about = f"{field.description} Environment: {_variable(name)}."
        lines += ["", *textwrap.wrap(about, 118, initial_indent="# ", subsequent_indent="# ")]
        if name not in SECRETS:
            value = field.examples[0] if field.examples else field.default
            lines.append(f"# {name.rpartition('.')[2]} = {_toml(value)}")
    return "\n".join(lines) + "\n"


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


def _read(path: Path) -> Mapping[str, object]:
    try:
        if str(path) == os.devnull:
            return {}
        with open_regular(path) as file:
            content = file.read(_MOST_BYTES + 1)
        if len(content) > _MOST_BYTES:
            raise InputError(f"cannot read the settings in {path}: it has more than {_MOST_BYTES >> 20} MiB")
        return tomllib.loads(content.decode())
    except FileNotFoundError:
        if os.environ.get(CONFIG_VARIABLE):
            raise InputError(f"{CONFIG_VARIABLE} names {path}, which does not exist") from None
        return {}
    except RecursionError:
        raise InputError(f"cannot read the settings in {path}: its values lie too deep in one another") from None
    except (OSError, ValueError) as error:  # of TOML and of its letters, and a number with thousands of digits
        raise InputError(f"cannot read the settings in {path}: {getattr(error, 'strerror', None) or error}") from error


def _fields() -> dict[str, FieldInfo]:
    """Fields of all settings by name, ``nodes`` or ``bot.max_games``, sections last."""
    plain = {name: field for name, field in Settings.model_fields.items() if name not in SECTIONS}
    inside = {
        f"{name}.{key}": field for name, section in SECTIONS.items() for key, field in section.model_fields.items()
    }
    return plain | inside


def _variable(name: str) -> str:
    return PREFIX + name.replace(".", "_").upper()


def _check_known(values: Mapping[str, object], what: str) -> None:
    for key, value in values.items():
        if key not in Settings.model_fields:
            raise unknown_name(what, key, Settings.model_fields)
        if key in SECTIONS and isinstance(value, Mapping):
            for inner in value:
                if inner not in SECTIONS[key].model_fields:
                    known = [f"{key}.{name}" for name in SECTIONS[key].model_fields]
                    raise unknown_name(what, f"{key}.{inner}", known)


def _check_environment() -> None:
    known = [CONFIG_VARIABLE, *map(_variable, _fields())]
    for variable in os.environ:
        # Names of variables are read in any case, as pydantic does.
        if variable.upper().startswith(PREFIX) and variable.upper() not in known:
            raise unknown_name("environment variable", variable, known)


def _not_json() -> UsageError:
    """Error of one sentence for the first variable that has to be JSON and is none."""
    for name, field in _fields().items():
        for variable in os.environ:
            if variable.upper() == _variable(name) and get_origin(field.annotation) in (tuple, dict):
                try:
                    json.loads(os.environ[variable])
                except (ValueError, RecursionError):
                    return UsageError(
                        f"{variable} cannot be {os.environ[variable][:100]!r}: a list is written as "
                        f"{_toml(field.examples[0] if field.examples else ['blitz', 'rapid'])} there"
                    )
    return UsageError("a variable of the environment that is a list or a table cannot be read as JSON")


def _usage_error(
    error: ValidationError, arguments: Mapping[str, object], file_values: Mapping[str, object], path: Path
) -> UsageError:
    """Error of one sentence for the first problem of a validation; it names the source of the value."""
    first = error.errors()[0]
    location = [str(part) for part in first["loc"]]
    name = ".".join(location[: 2 if location[0] in SECTIONS else 1])
    variables = [variable for variable in os.environ if variable.upper() == _variable(name)]
    source = name
    if variables and not _contains(arguments, name):
        source = variables[0]
    elif _contains(file_values, name) and not _contains(arguments, name):
        source = f"{name} in {path}"
    problem = first["msg"].removeprefix("Value error, ")
    value = "" if name in SECRETS else f" {first['input']!r}"
    return UsageError(f"{source} cannot be{value}: {problem[0].lower()}{problem[1:]}")


def _contains(values: object, name: str) -> bool:
    """Whether nested mappings have a value under a name with dots."""
    for part in name.split("."):
        if not isinstance(values, Mapping) or part not in values:
            return False
        values = values[part]
    return True


if __name__ == "__main__":
    sys.stdout.write(example())
