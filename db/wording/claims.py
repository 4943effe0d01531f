"""Words for what is known about a trap; no more is claimed than its proof says."""

from collections.abc import Mapping

import chess

from db.traps.temptation import UNKNOWN_RATING, Frequency, Profile, RatingBand, reasons
from db.traps.terms import Outcome
from db.traps.trap import Trap
from trapcore.proof.search import MATE, MATE_BOUND
from trapcore.proof.verdict import Verdict


def claim(trap: Trap) -> str:
    """What is known about a trap, in a few words that say no more than its proof."""
    if trap.verdict is Verdict.PROVED:
        if trap.outcome is Outcome.MATE:
            return f"proved, mate in {trap.mate_in}"
        return "proved" if trap.gain is None else f"proved, costs {50 * trap.gain:.0f} % of win chance"
    if trap.reason and trap.is_forced:
        return f"no trap: {trap.reason}"
    claimed = f"said to win {'by mate' if trap.outcome is Outcome.MATE else 'material'}"
    return f"{trap.verdict}, {claimed}" + (", known as no trap" if trap.reason else "")


def contradiction(trap: Trap) -> str:
    """Who contradicts whom about a disputed trap, and what is claimed all the same."""
    opinions = [f"{opinion.verdict} by {opinion.by}" for opinion in trap.opinions]
    if trap.reason:
        opinions.append(f"no trap because: {trap.reason}")
    return f"opinions contradict each other ({'; '.join(opinions)}); {claim(trap)}"


def is_rated(by_rating: Mapping[RatingBand, Frequency]) -> bool:
    """Whether the rating of anybody who had the choice is known."""
    return bool(by_rating.keys() - {UNKNOWN_RATING})


def temptation(profile: Profile | None, frequency: Frequency) -> str:
    """Why a bait tempts, with the figures; the figures alone if it does not; empty if nothing is known."""
    figures = []
    if profile is not None:
        figures.append(f"rank {profile.rank} at first sight, seems to win {pawns(profile.gain)}")
    if frequency.decisions:
        figures.append(f"played {frequency.played:,} times of {frequency.decisions:,}")
    if not figures:
        return ""
    found = reasons(profile, frequency)
    return f"{'by ' + ' and '.join(found) if found else 'no'} ({', '.join(figures)})"


def pawns(value: int) -> str:
    """Centipawns as pawns, ``+0.35``; a mate as its distance in moves, ``#2`` or ``#-2`` if the victim is mated."""
    if abs(value) <= MATE_BOUND:
        return f"{value / 100:+.2f}"
    moves = max(0, (MATE - abs(value) + 1) // 2)
    return f"#{'-' if value < 0 else ''}{moves}"


def numbered_line(trap: Trap, number: int) -> tuple[str, str, str]:
    """Bait, killer, and the rest of the line, as ``5...Bxd1``, ``6.Bxf7+`` and ``Ke7 7.Nd5#``.

    ``number`` is that of the move which the bait is.
    """
    words: list[str] = []
    board = trap.board()
    board.fullmove_number = number
    for count, uci in enumerate(trap.line):
        move = chess.Move.from_uci(uci)
        if board.turn:
            words.append(f"{board.fullmove_number}.{board.san(move)}")
        else:
            words.append(f"{board.fullmove_number}...{board.san(move)}" if not count else board.san(move))
        board.push(move)
    return words[0], words[1], " ".join(words[2:])


def percent(share: float) -> str:
    """``12 %``; one figure more below 10 %, so that little is not nothing."""
    return f"{100 * share:.0f} %" if share >= 0.1 or share == 0 else f"{100 * share:.1f} %"


def year(date: str) -> str:
    """The part of a PGN date that is known, from the left: ``1900.??.??`` gives ``1900``; a date in full stays."""
    return date.partition(".?")[0].strip("?.")
