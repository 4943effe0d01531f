"""The report on a week: what was promised, what was found, and how the bot's process grew."""

import re
from collections import Counter
from collections.abc import Sequence
from statistics import median

from sqlalchemy import select

from db.library.open import open_library
from db.storage.tables import GameRow
from tests.fake_lichess.game import ABORTED
from tests.soak.report import Row, SoakReport
from tests.soak.week.crowd import Asked
from tests.soak.week.run import Outcome
from tests.soak.week.usage import Growth, growth, library_bytes

CHALLENGE_SECONDS = 21.0
"""A challenge without an answer lapses after 20 seconds: a mishap within these excuses the bot."""

QUESTION_SECONDS = 30.0
"""A mishap so soon after a question, or in the seconds before, excuses the bot."""

ERROR = re.compile(r"^Traceback .*\n(?:[ \n].*\n|\n)*(.*)", re.MULTILINE)
"""A traceback and its last line."""

MOST_DETAILS = 20
KINDS = {
    "games lost on time": ("lost_on_time",),
    "games abandoned": ("abandoned",),
    "illegal moves": ("illegal_move",),
}
"""Violations that have a row of their own; all others are lichess's rules."""


class Rows:
    """Rows and details of a report."""

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self.details: list[str] = []

    def none(self, what: str, found: Sequence[object]) -> None:
        """A promise that there is none of these."""
        self.rows.append(Row(what, str(len(found)), "0", not found))
        self.details += [f"{what}: {one}" for one in found[:MOST_DETAILS]]

    def tell(self, what: str, found: object) -> None:
        """Something that is not promised."""
        self.rows.append(Row(f"  {what}", str(found)))


def report(outcome: Outcome) -> SoakReport:
    """Compares what lichess has with what is on the bot's disk, now."""
    found = Rows()
    _games(outcome, found)
    _records(outcome, found)
    _answers(outcome, found)
    _process(outcome, found)
    return SoakReport(found.rows, found.details)


def _games(outcome: Outcome, found: Rows) -> None:
    plan, crowd = outcome.plan, outcome.crowd
    over = sum(count for status, count in outcome.statuses.items() if status != "started")
    found.rows.append(Row("games that are over", f"{over:,}", f">= {plan.games:,}", over >= plan.games))
    length = f"{outcome.seconds:,.0f} s, planned {plan.seconds:,.0f} s; a day is {plan.day:.0f} s long"
    found.tell("length of the week", f"{length}, {plan.acceleration:,.0f} times as fast as on lichess")
    found.tell("how they ended", _counted(outcome.statuses))
    found.tell("how they were meant", _counted(crowd.kinds))
    found.tell("games in arenas", len(crowd.arenas.games))
    found.tell("challenges of bots beyond the games of a day", crowd.limited)
    found.tell("mishaps", _counted(Counter(outcome.mishaps.happened)))
    found.tell("the full disk", outcome.mishaps.disk.kind)
    for what, kinds in KINDS.items():
        found.none(what, [one for one in outcome.violations if one.kind in kinds])
    own = {kind for kinds in KINDS.values() for kind in kinds}
    found.none("rules of lichess broken", [one for one in outcome.violations if one.kind not in own])


def _records(outcome: Outcome, found: Rows) -> None:
    bot = outcome.bot
    played = {game.id for game in outcome.crowd.games() if game.over and game.status != ABORTED}
    digests = bot.recorded_digests()
    found.none(f"games without a file in the archive, of {len(played):,}", sorted(played - digests.keys()))
    with open_library(bot.library, read_only=True) as library, library.database.read() as connection:
        stored = set(connection.scalars(select(GameRow.digest)))
    waiting = bot.waiting_games()
    missing = {name for name, digest in digests.items() if digest not in stored}
    found.none("games neither in the library nor waiting for it", sorted(missing - waiting))
    found.tell("games that wait for the library", len(missing & waiting))


def _answers(outcome: Outcome, found: Rows) -> None:
    people = [one for one in outcome.crowd.challenges.values() if not one.withdrawn and not one.is_bot]
    bots = [one for one in outcome.crowd.challenges.values() if not one.withdrawn and one.is_bot]
    aborted = outcome.crowd.unanswerable()
    questions = [one for one in outcome.crowd.questions if one.game not in aborted]
    for what, asked, patience in (
        ("challenges of people", people, CHALLENGE_SECONDS),
        ("challenges of bots", bots, CHALLENGE_SECONDS),
        ("commands in the chat", questions, QUESTION_SECONDS),
    ):
        _answered(outcome, found, what, asked, patience)
    found.tell("lines of chat in floods", f"{outcome.crowd.lines_written:,}")


def _answered(outcome: Outcome, found: Rows, what: str, asked: Sequence[Asked], patience: float) -> None:
    without = [one for one in asked if one.answered is None]
    excused = [one for one in without if outcome.mishaps.disturbs(one.at - patience, one.at + patience)]
    found.none(f"{what} without an answer, of {len(asked):,}", [one for one in without if one not in excused])
    found.tell("without an answer within a mishap", len(excused))
    waits = sorted(one.answered - one.at for one in asked if one.answered is not None)
    if waits:
        found.tell("seconds to the answer: half, longest", f"{median(waits):.1f}, {waits[-1]:.1f}")


def _process(outcome: Outcome, found: Rows) -> None:
    bot = outcome.bot
    found.none("ends nobody asked for", bot.died)
    found.rows.append(Row("exit codes of orderly stops", str(outcome.codes), "0", not any(outcome.codes)))
    log = bot.log.read_text("utf-8", "replace")
    found.none("errors of its own in the log", ERROR.findall(log))
    found.tell("openings of the account's stream", outcome.opens)
    if outcome.overhead:
        figures = f"{outcome.overhead['median']:.1f}, {outcome.overhead['p95']:.1f}"
        found.tell("milliseconds of a move without thinking: half, 95 of 100", figures)
    grown = growth(outcome.samples)
    if grown is not None:
        _growth(grown, found)
    recorded = len(bot.recorded_games())
    size = library_bytes(bot.library)
    a_game = (size - outcome.first_library) / max(1, recorded) / 1024
    found.tell("library", f"{size / 1e6:.1f} MB, {a_game:.1f} KiB a game that is recorded")
    written = sum(path.stat().st_size for path in (bot.folder / "bot" / "games").glob("*/*.pgn"))
    found.tell("archive", f"{written / 1e6:.1f} MB, {written / max(1, recorded) / 1024:.1f} KiB a game")
    found.tell("log", f"{bot.log.stat().st_size / 1e6:.1f} MB")


def _growth(grown: Growth, found: Rows) -> None:
    memory, descriptors = grown.memory, grown.descriptors
    told = f"{memory[0] / 1024:.1f} to {memory[1] / 1024:.1f} MiB, {grown.memory_a_game:.1f} KiB a game"
    found.tell(f"memory of the process with the most games, {grown.games:,}", told)
    found.tell("its open descriptors", f"{descriptors[0]:.0f} to {descriptors[1]:.0f}")
    found.tell("its threads", f"{grown.threads[0]:.0f} to {grown.threads[1]:.0f}")
    judged = ("yes" if grown.is_bounded else "no") if grown.is_long else "too few games to say"
    passed = grown.is_bounded if grown.is_long else None
    found.rows.append(Row("memory and descriptors are bounded", judged, "yes", passed))


def _counted(counts: "Counter[str]") -> str:
    return ", ".join(f"{what} {count:,}" for what, count in counts.most_common())
