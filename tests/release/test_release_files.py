"""What a release says of itself: locked dependencies with hashes, the list of libraries, the checksums."""

import importlib
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "deploy"))
release_files = importlib.import_module("release_files")
LOCK = release_files.LOCK.read_text("utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


def plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def names(requirements: list[str]) -> set[str]:
    return {plain(re.split(r"[\[<>=~! ]", requirement)[0]) for requirement in requirements}


def test_every_dependency_of_the_container_is_locked_with_its_hashes() -> None:
    entries = re.findall(r"^([^\s#]+)==(\S+) \\\n((?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n)+)", LOCK, re.MULTILINE)
    pinned = [line for line in LOCK.splitlines() if "==" in line]
    assert len(entries) == len(pinned) > 20
    needed = PROJECT["project"]["dependencies"] + PROJECT["project"]["optional-dependencies"]["postgres"]
    assert names(needed + PROJECT["build-system"]["requires"]) <= names([line.split()[0] for line in pinned])


def test_what_builds_the_container_is_what_builds_the_package() -> None:
    lines = (ROOT / "deploy" / "build.in").read_text("utf-8").splitlines()
    assert [line for line in lines if not line.startswith("#")] == PROJECT["build-system"]["requires"]


def test_the_container_installs_nothing_that_is_not_locked() -> None:
    text = (ROOT / "deploy" / "Dockerfile").read_text("utf-8")
    installs = re.findall(r"pip install ([^&\n\\]*)", text)
    assert len(installs) == 2
    assert "--require-hashes" in installs[0]
    assert "deploy/requirements.lock" in installs[0]
    assert {"--no-deps", "--no-build-isolation"} <= set(installs[1].split())


def test_the_list_of_libraries_has_all_of_both_lock_files() -> None:
    found = release_files.materials()
    assert (found["bomFormat"], found["specVersion"]) == ("CycloneDX", "1.6")
    addresses = [each["purl"] for each in found["components"]]
    assert len(set(addresses)) == len(addresses)
    cargo = tomllib.loads(release_files.CARGO_LOCK.read_text("utf-8"))["package"]
    locked = {f"pkg:cargo/{each['name']}@{each['version']}" for each in cargo if "source" in each}
    assert locked <= set(addresses)
    assert len(addresses) - len(locked) == len([line for line in LOCK.splitlines() if "==" in line])


def test_the_checksums_are_those_that_sha256sum_accepts(tmp_path: Path) -> None:
    if shutil.which("sha256sum") is None:
        pytest.skip("sha256sum is not installed")
    (tmp_path / "trapline-0.1.0.tar.gz").write_bytes(b"x" * 1000)
    (tmp_path / "trapline.cdx.json").write_text("{}", "utf-8")
    (tmp_path / "SHA256SUMS").write_text(release_files.checksums(tmp_path), "utf-8")
    check = ["sha256sum", "--check", "--strict", "SHA256SUMS"]
    assert subprocess.run(check, cwd=tmp_path, capture_output=True, check=False).returncode == 0
    (tmp_path / "trapline.cdx.json").write_text("{ }", "utf-8")
    assert subprocess.run(check, cwd=tmp_path, capture_output=True, check=False).returncode == 1
