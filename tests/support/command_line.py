"""The commands as tests call them: in this process, with what they print and the errors that they end with."""

import json
from dataclasses import dataclass
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from trapcore.errors import TraplineError


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
