"""Watched folders."""

from pathlib import Path

from trapline.service.service import Service
from trapline.service.state.clock import StopFlag
from trapline.service.state.job_log import Outcome

SUFFIXES = (".pgn", ".pgn.gz", ".pgn.bz2", ".pgn.zst")


def pgn_files(folder: Path) -> list[Path]:
    """PGN files in a folder and its subfolders, by name, without hidden ones, which are unfinished downloads."""
    return sorted(
        path
        for path in folder.rglob("*")
        if path.name.lower().endswith(SUFFIXES)
        and not any(part.startswith(".") for part in path.relative_to(folder).parts)
        and path.is_file()
    )


def fetch(service: Service, stop_flag: StopFlag, outcome: Outcome) -> None:
    """Index the new and changed files of the folders, except those that are being written to."""
    for folder in service.mine.folders:
        outcome.counts["sources"] += 1
        if not folder.is_dir():
            outcome.counts["failed"] += 1
            outcome.problems.append(f"folder {folder}: there is no such folder")
            continue
        service.game_files.index(pgn_files(folder), stop_flag, outcome, settled=True)
