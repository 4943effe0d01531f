"""Plots of a player's report, as SVG that takes its colours from the style sheet.

Each shows shares of those who took the bait, with Wilson's interval of 95 %, and what others of the same rating did
there as a ring, if there are such others for all of these choices. The figures stand beside it in a table, which is
what a screen reader is sent to.
"""

from collections.abc import Sequence
from html import escape

from coach.report.report import Group, ScoreRate
from db.wording.languages.grammar import Grammar

WIDTH = 640
"""Pixels; the style sheet makes a plot as narrow as the page."""

OPENINGS = 12
"""Most openings in the plot; the table has all."""

_LEFT, _RIGHT, _TOP, _BOTTOM = 46, 14, 12, 30
_HEIGHT = 240
_ROW = 30
_NAMES, _COUNTS = 230, 80
_LONGEST_NAME = 29
_LABEL = 62  # pixels that a label of the axis of time takes


def falls_over_time(groups: Sequence[Group], language: Grammar) -> str:
    """The shares by year or by month, ascending; empty unless there are two of them to compare."""
    seen = [group for group in groups if group.victim.rate.decisions]
    if len(seen) < 2:
        return ""
    at = [_time(group.name) for group in seen]
    span = WIDTH - _LEFT - _RIGHT - 40

    def x(number: int) -> float:
        return _LEFT + 20 + span * (at[number] - at[0]) / (at[-1] - at[0])

    def y(share: float) -> float:
        return _TOP + (_HEIGHT - _TOP - _BOTTOM) * (1 - share)

    label = language.text(
        "Share of baits taken, %(since)s to %(until)s; the table below has the figures",
        since=seen[0].name,
        until=seen[-1].name,
    )
    parts = [_head(_HEIGHT, label)]
    for percent in (0, 25, 50, 75, 100):
        height = f"{y(percent / 100):.1f}"
        parts.append(f'<line class="grid" x1="{_LEFT}" x2="{WIDTH - _RIGHT}" y1="{height}" y2="{height}"/>')
        parts.append(f'<text x="{_LEFT - 8}" y="{y(percent / 100) + 4:.1f}" text-anchor="end">{percent} %</text>')
    points = [(x(number), y(group.victim.rate.share)) for number, group in enumerate(seen)]
    path = " ".join(f"{'L' if number else 'M'}{px:.1f} {py:.1f}" for number, (px, py) in enumerate(points))
    parts.append(f'<path class="own-line" d="{path}"/>')
    written = -_LABEL * 1.0
    for (px, py), group in zip(points, seen, strict=True):
        rate = group.victim.rate
        parts.append(f"<g><title>{escape(group.name)}: {escape(_words(rate, language))}</title>")
        parts.append(
            f'<line class="interval" x1="{px:.1f}" x2="{px:.1f}" y1="{y(rate.high):.1f}" y2="{y(rate.low):.1f}"/>'
        )
        if rate.others is not None and rate.compared == rate.decisions:
            parts.append(f'<circle class="others" cx="{px:.1f}" cy="{y(rate.others):.1f}" r="5"/>')
        parts.append(f'<circle class="own" cx="{px:.1f}" cy="{py:.1f}" r="4"/></g>')
        if px - written >= _LABEL:
            parts.append(f'<text x="{px:.1f}" y="{_HEIGHT - 8}" text-anchor="middle">{escape(group.name)}</text>')
            written = px
    return "".join([*parts, "</svg>"])


def falls_by_opening(groups: Sequence[Group], language: Grammar) -> str:
    """The shares by opening, `OPENINGS` at most, in their order; empty if the player never had the choice."""
    seen = [group for group in groups if group.victim.rate.decisions][:OPENINGS]
    if not seen:
        return ""
    height = _TOP + _ROW * len(seen) + _BOTTOM
    span = WIDTH - _NAMES - _COUNTS

    def x(share: float) -> float:
        return _NAMES + span * share

    parts = [_head(height, language.text("Share of baits taken, by opening; the table below has the figures"))]
    for percent in (0, 50, 100):
        place = f"{x(percent / 100):.1f}"
        parts.append(f'<line class="grid" x1="{place}" x2="{place}" y1="{_TOP}" y2="{height - _BOTTOM}"/>')
        parts.append(f'<text x="{place}" y="{height - 10}" text-anchor="middle">{percent} %</text>')
    for number, group in enumerate(seen):
        rate, middle = group.victim.rate, _TOP + _ROW * (number + 0.5)
        name = group.name if len(group.name) <= _LONGEST_NAME else f"{group.name[: _LONGEST_NAME - 1]}…"
        parts.append(f"<g><title>{escape(group.name)}: {escape(_words(rate, language))}</title>")
        parts.append(f'<text x="{_NAMES - 12}" y="{middle + 4:.1f}" text-anchor="end">{escape(name)}</text>')
        width = x(rate.share) - _NAMES
        parts.append(f'<rect class="own-bar" x="{_NAMES}" y="{middle - 7:.1f}" width="{width:.1f}" height="14"/>')
        low, high = x(rate.low), x(rate.high)
        parts.append(f'<line class="interval" x1="{low:.1f}" x2="{high:.1f}" y1="{middle:.1f}" y2="{middle:.1f}"/>')
        if rate.others is not None and rate.compared == rate.decisions:
            parts.append(f'<circle class="others" cx="{x(rate.others):.1f}" cy="{middle:.1f}" r="5"/>')
        words = escape(_of(rate.fell, rate.decisions, language))
        parts.append(f'<text x="{WIDTH - _COUNTS + 16}" y="{middle + 4:.1f}">{words}</text></g>')
    return "".join([*parts, "</svg>"])


def _head(height: int, label: str) -> str:
    return (
        f'<svg class="plot" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" role="img" '
        f'aria-label="{escape(label)}">'
    )


def _words(rate: ScoreRate, language: Grammar) -> str:
    words = language.text(
        "%(of)s, %(share)s %% (%(low)s to %(high)s %%)",
        of=_of(rate.fell, rate.decisions, language),
        share=f"{100 * rate.share:.0f}",
        low=f"{100 * rate.low:.0f}",
        high=f"{100 * rate.high:.0f}",
    )
    if rate.others is None:
        return words
    others = f"{100 * rate.others:.0f}"
    if rate.compared == rate.decisions:
        return f"{words}; {language.text('others %(share)s %%', share=others)}"
    where = _of(rate.compared_fell, rate.compared, language)
    return f"{words}; {language.text('others %(share)s %% where %(of)s fell', share=others, of=where)}"


def _of(part: int, whole: int, language: Grammar) -> str:
    return language.text("%(part)s of %(whole)s", part=language.number(part), whole=language.number(whole))


def _time(name: str) -> int:
    """Months of the era, or years if no month is given."""
    year, _, month = name.partition("-")
    return 12 * int(year) + int(month) if month else int(year)
