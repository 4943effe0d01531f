"""The commands as tests call them: in this process, with what they print and the errors that they end with."""

import io
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from trapcore.errors import TraplineError
from trapline.program import main


@dataclass(frozen=True)
class CommandLine:
    """The commands of an application."""

    app: typer.Typer

    def run(self, *arguments: str) -> str:
        """Standard output of a command that succeeds and says nothing on standard error."""
        result = CliRunner().invoke(self.app, list(arguments), catch_exceptions=False)
        assert (result.exit_code, result.stderr) == (0, "")
        return result.stdout

    def answer(self, *arguments: str) -> dict[str, Any]:
        """The one JSON object that a command prints."""
        found = json.loads(self.run(*arguments, "--json"))
        assert isinstance(found, dict)
        return found

    def refusal(self, *arguments: str) -> TraplineError:
        """The error that a command ends with."""
        with pytest.raises(TraplineError) as caught:
            CliRunner().invoke(self.app, list(arguments), catch_exceptions=False)
        return caught.value


def product_variables() -> list[str]:
    """Names of the variables that the product reads, without the one that all tests share (`tests/conftest.py`)."""
    return [name for name in os.environ if name.startswith(("TRAPLINE_", "XDG_")) and name != "TRAPLINE_ENGINE"]


def run_program(
    arguments: tuple[str, ...], folder: Path, variables: Mapping[str, str], given: str = ""
) -> subprocess.CompletedProcess[str]:
    """``trapline`` from its entry point, as another process would run it, but in this one, which saves its imports.

    It works in ``folder``, with ``given`` on standard input, and sees these variables and none of the project's others.
    """
    streams = [io.TextIOWrapper(io.BytesIO(text.encode()), "utf-8") for text in (given, "", "")]
    with pytest.MonkeyPatch.context() as patch:
        for name in product_variables():
            patch.delenv(name)
        for name, value in variables.items():
            patch.setenv(name, value)
        patch.chdir(folder)
        patch.setattr(sys, "argv", ["trapline", *arguments])
        for name, stream in zip(("stdin", "stdout", "stderr"), streams, strict=True):
            patch.setattr(sys, name, stream)
        code = main()
    printed = []
    for stream in streams[1:]:
        stream.flush()
        stream.seek(0)
        printed.append(stream.read())
    assert isinstance(code, int)
    return subprocess.CompletedProcess(arguments, code, *printed)
