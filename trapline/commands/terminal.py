"""What the commands of this floor show: tables and JSON on standard output, talk on standard error."""

import json
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict

import chess
import typer

from db.formats.import_file import Imported
from db.games.index_games import Progress
from db.library.library import Library
from db.traps.temptation import UNKNOWN_RATING, Frequency, Profile, RatingBand, reasons
from db.traps.trap import Outcome, Trap
from trapcore.proof.mate import Verdict
from trapcore.proof.search import MATE, MATE_BOUND

_EACH_SECONDS = 0.2


def say(sentence: str) -> None:
    """One line of talk."""
    typer.echo(f"trapline: {sentence}", err=True)


class Status:
    """A line on a terminal that is written over; nothing where standard error is no terminal."""

    def __init__(self) -> None:
        """Nothing is shown yet."""
        self._live = sys.stderr.isatty()
        self._last = 0.0
        self._width = 0

    def show(self, text: str) -> None:
        """Write the text over the last one, five times a second at most."""
        now = time.monotonic()
        if self._live and now - self._last >= _EACH_SECONDS:
            typer.echo(f"\r{text:<{self._width}}", nl=False, err=True)
            self._last, self._width = now, len(text)

    def clear(self) -> None:
        """Take the line away."""
        if self._width:
            typer.echo("\r" + " " * self._width + "\r", nl=False, err=True)
            self._width = 0


def print_json(value: object) -> None:
    """One JSON value and a line end."""
    typer.echo(json.dumps(value, ensure_ascii=False, indent=2))


def print_table(title: str, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """A table on a terminal; elsewhere a line a row with tabs between, for other programs."""
    if not sys.stdout.isatty():
        for row in rows:
            typer.echo("\t".join(row))
        return
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(title=title)
    for column in columns:
        table.add_column(column)
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    Console().print(table)


def claim(trap: Trap) -> str:
    """What is known about a trap, in a few words that say no more than its proof."""
    if trap.verdict is Verdict.PROVED:
        if trap.outcome is Outcome.MATE:
            return f"proved, mate in {trap.mate_in}"
        return "proved" if trap.gain is None else f"proved, gains {trap.gain:.2f}"
    said = f"said to win {'by mate' if trap.outcome is Outcome.MATE else 'material'}"
    return f"{trap.verdict}, {said}" + (", known as no trap" if trap.reason else "")


def contradiction(trap: Trap) -> str:
    """Who contradicts whom about a disputed trap, and what is claimed all the same."""
    held = [f"{opinion.verdict} by {opinion.by}" for opinion in trap.opinions]
    if trap.reason:
        held.append(f"no trap because: {trap.reason}")
    return f"opinions contradict each other ({'; '.join(held)}); {claim(trap)}"


def print_trap(trap: Trap, library: Library) -> None:
    """Everything about one trap, a field a line."""
    bait, *killer = trap.sans()
    events = library.events(trap.slug)
    frequency = library.frequency(trap.slug)
    by_rating = library.frequencies_by_rating(trap.slug).get(trap.slug, {})
    proof = trap.proof_by and f"{trap.proof_by}, {trap.proof_nodes:,} nodes"
    if trap.proof_depth is not None:
        proof += f", depth {trap.proof_depth}"
    fields = {
        "name": trap.name,
        "slug": trap.slug,
        "family": trap.family,
        "opening": " ".join(filter(None, (trap.eco, trap.opening))),
        "moves": trap.moves or "",
        "position": trap.epd,
        "victim": trap.victim,
        "bait": bait,
        "killer line": " ".join(killer),
        "verdict": claim(trap),
        "reason": trap.reason,
        "proof": proof,
        "disputed": contradiction(trap) if trap.is_disputed else "",
        "tempts": temptation(trap.profile, frequency),
        "in the games": ", ".join(f"{event} {count:,}" for event, count in events.items()),
        "source": trap.source,
    }
    if sys.stdout.isatty():
        typer.echo(trap.board().unicode(empty_square="·", borders=False))
    for name, value in fields.items():
        if value:
            typer.echo(f"{name:<13} {value}")
    if is_rated(by_rating):
        typer.echo(f"\nrating     had the choice  played {bait}")
        for band, known in by_rating.items():
            typer.echo(f"{band!s:<9}  {known.decisions:>14,}  {known.played:>{len(bait) + 7},}  {known.share:>4.0%}")
    if trap.opinions:
        typer.echo("\nverdict    gain        nodes  depth  day         by")
    for said in trap.opinions:
        gain = "" if said.gain is None else f"{said.gain:.2f}"
        depth = "" if said.depth is None else str(said.depth)
        typer.echo(f"{said.verdict:<9}  {gain:>4}  {said.nodes:>11,}  {depth:>5}  {said.date:<10}  {said.by}")
    if trap.profile is not None and trap.profile.depths:
        typer.echo(f"\ndepth  {bait:>7}  best other move  (for {trap.victim}, in pawns)")
    for at in trap.profile.depths if trap.profile is not None else ():
        typer.echo(f"{at.depth:>5}  {pawns(at.bait):>7}  {pawns(at.best):>15}")


def is_rated(by_rating: Mapping[RatingBand, Frequency]) -> bool:
    """Whether the rating of anybody who had the choice is known."""
    return bool(by_rating.keys() - {UNKNOWN_RATING})


def temptation(profile: Profile | None, frequency: Frequency) -> str:
    """Why a bait tempts, with the figures; the figures alone if it does not; empty if nothing is known."""
    figures = []
    if profile is not None:
        figures.append(f"rank {profile.rank} at first sight, seems to win {pawns(profile.gain)}")
    if frequency.decisions:
        figures.append(f"played {frequency.played:,} times of {frequency.decisions:,}")
    if not figures:
        return ""
    found = reasons(profile, frequency)
    return f"{'by ' + ' and '.join(found) if found else 'no'} ({', '.join(figures)})"


def pawns(value: int) -> str:
    """Centipawns as pawns, ``+0.35``; a mate as its distance in moves, ``#2`` or ``#-2`` if the victim is mated."""
    if abs(value) <= MATE_BOUND:
        return f"{value / 100:+.2f}"
    moves = max(0, (MATE - abs(value) + 1) // 2)
    return f"#{'-' if value < 0 else ''}{moves}"


def numbered_line(trap: Trap, number: int) -> tuple[str, str, str]:
    """Bait, killer, and the rest of the line, as ``5...Bxd1``, ``6.Bxf7+`` and ``Ke7 7.Nd5#``.

    ``number`` is that of the move which the bait is.
    """
    words: list[str] = []
    board = trap.board()
    board.fullmove_number = number
    for count, uci in enumerate(trap.line):
        move = chess.Move.from_uci(uci)
        if board.turn:
            words.append(f"{board.fullmove_number}.{board.san(move)}")
        else:
            words.append(f"{board.fullmove_number}...{board.san(move)}" if not count else board.san(move))
        board.push(move)
    return words[0], words[1], " ".join(words[2:])


def percent(share: float) -> str:
    """``12 %``; one figure more below 10 %, so that little is not nothing."""
    return f"{100 * share:.0f} %" if share >= 0.1 or share == 0 else f"{100 * share:.1f} %"


def year(date: str) -> str:
    """The part of a PGN date that is known, from the left: ``1900.??.??`` gives ``1900``; a date in full stays."""
    return date.partition(".?")[0].strip("?.")


def trap_json(trap: Trap, frequency: Frequency | None = None) -> dict[str, object]:
    """The fields of a trap, its moves in SAN, and why it tempts: None if nothing is known of that.

    ``frequency`` is how often the bait was played, None if its position did not occur.
    """
    bait, *killer = trap.sans()
    played = frequency if frequency is not None else Frequency(decisions=0, played=0)
    known = trap.profile is not None or played.decisions > 0
    return {
        **trap.content(),
        "bait_san": bait,
        "killer_line_san": killer,
        "is_disputed": trap.is_disputed,
        "frequency": {"decisions": played.decisions, "played": played.played},
        "tempts": reasons(trap.profile, played) if known else None,
    }


def import_json(report: Imported) -> dict[str, object]:
    """The counts of an import."""
    return {
        "file": report.file,
        "read": report.read,
        **{str(result): count for result, count in sorted(report.results.items())},
        "verdicts": {str(verdict): count for verdict, count in sorted(report.verdicts.items())},
        "bad": [asdict(bad) for bad in report.bad],
        "sightings": report.sightings,
        "failure": None if report.failure is None else str(report.failure),
    }


def index_json(done: Progress) -> dict[str, object]:
    """The counts of an indexing run."""
    return {
        "games": done.games,
        "new_games": done.new_games,
        "rated_games": done.rated_games,
        "resumed_games": done.resumed,
        "positions": done.positions,
        "sightings": done.sightings,
        "skipped": dict(sorted(done.skipped.items())),
        "failures": [str(failure) for failure in done.failures],
        "seconds": round(done.seconds, 3),
    }


def trap_count(count: int) -> str:
    """``1 trap``, ``2 traps``."""
    return f"{count:,} trap{'' if count == 1 else 's'}"


def counted(counts: Iterable[tuple[object, int]]) -> str:
    """``3 added, 1 bad``; without the zeros."""
    return ", ".join(f"{count:,} {what}" for what, count in counts if count) or "nothing"
