"""The command ``trapline serve``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from trapline.commands.options import DbOption
from trapline.echo import echo

if TYPE_CHECKING:
    import socket
    from pathlib import Path

    from db.library.library import Library
    from trapline.settings import Settings
    from trapline.web.service import FetchGames, FetchStudy, OnStop
    from trapline.web.settings import WebSettings

BUSY_SECONDS = 10.0
"""Time to wait for another program that writes to the library, before games are fetched into it."""

QUEUED = 2048
"""Connections that wait to be accepted; who comes when there are more tries again after a second."""

SWITCH_SECONDS = 0.001
"""After so long a thread of Python lets another one go on. A page changes threads several times, and waited Python's
usual 5 ms at each where searches and annotations are under way."""


def serve(
    db: DbOption = None,
    host: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS", help="Address to listen on. Default: the setting `web.host`, 127.0.0.1."),
    ] = None,
    port: Annotated[
        int | None, typer.Option(metavar="N", help="Port. 0 takes a free one. Default: the setting `web.port`, 8321.")
    ] = None,
    public: Annotated[
        bool, typer.Option("--public", help="Allow other machines to reach it. Needed for any address but loopback.")
    ] = False,
) -> None:
    """Serve the library as pages in your browser, and over HTTP for programs.

    /openapi.json describes the interface. A token from the variable TRAPLINE_WEB_TOKEN, or from the file that
    web.token_file names, allows to add and remove traps. SIGTERM and Ctrl-C stop the server: answers are finished,
    annotations are stopped.
    """
    import gc
    import logging
    import signal
    import sys
    import tempfile
    from pathlib import Path

    from trapcore.errors import UsageError
    from trapcore.extras import extra
    from trapcore.io import status_server
    from trapcore.io.work_folder import sweep
    from trapcore.parallel.arenas import share_arenas
    from trapline.settings import read_settings

    with extra("web", "serve"):
        import uvicorn

        from trapline.web.app import create_app
        from trapline.web.server.http_server import server_config
    from db.formats.bundled import open_or_bundle

    share_arenas()
    given = {"host": host, "port": port, "public": public or None}
    settings = read_settings(web={name: value for name, value in given.items() if value is not None})
    web = settings.web
    if not (web.is_loopback or web.public):
        raise UsageError(
            f"{web.host} can be reached by other machines; if that is meant, say --public or set web.public"
        )
    if web.folder is not None:
        # Also for what other libraries put aside while a form is read.
        _check_folder(web.folder)
        tempfile.tempdir = str(web.folder)
    sweep(Path(tempfile.gettempdir()))  # of servers that were killed
    listening = _listening(web)
    logging.basicConfig(format="%(asctime)s %(levelname)-7s %(name)s: %(message)s")
    library = open_or_bundle(db, settings.db, read_only=True, log=lambda message: echo(message, err=True))
    app = create_app(library, settings, fetching(settings, library), reading_studies(settings))
    service = app.state.service

    class Server(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            # What is there now stays: to look through it for garbage would hold up all requests for .2 seconds.
            gc.collect()
            gc.freeze()

        def handle_exit(self, sig: int, frame: object) -> None:
            super().handle_exit(sig, None)
            service.cancel_all()  # searches, and clients that follow a job, would otherwise delay the end

    sys.setswitchinterval(SWITCH_SECONDS)
    server = Server(server_config(app))
    # Uvicorn takes the signals over while it runs, and gives them back to these afterwards.
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, server.handle_exit)
    end_health = status_server.serve(web.health_port, service.health) if web.health_port else None
    echo(f"serving {library.name} at {_address(listening)}", err=True)
    try:
        with listening:
            server.run(sockets=[listening])
    finally:
        if end_health is not None:
            end_health()
    echo("stopped", err=True)


def _listening(web: WebSettings) -> socket.socket:
    """A socket that listens. Raises `OutputError` if the port is taken or forbidden."""
    import socket

    from trapcore.errors import OutputError

    family = socket.AF_INET6 if ":" in web.host else socket.AF_INET
    # asyncio sends without delay only on sockets that say that they are TCP; otherwise each answer waits 40 ms for the
    # client's acknowledgement of its head.
    made = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((web.host, web.port))
        made.listen(QUEUED)
    except OSError as error:
        made.close()
        raise OutputError(
            f"cannot listen on {web.host}, port {web.port}: {error.strerror}; choose another with --port, or end what "
            "uses it"
        ) from error
    return made


def fetching(settings: Settings, library: Library) -> FetchGames:
    """What fetches the games of accounts for the pages: the sources of the service."""
    from contextlib import closing

    from db.library.open import open_library
    from trapline.service.service import Service
    from trapline.service.sources.accounts import latest_games

    url = library.database.engine.url
    name = url.render_as_string(hide_password=False) if "://" in library.name else library.name

    def fetch(site: str, account: str, most: int, on_stop: OnStop) -> list[str]:
        with closing(Service(settings, open_library(name, busy_seconds=BUSY_SECONDS))) as service:
            on_stop(service.stop)
            with service.stop_flag() as stop_flag:
                return latest_games(service, site, account, most, stop_flag)

    return fetch


def reading_studies(settings: Settings) -> FetchStudy:
    """What reads a study for the pages; on a public server without the token, which may read private ones."""

    def read(study: str) -> str:
        from lichess.studies import study_pgn
        from lichess.token import read_token

        token = read_token(settings.service) if settings.web.is_private else None
        return study_pgn(settings.service.url, token, study)

    return read


def _address(listening: socket.socket) -> str:
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


def _check_folder(folder: Path) -> None:
    import os

    from trapcore.errors import OutputError

    if not (folder.is_dir() and os.access(folder, os.W_OK)):
        raise OutputError(f"{folder} (web.folder) is no folder that can be written to")
