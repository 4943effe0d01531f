"""Plots as SVG whose colours come from the style sheet: a bait by depth, results of games, values over a game."""

from collections.abc import Sequence
from html import escape

from db.traps.temptation import Profile
from db.wording.languages.grammar import Grammar
from trapcore.proof.search import MATE_BOUND

WIDTH, HEIGHT = 520, 240
_LEFT, _RIGHT, _TOP, _BOTTOM = 46, 118, 14, 36
_HIGHEST = 8.0
"""Largest value in pawns; larger ones, and mates, are drawn at the edge."""


def profile_plot(profile: Profile, bait: str, language: Grammar) -> str:
    """Plot of the bait and the best other move by depth, for the victim; empty if no depth was finished.

    The figures stand beside it in a table, which is what a screen reader is sent to.
    """
    if not profile.depths:
        return ""
    depths = [at.depth for at in profile.depths]
    lines = {
        "bait": (bait, [_pawns(at.bait) for at in profile.depths]),
        "best": (language.text("best other"), [_pawns(at.best) for at in profile.depths]),
    }
    values = [value for _, line in lines.values() for value in line]
    top = max(1.0, *(value + 0.5 for value in values))
    low = min(-1.0, *(value - 0.5 for value in values))
    top, low = min(top, _HIGHEST + 0.5), max(low, -_HIGHEST - 0.5)

    def x(number: int) -> float:
        span = WIDTH - _LEFT - _RIGHT
        return _LEFT + span * (number / (len(depths) - 1) if len(depths) > 1 else 0.5)

    def y(pawns: float) -> float:
        return _TOP + (HEIGHT - _TOP - _BOTTOM) * (top - pawns) / (top - low)

    label = language.text(
        "%(bait)s and the best other move by depth, in pawns for the victim; the table beside it has the figures",
        bait=bait,
    )
    parts = [
        f'<svg class="plot" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" role="img" '
        f'aria-label="{escape(label)}">'
    ]
    for pawns in _ticks(low, top):
        kind = "zero" if pawns == 0 else "grid"
        parts.append(
            f'<line class="{kind}" x1="{_LEFT}" x2="{WIDTH - _RIGHT}" y1="{y(pawns):.1f}" y2="{y(pawns):.1f}"/>'
        )
        parts.append(f'<text x="{_LEFT - 8}" y="{y(pawns) + 4:.1f}" text-anchor="end">{_tick(pawns)}</text>')
    for number, depth in enumerate(depths):
        parts.append(f'<text x="{x(number):.1f}" y="{HEIGHT - 18}" text-anchor="middle">{depth}</text>')
    middle, depths_label = (_LEFT + WIDTH - _RIGHT) / 2, escape(language.text("depth in plies"))
    parts.append(f'<text x="{middle:.0f}" y="{HEIGHT - 3}" text-anchor="middle">{depths_label}</text>')
    ends = _spread_labels([y(line[-1]) for _, line in lines.values()])
    for (name, (words, line)), end in zip(lines.items(), ends, strict=True):
        points = [(x(number), y(value)) for number, value in enumerate(line)]
        path = " ".join(f"{'L' if number else 'M'}{px:.1f} {py:.1f}" for number, (px, py) in enumerate(points))
        parts.append(f'<path class="{name}-line" d="{path}"/>')
        parts += [f'<circle class="{name}-dot" cx="{px:.1f}" cy="{py:.1f}" r="3.5"/>' for px, py in points]
        parts.append(f'<text class="{name}-word" x="{points[-1][0] + 10:.1f}" y="{end + 4:.1f}">{escape(words)}</text>')
    return "".join([*parts, "</svg>"])


def result_bar(white: int, draws: int, black: int, language: Grammar) -> str:
    """Bar of the results of games, with its figures as its label."""
    total = white + draws + black
    label = escape(
        language.text(
            "White won %(white)s, %(draws)s drawn, Black won %(black)s", white=white, draws=draws, black=black
        )
    )
    parts = [f'<svg class="bar" viewBox="0 0 100 12" preserveAspectRatio="none" role="img" aria-label="{label}">']
    at = 0.0
    for kind, count in (("white", white), ("draw", draws), ("black", black)):
        width = 100 * count / total if total else 0
        if width:
            parts.append(f'<rect class="{kind}-part" x="{at:.2f}" y="0" width="{width:.2f}" height="12"/>')
        at += width
    return "".join([*parts, "</svg>"])


def _pawns(value: int) -> float:
    if abs(value) > MATE_BOUND:
        return _HIGHEST if value > 0 else -_HIGHEST
    return max(-_HIGHEST, min(_HIGHEST, value / 100))


def _ticks(low: float, top: float) -> list[int]:
    """Ticks of the axis: whole pawns, at most seven, 0 among them."""
    step = next(step for step in (1, 2, 4, 8) if (top - low) / step <= 6.5 or step == 8)
    return [pawns for pawns in range(-8, 9) if pawns % step == 0 and low <= pawns <= top]


def _tick(pawns: int) -> str:
    edge = {8: "≥", -8: "≤"}.get(pawns, "")
    return f"{edge}{pawns:+d}".replace("+0", "0").replace("-", "−")


def _spread_labels(heights: Sequence[float]) -> list[float]:
    """Heights of two labels, moved apart if these would overlap."""
    first, second = heights
    if abs(first - second) >= 14:
        return [first, second]
    middle, upper = (first + second) / 2, first <= second
    return [middle - 7, middle + 7] if upper else [middle + 7, middle - 7]


def chance_plot(chances: Sequence[float], at: int, marked: Sequence[int], language: Grammar) -> str:
    """Plot of White's win chances (-1..1) over a game: a dot at each of the ``marked`` half-moves, a line at ``at``.

    A script may read from it which half-move was pressed: the plot begins at its left edge and ends at its right.
    """
    width, height = 600, 110
    last = max(1, len(chances) - 1)

    def point(ply: int) -> tuple[float, float]:
        return width * ply / last, height * (1 - chances[ply]) / 2

    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in map(point, range(len(chances))))
    x_at, label = width * at / last, escape(language.text("White’s win chances over the game"))
    dots = "".join(f'<circle class="bait-dot" cx="{x:.1f}" cy="{y:.1f}" r="4"/>' for x, y in map(point, marked))
    return (
        f'<svg class="plot chances" data-plies="{len(chances) - 1}" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" preserveAspectRatio="none" role="img" aria-label="{label}">'
        f'<polygon class="white-part" points="0,{height} {line} {width},{height}"/>'
        f'<line class="zero" x1="0" x2="{width}" y1="{height / 2}" y2="{height / 2}"/>'
        f'<polyline class="chance-line" points="{line}"/>{dots}'
        f'<line class="here-line" x1="{x_at:.1f}" x2="{x_at:.1f}" y1="0" y2="{height}"/></svg>'
    )


def chance_bar(chance: float, *, flipped: bool) -> str:
    """Bar beside a board: White's win chance (-1..1), White's part below, or above if ``flipped``."""
    white = 50 * (1 + chance)
    y = 0 if flipped else 100 - white
    return (
        '<svg class="chance-bar" viewBox="0 0 10 100" preserveAspectRatio="none" aria-hidden="true">'
        '<rect class="black-part" width="10" height="100"/>'
        f'<rect class="white-part" width="10" y="{y:.1f}" height="{white:.1f}"/></svg>'
    )
