"""The command ``trapline explore``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from trapline.commands.options import DbOption, JsonOption, SinceOption, UntilOption, bounds
from trapline.commands.resources import open_existing

if TYPE_CHECKING:
    from coach.repertoire.people import People
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
    people: Annotated[
        bool,
        typer.Option(
            "--people", help="Show what people play by rating, in the games and by a model, and what it costs."
        ),
    ] = False,
    db: DbOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show what was played in a position of the indexed games, how it ended, and who fell for its baits.

    Without a terminal each move is a line with tabs: SAN, count, wins of White, draws, wins of Black, mean rating, last
    year, trap. With `--people` it is: SAN, times by rating, shares by the model at four ratings, cost, `popular and
    wrong`. The last line has the win chance with the best move, and the practical score at each rating.
    """
    from coach.repertoire.people import ExploredPeople, people_of
    from db.games.explorer import board_of
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
        shown = people_of(library, board_of(fen, moves), found) if people else None
        indexed = library.counts().games
    if as_json:
        print_json((ExploredPeople.of(found, shown) if people else found).to_dict())
        return
    if shown is not None:
        _print_people(shown)
    elif found.moves or found.traps:
        _print(found)
    if not indexed:
        say("no games are indexed yet; `trapline index FILE` reads some")
    elif not found.games:
        asked = "the one indexed game" if indexed == 1 else f"any of the {indexed:,} indexed games that are asked about"
        say(f"the position did not occur in {asked}")


def _print_people(people: People) -> None:
    """Who plays which move, and what the position is worth."""
    from coach.repertoire.people import RATINGS
    from trapline.commands.terminal import print_table

    rows = [
        (
            move.san,
            ", ".join(f"{band}: {count} of {people.played[band]}" for band, count in move.played.items()),
            *(f"{share:.0%}" for share in move.model.values()),
            "" if move.cost is None else f"{move.cost:.2f}",
            "popular and wrong" if move.is_trap else "",
        )
        for move in people.moves
    ]
    if people.value is not None:
        best = f"{people.value:+.2f} with the best move, by {'the library' if people.is_stored else 'a search'}"
        rows.append(("practical score", best, *(f"{chance:+.2f}" for chance in people.practical.values()), "", ""))
    columns = ("move", "times by rating", *map(str, RATINGS), "costs", "")
    print_table("What people play here: in the games, and of each rating by the model", columns, rows)


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
