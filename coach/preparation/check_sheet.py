"""What a check of a repertoire found, in words: a sheet for the terminal and as HTML."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from coach.preparation.check import Check, Departure, Kind, Several, TrapBeside
from coach.preparation.games import ELSEWHERE, Score
from coach.report.sheet import Section, Sheet, Table
from db.wording.claims import claim, percent
from db.wording.languages.english import ENGLISH
from db.wording.languages.grammar import Grammar

ROWS = 12
"""Most rows of a table; --json has all."""


def check_sheet(checks: Sequence[Check], player: str, sites: Mapping[str, int], language: Grammar = ENGLISH) -> Sheet:
    """The sheet of one repertoire, or of those for both colours; ``sites`` has the player's games by site.

    ``player`` is empty for a repertoire without games.
    """
    return Sheet(
        title=language.text("The repertoire of %(player)s", player=player)
        if player
        else language.text("The repertoire"),
        lead=sites_words(sites, language) if sites else "",
        sections=tuple(section for each in checks for section in _sections(each, language)),
    )


def score_words(score: Score, language: Grammar) -> str:
    """``58 % (+6 =2 -4)``; a dash if no game has a result."""
    if score.share is None:
        return "–"
    return f"{percent(score.share, language)} (+{score.wins} ={score.draws} −{score.losses})"


def sites_words(sites: Mapping[str, int], language: Grammar) -> str:
    """How many games there are, and from where; that one name at several sites may be several people."""
    text, total = language.text, language.counted(sum(sites.values()), "game")
    by_site = ", ".join(
        f"{text('elsewhere') if site == ELSEWHERE else site} {language.number(games)}" for site, games in sites.items()
    )
    words = text("%(games)s by site: %(sites)s.", games=total, sites=by_site)
    if len(sites) < 2:
        return words
    return f"{words} {text('The same name at two sites may be two people: choose one site, in a shell by --site.')}"


def part_of(part: int, whole: int, language: Grammar) -> str:
    """``8 of 30 (27 %)``; without the share of nothing."""
    words = language.text("%(part)s of %(whole)s", part=language.number(part), whole=language.number(whole))
    return f"{words} ({percent(part / whole, language)})" if whole else words


def _sections(found: Check, language: Grammar) -> list[Section]:
    text = language.text
    white = found.colour == "white"
    summary = Section(
        text("Repertoire for White") if white else text("Repertoire for Black"),
        tuple(_summary(found, language)),
        (_by_opening(found, language),) if found.by_opening else (),
    )
    parts = [
        Section(text("Where you left it"), (), (_departures(found, "own", language),)),
        Section(text("Where your opponents left it"), (), (_departures(found, "opponent", language),)),
        Section(text("Where it ends"), (), (_departures(found, "end", language),)),
        Section(
            text("Replies without an answer"),
            (text("Counted in all indexed games, without your own moves for the other colour."),),
            (_gaps(found, language),),
        ),
        Section(
            text("Traps in it and beside it"),
            (text("Only proved traps. A trap beside a line arises within four plies of it."),),
            tuple(_traps([one for one in found.traps if one.is_own is own], own, language) for own in (True, False)),
        ),
        Section(
            text("Two moves of yours in one position"),
            (),
            (_several(found.contradictions, text("Positions in which the repertoire has a choice"), language),),
        ),
        Section(
            text("Lines that transpose"),
            (),
            (_several(found.transpositions, text("Positions that several lines lead to"), language),),
        ),
    ]
    filled = (replace(part, tables=tuple(table for table in part.tables if table.rows)) for part in parts)
    shown = [summary, *(part for part in filled if part.tables)]
    return [replace(part, tables=tuple(table.first(ROWS, language) for table in part.tables)) for part in shown]


def _summary(found: Check, language: Grammar) -> list[str]:
    text, counted, games = language.text, language.counted, found.score.games
    notes = []
    if found.is_guessed:
        notes.append(
            text(
                "The file does not say for whom it is. This colour has fewer choices in it; if it is the other, "
                "choose it, in a shell by --color."
            )
        )
    if not games:
        notes.append(text("No game of yours with this colour is indexed. Traps and gaps are shown all the same."))
        return notes
    notes.append(
        text(
            "%(positions)s. You scored %(score)s in %(games)s.",
            positions=counted(found.positions, "position"),
            score=score_words(found.score, language),
            games=counted(games, "game"),
        )
    )
    notes.append(
        text(
            "You left the repertoire first in %(own)s, your opponent in %(opponent)s. It had no more moves in %(end)s; "
            "%(inside)s ended within it.",
            own=part_of(found.count("own"), games, language),
            opponent=part_of(found.count("opponent"), games, language),
            end=part_of(found.count("end"), games, language),
            inside=counted(found.inside, "game"),
        )
    )
    if found.transposed:
        notes.append(
            text("Another order of moves led back into it in %(games)s.", games=counted(found.transposed, "game"))
        )
    if found.outside:
        notes.append(text("No position of it stood on the board in %(games)s.", games=counted(found.outside, "game")))
    return notes


def _by_opening(found: Check, language: Grammar) -> Table:
    text = language.text
    return Table(
        text("Your score by opening"),
        (text("opening"), text("games"), text("score"), text("left by you")),
        tuple(
            (
                language.message(each.opening),
                language.number(each.score.games),
                score_words(each.score, language),
                language.number(each.own),
            )
            for each in found.by_opening
        ),
        (1, 3),
    )


def _departures(found: Check, kind: Kind, language: Grammar) -> Table:
    text = language.text
    some = [each for each in found.departures if each.kind == kind]
    columns = [text("after"), text("played"), text("repertoire"), text("games"), text("score")]
    if kind == "own":
        columns.append(text("cost"))
    return Table(
        text("Moves outside the repertoire"),
        tuple(columns),
        tuple(_departure(each, language) for each in some),
        (3,),
    )


def _departure(each: Departure, language: Grammar) -> tuple[str, ...]:
    cells = (
        each.line or language.text("the start"),
        each.played,
        ", ".join(each.expected) or "–",
        language.number(each.score.games),
        score_words(each.score, language),
    )
    if each.kind != "own":
        return cells
    return (*cells, language.text("not judged") if each.cost is None else percent(each.cost / 2, language))


def _gaps(found: Check, language: Grammar) -> Table:
    text = language.text
    return Table(
        text("Replies that people play"),
        (text("after"), text("reply"), text("games"), text("against you")),
        tuple(
            (
                gap.line or text("the start"),
                gap.reply,
                part_of(gap.games, gap.of, language),
                language.number(gap.against),
            )
            for gap in found.gaps
        ),
        (3,),
    )


def _several(some: Sequence[Several], caption: str, language: Grammar) -> Table:
    text = language.text
    rows = tuple((each.line or text("the start"), ", ".join(each.others)) for each in some)
    return Table(caption, (text("line"), text("also")), rows)


def _traps(some: Sequence[TrapBeside], is_own: bool, language: Grammar) -> Table:
    text = language.text
    caption = text("Traps that you may fall into") if is_own else text("Traps that your opponents may fall into")
    return Table(
        caption,
        (text("after"), text("then"), text("bait"), text("fell"), text("trap"), text("what it needs")),
        tuple(
            (
                each.line or text("the start"),
                each.moves,
                f"{each.bait}?",
                part_of(each.fell, each.games, language) if each.games else "–",
                f"{each.trap.name}: {claim(each.trap, language)}",
                _needs(each, language),
            )
            for each in some
        ),
    )


def _needs(each: TrapBeside, language: Grammar) -> str:
    text, answers = language.text, ", ".join(each.answers)
    if each.is_bait_in_repertoire:
        return text("your repertoire plays the bait") if each.is_own else text("it is in your repertoire")
    if each.leaves:
        return text("you leave the repertoire, which has %(answers)s", answers=answers)
    if not each.moves and not each.is_own:
        return text("your line sets it")
    if not answers:
        return text("the line goes on")
    return text("your opponent leaves the repertoire") if each.moves else text("you play %(answers)s", answers=answers)
