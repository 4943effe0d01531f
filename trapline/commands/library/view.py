"""The commands that show what a library has: ``trapline library list``, ``show`` and ``export``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from trapline.commands.options import DbOption, JsonOption, SlugsArgument
from trapline.commands.resources import check_outputs, open_existing

if TYPE_CHECKING:
    from db.traps.trap import Trap


def list_(
    db: DbOption = None,
    as_json: JsonOption = False,
) -> None:
    """List the traps. `trapline query` finds some of them.

    Without a terminal each is a line with tabs: slug, verdict, victim, bait, killer line, name, reason. Only a famous
    line that is no trap has a reason.
    """
    from db.traps.answer import trap_to_dict
    from db.wording.claims import claim
    from trapline.commands.terminal import print_json, print_table, say, trap_count

    with open_existing(db) as opened:
        traps, frequencies = opened.traps(), opened.frequencies()
    if as_json:
        print_json([trap_to_dict(trap, frequencies.get(trap.slug)) for trap in traps])
        return
    rows = []
    for trap in traps:
        bait, *killer = trap.sans()
        rows.append((trap.slug, claim(trap), trap.victim, bait, " ".join(killer), trap.name, trap.reason))
    columns = ("slug", "verdict", "victim", "bait", "killer line", "name", "reason")
    print_table(trap_count(len(rows)), columns, rows)
    if not rows:
        say("the library has no traps")


def show(
    slug: Annotated[str, typer.Argument(metavar="SLUG", help="As `trapline library list` gives it.")],
    db: DbOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show one trap: its proof, the opinions on it, how the bait looks by depth, and how often people take it."""
    from dataclasses import asdict

    from db.traps.answer import trap_to_dict
    from db.wording.claims import is_rated
    from trapline.commands.terminal import print_json, print_trap

    with open_existing(db) as opened:
        trap = opened.trap(slug)
        if as_json:
            seen = [asdict(sighting) for sighting in opened.sightings(slug)]
            by_rating = opened.frequencies_by_rating(slug).get(slug, {})
            bands = {str(band): asdict(known) for band, known in by_rating.items()} if is_rated(by_rating) else {}
            found = {**trap_to_dict(trap, opened.frequency(slug)), "frequency_by_rating": bands}
            print_json({**found, "events": opened.events(slug), "sightings": seen})
        else:
            print_trap(trap, opened)


def export(
    slugs: SlugsArgument = None,
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", metavar="FILE", help="Output file, packed by its suffix. - is stdout."),
    ] = None,
    study: Annotated[
        str | None,
        typer.Option(metavar="FOLDER", help="Write them as chapters of lichess studies, 64 a file."),
    ] = None,
    db: DbOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="JSON instead of PGN.")] = False,
) -> None:
    """Write the traps as PGN games, which `trapline library import` reads back, or as JSON.

    With --study, write the proved ones as chapters of lichess studies instead. With --study and -o, write both.
    """
    from coach.study_files import study_files, write_study
    from db.formats.export_file import write_traps
    from db.games.trap_stats import stats_of
    from trapcore.proof.verdict import Verdict
    from trapline.commands.terminal import say, trap_count

    check_outputs([output, *study_files(study)], db)
    with open_existing(db) as opened:
        traps: list[Trap] = [opened.trap(slug) for slug in slugs] if slugs else opened.traps()
        if study is not None:
            # A chapter says that it is a trap.
            proved = [trap for trap in traps if trap.verdict is Verdict.PROVED]
            files = write_study([(trap, stats_of(opened, trap)) for trap in proved], study)
            others = len(traps) - len(proved)
            left = f"; {others:,} not proved and left out" if others else ""
            say(f"{trap_count(len(proved))} in {', '.join(map(str, files)) or 'no file'}{left}")
        if output is not None or study is None:
            write_traps(traps, output or "-", as_json=as_json, library=opened.name)
