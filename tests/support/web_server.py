"""A real server over a real library, for the tests of trapline/web/."""

import html
import importlib
import os
import pkgutil
import queue
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
import uvicorn
from fastapi.routing import APIRoute

import trapline.web.api
import trapline.web.pages
from db.formats.bundled import bundled_traps
from db.games.index_games import index_files
from db.library.library import Library
from db.library.open import create_library, open_library
from db.proof.prover import TrapProver
from tests.support.command_line import product_variables
from tests.support.templates import copy_of
from trapline.commands.serve import fetching, reading_studies
from trapline.settings import Settings
from trapline.web.app import create_app
from trapline.web.server.http_server import server_config

ROOT = Path(__file__).parents[2]
GAMES = ROOT / "examples" / "games.pgn"
TOKEN = "sesame-open-the-mountain-14"

LEGAL = "r2qkbnr/ppp2ppp/2np4/4N3/2B1P1b1/2N5/PPPP1PPP/R1BQK2R b KQkq - 0 5"
"""Before the bait Bxd1 of Légal's mate."""


def make_library(path: Path) -> None:
    """A copy of what `build_library` makes once in a run."""
    copy_of("web.sqlite", build_library, path)


def build_library(path: Path) -> None:
    """Thirty bundled traps, mates proved, and the example games."""
    wanted = [trap for trap in bundled_traps() if trap.family in ("legal", "smothered-mate")]
    rest = [trap for trap in bundled_traps() if trap not in wanted]
    judge = TrapProver()

    def fill(library: Library) -> None:
        library.add_all([judge.prove(trap) for trap in [*wanted, *rest][:30]])

    create_library(path, fill)
    with open_library(path) as library:
        index_files(library, [str(GAMES)])


@dataclass
class Served:
    """A running server."""

    url: str

    @property
    def port(self) -> int:
        """Where it listens."""
        return int(self.url.rpartition(":")[2].rstrip("/"))

    def client(self) -> httpx.Client:
        """A client of it."""
        return httpx.Client(base_url=self.url, timeout=60)


@dataclass
class Server(Served):
    """A running ``trapline serve``."""

    process: "subprocess.Popen[str]"
    said: list[str]

    def stop(self, number: int = signal.SIGTERM) -> int:
        """Ask it to stop; its exit code."""
        self.process.send_signal(number)
        return self.process.wait(30)


@contextmanager
def serving(library: Path, folder: Path, **variables: object) -> Iterator[Server]:
    """A server with these settings, ``web_rate=2``, in an environment of its own; ended afterwards."""
    process = subprocess.Popen(
        [sys.executable, "-m", "trapline", "serve", "--db", str(library), "--port", "0"],
        cwd=folder,
        env=environment(folder, variables),
        stderr=subprocess.PIPE,
        text=True,
    )
    said: list[str] = []
    told: queue.Queue[str | None] = queue.Queue()

    def listen() -> None:
        for line in process.stderr or ():
            said.append(line)
            if found := re.search(r"serving .* at (http://\S+)", line):
                told.put(found[1])
        told.put(None)

    listener = threading.Thread(target=listen, daemon=True)
    listener.start()
    try:
        url = told.get(timeout=60)
        assert url is not None, "".join(said)
        with httpx.Client(base_url=url, timeout=60) as client:
            client.get("/health")  # it listens before it answers
        yield Server(url, process, said)
    finally:
        if process.poll() is None:
            process.terminate()
            process.wait(30)
        listener.join(10)
        if process.stderr is not None:
            process.stderr.close()


@contextmanager
def served(library: Path | str, folder: Path, **variables: object) -> Iterator[Served]:
    """The same over the same HTTP, in a thread: for tests whose subject is no process."""
    with pytest.MonkeyPatch.context() as patch:
        for name in product_variables():
            patch.delenv(name)
        for name, value in {"web_rate": 0, "tell": "similar", **variables}.items():
            patch.setenv(f"TRAPLINE_{name.upper()}", str(value))
        patch.setenv("HOME", str(folder))
        settings, opened = Settings(), open_library(library, read_only=True)
        app = create_app(opened, settings, fetching(settings, opened), reading_studies(settings))
    listening = socket.create_server(("127.0.0.1", 0))
    config = server_config(app)
    config.timeout_graceful_shutdown = 1
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    try:
        url = f"http://127.0.0.1:{listening.getsockname()[1]}/"
        with httpx.Client(base_url=url, timeout=60) as client:
            client.get("/health")  # it listens before it answers
        yield Served(url)
    finally:
        app.state.service.jobs.cancel_all()
        server.should_exit = True
        thread.join(30)
        listening.close()
        assert not thread.is_alive()


def all_routes() -> list[APIRoute]:
    """Every route of the application, whatever module has it."""
    modules = [
        importlib.import_module(found.name)
        for package in (trapline.web.api, trapline.web.pages)
        for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
    ]
    routers = [module.router for module in modules if hasattr(module, "router")]
    return [route for router in routers for route in router.routes if isinstance(route, APIRoute)]


def environment(folder: Path, variables: Mapping[str, object]) -> dict[str, str]:
    """The environment of a command with these settings."""
    ours = {f"TRAPLINE_{name.upper()}": str(value) for name, value in variables.items()}
    kept = {name: value for name, value in os.environ.items() if name not in product_variables()}
    paths = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    return {
        **kept,
        "HOME": str(folder),
        "PYTHONPATH": paths,
        "TRAPLINE_WEB_RATE": "0",
        "TRAPLINE_TELL": "similar",
        **ours,
    }


def words(answer: httpx.Response) -> str:
    """What a page says, without its tags and with single spaces."""
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", answer.text)).split())


def links(answer: httpx.Response, text: str) -> list[str]:
    """Where the links of a page with this text lead."""
    return [html.unescape(found) for found in re.findall(rf'<a [^>]*href="([^"]+)"[^>]*>{text}</a>', answer.text)]
