"""``python -m tests.soak.week``: a week of the lichess bot, accelerated.

Exit code: 0 if every promise was kept, 1 if one was not, 2 for a bad option.
"""

import argparse
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.soak.report import show
from tests.soak.week.disk import Disk
from tests.soak.week.plan import Plan
from tests.soak.week.run import play
from tests.soak.week.verdict import report


def main(arguments: Sequence[str]) -> int:
    """Runs it and returns the exit code."""
    usual = Plan()
    parser = argparse.ArgumentParser(prog="python -m tests.soak.week", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--games", type=int, default=usual.games, help=f"of the week; {usual.games:,} if not given")
    parser.add_argument("--people", type=int, default=usual.people, help=f"{usual.people} if not given")
    parser.add_argument("--bots", type=int, default=usual.bots, help=f"{usual.bots} if not given")
    parser.add_argument("--boards", type=int, default=usual.boards, help="games at the same time")
    parser.add_argument("--pace", type=float, default=usual.pace, help="seconds from one game to the next")
    parser.add_argument("--seed", type=int, default=usual.seed)
    parser.add_argument("--asks", type=float, default=usual.asks, help="commands in the chat for each game of a person")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="copy the bot's folder and its log there")
    given = parser.parse_args(arguments)
    if min(given.games, given.people, given.boards) < 1 or given.bots < 0 or not 0.05 <= given.pace <= 3600:
        parser.error("games, people and boards are 1 or more, and the pace is 0.05 to 3600 seconds")
    if not 0 <= given.asks <= 20:
        parser.error("a person writes 0 to 20 commands")
    folder = Path(tempfile.mkdtemp(prefix="trapline-week-"))
    try:
        with Disk(folder / "disk") as disk:
            plan = Plan(given.games, given.people, given.bots, given.boards, given.pace, given.seed, given.asks)
            try:
                found = report(play(plan, disk))
            finally:
                if given.keep:
                    shutil.copytree(disk.folder, given.keep, dirs_exist_ok=True)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    show(found)
    return 0 if found.passed else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
