"""The units are as strict as they are said to be: their directives, and what systemd makes of them."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

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
