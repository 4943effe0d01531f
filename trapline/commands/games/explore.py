"""The command ``trapline explore``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from trapline.commands.options import DbOption, JsonOption, SinceOption, UntilOption, bounds
from trapline.commands.resources import open_existing

if TYPE_CHECKING:
    from db.games.explorer import Explored, PlayedMove, TrapHere


def explore(
    fen: Annotated[str | None, typer.Option(metavar="FEN", help="The position.")] = None,
    moves: Annotated[str | None, typer.Option(metavar="MOVES", help="From the usual start to the position.")] = None,
    rating: Annotated[
        str | None,
        typer.Option(metavar="LOW-HIGH", help="Only players of this rating. Either end may be left out."),
    ] = None,
    since: SinceOption = None,
    until: UntilOption = None,
    mirrored: Annotated[
        bool, typer.Option("--mirrored", help="Also count the position with colours exchanged.")
    ] = False,
    db: DbOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show what was played in a position of the indexed games, how it ended, and who fell for its baits.

    Without a terminal each move is a line with tabs: SAN, count, wins of White, draws, wins of Black, mean rating, last
    year, trap.
    """
    from db.games.explorer import explore as explored
    from trapline.commands.terminal import print_json, say

    least, most = bounds("rating", rating)
    with open_existing(db) as library:
        found = explored(
            library,
            fen=fen,
            moves=moves,
            min_rating=least,
            max_rating=most,
            since=since,
            until=until,
            mirrored=mirrored,
        )
        indexed = library.counts().games
    if as_json:
        print_json(found.to_dict())
        return
    if found.moves or found.traps:
        _print(found)
    if not indexed:
        say("no games are indexed yet; `trapline index FILE` reads some")
    elif not found.games:
        asked = "the one indexed game" if indexed == 1 else f"any of the {indexed:,} indexed games that are asked about"
        say(f"the position did not occur in {asked}")


def _print(found: Explored) -> None:
    from trapline.commands.terminal import print_table

    columns = ("move", "times", "White", "draws", "Black", "rating", "last", "trap")
    rows = [
        (
            move.san,
            f"{move.count:,}",
            f"{move.white:,}",
            f"{move.draws:,}",
            f"{move.black:,}",
            str(move.mean_rating or ""),
            str(move.last_year or ""),
            move.trap or "",
        )
        for move in found.moves
    ]
    games = f"{found.games:,} game{'' if found.games == 1 else 's'}"
    print_table(f"{games}: White won {found.white:,}, drawn {found.draws:,}, Black won {found.black:,}", columns, rows)
    moves = {move.uci: move for move in found.moves}
    for trap in found.traps:
        _print_trap(trap, moves.get(trap.bait))


def _print_trap(trap: TrapHere, move: PlayedMove | None) -> None:
    """What is known of a bait, and games in which it was taken; as talk, because the table is the answer."""
    from trapline.commands.terminal import say

    costs = "" if trap.cost is None else f", gives away {trap.cost:.2f}"
    mate = "" if trap.mate_in is None else f", mate in {trap.mate_in}"
    exchanged = ", with colours exchanged" if trap.mirrored else ""
    say(f"{trap.bait_san} is the bait of {trap.name} ({trap.slug}{exchanged}): {trap.verdict}{mate}{costs}")
    for game in () if move is None else move.fallers:
        white, black = (
            f"{name} ({elo})" if elo is not None else name
            for name, elo in ((game.white, game.white_elo), (game.black, game.black_elo))
        )
        where = game.address or game.event
        say(f"    {' '.join(filter(None, (white, '-', black, game.result, game.date, where)))}")
