"""What the help says of options that have to be one of a few words: all of them, and the one that is usual."""

from enum import StrEnum

import pytest
import typer

from db.query.query import Sort
from db.traps.terms import Outcome
from trapcore.measures.options import IndexedMeasure, Measure
from trapcore.proof.verdict import Verdict
from trapline.__main__ import app
from trapline.settings import Settings


def option_of(command: str, name: str) -> tuple[str, str]:
    """How an option is written and what is said of it."""
    group = typer.main.get_command(app)
    found = group.get_command(None, command)  # type: ignore[attr-defined]
    (option,) = (parameter for parameter in found.params if parameter.name == name)
    return option.metavar, option.help


@pytest.mark.parametrize(
    ("command", "option", "choices"),
    [
        ("annotate", "measure", IndexedMeasure),
        ("query", "measure", IndexedMeasure),
        ("similarity", "measure", Measure),
        ("query", "sort", Sort),
        ("query", "outcome", Outcome),
        ("query", "verdict", Verdict),
    ],
)
def test_the_help_names_all_choices(command: str, option: str, choices: type[StrEnum]) -> None:
    metavar, _ = option_of(command, option)
    assert set(metavar.split("|")) == set(choices)


def test_the_help_names_the_usual_measure() -> None:
    _, told = option_of("annotate", "measure")
    assert f"{Settings.model_fields['measure'].default} unless changed" in told
