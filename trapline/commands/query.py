"""The command ``trapline query``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from db.query.condition import conditions_of, query_of
from db.query.query import AheadQuery, MistakeQuery, Query
from trapline.commands.options import DbOption, JsonOption, takes_conditions
from trapline.commands.resources import open_existing
from trapline.echo import echo

if TYPE_CHECKING:
    from db.query.answer import Page

SHOWN_PLIES = 3
"""Of a line that punishes a losing move."""

SHOWN_NAMES = 3
"""Of openings with one ECO code."""


@takes_conditions(Query, MistakeQuery, AheadQuery)
def query(
    asked: Mapping[str, str],
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="WORDS", help="A name, an opening, moves, a FEN, a link, or plain words.", show_default=False
        ),
    ] = None,
    db: DbOption = None,
    as_json: JsonOption = False,
    as_pgn: Annotated[bool, typer.Option("--pgn", help="Print the traps as PGN games.")] = False,
) -> None:
    """Find traps by words, position, similarity, name and fields. All given conditions must hold.

    WORDS are what you would type into a search box: "traps in the Italian for black", "knight fork on c7", "legal".
    trapline says what it understood and what not. "For black" means traps that Black sets.

    A position finds the traps of that very position, in either colour. --similar adds traps that are like it and whose
    killer is proved to work in it.

    --like, --cause, --mechanism and --place find losing moves instead, of the indexed games and of those that come with
    trapline. The most similar come first, else the newest. --victim narrows them; --player (who made the move), --eco
    and --rating narrow those of games.

    --from finds the traps that can still arise from an opening, a line of moves or a FEN: after which moves, in how
    many indexed games, and how many fell. --victim and --rating (of who may fall) narrow them.

    Without a terminal each trap is a line with tabs: match, similarity, slug, verdict, victim, bait, killer line, name.
    """
    from db.query.engine import QueryEngine
    from trapcore.errors import UsageError
    from trapline.commands.terminal import Status, print_json, say
    from trapline.settings import read_settings

    if as_json and as_pgn:
        raise UsageError("choose one of --json and --pgn")
    of_traps, of_mistakes = conditions_of(Query), conditions_of(MistakeQuery)
    if "start" in asked:
        _ahead(asked, words, db, as_json, as_pgn)
        return
    asked = {name: value for name, value in asked.items() if name != "plies"}
    if asked.keys() - of_traps.keys():
        others = [of_traps[name].option for name in asked if name not in of_mistakes] + ["--pgn"] * as_pgn
        others += ["WORDS"] * bool(words)
        if others:
            raise UsageError(f"losing moves take no {', '.join(others)}")
        _mistakes(query_of(MistakeQuery, asked), db, as_json)
        return
    condition = query_of(Query, asked)
    status = Status()
    with open_existing(db) as library:
        reading = None
        if words:
            from db.query.words import read_words

            reading = read_words(library, " ".join(words))
            if not as_json:
                say(
                    "; ".join(
                        [f"understood: {', '.join(reading.described()) or 'nothing'}", *_unknown(reading.unknown)]
                    )
                )
            if not reading.conditions:
                raise UsageError('nothing was understood; try a name, an opening, or a theme such as "knight fork"')
            condition = query_of(Query, {**reading.conditions, **asked})
        query_engine = QueryEngine(library, measure=read_settings().measure, log=status.show)
        try:
            page = query_engine.ask(condition)
        finally:
            query_engine.close()
            status.clear()
        if as_json:
            print_json(page.to_dict() | ({} if reading is None else reading.to_dict()))
        elif as_pgn:
            from db.formats.pgn_export import trap_game

            echo("".join(trap_game(hit.trap) for hit in page.hits), nl=False)
        else:
            _print(page)
    if not page.hits:
        say("there are no such traps" if condition.after is None else "there are no more such traps")
    if page.other_castling:
        say(f"the library has this position with other castling rights: {', '.join(page.other_castling)}")
    if page.hits and page.next is not None and not as_json:
        say(f"there are more; go on with --after {page.next}")


def _unknown(words: Sequence[str]) -> list[str]:
    return [f"not understood: {', '.join(words)}"] if words else []


def _ahead(asked: Mapping[str, str], words: list[str] | None, db: str | None, as_json: bool, as_pgn: bool) -> None:
    from db.query.ahead import traps_ahead
    from trapcore.errors import UsageError
    from trapline.commands.terminal import print_json, print_table, say, trap_count

    known = conditions_of(AheadQuery)
    others = [f"--{name.replace('_', '-')}" for name in asked if name not in known] + ["--pgn"] * as_pgn
    others += ["WORDS"] * bool(words)
    if others:
        raise UsageError(f"--from takes no {', '.join(others)}")
    with open_existing(db) as library:
        page = traps_ahead(library, query_of(AheadQuery, asked))
    if as_json:
        print_json(page.to_dict())
        return
    if page.names:
        more = len(page.names) - SHOWN_NAMES
        say(f"from {', '.join(page.names[:SHOWN_NAMES])}" + (f" and {more} more" if more > 0 else ""))
    rows = []
    for each in page.traps:
        bait, *killer = each.trap.sans()
        fell = f"{each.fell} of {each.games}" if each.games else ""
        line = " ".join(killer)
        rows.append((each.numbered, each.trap.victim, bait, line, each.better, fell, each.trap.slug, each.trap.name))
    of = "" if page.total == len(rows) else f" of {page.total:,}"
    columns = ("moves to it", "victim", "bait", "killer line", "better", "fell", "slug", "name")
    print_table(trap_count(len(rows)) + of, columns, rows)
    if not rows:
        say("no trap of the library is ahead")


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
