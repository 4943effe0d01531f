"""The page of the measurements: what was measured, a month of lichess computed from it, what would have to change."""

import math
from collections.abc import Iterator

from workshop.report import Report, Table
from workshop.scale.measure import Figures
from workshop.scale.runs import WAYS

MONTH = 100_000_000
"""Games of a month of lichess."""
SHARD = 100_000
"""Games of one of the libraries that a month is divided into."""
CORES, DAYS = 16, 7
"""A machine, and how long it works."""
_NAMES = {
    "index": "`index --tell known`",
    "mine": "`mine`, games indexed before",
    "judge": "`index --tell losses`",
    "annotate": "`annotate`",
}
_BEFORE = """\
This page measures what `annotate`, `index` and `mine` cost by the number of games. From that it computes a month of
lichess, taken as {month:,} games. A command measured it and wrote the page:

    trapline research scale masters.pgn.zst --judged club.pgn --puzzles puzzles.csv.zst --made-up 50000000 \\
        --figures scale.json -o scale.md

It ran on {cores} cores of a server ({cpu}), beside other programs. So processor time counts here, and the
clock says little. The engine was off.

Most games are not from lichess. `index --tell known` and `mine` read games of masters, which have {masters:.0f}
positions a game. `index --tell losses` and `annotate` judge every move, so they read {judged} club games from lichess,
which have {club:.0f} positions a game. Costs of indexing are reduced by that ratio below. Club players also repeat
other openings, and fall for more traps, than masters. So the figures for `mine` are the least certain."""
_GROWTH = """\
The next table compares the smallest and the largest number of games. The exponent `x` says that the cost grows as
`n^x`. For `index` at these numbers, `n log n` would show as {limit:.2f}, and more is a fault. The start of `index`,
{start:.1f} s, is left out. For the games that are judged, `n` counts positions, because the first games are short."""
_MADE_UP = """\
A month in one library would be far larger than what was measured. So a library of made-up games shows how a large one
answers: {games:,} games, {occurrences:,} positions in games. Making it took {cpu:.0f} s of processor time. The file has
{size:.1f} GiB. Its keys of positions are spread evenly, as real ones are. That is the largest that ten minutes of this
machine were enough for. The last two rows include the start of the program, and the last one also makes a library."""
_MERGE = """\
No command merges the games of two libraries. A library of all games has to index all games, and one program at a time
writes to it. Traps can be merged: `trapline library export`, then `trapline library import` into the merged library.
The import proves the traps again. A library of {traps:,.0f} traps of puzzles took {made:.1f} s of processor time to
make, {exported:.1f} s to export, and {merged:.1f} s to import into another one. That has {size:.1f} MiB then, and the
import took {peak:.0f} MiB of memory. So merging a trap costs what proving it costs. It grows with the traps alone."""
_MONTH = """\
A shard is a library of {shard:,} games, the size that was measured. A month has {shards:,} shards. Each is indexed and
mined by itself, on any machine, and their traps are merged. A machine has {cores} cores and works for {days} days.
Run one trapline a core, each on a shard of its own, with {peak:,.0f} MiB of memory. More threads or Dask workers for
one shard do not help `index`, because one process does all the writing."""
_AFTER = """\
- **Bytes written.** This is the one measured cost that grows faster than `n log n`. `index` stores about 600 games a
  transaction. Their new positions fall on pages all over the index of keys. So the bytes written a game grow with the
  library, until each new position writes two pages of its own, about 1 MB a game. Larger transactions write less, but
  other programs would wait longer than the five seconds that they have. The rows of many transactions should be
  collected without that index, and be sorted into it once. Until then, keep shards small.
- **Merging.** There is no command that merges the games of two libraries. A merge would also count the moves that were
  played five times in the month, but less often in each shard. Today `mine` misses these. Games could be divided among
  shards by their first moves, so that equal positions meet in one shard.
- **`explore`.** It adds up all games of a position whenever you ask. A table of sums for the positions of many games
  would answer at once.
- **`mine`.** It sorts all positions in games in temporary files, and holds all moves to examine in memory. They should
  be read position by position, in the order in which they are stored.
- **Comments on earlier games.** `annotate` asks a library of judged games whether the player made the same mistake
  before. It reads all losing moves of that pattern. So `n` games beside `n` judged ones cost `n^2`, which was read in
  the code and not measured. An index on the players' names would do. Libraries made with `--tell known` are not
  affected.
- **Judging.** No month can be judged move by move. `index --tell losses` and `annotate` are for a player or a club.
- **A real month.** A sample of it should be measured with this command first, in place of masters' games."""


def report(figures: Figures) -> Report:
    """The page. Raises `KeyError` if a measurement is missing."""
    machine, club = figures["machine"], _last(figures, "judge")
    masters = _positions(_last(figures, "index"))
    before = _BEFORE.format(
        month=MONTH,
        cores=machine["cores"],
        cpu=machine["cpu"],
        masters=masters,
        judged=club["games"],
        club=_positions(club),
    )
    blocks: list[str | Table] = [before, "## What was measured", _measured(figures)]
    small, large = _runs(figures, "index")[0]["games"], _last(figures, "index")["games"]
    limit = 1 + math.log(math.log(large) / math.log(small)) / math.log(large / small) if small < large else 1
    blocks += [_GROWTH.format(limit=limit, start=_start(figures, "index")), _growth(figures)]
    if "made up" in figures:
        made = figures["made up"]
        asked = Table(("question", "cost"), tuple(map(tuple, made["answers"])))
        blocks += ["## A large library", _MADE_UP.format(**made), asked]
    if "merge" in figures:
        blocks += ["## Merging", _MERGE.format(**figures["merge"])]
    told = {"shard": SHARD, "shards": MONTH // SHARD, "cores": CORES, "days": DAYS}
    told["peak"] = max(_last(figures, what)["peak"] for what in ("index", "mine"))
    blocks += ["## A month of lichess", _MONTH.format(**told), _month(figures), *_changes(figures)]
    return Report("Scale", tuple(blocks))


def _runs(figures: Figures, what: str, way: str = WAYS[0]) -> list[Figures]:
    """The runs of a command in one way, the fewest games first."""
    runs = [one for name, one in figures.items() if name.startswith(f"{what}, ") and one.get("way", way) == way]
    return sorted(runs, key=lambda one: int(one["games"]))


def _last(figures: Figures, what: str) -> Figures:
    return _runs(figures, what)[-1]


def _positions(run: Figures) -> float:
    return float(run["answer"]["positions"] / run["answer"]["new_games"])


def _measured(figures: Figures) -> Table:
    rows = []
    for what, name in _NAMES.items():
        for way in WAYS:
            for run in _runs(figures, what, way):
                games = run["games"]
                rows.append((
                    name, f"{games:,}", way, f"{run['cpu']:,.0f}", f"{1000 * run['cpu'] / games:,.2f}",
                    f"{run['wall']:,.0f}", f"{run['peak']:,.0f}", f"{1024 * run['written'] / games:,.0f}",
                    f"{1024 * run['size'] / games:,.1f}",
                ))  # fmt: skip
    header = ("command", "games", "on", "processor s", "ms a game", "clock s", "peak MiB", "KiB written a game")
    return Table((*header, "KiB of result a game"), tuple(rows))


def _start(figures: Figures, what: str) -> float:
    """Processor seconds without any game, by a line through the two smallest runs; 0 with a single one."""
    runs = _runs(figures, what)
    if len(runs) < 2:
        return 0.0
    (small, large), games = runs[:2], runs[1]["games"] - runs[0]["games"]
    return float(max(0.0, small["cpu"] - small["games"] * (large["cpu"] - small["cpu"]) / games)) if games else 0.0


def _exponent(small: tuple[float, float], large: tuple[float, float]) -> float:
    """``x`` of ``n^x`` through two pairs of games and cost; 1 where they are no two."""
    if small[0] == large[0] or min(*small, *large) <= 0:
        return 1.0
    return math.log(large[1] / small[1]) / math.log(large[0] / small[0])


def _growth(figures: Figures) -> Table:
    fields = {"cpu": "processor time", "peak": "peak memory", "written": "bytes written", "size": "size of the library"}
    rows = []
    judged = {run["games"]: run["answer"]["positions"] for run in _runs(figures, "judge")}
    for what in _NAMES:
        runs, start = _runs(figures, what), _start(figures, what)
        counts = [run["games"] if what in ("index", "mine") else judged[run["games"]] for run in runs]
        for field, name in fields.items():
            costs = [run[field] - (start if field == "cpu" else 0) for run in runs]
            if what == "index" or field == "cpu":
                unit = "s" if field == "cpu" else "MiB"
                rows.append((_NAMES[what], name, *_ends(list(zip(counts, costs, strict=True)), unit)))
    counted = _runs(figures, "candidates")
    for field, name, unit in (("candidates", "moves to examine", ""), ("cpu", "time to list them", "s")):
        rows.append((_NAMES["mine"], name, *_ends([(run["games"], run[field]) for run in counted], unit)))
    return Table(("command", "what", "least games", "most games", "x"), tuple(rows))


def _ends(ends: list[tuple[float, float]], unit: str) -> tuple[str, str, str]:
    cells = [f"{value:,.{1 if value < 100 and unit else 0}f} {unit}".strip() for _, value in (ends[0], ends[-1])]
    return cells[0], cells[1], f"{_exponent(ends[0], ends[-1]):.2f}"


def _slope(runs: list[Figures], field: str) -> float:
    """What one more game adds, by a line through the smallest and the largest run."""
    small, large = runs[0], runs[-1]
    if small["games"] == large["games"]:
        return float(large[field] / large["games"])
    return float((large[field] - small[field]) / (large["games"] - small["games"]))


def month(figures: Figures) -> dict[str, float]:
    """Processor hours, gigabytes and moves to examine of a month, by name."""
    index, judged, annotated = (_runs(figures, what) for what in ("index", "judge", "annotate"))
    ratio = _positions(judged[-1]) / _positions(index[-1])
    mined, counted = _last(figures, "mine"), _runs(figures, "candidates")
    exponent = _exponent(*((run["games"], run["candidates"]) for run in (counted[0], counted[-1])))
    of_shard = counted[-1]["candidates"] * (SHARD / counted[-1]["games"]) ** exponent
    hours, gigabytes = MONTH / 3600, MONTH * 2**20 / 1e9
    return {
        "index": hours * _slope(index, "cpu") * ratio,
        "mine": hours / SHARD * of_shard * mined["cpu"] / max(1, mined["answer"]["candidates"]),
        "judge": hours * _slope(judged, "cpu"),
        "annotate": hours * _slope(annotated, "cpu"),
        "library": gigabytes * _slope(index, "size") * ratio,
        "judged library": gigabytes * _slope(judged, "size"),
        "annotated": gigabytes * _slope(annotated, "size"),
        "written": gigabytes * _slope(index, "written") * ratio,
        "candidates": of_shard,
    }


def _month(figures: Figures) -> Table:
    found = month(figures)
    disk = {"index": "library", "mine": "", "judge": "judged library", "annotate": "annotated"}
    rows = []
    for what, name in _NAMES.items():
        hours = found[what]
        size = f"{found[disk[what]]:,.0f}" if disk[what] else "little"
        rows.append((name, f"{hours:,.0f}", f"{math.ceil(hours / (24 * DAYS * CORES)):,}", size))
    return Table(("command", "processor hours", f"machines for {DAYS} days", "GB of result"), tuple(rows))


def _changes(figures: Figures) -> Iterator[str]:
    found = month(figures)
    size, moves = 1000 * found["library"] / (MONTH / SHARD), found["candidates"]
    yield (
        f"The library of a shard has {size:,.0f} MB, and `mine` examines about {moves:,.0f} moves in it. While the "
        f"libraries of the month are made, they write {found['written'] / 1000:,.0f} TB to the disks, see below."
    )
    yield "## What would have to change before somebody does it"
    yield _AFTER.strip()
