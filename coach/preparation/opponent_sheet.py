"""A sheet about an opponent in words, for the terminal and for paper."""

from collections.abc import Iterator

from coach.preparation.check_sheet import part_of, score_words, sites_words
from coach.preparation.opponent import MORE_PLIES, Branch, Preparation, TrapForHim, WithColour
from coach.report.sheet import Section, Sheet, Table
from db.patterns.recurring import IN_GAMES, LEAST_GAMES
from db.traps.board_svg import Picture
from db.wording import moves
from db.wording.claims import claim, numbered_line, percent_of_chance
from db.wording.languages.english import ENGLISH
from db.wording.languages.grammar import Grammar

BRANCHES, OPENINGS, TRAPS = 16, 6, 4
"""Most rows of these tables, so that all fits on two pages; --json has all."""


def opponent_sheet(found: Preparation, language: Grammar = ENGLISH) -> Sheet:
    """The sheet: the suggested line, his patterns and traps, then what he plays with each colour."""
    text = language.text
    first, last = map(language.day, found.dates)
    when = f"{text('From %(first)s to %(last)s', first=first, last=last)}." if first else ""
    parts = [_suggested(found, language), _losing(found, language)]
    parts += [_with_colour(each, language) for each in found.colours]
    return Sheet(
        title=text("Against %(player)s", player=" / ".join(found.names[:3])),
        lead=f"{sites_words(found.sites, language)} {when}".strip(),
        sections=tuple(parts),
    )


def _suggested(found: Preparation, language: Grammar) -> Section:
    text, trap = language.text, found.suggestion
    title = text("A line for you")
    notes = []
    if found.games < LEAST_GAMES:
        notes.append(
            text(
                "The sample is small: %(games)s. It shows what happened, not what is likely.",
                games=language.counted(found.games, "game"),
            )
        )
    if trap is None:
        notes.append(text("No proved trap of the library that he may fall into lies in his most played lines."))
        if any(not trap.unknown for each in found.colours for trap in each.traps):
            notes.append(text("The tables of traps below have those of his rarer lines."))
        return Section(title, tuple(notes))
    bait, *killer = trap.trap.sans()
    half_move = 2 * trap.number + (trap.colour == "black")
    way = ", ".join(f"{each.move} {part_of(each.played, each.of, language)}" for each in trap.choices)
    notes += [
        text("%(name)s: %(claim)s.", name=trap.trap.name, claim=claim(trap.trap, language)),
        text("You play to reach %(line)s.", line=trap.line),
        text("If he takes the bait: %(moves)s.", moves=moves.line([f"{bait}?", *killer], half_move)),
    ]
    if way:
        notes.append(text("His moves on the way, in his games with the position: %(moves)s.", moves=way))
    notes.append(_record(trap, language))
    if trap.better:
        better = moves.line([trap.better], half_move)
        notes.append(text("If he knows it, he plays %(move)s.", move=better))
        if trap.chance is not None:
            notes.append(text("Your win chance is then %(chance)s.", chance=percent_of_chance(trap.chance)))
    picture = Picture(
        fen=trap.trap.epd,
        bait=trap.trap.bait,
        killer=trap.trap.killer_line[0],
        flipped=trap.colour == "white",
        before=trap.trap.name,
    )
    return Section(title, tuple(notes), picture=picture)


def _record(trap: TrapForHim, language: Grammar) -> str:
    text = language.text
    if trap.decisions:
        return text("He had the choice before, and fell %(fell)s.", fell=part_of(trap.fell, trap.decisions, language))
    if trap.games:
        return text(
            "He never had the choice. Others fell %(fell)s.", fell=part_of(trap.games_fell, trap.games, language)
        )
    return text("Nobody had the choice in the indexed games.")


def _losing(found: Preparation, language: Grammar) -> Section:
    text, tables = language.text, (_patterns(found, language), _falls(found, language))
    notes = list(_losing_notes(found, language))
    if not tables[1].rows:
        notes.append(text("He fell into no proved trap of the library."))
    return Section(text("What he loses to"), tuple(notes), tuple(table for table in tables if table.rows))


def _losing_notes(found: Preparation, language: Grammar) -> Iterator[str]:
    text, losses = language.text, found.report.losses
    games = language.counted(losses.games, "game")
    if not losses.games:
        yield text("None of these games has been searched for losing moves yet: trapline index does that.")
        return
    yield text(
        "Searched for losing moves: %(games)s. He played %(own)s; %(punished)s were punished.",
        games=games,
        own=language.counted(losses.in_all.own, "losing move"),
        punished=language.number(losses.in_all.own_punished),
    )
    if losses.in_all.own:
        phases = ", ".join(f"{language.message(each.name)} {language.number(each.own)}" for each in losses.by_phase)
        yield text("His losing moves by phase: %(phases)s.", phases=phases)
    if losses.games < LEAST_GAMES:
        yield text(
            "%(games)s looked through. A pattern needs %(least)s or more, so that chance does not look like a habit.",
            games=games,
            least=LEAST_GAMES,
        )
    elif not found.report.patterns:
        yield text("No losing move comes back in %(in_games)s games or more.", in_games=IN_GAMES)


def _patterns(found: Preparation, language: Grammar) -> Table:
    text, of = language.text, found.report.losses.in_all.own
    rows = tuple(
        (
            each.pattern.name(language, each.moves[0].colour),
            part_of(len(each.moves), of, language),
            language.decimal(each.points, 1),
        )
        for each in found.report.patterns
    )
    return Table(text("His patterns"), (text("pattern"), text("of his losing moves"), text("points lost")), rows, (2,))


def _falls(found: Preparation, language: Grammar) -> Table:
    text, rows = language.text, []
    for each in found.report.traps:
        rate, last = each.victim.rate, each.occurrences[0]
        if rate.fell:
            line = " ".join(filter(None, numbered_line(last.trap, last.number)))
            rows.append(
                (each.trap.name, line, part_of(rate.fell, rate.decisions, language), claim(each.trap, language))
            )
    columns = (text("trap"), text("line"), text("fell"), text("proof"))
    return Table(text("Traps that he fell into"), columns, tuple(rows)).first(TRAPS, language)


def _with_colour(each: WithColour, language: Grammar) -> Section:
    text = language.text
    games, left = each.score.games, sum(theory.left for theory in each.theory)
    known = [trap for trap in each.traps if not trap.unknown]
    notes = [
        text(
            "He scored %(score)s in %(games)s.",
            score=score_words(each.score, language),
            games=language.counted(games, "game"),
        ),
        text(
            "The book is the list of named openings. He left it first in %(games)s.",
            games=part_of(left, games, language),
        ),
    ]
    if not known:
        notes.append(text("No proved trap of the library lies in the moves that he has played."))
    if len(known) < len(each.traps):
        notes.append(
            text(
                "Traps that need a move which he has not played: %(count)s within %(plies)s plies of his games.",
                count=language.number(len(each.traps) - len(known)),
                plies=MORE_PLIES,
            )
        )
    tree = Table(
        text("His first moves"),
        (text("move"), text("games"), text("his score")),
        tuple(_branch(branch, language) for branch in _widest(each.tree)),
    )
    traps = Table(
        text("Traps in his lines"),
        (text("line"), text("bait"), text("his rarest move there"), text("he fell"), text("trap")),
        tuple(_trap(trap, language) for trap in known),
    )
    tables = (tree, _theory(each, language), traps.first(TRAPS, language))
    title = text("When he is White") if each.colour == "white" else text("When he is Black")
    return Section(title, tuple(notes), tuple(table for table in tables if table.rows))


def _theory(each: WithColour, language: Grammar) -> Table:
    text = language.text
    rows = tuple(
        (
            language.message(one.opening),
            language.number(one.score.games),
            score_words(one.score, language),
            part_of(one.left, one.score.games, language),
            ", ".join(f"{move} ×{language.number(games)}" for move, games in one.moves[:3]) or "–",
        )
        for one in each.theory
    )
    columns = (text("opening"), text("games"), text("his score"), text("left by him"), text("with"))
    caption = text("The openings that he gets, and his moves that leave the book")
    return Table(caption, columns, rows, (1,)).first(OPENINGS, language)


def _widest(tree: tuple[Branch, ...]) -> list[Branch]:
    """So many branches as the table has room for, those of most games, in the order of the tree."""
    least = sorted((branch.games for branch in tree), reverse=True)[:BRANCHES][-1:]
    kept: list[Branch] = []
    depth = 0
    for branch in tree:
        depth = min(depth, branch.plies - 1)
        # By transposition a position may have more games than the move before it, which is left out then.
        if branch.games >= least[0] and branch.plies == depth + 1:
            kept.append(branch)
            depth = branch.plies
    return kept[:BRANCHES]


def _branch(branch: Branch, language: Grammar) -> tuple[str, ...]:
    games = part_of(branch.games, branch.of, language)
    return (f"{'· ' * (branch.plies - 1)}{branch.move}", games, score_words(branch.score, language))


def _trap(trap: TrapForHim, language: Grammar) -> tuple[str, ...]:
    bait, *_ = trap.trap.sans()
    rarest = trap.rarest
    return (
        trap.line,
        moves.line([f"{bait}?"], 2 * trap.number + (trap.colour == "black")),
        "–" if rarest is None else f"{rarest.move} {part_of(rarest.played, rarest.of, language)}",
        part_of(trap.fell, trap.decisions, language) if trap.decisions else "–",
        f"{trap.trap.name}: {claim(trap.trap, language)}",
    )
