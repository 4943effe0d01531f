"""Folders that are watched, and large files that are read bit by bit."""

from pathlib import Path

from service.clock import Halt
from service.job_log import Outcome
from service.service import Service

SUFFIXES = (".pgn", ".pgn.gz", ".pgn.bz2", ".pgn.zst")


def pgn_files(folder: Path) -> list[Path]:
    """The PGN files in a folder and in those in it, by name; hidden ones are somebody's unfinished work."""
    return sorted(
        path
        for path in folder.rglob("*")
        if path.name.lower().endswith(SUFFIXES)
        and not any(part.startswith(".") for part in path.relative_to(folder).parts)
        and path.is_file()
    )


def fetch(service: Service, halt: Halt, outcome: Outcome) -> None:
    """What is new or changed in the folders, and has not been written to for a moment, into the library."""
    for folder in service.mine.folders:
        outcome.counts["sources"] += 1
        if not folder.is_dir():
            outcome.counts["failed"] += 1
            outcome.problems.append(f"folder {folder}: there is no such folder")
            continue
        service.game_files.index(pgn_files(folder), halt, outcome, settled=True)


def fetch_dumps(service: Service, halt: Halt, outcome: Outcome) -> None:
    """The dumps into the library; a run that is stopped, or killed, is gone on with by the next one."""
    service.game_files.index(service.mine.dumps, halt, outcome)
