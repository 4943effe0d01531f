"""What the documents name is there: commands, options, modules, files, settings, links; and the examples come out."""

import io
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import chess
import chess.pgn
import pytest
from typer.main import get_command
from typer.testing import CliRunner

from tests.layout.modules import python_files
from trapline.program import app, short_form
from trapline.settings import SECTIONS

ROOT = Path(__file__).parents[2]
GUIDES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "examples/README.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
]
#: CHANGELOG.md names commands that are gone.
DOCUMENTS = [*GUIDES, ROOT / "CHANGELOG.md"]
#: Pages of the site that are made of files of the root folder, see deploy/site_hooks.py.
ROOT_PAGES = ("CONTRIBUTING", "SECURITY", "CHANGELOG")
GENERATED = {ROOT / "docs" / f"{name.lower()}.md": ROOT / f"{name}.md" for name in ROOT_PAGES}
LONGEST_README = 120


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


def code_lines(text: str) -> Iterator[str]:
    """Lines of indented and fenced blocks, without comments, each command of a line by itself."""
    is_fenced = False
    for line in text.replace("\\\n", " ").splitlines():
        if line.lstrip().startswith("```"):
            is_fenced = not is_fenced
        elif is_fenced or line.startswith("    "):
            yield from (part.strip() for part in re.sub(r"\s#\s.*", "", line).split("&&"))


def code_spans(text: str) -> Iterator[str]:
    """Inline code outside of blocks."""
    prose = re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
    for span in re.findall(r"(?<!`)`([^`]+)`(?!`)", prose):
        yield " ".join(span.split())


def commands(path: Path) -> list[str]:
    """The lines and spans that begin with ``trapline``."""
    text = path.read_text("utf-8")
    found = [line for line in (*code_lines(text), *code_spans(text)) if re.match(r"trapline( |$)", line)]
    return sorted(set(found))


def command_named(words: list[str]) -> tuple[Any, list[str]]:
    """The command that the first words name, and the words after its name."""
    command: Any = get_command(app)
    rest = short_form(list(words))
    while hasattr(command, "get_command") and rest:
        if rest[0] in ("--config", "--syzygy") and len(rest) > 2:  # options of the root, which take a value
            del rest[:2]
            continue
        if rest[0].startswith("-"):
            break
        command, name = command.get_command(None, rest[0]), rest.pop(0)
        assert command is not None, f"there is no command {name}"
    return command, rest


def all_options() -> set[str]:
    """The options of all commands."""

    def walk(command: Any) -> Iterator[str]:
        for parameter in command.params:
            yield from (*parameter.opts, *parameter.secondary_opts)
        if hasattr(command, "list_commands"):
            for name in command.list_commands(None):
                yield from walk(command.get_command(None, name))

    return {"--help", *walk(get_command(app))}


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text("utf-8").splitlines()) <= LONGEST_README


@pytest.mark.parametrize("path", [path for path in GUIDES if commands(path)], ids=name_of)
def test_the_commands_that_are_named_exist_with_their_options(path: Path) -> None:
    for line in commands(path):
        command, rest = command_named(shlex.split(line)[1:])
        known = {"--help"}
        for parameter in command.params:
            known |= {*parameter.opts, *parameter.secondary_opts}
        given = {word.partition("=")[0] for word in rest if re.match(r"--?[a-z]", word)}
        assert given <= known, f"{line}: {command.name} has no {given - known}"


@pytest.mark.parametrize("path", GUIDES, ids=name_of)
def test_the_options_modules_targets_and_settings_that_are_named_exist(path: Path) -> None:
    text = path.read_text("utf-8")
    code = [*code_lines(text), *code_spans(text)]
    options = {span.split()[0].partition("=")[0] for span in code_spans(text) if span.startswith("--")}
    assert options <= all_options()
    for line in code:
        for module in re.findall(r"python -m ([a-z_][a-z_.]*)(?= |$)", line):
            assert find_spec(module) is not None, module
        for target in re.findall(r"^make ([a-z-]+)", line):
            assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE), line
        if setting := re.fullmatch(r"(bot|service|web)\.([a-z_]+)", line):
            fields = SECTIONS[setting[1]].model_fields
            assert setting[2] in fields or path.name == "CONTRIBUTING.md", line


@pytest.mark.parametrize(
    "path", [ROOT / "CONTRIBUTING.md", ROOT / "docs" / "development" / "architecture.md"], ids=name_of
)
def test_the_files_that_are_named_exist(path: Path) -> None:
    text = re.sub(r"^### Public data sets.*?(?=^## )", "", path.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
    files = {span for span in code_spans(text) if re.fullmatch(r"[a-z_][\w.-]*/([\w.-]+/)*[\w.-]*", span)}
    named = {file for file in files if "NAME" not in file and not file.startswith("out/")}
    assert len(named) >= 10
    assert {file for file in named if not (ROOT / file).exists()} == set()


@pytest.mark.parametrize(
    "path", [ROOT / "CONTRIBUTING.md", ROOT / "docs" / "development" / "architecture.md"], ids=name_of
)
def test_the_classes_and_constants_that_are_named_exist(path: Path) -> None:
    spans = code_spans(path.read_text("utf-8"))
    names = {span for span in spans if re.fullmatch(r"_?[A-Z][A-Za-z_]+(\.[a-z_]+)?", span)}
    source = "\n".join(file.read_text("utf-8") for file in python_files())
    # Where it is defined: a class, or a value that is assigned.
    defined = {
        name for name in names if re.search(rf"^(class {name.partition('.')[0]}\b|{name}\b.* = )", source, re.MULTILINE)
    }
    assert names - defined <= {"NAME", "CI", "JOBS"}


def slugs(path: Path) -> set[str]:
    """The anchors of a document's headings."""
    text = re.sub(r"^```.*?^```", "", path.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
    titles = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[\s-]+", "-", re.sub(r"[^\w\s-]", "", title.lower())).strip("-") for title in titles}


@pytest.mark.parametrize("path", DOCUMENTS, ids=name_of)
def test_the_links_between_documents_lead_somewhere(path: Path) -> None:
    text = re.sub(r"^```.*?^```", "", path.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if "://" in target:
            continue
        file, _, anchor = target.partition("#")
        linked = (path.parent / file).resolve() if file else path
        linked = GENERATED.get(linked, linked)
        assert linked.exists(), target
        assert not anchor or anchor in slugs(linked), target


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The library that comes with the program, which the README's command uses."""
    path = tmp_path_factory.mktemp("readme") / "my.sqlite"
    trapline("library", "init", "--db", str(path))
    return path


def trapline(*arguments: str) -> str:
    result = CliRunner().invoke(app, list(arguments), catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def moves_of(text: str) -> list[chess.Move]:
    game = chess.pgn.read_game(io.StringIO(text))
    return [] if game is None else list(game.mainline_moves())


def test_the_annotated_game_of_the_readme_is_what_comes_out(library: Path, tmp_path: Path) -> None:
    (excerpt,) = re.findall(r"^```pgn\n(.*?)^```", (ROOT / "README.md").read_text("utf-8"), re.DOTALL | re.MULTILINE)
    games = re.split(r"(?m)^(?=\[Event )", (ROOT / "examples" / "games.pgn").read_text("utf-8"))
    start = moves_of(excerpt)
    (game,) = [game for game in games if moves_of(game)[: len(start)] == start]
    source, out = tmp_path / "game.pgn", tmp_path / "annotated.pgn"
    source.write_text(game, "utf-8")
    trapline("annotate", str(source), "-o", str(out), "--db", str(library), "--quiet")
    lines = "\n".join(line.rstrip() for line in out.read_text("utf-8").splitlines())
    # How many percent a search gives is not of the kind of things that a page of introduction has to keep up with.
    assert re.sub(r"\d+ %", "N %", excerpt.strip()) in re.sub(r"\d+ %", "N %", lines)


def pillsbury() -> str:
    """Pillsbury's game with Légal's mate, of the example games."""
    games = re.split(r"(?m)^(?=\[Event )", (ROOT / "examples" / "games.pgn").read_text("utf-8"))
    return next(game for game in games if "Pillsbury" in game)


@pytest.mark.parametrize("page", ["README.md", "docs/reference/python.md"])
def test_the_program_of_a_page_runs(
    page: str, library: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (library.parent / "game.pgn").write_text(pillsbury(), "utf-8")
    monkeypatch.setenv("TRAPLINE_DB", str(library))
    (program,) = re.findall(r"^```python\n(.*?)^```", (ROOT / page).read_text("utf-8"), re.DOTALL | re.MULTILINE)
    monkeypatch.chdir(library.parent)
    exec(compile(program, page, "exec"), {"__name__": "__main__"})
    printed = capsys.readouterr().out
    assert "Légal's mate" in printed
    assert " g4d1 " in printed


def test_the_example_program_runs(library: Path, tmp_path: Path) -> None:
    program = ROOT / "examples" / "review_games.py"
    (tmp_path / "games.pgn").write_text(pillsbury(), "utf-8")
    line = [sys.executable, str(program), str(tmp_path / "games.pgn"), "Fernandez"]
    env = {**os.environ, "PYTHONPATH": str(ROOT), "TRAPLINE_DB": str(library)}
    done = subprocess.run(line, env=env, capture_output=True, text=True, check=True)
    assert "Pillsbury, Harry Nelson - Fernandez, 7...Bxd1: Falls into Légal's mate" in done.stdout


@pytest.mark.slow
def test_the_site_is_built_without_a_warning_and_asks_no_other_server(tmp_path: Path) -> None:
    line = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path / "site")]
    env = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(line, cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    pages = {path.relative_to(tmp_path / "site"): path.read_text("utf-8") for path in tmp_path.rglob("*.html")}
    assert {Path("index.html"), Path("contributing.html"), Path("reference/python.html")} <= pages.keys()
    loaded = re.compile(r"""<(?:script|link|img|iframe)[^>]*(?:src|href)=["']?(?:https?:)?//[^"' >]*""")
    assert {str(path): found for path, text in pages.items() if (found := loaded.findall(text))} == {}
