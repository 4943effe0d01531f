"""The units are as strict as they are said to be, and the programs run where only their state can be written."""

import ctypes
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.support.command_line import product_variables
from tests.support.web_server import LEGAL, make_library

ROOT = Path(__file__).parents[2]
UNITS = ("trapline-bot.service", "trapline-service.service")

MOST_EXPOSED = 15
"""Highest level of exposure, in tenths; the network and a shared root are what they need."""

STRICT = {
    "NoNewPrivileges=yes",
    "ProtectSystem=strict",
    "ProtectHome=yes",
    "PrivateTmp=yes",
    "PrivateDevices=yes",
    "PrivateMounts=yes",
    "PrivateUsers=yes",
    "MemoryDenyWriteExecute=yes",
    "RestrictNamespaces=yes",
    "SystemCallFilter=@system-service",
    "CapabilityBoundingSet=",
}


@pytest.mark.parametrize("unit", UNITS)
def test_a_unit_has_the_directives(unit: str) -> None:
    lines = (ROOT / "deploy" / unit).read_text("utf-8").splitlines()
    assert set(lines) >= STRICT


@pytest.mark.parametrize("unit", UNITS)
def test_systemd_finds_a_unit_closed(unit: str) -> None:
    if shutil.which("systemd-analyze") is None:
        pytest.skip("systemd-analyze is not installed")
    asked = [
        "systemd-analyze",
        "security",
        "--offline=true",
        f"--threshold={MOST_EXPOSED}",
        str(ROOT / "deploy" / unit),
    ]
    done = subprocess.run(asked, capture_output=True, text=True, check=False)
    if "unrecognized option" in done.stderr:
        pytest.skip("this systemd-analyze cannot look at a unit that is not installed")
    assert done.returncode == 0, re.findall("Overall.*", done.stdout)


def closed_in(folder: Path) -> dict[str, object]:
    """How to start a program that may write below ``folder`` only: no capabilities, no new ones, no memory that is
    written and then run, as the units have it, in a working folder and a home that it can only read."""
    home = folder / "home"
    for path in (home, home / ".config", home / ".cache", home / ".local"):
        path.mkdir()
    for path in (home / ".config", home / ".cache", home / ".local", home):
        path.chmod(0o555)
    (folder / "state" / "tmp").mkdir(parents=True)
    kept = {name: value for name, value in os.environ.items() if name not in product_variables()}
    own = {
        "HOME": str(home),
        "PYTHONPATH": str(ROOT),
        "PYTHONDONTWRITEBYTECODE": "1",
        "TMPDIR": str(folder / "state" / "tmp"),
        "TRAPLINE_DB": str(folder / "state" / "library.sqlite"),
        "TRAPLINE_SERVICE_FOLDER": str(folder / "state" / "service"),
        "TRAPLINE_BOT_FOLDER": str(folder / "state" / "bot"),
        "TRAPLINE_WEB_PORT": "0",
    }
    return {"cwd": home, "env": {**kept, **own}, "umask": 0o077, "text": True, "preexec_fn": _no_written_code}


def _no_written_code() -> None:
    # PR_SET_MDWE and PR_MDWE_REFUSE_EXEC_GAIN of linux/prctl.h; kernels before 6.3 refuse it, and nothing is lost.
    ctypes.CDLL(None).prctl(65, 1, 0, 0, 0)


def command(*arguments: str) -> list[str]:
    """The program without a capability, also where the tests run as root, who may otherwise write anywhere."""
    bare = ["setpriv", "--bounding-set=-all", "--inh-caps=-all", "--no-new-privs"] if os.geteuid() == 0 else []
    return [*bare, sys.executable, "-m", "trapline", *arguments]


@pytest.mark.fault
def test_service_server_and_check_of_the_bot_run_where_only_the_state_can_be_written(tmp_path: Path) -> None:
    sandbox: Any = closed_in(tmp_path)
    make_library(tmp_path / "state" / "library.sqlite")
    outside = {path for path in tmp_path.rglob("*") if tmp_path / "state" not in (path, *path.parents)}
    refused = subprocess.run(
        [*command()[:-2], "-c", "open('written', 'w')"], capture_output=True, check=False, **sandbox
    )
    assert "PermissionError" in refused.stderr, "the sandbox holds"
    for arguments in (("jobs", "run", "backup"), ("jobs", "log"), ("bot", "--check"), ("doctor",)):
        done = subprocess.run(command(*arguments), capture_output=True, check=False, timeout=300, **sandbox)
        assert "Traceback" not in done.stderr, (arguments, done.stderr)
        assert "Read-only" not in done.stderr + done.stdout, (arguments, done.stderr)
        assert "Permission denied" not in done.stderr + done.stdout, (arguments, done.stdout, done.stderr)
    with subprocess.Popen(command("serve"), stderr=subprocess.PIPE, **sandbox) as server:
        assert server.stderr is not None
        url = ""
        for line in server.stderr:
            if found := re.search(r"serving .* at (http://\S+)", line):
                url = found[1]
                break
        with httpx.Client(base_url=url, timeout=60) as client:
            answers = [
                client.get("/api/v1/traps", params={"fen": LEGAL, "similar": 10}),
                client.get("/position", params={"fen": LEGAL}),
                client.post("/annotate", files={"file": ("g.pgn", b"1. e4 e5 *")}),
            ]
            game = {"pgn": '[White "A"]\n[Black "B"]\n\n1. e4 e5 *'}
            report = client.post("/report", data=game)
            while report.status_code == 429:  # one address has one place, and the game before may still be annotated
                time.sleep(0.2)
                report = client.post("/report", data=game)
            answers.append(report)
        server.terminate()
        left = server.stderr.read()
    assert [answer.status_code for answer in answers] == [200, 200, 303, 303], [answer.text for answer in answers]
    assert server.returncode == 0
    assert "Traceback" not in left
    assert {path for path in tmp_path.rglob("*") if tmp_path / "state" not in (path, *path.parents)} == outside
