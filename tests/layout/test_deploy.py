"""What is shipped to run the bot and the service: nothing is named that there is not."""

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.main import get_command

from lichess.api import Unauthorized
from trapcore.errors import InputError, UsageError
from trapline.program import app
from trapline.settings import CONFIG_VARIABLE, SECTIONS

DEPLOY = Path(__file__).parents[2] / "deploy"
UNITS = ("trapline-bot.service", "trapline-service.service")


@pytest.mark.parametrize("name", ["Dockerfile", "compose.yaml", *UNITS])
def test_what_is_shipped_names_settings_that_there_are(name: str) -> None:
    known = {CONFIG_VARIABLE, "TRAPLINE_DB"}
    known |= {f"TRAPLINE_{table}_{key}".upper() for table, kind in SECTIONS.items() for key in kind.model_fields}
    text = (DEPLOY / name).read_text("utf-8")
    used = set(re.findall(r"TRAPLINE_[A-Z_]+", text))
    assert used
    assert used - known == set()
    assert not re.search("TRAPLINE_[A-Z]+_TOKEN=", text), "a token does not belong into a file that is shared"


@pytest.mark.parametrize("name", UNITS)
def test_what_only_its_owner_can_mend_is_not_started_again(name: str) -> None:
    (line,) = re.findall(r"^RestartPreventExitStatus=(.*)$", (DEPLOY / name).read_text("utf-8"), re.MULTILINE)
    assert {UsageError.exit_code, InputError.exit_code, Unauthorized.exit_code} <= set(map(int, line.split()))


def compose() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text("utf-8"))
    return found


def commands() -> list[list[str]]:
    """What units and containers run, without ``trapline``."""
    found = [
        line.removeprefix("ExecStart=/opt/trapline/bin/trapline ").split()
        for unit in UNITS
        for line in (DEPLOY / unit).read_text("utf-8").splitlines()
        if line.startswith("ExecStart=")
    ]
    services = compose()["services"]
    found += [service["command"] for service in services.values() if "command" in service]
    found.append(services["service-postgres"]["entrypoint"][2].partition("trapline ")[2].split())
    return found


@pytest.mark.parametrize("command", commands(), ids=" ".join)
def test_what_is_run_is_a_command(command: list[str]) -> None:
    group = get_command(app)
    with group.make_context("trapline", command, resilient_parsing=True) as context:
        name, found, rest = group.resolve_command(context, command)  # type: ignore[attr-defined]
        assert name == command[0]
        if hasattr(found, "resolve_command") and rest:
            _, found, rest = found.resolve_command(context, rest)
        found.make_context("x", list(rest), parent=context)


def test_every_container_has_a_health_check_at_the_port_that_it_opens() -> None:
    image = (DEPLOY / "Dockerfile").read_text("utf-8")
    for name, service in compose()["services"].items():
        check = service.get("healthcheck")
        assert check is None or not check.get("disable"), name
        if "trapline" not in service["image"]:
            assert check is not None, name
            continue
        text = image.partition("HEALTHCHECK")[2] if check is None else check["test"][-1]
        (port,) = re.findall(r"http://127\.0\.0\.1:(\d+)/health", text)
        opened = service["environment"].get("TRAPLINE_SERVICE_HEALTH_PORT")
        assert port == (opened or re.findall(r"TRAPLINE_BOT_HEALTH_PORT=(\d+)", image)[0]), name


def test_every_secret_and_volume_of_the_containers_is_declared() -> None:
    told = compose()
    for name, service in told["services"].items():
        for secret in service.get("secrets", []):
            assert secret["source"] in told["secrets"], name
        for volume in service["volumes"]:
            source = volume.partition(":")[0]
            assert source in told["volumes"] or source.startswith("./"), name


@pytest.mark.parametrize("unit", UNITS)
def test_a_unit_is_one_for_systemd(unit: str) -> None:
    if shutil.which("systemd-analyze") is None:
        pytest.skip("systemd-analyze is not installed")
    done = subprocess.run(["systemd-analyze", "verify", DEPLOY / unit], capture_output=True, text=True, check=False)
    # The program need not be installed in /opt on this machine.
    wrong = [line for line in done.stderr.splitlines() if unit in line and "is not executable" not in line]
    assert wrong == []
