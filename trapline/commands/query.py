"""The command ``trapline query``.

Everything but typer is imported when the command runs, so that ``trapline --help`` stays quick. Results go to
standard output, messages to standard error.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from trapline.commands.options import DbOption, JsonOption, bounds
from trapline.commands.resources import open_existing
from trapline.echo import echo

if TYPE_CHECKING:
    from db.query.answer import Page
    from db.query.mistakes import MistakeQuery

SHOWN_PLIES = 3
"""Of a line that punishes a losing move."""


def query(
    like: Annotated[
        str | None,
        typer.Option(metavar="GAME#MOVE|FEN|TRAP", help="Losing moves most like this move, position or trap."),
    ] = None,
    cause: Annotated[
        str | None, typer.Option(metavar="KEY", help="Losing moves with this cause: threat, taken, fork, ...")
    ] = None,
    mechanism: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Losing moves punished by this: a key, or words of its name.")
    ] = None,
    place: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Losing moves punished there: a key, or words of its name.")
    ] = None,
    fen: Annotated[str | None, typer.Option(metavar="FEN", help="The position before the bait, quoted.")] = None,
    moves: Annotated[
        str | None, typer.Option(metavar="MOVES", help="The same as moves from the usual start, quoted.")
    ] = None,
    similar: Annotated[
        int | None, typer.Option(metavar="K", help="Add the K most similar traps, 1 to 100. Needs a position.")
    ] = None,
    unproved: Annotated[
        bool, typer.Option("--unproved", help="Add similar traps whose killer is not proved to work here.")
    ] = False,
    name: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Name, family or slug. Typing errors do not matter.")
    ] = None,
    family: Annotated[str | None, typer.Option(metavar="WORD", help="Only traps of this family.")] = None,
    eco: Annotated[
        str | None, typer.Option(metavar="CODE", help="ECO code, its beginning, or a range: C41, B1, B10-B19.")
    ] = None,
    opening: Annotated[str | None, typer.Option(metavar="TEXT", help="Part of the opening's name.")] = None,
    victim: Annotated[str | None, typer.Option(metavar="white|black", help="The side that falls into it.")] = None,
    outcome: Annotated[str | None, typer.Option(metavar="mate|material", help="What the attacker gets.")] = None,
    verdict: Annotated[
        str | None, typer.Option(metavar="proved|refuted|undecided", help="Only traps with this verdict.")
    ] = None,
    bait: Annotated[str | None, typer.Option(metavar="MOVE", help="The bait, SAN or UCI.")] = None,
    killer: Annotated[
        str | None, typer.Option(metavar="MOVE", help="First move of the killer line, SAN or UCI.")
    ] = None,
    player: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Seen in games of this player. A part of the name is enough.")
    ] = None,
    event: Annotated[
        str | None, typer.Option(metavar="fell|avoided|...", help="Seen with this event, in such games or in any.")
    ] = None,
    rating: Annotated[
        str | None, typer.Option(metavar="LOW-HIGH", help="Count only victims of this rating: 1200-1600.")
    ] = None,
    min_frequency: Annotated[
        float | None, typer.Option(metavar="SHARE", help="Least share of those who took the bait, 0 to 1.")
    ] = None,
    sort: Annotated[
        str | None,
        typer.Option(
            metavar="match|slug|name|length|frequency|gain",
            help="Order. Default: match for a position or a name, else slug.",
        ),
    ] = None,
    limit: Annotated[int, typer.Option(metavar="N", help="Hits of a page, 1 to 200.")] = 20,
    after: Annotated[
        str | None, typer.Option(metavar="CURSOR", help="The page after this cursor, which the page before named.")
    ] = None,
    db: DbOption = None,
    as_json: JsonOption = False,
    as_pgn: Annotated[bool, typer.Option("--pgn", help="Print the traps as PGN games.")] = False,
) -> None:
    """Find traps by position, similarity, name and fields. All given conditions must hold.

    A position finds the traps of that very position, in either colour. --similar adds traps that are like it and whose
    killer is proved to work in it.

    --like, --cause, --mechanism and --place find losing moves instead, of the indexed games and of those that come with
    trapline. The most similar come first, else the newest. --victim narrows them; --player (who made the move), --eco
    and --rating narrow those of games.

    Without a terminal each trap is a line with tabs: match, similarity, slug, verdict, victim, bait, killer line, name.
    """
    from db.query.engine import QueryEngine
    from db.query.query import Query, Sort
    from trapcore.errors import UsageError
    from trapcore.measures.options import chosen
    from trapline.commands.terminal import Status, print_json, say
    from trapline.settings import read_settings

    if as_json and as_pgn:
        raise UsageError("choose one of --json and --pgn")
    low, high = bounds("rating", rating)
    if any(each is not None for each in (like, cause, mechanism, place)):
        given = (fen, moves, similar, name, family, opening, outcome, verdict, bait, killer, event, min_frequency)
        if any(each is not None for each in (*given, sort, after)) or unproved or as_pgn:
            raise UsageError("losing moves take only --player, --victim, --eco, --rating, --limit and --json")
        from db.query.mistakes import MistakeQuery

        about = {"player": player, "victim": victim, "eco": eco, "min_rating": low, "max_rating": high, "limit": limit}
        _mistakes(MistakeQuery(like=like, cause=cause, mechanism=mechanism, place=place, **about), db, as_json)  # type: ignore[arg-type]
        return
    condition = Query(
        fen=fen,
        moves=moves,
        similar=similar,
        unproved=unproved,
        name=name,
        family=family,
        eco=eco,
        opening=opening,
        victim=victim,
        outcome=outcome,
        verdict=verdict,
        bait=bait,
        killer=killer,
        player=player,
        event=event,
        min_rating=low,
        max_rating=high,
        min_frequency=min_frequency,
        sort=None if sort is None else chosen(Sort, sort),
        limit=limit,
        after=after,
    )
    status = Status()
    with open_existing(db) as library:
        query_engine = QueryEngine(library, measure=read_settings().measure, log=status.show)
        try:
            page = query_engine.ask(condition)
        finally:
            query_engine.close()
            status.clear()
        if as_json:
            print_json(page.to_dict())
        elif as_pgn:
            from db.formats.pgn_export import trap_game

            echo("".join(trap_game(hit.trap) for hit in page.hits), nl=False)
        else:
            _print(page)
    if not page.hits:
        say("there are no such traps" if after is None else "there are no more such traps")
    if page.other_castling:
        say(f"the library has this position with other castling rights: {', '.join(page.other_castling)}")
    if page.hits and page.next is not None and not as_json:
        say(f"there are more; go on with --after {page.next}")


def _mistakes(query: MistakeQuery, db: str | None, as_json: bool) -> None:
    from db.query.mistakes import find_mistakes
    from trapline.commands.terminal import print_json, print_table, say

    with open_existing(db) as library:
        page = find_mistakes(library, query)
    if as_json:
        print_json(page.to_dict())
        return
    rows = []
    for hit in page.mistakes:
        similarity = "" if hit.similarity is None else f"{hit.similarity:.2f}"
        move = f"{hit.number or ''}{'...' if hit.colour == 'black' else '.' if hit.number else ''}{hit.played}"
        where = "bundled" if hit.bundled else f"{hit.game}#{hit.ply}"
        game = hit.epd if hit.bundled else f"{hit.white} – {hit.black}"
        line = " ".join(hit.killer_line[:SHOWN_PLIES])
        rows.append((similarity, where, hit.date, move, line, hit.name, game))
    columns = ("similarity", "move", "date", "played", "killer line", "pattern", "game or position")
    print_table(f"{len(rows):,} losing move{'' if len(rows) == 1 else 's'}", columns, rows)
    if not rows:
        say("there are no such losing moves")


def _print(page: Page) -> None:
    from db.wording.claims import claim
    from trapline.commands.terminal import print_table, trap_count

    rows = []
    for hit in page.hits:
        bait, *killer = hit.trap.sans()
        similarity = "" if hit.similarity is None else f"{hit.similarity:.2f}"
        line = " ".join(killer)
        rows.append(
            (str(hit.match), similarity, hit.trap.slug, claim(hit.trap), hit.trap.victim, bait, line, hit.trap.name)
        )
    of = "" if page.total in (None, len(rows)) else f" of {page.total:,}"
    columns = ("match", "similarity", "slug", "verdict", "victim", "bait", "killer line", "name")
    print_table(trap_count(len(rows)) + of, columns, rows)
