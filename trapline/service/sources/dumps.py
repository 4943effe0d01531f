"""Large files of games: files on this machine, addresses, and months of the lichess database by their names.

What is fetched arrives under ``dumps/`` in the service's folder. A download that is interrupted goes on where it was; a
month is compared with the sums that the database publishes. Each file is indexed in parts, in any number of runs.
"""

import hashlib
import os
import re
import shutil
from contextlib import closing
from pathlib import Path
from urllib.parse import urlsplit

from lichess.api import LichessError, Unreachable
from lichess.http import Session, refusal, translate_errors, user_agent
from trapcore.errors import OutputError
from trapcore.settings import at_home
from trapline.service.service import Service
from trapline.service.sources.retry import record_errors, with_retries
from trapline.service.state.clock import StopFlag
from trapline.service.state.job_log import Outcome

PIECE = 1 << 20
"""Bytes that are read at a time."""

TIMEOUT_SECONDS = 60.0
SPARE_BYTES = 1 << 30
"""Bytes that stay free on the disk."""

MONTH = re.compile(r"20[1-9]\d-(0[1-9]|1[0-2])")


def address_of(dump: str, database: str) -> str | None:
    """The address of a dump; None for a file on this machine. ``database`` is the address of the lichess database."""
    if MONTH.fullmatch(dump):
        return f"{database}/standard/lichess_db_standard_rated_{dump}.pgn.zst"
    return dump if re.match(r"https?://", dump) else None


def fetch(service: Service, stop_flag: StopFlag, outcome: Outcome) -> None:
    """Fetch and index the large files; the next run goes on where one was stopped or killed."""
    paths: list[Path] = []
    for dump in service.mine.dumps:
        stop_flag.check()
        address = address_of(dump, service.mine.database_url)
        if address is None:
            paths.append(at_home(Path(dump)))
            continue
        with record_errors(outcome, f"dump {dump}", server="the server"):
            try:
                path = with_retries(stop_flag, _downloaded, service, address)
            except OSError as error:
                raise OutputError(f"{service.mine.folder} cannot be written: {error.strerror}") from error
            if path.exists():
                paths.append(path)
    service.game_files.index(paths, stop_flag, outcome)


def _downloaded(service: Service, address: str, stop_flag: StopFlag) -> Path:
    """The file of an address, which is fetched unless it was; one that was deleted later is not fetched again."""
    folder = service.mine.folder / "dumps"
    name = re.sub(r"[^\w.-]", "_", Path(urlsplit(address).path).name, flags=re.ASCII).lstrip(".") or "games.pgn"
    target, part = folder / name, folder / f"{name}.part"
    state = service.source_state.get(f"dump {address}")
    if state.get("done"):
        return target
    folder.mkdir(parents=True, exist_ok=True)
    with closing(Session(None, TIMEOUT_SECONDS)) as session, translate_errors("the server"):
        session.headers.update({"User-Agent": user_agent(""), "Accept-Encoding": "identity"})
        at = part.stat().st_size if part.exists() and state.get("etag") else 0
        headers = {"Range": f"bytes={at}-", "If-Range": state["etag"]} if at else {}
        answer = session.get(address, headers=headers, stream=True)
        with closing(answer):
            if answer.status_code not in (200, 206):
                if answer.status_code == 416:
                    # What is there does not fit what the server has.
                    part.unlink(missing_ok=True)
                    raise Unreachable(f"{address} has changed")
                raise refusal(answer, "the server")
            if answer.status_code == 200:
                at = 0
            left = int(answer.headers["Content-Length"])
            if shutil.disk_usage(folder).free < left + SPARE_BYTES:
                raise OutputError(f"{folder} has no room for {left / 2**20:,.0f} MiB more of {address}")
            service.source_state.set(f"dump {address}", {"etag": answer.headers.get("ETag", "")})
            with part.open("ab" if at else "wb") as file:
                for chunk in answer.iter_content(PIECE):
                    stop_flag.check()
                    file.write(chunk)
                file.flush()
                os.fsync(file.fileno())
        if part.stat().st_size != at + left:
            raise Unreachable(f"{address} broke off")
        _check_sum(session, address, part, service.mine.database_url)
    part.replace(target)
    service.source_state.set(f"dump {address}", {"done": True})
    return target


def _check_sum(session: Session, address: str, part: Path, database: str) -> None:
    """Compare a month of the database with the sum that it publishes; a file that differs is deleted."""
    if not address.startswith(f"{database}/"):
        return
    base, _, name = address.rpartition("/")
    answer = session.get(f"{base}/sha256sums.txt")
    if not answer.ok:
        raise refusal(answer, "the server")
    wanted = next((line.split()[0] for line in answer.text.splitlines() if line.endswith(name)), None)
    with part.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if wanted is not None and found != wanted:
        part.unlink()
        raise LichessError(f"{address} arrived damaged: its sum is {found}, not {wanted}")
