"""The summary of a report in words: the sentences that the page, the terminal and the HTML file begin with."""

from coach.report.reasons import reason_name
from coach.report.summary import (
    HASTY_SECONDS,
    PLENTY_SECONDS,
    RATED_ALIKE,
    Beside,
    Costs,
    Hasty,
    Openings,
    Share,
    Summary,
)
from db.patterns.circumstances import LITTLE_SECONDS
from db.wording.languages.english import ENGLISH
from db.wording.languages.grammar import Grammar


def sentences(summary: Summary, language: Grammar = ENGLISH) -> list[str]:
    """One or two sentences for each finding; none if the games show nothing."""
    text = language.text
    told = []
    if summary.costs is not None:
        told.append(_cost_words(summary.costs, language))
    if (rated := summary.rated) is not None:
        told.append(
            text(
                "Against opponents rated within %(points)s points of you, you %(reason)s in %(own)s of 100 games, "
                "they in %(other)s (%(games)s).",
                points=RATED_ALIKE,
                reason=reason_name(rated.name, language) if rated.name else text("played a losing move"),
                own=_per_hundred(rated.own, language),
                other=_per_hundred(rated.other, language),
                games=language.counted(rated.own[1], "game"),
            )
        )
    if summary.openings is not None:
        told.append(_opening_words(summary.openings, language))
    clock = [] if summary.hurried is None else [_hurried_words(summary.hurried, language)]
    clock += [] if summary.hasty is None else [_hasty_words(summary.hasty, language)]
    told += [" ".join(clock)] if clock else []
    if summary.trend is not None:
        told.append(
            text(
                "Since %(date)s, one of %(own)s moves loses; before, it was one of %(other)s (%(lost)s).",
                date=language.day(summary.trend.name),
                **_every(summary.trend, language),
            )
        )
    return told


def _cost_words(costs: Costs, language: Grammar) -> str:
    names = [f"{reason_name(name, language)} ({language.counted(count, 'time')})" for name, count in costs.reasons]
    return language.text(
        "What costs you most in %(games)s: you %(reasons)s. That is %(points)s of the %(all)s points a game that your "
        "losing moves cost.",
        games=language.counted(costs.games, "game"),
        reasons=f"{', '.join(names[:-1])} {language.joined} {names[-1]}" if len(names) > 1 else names[0],
        points=language.decimal(costs.points, 2),
        all=language.decimal(costs.in_all, 2),
    )


def _opening_words(openings: Openings, language: Grammar) -> str:
    text, listed = language.text, []
    for name, colour, share, is_more in openings.shown:
        with_colour = text("with White") if colour == "white" else text("with Black")
        more = f" ({text('more often than elsewhere')})" if is_more else ""
        listed.append(f"{name} {with_colour} {_of(share, language)}{more}")
    return text(
        "Games in which you played a losing move in the first ten moves: %(openings)s; in all %(all)s.",
        openings=", ".join(listed),
        all=_of(openings.in_all, language),
    )


def _hurried_words(hurried: Beside, language: Grammar) -> str:
    told = language.text(
        "With less than %(seconds)s seconds left, one of %(own)s moves loses; with more time, one of %(other)s "
        "(%(lost)s).",
        seconds=LITTLE_SECONDS,
        **_every(hurried, language),
    )
    if hurried.is_worse or hurried.is_better:
        return told
    return f"{told} {language.text('The difference may be chance.')}"


def _hasty_words(hasty: Hasty, language: Grammar) -> str:
    lost = hasty.example
    return language.text(
        "You played %(moves)s losing moves within %(seconds)s seconds, with %(minutes)s minutes or more left; the "
        "costliest is %(move)s in %(white)s – %(black)s%(date)s, played in %(spent)s s with %(left)s minutes left.",
        moves=_of(hasty.moves, language),
        seconds=HASTY_SECONDS,
        minutes=PLENTY_SECONDS // 60,
        move=f"{lost.number}{'.' if lost.colour == 'white' else '...'}{lost.san}",
        white=lost.game.white,
        black=lost.game.black,
        date=f", {day}" if (day := language.day(lost.game.date)) else "",
        spent=hasty.spent,
        left=hasty.left // 60,
    )


def _every(pair: Beside, language: Grammar) -> dict[str, str]:
    """How many moves there are to one that loses, and the figures of both."""
    own, other = (language.number(round(made / max(1, lost))) for lost, made in (pair.own, pair.other))
    return {"own": own, "other": other, "lost": f"{_of(pair.own, language)}; {_of(pair.other, language)}"}


def _per_hundred(share: Share, language: Grammar) -> str:
    return language.number(round(100 * share[0] / share[1]))


def _of(share: Share, language: Grammar) -> str:
    return language.text("%(part)s of %(whole)s", part=language.number(share[0]), whole=language.number(share[1]))
