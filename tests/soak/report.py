"""Report of a soak: what was found, compared with what is promised."""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from rich.console import Console
from rich.table import Table

from tests.fake_lichess.record import ChatMessage, Record, Reply
from tests.soak.bot_process import BotProcess
from tests.soak.matches import Match, Matches
from tests.soak.samples import Sample

#: Milliseconds of a bot's own on a move, and from a taken bait to the killer.
OVERHEAD_MS = 20.0
KILLER_MS = 50.0
#: Seconds that a fault may be felt for, where it is not three: a silence is heard only after a while.
AFTERMATH = {"restart": 6.0, "silence": 25.0}
#: Seconds by which the server may be late; beyond that no answer of the bot is counted.
TOO_LATE = 0.02
#: Seconds from a kill until the bot has its library again.
STARTING = 6.0
#: Moves below which a 99th percentile is but the slowest move.
ENOUGH_MOVES = 300
#: Fewest samples of one process from which growth can be told from noise.
ENOUGH_SAMPLES = 20
#: What a process may hold more of in the last quarter of its life than in the first with all boards busy.
MORE_THREADS, MORE_SOCKETS, MORE_MEMORY_MIB = 4, 6, 40.0
#: A move or a judgement in a message to the opponent during the game would be advice.
ADVICE = re.compile(r"\b([KQRBN][a-h1-8]?x?[a-h][1-8]|[a-h]x[a-h][1-8]|[a-h][1-8](=[QRBN])?|O-O(-O)?)\b|[+-]\d+\.\d")
#: Faults that delay the moves of all games: lichess limits the account, not the game whose request came too much.
EVERYWHERE = ("restart", "skew", "429", "429-retry")


@dataclass(frozen=True)
class Row:
    """One promise; ``passed`` is None where nothing is promised."""

    what: str
    found: str
    promised: str = ""
    passed: bool | None = None


@dataclass(frozen=True)
class SoakReport:
    """All rows, and descriptions of the broken promises."""

    rows: list[Row]
    details: list[str]

    @property
    def passed(self) -> bool:
        return all(row.passed is not False for row in self.rows)

    def as_json(self) -> dict[str, Any]:
        return {
            "kept": self.passed,
            "rows": [{"what": r.what, "found": r.found, "promised": r.promised, "kept": r.passed} for r in self.rows],
            "details": self.details,
        }


def show(report: SoakReport) -> None:
    table = Table(title="Soak", title_justify="left")
    for heading in ("what", "found", "promised", "kept"):
        table.add_column(heading)
    for row in report.rows:
        table.add_row(row.what, row.found, row.promised, {None: "", True: "yes", False: "NO"}[row.passed])
    console = Console(width=150)
    console.print(table)
    for detail in report.details:
        console.print(detail, markup=False, highlight=False)


def quantile(values: Sequence[float], part: float) -> float:
    """The smallest value that ``part`` of the values do not exceed; 0 for none."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(part * len(ordered)))] if ordered else 0.0


def advice(messages: Sequence[ChatMessage]) -> list[ChatMessage]:
    """Messages to the opponent during a game that mention moves or evaluate the position."""
    return [one for one in messages if one.room == "player" and not one.over and ADVICE.search(one.text)]


class PromiseChecker:
    """Checks the results of one soak against the promises."""

    def __init__(
        self,
        record: Record,
        faults: Sequence[tuple[float, str, str]],
        matches: Matches,
        bot: BotProcess,
        health: Sequence[dict[str, Any]],
        exit_code: int,
        seconds: float,
    ) -> None:
        self.record = record
        self.faults = faults
        self.matches = matches
        self.bot = bot
        self.health = health
        self.exit_code = exit_code
        self.seconds = seconds
        #: Moments at which the server itself was late, so that no answer is counted.
        self.late = [at for at, late in matches.late if late > TOO_LATE]
        self.rows: list[Row] = []
        self.details: list[str] = []

    def report(self) -> SoakReport:
        self._games()
        self._wrongs()
        self._messages()
        self._killers()
        self._overhead()
        self._resources()
        return SoakReport(self.rows, self.details)

    def _none(self, what: str, found: Sequence[object]) -> None:
        self.rows.append(Row(what, str(len(found)), "0", not found))
        self.details += [f"{what}: {one}" for one in found[:20]]

    def _games(self) -> None:
        played = list(self.matches.played.values())
        ends = Counter(match.game.status for match in played)
        score = Counter(self._score(match) for match in played)
        self.rows += [
            Row(
                "games finished",
                str(self.matches.finished),
                str(self.matches.wanted),
                self.matches.finished == self.matches.wanted,
            ),
            Row("  how they ended", ", ".join(f"{status} {count}" for status, count in ends.most_common())),
            Row("  won, drawn, lost, aborted", ", ".join(str(score[k]) for k in ("won", "drawn", "lost", "aborted"))),
            Row("minutes", f"{self.seconds / 60:.1f}"),
            Row("faults", str(len(self.faults))),
            Row(
                "  by kind", ", ".join(f"{k} {n}" for k, n in Counter(kind for _, kind, _ in self.faults).most_common())
            ),
            Row("killed and started again", str(len(self.bot.killed))),
            Row("challenges declined, expired", f"{len(self.matches.declined)}, {self.matches.expired}"),
        ]
        self._none("ends nobody asked for", self.bot.died)
        self.rows.append(Row("exit code at the end", str(self.exit_code), "0", self.exit_code == 0))
        wanted = self.matches.to_record()
        missing = sorted(wanted - self.bot.recorded_games())
        self.rows.append(Row("games on the disk", str(len(wanted) - len(missing)), str(len(wanted)), not missing))
        self.details += [f"not on the disk: {self._context(game, 0.0)}" for game in missing[:20]]

    def _score(self, match: Match) -> str:
        game = match.game
        if game.winner is None:
            return "aborted" if game.status == "aborted" else "drawn"
        return "won" if game.sides[game.winner].account is self.matches.bot else "lost"

    def _wrongs(self) -> None:
        for what, kind in (
            ("lost on time", "lost_on_time"),
            ("abandoned", "abandoned"),
            ("won games drawn", "drawn_win"),
            ("illegal moves", "illegal_move"),
            ("repeated moves", "repeated_move"),
            ("moves out of turn", "out_of_turn"),
            ("messages repeated", "repeated_message"),
            ("messages too long", "long_message"),
            ("messages with links", "link"),
            ("event streams refused", "stream_opens"),
            ("unknown addresses", "unknown_address"),
            ("requests not as published", "unpublished_request"),
        ):
            found = self.record.of(kind)
            self.rows.append(Row(what, str(len(found)), "0", not found))
            for wrong in found[:20]:
                self.details.append(f"{what}: {wrong.detail} in {self._context(wrong.game, wrong.at)}")
        self.rows.append(Row("moves after the end of a game", str(len(self.record.of("late_move")))))
        opens = self.record.most_opens()
        self.rows.append(Row("most event streams in 10 minutes", str(opens), "<= 30", opens <= 30))

    def _context(self, ident: str, at: float) -> str:
        """The game and what was done to it shortly before: faults and kills in seconds before its end."""
        match = self.matches.played.get(ident)
        if match is None:
            return ident
        end = match.ended or match.began + 1e9
        faults = [
            f"{kind}@-{end - when:.1f}"
            for when, kind, where in self.faults
            if end - 90 < when <= end and (ident in where or kind in EVERYWHERE)
        ]
        kills = [f"kill@-{end - when:.1f}" for when in self.bot.killed if end - 90 < when <= end]
        return f"{ident} ({match.game.status}, ply {match.game.ply}; before: {' '.join(faults + kills) or 'nothing'})"

    def _messages(self) -> None:
        messages = self.record.messages
        rooms = Counter((one.room, one.over) for one in messages)
        by_room = ", ".join(f"{room} {'after' if over else 'during'} {n}" for (room, over), n in sorted(rooms.items()))
        self.rows.append(Row("messages", by_room or "0"))
        self._none(
            "advice to the opponent", [f"{one.text!r} at ply {one.ply} of {one.game}" for one in advice(messages)]
        )

    def _spoiled(self, reply: Reply) -> bool:
        """Whether the bot was still busy with what was done to the game, or to all games, when it had to answer."""
        requested = reply.at - reply.seconds
        first = bisect_left(self.late, requested)
        if first < len(self.late) and self.late[first] <= reply.at + 0.02:
            return True
        return any(requested <= at <= reply.at for at in self.bot.killed) or any(
            requested - AFTERMATH.get(kind, 3.0) <= at <= reply.at and (reply.game in where or kind in EVERYWHERE)
            for at, kind, where in self.faults
        )

    def _undisturbed(self) -> list[Reply]:
        """Answers to which nothing was done, by a bot that was not just started."""
        return [
            reply
            for reply in self.record.replies
            if not self._spoiled(reply)
            and not any(at < reply.at - reply.seconds < at + STARTING for at in self.bot.killed)
        ]

    def _killers(self) -> None:
        taken = {
            ident: match
            for ident, match in self.matches.played.items()
            if match.line is not None and match.line.bait_taken(match.game.board.move_stack)
        }
        answers = {(r.game, r.ply): r for r in self._undisturbed()}
        delays: list[float] = []
        wrong: list[str] = []
        for ident, match in taken.items():
            assert match.line is not None
            reply = answers.get((ident, len(match.line.moves) + 1))
            if reply is None:
                continue
            delays.append(reply.seconds * 1000)
            if match.game.board.move_stack[reply.ply] != match.line.killer():
                wrong.append(f"{reply.move} in {ident}, {match.line.slug}")
            elif reply.seconds * 1000 > KILLER_MS:
                self.details.append(f"slow killer: {reply.seconds * 1000:.0f} ms in {ident}, {match.line.slug}")
        self.rows.append(
            Row("baits of the library taken", str(len(taken)), "> 0", bool(taken) or not self.matches.lines)
        )
        self._none("other moves than the killer", wrong)
        self.rows.append(
            Row(
                f"killer after the bait, {len(delays)} undisturbed, ms: median, p95, most",
                f"{quantile(delays, 0.5):.1f}, {quantile(delays, 0.95):.1f}, {max(delays, default=0.0):.1f}",
                f"<= {KILLER_MS:g}",
                max(delays, default=0.0) <= KILLER_MS if delays else None,
            )
        )

    def _overhead(self) -> None:
        samples = [health["overhead_ms"] for health in self.health if health.get("moves", 0) >= ENOUGH_MOVES]
        if not samples:
            samples = [health["overhead_ms"] for health in self.health[-1:] if health.get("moves")]
        for name in ("mean", "median", "p95", "p99", "max"):
            found = [float(one[name]) for one in samples if one.get(name) is not None]
            if found:
                promised = name in ("mean", "median", "p95", "p99")
                worst = max(found)
                self.rows.append(
                    Row(
                        f"overhead of a move as reported by the bot, ms: {name}",
                        f"{worst:.1f}",
                        f"<= {OVERHEAD_MS:g}" if promised else "",
                        worst <= OVERHEAD_MS if promised else None,
                    )
                )
        if not samples:
            self.rows.append(Row("overhead of a move as reported by the bot", "never", "some", False))
        for name, what in (("late_ms", "threads of the bot late"), ("killer_ms", "a killer as reported by the bot")):
            known = [health[name] for health in self.health if health.get(name) and health[name]["max"] is not None]
            if known:
                worst = max(known, key=lambda spread: float(spread["max"]))
                figures = ", ".join(f"{part} {value:.1f}" for part, value in worst.items() if value is not None)
                self.rows.append(Row(f"{what}, ms", figures))
        late = [late * 1000 for _, late in self.matches.late]
        self.rows.append(
            Row(
                "the server itself late, ms: median, p99, most",
                f"{quantile(late, 0.5):.1f}, {quantile(late, 0.99):.1f}, {max(late, default=0.0):.1f}",
            )
        )
        book = self._book_replies()
        self.rows.append(
            Row(
                "a move of the book as the server sees it, ms: mean, p95, p99",
                f"{sum(book) / max(1, len(book)):.1f}, {quantile(book, 0.95):.1f}, {quantile(book, 0.99):.1f}",
            )
        )

    def _book_replies(self) -> list[float]:
        found = []
        for reply in self._undisturbed():
            match = self.matches.played.get(reply.game)
            # The first moves wait for the stream of the game to be opened.
            if match is not None and match.line is not None and 2 <= reply.ply < len(match.line.moves):
                stack = match.game.board.move_stack
                if len(stack) > reply.ply and match.line.follows(stack[: reply.ply + 1]):
                    found.append(reply.seconds * 1000)
        return found

    def _resources(self) -> None:
        longest = self._longest_life()
        if len(longest) < ENOUGH_SAMPLES:
            self.rows.append(Row("threads, sockets, memory", "too short a run to tell"))
            return
        quarter = len(longest) // 4
        first, last = longest[:quarter], longest[-quarter:]
        self._growth("threads", [s.threads for s in first], [s.threads for s in last], MORE_THREADS)
        self._growth("sockets", [s.sockets for s in first], [s.sockets for s in last], MORE_SOCKETS)
        self._growth("open files", [s.files for s in first], [s.files for s in last], MORE_SOCKETS)
        self._growth("memory, MiB", [s.memory for s in first], [s.memory for s in last], MORE_MEMORY_MIB)

    def _longest_life(self) -> list[Sample]:
        """Samples of the process that lived longest, from the moment when all boards were busy."""
        lives = Counter(sample.life for sample in self.bot.samples)
        if not lives:
            return []
        life = lives.most_common(1)[0][0]
        samples = [sample for sample in self.bot.samples if sample.life == life]
        most = max(sample.games for sample in samples)
        busy = next(i for i, sample in enumerate(samples) if sample.games == most)
        return samples[busy:]

    def _growth(self, what: str, first: Sequence[float], last: Sequence[float], more: float) -> None:
        self.rows.append(
            Row(
                f"{what}: median of the first and the last quarter",
                f"{median(first):.0f}, {median(last):.0f}",
                f"<= {more:g} more",
                median(last) <= median(first) + more,
            )
        )
