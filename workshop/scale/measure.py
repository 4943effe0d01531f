"""The measurements in their order. Each is stored in a file of figures as soon as it is there, and not made again."""

import dataclasses
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from db.library.open import open_library
from db.mining.candidates import candidates
from workshop.benchmarks.saved_runs import this_machine
from workshop.scale.made_up import simulate
from workshop.scale.runs import WAYS, Cost, cost, first_games
from workshop.write_report import write_text

Figures = dict[str, Any]
"""By the name of a measurement: the fields of `Cost`, or what `workshop.scale.made_up.simulate` returns."""
TRAPS = 500
"""Puzzles whose traps are merged into another library."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is measured; each list of sizes has the fewest games first."""

    many: Path
    """Games that are indexed and mined, not judged."""
    sizes: Sequence[int]
    """How many of them are indexed."""
    mined: Sequence[int]
    judged: Path
    """Games that are judged move by move, and annotated."""
    judged_sizes: Sequence[int]
    puzzles: Path | None
    """Lichess puzzles, for the merging of traps."""
    made_up: int
    """Positions in games of the made-up library; 0: none is made."""


def measure(plan: Plan, figures: Path, folder: Path, show: Callable[[str], None]) -> Figures:
    """Make what the file of figures has not yet, in a folder for large files. Returns all of it."""
    found: Figures = json.loads(figures.read_text("utf-8")) if figures.exists() else {}

    def keep(name: str, make: Callable[..., Any], *given: object) -> None:
        if name not in found:
            show(name)
            made = make(*given)
            found[name] = dataclasses.asdict(made) if dataclasses.is_dataclass(made) else made  # type: ignore[arg-type]
            write_text(figures, json.dumps(found, indent=1) + "\n")

    keep("machine", this_machine)
    sizes = {"index": plan.sizes, "mine": plan.mined, "judge": plan.judged_sizes, "annotate": plan.judged_sizes}
    for what, counts in sizes.items():
        source = plan.many if what in ("index", "mine") else plan.judged
        for size in counts:
            for way in WAYS[:1] if len(counts) > 1 and size == counts[-1] else WAYS:
                keep(f"{what}, {size}, {way}", _run, what, source, size, folder, way)
            if what == "index":
                keep(f"candidates, {size}", _candidates, source, size, folder)
    if plan.puzzles is not None:
        keep("merge", _merge, plan.puzzles, folder)
    if plan.made_up:
        keep("made up", simulate, folder, plan.made_up, plan.many)
    return found


def _run(what: str, source: Path, size: int, folder: Path, way: str) -> Cost:
    games, library, output = folder / "games.pgn", folder / f"{what}-{size}.sqlite", folder / "annotated.pgn"
    count = first_games(source, size, games)
    library.unlink(missing_ok=True)
    if what == "mine":
        library.write_bytes(_indexed(source, size, folder).read_bytes())
    elif what == "annotate":
        cost("", 0, ["library", "init", "--db", library], library, "")
    words: dict[str, list[str | Path]] = {
        "index": ["index", games, "--tell", "known", "--json"],
        "mine": ["mine", "--json"],
        "judge": ["index", games, "--tell", "losses", "--json"],
        "annotate": ["annotate", games, "-o", output, "--quiet"],
    }
    return cost(what, count, [*words[what], "--db", library], output if what == "annotate" else library, way)


def _indexed(source: Path, size: int, folder: Path) -> Path:
    """The library of so many games. An earlier run may have measured it in another folder."""
    path = folder / f"index-{size}.sqlite"
    if not path.exists():
        _run("index", source, size, folder, WAYS[0])
    return path


def _candidates(source: Path, size: int, folder: Path) -> dict[str, float]:
    """How many moves of a library would be mined, and the processor seconds to list them."""
    with open_library(_indexed(source, size, folder), read_only=True) as library:
        began = time.process_time()
        found = candidates(library, 5, None, None)
        return {"games": size, "candidates": len(found), "cpu": time.process_time() - began}


def _merge(puzzles: Path, folder: Path) -> dict[str, float]:
    """Processor seconds to make a library of puzzles, and to put its traps into another one; MiB of that."""
    ours, theirs, export = folder / "ours.sqlite", folder / "theirs.sqlite", folder / "export.pgn"
    for path in (ours, theirs):
        path.unlink(missing_ok=True)
        cost("", 0, ["library", "init", "--empty", "--db", path], path, "")
    made = cost("", 0, ["library", "import", puzzles, "--limit", str(TRAPS), "--db", theirs], theirs, "")
    written = cost("", 0, ["library", "export", "--db", theirs, "-o", export], export, "")
    merged = cost("", 0, ["library", "import", export, "--db", ours], ours, "")
    with open_library(ours, read_only=True) as library:
        traps = library.counts().traps
    seconds = {"made": made.cpu, "exported": written.cpu, "merged": merged.cpu}
    return {**seconds, "traps": traps, "peak": merged.peak, "size": merged.size}
