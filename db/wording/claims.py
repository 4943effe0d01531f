"""Words for what is known about a trap, and for what a move loses; no more is claimed than is proved."""

from collections.abc import Mapping, Sequence

import chess

from db.traps.temptation import UNKNOWN_RATING, Frequency, Profile, RatingBand, reasons
from db.traps.terms import Outcome
from db.traps.trap import Trap
from db.wording import moves
from db.wording.evidence import Evidence
from db.wording.languages.english import ENGLISH
from db.wording.languages.grammar import Grammar
from db.wording.material import Material
from trapcore.proof.search import MATE, MATE_BOUND
from trapcore.proof.verdict import Verdict


def claim(trap: Trap, language: Grammar = ENGLISH) -> str:
    """What is known about a trap, in a few words that say no more than its proof."""
    if trap.verdict is Verdict.PROVED:
        if trap.outcome is Outcome.MATE:
            return language.text("proved, mate in %(count)s", count=trap.mate_in)
        if trap.gain is None:
            return language.text("proved")
        return language.text("proved, costs %(points)s %% of win chance", points=points_of_cost(trap.gain))
    if trap.reason and trap.is_forced:
        return language.text("no trap: %(reason)s", reason=trap.reason)
    mates = trap.outcome is Outcome.MATE
    claimed = language.text("said to win by mate") if mates else language.text("said to win material")
    known = f", {language.text('known as no trap')}" if trap.reason else ""
    return f"{language.text(trap.verdict.value)}, {claimed}{known}"


def contradiction(trap: Trap, language: Grammar = ENGLISH) -> str:
    """Who contradicts whom about a disputed trap, and what is claimed all the same."""
    opinions = [
        language.text("%(verdict)s by %(by)s", verdict=language.text(opinion.verdict.value), by=opinion.by)
        for opinion in trap.opinions
    ]
    if trap.reason:
        opinions.append(language.text("no trap because: %(reason)s", reason=trap.reason))
    said = "; ".join(opinions)
    return language.text(
        "opinions contradict each other (%(opinions)s); %(claim)s", opinions=said, claim=claim(trap, language)
    )


def is_rated(by_rating: Mapping[RatingBand, Frequency]) -> bool:
    """Whether the rating of anybody who had the choice is known."""
    return bool(by_rating.keys() - {UNKNOWN_RATING})


def temptation(profile: Profile | None, frequency: Frequency, language: Grammar = ENGLISH) -> str:
    """Why a bait tempts, with the figures; the figures alone if it does not; empty if nothing is known."""
    figures = []
    if profile is not None:
        figures.append(
            language.text(
                "rank %(rank)s at first sight, seems to win %(pawns)s", rank=profile.rank, pawns=pawns(profile.gain)
            )
        )
    if frequency.decisions:
        played, times = language.number(frequency.played), language.number(frequency.decisions)
        figures.append(language.text("played %(played)s times of %(times)s", played=played, times=times))
    if not figures:
        return ""
    found = f" {language.joined} ".join(language.text(reason) for reason in reasons(profile, frequency))
    words = language.text("by %(reasons)s", reasons=found) if found else language.text("no")
    return f"{words} ({', '.join(figures)})"


def pawns(value: int) -> str:
    """Centipawns as pawns, ``+0.35``; a mate as its distance in moves, ``#2`` or ``#-2`` if the victim is mated."""
    if abs(value) <= MATE_BOUND:
        return f"{value / 100:+.2f}"
    return f"#{'-' if value < 0 else ''}{max(0, (MATE - abs(value) + 1) // 2)}"


def numbered_line(trap: Trap, number: int) -> tuple[str, str, str]:
    """Bait, killer, and the rest of the line, as ``5...Bxd1``, ``6.Bxf7+`` and ``Ke7 7.Nd5#``.

    ``number`` is that of the move which the bait is.
    """
    half_move = 2 * number + (trap.victim == "black")
    bait, killer, *rest = moves.line(trap.sans(), half_move).split()
    return bait, killer, " ".join(rest)


def percent(share: float, language: Grammar = ENGLISH) -> str:
    """``12 %``; one figure more below 10 %, so that little is not nothing."""
    return f"{language.decimal(100 * share, 0 if share >= 0.1 or share == 0 else 1)} %"


def percent_of_chance(chance: float) -> str:
    """A win chance of -1..1 as ``62 %`` of 0 to 100."""
    return f"{50 * (1 + chance):.0f} %"


def chance_words(before: float | None, after: float | None) -> str:
    """`` (55 % → 24 %)``; empty where they were not measured."""
    if before is None or after is None:
        return ""
    return f" ({percent_of_chance(before)} → {percent_of_chance(after)})"


def cost_words(evidence: Evidence) -> str:
    """What a losing move cost, as `chance_words` writes it; empty with too few pieces."""
    return chance_words(evidence.before, evidence.after) if evidence.settled else ""


def points_of_cost(cost: float) -> str:
    """What a move costs, 0..2 of win chance, as percentage points of 0 to 100: ``18``."""
    return f"{50 * cost:.0f}"


def year(date: str) -> str:
    """The part of a PGN date that is known, from the left: ``1900.??.??`` gives ``1900``; a date in full stays."""
    return date.partition(".?")[0].strip("?.")


def material_words(language: Grammar, material: Material) -> str:
    """``the bishop``, ``a rook for a knight`` as ``the exchange``, ``a queen for a rook and two pawns``."""
    lost, gained = material.lost, material.gained
    if lost[:1] == (chess.ROOK,) and gained[:1] in ((chess.KNIGHT,), (chess.BISHOP,)):
        more, less = _pieces(language, lost[1:], language.a_piece), _pieces(language, gained[1:], language.for_a_piece)
        if more is None or less is None or (more and less):
            return language.material
        given = _and(language, [language.exchange, *more])
        return language.gets.format(lost=given, gained=_and(language, less)) if less else given
    # Nobody asks which pawn it was, and "the pawn" would mean the only one.
    if material.only and not gained and lost[0] != chess.PAWN:
        return language.the_piece[lost[0]]
    things, others = _pieces(language, lost, language.a_piece), _pieces(language, gained, language.for_a_piece)
    # A list of five pieces says nothing to anybody.
    if things is None or others is None or len(things) > 2 or len(others) > 2 or len(lost) + len(gained) > 4:
        return language.material
    if not others:
        return _and(language, things)
    return language.gets.format(lost=_and(language, things), gained=_and(language, others))


def _pieces(
    language: Grammar, kinds: Sequence[chess.PieceType], words: Mapping[chess.PieceType, str]
) -> list[str] | None:
    """Each kind with its number, the most valuable first; None for numbers that have no word."""
    found = []
    for kind in dict.fromkeys(kinds):
        count = kinds.count(kind)
        word = words[kind] if count == 1 else language.several.get((kind, count))
        if word is None:
            return None
        found.append(word)
    return found


def _and(language: Grammar, things: Sequence[str]) -> str:
    return f" {language.joined} ".join(things)
