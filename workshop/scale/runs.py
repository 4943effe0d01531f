"""Commands of trapline, run as processes of their own and measured."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from distributed import Client, LocalCluster

from trapcore.io.streams import open_bytes

_MEASURED = """
import atexit, json, os, resource
from trapline.__main__ import main
def tell():
    used = resource.getrusage(resource.RUSAGE_SELF)
    peak = int(open("/proc/self/status").read().split("VmHWM:")[1].split()[0])
    with open(os.environ["SCALE_FIGURES"], "w") as file:
        json.dump([used.ru_utime + used.ru_stime, peak / 1024, used.ru_oublock / 2048], file)
atexit.register(tell)
main()
"""
"""Runs the command line. The system's figure for the memory of a child would begin with the size of its parent."""

WAYS = ("one core", "two threads", "two Dask workers")


@dataclass(frozen=True, slots=True)
class Cost:
    """What a command cost."""

    what: str
    games: int
    way: str
    """One of `WAYS`."""
    cpu: float
    """Processor seconds, user and system, of the command and its workers."""
    wall: float
    """Seconds by the clock."""
    peak: float
    """Most memory of the process, MiB; workers not counted."""
    written: float
    """Written to disk, MiB."""
    size: float
    """Size of the library or the output afterwards, MiB."""
    answer: dict[str, Any]
    """What the command printed as JSON."""


def cost(what: str, games: int, words: Sequence[str | Path], result: Path, way: str = WAYS[0]) -> Cost:
    """Run ``trapline`` with these words on games and measure it. ``result`` is the file whose size counts."""
    figures = result.parent / "figures.json"
    variables = {name: value for name, value in os.environ.items() if not name.startswith("TRAPLINE_")}
    variables |= {"SCALE_FIGURES": str(figures), "TRAPLINE_ENGINE": "off"}
    with _workers(way) as (options, worked):
        began = time.monotonic()
        command = [sys.executable, "-c", _MEASURED, *map(str, words), *options]
        done = subprocess.run(command, env=variables, capture_output=True, text=True, check=True)
        wall = time.monotonic() - began
        cpu, peak, written = json.loads(figures.read_text())
        cpu += worked()
    answer = json.loads(done.stdout) if "--json" in words else {}
    return Cost(what, games, way, cpu, wall, peak, written, result.stat().st_size / 2**20, answer)


@contextmanager
def _workers(way: str) -> Iterator[tuple[list[str], Any]]:
    """Options for the command, and a function for the processor seconds of workers in other processes."""
    if way != WAYS[2]:
        yield ["--jobs", str(1 + WAYS.index(way))] if way in WAYS else [], lambda: 0.0
        return
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address="127.0.0.1:0") as local,
        Client(local.scheduler_address, set_as_default=False) as client,
    ):
        before = sum(client.run(time.process_time).values())
        yield ["--cluster", local.scheduler_address], lambda: sum(client.run(time.process_time).values()) - before


def first_games(source: Path, count: int, path: Path) -> int:
    """Write the first ``count`` games of a PGN file, packed or not. Returns how many there are."""
    games, rest = 0, b""
    with open_bytes(source) as chunks, path.open("wb") as file:
        for chunk in chunks:
            lines = (rest + chunk).split(b"\n")
            rest = lines.pop()
            for line in lines:
                games += line.startswith(b"[Event ")
                if games > count:
                    return count
                file.write(line + b"\n")
        file.write(rest)
    return games
