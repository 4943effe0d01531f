"""What the help says of options that have to be one of a few words: all of them, and the one that is usual."""

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from enum import StrEnum
from typing import Any

import pytest
import typer

from db.query.query import Sort
from db.traps.terms import Outcome
from trapcore.measures.options import IndexedMeasure, Measure
from trapcore.proof.verdict import Verdict
from trapline.examples import EXAMPLES
from trapline.program import COMMANDS, app
from workshop.commands import EXAMPLES as OF_THE_WORKSHOP


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
        ("similarity", "measure", Measure),
        ("query", "sort", Sort),
        ("query", "outcome", Outcome),
        ("query", "verdict", Verdict),
    ],
)
def test_the_help_names_all_choices(command: str, option: str, choices: type[StrEnum]) -> None:
    metavar, _ = option_of(command, option)
    assert set(metavar.split("|")) == set(choices)


def leaves() -> Iterator[tuple[str, Any, Any]]:
    """Every command that does something: its name, the command, the context of the group that it is in."""
    root: Any = typer.main.get_command(app)
    waiting = [(root, root.make_context("trapline", ["annotate"], resilient_parsing=True))]
    while waiting:
        group, context = waiting.pop()
        for name in group.list_commands(context):
            command = group.get_command(context, name)
            if hasattr(command, "list_commands"):
                if command.invoke_without_command:
                    yield " ".join([*context.command_path.split()[1:], name]), command, context
                waiting.append((command, type(context)(command, info_name=name, parent=context)))
            else:
                yield " ".join([*context.command_path.split()[1:], name]), command, context


def test_every_command_has_an_example_that_it_can_read() -> None:
    found = {name: (command, context) for name, command, context in leaves()}
    examples = {**EXAMPLES, **OF_THE_WORKSHOP}
    assert found.keys() == examples.keys()
    for name, (command, context) in found.items():
        assert command.epilog == f"Example: trapline {name} {examples[name]}".rstrip()
        words = shlex.split(examples[name])
        with command.make_context(name.split()[-1], list(words), parent=context) as parsed:
            assert parsed.args == [], name
        given = {word for word in words if word.startswith("-")}
        known = {word for parameter in command.params for word in (*parameter.opts, *parameter.secondary_opts)}
        assert given <= known, name


PANELS = ("Commands", "Library", "Bot and service", "Measures and proofs", "Workshop")
PLAYERS = ["annotate", "index", "report", "practise", "group", "repertoire", "prepare", "serve", "query"]


def test_the_help_shows_a_players_commands_first_and_the_others_in_panels() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "trapline", "--help"],
        env=os.environ | {"COLUMNS": "100"},
        capture_output=True,
        text=True,
        check=True,
    )
    lines = [line.strip("│╭╰─╮╯ :") for line in done.stdout.splitlines()]
    places = [lines.index(panel) for panel in PANELS]
    assert places == sorted(places)
    words = [line.split()[0] for line in lines if line and line.split()[0] in COMMANDS]
    assert words == list(COMMANDS)
    first = [line.split()[0] for line in lines[places[0] + 1 : places[1]] if line and line.split()[0] in COMMANDS]
    assert first == PLAYERS


def test_one_line_says_what_db_is_and_only_the_root_offers_completion() -> None:
    found = [command for name, command, _ in leaves() if not name.startswith("research")]
    told = {option.help for command in found for option in command.params if option.name == "db"}
    assert len(told) == 1
    assert len(told.pop()) < 60
    root: Any = typer.main.get_command(app)
    assert {"--install-completion", "--show-completion"} <= {option for each in root.params for option in each.opts}
    inner = [root.get_command(None, name) for name in ("library", "jobs", "service")]
    assert not [each for group in inner for each in group.params if "completion" in each.name]


def test_a_help_text_is_made_of_short_sentences() -> None:
    long = []
    for name, command, _ in leaves():
        if name.startswith("research"):
            continue
        texts = [command.help, *(parameter.help or "" for parameter in command.params if hasattr(parameter, "help"))]
        sentences = [sentence for text in texts for sentence in re.split(r"[.:;]\s|\n\n", text)]
        long += [(name, sentence) for sentence in sentences if len(sentence.split()) > 25]
    assert long == []
