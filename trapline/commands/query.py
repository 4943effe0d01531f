"""The command ``trapline query``.

Everything but typer is imported when the command runs, so that ``trapline --help`` stays quick. Results go to
standard output, messages to standard error.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated
from xml.sax.saxutils import escape

import typer

from trapline.commands.options import DbOption, JsonOption, bounds
from trapline.commands.resources import open_existing
from trapline.echo import echo

if TYPE_CHECKING:
    from db.query.answer import Hit, Page
    from db.query.mistakes import MistakeQuery

SHOWN_PLIES = 3
"""Of a line that punishes a losing move."""

RED, GREEN = "#c0392bcc", "#27864ecc"
"""Colours of the arrows for bait and killer."""


def query(
    like: Annotated[
        str | None,
        typer.Option(metavar="GAME#MOVE|FEN|TRAP", help="Losing moves most like this move, position or trap."),
    ] = None,
    cause: Annotated[
        str | None, typer.Option(metavar="KEY", help="Losing moves with this cause: threat, taken, fork, ...")
    ] = None,
    mechanism: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Losing moves that are punished so: a key or words of it.")
    ] = None,
    place: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Losing moves that are punished there: a key or words of it.")
    ] = None,
    fen: Annotated[str | None, typer.Option(metavar="FEN", help="The position before the bait, quoted.")] = None,
    moves: Annotated[
        str | None, typer.Option(metavar="MOVES", help="The same as moves from the usual start, quoted.")
    ] = None,
    similar: Annotated[
        int | None, typer.Option(metavar="K", help="The K most similar traps as well, 1 to 100; needs a position.")
    ] = None,
    unproved: Annotated[
        bool, typer.Option("--unproved", help="Show similar traps also if their killer is not proved to work here.")
    ] = False,
    measure: Annotated[
        str | None,
        typer.Option(
            metavar="abstracted|sequences|continuations|structural",
            help="By which they are similar. Default: the setting `measure`.",
        ),
    ] = None,
    min_similarity: Annotated[
        float | None, typer.Option(metavar="SHARE", help="Only as similar or more, 0 to 1.")
    ] = None,
    name: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Name, family or slug; typing errors are forgiven.")
    ] = None,
    family: Annotated[str | None, typer.Option(metavar="WORD", help="Only traps of this family.")] = None,
    eco: Annotated[
        str | None, typer.Option(metavar="CODE", help="ECO code, its beginning, or a range: C41, B1, B10-B19.")
    ] = None,
    opening: Annotated[str | None, typer.Option(metavar="TEXT", help="Part of the opening's name.")] = None,
    victim: Annotated[str | None, typer.Option(metavar="white|black", help="Who falls into it.")] = None,
    outcome: Annotated[str | None, typer.Option(metavar="mate|material", help="What the attacker gets.")] = None,
    verdict: Annotated[
        str | None, typer.Option(metavar="proved|refuted|undecided", help="Only traps with this verdict.")
    ] = None,
    source: Annotated[str | None, typer.Option(metavar="TEXT", help="How the source begins.")] = None,
    bait: Annotated[str | None, typer.Option(metavar="MOVE", help="The bait, SAN or UCI.")] = None,
    killer: Annotated[
        str | None, typer.Option(metavar="MOVE", help="First move of the killer line, SAN or UCI.")
    ] = None,
    min_length: Annotated[
        int | None, typer.Option(metavar="N", help="Attacker's moves in the killer line, at least.")
    ] = None,
    max_length: Annotated[int | None, typer.Option(metavar="N", help="The same, at most.")] = None,
    player: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Seen in games of this player; part of the name.")
    ] = None,
    event: Annotated[
        str | None, typer.Option(metavar="fell|avoided|...", help="Seen with this event, in such games or in any.")
    ] = None,
    rating: Annotated[
        str | None, typer.Option(metavar="LOW-HIGH", help="Frequencies among victims of such a rating: 1200-1600.")
    ] = None,
    min_frequency: Annotated[
        float | None, typer.Option(metavar="SHARE", help="The bait was played by so many of those who could, 0 to 1.")
    ] = None,
    sort: Annotated[
        str | None,
        typer.Option(
            metavar="match|slug|name|length|frequency|gain",
            help="Order; by default match for a position or a name, else slug.",
        ),
    ] = None,
    limit: Annotated[int, typer.Option(metavar="N", help="Hits of a page, 1 to 200.")] = 20,
    after: Annotated[
        str | None, typer.Option(metavar="CURSOR", help="Go on after a page: what it gave as next.")
    ] = None,
    db: DbOption = None,
    as_json: JsonOption = False,
    as_pgn: Annotated[bool, typer.Option("--pgn", help="The traps as PGN games.")] = False,
    as_svg: Annotated[
        bool,
        typer.Option("--svg", help="The board of the first hit, bait red and killer green; with -o that of each."),
    ] = False,
    output: Annotated[
        str | None, typer.Option("--output", "-o", metavar="FOLDER", help="With --svg: a file for each hit.")
    ] = None,
) -> None:
    """Find traps by position, similarity, name and fields; all conditions that are given must hold.

    With --like, --cause, --mechanism or --place find losing moves instead, of the indexed games and those that come
    with trapline: the most similar first, else the newest. Of the other conditions these take --victim, and for moves
    of games --player (who made the move), --eco and --rating.

    A position finds the traps of that very position, in either colour. With --similar it also finds traps that are like
    it and whose killer is proved to work in it.

    Without a terminal each trap is a line with tabs between the columns: match, similarity, slug, verdict, victim,
    bait, killer line, name.
    """
    from db.query.engine import QueryEngine
    from db.query.query import Query, Sort
    from trapcore.errors import UsageError
    from trapcore.measures.options import chosen, indexed
    from trapline.commands.terminal import Status, print_json, say
    from trapline.settings import read_settings

    if as_json + as_pgn + as_svg > 1:
        raise UsageError("choose one of --json, --pgn and --svg")
    if output is not None and not as_svg:
        raise UsageError("-o belongs to --svg; standard output can be sent to a file by the shell")
    low, high = bounds("rating", rating)
    if any(each is not None for each in (like, cause, mechanism, place)):
        given = (fen, moves, similar, measure, min_similarity, name, family, opening, outcome, verdict, source, bait)
        others = (killer, min_length, max_length, event, min_frequency, sort, after, unproved or None, as_pgn or None)
        if any(each is not None for each in (*given, *others)) or as_svg:
            raise UsageError("with losing moves go --player, --victim, --eco, --rating, --limit and --json only")
        from db.query.mistakes import MistakeQuery

        about = {"player": player, "victim": victim, "eco": eco, "min_rating": low, "max_rating": high, "limit": limit}
        _mistakes(MistakeQuery(like=like, cause=cause, mechanism=mechanism, place=place, **about), db, as_json)  # type: ignore[arg-type]
        return
    condition = Query(
        fen=fen,
        moves=moves,
        similar=similar,
        unproved=unproved,
        measure=None if measure is None else indexed(measure),
        min_similarity=min_similarity,
        name=name,
        family=family,
        eco=eco,
        opening=opening,
        victim=victim,
        outcome=outcome,
        verdict=verdict,
        source=source,
        bait=bait,
        killer=killer,
        min_length=min_length,
        max_length=max_length,
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
        elif as_svg:
            _draw(page.hits, output)
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


def _draw(hits: tuple[Hit, ...], folder: str | None) -> None:
    from pathlib import Path

    from db.formats.export_file import write_file
    from trapcore.errors import OutputError

    if folder is None:
        echo("".join(hit_svg(hit) for hit in hits[:1]), nl=False)
        return
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"the folder {folder} cannot be made: {error.strerror}") from error
    for hit in hits:
        path = Path(folder) / f"{hit.trap.slug}.svg"
        write_file(path, hit_svg(hit).encode())
        echo(str(path))


def hit_svg(hit: Hit, size: int = 400) -> str:
    """SVG board of a hit: the position before the bait, the bait in red and the killer in green.

    It is ``size`` pixels wide and seen by the attacker. The names of trap and moves are its title and description, for
    screen readers.
    """
    import chess
    import chess.svg

    trap = hit.trap
    board = trap.board()
    bait, killer, *_ = trap.sans()
    arrows = [
        chess.svg.Arrow(move.from_square, move.to_square, color=colour)
        for move, colour in ((chess.Move.from_uci(trap.bait), RED), (chess.Move.from_uci(trap.killer_line[0]), GREEN))
    ]
    picture = chess.svg.board(board, orientation=not board.turn, arrows=arrows, size=size)
    title = f"<title>{escape(trap.name)}</title><desc>{escape(f'{bait} is answered by {killer}')}</desc>"
    head, end, rest = picture.partition(">")
    return f"{head}{end}{title}{rest}\n"
