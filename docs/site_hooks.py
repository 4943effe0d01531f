"""Pages of the site that are made while it is built: those of the root folder, and the reference of each package."""

import ast
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[1]
ROOT_PAGES = {"CONTRIBUTING.md": "contributing.md", "SECURITY.md": "security.md", "CHANGELOG.md": "changelog.md"}
PACKAGES: tuple[str, ...] = ()
"""Packages with a declared interface: the names in ``__all__``."""


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
    """Page with the docstring of each name in the ``__all__`` of a package; raises ``ValueError`` if it has none."""
    names = interface(ROOT / package / "__init__.py")
    entries = "\n\n".join(f"::: {package}.{name}" for name in names)
    return f"# {package}\n\n`from {package} import …`: the names that programs may rely on.\n\n{entries}\n"


def interface(path: Path) -> list[str]:
    """Names in the ``__all__`` of a module, in its order; raises ``ValueError`` if it declares none."""
    for statement in ast.parse(path.read_text("utf-8")).body:
        targets = statement.targets if isinstance(statement, ast.Assign) else []
        if [target.id for target in targets if isinstance(target, ast.Name)] == ["__all__"]:
            names: list[str] = ast.literal_eval(statement.value)
            return names
    raise ValueError(f"{path} declares no interface: it has no __all__")
