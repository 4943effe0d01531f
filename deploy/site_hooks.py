"""Pages of the site that are made while it is built: those of the root folder, and the Python reference."""

import ast
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[1]
ROOT_PAGES = {"CONTRIBUTING.md": "contributing.md", "SECURITY.md": "security.md", "CHANGELOG.md": "changelog.md"}
PYTHON = "reference/python.md"
"""The page that the docstrings of the interface follow."""


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    """Add the pages that are no files of the folder ``docs``."""
    for name, page in ROOT_PAGES.items():
        # These files link to docs/PAGE, as they are read in the repository.
        text = (ROOT / name).read_text("utf-8").replace("](docs/", "](")
        files.append(File.generated(config, page, content=text))
    return files


def on_page_markdown(markdown: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
    """The page, with the docstring of each name of ``trapline`` below the page on Python."""
    return f"{markdown}\n\n{reference()}" if page.file.src_uri == PYTHON else markdown


def reference() -> str:
    """The docstring of each public name, in the order in which ``trapline`` lists them."""
    source = ast.parse((ROOT / "trapline" / "__init__.py").read_text("utf-8"))
    (table,) = (
        statement.value
        for statement in source.body
        if isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == "_NAMES"
    )
    names: dict[str, str] = ast.literal_eval(table)
    return "\n\n".join(f"::: {module}.{name}" for module, some in names.items() for name in some.split())
