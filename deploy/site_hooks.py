"""Pages of the site that are made while it is built: those of the root folder, and the reference of each package."""

import ast
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[1]
ROOT_PAGES = {"CONTRIBUTING.md": "contributing.md", "SECURITY.md": "security.md", "CHANGELOG.md": "changelog.md"}
PACKAGES = ("trapcore", "db", "annotator")
"""Packages with a declared interface, which their ``__init__.pyi`` imports."""


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    """Add the pages that are no files of the folder ``docs``."""
    for name, page in ROOT_PAGES.items():
        # These files link to docs/PAGE, as they are read in the repository.
        text = (ROOT / name).read_text("utf-8").replace("](docs/", "](")
        files.append(File.generated(config, page, content=text))
    for package in PACKAGES:
        files.append(File.generated(config, f"reference/{package}.md", content=reference(package)))
    return files


def reference(package: str) -> str:
    """Page with the docstring of each name of a package's declared interface, in alphabetical order."""
    stub = ast.parse((ROOT / package / "__init__.pyi").read_text("utf-8"))
    imports = [statement for statement in stub.body if isinstance(statement, ast.ImportFrom)]
    modules = {alias.name: statement.module for statement in imports for alias in statement.names}
    entries = "\n\n".join(f"::: {modules[name]}.{name}" for name in sorted(modules, key=str.lower))
    return f"# {package}\n\n`from {package} import NAME`: the names that programs may rely on.\n\n{entries}\n"
