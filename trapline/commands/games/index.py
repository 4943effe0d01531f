"""The command ``trapline index``."""

from __future__ import annotations

from typing import Annotated

import typer

from trapline.commands.options import ClusterOption, DbOption, JobsOption, JsonOption
from trapline.commands.resources import leave_if_failed, open_or_make, pool_for, say_engine
from trapline.echo import echo


def index(
    files: Annotated[list[str], typer.Argument(metavar="FILE", help="PGN files, packed or not. - is stdin.")],
    jobs: JobsOption = None,
    cluster: ClusterOption = None,
    tell: Annotated[
        str | None,
        typer.Option(
            metavar="known|similar|losses",
            help="losses: also search each new game for moves that lose by force, which takes far longer. Default: the "
            "setting `tell`, losses unless changed.",
        ),
    ] = None,
    db: DbOption = None,
    as_json: JsonOption = False,
) -> None:
    """Read games into the library and find its traps and your losing moves in them.

    `trapline report` and `trapline practise` use the losing moves. --tell known leaves them out, for large collections.
    The same games again change nothing. An interrupted run continues where it stopped. The exit code is 3 if a file
    cannot be read to its end.
    """
    from annotator.record import Recorded, record_losing_moves
    from annotator.settings import Tell
    from db.games.index_games import Progress, index_files
    from db.wording.languages.english import ENGLISH
    from trapcore.measures.options import chosen
    from trapline.commands.terminal import Status, counted, index_json, print_json, say
    from trapline.settings import read_settings

    settings = read_settings(**({} if tell is None else {"tell": chosen(Tell, tell)}))

    if settings.tell.judges_every_move:
        say_engine(settings)
    status = Status()

    def progress(done: Progress) -> None:
        part = f", {done.raw_done / done.raw_size:.0%}" if done.raw_size else ""
        status.show(f"{done.file}{part}: {done.new_games:,} new games, {done.positions:,} positions")

    def looked(now: Recorded) -> None:
        looked_through, found = now.games + now.done_before, done.games + done.resumed - done.skipped.total()
        status.show(f"{looked_through:,} of {found:,} games looked through, {now.losing_moves:,} losing moves")

    with pool_for(jobs, cluster) as pool, open_or_make(db) as opened:
        done = index_files(opened, files, pool=pool, progress=progress)
        recorded = Recorded()
        if settings.tell.judges_every_move:
            recorded = record_losing_moves(opened, files, settings, pool, progress=looked)
    status.clear()
    for unread in done.unread:
        say(f"not read: {unread}")
    for note in done.noted:
        say(note)
    if as_json:
        print_json(index_json(done, recorded))
    else:
        skipped = counted(sorted(done.skipped.items()))
        rated = f"{done.rated_games:,} games that were there got ratings; " if done.rated_games else ""
        echo(
            f"{done.games:,} games read, {done.new_games:,} of them new, with {done.positions:,} positions; {rated}"
            f"{done.resumed:,} games were done before; skipped: {skipped}; {done.sightings:,} new sightings of traps"
        )
        if settings.tell.judges_every_move:
            games, losing = (
                ENGLISH.counted(recorded.games, "game"),
                ENGLISH.counted(recorded.losing_moves, "losing move"),
            )
            echo(f"{games} looked through, {losing} in {'it' if recorded.games == 1 else 'them'}")
    leave_if_failed(done.failures)
