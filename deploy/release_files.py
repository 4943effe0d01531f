"""Writes beside the files of a release in ``dist/`` what they are made of and their checksums: ``make release``.

``dist/trapline.cdx.json`` lists every library of the container and of the native core, in CycloneDX 1.6, from the two
lock files; ``dist/SHA256SUMS`` is checked by ``sha256sum --check``. No network is needed.
"""

import hashlib
import json
import re
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
DIST = ROOT / "dist"
LOCK = ROOT / "deploy" / "requirements.lock"
CARGO_LOCK = ROOT / "trapcore" / "native" / "Cargo.lock"

_PINNED = re.compile(r"([A-Za-z0-9._-]+)(?:\[[^]]*\])?==(\S+)")


def main() -> None:
    """Write both; without a wheel in ``dist/`` the sums are those of the list alone."""
    DIST.mkdir(exist_ok=True)
    (DIST / "trapline.cdx.json").write_text(json.dumps(materials(), indent=2) + "\n", "utf-8")
    (DIST / "SHA256SUMS").write_text(checksums(DIST), "utf-8")
    print("dist/trapline.cdx.json", "dist/SHA256SUMS", sep="\n")


def materials() -> dict[str, Any]:
    """The list of libraries: name, version, address and, of those of Rust, the checksum."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    components = [*_python(LOCK.read_text("utf-8")), *_rust(tomllib.loads(CARGO_LOCK.read_text("utf-8")))]
    about = {"type": "application", "name": project["name"], "version": project["version"]}
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": about | {"licenses": [{"license": {"id": project["license"]}}]}},
        "components": components,
    }


def checksums(folder: Path) -> str:
    """A line for each file of the folder but the one that has them: SHA-256 and name."""
    files = sorted(path for path in folder.iterdir() if path.is_file() and path.name != "SHA256SUMS")
    return "".join(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files)


def _python(lock: str) -> list[dict[str, Any]]:
    # Of each version there are several files, any of which may be installed: the lock file has the sums of all.
    return [_component("pypi", *_pinned(line)) for line in lock.splitlines() if _PINNED.match(line)]


def _pinned(line: str) -> tuple[str, str]:
    found = _PINNED.match(line)
    assert found is not None
    return found[1].lower(), found[2]


def _rust(lock: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        _component("cargo", package["name"], package["version"])
        | {"hashes": [{"alg": "SHA-256", "content": package["checksum"]}]}
        for package in lock["package"]
        if "checksum" in package
    ]


def _component(kind: str, name: str, version: str) -> dict[str, Any]:
    address = f"pkg:{kind}/{name}@{version}"
    return {"type": "library", "bom-ref": address, "name": name, "version": version, "purl": address}


if __name__ == "__main__":
    main()
