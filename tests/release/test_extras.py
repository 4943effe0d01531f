"""Extras of the package: what needs one says which, and nothing else does."""

import subprocess
import sys

import pytest

from tests.layout.modules import PRODUCT, ROOT
from trapcore.errors import UsageError
from trapcore.parallel.dask_cluster import cluster

#: Libraries that come with an extra only.
LIBRARIES = (
    "dask",
    "distributed",
    "fastapi",
    "fsrs",
    "genanki",
    "multipart",
    "prometheus_client",
    "psycopg",
    "python_multipart",
    "starlette",
    "uvicorn",
)


def run_without(libraries: tuple[str, ...], code: str) -> subprocess.CompletedProcess[str]:
    """Run Python code in a process in which these libraries cannot be imported."""
    head = f"import sys\nsys.modules.update(dict.fromkeys({libraries!r}))\n"
    return subprocess.run(
        [sys.executable, "-c", head + code], cwd=ROOT, capture_output=True, text=True, check=False, timeout=120
    )


@pytest.mark.parametrize(
    ("arguments", "missing", "brings"),
    [
        (["practise"], "fsrs", "practice"),
        (["serve"], "fastapi", "web"),
    ],
    ids=lambda value: " ".join(value[:2]) if isinstance(value, list) else None,
)
def test_a_command_whose_library_is_missing_names_the_extra(arguments: list[str], missing: str, brings: str) -> None:
    code = f"from trapline.__main__ import main\nsys.argv = ['trapline', *{arguments!r}]\nmain()\n"
    done = run_without((missing,), code)
    assert done.returncode == 2, done.stderr
    assert done.stderr.startswith(f"trapline: {missing} is missing; `pip install 'trapline[{brings}]'` brings")


def test_a_cluster_without_its_library_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with (
        pytest.raises(UsageError, match=r"^distributed is missing; `pip install 'trapline\[cluster\]'` brings"),
        cluster("tcp://127.0.0.1:1"),
    ):
        pass


def test_only_the_pages_need_an_extra() -> None:
    names = sorted(
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        for root in PRODUCT
        for path in (ROOT / root).rglob("*.py")
        if path.name != "__main__.py" and "web" not in path.parts
    )
    code = (
        "from importlib import import_module\n"
        f"for name in {names!r}:\n"
        "    try:\n"
        "        import_module(name)\n"
        "    except ModuleNotFoundError:\n"
        "        print(name)\n"
    )
    done = run_without(LIBRARIES, code)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == []
