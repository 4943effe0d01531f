"""A sheet about an opponent in words, for the terminal and for paper."""

from coach.preparation.check_sheet import part_of, score_words, sites_words
from coach.preparation.opponent import MORE_PLIES, Branch, Preparation, TrapForHim, WithColour
from coach.report.sheet import Section, Sheet, Table
from db.patterns.recurring import LEAST_GAMES
from db.traps.board_svg import Picture
from db.wording import moves
from db.wording.claims import claim, numbered_line, percent_of_chance
from db.wording.languages.english import ENGLISH
from db.wording.languages.grammar import Grammar

BRANCHES, OPENINGS, TRAPS = 24, 8, 6
"""Most rows of these tables, so that all fits on two pages; --json has all."""


def opponent_sheet(found: Preparation, language: Grammar = ENGLISH) -> Sheet:
    """The sheet: the suggested line, his patterns and traps, then what he plays with each colour."""
    text = language.text
    first, last = map(language.day, found.dates)
    when = text("From %(first)s to %(last)s", first=first, last=last) if first else ""
    parts = [_suggested(found, language), _losing(found, language)]
    parts += [section for each in found.colours for section in _with_colour(each, language)]
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
        notes.append(text("No proved trap of the library that he does not know lies in his most played lines."))
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
    text, losses, made = language.text, found.report.losses, found.report
    notes = []
    if not losses.games:
        notes.append(text("None of these games was looked through for losing moves yet: trapline index does that."))
    else:
        notes.append(
            text(
                "Looked through for losing moves: %(games)s. He played %(own)s, of which %(punished)s were punished.",
                games=language.counted(losses.games, "game"),
                own=language.counted(losses.in_all.own, "losing move"),
                punished=language.number(losses.in_all.own_punished),
            )
        )
        if not made.patterns:
            notes.append(text("No losing move comes back in %(in_games)s games or more.", in_games=3))
    patterns = tuple(
        (
            each.pattern.name(language, each.moves[0].colour),
            language.number(len(each.moves)),
            part_of(each.rate.fell, each.rate.games, language),
            language.decimal(each.points, 1),
        )
        for each in made.patterns
    )
    fell = tuple(
        (
            each.trap.name,
            " ".join(numbered_line(each.occurrences[0].trap, each.occurrences[0].number)),
            part_of(each.victim.rate.fell, each.victim.rate.decisions, language),
            claim(each.trap, language),
        )
        for each in made.traps
        if each.victim.rate.fell
    )
    tables = (
        Table(
            text("His patterns"),
            (text("pattern"), text("moves"), text("in games"), text("points lost")),
            patterns,
            (1, 3),
        ),
        Table(text("Traps that he fell into"), (text("trap"), text("line"), text("fell"), text("proof")), fell[:TRAPS]),
    )
    if not fell:
        notes.append(text("He fell into no proved trap of the library."))
    return Section(text("What he loses to"), tuple(notes), tuple(table for table in tables if table.rows))


def _with_colour(each: WithColour, language: Grammar) -> list[Section]:
    text = language.text
    white = each.colour == "white"
    tree = Table(
        text("His first moves"),
        (text("move"), text("games"), text("his score")),
        tuple(_branch(branch, language) for branch in _widest(each.tree)),
    )
    left = sum(theory.left for theory in each.theory)
    theory = Table(
        text("The openings that he gets, and his moves that leave the book"),
        (text("opening"), text("games"), text("his score"), text("left by him"), text("with")),
        tuple(
            (
                language.message(one.opening),
                language.number(one.score.games),
                score_words(one.score, language),
                part_of(one.left, one.score.games, language),
                ", ".join(f"{move} {language.number(games)}" for move, games in one.moves[:3]) or "–",
            )
            for one in each.theory[:OPENINGS]
        ),
        (1,),
    )
    known = [trap for trap in each.traps if not trap.unknown]
    traps = Table(
        text("Traps in his lines"),
        (text("line"), text("bait"), text("his rarest move there"), text("he fell"), text("trap")),
        tuple(_trap(trap, language) for trap in known[:TRAPS]),
    )
    score = text(
        "He scored %(score)s in %(games)s.",
        score=score_words(each.score, language),
        games=language.counted(each.score.games, "game"),
    )
    book = text(
        "The book is the list of named openings. He made the first move behind it in %(games)s.",
        games=part_of(left, each.score.games, language),
    )
    others = len(each.traps) - len(known)
    more = [
        text(
            "Traps that need a move which he has not played: %(count)s within %(plies)s plies of his games.",
            count=language.number(others),
            plies=MORE_PLIES,
        )
    ]
    if not known:
        more.insert(0, text("No proved trap of the library lies in the moves that he has played."))
    return [
        Section(text("When he is White") if white else text("When he is Black"), (score, book), (tree, theory)),
        Section(
            text("Traps when he is White") if white else text("Traps when he is Black"),
            tuple(more if others or not known else ()),
            (traps,) if known else (),
        ),
    ]


def _widest(tree: tuple[Branch, ...]) -> list[Branch]:
    """So many branches as the table has room for, those of most games, in the order of the tree."""
    least = sorted((branch.games for branch in tree), reverse=True)[:BRANCHES][-1:]
    return [branch for branch in tree if branch.games >= least[0]][:BRANCHES] if least else []


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
